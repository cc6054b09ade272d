"""Games on the page, kept in memory: which visitor may see them, and whose turn it is."""

import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np

from spygames.core.chat.player import language_models
from spygames.core.chat.transcripts import said_in
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.rng import mix
from spygames.core.players.names import make_player
from spygames.core.players.player import Player, PlayerFailed
from spygames.core.playing.session import ROW, answers_in_secret, one_game
from spygames.core.records.film import Said
from spygames.core.svg.annotations import Advice
from spygames_app.advice import EachOwn, Thoughts, advise
from spygames_app.live import LiveGame
from spygames_app.sides import Sides, sides_of
from spygames_app.web.choices import adviser_of, is_search, label, level_of
from spygames_app.web.thinking import Screening, Voice

COMPILES = "; the first search of a game compiles for up to 20 seconds"
"""Added to what the page says about a player that searches."""
MAX_GAMES = 64
"""Maximum number of games. The least recently viewed one is removed first."""
MAX_VISITORS = 1024
MIN_BEAT = 0.002
"""Minimum beat in seconds. Bots and networks take less than one millisecond."""
TRIES = 3


class Refused(ValueError):
    """The request is not possible in the current state. The game is unchanged."""

    def __init__(self, line: str, rule: str = ""):
        super().__init__(line)
        self.rule = rule
        """The ID of the rule that forbids it; "" for none."""


@dataclass
class Beat:
    """Delay of the players' answers to a beat, so that their duration reveals nothing about hidden cards.

    A search answers at once if its seat has a single legal action, and takes longer the more actions there are. Without
    the beat, the time would reveal its hand. An answer that takes longer than a beat is shown on a later beat.
    """

    seconds: float = MIN_BEAT
    """Length of a beat, more than players usually take."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def wait(self, begun: float) -> None:
        """Wait until the end of the current beat; beats are counted from `begun`."""
        now = self.clock()
        beats = max(1, math.ceil((now - begun) / self.seconds))
        self.sleep(max(0.0, begun + beats * self.seconds - now))


@dataclass(frozen=True)
class Table:
    """The user's choices for a game besides the players."""

    sides: Sides
    """The names of the seats."""
    levels: tuple[str, ...] = ()
    """What is said about each seat beside its name, such as "Hard", the same for all; empty: the name of its player."""
    forced: bool = False
    """Whether the user's only legal action is played without asking."""

    def moved(self, seats: Sequence[int | None]) -> "Table":
        """Return the table for another seating."""
        own = seats.index(None) if None in seats else NOBODY
        return replace(self, sides=sides_of(len(seats), own, self.sides.typed))


@dataclass
class WebGame:
    """A game on the page, of one visitor.

    Slow work runs in a thread of the game, one job at a time, described by `busy`. Everything else is read from
    `live.positions`, which only grows.
    """

    id: str
    visitor: str
    title: str
    """Display name of the game."""
    rules: str
    """Address of its rules."""
    game: Game
    specs: tuple[str, ...]
    """Names of the players that can be chosen."""
    seats: tuple[int | None, ...]
    """Index of the player in each seat; None for the user."""
    seed: int
    table: Table
    """How the page names the seats, and what it does by itself."""
    beat: Beat = field(default_factory=Beat)
    live: LiveGame | None = None
    """None until the players are ready."""
    busy: str = ""
    """Description of the current work for the page; empty if there is none."""
    problem: str = ""
    """The last error message for the page."""
    failed: bool = False
    """Whether the player to move has failed and must be asked again."""
    hint: tuple[int, Advice, int] | None = None
    """The last hint, with the revision that it is for and the index of the player that gave it."""
    adviser: int | None = None
    """Index of the player that was last asked for a hint."""
    last: tuple[int, str] | None = None
    """The user's last action as text, with the revision before it."""
    gone: int = 0
    """What revisions are ahead of the number of decisions; grows with each undo, so that no revision returns."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    news: threading.Condition = field(default_factory=threading.Condition)
    players: dict[str, Player] = field(default_factory=dict)
    said: dict[int, Said] = field(default_factory=dict)
    """What language models said, by position; only for the time after the game."""
    resigned: bool = False
    """Whether the user has given up."""
    lines: dict[int, str] = field(default_factory=dict)
    """What the user saw of decisions, by their numbers."""
    _screening: Screening | None = None

    @property
    def seat(self) -> int:
        """The user's seat; NOBODY if the user only watches."""
        return self.seats.index(None) if None in self.seats else NOBODY

    @property
    def beside(self) -> tuple[str, ...]:
        """What is said about each seat beside its name: its level, or the name that the user typed."""
        assert self.live is not None
        levels = self.table.levels or tuple(map(self.called, self.live.names))
        return tuple(self.table.sides.typed if i == self.seat else level for i, level in enumerate(levels))

    def happened(self, number: int) -> str:
        """Return what the user saw of a decision, counted from 0, with its effects."""
        assert self.live is not None
        lines = self.lines  # read once: an undo replaces it
        if number not in lines:
            lines[number] = self.table.sides.words(self.live.happened(number, self.seat))
        return lines[number]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The labels of `specs` in lists. Like the next two, looked up once, because it reads folders."""
        return tuple(label(self.game, spec) for spec in self.specs)

    @cached_property
    def hinter(self) -> int:
        """The index of the player that gives hints if the user names none."""
        return adviser_of(self.game, self.specs)

    @cached_property
    def _level(self) -> Callable[[str], str]:
        return cache(lambda spec: level_of(self.game, spec) or spec)

    def called(self, spec: str) -> str:
        """Return the name of a player on the page: its level, if it is one."""
        return self._level(spec)

    @property
    def over(self) -> bool:
        """Whether the game is over, so that nothing is hidden."""
        return self.live is not None and (self.live.mover == NOBODY or self.resigned) and not self.busy

    @property
    def revision(self) -> int:
        """Identifies the current position: grows by 1 with each decision and with each undo."""
        return 0 if self.live is None else self.gone + len(self.live.positions) - 1

    def work(self, what: str, job: Callable[[], None]) -> None:
        """Run a job in the game's thread; Refused if another job is running."""
        with self.lock:
            if self.busy:
                raise Refused(f"Not now: {self.busy}.")
            self.busy, self.problem = what, ""
        threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def prepare(self) -> None:
        """Make the players, warm them up (the first search compiles), and start the game."""
        asked = [*dict.fromkeys(self.specs[i] for i in self.seats if i is not None)]
        for spec in asked:
            self.busy = f"{self.called(spec)} gets ready{COMPILES if is_search(spec) else ''}"
            self.players[spec] = make_player(self.game, spec)
        for model in language_models(self.players.values()):
            model.on_game = lambda line: self.said.update(said_in(line))
        for spec in asked:
            if not hasattr(self.players[spec], "ended"):  # a player that follows games would take this for one
                slowest = self._warm_up(self.players[spec])
                self.beat.seconds = max(self.beat.seconds, 2 * slowest)
        players = {seat: self.players[self.specs[i]] for seat, i in enumerate(self.seats) if i is not None}
        self.live = LiveGame(self.game, players, self.seed)
        self.play_on()

    def play_on(self) -> None:
        """Let the players decide until it is the user's turn or the game is over."""
        live = self.live
        assert live is not None
        self.failed = False
        while live.mover != NOBODY and not self.resigned:
            if live.mover == self.seat:
                legal = [*live.legal().values()]
                if not self.table.forced or len(legal) > 1:
                    return
                live.act(legal[0])
                self._tell()
                continue
            name = live.players[live.mover].name
            self.busy = f"{self.table.sides.name(live.mover)} is thinking"
            begun = self.beat.clock()
            try:
                live.play_on(lambda begun=begun: self.beat.wait(begun) if self.seat != NOBODY else None)
            except PlayerFailed as failed:  # without its detail, which the opponent must not see
                self.failed, self.problem = True, f"{failed}. The game is unchanged. You may ask it again."
                return
            except Exception as error:  # a player may raise anything, and the message may reveal its cards
                self.failed = live.mover != NOBODY
                again = "You may ask it again." if self.failed else "The game is over."
                self.problem = f"The player {name} failed ({type(error).__name__}). {again}"
                return
            self._tell()

    def act(self, revision: int, text: str, tapped: bool = False) -> None:
        """Play the user's action. The other players answer in the game's thread.

        Args:
            revision: the position that the user has seen.
            text: text of the action.
            tapped: whether the user tapped something on the board and did not choose this text.

        Raises:
            Refused: the action is not possible now.
        """
        if (revision, text) == self.last:
            return  # a repeated click
        live = self._turn(revision)
        action = live.named(text)
        if action is None:
            raise self._refusal(live, text, tapped)
        with self.lock:
            if (revision, text) == self.last:
                return  # both clicks came at once
            self._turn(revision)  # again: meanwhile another request may have changed the game
            self.last, self.busy, self.problem = (revision, text), "the other players are thinking", ""
            try:
                live.act(action)
            except Exception as error:  # a player that is told the result may raise anything
                self.problem = f"A player failed ({type(error).__name__}). The game is over."
        self._tell()
        threading.Thread(target=self._run, args=(self.play_on,), daemon=True).start()

    def ask_again(self, at_random: bool = False) -> None:
        """Ask a player that failed again, or play a random move for it."""
        if not self.failed:
            raise Refused("No player has failed.")

        def go_on() -> None:
            if at_random and self.failed and self.live is not None:  # not if another click came first
                self.live.act(secrets.choice([*self.live.legal().values()]))
            self.play_on()

        self.work("the other players are thinking", go_on)

    def undo(self, revision: int) -> None:
        """Take back the user's last decision and everything after it. The same decision then has the same result.

        Raises:
            Refused: it is not the user's turn, there is no such decision, or a player cannot forget.
        """
        with self.lock:
            live = self._turn(revision)
            decisions = len(live.decisions)
            try:
                taken = live.take_back(self.seat)
                # A forced action would be played again at once.
                while taken and self.table.forced and len(live.legal()) == 1 and live.take_back(self.seat):
                    pass
            except ValueError as error:
                raise Refused(f"No move can be taken back: {error}.") from None
            if not taken:
                raise Refused("You have made no move yet.")
            self.gone += decisions - len(live.decisions) + 1
            self.last, self.hint, self.problem, self.lines = None, None, "", {}
        self._tell()

    def resign(self) -> None:
        """End the game as lost for the user; everything is shown then."""
        if self.seat == NOBODY or self.live is None:
            raise Refused("There is nothing to resign.")
        with self.lock:
            if self.busy:
                raise Refused(f"Not now: {self.busy}.")
            if self.over:
                raise Refused("The game is over.")
            self.resigned, self.failed, self.problem = True, False, ""
        self._tell()

    def ask_hint(self, revision: int, number: int) -> None:
        """Ask a player what it would do in the user's place, from what the user may know."""
        live = self._turn(revision)
        if not 0 <= number < len(self.specs):
            raise Refused(f"The player must be from 0 to {len(self.specs) - 1}.")
        self.adviser, spec = number, self.specs[number]
        states = live.positions[revision - self.gone]

        def ask() -> None:
            player = make_player(self.game, spec)  # a new one, so that asking it changes no player of the game
            luck = int(mix(np.uint64(revision)))  # not derived from the seed of the deal, which is hidden
            try:
                self.hint = revision, advise(self.game, live.course, states, player, luck), number
            except Exception as error:
                self.problem = f"{self.called(spec)} gives no hint here ({type(error).__name__})."

        self.work(f"{self.called(spec)} is thinking about your move{COMPILES if is_search(spec) else ''}", ask)

    def screening(self) -> Screening:
        """Return the finished game with the thoughts of its own players, or those of any player."""
        live = self.live
        assert live is not None
        assert self.over
        others = next(iter(live.players.values()))

        def each_own() -> EachOwn:
            return EachOwn({seat: live.players.get(seat, others) for seat in range(len(self.seats))}, True)

        with self.lock:
            if self._screening is None:
                for model in language_models(live.players.values()):
                    model.close()  # a game that was resigned is broken off
                voices = [Voice("each player", each_own), *voices_of(self.game, self.specs)]
                shown = replace(live.record(), players=self.beside)
                self._screening = Screening(shown, self.game, voices, self.said)
            return self._screening

    def wait(self, seconds: float) -> bool:
        """Wait until the current job is done; False if that takes longer than `seconds`."""
        with self.news:
            return self.news.wait_for(lambda: not self.busy, seconds)

    def told(self, number: int, gone: int) -> Iterator[int]:
        """Yield the numbers of the positions after position `number` as they appear, until the current job is done.

        An undo ends it: `gone` is what `WebGame.gone` was when the position was current.
        """
        at = number + gone
        while True:
            with self.news:
                self.news.wait_for(lambda at=at: self.revision > at or not self.busy or self.gone != gone, 60)
            while at < self.revision and gone == self.gone:
                at += 1
                yield at - gone
            if not self.busy or gone != self.gone:
                return

    def _turn(self, revision: int) -> LiveGame:
        """Return the game; Refused unless it is the user's turn and `revision` is current."""
        live = self.live
        if self.busy or live is None:
            raise Refused(f"Not now: {self.busy or 'the game is not ready'}.")
        if live.mover == NOBODY or self.resigned:
            raise Refused("The game is over.")
        if revision != self.revision:
            raise Refused("The game has moved on since you saw it. This is the current position.")
        if live.mover != self.seat:
            why = self.game.why_not(live.state, 0, self.seat) if self.seat != NOBODY else None
            raise Refused("It is not your turn.", "" if why is None else why.rule)
        return live

    def _refusal(self, live: LiveGame, text: str, tapped: bool) -> Refused:
        """Return why a text that is no legal action is refused, from what the user's seat knows."""
        why = live.why_not(text)
        if tapped:
            line = "this cannot be chosen now" if why is None else why.text
            return Refused(f"{line[:1].upper()}{line[1:]}.", "" if why is None else why.rule)
        if why is not None:
            return Refused(f"{text!r:.60} is not possible: {why.text}.", why.rule)
        due = self.table.sides.words(self.game.headline(live.state, self.seat).removeprefix("You: "))
        try:
            self.game.string_to_action(live.state, text, self.seat)
        except ValueError:
            return Refused(f"{text!r:.60} is not an action of this game. {due}.")
        return Refused(f"{text!r:.60} is against the rules here. {due}. The rules are linked below the moves.")

    def _warm_up(self, player: Player) -> float:
        """Return the maximum time in seconds that a player takes for a first decision once it is compiled."""
        slowest = 0.0
        for seed in range(TRIES + 1):
            states, rng = self.game.start(seed), np.array([[np.uint64(seed)]])
            session = one_game(self.game, [player] * self.game.num_players, states, rng, answers_in_secret)
            begun = time.monotonic()
            session.ask(ROW)
            if seed:
                slowest = max(slowest, time.monotonic() - begun)
        return slowest

    def _run(self, job: Callable[[], None]) -> None:
        try:
            job()
        except ValueError as error:  # a player cannot be made
            self.problem = f"The game cannot begin: {error}" if self.live is None else str(error)
        except Exception as error:
            self.problem = f"An internal error occurred ({type(error).__name__})."
        finally:
            self.busy = ""
            self._tell()

    def _tell(self) -> None:
        with self.news:
            self.news.notify_all()


def voices_of(game: Game, specs: Sequence[str]) -> list[Voice]:
    """Return players as voices, whose thoughts can be shown."""

    def maker(spec: str) -> Callable[[], Thoughts]:
        return lambda: Thoughts(make_player(game, spec), True)

    return [Voice(spec, maker(spec)) for spec in specs]


@dataclass(frozen=True)
class Watched:
    """A recorded game that a visitor uploaded, or that the server was started with."""

    visitor: str | None
    """The visitor who uploaded it; None: visible to all visitors."""
    title: str
    screening: Screening


class Store:
    """All games and visitors.

    Args:
        token: makes an unguessable text.
        seed: draws the seed of a deal, 0..2^64-1.
    """

    def __init__(
        self,
        token: Callable[[], str] = lambda: secrets.token_urlsafe(18),
        seed: Callable[[], int] = lambda: secrets.randbits(64),
    ):
        self.token, self.seed = token, seed
        self.visitors: OrderedDict[str, str] = OrderedDict()
        """The form token of each visitor, by cookie."""
        self.games: OrderedDict[str, WebGame] = OrderedDict()
        self.watched: OrderedDict[str, Watched] = OrderedDict()
        self._lock = threading.Lock()

    def visitor(self, cookie: str | None) -> tuple[str, str]:
        """Return the cookie and the form token of a visitor; new ones for an unknown visitor."""
        with self._lock:
            if cookie not in self.visitors or cookie is None:
                cookie = self.token()
                self.visitors[cookie] = self.token()
                if len(self.visitors) > MAX_VISITORS:  # visitors with a game stay, so that others cannot displace them
                    playing = {made.visitor for made in self.games.values()}
                    del self.visitors[next(each for each in self.visitors if each not in playing)]
            self.visitors.move_to_end(cookie)
            return cookie, self.visitors[cookie]

    def begin(
        self,
        visitor: str,
        title: str,
        rules: str,
        game: Game,
        specs: Sequence[str],
        seats: Sequence[int | None],
        seed: int | None = None,
        table: Table | None = None,
    ) -> WebGame:
        """Start a new game of a visitor; its players get ready in its thread. `seed`: of the deal; None: a new one."""
        seed = self.seed() if seed is None else seed
        own = seats.index(None) if None in seats else NOBODY
        table = table or Table(sides_of(len(seats), own))
        made = WebGame(self.token(), visitor, title, rules, game, tuple(specs), tuple(seats), seed, table)
        with self._lock:
            self.games[made.id] = made
            while len(self.games) > MAX_GAMES:
                self.games.popitem(last=False)
        made.work("the players get ready", made.prepare)
        return made

    def game(self, visitor: str, name: str) -> WebGame | None:
        """Return a game of a visitor; None if it does not exist or belongs to another visitor."""
        with self._lock:
            found = self.games.get(name)
            if found is None or found.visitor != visitor:
                return None
            self.games.move_to_end(name)
            return found

    def watch(self, watched: Watched) -> str:
        """Keep a recorded game; return its key."""
        with self._lock:
            name = self.token()
            self.watched[name] = watched
            brought = [key for key, each in self.watched.items() if each.visitor is not None]
            for key in brought[:-MAX_GAMES]:
                del self.watched[key]
            return name

    def records(self, visitor: str) -> dict[str, Watched]:
        """Return the recorded games that a visitor may see, by their keys."""
        with self._lock:  # others upload meanwhile
            return {name: each for name, each in self.watched.items() if each.visitor in (None, visitor)}

    def record(self, visitor: str, name: str) -> Watched | None:
        """Return a recorded game if the visitor may see it, otherwise None."""
        found = self.watched.get(name)
        return found if found and found.visitor in (None, visitor) else None
