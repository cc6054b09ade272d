"""The study of the worst case: its learners, resuming after a stop, the page, and the rows of cards."""

import copy
import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from studies import agent_figures
from studies import worst_case as study
from studies import worst_case_page as pages
from studies.card import main as write_card
from studies.figures import read_figures

import spygames
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.config import PPO, Network
from spygames_training.experiments import best_response
from spygames_training.networks.actor_critic import make_network
from spygames_training.runs import report

RESULTS = Path(__file__).parents[2] / "docs" / "results"
SMALL = ["--decisions", "512", "--games", "5", "--worlds", "2", "--workers", "1"]
"""5 games are 6: whole deals, each played from both sides."""


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An untrained agent; updates have 256 decisions, and the entries are kept in the test's folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(best_response, "PPO", partial(PPO, games=32, steps=8, minibatch=64))
    monkeypatch.setattr(report, "plot_curves", lambda rows, path, play="": path)  # slow, and not tested here
    monkeypatch.setattr(pages, "FILE", tmp_path / "entries.json")
    torch.manual_seed(0)
    game = spygames.make_game("agent_avenue_v0")
    save_checkpoint(tmp_path / "green", game, make_network(game, Network((16,))), 7)
    return tmp_path / "green"


def measure(agent: object, *more: str) -> int:
    return study.main([str(agent), *SMALL, "--file", str(pages.FILE), *more])


def test_all_learners_are_measured_and_the_page_and_card_show_the_worst(agent: Path, tmp_path: Path) -> None:
    docs = tmp_path / "docs" / "results"
    docs.mkdir(parents=True)
    shutil.copy(RESULTS / "worst_case.md", docs)
    assert measure(agent, "--seeds", "2", "--seed", "5", "--docs", str(docs)) == 0
    (entry,) = json.loads(pages.FILE.read_text())
    assert (entry["agent"], entry["decisions"], len(entry["learners"])) == ("green@sample", 7, 2)
    assert [learner["seed"] for learner in entry["learners"]] == [5, 6]
    for learner in entry["learners"]:
        assert (learner["decisions"], learner["worlds"], len(learner["curve"])) == (512, 2, 4)
        assert {learner[how]["games"] for how in ("sample", "argmax", "search")} == {6}
    assert (entry["unaware"]["player"], entry["unaware"]["games"]) == ("agent_avenue/simple-2-first@sample+search:2", 6)
    runs = sorted(tmp_path.glob("runs/worst_case/*/*"))
    assert [run.name for run in runs] == ["5", "6"]
    for run in runs:  # from the agent's own weights, against the agent alone
        config = json.loads((run / "run.json").read_text())
        assert config["start_from"] == str(agent)
        assert config["opponents"]["bots"] == [f"{agent}@sample"]
    learner, how = pages.worst(entry)
    text = (docs / "worst_case.md").read_text()
    assert pages.page([entry]) in text
    assert f"| **{100 * learner[how]['win_share']:.1f} (" in text
    for name in pages.PICTURES:
        assert (docs.parent / "images" / name).stat().st_size > 1000

    measured = agent_figures.Measured(agent, load_checkpoint(agent), "green", agent_figures.SEED, 0.004)
    for _ in range(2):  # the newest entry replaces the row
        for play in ("sample", "argmax"):
            measured._learner(play)
    (row,) = read_figures(agent / "figures.json", load_checkpoint(agent)).adversaries
    assert row == pages.adversary(entry)
    assert (row.play, row.win_share, len(row.curve)) == ("sample", learner[how]["win_share"], 4)
    assert write_card([str(agent), "--out", str(tmp_path / "card.md")]) == 0
    card = (tmp_path / "card.md").read_text()
    assert "which started from the agent's own weights" in card
    assert "512 own decisions, the worst of 2 seeds" in card
    assert "](adversary.svg)" in card
    assert (tmp_path / "adversary.svg").stat().st_size > 1000


@pytest.mark.slow
def test_it_resumes_and_keeps_budgets_apart(
    agent: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(study, "measure", interrupted)
        assert measure(agent, "--seeds", "1") == 130
    assert not pages.FILE.exists()
    trained = [*Path("runs").rglob("model.safetensors")]
    assert len(trained) == 1
    before = trained[0].read_bytes()
    assert measure(agent, "--seeds", "1") == 0
    assert trained[0].read_bytes() == before
    with monkeypatch.context() as patched:
        patched.setattr(study, "learner_run", interrupted)  # nothing is trained again
        assert measure(agent, "--seeds", "1") == 0
    first, second = json.loads(pages.FILE.read_text())
    assert first == second
    capsys.readouterr()
    assert measure(agent, "--seeds", "1", "--games", "8") == 2
    assert "games, precision) (512, 2, 6, 'float32'), not (512, 2, 8, 'float32')" in capsys.readouterr().err


@pytest.mark.slow
def test_a_mixture_has_a_worst_case(agent: Path) -> None:
    shutil.copytree(agent, "blue")
    options = ["--seeds", "1", "--play", "0.5", "--precision", "bfloat16"]
    assert measure("mix:./green@argmax|./blue", *options) == 0
    (entry,) = json.loads(pages.FILE.read_text())
    assert [learner["precision"] for learner in entry["learners"]] == ["bfloat16"]
    assert entry["unaware"]["player"].endswith("+search:2,precision=bfloat16")
    assert (entry["agent"], entry["decisions"]) == ("mix:green@argmax|blue@0.5", 14)
    (run,) = Path("runs/worst_case").glob("*/*/run.json")
    assert json.loads(run.read_text())["start_from"] == "./green"


def test_the_worst_result_has_the_highest_lower_end() -> None:
    low = {"win_share": 0.9, "interval": [0.4, 1.0], "games": 4}
    entry: dict[str, Any] = {"learners": [{"seed": 1, "sample": low, "argmax": low, "search": low}]}
    entry["learners"].append(copy.deepcopy(entry["learners"][0]) | {"seed": 2})
    entry["learners"][1]["argmax"] = {"win_share": 0.5, "interval": [0.45, 0.6], "games": 4}
    learner, how = pages.worst(entry)
    assert (learner["seed"], how) == (2, "argmax")


def test_a_search_in_bfloat16_says_so() -> None:
    found = {"win_share": 0.6, "interval": [0.5, 0.7], "games": 4}
    learner: dict[str, Any] = {"seed": 1, "decisions": 9, "worlds": 2, "fair_share": 0.5, "curve": []}
    learner |= dict.fromkeys(("sample", "argmax", "search"), found)
    learner["search"] = found | {"interval": [0.55, 0.65]}
    for more, text in (({}, "one seed; 2 worlds a decision"), ({"precision": "bfloat16"}, "decision in bfloat16")):
        row = pages.adversary({"agent": "green@sample", "learners": [learner | more]})
        assert row.budget.endswith(text)


def test_the_page_shows_the_entries_of_the_file() -> None:
    text = (RESULTS / "worst_case.md").read_text(encoding="utf-8")
    entries = json.loads((RESULTS / "worst_case.json").read_text())
    assert text.partition(study.BEGIN)[2].partition(study.END)[0].strip() == pages.page(entries)
