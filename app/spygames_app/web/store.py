"""Games that people play in the browser, in memory: who may see which, and whose turn it is."""

import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from spygames.core.game.game import NOBODY, Game
from spygames.core.game.rng import mix
from spygames.core.players.names import make_player
from spygames.core.players.player import Player, PlayerFailed
from spygames.core.playing.session import ROW, answers_in_secret, one_game
from spygames.core.svg.annotations import Advice
from spygames_app.advice import EachOwn, Thoughts, advise
from spygames_app.live import LiveGame
from spygames_app.web.thinking import Screening, Voice

COMPILES = "the first search of a game compiles for up to 20 seconds"
MOST_GAMES = 64
"""Games that are kept; the one that nobody has looked at for longest goes."""
MOST_VISITORS = 1024
LEAST_BEAT = 0.002
"""Seconds: bots and networks take less than one millisecond."""
TRIES = 3


class Refused(ValueError):
    """What was asked for does not go now; the game is as it was."""


@dataclass
class Beat:
    """When answers of players are shown: on a beat, so that the time that one takes tells nothing of its cards.

    A search answers at once where its seat has one legal action only, and takes longer the more there are: without this
    a clock would tell what is in its hand. An answer that takes longer than a beat is shown on a later one.
    """

    seconds: float = LEAST_BEAT
    """The length of a beat: more than players usually take."""
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def wait(self, begun: float) -> None:
        """Waits until the end of the beat, counted from `begun`."""
        now = self.clock()
        beats = max(1, math.ceil((now - begun) / self.seconds))
        self.sleep(max(0.0, begun + beats * self.seconds - now))


@dataclass
class WebGame:
    """A game on the page, of one visitor.

    Whatever takes time runs in a thread of the game, one at a time: `busy` says what. All else is read from
    `live.positions`, which only grows.
    """

    id: str
    visitor: str
    title: str
    """Of the game, for people."""
    rules: str
    """Where its rules are."""
    game: Game
    specs: tuple[str, ...]
    """The players that can be chosen, by number."""
    seats: tuple[int | None, ...]
    """A player's number for each seat; None for the person."""
    seed: int
    beat: Beat = field(default_factory=Beat)
    live: LiveGame | None = None
    """None until the players are there."""
    busy: str = ""
    """What is being done, for people; empty: nothing."""
    problem: str = ""
    """What went wrong last, for people."""
    failed: bool = False
    """Whether the player to move has to be asked once more."""
    hint: tuple[int, Advice] | None = None
    """After how many decisions it was given, and what it says."""
    adviser: int | None = None
    """Who was asked last, by number."""
    last: tuple[int, str] | None = None
    """The last thing that the person did: after how many decisions, and its text."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    news: threading.Condition = field(default_factory=threading.Condition)
    players: dict[str, Player] = field(default_factory=dict)
    _screening: Screening | None = None

    @property
    def seat(self) -> int:
        """The person's; NOBODY if it only watches."""
        return self.seats.index(None) if None in self.seats else NOBODY

    @property
    def over(self) -> bool:
        """Whether everything is open now."""
        return self.live is not None and self.live.mover == NOBODY and not self.busy

    @property
    def revision(self) -> int:
        """How many decisions were made."""
        return 0 if self.live is None else len(self.live.positions) - 1

    def work(self, what: str, job: Callable[[], None]) -> None:
        """Does something in the game's thread; Refused where something else is being done."""
        with self.lock:
            if self.busy:
                raise Refused(f"Not now: {self.busy}.")
            self.busy, self.problem = what, ""
        threading.Thread(target=self._run, args=(job,), daemon=True).start()

    def prepare(self) -> None:
        """Makes the players, has each of them decide once (the first search compiles), and lets them begin."""
        asked = [*dict.fromkeys(self.specs[i] for i in self.seats if i is not None)]
        for spec in asked:
            self.busy = f"{spec} gets ready; {COMPILES}"
            self.players[spec] = make_player(self.game, spec)
        for spec in asked:
            if not hasattr(self.players[spec], "ended"):  # who hears of games would take this for one
                slowest = self._warm_up(self.players[spec])
                self.beat.seconds = max(self.beat.seconds, 2 * slowest)
        players = {seat: self.players[self.specs[i]] for seat, i in enumerate(self.seats) if i is not None}
        self.live = LiveGame(self.game, players, self.seed)
        self.play_on()

    def play_on(self) -> None:
        """Lets the players decide until the person is to move or the game is over."""
        live = self.live
        assert live is not None
        self.failed = False
        while live.mover not in (NOBODY, self.seat):
            name = live.players[live.mover].name
            self.busy = f"{name} (player_{live.mover}) thinks"
            begun = self.beat.clock()
            try:
                live.play_on(lambda begun=begun: self.beat.wait(begun) if self.seat != NOBODY else None)
            except PlayerFailed as failed:  # its detail is not for people who play against it
                self.failed, self.problem = True, f"{failed}. The game is as it was before; you may ask it again."
                return
            except Exception as error:  # a player may do anything, and its words may tell what it holds
                self.failed = True
                self.problem = f"The player {name} broke down ({type(error).__name__}). You may ask it again."
                return
            self._tell()

    def act(self, revision: int, text: str) -> None:
        """What the person does; the others answer in the game's thread.

        Args:
            revision: how many decisions the person saw.
            text: of the action.

        Raises:
            Refused: it does not go now.
        """
        if (revision, text) == self.last:
            return  # the same click once more
        live = self._turn(revision)
        action = live.named(text)
        if action is None:
            raise Refused("That is no action here: choose one of those below.")
        with self.lock:
            if self.busy or revision != self.revision:
                raise Refused(f"Not now: {self.busy or 'the game has moved on'}.")
            self.last, self.busy, self.problem = (revision, text), "the others think", ""
            live.act(action)
        self._tell()
        threading.Thread(target=self._run, args=(self.play_on,), daemon=True).start()

    def ask_again(self, at_random: bool = False) -> None:
        """Asks a player that failed once more, or makes a move for it."""
        if not self.failed:
            raise Refused("No player waits to be asked again.")

        def go_on() -> None:
            if at_random and self.live is not None:
                self.live.act(secrets.choice([*self.live.legal().values()]))
            self.play_on()

        self.work("the others think", go_on)

    def ask_hint(self, revision: int, number: int) -> None:
        """Asks a player what it would do in the person's place, from what the person may know."""
        live = self._turn(revision)
        if not 0 <= number < len(self.specs):
            raise Refused(f"There are the players 0 to {len(self.specs) - 1}.")
        self.adviser, spec = number, self.specs[number]

        def ask() -> None:
            player = make_player(self.game, spec)  # a new one: asking it changes nobody who plays
            luck = int(mix(np.uint64(revision)))  # not of the deal's seed, which is hidden
            try:
                self.hint = revision, advise(self.game, live.course, live.positions[revision], player, luck)
            except Exception as error:
                self.problem = f"{spec} gives no hint here ({type(error).__name__})."

        self.work(f"{spec} thinks about your move; {COMPILES}", ask)

    def screening(self) -> Screening:
        """The finished game, with each player's own thoughts, or those of any player."""
        live = self.live
        assert live is not None
        assert self.over
        others = next(iter(live.players.values()))

        def each_own() -> EachOwn:
            return EachOwn({seat: live.players.get(seat, others) for seat in range(len(self.seats))}, True)

        with self.lock:
            if self._screening is None:
                voices = [Voice("each player", each_own), *voices_of(self.game, self.specs)]
                self._screening = Screening(live.record(), self.game, voices)
            return self._screening

    def wait(self, seconds: float) -> bool:
        """Waits until nothing is being done; False if that takes longer."""
        with self.news:
            return self.news.wait_for(lambda: not self.busy, seconds)

    def told(self, since: int) -> Iterator[int]:
        """The numbers of the positions after `since`, as they come, until nothing is being done."""
        at = since
        while True:
            with self.news:
                self.news.wait_for(lambda at=at: self.revision > at or not self.busy, 60)
            while at < self.revision:
                at += 1
                yield at
            if not self.busy:
                return

    def _turn(self, revision: int) -> LiveGame:
        """The game, if it is the person's turn and what it saw is how things are."""
        live = self.live
        if self.busy or live is None:
            raise Refused(f"Not now: {self.busy or 'the game is not ready'}.")
        if live.mover == NOBODY:
            raise Refused("The game is over.")
        if revision != self.revision:
            raise Refused("The game has moved on since you saw it: this is how it is now.")
        if live.mover != self.seat:
            raise Refused("It is not your turn.")
        return live

    def _warm_up(self, player: Player) -> float:
        """How many seconds a player takes for a decision once it is compiled, at most, of a few beginnings."""
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
        except ValueError as error:  # a player that cannot be made says why
            self.problem = f"The game cannot begin: {error}" if self.live is None else str(error)
        except Exception as error:
            self.problem = f"Something broke ({type(error).__name__})."
        finally:
            self.busy = ""
            self._tell()

    def _tell(self) -> None:
        with self.news:
            self.news.notify_all()


def voices_of(game: Game, specs: Sequence[str]) -> list[Voice]:
    """Players as those whose thoughts can be asked for."""

    def maker(spec: str) -> Callable[[], Thoughts]:
        return lambda: Thoughts(make_player(game, spec), True)

    return [Voice(spec, maker(spec)) for spec in specs]


@dataclass(frozen=True)
class Watched:
    """A recorded game that a visitor has brought, or that the server was started with."""

    visitor: str | None
    """Who has brought it; None: everybody may see it."""
    title: str
    screening: Screening


class Store:
    """All games.

    Args:
        token: makes what nobody can guess.
        seed: draws the seed of a deal, 0..2^64-1.
    """

    def __init__(
        self,
        token: Callable[[], str] = lambda: secrets.token_urlsafe(18),
        seed: Callable[[], int] = lambda: secrets.randbits(64),
    ):
        self.token, self.seed = token, seed
        self.visitors: OrderedDict[str, str] = OrderedDict()
        """What the forms of a visitor carry, by its cookie."""
        self.games: OrderedDict[str, WebGame] = OrderedDict()
        self.watched: OrderedDict[str, Watched] = OrderedDict()
        self._lock = threading.Lock()

    def visitor(self, cookie: str | None) -> tuple[str, str]:
        """The cookie of a visitor and what its forms carry; new ones for who is not known."""
        with self._lock:
            if cookie not in self.visitors or cookie is None:
                cookie = self.token()
                self.visitors[cookie] = self.token()
                if len(self.visitors) > MOST_VISITORS:  # whoever has a game stays: others cannot drive it out
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
    ) -> WebGame:
        """A new game of a visitor, whose players get ready in its thread. `seed`: of the deal; None: a new one."""
        seed = self.seed() if seed is None else seed
        made = WebGame(self.token(), visitor, title, rules, game, tuple(specs), tuple(seats), seed)
        with self._lock:
            self.games[made.id] = made
            while len(self.games) > MOST_GAMES:
                self.games.popitem(last=False)
        made.work("the players get ready", made.prepare)
        return made

    def game(self, visitor: str, name: str) -> WebGame | None:
        """A game of that visitor; None where there is none, or where it is somebody else's."""
        with self._lock:
            found = self.games.get(name)
            if found is None or found.visitor != visitor:
                return None
            self.games.move_to_end(name)
            return found

    def watch(self, watched: Watched) -> str:
        """Keeps a recorded game; what finds it again."""
        with self._lock:
            name = self.token()
            self.watched[name] = watched
            brought = [key for key, each in self.watched.items() if each.visitor is not None]
            for key in brought[:-MOST_GAMES]:
                del self.watched[key]
            return name

    def record(self, visitor: str, name: str) -> Watched | None:
        """A recorded game that the visitor may see."""
        found = self.watched.get(name)
        return found if found and found.visitor in (None, visitor) else None
