"""Games that a player lost because it failed: whom they count for, and what they leave unchanged."""

import time
from collections.abc import Callable, Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from spygames import make_game
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.player import DecisionBatch, Player, PlayerTooSlow, new_memory
from spygames.core.players.python_function import PythonPlayer
from spygames.core.playing.batch import spread
from spygames.core.playing.rows import Rows
from spygames_training.evaluation import evaluation, forfeits
from spygames_training.evaluation import play_games as lockstep
from spygames_training.evaluation.evaluation import bootstrap, cross_play, evaluate, wilson
from spygames_training.evaluation.forfeits import Referee
from spygames_training.evaluation.line_ups import line_up
from spygames_training.evaluation.sequential import SequentialTest, compare
from tests.poker import kuhn
from tests.support import pennies
from tests.training.evaluation.test_evaluation import BETTOR, FIRST

KUHN = kuhn.make_game()


class Fails:
    name = "fails"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        raise ValueError("never")


def test_games_beside_a_failed_one_are_asked_again_from_the_same_state() -> None:
    class Draws:
        """Advances its random stream and its memory, allows nothing, and fails in game 1."""

        name, memory_size = "draws", 1

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            d, rows = decisions, decisions.rows
            assert d.memory is not None
            d.rng[rows] += np.uint64(1)
            d.memory[rows, d.states["to_move"][rows]] += 1
            d.mask[rows] = 0
            if 1 in rows:
                raise RuntimeError("out of order")
            return np.ones(len(rows), np.int64)

    rows = Rows(KUHN, 3, seed=1)
    rng, memory = np.zeros((3, 1), np.uint64), new_memory(KUHN, [Draws()], 3)
    actions, lost = Referee(60).ask(Draws(), rows.decisions(rng, rows.all, memory))
    assert (lost.tolist(), actions[[0, 2]].tolist()) == ([False, True, False], [1, 1])
    assert rng[[0, 2], 0].tolist() == [1, 1]  # as if game 1 had not been there
    assert memory[[0, 2], 0, 0].tolist() == [1, 1]


def test_the_share_without_forfeits_is_a_mean_over_deals() -> None:
    wins = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0]])
    failed = np.array([[-1, -1], [-1, 1], [0, 1]])
    found = evaluation._forfeits(wins, failed, 0)
    assert (found.challenger, found.opponent, found.win_share) == (1, 2, 0.75)  # of two deals, 1/2 and 1
    assert found.interval == bootstrap(np.array([0.5, 1.0]), 0)
    assert evaluation._forfeits(wins[[0, 2]], failed[[0, 2]], 0).interval == wilson(0.5, 1, 0.0, 1.0)


def test_forfeits_in_a_line_up_count_for_the_player_that_failed() -> None:
    game = make_game("heimlich_v0", players=3)
    fails, random = line_up(game, [Fails(), "random", "random"], 6, 1, limit=100)
    assert fails.forfeits is not None
    assert random.forfeits is not None
    assert (fails.win_share, fails.forfeits.own, fails.forfeits.others) == (0, 6, 0)
    assert (random.win_share, random.forfeits.own, random.forfeits.others) == (1, 0, 6)
    assert fails.forfeits.win_share is random.forfeits.win_share is None


def test_a_comparison_with_more_sides_counts_who_failed() -> None:
    game = pennies.make_game()
    for pair, lost in (((Fails(), FIRST), 0), ((FIRST, Fails()), 1)):
        found = compare(game, *pair, SequentialTest(0.5, 0.6), 1, 3, limit=100)
        assert found.forfeits[lost] > 0
        assert found.forfeits[1 - lost] == 0


class Takes:
    """Takes `seconds` for each call. It fails in several games at once if there are `late` ones, in which alone it is
    late."""

    name = "takes"

    def __init__(self, seconds: float, late: Sequence[int] = (), error: type[Exception] | None = None) -> None:
        self.seconds, self.late, self.error, self.now, self.asked = seconds, late, error, 0.0, 0

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        self.asked += 1
        rows = decisions.rows.tolist()
        if len(rows) > 1 and self.late:
            raise RuntimeError("out of order")
        self.now += self.seconds if not self.late else 9 * (rows[0] in self.late)
        if self.error and rows[0] in self.late:
            self.now -= 9
            raise self.error(self.name, 0, rows, "is late")
        return np.ones(len(rows), np.int64)


@pytest.mark.parametrize(
    ("player", "lost", "asked"),
    [
        (Takes(5.9), "000000", 1),  # the limit is for each of six decisions
        (Takes(6.1), "111111", 1),
        (Takes(0, (0, 2, 4)), "101010", 7),  # three late answers, but not in a row
        (Takes(0, (1, 2, 3)), "011111", 5),  # the last two are not asked for
        (Takes(0, (1,), PlayerTooSlow), "010000", 7),
    ],
)
def test_a_late_answer_loses(player: Takes, lost: str, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forfeits, "time", SimpleNamespace(monotonic=lambda: player.now))
    rows, referee = Rows(KUHN, 6, seed=1), Referee(1.0)
    _, found = referee.ask(player, rows.decisions(np.zeros((6, 1), np.uint64), rows.all), first=10)
    assert ("".join(str(int(each)) for each in found), player.asked) == (lost, asked)
    assert {number: each.reason for number, each in referee.forfeits.items()} == {
        10 + int(row): "too slow" for row in np.flatnonzero(found)
    }


def counted(player: Player, limit: float) -> list[int]:
    """Return the games that `player` lost by failing in `evaluate` and in `compare`."""
    (result,) = evaluate(KUHN, player, FIRST, 4, 1, limit=limit)
    assert result.forfeits is not None
    return [
        result.forfeits.challenger,
        compare(KUHN, player, FIRST, SequentialTest(0.5, 0.6), 1, 3, limit=limit).forfeits[0],
    ]


@pytest.mark.parametrize("mixed", [False, True])
def test_a_limit_replaces_that_of_a_player(mixed: bool) -> None:
    def waits(observation: np.ndarray, mask: np.ndarray) -> int:
        time.sleep(0.005)
        return int(mask.argmax())

    ended: list[bool] = []

    def hangs(observation: np.ndarray, mask: np.ndarray) -> int:
        time.sleep(1)
        ended.append(True)
        return 0

    def made(decide: Callable[..., int], own: float | None) -> tuple[PythonPlayer, Player]:
        player = PythonPlayer(KUHN, decide, decide.__name__, own)
        return player, MixturePlayer(KUHN, [player, player]) if mixed else player

    slow, asked = made(waits, 0.001)
    assert counted(asked, 100) == [0, 0]
    assert slow.decision_limit == 0.001
    late, asked = made(hangs, None)
    assert counted(asked, 0.01) == [4, 128]
    assert not ended
    assert late.decision_limit is None


def test_forfeits_have_the_numbers_of_their_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the games are not all played in one lockstep."""
    monkeypatch.setattr(lockstep, "LOCKSTEP", 2)
    referee, seating = Referee(100), np.array([[1, 1], [0, 1], [1, 1], [1, 1], [1, 0]])
    lockstep.play_games(KUHN, [Fails(), FIRST], seating, spread(np.uint64(1), 5), 1, referee=referee)
    assert {number: each.seat for number, each in referee.forfeits.items()} == {1: 0, 4: 1}


def test_forfeits_in_cross_play_are_those_of_an_evaluation() -> None:
    class FailsFirst:
        """Fails in seat 0 and bets in seat 1."""

        name = "fails first"

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            if (decisions.states["to_move"][decisions.rows] == 0).any():
                raise ValueError("never")
            return BETTOR.act(decisions)

    players = FailsFirst(), BETTOR
    found = cross_play(KUHN, players, 20, 1, limit=100)
    assert found == [evaluate(KUHN, a, b, 20, 1, limit=100)[0] for a, b in (players, players[::-1])]
    for result in found:
        assert result.forfeits is not None
        assert result.forfeits.win_share not in (None, 0.0, 1.0)
