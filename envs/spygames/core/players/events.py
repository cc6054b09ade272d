"""Which game a player is asked about, and what it has not heard of yet: for players that are told, move by move."""

from typing import NamedTuple

import numpy as np

from spygames.core.game.rng import uniform
from spygames.core.players.history import Notes
from spygames.core.players.player import DecisionBatch, PlayerFailed

NOTES = 1024
"""Maximum number of decisions of a game that are told at once: more than any game has between two of one seat."""


class News(NamedTuple):
    """What a seat hears before it decides, or when its game is over."""

    seat: int
    game: int
    """The number of the game, from 1, of those of this seat."""
    begins: bool
    """Whether it is the first that the seat hears of the game."""
    events: list[str]
    """What the seat has seen happen since it last heard, oldest first (`Game.seen_action`)."""


class _Known(NamedTuple):
    """What the player of a seat knows of the game in a row."""

    decision: tuple[int, int]
    """The last one it was asked for: the number of its game (`DecisionBatch.games`), and the decisions before it."""
    number: int
    """The number of the game, from 1, of those of the seat."""
    answer: int | PlayerFailed | None = None
    """What it answered, or why it did not."""
    rng: np.uint64 = np.uint64(0)
    """The random stream after that."""
    told: bool = True
    """Whether somebody is there who has heard it all."""


class Following:
    """What one player has heard of the games that it plays. ValueError where its decisions lack notes or games."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], _Known] = {}  # by row and seat
        self._games: dict[int, int] = {}  # by seat

    def news(self, d: DecisionBatch, row: int) -> News:
        """What the seat to move in a row hears before it decides."""
        (seat, known), (notes, decision) = self._of(d, row), _decision(d, row)
        begins = known is None or not known.told or known.decision[0] != decision[0]
        if known is None or begins:
            self._games[seat] = self._games.get(seat, 0) + 1
            known = _Known((0, 0), self._games[seat])
        self._known[row, seat] = _Known(decision, known.number)
        return News(seat, known.number, begins, notes.seen(row, seat, known.decision[1]))

    def answered(self, d: DecisionBatch, row: int, answer: int | PlayerFailed) -> None:
        """Keeps what the seat to move has answered, should it be asked again."""
        (seat, known), (_, decision) = self._of(d, row), _decision(d, row)
        if known is None or known.decision != decision:  # it failed before any news
            known = _Known(decision, 0, told=False)
        told = known.told and isinstance(answer, int)
        self._known[row, seat] = known._replace(answer=answer, rng=d.rng[row, 0], told=told)

    def answer(self, d: DecisionBatch, row: int) -> int | None:
        """What the seat to move has answered to this very decision; None if it has not been asked yet.

        Where a player fails in one game of several it is asked again for each of them. Each answer is the same then,
        and a failure is raised once more: a new beginning is not what was asked for.
        """
        (seat, known), (_, decision) = self._of(d, row), _decision(d, row)
        if known is None or known.answer is None or known.decision != decision:
            return None
        if isinstance(known.answer, PlayerFailed):
            del self._known[row, seat]
            raise known.answer
        d.rng[row] = known.rng
        return known.answer

    def ending(self, row: int, seat: int, notes: Notes | None) -> News | None:
        """What a seat hears when the game in a row is over; None if it has not been asked in that game."""
        known = self._known.pop((row, seat), None)
        if known is None or notes is None or not known.told:
            return None
        since = known.decision[1]
        if since >= notes.count[row] or notes.states["to_move"][row, since % notes.size] != seat:
            return None  # what is known is of an earlier game, which was broken off
        return News(seat, known.number, False, notes.seen(row, seat, since))

    def begin_anew(self, seat: int) -> None:
        """Lets all games of a seat begin anew when it is asked next: who has heard of them is gone."""
        for key, known in self._known.items():
            if key[1] == seat:
                self._known[key] = known._replace(told=False)

    def _of(self, d: DecisionBatch, row: int) -> tuple[int, _Known | None]:
        seat = int(d.states["to_move"][row])
        return seat, self._known.get((row, seat))


def _decision(d: DecisionBatch, row: int) -> tuple[Notes, tuple[int, int]]:
    """The notes, and which decision of which game is asked for in a row."""
    if d.notes is None or d.games is None:
        raise ValueError("a player that is told of moves needs the notes (`new_notes`) and `games` of its decisions")
    return d.notes, (int(d.games[row]), int(d.notes.count[row]))


def draw_seed(rng: np.ndarray) -> int:
    """A seed from 0 to 2^32 - 1, of a random stream, uint64 [1], which is advanced."""
    return int(uniform(rng, 1 << 32))
