"""The interface of players, which choose actions for seats in many games at once."""

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
    "PlayerUnavailable",
    "Scripted",
    "name_of",
    "new_memory",
    "tell_end",
]

bot: Any = None
"""Placeholder for the kernel of a scripted bot: `Game.bind` replaces it."""


class PlayerFailed(IllegalAction):
    """A player gave no legal action: it was illegal, missing or late, or the player has ended.

    Example:
        >>> from spygames.players import PlayerFailed
        >>> error = PlayerFailed("my-bot", seat=1, rows=[0], what="failed in seat 1", detail="ValueError: no card")
        >>> str(error)
        'the player my-bot failed in seat 1: ValueError: no card'
        >>> error.what
        'failed in seat 1'

    Args:
        player: the name of the player.
        seat: the seat that it played; NOBODY if the answer fits no seat.
        rows: the rows of `DecisionBatch` in which it failed. It may be asked again in all other rows.
        what: the public part of the message, which reveals nothing hidden.
        detail: the private part, only for readers who may know what the player knows.
    """

    def __init__(self, player: str, seat: int, rows: Sequence[int], what: str, detail: str = ""):
        super().__init__(f"the player {player} {what}{f': {detail}' if detail else ''}")
        self.player, self.seat, self.rows, self.what, self.detail = player, seat, tuple(rows), what, detail

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.player, self.seat, self.rows, self.what, self.detail)


class PlayerTooSlow(PlayerFailed):
    """A player gave no action within its time limit.

    Example:
        >>> from spygames.players import PlayerFailed, PlayerTooSlow
        >>> issubclass(PlayerTooSlow, PlayerFailed)
        True
    """


class PlayerUnavailable(PlayerFailed):
    """A player cannot be asked any more: its server fails, or a limit is spent. No game is lost by it.

    It ends the command. With transcripts the same command continues from there.

    Example:
        >>> from spygames.players import PlayerFailed, PlayerUnavailable
        >>> issubclass(PlayerUnavailable, PlayerFailed)
        True
    """


@dataclass(frozen=True)
class DecisionBatch:
    """The decisions to take in `rows` of `n` games, each for the seat to move.

    A player reads `views` (or `observation`, the same memory) and `mask`. Only a search may read `states`. It must
    first redraw what the seat cannot know (`Game.determinize`).

    Example:
        >>> import numpy as np
        >>> from spygames import make_batch
        >>> from spygames.players import make_player
        >>> batch = make_batch("agent_avenue_v0", 3, seed=1)
        >>> decisions = batch.decisions(rng=np.zeros((3, 1), np.uint64), rows=np.array([0, 2]))
        >>> decisions.observation.shape, decisions.mask.shape
        ((3, 160), (3, 74))
        >>> make_player(batch.game, "greedy").act(decisions).shape
        (2,)
    """

    game: Game
    """The game that all rows play."""
    states: np.ndarray
    """STATE [n]"""
    views: np.ndarray
    """VIEW [n], of the seat to move"""
    observation: np.ndarray
    """float32 [n, F], the memory of `views`"""
    mask: np.ndarray
    """int8 [n, A], 1 where an action is legal"""
    rng: np.ndarray
    """uint64 [n, 1], the players' own random streams, one per game, so that results do not depend on how games are
    grouped. A player advances the streams of its rows."""
    rows: np.ndarray
    """int64 [k], the rows in which a decision is due"""
    memory: np.ndarray | None = None
    """float32 [n, P, M], the memory of each seat's player between its decisions in one game; zeros at the beginning of
    a game (`new_memory`). A player with a `memory_size`, at most M, reads and writes the first `memory_size` floats of
    the seat to move in its rows. None: no player has a memory."""
    notes: Notes | None = None
    """The decisions of each game so far, for players with a `notes_size`, at most `Notes.size`. Like `states` they
    hold hidden information: only a search may read them, through `Game.rewind`. None: no player wants notes."""
    games: np.ndarray | None = None
    """int64 [n], a number that changes with the game of a row, for players that keep data per game. While the number
    of a row stays the same, its decisions are successive decisions of one game. A game that is reset to an earlier
    position gets a new number. Different rows may have equal numbers. None: unknown."""


class Player(Protocol):
    """The interface of a player: a `name` and a method `act`.

    Optional attributes:

    - `game`: the only game that it plays; `as_players` refuses it for a game with other seats or another layout
    - `memory_size`: the number of floats that it keeps in `DecisionBatch.memory`
    - `notes_size`: the number of latest decisions of each game that it wants in `DecisionBatch.notes`
    - `ended(row, seat, returns, notes)`: called when a game is over that was played to its end, with the result as
      float32 [P] (see `tell_end`)

    Example:
        >>> import numpy as np
        >>> from spygames import make_game
        >>> from spygames.records import play_record
        >>> class LowestAction:
        ...     name = "lowest"
        ...
        ...     def act(self, decisions):
        ...         return decisions.mask[decisions.rows].argmax(1)  # the first legal action of each row
        >>> play_record(make_game("agent_avenue_v0"), [LowestAction(), "greedy"], seed=1).players
        ('lowest', 'greedy')
    """

    name: str
    """The name in tables and messages."""

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return one legal action for each of `decisions.rows`, int64 [k]."""
        ...


@runtime_checkable
class HasPlayer(Protocol):
    """An object that can make a player of a game, such as a trained `Policy`."""

    def as_player(self, game: Game) -> Player:
        """Return a player of `game`. Raises ValueError if the object plays another game."""
        ...


PlayerLike = str | Player | HasPlayer
"""A player in any form: a name (see `make_player`), a `Player`, or an object with a method `as_player(game)`, such as a
`Policy`."""


def name_of(player: Player) -> str:
    """Return the name of a player, for a message."""
    return one_line(getattr(player, "name", type(player).__name__))


def tell_end(players: Mapping[int, Player], returns: np.ndarray, row: int = 0, notes: Notes | None = None) -> None:
    """Call `ended` of all players of a finished game that have this method.

    Args:
        players: the players by seat; leave out seats without a player.
        returns: float32 [P], the result.
        row: the row of the game in the players' `DecisionBatch`.
        notes: the notes of the game, with its last decision.
    """
    for seat, player in players.items():
        ended = getattr(player, "ended", None)
        if ended is not None:
            ended(row, seat, returns, notes)


def new_memory(game: Game, players: Iterable[Player], n: int = 1) -> np.ndarray:
    """Return a zeroed `DecisionBatch.memory` for `n` games, float32 [n, P, M], M the largest `memory_size`."""
    size = max((getattr(player, "memory_size", 0) for player in players), default=0)
    return np.zeros((n, game.num_players, size), np.float32)


class Scripted:
    """A scripted bot of the game as a player.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import Scripted
        >>> game = make_game("agent_avenue_v0")
        >>> Scripted(game, "greedy")
        Scripted(agent_avenue_v0, 'greedy')

    Args:
        game: the game to play.
        name: the bot, a key of `game.bots`.

    Raises:
        ValueError: the game has no such bot.
    """

    def __init__(self, game: Game, name: str):
        self.game, self.name = game, name
        self._loop = bot_loop(game, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scripted, (self.game, self.name)

    def __repr__(self) -> str:
        return f"Scripted({self.game.id}, {self.name!r})"

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the bot's action for each of `decisions.rows`, int64 [k]."""
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
    """Return the compiled loop of a scripted player.

    Its arguments are (views [n], mask [n, A], rng uint64 [n, 1], rows [k], actions [n], lo, hi). It writes an action
    into `actions` for each of `rows[lo:hi]`.
    """
    if name not in game.bots:
        raise ValueError(f"{game.id} has no scripted player {name!r}; it has {', '.join(game.bots)}")
    return game.bind(_bot_rows, bot=game.bots[name])
