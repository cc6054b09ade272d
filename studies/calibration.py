"""Calibration of an agent's value: its expectation at each decision against the result of the game.

Letters: n games, P seats.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.json_numbers import read_uint64, written
from spygames.core.basics.json_values import LARGEST, is_count, is_number
from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.game.rng import as_seed, next_seed
from spygames.core.players.names import DecisionBatch
from spygames.core.players.sampling import draw_actions
from spygames.core.playing.batch import spread
from spygames_training.agents.policy import Policy, PolicyPlayer, logits_and_values
from spygames_training.evaluation.play_games import LOCKSTEP, play_games
from spygames_training.output.plots import picture
from spygames_training.parallel.executor import Progress

BINS = 12
"""Number of bins of equal width over the expected results."""


@dataclass(frozen=True)
class Bin:
    """The decisions with similar expected results."""

    expected: float
    """Mean expected result, in the unit of the game's results."""
    found: float
    """Mean result."""
    decisions: int


@dataclass(frozen=True)
class Calibration:
    """Expected and actual results of an agent that plays against itself."""

    play: str
    """How it plays: sample, argmax or a temperature."""
    games: int
    """Number of games."""
    seed: int
    """Seed of the deals."""
    decisions: int
    """Number of decisions in these games."""
    explained: float
    """Explained variance of the results: 1 for a perfect value, 0 for a value that is always the mean."""
    bias: float
    """Mean expected result minus mean result."""
    bins: tuple[Bin, ...]
    """The non-empty bins, by `expected`."""

    def as_json(self) -> dict[str, Any]:
        """Return all fields as plain values."""
        return {**asdict(self), "seed": written(self.seed)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Calibration":
        """Invert `as_json`; KeyError, TypeError or ValueError for invalid values."""
        bins = tuple(Bin(**each) for each in found["bins"])
        made = cls(**{**found, "bins": bins, "seed": read_uint64(found["seed"])})
        counts = [made.games, made.decisions, *(each.decisions for each in bins)]
        numbers = [made.explained, made.bias, *(x for each in bins for x in (each.expected, each.found))]
        if not bins:
            raise ValueError("bins must not be empty")
        if made.seed is None:
            raise ValueError("seed must be an integer, not null")
        if not isinstance(made.play, str):
            raise ValueError(f"play must be a text, not {shown(made.play)}")
        if wrong := [x for x in counts if not is_count(x)]:
            raise ValueError(f"games and decisions must be counts, not {shown(wrong[0])}")
        if wrong := [x for x in numbers if not is_number(x) or abs(x) >= LARGEST]:
            raise ValueError(f"explained, bias, expected and found must be finite numbers, not {shown(wrong[0])}")
        return made


class _Expecting(PolicyPlayer):
    """A policy player that records its value at every decision."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.noted: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        """Rows, seats and values of each call of `act`."""

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        d = decisions
        with self._remembering(d) as memory:
            logits, values = logits_and_values(self.policy.network, d.observation[d.rows], memory)
        seats = d.states["to_move"][d.rows].astype(np.int64)
        self.noted.append((d.rows.copy(), seats, values / self.policy.value_unit))
        return draw_actions(logits, d.mask, d.rng, d.rows, self.policy.temperature)


@np.errstate(under="ignore")
def calibrate(policy: Policy, games: int, seed: int, progress: Progress | None = None) -> Calibration:
    """Let a policy play all seats and compare its value with the results.

    Args:
        policy: the policy. Its value is that of the policy that it was trained with, which samples.
        games: number of games n, at least 1.
        seed: seed of the deals, 0..2^64-1.
        progress: called with the number of games as they end.

    Raises:
        ValueError: the policy was saved without a value, or `games` is invalid.
    """
    if not policy.network.has_value:
        raise ValueError(f"{policy.name} has no value: its checkpoint was saved without one")
    games, seed, game = whole("games", games, 1), int(as_seed(seed)), policy.game
    seeds = spread(np.uint64(seed), games)
    expected, found = [], []
    for lo in range(0, games, LOCKSTEP):  # so that rows are games
        part, player = seeds[lo : lo + LOCKSTEP], _Expecting(policy)
        seating = np.zeros((len(part), game.num_players), np.int64)
        returns = play_games(game, [player], seating, part, int(next_seed(part[0])), progress)
        for rows, seats, values in player.noted:
            expected.append(values)
            found.append(returns[rows, seats])
    value, result = (np.concatenate(each).astype(np.float64) for each in (expected, found))
    return Calibration(
        play=policy.called.play,
        games=games,
        seed=seed,
        decisions=len(value),
        explained=1 - float(np.square(value - result).mean() / max(result.var(), 1e-12)),
        bias=float(value.mean() - result.mean()),
        bins=_bins(value, result),
    )


def _bins(value: np.ndarray, result: np.ndarray) -> tuple[Bin, ...]:
    low, high = value.min(), value.max()
    which = np.minimum((BINS * (value - low) / max(high - low, 1e-12)).astype(int), BINS - 1)
    groups = [which == k for k in range(BINS)]
    return tuple(
        Bin(float(value[group].mean()), float(result[group].mean()), int(group.sum()))
        for group in groups
        if group.any()
    )


def draw_calibration(found: Calibration, path: str | Path) -> None:
    """Draw the mean results over the expected results as SVG. On the line the value is exact. The area of a point grows
    with its number of decisions."""
    with picture(Path(path), 1, 1, (4.2, 4.2), 100, "svg") as (_, (axes,)):
        expected, results = ([getattr(each, name) for each in found.bins] for name in ("expected", "found"))
        ends = [min(*expected, *results), max(*expected, *results)]
        axes.plot(ends, ends, color="grey", lw=1)
        most = max(each.decisions for each in found.bins)
        axes.scatter(
            expected, results, s=[8 + 112 * each.decisions / most for each in found.bins], color="tab:blue", alpha=0.8
        )
        axes.set_xlabel("result that the value expects")
        axes.set_ylabel("mean result")
        axes.set_title(f"{found.decisions:,} decisions of {found.games:,} games")
        axes.grid(alpha=0.3)
