"""Fitting a policy's value to games of the policy against itself."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from studies.calibration import calibrate
from studies.figures import FIGURES
from studies.fit_value import Study, fit_value, main
from studies.release_fit import release_fit

from spygames import make_game
from spygames.core.players.checkpoint_files import CONFIG, MODEL
from spygames_training.agents.bfloat16 import export_bfloat16
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


def test_the_value_is_fitted_in_the_unit_of_the_run() -> None:
    weights = []
    for unit in (1.0, 2.0):
        network = biased()
        torch.nn.init.zeros_(network.value.weight)
        torch.nn.init.zeros_(network.value.bias)
        fit_value(Policy(GAME, network, value_unit=unit), 200, 2)
        weights.append(network.value.weight.detach().numpy())
    assert np.abs(weights[0]).max() > 0.01
    np.testing.assert_allclose(weights[1], 2 * weights[0], rtol=1e-5)


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


def test_an_existing_folder_is_refused_before_the_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game, agent = make_game("agent_avenue_v0"), tmp_path / "agent"
    save_checkpoint(agent, game, make_network(game, Network((4,))), 7)
    before = {file: file.read_bytes() for file in agent.iterdir()}
    monkeypatch.setattr("studies.fit_value.fit_value", lambda *_: pytest.fail("it played games"))
    assert main([str(agent), "--out", str(agent)]) == 2
    assert f"{agent} already exists and is not an empty folder" in capsys.readouterr().err
    assert {file: file.read_bytes() for file in agent.iterdir()} == before
    assert main([f"{agent}@sample", "--out", str(tmp_path / "new")]) == 2
    assert f"{agent}@sample says how the agent plays: name the checkpoint alone, {agent}" in capsys.readouterr().err


def test_a_policy_without_a_value_is_refused() -> None:
    network = make_network(GAME, Network((16,)))
    network.shaped = True
    with pytest.raises(ValueError, match="must have a value and no memory"):
        fit_value(Policy(GAME, network, name="shaped"), 10, 1)
    with pytest.raises(ValueError, match="games"):
        fit_value(Policy(GAME, make_network(GAME, Network((16,)))), 0, 1)


def test_a_released_agent_gets_the_value_and_keeps_the_results_that_do_not_read_it(tmp_path: Path) -> None:
    game, agent, fitted = make_game("agent_avenue_v0"), tmp_path / "agent", tmp_path / "fitted"
    save_checkpoint(agent, game, make_network(game, Network((4,))), 7, {}, {})
    export_bfloat16(load_checkpoint(agent), agent)
    before, figures, record = Policy.load(agent).digest, agent / FIGURES, tmp_path / "ladder.md"
    plain, searching = ({"results": [{"challenger": name}], "digest": before} for name in ("x@argmax", "x+search:64"))
    learner = {"curve": [[1, 0.5]]}
    measured = {"evaluations": [plain, searching], "adversaries": [learner, {"curve": []}]}
    measured |= {"calibration": {}, "calibration_by_argmax": {}}
    figures.write_text(json.dumps({"digest": before, **measured}))
    record.write_text(f"x {before}")
    with pytest.raises(ValueError, match="was not fitted from"):
        release_fit(agent, "x", agent, [record])

    assert Study(str(agent), fitted, games=8, seed=3).run() == 0
    assert release_fit(agent, "x", fitted, [record, figures]) == [record, figures, agent / CONFIG, agent / MODEL]
    after = Policy.load(agent).digest
    assert after != before
    assert record.read_text() == f"x {after}"
    kept = {"evaluations": [{**plain, "digest": after}], "adversaries": [learner]}
    assert json.loads(figures.read_text()) == {"digest": after, **kept}


def test_a_record_with_a_search_and_another_policy_are_refused(tmp_path: Path) -> None:
    game, agent, fitted = make_game("agent_avenue_v0"), tmp_path / "agent", tmp_path / "fitted"
    save_checkpoint(agent, game, make_network(game, Network((4,))), 7, {}, {})
    (agent / FIGURES).write_text(json.dumps({"evaluations": [], "adversaries": []}))
    before, record = Policy.load(agent).digest, tmp_path / "ladder.jsonl"
    record.write_text(json.dumps({"block": {"players": [{"name": "x+search:64", "digest": before}]}}) + "\n")
    assert Study(str(agent), fitted, games=8, seed=3).run() == 0
    with pytest.raises(ValueError, match="more than the value"):  # its weights were not rounded to bfloat16
        release_fit(agent, "x", fitted, [])
    export_bfloat16(load_checkpoint(agent), agent)
    again = tmp_path / "again"
    assert Study(str(agent), again, games=8, seed=3).run() == 0
    with pytest.raises(ValueError, match=r"ladder.jsonl has games of x with a search"):
        release_fit(agent, "x", again, [record])
    assert before in record.read_text()
