"""Fitting a policy's value to games of the policy against itself."""

from pathlib import Path

import pytest
import torch
from studies.calibration import calibrate
from studies.fit_value import Study, fit_value

from spygames import make_game
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.config import Network
from spygames_training.networks.actor_critic import ActorCritic, make_network
from tests.poker import kuhn

GAME = kuhn.make_game()


def biased() -> ActorCritic:
    """A random network whose value expects 0.5 chips too much."""
    torch.manual_seed(5)
    network = make_network(GAME, Network((16,)))
    with torch.no_grad():
        network.value.bias.fill_(1.0)
    return network


def test_the_value_is_right_afterwards_and_the_policy_is_the_same() -> None:
    policy, before = Policy(GAME, biased(), value_unit=2.0), biased().state_dict()
    assert calibrate(policy, 2000, 1).bias > 0.3
    fit_value(policy, 4000, 2)
    found = calibrate(policy, 2000, 1)
    assert abs(found.bias) < 0.05
    assert found.explained > 0.1  # the card that a seat holds says much
    changed = {name for name, tensor in policy.network.state_dict().items() if not torch.equal(tensor, before[name])}
    assert changed == {"value.weight", "value.bias"}


def test_the_checkpoint_keeps_its_history(tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0")
    save_checkpoint(
        tmp_path / "old", game, make_network(game, Network((4,))), 7, {"step": 7}, {"config": {"name": "old"}}
    )
    before = Policy.load(tmp_path / "old").digest
    assert Study(str(tmp_path / "old"), tmp_path / "new", games=8, seed=3).run() == 0
    found = load_checkpoint(tmp_path / "new")
    assert found.decisions == 7
    assert found.meta["results"] == {"step": 7}
    assert found.meta["extra"] == {
        "config": {"name": "old"},
        "value_fitted": {"games": 8, "seed": 3, "play": "sample", "digest_before": before},
    }


def test_a_policy_without_a_value_is_refused() -> None:
    network = make_network(GAME, Network((16,)))
    network.shaped = True
    with pytest.raises(ValueError, match="must have a value and no memory"):
        fit_value(Policy(GAME, network, name="shaped"), 10, 1)
    with pytest.raises(ValueError, match="games"):
        fit_value(Policy(GAME, make_network(GAME, Network((16,)))), 0, 1)
