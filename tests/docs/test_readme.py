"""The code of the README and of the page of pictures runs, and commands name files that exist (links: tests/docs)."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from spygames_app.cli import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def python_in(text: str) -> list[str]:
    """The blocks of Python in a Markdown page."""
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the README's order and in one folder: what is trained in one is evaluated in the next."""
    blocks = python_in(README)
    assert len(blocks) >= 9
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        names: dict[str, object] = {"__name__": "readme"}
        exec(compile(block, "README.md", "exec"), names)


def test_pictures_and_films_are_made_as_their_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = python_in((ROOT / "docs" / "pictures.md").read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "pictures"}
    for block in blocks:
        exec(compile(block, "pictures.md", "exec"), names)
    assert len(blocks) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.html", "position.svg"]
    assert capsys.readouterr().out.startswith("False\n")


def test_environments_need_no_training_extra() -> None:
    """Importing spygames and playing, in a batch and by one seat, loads neither torch nor the training package."""
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


def test_commands_are_those_that_there_are() -> None:
    """Subcommands, and the configs that they name."""
    subcommands = re.findall(r"(?:`|bin/)spygames ([a-z][a-z-]*)", README)
    assert len(subcommands) >= 6
    assert set(subcommands) <= set(COMMANDS)
    configs = re.findall(r"--config (\w+)", README)
    assert configs
    assert not [c for c in configs if not (ROOT / "configs" / f"{c}.toml").exists()]
