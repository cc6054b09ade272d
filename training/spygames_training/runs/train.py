"""Train in one call: `policy = train(Config(decisions=1_000_000), "runs/first")`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from spygames.core.game.game import Game
from spygames_training.agents.policy import Policy
from spygames_training.config import Config
from spygames_training.networks.custom import Source
from spygames_training.networks.custom_code import find_own
from spygames_training.ppo.shaping import Shaping
from spygames_training.runs.loop import check_callbacks
from spygames_training.runs.run import Callback, Run

__all__ = ["train"]


def train(
    config: Config,
    folder: str | Path,
    *,
    resume: bool | Literal["auto"] = False,
    game: Game | None = None,
    network: Source | str | None = None,
    shaping: Shaping | str | None = None,
    callbacks: Sequence[Callback] = (),
    progress: bool = True,
) -> Policy:
    """Train a policy to the end of its run, or until a callback stops it, and return it as loaded from its checkpoint.

    Use `Run` to control the loop.

    Args:
        config: the settings; `read_config` reads them from a TOML file.
        folder: of the run; it is created.
        resume: whether to continue the run in `folder`; `Run.resume` says which settings may then change. "auto":
            continue a run if there is one, otherwise create it. The same call then works after any interruption.
        game: the game, if `config.game` cannot name it.
        network: a custom network in place of the one that `config` describes, see `Run.create`.
        shaping: rewards added in training games, see `Run.create`.
        callbacks: called in order after each update.
        progress: whether to show the progress. Python's logger `spygames_training` gets it either way.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM; everything is saved.
        ValueError, TypeError, OSError: see `Run.create`, `Run.resume` and `Run.train`.
        Exception: a callback raised it; everything is saved.
    """
    check_callbacks(callbacks)
    own = find_own(network)
    if resume == "auto":
        run = Run.open(config, folder, game, network=own, shaping=shaping)
    elif resume:
        run = Run.resume(folder, config, game, network=own, shaping=shaping)
    else:
        run = Run.create(config, folder, game, network=own, shaping=shaping)
    run.train(callbacks, progress)
    # A path, since text may name a released agent, or how a player plays (`run@argmax`).
    return Policy.load(run.folder, game=run.game, network=own)
