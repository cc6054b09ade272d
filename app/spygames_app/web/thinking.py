"""A recorded game with the players' thoughts at each decision, computed in threads so that no page waits for them."""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from spygames.core.game.game import NOBODY, Game
from spygames.core.records.film import Adviser, Film, Said
from spygames.core.records.record import GameRecord
from spygames.core.svg.annotations import Advice

PATIENCE, MORE = 0.5, 0.15
"""Seconds that a page waits for the thoughts at its position, and then for those at all other positions."""
LINGER = 10.0
"""Seconds for which a thread continues after the last request."""


class Voice(NamedTuple):
    """A player whose thoughts the page can show."""

    name: str
    make: Callable[[], Adviser] | None
    """Makes the adviser; may take long and may raise ValueError. None: no thoughts."""


class Thinker:
    """Computes an adviser's thoughts about the decisions of a game in a thread, as long as a visitor looks."""

    def __init__(self, voice: Voice, record: GameRecord, game: Game):
        self.name, self._voice, self._record, self._game = voice.name, voice, record, game
        self.found: dict[int, Advice] = {}
        """The thoughts by position."""
        self.problem = ""
        """Error message for the page; empty if there is none."""
        self.done = False
        """Whether no more thoughts will come."""
        self._film: Film | None = None
        self._wanted, self._until, self._running = 0, 0.0, False
        self._news = threading.Condition()

    def look(self, position: int) -> None:
        """Think about this position next, and wait a moment for the result."""
        with self._news:
            self._wanted, self._until = position, time.monotonic() + LINGER
            if not self._running and not self.done:
                self._running = True
                threading.Thread(target=self._run, daemon=True).start()
            self._news.wait_for(lambda: position in self.found or self.done, PATIENCE)
            self._news.wait_for(lambda: self.done, MORE)

    def _run(self) -> None:
        try:
            if self._film is None:
                assert self._voice.make is not None
                self._film = Film(self._record, self._game, self._voice.make())
            while (position := self._next(self._film)) is not None:
                advice = self._film.advice(position)
                assert advice is not None
                with self._news:
                    self.found[position] = advice
                    self._news.notify_all()
        except ValueError as error:  # the player cannot be made
            self._end(str(error))
        except Exception as error:  # a player may raise anything
            self._end(f"{self.name} fails here ({type(error).__name__}).")

    def _next(self, film: Film) -> int | None:
        """Return the next position to think about; None if there is none, or if no visitor looks any more."""
        with self._news:
            missing = [i for i in range(len(film)) if i not in self.found and film.states["to_move"][i] != NOBODY]
            if not missing:
                self._end("")
            elif time.monotonic() > self._until:
                self._running = False
            else:
                return self._wanted if self._wanted in missing and not film.in_order else missing[0]
            return None

    def _end(self, problem: str) -> None:
        with self._news:
            self.problem, self.done, self._running = problem, True, False
            self._news.notify_all()


class Screening:
    """A recorded game and the voices whose thoughts can be shown.

    Args:
        record: the recorded game.
        game: the game that it was played with.
        voices: the voices, in the order of the page.
        said: what language models said, by position.

    Raises:
        RecordError: the record does not match the game.
    """

    def __init__(self, record: GameRecord, game: Game, voices: Sequence[Voice], said: Mapping[int, Said] | None = None):
        self.film, self.voices = Film(record, game, said=said), tuple(voices)
        self._thinkers: dict[int, Thinker] = {}
        self._lock = threading.Lock()

    def thoughts(self, by: int, position: int) -> Thinker | None:
        """Return the thinker of a voice, given by its index, and let it think about a position. None: no thoughts."""
        voice = self.voices[by]
        if voice.make is None:
            return None
        with self._lock:
            thinker = self._thinkers.setdefault(by, Thinker(voice, self.film.record, self.film.game))
        thinker.look(position)
        return thinker
