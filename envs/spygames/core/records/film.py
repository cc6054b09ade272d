"""A recorded game as pictures, one after the other: what a viewer sees, what happened, what a player thinks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import Picture, picture
from spygames.core.players.player import DecisionBatch
from spygames.core.playing.session import ROW, one_game
from spygames.core.records.record import GameRecord, game_of, replay
from spygames.core.svg.annotations import Advice
from spygames.core.svg.colours import Theme

__all__ = ["Adviser", "Film", "Scene"]

_LOG = 8  # moves that a picture tells of


@runtime_checkable
class Adviser(Protocol):
    """A player that says what it thinks. Attributes `memory_size` and `notes_size` ask for `DecisionBatch.memory` and
    `DecisionBatch.notes`, as those of a `Player` do."""

    name: str
    """What the film calls it."""

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice]:
        """What it thinks of each of `decisions.rows`, from the view and the mask of the seat to move."""
        ...


@dataclass(frozen=True)
class Scene:
    """One position of a film."""

    picture: Picture
    """The position, drawn as the viewer may know it."""
    move: str
    """What the viewer saw happen just before; empty at the start."""
    advice: Advice | None
    """What the adviser thinks, where the viewer is to move or sees everything."""
    seat: int
    """Who is to move; NOBODY at the end."""


class Film:
    """A recorded game, position by position.

    Advice of a decision is from the view of the seat that decides. Others do not get to see it, since what a player
    would do tells what it holds; a viewer who sees everything gets it at each decision.

    Args:
        game_record: what was recorded.
        game: what it is played with; None: what the record names (`replay`).
        adviser: who is asked about each decision.

    RecordError if the record does not fit.
    """

    def __init__(self, game_record: GameRecord, game: Game | None = None, adviser: Adviser | None = None):
        self.record, self.game, self.adviser = game_record, game or game_of(game_record), adviser
        self.states = replay(game_record, self.game)
        """STATE [actions + 1]"""
        asked: Any = [] if adviser is None else [adviser]  # a player as far as memory and notes go
        self._session = one_game(self.game, asked, self.states[:1])
        self._advice: dict[int, Advice | None] = {}

    def __len__(self) -> int:
        return len(self.states)

    @property
    def in_order(self) -> bool:
        """Whether the adviser remembers, so that it is asked about one position after the other."""
        return self._session.memory.shape[2] > 0 or self._session.notes is not None

    def scene(self, position: int, viewer: int = NOBODY, *, draw_advice: bool = True, theme: Theme = "dark") -> Scene:
        """One position as a viewer sees it.

        Args:
            position: 0 for the start, and as many as there were moves for the end.
            viewer: the seat that looks; NOBODY sees everything.
            draw_advice: whether the picture shows the advice, too.
            theme: "dark" or "light".

        Raises:
            ValueError: no such position, seat or theme.
        """
        if not 0 <= position < len(self):
            raise ValueError(f"the game has positions 0 to {len(self) - 1}, not {shown(position)}")
        if not NOBODY <= viewer < self.game.num_players:
            raise ValueError(f"{self.game.id} has seats 0 to {self.game.num_players - 1}, not {shown(viewer)}")
        game, s = self.game, self._state(position)
        log = [self.move(number, viewer) for number in range(position, max(0, position - _LOG), -1)]
        before = game.seen_to_dict(self._state(position - 1), viewer) if position else None
        advice = self.advice(position) if viewer in (NOBODY, s.to_move) else None
        drawn = advice if draw_advice else None
        names = self.record.players
        drawn_picture = picture(game, s, viewer, before=before, log=log, names=names, advice=drawn, theme=theme)
        return Scene(drawn_picture, log[0] if log else "", advice, int(s.to_move))

    def _state(self, position: int) -> Record:
        return as_record(self.states, position)

    def text(self, position: int, viewer: int = NOBODY) -> str:
        """One position as text (`Game.to_text`)."""
        return self.game.to_text(self._state(position), viewer)

    def move(self, number: int, viewer: int = NOBODY) -> str:
        """What a viewer saw of a move, counted from 1: the one that leads to the position of that number."""
        s = self._state(number - 1)
        seat = int(s.to_move)
        action = self.game.string_to_action(s, self.record.actions[number - 1], seat)
        return self.game.seen_action(s, action, seat, viewer)

    def advice(self, position: int) -> Advice | None:
        """What the adviser thinks of a position; None at the end, and without an adviser.

        Each is asked for once. One that remembers is asked in order, so that the first late position takes longest.
        """
        if self.adviser is None:
            return None
        for each in range(len(self._advice), position + 1) if self.in_order else (position,):
            if each not in self._advice:
                self._advice[each] = self._ask(self.adviser, each)
        return self._advice[position]

    def _ask(self, adviser: Adviser, position: int) -> Advice | None:
        session, s = self._session, self._state(position)
        if s.to_move == NOBODY:
            return None
        if not self.in_order:
            session.begin(ROW, states=self.states[position : position + 1])
        session.rng[:] = 1
        advice = adviser.advise(session.decisions(ROW))[0]
        if self.in_order:
            action = self.game.string_to_action(s, self.record.actions[position], int(s.to_move))
            session.apply(ROW, np.array([action]))
        return advice
