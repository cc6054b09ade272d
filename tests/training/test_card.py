"""Cards of agents say what the checkpoint and an evaluation of it say, and no more; the published ones are those."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spygames.core.released import released_agents
from spygames_training.card import card, read_evaluation
from spygames_training.checkpoint import Checkpoint, CheckpointError, load_checkpoint
from tests.cli.command import complaint, run

ROOT = Path(__file__).resolve().parents[2]
CARDS = ROOT / "docs" / "cards"
AGENTS = {agent.name: agent.folder.name for agent in released_agents()}
"""Their names, and as what their cards are filed."""


@pytest.mark.parametrize("name", AGENTS)
def test_published_cards_are_those_of_their_json(name: str) -> None:
    """After a change `spygames card NAME --evaluation docs/cards/FILE.json --out docs/cards/FILE.md` writes it anew."""
    checkpoint, file = load_checkpoint(name), CARDS / AGENTS[name]
    text = card(checkpoint, name, read_evaluation(file.with_suffix(".json"), checkpoint))
    assert file.with_suffix(".md").read_text(encoding="utf-8") == text


def test_each_released_agent_is_in_the_index_of_cards() -> None:
    listed = re.findall(r"^(\w+)$", (CARDS / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(AGENTS.values())
    assert sorted(path.stem for path in CARDS.glob("*.json")) == sorted(AGENTS.values())


def test_a_card_has_every_figure_of_the_evaluation() -> None:
    checkpoint = load_checkpoint("heimlich/base-3")
    found = read_evaluation(CARDS / "heimlich_3.json", checkpoint)
    text = card(checkpoint, "heimlich/base-3", found)
    for row in found["results"]:
        low, high = row["interval"]
        line = next(line for line in text.splitlines() if line.startswith(f"| `{row['opponent']}`"))
        assert f"| {100 * row['win_share']:.1f} ({100 * low:.1f} to {100 * high:.1f}) |" in line
        assert f"| {100 * row['fair_share']:.1f} |" in line
        assert ("(trained against)" in line) == row["training_opponent"]
    assert checkpoint.meta["weights"]["sha256"] in text
    assert f"{checkpoint.meta['step']:,}" in text


def test_without_an_evaluation_a_card_has_what_the_checkpoint_notes() -> None:
    text = card(load_checkpoint("heimlich/base-3"), "heimlich/base-3")
    assert "| `expert-1` | 73.6 |" in text  # the `expert` of 0.1.0
    assert "400 games a figure" in text
    text = card(load_checkpoint("agent_avenue/simple-2"), "agent_avenue/simple-2")
    assert "| `mcts:200` | 68.9 (67.6 to 70.2) |" in text
    assert "against `agent_avenue/simple-2@sample` alone won" in text
    assert "53.0 (51.7 to 54.4) % argmax" in text


def test_a_checkpoint_that_notes_nothing_has_a_card_without_figures() -> None:
    checkpoint = load_checkpoint("agent_avenue/simple-2")
    meta = {**checkpoint.meta, "results": {}, "extra": {}}
    text = card(Checkpoint(checkpoint.game, checkpoint.network, meta), "bare")
    assert "%" not in text
    assert "How well" not in text


@pytest.mark.parametrize("results", [{"play": {"sample": 3}}, {"best_response": {}}, {"win_share/x": "much"}])
def test_notes_in_another_form_are_refused(results: dict[str, Any]) -> None:
    checkpoint = load_checkpoint("agent_avenue/simple-2")
    odd = Checkpoint(checkpoint.game, checkpoint.network, {**checkpoint.meta, "results": results})
    with pytest.raises(CheckpointError, match="odd notes its training in another form than a run does"):
        card(odd, "odd")


def test_an_evaluation_of_something_else_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads((CARDS / "agent_avenue_simple.json").read_text(encoding="utf-8"))
    file = tmp_path / "other.json"
    other = {**found, "players": {name: {"digest": "0" * 16} for name in found["players"]}}
    for content, complaint_of in {
        json.dumps(other): "about other weights",
        json.dumps({**found, "environment": {"id": "heimlich_v0", "options": {}}}): "about another variant",
        "{}": "no result of",
        "[1": "no result of",
        '{"results": 3}': "no result of",
    }.items():
        file.write_text(content)
        line = complaint(["card", "agent_avenue/simple-2", "--evaluation", str(file)], capsys)
        assert complaint_of in line
        assert str(file) in line


def test_the_command_writes_the_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "card.md"
    evaluation = CARDS / "agent_dog_2.json"
    assert run("card", "agent_dog/standard-2", "--evaluation", evaluation, "--out", file) == 0
    assert file.read_bytes() == (CARDS / "agent_dog_2.md").read_bytes()
    capsys.readouterr()
    assert run("card", "agent_dog/standard-2") == 0
    assert capsys.readouterr().out.startswith("# agent_dog/standard-2\n")
    assert "name a checkpoint" in complaint(["card"], capsys)
