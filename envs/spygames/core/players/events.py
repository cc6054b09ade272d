"""Track which game each row plays and which events a player has not yet received.

This serves players that receive a game move by move, such as programs and Python classes.
"""

from typing import NamedTuple

import numpy as np

from spygames.core.game import rng as streams
from spygames.core.game.padding import to_fields
from spygames.core.players.history import Notes
from spygames.core.players.player import DecisionBatch, PlayerFailed

NOTES = 1024
"""Maximum number of decisions reported at once: more than any game has between two decisions of one seat."""


class News(NamedTuple):
    """The events that a seat receives before it decides, or when its game is over."""

    seat: int
    game: int
    """Number of the game among the games of this seat, from 1."""
    begins: bool
    """Whether the seat has not yet received any news of this game."""
    events: list[str]
    """What the seat has seen happen since its last news, oldest first (`Game.seen_action`, or `Game.happened`)."""


class _Known(NamedTuple):
    """The last decision of a seat in the game of a row, and the answer of its player."""

    decision: tuple[int, int]
    """Its last decision: the number of the game (`DecisionBatch.games`) and the number of earlier decisions in it."""
    number: int
    """Number of the game among the games of the seat, from 1."""
    answer: int | PlayerFailed | None = None
    """Its answer, or its failure."""
    rng: np.uint64 = np.uint64(0)
    """The random stream after the answer."""
    received: bool = True
    """Whether the current process or object of the player has received all events."""
    before: "_Known | None" = None
    """The entry before it, as long as the decision has no answer."""
    state: bytes = b""
    """The position of the decision (`to_fields`), by which `ending` recognizes the game."""


class Following:
    """The events that one player has received, and its last answers, in each of its games.

    Methods with a DecisionBatch raise ValueError if it has no `notes` or no `games`.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], _Known] = {}  # by row and seat
        self._games: dict[int, int] = {}  # by seat

    def news(self, d: DecisionBatch, row: int, effects: bool = False) -> News:
        """Return the news for the seat to move in a row, before it decides.

        Args:
            d: the decisions.
            row: the row of the game.
            effects: whether events include the effects that the seat saw (`Game.happened`).
        """
        (seat, before), (notes, decision) = self._of(d, row), _decision(d, row)
        known = before
        begins = known is None or not known.received or known.decision[0] != decision[0]
        if known is None or begins:
            self._games[seat] = self._games.get(seat, 0) + 1
            known = _Known((0, 0), self._games[seat])
        earlier = None if before is None else before._replace(before=None)
        state = to_fields(d.states[row : row + 1]).tobytes()
        self._known[row, seat] = _Known(decision, known.number, before=earlier, state=state)
        return News(seat, known.number, begins, notes.seen(row, seat, known.decision[1], effects))

    def answered(self, d: DecisionBatch, row: int, answer: int | PlayerFailed) -> None:
        """Keep the answer of the seat to move, in case the same decision is requested again."""
        (seat, known), (_, decision) = self._of(d, row), _decision(d, row)
        if known is None or known.decision != decision:  # the player failed before it received any news
            known = _Known(decision, 0, received=False)
        received = known.received and isinstance(answer, int)
        self._known[row, seat] = known._replace(answer=answer, rng=d.rng[row, 0], received=received, before=None)

    def take_back(self, d: DecisionBatch, row: int) -> None:
        """Report the latest news of the seat to move again at its next decision: they have not reached the player."""
        seat, known = self._of(d, row)
        if known is not None and known.before is not None:
            self._known[row, seat] = known.before
        else:
            self._known.pop((row, seat), None)

    def answer(self, d: DecisionBatch, row: int) -> int | None:
        """Return the earlier answer of the seat to move to the same decision; None if there is none.

        When a player fails in one of several games, the caller may ask it again for all of them. Stored answers keep
        the other games unchanged then. A stored failure is raised again, once, so that the failed game does not start
        over.
        """
        (seat, known), (_, decision) = self._of(d, row), _decision(d, row)
        if known is None or known.answer is None or known.decision != decision:
            return None
        if isinstance(known.answer, PlayerFailed):
            del self._known[row, seat]
            raise known.answer
        d.rng[row] = known.rng
        return known.answer

    def ending(self, row: int, seat: int, notes: Notes | None, effects: bool = False) -> News | None:
        """Return the news for a seat when the game in a row is over; None if the seat was not asked in that game."""
        known = self._known.pop((row, seat), None)
        if known is None or notes is None or not known.received:
            return None
        since, count = known.decision[1], int(notes.count[row])
        place = since % notes.size
        is_kept = count - since <= notes.size
        if since >= count or (is_kept and to_fields(notes.states[row, place : place + 1]).tobytes() != known.state):
            return None  # the entry belongs to an earlier game, which was broken off
        return News(seat, known.number, False, notes.seen(row, seat, since, effects))

    def restart(self, seat: int) -> None:
        """Report all games of a seat from the beginning at its next decision, because its process has ended."""
        for key, known in self._known.items():
            if key[1] == seat:
                self._known[key] = known._replace(received=False)

    def _of(self, d: DecisionBatch, row: int) -> tuple[int, _Known | None]:
        seat = int(d.states["to_move"][row])
        return seat, self._known.get((row, seat))


def _decision(d: DecisionBatch, row: int) -> tuple[Notes, tuple[int, int]]:
    """Return the notes, the number of the game in a row, and the number of its decisions so far."""
    if d.notes is None or d.games is None:
        raise ValueError("a player that receives moves needs `notes` (see `new_notes`) and `games` in DecisionBatch")
    return d.notes, (int(d.games[row]), int(d.notes.count[row]))


def draw_seed(rng: np.ndarray) -> int:
    """Draw a seed, 0..2^32-1, from a random stream, uint64 [1]. The stream is advanced.

    The seed is a part of a one-way hash, so that it does not reveal the stream. Other players of the game use the same
    stream, and it may follow from the seed of the deals.
    """
    return int(streams.derived_seed(streams.draw_seed(rng), "player")) >> 32
