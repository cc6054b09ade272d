"""Settings files cannot run code: their game must be one of spygames, unless the command line allows others."""

import dataclasses
import json
import sys
from pathlib import Path

import pytest

from spygames_training import Config, read_config
from spygames_training.runs.folder import RUN, resume_config
from tests.cli.command import complaint, run

MODULE = "game_that_runs_code"
REFUSED = (
    f"names '{MODULE}', which is not a game of spygames but a module that may run any code; "
    "pass --allow-code to import it"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a module that creates a file when imported, and a config and a run that name it."""
    (tmp_path / f"{MODULE}.py").write_text("open('it_ran', 'w').close()\n")
    (tmp_path / "odd.toml").write_text(f'game = "{MODULE}"\n')
    (tmp_path / "run").mkdir()
    config = Config(game=MODULE, evaluate_against=("random",))
    (tmp_path / "run" / RUN).write_text(json.dumps(dataclasses.asdict(config)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    return tmp_path


COMMANDS = [
    ["train", "--config", "odd.toml"],
    ["train", "--config", "odd.toml", "--seeds", "2"],
    ["train-all", "odd.toml"],
    ["ablate", "odd.toml"],
]


RESUMING = [["train", "--resume", "run"], ["best-response", "--resume", "run"]]


@pytest.mark.parametrize("argv", [*COMMANDS, *RESUMING], ids=" ".join)
def test_a_game_named_in_a_file_is_not_imported(
    folder: Path, argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert REFUSED in complaint(argv, capsys)
    assert not (folder / "it_ran").exists()


@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_allow_code_imports_the_game(folder: Path, argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*argv, "--allow-code") == 2
    assert f"no game '{MODULE}'" in capsys.readouterr().err  # it has no make_game
    assert (folder / "it_ran").exists()


def test_a_game_named_on_the_command_line_is_imported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"no game '{MODULE}'" in complaint(["train", "--config", "odd.toml", "--game", MODULE], capsys)
    assert (folder / "it_ran").exists()


def test_the_python_functions_take_allow_code(folder: Path) -> None:
    assert read_config("odd.toml").game == resume_config("run").game == MODULE
    for read, file in ((read_config, "odd.toml"), (resume_config, "run")):
        with pytest.raises(ValueError, match=rf"^[^\n]*{REFUSED}$"):
            read(file, allow_code=False)
    assert not (folder / "it_ran").exists()
