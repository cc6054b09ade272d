"""The lines of a ladder: the result of one block of deals each, as JSON.

A line has two parts. `block` has the game, the players and the result. It is the same, byte for byte, whenever the
block is played again on the same machine. `made` says when, where and how fast it was played, and is never compared.
"""

import json
import os
import platform
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from filelock import FileLock, Timeout

from spygames.core.basics.files import read_text
from spygames.core.basics.json_numbers import read_uint64, written
from spygames.core.basics.json_values import LARGEST, is_count, is_number, parse_json
from spygames.core.basics.text import one_line, shown
from spygames.core.basics.version import VERSION
from spygames.core.chat.player import language_models
from spygames.core.game.game import Game
from spygames.core.game.registry import imports_code, make_game, name_of
from spygames.core.game.validation import same
from spygames.core.players.mixture import MixturePlayer, members_of
from spygames.core.players.names import PlayerName, runs_code
from spygames.core.players.player import DecisionBatch, Player
from spygames.core.players.program import CommandPlayer
from spygames.core.players.python_function import PythonPlayer
from spygames_training.evaluation.blocks import DEALS, Block, play_block
from spygames_training.evaluation.digests import full_name, game_digest, player_digest, worlds_of
from spygames_training.evaluation.evaluation import PROTOCOL
from spygames_training.evaluation.forfeits import Referee, checked_limit
from spygames_training.parallel.executor import Progress
from spygames_training.system.machine import installed_version, instructions

MAX_BYTES = 1 << 30
"""Maximum size of a ladder's file."""
LIMIT = 10.0
"""Seconds for a decision by default, in games without a language model."""
WITH_MODELS = 1e6
"""The same in games with one: the time that its server takes is limited by the requests (`LanguageModel.patience`)."""
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""A line has one digit for each game: the winning sides of the first player (0 or 1) plus twice those of the second."""


class LadderError(ValueError):
    """A ladder's file cannot be read or continued; the message is one line."""


class Entry(NamedTuple):
    """A player of a ladder, as written in its lines."""

    name: str
    """The name as `make_player` takes it."""
    digest: str | None
    """See `player_digest`."""


@dataclass(frozen=True)
class Line:
    """A line of a ladder: the result of one block."""

    game: dict[str, Any]
    """`id`, which includes the version of the rules, and `options`."""
    players: tuple[Entry, Entry]
    """The first player had each side of each deal in turn, the second all others. Twice the same: it had all sides."""
    seed: int
    number: int
    """The block's number."""
    wins: np.ndarray
    """See `Block.wins`."""
    forfeits: list[list[Any]]
    """Games lost because a player failed, see `Block.forfeits`: the game's number, the player (0 or 1), the reason."""
    made: dict[str, Any]
    protocol: int = PROTOCOL

    @property
    def key(self) -> tuple[str, str, int]:
        """The key that identifies a line in its ladder: the names of the players, and the block's number."""
        return self.players[0].name, self.players[1].name, self.number

    def compared(self) -> str:
        """Return the part that is the same whenever the block is played, as JSON."""
        wins = self.wins
        block = {
            "protocol": self.protocol,
            "game": self.game,
            "players": [{"name": entry.name, "digest": entry.digest} for entry in self.players],
            "seed": written(self.seed),
            "block": self.number,
            "deals": len(wins),
            "wins": "".join(DIGITS[own + 2 * others] for own, others in wins.reshape(-1, 2).tolist()),
            "forfeits": self.forfeits,
        }
        return json.dumps(block, sort_keys=True)

    def text(self) -> str:
        """Return the whole line, with its newline."""
        return f'{{"block": {self.compared()}, "made": {json.dumps(self.made, sort_keys=True)}}}\n'


class Timed:
    """A player with a timer; all other attributes are those of the player."""

    def __init__(self, player: Player):
        self.player, self.name = player, player.name
        self.decisions, self.seconds = 0, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.player, name)

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the player's answer and measure its CPU time."""
        began = time.process_time()
        try:
            return self.player.act(decisions)
        finally:
            self.seconds += time.process_time() - began
            self.decisions += len(decisions.rows)


def play_line(
    game: Game,
    first: tuple[Entry, Player],
    second: tuple[Entry, Player],
    seed: int,
    number: int,
    limit: float | None,
    progress: Progress | None = None,
    deals: int = DEALS,
) -> Line:
    """Play a block. `first` and `second` may be the same entry, which then plays itself.

    Args:
        game: the game to play.
        first: a player with its entry.
        second: the other player with its entry.
        seed: 0..2^64-1, of the ladder.
        number: the block's number, from 0.
        limit: see `Referee`. None: `LIMIT`; only programs and code have it in games with a language model.
        progress: see `Progress`.
        deals: number of deals of a block, 1 to `DEALS`.
    """
    models, began = language_models([first[1], second[1]]), time.monotonic()
    limit = checked_limit(limit)
    referee = Referee((WITH_MODELS if models else LIMIT) if limit is None else limit)
    own = LIMIT if limit is None else limit
    timed = [Timed(_fresh(first[1], own))]
    timed.append(timed[0] if first[0] == second[0] else Timed(_fresh(second[1], own)))
    for model in models:
        model.occasion = f"{first[0].name} - {second[0].name}, block {number}"
    try:
        block = play_block(game, timed[0], timed[1], seed, number, deals, referee, progress)
    finally:
        for each in timed:
            for member in members_of(each.player):
                if isinstance(member, CommandPlayer):
                    member.close()
    made = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seconds": round(time.monotonic() - began, 2),
        "decisions": [player.decisions for player in timed],
        "cpu_seconds": [round(player.seconds, 3) for player in timed],
        "spygames": VERSION,
        "rules": game_digest(game),
        "worlds": game.worlds_version,
        "torch": installed_version("torch"),
        "machine": f"{platform.system()} {platform.machine()}",
        "instructions": instructions(),
    }
    if referee.forfeits:
        made["messages"] = list(dict.fromkeys(f.message for f in referee.forfeits.values()))[:10]
    about = {"id": name_of(game), "options": dict(game.options)}
    return Line(
        about, (first[0], second[0]), seed, number, block.wins, _forfeits(game, block, first[0] == second[0]), made
    )


def _fresh(player: Player, limit: float) -> Player:
    """Return the player for one block. A player with state between games, such as a program, is copied, so that a block
    does not depend on earlier ones."""
    if isinstance(player, MixturePlayer):
        return MixturePlayer(player.game, [_fresh(member, limit) for member in player.members])
    if isinstance(player, CommandPlayer | PythonPlayer):
        player = copy(player)
        player.decision_limit = limit  # these players answer game by game
    return player


def _forfeits(game: Game, block: Block, alone: bool) -> list[list[Any]]:
    """Forfeits by the game's number: the player that failed, and the reason."""
    games, found = block.wins.shape[1], []
    for row, forfeit in sorted(block.forfeits.items()):
        own = not alone and game.side_of[forfeit.seat] == row % games
        found.append([row, 0 if own else 1, forfeit.reason])
    return found


def entry_of(game: Game, name: str | PlayerName, player: Player) -> Entry:
    """Return the entry of a player: its name, which always says how it plays (`full_name`), and its digest."""
    return Entry(str(full_name(game, name, player)), player_digest(game, player))


def check_harmless(name: str) -> None:
    """Raise LadderError if a player's name from a file may run code that the file chooses (`runs_code`)."""
    if runs_code(name):
        raise LadderError(
            f"the file names the player {shown(name)}, which may run any code; pass --allow-code to allow it"
        )


def game_of(line: Line, allow_code: bool = False) -> Game:
    """Make the game of a line; LadderError if there is no such game."""
    name, options = line.game["id"], line.game["options"]
    if imports_code(name) and not allow_code:
        raise LadderError(
            f"the file is for {shown(name)}, which is not a game of spygames; pass --allow-code to import it"
        )
    try:
        return make_game(name, **options)
    except (ValueError, TypeError) as error:
        raise LadderError(f"the game of the file is not available: {one_line(error, 200)}") from None


def read_lines(file: Path) -> list[Line]:
    """Read the lines of a ladder's file; none if there is no file. A last line that a kill truncated is ignored.

    Raises:
        LadderError: names the first line that is invalid or inconsistent with the lines before it.
    """
    if not file.exists():
        return []
    try:
        *texts, _ = read_text(file, MAX_BYTES).split("\n")
    except ValueError as error:
        raise LadderError(f"{file} cannot be read: {error}") from None
    lines: list[Line] = []
    keys: set[tuple[str, str, int]] = set()
    digests: dict[str, str | None] = {}
    for number, text in enumerate(texts, 1):
        try:
            line = read_line(text)
        except ValueError as error:
            raise LadderError(
                f"{file}, line {number} is not a line of a ladder ({one_line(error)}); each line is one block, "
                '{"block": {...}, "made": {...}}, as written by spygames ladder'
            ) from None
        first = lines[0] if lines else line
        if (line.game, line.seed, line.protocol, len(line.wins)) != (
            first.game, first.seed, first.protocol, len(first.wins)
        ):  # fmt: skip
            raise LadderError(
                f"{file}, line {number} has another game, seed or protocol, or blocks of another length, than line 1"
            )
        for entry in line.players:
            if digests.setdefault(entry.name, entry.digest) != entry.digest:
                raise LadderError(
                    f"{file}, line {number}: {one_line(entry.name)} has another digest than in earlier lines"
                )
        if line.key in keys:
            raise LadderError(f"{file}, line {number} repeats the players and block of an earlier line")
        keys.add(line.key)
        lines.append(line)
    return lines


def read_line(text: str) -> Line:
    """Parse what `Line.text` wrote; ValueError for anything else."""
    content = parse_json(text)
    block, made = (_part(content, key, dict, f"an object with {key}") for key in ("block", "made"))
    game = _part(block, "game", dict, "a game with an id and options")
    digits = _part(block, "wins", str, "the wins")
    forfeits = _part(block, "forfeits", list, "the forfeits")
    if not same(block.get("protocol"), PROTOCOL):
        raise ValueError(f"protocol must be {PROTOCOL}, not {shown(block.get('protocol'))}")
    deals = block.get("deals")
    if not is_count(deals) or not 1 <= deals <= DEALS:
        raise ValueError(f"deals must be an integer from 1 to {DEALS}, not {shown(deals)}")
    if not digits or set(digits) - set(DIGITS) or len(digits) % deals:
        raise ValueError(f"wins must be digits and letters, one for each game of {deals} deals")
    if not isinstance(game.get("id"), str) or not isinstance(game.get("options"), dict):
        raise ValueError("it must have a game with an id and options")
    entries = [_read_entry(player) for player in _part(block, "players", list, "two players")]
    if len(entries) != 2:
        raise ValueError("it must have two players")
    seed, number = read_uint64(block.get("seed")), block.get("block")
    if seed is None or not is_count(number):
        raise ValueError("seed and block must be integers from 0")
    numbers = np.array([DIGITS.index(digit) for digit in digits], np.uint8)
    wins = np.stack([numbers % 2, numbers // 2], axis=1).reshape(deals, -1, 2)
    if not all(_is_forfeit(each, deals * wins.shape[1]) for each in forfeits):
        raise ValueError("a forfeit must be [number of the game, 0 or 1, reason]")
    if not all(_are_two_amounts(made.get(key)) for key in ("decisions", "cpu_seconds")):
        raise ValueError("it must have the decisions and cpu_seconds of two players")
    worlds_of(made)
    return Line(game, (entries[0], entries[1]), seed, number, wins, forfeits, made)


def _part(content: object, key: str, kind: type, what: str) -> Any:
    """Return a mapping's value for `key`, of the type `kind`; ValueError if there is none."""
    found = content.get(key) if isinstance(content, dict) else None
    if not isinstance(found, kind):
        raise ValueError(f"it must have {what}")
    return found


def _is_forfeit(found: object, games: int) -> bool:
    """Whether `found` is the number of a game, the player that failed in it (0 or 1), and a reason."""
    if not isinstance(found, list) or len(found) != 3 or not isinstance(found[2], str):
        return False
    return is_count(found[0]) and found[0] < games and is_count(found[1]) and found[1] < 2


def _are_two_amounts(found: object) -> bool:
    """Whether `found` is a list of two numbers from 0."""
    return isinstance(found, list) and len(found) == 2 and all(is_number(x) and 0 <= x < LARGEST for x in found)


def _read_entry(player: object) -> Entry:
    name, digest = (player.get("name"), player.get("digest", 0)) if isinstance(player, dict) else (None, None)
    if (
        not isinstance(name, str)
        or not isinstance(digest, str | None)
        or not all(map(str.isprintable, (name, digest or "")))
    ):
        raise ValueError("a player must have a name and a digest of one line")
    return Entry(name, digest)


def check_sides(game: Game, lines: Sequence[Line]) -> None:
    """Raise LadderError if a line does not fit the sides of `game`."""
    for number, line in enumerate(lines, 1):
        alone = line.players[0] == line.players[1]
        most = [0, game.num_sides] if alone else [1, game.num_sides - 1]
        if line.wins.shape[1] != (1 if alone else game.num_sides) or (line.wins > most).any():
            raise LadderError(f"line {number} does not fit the {game.num_sides} sides of {game.title}")


@contextmanager
def appending(file: Path) -> Iterator[Any]:
    """Lock a ladder's file and yield a function that appends a line to it.

    An incomplete last line, left over from a kill, is removed. LadderError if another process has locked the file.
    """
    lock = FileLock(file.with_name(f".{file.name}.lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise LadderError(f"another process writes {file}") from None
    try:
        with open(file, "ab+") as stream:
            stream.seek(0)
            stream.truncate(stream.read().rfind(b"\n") + 1)

            def append(line: Line) -> None:
                stream.write(line.text().encode())
                stream.flush()
                os.fsync(stream.fileno())

            yield append
    finally:
        lock.release()


def pairs(game: Game, names: Sequence[str], given: Iterable[str]) -> list[tuple[str, str]]:
    """Return the pairs (first and second player) that must meet, so that all players in `given` have met all `names`.

    Between two sides each pair meets once, in alphabetical order. With more sides each pair meets in both orders, since
    the first player plays one side and the second all others. Each player then also plays itself.
    """
    asked = set(given)
    ordered = sorted(names)
    two = game.num_sides == 2
    found = [(a, b) for a in ordered for b in ordered if {a, b} & asked]
    return [(a, b) for a, b in found if a < b or not two]
