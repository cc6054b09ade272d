"""A session: running games with their players, seating, random streams, memory and history.

Letters: n games, P seats, A actions, M floats of memory.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import kernel
from spygames.core.game.bots import uniform
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.rng import derived_seed, draw_seed
from spygames.core.game.validation import some_legal
from spygames.core.players.history import Notes, new_notes
from spygames.core.players.player import DecisionBatch, Player, PlayerFailed, name_of, new_memory, tell_end
from spygames.core.playing.batch import Batch
from spygames.core.playing.rows import Rows, SavedRows, first_illegal

__all__ = ["ROW", "SeatSession", "Session", "answers", "answers_in_secret", "one_game", "play"]

ROW = np.zeros(1, np.int64)
"""The row of a session of one game."""

Asking = Callable[[Player, DecisionBatch], np.ndarray]
"""Asks a player and checks what it answers: a legal action for each of the rows, int64 [k]."""


def answers(player: Player, decisions: DecisionBatch, *, secret: bool = False) -> np.ndarray:
    """What `player` answers, checked: whoever asks a player asks it here.

    Args:
        player: who is asked.
        decisions: what is to be decided.
        secret: the error does not say what was answered nor what is legal, since its reader plays against that hand.

    Returns:
        A legal action for each of `decisions.rows`, int64 [k].

    Raises:
        PlayerFailed: the answer is no such array; the message names the player. Whatever `player.act` raises.
    """
    d = decisions
    allowed = d.mask[d.rows]  # a copy, so that a player cannot change what it is judged by
    try:
        answer = player.act(d)
    except PlayerFailed as failed:
        if secret and failed.detail:
            raise type(failed)(failed.player, failed.seat, failed.rows, failed.what) from None
        raise
    try:
        actions = np.asarray(answer)
    except (ValueError, TypeError, OverflowError):  # rows of unlike lengths, say
        actions = np.empty(0, object)
    if actions.dtype.kind not in "iu" or actions.shape != (len(allowed),):
        raise PlayerFailed(
            name_of(player),
            NOBODY,
            d.rows.tolist(),
            f"answered {'what is no action' if secret else shown(answer)}: right is a whole number for each of the "
            f"{len(allowed)} decisions, int64 [{len(allowed)}]",
        )
    actions = np.ascontiguousarray(actions, np.int64)
    bad = first_illegal(actions, allowed)
    if bad >= 0:
        row = int(d.rows[bad])
        seat = int(d.states["to_move"][row])
        detail = "" if secret else f"{actions[bad]} for seat {seat}; legal are {some_legal(allowed[bad])}"
        raise PlayerFailed(name_of(player), seat, [row], "answered an illegal action", detail)
    return actions


def answers_in_secret(player: Player, decisions: DecisionBatch) -> np.ndarray:
    """`answers` whose errors are secret."""
    return answers(player, decisions, secret=True)


class Saved(NamedTuple):
    """A session at the time of `Session.save`, copies."""

    rows: SavedRows
    arrays: list[np.ndarray]
    notes: Notes | None


class Session:
    """Games with their players.

    A loop calls `begin`, then `ask` and `apply` until the games are over. Seats whose number in `seating` is not among
    the players are asked from outside: the caller brings their actions to `apply`.

    Args:
        rows: the games; a `Batch` for games that restart themselves (`step`).
        players: by the numbers in `seating`; one player may sit in several seats.
        seating: int [n, P], the number of the player in each seat, kept and read at each call.
        rng: uint64 [n, 1], the players' random streams, one a game, kept and advanced in place; None: zeros.
        asking: asks a player; `answers` or a function like it.
        history: decisions of each game to keep, also where no player wants that many.
    """

    def __init__(
        self,
        rows: Rows,
        players: Sequence[Player] | Mapping[int, Player],
        seating: np.ndarray,
        rng: np.ndarray | None = None,
        asking: Asking = answers,
        history: int = 0,
    ):
        self.rows, self.players, self.seating, self.asking = rows, players, seating, asking
        self.rng = np.zeros((rows.n, 1), np.uint64) if rng is None else rng
        everyone = players.values() if isinstance(players, Mapping) else players
        self.memory = new_memory(rows.game, everyone, rows.n)
        """float32 [n, P, M], what the player of each seat keeps in its present game."""
        self.notes = new_notes(rows.game, everyone, rows.n, history)
        """The decisions of each present game; None: no player wants them."""

    def begin(self, rows: np.ndarray, seeds: np.ndarray | None = None, states: np.ndarray | None = None) -> None:
        """Begin other games in `rows`, see `Rows.begin`, without memory and history."""
        self.rows.begin(rows, seeds, states)
        self.forget(rows)

    def forget(self, rows: np.ndarray) -> None:
        """Clear the memory and history of `rows`, int64 [k] or bool [n], where other games have begun."""
        self.memory[rows] = 0
        if self.notes is not None:
            self.notes.clear(rows)

    def decisions(self, rows: np.ndarray) -> DecisionBatch:
        """The decisions that are due in `rows`, int64 [k]. A session of one game hands out copies, except for random
        stream, memory and history, so that players may keep or change them; one of more games hands out its own."""
        games = self.rows
        if games.n > 1:
            return games.decisions(self.rng, rows, self.memory, self.notes)
        states = games.arrays.memory.copy().view(games.game.state_dtype).reshape(1)
        observation, mask = games.observation.copy(), games.mask.copy()
        views = observation.view(games.game.view_dtype).reshape(1)
        return DecisionBatch(
            games.game, states, views, observation, mask, self.rng, rows, self.memory, self.notes, games.serial
        )

    def ask(self, rows: np.ndarray, actions: np.ndarray | None = None) -> np.ndarray:
        """Ask the players of the seats to move, each player once.

        Args:
            rows: int64 [k], games in which a player is to move.
            actions: int64 [n], written at `rows`; None: a new array.

        Returns:
            `actions`.

        Raises:
            PlayerFailed: a player answered with an illegal action or with something else; the message names the
                player. Whatever else a player raises. Random streams and memory may then have changed.
        """
        actions = np.zeros(self.rows.n, np.int64) if actions is None else actions
        who = self.seating[rows, self.rows.seats[rows]]
        for number in who.tolist() if len(who) == 1 else np.unique(who).tolist():
            asked = rows[who == number]
            actions[asked] = self.asking(self.players[number], self.decisions(asked))
        return actions

    def apply(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray | None = None) -> np.ndarray:
        """Apply one decision in each of `rows`, add it to the history, and tell players how their games ended.

        Args:
            rows: int64 [k], the games.
            actions: int64 [n], read at `rows`.
            viewers: int8 [n], the seat for which the end of a game is observed; None: the seat that moved.

        Returns:
            The rows whose games have ended, int64 [e].

        Raises:
            IllegalAction: an action is not legal; nothing has changed.
        """
        self.rows.require_legal(rows, actions)
        return self._apply(rows, actions, self.rows.seats.copy() if viewers is None else viewers)

    def _apply(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> np.ndarray:
        """`apply` of actions that are known to be legal."""
        if self.notes is not None:
            self.notes.add(self.rows.states, actions, rows)
        self.rows.advance_legal(rows, actions, viewers)
        ended = rows[self.rows.done[rows]]
        if len(ended):
            self.tell_end(ended)
        return ended

    def step(self, actions: np.ndarray) -> None:
        """Apply one decision in each game of a `Batch`, int [n], add it to the history, tell players how their games
        ended, and forget these games, which have restarted; IllegalAction as in `Batch.step`."""
        batch = self.rows
        assert isinstance(batch, Batch)
        if self.notes is not None:
            batch.require_legal(batch.all, actions)
            self.notes.add(batch.states, actions)
        batch.step(actions)
        if batch.done.any():
            self.tell_end(np.flatnonzero(batch.done))
            self.forget(batch.done)

    def tell_end(self, rows: np.ndarray) -> None:
        """Tell the players who want to hear it (`tell_end`) that the games in `rows` are over; results are the present
        `rewards`."""
        players = dict(self.players) if isinstance(self.players, Mapping) else dict(enumerate(self.players))
        hear = {number: player for number, player in players.items() if hasattr(player, "ended")}
        for row in rows.tolist() if hear else ():
            seated = {seat: hear[k] for seat, k in enumerate(self.seating[row].tolist()) if k in hear}
            tell_end(seated, self.rows.rewards[row], row, self.notes)

    def save(self) -> Saved:
        """Copy everything, for `restore`."""
        notes = None if self.notes is None else copy.deepcopy(self.notes)
        return Saved(self.rows.save(), [each.copy() for each in self._arrays()], notes)

    def restore(self, saved: Saved) -> None:
        """Put everything back to where it was at `save`, where this session took it; see `Rows.restore`."""
        for array, values in zip(self._arrays(), saved.arrays, strict=True):
            array[...] = values
        self.notes = copy.deepcopy(saved.notes)
        self.rows.restore(saved.rows, self._viewers())

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.seating, self.rng, self.memory

    def _viewers(self) -> np.ndarray:
        return np.zeros(self.rows.n, np.int8)


@kernel
def _draw_rows(
    streams: np.ndarray,
    rows: np.ndarray,
    num_seats: int,
    fixed: np.ndarray,
    seats: np.ndarray,
    rng: np.ndarray,
    seeds: np.ndarray,
) -> None:
    for k in range(len(rows)):
        i = rows[k]
        deals, luck = streams[i, 0:1], streams[i, 1:2]
        seat = uniform(deals, num_seats)
        seats[i] = seat if fixed[i] < 0 else fixed[i]
        seeds[k] = draw_seed(deals)
        rng[i, 0] = draw_seed(luck)


class SeatSession(Session):
    """Games in each of which one seat is asked from outside and players decide for the others.

    Args:
        rows: the games.
        players: who may sit in the other seats; `seating` has their indices, and its value for the outside seat is not
            read.
        history: as in `Session`.
    """

    def __init__(self, rows: Rows, players: Sequence[Player], history: int = 0):
        seating = np.zeros((rows.n, rows.game.num_players), np.int64)
        super().__init__(rows, players, seating, asking=answers_in_secret, history=history)
        self.seats = np.zeros(rows.n, np.int8)
        """The seat that is asked from outside, int8 [n]."""
        self.asked = np.zeros(rows.n, np.bool_)
        """Whether the seat has decided in the game, bool [n]."""
        self.idle = np.zeros(rows.n, np.int64)
        """Games in a row that have ended before the seat was asked, int64 [n]."""
        self.streams = np.zeros((rows.n, 2), np.uint64)
        """The random streams that `draw` draws from, uint64 [n, 2]: of the deals, and of what players draw from."""

    def seed(self, rows: np.ndarray, seeds: Sequence[int | np.uint64] | np.ndarray) -> None:
        """Start the streams of `rows`, int64 [k], from seeds, 0..2^64-1, k of them. Players cannot compute the deals
        from what they draw from."""
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            self.streams[row] = derived_seed(seed, "deals"), derived_seed(seed, "players")

    def draw(self, rows: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        """Draw what the next games of `rows`, int64 [k], begin from: the seat that is asked from outside, the players'
        random stream and the seed.

        Args:
            rows: the games.
            fixed: int64 [n], the seat of each row, or NOBODY for the one that is drawn. The other draws do not depend
                on it.

        Returns:
            The seeds, uint64 [k].
        """
        seeds = np.zeros(len(rows), np.uint64)
        _draw_rows(self.streams, rows, self.rows.game.num_players, fixed, self.seats, self.rng, seeds)
        return seeds

    def forget(self, rows: np.ndarray) -> None:
        """As in `Session`; nor has the seat decided there."""
        super().forget(rows)
        self.asked[rows] = False

    def decide(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Apply the decisions from outside, int64 [n] read at `rows`, int64 [k]; IllegalAction as in `apply`."""
        self.apply(rows, actions, self.seats)
        self.asked[rows] = True
        self.idle[rows] = 0

    def play_on(self, settle: Callable[[np.ndarray], None] | None = None) -> None:
        """Let the players decide until in each game the seat is asked or the game is over.

        Args:
            settle: called with the rows in which a player has decided, int64 [k]; it may begin games there.
                None: nothing begins.
        """
        seats, actions = self.rows.seats, np.zeros(self.rows.n, np.int64)
        while len(rows := ((seats != self.seats) & (seats != NOBODY)).nonzero()[0]):
            chosen = self.ask(rows, actions)
            if self.rows.n == 1:  # what the player answered was judged by a mask that it could not change
                self._apply(rows, chosen, self.seats)
            else:
                self.apply(rows, chosen, self.seats)
            if settle is not None:
                settle(rows)

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return *super()._arrays(), self.seats, self.asked, self.idle, self.streams

    def _viewers(self) -> np.ndarray:
        return self.seats


def one_game(
    game: Game,
    players: Sequence[Player] | Mapping[int, Player],
    states: np.ndarray,
    rng: np.ndarray | None = None,
    asking: Asking = answers,
) -> Session:
    """A session of one game, which begins from STATE [1]; `players` by seat, seats without one are asked from outside;
    the rest as in `Session`."""
    session = Session(Rows(game, 1, 0), players, np.arange(game.num_players)[None], rng, asking)
    session.begin(ROW, states=states)
    return session


def play(game: Game, states: np.ndarray, players: Sequence[Player], rng: np.ndarray) -> list[int]:
    """Plays one game to its end, `players[i]` in seat i.

    Args:
        game: what is played.
        states: STATE [1] to begin from.
        players: one a seat; the same one may sit in several seats.
        rng: uint64 [1, 1], the players' random stream, which is advanced.

    Returns:
        The actions, in order.

    Raises:
        PlayerFailed: a player answered what is not legal, or no action; the message names it.
    """
    session, actions = one_game(game, players, states, rng), []
    while session.rows.seats[0] != NOBODY:
        chosen = session.ask(ROW)
        session.apply(ROW, chosen)
        actions.append(int(chosen[0]))
    return actions
