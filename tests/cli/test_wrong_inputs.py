"""Invalid input of every kind to every command gives one line that names the error and exit code 2; no file is made."""

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import pytest

import spygames
from spygames.core.records.record import play_record, save_games
from spygames_app.cli import COMMANDS, load
from spygames_training.config import Config, read_config
from tests.cli.command import complaint, run

AGENT = "agent_avenue/simple-2"
BASE: dict[str, list[str]] = {
    "train": [],
    "evaluate": ["greedy"],
    "beliefs": [f"{AGENT}+search:8", "--out", "new"],
    "compare": ["greedy", "random"],
    "ladder": ["new.jsonl", "greedy", "random"],
    "agents": [],
    "play": [],
    "record": ["greedy", "--out", "new.jsonl"],
    "replay": ["games.jsonl", "--show"],
    "draw": ["games.jsonl", "--out", "new.svg"],
    "export": [AGENT, "--onnx", "new.onnx"],
    "pack": [AGENT, "--out", "new.zip"],
    "best-response": [AGENT],
    "ablate": ["demo"],
    "train-all": ["demo"],
    "random-play": [],
    "rules": ["agent_avenue"],
    "prompt": ["agent_avenue"],
}
"""Valid arguments of each command; an invalid one is appended."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files that no command accepts, and one file of games."""
    folder = tmp_path_factory.mktemp("wrong")
    game = spygames.make_game("agent_avenue_v0")
    save_games(folder / "games.jsonl", [play_record(game, ["random", "random"], seed=1)])
    (folder / "folder").mkdir()
    for name, content in {
        "empty": b"",
        "binary": bytes(range(255, 0, -1)) * 20,
        "utf16": '{"a": 1}\n'.encode("utf-16"),
        "words": b"hello, world\n",
        "list": b"[]\n",
        "object": b"{}\n",
        "deep": b"[" * 100_000 + b"\n",
        "infinite": b'{"game": Infinity}\n',
        "long number": b'{"game": 1' + b"0" * 5000 + b"}\n",
        "half a character": b'{"game": "\\ud800", "players": ["\\ud800"]}\n',
        "cut.toml": b"game = \n",
        "unknown.toml": b'[ppo]\n"[red]\\u001b[31m" = 1\n',
        "nan.toml": b"[ppo]\nclip = nan\n",
    }.items():
        (folder / name).write_bytes(content)
    for name, text in (("cut", "{"), ("nothing", ""), ("a list", "[]")):
        (folder / f"agent {name}").mkdir()
        (folder / f"agent {name}" / "config.json").write_text(text)
    return folder


@pytest.fixture(autouse=True)
def in_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run every test in that folder and check that it writes nothing there."""
    monkeypatch.chdir(files)
    before = sorted(files.rglob("*"))
    yield
    assert sorted(files.rglob("*")) == before


def error_line(argv: Sequence[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the error line: short, without control characters and without Python's own error texts."""
    line = complaint([*argv], capsys)
    assert line.isprintable(), ascii(line)
    assert len(line) < 1100
    for word in ("Traceback", "base 10", "sys.set_int_max_str_digits", "MarkupError"):
        assert word not in line
    return line


T = TypeVar("T")


def every_nth(values: Sequence[T], first: int, step: int) -> Sequence[T]:
    """Return every `step`-th value, starting at `first`: places share code, and all values in all places take long."""
    return values[first % step :: step]


# Files

WRONG_FILES = [
    "missing",
    "folder",
    "words/inside a file",
    "binary",
    "utf16",
    "words",
    "list",
    "deep",
    "infinite",
    "long number",
    "half a character",
    "cut.toml",
    "unknown.toml",
    "[red]x[/red]",
    "[/red]",
    "\x1b[31mred\a",
    "\udcff",
    "<script>",
    "x" * 5000,
    "",
    *([] if sys.platform == "win32" else ["/dev/zero"]),
]
READ: dict[str, list[str]] = {
    "replay": ["FILE"],
    "draw": ["FILE", "--out", "new.svg"],
    "ladder": ["FILE"],
    "train": ["--config", "FILE"],
    "train --resume": ["--resume", "FILE"],
    "ablate": ["FILE"],
    "train-all": ["FILE"],
    "export": ["FILE", "--onnx", "new.onnx"],
    "pack": ["FILE", "--out", "new.zip"],
    "best-response": ["FILE"],
    "best-response --resume": ["--resume", "FILE"],
    "evaluate": ["FILE"],
    "evaluate onnx:": ["onnx:FILE"],
    "record": ["FILE", "--out", "new.jsonl"],
    "compare": ["FILE", "greedy"],
    "play": ["--hint", "FILE"],
    "play --browser": ["--browser", "--records", "FILE"],
}
"""Arguments that name an input file."""
SAME_READER = ("ablate", "train-all", "draw", "export", "pack", "best-response", "record", "compare", "play")
"""Commands that read files with the same code as an earlier one."""


@pytest.mark.parametrize("command", READ)
def test_an_invalid_file_is_named(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    place, step = [*READ].index(command), 4 if command in SAME_READER else 1
    for file in every_nth(WRONG_FILES, place, step):
        argv = [command.partition(" ")[0], *(word.replace("FILE", file) for word in READ[command])]
        line = error_line(argv, capsys)
        if file and file.isprintable() and file != "/dev/zero":
            assert file[:40] in line, file  # unchanged, not interpreted as markup


@pytest.mark.parametrize("command", ["train", "train-all", "ablate"])
def test_an_invalid_config_is_named_with_its_error(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    option = ["--config"] if command == "train" else []
    for file, what in {
        "utf16": "UTF-16",
        "cut.toml": "line 1",
        "unknown.toml": r"[red]\x1b[31m",
        "nan.toml": "ppo.clip must be a number",
    }.items():
        line = error_line([command, *option, file], capsys)
        assert file in line
        assert what in line


def test_a_damaged_checkpoint_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for agent in ("agent cut", "agent nothing", "agent a list"):
        for argv in (["evaluate"], ["best-response"], ["export", "--onnx", "new.onnx"], ["play"]):
            assert agent in error_line([*argv, agent], capsys)


WRITTEN: dict[str, list[str]] = {
    "evaluate": ["greedy", "--json", "FILE"],
    "evaluate --plot": ["--cross-play", "greedy", "random", "--plot", "FILE.png"],
    "compare": ["greedy", "random", "--json", "FILE"],
    "ladder": ["FILE", "greedy", "random"],
    "agents": ["--json", "FILE"],
    "play": ["--save", "FILE"],
    "record": ["greedy", "--out", "FILE"],
    "draw": ["games.jsonl", "--out", "FILE.svg"],
    "export": [AGENT, "--onnx", "FILE"],
    "pack": [AGENT, "--out", "FILE.zip"],
    "random-play": ["--json", "FILE"],
}
"""Arguments that name an output file."""


@pytest.mark.parametrize("command", WRITTEN)
def test_an_unwritable_file_is_named_before_the_work(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for file in ("missing/new", "words/new", "[red]x[/red]", "missing\x1b[31m/new", "\udcff/new"):
        argv = [command.partition(" ")[0], *(word.replace("FILE", file) for word in WRITTEN[command])]
        line = error_line(argv, capsys)
        assert "cannot be written" in line
        if file.isprintable():
            assert file in line


def test_a_read_only_folder_is_named_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write into any folder
    for command, argv in every_nth([*WRITTEN.items()], 0, 5):
        words = (word.replace("FILE", "new") for word in argv)
        line = error_line([command.partition(" ")[0], *words], capsys)
        assert re.search(r"new\S* cannot be written: \S+ is read-only$", line)


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes need POSIX")
def test_a_pipe_is_written_to_and_not_replaced(files: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(reader, "rb") as stream:
        assert run("record", "random", "--seed", 1, "--out", pipe) == 0
        assert pipe.is_fifo()
        assert stream.read() == (files / "games.jsonl").read_bytes()


# Numbers

WRONG_NUMBERS = ("x", "1e9999", "nan", "-1", "1.5", "", "1" + "0" * 400, "1" + "0" * 5000, "[red]1[/red]", "\x1b[31m2")


def numeric(kind: type[Any]) -> list[str]:
    """Return the names of a command's options that take numbers."""
    found = []
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        words = str(hints[field.name])
        named = any(f"metavar='{name}'" in words or f"[{name} ..." in words for name in ("N", "SEED", "PORT", "SHARE"))
        if named or hints[field.name] in (int, float):
            found.append(field.name)
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_an_invalid_number_is_named(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind: Any = load(command)
    names = numeric(kind) + (["jobs"] if any(field.name == "tasks" for field in fields(kind)) else [])
    assert names or command in ("agents", "export", "pack", "rules")
    for place, name in enumerate(names):
        for text in every_nth(WRONG_NUMBERS, place, 3):
            if (name, text) == ("seconds", "1.5"):
                continue
            option = f"--{name.replace('_', '-')}"
            line = error_line([command, *BASE[command], option, text], capsys)
            assert option in line or name.replace("_", " ") in line, text[:20]


def numeric_settings(config: Any, before: str = "") -> Iterator[str]:
    """Yield the names of all settings of a training run whose default is a number."""
    for field in fields(config):
        value = getattr(config, field.name)
        if hasattr(value, "__dataclass_fields__"):
            yield from numeric_settings(value, f"{before}{field.name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{before}{field.name}"


def test_an_invalid_number_in_a_setting_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    names = list(numeric_settings(Config()))
    assert len(names) > 20
    for k, name in enumerate(names):
        text = ("x", "1e9999", "nan", "", "1" + "0" * 5000, "[red]1[/red]")[k % 6]
        assert name.replace("_", "-") in error_line(["train", f"--{name.replace('_', '-')}", text], capsys).replace(
            "_", "-"
        )


# Names


WRONG_PLAYERS: dict[str, str] = {
    "nobody": "no player 'nobody'",
    "gredy": "did you mean greedy?",
    "greedy@argmax": "a scripted player takes no @argmax: use greedy",
    "greedy@": "'greedy@' must say after @ how the player plays",
    "greedy,random": "not commas: greedy random",
    "agent_avenue/simple2": "did you mean agent_avenue/simple-2?",
    "simple2": "did you mean agent_avenue/simple-2?",
    "agent_dog_v0": "it is a game; pass it as --game",
    "heimlich": "it is a game; pass it as --game",
    "runs/nothere": "there is no folder runs/nothere",
    f"{AGENT}@loud": "sample, argmax or a temperature",
    f"{AGENT}@nan": "temperature",
    f"{AGENT}@1e999": "temperature",
    f"{AGENT}+search:x": "worlds",
    f"{AGENT}+search:4,colour=red": "colour",
    "mcts:x": "simulations",
    "mcts:-1": "simulations",
    "mcts:1" + "0" * 5000: "simulations",
    "mtcs:8": "did you mean mcts:8?",
    "[red]x[/red]": "[red]x[/red]",
    "[/red]": "[/red]",
    "\x1b[31mred\a": r"\x1b[31mred\x07",
    "\udcff": r"\udcff",
    "two\nlines": r"two\nlines",
    "<script>&": "'<script>&'",
    "python:": "must name a module and a function or class in it",
    "python:nothing_such.act": "nothing_such",
    "python:os.nothing": "nothing",
    "command:": "command:",
    "command:nothing_such": "nothing_such",
    "onnx:missing": "missing",
    "network:x": "network:",
    "": "empty",
    "x" * 5000: "no player 'xxx",
}
"""Invalid names of players, and a part of the error."""


@pytest.mark.parametrize("place", range(5))
def test_an_invalid_player_is_named(place: int, capsys: pytest.CaptureFixture[str]) -> None:
    for number, (name, says) in enumerate(every_nth([*WRONG_PLAYERS.items()], place, 5)):
        ways = naming(name)
        for argv in ways if number == 0 else [ways[0], *every_nth(ways[1:], number, 6)]:
            assert says in error_line(argv, capsys), argv


def naming(name: str) -> list[list[str]]:
    """Return all ways in which commands name a player."""
    return [
        ["evaluate", name, "--games", "2"],
        ["evaluate", "greedy", "--against", name, "--games", "2"],
        ["evaluate", "--cross-play", "greedy", name, "--games", "2"],
        ["evaluate", "--seats", "greedy", name, "--games", "2"],
        ["compare", "greedy", name],
        ["play", name],
        ["play", "--hint", name],
        ["record", name, "--out", "new.jsonl"],
        ["record", "--players", name, "--out", "new.jsonl"],
        ["ladder", "new.jsonl", "greedy", name],
        ["replay", "games.jsonl", "--show", "--agent", name],
        ["draw", "games.jsonl", "--out", "new.svg", "--agent", name],
        ["ablate", "demo", "--against", name],
    ]


def test_a_player_that_is_not_a_checkpoint_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, other in {
        ("export", "--onnx", "new.onnx"): f"{AGENT} plays agent_avenue_v0",
        ("best-response",): f"{AGENT} was trained on 'agent_avenue_v0', not on heimlich_v0",
    }.items():
        assert "greedy is not a checkpoint" in error_line([*argv, "greedy"], capsys)
        assert "did you mean agent_avenue/simple-2?" in error_line([*argv, "agent_avenue/simple2"], capsys)
        assert other in error_line([*argv, AGENT, "--game", "heimlich_v0"], capsys)
    line = error_line(["export", "--onnx", "new.onnx", f"{AGENT}@argmax"], capsys)
    assert f"name the checkpoint alone, {AGENT}" in line


WITH_GAME = [name for name in COMMANDS if name not in ("ablate", "train-all")]


@pytest.mark.parametrize("command", WITH_GAME)
def test_an_unknown_game_is_named(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name, says in {
        "nothing": "available games: agent_avenue_v0, agent_dog_v0, heimlich_v0",
        "agent_avenue_v1": "did you mean agent_avenue_v0?",
        "agent avenues": "did you mean agent_avenue_v0?",
        "os.path": "no game 'os.path'",
        "[red]x[/red]": "no game '[red]x[/red]'",
        "\x1b[31m": r"no game '\x1b[31m'",
        "\udcff": r"no game '\udcff'",
        "": "empty" if command != "train" else "no game ''",
        "x" * 5000: "no game 'xxx",
    }.items():
        line = error_line([command, *BASE[command], "--game", name], capsys)
        assert says in line


@pytest.mark.parametrize("command", [name for name in WITH_GAME if name not in ("replay", "draw")])
def test_an_invalid_option_is_named(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    for option, says in {
        "players": "not of the form NAME=VALUE",
        "=2": "not of the form NAME=VALUE",
        "[red]=2": "'[red]=2' is not of the form NAME=VALUE",
        "players=99": "players",
        "players=2.0": "players",
        "players=true": "players",
        "players=1e999": "players",
        "players=1" + "0" * 5000: "players",
        "players=" + "[" * 100_000: "players",
        "mode=[red]x[/red]": "[red]x[/red]",
        "mode=\x1b[31m": r"\x1b[31m",
        "mode=\udcff": r"\udcff",
        "colour=red": "colour",
    }.items():
        assert says in error_line([command, *BASE[command], "--option", option], capsys), option[:50]


# Misplaced arguments


SLIPS: dict[str, str] = {
    "train demo": "a config is given as --config demo",
    "train agents/heimlich_3": "a config is given as --config agents/heimlich_3",
    "train heimlich": "a game is given as --game heimlich",
    "train --config nope": "a config is named as agent_avenue_advanced, ",
    "train --config heimlch_3": "did you mean heimlich_3",
    "train --players 3": "an option of the game is given as --option players=3",
    "train --decisions -5": "decisions must be an integer from 1 to 2^53 - 1, not -5",
    "train --decisions 0": "decisions must be an integer from 1 to 2^53 - 1, not 0",
    "train --decisions 1,000,000": "write 1000000, without commas",
    "train --ppo.clip 0,1": "write 0.1, with a point",
    "evaluate": "name a player to evaluate",
    "evaluate --against greedy random": "name that one before it",
    "evaluate greedy --players 3": "an option of the game is given as --option players=3",
    "evaluate greedy --mode advanced": "an option of the game is given as --option mode=advanced",
    "evaluate greedy --plot x.png": "--plot works only with --cross-play",
    "evaluate greedy --option players=2 --option players=3": "--option players is given 2 times",
    "evaluate greedy --agains random": "did you mean --against?",
    "compare greedy": "name two players, as in",
    "agents heimlich": "a game is given as --game heimlich",
    "agents agent_avenue/simple-2@maybe": "did you mean agent_avenue/simple-2?",
    "agents everything": "spygames agents lists them",
    "agents agent_avenue/simpel-2": "did you mean agent_avenue/simple-2?",
    "ablate": "name the config, as in spygames ablate demo",
    "ablate demo --hidden 0": "error parsing --hidden: '0' is not an integer from 1",
    "train-all demo nope": "there is no file and no config nope; a config is named as",
    "ablate --against greedy": "name the config, as in spygames ablate demo",
    "train --name ..": "name must be the name of a folder, not '..'",
    "train --name a/b": "name must be the name of a folder, not 'a/b'",
    "train-all demo --write": "--write replaces the whole table: omit the configs and --decisions",
    "random-play heimlich": "a game is given as --game heimlich",
    "rules": "name a game, a card or a rule, as in spygames rules agent_avenue",
    "rules HC-99": "no rule, chapter or card 'HC-99' in agent_avenue_v0",
    "rules own_game": "spygames rules GAME lists the chapters; for a game of your own, add --game",
    "rules agent_avenue HC-20": "no rule, chapter or card 'HC-20' in agent_avenue_v0; spygames rules GAME lists",
    "rules HC-20 --option players=3": "--option needs a game",
    "prompt": "name a game, as in spygames prompt agent_avenue, or a file with --record",
    "prompt agent_avenue --game heimlich": "name one game, not agent_avenue_v0 and heimlich_v0",
    "prompt agent_avenue --seat 2": "--seat must be from 0 to 1, not 2",
    "prompt agent_avenue --after 100": "no seat decides after 100 moves: the game has ended before",
    "prompt --record games.jsonl --number 2": "has 1 game, no --number 2",
    "prompt agent_avenue --number 1": "--number works only with --record",
    "prompt --record games.jsonl --seed 0": "--seed does not go with --record",
    "prompt heimlich --record games.jsonl": "games.jsonl, game 1: the game is agent_avenue_v0, not heimlich_v0",
    "replay games.jsonl --game heimlich": "games.jsonl, game 1: the game is agent_avenue_v0, not heimlich_v0",
    "draw games.jsonl --game heimlich --out new.svg": "game 1: the game is agent_avenue_v0, not heimlich_v0",
    "draw games.jsonl --out new.svg --width 300": "--width works only for films and png, not for svg",
    "draw games.jsonl --out new.png --seconds 2": "--seconds works only for films, not for png",
    "prompt --record games.jsonl --option players=2": "--option does not go with --record",
    "record": "name the players, as in",
    "record greedy": "--out games.jsonl",
    "replay": "missing FILE",
    "draw": "missing FILE",
    "ladder": "missing FILE",
    "draw games.jsonl": "--out must name a file that ends in .webp",
    "export": "name the checkpoint, as in",
    "best-response": "name the agent, as in",
    "play --option player=3": "did you mean players?",
    "play --seat 2": "--seat must be from 0 to 1, not 2",
    "play greedy greedy": "name one opponent",
    "play --port 80": "--port needs --browser",
    "replay games.jsonl --viewer 0": "with --show or --step",
}


def test_misplaced_arguments_get_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    for line, says in SLIPS.items():
        assert says in error_line(line.split(), capsys), line


def test_the_run_of_a_config_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After `spygames train --config demo`, users tend to name the run by the name of its config."""
    (tmp_path / "runs" / "demo").mkdir(parents=True)
    (tmp_path / "runs" / "demo" / "run.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert f"did you mean {Path('runs', 'demo')}?" in error_line(["evaluate", "demo"], capsys)
    right = f"a run is resumed with --resume {Path('runs', 'demo')}"
    for name in ("demo", "runs/demo"):
        assert right in error_line(["train", name], capsys)


def test_options_before_the_subcommand_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["--games", "5", "evaluate", "greedy"], ["--[red]\x1b[31m"]):
        assert run(*argv) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.rstrip().isprintable()
        assert "a subcommand comes first" in err


# Invalid commands that users typed, and parts of the error


AGREED: dict[str, tuple[str, ...]] = {
    "evaluate agent_avenue/simple2": ("did you mean", "agent_avenue/simple-2"),
    "evaluate runs/nothere": ("there is no folder runs/nothere",),
    "evaluate greedy@argmax": ("a scripted player takes no @argmax", "use greedy"),
    "agents --game x": ("no game 'x'",),
    "best-response greedy --game x": ("no game 'x'",),
    "train --network.hidden 64,64": ("64 64", "without a comma"),
    "replay object": ("not a game record", "key 'game' is missing", '{"game": '),
    "ladder object": ("not a line of a ladder", "block", '{"block": '),
    "evaluate greedy --games 1000000000001": ("--games", "is not an integer from 1 to 10^12"),
    "evaluate greedy --games 1_000_000_000_001": ("--games", "is not an integer from 1 to 10^12"),
    "evaluate greedy --games 1__0": ("--games", "'1__0' is not an integer from 1"),
    "evaluate greedy --games 0": ("--games", "'0' is not an integer from 1"),
    "compare greedy random --max-games 1": ("--max-games must be at least 128",),
    "export agent_avenue/simple-2": ("--onnx FILE or --bfloat16 FOLDER",),
}


def test_errors_of_typed_commands(capsys: pytest.CaptureFixture[str]) -> None:
    for line, says in AGREED.items():
        answer = error_line(line.split(), capsys)
        for words in says:
            assert words in answer, line


def test_all_commands_share_one_grammar(files: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Players can stand before --against or --players, and a game has several names."""
    assert run("evaluate", "greedy", "random", "--against", "random", "--games", 2) == 0
    assert run("record", "greedy", "expert", "--out", tmp_path / "new.jsonl") == 0
    for name in ("agent_avenue", "agent_avenue_v0", "AgentAvenue-v0", "spygames/agent_avenue-v0"):
        assert run("agents", "--game", name) == 0
        assert run("record", "random", "--game", name, "--seed", 1, "--out", tmp_path / "named.jsonl") == 0
        assert (tmp_path / "named.jsonl").read_bytes() == (files / "games.jsonl").read_bytes()
        (tmp_path / "game.toml").write_text(f'game = "{name}"\n')
        assert read_config(tmp_path / "game.toml").game == "agent_avenue_v0"
        assert spygames.make_game(name).id == "agent_avenue_v0"


# Terminals and streams


@contextmanager
def streams(encoding: str) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Redirect stdout and stderr to bytes in that encoding, which fails on characters that the encoding lacks."""
    kept, written = (sys.stdout, sys.stderr), (io.BytesIO(), io.BytesIO())
    sys.stdout, sys.stderr = (io.TextIOWrapper(each, encoding, errors="strict") for each in written)
    try:
        yield written
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            stream.detach()  # otherwise closing the stream would close the bytes
    finally:
        sys.stdout, sys.stderr = kept


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_works_on_an_ascii_terminal(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for columns in ("40", "100"):
        monkeypatch.setenv("COLUMNS", columns)
        monkeypatch.setenv("TERM", "dumb")
        with streams("ascii") as (out, err):
            assert run(*[command] * bool(command), "--help") == 0
        text = out.getvalue().decode("ascii")
        assert err.getvalue() == b""
        assert "usage: spygames" in " ".join(text.split())
        assert "--help" in text
        assert "\x1b" not in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8", "cp1252"])
def test_errors_work_in_any_encoding(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "dumb")
    for argv in (["replay", "Möwe ☃ \udcff"], ["train", "Möwe ☃ \udcff"], ["evaluate", "Möwe ☃"], ["☃\udcff"]):
        with streams(encoding) as (out, err):
            assert run(*argv) == 2
        assert out.getvalue() == b""
        assert err.getvalue().count(b"\n") == 1
        assert err.getvalue().decode(encoding).startswith("spygames")


@pytest.mark.parametrize("closed", [False, True])
def test_closed_streams_are_not_an_error(closed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    for argv, code in ((["agents"], 0), (["train", "--help"], 0), (["evaluate"], 2), (["nothing"], 2)):
        for name in ("stdin", "stdout", "stderr"):
            stream = io.StringIO() if closed else None
            if stream is not None:
                stream.close()
            monkeypatch.setattr(sys, name, stream)
        assert run(*argv) == code
