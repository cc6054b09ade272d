"""A player: what chooses actions for seats, asked about many games at once."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, runtime_checkable

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.game.game import Game, IllegalAction
from spygames.core.players.history import Notes

__all__ = [
    "DecisionBatch",
    "Player",
    "PlayerFailed",
    "PlayerLike",
    "PlayerTooSlow",
    "Scripted",
    "name_of",
    "new_memory",
    "tell_end",
]

bot: Any = None
"""Stands for a scripted bot's kernel, which `Game.bind` puts in its place."""


class PlayerFailed(IllegalAction):
    """A player gave no legal answer: it was illegal or none at all, it came too late, or the player is gone.

    Args:
        player: its name.
        seat: that it was asked for; NOBODY where the answer fits no seat.
        rows: of `DecisionBatch`, those whose games it fails in. In all others it may be asked again.
        what: what everybody may read: it betrays no card.
        detail: what only those may read who may know what the player knows.
    """

    def __init__(self, player: str, seat: int, rows: Sequence[int], what: str, detail: str = ""):
        super().__init__(f"the player {player} {what}{f': {detail}' if detail else ''}")
        self.player, self.seat, self.rows, self.what, self.detail = player, seat, tuple(rows), what, detail

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.player, self.seat, self.rows, self.what, self.detail)


class PlayerTooSlow(PlayerFailed):
    """A player gave no answer in time."""


@dataclass(frozen=True)
class DecisionBatch:
    """Decisions to take in `rows` of `n` games; in each the seat to move is asked.

    A player reads `views` (or `observation`, the same memory) and `mask`. Only a search may take `states`, and it
    redraws what the seat cannot know before it looks at anything else (`Game.determinize`).
    """

    game: Game
    """What is played in all of them."""
    states: np.ndarray
    """STATE [n]"""
    views: np.ndarray
    """VIEW [n], of the seat to move"""
    observation: np.ndarray
    """float32 [n, F], the memory of `views`"""
    mask: np.ndarray
    """int8 [n, A]"""
    rng: np.ndarray
    """uint64 [n, 1], the players' own random streams, one a game: results do not depend on how games are grouped. A
    player advances the streams of its rows."""
    rows: np.ndarray
    """int64 [k]"""
    memory: np.ndarray | None = None
    """float32 [n, P, M], what the player of each seat keeps from one of its decisions to its next in the same game:
    zeros when a game begins (`new_memory`). A player with a `memory_size`, at most M, reads and writes the first
    `memory_size` of them at its rows, for the seat that is asked. None: no player has a memory."""
    notes: Notes | None = None
    """The decisions of each game so far (`new_notes`), for a player with a `notes_size`, at most `Notes.size`. Like
    `states` they are true, so only a search may take them, through `Game.rewind`. None: nobody wants notes."""
    games: np.ndarray | None = None
    """int64 [n], a number that changes with the game of a row, for a player that keeps something of its own for each
    game: while a row has the same number, its decisions are of one game and follow one another. A game that is put
    back to an earlier position gets another number. Different rows may have the same one. None: unknown."""


class Player(Protocol):
    """Somebody who plays. One with an attribute `memory_size` keeps so many floats in `DecisionBatch.memory`; one with
    a `notes_size` is told of so many of the latest decisions of each game in `DecisionBatch.notes`; one with a method
    `ended(row, seat, returns float32 [P], notes)` hears how games end that are played to their end (`tell_end`)."""

    name: str
    """What tables and messages call it."""

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """One legal action for each of `decisions.rows`, int64 [k]."""
        ...


@runtime_checkable
class HasPlayer(Protocol):
    """Something that plays a game through a player of its own, as a trained `Policy` does."""

    def as_player(self, game: Game) -> Player:
        """It as a player of `game`; ValueError where it plays another one."""
        ...


PlayerLike = str | Player | HasPlayer
"""Whoever can be named as a player: a name as `make_player` takes it, a `Player`, or a `Policy`, which has a method
`as_player(game)`."""


def name_of(player: Player) -> str:
    """The name of a player, for a message."""
    return one_line(getattr(player, "name", type(player).__name__))


def tell_end(players: Mapping[int, Player], returns: np.ndarray, row: int = 0, notes: Notes | None = None) -> None:
    """Tells the players of a game that it is over, those who want to hear it.

    Args:
        players: by seat; those who are no players are left out.
        returns: float32 [P], the result.
        row: where the game stood in the players' `DecisionBatch`.
        notes: those of the game, the last decision included.
    """
    for seat, player in players.items():
        ended = getattr(player, "ended", None)
        if ended is not None:
            ended(row, seat, returns, notes)


def new_memory(game: Game, players: Iterable[Player], n: int = 1) -> np.ndarray:
    """`DecisionBatch.memory` for `n` games that begin, with room for whichever of `players` keeps the most."""
    size = max((getattr(player, "memory_size", 0) for player in players), default=0)
    return np.zeros((n, game.num_players, size), np.float32)


class Scripted:
    """A scripted bot of the game."""

    def __init__(self, game: Game, name: str):
        self.game, self.name = game, name
        self._loop = bot_loop(game, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scripted, (self.game, self.name)

    def __repr__(self) -> str:
        return f"Scripted({self.game.id}, {self.name!r})"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """The bot's action for each decision, int64 [n]."""
        d = decisions
        actions = np.empty(len(d.mask), np.int64)
        self._loop(d.views, d.mask, d.rng, d.rows, actions, 0, len(d.rows))
        return actions[d.rows]


def _bot_rows(views, mask, rng, rows, actions, lo, hi):  # type: ignore[no-untyped-def]
    for k in range(lo, hi):
        i = rows[k]
        actions[i] = bot(views[i], mask[i], rng[i])


@cache
def bot_loop(game: Game, name: str) -> Callable[..., None]:
    """The loop of one scripted player: (views [n], mask [n, A], rng uint64 [n, 1], rows [k], actions [n], lo, hi)
    writes an action into `actions` for `rows[lo:hi]`."""
    if name not in game.bots:
        raise ValueError(f"{game.id} has no scripted player {name!r}; it has {', '.join(game.bots)}")
    return game.bind(_bot_rows, bot=game.bots[name])
