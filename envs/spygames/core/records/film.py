"""A recorded game as a series of pictures: what a viewer sees, the moves, and the analysis of a player."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import is_whole
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.beside import beside
from spygames.core.pictures.picture import Picture, picture
from spygames.core.players.player import DecisionBatch
from spygames.core.playing.session import ROW, one_game
from spygames.core.records.record import GameRecord, RecordError, game_of, replay
from spygames.core.svg.annotations import Advice
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import Size

__all__ = ["Adviser", "Film", "Said", "Scene"]

_LOG = 8  # number of moves listed in a picture


@runtime_checkable
class Adviser(Protocol):
    """A player that can explain its decisions, such as a `SearchPlayer` or a policy's player.

    The optional attributes `memory_size` and `notes_size` are those of a `Player`.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import make_player
        >>> from spygames.records import Adviser, Film, play_record
        >>> game = make_game("agent_avenue_v0")
        >>> search = make_player(game, "mcts:20")
        >>> isinstance(search, Adviser)
        True
        >>> film = Film(play_record(game, ["greedy", "random"], seed=1), adviser=search)
        >>> film.advice(position=0).title
        'What mcts:20 would do'
    """

    name: str
    """The name in the film."""

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice]:
        """Return the player's analysis of each of `decisions.rows`, from the view of the seat to move."""
        ...


@dataclass(frozen=True)
class Said:
    """What a language model said at one decision.

    Example:
        >>> from spygames.records import Said
        >>> said = Said("llm:m", (("unparseable", "Hm."), ("ok", '[recruit up]')))
        >>> said.paragraphs
        [('1: unparseable', 'Hm.'), ('2: ok', '[recruit up]')]
    """

    player: str
    """The name of the player."""
    answers: tuple[tuple[str, str], ...]
    """Each answer in order: its verdict (`Verdict`) and its text. A request without an answer has the verdict
    "failure", and the reason as its text."""

    @property
    def title(self) -> str:
        """The heading above what was said: the player without the URL and settings of a language model."""
        return f"What {re.split('@https?://|,mode=', self.player)[0]} said"

    @property
    def paragraphs(self) -> list[tuple[str, str]]:
        """The answers with headings. A single answer that named a legal action has none."""
        if [verdict for verdict, _ in self.answers] == ["ok"]:
            return [("", self.answers[0][1])]
        return [(f"{number}: {verdict}", text) for number, (verdict, text) in enumerate(self.answers, 1)]


@dataclass(frozen=True)
class Scene:
    """One position of a film.

    Example:
        >>> from spygames import make_game
        >>> from spygames.records import Film, play_record
        >>> film = Film(play_record(make_game("agent_avenue_v0"), ["greedy", "random"], seed=1))
        >>> scene = film.scene(position=1, viewer=1)
        >>> scene.move, scene.seat
        ('player_0 offers codebreaker face up and a card face down', 1)
    """

    picture: Picture
    """The position as the viewer may see it."""
    move: str
    """The last move as the viewer saw it; "" at the start."""
    advice: Advice | None
    """The adviser's analysis; None unless the viewer is to move or sees everything."""
    seat: int
    """The seat to move; NOBODY at the end."""
    said: Said | None = None
    """What the player to move said about its decision; None unless the viewer is to move or sees everything."""


class Film:
    """A recorded game, position by position.

    Advice is computed from the view of the seat that decides. Only that seat and a viewer who sees everything get it,
    because it reveals what the seat holds. The same holds for what a language model said.

    Example:
        >>> from spygames import make_game
        >>> from spygames.records import Film, play_record
        >>> record = play_record(make_game("agent_avenue_v0"), ["greedy", "random"], seed=1)
        >>> film = Film(record)
        >>> film.move(1, viewer=1)
        'player_0 offers codebreaker face up and a card face down'
        >>> film.scene(position=1, viewer=1).picture.save("position.svg")

    Args:
        game_record: the record.
        game: the game to replay it with; None: the game that the record names (see `replay`).
        adviser: the player that analyzes each decision.
        said: what language models said, by position (`load_said`). Pictures have a panel for it.

    Raises:
        RecordError: the record does not fit the game, or `said` does not fit the record.
    """

    def __init__(
        self,
        game_record: GameRecord,
        game: Game | None = None,
        adviser: Adviser | None = None,
        said: Mapping[int, Said] | None = None,
    ):
        self.record, self.game, self.adviser = game_record, game or game_of(game_record), adviser
        self.said = dict(said or {})
        self.states = replay(game_record, self.game)
        """STATE [actions + 1]"""
        for position in self.said:
            if not 0 <= position < len(self.states) or self.states["to_move"][position] == NOBODY:
                raise RecordError(f"something is said at position {position}, where no seat decides")
        asked: Any = [] if adviser is None else [adviser]  # only its `memory_size` and `notes_size` are read
        self._session = one_game(self.game, asked, self.states[:1])
        self._advice: dict[int, Advice | None] = {}

    def __len__(self) -> int:
        return len(self.states)

    @property
    def in_order(self) -> bool:
        """Whether the adviser must see all positions in order, because it keeps a memory or a history."""
        return self._session.memory.shape[2] > 0 or self._session.notes is not None

    def scene(
        self,
        position: int,
        viewer: int = NOBODY,
        *,
        draw_advice: bool = True,
        theme: Theme = "dark",
        size: Size = "full",
    ) -> Scene:
        """Return one position as a viewer sees it.

        Args:
            position: number of moves before the position, 0 for the start.
            viewer: a seat; NOBODY sees everything.
            draw_advice: whether the picture also shows the advice, and what was said beside it.
            theme: "dark", "light", or "auto" for SVG that follows the `color-scheme` of its page.
            size: "full", "portrait" or "compact".

        Raises:
            ValueError: `position` or `viewer` is out of its range, or `theme` or `size` is invalid.
        """
        game, s = self.game, self._state(position)
        if not is_whole(viewer) or not NOBODY <= viewer < self.game.num_players:
            seats = self.game.num_players - 1
            raise ValueError(f"viewer must be a seat 0..{seats} or {NOBODY} (everything), not {shown(viewer)}")
        log = [self.move(number, viewer) for number in range(position, max(0, position - _LOG), -1)]
        before = game.seen_to_dict(self._state(position - 1), viewer) if position else None
        may_know = viewer in (NOBODY, s.to_move)
        advice, said = (self.advice(position), self.said.get(position)) if may_know else (None, None)
        drawn = advice if draw_advice else None
        names = self.record.players
        drawn_picture = picture(
            game, s, viewer, before=before, log=log, names=names, advice=drawn, theme=theme, size=size
        )
        if self.said and draw_advice:
            text = (said.title, said.paragraphs) if said else ("", [])
            drawn_picture = beside(drawn_picture, *text, theme=theme)
        return Scene(drawn_picture, log[0] if log else "", advice, int(s.to_move), said)

    def _state(self, position: int) -> Record:
        if not is_whole(position) or not 0 <= position < len(self):
            raise ValueError(f"position must be 0..{len(self) - 1}, not {shown(position)}")
        return as_record(self.states, position)

    def text(self, position: int, viewer: int = NOBODY) -> str:
        """Return one position as text (`Game.to_text`). Arguments and errors are those of `scene`."""
        return self.game.to_text(self._state(position), viewer)

    def move(self, number: int, viewer: int = NOBODY) -> str:
        """Return a move as a viewer saw it. Move `number`, from 1, leads to the position of the same number.

        Raises:
            ValueError: `number` or `viewer` is out of its range.
        """
        if not is_whole(number) or not 0 < number < len(self):
            raise ValueError(f"number must be 1..{len(self) - 1}, not {shown(number)}")
        s = self._state(number - 1)
        seat = int(s.to_move)
        action = self.game.string_to_action(s, self.record.actions[number - 1], seat)
        return self.game.seen_action(s, action, seat, viewer)

    def advice(self, position: int) -> Advice | None:
        """Return the adviser's analysis of a position; None at the end and without an adviser.

        Results are cached. An adviser with a memory or history first analyzes all earlier positions.

        Raises:
            ValueError: `position` is out of its range.
        """
        self._state(position)  # raises
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
