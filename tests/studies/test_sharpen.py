"""Making an agent that plays closer to its likeliest action."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from studies import join_agents
from studies.card_page import card
from studies.sharpen import Study, main, sharpen

from spygames import make_game
from spygames_training.agents.checkpoint import load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.config import PPO, Config, Network
from spygames_training.networks.actor_critic import make_network
from spygames_training.runs.run import Run
from tests.poker import kuhn

GAME = kuhn.make_game()


def test_sampled_it_plays_as_the_old_agent_at_that_temperature() -> None:
    torch.manual_seed(4)
    network = make_network(GAME, Network((16,)))
    with torch.no_grad():
        network.policy.weight.normal_()
        network.policy.bias.normal_()
    view, mask = np.random.default_rng(1).random(GAME.num_features, np.float32), np.ones(GAME.num_actions, bool)
    views = torch.rand(50, GAME.num_features)
    before, value = Policy(GAME, network, "0.25").probabilities(view, mask), network(views)[1]
    likeliest = network(views)[0].argmax(1)
    sharpen(network, 0.25)
    np.testing.assert_allclose(Policy(GAME, network).probabilities(view, mask), before, rtol=0, atol=1e-5)
    assert not np.allclose(Policy(GAME, network).probabilities(view, mask), 1 / GAME.num_actions, atol=0.05)
    torch.testing.assert_close(network(views)[1], value)
    assert torch.equal(network(views)[0].argmax(1), likeliest)


@pytest.mark.parametrize("temperature", [0.0, 1.0, -1.0, 5e-324, float("nan")])
def test_a_temperature_that_does_not_sharpen_is_refused(
    temperature: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["agent_avenue/simple-2", "--out", str(out), "--temperature", str(temperature)]) == 2
    assert f"temperature must be above 0 and below 1, not {temperature}" in capsys.readouterr().err
    assert not out.exists()


def test_the_records_say_that_an_agent_was_sharpened(tmp_path: Path) -> None:
    config = Config(decisions=64, network=Network((4,)), ppo=PPO(games=8, steps=8, minibatch=64), evaluate_against=())
    first, sharp, second, other, mean, blunt, last = (tmp_path / name for name in "abcdefg")
    Run.create(config, first).train()
    assert Study(str(first), sharp, temperature=0.8).run() == 0
    assert Study(str(sharp), tmp_path / "twice").run() == 0
    assert load_checkpoint(tmp_path / "twice").meta["extra"]["sharpened"] == {"temperature": 0.4}
    assert "- **policy**: its logits were then divided by 0.8: sampled" in card(load_checkpoint(sharp), "mine")
    Run.create(replace(config, start_from=str(sharp)), second).train()
    Run.create(replace(config, start_from=str(sharp), seed=2), other).train()
    assert join_agents.Study(str(second), str(other), blunt, how="mean").run() == 0
    assert Study(str(blunt), mean).run() == 0
    assert "- **policy**: its logits were then divided by 0.5: sampled" in card(load_checkpoint(mean), "mine")
    Run.create(replace(config, start_from=str(mean)), last).train()
    text = card(load_checkpoint(last), "mine")
    assert re.findall(r"^    (.*) --out (runs/[0-9]+)$", text, re.MULTILINE) == [
        ("spygames train --config 1.toml", "runs/1"),
        ("python -m studies.sharpen runs/1 --temperature 0.8", "runs/2"),
        ("spygames train --config 3.toml", "runs/3"),
        ("spygames train --config 4.toml", "runs/4"),
        ("python -m studies.join_agents runs/3 runs/4 --how mean", "runs/5"),
        ("python -m studies.sharpen runs/5 --temperature 0.5", "runs/6"),
        ("spygames train --config 7.toml", "runs/7"),
    ]
    assert text.count('start_from = "runs/2"') == 2
    assert 'start_from = "runs/6"' in text


def test_an_agent_with_a_fitted_value_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = make_game("agent_avenue_v0")
    save_checkpoint(tmp_path / "old", game, make_network(game, Network((4,))), 7, {}, {"value_fitted": {"games": 8}})
    assert main([str(tmp_path / "old"), "--out", str(tmp_path / "new")]) == 2
    assert "has a value fitted to its games: sharpen first, then fit the value" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()
