"""Checkpoints with weights rounded to bfloat16."""

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import spygames
from spygames.core.playing.batch import Batch
from spygames_training.agents.bfloat16 import export_bfloat16
from spygames_training.agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.custom import make_own_network
from tests.cli.command import run as command_line

AGENT = "agent_avenue/simple-2-first"
"""An agent whose weights are not rounded."""


def test_rounding_halves_the_size_and_keeps_the_metadata(tmp_path: Path) -> None:
    found = load_checkpoint(AGENT)
    export_bfloat16(found, tmp_path / "half")
    again = load_checkpoint(tmp_path / "half")
    stored = load_file(tmp_path / "half" / "model.safetensors")
    assert {tensor.dtype for tensor in stored.values()} == {torch.bfloat16}
    assert {p.dtype for p in again.network.parameters()} == {torch.float32}
    for name, tensor in found.network.state_dict().items():
        assert torch.equal(again.network.state_dict()[name], tensor.bfloat16().float())
    size = sum(tensor.numel() for tensor in stored.values())
    assert (tmp_path / "half" / "model.safetensors").stat().st_size < 2 * size + 2000
    ours, theirs = dict(again.meta), dict(found.meta)
    assert ours.pop("weights") != theirs.pop("weights")
    assert ours == theirs
    export_bfloat16(again, tmp_path / "twice")
    assert (tmp_path / "twice" / "model.safetensors").read_bytes() == (
        tmp_path / "half" / "model.safetensors"
    ).read_bytes()


def test_it_decides_the_same_except_between_equally_good_actions(tmp_path: Path) -> None:
    """The likeliest action differs only if the original agent finds both equally likely within the rounding."""
    found = load_checkpoint(AGENT)
    export_bfloat16(found, tmp_path / "half")
    one, other = Policy.load(AGENT), Policy.load(tmp_path / "half")
    batch, rng = Batch(found.game, 400, 3, threads=1), np.random.default_rng(0)
    for _ in range(9):
        batch.step((rng.random(batch.mask.shape) * batch.mask).argmax(axis=1))
    ours, theirs = (p.probabilities(batch.observation, batch.mask) for p in (one, other))
    rows, first, second = np.arange(400), ours.argmax(1), theirs.argmax(1)
    assert (first == second).mean() > 0.95
    np.testing.assert_allclose(ours[rows, second], ours[rows, first], atol=0.05)


def test_a_custom_network_is_not_rounded(tmp_path: Path) -> None:
    game = spygames.make_game("agent_avenue_v0")
    torch.manual_seed(0)
    module = ActorCritic(game.num_features, game.num_actions, (8,))
    save_checkpoint(tmp_path / "own", game, make_own_network(module, game), 1)
    with pytest.raises(ValueError, match="custom network cannot be rounded"):
        export_bfloat16(load_checkpoint(tmp_path / "own", network=module), tmp_path / "half")
    assert not (tmp_path / "half").exists()


def test_the_command_exports_and_refuses_wrong_arguments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    half = tmp_path / "half"
    assert command_line("export", AGENT, "--bfloat16", str(half)) == 0
    assert str(half) in capsys.readouterr().out
    assert load_checkpoint(half).meta["step"] == load_checkpoint(AGENT).meta["step"]
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    for arguments in (
        ("export", AGENT),
        ("export", AGENT, "--bfloat16", str(half), "--onnx", str(tmp_path / "x.onnx")),
        ("export", AGENT, "--bfloat16", str(tmp_path / "mine")),
    ):
        assert command_line(*arguments) == 2
        assert len(capsys.readouterr().err.strip().splitlines()) == 1
    with pytest.raises(CheckpointError):
        load_checkpoint(tmp_path / "mine")
