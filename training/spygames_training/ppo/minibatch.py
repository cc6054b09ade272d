"""The decisions that an update learns from, and minibatches of them.

Letters: T steps, n games, F features, A actions, P seats, Q questions, N decisions to learn from, S sequences, M floats
of memory.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.device import Compute
from spygames_training.ppo.losses import Taken
from spygames_training.ppo.trajectories import Trajectories


@dataclass
class Sequences:
    """S sequences, each of the successive decisions of one seat in one game."""

    starts: np.ndarray
    """int64 [S], the index of each sequence's first decision"""
    lengths: np.ndarray
    """int64 [S]"""
    memory: Tensor
    """float32 [S, M], the seat's memory before the sequence; gradients do not flow into it"""

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """Return the decisions of the sequences `chosen`, int64 [k], one sequence after another."""
        lengths = self.lengths[chosen]
        firsts = np.cumsum(lengths) - lengths
        return np.repeat(self.starts[chosen] - firsts, lengths) + np.arange(lengths.sum())

    def only(self, chosen: np.ndarray) -> "Sequences":
        """Return the sequences `chosen`, whose decisions are in the order of `rows`."""
        lengths = self.lengths[chosen]
        return Sequences(np.cumsum(lengths) - lengths, lengths, self.memory[torch.from_numpy(chosen)])


@dataclass
class Minibatches:
    """All N decisions of one worker that can be learned from, as the source of each gradient step."""

    observation: Tensor
    """[T * n, F], all observations; shares the memory of the trajectories (`Trajectories.shown`)"""
    views: Tensor | None
    """[T * n, P * F], the views of all seats, for a critic that sees all; otherwise None"""
    places: Tensor
    """int64 [N], the row of each decision in `observation` and `views`"""
    sequences: Sequences | None
    """The sequences, for a network with memory. The decisions are then ordered sequence by sequence."""
    taken: Taken
    """The recorded data of each decision, from which its loss is computed."""
    with_bots: Tensor
    """bool [N], whether the game of each decision has an opponent that is not a network"""
    answers: np.ndarray | None = None
    """int8 [N, Q], the true answers to the game's questions, for a network that learns them; otherwise None"""

    @classmethod
    def of(cls, trajectories: Trajectories, memory_size: int) -> "Minibatches":
        """Select the decisions whose outcome is known. `taken.reference` is not filled in yet."""
        t = trajectories
        steps, n = t.actions.shape
        keep, sequences = np.flatnonzero(t.valid.reshape(-1)), None
        if memory_size:
            keep, sequences = sequences_of(t, keep, memory_size)

        def take(array: np.ndarray) -> np.ndarray:
            return array[:steps].reshape(steps * n, *array.shape[2:])[keep]

        advantages = take(t.advantages)
        taken = Taken(
            mask=take(t.mask).view(np.bool_),
            actions=take(t.actions),
            log_probabilities=take(t.log_probabilities),
            temperatures=take(t.temperatures),
            advantages=advantages,
            targets=advantages + take(t.values),
            reference=np.empty((len(keep), t.mask.shape[2]), np.float32),
        )
        views = None if t.views is None else t.views.flatten(0, 1)
        answers = None if t.answers is None else take(t.answers)
        with_bots = torch.from_numpy(take(t.with_bots))
        return cls(t.shown, views, torch.from_numpy(keep), sequences, taken, with_bots, answers)

    @property
    def units(self) -> int:
        """The number of units that minibatches choose from: decisions, or whole sequences."""
        return len(self.taken.actions if self.sequences is None else self.sequences.starts)

    def choose(self, units: np.ndarray) -> tuple[np.ndarray, Sequences | None]:
        """Return the decisions of those units, int64 [k], and their sequences, if there are any."""
        if self.sequences is None:
            return units, None
        return self.sequences.rows(units), self.sequences.only(units)

    def features(
        self, network: ActorCritic, rows: np.ndarray, sequences: Sequences | None, compute: Compute
    ) -> tuple[Tensor, Tensor | None]:
        """Compute the input of a network's heads: features and, for a critic that sees all, views."""
        at = self.places[torch.from_numpy(rows)]
        observation = compute.rows(self.observation, at)
        views = None if self.views is None else compute.rows(self.views, at)
        if sequences is None:
            return network.trunk(observation), views
        return network.unroll(observation, sequences.lengths, sequences.memory.to(compute.device)), views


def sequences_of(trajectories: Trajectories, keep: np.ndarray, size: int) -> tuple[np.ndarray, Sequences]:
    """Order the decisions `keep`, int64 [N], indices into [T * n], sequence by sequence."""
    keep, whose = trajectories.by_seat(keep)
    starts = np.flatnonzero(np.any(np.diff(whose, axis=1, prepend=-1) != 0, axis=0))
    row, seat, number = whose[:, starts]
    memory = np.where(number[:, None] == 0, trajectories.memory_before[row, seat, :size], np.float32(0))
    return keep, Sequences(starts, np.diff(starts, append=len(keep)), torch.from_numpy(memory))
