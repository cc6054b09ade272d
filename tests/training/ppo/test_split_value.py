"""A separate value for games with bots (`network.values = "split"`)."""

import warnings
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch

from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import make_player
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.ppo.league import League
from spygames_training.ppo.learner import Learner
from spygames_training.ppo.losses import Weights
from spygames_training.ppo.minibatch import Minibatches
from spygames_training.ppo.rollout import Rollout
from spygames_training.ppo.seating import is_network
from spygames_training.runs.run import Run
from spygames_training.runs.warm_start import start_from
from tests.poker import leduc

GAME = leduc.make_game()
SMALL = PPO(games=32, steps=16, minibatch=64, precision="float32", reward_scale=0.1)


def make(**settings: Any) -> ActorCritic:
    torch.manual_seed(3)
    return make_network(GAME, Network((16,), **settings))


def played(network: ActorCritic) -> Rollout:
    """Play 32 games: 16 of self-play, 8 against a bot and 8 against a snapshot of the network."""
    league = League(GAME, Opponents(share=0.5, bots=("random",), snapshots=1))
    league.add_snapshot(network)
    rollout = Rollout(GAME, 32, 16, seed=3, share=0.5)
    rollout.opponents.join(league)
    rollout.play(network, SMALL)
    return rollout


@pytest.mark.parametrize("critic", ["own", "all"])
def test_games_with_bots_have_their_own_value(critic: Literal["own", "all"]) -> None:
    network = make(values="split", critic=critic)
    rollout = played(network)
    t, controller = rollout.trajectories, rollout.opponents.controller
    last = (np.cumsum(t.done[::-1], axis=0)[::-1]) == 0  # decisions of games that are still being played
    np.testing.assert_array_equal(
        t.with_bots[last], np.tile((np.pad(controller, ((0, 16), (0, 0))) == 1).any(1), (16, 1))[last]
    )
    assert t.with_bots[:, :16].any()
    assert not t.with_bots[:, :16].all()
    inputs = t.shown if t.views is None else t.views.flatten(0, 1)
    seen = network.trunk(inputs) if network.critic is None else network.critic(inputs)
    with torch.inference_mode():
        both = [head(seen).numpy().reshape(16, 32) for head in (network.value, network.value_with_bots)]
    assert np.abs(both[0] - both[1]).min() > 1e-4  # otherwise the next line shows nothing
    np.testing.assert_allclose(t.values, np.where(t.with_bots, both[1], both[0]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("critic", ["own", "all"])
def test_each_value_learns_from_its_own_games(critic: Literal["own", "all"]) -> None:
    """The gradient of each value head is that of the squared error in its own games."""
    network = make(values="split", critic=critic)
    rollout = played(network)
    data = Minibatches.of(rollout.trajectories, 0)
    rows = np.arange(0, data.units, 2)
    learner = Learner(network, SMALL, 1, seed=0)
    learner._gradient(network, data, rows, Weights(0.2, 0.5, 0.1, 0.1), np.zeros(6), np.zeros((2, 0)))
    learner.close()
    with torch.no_grad():
        features, views = data.features(network, rows, None, learner.compute)
        seen = features if network.critic is None else network.critic(views)
        targets, with_bots = torch.from_numpy(data.taken.targets[rows]), data.with_bots[rows]
        heads = {"value": (seen, ~with_bots), "value_with_bots": (seen, with_bots)}
        if critic == "all":
            heads["own"] = (features, ~with_bots)
        for name, (inputs, own) in heads.items():
            head = getattr(network, name)
            errors = (head(inputs).squeeze(-1) - targets) * own
            expected = 0.5 * (errors[:, None] * inputs).mean(0, keepdim=True)
            assert expected.abs().max() > 1e-4
            torch.testing.assert_close(head.weight.grad, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("critic", ["own", "all"])
def test_the_saved_agent_has_the_value_of_games_without_bots(critic: Literal["own", "all"], tmp_path: Path) -> None:
    network, one = make(values="split", critic=critic), make(critic=critic)
    for name, weights in one.state_dict().items():  # nothing else about the network changes
        assert torch.equal(weights, network.state_dict()[name]), name
    assert {*network.state_dict()} - {*one.state_dict()} == {"value_with_bots.weight", "value_with_bots.bias"}
    for folder, each in (("split", network), ("one", one)):
        save_checkpoint(tmp_path / folder, GAME, each, 5)
    found = [load_checkpoint(tmp_path / folder, GAME) for folder in ("split", "one")]
    assert found[0].meta["weights"]["sha256"] == found[1].meta["weights"]["sha256"]
    assert found[0].meta["network"] == found[1].meta["network"]
    observation = torch.rand(5, GAME.num_features).numpy()
    np.testing.assert_array_equal(Policy(GAME, network).value(observation), Policy(GAME, one).value(observation))


def test_agents_and_mixtures_of_agents_are_networks(tmp_path: Path) -> None:
    policy = PolicyPlayer(Policy(GAME, make()))
    bot = make_player(GAME, "random")
    assert is_network(policy)
    assert is_network(MixturePlayer(GAME, [policy, policy]))
    assert not is_network(bot)
    assert not is_network(MixturePlayer(GAME, [policy, bot]))
    save_checkpoint(tmp_path / "agent", GAME, make(), 5)
    network, agent = Network((16,), values="split"), str(tmp_path / "agent")
    for bots, warned in (((agent,), True), ((agent, "random"), False)):
        opponents = Opponents(0.5, bots)
        config = Config(network=network, ppo=SMALL, workers=1, opponents=opponents, evaluate_against=())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            Run.create(config, tmp_path / bots[-1].replace("/", "_"), game=GAME).close()
        assert (
            any("without effect: no game is against a scripted player" in str(each.message) for each in caught)
            == warned
        )


@pytest.mark.parametrize(
    ("opponents", "warned"),
    [
        (Opponents(0.5, ("random",)), False),
        (Opponents(0.5, ("random",), temperature=0.5), False),
        (Opponents(0.0, ("random",), temperature=0.5), True),
        (Opponents(0.0, snapshots=2), False),
    ],
)
def test_a_temperature_that_nobody_meets_gets_a_warning(opponents: Opponents, warned: bool, tmp_path: Path) -> None:
    config = Config(network=Network((16,)), ppo=SMALL, workers=1, opponents=opponents, evaluate_against=())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Run.create(config, tmp_path / "run", game=GAME).close()
    line = "opponents.bots and opponents.temperature without effect: no game is against a scripted player"
    assert any(line in str(each.message) for each in caught) == warned


def test_both_values_start_from_that_of_a_checkpoint(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "agent", GAME, make(), 5)
    network = make(values="split")
    torch.nn.init.zeros_(network.value.weight)
    learner = Learner(network, SMALL, 1, seed=0)
    learner.close()
    start_from(tmp_path / "agent", GAME, learner, 0.5)
    for each in (learner.network, learner.ema, learner.reference):
        for head in (each.value, each.value_with_bots):
            torch.testing.assert_close(head.weight, make().value.weight * 0.5)


def test_a_run_needs_games_without_bots(tmp_path: Path) -> None:
    network, bots = Network((16,), values="split"), ("random",)
    wrong = r"network\.values must be one if every game has one of opponents[.]bots, not 'split'"
    for share in (1.0, 0.99):  # of 32 games, none remains
        with pytest.raises(ValueError, match=wrong):
            Config(network=network, ppo=SMALL, workers=1, opponents=Opponents(share, bots))
    Config(network=network, ppo=SMALL, workers=1, opponents=Opponents(1.0, bots, snapshots=1))
    config = Config(network=network, ppo=SMALL, workers=1, opponents=Opponents(0.5, bots), evaluate_against=())
    run = Run.create(config, tmp_path, game=GAME)
    before = run.learner.network.value_with_bots.weight.clone()
    run.update()
    run.close()
    assert not torch.equal(run.learner.network.value_with_bots.weight, before)
