"""Games in each of which one seat is asked from outside, and players sit in the others."""

from collections.abc import Callable, Sequence

import numpy as np

from spygames.core.game import NOBODY, Game
from spygames.core.games import Games
from spygames.core.match import ask_rows
from spygames.core.notes import new_notes
from spygames.core.player import Player, new_memory


class SeatGames:
    """`n` games in each of which one seat is asked from outside; players decide for the others, each asked once for all
    games in which it is to move.

    Args:
        game: what is played.
        n: number of games.
        players: who may sit in the other seats.
        seed: 0..2^64-1, of the games until they are begun from other seeds.
    """

    def __init__(self, game: Game, n: int, players: Sequence[Player], seed: int):
        self.games, self.players = Games(game, n, seed), players
        self.seats = np.zeros(n, np.int8)
        """The seat that is asked from outside, int8 [n]."""
        self.who = np.zeros((n, game.num_players), np.int64)
        """Who sits in each seat, int64 [n, P]: an index of `players`, which does not count in `seats`."""
        self.streams = np.zeros((n, 1), np.uint64)
        """The players' random streams, uint64 [n, 1]."""
        self.memory = new_memory(game, players, n)
        self.notes = new_notes(game, players, n)
        self.asked = np.zeros(n, np.bool_)
        """Whether the seat has decided in the game, bool [n]."""
        self.idle = np.zeros(n, np.int64)
        """Games in a row that have ended before the seat was asked, int64 [n]."""

    def forget(self, rows: np.ndarray) -> None:
        """Other games have begun in `rows`, int64 [k], of which nobody remembers anything."""
        self.memory[rows] = 0
        if self.notes is not None:
            self.notes.clear(rows)
        self.asked[rows] = False

    def decide(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """The decisions from outside, int64 [n] read at `rows`, int64 [k]; IllegalAction as of `Games.advance`."""
        self._advance(rows, actions)
        self.asked[rows] = True
        self.idle[rows] = 0

    def play_on(self, settle: Callable[[np.ndarray], None]) -> None:
        """Lets the players decide until in each game the seat is asked or the game is over.

        Args:
            settle: is told of the rows in which a player has decided, int64 [k]; it may begin games there.
        """
        games, actions = self.games, np.zeros(self.games.n, np.int64)
        while len(rows := np.flatnonzero((games.seats != self.seats) & (games.seats != NOBODY))):
            who = self.who[rows, games.seats[rows]]
            ask_rows(games, self.players, who, rows, actions, self.streams, self.memory, notes=self.notes, secret=True)
            self._advance(rows, actions)
            settle(rows)

    def _advance(self, rows: np.ndarray, actions: np.ndarray) -> None:
        before = None if self.notes is None else self.games.states.copy()
        self.games.advance(rows, actions, self.seats)
        if self.notes is not None and before is not None:
            self.notes.add(before, actions, rows)
