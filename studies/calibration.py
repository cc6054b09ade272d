"""How well an agent's value tells the result: what it expects at its decisions against what came of the games.

Letters: n games, P seats.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.json_numbers import read_uint64, written
from spygames.core.game.rng import as_seed, next_seed
from spygames.core.game.validation import whole
from spygames.core.players.names import DecisionBatch
from spygames.core.playing.batch import spread
from spygames_training.agents.policy import Policy, PolicyPlayer, draw_actions, logits_and_values
from spygames_training.evaluation.play_games import LOCKSTEP, play_games
from spygames_training.files.atomic import LARGEST, is_count, is_number
from spygames_training.output.plots import picture
from spygames_training.parallel.executor import Progress

BINS = 12
"""Groups of decisions, by what is expected, alike wide."""


@dataclass(frozen=True)
class Bin:
    """The decisions at which an agent expects about the same."""

    expected: float
    """Their mean, in the unit of the game's results."""
    found: float
    """The mean of the results."""
    decisions: int


@dataclass(frozen=True)
class Calibration:
    """What an agent expects and what it gets, playing against itself."""

    play: str
    """How it plays: sample, argmax or a temperature."""
    games: int
    """How many it has played."""
    seed: int
    """Of the deals."""
    decisions: int
    """How many it has made in them."""
    explained: float
    """The part of the results' variance that the value explains: 1 if it knew them, 0 if it always said their mean."""
    bias: float
    """The mean of what is expected minus that of the results."""
    bins: tuple[Bin, ...]
    """By `expected`, without those in which there is no decision."""

    def as_json(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {**asdict(self), "seed": written(self.seed)}

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Calibration":
        """The inverse of `as_json`; KeyError, TypeError or ValueError for something else."""
        bins = tuple(Bin(**each) for each in found["bins"])
        made = cls(**{**found, "bins": bins, "seed": read_uint64(found["seed"])})
        counts = [made.games, made.decisions, *(each.decisions for each in bins)]
        numbers = [made.explained, made.bias, *(x for each in bins for x in (each.expected, each.found))]
        if not bins or made.seed is None or not isinstance(made.play, str):
            raise ValueError("its play, seed or bins are not as they were written")
        if not all(map(is_count, counts)) or not all(is_number(x) and abs(x) < LARGEST for x in numbers):
            raise ValueError("a number in it is not as it was written")
        return made


class _Expecting(PolicyPlayer):
    """Notes what it expects wherever it decides."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.noted: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        """Games, seats and values of each time that it was asked."""

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        d = decisions
        with self._remembering(d) as memory:
            logits, values = logits_and_values(self.policy.network, d.observation[d.rows], memory)
        seats = d.states["to_move"][d.rows].astype(np.int64)
        self.noted.append((d.rows.copy(), seats, values / self.policy.value_unit))
        return draw_actions(logits, d.mask, d.rng, d.rows, self.policy.temperature)


@np.errstate(under="ignore")
def calibrate(policy: Policy, games: int, seed: int, progress: Progress | None = None) -> Calibration:
    """Lets a policy play in all seats and compares its value with the results.

    Args:
        policy: plays as it says; its value is that of the policy that it was trained with, which samples.
        games: n, from 1.
        seed: 0..2^64-1, of the deals.
        progress: told of games as they end.

    Raises:
        ValueError: the policy was kept without a value, or `games` is none.
    """
    if not policy.network.has_value:
        raise ValueError(f"{policy.name} has no value: its checkpoint was kept without one")
    games, seed, game = whole("games", games, 1), int(as_seed(seed)), policy.game
    seeds = spread(np.uint64(seed), games)
    expected, found = [], []
    for lo in range(0, games, LOCKSTEP):  # whose rows are then those of the games
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
    """Draws what is expected against what was found, as SVG: on the line the value is right. The larger a point, the
    more decisions."""
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
