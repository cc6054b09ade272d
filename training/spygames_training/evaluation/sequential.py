"""A sequential test whether one player is better than another: it ends as soon as the games say so.

The generalised sequential probability ratio test on whole deals, as the chess engines' fishtest has it on pairs of
games: a deal that is played from every side counts once, with the share of it that was won, so that what the games of
a deal have in common (a lucky start) is neither ignored nor assumed. Letters: D deals, v values that a deal can have.

Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945), for the bounds; Van den
Bergh, "The Generalized Maximum Likelihood Ratio for the Expectation Value of a Distribution" (2019, the notes of
fishtest's `LLRcalc.py`), for the ratio where only the mean of a distribution is given.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from spygames.core.basics.plain import plain
from spygames.core.game.game import Game
from spygames.core.game.rng import as_seed
from spygames.core.game.validation import whole
from spygames.core.players.names import Player, PlayerLike, as_players
from spygames_training.evaluation.blocks import play_block, scores
from spygames_training.parallel.executor import Progress

__all__ = ["Comparison", "SequentialTest", "Verdict", "compare", "log_likelihood_ratio"]

Verdict = Literal["H0", "H1", "undecided"]
"""The hypothesis that was accepted; undecided where the games ran out before."""

UNSEEN = 1e-3
"""Deals that a value is taken to have been seen in which was not seen: else a few equal deals would prove that no other
result is possible. The number is fishtest's."""
BLOCK = 64
"""Deals that are played between two looks at the ratio. With so many both errors stay below what the test promises,
also where the shares of H0 and H1 lie far apart and few deals decide; the tests simulate it."""
HALVINGS = 45
"""Of the interval in which the root lies: more change nothing that shows."""


def log_likelihood_ratio(counts: np.ndarray, values: np.ndarray, h0: float, h1: float) -> np.ndarray:
    """How much likelier a mean of `h1` makes what was seen than a mean of `h0`, as a natural logarithm.

    Of all distributions over `values` with that mean, each hypothesis has the one that makes the counts likeliest.

    Args:
        counts: float [..., v], of how many deals each value was the result.
        values: float [v], increasing.
        h0, h1: means, each between the least and the greatest value.

    Returns:
        float64 [...]
    """
    seen = np.where(counts > 0, counts, UNSEEN).astype(np.float64)
    deals = seen.sum(axis=-1)
    share = seen / deals[..., None]
    # With p the shares seen, the likeliest distribution of mean m is p / (1 + x (values - m)).
    weights = [1 + _root(share, values - mean)[..., None] * (values - mean) for mean in (h0, h1)]
    return deals * (share * np.log(weights[0] / weights[1])).sum(axis=-1)


def _root(share: np.ndarray, away: np.ndarray) -> np.ndarray:
    """The x, float64 [...], at which the sum of share * away / (1 + x * away) is 0; away [v] has both signs."""
    low = np.full(share.shape[:-1], -1 / away.max())
    high = np.full(share.shape[:-1], -1 / away.min())
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        above = (share * away / (1 + middle[..., None] * away)).sum(axis=-1) > 0  # the sum falls with x
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class SequentialTest:
    """The test of H0, "the mean is `h0`", against H1, "it is `h1`".

    Raises:
        ValueError: the means or the errors are out of range.
    """

    h0: float = 0.5
    """The mean that is taken for granted until the games say otherwise, 0 to 1."""
    h1: float = 0.52
    """The mean from which on the difference is worth something, above `h0`."""
    error: float = 0.05
    """How often it may accept H1 where H0 holds, and likewise H0 where H1 holds."""

    def __post_init__(self) -> None:
        for name in ("h0", "h1", "error"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        if not 0 < self.h0 < self.h1 < 1:
            raise ValueError(f"the win shares must be 0 < H0 < H1 < 1, not {self.h0:g} and {self.h1:g}")
        if not 0 < self.error < 0.5:
            raise ValueError(f"the errors must be between 0 and 0.5, not {self.error:g}")

    @property
    def bound(self) -> float:
        """The ratio from which on H1 is accepted; H0 from its opposite on (Wald 1945, both errors alike)."""
        return math.log((1 - self.error) / self.error)

    def verdicts(self, counts: np.ndarray, values: np.ndarray) -> np.ndarray:
        """1 where H1 is accepted, -1 where H0 is, 0 where the test goes on: int64 [...]; arguments as of
        `log_likelihood_ratio`."""
        ratio = log_likelihood_ratio(counts, values, self.h0, self.h1)
        return (ratio >= self.bound).astype(np.int64) - (ratio <= -self.bound)

    def verdict(self, counts: np.ndarray, values: np.ndarray) -> Verdict:
        """What is accepted after `counts`, [v]."""
        names: dict[int, Verdict] = {-1: "H0", 0: "undecided", 1: "H1"}
        return names[int(self.verdicts(counts, values))]


@dataclass(frozen=True)
class Comparison:
    """How a comparison ended. It has no win share: of a test that ends when it has seen enough that would be biased."""

    verdict: Verdict
    """What the test says about the first player's share."""
    deals: int
    """That were played until then."""
    games: int
    """In these deals."""
    ratio: float
    """The log-likelihood ratio at the end."""
    values: tuple[float, ...]
    """What a deal can be worth to the first player, from 0 to 1."""
    counts: tuple[int, ...]
    """Of how many deals each was the result, [v]."""


def compare(
    game: Game,
    first: PlayerLike,
    second: PlayerLike,
    test: SequentialTest,
    max_games: int,
    seed: int,
    progress: Progress | None = None,
) -> Comparison:
    """Plays two players against each other until the test accepts one of its hypotheses about the first one's share.

    Between two sides a deal is worth the share of its two games that the first player wins. With more sides each plays
    alone against the other in all other seats, in every seat once a deal, and the deal is worth
    (1 + share of the first alone - share of the second alone) / 2: players that do equally well have 0.5 always.

    Args:
        game: what is played.
        first: the player that may be better: a name as `make_player` takes it, a `Policy` or a `Player`.
        second: the other one, likewise.
        test: what is tested.
        max_games: after so many at most, in whole blocks, and at least one, it says "undecided".
        seed: 0..2^64-1, of the deals and of the players' random streams.
        progress: see `Progress`.

    Raises:
        IllegalAction: a player answered what is no legal action; the message names it.
        ValueError: there are not two different players, or none of that name.
    """
    first, second = as_players(game, [first, second])
    check_different(first, second)
    sides, seed, max_games = game.num_sides, int(as_seed(seed)), whole("max_games", max_games, 1)
    values = np.arange(2 * sides + 1) / (2 * sides)
    counts, played, each = np.zeros(len(values), np.int64), 0, games_of_block(game)
    verdict: Verdict = "undecided"
    while verdict == "undecided" and (not played or (played + 1) * each <= max_games):
        worth = scores(play_block(game, first, second, seed, played, BLOCK, progress=progress).wins)
        if sides > 2:
            other = scores(play_block(game, second, first, seed, played, BLOCK, progress=progress).wins)
            worth = (1 + worth - other) / 2
        counts += np.bincount(np.rint(worth * 2 * sides).astype(np.int64), minlength=len(values))
        played += 1
        verdict = test.verdict(counts, values)
    ratio = float(log_likelihood_ratio(counts, values, test.h0, test.h1))
    return Comparison(verdict, played * BLOCK, played * each, ratio, tuple(values.tolist()), tuple(counts.tolist()))


def check_different(first: Player, second: Player) -> None:
    """ValueError where there are not two different players."""
    if first is second or first.name == second.name:
        raise ValueError(f"there is nothing to compare: both players are {first.name}")


def games_of_block(game: Game) -> int:
    """How many games `compare` plays between two looks at the ratio."""
    return BLOCK * game.num_sides * (2 if game.num_sides > 2 else 1)
