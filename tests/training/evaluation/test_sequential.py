"""The sequential test keeps its error rates, and a comparison plays the games that it reports."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize

from spygames.agent_avenue import make_game
from spygames.core.players.names import make_player
from spygames_training.evaluation.blocks import play_block, scores
from spygames_training.evaluation.sequential import BLOCK, SequentialTest, compare, log_likelihood_ratio
from tests.poker import kuhn
from tests.support import pennies
from tests.training.evaluation.test_evaluation import BETTOR, FIRST, LAST, PASSER

TWO_SIDES, THREE_SEATS = np.arange(5) / 4, np.arange(7) / 6


def with_mean(shares: list[float], values: np.ndarray, mean: float) -> np.ndarray:
    """Return a distribution similar to `shares` with this mean."""
    likely = np.array(shares)

    def tilted(slope: float) -> np.ndarray:
        out = likely * np.exp(slope * values)
        return out / out.sum()

    slope = scipy.optimize.root_scalar(lambda slope: tilted(slope) @ values - mean, bracket=(-50, 50)).root
    return tilted(slope)


def simulate(test: SequentialTest, likely: np.ndarray, values: np.ndarray, most: int) -> np.ndarray:
    """Return the verdicts (1, 0, -1) of 3,000 independent matches of at most `most` deals."""
    rng = np.random.default_rng(0)
    verdicts, going = np.zeros(3000, np.int64), np.arange(3000)
    counts = np.zeros((3000, len(values)))
    for _ in range(BLOCK, most + 1, BLOCK):
        counts[going] += rng.multinomial(BLOCK, likely, len(going))
        verdicts[going] = test.verdicts(counts[going], values)
        going = going[verdicts[going] == 0]
        if not len(going):
            break
    return verdicts


@pytest.mark.parametrize(
    ("values", "shares", "h1"),
    [
        (TWO_SIDES, [0.15, 0.1, 0.5, 0.1, 0.15], 0.52),  # with draws
        (TWO_SIDES, [0.22, 0, 0.56, 0, 0.22], 0.55),
        (TWO_SIDES, [0.01, 0, 0.98, 0, 0.01], 0.52),  # two players that play almost the same
        (THREE_SEATS, [0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05], 0.52),
    ],
)
def test_errors_of_both_kinds_are_at_most_five_percent(values: np.ndarray, shares: list[float], h1: float) -> None:
    test = SequentialTest(0.5, h1)
    under_h0 = simulate(test, with_mean(shares, values, test.h0), values, 20_000)
    under_h1 = simulate(test, with_mean(shares, values, test.h1), values, 20_000)
    assert (under_h0 == 1).mean() <= 0.05
    assert (under_h1 == -1).mean() <= 0.05
    assert (under_h0 == -1).mean() > 0.9  # it does decide
    assert (under_h1 == 1).mean() > 0.9


def test_a_game_of_one_side_compares_what_each_player_wins_alone() -> None:
    """Nobody folds here, so both players win the same deals."""
    found = compare(replace(kuhn.make_game(), teams=(0, 0)), PASSER, BETTOR, SequentialTest(), 1, 1)
    assert (found.values, found.counts) == ((0, 0.5, 1), (0, BLOCK, 0))
    assert found.games == 2 * BLOCK


def test_a_match_that_is_too_short_is_undecided() -> None:
    likely = with_mean([0.2, 0.1, 0.4, 0.1, 0.2], TWO_SIDES, 0.51)
    verdicts = simulate(SequentialTest(), likely, TWO_SIDES, 256)
    assert (verdicts == 0).mean() > 0.9


def test_the_ratio_is_that_of_the_most_likely_distributions() -> None:
    """Compare with a general optimizer over all distributions with the mean."""
    values = np.array([0, 0.5, 1])
    for counts in ([30, 50, 20], [10, 80, 60], [1, 98, 1]):

        def likelihood(mean: float, counts: list[int] = counts) -> float:
            def cost(p: np.ndarray) -> float:
                return -float(np.array(counts) @ np.log(p))

            limits = [
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p: p @ values - mean},
            ]
            found = scipy.optimize.minimize(
                cost, [0.33, 0.34, 0.33], bounds=[(1e-9, 1)] * 3, constraints=limits, options={"ftol": 1e-12}
            )
            assert found.success
            return -found.fun

        expected = likelihood(0.53) - likelihood(0.5)
        assert float(log_likelihood_ratio(np.array(counts), values, 0.5, 0.53)) == pytest.approx(expected, abs=1e-4)


def test_the_ratio_of_wins_only_is_walds() -> None:
    """With two values, the mean determines the distribution, so this is Wald's test."""
    expected = 60 * np.log(0.55 / 0.5) + 40 * np.log(0.45 / 0.5)
    found = log_likelihood_ratio(np.array([[40, 60], [60, 40]]), np.array([0, 1]), 0.5, 0.55)
    assert found[0] == pytest.approx(expected)
    assert log_likelihood_ratio([40, 60], [0, 1], 0.5, 0.55) == pytest.approx(found[0])  # type: ignore[arg-type]
    assert found[1] < 0


def test_a_comparison_between_two_sides() -> None:
    game = kuhn.make_game()
    found = compare(game, BETTOR, PASSER, SequentialTest(0.5, 0.6), 10_000, 0)
    assert (found.verdict, found.counts[-1]) == ("H1", found.deals)  # always betting wins every game
    assert compare(game, PASSER, BETTOR, SequentialTest(0.5, 0.6), 10_000, 0).verdict == "H0"
    assert found.games == 2 * found.deals
    assert found.deals % BLOCK == 0
    assert found == compare(game, BETTOR, PASSER, SequentialTest(0.5, 0.6), 10_000, 0)


def test_a_comparison_stops_at_the_maximum_number_of_games() -> None:
    game = kuhn.make_game()
    random = make_player(game, "random")
    ended: list[int] = []
    found = compare(game, random, BETTOR, SequentialTest(0.5, 0.5001), 600, 0, ended.append)
    assert (found.verdict, found.games, sum(ended)) == ("undecided", 4 * 2 * BLOCK, 4 * 2 * BLOCK)
    assert compare(game, random, BETTOR, SequentialTest(0.5, 0.5001), 1, 0).games == 2 * BLOCK


def test_each_block_of_a_comparison_has_deals_of_its_own() -> None:
    game = kuhn.make_game()
    random = make_player(game, "random")
    found = compare(game, random, BETTOR, SequentialTest(0.5, 0.5001), 3 * 2 * BLOCK, 0)
    worth = np.concatenate([scores(play_block(game, random, BETTOR, 0, k, BLOCK).wins) for k in range(3)])
    assert found.counts == tuple(np.bincount(np.rint(4 * worth).astype(int), minlength=5))


def test_a_comparison_with_more_sides_pairs_one_among_k_with_k_among_one() -> None:
    game = pennies.make_game()
    random = make_player(game, "random")
    found = compare(game, FIRST, random, SequentialTest(0.5, 0.5001), 1, 3)
    alone, other = (scores(play_block(game, *pair, 3, 0, BLOCK).wins) for pair in ((FIRST, random), (random, FIRST)))
    assert found.games == 2 * 3 * BLOCK
    mean = np.dot(found.values, found.counts) / found.deals
    assert mean == pytest.approx((1 + alone.mean() - other.mean()) / 2)
    # An identical player is worth one half in each deal.
    twin = type(FIRST)(FIRST.n, "twin")
    same = compare(game, FIRST, twin, SequentialTest(), 100_000, 3)
    assert (same.verdict, same.counts[3]) == ("H0", same.deals)


def test_teams_are_compared_as_sides() -> None:
    game = make_game(players=4)
    found = compare(game, make_player(game, "greedy"), FIRST, SequentialTest(0.5, 0.6), 10_000, 0)
    assert found.verdict == "H1"
    assert len(found.values) == 5


def test_invalid_tests_and_equal_players_are_refused() -> None:
    game = kuhn.make_game()
    for h0, h1, name in ((0, 0.5, "h0"), (0.5, 1, "h1"), (np.nan, 0.5, "h0"), (0.5, -0.1, "h1")):
        with pytest.raises(ValueError, match=f"{name} must be between 0 and 1, the ends of values, not "):
            log_likelihood_ratio(np.ones(5), TWO_SIDES, h0, h1)
    with pytest.raises(ValueError, match="0 < h0 < h1 < 1"):
        SequentialTest(0.6, 0.5)
    with pytest.raises(ValueError, match="error must be between"):
        SequentialTest(error=0.5)
    with pytest.raises(ValueError, match="h0 must be a number, not "):
        SequentialTest(h0="0.5")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="test must be a SequentialTest, not None"):
        compare(game, FIRST, LAST, None, 10, 0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="different players, not both first"):
        compare(game, FIRST, FIRST, SequentialTest(), 10, 0)
    assert compare(game, FIRST, LAST, SequentialTest(), 1, 0).games == 2 * BLOCK
