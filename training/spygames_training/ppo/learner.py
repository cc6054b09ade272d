"""The learner: PPO with strong regularization toward a moving reference, for self-play with hidden information.

One network plays all seats; `losses` defines the loss. The reference policy of the KL term is an earlier version of the
network, replaced periodically, or a running mean of the weights (EMAgnet, arXiv 2606.23995). The policy that is
evaluated and saved is another running mean. Convergence of such schemes to an equilibrium is proven only for two
players with opposed interests.
"""

import copy
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import torch

from spygames.core.game.belief_targets import sizes_of
from spygames_training.config import PPO
from spygames_training.files.state_dicts import set_rng, tensor_difference, tensors_of
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.device import Compute, fetch, send, to_numpy
from spygames_training.parallel.processes import ALONE, Processes
from spygames_training.ppo.belief_loss import belief_gradients, belief_metrics
from spygames_training.ppo.losses import LOSS_TERMS, Outputs, Weights, loss_gradients
from spygames_training.ppo.minibatch import Minibatches
from spygames_training.ppo.rollout import Rollout

REFERENCE_BATCH, REFERENCE_BATCH_ELSEWHERE = 2048, 65_536
"""Approximate batch sizes of the reference. On a CPU the layers' outputs fit into its cache. Elsewhere each batch costs
a wait, so batches are larger."""
ADAM = ("step", "exp_avg", "exp_avg_sq")
"""Names of the optimizer's tensors for each parameter."""
NETWORKS = ("network", "ema", "reference")
"""Names of a learner's fields that are networks."""


def scheduled(start: float, end: float, progress_remaining: float, decay: Literal["linear", "power"]) -> float:
    """Return the present value of a setting that changes over the run.

    Args:
        start: value at the start of the run; positive for a power law.
        end: value at the end of the run; positive for a power law.
        progress_remaining: the fraction of the run still ahead, 1 to 0.
        decay: linear, or power: start / (1 + t (start / end - 1)), where t is 1 - `progress_remaining`.
    """
    if decay == "linear":
        return end + (start - end) * progress_remaining
    return start * (end / (end + (1 - progress_remaining) * (start - end)))  # the same, but cannot overflow


class Learner:
    """The network, its running mean, its reference and the optimizer.

    Each worker is one thread and computes the gradient on its part of a minibatch (data parallelism). It has a copy of
    the network that shares the weights and owns its gradients. Gradients are summed in a fixed order, so a run is
    repeatable. Each of several processes has its own workers and weights; the weights stay equal, because all processes
    take the same steps.

    Args:
        network: has the same initial weights in every process. It learns on the device that it is on.
        ppo: the algorithm's settings.
        workers: number of workers of this process.
        seed: of the order of decisions in minibatches.
        processes: the processes that train together.
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
        auxiliary = [[*head.parameters()] for head in network.heads_beside]
        in_auxiliary = {id(p) for parameters in auxiliary for p in parameters}
        self._clipped = [[p for p in self.parameters[0] if id(p) not in in_auxiliary], *auxiliary]
        """Groups of parameters; the gradient norm of each group is clipped."""
        self.threads = ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,))
        self.rng = np.random.default_rng([seed, 3])
        self._belief_sizes = sizes_of(network.beliefs)
        self.updates = self.steps = 0
        """Number of updates, and of gradient steps."""
        self.closed = False
        """Whether the workers' threads have ended."""

    def close(self) -> None:
        """End the workers' threads."""
        self.closed = True
        self.threads.shutdown(cancel_futures=True)
        torch.set_num_threads(torch.get_num_threads())  # new threads take the value that was set last

    def play(self, rollouts: Sequence[Rollout]) -> None:
        """Let every worker play its games."""
        ppo = self.ppo

        def work(k: int) -> None:
            rollouts[k].play(self.replicas[k], ppo)

        list(self.threads.map(work, range(len(rollouts))))

    def update(self, rollouts: Sequence[Rollout], progress_remaining: float) -> dict[str, float]:
        """Learn from the last rollouts.

        Args:
            rollouts: one per worker, just played.
            progress_remaining: the fraction of the run still ahead, 1 to 0.

        Returns:
            Metrics: the means of the loss terms (`losses.LOSS_TERMS`), the critic's `explained_variance`, the current
                learning rate and weights, and the `belief_metrics` of a network with beliefs.
        """
        ppo = self.ppo
        if not ppo.reference_ema and self.updates % ppo.reference_every == 0:
            self.reference.load_state_dict(self.network.state_dict())
        learning_rate = scheduled(ppo.learning_rate, ppo.learning_rate_end, progress_remaining, ppo.decay)
        entropy_weight = scheduled(ppo.entropy, ppo.entropy_end, progress_remaining, ppo.decay)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        kl_weight = ppo.kl if ppo.kl_end is None else scheduled(ppo.kl, ppo.kl_end, progress_remaining, ppo.decay)
        weights = Weights(ppo.clip, ppo.value_weight, entropy_weight, kl_weight)
        data = list(self.threads.map(self._prepare, rollouts))
        # Statistics cover the workers of all processes, so that all processes take the same steps.
        counts = self.processes.gather(np.array([(len(d.taken.advantages), d.units) for d in data]))
        lengths, units = np.concatenate(counts).T.tolist()
        estimates = np.concatenate([np.stack([d.taken.advantages, d.taken.targets], axis=1) for d in data])
        # Errors are returns minus values, the part that the critic does not explain.
        errors, targets = np.concatenate(self.processes.gather_rows(estimates)).T.copy()
        unexplained = float(errors.var()) / (float(targets.var()) + 1e-8)
        for d in data:
            normalized = d.taken.advantages
            normalized -= errors.mean()
            normalized /= errors.std() + 1e-8
        workers, size = len(data), ppo.minibatch // len(units)
        num_minibatches = max(1, min(*units, min(lengths) // size))
        sizes = [n // num_minibatches if self.network.memory_size else size for n in units]
        own = slice(self.processes.rank * workers, (self.processes.rank + 1) * workers)
        sizes = sizes[own]
        loss_terms = np.zeros((workers, len(LOSS_TERMS)))
        belief_sums = np.zeros((workers, 2, len(self._belief_sizes)))
        for _ in range(ppo.epochs):
            orders = [self.rng.permutation(n) for n in units][own]
            for k in range(num_minibatches):

                def work(w: int, k: int = k, orders: list[np.ndarray] = orders) -> None:
                    chosen = orders[w][k * sizes[w] : (k + 1) * sizes[w]]
                    self._gradient(self.replicas[w], data[w], chosen, weights, loss_terms[w], belief_sums[w])

                list(self.threads.map(work, range(workers)))
                self._step()
        self.updates += 1
        steps = ppo.epochs * num_minibatches
        means = (np.concatenate(self.processes.gather(loss_terms)).mean(0) / steps).tolist()
        metrics = dict(zip(LOSS_TERMS, means, strict=True)) | {
            "explained_variance": 1 - unexplained,
            "learning_rate": learning_rate,
            "entropy_weight": entropy_weight,
        }
        if ppo.kl_end is not None:
            metrics["kl_weight"] = kl_weight
        if self.network.beliefs:
            everywhere = np.concatenate(self.processes.gather(belief_sums)).sum(axis=0)
            metrics |= belief_metrics(self.network.beliefs, everywhere)
        return metrics

    def _prepare(self, rollout: Rollout) -> Minibatches:
        data = Minibatches.of(rollout.trajectories, self.network.memory_size)
        self._ask_reference(data)
        return data

    @torch.no_grad()
    def _ask_reference(self, data: Minibatches) -> None:
        """Fill in the reference's logits."""
        logits = data.taken.reference
        size = REFERENCE_BATCH if self.compute.is_here else REFERENCE_BATCH_ELSEWHERE
        for units in np.array_split(np.arange(data.units), max(1, len(logits) // size)):
            rows, sequences = data.choose(units)
            with self.compute.autocast():
                features, _ = data.features(self.reference, rows, sequences, self.compute)
                logits[rows] = to_numpy(self.reference.policy(features))

    def _gradient(
        self,
        replica: ActorCritic,
        data: Minibatches,
        chosen: np.ndarray,
        weights: Weights,
        loss_terms: np.ndarray,
        belief_sums: np.ndarray,
    ) -> None:
        """Compute the gradient on the `chosen` units and leave it in the replica.

        The means of the loss terms are added to `loss_terms`, the sums of the belief loss to `belief_sums`.
        """
        rows, sequences = data.choose(chosen)
        replica.zero_grad(set_to_none=False)
        with self.compute.autocast():
            features, views = data.features(replica, rows, sequences, self.compute)
            with_bots = data.with_bots[torch.from_numpy(rows)]
            outputs = replica.heads(features, views, with_bots.to(self.compute.device))
            # The own-view value of a critic of all seats: it must not change the policy's features.
            own = [replica.own_value(features.detach())] if replica.sees_all else []
            beliefs = [replica.belief(features)] if replica.belief is not None else []
        asked = [*outputs, *own, *beliefs]
        logits, values, *others = fetch(asked)
        own_values, believed_logits = others[: len(own)], others[len(own) :]
        found = Outputs(logits, values)
        gradients = Outputs(*map(np.empty_like, found))
        legal = np.empty(found.logits.shape[1], np.int64)
        loss_gradients(found, rows, data.taken, weights, gradients, loss_terms, legal)
        own_gradients = [weights.value * (v - data.taken.targets[rows]) / len(rows) for v in own_values]
        if replica.splits_value:  # the saved value is that of games without bots
            for gradient in own_gradients:
                gradient[with_bots.numpy()] = 0
        belief_steps = [self._belief_gradients(b, rows, data.answers, belief_sums) for b in believed_logits]
        torch.autograd.backward(asked, send([*gradients, *own_gradients, *belief_steps], asked))

    def _belief_gradients(
        self, logits: np.ndarray, rows: np.ndarray, answers: np.ndarray | None, sums: np.ndarray
    ) -> np.ndarray:
        """Return the gradients that `belief_gradients` writes."""
        assert answers is not None
        gradients = np.empty_like(logits)
        sizes, weight = self._belief_sizes, self.ppo.belief_weight
        belief_gradients(logits, rows, answers, sizes, weight, gradients, sums)
        return gradients

    @torch.no_grad()
    def _step(self) -> None:
        """Average the gradients of all workers, take a step of Adam and update the running means."""
        sums = []
        for several in zip(*self.parameters, strict=True):
            gradients = [p.grad for p in several if p.grad is not None]
            # A single process adds in the order of two processes with half of the workers each.
            half = len(gradients) // 2 if self.processes.count == 1 and len(gradients) % 2 == 0 else len(gradients)
            for part in filter(None, (gradients[:half], gradients[half:])):
                for other in part[1:]:
                    part[0].add_(other)
            if gradients[half:]:
                gradients[0].add_(gradients[half])
            sums += gradients[:1]
        self.processes.add(sums)
        for gradient in sums:
            gradient.div_(len(self.replicas) * self.processes.count)
        for several in self._clipped:
            torch.nn.utils.clip_grad_norm_(several, self.ppo.max_grad_norm)
        self.optimizer.step()
        self.steps += 1
        self._follow(self.ema, self.ppo.ema)
        if self.ppo.reference_ema:
            self._follow(self.reference, self.ppo.reference_ema)

    def _follow(self, network: ActorCritic, decay: float) -> None:
        """Move a running mean of the weights toward the current weights."""
        decay = min(decay, (1 + self.steps) / (10 + self.steps))  # forget the first weights quickly
        for mean, now in zip(network.parameters(), self.parameters[0], strict=True):
            mean.lerp_(now, 1 - decay)

    def copy_first(self) -> None:
        """Copy the weights of the first process: random initial weights may differ in a bit between processors."""
        networks: list[ActorCritic] = [getattr(self, name) for name in NETWORKS]
        with torch.no_grad():
            self.processes.copy_first([p for network in networks for p in network.state_dict().values()])

    def state_dict(self) -> dict[str, Any]:
        """Return everything that the next update depends on.

        The names of tensors are a prefix `network.`, `ema.` or `reference.` and a weight's name. After the first step
        the optimizer's tensors are added, with names `adam.K.NAME` for the K-th parameter and each NAME of `ADAM`.
        `updates`, `steps` and the state of `rng` are plain values.
        """
        state: dict[str, Any] = {}
        for name in NETWORKS:
            network: ActorCritic = getattr(self, name)
            state |= {f"{name}.{k}": v.detach() for k, v in network.state_dict().items()}
        for k, moments in self.optimizer.state_dict()["state"].items():
            state |= {f"adam.{k}.{name}": value.detach() for name, value in moments.items()}
        return state | {"updates": self.updates, "steps": self.steps, "rng": self.rng.bit_generator.state}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state that `state_dict` returned.

        Raises:
            ValueError: a tensor is missing, unknown, or of another shape or dtype, or the state of `rng` is invalid.
        """
        parameters = dict(enumerate(self.network.parameters()))
        tensors = tensors_of(state)
        wanted = {k: v for k, v in tensors_of(self.state_dict()).items() if not k.startswith("adam.")}
        if state["steps"]:
            for k, parameter in parameters.items():
                moments = (torch.zeros((), dtype=torch.float32, device="cpu"), parameter, parameter)
                wanted |= {f"adam.{k}.{name}": value for name, value in zip(ADAM, moments, strict=True)}
        if difference := tensor_difference(wanted, tensors):
            raise ValueError(difference)
        set_rng(self.rng, state["rng"])
        for name in NETWORKS:
            network: ActorCritic = getattr(self, name)
            network.load_state_dict({k: tensors[f"{name}.{k}"] for k in network.state_dict()})
        if state["steps"]:
            adam = self.optimizer.state_dict()
            adam["state"] = {k: {name: tensors[f"adam.{k}.{name}"] for name in ADAM} for k in parameters}
            self.optimizer.load_state_dict(adam)
        self.updates, self.steps = state["updates"], state["steps"]
