"""The old name of `spygames_training.run`; it works for one release."""

from pathlib import Path
from typing import Any

from spygames.core.deprecated import moved, warn
from spygames.core.game import Game
from spygames_training import run
from spygames_training.config import Config
from spygames_training.network import ActorCritic
from spygames_training.processes import ALONE, Processes

__getattr__ = moved(
    __name__,
    CHANGEABLE="spygames_training.run:CHANGEABLE",
    Diverged="spygames_training.run:Diverged",
    TRAINING_DEALS="spygames_training.run:TRAINING_SEEDS",
    find_judges="spygames_training.run_evaluation:evaluation_opponents",
    resume_config="spygames_training.run_files:resume_config",
    win_shares="spygames_training.run_evaluation:win_shares",
)


class Run(run.Run):
    """The run that `create` or `resume` gives, made as in version 0.1.0."""

    def __new__(
        cls,
        config: Config,
        folder: str | Path,
        resume: bool = False,
        game: Game | None = None,
        processes: Processes = ALONE,
    ) -> Any:
        """The run that `Run.resume` or `Run.create` gives."""
        warn("spygames_training.training.Run(...)", "spygames_training.Run.create or .resume")
        if resume:
            return run.Run.resume(folder, config, game, processes)
        return run.Run.create(config, folder, game, processes)


def train(config: Config, folder: str | Path, resume: bool = False, game: Game | None = None) -> ActorCritic:
    """Makes a `Run` and trains it to the end."""
    warn("spygames_training.training.train(...)", "spygames_training.Run.create(...).train()")
    made = run.Run.resume(folder, config, game) if resume else run.Run.create(config, folder, game)
    return made.train()
