"""Which of its games a player is asked about, and what it has not heard of yet: for players who are told, move by move.

A loop asks about rows of games (`DecisionBatch`), and another game may begin in a row. Players that keep something of
their own for each game need to know which is which. The notes tell: a game goes on if the decision that was asked for
last stands in them, as it was.
"""

from typing import NamedTuple

import numpy as np

from spygames.core.game import as_record
from spygames.core.notes import Notes
from spygames.core.player import DecisionBatch, PlayerFailed
from spygames.core.rng import uniform

NOTES = 1024
"""The decisions of a game that are told at once, at most: more than any game has between two of one seat."""


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
    """What the player of a seat knows of a game."""

    game: int
    noted: int
    """Decisions that were noted when it was asked last."""
    state: bytes
    """In which it was asked."""
    answer: int | PlayerFailed | None = None
    """What it said, or why it said nothing."""
    rng: np.uint64 = np.uint64(0)
    """The random stream after that."""
    told: bool = True
    """Whether somebody is there who has heard it all."""


class Following:
    """What one player has heard of the games that it plays."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], _Known] = {}
        self._games: dict[int, int] = {}

    def news(self, decisions: DecisionBatch, row: int) -> News:
        """What the seat to move in a row hears before it decides; ValueError where nobody takes notes."""
        d, seat = decisions, int(decisions.states["to_move"][row])
        if d.notes is None:
            raise ValueError("a player that is told of moves needs the notes of its games (`new_notes`)")
        known = self._going_on(d.notes, row, seat)
        game = self._games.get(seat, 0) + 1 if known is None else known.game
        self._games[seat] = max(game, self._games.get(seat, 0))
        count = int(d.notes.count[row])
        self._known[row, seat] = _Known(game, count, d.states[row].tobytes())
        return News(seat, game, known is None, _events(d.notes, row, seat, known.noted if known else 0))

    def answered(self, decisions: DecisionBatch, row: int, answer: int | PlayerFailed) -> None:
        """Keeps what the seat to move has answered, should it be asked again."""
        d, seat = decisions, int(decisions.states["to_move"][row])
        known = self._known.get((row, seat))
        if d.notes is not None and (known is None or known.noted != d.notes.count[row]):  # it failed before any news
            known = _Known(self._games.get(seat, 0), int(d.notes.count[row]), d.states[row].tobytes(), told=False)
        if known is not None:
            told = known.told and isinstance(answer, int)
            self._known[row, seat] = known._replace(answer=answer, rng=d.rng[row, 0], told=told)

    def answer(self, decisions: DecisionBatch, row: int) -> int | None:
        """What the seat to move has answered to this very decision; None if it has not been asked yet.

        Where a player fails in one game of several it is asked again for each of them. Each answer is the same then,
        and a failure is raised once more: a new beginning is not what was asked for.
        """
        d, place = decisions, (row, int(decisions.states["to_move"][row]))
        known = self._known.get(place)
        if known is None or known.answer is None or d.notes is None or known.noted != d.notes.count[row]:
            return None
        if d.states[row].tobytes() != known.state:
            return None
        if isinstance(known.answer, PlayerFailed):
            del self._known[place]
            raise known.answer
        d.rng[row] = known.rng
        return known.answer

    def ending(self, row: int, seat: int, notes: Notes | None) -> News | None:
        """What a seat hears when the game in a row is over; None if it has not been asked in that game."""
        known = None if notes is None else self._going_on(notes, row, seat)
        if known is None or notes is None:
            return None
        del self._known[row, seat]
        return News(seat, known.game, False, _events(notes, row, seat, known.noted))

    def begin_anew(self, seat: int) -> None:
        """Lets all games of a seat begin anew when it is asked next: who has heard of them is gone."""
        for key, known in self._known.items():
            if key[1] == seat:
                self._known[key] = known._replace(told=False)

    def _going_on(self, notes: Notes, row: int, seat: int) -> _Known | None:
        """What is known of the game in a row, None if another one is played there now."""
        known = self._known.get((row, seat))
        if known is None or not known.told or not known.noted < notes.count[row] <= known.noted + notes.size:
            return None
        asked = notes.states[row, known.noted % notes.size]
        return known if asked.tobytes() == known.state else None


def _events(notes: Notes, row: int, seat: int, since: int) -> list[str]:
    """What a seat has seen of the decisions from number `since` on."""
    count = int(notes.count[row])
    events = []
    for number in range(max(since, count - notes.size), count):
        place = number % notes.size
        s, action = as_record(notes.states[row], place), int(notes.actions[row, place])
        events.append(notes.game.seen_action(s, action, int(s.to_move), seat))
    return events


def draw_seed(rng: np.ndarray) -> int:
    """A seed from 0 to 2^32 - 1, of a random stream, uint64 [1], which is advanced."""
    return int(uniform(rng, 1 << 32))
