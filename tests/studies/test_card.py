"""Agents' cards report exactly what the checkpoint and its evaluations contain, and the published cards are current."""

import dataclasses
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from studies.calibration import Bin, Calibration
from studies.card import main
from studies.card_page import card
from studies.figures import Adversary, Figures, read_figures

from spygames.core.players.released import released_agents
from spygames_training.agents.checkpoint import Checkpoint, CheckpointError, load_checkpoint
from spygames_training.config import Config, from_mapping, read_config
from tests.support.training_records import runs_behind

ROOT = Path(__file__).resolve().parents[2]
AGENTS = {agent.folder.name: agent.name for agent in released_agents()}
NAMES = sorted(path.name for path in (ROOT / "checkpoints").iterdir() if path.is_dir())


def released(name: str) -> Checkpoint:
    return load_checkpoint(ROOT / "checkpoints" / name)


def figures(name: str) -> Figures:
    return read_figures(ROOT / "checkpoints" / name / "figures.json", released(name))


def error_line(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """Return the single error line for wrong arguments."""
    capsys.readouterr()
    assert main([str(each) for each in argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    return err.rstrip()


def anchor(name: str) -> tuple[Checkpoint, Figures]:
    """Return an anchor and its published figures."""
    checkpoint = load_checkpoint(name)
    return checkpoint, read_figures(ROOT / "anchors" / name / "figures.json", checkpoint)


def test_ctrl_c_and_a_closed_pipe_end_it_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "studies.card", "--help"]
    done = subprocess.run(command, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")

    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("studies.card.choose_agent", interrupted)
    assert main(["agent_avenue/simple-2"]) == 130
    assert capsys.readouterr().err == "python -m studies.card: interrupted\n"


@pytest.mark.parametrize("name", NAMES)
def test_published_cards_equal_those_made_from_their_figures(name: str) -> None:
    """After a change, `python -m studies.card GAME/VARIANT --out checkpoints/FOLDER/README.md` rewrites the card."""
    folder = ROOT / "checkpoints" / name
    found = figures(name)
    pictures = {"value.svg"} | {"adversary.svg" for each in found.adversaries if each.curve}
    text = card(released(name), AGENTS[name], None, found, "value.svg", *pictures - {"value.svg"})
    assert (folder / "README.md").read_text(encoding="utf-8") == text
    assert all((folder / each).read_text(encoding="utf-8").startswith("<?xml") for each in pictures)


def test_each_released_agent_has_a_card_that_its_results_link_to() -> None:
    page = (ROOT / "docs" / "results" / "agents.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"checkpoints/(\w+)/README\.md", page)) == NAMES == sorted(AGENTS)


def test_a_card_has_every_figure_of_the_evaluation() -> None:
    checkpoint, known = anchor("heimlich/base-3-first")
    (found,) = known.evaluations
    text = card(checkpoint, "heimlich_3", found)
    for row in found["results"]:
        low, high = row["interval"]
        line = next(line for line in text.splitlines() if line.startswith(f"| `{row['opponent']}`"))
        assert f"| {100 * row['win_share']:.1f} ({100 * low:.1f} to {100 * high:.1f}) |" in line
        assert f"| {100 * row['fair_share']:.1f} |" in line
        assert ("(trained against)" in line) == row["training_opponent"]
    assert checkpoint.meta["weights"]["sha256"] in text
    assert f"- **decisions**: {checkpoint.meta['step']:,}\n" in text


def test_a_card_says_which_figures_have_fewer_games() -> None:
    checkpoint, known = anchor("heimlich/base-3-first")
    (found,) = known.evaluations
    name = found["results"][0]["challenger"].partition("@")[0]

    def caption(games: dict[tuple[str, str], int]) -> str:
        rows = [
            {**found["results"][0], "challenger": f"{name}{way}", "opponent": rival, "games": count}
            for (way, rival), count in games.items()
        ]
        text = card(checkpoint, "heimlich_3", {**found, "results": rows})
        return next(line for line in text.splitlines() if "games for each figure" in line).partition(", every")[0]

    ways, rivals = ("@sample", "@argmax"), ("random", "greedy", "mcts:200")
    everyone = {(way, rival): 900 for way in ways for rival in rivals}
    assert caption(everyone) == "900 games for each figure"
    slow = everyone | {(way, "mcts:200"): 60 for way in ways}
    assert caption(slow) == "900 games for each figure, 60 against `mcts:200`"
    assert caption(slow | {("@argmax", "greedy"): 30}) == (
        "900 games for each figure, 60 against `mcts:200`, 30 against `greedy` (argmax)"
    )


def test_without_an_evaluation_a_card_has_the_checkpoints_own_results() -> None:
    text = card(load_checkpoint("heimlich/base-3-first"), "heimlich_3")
    assert "| `expert-1` | 73.6 |" in text
    assert "400 games for each figure" in text
    text = card(load_checkpoint("agent_avenue/simple-2-first"), "agent_avenue_simple")
    assert "| `mcts:200` | 68.9 (67.6 to 70.2) |" in text
    assert "against `agent_avenue/simple-2-first@sample` alone won" in text
    assert "53.0 (51.7 to 54.4) % argmax" in text


def test_a_card_reports_the_temperature_against_bots() -> None:
    checkpoint = load_checkpoint("agent_avenue/simple-3")
    extra = checkpoint.meta["extra"]
    opponents = extra["config"]["opponents"]
    for temperature, said in ((1.0, ""), (0.25, "; against bots it plays at temperature 0.25")):
        config = extra["config"] | {"opponents": opponents | {"temperature": temperature}}
        meta = {**checkpoint.meta, "extra": extra | {"config": config}}
        text = card(Checkpoint(checkpoint.game, checkpoint.network, meta), "mine")
        line = next(line for line in text.splitlines() if line.startswith("- **opponents**"))
        assert line.partition("random`")[2] == said


def test_a_card_says_that_the_value_was_fitted() -> None:
    checkpoint = load_checkpoint("agent_avenue/advanced-2-safe")
    assert "- **value**" not in card(checkpoint, "mine")
    fitted = {"games": 50_000, "seed": 3, "play": "sample", "digest_before": "0"}
    meta = {**checkpoint.meta, "extra": checkpoint.meta["extra"] | {"value_fitted": fitted}}
    text = card(Checkpoint(checkpoint.game, checkpoint.network, meta), "mine")
    assert "results of 50,000 games of the agent against itself (sample, seed 3); the policy did not change" in text
    assert "`python -m studies.fit_value RUN --out FOLDER` then fits its value." in text


def test_a_checkpoint_without_results_has_a_card_without_figures() -> None:
    checkpoint = load_checkpoint("agent_avenue/simple-2")
    meta = {**checkpoint.meta, "results": {}, "extra": {}}
    text = card(Checkpoint(checkpoint.game, checkpoint.network, meta), "bare")
    assert "%" not in text
    assert "How well" not in text


@pytest.mark.parametrize("results", [{"play": {"sample": 3}}, {"best_response": {}}, {"win_share/x": "much"}])
def test_malformed_results_are_refused(results: dict[str, Any]) -> None:
    checkpoint = load_checkpoint("agent_avenue/simple-2")
    odd = Checkpoint(checkpoint.game, checkpoint.network, {**checkpoint.meta, "results": results})
    with pytest.raises(CheckpointError, match="odd: the record of its training"):
        card(odd, "odd")


def test_an_evaluation_of_something_else_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = dict(figures("agent_avenue_simple").evaluations[0])
    file = tmp_path / "other.json"
    other = {**found, "players": {name: {"digest": "0" * 16} for name in found["players"]}}
    for content, complaint_of in {
        json.dumps(other): "about other weights",
        json.dumps({**found, "environment": {"id": "heimlich_v0", "options": {}}}): "about another variant",
        "{}": "not a result of",
        "[1": "not a result of",
        '{"results": 3}': "not a result of",
    }.items():
        file.write_text(content)
        line = error_line(capsys, "agent_avenue/simple-2", "--evaluation", file)
        assert complaint_of in line
        assert str(file) in line


def test_the_command_writes_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, published = tmp_path / "card.md", ROOT / "checkpoints" / "agent_dog_2"
    assert main(["agent_dog/standard-2", "--out", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == (published / "README.md").read_text(encoding="utf-8")
    assert (tmp_path / "value.svg").read_bytes().startswith(b"<?xml")
    capsys.readouterr()
    evaluation = tmp_path / "evaluation.json"
    evaluation.write_text(json.dumps(figures("agent_dog_2").evaluations[0]))
    copy = tmp_path / "agent"
    copy.mkdir()
    for name in ("config.json", "model.safetensors"):
        (copy / name).write_bytes((published / name).read_bytes())
    assert main([str(copy), "--evaluation", str(evaluation)]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"# {copy}\n")
    assert "## How well it plays" in out
    assert "## How good its value is" not in out
    assert "name the checkpoint" in error_line(capsys)


def test_a_card_reports_searches_adversaries_and_the_value() -> None:
    checkpoint, known = anchor("agent_avenue/simple-2-first")
    (plain,) = known.evaluations
    row = plain["results"][0] | {
        "challenger": "agent_avenue/simple-2-first+search:64",
        "win_share": 0.654,
        "opponent": "greedy",
    }
    searched = {**plain, "results": [row], "seed": 77}
    weak = Adversary("a fresh learner", "sample", "10 million decisions", 5000, 0.53, (0.517, 0.544))
    worst = Adversary("a search", "argmax", "64 worlds a decision", 600, 0.778, (0.743, 0.812))
    value = Calibration("sample", 2000, 5, 30_000, 0.31, -0.012, (Bin(-0.5, -0.4, 100), Bin(0.5, 0.6, 50)))
    by_argmax = dataclasses.replace(value, play="argmax", decisions=31_000, bias=0.021)
    found = Figures((plain, searched), (weak, worst), value, by_argmax, "two cores of a test")
    text = card(checkpoint, "mine", None, found, "value.svg")
    on_top = text.partition("## With a search on top")[2].partition("##")[0]
    assert "| games won against, % | `search:64` |" in on_top
    assert "65.4 (" in on_top
    assert "seed 77" in on_top
    assert "assumes that the other seats play like the agent itself" in on_top
    exploited = text.partition("## How far it can be exploited")[2].partition("##")[0]
    assert "| a search | 64 worlds a decision | argmax | 600 | 77.8 (74.3 to 81.2) |" in exploited
    assert "| a fresh learner | 10 million decisions | sample | 5,000 | 53.0 (51.7 to 54.4) |" in exploited
    assert "](value.svg)" in text
    assert "the picture's diagonal" in text
    assert "picture" not in card(checkpoint, "mine", None, found)
    assert "the value explains 31 % of the variance" in text
    assert "(value minus return) is -0.012, where a win is +1. By argmax, at 31,000 decisions of 2,000" in text
    assert " games, it is +0.021." in text
    assert "on two cores of a test" in text


def test_adversaries_are_ordered_by_their_wins_above_the_fair_share() -> None:
    checkpoint, _ = anchor("heimlich/base-3-first")
    more = Adversary("often a winner", "sample", "none", 600, 0.60, (0.55, 0.65), fair_share=0.5)
    worst = Adversary("a search", "sample", "64 worlds a decision", 600, 0.50, (0.45, 0.55), fair_share=0.345)
    text = card(checkpoint, "mine", None, Figures(adversaries=(more, worst)))
    exploited = text.partition("## How far it can be exploited")[2].partition("##")[0]
    assert "| adversary | budget | the agent plays | games | fair share | it won, % |" in exploited
    assert exploited.index("| 600 | 34.5 | 50.0 (45.0 to 55.0) |") < exploited.index(
        "| 600 | 50.0 | 60.0 (55.0 to 65.0) |"
    )
    assert "## License\n\nMIT" in text


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("agent_avenue/advanced-2-safe", ["sample", "sample", "argmax", "argmax"]),
        ("agent_avenue/advanced-2", ["argmax", "argmax", "sample", "sample"]),
        ("mine", ["sample", "sample", "argmax", "argmax"]),
    ],
)
def test_adversaries_of_the_agent_as_it_is_meant_to_play_come_first(name: str, order: list[str]) -> None:
    checkpoint, _ = anchor("agent_avenue/simple-2-first")
    won = {"sample": (0.51, 0.65), "argmax": (0.66, 0.52)}
    adversaries = tuple(
        Adversary("a learner", play, "none", 600, share, (share, share))
        for play, shares in won.items()
        for share in shares
    )
    text = card(checkpoint, name, None, Figures(adversaries=adversaries))
    exploited = text.partition("## How far it can be exploited")[2].partition("##")[0]
    rows = [line.split(" | ") for line in exploited.splitlines() if line.startswith("| a learner")]
    assert [row[2] for row in rows] == order
    shares = [row[4].partition(" ")[0] for row in rows]
    for play, largest_first in (("sample", ["65.0", "51.0"]), ("argmax", ["66.0", "52.0"])):
        assert [share for share, how in zip(shares, order, strict=True) if how == play] == largest_first
    assert "the first one for each way to play is the best bound" in exploited


def test_a_card_has_remarks_and_reports_stopped_runs() -> None:
    text = card(released("agent_dog_4"), "mine", None, Figures(remarks=("The first run was changed.",)))
    assert "```\n\nThe first run was changed. The same seed," in text
    assert "- **planned**" not in text
    assert "that it started from (2 runs, below), SHA-256" in text
    # The first of its runs was stopped, but not the last one.
    stopped = card(released("agent_avenue_simple_safe"), "mine")
    assert stopped.count(", stopped (Ctrl-C) after ") == 1
    assert "- **planned**" not in stopped
    whole = released("agent_avenue_simple_3")
    extra = whole.meta["extra"]
    meta = {**whole.meta, "extra": extra | {"config": extra["config"] | {"decisions": 200_000_000}}}
    text = card(Checkpoint(whole.game, whole.network, meta), "mine")
    assert "- **planned**: 200,000,000 in the last run, which was stopped after 70,057,984:" in text


@pytest.mark.parametrize("folder", [*(ROOT / "checkpoints" / name for name in NAMES), *ROOT.glob("anchors/*/*-first")])
def test_a_card_says_how_to_train_the_agent_again(folder: Path, tmp_path: Path) -> None:
    """The TOML on the card reads as the settings of each run."""
    checkpoint = load_checkpoint(folder)
    noted = [from_mapping(Config, config) for config in runs_behind(checkpoint.meta["extra"])]
    before, *found = card(checkpoint, folder.name).split("```toml\n")
    made = re.findall(r"^    .*--out (runs/[0-9]+)$", before, re.MULTILINE)  # by runs and by joining, in this order
    joins = "joined" in json.dumps(checkpoint.meta["extra"])
    for k, (text, config) in enumerate(zip(found, noted, strict=True)):
        file = tmp_path / "agent.toml"
        file.write_text(text.partition("```")[0])
        again = read_config(file)
        assert again == replace(config, start_from=again.start_from)
        if joins:
            assert again.start_from in ("", *made)
        else:
            assert again.start_from == (f"runs/{k}" if k else config.start_from)


def test_a_card_says_of_which_agents_an_agent_was_made() -> None:
    text = card(released("agent_avenue_simple"), "mine")
    assert "trained by self-play and against scripted players." in text
    assert "- **decisions**: 1,251,672,064, in 10 runs, below" in text
    assert "- **made of**: the networks of two agents, side by side" in text
    assert "    python -m studies.join_agents runs/4 runs/5 --how mean --without-history --out runs/6\n" in text
    assert "    python -m studies.fit_value runs/11 --games 50000 --seed 31526017 --out runs/12\n" in text
    assert "    python -m studies.join_agents runs/7 runs/12 --how beside --out runs/13\n" in text
    started = dict(re.findall(r"`([0-9]+)\.toml`[^`]*```toml\n[^`]*start_from = \"runs/([0-9]+)\"", text))
    assert started == {"2": "1", "3": "2", "4": "3", "5": "4", "7": "6", "9": "8", "10": "9", "11": "10"}


def test_figures_of_earlier_worlds_are_marked(tmp_path: Path) -> None:
    """Figures with the current worlds get no remark; figures with later worlds belong to another player."""
    found, file = released("heimlich_2"), ROOT / "checkpoints" / "heimlich_2" / "figures.json"
    later = Checkpoint(replace(found.game, worlds_version=2), found.network, found.meta)
    assert "worlds of version" not in card(found, "mine", None, read_figures(file, found))
    text = card(later, "mine", None, read_figures(file, later))
    assert "These figures were measured with worlds of version 1; the current version is 2." in text
    content = json.loads(file.read_text())
    for each in content["evaluations"]:
        each["code"]["worlds"] = 2
    (tmp_path / "figures.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"about other weights than this agent's"):
        read_figures(tmp_path / "figures.json", later)
    content["evaluations"][0]["code"]["worlds"] = "x"
    (tmp_path / "figures.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"is not a result of .*worlds must be an integer >= 1, not 'x'"):
        read_figures(tmp_path / "figures.json", later)


def test_figures_of_something_else_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published = ROOT / "checkpoints" / "agent_avenue_simple" / "figures.json"
    found, file = json.loads(published.read_text()), tmp_path / "figures.json"
    for content, complaint_of in {
        json.dumps({**found, "digest": "0" * 16}): "is not about this agent's weights",
        json.dumps({**found, "calibration": {"games": 3}}): "is not a file of figures",
        json.dumps({**found, "adversaries": [{"how": "x"}]}): "is not a file of figures",
        json.dumps({**found, "evaluations": [{}]}): "is not a result of",
        json.dumps({**found, "calibration": {**found["calibration"], "bias": math.nan}}): "NaN is not a number",
        json.dumps({**found, "calibration": {**found["calibration"], "games": True}}): "is not a file of figures",
        json.dumps({**found, "calibration": {**found["calibration"], "bins": []}}): "is not a file of figures",
        json.dumps({**found, "adversaries": [{**found["adversaries"][0], "win_share": 10**300}]}): "is too large",
        json.dumps({**found, "adversaries": [{**found["adversaries"][0], "games": 1.5}]}): "games is invalid",
        json.dumps({**found, "evaluations": [{**found["evaluations"][0], "date": 3}]}): "date is invalid",
        json.dumps({**found, "evaluations": [{**found["evaluations"][0], "seed": 1.5}]}): "seed is invalid",
        json.dumps({**found, "remarks": json.loads("[" * 60 + "]" * 60)}): "nested deeper",
        "[" * 100_000: "nested deeper",
        "[]": "is not about this agent's weights",
        "{": "is not a file of figures",
    }.items():
        file.write_text(content)
        line = error_line(capsys, "agent_avenue/simple-2", "--figures", file)
        assert complaint_of in line
        assert str(file) in line
    for nowhere in (tmp_path / "none" / "figures.json", tmp_path / "none.json"):
        line = error_line(capsys, "agent_avenue/simple-2", "--figures", nowhere)
        assert line == f"python -m studies.card: {nowhere}: No such file or directory"
