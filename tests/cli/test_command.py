"""The command `spygames` as a whole: help, exit codes, missing dependencies, shipped files, and who may import it."""

import ast
import dataclasses
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import get_type_hints

import pytest
from rich.console import Console
from tyro.conf import Positional

from spygames.core.basics.files import shipped_folder
from spygames.core.players.released import released_agents
from spygames_app.cli import COMMANDS, OF_TRAINING, WITHOUT_TORCH, load, main
from spygames_app.cli.agents import EARLIER, LEGEND, Agents
from spygames_app.cli.arguments import Tasks, WrongArguments, agent_and_game, program, read_option
from spygames_app.shipped import agent_folder, config_path
from spygames_training.config import read_config
from tests.cli.command import complaint, run

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "scripts").glob("*.py"))
(POSITIONAL,) = Positional[int].__metadata__  # type: ignore[attr-defined]
NO_FLAGS = ("settings", "variant", "tasks")
FLAGS = {"named": "players"}
"""Option names that differ from the names of their fields."""


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_help_documents_every_option_and_fits_the_terminal(
    name: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each option has a line of help, the examples are present, and no line is wider than the terminal."""
    monkeypatch.setenv("COLUMNS", str(width))
    assert run(name, "--help") == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert f"\n    spygames {name}" in out
    documented = " ".join(out.split())
    fields = [*dataclasses.fields(load(name))]  # type: ignore[arg-type]
    if any(field.name == "tasks" for field in fields):
        fields += dataclasses.fields(Tasks)
    kinds = get_type_hints(load(name), include_extras=True)
    positional = [field for field, kind in kinds.items() if POSITIONAL in getattr(kind, "__metadata__", ())]
    for field in fields:
        if field.name not in (*NO_FLAGS, *positional):
            name_of_flag = FLAGS.get(field.name, field.name).replace("_", "-")
            assert f"--{'no-' if field.default is True else ''}{name_of_flag}" in documented
    prose = [line for line in out.splitlines()[1:] if not line.startswith("    ")]
    assert [line for line in prose[2:] if len(line) > width] == []


def test_help_names_the_subcommands(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    alone = capsys.readouterr().out
    assert run("--help") == 0
    assert capsys.readouterr().out == alone
    assert all(f" {name} " in alone for name in COMMANDS)


class Terminal(StringIO):
    """A stdout that supports colors."""

    def isatty(self) -> bool:
        return True


def test_colors_suit_any_background_and_obey_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for no_color in ("", "1"):
        monkeypatch.setenv("NO_COLOR", no_color)
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        assert run("compare", "--help") == 0
        used = {
            int(number)
            for code in re.findall(r"\x1b\[([0-9;]*)m", terminal.getvalue())
            for number in code.split(";")
            if number
        }
        assert bool(used) == (not no_color)
        assert not used & {30, 33, 37, 90, 93, 97}  # black, yellow, white


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion_knows_commands_and_options(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--tyro-print-completion", shell) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in (*COMMANDS, "--ppo.clip", "--cross-play"))


def test_invalid_arguments_give_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, words in (
        (["trian"], "spygames: no subcommand 'trian'; did you mean train?\n"),
        (["train_all"], "spygames: no subcommand 'train_all'; did you mean train-all?\n"),
        (["xyz"], "spygames: no subcommand 'xyz'; choose one of train, evaluate, "),
        (["--colour"], "spygames: unrecognized options: --colour"),
    ):
        assert run(*argv) == 2
        out, err = capsys.readouterr()
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith(words)
    for argv, words in (
        (["train", "--ppo.clp", "1"], "unrecognized options: --ppo.clp, 1; did you mean --ppo.clip?"),
        (["train", "--ppo.clip", "much"], "error parsing --ppo.clip: 'much' is not a number"),
        (["train", "--ppo.kl-end", "much"], "error parsing --ppo.kl-end: 'much' is not {None}|FLOAT"),
        (["train", "--network.hidden", "8", "8.5"], "error parsing --network.hidden: not valid: '8', '8.5'"),
        (["train", "--ppo.clip", "-1"], "spygames train: ppo.clip must be a number >= 0, not -1"),
        (["train", "--network.kind", "deep"], "invalid choice 'deep' for argument '--network.kind'"),
        (["train", "--ppo.clip"], "missing value for argument '--ppo.clip'"),
        (["train", "--config", "nothing.toml"], "cannot read nothing.toml: No such file or directory"),
        (["train", "--resume", "a", "--out", "b"], "omit --config, --out and --option"),
        (["random-play", "--player", "nobody", "--games", "1"], "has no scripted player 'nobody'"),
        (["random-play", "--json", "none/x.json"], "cannot be written"),
    ):
        assert words in complaint(argv, capsys)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; from spygames_app.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*{'torch', 'numba', 'matplotlib', 'rich'} & set(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.strip()) == (0, "")


WITHOUT = """
import sys
from importlib.machinery import PathFinder

missing, argvs, find_spec = sys.argv[1].split(","), sys.argv[2:], PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name.partition(".")[0] in missing else find_spec(name, *rest)

from spygames_app.cli import main

codes = [main(words.split()) for words in argvs]
assert not {*missing} & {*sys.modules}
sys.exit(max(codes))
"""
"""Commands in an environment without some modules, as if they were not installed."""
ONLY_TRAINING = ",".join(OF_TRAINING)


def without(missing: str, *argvs: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run commands in one process that lacks some modules."""
    words = [sys.executable, "-c", WITHOUT, missing, *argvs]
    return subprocess.run(words, cwd=folder, input="1\n" * 400, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("module", "command", "extra"),
    [
        ("tyro", "--help", "cli"),
        ("tyro", "evaluate random", "cli"),
        ("scipy", "ladder a.jsonl random greedy", "training"),
        ("tyro", "train --config demo", "training"),
        ("torch", "beliefs best --out b", "training"),
        ("matplotlib", "evaluate --cross-play random greedy", "training"),
    ],
)
def test_a_missing_extra_is_named_in_one_line(module: str, command: str, extra: str, tmp_path: Path) -> None:
    done = without(module, command, folder=tmp_path)
    needs = f"pip install 'spygames[{extra}]' (in a clone: '.[{extra}]')"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"spygames: the command needs {module}: {needs}\n"
    assert not [*tmp_path.iterdir()]  # it was named at once


def test_subcommands_without_torch_need_none(tmp_path: Path) -> None:
    run = {
        "play best --seed 1 --save a.jsonl": "agent_avenue/simple-2@argmax",
        "record best greedy --out b.jsonl": "1 game in b.jsonl",
        "replay a.jsonl": "replayed exactly",
        "draw b.jsonl --out b.html": "b.html: ",
        "rules agent_avenue": "AA-21",
        "prompt heimlich": "Your action?",
        "pack agent_avenue/simple-2 --out agent.zip": "zip: agent.zip",
        "agents": "agent_dog/standard-4",
        "evaluate best python:my_bot.first --against random --games 20 --limit 9 --json e.json": "results: e.json",
        "evaluate --seats best greedy --games 4": "simple-2",
        "compare best random --max-games 512 --figure 20": "agent_avenue/simple-2@argmax is better than random",
        "random-play --games 1 --game agent_avenue --option players=2": "agent_avenue_v0",
    }
    assert {words.split()[0] for words in run} == {*WITHOUT_TORCH}
    (tmp_path / "my_bot.py").write_text("def first(observation, mask):\n    return int(mask.argmax())\n")
    done = without(ONLY_TRAINING, *run, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert not {text for text in run.values() if text not in done.stdout}


def test_a_closed_pipe_is_not_an_error() -> None:
    code = "import sys; sys.exit(__import__('spygames_app.cli').cli.main(['train', '--help']))"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([sys.executable, "-c", code], stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


def test_ctrl_c_gives_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spygames_training.evaluation.evaluation.evaluate", interrupted)
    assert main(["evaluate", "random", "--game", "tests.poker.kuhn", "--games", "2"]) == 130
    assert capsys.readouterr().err.endswith("spygames evaluate: interrupted\n")


def test_a_lack_of_memory_gives_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def too_much(*args: object) -> None:
        raise MemoryError

    monkeypatch.setattr("spygames_training.evaluation.evaluation.evaluate", too_much)
    argv = ["evaluate", "random", "--game", "tests.poker.kuhn", "--games", "2"]
    assert main(argv) == 2
    assert capsys.readouterr().err.endswith("spygames evaluate: not enough memory\n")


def test_messages_name_the_command_as_it_was_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = tmp_path / "spygames"
    called.write_text("#!/bin/sh\n")
    called.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(called)])
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    assert program() == str(called)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == "spygames"
    monkeypatch.setattr(sys, "argv", ["scripts/train.py"])
    assert program() == f"{shlex.quote(sys.executable)} -m spygames_app"


# Shipped configs and agents


def test_configs_are_found_by_name_or_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    demo = shipped_folder("configs") / "demo.toml"
    assert read_config(demo).name == "demo"
    for text in ("demo", "demo.toml", "configs/demo.toml"):
        assert config_path(text) == demo
    agent = shipped_folder("configs") / "agents" / "heimlich_3.toml"
    for text in ("agents/heimlich_3", "configs/agents/heimlich_3.toml"):
        assert config_path(text) == agent != config_path("heimlich_3")
    for text in ("none.toml", "other/demo.toml", "checkpoints/demo", "agents/configs/heimlich_3", "agents/demo", ""):
        assert config_path(text) == Path(text)
    with pytest.raises(ValueError, match="no config none; "):
        config_path("none")
    (tmp_path / "demo").write_text("")
    assert config_path("demo") == Path("demo")  # a local file takes precedence over a shipped one


def test_checkpoints_are_found_by_name_or_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = shipped_folder("checkpoints") / "agent_dog_2"
    assert agent_folder("agent_dog/standard-2") == shipped
    for text in ("random", "mcts:50", "runs/agent_dog_2", "agent_dog_2", "agent_dog_2@argmax"):
        assert agent_folder(text) == Path(text)


def test_agents_are_listed_with_their_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spygames_app.cli.agents.console", lambda: Console(width=160))  # wide enough: one line a row
    file = tmp_path / "agents.json"
    assert main(["agents", "--json", str(file)]) == 0
    shown, found = capsys.readouterr().out.splitlines(), json.loads(file.read_text())
    assert [each["name"] for each in found] == [agent.name for agent in released_agents()]
    assert " ".join(LEGEND.split()) in " ".join(" ".join(shown).split())
    for each in found:
        first = next(k for k, line in enumerate(shown) if f" {each['name']} " in line)
        assert each["purpose"] in shown[first]
        assert f"{100 * each['worst_case']['win_share']:.1f}" in shown[first]
        assert each["figures"][0]["play"] == each["play"]
        for row, figures in zip(shown[first:], each["figures"], strict=False):
            assert (f" {each['name']}@{figures['play']} " in row) == (figures["play"] != each["play"])
            listed = [name for name in figures["win_shares"] if name != EARLIER]
            assert all(f"{100 * figures['win_shares'][name]:.1f}" in row for name in listed)
            fair = [figures["fair_shares"][name] for name in listed if figures["fair_shares"][name] != 0.5]
            assert all(f"({100 * share:.0f})" in row for share in fair)


def test_an_agent_is_listed_by_name_with_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    agent = released_agents()[0]
    assert main(["agents", f"{agent.name}@{agent.figures[-1].play}"]) == 0  # a name of the table
    printed = capsys.readouterr().out
    assert main(["agents", agent.name]) == 0
    out = capsys.readouterr().out
    assert out == printed
    assert f"folder: {agent.folder}\n" in out
    assert not any(f" {other.name} " in out for other in released_agents()[1:])


def test_an_agent_is_found_by_an_option_at_its_default() -> None:
    agents = released_agents()
    with_history = [agent for agent in agents if agent.options.get("history")]
    without = [agent for agent in agents if agent.game_id == "agent_avenue_v0" and agent not in with_history]
    assert with_history
    assert Agents(option=(("history", 0),))._chosen() == without
    assert Agents(option=(("history", 3),))._chosen() == with_history


def test_best_and_safest_are_listed_for_a_game() -> None:
    """Without one, the error names --game where the command has it."""
    for word in ("best", "safest"):
        (agent,) = Agents(word, "agent_avenue_v0", (("history", 3),))._chosen()
        assert agent.name == {"best": "agent_avenue/simple-2", "safest": "agent_avenue/simple-2-safe"}[word]
        with pytest.raises(WrongArguments, match=f"^{word} needs a game: add --game, as in "):
            Agents(word)._chosen()
        with pytest.raises(ValueError, match=rf"^{word} needs a game: add --game, as in .* or name an agent: agent_"):
            agent_and_game(word, None, {})
        with pytest.raises(ValueError, match=rf"^{word} needs a game: name an agent: agent_"):
            agent_and_game(word, None, {}, takes_game=False)


@pytest.mark.parametrize(
    ("text", "value"), [("True", True), ("true", True), ("False", False), ("None", None), ("4", 4), ("swap", "swap")]
)
def test_options_take_the_words_of_python_and_json(text: str, value: object) -> None:
    assert read_option(f"name={text}") == ("name", value)


# Imports between packages


def imported(file: Path) -> set[str]:
    """Return the top-level packages that a file imports anywhere."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda file: file.stem)
def test_scripts_only_call_the_command(file: Path) -> None:
    lines = [line for line in file.read_text().splitlines() if line.strip() and not line.startswith('"""')]
    assert len(lines) <= 5
    assert imported(file) <= {"runpy", "sys", "spygames_app"}


def test_no_library_imports_the_command_and_nothing_imports_tests() -> None:
    for package in ("envs", "training"):
        for file in (ROOT / package).rglob("*.py"):
            assert not imported(file) & {"spygames_app", "benchmarks", "studies", "tests"}, file
    for package in ("app", "benchmarks", "studies"):
        for file in (ROOT / package).rglob("*.py"):
            assert "tests" not in imported(file), file
    for file in (ROOT / "app").rglob("*.py"):
        assert not imported(file) & {"benchmarks", "studies"}, file


def test_scripts_exit_as_the_command_does(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, argv in (("train", ["--resume", "nowhere"]), ("evaluate", ["nobody"])):
        script = str(ROOT / "scripts" / f"{name}.py")
        monkeypatch.setattr(sys, "argv", [script, *argv])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(script, run_name="__main__")
        assert ended.value.code == 2
        errors = capsys.readouterr().err
        assert errors.count("\n") == 1
        assert argv[-1] in errors
