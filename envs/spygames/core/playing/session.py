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
from spygames.core.playing.courses import Courses, SavedCourses
from spygames.core.playing.rows import Rows, SavedRows, as_actions, first_illegal

__all__ = ["ROW", "SeatSession", "Session", "answers", "answers_in_secret", "one_game", "play"]

ROW = np.zeros(1, np.int64)
"""The argument `rows` in a session of one game: row 0."""

Asking = Callable[[Player, DecisionBatch], np.ndarray]
"""A function that asks a player and returns a legal action for each of the rows, int64 [k]."""


def answers(player: Player, decisions: DecisionBatch, *, secret: bool = False) -> np.ndarray:
    """Ask `player` for its actions and check them. All calls of `Player.act` go through this function.

    Args:
        player: the player to ask.
        decisions: the decisions to take.
        secret: whether errors leave out the answer and the legal actions. Use it if the error's reader plays against
            this player.

    Returns:
        A legal action for each of `decisions.rows`, int64 [k].

    Raises:
        PlayerFailed: the answer is not an array of this shape, or an action is illegal. Exceptions of `player.act` are
            passed on.
    """
    d = decisions
    allowed = d.mask[d.rows]  # a copy, so that the player cannot change the mask that it is checked against
    try:
        answer = player.act(d)
    except PlayerFailed as failed:
        if secret and failed.detail:
            raise type(failed)(failed.player, failed.seat, failed.rows, failed.what) from None
        raise
    try:
        actions = np.asarray(answer)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, for example
        actions = np.empty(0, object)
    if actions.dtype.kind not in "iu" or actions.shape != (len(allowed),):
        raise PlayerFailed(
            name_of(player),
            NOBODY,
            d.rows.tolist(),
            f"must answer {len(allowed)} actions, int64 [{len(allowed)}]"
            f"{', one for each decision' if secret else f', not {shown(answer)}'}",
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
    """Like `answers`, with `secret=True`."""
    return answers(player, decisions, secret=True)


class Saved(NamedTuple):
    """Copies of a session's data, made by `Session.save`."""

    rows: SavedRows
    arrays: list[np.ndarray]
    notes: Notes | None
    courses: SavedCourses | None


class Session:
    """Running games with players in the seats.

    A loop calls `begin`, then `ask` and `apply` until the games are over. If the number of a seat in `seating` is not
    among the players, the caller plays this seat and passes its actions to `apply`.

    Example:
        >>> import numpy as np
        >>> from spygames import NOBODY, Rows, make_game
        >>> from spygames.players import Session, as_players
        >>> game = make_game("agent_avenue_v0")
        >>> players, seating = as_players(game, ["greedy", "random"]), np.array([[0, 1], [1, 0]])
        >>> session = Session(Rows(game, 2, seed=1), players, seating)
        >>> running = session.rows.all
        >>> while len(running):
        ...     ended = session.apply(running, session.ask(running))
        ...     running = np.setdiff1d(running, ended)
        >>> session.rows.rewards.sum(1)  # of each game
        array([0., 0.], dtype=float32)

    Args:
        rows: the games; a `Batch` for games that restart automatically (`step`).
        players: the players by their numbers in `seating`. One player may sit in several seats.
        seating: int [n, P], the number of the player in each seat; kept and read at each call.
        rng: uint64 [n, 1], the players' random streams, one per game; kept and advanced in place. None: zeros.
        asking: the function that asks a player, `answers` or a similar one.
        history: minimum number of decisions of each game to keep, even if no player wants that many.
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
        """float32 [n, P, M], the memory of each seat's player in its current game"""
        self.notes = new_notes(rows.game, everyone, rows.n, history)
        """The decisions of each current game; None: no player wants them."""
        self.courses: Courses | None = None
        """What `history` of an environment needs of the current games; None: it is not kept."""

    def begin(self, rows: np.ndarray, seeds: np.ndarray | None = None, states: np.ndarray | None = None) -> None:
        """Begin new games in `rows` (see `Rows.begin`), with empty memory and history."""
        self.rows.begin(rows, seeds, states)
        self.forget(rows)
        if self.courses is not None:
            self.courses.begin(rows, self.rows.arrays.memory)

    def forget(self, rows: np.ndarray) -> None:
        """Clear the memory and history of `rows`, int64 [k] or bool [n], in which new games have begun."""
        self.memory[rows] = 0
        if self.notes is not None:
            self.notes.clear(rows)

    def decisions(self, rows: np.ndarray) -> DecisionBatch:
        """Return the decisions that are due in `rows`, int64 [k].

        A session of one game returns copies, which players may keep or change, except for the random stream, memory
        and history. A session of several games returns its own arrays.
        """
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
            PlayerFailed: a player gave no legal action; the message names the player. Other exceptions of a player are
                passed on. Random streams and memory may have changed then.
            ValueError: no player sits in a seat to move, or a game is over. No player has been asked then.
        """
        actions = np.zeros(self.rows.n, np.int64) if actions is None else actions
        numbers = self.seating[rows, self.rows.seats[rows]]
        due = numbers.tolist() if len(numbers) == 1 else np.unique(numbers).tolist()
        known = self.players if isinstance(self.players, Mapping) else range(len(self.players))
        if wrong := [number for number in due if number not in known]:
            row = rows[numbers == wrong[0]][0]
            raise ValueError(f"no player sits in the seat to move, {self.rows.seats[row]}, of game {row}")
        for number in due:
            asked = rows[numbers == number]
            actions[asked] = self.asking(self.players[number], self.decisions(asked))
        return actions

    def apply(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray | None = None) -> np.ndarray:
        """Apply one decision in each of `rows`, add it to the history, and tell players how their games ended.

        Args:
            rows: int64 [k], the games.
            actions: int [n], read at `rows`.
            viewers: int8 [n], the seat that observes the end of a finished game; None: the seat that moved.

        Returns:
            The rows whose games have ended, int64 [e].

        Raises:
            IllegalAction: an action is not legal, or `actions` have another shape or type. Nothing has changed then.
            ValueError: `rows` are not rows, or `viewers` not seats. Nothing has changed then.
        """
        games = self.rows
        rows, actions = games.checked(rows), as_actions(actions, games.n)
        viewers = games.seats.copy() if viewers is None else games.checked_viewers(rows, viewers)
        games.require_legal(rows, actions)
        return self._apply(rows, actions, viewers)

    def _apply(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> np.ndarray:
        """Like `apply`, without the checks; arguments as in `Rows.advance_legal`."""
        if self.notes is not None:
            self.notes.add(self.rows.states, actions, rows)
        if self.courses is not None:
            self.courses.add(rows, actions)
        self.rows.advance_legal(rows, actions, viewers)
        ended = rows[self.rows.done[rows]]
        if len(ended):
            self.tell_end(ended)
        return ended

    def step(self, actions: np.ndarray) -> None:
        """Apply one decision in each game of a `Batch`, and add it to the history.

        Players are told how their games ended. The memory and history of finished games, which have restarted, are
        cleared.

        Args:
            actions: int [n].

        Raises:
            IllegalAction: an action is not legal. Nothing has changed then.
        """
        batch = self.rows
        assert isinstance(batch, Batch)
        actions = as_actions(actions, batch.n)
        if self.notes is not None:
            batch.require_legal(batch.all, actions)
            self.notes.add(batch.states, actions)
        batch.step(actions)
        if batch.done.any():
            self.tell_end(np.flatnonzero(batch.done))
            self.forget(batch.done)

    def tell_end(self, rows: np.ndarray) -> None:
        """Tell the players with an `ended` method that the games in `rows`, int64 [k], are over.

        The results are the current `rewards`.
        """
        players = dict(self.players) if isinstance(self.players, Mapping) else dict(enumerate(self.players))
        listeners = {number: player for number, player in players.items() if hasattr(player, "ended")}
        for row in rows.tolist() if listeners else ():
            seated = {seat: listeners[k] for seat, k in enumerate(self.seating[row].tolist()) if k in listeners}
            tell_end(seated, self.rows.rewards[row], row, self.notes)

    def save(self) -> Saved:
        """Return a copy of the session's data, for `restore`."""
        notes = None if self.notes is None else copy.deepcopy(self.notes)
        courses = None if self.courses is None else self.courses.save()
        return Saved(self.rows.save(), [each.copy() for each in self._arrays()], notes, courses)

    def restore(self, saved: Saved) -> None:
        """Reset this session to data that it has saved; see `Rows.restore`."""
        for array, values in zip(self._arrays(), saved.arrays, strict=True):
            array[...] = values
        self.notes = copy.deepcopy(saved.notes)
        if self.courses is not None and saved.courses is not None:
            self.courses.restore(saved.courses)
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
    """Games in which the caller plays one seat each and players take the other seats.

    Example:
        >>> import numpy as np
        >>> from spygames import Rows, make_game
        >>> from spygames.players import SeatSession, as_players
        >>> game = make_game("agent_avenue_v0")
        >>> session = SeatSession(Rows(game, 1, seed=1), as_players(game, "greedy"))
        >>> rows, session.seats[0] = session.rows.all, 1  # the caller plays seat 1
        >>> session.play_on()  # until seat 1 is to move
        >>> session.decide(rows, session.rows.mask.argmax(1))
        >>> session.play_on()
        >>> session.rows.seats
        array([1], dtype=int8)

    Args:
        rows: the games.
        players: the players of the other seats. `seating` has their indices; its value for the caller's seat is not
            read.
        history: as in `Session`.
    """

    def __init__(self, rows: Rows, players: Sequence[Player], history: int = 0):
        seating = np.zeros((rows.n, rows.game.num_players), np.int64)
        super().__init__(rows, players, seating, asking=answers_in_secret, history=history)
        self.seats = np.zeros(rows.n, np.int8)
        """int8 [n], the caller's seat in each game"""
        self.asked = np.zeros(rows.n, np.bool_)
        """bool [n], whether the caller's seat has decided in the current game"""
        self.idle = np.zeros(rows.n, np.int64)
        """int64 [n], number of successive games that have ended before the caller's seat was to move"""
        self.streams = np.zeros((rows.n, 2), np.uint64)
        """uint64 [n, 2], the random streams of `draw`: one for the deals, one for the seeds of the players' streams"""

    def seed(self, rows: np.ndarray, seeds: Sequence[int | np.uint64] | np.ndarray) -> None:
        """Seed the random streams of `rows`. Players cannot compute the deals from their own random streams.

        Args:
            rows: int64 [k], the games.
            seeds: k seeds, 0..2^64-1.
        """
        for row, seed in zip(rows.tolist(), seeds, strict=True):
            self.streams[row] = derived_seed(seed, "deals"), derived_seed(seed, "players")

    def draw(self, rows: np.ndarray, fixed: np.ndarray) -> np.ndarray:
        """Draw the caller's seat, the players' random stream and the seed of the next games of `rows`.

        Args:
            rows: int64 [k], the games.
            fixed: int64 [n], the caller's seat in each row; NOBODY: it is drawn. The other draws do not depend on it.

        Returns:
            The seeds, uint64 [k].
        """
        seeds = np.zeros(len(rows), np.uint64)
        _draw_rows(self.streams, rows, self.rows.game.num_players, fixed, self.seats, self.rng, seeds)
        return seeds

    def forget(self, rows: np.ndarray) -> None:
        """Clear memory, history and `asked` of `rows`, int64 [k] or bool [n]."""
        super().forget(rows)
        self.asked[rows] = False

    def decide(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Apply the caller's decisions.

        Args:
            rows: int64 [k], the games.
            actions: int [n], read at `rows`.

        Raises:
            IllegalAction, ValueError: as in `apply`, or another seat than the caller's is to move. Nothing has changed
                then.
        """
        games = self.rows
        rows, actions = games.checked(rows), as_actions(actions, games.n)
        games.checked_viewers(rows, self.seats)
        if (early := rows[(games.seats[rows] != self.seats[rows]) & ~games.done[rows]]).size:
            i = early[0]
            raise ValueError(
                f"seat {games.seats[i]} is to move in game {i}, not the caller's seat {self.seats[i]}: call play_on"
            )
        self._decide(rows, actions)

    def _decide(self, rows: np.ndarray, actions: np.ndarray) -> None:
        """Like `decide`, with only the check that the actions are legal."""
        self.rows.require_legal(rows, actions)
        self._apply(rows, actions, self.seats)
        self.asked[rows] = True
        self.idle[rows] = 0

    def play_on(self, settle: Callable[[np.ndarray], None] | None = None) -> None:
        """Let the players decide until in each game the caller's seat is to move or the game is over.

        Args:
            settle: called after each round with the rows in which a player has decided, int64 [k]. It may begin new
                games there.
        """
        seats, actions = self.rows.seats, np.zeros(self.rows.n, np.int64)
        while len(rows := ((seats != self.seats) & (seats != NOBODY)).nonzero()[0]):
            chosen = self.ask(rows, actions)
            if self.rows.n > 1:  # otherwise `ask` has checked the answer against a mask that the player cannot change
                self.rows.require_legal(rows, chosen)
            self._apply(rows, chosen, self.seats)
            if settle is not None:
                settle(rows)

    def _arrays(self) -> tuple[np.ndarray, ...]:
        return *super()._arrays(), self.seats, self.asked, self.idle, self.streams

    def _viewers(self) -> np.ndarray:
        return np.maximum(self.seats, 0)  # before its first game a seat may be NOBODY


def one_game(
    game: Game,
    players: Sequence[Player] | Mapping[int, Player],
    states: np.ndarray,
    rng: np.ndarray | None = None,
    asking: Asking = answers,
) -> Session:
    """Return a session of one game, which begins from `states`, STATE [1].

    `players` are by seat; the caller plays the seats without one. The other arguments are those of `Session`.
    """
    session = Session(Rows(game, 1, 0), players, np.arange(game.num_players)[None], rng, asking)
    session.begin(ROW, states=states)
    return session


def play(
    game: Game, states: np.ndarray, players: Sequence[Player], rng: np.ndarray, actions: list[int] | None = None
) -> list[int]:
    """Play one game to its end, with `players[i]` in seat i.

    Args:
        game: the game to play.
        states: STATE [1], the position to begin from.
        players: one per seat; the same player may sit in several seats.
        rng: uint64 [1, 1], the players' random stream, which is advanced.
        actions: a list that gets the actions, so that those before a failure are known.

    Returns:
        The actions, in order.

    Raises:
        PlayerFailed: a player gave no legal action; the message names the player.
    """
    session, actions = one_game(game, players, states, rng), [] if actions is None else actions
    while session.rows.seats[0] != NOBODY:
        chosen = session.ask(ROW)
        session.apply(ROW, chosen)
        actions.append(int(chosen[0]))
    return actions
