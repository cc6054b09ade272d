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
from spygames_training.rollout import Rollout


@dataclass
class Decisions:
    """All decisions of one worker that can be learned from; the first axis of each is N."""

    observation: Tensor
    """[N, F] in the type that the network computes in"""
    views: Tensor | None
    """[N, P * F] of that type, for a critic that sees all"""
    mask: np.ndarray
    actions: np.ndarray
    log_probabilities: np.ndarray
    advantages: np.ndarray
    targets: np.ndarray
    reference: np.ndarray
    """logits of the reference, float32 [N, A]"""


class Learner:
    """The network, its running mean, its reference and the optimiser.

    Several workers, one thread each, compute the gradient on their own part of a minibatch (data parallelism): each
    has a copy of the network that shares the weights and owns its gradients. The sum is taken in a fixed order, so
    a run is repeatable.
    """

    def __init__(self, network: ActorCritic, ppo: PPO, workers: int, seed: int):
        self.ppo = ppo
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
        errors = np.concatenate([d.advantages for d in data])  # returns minus values: what the critic does not explain
        unexplained = float(errors.var()) / (float(np.concatenate([d.targets for d in data]).var()) + 1e-8)
        for d in data:
            d.advantages -= errors.mean()
            d.advantages /= errors.std() + 1e-8
        workers = len(rollouts)
        size = ppo.minibatch // workers
        rounds = max(1, min(len(d.actions) for d in data) // size)
        parts = np.zeros((workers, len(PARTS)))
        for _ in range(ppo.epochs):
            orders = [self.rng.permutation(len(d.actions)) for d in data]
            for k in range(rounds):

                def work(w: int, k: int = k, orders: list[np.ndarray] = orders) -> None:
                    rows = orders[w][k * size : (k + 1) * size]
                    self._gradient(self.replicas[w], data[w], rows, entropy_weight, parts[w])

                list(self.pool.map(work, range(workers)))
                self._step()
        self.updates += 1
        means = (parts.mean(0) / (ppo.epochs * rounds)).tolist()
        return dict(zip(PARTS, means, strict=True)) | {
            "explained_variance": 1 - unexplained,
            "learning_rate": rate,
            "entropy_weight": entropy_weight,
        }

    def _prepare(self, rollout: Rollout) -> Decisions:
        keep = np.flatnonzero(rollout.valid.reshape(-1))

        def take(array: np.ndarray) -> np.ndarray:
            return array[: rollout.steps].reshape(rollout.steps * rollout.n, *array.shape[2:])[keep]

        observation = torch.from_numpy(take(rollout.observation))
        advantages = take(rollout.advantages)
        with torch.no_grad(), self.ppo.autocast():
            observation = observation.to(self.ppo.dtype)
            reference = self.reference.logits(observation).float().numpy()
        views = None if rollout.views is None else rollout.views.flatten(0, 1)[torch.from_numpy(keep)]
        return Decisions(
            observation,
            views,
            take(rollout.mask).view(np.bool_),
            take(rollout.actions),
            take(rollout.log_probabilities),
            advantages,
            advantages + take(rollout.values),
            reference,
        )

    def _gradient(
        self, replica: ActorCritic, data: Decisions, rows: np.ndarray, entropy_weight: float, parts: np.ndarray
    ) -> None:
        """Leaves the gradient on `rows` in the replica and adds the losses' parts to `parts`."""
        ppo = self.ppo
        replica.zero_grad(set_to_none=False)
        chosen = torch.from_numpy(rows)
        with ppo.autocast():
            views = None if data.views is None else data.views[chosen]
            outputs, values = replica(data.observation[chosen], views)
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
        """Averages the workers' gradients, takes a step of Adam and moves the running mean."""
        for several in zip(*(r.parameters() for r in self.replicas), strict=True):
            gradients = [p.grad for p in several if p.grad is not None]
            for other in gradients[1:]:
                gradients[0].add_(other)
            gradients[0].div_(len(gradients))
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.ppo.max_grad_norm)
        self.optimizer.step()
        self.steps += 1
        decay = min(self.ppo.ema, (1 + self.steps) / (10 + self.steps))  # so that the first weights are soon forgotten
        for mean, now in zip(self.ema.parameters(), self.network.parameters(), strict=True):
            mean.lerp_(now, 1 - decay)
