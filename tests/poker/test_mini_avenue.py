"""The small Agent Avenue against the full game, its exact measures by a second way, and its studies."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from spygames import make_game
from spygames.core.game.game import NOBODY, ImpossibleState, as_record
from spygames.testing import check_game
from spygames_training.agents.policy import Policy
from spygames_training.experiments.best_response import learner_run
from spygames_training.runs.run import Run
from tests.poker import adversary, exploitability, mini_avenue
from tests.poker.nashconv import Tree, uniform

GAME = mini_avenue.make_game()
FULL = make_game("agent_avenue_v0")
NAMES = [FULL.action_to_string(as_record(FULL.start(0)), action, 0) for action in range(FULL.num_actions)]


@cache
def tree() -> Tree:
    return Tree(GAME)


# ------------------------------------------------- the same play in the full game, with a second exact measure
#
# The kernels of the full game play from hands of three, a deck of one card and no discards. Only the catch with a lead
# of three is added here. What a seat knows is written down as a tuple, without `observe` of the small game.


def in_full_game(cards: np.ndarray) -> np.ndarray:
    """A deal of the small game as a state of the full game."""
    ids = [FULL.module.layout.AGENTS.index(mini_avenue.AGENTS[card]) for card in cards]
    state = FULL.start(0)
    s = as_record(state)
    s.hands[:], s.deck[:], s.discards_left[:] = 0, -1, 0
    for seat, hand in enumerate((ids[:3], ids[4:])):
        for card in hand:
            s.hands[seat, card] += 1
    s.deck[0], s.deck_size = ids[3], 1
    return state


def moves(state: np.ndarray) -> dict[str, tuple[np.ndarray, int | None]]:
    """The state and the winner (None: it goes on) after each legal move of the full game."""
    mask, found = np.zeros(FULL.num_actions, np.int8), {}
    FULL.legal(as_record(state), mask)
    for action in np.flatnonzero(mask).tolist():
        after = state.copy()
        FULL.apply(as_record(after), action)
        s = as_record(after)
        active = int(state["active_side"][0])
        lead = int(s.progress[active]) - int(s.progress[1 - active])
        codebreakers = [int(n) for n in s.in_play[:2, FULL.module.layout.AGENTS.index("codebreaker")]]
        winner = None
        if lead >= 3 or codebreakers[active] >= 3:
            winner = active
        elif lead <= -3 or codebreakers[1 - active] >= 3:
            winner = 1 - active
        elif s.to_move == NOBODY:
            winner = int(s.winner)
        found[NAMES[action]] = after, winner
    return found


def known(state: np.ndarray, seat: int) -> tuple:
    """What a seat sees at one moment."""
    s = as_record(state)
    return (*s.hands[seat].tolist(), int(s.face_up), *s.in_play[:2].ravel().tolist(), int(s.to_move))


Situation = tuple[float, np.ndarray]
"""The probability by chance and the rival, and a state of the full game."""


def best_response(seat: int) -> float:
    """What a best response to uniform play wins, by following sets of states that the seat cannot tell apart."""

    def value(alike: list[Situation]) -> float:
        options = defaultdict(float)
        after = defaultdict(list)
        for weight, state in alike:
            for text, (child, winner) in moves(state).items():
                if winner is None:
                    after[text].append((weight, child))
                else:
                    options[text] += weight * (1 if winner == seat else -1)
        for text, reached in after.items():
            options[text] += onward(reached)
        return max(options.values())

    def onward(states: list[Situation]) -> float:
        """Let the rival play uniformly until the seat decides, and group the states by what the seat has seen."""
        total, groups = 0.0, defaultdict(list)
        stack: list[tuple[float, np.ndarray, tuple]] = [(weight, state, ()) for weight, state in states]
        while stack:
            weight, state, seen = stack.pop()
            seen = (*seen, known(state, seat))
            if state["to_move"][0] == seat:
                groups[seen].append((weight, state))
                continue
            children = moves(state)
            for child, winner in children.values():
                if winner is None:
                    stack.append((weight / len(children), child, seen))
                else:
                    total += weight / len(children) * (1 if winner == seat else -1)
        return total + sum(value(group) for group in groups.values())

    deals = Counter(tuple(tree().nodes[i].state["cards"][0]) for i in tree().deals)
    assert max(deals.values()) == 1
    weights = dict(zip(deals, tree().chance, strict=True))
    return onward([(weights[cards], in_full_game(np.array(cards))) for cards in deals])


def test_every_line_of_play_is_that_of_the_full_game() -> None:
    """Legal moves, spaces and winners agree in all 3,067 positions, 1,552 of them ends."""
    pairs: list[tuple[int, np.ndarray | None]] = [
        (i, in_full_game(tree().nodes[i].state["cards"][0])) for i in tree().deals
    ]
    ends = visited = 0
    while pairs:
        i, state = pairs.pop()
        node, visited = tree().nodes[i], visited + 1
        if state is None:
            ends += 1
            continue
        assert node.state["progress"][0].tolist() == state["progress"][0].tolist()
        expected = moves(state)
        children = {GAME.action_to_string(as_record(node.state), action, 0): c for action, c in node.children.items()}
        assert children.keys() == expected.keys()
        for text, (after, winner) in expected.items():
            child = tree().nodes[children[text]]
            assert child.payoff.tolist() == ([0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1])
            pairs.append((children[text], None if winner is not None else after))
    assert (visited, ends) == (len(tree().nodes), 1552) == (3067, 1552)
    assert tree().observation.shape == (1075, GAME.num_features)


def test_nash_conv_of_uniform_play_by_two_ways() -> None:
    expected = [best_response(seat) for seat in range(2)]
    assert [tree().best_response(uniform, seat) for seat in range(2)] == pytest.approx(expected, abs=1e-9)
    assert tree().nash_conv(uniform) == pytest.approx(sum(expected), abs=1e-9)  # zero-sum, so the values cancel
    assert tree().nash_conv(uniform) == pytest.approx(1.2928571428571427, abs=1e-9)


def test_values_of_two_policies() -> None:
    assert tree().against(uniform, uniform) == pytest.approx(0, abs=1e-9)
    assert sum(tree().values(uniform)) == pytest.approx(0, abs=1e-9)

    def first(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        return np.eye(mask.shape[1])[mask.argmax(1)]

    gain = tree().against(first, uniform)
    assert gain == pytest.approx(-tree().against(uniform, first), abs=1e-9) != 0
    assert 2 * gain < tree().best_response(uniform, 0) + tree().best_response(uniform, 1)


def test_deals() -> None:
    """The chance of each of the 19 deals of names counts its copies: of 140 in all."""
    assert len(mini_avenue.deals()) == 140
    assert len(tree().deals) == 19
    assert sum(tree().chance) == pytest.approx(1)
    drawn = Counter(GAME.start(seed)["cards"].tobytes() for seed in range(4000))
    cards = [tree().nodes[i].state["cards"].tobytes() for i in tree().deals]
    assert drawn.keys() <= set(cards)
    assert chisquare([drawn[deal] for deal in cards], 4000 * tree().chance).pvalue > 1e-3


C, D, E = mini_avenue.AGENTS


@pytest.mark.parametrize(
    ("hands", "deck", "turns", "winner"),
    [  # calculated by hand
        ([[C, C, C], [D, D, E]], E, [[C, C, "up"], [E, D, "up"], [E, C, "up"]], 0),  # runs out, 1 : 0
        ([[C, C, C], [D, D, E]], E, [[C, C, "up"], [D, E, "up"], [C, E, "up"]], 1),  # runs out, 0 : 1
        ([[C, C, C], [D, D, E]], E, [[C, C, "up"], [D, E, "up"], [C, E, "down"]], 1),  # the 2nd Enforcer: -1 : 3
        ([[D, E, C], [E, C, D]], C, [[D, E, "up"], [E, C, "up"]], 0),  # caught in the other's turn, 3 : -1
        ([[C, E, E], [C, D, D]], C, [[C, E, "down"], [D, C, "down"], [E, C, "up"]], 0),  # three Codebreakers, 0 : 2
        ([[D, E, C], [E, C, D]], C, [[D, E, "up"]], None),
    ],
)
def test_known_games(hands: list[list[str]], deck: str, turns: list[list[str]], winner: int | None) -> None:
    to_move = None if winner is not None else len(turns) % 2
    states, out = GAME.new_states(), np.zeros(2, np.float32)
    GAME.state_from_dict({"dealt": hands, "deck": deck, "turns": turns, "to_move": to_move}, as_record(states))
    GAME.returns(as_record(states), out)
    assert out.tolist() == ([0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"deck": C}, "must have 3 codebreaker, 2 double_agent, 2 enforcer"),
        ({"deck": "mole"}, "'mole' is not one of"),
        ({"turns": [[E, C, None]]}, "'enforcer codebreaker' is not legal"),
        ({"turns": [[C, C, None]], "to_move": 0}, "to_move"),
    ],
)
def test_impossible_states_are_refused(change: dict, message: str) -> None:
    deal = {"dealt": [[C, C, C], [D, D, E]], "deck": E, "turns": [], "to_move": 0}
    with pytest.raises(ImpossibleState, match=message):
        GAME.state_from_dict({**deal, **change}, as_record(GAME.new_states()))


def views() -> Iterator[tuple[int, bytes, int]]:
    """Seat, view and index of every node."""
    view = GAME.new_views()
    for i, node in enumerate(tree().nodes):
        for seat in range(2):
            GAME.observe(as_record(node.state), seat, as_record(view))
            yield seat, view.tobytes(), i


def test_determinize_draws_the_worlds_of_a_view_by_their_chance() -> None:
    """The draws for a seat are the nodes with its view, each as likely as its deal, whichever is the true one."""
    alike, chance = defaultdict(list), {}
    for deal, p in zip(tree().deals, tree().chance, strict=True):
        chance[tree().nodes[deal].state["cards"].tobytes()] = p
    for seat, view, i in views():
        alike[seat, view].append(tree().nodes[i].state)
    pvalues = []
    for k, ((seat, _), states) in enumerate(alike.items()):
        redrawn = [state.copy() for state in states]
        for state in redrawn:
            GAME.determinize(as_record(state), seat, np.uint64(k))
        assert len({state.tobytes() for state in redrawn}) == 1
        if len(states) > 1 and k % 20 == 0:
            drawn = Counter()
            for seed in range(400):
                state = states[0].copy()
                GAME.determinize(as_record(state), seat, np.uint64(seed))
                state["rng"] = 0
                drawn[state.tobytes()] += 1
            weights = np.array([chance[state["cards"].tobytes()] for state in states])
            assert drawn.keys() <= {state.tobytes() for state in states}
            pvalues.append(chisquare([drawn[s.tobytes()] for s in states], 400 * weights / weights.sum()).pvalue)
    assert len(pvalues) > 20
    assert min(pvalues) > 1e-3 / len(pvalues)


def test_the_contract_holds_for_what_is_hidden() -> None:
    checks = ["layout", "play", "views", "texts", "mapping", "leaks", "moves", "redraws", "rewinds"]
    check_game(GAME, effort=0.3, checks=checks)


@pytest.mark.slow
def test_the_whole_contract_holds() -> None:
    check_game(GAME)


# ------------------------------------------------------------------------------------------------- the studies


def test_the_page_has_the_figures_of_the_files() -> None:
    page = exploitability.PAGE.read_text()
    for study in (exploitability, adversary):
        begin, end = page.index(study.BEGIN) + len(study.BEGIN), page.index(study.END, page.index(study.BEGIN))
        assert page[begin:end].strip() == study.table(study.read())


def test_the_command_on_the_page_trains_no_other_runs_than_those_of_the_page() -> None:
    study, found = exploitability.Study(), exploitability.read()
    for game in study.games:
        for decay in study.decays:
            assert {str(seed) for seed in range(1, study.seeds + 1)} <= found[game][decay].keys()


def test_shares_of_the_exact_gain() -> None:
    run = {"exact": 0.8, "sample": 0.53, "argmax": 0.65, "search": 0.725, "interval": [0.7, 0.75]}
    assert adversary.shares(run) == pytest.approx({"sample": 0.1, "argmax": 0.5, "search": 0.75, "worst": 0.75})
    noisy = run | {"interval": [0.64, 0.81]}  # the search may have been lucky
    assert adversary.shares(noisy)["worst"] == pytest.approx(0.5)


def test_intervals_over_seeds() -> None:
    half = 4.302653 * 0.1 / 3**0.5
    assert exploitability.mean_interval([0.1, 0.2, 0.3]) == pytest.approx((0.2 - half, 0.2 + half, 0.1), abs=1e-6)
    assert exploitability.mean_interval([0.1, 0.2]) is None


@pytest.mark.slow
def test_an_adversary_finds_part_of_the_exact_gain_and_never_more() -> None:
    found = adversary.attack(50_000, 99)
    for how in ("sample", "argmax"):
        assert found[how] <= found["exact"] + 1e-6
    assert found["interval"][0] <= found["exact"]
    assert adversary.shares(found)["worst"] > 0.3


def test_a_best_response_in_a_game_of_your_own(tmp_path: Path) -> None:
    """A checkpoint cannot name a module to import, so the caller gives the game."""
    recipe = exploitability.RECIPES["kuhn"]
    game = recipe.module.make_game()
    Run.create(recipe.config(1, decisions=8192), tmp_path / "agent", game).train(progress=False)
    run = learner_run(tmp_path / "agent", tmp_path / "learner", decisions=4096, workers=1, game=game)
    learner = Policy(game, run.train(progress=False))
    assert Tree(game).decisions(learner.probabilities) > 2
