"""Custom players in the ladder, with the commands of the docs."""

import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import complaint, run

pytest.importorskip("onnx")
DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "players.md").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the examples in which the page's kind of player is installed."""
    copied = Path(shutil.copytree(DOCS / "examples", tmp_path / "examples"))
    info = copied / "my_kind-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_kind\nVersion: 1.0\n")
    found = re.search(r'\[project.entry-points."(.+)"\]\n +(.+)\n', PAGE)
    assert found
    (info / "entry_points.txt").write_text(f"[{found[1]}]\n{found[2].replace(chr(34), '')}\n")
    monkeypatch.chdir(copied)
    monkeypatch.syspath_prepend(copied)
    yield copied
    for name in ("my_bot", "my_kind"):
        sys.modules.pop(name, None)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_the_commands_of_the_page_work(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function, a program, a model and another package's player play 512 games against each other without a failure.

    A line is replayed byte for byte, but only if code may run. A changed file counts as a new player.
    """
    commands = [shlex.split(line) for line in re.findall(r"^    spygames (.+)", PAGE, re.MULTILINE)]
    assert [argv[0] for argv in commands] == ["evaluate", "evaluate", "play", "export", "evaluate", "ladder"]
    for argv in commands:
        assert argv[0] == "play" or run(*argv) == 0
    lines = (folder / "own.jsonl").read_text()
    players = commands[-1][3:-2]
    assert lines.count('"forfeits": []') == lines.count("\n") == len(players) * (len(players) - 1) / 2 == 10
    for player in players:
        assert lines.count(f'"name": "{player}"') == 4
    assert '"digest": null' not in lines
    capsys.readouterr()
    assert "--allow-code" in complaint(["ladder", "own.jsonl", "--rerun", "1"], capsys)
    own = [number for number, line in enumerate(lines.splitlines(), 1) if "python:" in line and "nth:" in line]
    assert run("ladder", "own.jsonl", "--rerun", *own, "--allow-code") == 0
    with open(folder / "drawn.mjs", "a") as file:
        file.write("// another one\n")
    changed = "command:node drawn.mjs"
    line = complaint(["ladder", "own.jsonl", "--players", changed, "--allow-code"], capsys)
    assert "own.jsonl has results of another command:node drawn.mjs" in line
