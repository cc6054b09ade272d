"""Games whose seats answer in texts, for environments of other libraries."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from gymnasium.error import ResetNeeded

from spygames.core.basics.text import one_line, shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.chat.client import MAX_ANSWER
from spygames.core.chat.model_name import MAX_RETRIES, MODES, Mode
from spygames.core.envs.single_seat import seatings
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rng import GAMMA, as_seed, derived_seed, mix
from spygames.core.game.validation import check_game, choice
from spygames.core.players.events import draw_seed
from spygames.core.players.names import as_players
from spygames.core.players.player import PlayerLike
from spygames.core.players.replies import Reply, Verdict, correction, match, parse
from spygames.core.players.turns import Turn, briefing, prompt, question, turn_of
from spygames.core.playing.courses import Courses
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import ROW, Session, answers_in_secret
from spygames.core.records.record import GameRecord, forfeit_returns, make_record

__all__ = ["Answers", "TextGame", "deals"]

TEXT = "text"
"""The name of a seat that answers in texts, in records."""


@dataclass
class Answers:
    """What one seat was asked and has answered in a game.

    Example:
        >>> from spygames.text import Answers
        >>> Answers(decisions=1, ok=1).as_dict()["answers"]
        1
    """

    decisions: int = 0
    """Number of decisions."""
    ok: int = 0
    """Number of answers with one legal action."""
    unparseable: int = 0
    """Number of answers without an action in the forms of the grammar."""
    ambiguous: int = 0
    """Number of answers with several actions."""
    illegal: int = 0
    """Number of answers with an action that is not legal."""
    forfeits: int = 0
    """1 if the seat has lost the game because it gave no legal action, else 0."""

    def as_dict(self) -> dict[str, int]:
        """Return the numbers, and the number of all answers."""
        return {"answers": self.ok + self.unparseable + self.ambiguous + self.illegal, **asdict(self)}


class TextGame:
    """A game in which all seats answer in texts, or one seat does and players have the others.

    The texts, the grammar, the retries and the modes are those of the players `llm:MODEL`. An answer without a legal
    action is followed by a correction. After the last one the seat forfeits the game: no answer is replaced by a move
    that it did not choose.

    Example:
        >>> from spygames import make_game
        >>> from spygames.text import TextGame
        >>> table = TextGame(make_game("agent_avenue_v0"), opponents="random")
        >>> table.begin(seed=1, seat=0)
        >>> while not table.over:
        ...     reply = table.answer(f"[{table.turn.legal[-1]}]")
        >>> table.seat, sum(table.results), table.answers[0].unparseable
        (-1, 0.0, 0)

    Args:
        game: the game to play.
        opponents: the players of the other seats: one for all, or one for each, lowest seat first. Empty: there are
            none, and all seats answer in texts.
        mode: when the legal actions are listed: `listed`: in each question; `rules`: never; `listed-on-retry`: in
            corrections only.
        retries: number of further tries after an answer without a legal action, 0 to 5.

    Raises:
        ValueError: a value is wrong, or a player does not exist.
        TypeError: an opponent is no player, or `game` is not a Game.
    """

    def __init__(
        self,
        game: Game,
        opponents: PlayerLike | Sequence[PlayerLike] = (),
        *,
        mode: Mode = "listed",
        retries: int = 2,
    ):
        check_game(game)
        self.mode, self.retries = choice("mode", mode, MODES), whole("retries", retries, 0, MAX_RETRIES)
        self.game = game
        alone = isinstance(opponents, Sequence) and not opponents
        named = [] if alone else as_players(game, opponents)
        others = game.num_players - 1
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            named = named * others
        if named and len(named) != others:
            raise ValueError(f"opponents must be one player or one for each other seat ({others}), not {len(named)}")
        self.opponents = tuple(named)
        """The players of the other seats, lowest first; empty: all seats answer in texts."""
        self._seatings = seatings(game.num_players, range(others)) if named else None
        seating = np.full((1, game.num_players), NOBODY, np.int64)
        self._session = Session(Rows(game, 1, 0), dict(enumerate(named)), seating, asking=answers_in_secret)
        self._session.courses = Courses(self._session.rows.arrays.memory)
        self.turn: Turn | None = None
        """The decision that is due; None: no game has begun, or it is over."""
        self.told = ""
        """What the seat is told now: a question, or a correction after an answer without a legal action; empty if no
        decision is due."""
        self.answers: list[Answers] = [Answers() for _ in range(game.num_players)]
        """What each seat was asked and has answered."""
        self.forfeited = NOBODY
        """The seat that has lost the game because it gave no legal action; NOBODY: none."""
        self._tries = 0
        self._seed: int | None = None

    def __repr__(self) -> str:
        others = ", ".join(player.name for player in self.opponents) or "no players"
        return f"TextGame({self.game.title}; {others}; mode={self.mode}, retries={self.retries})"

    @property
    def seat(self) -> int:
        """The seat whose answer is due; NOBODY: none."""
        return NOBODY if self.turn is None else self.turn.seat

    @property
    def text_seats(self) -> tuple[int, ...]:
        """The seats that answer in texts in the current game."""
        return tuple(np.flatnonzero(self._session.seating[0] == NOBODY).tolist())

    @property
    def over(self) -> bool:
        """Whether a game has begun and is over, also by a forfeit."""
        return self._seed is not None and self.turn is None

    @property
    def prompt(self) -> str:
        """The whole text for a player without a memory: briefing and question, and a correction if one is due."""
        if self.turn is None:
            return ""
        asked = prompt(self.turn, self.mode == "listed")
        return f"{asked}\n\n{self.told}" if self._tries else asked

    @property
    def listed(self) -> tuple[str, ...]:
        """The legal actions as far as the seat is told them now."""
        if self.turn is None or self.mode == "rules" or (self.mode == "listed-on-retry" and not self._tries):
            return ()
        return self.turn.legal

    @property
    def results(self) -> tuple[float, ...]:
        """The result of each seat; zeros before the end.

        In a forfeited game the side of the seat that failed gets `Game.lowest_return`, and the other sides share the
        opposite, so that the results of the sides sum to 0.
        """
        game = self.game
        if self.forfeited != NOBODY:
            return forfeit_returns(game, self.forfeited)
        return tuple(self._session.rows.rewards[0].tolist()) if self.over else (0.0,) * game.num_players

    @property
    def truncated(self) -> bool:
        """Whether the game was cut off without a result."""
        return self.over and bool(self._session.rows.cut_off[0])

    def briefing(self, seat: int) -> str:
        """Return what a seat is told once: who it is, the rules, and the grammar of an answer."""
        return briefing(self.game, whole("seat", seat, 0, self.game.num_players - 1))

    def begin(self, seed: int | None = None, seat: int | None = None) -> None:
        """Begin a game, and play it until a seat that answers in texts is to move.

        Args:
            seed: 0..2^64-1, of the deal and of the players' random streams, as in `play_record`; None: from the
                system's entropy.
            seat: with opponents, the seat that answers in texts; None: it is drawn by the seed.

        Raises:
            ValueError: the seed or the seat is wrong.
            PlayerFailed: an opponent gave no legal action. Then no game is on.
        """
        chosen, session = int(as_seed(seed)), self._session
        if self._seatings is None and seat is not None:
            raise ValueError(f"seat must be None where all seats answer in texts, not {shown(seat)}")
        drawn = int(derived_seed(chosen, "seat")) % self.game.num_players
        seated = drawn if seat is None else whole("seat", seat, 0, self.game.num_players - 1)
        self._seed, self.turn, self.told, self.forfeited = None, None, "", NOBODY
        session.seating[0] = NOBODY if self._seatings is None else self._seatings[seated]
        session.rng[0] = derived_seed(chosen, "players")
        self.answers = [Answers() for _ in range(self.game.num_players)]
        session.begin(ROW, np.array([chosen], np.uint64))
        session.rows.cut_off[:] = False
        self._play_on()
        self._seed = chosen

    def answer(self, text: str, *, bare: bool = False) -> Reply:
        """Read the answer of the seat that is due, and play on if it names a legal action.

        Args:
            text: the whole answer. One of more than 65,536 characters is not read.
            bare: whether the bare text of a legal action counts as well, for programs that send it as an argument.

        Returns:
            What was read. `told` has the correction if another try is due.

        Raises:
            TypeError: the answer is not a text.
            ResetNeeded: no decision is due.
            PlayerFailed: an opponent gave no legal action. Then no game is on.
        """
        if not isinstance(text, str):
            raise TypeError(f"an answer must be a text, not {shown(text)}")
        turn, session = self.turn, self._session
        if turn is None:
            raise ResetNeeded(f"{'the game is over' if self.over else 'no game has begun'}: begin a new one first")
        reply = self._read(text, turn.legal, bare)
        counts = self.answers[turn.seat]
        setattr(counts, reply.verdict, getattr(counts, reply.verdict) + 1)
        if reply.action is not None:
            action = self.game.string_to_action(as_record(session.rows.states), reply.action, turn.seat)
            self.turn, self.told = None, ""
            seed, self._seed = self._seed, None
            session.apply(ROW, np.array([action]))
            self._play_on()
            self._seed = seed
        elif self._tries < self.retries:
            self._tries += 1
            self.told = correction(reply, self.listed or None, turn.why_not(reply.said))
        else:
            self.forfeit()
        return reply

    def forfeit(self) -> None:
        """End the game as lost by the seat that is due, for example because it gives no answer at all.

        Raises:
            ResetNeeded: no decision is due.
        """
        if self.turn is None:
            raise ResetNeeded("no decision is due, so that no seat can forfeit")
        self.forfeited = self.turn.seat
        self.answers[self.forfeited].forfeits = 1
        self.turn, self.told = None, ""

    def record(self) -> GameRecord:
        """Return the game so far as a record, which replays. It has everything that is hidden from the seats.

        Raises:
            ResetNeeded: no game has begun.
        """
        if self._seed is None:
            raise ResetNeeded("no game has begun: begin one first")
        names = [TEXT if k == NOBODY else self.opponents[k].name for k in self._session.seating[0].tolist()]
        courses = self._session.courses
        assert courses is not None
        lost = None if self.forfeited == NOBODY else self.forfeited
        return make_record(self.game, courses.of(0).actions, self._seed, players=names, forfeit=lost)

    def _play_on(self) -> None:
        """Let the players decide until a seat that answers in texts is to move, or the game is over."""
        session, rows = self._session, self._session.rows
        while (seat := int(rows.seats[0])) != NOBODY and session.seating[0, seat] != NOBODY:
            session.apply(ROW, session.ask(ROW))
        if seat == NOBODY:
            return
        assert session.courses is not None
        if not self.answers[seat].decisions:
            # As other text players do, so that the opponents' luck is the same as in the games of these.
            draw_seed(session.rng[0])
        events = session.courses.of(0).events(self.game, seat, since_own=True)
        self.turn, self._tries = turn_of(self.game, rows.states.copy(), events), 0
        self.told = question(self.turn, self.mode == "listed")
        self.answers[seat].decisions += 1

    def _read(self, text: str, legal: Sequence[str], bare: bool) -> Reply:
        if len(text) > MAX_ANSWER:
            return Reply(Verdict.UNPARSEABLE, None, one_line(f"... {text[-200:]}", 200))
        named = match(text, legal) if bare else None
        return parse(text, legal) if named is None else Reply(Verdict.OK, named, named)


def deals(seed: int) -> Iterator[int]:
    """Yield the seeds of deals without end, the same that `evaluate` and the protocol take from `seed`.

    Example:
        >>> from spygames.text import deals
        >>> next(deals(1))
        10451216379200822465

    Args:
        seed: 0..2^64-1.

    Raises:
        ValueError: the seed is invalid.
    """
    first = as_seed(seed)
    for k in itertools.count(1):
        with np.errstate(over="ignore"):
            deal = mix(first + GAMMA * np.uint64(k))
        yield int(deal)
