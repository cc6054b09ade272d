"""Process-wide settings of a program do not change results, and spygames does not change them."""

import logging
import random
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from studies.calibration import calibrate
from torch import nn

import spygames
from spygames.core.game.game import Game
from spygames.core.players.names import make_player
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.bridges.sb3 import PerSeatRolloutBuffer, SelfPlayVecEnv, actor_critic_kwargs, to_actor_critic
from spygames_training.bridges.sb3.run import MaskableRun
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation.play_games import play_games
from spygames_training.ladder.standings import maximal_lottery
from spygames_training.output.plots import picture
from spygames_training.output.tables import heat_map
from spygames_training.runs.run import Run
from spygames_training.runs.train import train
from tests.poker import kuhn

GAME = kuhn.make_game()
AGENT = "agent_avenue/simple-2"
SMALL = Config(
    decisions=2 * 32 * 8,
    network=Network((16,)),
    ppo=PPO(games=32, steps=8, minibatch=64, precision="float32"),
    opponents=Opponents(share=0.25, bots=("random",), snapshots=1, snapshot_every=1),
    evaluate_against=("random",),
    evaluate_games=20,
)


@contextmanager
def doubled() -> Iterator[None]:
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)


@pytest.fixture
def hostile() -> Iterator[None]:
    """Unusual defaults, of everything that a program can set."""
    rc = mpl.rcParams.copy()
    torch.set_default_device("meta")
    mpl.rcParams.update({"axes.facecolor": "black", "font.size": 30, "savefig.dpi": 7, "text.usetex": True})
    try:
        with doubled(), torch.inference_mode(), torch.autocast("cpu", torch.bfloat16), np.errstate(all="raise"):
            yield
    finally:
        torch.set_default_device(None)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # deprecations of Matplotlib's settings
            mpl.rcParams.update(rc)


def process() -> dict[str, Any]:
    """Return the process-wide state, including its defaults."""
    threads: list[int] = []
    later = threading.Thread(target=lambda: threads.append(torch.get_num_threads()))
    later.start()
    later.join()
    return {
        "generators": (random.getstate(), str(np.random.get_state()), torch.get_rng_state().tolist()),
        "threads": (torch.get_num_threads(), threads),
        "types": (torch.get_default_dtype(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "numpy": np.geterr(),
        "warnings": list(warnings.filters),
        "signals": [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)],
        "logging": [logging.getLogger(name).level for name in (None, "torch.onnx", "spygames_training")],
        "matplotlib": dict(mpl.rcParams),
    }


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_checkpoint(folder, GAME).network.state_dict()


@pytest.mark.parametrize("kind", ["ppo", "maskable_ppo"])
def test_training_works_with_hostile_defaults_and_keeps_them(
    tmp_path: Path, request: pytest.FixtureRequest, kind: str
) -> None:
    def trained(folder: Path) -> dict[str, torch.Tensor]:
        if kind == "ppo":
            train(SMALL, folder, game=GAME, progress=False)
        else:
            MaskableRun(Config(**{**vars(SMALL), "opponents": Opponents(), "workers": 1}), folder, GAME).train()
        return weights(folder)

    usual = trained(tmp_path / "usual")
    request.getfixturevalue("hostile")
    if kind == "maskable_ppo":  # the stock algorithm finds the device of its tensors only by the default
        torch.set_default_device(None)
    before = process()
    found = trained(tmp_path / "hostile")
    assert process() == before
    assert {name: value.dtype for name, value in found.items()} == dict.fromkeys(usual, torch.float32)
    assert all(torch.equal(found[name], value) for name, value in usual.items())
    pictures = [(tmp_path / name / "curves.png").read_bytes()[16:24] for name in ("usual", "hostile")]
    assert pictures[0] == pictures[1]  # width and height


def test_a_run_resumes_and_steps_with_hostile_defaults(tmp_path: Path, hostile: None) -> None:
    before = process()
    run = Run.create(SMALL, tmp_path, GAME)
    run.update()
    run.save()
    run.close()
    run = Run.resume(tmp_path, game=GAME)
    run.update()
    run.close()
    assert process() == before
    assert run.finished


@pytest.mark.parametrize("network", ["mlp", "entities", "recurrent"])
def test_initial_weights_are_the_same_with_hostile_defaults(
    tmp_path: Path, network: Any, request: pytest.FixtureRequest
) -> None:
    game = spygames.make_game("agent_avenue_v0") if network == "entities" else GAME
    config = Config(
        network=Network((8,), network, embedding=4, memory=4), ppo=PPO(games=2, steps=2), evaluate_against=()
    )
    usual = Run.create(config, tmp_path / "a", game).learner.network.state_dict()
    request.getfixturevalue("hostile")
    found = Run.create(config, tmp_path / "b", game).learner.network.state_dict()
    assert all(torch.equal(found[name], value) and found[name].dtype == value.dtype for name, value in usual.items())


class Own(nn.Module):
    """A network that states no dtypes."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self.layer = nn.Linear(game.num_features, game.num_actions + 1)

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        found = self.layer(observation)
        return found[:, :-1], found[:, -1]


def test_a_custom_network_is_float32_and_loading_it_draws_no_random_numbers(tmp_path: Path, hostile: None) -> None:
    policy = train(Config(**{**vars(SMALL), "network": Network()}), tmp_path, game=GAME, network=Own, progress=False)
    assert next(policy.network.parameters()).dtype is torch.float32
    before = process()
    Policy.load(tmp_path, game=GAME, network=Own)
    assert process() == before


def test_agents_play_the_same_with_hostile_defaults(request: pytest.FixtureRequest) -> None:
    game = spygames.make_game("agent_avenue_v0")
    env = spygames.agent_avenue_v0.env()
    env.reset(seed=1)
    seen = env.observe(env.agent_selection)
    asked = seen["observation"], seen["action_mask"]

    def found() -> list[Any]:
        policy = Policy.load(f"{AGENT}@0.01")
        players = [make_player(game, f"{AGENT}@sample+search:4"), make_player(game, f"{AGENT}@0.02")]
        seeds = np.arange(2, dtype=np.uint64)
        returns = play_games(game, players, np.array([[0, 1], [1, 0]]), seeds, 3)
        measured = calibrate(Policy.load(AGENT), 8, 1)
        return [policy.probabilities(*asked), policy.value(asked[0]), returns.tolist(), measured]

    usual = found()
    request.getfixturevalue("hostile")
    now = found()
    assert all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in zip(usual, now, strict=True))


def test_an_agent_loaded_in_inference_mode_can_learn() -> None:
    with torch.inference_mode():
        network = Policy.load(AGENT).network
    logits, value = network(torch.zeros(1, network.num_features))
    (logits.sum() + value.sum()).backward()
    assert all(parameter.grad is not None for parameter in network.parameters())


def test_standings_and_pictures_are_the_same_with_hostile_defaults(tmp_path: Path, hostile: None) -> None:
    heat_map(["a$b$", "c_$d"], np.array([[np.nan, 1e-300], [1.0, np.nan]]), tmp_path / "one.svg", "x$y")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert ">a$b$<" in text
    assert ">c_$d<" in text
    before = dict(mpl.rcParams)
    with pytest.raises(OSError, match="disk"), picture(tmp_path / "two.png", 1, 1, (1, 1), 50):
        raise OSError("disk")
    assert not (tmp_path / "two.png").exists()
    assert dict(mpl.rcParams) == before
    assert maximal_lottery(np.array([[0.5, 1.0], [0.0, 0.5]])).tolist() == [1.0, 0.0]


def test_the_bridge_to_stable_baselines_accepts_float64_heads() -> None:
    """Heads that the library makes have the default dtype; the converted network is float32."""
    with doubled():
        env = SelfPlayVecEnv(GAME, 4, 1)
        buffer: dict[str, Any] = {"rollout_buffer_class": PerSeatRolloutBuffer, "rollout_buffer_kwargs": {"env": env}}
        model = MaskablePPO(
            "MlpPolicy", env, n_steps=8, batch_size=16, n_epochs=1, policy_kwargs=actor_critic_kwargs((8,)), **buffer
        )
        network = to_actor_critic(model.learn(32).policy)
    assert {parameter.dtype for parameter in network.parameters()} == {torch.float32}
