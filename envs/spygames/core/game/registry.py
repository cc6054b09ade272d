"""Finding games: by id, by module, and again after pickling.

A game is a module `spygames/<name>_vN.py`; no list names it.
Nothing here imports a game, or Numba, before it is asked for.
"""

import importlib
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from spygames.core.basics.text import shown

if TYPE_CHECKING:
    from spygames.core.game.game import Game

__all__ = ["canonical_id", "game_ids", "game_module", "imports_code", "make_game"]

_FOLDER = Path(__file__).resolve().parents[2]
LIBRARY = "spygames/"
"""What PettingZoo and Gymnasium have before the name of a game."""
_ID = re.compile(r"(?P<name>[a-z][a-z0-9_]*)_v(?P<version>\d+)")


def game_ids() -> list[str]:
    """The ids of all games of this package, as `agent_avenue_v0`."""
    return sorted(path.stem for path in _FOLDER.glob("*_v*.py") if _ID.fullmatch(path.stem))


def canonical_id(game_id: str) -> str:
    """The id of the game of this package that has other names, too; any other name as it is.

    Other names of `agent_avenue_v0` are those of PettingZoo and Gymnasium (`spygames/agent_avenue-v0`,
    `spygames/AgentAvenue-v0`, also without `spygames/`), and without a version, as `agent_avenue`, which is the newest.
    """
    return _canonical(game_id) if isinstance(game_id, str) else game_id


@lru_cache(256)
def _canonical(game_id: str) -> str:
    name = game_id.removeprefix(LIBRARY)
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold().replace("-", "_")
    known = game_ids()
    if name in known:
        return name
    versions = [each for each in known if each.rpartition("_v")[0] == name]
    return max(versions, key=lambda each: int(each.rpartition("_v")[2]), default=game_id)


def imports_code(game_id: str) -> bool:
    """Whether making the game of that name imports a module of somebody else's, which may run any code.

    Whoever takes names of games out of files that others may have written asks this first, as `players.runs_code` for
    names of players, and whoever named the file is asked for leave (`--allow-code`).
    """
    return canonical_id(game_id) not in game_ids()


def looks_like_id(name: str) -> bool:
    """Whether `name` has the form of a game's id, `<name>_vN`."""
    return _ID.fullmatch(name) is not None


def game_module(game_id: str) -> ModuleType:
    """The module of a game: for `agent_avenue_v0`, or another of its names (`canonical_id`), that of this package, else
    any importable one with a `make_game`.

    ValueError names the available games.
    """
    known = canonical_id(game_id)
    name = f"spygames.{known}" if known in game_ids() else game_id
    try:
        found = isinstance(name, str) and importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, OSError, RecursionError):  # the last two for endless names
        found = False
    module = importlib.import_module(name) if found else None
    if module is None or not hasattr(module, "make_game"):
        raise ValueError(f"no game {shown(game_id)}; {_meant(game_id)}")
    return module


def _meant(game_id: object) -> str:
    """What a wrong id may mean: the most similar one, else all."""
    text = canonical_id(game_id[:100]).casefold() if isinstance(game_id, str) else ""
    near = get_close_matches(text, game_ids(), 1, 0.7)
    if near:
        return f"did you mean {near[0]}?"
    return f"there are {', '.join(game_ids())}, or name a module that has a make_game"


class UnknownOption(TypeError, ValueError):
    """An option that a game does not have: a TypeError like any unknown argument, and a wrong value in a config."""


def make_game(game_id: str, **options: Any) -> "Game":
    """The game with these options; ValueError for an unknown game, option (`UnknownOption`) or value.

    Args:
        game_id: as `agent_avenue_v0`, or another of its names (`canonical_id`): without a version, as `agent_avenue`,
            it is the newest; or a module that has a `make_game`.
        options: of the game, as `players=2`.
    """
    make = game_module(game_id).make_game
    check_options(make, canonical_id(game_id), options)
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
    """Makes the games known to PettingZoo (`spygames/agent_avenue-v0`) and Gymnasium (`spygames/AgentAvenue-v0`); both
    take the other's id, too."""
    import gymnasium
    from pettingzoo.env_registry.registration import aec_registry
    from pettingzoo.env_registry.registration import register as register_aec

    for game_id in game_ids():
        match = _ID.fullmatch(game_id)
        assert match
        name, version = match["name"], match["version"]
        words = "".join(word.capitalize() for word in name.split("_"))
        for each in (f"{LIBRARY}{name}-v{version}", f"{LIBRARY}{words}-v{version}"):
            if each not in aec_registry:
                register_aec("aec", each, entry_point=f"spygames.{game_id}:env")
            if each not in gymnasium.registry:
                gymnasium.register(
                    each,
                    entry_point=f"spygames.{game_id}:single_env",
                    vector_entry_point=f"spygames.{game_id}:vector_env",
                )
