"""NumPy computes the same agents as torch."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from spygames import make_batch, make_game
from spygames.core.game.game import Game
from spygames.core.players.released import ReleasedAgent, released_agents
from spygames.core.players.sampling import probabilities
from spygames.players import NumpyPlayer, make_player, new_memory
from spygames_training.agents.checkpoint import CheckpointError, save_checkpoint
from spygames_training.agents.policy import PolicyPlayer, logits, logits_and_values
from spygames_training.config import Network
from spygames_training.evaluation.digests import full_name, player_digest, trained_against
from spygames_training.networks.actor_critic import make_network

ROWS = 1024
AGENTS = {agent.name: agent for agent in released_agents()}
LOGITS, PROBABILITIES = 1e-4, 1e-5
"""Tolerances. NumPy and torch may choose differently only among actions whose logits differ by less than 2 LOGITS."""


def both(game: Game, name: str) -> tuple[NumpyPlayer, PolicyPlayer]:
    """The agent computed by NumPy and by torch."""
    source, _, how = name.partition("@")
    torchs = make_player(game, name)
    assert isinstance(torchs, PolicyPlayer)
    return NumpyPlayer(game, source, how), torchs


def compare(agent: ReleasedAgent, positions: int) -> tuple[int, int]:
    """Compare logits, probabilities and the most likely action in positions of games between copies of the agent.

    Returns:
        The number of positions, and in how many of these the most likely actions differ.
    """
    game = make_game(agent.game_id, **agent.options)
    numpys, torchs = both(game, agent.name)
    batch = make_batch(agent.game_id, ROWS, seed=5, **agent.options)
    streams, rows = np.arange(ROWS, dtype=np.uint64)[:, None], np.arange(ROWS)
    seen = different = 0
    while seen < positions:
        here, there = numpys.logits(batch.observation), logits(torchs.policy.network, batch.observation)
        np.testing.assert_allclose(here, there, rtol=0, atol=LOGITS)
        mine, theirs = (probabilities(each, batch.mask, 1.0) for each in (here, there))
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=PROBABILITIES)
        legal = np.where(batch.mask != 0, there, -np.inf)
        chosen, expected = np.where(batch.mask != 0, here, -np.inf).argmax(1), legal.argmax(1)
        assert (legal[rows, expected] - legal[rows, chosen]).max() < 2 * LOGITS
        different += int((chosen != expected).sum())
        seen += ROWS
        batch.step(numpys.act(batch.decisions(rng=streams, rows=rows)))
    return seen, different


@pytest.mark.parametrize("name", ["agent_avenue/simple-2", "heimlich/base-3"])
def test_numpy_computes_what_torch_computes(name: str) -> None:
    compare(AGENTS[name], 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("name", AGENTS)
def test_numpy_computes_what_torch_computes_in_100_000_positions(name: str) -> None:
    seen, different = compare(AGENTS[name], 100_000)
    print(f"{name}: {different} of {seen} most likely actions differ, all of them near-ties")
    assert seen >= 100_000


@pytest.mark.parametrize("how", ["sample", "argmax", "0.5"])
def test_a_player_has_one_identity(how: str) -> None:
    game = make_game("agent_avenue_v0")
    numpys, torchs = both(game, f"agent_avenue/simple-2@{how}")
    assert numpys.name == torchs.name == f"agent_avenue/simple-2@{how}"
    assert player_digest(game, numpys) == player_digest(game, torchs)
    for name in game.bots:
        bot = make_player(game, name)
        assert trained_against(game, numpys, bot) == trained_against(game, torchs, bot)
    plain = "agent_avenue/simple-2"
    assert full_name(game, plain, numpys) == full_name(game, plain, torchs)


def test_numpy_explains_decisions_like_torch() -> None:
    game = make_game("agent_avenue_v0")
    numpys, torchs = both(game, "agent_avenue/simple-2@0.5")
    batch = make_batch("agent_avenue_v0", 4, seed=3)
    decisions = batch.decisions(rng=np.zeros((4, 1), np.uint64), rows=np.arange(4))
    for mine, theirs in zip(numpys.advise(decisions), torchs.advise(decisions), strict=True):
        assert mine.title == theirs.title
        assert [name for name, _ in mine.actions] == [name for name, _ in theirs.actions]
        np.testing.assert_allclose([p for _, p in mine.actions], [p for _, p in theirs.actions], atol=PROBABILITIES)
        assert mine.value == pytest.approx(theirs.value, abs=LOGITS)


def test_a_decision_depends_on_view_mask_and_stream_alone() -> None:
    game = make_game("agent_avenue_v0")
    player = NumpyPlayer(game, "agent_avenue/simple-2", "0.5")
    batch = make_batch("agent_avenue_v0", 64, seed=3)
    decisions = batch.decisions(rng=np.arange(64, dtype=np.uint64)[:, None], rows=np.arange(64))
    blind = replace(decisions, states=np.zeros_like(decisions.states), rng=decisions.rng.copy())
    assert np.array_equal(player.act(decisions), player.act(blind))


@pytest.mark.parametrize("belief", ["none", "keep"])
@pytest.mark.parametrize("critic", ["own", "all"])
@pytest.mark.parametrize("hidden", [(), (8,), (16, 8, 4)])
def test_every_linear_network_is_read(tmp_path: Path, hidden: tuple[int, ...], critic: str, belief: str) -> None:
    game = make_game("agent_avenue_v0")
    config = Network(hidden, critic=critic, belief=belief)  # type: ignore[arg-type]
    save_checkpoint(tmp_path / "agent", game, make_network(game, config), 1)
    numpys, torchs = NumpyPlayer(game, tmp_path / "agent"), make_player(game, str(tmp_path / "agent"))
    assert isinstance(torchs, PolicyPlayer)
    observation = np.random.default_rng(1).random((5, game.num_features), np.float32)
    expected, _ = logits_and_values(torchs.policy.network, observation, None)
    np.testing.assert_allclose(numpys.logits(observation), expected, atol=LOGITS)
    assert player_digest(game, numpys) == player_digest(game, torchs)
    assert (numpys.name, new_memory(game, [numpys]).size) == ("agent@sample", 0)


@pytest.mark.parametrize("kind", ["recurrent", "entities"])
def test_other_networks_name_the_extra(tmp_path: Path, kind: str) -> None:
    game = make_game("agent_avenue_v0")
    config = Network((8,), kind=kind, memory=4, embedding=4)  # type: ignore[arg-type]
    save_checkpoint(tmp_path / "agent", game, make_network(game, config), 1)
    with pytest.raises(CheckpointError, match=rf"has a network of kind {kind}, which needs torch: pip install") as info:
        NumpyPlayer(game, tmp_path / "agent")
    assert "spygames[training]" in str(info.value)


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # importing it fails, as if it were not installed
import gymnasium
import spygames
from spygames.players import NumpyPlayer, as_players, make_player
from spygames.records import play_record

game = spygames.make_game("agent_avenue_v0")
for name in ("agent_avenue/simple-2", "best", "agent_avenue/simple-2@0.5"):
    assert isinstance(make_player(game, name), NumpyPlayer), name
one = gymnasium.make("spygames/AgentAvenue-v0", opponents="agent_avenue/simple-2")
one.reset(seed=1)
many = gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=4, opponents="best")
_, infos = many.reset(seed=1)
for _ in range(9):
    _, _, _, _, infos = many.step(infos["action_mask"].argmax(axis=1))
assert play_record(game, as_players(game, ["best", "greedy"]), seed=1).players[0] == "agent_avenue/simple-2@argmax"
try:
    make_player(game, "best+search:16")
except ValueError as error:
    assert "+search: needs torch: pip install 'spygames[training]'" in str(error), error
else:
    raise AssertionError
"""


def test_released_agents_play_without_torch() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_TORCH], check=True, cwd=Path(__file__).parents[3], env=os.environ)
