"""Standings of a ladder: cross table, ratings and a lottery, with intervals over deals.

Letters: m players, D deals, K sides, R resamples. Axis 0 of computed arrays has length 1 + R. Index 0 is for the deals
as played, the others are for deals drawn with replacement. All pairs share the draws.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames_training.evaluation.blocks import scores
from spygames_training.ladder.lines import Entry, Line

RESAMPLES = 400
POINTS = 400 / np.log(10)
"""Rating points for a factor of e in the odds: Elo's scale."""
PRIOR = 1 / 16
"""Precision of a normal prior of the ratings in natural units; it keeps players that lose all games on the scale."""
ANCHORS = ("expert-1", "expert", "greedy", "random")
"""The first of these that plays has rating 0; without any of them the mean of all ratings is 0."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, samples: np.ndarray) -> "Estimate":
        """Take the value from the first of `samples`, [1 + R], and the interval from percentiles of the others."""
        low, high = np.quantile(samples[1:], (0.025, 0.975))
        return cls(float(samples[0]), float(low), float(high))


@dataclass(frozen=True)
class Standings:
    """Results of all players, ordered by rating, highest first."""

    entries: list[Entry]
    shares: np.ndarray
    """float64 [m, m]: share of games that the row's player wins on one side, with the column's player on all others.
    NaN: not met. With more than two sides the diagonal is the fair share."""
    deals: np.ndarray
    """int64 [m, m]"""
    ratings: list[Estimate]
    anchor: str
    """Name of the player with rating 0; "" if the mean is 0."""
    lottery: list[Estimate]
    """Probability with which a maximal lottery draws each player, 0 to 1."""
    forfeits: list[int]
    """Number of games that each player lost because it failed."""
    shares_without: np.ndarray
    """float64 [m, m]: `shares` in the games that nobody forfeited. NaN: there are none."""
    milliseconds: list[float]
    """Mean CPU time of each player's decisions."""
    sides: int


@dataclass(frozen=True)
class Meeting:
    """The games of two players, or of a player against itself."""

    first: int
    """Index of the player that was alone on its side."""
    second: int
    wins: np.ndarray
    """float64 [D, K, 2], see `Block.wins`."""
    weights: np.ndarray
    """float64 [1 + R, D]: the weight of each deal."""

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Return the weighted means, [1 + R], of `values` [D]; NaN where none of the deals was drawn."""
        return self.weights @ values / self.weights.sum(axis=1)


@np.errstate(all="ignore")  # pairs that have not met divide by 0, and the weakest players' probabilities underflow
def standings(lines: Sequence[Line], sides: int, resamples: int = RESAMPLES, seed: int = 0) -> Standings:
    """Compute the standings of a ladder from its lines.

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
    ratings = POINTS * _ratings([each for each in meetings if each.first != each.second], m, sides, resamples)
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
        shares_without=_shares_without_forfeits(lines, names, sides)[np.ix_(order, order)],
        milliseconds=(1000 * seconds / np.maximum(decisions, 1))[order].tolist(),
        sides=sides,
    )


def _shares_without_forfeits(lines: Sequence[Line], names: Sequence[str], sides: int) -> np.ndarray:
    """Return the share of games that the row's player wins of those that nobody forfeited, float64 [m, m]."""
    won, games = np.zeros((len(names), len(names))), np.zeros((len(names), len(names)))
    for line in lines:
        a, b = (names.index(entry.name) for entry in line.players)
        wins = line.wins.reshape(-1, 2).astype(np.float64)
        own = wins[:, 0] if sides > 2 else 0.5 + 0.5 * (wins[:, 0] - wins[:, 1])
        if a == b:
            own = wins[:, 1] / sides
        played = np.ones(len(own), bool)
        played[[number for number, *_ in line.forfeits]] = False
        won[a, b] += own[played].sum()
        games[a, b] += played.sum()
        if sides == 2 and a != b:
            won[b, a] += (1 - own[played]).sum()
            games[b, a] += played.sum()
    return won / games


def _meetings(lines: Sequence[Line], names: Sequence[str], resamples: int, seed: int) -> list[Meeting]:
    numbers = sorted({line.number for line in lines})
    deals = len(lines[0].wins)
    total, rng = len(numbers) * deals, np.random.default_rng(seed)
    weights = np.ones((1 + resamples, total), np.float32)
    for row in weights[1:]:
        row[:] = np.bincount(rng.integers(0, total, total), minlength=total)
    columns = {number: weights[:, k * deals : (k + 1) * deals] for k, number in enumerate(numbers)}
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
    """Compute the maximal lottery: the probability of drawing each player, float64 [m].

    A player drawn from it has an expected margin of at least 0 against every player.

    Fishburn, "Probabilistic Social Choice Based on Simple Voting Comparisons", Review of Economic Studies 51 (1984);
    the Nash average of Balduzzi et al., arXiv 1806.02643. The margin of i over j is half the difference of their win
    shares against each other, or 0 if they have not met. The lottery is an optimal strategy of the game with these
    margins as payoffs. Clones of a player do not change the probabilities of the others.

    Args:
        shares: float64 [m, m], as in `Standings.shares`.
    """
    from scipy.optimize import linprog  # slow to import

    m = len(shares)
    margins = np.nan_to_num((shares - shares.T) / 2)
    winner = (margins > 0).sum(axis=1) == m - 1
    if winner.any():  # a player that beats all others is always drawn; no linear program is needed
        return winner.astype(np.float64)
    # The value v of a symmetric game is 0; maximize it over p: margins.T @ p >= v, sum p = 1.
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


def _ratings(meetings: Sequence[Meeting], players: int, sides: int, resamples: int) -> np.ndarray:
    """Estimate ratings in natural units, float64 [1 + R, m], by maximum Plackett-Luce likelihood with a prior.

    The probability that a seat with rating r wins is proportional to exp(r) (Luce, "Individual Choice Behavior", 1959;
    Plackett, Applied Statistics 24, 1975). One seat with rating r among k seats with rating r' therefore wins with odds
    exp(r - r') / k. This is a logistic regression, solved by Newton's method; between two sides it is the model of
    Bradley and Terry. A game that several sides win is split equally between them. A game without a winner counts half
    for each of two sides, and is left out with more sides.
    """
    if not meetings:  # so far, players have met only themselves
        return np.zeros((1 + resamples, players))
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
    raise ArithmeticError("the ratings did not converge")


def _won(meeting: Meeting, who: int) -> np.ndarray:
    """Number of games of a meeting that a player won, [1 + R]; a game that several sides won is split."""
    all_wins = meeting.wins.sum(axis=2)
    part = meeting.wins[:, :, who] / np.maximum(all_wins, 1)
    if meeting.wins.shape[1] == 2:
        part = part + 0.5 * (all_wins == 0)
    return meeting.weights @ part.sum(axis=1)
