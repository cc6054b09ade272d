"""The decisions that an update learns from, and minibatches of them.

Letters: T steps, n games, F features, A actions, N decisions that can be learned from, S sequences, M floats of memory.
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
    """Decisions of one seat in one game, in order, S times."""

    starts: np.ndarray
    """int64 [S]: the first decision of each"""
    lengths: np.ndarray
    """int64 [S]"""
    memory: Tensor
    """float32 [S, M]: the seat's memory before it, taken as given: no gradient goes further back"""

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """The decisions of the sequences `chosen`, int64 [k], one sequence after the other."""
        lengths = self.lengths[chosen]
        firsts = np.cumsum(lengths) - lengths
        return np.repeat(self.starts[chosen] - firsts, lengths) + np.arange(lengths.sum())

    def only(self, chosen: np.ndarray) -> "Sequences":
        """The sequences `chosen`, of decisions in the order of `rows`."""
        lengths = self.lengths[chosen]
        return Sequences(np.cumsum(lengths) - lengths, lengths, self.memory[torch.from_numpy(chosen)])


@dataclass
class Minibatches:
    """All N decisions of one worker that can be learned from, to be chosen from for each gradient step."""

    observation: Tensor
    """[T * n, F], all that was seen, the memory of the trajectories themselves (`Trajectories.shown`)"""
    views: Tensor | None
    """[T * n, P * F], for a critic that sees all"""
    places: Tensor
    """int64 [N]: the rows of the decisions in these two"""
    sequences: Sequences | None
    """for a network with memory; the decisions are then ordered sequence by sequence"""
    taken: Taken
    """What was recorded of each decision, and what its loss is computed from."""
    answers: np.ndarray | None = None
    """int8 [N, Q]: the true answers to the game's questions, for a network that learns them"""

    @classmethod
    def of(cls, trajectories: Trajectories, memory_size: int) -> "Minibatches":
        """The decisions whose outcome is known; `taken.reference` is not filled in yet."""
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
        return cls(t.shown, views, torch.from_numpy(keep), sequences, taken, answers)

    @property
    def units(self) -> int:
        """How many units a minibatch is chosen from: decisions, or whole sequences of them."""
        return len(self.taken.actions if self.sequences is None else self.sequences.starts)

    def choose(self, units: np.ndarray) -> tuple[np.ndarray, Sequences | None]:
        """The decisions of those units, int64 [k], and their sequences, if they have some."""
        if self.sequences is None:
            return units, None
        return self.sequences.rows(units), self.sequences.only(units)

    def features(
        self, network: ActorCritic, rows: np.ndarray, sequences: Sequences | None, compute: Compute
    ) -> tuple[Tensor, Tensor | None]:
        """The input of a network's heads: features and, for a critic that sees all, views."""
        at = self.places[torch.from_numpy(rows)]
        observation = compute.rows(self.observation, at)
        views = None if self.views is None else compute.rows(self.views, at)
        if sequences is None:
            return network.trunk(observation), views
        return network.unroll(observation, sequences.lengths, sequences.memory.to(compute.device)), views


def sequences_of(trajectories: Trajectories, keep: np.ndarray, size: int) -> tuple[np.ndarray, Sequences]:
    """The decisions `keep`, int64 [N], places in [T, n], in another order: sequence by sequence."""
    keep, whose = trajectories.by_seat(keep)
    starts = np.flatnonzero(np.any(np.diff(whose, axis=1, prepend=-1) != 0, axis=0))
    row, seat, number = whose[:, starts]
    memory = np.where(number[:, None] == 0, trajectories.memory_before[row, seat, :size], np.float32(0))
    return keep, Sequences(starts, np.diff(starts, append=len(keep)), torch.from_numpy(memory))
