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

from spygames_training.config import PPO
from spygames_training.losses import PARTS, loss_gradients
from spygames_training.network import ActorCritic
from spygames_training.processes import ALONE, Processes
from spygames_training.rollout import Rollout


@dataclass
class Decisions:
    """All decisions of one worker that can be learned from; the first axis of each is N."""

    observation: Tensor
    """[N, F] in the type that the network computes in"""
    views: Tensor | None
    """[N, P * F] of that type, for a critic that sees all"""
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


def _features(network: ActorCritic, observation: Tensor, sequences: Sequences | None) -> Tensor:
    """What the heads take, with or without memory."""
    if sequences is None:
        return network.trunk(observation)
    return network.unroll(observation, sequences.lengths, sequences.memory)


class Learner:
    """The network, its running mean, its reference and the optimiser.

    Several workers, one thread each, compute the gradient on their own part of a minibatch (data parallelism): each
    has a copy of the network that shares the weights and owns its gradients. The sum is taken in a fixed order, so
    a run is repeatable. With several processes each has its own workers and its own weights, which stay equal, because
    all take the same steps.

    Args:
        network: begins with the same weights in every process.
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
        for replica in self.replicas[1:]:
            for own, shared in zip(replica.parameters(), network.parameters(), strict=True):
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

        observation = torch.from_numpy(take(rollout.observation))
        advantages = take(rollout.advantages)
        with torch.no_grad(), self.ppo.autocast():
            observation = observation.to(self.ppo.dtype)
            reference = self.reference.policy(_features(self.reference, observation, sequences)).float().numpy()
        views = None if rollout.views is None else rollout.views.flatten(0, 1)[torch.from_numpy(keep)]
        return Decisions(
            observation,
            views,
            sequences,
            take(rollout.mask).view(np.bool_),
            take(rollout.actions),
            take(rollout.log_probabilities),
            advantages,
            advantages + take(rollout.values),
            reference,
        )

    def _gradient(
        self, replica: ActorCritic, data: Decisions, chosen: np.ndarray, entropy_weight: float, parts: np.ndarray
    ) -> None:
        """Leaves the gradient on the `chosen` decisions, or sequences of them, in the replica and adds the losses'
        parts to `parts`."""
        ppo = self.ppo
        rows, sequences = chosen, None
        if data.sequences is not None:
            rows = data.sequences.rows(chosen)
            sequences = data.sequences.only(chosen)
        at = torch.from_numpy(rows)
        replica.zero_grad(set_to_none=False)
        with ppo.autocast():
            views = None if data.views is None else data.views[at]
            outputs, values = replica.heads(_features(replica, data.observation[at], sequences), views)
        logits, value = outputs.detach().float().numpy(), values.detach().float().numpy()
        logit_gradients, value_gradients = np.empty_like(logits), np.empty_like(value)
        loss_gradients(
            logits, value, rows, data.mask, data.actions, data.log_probabilities, data.advantages, data.targets,
            data.reference, ppo.clip, ppo.value_weight, entropy_weight, ppo.kl, logit_gradients, value_gradients, parts,
        )  # fmt: skip
        gradients = [torch.from_numpy(g).to(ppo.dtype) for g in (logit_gradients, value_gradients)]
        torch.autograd.backward([outputs, values], gradients)

    @torch.no_grad()
    def _step(self) -> None:
        """Averages the gradients of all workers, takes a step of Adam and moves the running mean."""
        sums = []
        for several in zip(*(r.parameters() for r in self.replicas), strict=True):
            gradients = [p.grad for p in several if p.grad is not None]
            for other in gradients[1:]:
                gradients[0].add_(other)
            sums += gradients[:1]
        self.processes.add(sums)
        for gradient in sums:
            gradient.div_(len(self.replicas) * self.processes.count)
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.ppo.max_grad_norm)
        self.optimizer.step()
        self.steps += 1
        decay = min(self.ppo.ema, (1 + self.steps) / (10 + self.steps))  # so that the first weights are soon forgotten
        for mean, now in zip(self.ema.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(now, 1 - decay)
