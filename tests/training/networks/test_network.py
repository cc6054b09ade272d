"""The available networks: what each part may see, and what is saved."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
import torch

import spygames
from spygames.core.game.game import Game, as_record, flat
from spygames.core.players.names import make_player
from spygames.core.playing.batch import Batch
from spygames_training.agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.config import PPO, Config, Network, StoredNetwork
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.networks.trunks import EntityTrunk, entities
from spygames_training.ppo.learner import Learner
from spygames_training.ppo.rollout import Rollout
from spygames_training.runs.run import Run
from tests.poker import kuhn, leduc

GAMES = ("agent_avenue_v0", "heimlich_v0", "agent_dog_v0")


def played(game: Game, n: int, steps: int) -> Batch:
    """Return a batch of games after some random decisions."""
    batch, rng = Batch(game, n, 1, threads=1), np.random.default_rng(2)
    for _ in range(steps):
        batch.step((rng.random(batch.mask.shape) * batch.mask).argmax(axis=1))
    return batch


def small_network(game: Game, **settings: Any) -> ActorCritic:
    torch.manual_seed(3)
    return make_network(game, Network((32,), **settings))


def all_views(batch: Batch) -> np.ndarray:
    out = np.zeros((batch.n, batch.game.num_players, batch.game.num_features), np.float32)
    batch.observe_all(out)
    return out


@pytest.mark.parametrize("name", GAMES)
def test_all_views_are_ordered_from_the_mover_on(name: str) -> None:
    game = spygames.make_game(name)
    batch = played(game, 20, 30)
    views = all_views(batch)
    np.testing.assert_array_equal(views[:, 0], batch.observation)
    for i in range(batch.n):
        for k in range(game.num_players):
            view = game.new_views()
            game.observe(as_record(batch.states, i), (int(batch.seats[i]) + k) % game.num_players, as_record(view))
            np.testing.assert_array_equal(views[i, k], view.view(np.float32))


@pytest.mark.parametrize("name", GAMES)
def test_the_critic_sees_hidden_information_and_the_actor_does_not(name: str) -> None:
    """If everything that the mover cannot know is redrawn, the logits stay the same to the byte."""
    game = spygames.make_game(name)
    network = small_network(game, critic="all")
    batch = played(game, 50, 30)
    other = played(game, 50, 30)
    for i in range(other.n):
        game.determinize(as_record(other.states, i), int(other.seats[i]), np.uint64(77 + i))
    other.resume(other.states.copy(), other.seeds)
    outputs = []
    for each in (batch, other):
        with torch.inference_mode():
            outputs.append(network(torch.from_numpy(each.observation), torch.from_numpy(all_views(each)).flatten(1)))
    (logits, values), (other_logits, other_values) = outputs
    assert logits.numpy().tobytes() == other_logits.numpy().tobytes()
    assert (values != other_values).float().mean() > 0.5


def test_a_critic_that_sees_all_requires_all_views() -> None:
    game = kuhn.make_game()
    with pytest.raises(ValueError, match="views of all seats"):
        small_network(game, critic="all")(torch.zeros(1, game.num_features))


def test_the_saved_agent_has_the_value_of_its_own_view(tmp_path: Path) -> None:
    game = spygames.make_game("heimlich_v0")
    network = small_network(game, critic="all")
    save_checkpoint(tmp_path / "agent", game, network, 5)
    found = load_checkpoint(tmp_path / "agent")
    parts = {f"{part}.{name}" for part in ("trunk.0", "policy", "value") for name in ("weight", "bias")}
    assert set(found.network.state_dict()) == parts
    assert found.meta["network"] == {"kind": "mlp", "hidden": [32]}
    batch = played(game, 20, 10)
    own, loaded = Policy(game, network), Policy.load(tmp_path / "agent")
    np.testing.assert_array_equal(
        own.probabilities(batch.observation, batch.mask), loaded.probabilities(batch.observation, batch.mask)
    )
    np.testing.assert_array_equal(own.value(batch.observation), loaded.value(batch.observation))


def test_an_agent_saved_without_a_critic_has_no_value(tmp_path: Path) -> None:
    game = kuhn.make_game()
    torch.manual_seed(3)
    save_checkpoint(tmp_path / "agent", game, make_network(game, StoredNetwork((8,), critic="none")), 5)
    found = load_checkpoint(tmp_path / "agent", game)
    assert found.meta["network"] == {"kind": "mlp", "hidden": [8], "critic": "none"}
    with pytest.raises(ValueError, match="without a critic"):
        found.network(torch.zeros(1, game.num_features))
    with pytest.raises(ValueError, match=r"^agent@sample has no value: its checkpoint"):
        Policy.load(tmp_path / "agent", game=game).value(np.zeros(game.num_features))
    with pytest.raises(ValueError, match=r"agent@sample has no value, which a search needs: its checkpoint"):
        make_player(game, f"{tmp_path / 'agent'}+search:8")


def updated(own: float) -> dict[str, torch.Tensor]:
    """Return the weights after two updates on Kuhn poker; the weights of the own view's value begin as `own`."""
    game, ppo = kuhn.make_game(), PPO(games=8, steps=16, minibatch=32, precision="float32")
    torch.manual_seed(4)
    network = make_network(game, Network((16,), critic="all"))
    torch.nn.init.constant_(network.own.weight, own)
    learner, rollouts = Learner(network, ppo, 1, seed=1), [Rollout(game, 8, 16, seed=2)]
    for _ in range(2):
        learner.play(rollouts)
        learner.update(rollouts, 1.0)
    return {k: v.clone() for k, v in network.state_dict().items()}


def test_learning_the_value_of_the_own_view_changes_nothing_else() -> None:
    one, other = updated(0.0), updated(1.0)
    for name in one:
        assert torch.equal(one[name], other[name]) != name.startswith("own."), name
    assert one["own.weight"].abs().sum() > 0


def leduc_run(folder: Path, critic: Literal["own", "all"]) -> tuple[Run, float]:
    """Train a short run on Leduc poker; return it and the final explained variance of its critic."""
    ppo = PPO(games=128, steps=16, minibatch=256, learning_rate=2e-3, precision="float32", reward_scale=0.1)
    config = Config(
        decisions=150_000, network=Network((32,), critic=critic), ppo=ppo, evaluate_against=(), save_every=1e9
    )
    run = Run.create(config, folder / critic, game=leduc.make_game())
    return run, float(np.mean([run.update()["explained_variance"] for _ in range(24)][-6:]))


@pytest.fixture(scope="module")
def sees_all(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, float]:
    """A run whose critic sees all, and its explained variance."""
    return leduc_run(tmp_path_factory.mktemp("leduc"), "all")


def test_the_value_of_the_own_view_predicts_the_result(sees_all: tuple[Run, float]) -> None:
    """On Leduc poker, in new decisions, it is better than their mean."""
    run, _ = sees_all
    rollout = Rollout(run.game, 256, 64, seed=9)
    rollout.play(run.learner.ema, run.config.ppo)
    t = rollout.trajectories
    targets = (t.values + t.advantages)[t.valid]
    found = np.asarray(Policy(run.game, run.learner.ema).value(t.observation[:-1][t.valid]))
    assert np.mean((found - targets) ** 2) < 0.95 * targets.var()


def test_a_critic_that_sees_all_explains_more(sees_all: tuple[Run, float], tmp_path: Path) -> None:
    assert sees_all[1] > leduc_run(tmp_path, "own")[1] + 0.1


def test_a_rollout_keeps_the_views_of_all_seats() -> None:
    game = kuhn.make_game()
    rollout = Rollout(game, 8, 4, seed=0)
    rollout.play(small_network(game, critic="all"), PPO(precision="float32"))
    played = rollout.trajectories
    assert played.views is not None
    assert played.views.shape == (4, 8, 2 * game.num_features)
    np.testing.assert_array_equal(played.views[:, :, : game.num_features].numpy(), played.observation[:4])


@pytest.mark.parametrize("name", GAMES)
def test_entities_are_read_from_their_fields(name: str) -> None:
    """Each number of a flat view that belongs to an entity is in that entity's row and nowhere else."""
    game = spygames.make_game(name)
    views = game.new_views()
    flat(views)[:] = np.arange(game.num_features)
    found = entities(game)
    named = [[f for f in fields if f in (views.dtype.names or ())] for fields in game.entities.values()]
    for places, fields in zip(found, [fields for fields in named if fields], strict=True):
        assert len(np.unique(places)) == places.size == sum(views[f].size for f in fields)
        for f in fields:
            array = views[f][0]
            axis = array.shape.index(len(places))
            for thing, row in enumerate(places):
                assert set(array.take(thing, axis).ravel()) <= set(row)


def test_attention_is_equivariant_for_entities_of_a_kind() -> None:
    """Reordered agents give the same tokens in that order, as long as no learned embedding tells them apart."""
    game = spygames.make_game("heimlich_v0")
    trunk = small_network(game, kind="entities").trunk
    assert isinstance(trunk, EntityTrunk)
    (agents,) = entities(game)
    order = np.random.default_rng(0).permutation(len(agents))
    observation = torch.from_numpy(played(game, 20, 30).observation)
    other = observation.clone()
    other[:, torch.from_numpy(agents.ravel())] = observation[:, torch.from_numpy(agents[order].ravel())]
    with torch.inference_mode():
        torch.testing.assert_close(trunk.tokens(other), trunk.tokens(observation)[:, torch.from_numpy(order)])
        assert not torch.allclose(trunk.tokens(other), trunk.tokens(observation))
        trunk.which.data[0] += 1.0
        assert not torch.allclose(trunk.tokens(other), trunk.tokens(observation)[:, torch.from_numpy(order)])


@pytest.mark.parametrize("settings", [{"kind": "entities"}, {"kind": "entities", "critic": "all"}], ids=str)
def test_every_kind_loads_from_its_checkpoint(tmp_path: Path, settings: dict[str, Any]) -> None:
    game = spygames.make_game("heimlich_v0")
    network = small_network(game, embedding=8, **settings)
    save_checkpoint(tmp_path / "agent", game, network, 5)
    batch = played(game, 20, 10)
    own, loaded = Policy(game, network), Policy.load(tmp_path / "agent")
    np.testing.assert_array_equal(
        own.probabilities(batch.observation, batch.mask), loaded.probabilities(batch.observation, batch.mask)
    )


def test_changed_entities_are_refused(tmp_path: Path) -> None:
    game = spygames.make_game("heimlich_v0")
    save_checkpoint(tmp_path / "agent", game, small_network(game, kind="entities"), 5)
    with pytest.raises(CheckpointError, match="other entities"):
        load_checkpoint(tmp_path / "agent", replace(game, entities={"agents": ("score", "position")}))


def test_a_game_without_entities_is_refused() -> None:
    with pytest.raises(ValueError, match=r"network\.kind must not be entities"):
        small_network(kuhn.make_game(), kind="entities")
