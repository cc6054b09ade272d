"""Games that a player lost because it failed: whom they count for, and what they leave unchanged."""

import numpy as np

from spygames import make_game
from spygames.core.players.player import DecisionBatch, new_memory
from spygames.core.playing.rows import Rows
from spygames_training.evaluation import evaluation
from spygames_training.evaluation.forfeits import Referee
from spygames_training.evaluation.line_ups import line_up
from spygames_training.evaluation.sequential import SequentialTest, compare
from tests.poker import kuhn
from tests.support import pennies
from tests.training.evaluation.test_evaluation import FIRST

KUHN = kuhn.make_game()


class Fails:
    name = "fails"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        raise ValueError("never")


def test_games_beside_a_failed_one_are_asked_again_from_the_same_state() -> None:
    class Draws:
        """Advances its random stream and its memory, then fails in game 1."""

        name, memory_size = "draws", 1

        def act(self, decisions: DecisionBatch) -> np.ndarray:
            d, rows = decisions, decisions.rows
            assert d.memory is not None
            d.rng[rows] += np.uint64(1)
            d.memory[rows, d.states["to_move"][rows]] += 1
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
