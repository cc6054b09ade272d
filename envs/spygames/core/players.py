"""The players that a name stands for: scripted bots, searches and trained policies."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from spygames.core import deprecated
from spygames.core.game import Game
from spygames.core.player import DecisionBatch, Player, Scripted, answers, name_of, new_memory
from spygames.core.search import SearchPlayer
from spygames.core.shown import shown

__all__ = ["DecisionBatch", "Player", "Scripted", "answers", "as_players", "make_player", "name_of", "new_memory"]

MAX_SIMULATIONS = 1_000_000
"""The most playouts a decision: a tree of so many nodes takes gigabytes."""


def make_player(game: Game, spec: str) -> Player:
    """The player that `spec` names: a scripted bot (`greedy`), a search with its simulations a decision (`mcts:200`,
    `mc:200`) or a checkpoint's path, with `@argmax` or a temperature (`@0.5`) behind it if it is not to be sampled.

    ValueError says what there is if `spec` is none of these.
    """
    if spec in game.bots:
        return Scripted(game, spec)
    kind, _, number = spec.partition(":")
    if kind in ("mcts", "mc"):
        if not number.isdecimal() or len(number) > 9 or not 1 <= int(number) <= MAX_SIMULATIONS:
            raise ValueError(f"{shown(spec)} must give 1 to {MAX_SIMULATIONS} simulations a decision, as in {kind}:200")
        return SearchPlayer(game, kind, int(number), threads=os.cpu_count() or 1)
    path, _, how = (spec, "", "") if _exists(spec) else spec.rpartition("@")
    if path and _exists(path):
        try:
            from spygames_training.policy import load_player
        except ImportError as error:
            raise ValueError(f"a checkpoint needs what is not installed: {error}") from error
        return load_player(game, path, how)
    raise ValueError(
        f"no player {shown(spec)}: scripted players of {game.id} are {', '.join(game.bots)}; searches mcts:N and mc:N; "
        "else the path of a checkpoint"
    )


def as_players(game: Game, players: str | Player | Sequence[str | Player]) -> list[Player]:
    """One or several players, each given as itself or by a name as `make_player` takes it; equal names are one player.

    Raises:
        TypeError: something is neither.
        ValueError: there is no player of that name.
    """
    given = list(players) if isinstance(players, Sequence) and not isinstance(players, str) else [players]
    for player in given:
        if not isinstance(player, str) and (isinstance(player, type) or not callable(getattr(player, "act", None))):
            raise TypeError(f"a player is a name as make_player takes it or a Player, not {shown(player)}")
    named = {player: make_player(game, player) for player in given if isinstance(player, str)}
    return [named[player] if isinstance(player, str) else player for player in given]


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long for a name, or with a character that no name has
        return False


if not TYPE_CHECKING:  # to a type checker the module would have every name
    __getattr__ = deprecated.moved(__name__, Decisions="spygames.core.player:DecisionBatch")
