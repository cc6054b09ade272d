"""Language models as players, the kind `llm:MODEL`."""

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.basics.whole_numbers import whole
from spygames.core.chat.account import Account, Budget, Limits
from spygames.core.chat.client import MAX_ANSWER, ChatClient, Completion, NoCompletion
from spygames.core.chat.model_name import ModelName
from spygames.core.chat.transcripts import Transcripts, key_of
from spygames.core.game.game import Game, as_record
from spygames.core.game.validation import time_limit
from spygames.core.players.events import NOTES, Following, draw_seed
from spygames.core.players.history import Noted, Notes
from spygames.core.players.inquiry import (
    Beliefs,
    BeliefVerdict,
    belief_briefing,
    belief_correction,
    belief_question,
    parse_beliefs,
)
from spygames.core.players.mixture import members_of
from spygames.core.players.player import DecisionBatch, Player, PlayerFailed, PlayerUnavailable
from spygames.core.players.replies import Reply, Verdict, correction, parse
from spygames.core.players.turns import Turn, briefing, prompt, question, turn_of
from spygames.core.records.record import make_record

CONCURRENT = 16
"""Number of requests at the same time."""
PATIENCE = 120.0
"""Seconds for an answer."""
NO_TEXT = "(no text)"
"""An empty answer in the rest of its conversation, because some servers refuse empty messages."""


@dataclass
class Talk:
    """The conversation of one seat in one game."""

    seed: int
    """A number of the game, from the random stream of the players."""
    messages: list[dict[str, str]]
    turns: list[dict[str, Any]] = field(default_factory=list)
    """The decisions with the exchanges of each, for the transcript."""
    game: int = 0
    """Number of the game (`DecisionBatch.games`)."""
    position: int | None = None
    """Number of moves before the decision; None: unknown."""
    told: str | None = None
    """The next message to the model at a decision that has no result yet; None: there is no such decision."""
    played: Noted | None = None
    """The game from its beginning, as far as it is known. If it has no decision yet, `states` has its position. None:
    its first decisions are lost."""


class LanguageModel:
    """A language model as a player, asked through a server of the OpenAI chat form. It needs the extra `llm`.

    Each seat has a conversation of its own in each game: the briefing, and for each decision a question and the model's
    answer. After an answer without a legal action the model is told what is wrong with it, up to `retries` times. Then
    the player fails (`PlayerFailed`), which loses the game where failures are counted. No answer is replaced by a move
    that the model did not choose.

    The games of a call are asked at the same time.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import LanguageModel
        >>> LanguageModel(make_game("agent_avenue_v0"), "some-model@http://127.0.0.1:8000/v1,mode=rules").name
        'llm:some-model@http://127.0.0.1:8000/v1,mode=rules'

    Args:
        game: the game to play.
        model: `MODEL[@URL][,SETTING=VALUE...]`, with the settings mode, retries, temperature, tokens and effort.
        limits: limits on what it may use; `use` sets common ones for several models.
        transcripts: a folder for transcripts, from which a later run continues; None: nothing is written.
        concurrent: number of requests at the same time, at least 1.
        patience: seconds for an answer. A later one is asked for once more, then the game is lost.
        pause: seconds before a request is repeated after a failure of the server; they double each time.

    Raises:
        ValueError: the name or a limit is not valid.
    """

    def __init__(
        self,
        game: Game,
        model: str,
        *,
        limits: Limits | None = None,
        transcripts: Transcripts | None = None,
        concurrent: int = CONCURRENT,
        patience: float = PATIENCE,
        pause: float = 1.0,
    ):
        self.game, self.model = game, ModelName.parse(model)
        self.name = str(self.model)
        first = prompt(turn_of(game, game.start(0)))
        self.digest = sha256(f"{self.name}\n{first}".encode()).hexdigest()[:16]
        """Digest of the name and of the texts that the model gets. The weights behind a server are not known."""
        self.notes_size = NOTES
        """Number of latest decisions of a game that the player wants in `DecisionBatch.notes`."""
        self.occasion = ""
        """What the games belong to, for the transcripts, such as two players and a block of a ladder."""
        self.on_game: Callable[[dict[str, Any]], None] | None = None
        """Called with the transcript of each game once it is over or broken off."""
        self.account = Account()
        self._pause = pause
        self._client: ChatClient | None = None
        self._following = Following()
        self._talks: dict[tuple[int, int], Talk] = {}
        self.use(Budget(limits), transcripts, concurrent, patience)

    def __repr__(self) -> str:
        return f"LanguageModel({self.game.id}, {self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        raise ValueError(f"leave out --jobs and --on: {self.name} asks in all games at the same time from one process")

    def use(self, budget: Budget, transcripts: Transcripts | None, concurrent: int, patience: float) -> None:
        """Set limits, transcripts, the number of requests at the same time, and seconds for an answer.

        Raises:
            ValueError: a value is wrong, or a price is missing. Nothing has changed then.
        """
        concurrent, patience = whole("concurrent", concurrent, 1), time_limit("patience", patience)
        budget.join(self.model.model, self.account)
        self.close()  # games that are on belong to the earlier transcripts
        self.concurrent, self.patience, self.budget, self.transcripts = concurrent, patience, budget, transcripts

    def close(self, unfinished: bool = True) -> None:
        """Close the connections, and end all conversations. A new one tells its game from the beginning.

        Args:
            unfinished: whether the games that have not ended are written to the transcripts as broken off. They are not
                if a later run continues them.
        """
        if self._client is not None:
            self._client.close()
            self._client = None
        for row in {row for row, _ in self._talks}:
            if unfinished:
                self._write(row, "broken off")
        self._talks.clear()
        for seat in range(self.game.num_players):
            self._following.restart(seat)

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the model's action for each of `decisions.rows`, int64 [k].

        Raises:
            PlayerFailed: the model gave no legal action in a game. The answers in the other games are kept.
            PlayerUnavailable: the server fails, or a limit is spent.
        """
        d = decisions
        known: dict[int, int] = {}
        asked: list[tuple[int, Talk, Turn]] = []
        for row in d.rows.tolist():
            if (earlier := self._following.answer(d, row)) is not None:
                known[row] = earlier
            else:
                asked.append((row, *self._informed(d, row)))
        failed = None
        jobs = [lambda talk=talk, turn=turn: self._decide(talk, turn) for _, talk, turn in asked]
        for number, found in self._results(d, [row for row, *_ in asked], jobs):
            row, talk, turn = asked[number]
            talk.told = None
            if isinstance(found, str):
                known[row] = d.game.string_to_action(as_record(d.states, row), found, turn.seat)
                self._following.answered(d, row, known[row])
                continue
            self.account.forfeits += 1
            failed = PlayerFailed(self.name, turn.seat, [row], f"failed in seat {turn.seat}: {found[0]}", found[1])
            self._following.answered(d, row, failed)
            self._write(row, "forfeit", {"seat": turn.seat, "message": one_line(failed, 500)})
        if failed is not None:
            raise failed
        return np.array([known[row] for row in d.rows.tolist()], np.int64)

    def believe(self, turns: Sequence[Turn], seeds: Sequence[int]) -> list[tuple[Beliefs, list[dict[str, Any]]]]:
        """Ask the model what it believes about hidden things, in a new conversation for each decision.

        After an answer that is not valid it is told what is wrong, up to `retries` times. The last answer counts.

        Args:
            turns: the decisions, with `unknowns`, and with all that the seat has seen since the game began.
            seeds: a number for each decision, so that a later run finds its answers in the transcripts.

        Returns:
            For each decision what was read from the last answer, and the exchanges: prompts, answers and verdicts.

        Raises:
            PlayerUnavailable: the server fails, or a limit is spent.
        """
        found: dict[int, tuple[Beliefs, list[dict[str, Any]]]] = {}
        asked = zip(turns, seeds, strict=True)
        jobs = [lambda turn=turn, seed=seed: self._beliefs_at(turn, seed) for turn, seed in asked]
        for number, each in _side_by_side(jobs, self.concurrent):
            found[number] = each
        return [found[number] for number in range(len(turns))]

    def _beliefs_at(self, turn: Turn, seed: int) -> tuple[Beliefs, list[dict[str, Any]]]:
        """Ask about one decision."""
        talk = Talk(seed, [{"role": "system", "content": belief_briefing(turn.game, turn.seat)}])
        told, exchanges = belief_question(turn), []
        beliefs = parse_beliefs("", turn.unknowns)
        for number in range(1 + self.model.retries):
            talk.messages.append({"role": "user", "content": told})
            try:
                answer = self._answer(talk)
            except NoCompletion as error:
                exchanges.append({"prompt": told, "failure": str(error)})
                self._count(number)
                return parse_beliefs("", turn.unknowns), exchanges
            talk.messages.append({"role": "assistant", "content": answer.text or NO_TEXT})
            beliefs = parse_beliefs("" if answer.oversize else answer.text, turn.unknowns)
            exchanges.append({
                "prompt": told, "answer": answer.text, "verdict": str(beliefs.verdict), "wrong": [*beliefs.wrong]
            })  # fmt: skip
            self._count(number, answer, beliefs.verdict)
            if beliefs.verdict is BeliefVerdict.OK:
                break
            told = belief_correction(beliefs)
        return beliefs, exchanges

    def ended(self, row: int, seat: int, returns: np.ndarray, notes: Notes | None) -> None:
        """Write the transcript of a game once all seats of the model have received the result."""
        news = self._following.ending(row, seat, notes)
        talk = self._talks.get((row, seat))
        if talk is None or notes is None:
            return
        if news is None:  # the model was asked in an earlier game of the row only
            self._write(row, "broken off")
            return
        talk.played = _whole_game(notes, row, talk.played, talk.played)
        if seat == max(each for place, each in self._talks if place == row):
            self._write(row, "played")

    def _results(
        self, d: DecisionBatch, rows: Sequence[int], jobs: Sequence[Callable[[], Any]]
    ) -> Iterable[tuple[int, Any]]:
        """Decide in all rows; yield the number and the result of each, as they come.

        If the model cannot be asked any more, the decisions without a result continue when they are requested again.
        """
        left = {*range(len(rows))}
        try:
            for number, found in _side_by_side(jobs, self.concurrent):
                left.remove(number)
                yield number, found
        except PlayerUnavailable:
            for number in left:
                self._following.take_back(d, rows[number])
            raise

    def _informed(self, d: DecisionBatch, row: int) -> tuple[Talk, Turn]:
        """Return the conversation of a seat and its decision."""
        news = self._following.news(d, row, True)
        turn = turn_of(d.game, d.states[row : row + 1].copy(), news.events)
        assert d.notes is not None  # `news` has checked both
        assert d.games is not None
        number, position = int(d.games[row]), int(d.notes.count[row])
        if any(place == row and talk.game != number for (place, _), talk in self._talks.items()):
            self._write(row, "broken off")
        talk = self._talks.get((row, news.seat))
        if talk is not None and talk.told is not None and talk.position == position:
            return talk, turn
        if talk is None or news.begins:
            told = [{"role": "system", "content": briefing(d.game, news.seat)}]
            talk = self._talks[row, news.seat] = Talk(draw_seed(d.rng[row]), told, game=number)
        start = Noted(d.states[row : row + 1].copy(), np.zeros(0, np.int64))
        talk.played, talk.position = _whole_game(d.notes, row, start, talk.played), position
        talk.turns.append({"position": position, "legal": [*turn.legal], "exchanges": []})
        talk.told = question(turn, self.model.mode == "listed")
        return talk, turn

    def _decide(self, talk: Talk, turn: Turn) -> str | tuple[str, str]:
        """Return the text of a legal action; or why there is none, as a public and a private part."""
        exchanges, reply = talk.turns[-1]["exchanges"], None
        for number in range(len(exchanges), 1 + self.model.retries):
            told = talk.told or ""
            talk.messages.append({"role": "user", "content": told})
            try:
                answer = self._answer(talk)
            except NoCompletion as error:
                exchanges.append({"prompt": told, "failure": str(error)})
                self._count(number)
                return f"it gave no answer ({error.kind})", str(error)
            except PlayerUnavailable:
                talk.messages.pop()
                raise
            talk.messages.append({"role": "assistant", "content": answer.text or NO_TEXT})
            reply = _read(answer, turn.legal)
            exchanges.append({"prompt": told, "answer": answer.text, "verdict": str(reply.verdict), "said": reply.said})
            self._count(number, answer, reply.verdict)
            if reply.action is not None:
                return reply.action
            talk.told = correction(reply, None if self.model.mode == "rules" else turn.legal, turn.why_not(reply.said))
        assert reply is not None
        tries = "1 answer" if self.model.retries == 0 else f"{1 + self.model.retries} answers"
        return f"no legal action in {tries}", f"the last one is {reply.verdict}: {reply.said}"

    def _answer(self, talk: Talk) -> Completion:
        """Return the next answer, of an earlier run or of the model, and count it."""
        account, transcripts = self.account, self.transcripts
        key = key_of(self.digest, talk.seed, self.occasion, talk.messages)
        answer = None if transcripts is None else transcripts.earlier(key)
        resumed = answer is not None
        if answer is None:
            if spent := self.budget.spent():
                raise self._unavailable(f"is not asked any more: {spent}")
            try:
                answer = self._connection().ask(talk.messages, self._count_failure)
            except NoCompletion as error:
                # What the server refuses or answers too late is a matter of this game; anything else is not.
                if error.stops or (error.again and error.kind != "timeout"):
                    raise self._unavailable(f"gave no answer: {error}") from None
                raise
            if transcripts is not None:
                transcripts.add_answer(key, answer)
        with self.budget.lock:
            account.answers += 1
            account.resumed += resumed
            account.seconds += answer.seconds
            account.unmetered += None in (answer.tokens_in, answer.tokens_out)
            asked = sum(len(each["content"]) for each in talk.messages)
            account.tokens_in += -(-asked // 4) if answer.tokens_in is None else answer.tokens_in
            characters = MAX_ANSWER if answer.oversize else len(answer.text)
            account.tokens_out += -(-characters // 4) if answer.tokens_out is None else answer.tokens_out
        return answer

    def _count(self, number: int, answer: Completion | None = None, verdict: str = "") -> None:
        """Count the `number`th answer at a decision and what is special about it; None: there was no answer."""
        account = self.account
        with self.budget.lock:
            account.decisions += number == 0
            if answer is not None:
                setattr(account, verdict, getattr(account, verdict) + 1)
                account.retries += number > 0
                account.empty += not answer.text.strip()
                account.oversize += answer.oversize
                account.cut += answer.cut

    def _connection(self) -> ChatClient:
        with self.budget.lock:
            if self._client is None:
                self._client = ChatClient(self.model, self.patience, self._pause)
            return self._client

    def _count_failure(self, kind: str) -> None:
        with self.budget.lock:
            self.account.failures[kind] += 1

    def _unavailable(self, what: str) -> PlayerUnavailable:
        saved = "; the same command with the same transcripts continues from here" if self.transcripts else ""
        return PlayerUnavailable(self.name, -1, [], f"{what.rstrip('.') if saved else what}{saved}")

    def _write(self, row: int, how: str, lost: dict[str, Any] | None = None) -> None:
        """Write the transcript of the game in a row, and forget its conversations."""
        talks = {seat: self._talks.pop((row, seat)) for place, seat in sorted(self._talks) if place == row}
        if not talks or (self.transcripts is None and self.on_game is None):
            return
        known = [talk.played for talk in talks.values() if talk.played is not None]
        seats = {
            str(seat): {
                "briefing": talk.messages[0]["content"],
                "decisions": [each for each in talk.turns if each["exchanges"]],
            }
            for seat, talk in talks.items()
        }
        line = {
            "model": self.name,
            "occasion": self.occasion,
            "ended": how,
            "forfeit": lost,
            "game": _record(self.game, max(known, key=lambda played: len(played.actions)), lost) if known else None,
            "seats": seats,
        }
        if self.transcripts is not None:
            self.transcripts.add_game(line)
        if self.on_game is not None:
            self.on_game(line)


def _whole_game(notes: Notes, row: int, start: Noted | None, known: Noted | None) -> Noted | None:
    """Return the game of a row from its beginning; `start` before its first decision.

    `known` is the game as it was known before. None if decisions are lost, which neither it nor the notes have.
    """
    if not notes.count[row]:
        return start
    latest = notes.of(row)
    dropped = int(notes.count[row]) - len(latest.actions)
    if not dropped:
        return latest
    if known is None or len(known.actions) < dropped:
        return None
    parts = [Noted(known.states[:dropped], known.actions[:dropped]), latest]
    return Noted(*(np.concatenate(each) for each in zip(*parts, strict=True)))


def _record(game: Game, played: Noted, lost: dict[str, Any] | None) -> dict[str, Any]:
    """Return the record of a game as plain JSON values."""
    state, forfeit = game.state_to_dict(as_record(played.states, 0)), None if lost is None else lost["seat"]
    return json.loads(make_record(game, played.actions.tolist(), state=state, forfeit=forfeit).to_line())


def _read(answer: Completion, legal: Sequence[str]) -> Reply:
    """Read an answer. One that is too long names no action."""
    if answer.oversize:
        return Reply(Verdict.UNPARSEABLE, None, one_line(answer.text, 200))
    return parse(answer.text, legal)


def _side_by_side(jobs: Sequence[Callable[[], Any]], concurrent: int) -> Iterable[tuple[int, Any]]:
    """Run functions in threads; yield the number and the result of each, as they come.

    An exception of a function is raised once the functions that were running have ended; the others are not called.
    """
    todo: SimpleQueue[tuple[int, Callable[[], Any]]] = SimpleQueue()
    done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
    for each in enumerate(jobs):
        todo.put(each)

    def work() -> None:
        while True:
            try:
                number, job = todo.get_nowait()
            except Empty:
                return
            try:
                done.put((number, job(), None))
            except BaseException as error:
                done.put((number, discard(), error))

    def discard() -> int:
        """Empty the queue; return how many jobs were in it."""
        count = 0
        while True:
            try:
                todo.get_nowait()
            except Empty:
                return count
            count += 1

    # Daemons, so that Ctrl-C does not wait for a server.
    for _ in range(min(concurrent, len(jobs))):
        threading.Thread(target=work, daemon=True).start()
    left, raised = len(jobs), None
    try:
        while left:
            number, found, error = done.get()
            left -= 1
            if error is None:
                yield number, found
            else:
                raised, left = raised or error, left - found
    finally:
        discard()
    if raised is not None:
        raise raised


def language_models(players: Iterable[Player]) -> list[LanguageModel]:
    """Return the language models among players and the members of mixtures, each once."""
    found: dict[int, LanguageModel] = {}
    for player in players:
        for each in members_of(player):
            if isinstance(each, LanguageModel):
                found[id(each)] = each
    return [*found.values()]


def load_player(game: Game, argument: str) -> LanguageModel:
    """Make the player `llm:MODEL[@URL][,SETTING=VALUE...]`; the entry point of the kind `llm`.

    Raises:
        ValueError: the name is not valid, or the extra `llm` is missing.
    """
    player = LanguageModel(game, argument)
    ChatClient(player.model).close()  # fails here, not at the first decision, if the extra is missing
    return player
