"""Who a player is: a digest of what it decides by, and a name, so that any two can be told apart."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

import spygames
import spygames_training
from spygames.core.basics.text import one_line
from spygames.core.compiling.digest import code_digest, content
from spygames.core.game.game import Game
from spygames.core.game.validation import whole
from spygames.core.players.names import PlayerName
from spygames.core.players.player import Player, Scripted
from spygames.core.players.search import SearchPlayer
from spygames.core.players.search_loops import loops
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.networks.device import to_numpy
from spygames_training.search import settings
from spygames_training.search.player import SearchingPolicy


def game_digest(game: Game) -> str:
    """A digest of the rules, which unlike `Game.digest` is the same with other versions of the libraries."""
    return code_digest(game.state_dtype, game.view_dtype, *(getattr(game, name) for name in _RULES), libraries=False)


_RULES = ("init", "legal", "apply", "returns", "observe")


@cache
def packages_digest() -> str:
    """A digest of the sources of spygames and spygames_training, on this machine, whatever their line ends."""
    digest = sha256()
    for package in (spygames, spygames_training):
        folder = Path(str(package.__file__)).parent
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.relative_to(folder).as_posix().encode() + b"\n" + content(file.read_bytes()))
    return digest.hexdigest()[:16]


def player_digest(game: Game, player: Player, worlds: int | None = None) -> str | None:
    """A digest of a player: of a bot or a search without a policy its code, of a policy its weights, of a search on top
    of one these, its rivals' code, its version (`search.settings.VERSION`), that of the worlds that it draws, and the
    type that it computes in.

    Of a player of another kind its attribute `digest`, where that is a text, as of files; None where nobody knows.

    Args:
        game: what is played.
        player: the player.
        worlds: an earlier `Game.worlds_version`, for the digest that a search on top of a policy had then; None: that
            of `game`. The digest of `mcts` and `mc` has the code of `determinize` in it, and of them only the present
            one is known.
    """
    if isinstance(player, Scripted):
        return code_digest(game.bots[player.name], libraries=False)
    if isinstance(player, SearchPlayer):
        return code_digest(loops(game, player.kind).rows, libraries=False)
    if isinstance(player, PolicyPlayer):
        return _weights(player.policy)
    if isinstance(player, SearchingPolicy):
        bots = [code_digest(game.bots[name], libraries=False) for name in player.settings.rivals if name in game.bots]
        rival = [] if player.rival is None else [_weights(player.rival)]
        counted = {"search": settings.VERSION, "worlds": game.worlds_version if worlds is None else worlds}
        # Results that came before versions were counted have none, nor those of bfloat16, which was taken where the
        # processor had instructions for it before names said so.
        version = [f"{name} {number}" for name, number in counted.items() if number > 1]
        precision = [] if player.settings.precision == "bfloat16" else [player.settings.precision]
        parts = [_weights(player.policy), *rival, *bots, *version, *precision]
        return sha256("\n".join(parts).encode()).hexdigest()[:16]
    found = getattr(player, "digest", None)
    return found if isinstance(found, str) else None


def worlds_of(made: Mapping[str, Any]) -> int:
    """The `Game.worlds_version` with which a result was found, by what the result says of its code.

    ValueError where that is not a number from 1; results of version 1 need not name it.
    """
    return whole("worlds", made.get("worlds", 1), 1)


def full_name(game: Game, name: str | PlayerName, player: Player) -> PlayerName:
    """The name of a player as it was made by, with `@sample` where a network's does not say how it plays, and with the
    agent's name for `best`."""
    name = PlayerName.parse(name).without_best(game)
    samples = isinstance(getattr(player, "policy", None), Policy) or name.kind == "onnx"
    return replace(name, play="sample") if samples and not name.play else name


def tell_apart(game: Game, players: Iterable[tuple[str | PlayerName, Player]]) -> None:
    """Calls players by their `full_name` that are called alike and are not the same one, as those of two files
    `a/model.onnx` and `b/model.onnx` are.

    Args:
        game: what is played.
        players: by the names that they were made by. Two of one digest are the same.

    Raises:
        ValueError: one of them does not let itself be called otherwise.
    """
    alike: dict[str, list[tuple[str | PlayerName, Player]]] = {}
    for spec, player in players:
        alike.setdefault(player.name, []).append((spec, player))
    for name, several in alike.items():
        if len({player_digest(game, player) or str(spec) for spec, player in several}) == 1:
            continue
        for spec, player in several:
            try:
                player.name = str(full_name(game, spec, player))
            except AttributeError:
                raise ValueError(f"two players are called {one_line(name)}, and nobody could tell them apart") from None


def trained_against(game: Game, player: Player, opponent: Player) -> bool | None:
    """Whether `player` has trained against `opponent`, a scripted one under whatever name; None where nobody knows."""
    if isinstance(player, Scripted | SearchPlayer):
        return False
    policy = getattr(player, "policy", None)
    if not isinstance(policy, Policy):
        return None
    names = [name if name in game.bots else name.removesuffix("-1") for name in policy.training_opponents]
    if isinstance(opponent, Scripted):
        return any(game.bots[name] is game.bots[opponent.name] for name in names if name in game.bots)
    return opponent.name in names


def _weights(policy: Policy) -> str:
    digest = sha256()
    for name, tensor in sorted(policy.network.actor().items()):
        array = np.ascontiguousarray(to_numpy(tensor))
        digest.update(f"{name} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:16]
