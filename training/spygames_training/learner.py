"""Learning: proximal policy optimisation with strong, moving regularisation, for self-play with hidden information.

One network plays all seats. Its loss is in `losses`; the reference there is an earlier self, replaced now and then, and
the policy that is evaluated and shipped is the running mean of the weights. Convergence of such schemes to an
equilibrium is proven for two players with opposed interests only.
"""

import copy
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from spygames_training.compute import Compute, to_numpy
from spygames_training.config import PPO
from spygames_training.losses import PARTS, loss_gradients
from spygames_training.network import ActorCritic
from spygames_training.processes import ALONE, Processes
from spygames_training.rollout import Rollout

PIECE = 2048
"""Decisions that the reference is asked about at once."""


@dataclass
class Decisions:
    """All N decisions of one worker that can be learned from."""

    observation: Tensor
    """float32 [T * n, F], all that was seen, the rollout's own memory"""
    views: Tensor | None
    """[T * n, P * F], for a critic that sees all"""
    places: Tensor
    """int64 [N]: where the decisions stand in these two"""
    sequences: "Sequences | None"
    """for a network with memory; the decisions then stand sequence by sequence"""
    mask: np.ndarray
    actions: np.ndarray
    log_probabilities: np.ndarray
    advantages: np.ndarray
    targets: np.ndarray
    reference: np.ndarray
    """logits of the reference, float32 [N, A]"""

    @property
    def units(self) -> int:
        """How many there are to choose a minibatch from: decisions, or whole sequences of them."""
        return len(self.actions if self.sequences is None else self.sequences.starts)

    def choose(self, units: np.ndarray) -> "tuple[np.ndarray, Sequences | None]":
        """The decisions of those units, int64 [k], and the sequences that they are of, if of some."""
        if self.sequences is None:
            return units, None
        return self.sequences.rows(units), self.sequences.only(units)

    def features(
        self, network: ActorCritic, rows: np.ndarray, sequences: "Sequences | None", compute: Compute
    ) -> tuple[Tensor, Tensor | None]:
        """What the heads of a network take: features and, for a critic that sees all, views."""
        at = self.places[torch.from_numpy(rows)]
        observation = compute.rows(self.observation, at)
        views = None if self.views is None else compute.rows(self.views, at)
        if sequences is None:
            return network.trunk(observation), views
        return network.unroll(observation, sequences.lengths, sequences.memory.to(compute.device)), views


@dataclass
class Sequences:
    """Decisions of one seat in one game, in order, S times."""

    starts: np.ndarray
    """int64 [S]: the first decision of each"""
    lengths: np.ndarray
    """int64 [S]"""
    memory: Tensor
    """float32 [S, M]: what the seat remembered before it, taken as given: no gradient goes further back"""

    def rows(self, chosen: np.ndarray) -> np.ndarray:
        """The decisions of the sequences `chosen`, int64 [k], one sequence after the other."""
        lengths = self.lengths[chosen]
        firsts = np.cumsum(lengths) - lengths
        return np.repeat(self.starts[chosen] - firsts, lengths) + np.arange(lengths.sum())

    def only(self, chosen: np.ndarray) -> "Sequences":
        """The sequences `chosen`, of decisions that stand as `rows` gives them."""
        lengths = self.lengths[chosen]
        return Sequences(np.cumsum(lengths) - lengths, lengths, self.memory[torch.from_numpy(chosen)])


def _sequences(rollout: Rollout, keep: np.ndarray, size: int) -> tuple[np.ndarray, Sequences]:
    """The decisions `keep`, int64 [N], places in [T, n], in another order: sequence by sequence."""
    step, row = np.divmod(keep, rollout.n)
    seat = rollout.seats[step, row].astype(np.int64)
    game = (np.cumsum(rollout.done, axis=0) - rollout.done)[step, row]  # how many have ended in that row before
    order = np.lexsort((step, game, seat, row))
    whose = np.stack([row, seat, game], axis=1)[order]
    starts = np.flatnonzero(np.any(np.diff(whose, axis=0, prepend=-1) != 0, axis=1))
    row, seat, game = whose[starts].T
    memory = np.where(game[:, None] == 0, rollout.memory_before[row, seat, :size], np.float32(0))
    return keep[order], Sequences(starts, np.diff(starts, append=len(keep)), torch.from_numpy(memory))


class Learner:
    """The network, its running mean, its reference and the optimiser.

    Several workers, one thread each, compute the gradient on their own part of a minibatch (data parallelism): each
    has a copy of the network that shares the weights and owns its gradients. The sum is taken in a fixed order, so
    a run is repeatable. With several processes each has its own workers and its own weights, which stay equal, because
    all take the same steps.

    Args:
        network: begins with the same weights in every process; where they are, CPU or GPU, is where it learns.
        ppo: the algorithm's settings.
        workers: of this process.
        seed: of the order of decisions in minibatches.
        processes: those that train together.
    """

    def __init__(self, network: ActorCritic, ppo: PPO, workers: int, seed: int, processes: Processes = ALONE):
        self.ppo, self.processes = ppo, processes
        self.network = network
        self.ema = copy.deepcopy(network).requires_grad_(False)
        self.reference = copy.deepcopy(network).requires_grad_(False)
        self.optimizer = torch.optim.Adam(network.parameters(), lr=ppo.learning_rate, eps=1e-5, fused=True)
        self.replicas = [network, *(copy.deepcopy(network) for _ in range(workers - 1))]
        self.compute = Compute.of(network, ppo.precision)
        self.parameters = [list(replica.parameters()) for replica in self.replicas]
        for several in self.parameters[1:]:
            for own, shared in zip(several, self.parameters[0], strict=True):
                own.data = shared.data
        self.pool = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))
        self.rng = np.random.default_rng([seed, 3])
        self.updates = self.steps = 0
        """Of the whole network, and of its optimiser."""

    def play(self, rollouts: Sequence[Rollout]) -> None:
        """Lets every worker play its games."""
        ppo = self.ppo

        def work(k: int) -> None:
            rollouts[k].play(self.replicas[k], ppo)

        list(self.pool.map(work, range(len(rollouts))))

    def update(self, rollouts: Sequence[Rollout], left: float) -> dict[str, float]:
        """One update from what was played; `left`, 1 to 0, is the part of the run still to come. Returns the means of
        the losses' parts (`losses.PARTS`), `explained_variance` of the critic, and the weights in force."""
        ppo = self.ppo
        if self.updates % ppo.reference_every == 0:
            self.reference.load_state_dict(self.network.state_dict())
        rate = ppo.learning_rate_end + (ppo.learning_rate - ppo.learning_rate_end) * left
        entropy_weight = ppo.entropy_end + (ppo.entropy - ppo.entropy_end) * left
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        data = list(self.pool.map(self._prepare, rollouts))
        # Of all workers, those of other processes included: all processes must do the same with it.
        shared = self.processes.gather([(d.advantages, d.targets, d.units) for d in data])
        advantages, targets, units = zip(*(item for part in shared for item in part), strict=True)
        errors = np.concatenate(advantages)  # returns minus values: what the critic does not explain
        unexplained = float(errors.var()) / (float(np.concatenate(targets).var()) + 1e-8)
        for d in data:
            d.advantages -= errors.mean()
            d.advantages /= errors.std() + 1e-8
        workers, size = len(data), ppo.minibatch // len(units)
        rounds = max(1, min(*units, min(map(len, advantages)) // size))
        sizes = [n // rounds if self.network.memory_size else size for n in units]
        own = slice(self.processes.rank * workers, (self.processes.rank + 1) * workers)
        sizes = sizes[own]
        parts = np.zeros((workers, len(PARTS)))
        for _ in range(ppo.epochs):
            orders = [self.rng.permutation(n) for n in units][own]
            for k in range(rounds):

                def work(w: int, k: int = k, orders: list[np.ndarray] = orders) -> None:
                    chosen = orders[w][k * sizes[w] : (k + 1) * sizes[w]]
                    self._gradient(self.replicas[w], data[w], chosen, entropy_weight, parts[w])

                list(self.pool.map(work, range(workers)))
                self._step()
        self.updates += 1
        means = (np.concatenate(self.processes.gather(parts)).mean(0) / (ppo.epochs * rounds)).tolist()
        return dict(zip(PARTS, means, strict=True)) | {
            "explained_variance": 1 - unexplained,
            "learning_rate": rate,
            "entropy_weight": entropy_weight,
        }

    def _prepare(self, rollout: Rollout) -> Decisions:
        keep, sequences = np.flatnonzero(rollout.valid.reshape(-1)), None
        if self.network.memory_size:
            keep, sequences = _sequences(rollout, keep, self.network.memory_size)

        def take(array: np.ndarray) -> np.ndarray:
            return array[: rollout.steps].reshape(rollout.steps * rollout.n, *array.shape[2:])[keep]

        advantages = take(rollout.advantages)
        data = Decisions(
            torch.from_numpy(rollout.observation[: rollout.steps]).flatten(0, 1),
            None if rollout.views is None else rollout.views.flatten(0, 1),
            torch.from_numpy(keep),
            sequences,
            take(rollout.mask).view(np.bool_),
            take(rollout.actions),
            take(rollout.log_probabilities),
            advantages,
            advantages + take(rollout.values),
            np.empty((len(keep), self.network.num_actions), np.float32),
        )
        self._ask_reference(data)
        return data

    @torch.no_grad()
    def _ask_reference(self, data: Decisions) -> None:
        """Fills in the reference's logits, piece by piece, so that what lies between its layers fits into the cache."""
        for units in np.array_split(np.arange(data.units), max(1, len(data.actions) // PIECE)):
            rows, sequences = data.choose(units)
            with self.compute.autocast():
                features, _ = data.features(self.reference, rows, sequences, self.compute)
                data.reference[rows] = to_numpy(self.reference.policy(features))

    def _gradient(
        self, replica: ActorCritic, data: Decisions, chosen: np.ndarray, entropy_weight: float, parts: np.ndarray
    ) -> None:
        """Leaves the gradient on the `chosen` decisions, or sequences of them, in the replica and adds the losses'
        parts to `parts`."""
        ppo = self.ppo
        rows, sequences = data.choose(chosen)
        replica.zero_grad(set_to_none=False)
        with self.compute.autocast():
            outputs, values = replica.heads(*data.features(replica, rows, sequences, self.compute))
        logits, value = to_numpy(outputs), to_numpy(values)
        logit_gradients, value_gradients = np.empty_like(logits), np.empty_like(value)
        loss_gradients(
            logits, value, rows, data.mask, data.actions, data.log_probabilities, data.advantages, data.targets,
            data.reference, ppo.clip, ppo.value_weight, entropy_weight, ppo.kl, logit_gradients, value_gradients, parts,
            np.empty(logits.shape[1], np.int64),
        )  # fmt: skip
        gradients = [torch.from_numpy(g) for g in (logit_gradients, value_gradients)]
        torch.autograd.backward([outputs, values], [g.to(outputs.device, outputs.dtype) for g in gradients])

    @torch.no_grad()
    def _step(self) -> None:
        """Averages the gradients of all workers, takes a step of Adam and moves the running mean."""
        sums = []
        for several in zip(*self.parameters, strict=True):
            gradients = [p.grad for p in several if p.grad is not None]
            for other in gradients[1:]:
                gradients[0].add_(other)
            sums += gradients[:1]
        self.processes.add(sums)
        for gradient in sums:
            gradient.div_(len(self.replicas) * self.processes.count)
        torch.nn.utils.clip_grad_norm_(self.parameters[0], self.ppo.max_grad_norm)
        self.optimizer.step()
        self.steps += 1
        decay = min(self.ppo.ema, (1 + self.steps) / (10 + self.steps))  # so that the first weights are soon forgotten
        for mean, now in zip(self.ema.parameters(), self.parameters[0], strict=True):
            mean.lerp_(now, 1 - decay)
