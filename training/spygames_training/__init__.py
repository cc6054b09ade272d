"""Training agents on the games of `spygames` by self-play, keeping them, and finding out how well they play.

The names of `__all__` are imported when they are first used, so that the package itself is quick to import.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if find_spec("torch") is None:
    raise ModuleNotFoundError(
        "spygames_training needs torch, which the extra brings: pip install 'spygames[training]'",
        name="torch",
    )

if TYPE_CHECKING:
    from spygames_training.checkpoint import load_checkpoint, save_checkpoint
    from spygames_training.config import PPO, Config, Network, Opponents, read_config
    from spygames_training.evaluation import cross_play, evaluate
    from spygames_training.experiments.best_response import best_response
    from spygames_training.experiments.seeds import train_seeds
    from spygames_training.policy import Policy
    from spygames_training.run import Run
    from spygames_training.shaping import potential_based
    from spygames_training.trainer import train

__all__ = [
    "PPO",
    "Config",
    "Network",
    "Opponents",
    "Policy",
    "Run",
    "best_response",
    "cross_play",
    "evaluate",
    "load_checkpoint",
    "potential_based",
    "read_config",
    "save_checkpoint",
    "train",
    "train_seeds",
]

_HOMES = {
    "checkpoint": ("load_checkpoint", "save_checkpoint"),
    "config": ("PPO", "Config", "Network", "Opponents", "read_config"),
    "evaluation": ("cross_play", "evaluate"),
    "experiments.best_response": ("best_response",),
    "experiments.seeds": ("train_seeds",),
    "policy": ("Policy",),
    "run": ("Run",),
    "shaping": ("potential_based",),
    "trainer": ("train",),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
