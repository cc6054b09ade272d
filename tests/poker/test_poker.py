"""Kuhn and Leduc poker against known results, and the exact measures of policies."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, ImpossibleState, as_record
from spygames.core.players.names import Scripted
from spygames.core.playing.batch import Batch

from . import kuhn, leduc
from .nashconv import Tree, nash_conv, uniform

GAMES = {"kuhn": kuhn.make_game(), "leduc": leduc.make_game()}
both_games = pytest.mark.parametrize("name", GAMES)


@cache
def tree(name: str) -> Tree:
    return Tree(GAMES[name])


def play(game: Game, **mapping: object) -> np.ndarray:
    """STATE [1] from a mapping, with `to_move` filled in."""
    for seat in (None, 0, 1):
        states = game.new_states()
        try:
            game.state_from_dict({**mapping, "to_move": seat}, as_record(states))
        except ImpossibleState as error:
            if "to_move" not in str(error):
                raise
        else:
            return states
    raise AssertionError("no value of to_move is accepted")


def result(game: Game, states: np.ndarray) -> list[float]:
    out = np.full(game.num_players, np.nan, np.float32)
    game.returns(as_record(states), out)
    return out.tolist()


def first_legal(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The policy that takes the first legal action, which is a fold if that is legal."""
    return np.eye(mask.shape[1])[mask.argmax(1)]


def kuhn_policy(chances: dict[str, tuple[float, float, float]]) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A policy from the probabilities of a bet with J, Q and K, by the moves so far (p: pass, b: bet)."""

    def policy(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        bets = []
        for view in np.ascontiguousarray(observation).view(kuhn.VIEW)[:, 0]:
            moves = "".join("pb"[move.argmax()] for move in view["moves"] if move.any())
            bets.append(chances[moves][view["own"].argmax()])
        return np.stack([1 - np.array(bets), bets], 1)

    return policy


def kuhn_equilibrium(alpha: float) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """An equilibrium of Kuhn poker; `alpha`, 0 to 1/3, is the probability that seat 0 bluffs with the J."""
    return kuhn_policy({
        "": (alpha, 0, 3 * alpha), "pb": (0, alpha + 1 / 3, 1), "p": (1 / 3, 0, 1), "b": (0, 1 / 3, 1),
    })  # fmt: skip


@pytest.mark.parametrize(
    ("name", "by_depth", "information_sets", "histories"),
    [
        ("kuhn", [6 * n for n in (1, 2, 4, 2)], 12, 58 - 4),
        ("leduc", [120 * n for n in (1, 2, 5, 9, 16, 22, 19, 9, 2)], 936, 9457 - 157),
    ],
)
def test_tree_sizes(name: str, by_depth: list[int], information_sets: int, histories: int) -> None:
    """Histories by number of moves are counted by hand. The totals are OpenSpiel's without its chance nodes: the deal
    and, in Leduc poker, the public card."""
    game, nodes = GAMES[name], tree(name).nodes
    moves = Counter(int((n.state["moves"] != -1).sum()) for n in nodes)
    assert [moves[d] for d in range(len(by_depth))] == by_depth
    assert len(nodes) == sum(by_depth)
    assert tree(name).observation.shape == (information_sets, game.num_features)
    seen = set()
    for node in nodes:
        state = game.state_to_dict(as_record(node.state))
        if name == "leduc" and node.state["street"] == 0:
            del state["public"]
        seen.add(json.dumps(state))
    assert len(seen) == histories


@pytest.mark.parametrize(
    ("cards", "moves", "payoff"),
    [
        ("QJ", "pass pass", 1),
        ("QK", "pass pass", -1),
        ("QJ", "pass bet pass", -1),
        ("QJ", "pass bet bet", 2),
        ("QK", "pass bet bet", -2),
        ("JK", "bet pass", 1),
        ("JK", "bet bet", -2),
        ("KJ", "bet bet", 2),
        ("KJ", "", 0),
        ("KJ", "pass bet", 0),
    ],
)
def test_kuhn_payoffs(cards: str, moves: str, payoff: int) -> None:
    game = GAMES["kuhn"]
    assert result(game, play(game, cards=[*cards], moves=moves.split())) == [payoff, -payoff]


@pytest.mark.parametrize(
    ("cards", "public", "moves", "payoff"),
    [
        ("Ks Qs", "Qh", "call call | call call", -1),  # a pair beats a higher rank
        ("Js Qs", "Jh", "raise call | raise call", 7),
        ("Js Qs", "Kh", "raise call | raise call", -7),
        ("Qs Qh", "Kh", "raise raise call | raise raise call", 0),  # the same rank: shared
        ("Ks Qh", "Js", "call raise raise call | call raise raise call", 13),
        ("Ks Qh", "Kh", "raise raise fold |", -3),
        ("Ks Qh", "Kh", "raise fold |", 1),
        ("Ks Qh", "Kh", "call raise fold |", -1),
        ("Ks Qh", "Kh", "raise call | call raise raise fold", 7),
        ("Ks Qh", "Kh", "raise call |", 0),  # not over
    ],
)
def test_leduc_payoffs(cards: str, public: str, moves: str, payoff: int) -> None:
    game = GAMES["leduc"]
    rounds = [part.split() for part in moves.split("|")]
    assert result(game, play(game, cards=cards.split(), public=public, moves=rounds)) == [payoff, -payoff]


@pytest.mark.parametrize(
    ("moves", "allowed"),
    [
        ("|", "call raise"),
        ("call |", "call raise"),
        ("raise |", "fold call raise"),
        ("raise raise |", "fold call"),
        ("call raise raise |", "fold call"),
        ("raise raise call |", "call raise"),  # the limit of raises applies to each round
        ("raise fold |", ""),
        ("call call | call call", ""),
    ],
)
def test_leduc_legal_actions(moves: str, allowed: str) -> None:
    game, mask = GAMES["leduc"], np.zeros(3, np.int8)
    states = play(game, cards=["Ks", "Qh"], public="Kh", moves=[part.split() for part in moves.split("|")])
    game.legal(as_record(states), mask)
    assert [leduc.ACTIONS[action] for action in np.flatnonzero(mask)] == allowed.split()


@both_games
def test_init_draws_the_deals_uniformly(name: str) -> None:
    """`init` draws every deal with the same probability, and no other state."""
    game = GAMES[name]
    drawn = Counter()
    for seed in range(6000):
        states = game.start(seed)
        states["rng"] = 0
        drawn[states.tobytes()] += 1
    deals = [tree(name).nodes[i].state.tobytes() for i in tree(name).deals]
    assert set(drawn) == set(deals)
    assert chisquare([drawn[deal] for deal in deals]).pvalue > 1e-3


@both_games
def test_the_batch_plays_the_same_game(name: str) -> None:
    """The mean result of random play in the batch is that of the tree, within four standard errors."""
    game, n = GAMES[name], 1000
    batch, player = Batch(game, n, seed=1, threads=1), Scripted(game, "random")
    streams, rows, won = np.arange(n, dtype=np.uint64)[:, None], np.arange(n), []
    for _ in range(200):
        batch.step(player.act(batch.decisions(streams, rows)))
        won.append(batch.rewards[batch.done].copy())
    won = np.concatenate(won)
    error = won.std(0) / np.sqrt(len(won))
    # The 1,000 unfinished games, of at least 48,000, are longer than most; this bias is far below the error.
    assert (abs(won.mean(0) - tree(name).values(uniform)) < 4 * error).all()


def views_of(game: Game, states: np.ndarray, seat: int) -> bytes:
    view = game.new_views()
    game.observe(as_record(states), seat, as_record(view))
    return view.tobytes()


@both_games
def test_determinize_draws_consistent_states_uniformly(name: str) -> None:
    """For each seat at each node, including final ones, the determinized states are exactly the nodes with the same
    view, equally likely, whichever of them is the true one."""
    game = GAMES[name]
    alike: dict[tuple[int, bytes], list[np.ndarray]] = defaultdict(list)
    for node in tree(name).nodes:
        for seat in range(2):
            alike[seat, views_of(game, node.state, seat)].append(node.state)
    pvalues = []
    for k, ((seat, view), states) in enumerate(alike.items()):
        determinized = [state.copy() for state in states]
        for state in determinized:
            game.determinize(as_record(state), seat, np.uint64(k))
        assert len({state.tobytes() for state in determinized}) == 1
        assert views_of(game, determinized[0], seat) == view
        if name == "kuhn" or k % 50 == 0:
            drawn = Counter()
            for seed in range(max(600, 40 * len(states))):  # enough to detect odds of 2 : 1
                state = states[0].copy()
                game.determinize(as_record(state), seat, np.uint64(seed))
                state["rng"] = 0
                drawn[state.tobytes()] += 1
            assert set(drawn) == {state.tobytes() for state in states}
            if len(states) > 1:
                pvalues.append(chisquare([*drawn.values()]).pvalue)
    assert min(pvalues) > 1e-3 / len(pvalues)
    if name == "leduc":  # sets of 20 in the first round, 4 in the second, 1 at a showdown
        assert {len(states) for states in alike.values()} == {1, 4, 20}


@both_games
def test_mappings_round_trip(name: str) -> None:
    game = GAMES[name]
    for node in tree(name).nodes:
        mapping = json.loads(json.dumps(game.state_to_dict(as_record(node.state))))
        again = game.new_states()
        game.state_from_dict({**mapping, "rng": 2**64 - 1}, as_record(again))
        assert again["rng"] == 2**64 - 1
        again["rng"] = node.state["rng"]
        assert again.tobytes() == node.state.tobytes()


@both_games
def test_actions_round_trip(name: str) -> None:
    game, s = GAMES[name], as_record(GAMES[name].start(0))
    for action in range(game.num_actions):
        assert game.string_to_action(s, game.action_to_string(s, action, 0), 0) == action
    with pytest.raises(ValueError, match="'check' is not an action"):
        game.string_to_action(s, "check", 0)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("kuhn", {"cards": ["J", "J"]}, "differ"),
        ("kuhn", {"cards": ["J", "A"]}, "'A' is not one of"),
        ("kuhn", {"moves": ["bet", "bet", "bet"], "to_move": None}, "after the end"),
        ("kuhn", {"to_move": 1}, "to_move"),
        ("kuhn", {"to_move": None}, "to_move"),
        ("leduc", {"public": "Js"}, "three different"),
        ("leduc", {"moves": [["fold"], []]}, "'fold' is not legal"),
        ("leduc", {"moves": [["raise", "raise", "raise"], []]}, "'raise' is not legal"),
        ("leduc", {"moves": [["call"], ["call"]]}, "'call' is not legal"),
        ("leduc", {"moves": [["call", "call", "call"], []]}, "'call' is not legal"),
        ("leduc", {"to_move": 2}, "to_move"),
        ("leduc", {"deck": []}, "unknown keys: deck"),
    ],
)
def test_impossible_states_are_refused(name: str, change: dict[str, object], message: str) -> None:
    game = GAMES[name]
    good = game.module.deals()[0]
    game.state_from_dict(good, as_record(game.new_states()))
    with pytest.raises(ImpossibleState, match=message):
        game.state_from_dict({**good, **change}, as_record(game.new_states()))


def test_texts_show_what_the_viewer_may_see() -> None:
    game = GAMES["leduc"]
    states = play(game, cards=["Ks", "Qh"], public="Jh", moves=[["raise"], []])
    texts = [game.to_text(as_record(states), viewer) for viewer in (0, 1, NOBODY)]
    assert [[card in text for card in ("Ks", "Qh", "Jh")] for text in texts] == [
        [True, False, False], [False, True, False], [True, True, True],
    ]  # fmt: skip
    states = play(game, cards=["Ks", "Qh"], public="Jh", moves=[["raise", "call"], ["call", "call"]])
    assert all(card in game.to_text(as_record(states), 0) for card in ("Ks", "Qh", "Jh"))
    game = GAMES["kuhn"]
    states = play(game, cards=["Q", "K"], moves=["bet", "pass"])
    assert "K" not in game.to_text(as_record(states), 0)  # a fold reveals no card


@pytest.mark.parametrize(
    ("name", "policy", "expected"),
    [  # values of OpenSpiel's exploitability tests
        ("kuhn", uniform, 11 / 12),
        ("kuhn", first_legal, 2),
        ("leduc", uniform, 4.747222222222222),
        ("leduc", first_legal, 2),
    ],
)
def test_nash_conv_of_known_policies(
    name: str, policy: Callable[[np.ndarray, np.ndarray], np.ndarray], expected: float
) -> None:
    assert nash_conv(GAMES[name], policy) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("alpha", [0, 0.2, 1 / 3])
def test_kuhn_equilibria(alpha: float) -> None:
    policy = kuhn_equilibrium(alpha)
    assert tree("kuhn").nash_conv(policy) == pytest.approx(0, abs=1e-9)
    assert tree("kuhn").values(policy) == pytest.approx([-1 / 18, 1 / 18], abs=1e-9)


def test_a_deviation_from_the_equilibrium_is_measured() -> None:
    """Seat 1 never bluffs with the J after a pass; the expected value is calculated by hand.

    Seat 0 gains by folding the Q to a bet (against the K, 1 of 6 deals, 1/3 of the time, one chip) and by betting the
    K (against the Q, 1 of 6 deals, 1/3 of a chip). Seat 1 gains nothing: against the equilibrium of seat 0, bluffing
    with the J and passing have the same value.
    """
    honest = kuhn_policy({"": (0, 0, 0), "pb": (0, 1 / 3, 1), "p": (0, 0, 1), "b": (0, 1 / 3, 1)})
    assert tree("kuhn").nash_conv(honest) == pytest.approx(1 / 9, abs=1e-9)
    assert tree("kuhn").best_response(honest, 0) == pytest.approx(1 / 18, abs=1e-9)


def test_best_response_is_the_best_of_all_pure_strategies() -> None:
    """The 64 pure strategies of each seat of Kuhn poker are evaluated separately against random opponents."""
    t, rng = tree("kuhn"), np.random.default_rng(0)
    seats = np.array([t.nodes[nodes[0]].seat for nodes in t.members])
    for _ in range(3):
        rival = rng.dirichlet([1, 1], len(seats))
        for seat in range(2):
            values = []
            for actions in product(range(2), repeat=6):
                p = rival.copy()
                p[seats == seat] = np.eye(2)[list(actions)]
                values.append(t.values(lambda observation, mask, p=p: p)[seat])
            best = t.best_response(lambda observation, mask, rival=rival: rival, seat)
            assert best == pytest.approx(max(values), abs=1e-9)


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (lambda observation, mask: uniform(observation, mask)[:-1], "must have shape"),
        (lambda observation, mask: np.full(mask.shape, 1 / 3), "at least 0, and 0 for illegal"),
        (lambda observation, mask: uniform(observation, mask) * 0.9, "sum to 1"),
        (lambda observation, mask: uniform(observation, mask) * np.nan, "at least 0, and 0 for illegal"),
    ],
)
def test_invalid_policies_are_refused(policy: Callable[[np.ndarray, np.ndarray], np.ndarray], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree("leduc").nash_conv(policy)


def test_unsupported_games_are_refused() -> None:
    game = GAMES["leduc"]

    def forgets(s: Record, seat: int, view: Record) -> None:
        game.observe(s, seat, view)
        view.moves[0] = 0  # the first round

    def draws(s: Record, action: int) -> None:
        game.apply(s, action)
        s.rng += np.uint64(1)

    with pytest.raises(ValueError, match="perfect recall"):
        Tree(replace(game, observe=forgets))
    with pytest.raises(ValueError, match="chance events after the deal"):
        Tree(replace(game, apply=draws))
    with pytest.raises(ValueError, match="num_players must be 2"):
        Tree(replace(game, num_players=3))
