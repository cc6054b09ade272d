"""Digests that identify players by their code or weights, and unique names for distinct players."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import spygames
import spygames_training
from spygames.core.basics.text import one_line, shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.chat.player import LanguageModel
from spygames.core.compiling.digest import code_digest, content
from spygames.core.game.game import Game
from spygames.core.players.mixture import MIX, MixturePlayer
from spygames.core.players.names import PlayerName
from spygames.core.players.player import Player, Scripted
from spygames.core.players.search import SearchPlayer
from spygames.core.players.search_loops import loops

if TYPE_CHECKING:
    from spygames_training.search.settings import SearchSettings


@runtime_checkable
class _Searching(Protocol):
    """A search with a policy: `SearchingPolicy`, whose module needs torch, which this one does not."""

    settings: "SearchSettings"

    def digest_with(self, worlds: int) -> str: ...


def facts_in_words(there: Any, here: Any) -> tuple[str, str]:
    """Describe two different JSON values of a file for a message: games by options, players by name.

    Players whose names do not differ come with their digests.
    """
    words = _in_words(there, False), _in_words(here, False)
    return words if words[0] != words[1] else (_in_words(there, True), _in_words(here, True))


def _in_words(fact: Any, digests: bool) -> str:
    match fact:
        case {"id": str(name), "options": dict(options)}:
            return one_line(f"{name} ({', '.join(f'{key}={value}' for key, value in options.items())})")
        case {"name": str(name)}:
            return one_line(f"{name} (digest {fact.get('digest')})" if digests else name)
        case [_, *_] if all(isinstance(each, dict) for each in fact):
            return one_line(", ".join(_in_words(each, digests) for each in fact))
        case None | str():
            return one_line(fact or "none")
    return shown(fact)


def game_digest(game: Game) -> str:
    """Digest of the rules; unlike `Game.digest` it does not depend on the versions of the libraries."""
    return code_digest(game.state_dtype, game.view_dtype, *(getattr(game, name) for name in _RULES), libraries=False)


_RULES = ("init", "legal", "apply", "returns", "observe")


@cache
def packages_digest() -> str:
    """Digest of the installed sources of spygames and spygames_training, independent of line endings."""
    digest = sha256()
    for package in (spygames, spygames_training):
        folder = Path(str(package.__file__)).parent
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.relative_to(folder).as_posix().encode() + b"\n" + content(file.read_bytes()))
    return digest.hexdigest()[:16]


def player_digest(game: Game, player: Player, worlds: int | None = None) -> str | None:
    """Return a digest of the code or weights that a player decides with; None if they are not known.

    - A bot, or a search without a policy: its code.
    - A mixture: the digests of its members, in order.
    - A search with a policy: see `SearchingPolicy.digest_with`.
    - Any other player: its attribute `digest` if that is a string, such as the digest of a policy's weights or of a
      file.

    Args:
        game: the game to play.
        player: the player.
        worlds: the `Game.worlds_version` to use for a search with a policy; None: the current one. An earlier version
            gives the digest that the search had then. The digests of `mcts` and `mc` include the code of
            `determinize`, so only their current ones can be computed.
    """
    if isinstance(player, Scripted):
        return code_digest(game.bots[player.name], libraries=False)
    if isinstance(player, SearchPlayer):
        return code_digest(loops(game, player.kind).rows, libraries=False)
    if isinstance(player, MixturePlayer):
        members = [player_digest(game, member, worlds) for member in player.members]
        known = [digest for digest in members if digest is not None]
        return sha256("\n".join(known).encode()).hexdigest()[:16] if len(known) == len(members) else None
    if isinstance(player, _Searching):
        return player.digest_with(game.worlds_version if worlds is None else worlds)
    found = getattr(player, "digest", None)
    return found if isinstance(found, str) else None


def worlds_of(made: Mapping[str, Any]) -> int:
    """Return the `Game.worlds_version` that a result was made with, from the facts recorded with the result.

    ValueError if it is not an integer from 1; results of version 1 need not name it.
    """
    return whole("worlds", made.get("worlds", 1), 1)


def full_name(game: Game, name: str | PlayerName, player: Player) -> PlayerName:
    """Complete the name that a player was made from.

    The name of a network that does not say how it plays gets the play of the released agent, or else `@sample`. `best`
    and `safest` become the agent's name, the settings of a search take their usual form, and the name of a language
    model gets its mode. The names in a mixture are completed, too.
    """
    name = PlayerName.parse(name).resolved(game)
    if isinstance(player, MixturePlayer):
        members = zip(name.members, player.members, strict=True)
        return PlayerName(f"{MIX}:{'|'.join(str(full_name(game, *member)) for member in members)}")
    if isinstance(player, LanguageModel):
        return PlayerName(player.name)
    if isinstance(player, _Searching):
        name = replace(name, search=player.settings.name)
    samples = _trained_against(player) is not None or name.kind == "onnx"
    return replace(name, play="sample") if samples and not name.play else name


def tell_apart(game: Game, players: Iterable[tuple[str | PlayerName, Player]]) -> None:
    """Rename distinct players that share a name to their `full_name`, such as `a/model.onnx` and `b/model.onnx`.

    Args:
        game: the game to play.
        players: each with the name that it was made from. Players with the same digest are the same player.

    Raises:
        ValueError: the name of one of them cannot be set.
    """
    by_name: dict[str, list[tuple[str | PlayerName, Player]]] = {}
    for spec, player in players:
        by_name.setdefault(player.name, []).append((spec, player))
    for name, several in by_name.items():
        if len({player_digest(game, player) or str(spec) for spec, player in several}) == 1:
            continue
        for spec, player in several:
            try:
                player.name = str(full_name(game, spec, player))
            except AttributeError:
                raise ValueError(
                    f"two players are both named {one_line(name)}, and one of them cannot be renamed"
                ) from None


def trained_against(game: Game, player: Player, opponent: Player) -> bool | None:
    """Whether `player` trained against `opponent`; None if that is not known.

    A bot counts under any of its names. An agent counts however it plays, also below a search: its weights are the
    same.
    """
    if isinstance(player, Scripted | SearchPlayer):
        return False
    if isinstance(opponent, MixturePlayer):
        return _any(trained_against(game, player, member) for member in opponent.members)
    if isinstance(player, MixturePlayer):
        return _any(trained_against(game, member, opponent) for member in player.members)
    known = _trained_against(player)
    if known is None:
        return None
    sources = [source for name in known for source in _sources(name)]
    if isinstance(opponent, Scripted):
        names = [name if name in game.bots else name.removesuffix("-1") for name in sources]
        return any(game.bots[name] is game.bots[opponent.name] for name in names if name in game.bots)
    return not {*_sources(opponent.name)}.isdisjoint(sources)


def _sources(name: str) -> list[str]:
    """Return a player's name, or those of a mixture's members, without the way of play and the search."""
    try:
        return [member.source for member in PlayerName.parse(name).members]
    except ValueError:  # a name of a checkpoint's file, which may be any text
        return [name]


def _any(answers: Iterable[bool | None]) -> bool | None:
    """Whether one of the answers is True; None if that depends on an unknown one."""
    found = {*answers}
    return True if True in found else None if None in found else False


def _trained_against(player: Player) -> tuple[str, ...] | None:
    """Return the names of the players that the network of a `PolicyPlayer`, a `SearchingPolicy` or a `NumpyPlayer`
    trained against; None for a player without a network of this package."""
    found = getattr(getattr(player, "policy", player), "training_opponents", None)
    return found if isinstance(found, tuple) else None
