"""Training in one call: `policy = train(Config(decisions=1_000_000), "runs/first")`."""

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
    """Trains a policy to the end of its run, or until a callback stops it, and returns it as its checkpoint has it.

    Whoever wants the loop takes a `Run`.

    Args:
        config: what to do; `read_config` reads one from a TOML file.
        folder: where the run lives; it is made.
        resume: whether to go on with the run in `folder`, of which `config` may change what `Run.resume` says. "auto":
            only if there is one, so that the same call goes on after whatever has ended it.
        game: what is played, where `config.game` cannot name it.
        network: a torch module, or what makes one, in the place of the network that `config` describes, as of
            `Run.create`.
        shaping: added to the rewards that are learned from, as of `Run.create`.
        callbacks: called after each update, in their order.
        progress: whether the progress is shown; Python's logger `spygames_training` is told of it either way.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM; all is saved.
        ValueError, TypeError, OSError: as of `Run.create`, `Run.resume` and `Run.train`.
        Exception: what a callback raised; all is saved.
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
    return Policy.load(folder, game=run.game, network=own)
