"""The study of a search's strength resumes where it was stopped, with the same games."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from studies import search_strength as study

from spygames import make_game
from spygames.core.game.rng import next_seed
from spygames.core.playing.batch import spread
from spygames_training.evaluation.evaluation import evaluate

THREE = {"players": 3}
MATCHES = [
    study.Match("greedy", "random", 30, block=10),
    study.Match("expert", "greedy", 20, "heimlich_v0", THREE, 10),
    study.Match("greedy", "greedy", 20, "heimlich_v0", THREE, 10),
]


def test_it_resumes_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "MATCHES", MATCHES)
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    assert study.main(["--file", str(whole)]) == 0
    found = json.loads(whole.read_text())
    assert found["seed"] == study.SEED
    assert [len(wins) for wins in found["wins"].values()] == [30, 20, 20]
    assert set(found["wins"]["greedy against random"]) <= set("012")
    assert set(found["wins"]["expert against greedy"]) <= set("0123")
    stopped = {**found, "wins": {"greedy against random": found["wins"]["greedy against random"][:20]}}
    parts.write_text(json.dumps(stopped))
    assert study.main(["--file", str(parts)]) == 0
    assert json.loads(parts.read_text()) == found
    told = capsys.readouterr().out
    assert "`greedy` against `random`" in told
    assert "`greedy` in all seats" in told
    assert study.main(["--file", str(parts), "--seed", "1"]) == 2


def test_wins_are_those_of_an_evaluation() -> None:
    two, three = make_game("agent_avenue_v0"), make_game("heimlich_v0", **THREE)
    for game, challenger, opponent in ((two, "greedy", "random"), (three, "expert", "greedy")):
        deals, stream = spread(np.uint64(5), 10), int(next_seed(np.uint64(5)))
        (found,) = evaluate(game, challenger, opponent, 10 * game.num_sides, 5)
        alone, everywhere = (study.wins_in(game, name, opponent, deals, stream) for name in (challenger, opponent))
        assert np.array(alone) / game.num_sides == pytest.approx(found.by_deal)
        assert np.mean(everywhere) / game.num_sides == pytest.approx(found.fair_share)


def test_draws_count_for_the_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even two in one deal."""
    monkeypatch.setattr(study, "play_games", lambda game, *_: np.zeros((8, game.num_players), np.float32))
    game, deals = make_game("agent_avenue_v0"), np.arange(4, dtype=np.uint64)
    assert study.wins_in(game, "greedy", "random", deals, 1) == [0, 0, 0, 0]


@pytest.mark.parametrize("text", ["x", "[]", "{}", '{"seed": 1, "wins": []}'])
def test_a_file_of_something_else_is_left_alone(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (file := tmp_path / "some.json").write_text(text)
    assert study.main(["--file", str(file)]) == 2
    assert f"{file} is not a file of this study's results: " in capsys.readouterr().err
    assert file.read_text() == text


def test_it_stops_after_some_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 100_000, 45))  # each look at the clock is 45 seconds later
    monkeypatch.setattr(study, "MATCHES", MATCHES[:1])
    monkeypatch.setattr(study, "time", SimpleNamespace(monotonic=lambda: next(now)))
    file = tmp_path / "some.json"
    assert study.main(["--minutes", "1", "--file", str(file)]) == 0
    assert [len(wins) for wins in json.loads(file.read_text())["wins"].values()] == [10]


def test_single_matches_can_be_selected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "MATCHES", MATCHES)
    file = tmp_path / "some.json"
    assert study.main(["--only", "all seats", "--file", str(file)]) == 0
    assert [*json.loads(file.read_text())["wins"]] == ["greedy in all seats"]


def test_the_page_shows_the_figures_of_the_file() -> None:
    results = Path(__file__).parents[2] / "docs" / "results"
    page = (results / "searches.md").read_text(encoding="utf-8")
    played = json.loads((results / "search_strength.json").read_text())["wins"]
    assert f"{study.BEGIN}\n\n{study.table(played)}\n\n{study.END}" in page


def test_figures_are_computed_from_wins_by_deal() -> None:
    deals, won, interval = study.figures("2100" * 50, 2)
    low, high = map(float, interval.split("-"))
    assert (deals, won) == ("200", "37.5")
    assert 30 < low < 34 < 41 < high < 45


def test_the_interval_has_a_width_if_all_deals_agree() -> None:
    """It is Wilson's, as the protocol says."""
    assert study.figures("2" * 100, 2) == ["100", "100.0", "96.3-100.0"]
    assert study.figures("0" * 100, 2) == ["100", "0.0", "0.0-3.7"]
