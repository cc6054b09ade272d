"""Whether a network would learn faster on a GPU, for runs whose config leaves that open.

The games, the draws and the loss stay on the CPU. So a GPU saves the time that the CPU's cores need for the network,
and costs the time to start its operations and to move numbers there and back; what it needs for the numbers of networks
of this size is less than that. All of it is counted and nothing is timed, so that equal runs on equal machines choose
alike. The counts were made; what an operation and a byte take on a GPU is an estimate that nobody has measured.
"""

import torch
from torch.utils.flop_counter import FlopCounterMode

from spygames_training.config import PPO
from spygames_training.networks.actor_critic import ActorCritic

FLOPS_A_CORE = 100e9
"""A second, with what lies between the products: as 110,000 decisions a second of Agent Avenue come to, learned by one
core of an AMD EPYC with two layers of 128 units in bfloat16."""
SECONDS_A_START = 5e-6
"""To start an operation on a GPU from Python."""
BYTES_A_SECOND = 10e9
"""To a GPU or back, from memory that is not pinned."""
STARTS = {"mlp": (18, 45), "entities": (18, 45), "recurrent": (47, 28)}
"""Operations of a step of all games, and of a gradient; a recurrent network's for each step in a sequence."""
STARTS_OF_OPTIMIZER, STARTS_OF_WORKER = 25, 8
"""Operations of the optimiser's step, and of adding up a further worker's gradient."""


def gpu_pays(network: ActorCritic, ppo: PPO, workers: int, processes: int = 1) -> bool:
    """Whether a GPU would spare more time in an update than it costs.

    Args:
        network: on the CPU.
        ppo: the algorithm's settings.
        workers: of each process, each on a core that would have the network's work to do.
        processes: that share the games, each with a GPU.
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
    """Of one decision, forward."""
    rows = 2
    with torch.no_grad(), torch.random.fork_rng(devices=[]), FlopCounterMode(display=False) as counter:
        features, _ = network.step(_zeros(rows, network.num_features), _zeros(rows, network.memory_size))
        network.policy(features)
        if network.critic is not None:
            network.critic(_zeros(rows, next(network.critic.parameters()).shape[1]))
    return counter.get_total_flops() / rows


def _zeros(rows: int, columns: int) -> torch.Tensor:
    return torch.zeros(rows, columns, dtype=torch.float32, device="cpu")
