"""`spygames random-play`: the figures of the games that it plays."""

import json
from pathlib import Path

import numpy as np
import pytest

from spygames.agent_avenue import make_game
from spygames_training.experiments.random_play import MEASURED, documented_variants, measure
from tests.cli.command import run


def test_figures_match_the_games_and_are_repeatable() -> None:
    game = make_game()
    reported: list[int] = []
    found = measure(game, 300, progress=reported.append)
    assert sum(reported) == found["games"] == 300
    assert found["decisions"]["least"] <= found["decisions"]["median"] <= found["decisions"]["most"]
    assert np.isclose(sum(found["ends"].values()), 1)
    assert np.isclose(sum(found["wins"]), 1, atol=0.05)
    assert measure(game, 300) == found
    assert measure(game, 300, "greedy")["decisions"] != found["decisions"]
    assert measure(game, 1)["decisions"]["mean"] == measure(game, 1)["decisions"]["most"]


def test_every_game_has_documented_variants() -> None:
    for game_id, options in MEASURED.items():
        assert len(documented_variants(game_id)) == len(options)


def test_a_game_without_turns_and_reasons_has_no_such_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("random-play", "--game", "tests.poker.kuhn", "--games", 20) == 0
    _, _, head, _, row = capsys.readouterr().out.splitlines()[:5]
    assert head == "| mean decisions (median, most) | won by each seat |"
    assert row.startswith("| 2.")


def test_the_table_has_the_figures_of_the_json_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    argv = ["--option", "players=2", "--option", "first_player=1", "--games", 50, "--json", file]
    assert run("random-play", *argv) == 0
    found = json.loads(file.read_text())
    assert found[0]["options"] == {"mode": "simple", "players": 2, "first_player": 1}
    title, _, head, _, row = capsys.readouterr().out.splitlines()[:5]
    assert title == "`agent_avenue_v0, mode=simple, players=2, first_player=1`"
    assert head.startswith("| mean decisions (median, most) | mean turns (median, most) | won by each seat |")
    assert row.startswith(f"| {found[0]['decisions']['mean']:.2f} (")
