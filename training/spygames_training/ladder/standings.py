"""What the lines of a ladder say: cross table, ratings and a lottery, with intervals over deals.

Letters: m players, D deals, K sides, R resamples. Axis 0 of what is computed is 1 + R long: everything as it was
played, then with deals drawn with replacement, the same ones for all who met in them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames_training.evaluation.blocks import DEALS, scores
from spygames_training.ladder.lines import Entry, Line

RESAMPLES = 400
POINTS = 400 / np.log(10)
"""Of a rating for a factor of e in the odds: Elo's scale."""
PRIOR = 1 / 16
"""Precision of a normal prior of the ratings in natural units, which keeps whoever loses all games on the scale."""
ANCHORS = ("expert-1", "expert", "greedy", "random")
"""The first of these that plays has rating 0; else the mean of all has."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: np.ndarray) -> "Estimate":
        """The first of `samples`, [1 + R], and percentiles of the others."""
        low, high = np.quantile(samples[1:], (0.025, 0.975))
        return cls(float(samples[0]), float(low), float(high))


@dataclass(frozen=True)
class Standings:
    """Everybody's results, players in the order of their ratings, the best first."""

    entries: list[Entry]
    shares: np.ndarray
    """float64 [m, m]: games that the row's player wins on one side against the column's on all others; NaN where they
    have not met. With more than two sides the diagonal is the fair share."""
    deals: np.ndarray
    """int64 [m, m]"""
    ratings: list[Estimate]
    anchor: str
    """Whose rating is 0; "" where the mean is."""
    lottery: list[Estimate]
    """How likely a maximal lottery draws each player, 0 to 1."""
    forfeits: list[int]
    """Games that each lost because it failed."""
    milliseconds: list[float]
    """Of CPU time that a decision took, in the mean."""
    sides: int


@dataclass(frozen=True)
class Meeting:
    """What two players, or one with itself, have played."""

    first: int
    """The one who was alone, by its place."""
    second: int
    wins: np.ndarray
    """float64 [D, K, 2], see `Block.wins`."""
    weights: np.ndarray
    """float64 [1 + R, D]: how often each deal counts."""

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Of `values` [D], [1 + R]; NaN where no deal of theirs was drawn."""
        return self.weights @ values / self.weights.sum(axis=1)


@np.errstate(all="ignore")  # where nobody has met it divides by 0, and the chances of the weakest vanish
def standings(lines: Sequence[Line], sides: int, resamples: int = RESAMPLES, seed: int = 0) -> Standings:
    """Computes the standings of a ladder from its lines.

    Args:
        lines: at least one.
        sides: K.
        resamples: R.
        seed: of the bootstrap.
    """
    entries = sorted({entry for line in lines for entry in line.players}, key=lambda entry: entry.name)
    names = [entry.name for entry in entries]
    m = len(names)
    meetings = _meetings(lines, names, resamples, seed)
    shares = np.full((1 + resamples, m, m), np.nan)
    deals = np.zeros((m, m), np.int64)
    for each in meetings:
        a, b = each.first, each.second
        deals[a, b] = len(each.wins)
        if a == b:
            shares[:, a, a] = each.mean(each.wins[:, 0, 1] / sides)
        else:
            shares[:, a, b] = each.mean(scores(each.wins))
        if sides == 2:
            shares[:, b, a], deals[b, a] = 1 - shares[:, a, b], len(each.wins)
    ratings = POINTS * _ratings([each for each in meetings if each.first != each.second], m, sides)
    anchor = next((name for name in ANCHORS if name in names), "")
    ratings -= ratings[:, [names.index(anchor)]] if anchor else ratings.mean(axis=1, keepdims=True)
    lottery = np.array([maximal_lottery(table) for table in shares])
    forfeits, decisions, seconds = np.zeros(m, np.int64), np.zeros(m), np.zeros(m)
    for line in lines:
        pair = [names.index(entry.name) for entry in line.players]
        for _, who, _ in line.forfeits:
            forfeits[pair[who]] += 1
        for k in (0, 1) if pair[0] != pair[1] else (0,):
            decisions[pair[k]] += line.made["decisions"][k]
            seconds[pair[k]] += line.made["cpu_seconds"][k]
    order = sorted(range(m), key=lambda k: (-ratings[0, k], names[k]))
    return Standings(
        entries=[entries[k] for k in order],
        shares=shares[0][np.ix_(order, order)],
        deals=deals[np.ix_(order, order)],
        ratings=[Estimate.of(ratings[:, k]) for k in order],
        anchor=anchor,
        lottery=[Estimate.of(lottery[:, k]) for k in order],
        forfeits=forfeits[order].tolist(),
        milliseconds=(1000 * seconds / np.maximum(decisions, 1))[order].tolist(),
        sides=sides,
    )


def _meetings(lines: Sequence[Line], names: Sequence[str], resamples: int, seed: int) -> list[Meeting]:
    numbers = sorted({line.number for line in lines})
    total, rng = len(numbers) * DEALS, np.random.default_rng(seed)
    weights = np.ones((1 + resamples, total), np.float32)
    for row in weights[1:]:
        row[:] = np.bincount(rng.integers(0, total, total), minlength=total)
    columns = {number: weights[:, k * DEALS : (k + 1) * DEALS] for k, number in enumerate(numbers)}
    found: dict[tuple[int, int], list[Line]] = {}
    for line in lines:
        first, second = (names.index(entry.name) for entry in line.players)
        found.setdefault((first, second), []).append(line)
    return [
        Meeting(
            *pair,
            np.concatenate([line.wins for line in those]).astype(np.float64),
            np.concatenate([columns[line.number] for line in those], axis=1),
        )
        for pair, those in sorted(found.items())
    ]


def maximal_lottery(shares: np.ndarray) -> np.ndarray:
    """The probabilities, float64 [m], with which to draw a player so that it does well against whomever.

    Fishburn, "Probabilistic Social Choice Based on Simple Voting Comparisons", Review of Economic Studies 51 (1984);
    the Nash average of Balduzzi et al., arXiv 1806.02643. The margin of i over j is half of the difference of their win
    shares against each other, 0 where they have not met; the lottery is the best play of the game of these margins.
    Clones of a player do not change what the others get.

    Args:
        shares: float64 [m, m], as of `Standings.shares`.
    """
    from scipy.optimize import linprog  # slow to import

    m = len(shares)
    margins = np.nan_to_num((shares - shares.T) / 2)
    winner = (margins > 0).sum(axis=1) == m - 1
    if winner.any():  # who beats everybody is drawn always, which needs no program
        return winner.astype(np.float64)
    # The value v of a symmetric game is 0; maximise it over p: margins.T @ p >= v, sum p = 1.
    found = linprog(
        np.append(np.zeros(m), -1.0),
        A_ub=np.hstack([-margins.T, np.ones((m, 1))]),
        b_ub=np.zeros(m),
        A_eq=[[1.0] * m + [0.0]],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    if not found.success:
        raise ArithmeticError(f"the lottery was not found: {found.message}")
    return np.clip(found.x[:m], 0, 1)


def _ratings(meetings: Sequence[Meeting], players: int, sides: int) -> np.ndarray:
    """Ratings in natural units, float64 [1 + R, m]: the maximum of Plackett and Luce's likelihood with a prior.

    A seat of strength exp(r) wins with that probability, up to a factor that is the same for all seats of a game (Luce,
    "Individual Choice Behavior", 1959; Plackett, Applied Statistics 24, 1975). So one seat of r among k of r' wins with
    odds exp(r - r') / k: a logistic regression, solved by Newton's method. Between two sides this is Bradley and
    Terry's model. A game that several sides win counts in parts for each; one without a winner, between two sides, half
    for each, and else not at all.
    """
    first, second = (np.array([getattr(each, key) for each in meetings]) for key in ("first", "second"))
    own, rest = (np.stack([_won(each, k) for each in meetings], axis=1) for k in (0, 1))
    ratings, others = np.zeros((len(own), players)), np.log(sides - 1)
    where = np.arange(len(meetings))
    design = np.zeros((len(meetings), players))
    design[where, first], design[where, second] = 1, -1
    for _ in range(50):
        likely = 1 / (1 + np.exp(others - ratings @ design.T))
        slope = (own - (own + rest) * likely) @ design - PRIOR * ratings
        bend = np.einsum("rg,gi,gj->rij", (own + rest) * likely * (1 - likely), design, design, optimize=True)
        change = np.linalg.solve(bend + PRIOR * np.eye(players), slope[..., None])[..., 0]
        ratings = ratings + np.clip(change, -1, 1)
        if np.abs(change).max() < 1e-9:
            return ratings
    raise ArithmeticError("the ratings were not found")


def _won(meeting: Meeting, who: int) -> np.ndarray:
    """Games that a player won of a meeting, [1 + R], in parts where several did."""
    all_wins = meeting.wins.sum(axis=2)
    part = meeting.wins[:, :, who] / np.maximum(all_wins, 1)
    if meeting.wins.shape[1] == 2:
        part = part + 0.5 * (all_wins == 0)
    return meeting.weights @ part.sum(axis=1)
