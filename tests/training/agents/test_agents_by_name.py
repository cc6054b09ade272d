"""Released agents are available by name wherever a player is expected."""

import json
import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
from studies import released_agents as writer

import spygames
from spygames.core.compiling.digest import content
from spygames.core.players import released
from spygames.core.players.names import PlayerName, make_player
from spygames.core.players.released import MANIFEST, best_agent, released_agents
from spygames_training.agents.checkpoint import CheckpointError, load_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.evaluation import digests
from spygames_training.ladder.lines import entry_of

ROOT = Path(__file__).resolve().parents[3]
GAME = spygames.make_game("agent_avenue_v0")


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the released agents that replaces the originals."""
    folder = tmp_path / "checkpoints"
    shutil.copytree(ROOT / "checkpoints", folder)
    monkeypatch.setattr(released, "_folder", lambda: folder)
    return folder


def weights(policy: Policy) -> bytes:
    return b"".join(tensor.numpy().tobytes() for tensor in policy.network.state_dict().values())


def test_the_manifest_matches_the_checkpoints_and_ladders() -> None:
    there = (ROOT / "checkpoints" / MANIFEST).read_text()
    assert there == writer.text_of(writer.manifest()), "write it: python -m studies.released_agents"
    assert {agent.folder.name for agent in released_agents()} == {
        path.parent.name for path in (ROOT / "checkpoints").glob("*/config.json")
    }
    assert sum(file.stat().st_size for file in (ROOT / "checkpoints").rglob("*") if file.is_file()) < 14_000_000


def test_an_agent_is_the_same_by_its_name_and_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "docs")  # the path does not exist from here
    by_path = Policy.load(ROOT / "checkpoints" / "agent_avenue_simple")
    for name, shown in {
        "agent_avenue/simple-2": "agent_avenue/simple-2@argmax",
        "agent_avenue/simple-2@sample": "agent_avenue/simple-2@sample",
        "agent_avenue/simple-2@argmax": "agent_avenue/simple-2@argmax",
        "agent_avenue/simple-2@0.5": "agent_avenue/simple-2@0.5",
    }.items():
        policy, player = Policy.load(name), make_player(GAME, name)
        assert policy.name == player.name == shown
        assert weights(policy) == weights(by_path)
    assert Policy.load("agent_avenue/simple-2", "sample").name == "agent_avenue/simple-2@sample"
    assert Policy.load(Path("agent_avenue") / "simple-2").name == "agent_avenue/simple-2@argmax"
    assert by_path.name == "agent_avenue_simple@sample"  # a checkpoint's folder does not say how to play


@pytest.mark.parametrize("name", ["agent_avenue/simple-2", "agent_avenue/simple-2@argmax"])
def test_a_message_calls_an_agent_by_its_name(name: str) -> None:
    for game, text in (
        (spygames.make_game("agent_dog_v0"), "was trained on 'agent_avenue_v0', not on agent_dog_v0"),
        (spygames.make_game("agent_avenue_v0", players=4), "has another layout than agent_avenue_v0 here: "),
    ):
        with pytest.raises(CheckpointError) as caught:
            make_player(game, name)
        assert str(caught.value).startswith(f"agent_avenue/simple-2 {text}")


def test_best_is_the_first_of_the_ladder_without_search() -> None:
    agent = best_agent(GAME)
    table = (ROOT / "docs" / "ladder" / "agent_avenue_simple_2.md").read_text()
    rated = re.findall(r"^\| `(agent_avenue[^`+]*)` \|", table, re.MULTILINE)
    first = next(name for name in rated if "-safe@" not in name)
    assert f"{agent.name}@{agent.play}" == first
    assert make_player(GAME, "best").name == Policy.load("best", game=GAME).name == first
    for name, full in {
        "best": first,
        agent.name: first,
        f"{agent.name}@sample": f"{agent.name}@sample",
        "best@0.5+search:8": f"{agent.name}@0.5+search:8",
        "best+search:8": f"{agent.name}@sample+search:8",
        "greedy": "greedy",
    }.items():
        assert str(PlayerName.parse(name).resolved(GAME)) == full
        player = make_player(GAME, name)
        assert player.name == full
        assert entry_of(GAME, name, player).name == full
    for options in ({"first_player": "random"}, {"history": 3}):  # the agent does not see the history
        assert best_agent(spygames.make_game("agent_avenue_v0", **options)) == agent


def test_best_plays_the_other_seats_of_environments() -> None:
    env = gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=8, opponents="best")
    _, infos = env.reset(seed=1)
    rewards = 0.0
    for _ in range(60):
        _, reward, *_, infos = env.step(infos["action_mask"].argmax(axis=1))
        rewards += reward.sum()
    assert rewards < -10  # always playing the first legal action loses


def test_a_variant_without_an_agent_lists_the_available_agents() -> None:
    game = spygames.make_game("agent_avenue_v0", mode="advanced", players=3)
    with pytest.raises(
        ValueError,
        match=r"^no released agent plays agent_avenue_v0, mode=advanced, players=3,.* available agents: agent_",
    ):
        make_player(game, "best")
    with pytest.raises(ValueError, match=r"agent_avenue/simple-2, .*heimlich/full-4"):
        make_player(game, "best@argmax")
    with pytest.raises(CheckpointError, match="best needs a game"):
        load_checkpoint("best")
    with pytest.raises(CheckpointError, match=r"no released agent of that name .*agent_dog/standard-4"):
        Policy.load("agent_dog/standard-5")
    with pytest.raises(ValueError, match=r"agent_avenue/simple-5.; did you mean agent_avenue/simple-[234]\?"):
        make_player(GAME, "agent_avenue/simple-5")
    with pytest.raises(CheckpointError, match="trained on 'agent_dog_v0', not on agent_avenue_v0"):
        make_player(GAME, "agent_dog/standard-2")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_flipped_byte_is_refused(copy: Path, name: str) -> None:
    file = copy / "agent_avenue_simple" / name
    whole = bytearray(file.read_bytes())
    for place in np.random.default_rng(1).integers(len(whole), size=3):
        damaged = whole.copy()
        damaged[place] ^= 1 << int(place % 8)
        file.write_bytes(damaged)
        for spec in ("agent_avenue/simple-2", "best", "agent_avenue/simple-2@argmax"):
            with pytest.raises(
                ValueError, match=rf"^agent_avenue/simple-2 is damaged: .*SHA-256 of .*{name}"
            ) as caught:
                make_player(GAME, spec)
            assert "\n" not in str(caught.value)
    file.write_bytes(whole)
    assert isinstance(make_player(GAME, "best"), PolicyPlayer)
    file.unlink()
    with pytest.raises(CheckpointError, match=f"{name} cannot be read"):
        Policy.load("agent_avenue/simple-2")


def test_crlf_line_ends_in_json_are_no_damage(copy: Path) -> None:
    """A clone by Git for Windows with its default settings has such line ends."""
    for file in (copy / MANIFEST, *copy.glob("agent_avenue_simple/*.json")):
        file.write_bytes(content(file.read_bytes()).replace(b"\n", b"\r\n"))
    released._listed.cache_clear()
    assert weights(Policy.load("agent_avenue/simple-2")) == weights(
        Policy.load(ROOT / "checkpoints/agent_avenue_simple")
    )
    file = copy / "agent_avenue_simple" / "model.safetensors"
    whole = file.read_bytes()
    assert b"\n" in whole
    file.write_bytes(whole.replace(b"\n", b"\r\n", 1))
    with pytest.raises(CheckpointError, match=r"is damaged: .*SHA-256 of .*model\.safetensors"):
        Policy.load("agent_avenue/simple-2")
    released._listed.cache_clear()


def test_packages_have_the_same_digest_with_other_line_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = set()
    for end in (b"\n", b"\r\n"):
        package = tmp_path / str(len(end)) / "spygames"
        package.mkdir(parents=True)
        (package / "__init__.py").write_bytes(b"a = 1" + end + b"b = 2" + end)
        monkeypatch.setattr(digests, "spygames", SimpleNamespace(__file__=str(package / "__init__.py")))
        monkeypatch.setattr(digests, "spygames_training", digests.spygames)
        found.add(digests.packages_digest.__wrapped__())
    assert len(found) == 1


def test_a_damaged_manifest_is_refused(copy: Path) -> None:
    file = copy / MANIFEST
    text = file.read_text()
    wrong = json.loads(text)
    wrong["agents"][0]["play"] = "well"
    for damaged in (text[:-100], text.replace('"sha256"', '"sha255"'), "[]", json.dumps(wrong)):
        released._listed.cache_clear()
        file.write_text(damaged)
        with pytest.raises(ValueError, match=r"^[^\n]*agents\.json[^\n]* is damaged[^\n]*$"):
            make_player(GAME, "best")
    released._listed.cache_clear()


def test_a_released_agents_name_takes_precedence_over_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent_avenue" / "simple-2").mkdir(parents=True)
    assert Policy.load("agent_avenue/simple-2").name == "agent_avenue/simple-2@argmax"
    for path in ("./agent_avenue/simple-2", Path("agent_avenue/simple-2")):
        with pytest.raises(CheckpointError, match="is not a checkpoint"):
            Policy.load(path)
    shutil.copytree(ROOT / "checkpoints" / "agent_dog_2", tmp_path / "best")
    assert Policy.load("./best").game.id == Policy.load(Path("best")).game.id == "agent_dog_v0"
    assert Policy.load("best", game=GAME).game == GAME
