"""`spygames draw`: each format, and one line for invalid arguments."""

from pathlib import Path
from typing import Any

import pytest

from spygames.agent_avenue import make_game
from spygames.core.basics.files import shipped_folder
from spygames.core.players.names import make_player
from spygames.core.records.record import play_record, save_games
from tests.cli.command import complaint, run
from tests.films.test_films import data_of
from tests.support.svg import colorless


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path, game = tmp_path_factory.mktemp("games") / "games.jsonl", make_game()
    save_games(path, [play_record(game, [make_player(game, "greedy")] * 2, seed) for seed in (1, 2)])
    return path


@pytest.mark.parametrize("form", ["webp", "gif", "mp4", "png", "svg", "html", "PNG"])
def test_each_format_is_drawn(form: str, games: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if form == "mp4":
        pytest.importorskip("imageio_ffmpeg")
    out = tmp_path / f"game.{form}"
    assert run("draw", games, "--out", out, *(() if form in ("svg", "html") else ("--width", 64))) == 0
    assert out.stat().st_size > 100
    output = capsys.readouterr().out
    assert output.startswith(f"{out}: ")
    assert output.count("\n") == 1
    assert ("position" in output.split()) == (form.lower() in ("png", "svg"))


def test_a_film_shows_the_advice_of_an_agent_to_a_viewer(games: Path, tmp_path: Path) -> None:
    out, agent = tmp_path / "game.html", shipped_folder("checkpoints") / "agent_avenue_simple"
    assert run("draw", games, "--number", 2, "--viewer", 1, "--agent", agent, "--out", out) == 0
    (view,) = data_of(out.read_text())["views"]
    assert view["name"] == "player_1"
    decisions = [scene for scene in view["scenes"] if "a" in scene]
    assert decisions
    for scene in decisions:
        assert scene["d"] == 1
        assert abs(sum(share for _, share in scene["a"]) - 1) < 0.01
        assert 0 <= scene["w"] <= 1


def test_one_position_is_drawn(games: Path, tmp_path: Path) -> None:
    pictures = set()
    for move, theme in ((0, ()), (3, ()), (3, ("--theme", "light"))):
        out = tmp_path / f"{move}.svg"
        assert run("draw", games, "--out", out, "--move", move, *theme) == 0
        pictures.add(out.read_text())
    assert len(pictures) == 3
    assert len({colorless(picture) for picture in pictures}) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out must name a file that ends in .webp"),
        (["--out", "x"], "--out must name a file that ends in .webp"),
        (["--out", "x.avi"], ".html, not x.avi"),
        (["--out", "nowhere/x.gif"], "cannot be written"),
        (["--out", "x.gif", "--move", "2"], "--move works only for png and svg"),
        (["--out", "x.svg", "--move", "999"], "--move must be from 0 to"),
        (["--out", "x.svg", "--move", "-1"], "not an integer from 0"),
        (["--out", "x.gif", "--viewer", "2"], "--viewer must be from 0 to 1, not 2"),
        (["--out", "x.gif", "--number", "3"], "has 2 games, no --number 3"),
        (["--out", "x.gif", "--width", "8"], "width must be an integer from 16 to 4096"),
        (["--out", "x.gif", "--seconds", "0"], "seconds for a position must be a number from 0.02 to 60"),
        (
            ["--out", "x.gif", "--agent", "greedy"],
            "--agent must be a checkpoint or a search, not greedy",
        ),
        (["--out", "x.gif", "--agent", "nobody"], "no player 'nobody'"),
        (["--out", "x.gif", "--game", "agent_dog_v0"], "the game is agent_avenue_v0, not agent_dog_v0"),
    ],
)
def test_invalid_arguments_give_one_line_and_write_nothing(
    arguments: list[Any], message: str, games: Path, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in complaint(["draw", str(games), *arguments], capsys)
    assert list(tmp_path.iterdir()) == []


def test_an_error_leaves_an_existing_file_alone(games: Path, tmp_path: Path, capsys: Any) -> None:
    out, bad = tmp_path / "game.svg", tmp_path / "bad.jsonl"
    out.write_text("mine")
    bad.write_text(games.read_text().replace('"seed": 1', '"seed": 5'))
    assert f"{bad}, game 1: " in complaint(["draw", str(bad), "--out", str(out)], capsys)
    assert out.read_text() == "mine"
