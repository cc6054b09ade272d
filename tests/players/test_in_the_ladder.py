"""Players of one's own in the ladder, by the command and as the docs say."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest

from tests.cli.command import complaint, run

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here")
def test_functions_classes_and_programs_are_ranked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A block is 512 games, in which nobody fails; a line is played again byte for byte, but only if code may run."""
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    program = f"command:node {shlex.quote(str(EXAMPLES / 'drawn.mjs'))}"
    file, own = tmp_path / "own.jsonl", ["python:my_bot.likes_last", "python:my_bot.Watcher", program]
    assert run("ladder", file, "--players", "random", own[2], "--blocks", "1") == 0
    assert run("ladder", file, "--players", own[0], own[1], "--blocks", "1", "--allow-code") == 0
    assert file.read_text().count('"forfeits": []') == 6
    capsys.readouterr()
    assert "--allow-code" in complaint(["ladder", str(file), "--rerun", "1"], capsys)
    assert run("ladder", file, "--rerun", "1", "2", "--allow-code") == 0
    sys.modules.pop("my_bot")
