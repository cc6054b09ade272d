"""Where the network computes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import spygames
from spygames_training import learner as learner_module
from spygames_training import policy, rollout
from spygames_training.compute import Compute, find_device, one_thread
from spygames_training.config import PPO, Config, Network
from spygames_training.evaluation import evaluate
from spygames_training.learner import Learner
from spygames_training.network import make_network
from spygames_training.policy import from_network
from spygames_training.rollout import Rollout
from spygames_training.run import Run
from tests.poker import leduc

NETWORKS = [
    Network((16,)),
    Network((16,), critic="all"),
    Network((16,), kind="recurrent", memory=8),
    Network((16,), kind="entities", embedding=4),
]
SMALL = PPO(games=32, steps=8, minibatch=64, precision="float32")


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> torch.device:
    """A device that is not the CPU and holds no numbers: torch refuses each operation on tensors of both."""

    def to_numpy(tensor: torch.Tensor) -> np.ndarray:
        assert tensor.device.type == "meta"
        return np.zeros(tuple(tensor.shape), np.float32)

    for module in (policy, learner_module, rollout):
        monkeypatch.setattr(module, "to_numpy", to_numpy)
    monkeypatch.setattr(torch.optim, "Adam", _Adam)
    return torch.device("meta")


class _Adam(torch.optim.Adam):
    def __init__(self, *args: Any, fused: bool, **kwargs: Any) -> None:  # there is none fused for that device
        super().__init__(*args, **kwargs)


@pytest.mark.parametrize("config", NETWORKS, ids=lambda c: f"{c.kind}-{c.critic}")
def test_all_that_meets_the_network_is_where_it_is(config: Network, elsewhere: torch.device) -> None:
    game = spygames.make_game("agent_avenue_v0") if config.kind == "entities" else leduc.make_game()
    network = make_network(game, config).to(elsewhere)
    learner = Learner(network, SMALL, 2, seed=0)
    rollouts = [Rollout(game, 16, 8, seed, players=[from_network(game, network)]) for seed in range(2)]
    learner.play(rollouts)
    learner.update(rollouts, 1.0)
    assert learner.steps >= 2
    assert {p.grad.device.type for p in network.parameters() if p.grad is not None} == {"meta"}
    player = from_network(game, learner.ema, "argmax")
    (result,) = evaluate(game, player, [player], 10, seed=0)
    assert result.games == 10


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_run_on_a_gpu_learns_there(tmp_path: Path) -> None:
    config = Config(decisions=4096, network=Network((16,)), ppo=SMALL, device="cuda", evaluate_against=("random",))
    run = Run.create(config, tmp_path / "run", game=leduc.make_game())
    run.train()
    assert next(run.learner.network.parameters()).is_cuda


def test_a_gpu_that_is_not_there_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert find_device("auto") == find_device("cpu") == torch.device("cpu")
    with pytest.raises(ValueError, match="no GPU here: take auto or cpu"):
        Run.create(Config(device="cuda"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_processes_share_out_the_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [find_device("auto", k).index for k in range(3)] == [0, 1, 0]
    assert find_device("cpu", 1) == torch.device("cpu")


def test_weights_are_drawn_alike_with_any_number_of_threads() -> None:
    def drawn(threads: int) -> torch.Tensor:
        torch.set_num_threads(threads)
        torch.manual_seed(0)
        with one_thread():
            assert torch.get_num_threads() == 1
            weights = next(make_network(leduc.make_game(), Network((256, 256))).parameters())
        assert torch.get_num_threads() == threads
        return weights

    before = torch.get_num_threads()
    try:
        assert torch.equal(drawn(2), drawn(1))
    finally:
        torch.set_num_threads(before)


def test_precision_is_what_is_asked_for() -> None:
    network = make_network(leduc.make_game(), Network((4,)))
    for precision, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        compute = Compute.of(network, precision)  # type: ignore[arg-type]
        assert compute.dtype is dtype
        with compute.autocast():
            assert network.trunk(torch.zeros(1, network.num_features)).dtype is dtype
