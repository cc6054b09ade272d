"""Finding games: by id, by module, and again after pickling.

A game is a module `spygames/<name>_vN.py`; no list names it.
Nothing here imports a game, or Numba, before it is asked for.
"""

import importlib
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spygames.core.deprecated import moved
from spygames.core.shown import shown

if TYPE_CHECKING:
    from spygames.core.game import Game
else:  # a type checker would find any name here
    __getattr__ = moved(
        __name__,
        Reference="spygames.core.game:Reference",
        reference="spygames.core.game:reference",
        load="spygames.core.game:load",
    )

__all__ = ["game_ids", "game_module", "imports_code", "make_game"]

_FOLDER = Path(__file__).resolve().parents[1]
_ID = re.compile(r"(?P<name>[a-z][a-z0-9_]*)_v(?P<version>\d+)")


def game_ids() -> list[str]:
    """The ids of all games of this package, as `agent_avenue_v0`."""
    return sorted(path.stem for path in _FOLDER.glob("*_v*.py") if _ID.fullmatch(path.stem))


def imports_code(game_id: str) -> bool:
    """Whether making the game of that name imports a module of somebody else's, which may run any code.

    Whoever takes names of games out of files that others may have written asks this first, as `players.runs_code` for
    names of players, and whoever named the file is asked for leave (`--allow-code`).
    """
    return game_id not in game_ids()


def looks_like_id(name: str) -> bool:
    """Whether `name` has the form of a game's id, `<name>_vN`."""
    return _ID.fullmatch(name) is not None


def game_module(game_id: str) -> ModuleType:
    """The module of a game: for `agent_avenue_v0` that of this package, else any importable one with a `make_game`.

    ValueError says which games there are.
    """
    name = f"spygames.{game_id}" if game_id in game_ids() else game_id
    try:
        found = isinstance(name, str) and importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, OSError, RecursionError):  # the last two for endless names
        found = False
    module = importlib.import_module(name) if found else None
    if module is None or not hasattr(module, "make_game"):
        there = ", ".join(game_ids())
        raise ValueError(f"no game {shown(game_id)}; there are {there}, or name a module that has a make_game")
    return module


class UnknownOption(TypeError, ValueError):
    """An option that a game does not have: a TypeError like any unknown argument, and a wrong value in a config."""


def make_game(game_id: str, **options: Any) -> "Game":
    """The game with these options; ValueError for an unknown game, option (`UnknownOption`) or value."""
    make = game_module(game_id).make_game
    check_options(make, game_id, options)
    return make(**options)


def check_options(make: Callable[..., "Game"], game_id: str, options: Iterable[str]) -> None:
    """UnknownOption names the game's options if its `make` takes one of `options` not."""
    known = inspect.signature(make).parameters
    unknown = [name for name in options if name not in known]
    if unknown and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        # Python's own words, by which libraries know that they may leave the argument out.
        raise UnknownOption(
            f"{game_id} got an unexpected keyword argument {shown(unknown[0])}; there are {', '.join(known) or 'none'}"
        )


def register() -> None:
    """Makes the games known to PettingZoo (`spygames/agent_avenue-v0`) and Gymnasium (`spygames/AgentAvenue-v0`)."""
    import gymnasium
    from pettingzoo.env_registry.registration import aec_registry
    from pettingzoo.env_registry.registration import register as register_aec

    for game_id in game_ids():
        match = _ID.fullmatch(game_id)
        assert match
        name, version = match["name"], match["version"]
        if (aec_id := f"spygames/{name}-v{version}") not in aec_registry:
            register_aec("aec", aec_id, entry_point=f"spygames.{game_id}:env")
        words = "".join(word.capitalize() for word in name.split("_"))
        if (single_id := f"spygames/{words}-v{version}") not in gymnasium.registry:
            gymnasium.register(
                single_id,
                entry_point=f"spygames.{game_id}:single_env",
                vector_entry_point=f"spygames.{game_id}:vector_env",
            )
