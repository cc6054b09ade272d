"""Custom networks learn, resume and play like the package's networks; files alone never load their code."""

import copy
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from spygames import make_game
from spygames.core.game.game import Game
from spygames_training import Network, Policy, Run, load_checkpoint, train
from spygames_training.agents.checkpoint import CheckpointError
from spygames_training.agents.policy import load_player
from spygames_training.networks.actor_critic import make_network
from spygames_training.runs.state_file import StateError
from spygames_training.search.network_model import NetworkModel
from tests.training.runs.test_run import SMALL, weights

GAME = make_game("agent_avenue_v0")
OWN = replace(SMALL, network=Network())


class Wide(nn.Module):
    """A network with both heads on one layer."""

    def __init__(self, game: Game, width: int = 24, bend: Callable[[Tensor], Tensor] = torch.relu) -> None:
        super().__init__()
        self.first = nn.Linear(game.num_features, width)
        self.policy, self.value = nn.Linear(width, game.num_actions), nn.Linear(width, 1)
        self.bend = bend

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        found = self.bend(self.first(observation))
        return self.policy(found), self.value(found)  # the value as [n, 1]


def module_of(network: Any) -> Any:
    """Return the user's module inside a custom network."""
    return network.trunk.module


def narrow(game: Game) -> nn.Module:
    return Wide(game, 8)


def bent(game: Game) -> nn.Module:
    return Wide(game, bend=torch.tanh)


def test_the_packages_network_as_a_custom_one_learns_the_same(tmp_path: Path) -> None:
    """Equal up to rounding: its heads are computed separately, and sums of another shape may be rounded differently."""

    def same(game: Game) -> nn.Module:
        return make_network(game, SMALL.network)

    theirs = weights(Run.create(OWN, tmp_path / "own", network=same).train(progress=False))
    ours = weights(Run.create(SMALL, tmp_path / "plain").train(progress=False))
    assert {name.removeprefix("trunk.module.") for name in theirs} == ours.keys()
    for name, value in ours.items():
        torch.testing.assert_close(theirs[f"trunk.module.{name}"], value, rtol=1e-3, atol=1e-4)


def test_a_module_a_function_and_a_text_can_be_networks(tmp_path: Path) -> None:
    """A module keeps its weights, and the passed object is not changed; the others draw their weights by the seed."""
    torch.manual_seed(5)
    module = Wide(GAME)
    before = copy.deepcopy(module.state_dict())
    run = Run.create(OWN, tmp_path / "module", network=module)
    for name, tensor in before.items():
        assert torch.equal(run.learner.network.state_dict()[f"trunk.module.{name}"], tensor)
    run.update()
    assert all(torch.equal(module.state_dict()[name], tensor) for name, tensor in before.items())
    runs = {
        name: Run.create(replace(OWN, seed=seed), tmp_path / name, network=network)
        for name, seed, network in (
            ("class", 0, Wide),
            ("again", 0, Wide),
            ("text", 0, "python:tests.training.networks.test_custom.Wide"),
            ("other", 1, Wide),
        )
    }
    drawn = {name: module_of(run.learner.network).first.weight for name, run in runs.items()}
    assert torch.equal(drawn["class"], drawn["again"])
    assert torch.equal(drawn["class"], drawn["text"])
    assert not torch.equal(drawn["class"], drawn["other"])


def test_an_agent_is_loaded_only_with_its_network(tmp_path: Path) -> None:
    policy = train(OWN, tmp_path / "own", network=Wide, progress=False)
    batch = Run.create(OWN, tmp_path / "other", network=Wide).rollouts[0].batch
    seen = batch.observation, batch.mask
    loaded = Policy.load(tmp_path / "own", network=Wide(GAME))
    np.testing.assert_array_equal(loaded.probabilities(*seen), policy.probabilities(*seen))
    np.testing.assert_array_equal(loaded.value(seen[0]), policy.value(seen[0]))
    actions = load_player(GAME, tmp_path / "own", "argmax", Wide).policy.act(*seen)
    np.testing.assert_array_equal(actions, policy.probabilities(*seen).argmax(1))
    plain = Run.create(SMALL, tmp_path / "plain")
    plain.save()
    for folder, network, message in (
        ("own", None, r"has a custom network, Wide: .* Policy\.load\(path, network=Wide\)"),
        ("own", narrow, r"does not match the network .*: 'trunk\.module\.first\.weight'"),
        ("own", bent, "the network bent must be the one that the weights were saved with"),
        ("plain", Wide, r"has a network of this package \(mlp\): do not pass"),
    ):
        with pytest.raises(CheckpointError, match=message):
            load_checkpoint(tmp_path / folder, network=network)


def test_no_file_names_code_that_is_run(tmp_path: Path) -> None:
    """Neither as the network's name nor as a setting."""
    train(OWN, tmp_path, network=Wide, progress=False)
    file = tmp_path / "checkpoint" / "config.json"
    meta = json.loads(file.read_text())
    meta["network"]["name"] = "python:tests.training.networks.test_custom.Wide"
    file.write_text(json.dumps(meta))
    with pytest.raises(CheckpointError, match="has a custom network"):
        load_checkpoint(tmp_path)
    with pytest.raises(ValueError, match=r"network\.kind must be mlp, entities or recurrent"):
        Network(kind="python:tests.training.networks.test_custom.Wide")  # type: ignore[arg-type]


@pytest.mark.parametrize("answers", [None, [], [0.5] * (GAME.num_actions + 1), ["x"] * (GAME.num_actions + 1), {}])
def test_damaged_answers_are_refused(tmp_path: Path, answers: Any) -> None:
    run = Run.create(OWN, tmp_path, network=Wide)
    run.save()
    file = tmp_path / "checkpoint" / "config.json"
    meta = json.loads(file.read_text())
    meta["network"]["answers"] = answers
    file.write_text(json.dumps(meta))
    with pytest.raises(CheckpointError, match="must be the one that the weights were saved with"):
        load_checkpoint(tmp_path, network=Wide)


def test_a_run_resumes_only_with_the_same_network(tmp_path: Path) -> None:
    whole = weights(Run.create(OWN, tmp_path / "whole", network=Wide).train(progress=False))
    run = Run.create(OWN, tmp_path / "run", network=Wide)
    run.update()
    run.save()
    other = type("Wide", (Wide,), {"__init__": lambda self, game: Wide.__init__(self, game, bend=torch.tanh)})
    other.__qualname__ = "Wide"
    before = {path.name: path.read_bytes() for path in tmp_path.glob("run/*") if path.is_file()}
    for network, message in (
        (None, r"state\.safetensors: the run was saved with the custom network Wide: pass it$"),
        (narrow, "saved with the custom network Wide: pass it, not narrow"),
        (other, "the network Wide must be the one that the weights were saved with"),
    ):
        with pytest.raises(StateError, match=message):
            Run.resume(tmp_path / "run", network=network)
    assert {path.name: path.read_bytes() for path in tmp_path.glob("run/*") if path.is_file()} == before
    parts = weights(Run.resume(tmp_path / "run", network=Wide).train(progress=False))
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    plain = Run.create(SMALL, tmp_path / "plain")
    plain.save()
    with pytest.raises(StateError, match=r"saved without a custom network.*Wide"):
        Run.resume(tmp_path / "plain", network=Wide)


def test_a_run_begins_from_an_agent_of_the_same_network(tmp_path: Path) -> None:
    policy = train(OWN, tmp_path / "first", network=Wide, progress=False)
    further = replace(OWN, start_from=str(tmp_path / "first"))
    run = Run.create(further, tmp_path / "second", network=Wide)
    for name, tensor in policy.network.state_dict().items():
        assert torch.equal(run.learner.network.state_dict()[name], tensor)
    shutil.rmtree(tmp_path / "second", ignore_errors=True)
    with pytest.raises(ValueError, match="has a custom network, Wide"):
        Run.create(replace(further, network=SMALL.network), tmp_path / "second")
    assert not (tmp_path / "second").exists()


def test_a_search_uses_it(tmp_path: Path) -> None:
    run = Run.create(OWN, tmp_path, network=Wide)
    batch = run.rollouts[0].batch
    model = NetworkModel(GAME, run.learner.network)
    views = batch.observation.view(GAME.view_dtype)[:, 0]
    logits, values = model.ask(views, batch.mask, np.zeros((len(views), 1), np.uint64))
    with torch.no_grad():
        expected = run.learner.network(torch.from_numpy(batch.observation))
    np.testing.assert_allclose(logits, expected[0].numpy(), rtol=1e-4, atol=1e-4)
    assert values is not None
    np.testing.assert_allclose(values, expected[1].numpy(), rtol=1e-4, atol=1e-4)


class Faulty(Wide):
    """A network with the fault that `fault` introduces."""

    def __init__(self, game: Game, fault: Callable[["Faulty"], Any]) -> None:
        super().__init__(game)
        self.answer: Callable[[Tensor, Tensor, Tensor], Any] = lambda observation, logits, value: (logits, value)
        fault(self)

    def forward(self, observation: Tensor) -> Any:
        return self.answer(observation, *super().forward(observation))


def answering(answer: Callable[[Tensor, Tensor, Tensor], Any]) -> Callable[[Faulty], None]:
    return lambda network: setattr(network, "answer", answer)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (answering(lambda o, logits, value: logits), r"must give logits \[n, 74\] and value \[n\] .*, not Tensor"),
        (answering(lambda o, logits, value: (logits[:, 1:], value)), r"not \[5, 73\] and \[5, 1\] for n = 5"),
        (answering(lambda o, logits, value: (logits, logits)), r"not \[5, 74\] and \[5, 74\]"),
        (answering(lambda o, logits, value: (logits / 0, value)), "must give finite numbers"),
        (answering(lambda o, logits, value: 1 / 0), "failed: ZeroDivisionError: division by zero"),
        (
            answering(lambda o, logits, value: (logits - logits.mean(), value)),
            "for the same observation in another batch",
        ),
        (answering(lambda o, logits, value: (logits, o[:, 0])), "parameter value.weight that its outputs do not use"),
        (
            lambda network: network.first.requires_grad_(False),
            "parameter first.weight that its outputs do not use or that is frozen",
        ),
        (lambda network: network.register_buffer("count", torch.zeros(2, dtype=torch.int64)), "has count in int64"),
        (lambda network: network.double(), "failed: RuntimeError"),
        (lambda network: setattr(network, "bend", nn.Dropout(0.5)), "different outputs in training mode"),
        (
            lambda network: setattr(network, "bend", nn.BatchNorm1d(24)),
            "different outputs in training mode, as with .* BatchNorm",
        ),
        (
            lambda network: setattr(network, "bend", nn.BatchNorm1d(24, track_running_stats=False)),
            "failed: ValueError: Expected more than 1 value",
        ),
    ],
)
def test_a_module_that_cannot_learn_is_refused(tmp_path: Path, fault: Callable[[Faulty], Any], message: str) -> None:
    def faulty(game: Game) -> nn.Module:
        return Faulty(game, fault)

    with pytest.raises(ValueError, match=f"^the network .*faulty .*{message}") as caught:
        Run.create(OWN, tmp_path / "run", network=faulty)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (3, "network must be a torch module .*, not 3"),
        (lambda game: "deep", "must make a torch module for agent_avenue_v0, not 'deep'"),
        (lambda game: 1 / 0, "could not be made: ZeroDivisionError"),
        (lambda game: nn.Flatten(), r"must give logits .*, not Tensor"),
        ("Wide", "'Wide' must name a module and a function or class in it"),
        ("python:nowhere.Wide", "the module nowhere cannot be imported"),
    ],
)
def test_invalid_networks_are_refused(tmp_path: Path, network: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Run.create(OWN, tmp_path / "run", network=network)
    assert not (tmp_path / "run").exists()


def test_settings_of_the_packages_networks_are_refused(tmp_path: Path) -> None:
    for network, name in ((Network((16,)), "hidden"), (Network(critic="all"), "critic")):
        with pytest.raises(ValueError, match=f"network.{name} has no effect on a custom network"):
            Run.create(replace(OWN, network=network), tmp_path / "run", network=Wide)


def test_shared_weights_stay_shared(tmp_path: Path) -> None:
    class Tied(Wide):
        def __init__(self, game: Game) -> None:
            super().__init__(game)
            self.middle = nn.Linear(24, 24)
            self.more = self.middle

        def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
            found = torch.relu(self.more(torch.relu(self.middle(self.first(observation)))))
            return self.policy(found), self.value(found)

    exact = replace(OWN, ppo=replace(OWN.ppo, precision="float32"))  # rounding of a shared weight is not reproducible
    whole = train(exact, tmp_path / "whole", network=Tied, progress=False)
    run = Run.create(exact, tmp_path / "run", network=Tied)
    run.update()
    run.save()
    parts = Run.resume(tmp_path / "run", network=Tied).train(progress=False)
    assert all(torch.equal(value, parts.state_dict()[name]) for name, value in whole.network.state_dict().items())
    assert module_of(whole.network).more is module_of(whole.network).middle
