"""Standings: ties, and shares of the games that nobody forfeited."""

from dataclasses import replace

import numpy as np
import pytest

from spygames_training.ladder.standings import POINTS, _meetings, standings
from tests.poker import kuhn
from tests.support import pennies
from tests.training.ladder.test_ladder import line_of, replace_digests

KUHN = kuhn.make_game()


def test_ties_are_split_in_the_ratings() -> None:
    """Three wins to one, counted with halves, are odds of three; between two sides and among three."""
    deals = 256
    half = np.zeros((deals, 1, 1), bool)
    half[::2] = True
    two = np.where(half, [[1, 0], [1, 0]], [[0, 0], [0, 0]])  # half won, half drawn
    three = np.where(half, [[1, 0]] * 3, [[1, 1]] * 3)  # half won alone, half shared with one of the others
    for game, wins, odds in ((KUHN, two, 3), (pennies.make_game(), three, 3 * 2)):
        sides = game.num_sides
        lines = [replace_digests(line_of(game, "a", "b", wins, number)) for number in range(20)]
        a, b = standings(lines, sides, resamples=2).ratings
        assert a.value - b.value == pytest.approx(POINTS * np.log(odds), abs=3)


def test_shares_without_forfeits_are_of_the_other_games() -> None:
    wins = np.tile([[1, 0], [0, 1]], (256, 1, 1))  # each deal is won from the first side
    line = replace_digests(line_of(KUHN, "a", "b", wins))
    line.forfeits.extend([[number, 0, "failed"] for number in range(1, 512, 2)][:128])  # lost by a from the second
    found = standings([line], 2, resamples=2)
    names = [entry.name for entry in found.entries]
    a, b = names.index("a"), names.index("b")
    assert found.shares[a, b] == 0.5
    assert found.shares_without[a, b] == pytest.approx(256 / 384)
    assert found.shares_without[b, a] == pytest.approx(128 / 384)


def test_all_pairs_share_the_draws_of_a_block() -> None:
    wins = np.zeros((256, 2, 2))
    met = (("a", "b", 0), ("a", "b", 1), ("a", "c", 1))  # the last pair has not played block 0
    lines = [line_of(KUHN, first, second, wins, number) for first, second, number in met]
    two, one = _meetings(lines, ["a", "b", "c"], resamples=2, seed=0)
    assert (two.weights[:, :256] != two.weights[:, 256:]).any()
    np.testing.assert_array_equal(one.weights, two.weights[:, 256:])


def test_a_ladder_that_stops_after_a_player_has_met_itself_has_standings() -> None:
    """With more than two sides the first line of a ladder is that of a player with itself."""
    line = line_of(pennies.make_game(), "a", "a", np.tile([[[0, 1]]], (256, 1, 1)))
    found = standings([replace(line, players=(line.players[0],) * 2)], 3, resamples=2)
    assert found.ratings[0].value == 0
    assert found.lottery[0].value == 1
    assert found.shares[0, 0] == pytest.approx(1 / 3)
    assert found.milliseconds == pytest.approx([1])  # counted once, though both players are the same one
