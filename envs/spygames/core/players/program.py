"""Players that are programs, the kind `command:PROGRAM`. They read and write JSON lines (docs/bot_protocol.md)."""

import json
import os
import shlex
import shutil
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from spygames.core.basics.text import one_line, shown
from spygames.core.basics.version import VERSION
from spygames.core.compiling.digest import file_digest
from spygames.core.game.game import Game, as_record
from spygames.core.game.validation import same, time_limit
from spygames.core.players.events import NOTES, Following, draw_seed
from spygames.core.players.history import Notes
from spygames.core.players.json_lines import Pipe, PipeError, PipeLate
from spygames.core.players.player import DecisionBatch, PlayerFailed, PlayerTooSlow
from spygames.core.players.turns import briefing, chosen, question, turn_of

__all__ = ["DECISION_LIMIT", "PROTOCOL", "START_LIMIT", "CommandPlayer", "load_player"]

PROTOCOL = 2
"""Version of the protocol in docs/bot_protocol.md."""
START_LIMIT = 30.0
"""Default time limit in seconds from the start of a program to its answer to `hello`."""
DECISION_LIMIT = 10.0
"""Default time limit for a decision in seconds."""
TEXT = "text"
"""What a program may want besides: the decisions as texts (`spygames.text`)."""
MAX_FAILURES = 3
"""Number of failures in a row after which a program is not started again."""


class CommandPlayer:
    """A program as a `Player`. It runs as one process per seat, which plays all games of the seat.

    Example:
        >>> import shlex, sys
        >>> from spygames import make_game
        >>> from spygames.players import CommandPlayer
        >>> command = shlex.join([sys.executable, "my_bot.py"])
        >>> player = CommandPlayer(make_game("agent_avenue_v0"), command, decision_limit=1)
        >>> player.decision_limit
        1.0

    Args:
        game: the game to play.
        command: the program and its arguments, quoted as in a shell.
        start_limit: seconds from the start of the program to its answer to `hello`, 0.001 to 10^6.
        decision_limit: seconds for a decision, 0.001 to 10^6.

    Raises:
        ValueError: the program does not exist, or a limit is out of its range.
    """

    notes_size = NOTES
    """Number of latest decisions of a game that the player wants in `DecisionBatch.notes`."""

    def __init__(
        self, game: Game, command: str, start_limit: float = START_LIMIT, decision_limit: float = DECISION_LIMIT
    ):
        self.game, self.command, self.name = game, command, f"command:{command}"
        self.start_limit = time_limit("start_limit", start_limit)
        self.decision_limit = time_limit("decision_limit", decision_limit)
        self._arguments = _split(command)
        self._following = Following()
        self._pipes: dict[int, Pipe] = {}
        self._wants_text: dict[int, bool] = {}  # by seat: whether its process has asked for texts
        self._asked: dict[int, int] = {}  # number of decisions that the process of a seat was asked for
        self._failures: dict[int, int] = {}

    def __repr__(self) -> str:
        return f"CommandPlayer({self.game.id}, {self.command!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return CommandPlayer, (self.game, self.command, self.start_limit, self.decision_limit)

    @cached_property
    def digest(self) -> str | None:
        """Digest of the program and of its arguments that are files; None if one of them cannot be read."""
        program, *arguments = self._arguments
        return file_digest(shutil.which(program) or program, *(word for word in arguments if os.path.isfile(word)))

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the program's action for each of `decisions.rows`, int64 [k].

        Raises:
            PlayerFailed: the program gave no legal action in time.
        """
        return np.array([self._answer(decisions, row) for row in decisions.rows.tolist()], np.int64)

    def ended(self, row: int, seat: int, returns: np.ndarray, notes: Notes | None) -> None:
        """Send the result of a finished game to the program of a seat."""
        news = self._following.ending(row, seat, notes, self._wants_text.get(seat, False))
        pipe = self._pipes.get(seat)
        if news is not None and pipe is not None:
            pipe.send({"type": "result", "id": news.game, "events": news.events, "returns": returns.tolist()})

    def close(self) -> None:
        """End all processes. A seat that is asked again gets a new process."""
        for seat in list(self._pipes):
            self._end(seat)

    def _answer(self, d: DecisionBatch, row: int) -> int:
        """Return the program's action in one game."""
        if (earlier := self._following.answer(d, row)) is not None:
            return earlier
        seat = int(d.states["to_move"][row])
        if self._failures.get(seat, 0) >= MAX_FAILURES:
            what = f"failed in seat {seat}"
            raise PlayerFailed(self.name, seat, [row], f"{what}: it has failed {MAX_FAILURES} times in a row")
        try:
            pipe = self._pipe(seat)
            wants_text = self._wants_text.get(seat, False)
            news = self._following.news(d, row, wants_text)
            asked, texts = decision(d, row, seat)
            if news.begins:
                told = {"briefing": briefing(d.game, seat)} if wants_text else {}
                pipe.send({"type": "start", "id": news.game} | told)
            if wants_text:
                turn = turn_of(d.game, d.states[row : row + 1].copy(), news.events)
                asked |= {"seen": turn.seen, "text": question(turn)}
            self._asked[seat] = number = self._asked.get(seat, 0) + 1
            pipe.send({"type": "decision", "id": news.game, "decision": number, "events": news.events} | asked)
            text = _action(pipe.receive(self.decision_limit), news.game, number)
            if wants_text:
                text = chosen(text, [*texts]) or text
        except PipeError as error:
            raise self._failed(d, row, error) from None
        self._failures[seat] = 0
        if text not in texts:
            why = turn_of(d.game, d.states[row : row + 1].copy()).why_not(text)
            because = "" if why is None else f": {why}"
            detail = f"{shown(text)} for seat {seat}{because}; legal are {_some(list(texts))}"
            failed = PlayerFailed(self.name, seat, [row], "answered an illegal action", detail)
            self._following.answered(d, row, failed)
            raise failed
        self._following.answered(d, row, texts[text])
        return texts[text]

    def _pipe(self, seat: int) -> Pipe:
        """Return the process of a seat, started if necessary."""
        if seat not in self._pipes:
            self._pipes[seat] = pipe = Pipe(self._arguments)
            pipe.send(hello(self.game, seat))
            self._wants_text[seat] = _check_hello(pipe.receive(self.start_limit))
        return self._pipes[seat]

    def _failed(self, d: DecisionBatch, row: int, error: PipeError) -> PlayerFailed:
        seat = int(d.states["to_move"][row])
        self._failures[seat] = self._failures.get(seat, 0) + 1
        last = self._end(seat)
        detail = "; ".join(part for part in (error.detail, last and f"last on its stderr: {one_line(last)}") if part)
        kind = PlayerTooSlow if isinstance(error, PipeLate) else PlayerFailed
        failed = kind(self.name, seat, [row], f"failed in seat {seat}: it {error.what}", detail)
        self._following.answered(d, row, failed)
        return failed

    def _end(self, seat: int) -> str:
        """End the process of a seat and return its last line on stderr.

        The next process receives all events of its running games again.
        """
        self._following.restart(seat)
        self._asked.pop(seat, None)
        pipe = self._pipes.pop(seat, None)
        if pipe is None:
            return ""
        pipe.close()
        return pipe.last_error


def hello(game: Game, seat: int) -> dict[str, Any]:
    """Return the first message to a program."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "spygames": VERSION,
        "game": game.id,
        "options": dict(game.options),
        "players": game.num_players,
        "seat": seat,
        "offers": [TEXT],
    }


def decision(d: DecisionBatch, row: int, seat: int) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the fields of a decision message, and the legal actions by their texts.

    The seed of the message is drawn from the random stream of the game.
    """
    s, game = as_record(d.states, row), d.game
    texts = {game.action_to_string(s, int(action), seat): int(action) for action in np.flatnonzero(d.mask[row])}
    view = {name: d.views[name][row].tolist() for name in game.view_dtype.names or ()}
    return {"view": view, "legal": list(texts), "seed": draw_seed(d.rng[row])}, texts


def _check_hello(answer: Mapping[str, Any]) -> bool:
    """Return whether a program wants texts. Raise PipeError unless `answer` is a valid answer to `hello`."""
    right, protocol = {"type": "hello", "protocol": PROTOCOL}, answer.get("protocol")
    if answer.get("type") == "hello" and type(protocol) is int and protocol < PROTOCOL:
        what = f'protocol {PROTOCOL} is {json.dumps(right)}, and each answer repeats "decision" of its question'
        raise PipeError(f"speaks protocol {protocol}, not {PROTOCOL}", what)
    if not all(same(answer.get(key), value) for key, value in right.items()):
        raise PipeError("gave a wrong answer to hello", f"{shown(answer)} instead of {json.dumps(right)}")
    wanted = answer.get("want", [])
    if wanted not in ([], [TEXT]):
        raise PipeError("gave a wrong answer to hello", f'"want" must be [] or ["{TEXT}"], not {shown(wanted)}')
    return bool(wanted)


def _action(answer: Mapping[str, Any], game: int, number: int) -> str:
    """Return the text of an answer. Raise PipeError unless it answers the question with that number."""
    text, repeated = answer.get("action"), {"type": "action", "id": game, "decision": number}
    if not isinstance(text, str) or not all(same(answer.get(key), value) for key, value in repeated.items()):
        right = f'{{"type": "action", "id": {game}, "decision": {number}, "action": TEXT}}'
        raise PipeError("gave a wrong answer to the question", f"{shown(dict(answer))} instead of {right}")
    return text


def _some(texts: list[str], most: int = 5) -> str:
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return ", ".join(texts[:most]) + more


def _split(command: str) -> list[str]:
    """Split a command into words. Raise ValueError if the first word is not an executable program."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"{shown(f'command:{command}')}: {one_line(error)}") from None
    if not words or shutil.which(words[0]) is None:
        program = shown(words[0]) if words else "the program ''"
        raise ValueError(f"{shown(f'command:{command}')}: {program} does not exist or is not executable")
    return words


def load_player(game: Game, argument: str) -> CommandPlayer:
    """Make the player `command:PROGRAM ARGUMENTS`; the entry point of the kind `command`.

    Raises:
        ValueError: the program does not exist.
    """
    return CommandPlayer(game, argument)
