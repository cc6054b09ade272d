"""`spygames ladder`: it plays, resumes, adds players, writes its page from the lines alone, and reruns lines."""

import json
import re
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from spygames_app.cli.ladder import MORE_SIDES, TWO_SIDES
from spygames_training.ladder import lines
from spygames_training.output.tables import TextTable
from spygames_training.system.machine import instructions
from tests.cli.command import complaint, run


def compared(file: Path) -> list[str]:
    """Return the parts of the lines that never change."""
    return [line.split(', "made": ')[0] for line in file.read_text().splitlines()]


def test_a_ladder_is_played_resumed_extended_and_rerun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, page, picture = (tmp_path / f"x.{ending}" for ending in ("jsonl", "md", "svg"))
    assert run("ladder", file, "--players", "random", "greedy", "--blocks", 2, "--seed", 7) == 0
    assert "greedy" in capsys.readouterr().out
    first = compared(file)
    assert len(first) == 2
    assert picture.read_text().lstrip().startswith("<?xml")
    links = re.findall(r"\]\((.+?)\)", page.read_text())
    assert links == ["x.jsonl", "x.svg"]  # and no links to pages that only published ladders have

    # Another run with nothing left to do changes nothing; the page comes from the lines.
    pages = page.read_bytes(), picture.read_bytes()
    whole = file.read_bytes()
    page.unlink()
    picture.unlink()
    assert run("ladder", file) == 0
    assert (page.read_bytes(), picture.read_bytes(), file.read_bytes()) == (*pages, whole)

    # An option that is off, which the game does not list, and its default are those of the file.
    assert run("ladder", file, "--option", "history=0", "--option", "mode=simple") == 0
    assert file.read_bytes() == whole

    # A run that was stopped in the middle of a line resumes there.
    file.write_bytes(whole[:-100])
    assert run("ladder", file, "--players", "greedy", "random", "--blocks", 2) == 0
    assert compared(file) == first

    # A new player meets everybody, on deals of the file's seed, and changes no line.
    assert run("ladder", file, "--players", "expert", "--blocks", 1) == 0
    assert compared(file)[:2] == first
    assert [json.loads(line)["block"]["seed"] for line in file.read_text().splitlines()] == [7] * 4
    assert "| `expert` | 0 |" in page.read_text()

    assert run("ladder", file, "--rerun", 4, 1) == 0
    assert capsys.readouterr().out.endswith("line 4: the same, byte for byte\nline 1: the same, byte for byte\n")
    text = file.read_text()
    k = text.index('"wins": "') + len('"wins": "')
    file.write_text(f"{text[:k]}{'1' if text[k] == '2' else '2'}{text[k + 1 :]}")
    assert run("ladder", file, "--rerun", 1, 2) == 1
    assert capsys.readouterr().out == "line 1: different games\nline 2: the same, byte for byte\n"
    old = {"greedy": "0" * 16}
    lines = [line.replace(known(line, name), digest) for line in text.splitlines() for name, digest in old.items()]
    file.write_text("".join(f"{line}\n" for line in lines))
    assert run("ladder", file, "--rerun", 1) == 1
    assert capsys.readouterr().out == "line 1: the same games; the digest of greedy differs\n"
    other = f'"instructions": "{instructions()}"', '"instructions": "SVE256"'
    file.write_text("".join(f"{line}\n".replace(*other) for line in lines))
    assert run("ladder", file, "--rerun", 1) == 1
    assert f"differs; networks computed with 'SVE256' then, with {instructions()} here\n" in capsys.readouterr().out


def test_the_same_command_resumes_with_short_names_of_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line has names in full. The player of a short name was named by the command, not by the file."""
    (tmp_path / "ladder_bot.py").write_text("def act(observation, mask):\n    return int(mask.argmax())\n")
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "x.jsonl"
    command = ["ladder", file, "--deals", 1, "--blocks", 1, "--players", "random"]
    mixed = [*command, "mix:agent_avenue/simple-2|python:ladder_bot.act"]
    assert run(*mixed) == 0
    first = file.read_bytes()
    assert b"mix:agent_avenue/simple-2@argmax|python:ladder_bot.act" in first
    assert run(*mixed) == 0
    assert file.read_bytes() == first
    line = complaint([*map(str, command), "greedy"], capsys)
    assert "the file names the player 'mix:" in line
    assert "pass --allow-code" in line


def test_lines_that_another_process_has_added_are_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other process ends while this one makes its players."""
    file, other = tmp_path / "x.jsonl", tmp_path / "y.jsonl"
    command = ["--deals", "1", "--blocks", "1", "--players", "random", "greedy"]
    assert run("ladder", other, *command) == 0
    entry_of = lines.entry_of

    def late(*args: Any) -> Any:
        file.write_bytes(other.read_bytes())
        return entry_of(*args)

    monkeypatch.setattr(lines, "entry_of", late)
    line = complaint(["ladder", str(file), *command], capsys)
    assert line.endswith("x.jsonl meanwhile: repeat the command")
    assert file.read_bytes() == other.read_bytes()
    monkeypatch.undo()
    assert run("ladder", file, *command) == 0
    assert file.read_bytes() == other.read_bytes()


def test_ctrl_c_prints_where_the_lines_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spygames_training.ladder.playing.play_lines", interrupted)
    assert run("ladder", tmp_path / "x.jsonl", "random", "greedy") == 130
    assert capsys.readouterr().out == f"saved in {tmp_path / 'x.jsonl'}; the same command resumes\n"


def test_the_number_of_blocks_depends_on_the_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two teams are two sides. With three sides, two players meet in both orders, and each plays itself."""
    planned = []

    def interrupted(game: object, meetings: Iterable[object], *_: object) -> None:
        planned.append(len([*meetings]))
        raise KeyboardInterrupt

    monkeypatch.setattr("spygames_training.ladder.playing.play_lines", interrupted)
    for name, players in (("agent_avenue_v0", 4), ("heimlich_v0", 3)):
        argv = ["random", "greedy", "--game", name, "--option", f"players={players}"]
        assert run("ladder", tmp_path / f"{name}.jsonl", *argv) == 130
    assert planned == [TWO_SIDES, 4 * MORE_SIDES]


def test_the_screen_shows_full_names_without_markdown() -> None:
    names = [f"`agent_avenue/simple-2@{how}`" for how in ("argmax", "sample")]
    table, screen = TextTable(["%", *names], [[name, "1.0", "2.0"] for name in names]), StringIO()
    Console(width=50, file=screen).print(table.rich())
    assert not set("`…") & set(screen.getvalue())
    letters = sorted("".join(names).replace("`", "") * 2 + "%1.02.0" + "1.02.0" + "─" * screen.getvalue().count("─"))
    assert sorted("".join(screen.getvalue().split())) == letters


def known(line: str, name: str) -> str:
    """Return the digest of a player in a line."""
    players = {player["name"]: player["digest"] for player in json.loads(line)["block"]["players"]}
    return players.get(name, "?")


def test_with_three_sides_each_player_sits_alone_against_each_other(tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    argv = ["--players", "random", "greedy", "--blocks", 1, "--game", "heimlich_v0", "--option", "players=3"]
    assert run("ladder", file, *argv) == 0
    assert len(compared(file)) == 4
    page = file.with_suffix(".md").read_text()
    assert "The diagonal is the fair share" in page
    assert "# Ladder: heimlich_v0, players=3" in page


def test_newcomers_do_not_meet_a_player_that_has_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line of another `expert`: a newcomer meets the other player alone, and the command says so."""
    file = tmp_path / "x.jsonl"
    assert run("ladder", file, "--players", "random", "greedy", "--blocks", 1) == 0
    first = file.read_text().replace('"name": "greedy"', '"name": "expert"')
    file.write_text(first)
    capsys.readouterr()
    assert run("ladder", file, "--players", "greedy", "--blocks", 1) == 0
    assert "has results of another expert (digest " in capsys.readouterr().out
    lines = file.read_text()
    assert lines.startswith(first)
    (line,) = lines[len(first) :].splitlines()
    assert {player["name"] for player in json.loads(line)["block"]["players"]} == {"random", "greedy"}


def test_invalid_arguments_give_one_line_and_change_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.jsonl"
    assert run("ladder", file, "--players", "random", "greedy", "--blocks", 1) == 0
    broken, foreign = tmp_path / "broken.jsonl", tmp_path / "foreign.jsonl"
    broken.write_text("[]\n")
    foreign.write_text(file.read_text().replace('"name": "greedy"', '"name": "command:./bot"'))
    options, another = tmp_path / "options.jsonl", tmp_path / "another.jsonl"
    options.write_text(file.read_text().replace('"players": 2', '"players": 20'))
    another.write_text(file.read_text().replace('"name": "greedy"', '"name": "expert"'))
    before = {path: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    for argv, text in (
        ([tmp_path / "none.jsonl"], "none.jsonl does not exist: name the players"),
        ([tmp_path / "none" / "x.jsonl", "--players", "random"], "cannot be written"),
        ([tmp_path / "x.md", "--players", "random"], "name it .jsonl"),
        ([broken], "line 1 is not a line of a ladder"),
        ([tmp_path / "alone.jsonl", "--players", "random", "random"], "needs at least two different players"),
        ([file, "--players", "nobody"], "no player 'nobody'"),
        ([file, "--players", "expert", "--option", "players=4"], "name another file"),
        ([file, "--players", "expert", "--seed", "5"], "name another file"),
        ([file, "--rerun", "2"], "has 1 line, no line 2"),
        ([file, "--rerun", "1", "0"], "'0' is not an integer from 1"),
        ([file, "--rerun", "1", "--players", "expert"], "--rerun plays existing lines again"),
        ([foreign, "--rerun", "1"], "--allow-code"),
        ([foreign, "--players", "expert"], "--allow-code"),
        ([options], "the game of the file is not available"),
        ([another, "--players", "expert"], "has results of another expert (digest "),
    ):
        assert text in complaint(["ladder", *map(str, argv)], capsys)
    assert {path: path.read_bytes() for path in tmp_path.glob("*.jsonl")} == before


def test_a_game_of_another_module_has_a_ladder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.jsonl"
    few = ["--blocks", 1, "--deals", 8]
    assert run("ladder", file, "--players", "random", "mc:4", "--game", "tests.poker.kuhn", *few) == 0
    assert "kuhn_poker_v0" in file.with_suffix(".md").read_text()
    assert file.with_suffix(".svg").exists()
    before = file.read_bytes()
    refused = complaint(["ladder", str(file)], capsys)
    assert "'tests.poker.kuhn', which is not a game of spygames; pass --allow-code to import it" in refused
    assert run("ladder", file, "--allow-code", *few) == 0
    assert run("ladder", file, "--game", "tests.poker.kuhn", *few) == 0
    assert file.read_bytes() == before
    assert run("ladder", file, "--rerun", 1, "--allow-code") == 0
    assert capsys.readouterr().out.endswith("line 1: the same, byte for byte\n")
