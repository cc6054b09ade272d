"""Searches use only their seat's view, change nothing, and find good actions."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spygames.agent_avenue import make_game as agent_avenue
from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.game import Game, as_record, flat
from spygames.core.game.rng import random_action
from spygames.core.players.names import DecisionBatch, Player, make_player
from spygames.core.players.search import Kind, SearchPlayer, search_values
from spygames.core.playing.batch import spread
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import Session
from tests.poker import kuhn
from tests.support import pennies
from tests.support.suites import slow_but

KINDS: tuple[Kind, ...] = ("mc", "mcts")


def positions(game: Game, moves: int, n: int = 20) -> np.ndarray:
    """Return up to `n` states, each after `moves` random decisions, without finished games."""
    states = np.concatenate([game.start(seed) for seed in range(n)])
    rng = np.random.default_rng(moves)
    mask = np.zeros(game.num_actions, np.int8)
    for i in range(n):
        s = as_record(states, i)
        for _ in range(moves):
            if s.to_move >= 0:
                game.legal(s, mask)
                game.apply(s, int(rng.choice(np.flatnonzero(mask))))
    return states[states["to_move"] >= 0]


def decisions(game: Game, states: np.ndarray, seed: int = 1) -> DecisionBatch:
    """Return one decision per state, each with its own random stream."""
    views, mask = game.new_views(len(states)), np.zeros((len(states), game.num_actions), np.int8)
    for i in range(len(states)):
        game.legal(as_record(states, i), mask[i])
        game.observe(as_record(states, i), int(states["to_move"][i]), as_record(views, i))
    streams = spread(np.uint64(seed), len(states)).reshape(-1, 1)
    return DecisionBatch(game, states, views, flat(views), mask, streams, np.arange(len(states)))


def disagreements(game: Game, kind: Kind) -> int:
    """Return the number of positions in which two truths that look the same to the seat give different findings."""
    count = 0
    for moves in range(8):
        for state in positions(game, moves, 5).reshape(-1, 1):
            seat = int(state["to_move"][0])
            truths = [state.copy(), state.copy()]
            honest = agent_avenue() if game.name == "peeking" else game
            for seed, truth in enumerate(truths):
                honest.determinize(as_record(truth), seat, np.uint64(seed + 100))
            first, second = (search_values(game, truth, seat, 60, 9, kind) for truth in truths)
            same = np.array_equal(first.visits, second.visits) and np.array_equal(first.values, second.values, True)
            count += not same
    return count


@kernel
def peek(s: Record, seat: Int, seed: np.uint64) -> None:
    """A resampler that keeps the truth, so that the search sees everything."""
    s.rng = seed


@pytest.mark.parametrize("kind", KINDS)
def test_hidden_truth_makes_no_difference(kind: Kind) -> None:
    assert disagreements(agent_avenue(), kind) == 0
    assert disagreements(kuhn.make_game(), kind) == 0


@pytest.mark.parametrize("kind", slow_but(KINDS, 1))
def test_a_search_that_peeks_is_detected(kind: Kind) -> None:
    assert disagreements(replace(agent_avenue(), name="peeking", determinize=peek), kind) > 10


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_are_not_changed(kind: Kind) -> None:
    game = agent_avenue()
    states = positions(game, 5)
    d = decisions(game, states)
    before = [a.tobytes() for a in (states, d.views, d.mask)]
    actions = SearchPlayer(game, kind, 50).act(d)
    search_values(game, states[:1], int(states["to_move"][0]), 50, 1, kind)
    assert [a.tobytes() for a in (states, d.views, d.mask)] == before
    assert d.mask[d.rows, actions].all()


@pytest.mark.parametrize("kind", KINDS)
def test_actions_do_not_depend_on_grouping_or_threads(kind: Kind) -> None:
    game = agent_avenue()
    states = positions(game, 4)
    together = SearchPlayer(game, kind, 40).act(decisions(game, states))
    threaded = SearchPlayer(game, kind, 40, threads=3).act(decisions(game, states))
    player, d = SearchPlayer(game, kind, 40), decisions(game, states)
    alone = [player.act(replace(d, rows=np.array([row])))[0] for row in reversed(d.rows)][::-1]
    assert together.tolist() == threaded.tolist() == alone
    other_streams = SearchPlayer(game, kind, 40).act(decisions(game, states, seed=2))
    assert together.tolist() != other_streams.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_values_agree_with_the_player(kind: Kind) -> None:
    game = agent_avenue()
    states = positions(game, 3)
    d = decisions(game, states)
    streams = d.rng.copy()
    actions = SearchPlayer(game, kind, 100).act(d)
    for i in range(len(states)):
        found = search_values(game, states[i : i + 1], int(states["to_move"][i]), 100, int(streams[i, 0]), kind)
        ranked = np.lexsort((np.nan_to_num(found.values, nan=-9.0), found.visits))
        best = ranked[-1]
        assert (found.visits[actions[i]], found.values[actions[i]]) == (found.visits[best], found.values[best])
        # Of equal actions it takes always the same one: the last legal action if it is one of them, else the first.
        equal = np.flatnonzero((found.visits == found.visits[best]) & (found.values == found.values[best]))
        last = np.flatnonzero(d.mask[i])[-1]
        assert actions[i] == (last if last in equal else equal[0])
        assert np.array_equal(found.visits > 0, ~np.isnan(found.values))
        assert not found.visits[d.mask[i] == 0].any()
        if kind == "mcts":
            assert found.visits.sum() == 100
        else:
            assert set(found.visits[d.mask[i] == 1]) == {100 // d.mask[i].sum()}


def test_a_single_legal_action_is_not_searched() -> None:
    game = kuhn.make_game()
    states = np.concatenate([game.start(seed) for seed in range(4)])
    d = decisions(game, states)
    d.mask[:2] = [0, 1]
    streams = d.rng.copy()
    actions = SearchPlayer(game, "mcts", 10).act(d)
    assert actions[:2].tolist() == [1, 1]
    assert (d.rng != streams).ravel().tolist() == [False, False, True, True]


def kuhn_position(cards: list[str], moves: list[str]) -> np.ndarray:
    game = kuhn.make_game()
    states = game.new_states()
    game.state_from_dict({"cards": cards, "moves": moves, "to_move": len(moves) % 2}, as_record(states))
    return states


@pytest.mark.parametrize("kind", KINDS)
def test_values_facing_a_bet_in_kuhn_poker(kind: Kind) -> None:
    game = kuhn.make_game()
    king = search_values(game, kuhn_position(["J", "K"], ["bet"]), 1, 200, 3, kind)
    jack = search_values(game, kuhn_position(["K", "J"], ["bet"]), 1, 200, 3, kind)
    queen = search_values(game, kuhn_position(["K", "Q"], ["bet"]), 1, 4000, 3, kind)
    assert king.values.tolist() == [-1, 2]
    assert jack.values.tolist() == [-1, -2]
    assert queen.values[kuhn.PASS] == -1
    assert queen.values[kuhn.BET] == pytest.approx(0, abs=0.2)  # it wins or loses two chips, equally often
    if kind == "mcts":
        assert king.visits[kuhn.BET] > 150
        assert jack.visits[kuhn.PASS] > 150


def test_mc_values_match_random_play() -> None:
    # Seat 0 passes with the queen: half the time the rival passes, and one chip is won or lost, equally often. Else the
    # rival bets, and seat 0 folds (-1) or calls (+-2, equally often): 1/2 * 0 + 1/2 * (-1/2 + 0).
    # Seat 0 bets: the rival folds (+1) or calls: 1/2 * 1 + 1/2 * 0.
    found = search_values(kuhn.make_game(), kuhn_position(["Q", "K"], []), 0, 40_000, 5, "mc")
    assert found.values == pytest.approx([-0.25, 0.5], abs=0.04)  # five standard errors or more


def test_mcts_hides_the_coin_from_all_seats_in_the_tree() -> None:
    game = pennies.make_game()
    outside = search_values(game, game.start(1), 0, 20_000, 2)
    assert outside.values[pennies.STAY] == 0.25
    assert outside.values[pennies.IN] < 0.2  # it cannot see the coin, and seat 2 makes no presents
    assert outside.visits[pennies.STAY] > 18_000
    hiding = game.start(1)
    game.apply(as_record(hiding), pennies.IN)
    found = search_values(game, hiding, 1, 20_000, 2)
    assert found.values == pytest.approx([0, 0], abs=0.1)  # nor can its rival see the coin


def test_mcts_uses_open_information() -> None:
    game = pennies.make_game(open_coin=True)
    found = search_values(game, game.start(1), 0, 20_000, 2)
    assert found.values[pennies.IN] > 0.8
    hiding = game.start(1)
    game.apply(as_record(hiding), pennies.IN)
    assert max(search_values(game, hiding, 1, 20_000, 2).values) < -0.8


def share_won(player: Player, rival: Player, game: Game, deals: int) -> float:
    """Return the share of games won in both seatings of all deals; each row counts once, however long its game is."""
    won = 0
    for seat in range(2):
        streams = spread(np.uint64(12), deals).reshape(-1, 1)
        seating = np.tile(np.arange(2) != seat, (deals, 1)).astype(np.int64)
        session, rows = Session(Rows(game, deals, 11), (player, rival), seating, streams), np.arange(deals)
        while len(rows):
            session.apply(rows, session.ask(rows))
            rows = rows[~session.rows.done[rows]]
        won += int((session.rows.rewards[:, seat] > 0).sum())
    return won / (2 * deals)


@pytest.mark.parametrize(("spec", "rival", "lowest_share"), [("mcts:100", "random", 0.84), ("mcts:100", "mc:100", 0.6)])
def test_search_beats_weaker_players(spec: str, rival: str, lowest_share: float) -> None:
    game = agent_avenue()
    assert share_won(make_player(game, spec), make_player(game, rival), game, 100) > lowest_share


def findings() -> list[list[float]]:
    """Return the findings of all searches in a few positions, for a comparison of both ways of running."""
    found = []
    for game in (agent_avenue(), kuhn.make_game()):
        for state in positions(game, 1, 3).reshape(-1, 1):
            for kind in KINDS:
                f = search_values(game, state, int(state["to_move"][0]), 40, 4, kind)
                found += [f.visits.tolist(), np.nan_to_num(f.values, nan=-99.0).tolist()]
    return found


def test_interpreted_equals_compiled() -> None:
    code = "import json; from tests.core.players.test_search import findings; print(json.dumps(findings()))"
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert json.loads(out) == findings()


@pytest.mark.parametrize(("kind", "simulations"), [("uct", 10), ("mc", 0), ("mcts", -1)])
def test_invalid_kinds_and_simulations_are_refused(kind: str, simulations: int) -> None:
    game = kuhn.make_game()
    with pytest.raises(ValueError, match=r"kind must be .*, not 'uct'|simulations must be .*, not"):
        SearchPlayer(game, kind, simulations)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"kind must be .*, not 'uct'|simulations must be .*, not"):
        search_values(game, game.start(1), 0, simulations, 1, kind)  # type: ignore[arg-type]


def test_only_the_seat_to_move_searches() -> None:
    game = kuhn.make_game()
    with pytest.raises(ValueError, match=r"seat must be the seat to move, not 1; .*to_move = 0"):
        search_values(game, game.start(1), 1, 10, 1)
    strange = game.start(1)
    strange["to_move"] = 5
    with pytest.raises(ValueError, match="seat must be the seat to move"):
        search_values(game, strange, 5, 10, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_validated(kind: Kind) -> None:
    game = kuhn.make_game()
    found = search_values(game, game.start(1), 0, 5, 7, kind)
    whole: Any = np.int64
    weight: Any = np.float32(0.7)
    again = search_values(game, game.start(1), whole(0), whole(5), whole(7), kind, weight)
    assert np.array_equal(found.visits, again.visits)
    assert SearchPlayer(game, kind, whole(5), threads=whole(1)).name == f"{kind}:5"
    wrong: dict[str, list[Any]] = {
        "simulations": [0, -1, 1.5, 5.0, np.nan, None, "5", True, np.int64(0)],
        "seed": [-1, 1.5, 2**64, "1", True],
        "exploration": [np.nan, np.inf, -0.1, None, "0.7", True],
        "seat": [-1, 0.0, None, "0", True],
        "threads": [0, 1.5, None, True],
    }
    for name, values in wrong.items():
        for value in values:
            if name != "threads":
                arguments = {"seat": 0, "simulations": 5, "seed": 1, "kind": kind, name: value}
                with pytest.raises(ValueError, match=f"{name} must be "):
                    search_values(game, game.start(1), **arguments)
            if name in ("simulations", "exploration", "threads"):
                with pytest.raises(ValueError, match=f"{name} must be "):
                    SearchPlayer(game, kind, **{"simulations": 5, name: value})


def test_states_are_validated() -> None:
    game = kuhn.make_game()
    state = game.start(1)
    plain = state.view(np.dtype(kuhn.STATE))  # without record attributes
    assert np.array_equal(search_values(game, plain, 0, 5, 1).visits, search_values(game, state, 0, 5, 1).visits)
    others = agent_avenue().start(1)
    wrong: list[Any] = [as_record(state), state[0], state[:0], np.concatenate([state] * 2), state.reshape(1, 1), others]
    wrong += [state.view(np.uint8), None, {}, [state]]
    for bad in wrong:
        with pytest.raises(ValueError, match=r"state must be an array \[1\] of the states of kuhn_poker_v0, not"):
            search_values(game, bad, 0, 5, 1)


def test_a_position_of_another_variant_is_refused() -> None:
    """Its state has the same layout, and its legal actions would be written beyond the end of the mask."""
    simple, other = agent_avenue(), agent_avenue(mode="advanced").start(1)
    assert other.dtype == simple.state_dtype
    with pytest.raises(ValueError, match="states must be positions of agent_avenue_v0, mode=simple"):
        search_values(simple, other, 0, 5, 1)


@kernel
def stuck_after_a_bet(s: Record, mask: np.ndarray) -> None:
    """Kuhn poker's legal actions, except that a bet has no answer."""
    free = s.to_move >= 0
    if s.num_moves > 0 and s.moves[s.num_moves - 1] == 1:
        free = False
    for action in range(len(mask)):
        mask[action] = free


@pytest.mark.parametrize("kind", KINDS)
def test_positions_without_legal_actions(kind: Kind) -> None:
    """They are not searched; those inside a search count with their current result."""
    game = replace(kuhn.make_game(), name="stuck", legal=stuck_after_a_bet)
    with pytest.raises(ValueError, match="seat 1 has no legal action"):
        search_values(game, kuhn_position(["J", "K"], ["bet"]), 1, 10, 1, kind)
    found = search_values(game, kuhn_position(["K", "J"], []), 0, 400, 1, kind)
    assert found.values[kuhn.BET] == 0  # nobody has won
    assert 0 < found.values[kuhn.PASS] < 0.8  # if the rival passes, the king wins a chip; its bet gives nothing
    states = kuhn_position(["J", "K"], ["bet"])
    assert SearchPlayer(game, kind, 10).act(decisions(game, states)).tolist() == [-1]


def test_random_action_stays_inside_the_mask() -> None:
    rng = np.array([3], np.uint64)
    memory = np.array([0, 0, 0, 1, 1], np.int8)  # the array is longer than the mask
    assert {int(random_action(memory[:3], rng)) for _ in range(20)} == {-1}
    assert {int(random_action(memory, rng)) for _ in range(50)} == {3, 4}
