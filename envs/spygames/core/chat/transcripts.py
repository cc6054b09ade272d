"""Transcripts of language models: every answer as it comes, and one line for each game.

A folder has two files. `answers.jsonl` has a line for each answer; a later run with the same games takes answers from
there and does not ask again. `games.jsonl` has a line for each game, which replays: the record of the game, and for
each decision of a model the prompts, the answers and the verdicts. A game of several models has a line for each.
"""

import json
import os
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from spygames.core.basics.json_values import is_count, is_number, parse_json
from spygames.core.basics.text import one_line
from spygames.core.chat.client import Completion
from spygames.core.records.film import Said
from spygames.core.records.record import RecordError, recorded_lines, text_of

ANSWERS, GAMES = "answers.jsonl", "games.jsonl"


class Transcripts:
    """A folder of transcripts. Several threads and players may use it at the same time, but one command only.

    Args:
        folder: the folder; it is created if it does not exist.

    Raises:
        OSError: the folder or its files cannot be written.
        ValueError: a file in the folder holds something else.
    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)
        if self.folder.exists() and not self.folder.is_dir():
            raise ValueError(f"{one_line(self.folder)} must be a folder, not a file")
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._answers: dict[str, deque[Completion]] = {}
        for number, line in stored_lines(self.folder / ANSWERS):
            key, answer = _read_answer(line, f"{self.folder / ANSWERS}, line {number}")
            self._answers.setdefault(key, deque()).append(answer)
        self._games: Counter[str] = Counter()
        for number, line in stored_lines(self.folder / GAMES):
            if not isinstance(line, dict) or not isinstance(line.get("id"), str):
                raise ValueError(f"{self.folder / GAMES}, line {number} is not the transcript of a game")
            self._games[line["id"]] += 1

    def earlier(self, key: str) -> Completion | None:
        """Take the next answer of an earlier run to a conversation (`key_of`); None: there is no further one."""
        with self._lock:
            found = self._answers.get(key)
            return found.popleft() if found else None

    def add_answer(self, key: str, answer: Completion) -> None:
        """Write an answer."""
        self._append(ANSWERS, {"key": key, **answer._asdict()})

    def add_game(self, line: Mapping[str, Any]) -> None:
        """Write the line of a game, unless an earlier run has written it."""
        text = json.dumps(line, sort_keys=True)
        name = sha256(text.encode()).hexdigest()[:16]
        with self._lock:
            if self._games[name] > 0:
                self._games[name] -= 1
                return
        self._append(GAMES, {"id": name, **line})

    def _append(self, name: str, line: Mapping[str, Any]) -> None:
        with self._lock, open(self.folder / name, "ab") as file:
            file.write(json.dumps(line).encode("ascii") + b"\n")


def load_said(path: str | os.PathLike[str]) -> list[dict[int, Said]]:
    """Read what language models said from a file of transcripts or of recorded games, one line a game.

    Returns:
        For each game what was said, by all its models, by the number of moves before the decision; empty for a line of
        `save_games`. The games are those of `load_games`.

    Raises:
        RecordError: the file is not text in UTF-8, or a line is not a transcript.
        OSError: the file cannot be read.
    """
    return read_said(text_of(path), f"{one_line(path)}, ")


def read_said(text: str, where: str = "") -> list[dict[int, Said]]:
    """Read what was said from the text of a file, see `load_said`."""
    found = []
    for game in recorded_lines(text, where):
        said: dict[int, Said] = {}
        for line in game:
            try:
                said.update(said_in(line.content))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                raise RecordError(f"{line.where} is not a transcript: {one_line(error)}") from None
        found.append(said)
    return found


def said_in(line: Any) -> dict[int, Said]:
    """Return what was said in the transcript of a game, by the number of moves before the decision.

    Raises:
        ValueError, LookupError, TypeError, AttributeError: it is not a transcript.
    """
    found = {}
    for seat in line.get("seats", {}).values():
        for turn in seat["decisions"]:
            if not is_count(turn["position"]):
                raise ValueError("a decision needs its position, the number of moves before it")
            answers = [
                (str(each["verdict"]), str(each["answer"])) if "answer" in each else ("failure", str(each["failure"]))
                for each in turn["exchanges"]
            ]
            found[turn["position"]] = Said(str(line["model"]), tuple(answers))
    return found


def key_of(digest: str, seed: int, occasion: str, messages: Sequence[Mapping[str, str]]) -> str:
    """Return the key of a conversation of a game: who is asked, in which game, and what was said."""
    return sha256(json.dumps([digest, seed, occasion, *messages]).encode()).hexdigest()[:32]


def stored_lines(file: Path) -> Iterator[tuple[int, Any]]:
    """Yield the values of a file of JSON lines with their numbers; none if there is no file.

    A last line that a kill truncated is removed from the file. ValueError for a line that is not JSON.
    """
    if not file.exists():
        return
    with open(file, "rb+") as stream:
        size = number = 0
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                stream.truncate(size)
                return
            size += len(line)
            try:
                found = parse_json(line)
            except ValueError as error:
                raise ValueError(f"{file}, line {number} is not JSON: {error}") from None
            yield number, found


def _read_answer(line: Any, where: str) -> tuple[str, Completion]:
    values = dict(line) if isinstance(line, dict) else {}
    key = values.pop("key", None)
    tokens = [values.get("tokens_in"), values.get("tokens_out")]
    right = (
        isinstance(key, str)
        and set(values) == set(Completion._fields)
        and isinstance(values["text"], str)
        and all(isinstance(values[flag], bool) for flag in ("oversize", "cut"))
        and all(each is None or is_count(each) for each in tokens)
        and is_number(values["seconds"])
    )
    if not right:
        raise ValueError(f"{where} is not an answer of a transcript")
    return str(key), Completion(**values)
