"""Train agents on the games of `spygames` by self-play, save them, and measure how well they play.

The public modules are this one, `config`, `measuring`, `search` and `bridges`; everything else is private. The names in
`__all__` are imported on first use, so that importing the package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spygames.core.basics.extras import how_to_install

if TYPE_CHECKING:
    from spygames_training.agents.bfloat16 import export_bfloat16
    from spygames_training.agents.checkpoint import Checkpoint, CheckpointError, load_checkpoint, save_checkpoint
    from spygames_training.agents.onnx_export import export_onnx
    from spygames_training.agents.onnx_player import OnnxPlayer
    from spygames_training.agents.pack import pack_checkpoint
    from spygames_training.agents.policy import Policy
    from spygames_training.config import PPO, Config, Network, Opponents, read_config
    from spygames_training.evaluation.evaluation import cross_play, evaluate
    from spygames_training.experiments.best_response import BestResponse, best_response
    from spygames_training.experiments.seeds import train_seeds
    from spygames_training.networks.actor_critic import ActorCritic
    from spygames_training.parallel.processes import Processes, ProcessLost, join, leave
    from spygames_training.ppo.gae import Estimates, Played, per_seat_gae
    from spygames_training.ppo.shaping import Shaping, potential_based
    from spygames_training.runs.run import Callback, Diverged, Run
    from spygames_training.runs.train import train

__all__ = [
    "PPO",
    "ActorCritic",
    "BestResponse",
    "Callback",
    "Checkpoint",
    "CheckpointError",
    "Config",
    "Diverged",
    "Estimates",
    "Network",
    "OnnxPlayer",
    "Opponents",
    "Played",
    "Policy",
    "ProcessLost",
    "Processes",
    "Run",
    "Shaping",
    "best_response",
    "cross_play",
    "evaluate",
    "export_bfloat16",
    "export_onnx",
    "join",
    "leave",
    "load_checkpoint",
    "pack_checkpoint",
    "per_seat_gae",
    "potential_based",
    "read_config",
    "save_checkpoint",
    "train",
    "train_seeds",
]

_HOMES = {
    "agents.checkpoint": (
        "Checkpoint",
        "CheckpointError",
        "load_checkpoint",
        "save_checkpoint",
    ),
    "config": (
        "PPO",
        "Config",
        "Network",
        "Opponents",
        "read_config",
    ),
    "evaluation.evaluation": (
        "cross_play",
        "evaluate",
    ),
    "experiments.best_response": ("BestResponse", "best_response"),
    "experiments.seeds": ("train_seeds",),
    "ppo.gae": (
        "Estimates",
        "Played",
        "per_seat_gae",
    ),
    "networks.actor_critic": ("ActorCritic",),
    "agents.onnx_export": ("export_onnx",),
    "agents.onnx_player": ("OnnxPlayer",),
    "agents.pack": ("pack_checkpoint",),
    "agents.policy": ("Policy",),
    "parallel.processes": (
        "Processes",
        "ProcessLost",
        "join",
        "leave",
    ),
    "agents.bfloat16": ("export_bfloat16",),
    "runs.run": (
        "Callback",
        "Diverged",
        "Run",
    ),
    "ppo.shaping": (
        "Shaping",
        "potential_based",
    ),
    "runs.train": ("train",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            try:
                return getattr(import_module(f"{__name__}.{home}"), name)
            except ModuleNotFoundError as error:
                if error.name != "torch":
                    raise
                raise ModuleNotFoundError(
                    f"{__name__}.{name} needs torch: {how_to_install('training')}", name="torch"
                ) from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
