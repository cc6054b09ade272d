"""Sequential test of whether one player is better than another, which stops as soon as the games decide.

This is the generalized sequential probability ratio test on whole deals; fishtest, the test framework of chess engines,
applies it to pairs of games. A deal played from every side counts once, with the share of it that was won. The games of
a deal may therefore depend on each other, for instance through a lucky start.

The bounds are from Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945). The
ratio, for hypotheses that give only a mean, is from Van den Bergh, "The Generalized Maximum Likelihood Ratio for the
Expectation Value of a Distribution" (2019, the notes of fishtest's `LLRcalc.py`).

Letters: D deals, v values that a deal can have.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from spygames.core.basics.plain import plain
from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.game.game import Game
from spygames.core.game.rng import given_seed
from spygames.core.players.names import Player, PlayerLike, as_players
from spygames_training.evaluation.blocks import play_block, scores
from spygames_training.evaluation.forfeits import Referee, checked_limit, limited
from spygames_training.parallel.executor import Progress

__all__ = ["Comparison", "SequentialTest", "Verdict", "compare", "log_likelihood_ratio"]

Verdict = Literal["H0", "H1", "undecided"]
"""The accepted hypothesis; "undecided" if the games ran out first."""

UNSEEN = 1e-3
"""Count assumed for each value that was not seen. With 0, a few equal deals would prove that no other result is
possible. The number is fishtest's."""
BLOCK = 64
"""Number of deals between two evaluations of the ratio. With 64 both error rates stay below `SequentialTest.error`,
even if H0 and H1 are far apart and few deals decide. The tests simulate this."""
HALVINGS = 45
"""Number of bisection steps for the root; more make no visible difference."""


def log_likelihood_ratio(counts: np.ndarray, values: np.ndarray, h0: float, h1: float) -> np.ndarray:
    """Return the log-likelihood ratio of the counts: a mean of `h1` against a mean of `h0`.

    Under each hypothesis, the distribution over `values` is the one with that mean that makes the counts most likely.

    Args:
        counts: float [..., v], the number of deals with each value.
        values: float [v], increasing.
        h0, h1: means, each greater than the least and smaller than the greatest value.

    Returns:
        float64 [...]

    Raises:
        ValueError: `h0` or `h1` is not between the least and the greatest value.
    """
    counts, values = np.asarray(counts), np.asarray(values, np.float64)
    least, most = values.min(), values.max()
    for name, mean in (("h0", h0), ("h1", h1)):
        if not least < mean < most:
            raise ValueError(f"{name} must be between {least:g} and {most:g}, the ends of values, not {mean:g}")
    seen = np.where(counts > 0, counts, UNSEEN).astype(np.float64)
    deals = seen.sum(axis=-1)
    share = seen / deals[..., None]
    # With p the observed shares, the most likely distribution of mean m is p / (1 + x (values - m)).
    weights = [1 + _root(share, values - mean)[..., None] * (values - mean) for mean in (h0, h1)]
    return deals * (share * np.log(weights[0] / weights[1])).sum(axis=-1)


def _root(share: np.ndarray, away: np.ndarray) -> np.ndarray:
    """Find the root x, float64 [...], of the sum of share * away / (1 + x * away); away [v] has both signs."""
    low = np.full(share.shape[:-1], -1 / away.max())
    high = np.full(share.shape[:-1], -1 / away.min())
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = (share * away / (1 + middle[..., None] * away)).sum(axis=-1) > 0  # the sum decreases in x
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class SequentialTest:
    """Test of H0, "the mean is `h0`", against H1, "the mean is `h1`".

    Example:
        >>> from spygames import make_game
        >>> from spygames_training.measuring import SequentialTest, compare
        >>> game = make_game("agent_avenue_v0")
        >>> compare(game, "greedy", "random", SequentialTest(h0=0.5, h1=0.6), max_games=2000, seed=1).verdict
        'H1'

    Raises:
        ValueError: the means or the error rate are out of range.
    """

    h0: float = 0.5
    """Mean under the null hypothesis, 0 to 1."""
    h1: float = 0.52
    """Smallest mean that counts as a relevant difference, above `h0`."""
    error: float = 0.05
    """Probability of accepting H1 if H0 holds, and of accepting H0 if H1 holds."""

    def __post_init__(self) -> None:
        for name in ("h0", "h1", "error"):
            object.__setattr__(self, name, number := plain(getattr(self, name)))
            if isinstance(number, bool) or not isinstance(number, (int, float)):
                raise ValueError(f"{name} must be a number, not {shown(number)}")
        if not 0 < self.h0 < self.h1 < 1:
            raise ValueError(f"h0 and h1 must be win shares with 0 < h0 < h1 < 1, not {self.h0:g} and {self.h1:g}")
        if not 0 < self.error < 0.5:
            raise ValueError(f"error must be between 0 and 0.5, not {self.error:g}")

    @property
    def bound(self) -> float:
        """The ratio at which H1 is accepted; H0 is accepted at its negative (Wald 1945, with equal errors)."""
        return math.log((1 - self.error) / self.error)

    def verdicts(self, counts: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return 1 where H1 is accepted, -1 where H0 is, 0 where the test is undecided: int64 [...].

        Arguments as in `log_likelihood_ratio`.
        """
        ratio = log_likelihood_ratio(counts, values, self.h0, self.h1)
        return (ratio >= self.bound).astype(np.int64) - (ratio <= -self.bound)

    def verdict(self, counts: np.ndarray, values: np.ndarray) -> Verdict:
        """Return the accepted hypothesis for `counts`, [v]; arguments as in `log_likelihood_ratio`."""
        names: dict[int, Verdict] = {-1: "H0", 0: "undecided", 1: "H1"}
        return names[int(self.verdicts(counts, values))]


@dataclass(frozen=True)
class Comparison:
    """Result of a comparison. It has no win share: stopping when the test has decided would bias it.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training.measuring import SequentialTest, compare
        >>> found = compare(make_game("agent_avenue_v0"), "greedy", "random", SequentialTest(), max_games=128, seed=1)
        >>> found.deals, found.games, sum(found.counts)
        (64, 128, 64)
    """

    verdict: Verdict
    """The test's verdict on the first player's share."""
    deals: int
    """Number of deals played."""
    games: int
    """Number of games in these deals."""
    ratio: float
    """The log-likelihood ratio at the end."""
    values: tuple[float, ...]
    """Possible shares of a deal for the first player, from 0 to 1, [v]."""
    counts: tuple[int, ...]
    """Number of deals with each of `values`, [v]."""
    forfeits: tuple[int, int] = (0, 0)
    """Number of games that each player lost because it failed; the counts above include them."""


def compare(
    game: Game,
    first: PlayerLike,
    second: PlayerLike,
    test: SequentialTest,
    max_games: int,
    seed: int,
    progress: Progress | None = None,
    limit: float | None = None,
) -> Comparison:
    """Play two players against each other until the test accepts a hypothesis about the first player's share.

    Between two sides, a deal counts the share of its two games that the first player wins. Otherwise each player
    plays in every seat once a deal, with the other one in all other seats. Such a deal counts (1 + a - b) / 2, where a
    and b are the shares that the first and the second player win alone. It is 0.5 if both win the same share.

    Args:
        game: the game to play.
        first: the player that may be better: a name as `make_player` takes it, a `Policy` or a `Player`.
        second: the other player, in the same forms.
        test: the test.
        max_games: number of games, in whole blocks and at least one block, after which the verdict is "undecided".
        seed: 0..2^64-1, of the deals and of the players' random streams.
        progress: see `Progress`.
        limit: as in `evaluate`.

    Raises:
        PlayerFailed: without a limit, a player chose an illegal action; the message names the player.
        ValueError: the two players are the same, or there is no player of that name.
        TypeError: `test` is something else.
    """
    if not isinstance(test, SequentialTest):
        raise TypeError(f"test must be a SequentialTest, not {shown(test)}")
    first, second = as_players(game, [first, second])
    check_different(first, second)
    limit = checked_limit(limit)
    sides, seed, max_games = game.num_sides, int(given_seed(seed)), whole("max_games", max_games, 1)
    values = np.arange(2 * sides + 1) / (2 * sides)
    counts, played, each = np.zeros(len(values), np.int64), 0, games_of_block(game)
    verdict: Verdict = "undecided"
    lost = [0, 0]

    def block(one: Player, two: Player, who: int) -> np.ndarray:
        """Play a block with `one` alone on its side, the player number `who`; return its scores."""
        referee = None if limit is None else Referee(limit)
        found = play_block(game, one, two, seed, played, BLOCK, referee, progress)
        for row, forfeit in found.forfeits.items():
            lost[who if game.side_of[forfeit.seat] == row % sides else 1 - who] += 1
        return scores(found.wins)

    with limited([first, second], limit):
        while verdict == "undecided" and (not played or (played + 1) * each <= max_games):
            worth = block(first, second, 0)
            if sides != 2:
                other = block(second, first, 1)
                worth = (1 + worth - other) / 2
            counts += np.bincount(np.rint(worth * 2 * sides).astype(np.int64), minlength=len(values))
            played += 1
            verdict = test.verdict(counts, values)
    ratio = float(log_likelihood_ratio(counts, values, test.h0, test.h1))
    shares, deals = tuple(values.tolist()), tuple(counts.tolist())
    return Comparison(verdict, played * BLOCK, played * each, ratio, shares, deals, (lost[0], lost[1]))


def check_different(first: Player, second: Player) -> None:
    """Raise ValueError if the two players are the same."""
    if first is second or first.name == second.name:
        raise ValueError(f"first and second must be different players, not both {first.name}")


def games_of_block(game: Game) -> int:
    """Number of games that `compare` plays between two evaluations of the ratio."""
    return BLOCK * game.num_sides * (2 if game.num_sides != 2 else 1)
