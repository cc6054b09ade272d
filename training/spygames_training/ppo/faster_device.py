"""Estimate whether a network would learn faster on a GPU, for runs with `device = "auto"`.

Games, sampling and the loss stay on the CPU. A GPU saves the time that the cores need for the network. It costs the
time to launch its operations and to transfer data; its own computing time is small for networks of this size.

All costs are counted and nothing is timed, so that equal runs on equal machines choose the same device. The numbers of
operations were counted; the time per operation and per byte on a GPU is an estimate and was not measured.
"""

import torch
from torch.utils.flop_counter import FlopCounterMode

from spygames_training.config import PPO
from spygames_training.networks.actor_critic import ActorCritic

FLOPS_A_CORE = 100e9
"""Floating-point operations per second and core, overheads included. One core of an AMD EPYC reaches it when it learns
110,000 decisions of Agent Avenue per second, with two layers of 128 units in bfloat16."""
SECONDS_A_START = 5e-6
"""Time to launch a GPU operation from Python."""
BYTES_A_SECOND = 10e9
"""Transfer rate to or from a GPU, with memory that is not pinned."""
STARTS = {"mlp": (18, 45), "entities": (18, 45), "recurrent": (47, 28)}
"""GPU operations of one step of all games, and of one gradient. A recurrent network needs the latter for each step of a
sequence."""
STARTS_OF_OPTIMIZER, STARTS_OF_WORKER = 25, 8
"""GPU operations of an optimizer step, and of adding the gradient of one more worker."""


def gpu_pays(network: ActorCritic, ppo: PPO, workers: int, processes: int = 1) -> bool:
    """Whether a GPU would save more time in an update than it costs.

    Args:
        network: on the CPU.
        ppo: the algorithm's settings.
        workers: of each process; each occupies a core that would otherwise compute the network.
        processes: processes that share the games, each with a GPU.
    """
    decisions = ppo.games // processes * ppo.steps
    cores = decisions * _flops(network) * (2 + 3 * ppo.epochs) / FLOPS_A_CORE / workers
    step, gradient = STARTS[network.config.kind]
    if network.memory_size:
        gradient *= ppo.steps
    minibatches = max(1, ppo.games * ppo.steps // ppo.minibatch)
    starts = ppo.steps * workers * step + ppo.epochs * minibatches * (
        workers * gradient + STARTS_OF_OPTIMIZER + STARTS_OF_WORKER * (workers - 1)
    )
    seen = network.num_features + network.num_actions * (2 + 2 * ppo.epochs)
    return SECONDS_A_START * starts + 4 * seen * decisions / BYTES_A_SECOND < cores


def _flops(network: ActorCritic) -> float:
    """Return the floating-point operations of a forward pass for one decision."""
    rows = 2
    with torch.no_grad(), torch.random.fork_rng(devices=[]), FlopCounterMode(display=False) as counter:
        features, _ = network.step(_zeros(rows, network.num_features), _zeros(rows, network.memory_size))
        network.policy(features)
        if network.critic is not None:
            inputs = next((p.shape[1] for p in network.critic.parameters()), 0)  # 0: it has no layers
            network.critic(_zeros(rows, inputs))
    return counter.get_total_flops() / rows


def _zeros(rows: int, columns: int) -> torch.Tensor:
    return torch.zeros(rows, columns, dtype=torch.float32, device="cpu")
