"""Spy-themed board games as environments for reinforcement learning.

>>> import spygames
>>> env = spygames.agent_avenue_v0.env(render_mode="ansi")

`spygames.<game>_vN` are the games, each with `env`, `raw_env`, `single_env`, `vector_env` and `make_game`;
`make_batch` plays thousands of games of one in lockstep. Importing this package registers all of them, so that
`pettingzoo.make("aec", "spygames/agent_avenue-v0")` and `gymnasium.make("spygames/AgentAvenue-v0")` work.

The public modules are this one, the games, `authoring`, `players`, `records`, `pictures`, `testing` and `openspiel`.
Everything else is private and may change at any time, `spygames.core` as a whole.
"""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from spygames.core.basics.version import VERSION
from spygames.core.game import registry as _registry
from spygames.core.game.registry import game_ids, game_module, make_game

if TYPE_CHECKING:
    import numpy as np

    from spygames import agent_avenue_v0 as agent_avenue_v0
    from spygames import agent_dog_v0 as agent_dog_v0
    from spygames import heimlich_v0 as heimlich_v0
    from spygames.core.envs.aec import GameEnv, Observation, View
    from spygames.core.envs.single_seat import SingleEnv
    from spygames.core.envs.vector import SeatVectorEnv
    from spygames.core.game.game import NOBODY, Game, IllegalAction, ImpossibleState
    from spygames.core.playing.batch import Batch
    from spygames.core.playing.rows import Rows

__version__ = VERSION
"""Of the installed package, as `0.2.0`."""

__all__ = [
    "NOBODY",
    "Batch",
    "Game",
    "GameEnv",
    "IllegalAction",
    "ImpossibleState",
    "Observation",
    "Rows",
    "SeatVectorEnv",
    "SingleEnv",
    "View",
    "__version__",
    "game_ids",
    "game_module",
    "make_batch",
    "make_game",
]

_HOMES = {
    "NOBODY": "game.game",
    "Batch": "playing.batch",
    "Game": "game.game",
    "GameEnv": "envs.aec",
    "IllegalAction": "game.game",
    "ImpossibleState": "game.game",
    "Observation": "envs.aec",
    "Rows": "playing.rows",
    "SeatVectorEnv": "envs.vector",
    "SingleEnv": "envs.single_seat",
    "View": "envs.aec",
}
"""In which module of the core a name is that is imported when it is first used, since Numba takes a second."""

_registry.register()


def make_batch(
    game_id: str,
    n: int,
    *,
    seed: int | None = None,
    threads: int | None = None,
    observation: "np.ndarray | None" = None,
    mask: "np.ndarray | None" = None,
    rewards: "np.ndarray | None" = None,
    done: "np.ndarray | None" = None,
    **options: Any,
) -> "Batch":
    """`n` games in lockstep, restarting by themselves (`spygames.Batch`).

    Args:
        game_id: as `agent_avenue_v0`, or a module that has a `make_game`.
        n: number of games.
        seed: 0..2^64-1; None: from the system's entropy.
        threads, observation, mask, rewards, done: as in Batch.
        options: of the game (`players=2`).
    """
    from spygames.core.playing.batch import Batch

    return Batch(
        make_game(game_id, **options),
        n,
        seed,
        threads=threads,
        observation=observation,
        mask=mask,
        rewards=rewards,
        done=done,
    )


if not TYPE_CHECKING:  # to a type checker the package would have every name

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(importlib.import_module(f"spygames.core.{_HOMES[name]}"), name)
        if name in _registry.game_ids():
            return importlib.import_module(f"spygames.{name}")
        what = f"module 'spygames' has no attribute {name!r}; games are {', '.join(_registry.game_ids())}"
        # Of an AttributeError `from spygames import name` would say no more than that the name cannot be imported.
        is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        raise ImportError(what) if is_import and _registry.looks_like_id(name) else AttributeError(what)


def __dir__() -> list[str]:
    return [*__all__, *_registry.game_ids()]
