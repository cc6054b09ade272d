"""The study that measures an agent: its files, resuming after a stop, and the card."""

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from studies import agent_figures
from studies.figures import Adversary, Figures, read_figures

from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.search.settings import SearchPrecision, SearchSettings

ROOT = Path(__file__).resolve().parents[2]
FIRST = "heimlich/base-3-first"


def test_the_first_agents_are_the_anchors_of_the_agents_variant() -> None:
    assert agent_figures.first_agents(ROOT / "checkpoints" / "heimlich_3") == [FIRST]
    assert agent_figures.first_agents(ROOT / "checkpoints" / "heimlich_2") == []  # no anchor


def test_only_an_agent_that_is_hard_to_exploit_meets_the_first_agent_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    sampled = "agent_avenue/simple-2-first@sample"
    for name, safe in (("agent_avenue_simple_safe", True), ("agent_avenue_simple", False)):
        folder, played = ROOT / "checkpoints" / name, []
        monkeypatch.setattr(agent_figures.Measured, "_match", lambda self, *match, to=played: to.append(match))
        for step in ("_check_searches", "_adversary", "_learner", "_write"):
            monkeypatch.setattr(agent_figures.Measured, step, lambda *_: None)
        seed = json.loads((folder / "figures.json").read_text())["evaluations"][0]["seed"]
        measured = agent_figures.Measured(folder, load_checkpoint(folder), "mine", seed, 1.0)
        measured.all(True, lambda _: None)
        met = {(challenger, anchor): games for challenger, anchor, games, _ in played}
        assert [challenger for challenger, anchor in met if anchor == sampled] == ["mine@sample", "mine@argmax"] * safe
        assert (
            not safe or met["mine@sample", sampled] == met["mine@sample", sampled.replace("sample", "argmax")] == 9604
        )
        assert [challenger for challenger, anchor in met if anchor == sampled.replace("sample", "argmax")][2:]
        assert met["mine+search:64", "greedy"] == 2 * agent_figures.SEARCHED["agent_avenue"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of a released agent without its figures."""
    place = tmp_path / "mine"
    place.mkdir()
    for name in ("config.json", "model.safetensors"):
        shutil.copy(ROOT / "checkpoints" / "heimlich_3" / name, place)
    return place


def study(*argv: object) -> int:
    return agent_figures.main([str(a) for a in argv])


def test_missing_figures_are_measured_and_the_card_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = (folder, "--scale", 0.004, "--no-search", "--seed", 5)
    monkeypatch.setattr(agent_figures, "ANCHORS", ("random", "greedy", "greedy"))
    monkeypatch.setattr(agent_figures, "WITH_MCTS", ())
    monkeypatch.setattr(agent_figures, "first_agents", lambda _: [FIRST])
    assert study(*options) == 0
    figures = read_figures(folder / "figures.json", load_checkpoint(folder))
    rows = [row for each in figures.evaluations for row in each["results"]]
    assert [(row["challenger"], row["opponent"]) for row in rows] == [
        (f"mine@{play}", rival) for play in ("sample", "argmax") for rival in ("random", "greedy", f"{FIRST}@argmax")
    ]
    assert {row["games"] for row in rows} == {36}  # 0.004 of 2,846 deals in three seats, in whole deals
    assert {each["seed"] for each in figures.evaluations} == {5}
    assert figures.calibration is not None
    assert figures.calibration_by_argmax is not None
    both = (figures.calibration, figures.calibration_by_argmax)
    assert [(each.play, each.games, each.seed) for each in both] == [("sample", 8, 5), ("argmax", 8, 5)]
    text = (folder / "README.md").read_text()
    assert "| `greedy` (trained against) |" in text
    assert "](value.svg)" in text
    assert f"By argmax, at {figures.calibration_by_argmax.decisions:,} decisions of 8 games, it is " in text
    assert (folder / "value.svg").exists()

    found = json.loads((folder / "figures.json").read_text())
    found["evaluations"] = [found["evaluations"][0] | {"date": "long ago"}, *found["evaluations"][2:]]
    (folder / "figures.json").write_text(json.dumps(found))
    assert study(*options) == 0
    again = json.loads((folder / "figures.json").read_text())
    assert again["evaluations"][0]["date"] == "long ago"  # not played again
    assert len(again["evaluations"]) == 6

    assert study(*options[:-1], 6) == 2
    assert "has figures of seed 5, not 6: move it away" in capsys.readouterr().err
    assert study(folder, "--scale", 0.1, "--no-search", "--seed", 5) == 2
    assert "has 36 games of mine@sample against random, not 854: move it away" in capsys.readouterr().err
    assert json.loads((folder / "figures.json").read_text()) == again

    again["evaluations"][-1]["players"]["greedy"]["digest"] = "0"
    (folder / "figures.json").write_text(json.dumps(again))
    assert study(*options) == 2
    assert "has games against an older greedy: move the file away" in capsys.readouterr().err
    assert json.loads((folder / "figures.json").read_text()) == again


@pytest.mark.parametrize("seed", [5, (1 << 64) - 1])
def test_a_seed_of_any_size_is_recognized(folder: Path, seed: int) -> None:
    """JSON has a seed from 2^53 on as a text."""
    measured = agent_figures.Measured(folder, load_checkpoint(folder), "mine", seed, 1.0)
    measured._match(f"{folder}@sample", "random", 3, lambda _: None)
    again = agent_figures.Measured(folder, load_checkpoint(folder), "mine", seed, 1.0)
    assert again.found == json.loads((folder / "figures.json").read_text())
    with pytest.raises(ValueError, match=f"has figures of seed {seed}, not 6: move it away"):
        agent_figures.Measured(folder, load_checkpoint(folder), "mine", 6, 1.0)


def test_a_search_knows_and_meets_the_agent_as_it_plays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    met = []

    def evaluate(game: object, challenger: Any, opponent: Any, *games: object) -> list[SimpleNamespace]:
        met.append(([known.name for known in challenger.known], opponent.name, *games[:2]))
        return [SimpleNamespace(games=2, win_share=0.5, interval=(0.4, 0.6), fair_share=0.3)]

    monkeypatch.setattr(agent_figures, "evaluate", evaluate)
    measured = agent_figures.Measured(folder, load_checkpoint(folder), "mine", 5, 1.0)
    for play in ("sample", "argmax", "argmax"):  # what is measured is not measured again
        measured._adversary(play, 2, lambda _: None)
    assert met == [([name], name, 2, 5) for name in ("mine@sample", "mine@argmax")]
    figures = read_figures(folder / "figures.json", load_checkpoint(folder))
    assert [each.play for each in figures.adversaries] == ["sample", "argmax"]


@pytest.mark.parametrize(("kept", "wanted"), [((64, "float32"), (64, "bfloat16")), ((64, "float32"), (8, "float32"))])
def test_another_search_does_not_pass_for_the_one_in_the_file(
    folder: Path, kept: tuple[int, SearchPrecision], wanted: tuple[int, SearchPrecision]
) -> None:
    def measured(worlds: int, precision: SearchPrecision) -> agent_figures.Measured:
        settings = SearchSettings(worlds, precision=precision)
        return agent_figures.Measured(folder, load_checkpoint(folder), "mine", 5, 1.0, settings)

    first = measured(*kept)
    first.found["adversaries"] = [
        asdict(Adversary(agent_figures.KNOWING, "sample", "64 worlds a decision", 200, 0.6, (0.5, 0.7)))
    ]
    first._write()
    before = (folder / "figures.json").read_bytes()
    measured(*kept)._check_searches(200)
    for given, games in ((wanted, 200), (kept, 300)):
        with pytest.raises(ValueError, match="has 200 games against a search with 64 worlds a decision, not "):
            measured(*given)._check_searches(games)
    with pytest.raises(ValueError, match="move it away"):
        measured(*wanted).all(True, lambda _: None)  # before any game
    assert (folder / "figures.json").read_bytes() == before


def test_the_worst_learner_is_that_of_each_way_to_play(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    won = {"win_share": 0.6, "interval": [0.5, 0.7], "games": 4}
    learner = {"decisions": 9, "worlds": 2, "fair_share": 0.3, "curve": [[9, 0.5]]}
    learner |= dict.fromkeys(("sample", "argmax", "search"), won)
    monkeypatch.setattr(agent_figures, "worst_entry", lambda _, play: {"agent": f"mine@{play}", "learners": [learner]})
    measured = agent_figures.Measured(folder, load_checkpoint(folder), "mine", 5, 1.0)
    for play in ("sample", "argmax", "sample"):  # the last one takes the place of the first one
        measured._learner(play)
    figures = read_figures(folder / "figures.json", load_checkpoint(folder))
    assert [each.play for each in figures.adversaries] == ["argmax", "sample"]


def test_adversaries_are_compared_by_the_lower_end_above_the_fair_share() -> None:
    rows = [("a", 0.9, 0.5, 0.5), ("b", 0.6, 0.55, 0.5), ("c", 0.6, 0.56, 0.52)]  # by 0, 5 and 4 points
    found = Figures(adversaries=tuple(Adversary(how, "sample", "", 4, s, (low, 1.0), f) for how, s, low, f in rows))
    worst = found.worst("sample")
    assert worst is not None
    assert worst.how == "b"
    assert found.worst("argmax") is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"digest": "0"}', "is not about this agent's weights"),
        ("{}", "is not about this agent's weights"),
        ("[]", "is not about this agent's weights"),
        ("x", "is not a file of figures"),
    ],
)
def test_a_file_without_the_agents_figures_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, problem: str
) -> None:
    (folder / "figures.json").write_text(text)
    assert study(folder, "--no-search") == 2
    told = capsys.readouterr().err
    assert f"figures.json {problem}" in told
    assert told.rstrip().endswith(": move it away")
    assert (folder / "figures.json").read_text() == text


def test_wrong_arguments_give_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert study() == 2
    assert "name an agent" in capsys.readouterr().err
    assert study(folder, "--scale", "nan") == 2
    assert "--scale must be positive and at most 100, not nan" in capsys.readouterr().err
