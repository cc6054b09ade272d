"""A variant with two agents: one to win, and one that is hard to exploit. Both are small and untrained here."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from studies import agent_figures
from studies import agent_tables as tables
from studies import released_agents as writer
from studies.card_page import card
from studies.figures import Adversary, Figures

import spygames
from spygames.core.players import released
from spygames.core.players.names import PlayerName, make_player
from spygames.core.players.numpy_player import NumpyPlayer
from spygames.core.players.released import best_agent, find_agent, released_agents, safest_agent
from spygames_app.cli import main
from spygames_app.web import choices
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.config import Network
from spygames_training.ladder.lines import entry_of
from spygames_training.networks.actor_critic import make_network

GAME = spygames.make_game("agent_avenue_v0")
TUNED, SAFE = "agent_avenue/simple-2", "agent_avenue/simple-2-safe"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with two agents, which replaces the released ones. They are listed, and nothing is measured yet."""
    for seed, name in enumerate(("tuned", "safe")):
        torch.manual_seed(seed)
        save_checkpoint(tmp_path / name, GAME, make_network(GAME, Network((8,))), 5)
    monkeypatch.setattr(writer, "FOLDER", tmp_path)
    monkeypatch.setattr(writer, "NAMES", {"tuned": TUNED, "safe": SAFE})
    monkeypatch.setattr(writer, "_ladders", lambda: [])
    monkeypatch.setattr(released, "_folder", lambda: tmp_path)
    write_list(tmp_path)
    yield tmp_path
    released._listed.cache_clear()


def write_list(folder: Path) -> None:
    (folder / released.MANIFEST).write_text(writer.text_of(writer.manifest()), encoding="utf-8")
    released._listed.cache_clear()


def adversary(play: str, share: float, learned: bool = True) -> Adversary:
    curve = ((10, share),) if learned else ()
    return Adversary("a learner", play, "10 decisions", 400, share, (share - 0.02, share + 0.02), 0.5, curve)


def measure(folder: Path) -> None:
    """Write the figures of both: real games of a few deals, and adversaries and a head to head that are made up."""
    against = {
        "tuned": [adversary("argmax", 0.7)],
        "safe": [adversary("sample", 0.6), adversary("argmax", 0.9)],
    }
    for part, name in writer.NAMES.items():
        figures = agent_figures.Measured(folder / part, load_checkpoint(folder / part), name, 1, 1.0)
        for rival in ("greedy", *agent_figures.other_agents(folder / part)):
            for play in ("sample", "argmax"):
                figures._match(f"{name}@{play}", rival, 2, lambda _: None)
        for row in (row for each in figures.found["evaluations"] for row in each["results"]):
            if row["opponent"] == f"{TUNED}@argmax":
                row |= {"win_share": 0.48, "interval": [0.47, 0.49], "fair_share": 0.5}
        figures.found["adversaries"] = [asdict(each) for each in against[part]]
        figures._write()
    write_list(folder)


def test_each_agent_plays_as_it_is_meant_to_by_every_name(folder: Path) -> None:
    assert [(agent.name, agent.play, agent.purpose) for agent in released_agents()] == [
        (TUNED, "argmax", "to win"), (SAFE, "sample", "hard to exploit"),
    ]  # fmt: skip
    assert best_agent(GAME).name == TUNED
    assert safest_agent(GAME).name == SAFE
    assert best_agent(GAME).other == safest_agent(GAME)
    assert safest_agent(GAME).other == best_agent(GAME)
    for name, full in {
        "best": f"{TUNED}@argmax",
        "safest": f"{SAFE}@sample",
        TUNED: f"{TUNED}@argmax",
        SAFE: f"{SAFE}@sample",
        "safest@argmax": f"{SAFE}@argmax",
        f"{SAFE}@0.5": f"{SAFE}@0.5",
        "safest+search:2": f"{SAFE}@sample+search:2",
        f"{TUNED}+search:2,rivals=policy|{SAFE}": f"{TUNED}@sample+search:2,rivals=policy|{SAFE}@sample",
        f"mix:{TUNED}|safest": f"mix:{TUNED}@argmax|{SAFE}@sample",
    }.items():
        player = make_player(GAME, name)
        assert player.name == full
        assert entry_of(GAME, name, player).name == full
        again = make_player(GAME, full)  # a recorded name makes the same player
        assert (again.name, entry_of(GAME, full, again)) == (full, entry_of(GAME, name, player))
    for source, play in {"safest": "sample", SAFE: "sample", TUNED: "argmax"}.items():
        full = str(PlayerName.parse(source).resolved(GAME))
        assert NumpyPlayer(GAME, source).name == Policy.load(source, game=GAME).name == full
        assert full.endswith(f"@{play}")
    batch = spygames.make_batch("agent_avenue_v0", 8, seed=1)
    shares = Policy.load(TUNED).probabilities(batch.observation, batch.mask)
    np.testing.assert_array_equal(shares.max(axis=1), 1)
    assert Policy.load(SAFE).probabilities(batch.observation, batch.mask).max() < 1


def test_the_page_offers_both_words(folder: Path) -> None:
    offered = choices.Choices().players_of(GAME)
    assert offered[len(GAME.bots) :] == ["best", "safest", "best@sample", TUNED, SAFE, "best+search:64", "mcts:200"]
    assert choices.label(GAME, "safest") == f"safest ({SAFE}@sample)"
    assert choices.label(GAME, SAFE) == SAFE


def test_a_variant_without_a_safe_agent_names_the_best_one(folder: Path) -> None:
    three = spygames.make_game("agent_avenue_v0", players=3)
    with pytest.raises(ValueError, match=r"^no released agent plays agent_avenue_v0, .*players=3"):
        make_player(three, "safest")
    writer.NAMES.pop("safe")
    write_list(folder)
    with pytest.raises(ValueError, match=rf"^no released agent for agent_avenue_v0.* is hard to exploit; .*{TUNED}$"):
        make_player(GAME, "safest")
    assert best_agent(GAME).other is None


def test_another_variant_has_the_safe_agent() -> None:
    three = spygames.make_game("agent_avenue_v0", players=3)
    with pytest.raises(
        ValueError, match=rf"^no released agent for {three.title} is hard to exploit \(others: .*{SAFE}\); "
    ):
        safest_agent(three)


def test_an_agent_with_history_is_the_safest_where_there_is_one(folder: Path) -> None:
    seen = spygames.make_game("agent_avenue_v0", history=2)
    save_checkpoint(folder / "safe", seen, make_network(seen, Network((8,))), 5)
    write_list(folder)
    assert safest_agent(seen).name == make_player(seen, "safest").name.removesuffix("@sample") == SAFE
    assert best_agent(seen).name == best_agent(GAME).name == TUNED
    for game in (GAME, spygames.make_game("agent_avenue_v0", history=3)):
        needs = (
            rf"^{SAFE} is hard to exploit and needs history=2 \(--option history=2\), but the game is {game.title}; "
        )
        with pytest.raises(ValueError, match=rf"{needs}best is the one that wins most: {TUNED}$"):
            safest_agent(game)
    with pytest.raises(ValueError, match=r"; trained with history=2 instead of 0$"):
        make_player(GAME, SAFE)


def test_tables_cards_and_the_command_say_what_each_is_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    measure(folder)
    assert main(["agents"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = {line.split()[0]: line for line in lines if line.startswith(" agent_avenue/")}
    assert [*rows] == [TUNED, f"{TUNED}@sample", SAFE, f"{SAFE}@argmax"]
    assert "to win" in rows[TUNED]
    assert rows[TUNED].split()[-1] == "70.0"
    assert "hard to exploit" in rows[SAFE]
    assert rows[SAFE].split()[-1] == "60.0"  # as it is meant to play
    guide = tables.guide_table().splitlines()[2:]
    assert [line.split(" | ")[1::4] for line in guide] == [["to win", "70.0 |"], ["hard to exploit", "60.0 |"]]
    text = tables.tables()
    assert f"For: hard to exploit, sampled. [`{TUNED}`](#agent_avenuesimple-2) is the one that wins most." in text
    assert f"For: to win, by argmax. [`{SAFE}`](#agent_avenuesimple-2-safe) is the one that is hard to exploit." in text
    assert "| sampled |" in text.partition(SAFE)[2].partition(SAFE)[2]
    assert "| 48.0 (47.0-49.0) |" in text  # against the other agent
    for name, other, part in ((TUNED, SAFE, "safe"), (SAFE, TUNED, "tuned")):
        agent = find_agent(name)
        assert agent
        page = card(load_checkpoint(name), name, None, writer.figures_of(name))
        assert f"[`{other}`](../{part}/README.md)" in page.splitlines()[2]
        assert f"    spygames play --against {name}\n" in page
        assert f'Policy.load("{name}")`' in page


def test_a_safe_agent_must_earn_its_place(folder: Path) -> None:
    measure(folder)
    safe, tuned = map(writer.figures_of, (SAFE, TUNED))
    writer.check_earned(SAFE, safe, tuned)

    def refused(problem: str, second: Figures = safe, first: Figures = tuned) -> None:
        with pytest.raises(ValueError, match=problem):
            writer.check_earned(SAFE, second, first)

    def head_to_head(share: float) -> Figures:
        rows = [[{**row, "win_share": share} for row in each["results"]] for each in safe.evaluations]
        found = [{**each, "results": results} for each, results in zip(safe.evaluations, rows, strict=True)]
        return replace(safe, evaluations=tuple(found))

    refused("measure its worst case and that of", first=replace(tuned, adversaries=()))
    refused("measure its worst case and that of", first=replace(tuned, adversaries=(adversary("sample", 0.7),)))
    searched = adversary("sample", 0.6, learned=False)  # weaker adversaries prove less
    refused("measure its worst case and that of", replace(safe, adversaries=(searched, adversary("argmax", 0.6))))
    worse = replace(safe, adversaries=(*safe.adversaries, adversary("sample", 0.67)))
    refused(r"19\.0 points .* at least 18\.0", worse)
    refused(r"has no games against agent_avenue/simple-2@argmax \(python -m studies", replace(safe, evaluations=()))
    refused(r"loses 4\.0 points to agent_avenue/simple-2@argmax, more than 3", head_to_head(0.46))
    writer.check_earned(SAFE, head_to_head(0.475), tuned)
