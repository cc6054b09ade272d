"""Spy-themed board games as environments for reinforcement learning.

>>> import spygames
>>> env = spygames.agent_avenue_v0.env(render_mode="ansi")  # PettingZoo
>>> env.reset(seed=1)
>>> one_seat = spygames.agent_avenue_v0.single_env(opponents="greedy")  # Gymnasium
>>> batch = spygames.make_batch("agent_avenue_v0", 1024, seed=1)  # thousands of games in lockstep

Each game is a module `spygames.<game>_vN` with `env`, `raw_env`, `single_env`, `vector_env` and `make_game`. Importing
this package registers all games, so that `pettingzoo.make("aec", "spygames/agent_avenue-v0")` and
`gymnasium.make("spygames/AgentAvenue-v0")` work.

The public modules are this one, the games, `authoring`, `players`, `records`, `pictures`, `testing`, `text`,
`textarena`, `openenv`, `openspiel` and `jax`. All other modules, including all of `spygames.core`, are private and may
change at any time.
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
    from spygames.core.game.seen import Event
    from spygames.core.playing.batch import Batch
    from spygames.core.playing.rows import Rows

__version__ = VERSION
"""Version of the installed package, such as `0.2.0`."""

__all__ = [
    "NOBODY",
    "Batch",
    "Event",
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
    "Event": "game.seen",
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
"""The module in `spygames.core` of each name that is imported on first use, because importing Numba takes a second."""

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
    """Make a `Batch`: `n` games in lockstep that restart automatically.

    Example:
        >>> import spygames
        >>> batch = spygames.make_batch("heimlich_v0", 64, seed=1, players=3)
        >>> batch.step(batch.mask.argmax(1))  # the first legal action of each game

    Args:
        game_id: an id such as `agent_avenue_v0`, or a module with a `make_game`.
        n: number of games.
        seed: 0..2^64-1; None draws one from the system's entropy.
        threads, observation, mask, rewards, done: as in `Batch`.
        options: options of the game, such as `players=2`.

    Raises:
        ValueError: the game does not exist, or a value is wrong.
        TypeError: the game has no such option.
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


if not TYPE_CHECKING:  # with `__getattr__` a type checker would accept every name

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(importlib.import_module(f"spygames.core.{_HOMES[name]}"), name)
        if name in _registry.game_ids():
            return importlib.import_module(f"spygames.{name}")
        what = f"module 'spygames' has no attribute {name!r}; games are {', '.join(_registry.game_ids())}"
        # `from spygames import name` would replace the message of an AttributeError by a general one.
        is_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
        raise ImportError(what) if is_import and _registry.looks_like_id(name) else AttributeError(what)


def __dir__() -> list[str]:
    return [*__all__, *_registry.game_ids()]
