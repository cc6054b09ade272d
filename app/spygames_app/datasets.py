"""Datasets of games: a folder with the games, a row for each decision or conversation, and a data card.

- `README.md`: the data card.
- `dataset.json`: what the dataset is made of, and its files; with it the same command continues.
- `games.jsonl`: the games, one line each (`spygames.records.load_games`); everything hidden follows from them.
- `decisions-00000.jsonl`, `.parquet`, or `chat-00000.jsonl`: the rows of the first 512 games, and so on.

Rows follow from a line of `games.jsonl` alone. So a file of rows is either written whole, or made again from the games.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import numpy as np

from spygames.core.basics.extras import how_to_install
from spygames.core.basics.json_numbers import written
from spygames.core.basics.json_values import parse_json
from spygames.core.basics.text import one_line
from spygames.core.basics.version import VERSION
from spygames.core.chat.player import language_models
from spygames.core.game.game import Game
from spygames.core.game.rng import next_seed
from spygames.core.players.history import notes_size
from spygames.core.players.player import DecisionBatch, Player
from spygames.core.records.dataset import Column, chat_columns, chat_rows, decision_columns, decision_rows
from spygames.core.records.film import Adviser
from spygames.core.records.record import GameRecord, load_games, play_record
from spygames.core.svg.annotations import Advice
from spygames_app.advice import Thoughts
from spygames_training.evaluation.digests import facts_in_words, game_digest
from spygames_training.files.atomic import named, only_one, write_whole
from spygames_training.ladder.lines import Entry
from spygames_training.output.tables import code_span, markdown_table
from spygames_training.parallel.executor import Executor, Progress

Form = Literal["decisions", "chat"]
Format = Literal["jsonl", "parquet"]
PART = 512
"""Number of games of a file of rows."""
GROUP = 4096
"""Number of rows after which a row group of Parquet ends."""
GAMES, STATE, CARD = "games.jsonl", "dataset.json", "README.md"
OWN = "own"
"""The adviser that is the player of each seat itself."""


@dataclass(frozen=True)
class Plan:
    """What a dataset is made of."""

    game: Game
    entries: tuple[Entry, ...]
    """Name and digest of the player in each seat."""
    seed: int
    """Seed of the first game."""
    form: Form = "decisions"
    format: Format = "jsonl"
    texts: bool = True
    truth: bool = False
    advice: Entry | None = None
    """The adviser; its name is `OWN` for the players themselves."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values that are equal for datasets that one command can continue."""
        return {
            "game": {"id": self.game.id, "options": dict(self.game.options)},
            "rules": game_digest(self.game),
            "players": [each._asdict() for each in self.entries],
            "seed": written(self.seed),
            "form": self.form,
            "format": self.format,
            "texts": self.texts,
            "truth": self.truth,
            "advice": None if self.advice is None else self.advice._asdict(),
            "spygames": VERSION,
        }

    @property
    def columns(self) -> list[Column]:
        """The columns of the rows."""
        if self.form == "chat":
            return chat_columns(self.game)
        return decision_columns(self.game, self.texts, self.advice is not None, self.truth)


class OwnAdvice:
    """The players of a game as one adviser: those that can explain their decisions do, the others give no advice."""

    name = OWN

    def __init__(self, players: Sequence[Player]):
        self.players = tuple(players)
        able = [each for each in players if isinstance(each, Adviser)]
        self.memory_size = max((getattr(each, "memory_size", 0) for each in able), default=0)
        self.notes_size = notes_size(able)

    def advise(self, decisions: DecisionBatch) -> Sequence[Advice | None]:
        """Return the advice of the player in the seat to move, None if it gives none."""
        (row,) = decisions.rows.tolist()
        player = self.players[int(decisions.states["to_move"][row])]
        return player.advise(decisions) if isinstance(player, Adviser) else [None]


def rows_of_game(
    plan: Plan,
    players: Sequence[Player],
    adviser: Any,
    number: int,
    seed: int,
    known: GameRecord | None,
    progress: Progress | None = None,
) -> tuple[GameRecord, list[dict[str, Any]]]:
    """Play a game, unless it is known, and return it with its rows."""
    record = known or play_record(plan.game, players, seed, forfeits=bool(language_models(players)))
    if plan.form == "chat":
        return record, [*chat_rows(record, plan.game, number=number)]
    made = decision_rows(record, plan.game, number=number, adviser=adviser, texts=plan.texts, truth=plan.truth)
    return record, [*made]


@dataclass
class Dataset:
    """A dataset that is being written.

    Args:
        folder: its folder.
        plan: what it is made of.
    """

    folder: Path
    plan: Plan
    games: list[GameRecord] = field(default_factory=list)
    """The games so far."""
    files: list[dict[str, Any]] = field(default_factory=list)
    """The files of rows: `name`, `games`, `rows` and `bytes`."""

    @property
    def rows(self) -> int:
        """The number of rows so far."""
        return sum(each["rows"] for each in self.files)

    def read(self) -> None:
        """Read what an earlier run has written.

        Raises:
            ValueError: the folder holds something else.
        """
        state = self.folder / STATE
        if not state.exists():
            other = sorted(each.name for each in self.folder.iterdir() if each.name != ".lock")
            if other:
                raise ValueError(f"{self.folder} must be a new or empty folder, or a dataset; it has {other[0]}")
            return
        found = _parsed(state)
        wanted = self.plan.as_dict()
        for key, right in wanted.items():
            if found.get(key) != right:
                raise ValueError(f"{self.folder} was recorded {_difference(key, found.get(key), right)}")
        self.files = [each for each in found.get("files", []) if (self.folder / each["name"]).is_file()]
        games = self.folder / GAMES
        if games.exists():
            with open(games, "rb+") as stream:  # a last line that a kill cut off is removed
                stream.truncate(stream.read().rfind(b"\n") + 1)
            self.games = load_games(games)
        seeds = _seeds(self.plan.seed, len(self.games))
        for number, (record, seed) in enumerate(zip(self.games, seeds, strict=True)):
            if record.seed != seed:
                raise ValueError(f"{games}, game {number + 1}: the seed must be {seed}, not {record.seed}")
        if (rows_of := sum(each["games"] for each in self.files)) > len(self.games):
            raise ValueError(
                f"{games} has {len(self.games)} games, fewer than the {rows_of} of the files of rows: remove these "
                f"files ({self.plan.form}-*.{self.plan.format}), which are then written again"
            )

    def write_state(self) -> None:
        """Write `dataset.json`."""
        content = {**self.plan.as_dict(), "games": len(self.games), "files": self.files}
        write_whole(self.folder / STATE, json.dumps(content, indent=1) + "\n")


@contextmanager
def opened(folder: Path, plan: Plan, games: int) -> Iterator[Dataset]:
    """Open a folder for a dataset of a number of games, which may have some of them already.

    Raises:
        ValueError: the folder holds something else or more games, or pyarrow is missing.
    """
    if plan.format == "parquet":
        parquet()
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} must be a folder, not a file")
    folder.mkdir(parents=True, exist_ok=True)
    with only_one(folder, "writes"):
        data = Dataset(folder, plan)
        data.read()
        if len(data.games) > games:
            raise ValueError(f"{folder} has {len(data.games)} games, more than --games {games}")
        yield data


def write(
    data: Dataset,
    players: Sequence[Player],
    adviser: Adviser | None,
    games: int,
    command: str,
    executor: Executor,
    progress: Progress = lambda done: None,
) -> None:
    """Write the games that are missing. After an interruption the dataset has the whole games so far.

    Args:
        data: the dataset.
        players: the player in each seat.
        adviser: the adviser of `Plan.advice`, or None.
        games: number of games.
        command: the command line, for the card.
        executor: plays the games.
        progress: called with the number of games done since the last call.

    Raises:
        PlayerFailed: a player gave no legal action. The games before are kept.
        ValueError: a file of rows has another size than when it was written.
    """
    folder, plan = data.folder, data.plan
    data.write_state()
    advised = _adviser(plan, players, adviser)
    seeds = _seeds(plan.seed, games)
    with _appending(folder / GAMES) as append:
        for first in range(0, games, PART):
            last = min(first + PART, games)
            name = f"{plan.form}-{first // PART:05}.{plan.format}"
            known = next((each for each in data.files if each["name"] == name), None)
            if known is not None and known["games"] == last - first:
                if (size := (folder / name).stat().st_size) != known["bytes"]:
                    raise ValueError(
                        f"{folder / name} must have {known['bytes']} bytes, not {size}: remove it, and the same "
                        "command writes it again"
                    )
                progress(last - first)
                continue
            tasks = (
                (plan, players, advised, number, seeds[number], _item(data.games, number))
                for number in range(first, last)
            )
            part = Part(folder / name, plan)
            try:
                for record, rows in executor.in_order(rows_of_game, tasks):
                    if first + part.games == len(data.games):
                        append(record)
                        data.games.append(record)
                    part.add(rows)
                    progress(1)
            finally:
                if part.close():
                    data.files = [each for each in data.files if each["name"] != name]
                    data.files.append(part.about())
                data.write_state()
                write_whole(folder / CARD, card(data, command))


def _adviser(plan: Plan, players: Sequence[Player], adviser: Adviser | None) -> Any:
    if plan.advice is None:
        return None
    return OwnAdvice(players) if plan.advice.name == OWN else adviser


def _item(games: Sequence[GameRecord], number: int) -> GameRecord | None:
    return games[number] if number < len(games) else None


def _seeds(first: int, games: int) -> list[int]:
    """Return the seeds of the games. Each follows from the one before, as in an environment that is reset."""
    found, seed = [], np.uint64(first)
    for _ in range(games):
        found.append(int(seed))
        seed = np.uint64(next_seed(seed))
    return found


@contextmanager
def _appending(file: Path) -> Iterator[Any]:
    with named(file), open(file, "ab") as stream:

        def append(record: GameRecord) -> None:
            stream.write(record.to_line().encode() + b"\n")
            stream.flush()

        yield append
        os.fsync(stream.fileno())


class Part:
    """A file of rows that is being written. `close` puts it in its place, with the whole games that it has."""

    def __init__(self, file: Path, plan: Plan):
        self.file, self.plan = file, plan
        self.games = self.rows = 0
        self._new = file.with_name(f".{file.name}.new")
        self._whole = True
        """Whether the file has whole games only."""
        self._waiting: list[dict[str, Any]] = []
        if plan.format == "parquet":
            self._schema = schema_of(plan)
            self._parquet = parquet().ParquetWriter(self._new, self._schema, compression="zstd")
        else:
            self._stream = open(self._new, "wb")  # noqa: SIM115

    def add(self, rows: list[dict[str, Any]]) -> None:
        """Add the rows of a game."""
        self._whole = False
        if self.plan.format == "parquet":
            self._waiting += rows
            if len(self._waiting) >= GROUP:
                self._flush()
        else:
            with named(self.file):
                self._stream.write(b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows))
        self.games, self.rows, self._whole = self.games + 1, self.rows + len(rows), True

    def close(self) -> bool:
        """Close the file; return whether it has games and is in its place."""
        with named(self.file):
            if self.plan.format == "parquet":
                if self._whole:
                    self._flush()
                self._parquet.close()
            else:
                self._stream.close()
        if not self._whole or not self.games:
            self._new.unlink(missing_ok=True)
            return False
        with open(self._new, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(self._new, self.file)
        return True

    def about(self) -> dict[str, Any]:
        """Return the entry of the file in `dataset.json`."""
        return {"name": self.file.name, "games": self.games, "rows": self.rows, "bytes": self.file.stat().st_size}

    def _flush(self) -> None:
        if self._waiting:
            import pyarrow  # pyright: ignore[reportMissingImports]

            with named(self.file):
                self._parquet.write_table(pyarrow.Table.from_pylist(self._waiting, self._schema))
            self._waiting = []


def parquet() -> ModuleType:
    """Import pyarrow.parquet; ValueError says what to install."""
    try:
        import pyarrow.parquet  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise ValueError(f"Parquet needs pyarrow: {how_to_install('parquet')}") from None
    return pyarrow.parquet


def schema_of(plan: Plan) -> Any:
    """Return the schema of Arrow of the columns."""
    import pyarrow as pa  # pyright: ignore[reportMissingImports]

    kinds = {
        "int64": pa.int64(),
        "int8": pa.int8(),
        "float32": pa.float32(),
        "float64": pa.float64(),
        "text": pa.string(),
    }

    def typed(column: Column) -> Any:
        kind = kinds.get(column.dtype)
        if kind is None:
            pairs = (each.split(": ") for each in column.dtype.strip("{}").split(", "))
            kind = pa.struct([(name, kinds[dtype]) for name, dtype in pairs])
        for length in reversed(column.shape):
            kind = pa.list_(kind) if length is None else pa.list_(kind, length)
        return kind

    fields: list[tuple[str, Any]] = []
    nested: dict[str, list[tuple[str, Any]]] = {}
    for column in plan.columns:
        outer, _, inner = column.name.partition(".")
        if not inner:
            fields.append((outer, typed(column)))
            continue
        if outer not in nested:
            nested[outer] = []
            fields.append((outer, None))
        nested[outer].append((inner, typed(column)))
    return pa.schema([(name, pa.struct(nested[name]) if kind is None else kind) for name, kind in fields])


def _difference(key: str, there: Any, here: Any) -> str:
    """Describe a fact of a dataset and the one of the command: "with --truth, not without"."""
    if key in _FLAGS:
        option, value = _FLAGS[key]
        return f"with {option}, not without" if there == value else f"without {option}, not with it"
    was, now = facts_in_words(there, here)
    return f"with the {_FACTS.get(key, key)} {was}, not {now}"


_FLAGS: dict[str, tuple[str, Any]] = {
    "texts": ("--numbers-only", False),
    "truth": ("--truth", True),
    "format": ("--parquet", "parquet"),
}
"""The option of a fact, and the value of the fact with the option."""
_FACTS = {"spygames": "version", "rules": "rules of digest"}


def _parsed(file: Path) -> Mapping[str, Any]:
    try:
        found = parse_json(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{file} is not the description of a dataset: {one_line(error)}") from None
    files = found.get("files", []) if isinstance(found, dict) else None
    right = {"name": str, "games": int, "rows": int, "bytes": int}
    if not isinstance(files, list) or not all(
        isinstance(each, dict) and all(isinstance(each.get(key), kind) for key, kind in right.items()) for each in files
    ):
        raise ValueError(f"{file} is not the description of a dataset")
    return found


# ---------------------------------------------------------------- the data card


def card(data: Dataset, command: str) -> str:
    """Return the data card in Markdown."""
    plan, game = data.plan, data.plan.game
    results = np.array([record.returns for record in data.games]).reshape(-1, game.num_players)
    players = [
        [str(seat), code_span(name), code_span(digest) if digest else "unknown",
         f"{results[:, seat].mean():+.3f}" if len(results) else ""]
        for seat, (name, digest) in enumerate(plan.entries)
    ]  # fmt: skip
    names = dict.fromkeys(name for name, _ in plan.entries)
    what = "conversation of a seat in a game" if plan.form == "chat" else "decision"
    columns = [[f"`{each.name}`", each.dtype, _shape(each), _range(each), each.meaning] for each in plan.columns]
    files = [
        [f"`{each['name']}`", f"{each['games']:,}", f"{each['rows']:,}", f"{each['bytes']:,}"] for each in data.files
    ]
    size = sum(each["bytes"] for each in data.files)
    advice = ""
    if plan.advice is not None:
        who = "the player of the seat, if it can explain its decisions" if plan.advice.name == OWN else code_span(
            plan.advice.name)  # fmt: skip
        digest = f", digest {code_span(plan.advice.digest)}" if plan.advice.digest else ""
        advice = f"\nThe columns `advice_...` are of {who}{digest}, from what the seat knows.\n"
    lost = sum(record.forfeit is not None for record in data.games)
    forfeits = f" In {lost:,} of the games a seat gave no legal action, and lost." if lost else ""
    hidden = (
        "The columns `truth_...` hold what is hidden from the seat."
        if plan.truth
        else "No column has anything that is hidden from the seat."
    )
    return f"""---
license: mit
pretty_name: {json.dumps(game.title)}
tags: [board-games, hidden-information, reinforcement-learning, spygames]
configs:
- config_name: default
  data_files: {plan.form}-*.{plan.format}
---
# {code_span(game.id)}: games of {", ".join(map(code_span, names))}

{len(data.games):,} games, {data.rows:,} rows, {size:,} bytes. A row is a {what}.{forfeits}

- Game: {code_span(game.title)}; digest of the rules {code_span(game_digest(game))}
- Made with spygames {VERSION} by {code_span(command)}
- Seed of the first game: {plan.seed}; the seed of each later game follows from the one before (`next_seed`)
- License: MIT. The license covers no right in the game, whose name only says which rules are played.

A row has only what its seat knew then, besides the label `result`. {hidden}
`{GAMES}` has the seeds and the moves of all seats, so everything hidden follows from it; `spygames replay {GAMES}`
replays it. The rows of a game, in order, have the same actions.
{advice}
## Players

{markdown_table(["seat", "player", "digest of its code or weights", "mean result"], players, 3)}

## Columns

{markdown_table(["column", "dtype", "shape", "range", "meaning"], columns, 5)}

Empty shape: a single value; `?`: the length differs from row to row. Ranges are those that the game declares.
`view.FIELD` are the fields of the observation, in the order in which networks read them; the page of the game explains
them.

## Files

{markdown_table(["file", "games", "rows", "bytes"], files)}
"""


def _shape(column: Column) -> str:
    return " x ".join("?" if length is None else str(length) for length in column.shape)


def _range(column: Column) -> str:
    return "" if column.range is None else " to ".join(f"{each:g}" for each in column.range)


def adviser_of(player: Player) -> Adviser:
    """Return any player as an adviser. One that only acts advises its action."""
    return player if isinstance(player, Adviser) else Thoughts(player)
