"""Agents as ONNX models: exports play like their checkpoints, and models that do not fit the game are refused."""

import errno
import json
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from spygames import make_game
from spygames.core.game.game import Game
from spygames.core.players.history import new_notes
from spygames.core.players.names import make_player, runs_code
from spygames.core.players.player import DecisionBatch, PlayerFailed
from spygames.core.playing.batch import Batch
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.onnx_export import export_onnx
from spygames_training.agents.policy import Policy
from spygames_training.config import Network
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.networks.actor_critic import make_network
from tests.cli.command import complaint, run
from tests.support.suites import slow_but

onnx = pytest.importorskip("onnx")
CASES = [
    ("agent_avenue_v0", {}, Network((32, 16))),
    ("agent_dog_v0", {"players": 2}, Network((32, 16), kind="entities", embedding=16)),
]


def agent(folder: Path, game: Game, network: Network) -> Path:
    """A checkpoint with random weights that are large enough for clear preferences."""
    torch.manual_seed(1)
    actor = make_network(game, network)
    with torch.no_grad():
        actor.policy.weight.mul_(100)
    save_checkpoint(folder / "agent", game, actor, 1)
    return folder / "agent"


def positions(game: Game, n: int) -> DecisionBatch:
    """Return the decisions of `n` games after some random moves."""
    batch, rng = Batch(game, n, 1, threads=1), np.random.default_rng(1)
    batch.reset()
    for _ in range(12):
        weights = rng.random(batch.mask.shape) * (batch.mask != 0)
        batch.step(weights.argmax(axis=1))
    streams = np.arange(n, dtype=np.uint64).reshape(n, 1)
    return batch.decisions(streams, np.arange(n), None, new_notes(game, [], n))


@pytest.mark.parametrize(("name", "options", "network"), slow_but(CASES, 1), ids=["mlp", "entities"])
def test_an_export_plays_like_its_checkpoint(
    name: str, options: dict[str, int], network: Network, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The likeliest action is the same in 10,000 positions, except where two are equally likely up to rounding."""
    game = make_game(name, **options)
    folder, file = agent(tmp_path, game, network), tmp_path / "agent.onnx"
    assert run("export", folder, "--onnx", file) == 0
    assert capsys.readouterr().out == f"model: {file}\n"
    asked = positions(game, 10_000)
    found = make_player(game, f"onnx:{file}@argmax").act(asked)
    likely, rows = Policy.load(folder).probabilities(asked.observation, asked.mask), np.arange(10_000)
    best = likely[rows, found] >= likely.max(axis=1) * (1 - 1e-4)
    assert best.all()
    assert (found == make_player(game, f"{folder}@argmax").act(asked)).mean() > 0.99
    assert len(set(found.tolist())) > 5
    sampled = make_player(game, f"onnx:{file}").act(asked)
    assert asked.mask[np.arange(10_000), sampled].all()
    assert (sampled != found).any()


def test_a_third_party_model_plays(tmp_path: Path) -> None:
    """The model is a linear policy made with onnx alone, with a float mask and a symbolic batch size."""
    game = make_game("agent_avenue_v0")
    file = linear_model(tmp_path / "linear.onnx", game.num_features, game.num_actions)
    player = make_player(game, f"onnx:{file}@argmax")
    assert player.name == "onnx:linear@argmax"
    result = evaluate(game, player, "random", 100, 1)[0]
    assert result.games == 100
    copied = pickle.loads(pickle.dumps(player))
    assert result == evaluate(game, copied, "random", 100, 1)[0]
    assert not runs_code(f"onnx:{file}")


def test_models_with_the_same_file_name_are_distinguished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tables show them by their paths, and each has its own digest. One model by two paths is one player."""
    monkeypatch.chdir(tmp_path)
    game, specs, file = make_game("agent_avenue_v0"), [], tmp_path / "x.json"
    for folder, fault in (("a", 0.0), ("b", 1.0), ("copy", 0.0)):
        Path(folder).mkdir()
        specs.append(f"onnx:{linear_model(Path(folder, 'm.onnx'), game.num_features, game.num_actions, fault)}")
    for argv in (
        ["evaluate", specs[0], "--against", f"{specs[1]}@argmax", "random", "--games", 20],
        ["evaluate", "--seats", specs[0], f"{specs[1]}@argmax", "--games", 20],
    ):
        assert run(*argv, "--json", file) == 0
        assert "onnx:m@sample" in capsys.readouterr().out  # this name is unique
    argv = ["evaluate", "--cross-play", *specs[:2], "--games", 20, "--plot", "x.png"]
    assert run(*argv, "--json", file) == 0
    names = [f"{spec}@sample" for spec in specs[:2]]
    found = json.loads(file.read_text())
    assert [(r["challenger"], r["opponent"]) for r in found["results"]] == [(names[0], names[1]), (names[1], names[0])]
    assert [*found["players"]] == names
    assert len({player["digest"] for player in found["players"].values()}) == 2
    assert run("compare", *specs[:2], "--max-games", 128, "--json", file) == 0
    assert [*json.loads(file.read_text())["players"]] == names
    assert "different players, not both onnx:m@sample" in complaint(["compare", specs[0], specs[2]], capsys)


def linear_model(file: Path, features: int, actions: int, fault: float = 0.0) -> Path:
    h = onnx.helper
    weights = np.random.default_rng(1).normal(size=(features, actions)).astype(np.float32) + np.float32(fault)
    graph = h.make_graph(
        [
            h.make_node("MatMul", ["observation", "weights"], ["plain"]),
            h.make_node("Add", ["plain", "mask"], ["logits"]),
        ],
        "linear",
        [
            h.make_tensor_value_info("observation", onnx.TensorProto.FLOAT, ["n", features]),
            h.make_tensor_value_info("mask", onnx.TensorProto.FLOAT, ["n", actions]),
        ],
        [h.make_tensor_value_info("logits", onnx.TensorProto.FLOAT, ["n", actions])],
        [onnx.numpy_helper.from_array(weights, "weights")],
    )
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 17)], ir_version=10)
    onnx.save(model, str(file))
    return file


def test_models_that_do_not_fit_the_game_are_refused(tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0")
    other = linear_model(tmp_path / "other.onnx", 7, game.num_actions)
    (tmp_path / "text.onnx").write_text("no model")
    unknown = onnx.load(linear_model(tmp_path / "unknown.onnx", game.num_features, game.num_actions))
    unknown.graph.input[0].type.tensor_type.ClearField("shape")
    onnx.save(unknown, tmp_path / "unknown.onnx")
    for spec, what in [
        (f"onnx:{tmp_path / 'none.onnx'}", "none.onnx cannot be read: No such file"),
        (f"onnx:{tmp_path / 'text.onnx'}", "text.onnx is not a valid ONNX model"),
        (f"onnx:{other}", r"observation must be \[n, 160\] in agent_avenue_v0"),
        (f"onnx:{tmp_path / 'unknown.onnx'}", r"observation must be \[n, 160\] in .*, not \[\]"),
        ("onnx:@argmax", "^'onnx:@argmax' must name a file, as in onnx:FILE$"),
        (f"onnx:{other}@badly", "must be sample, argmax or a temperature"),
    ]:
        with pytest.raises(ValueError, match=what):
            make_player(game, spec)
    nans = linear_model(tmp_path / "nans.onnx", game.num_features, game.num_actions, fault=float("nan"))
    with pytest.raises(PlayerFailed, match=r"player onnx:nans@sample .*logits .*finite"):
        make_player(game, f"onnx:{nans}").act(positions(game, 5))


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX pipes and devices")
def test_files_that_cannot_be_models_are_not_read(tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0")
    with open(tmp_path / "long", "wb") as long:
        long.truncate((1 << 30) + 1)  # a sparse file without blocks on the disk
    os.mkfifo(tmp_path / "pipe")
    for file, why in (
        ("/dev/zero", "not a regular file"),
        (tmp_path / "pipe", "not a regular file"),
        (tmp_path, "Is a directory"),
        (tmp_path / "long", "longer than 1073741824 bytes"),
        ("x" * 300, "File name too long"),
    ):
        with pytest.raises(ValueError, match=f"cannot be read: .*{why}"):
            make_player(game, f"onnx:{file}")


def test_a_full_disk_keeps_the_former_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint = load_checkpoint(agent(tmp_path, make_game("agent_avenue_v0"), Network((8,))))
    monkeypatch.setattr("spygames_training.agents.onnx_export.to_onnx", lambda game, network: b"new")
    file = tmp_path / "a.onnx"
    file.write_bytes(b"old")
    with monkeypatch.context() as patch:

        def full(_: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            export_onnx(checkpoint, file)
    assert file.read_bytes() == b"old"
    export_onnx(checkpoint, file)
    assert file.read_bytes() == b"new"


def test_a_recurrent_network_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = agent(tmp_path, make_game("agent_avenue_v0"), Network((8,), kind="recurrent", memory=4))
    line = complaint(["export", str(folder), "--onnx", str(tmp_path / "a.onnx")], capsys)
    assert "a recurrent network cannot be exported" in line
    assert not (tmp_path / "a.onnx").exists()
    assert "name the checkpoint" in complaint(["export"], capsys)
