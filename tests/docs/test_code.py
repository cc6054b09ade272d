"""The code on the pages runs: blocks of Python and shell in the order of a page, in one empty folder per page.

A block whose first line is a comment with a file name (`# my_bot.py`) is that file. Blocks of TOML are always files.
Indented commands are examples of many: their subcommands, options and configs must exist. For links see test_pages.py.
"""

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spygames.core.game.registry import make_game
from spygames.core.players.released import released_agents
from spygames_app.cli import COMMANDS, load, main
from spygames_training import evaluate

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "envs").rglob("README.md"))]
CODE = re.compile(r"^```(?P<kind>python|sh|toml|js)\n(?P<code>.*?)^```", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^```(\S*)", re.MULTILINE)
FILE = re.compile(r"# ([\w./-]+\.\w+)\n")
SLOW = {
    "datasets",
    "open_trainer",
    "stable_baselines3",
    "tutorials/game_of_your_own",
    "tutorials/look_at_a_game",
    "tutorials/ppo_in_one_file",
    "tutorials/train_and_judge",
    "tutorials/write_a_bot",
}
"""Pages with long runs or many commands; only `make test-all` runs them."""


def named(page: Path) -> str:
    return page.relative_to(DOCS if page.is_relative_to(DOCS) else ROOT).with_suffix("").as_posix()


def pages(pattern: re.Pattern[str], slow: bool = False) -> list[Any]:
    """Return the pages that match the pattern, as test parameters; `slow` marks those in SLOW."""
    found = [page for page in PAGES if pattern.search(page.read_text(encoding="utf-8"))]
    marks = {page: pytest.mark.slow if slow and named(page) in SLOW else () for page in found}
    return [pytest.param(page, id=named(page), marks=marks[page]) for page in found]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with only the modules of the examples; they can be imported until the end of the test."""
    for example in (DOCS / "examples").glob("*.py"):
        shutil.copy(example, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture(scope="session")
def shell(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables with which `spygames` and `python` run the Python of this process."""
    bin_folder = tmp_path_factory.mktemp("bin")
    for name, code in {"spygames": "-m spygames_app", "python": ""}.items():
        (bin_folder / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {code} "$@"\n')
        (bin_folder / name).chmod(0o755)
    return {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("page", pages(CODE, slow=True))
def test_the_code_of_a_page_runs(page: Path, folder: Path, shell: dict[str, str]) -> None:
    names: dict[str, object] = {"__name__": "page"}
    for block in CODE.finditer(page.read_text(encoding="utf-8")):
        kind, code = block["kind"], block["code"]
        if (file := FILE.match(code)) is not None:
            (folder / file[1]).write_text(code, encoding="utf-8")
            importlib.invalidate_caches()
        elif kind == "python" and not is_part_of_an_example(code):
            exec(compile(code, str(page), "exec"), names)
        elif kind == "sh":
            done = subprocess.run(
                ["bash", "-e", "-c", code], cwd=folder, env=shell, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{code}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        elif kind == "js":
            assert is_part_of_an_example(code), code
        if kind == "toml":
            assert file is not None, "a block of TOML must begin with a comment that names its file"
            tomllib.loads(code)
    if named(page) == "tutorials/train_and_judge":
        game = make_game("agent_avenue_v0")
        (result,) = evaluate(game, "runs/first@argmax", ["greedy"], games=2000, seed=20_000)
        assert result.win_share >= 0.6


def is_part_of_an_example(code: str) -> bool:
    """Return whether the code is a part of a file in docs/examples; those files have their own tests."""
    return any(code in file.read_text(encoding="utf-8") for file in (DOCS / "examples").iterdir() if file.is_file())


def test_every_block_has_a_known_language() -> None:
    """A block without a language would never run."""
    known = {"python", "sh", "toml", "js", "text", "json", "yaml", "{include}", "{toctree}", "{autodoc2-object}"}
    for page in PAGES:
        unknown = set(FENCE.findall(page.read_text(encoding="utf-8"))[::2]) - known
        assert not unknown, page


def commands(text: str) -> list[list[str]]:
    """Return the `spygames` commands on a page, from blocks and code spans, split into words."""
    shells = [line for block in CODE.finditer(text) if block["kind"] == "sh" for line in block["code"].splitlines()]
    indented = re.findall(r"^    (.+)$", text, re.MULTILINE)
    spans = re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", text)
    found = [
        re.match(r"(?:nice |PYTHONPATH=\. |\.venv/bin/)?spygames\s(.+)", line, re.DOTALL)
        for line in [*shells, *indented, *spans]
    ]
    return [shlex.split(match[1], comments=True) for match in found if match is not None]


@pytest.mark.parametrize("page", pages(re.compile(r"\bspygames [a-z][a-z-]+ ")))
def test_commands_exist(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in commands(page.read_text(encoding="utf-8")):
        if command[0].startswith("-"):
            continue
        assert command[0] in COMMANDS, command
        options = {word.partition("=")[0] for word in command[1:] if re.match(r"--[a-z]", word)}
        assert not options - known_options(command[0], capsys), command
        for before, word in pairwise(command):
            if before == "--config" and not word.isupper() and not word.endswith(".toml"):
                assert (ROOT / "configs" / f"{word}.toml").exists(), command


def test_released_agents_are_called_by_name() -> None:
    """Pages do not use the folder names of checkpoints, which are also names of configs."""
    folders = {agent.folder.name for agent in released_agents()}
    name = "|".join(sorted(folders))
    wrong = re.compile(rf"checkpoints/({name})\b|\b({name})[@+]")
    for page in PAGES:
        text = re.sub(r"\]\(\S+/README\.md\)", "", page.read_text(encoding="utf-8"))  # links to cards
        assert not wrong.search(text), page
        for command in commands(text):
            if command[0] not in ("train", "train-all", "ablate"):  # these take configs
                assert not folders & set(command), (page, command)


HELP: dict[str, set[str]] = {}


def known_options(subcommand: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """Return the options in the help of a subcommand."""
    if subcommand not in HELP:
        with pytest.raises(SystemExit):
            main([subcommand, "--help"])
        assert load(subcommand).__doc__
        HELP[subcommand] = {*re.findall(r"--[a-z][\w.-]*", capsys.readouterr().out)}
    return HELP[subcommand]


def test_environments_need_no_training_extra() -> None:
    """Importing spygames and playing, in a batch or as one seat, loads neither torch nor the training package."""
    code = """
import sys
import spygames
spygames.make_batch("agent_avenue_v0", 2, seed=1)
spygames.agent_avenue_v0.env().reset(seed=1)
spygames.agent_avenue_v0.single_env(opponents="greedy").reset(seed=1)
print(*sorted({"torch", "spygames_training", "stable_baselines3", "rich", "tyro", "matplotlib"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.parametrize(("name", "library"), [("jax", "jax"), ("openspiel", "pyspiel"), ("openenv", "fastapi")])
def test_doors_to_other_libraries_name_their_extra(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)  # importing it fails, as if it were not installed
    monkeypatch.delitem(sys.modules, f"spygames.{name}", raising=False)
    with pytest.raises(ImportError, match=rf"^spygames.{name} needs \w+: pip install 'spygames\[{name}\]'"):
        importlib.import_module(f"spygames.{name}")


def test_the_page_of_pictures_makes_its_files(folder: Path) -> None:
    for code in (DOCS / "pictures.md").read_text(encoding="utf-8").split("```python\n")[1:]:
        exec(compile(code.partition("```")[0], "pictures.md", "exec"), {"__name__": "pictures"})
    assert {"game.html", "position.svg"} <= {path.name for path in folder.iterdir()}


def test_the_game_of_the_tutorial_keeps_the_contract(folder: Path) -> None:
    from spygames import make_game
    from spygames.testing import check_game

    assert "high_card_v0 passed" in str(check_game(make_game("high_card")))
