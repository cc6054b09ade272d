"""The device on which the network computes, and the transfers to and from it."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

import spygames
from spygames.core.game.game import Game
from spygames_training.agents.policy import from_network
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.networks import device as devices
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.networks.device import Compute, fetch, find_device, send
from spygames_training.networks.trunks import Memory
from spygames_training.ppo import learner as learner_module
from spygames_training.ppo.faster_device import gpu_pays
from spygames_training.ppo.learner import Learner
from spygames_training.ppo.losses import LOSS_TERMS, Weights
from spygames_training.ppo.rollout import Rollout
from spygames_training.runs.run import Run
from spygames_training.system.threads import one_thread
from tests.poker import leduc

NETWORKS = [
    Network((16,)),
    Network((16,), critic="all"),
    Network((16,), kind="recurrent", memory=8),
    Network((16,), kind="entities", embedding=4),
]
SMALL = PPO(games=32, steps=8, minibatch=64, precision="float32")
DEVICES: list[Literal["cpu", "cuda"]] = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


def game_for(config: Network) -> Game:
    """Return a small game, or one with entities if the network needs them."""
    return spygames.make_game("agent_avenue_v0") if config.kind == "entities" else leduc.make_game()


class Elsewhere(TorchDispatchMode):
    """A device other than the CPU that holds no numbers.

    torch refuses operations on tensors of both devices. Within the context, the transfers to the device in this thread
    are counted.
    """

    device = torch.device("meta")

    def __init__(self) -> None:
        super().__init__()
        self.there: list[int] = []
        """Number of floats in each transfer to the device."""
        self.indices = 0
        """Number of transfers of integers to the device."""
        self.back: list[int] = []
        """Number of values in each transfer to the CPU."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        source = {"_to_copy": 0, "to": 0, "copy_": 1}.get(func.__name__.partition(".")[0])
        if source is not None:
            tensor = args[source]
            if tensor.device.type == "cpu" and out.device == self.device:
                if tensor.is_floating_point():
                    self.there.append(tensor.numel())
                else:
                    self.indices += 1
        return out

    def forget(self) -> None:
        self.there.clear()
        self.back.clear()

    def to_numpy(self, tensor: torch.Tensor) -> np.ndarray:
        assert tensor.device == self.device
        self.back.append(tensor.numel())
        return np.zeros(tuple(tensor.shape), np.float32)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    found = Elsewhere()
    for module in (devices, learner_module):
        monkeypatch.setattr(module, "to_numpy", found.to_numpy)
    monkeypatch.setattr(torch.optim, "Adam", _Adam)
    return found


class _Adam(torch.optim.Adam):
    def __init__(self, *args: Any, fused: bool, **kwargs: Any) -> None:  # none is fused on that device
        super().__init__(*args, **kwargs)


@pytest.mark.parametrize("config", NETWORKS, ids=lambda c: f"{c.kind}-{c.critic}")
def test_all_tensors_are_on_the_networks_device(config: Network, elsewhere: Elsewhere) -> None:
    game = game_for(config)
    network = make_network(game, config).to(elsewhere.device)
    learner = Learner(network, SMALL, 2, seed=0)
    rollouts = [Rollout(game, 16, 8, seed, players=[from_network(game, network)]) for seed in range(2)]
    learner.play(rollouts)
    learner.update(rollouts, 1.0)
    assert learner.steps >= 2
    assert {p.grad.device.type for p in network.parameters() if p.grad is not None} == {"meta"}
    player = from_network(game, learner.ema, "argmax")
    (result,) = evaluate(game, player, [player], 10, seed=0)
    assert result.games == 10


@pytest.mark.parametrize("config", NETWORKS, ids=lambda c: f"{c.kind}-{c.critic}")
def test_views_are_transferred_once(config: Network, elsewhere: Elsewhere) -> None:
    """A step sends the views and receives one tensor.

    Learning sends gradients and no views, whatever the number of passes. It receives one tensor per gradient, and one
    for all outputs of the reference.
    """
    game, games, steps = game_for(config), 16, 8
    network = make_network(game, config).to(elsewhere.device)
    learner = Learner(network, replace(SMALL, games=games), 1, seed=0)
    rollout = Rollout(game, games, steps, 0, players=[from_network(game, network)])
    views, outputs = game.num_features, game.num_actions + 1 + network.memory_size
    if config.critic == "all":
        views += game.num_players * game.num_features
    with elsewhere:
        rollout.play(network, learner.ppo)
    assert sum(elsewhere.there) == steps * games * (views + network.memory_size)
    assert elsewhere.back == [games * outputs] * steps

    elsewhere.forget()
    with elsewhere:
        data = learner._prepare(rollout)
    decisions = len(data.taken.actions)
    remembered = 0 if data.sequences is None else data.sequences.memory.numel()
    assert sum(elsewhere.there) == remembered
    assert elsewhere.back == [decisions * game.num_actions]

    elsewhere.forget()
    with elsewhere:
        sums = np.zeros(len(LOSS_TERMS)), np.zeros((2, 0))
        learner._gradient(network, data, np.arange(data.units), Weights(0.2, 0.5, 0.1, 0.1), *sums)
    values = 2 if config.critic == "all" else 1
    assert sum(elsewhere.there) == remembered + decisions * (game.num_actions + values)
    assert elsewhere.back == [decisions * (game.num_actions + values)]


def test_sequences_of_any_length_need_one_transfer(elsewhere: Elsewhere) -> None:
    memory = Memory(4, 3).to(elsewhere.device)
    for length in (1, 5, 20):
        features, before = (torch.zeros(n, width, device=elsewhere.device) for n, width in ((length, 4), (1, 3)))
        elsewhere.indices = 0
        with elsewhere:
            memory.unroll(features, np.array([length]), before)
        assert elsewhere.indices == 1, length


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("config", NETWORKS, ids=lambda c: f"{c.kind}-{c.critic}")
@pytest.mark.parametrize("device", DEVICES)
def test_a_run_learns_on_the_chosen_device(
    device: Literal["cpu", "cuda"], config: Network, precision: Literal["float32", "bfloat16"], tmp_path: Path
) -> None:
    """With opponents, stopped and resumed; also on a GPU if one is available."""
    settings = Config(
        decisions=1024,
        network=config,
        ppo=replace(SMALL, precision=precision),
        device=device,
        opponents=Opponents(share=0.5, bots=("random",), snapshots=1, snapshot_every=1),
        evaluate_against=("random",),
        evaluate_games=20,
    )
    run = Run.create(settings, tmp_path / "run", game=game_for(config))
    run.update()
    run.update()
    run.save()
    before = [p.detach().clone() for p in run.learner.network.parameters()]
    again = Run.resume(tmp_path / "run", game=game_for(config))
    parameters = [*again.learner.network.parameters()]
    assert {p.device.type for p in parameters} == {device}
    assert all(torch.equal(a, b) for a, b in zip(before, parameters, strict=True))
    again.train()
    assert again.progress["decisions"] >= 1024
    assert any(not torch.equal(a, b) for a, b in zip(before, parameters, strict=True))
    assert all(p.isfinite().all() for p in parameters)


def pays() -> bool:
    """Stand for an estimate that a GPU is faster."""
    return True


def test_a_missing_gpu_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for device in ("auto", "cpu"):
        assert find_device(device, 0, pays) == torch.device("cpu")
    with pytest.raises(ValueError, match="device must be auto or cpu, not cuda"):
        Run.create(Config(device="cuda"), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_processes_distribute_the_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [find_device("auto", k, pays).index for k in range(3)] == [0, 1, 0]
    assert find_device("cpu", 1, pays) == find_device("auto", 1, lambda: False) == torch.device("cpu")
    assert find_device("cuda", 1, lambda: False) == torch.device("cuda", 1)


def test_initial_weights_do_not_depend_on_the_number_of_threads() -> None:
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


def test_precision_sets_the_dtype() -> None:
    network = make_network(leduc.make_game(), Network((4,)))
    for precision, dtype in (("float32", torch.float32), ("bfloat16", torch.bfloat16)):
        compute = Compute.of(network, precision)  # type: ignore[arg-type]
        assert compute.dtype is dtype
        with compute.autocast():
            assert network.trunk(torch.zeros(1, network.num_features)).dtype is dtype


def test_fetch_returns_the_values(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = [torch.randn(3, 4).bfloat16(), torch.randn(3), torch.randn(3, 2, requires_grad=True)]
    arrays = [t.detach().float().numpy() for t in outputs]
    for here in (True, False):
        monkeypatch.setattr(devices, "shares_memory", lambda device, here=here: here)
        found = fetch(outputs)
        assert [a.dtype for a in found] == [np.float32] * 3
        assert all(map(np.array_equal, found, arrays))
        back = send(found, outputs)
        assert [t.dtype for t in back] == [t.dtype for t in outputs]
        assert all(torch.equal(a, b.detach()) for a, b in zip(back, outputs, strict=True))


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
@pytest.mark.parametrize("config", NETWORKS, ids=lambda c: f"{c.kind}-{c.critic}")
def test_learning_is_the_same_with_views_stored_and_sent_in_pieces(
    config: Network, precision: Literal["float32", "bfloat16"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Take the code path for other devices, with real numbers."""
    game, ppo = game_for(config), replace(SMALL, precision=precision)

    def learned(here: bool) -> list[torch.Tensor]:
        monkeypatch.setattr(devices, "shares_memory", lambda device: here)
        torch.manual_seed(0)
        network = make_network(game, config)
        learner = Learner(network, ppo, 1, seed=0)
        rollouts = [Rollout(game, ppo.games, ppo.steps, 0, players=[from_network(game, network)])]
        for _ in range(2):
            learner.play(rollouts)
            learner.update(rollouts, 1.0)
        return [p.detach() for p in network.parameters()]

    with one_thread():
        assert all(torch.equal(a, b) for a, b in zip(learned(True), learned(False), strict=True))


def test_auto_prefers_a_gpu_for_much_work_and_few_cores() -> None:
    """For any constants of the estimate, more work or fewer cores never count against a GPU."""
    game = leduc.make_game()

    def network(width: int, kind: str = "mlp") -> ActorCritic:
        return make_network(game, Network((width, width), kind=kind))  # type: ignore[arg-type]

    ppo = PPO()
    wide = [gpu_pays(network(width), ppo, 4) for width in (8, 32, 128, 512, 2048)]
    assert wide == sorted(wide)
    assert (wide[0], wide[-1]) == (False, True)
    cores = [gpu_pays(network(128), ppo, workers) for workers in (64, 16, 4, 1)]
    assert cores == sorted(cores)
    assert (cores[0], cores[-1]) == (False, True)
    assert not gpu_pays(network(128), PPO(games=8, minibatch=64), 1)  # operations are too small
    assert not gpu_pays(make_network(game, Network((), critic="all")), ppo, 4)  # without hidden layers


def test_the_estimate_draws_no_random_numbers() -> None:
    network = make_network(leduc.make_game(), Network((16,), critic="all"))
    torch.manual_seed(3)
    before = torch.get_rng_state()
    gpu_pays(network, PPO(), 2)
    assert torch.equal(before, torch.get_rng_state())
    assert all(p.grad is None for p in network.parameters())
