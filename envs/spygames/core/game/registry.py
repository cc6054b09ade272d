"""The registry of games: find games by id or by module, make them, and register them with Gymnasium and PettingZoo.

Each module `spygames/<name>_vN.py` is a game; there is no list to maintain. Games and Numba are imported only on use.
"""

import contextlib
import importlib
import importlib.util
import inspect
import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, get_type_hints

from spygames.core.basics.text import shown

if TYPE_CHECKING:
    from spygames.core.game.game import Game

__all__ = ["canonical_id", "game_ids", "game_module", "imports_code", "make_game"]

_FOLDER = Path(__file__).resolve().parents[2]
LIBRARIES = ("spygames/", "SpyGames/", "")
"""Prefixes of a game's name in PettingZoo and Gymnasium; the first one is the usual one."""
_ID = re.compile(r"(?P<name>[a-z][a-z0-9_]*)_v(?P<version>\d+)")


def game_ids() -> list[str]:
    """Return the ids of all games of this package, such as `agent_avenue_v0`."""
    return sorted(path.stem for path in _FOLDER.glob("*_v*.py") if _ID.fullmatch(path.stem))


def canonical_id(game_id: str) -> str:
    """Convert any name of a game of this package to its id. Other names are returned unchanged.

    The names of `agent_avenue_v0` also include those in PettingZoo and Gymnasium (`spygames/agent_avenue-v0` and
    `spygames/AgentAvenue-v0`, with or without `spygames/`). Case, underscores, hyphens and blanks do not count. A name
    without a version, such as `agent_avenue`, means the newest version.
    """
    return _canonical(game_id) if isinstance(game_id, str) else game_id


@lru_cache(256)
def _canonical(game_id: str) -> str:
    name, known = _letters(game_id), game_ids()
    for each in known:
        if _letters(each) == name:
            return each
    versions = [each for each in known if _letters(each.rpartition("_v")[0]) == name]
    return max(versions, key=lambda each: int(each.rpartition("_v")[2]), default=game_id)


def _letters(name: str) -> str:
    """Return a name in lower case, without the library's name and without separators: `agentavenuev0`."""
    return re.sub(r"[-_ ]", "", re.sub(r"^(spygames[/:.])+", "", name.casefold()))


def imports_code(game_id: str) -> bool:
    """Whether making this game imports a module from outside this package, which may run any code.

    Check this before you make a game whose name comes from an untrusted file. `players.runs_code` is the same check for
    names of players. The commands require `--allow-code` for such names.
    """
    return canonical_id(game_id) not in game_ids()


def looks_like_id(name: str) -> bool:
    """Whether `name` has the form of a game id, `<name>_vN`."""
    return _ID.fullmatch(name) is not None


def game_module(game_id: str) -> ModuleType:
    """Return the module of a game.

    Args:
        game_id: the name of a game of this package (`canonical_id`), else of any importable module with a `make_game`.

    Raises:
        ValueError: there is no such game; the message names the most similar one, or all.
    """
    known = canonical_id(game_id)
    name = f"spygames.{known}" if known in game_ids() else game_id
    try:
        found = isinstance(name, str) and importlib.util.find_spec(name) is not None
    except (ImportError, ValueError, OSError, RecursionError):  # the last two for very long names
        found = False
    if not found:
        raise ValueError(f"no game {shown(game_id)}; {_meant(game_id)}")
    module = importlib.import_module(name)
    if not hasattr(module, "make_game"):
        raise ValueError(f"no game {shown(game_id)}: the module has no make_game; {_meant(game_id)}")
    return module


def _meant(game_id: object) -> str:
    """Return a hint for an unknown id: the most similar game, or else all games."""
    known = {_letters(each): each for each in game_ids()}
    near = get_close_matches(_letters(game_id[:100]) if isinstance(game_id, str) else "", known, 1, 0.7)
    if near:
        return f"did you mean {known[near[0]]}?"
    return f"available games: {', '.join(game_ids())}; or name a module with a make_game"


class UnknownOption(TypeError, ValueError):
    """A game does not have this option: a TypeError, as for any unknown argument, and a ValueError, as in a config."""


def make_game(game_id: str, **options: Any) -> "Game":
    """Make a game.

    Args:
        game_id: the id of a game, such as `agent_avenue_v0`, or another of its names (`canonical_id`). Without a
            version, as in `agent_avenue`, it is the newest. A module with a `make_game` is also possible.
        options: the options of the game, such as `players=2`.

    Raises:
        ValueError: the game, an option (`UnknownOption`) or a value is invalid.
    """
    from spygames.core.game.game import Game

    make = game_module(game_id).make_game
    check_options(make, canonical_id(game_id), options)
    made = make(**options)
    if not isinstance(made, Game):
        raise ValueError(f"make_game of {shown(game_id)} must return a Game, not {shown(made)}")
    return made


def name_of(game: "Game") -> str:
    """Return the name from which `make_game` makes a game: its id, or the module of a game of your own.

    A game that no module makes has only its id.
    """
    from spygames.core.game.game import reference

    if game.id in game_ids():
        return game.id
    try:
        return reference(game)[0]
    except ValueError:
        return game.id


def default_options(game_id: str) -> dict[str, Any]:
    """Return the default of each option of a game; empty for a game from outside this package (`imports_code`)."""
    if imports_code(game_id):
        return {}
    parameters = inspect.signature(game_module(game_id).make_game).parameters.values()
    return {each.name: each.default for each in parameters}


def option_types(make: Callable[..., Any]) -> dict[str, Any]:
    """Return the type of each option of a `make_game`, also where it is written as text.

    `from __future__ import annotations` makes all types of a module texts. A type that cannot be evaluated, such as one
    that is imported for type checkers only, is left out.
    """
    names, found = getattr(inspect.unwrap(make), "__globals__", {}), {}
    for name, each in inspect.signature(make).parameters.items():
        if each.annotation is not each.empty:
            written = SimpleNamespace(__annotations__={name: each.annotation})
            with contextlib.suppress(NameError):
                found |= get_type_hints(written, names)
    return found


def check_options(
    make: Callable[..., "Game"], game_id: str, options: Iterable[str], others: Iterable[str] = ()
) -> None:
    """Raise UnknownOption if `options` are neither arguments of `make` nor among `others`, which messages name, too."""
    parameters = inspect.signature(make).parameters
    known = [*parameters, *others]
    unknown = [name for name in options if name not in known]
    if unknown and not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        # The beginning is Python's own text, by which libraries detect that they may omit the argument.
        near = get_close_matches(unknown[0][:100].casefold(), known, 1)
        meant = f"did you mean {near[0]}?" if near else f"available options: {', '.join(known) or 'none'}"
        raise UnknownOption(f"{game_id} got an unexpected keyword argument {shown(unknown[0])}; {meant}")


def register() -> None:
    """Register the games with PettingZoo (`spygames/agent_avenue-v0`) and Gymnasium (`spygames/AgentAvenue-v0`).

    Each of the two also accepts the other's id, the game's own (`agent_avenue_v0`) and other usual spellings, with or
    without `spygames/`; both libraries compare ids letter by letter.
    """
    import gymnasium
    from pettingzoo.env_registry.registration import aec_registry
    from pettingzoo.env_registry.registration import register as register_aec

    for game_id in game_ids():
        match = _ID.fullmatch(game_id)
        assert match
        name, version = match["name"], match["version"]
        words = "".join(word.capitalize() for word in name.split("_"))
        names = dict.fromkeys((name, words, words.lower(), name.replace("_", "-")))
        spellings = [f"{spelling}{mark}v{version}" for spelling in names for mark in "-_"]
        for each in (library + spelling for library in LIBRARIES for spelling in spellings):
            # PettingZoo itself reads _v0 as -v0.
            if not each.endswith(f"_v{version}") and each not in aec_registry:
                register_aec("aec", each, entry_point=f"spygames.{game_id}:env")
            if each not in gymnasium.registry:
                gymnasium.register(
                    each,
                    entry_point=f"spygames.{game_id}:single_env",
                    vector_entry_point=f"spygames.{game_id}:vector_env",
                )
