"""The RLlib bridge: the same games, only legal actions, per-seat rewards, frozen opponents, and two nodes."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spygames.core.envs.aec import GameEnv
from spygames.core.game.game import IllegalAction
from spygames.core.game.registry import make_game
from tests.support.games import VARIANTS, Variant

ray = pytest.importorskip("ray", reason="ray is not installed: make test-bridges")
torch = pytest.importorskip("torch")
bridge = pytest.importorskip("spygames_training.bridges.rllib", reason="RLlib is not installed: make test-bridges")
cluster_utils = pytest.importorskip("ray.cluster_utils")
Algorithm = pytest.importorskip("ray.rllib.algorithms.algorithm").Algorithm
save_checkpoint = pytest.importorskip("spygames_training.agents.checkpoint").save_checkpoint
Policy = pytest.importorskip("spygames_training.agents.policy").Policy
ActorCritic = pytest.importorskip("spygames_training").ActorCritic

MAIN = [variant for variant in VARIANTS if not variant.further and variant.game_id.endswith("_v0")]


@pytest.mark.parametrize("variant", MAIN, ids=str)
def test_games_are_the_same(variant: Variant) -> None:
    """Each game equals the AEC environment's game of the same seed; rewards come at the end, one for each seat."""
    env = bridge.RLlibEnv({"game": variant.game_id, "options": variant.options})
    own, rng = GameEnv(variant.make_game()), random.Random(3)
    for seed in range(3):
        seen, _ = env.reset(seed=seed)
        own.reset(seed=seed)
        rewards, terminations, truncations = {}, {"__all__": False}, {"__all__": False}
        while not (terminations["__all__"] or truncations["__all__"]):
            ((agent, shown),) = seen.items()
            assert agent == own.agent_selection
            wanted = own.observe(agent)
            assert np.array_equal(shown["observations"], wanted["observation"])
            assert np.array_equal(shown["action_mask"], wanted["action_mask"])
            assert env.observation_spaces[agent].contains(shown)
            action = rng.choice(np.flatnonzero(shown["action_mask"]).tolist())
            seen, rewards, terminations, truncations, _ = env.step({agent: action})
            own.step(action)
            assert seen.keys() == rewards.keys()
            assert len(seen) == len(own.possible_agents) or set(rewards.values()) == {0.0}
        assert rewards == own.rewards
        assert seen.keys() == rewards.keys() == {*own.possible_agents}
        for agent, shown in seen.items():
            assert np.array_equal(shown["observations"], own.observe(agent)["observation"])
            assert shown["action_mask"].all()
            assert env.observation_spaces[agent].contains(shown)
        assert truncations["__all__"] == any(own.truncations.values())
        assert terminations["__all__"] == any(own.terminations.values())


def test_an_illegal_action_is_an_error() -> None:
    env = bridge.RLlibEnv({"game": "agent_avenue_v0"})
    ((agent, shown),) = env.reset(seed=1)[0].items()
    with pytest.raises(IllegalAction, match="is not legal"):
        env.step({agent: int(np.flatnonzero(shown["action_mask"] == 0)[0])})


def test_wrong_steps_change_nothing() -> None:
    env = bridge.RLlibEnv({"game": "agent_avenue_v0"})
    ((agent, shown),) = env.reset(seed=1)[0].items()
    action = int(shown["action_mask"].argmax())
    before = env.env.state().tobytes()
    for wrong in ({"player_1": action}, {"nobody": action}, {}, {agent: action, "player_1": action}):
        with pytest.raises(ValueError, match=r"action_dict must have one action, of player_0, not of \["):
            env.step(wrong)
    with pytest.raises(IllegalAction):
        env.step({agent: action + 0.7})
    assert env.env.state().tobytes() == before
    over = False
    while not over:
        _, _, ends, _, _ = env.step({agent: int(env.env.observe(agent)["action_mask"].argmax())})
        agent, over = env.env.agent_selection, ends["__all__"]
    for action in (None, 0):
        with pytest.raises(ValueError, match="the game is over: call reset"):
            env.step({agent: action})


def test_games_begin_from_positions() -> None:
    env = bridge.RLlibEnv({"game": "agent_avenue_v0"})
    env.reset(seed=1)
    env.step({"player_0": int(env.env.observe("player_0")["action_mask"].argmax())})
    state = env.env.state_to_dict()
    again = bridge.RLlibEnv({"game": "agent_avenue_v0"})
    ((agent, _),) = again.reset(options={"state": state})[0].items()
    assert agent == env.env.agent_selection
    assert again.env.state_to_dict() == state


def test_wrong_configs_are_refused() -> None:
    for wrong in ({}, {"game": "agent_avenue_v0", "players": 3}):
        with pytest.raises(ValueError, match="the config must have game and options, not"):
            bridge.RLlibEnv(wrong)


def test_seats_are_drawn_for_each_episode() -> None:
    seating, agents = bridge.Seating(3, opponents=2, share=0.4), ["player_0", "player_1", "player_2"]
    drawn = Counter()
    for k in range(3000):
        episode = SimpleNamespace(id_=f"episode {k}")
        drawn[tuple(seating(agent, episode) for agent in agents)] += 1
    alone = drawn.pop(("learner",) * 3)
    assert abs(alone / 3000 - 0.6) < 0.04
    assert all(seats.count("learner") == 1 for seats in drawn)
    assert len(drawn) == 3 * 2**2  # the learner, and the two opponents
    assert max(drawn.values()) < 2 * min(drawn.values())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"share": 1.5}, "share must be .*0 and 1.*, not 1.5"),
        ({"share": -0.1}, "share must be .*0 and 1.*, not -0.1"),
        ({"share": float("nan")}, "share must be .*0 and 1.*, not nan"),
        ({"share": "x"}, "share must be .*0 and 1.*, not 'x'"),
        ({"hidden": 128}, r"hidden must be widths such as \(128, 128\), not 128"),
        ({"hidden": "128"}, r"hidden must be widths such as \(128, 128\), not '128'"),
        ({"hidden": (128, 0)}, "hidden must be an integer >= 1, not 0"),
        ({"opponents": 0}, "share must be .*0 without opponents, not 0.2"),
        ({"opponents": -1}, "opponents must be an integer >= 0, not -1"),
        ({"freeze_every": 0}, "freeze_every must be an integer >= 1, not 0"),
        ({"options": {"mode": "easy"}}, "mode must be one of"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bridge.ppo_config("agent_avenue_v0", **settings)


def short(config: Any) -> Any:
    return config.training(train_batch_size_per_learner=600, minibatch_size=200, num_epochs=1)


def two_opponents() -> Any:
    return bridge.ppo_config("agent_avenue_v0", hidden=(32,), opponents=2, share=0.5, freeze_every=2)


@pytest.fixture(scope="module")
def nodes() -> Iterator[None]:
    """A cluster on this machine: two nodes with one core each, and a head node without one."""
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    yield
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def algorithm(nodes: None) -> Iterator[Any]:
    made = short(two_opponents()).build_algo()
    yield made
    made.stop()


def weights(module: Any) -> list[np.ndarray]:
    return [value.numpy().copy() for value in module.network.state_dict().values()]


def equal(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def all_weights(algorithm: Any) -> dict[str, list[np.ndarray]]:
    """Return the weights of all modules, which must be the same in the learner group and in the runner that plays."""
    found = {}
    for name in ("learner", "frozen_0", "frozen_1"):
        found[name] = weights(algorithm.get_module(name))
        assert equal(found[name], weights(algorithm.learner_group._learner.module[name].unwrapped()))
    return found


def test_it_learns_and_freezes_opponents(algorithm: Any) -> None:
    """Training changes the learner each time and every second time replaces the oldest frozen opponent by the learner.

    The replaced weights are the same in the learner group and in the runner that plays. No action is illegal, since the
    environment raises for one.
    """
    before, frozen = all_weights(algorithm), []
    for _ in range(4):
        algorithm.train()
        after = all_weights(algorithm)
        assert not equal(before["learner"], after["learner"])
        changed = [name for name in ("frozen_0", "frozen_1") if not equal(before[name], after[name])]
        assert all(equal(after[name], after["learner"]) for name in changed)
        frozen.append(changed)
        before = after
    assert frozen == [[], ["frozen_1"], [], ["frozen_0"]]
    assert bridge.decisions_of(algorithm) >= 4 * 600


@pytest.mark.parametrize("way", ["from_checkpoint", "restore_from_path"])
def test_training_resumes_from_a_checkpoint(algorithm: Any, tmp_path: Path, way: str) -> None:
    """A restored algorithm has all weights and counts, and its callback freezes the learner when it is next due."""
    algorithm.train()
    if algorithm.iteration % 2 == 0:
        algorithm.train()
    algorithm.save_to_path(tmp_path)
    before, decisions = all_weights(algorithm), bridge.decisions_of(algorithm)
    if way == "from_checkpoint":
        resumed = Algorithm.from_checkpoint(tmp_path)
    else:
        resumed = short(two_opponents()).build_algo()
        resumed.restore_from_path(tmp_path)
    try:
        assert resumed.iteration == algorithm.iteration
        assert bridge.decisions_of(resumed) == decisions
        after = all_weights(resumed)
        assert all(equal(before[name], after[name]) for name in before)
        resumed.train()
        assert bridge.decisions_of(resumed) >= decisions + 600
        after = all_weights(resumed)
        changed = [name for name in ("frozen_0", "frozen_1") if not equal(before[name], after[name])]
        assert changed == [f"frozen_{resumed.iteration // 2 % 2}"]
        assert equal(after[changed[0]], after["learner"])
    finally:
        resumed.stop()


def test_each_seat_gets_its_own_reward(algorithm: Any) -> None:
    """In whole games an agent's last decision is rewarded with its own result, and its earlier decisions with 0."""
    episodes = algorithm.env_runner.sample(num_episodes=20)
    for episode in episodes:
        totals = []
        for single in episode.agent_episodes.values():
            rewards = np.asarray(single.get_rewards())
            assert single.is_done
            assert (rewards[:-1] == 0).all()
            totals.append(rewards[-1])
        assert sorted(totals) == [-1.0, 1.0]


def test_illegal_actions_have_probability_zero(algorithm: Any) -> None:
    module, env, rng = algorithm.get_module("learner"), GameEnv(make_game("agent_avenue_v0")), random.Random(1)
    env.reset(seed=1)
    for _ in range(300):
        if not env.agents or any(env.terminations.values()):
            env.reset()
        seen = env.observe(env.agent_selection)
        batch = {"observations": torch.from_numpy(seen["observation"])[None]}
        batch["action_mask"] = torch.from_numpy(seen["action_mask"])[None]
        for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
            chances = torch.softmax(forward({"obs": dict(batch)})["action_dist_inputs"], -1)[0].detach().numpy()
            assert (chances[seen["action_mask"] == 0] == 0).all()
        env.step(rng.choice(np.flatnonzero(seen["action_mask"]).tolist()))


def sampled(algorithm: Any, decisions: int) -> int:
    """Sample whole games, check that all actions are legal, and return the number of decisions."""
    taken = 0
    while taken < decisions:
        for episode in algorithm.env_runner.sample(num_timesteps=8192):
            for single in episode.agent_episodes.values():
                actions = np.asarray(single.get_actions())
                masks = np.asarray(single.get_observations()["action_mask"])[: len(actions)]
                assert masks[np.arange(len(actions)), actions].all()
                taken += len(actions)
    return taken


def test_no_action_is_illegal(algorithm: Any) -> None:
    assert sampled(algorithm, 5_000) >= 5_000


@pytest.mark.slow
def test_no_action_of_a_million_is_illegal(algorithm: Any) -> None:
    assert sampled(algorithm, 1_000_000) >= 1_000_000


def test_a_trained_module_becomes_a_checkpoint(algorithm: Any, tmp_path: Path) -> None:
    game = make_game("agent_avenue_v0")
    network = bridge.to_actor_critic(algorithm)
    save_checkpoint(tmp_path / "agent", game, network, bridge.decisions_of(algorithm))
    policy = Policy.load(tmp_path / "agent", "argmax")
    env = GameEnv(game)
    env.reset(seed=4)
    seen = env.observe(env.agent_selection)
    logits = algorithm.get_module("learner").forward_inference(
        {
            "obs": {
                "observations": torch.from_numpy(seen["observation"])[None],
                "action_mask": torch.from_numpy(seen["action_mask"])[None],
            }
        }
    )["action_dist_inputs"]
    assert policy.act(seen["observation"], seen["action_mask"]) == int(logits.argmax())


def test_two_nodes_play(algorithm: Any, tmp_path: Path) -> None:
    """Two runners are on two nodes; both receive the weights of a checkpoint, play, and receive the new weights."""
    algorithm.save_to_path(tmp_path)
    config = bridge.ppo_config("agent_avenue_v0", hidden=(32,), opponents=2, share=0.5, freeze_every=1)
    made = short(config).env_runners(num_env_runners=2, num_envs_per_env_runner=4).build_algo()
    try:
        group = made.env_runner_group

        def have(wanted: dict[str, list[np.ndarray]]) -> bool:
            names = [*wanted]
            theirs = group.foreach_env_runner(
                lambda runner: {name: weights(runner.module[name]) for name in names}, local_env_runner=False
            )
            return all(equal(each[name], wanted[name]) for each in theirs for name in names)

        where = group.foreach_env_runner(lambda runner: ray.get_runtime_context().get_node_id(), local_env_runner=False)
        assert len(set(where)) == 2
        made.restore_from_path(tmp_path)
        assert have(all_weights(algorithm))
        before = bridge.decisions_of(algorithm)
        made.train()
        after = all_weights(made)
        assert have(after)
        assert equal(after[f"frozen_{made.iteration % 2}"], after["learner"])
        played = group.foreach_env_runner(lambda runner: runner.num_env_steps_sampled_lifetime, local_env_runner=False)
        assert min(played) > before
    finally:
        made.stop()


def test_a_reset_without_a_seed_goes_on_with_the_random_stream() -> None:
    env, own, begun = bridge.RLlibEnv({"game": "agent_avenue_v0"}), GameEnv(make_game("agent_avenue_v0")), set()
    for seed in (5, None, None):
        env.reset(seed=seed)
        own.reset(seed=seed)
        assert env.env.state().tobytes() == own.state().tobytes()
        begun.add(own.state().tobytes())
    assert len(begun) == 3
    fresh = [bridge.RLlibEnv({"game": "agent_avenue_v0"}) for _ in range(2)]
    for each in fresh:
        each.reset()
    assert fresh[0].env.state().tobytes() != fresh[1].env.state().tobytes()


def test_a_step_before_the_first_reset_is_an_error() -> None:
    with pytest.raises(ValueError, match="call reset"):
        bridge.RLlibEnv({"game": "agent_avenue_v0"}).step({"player_0": 0})


def test_spaces_are_those_of_the_game() -> None:
    env: Any = bridge.RLlibEnv({"game": "agent_avenue_v0"})
    own: Any = GameEnv(make_game("agent_avenue_v0"))
    for agent in own.possible_agents:
        assert env.observation_spaces[agent]["observations"] == own.observation_space(agent)["observation"]
        assert env.observation_spaces[agent]["action_mask"] == own.observation_space(agent)["action_mask"]
        assert env.action_spaces[agent].n == own.action_space(agent).n


def test_settings_reach_the_parts_of_the_config() -> None:
    config = bridge.ppo_config("heimlich_v0", {"players": 3}, hidden=(16, 8), opponents=2, share=0.5, freeze_every=4)
    assert config.env_config == {"game": "heimlich_v0", "options": {"players": 3}}
    assert config.batch_mode == "complete_episodes"
    assert config.gamma == 1.0
    seating, callback = config.policy_mapping_fn, config.callbacks_class()
    assert (seating.players, seating.opponents, seating.share) == (3, 2, 0.5)
    assert (callback.opponents, callback.every) == (2, 4)
    specs = config.rl_module_spec.rl_module_specs
    assert specs.keys() == {"learner", "frozen_0", "frozen_1"}
    assert all(spec.model_config == {"hidden": (16, 8)} for spec in specs.values())


def test_the_learner_can_be_alone() -> None:
    config = bridge.ppo_config("agent_avenue_v0", opponents=0, share=0)
    assert config.rl_module_spec.rl_module_specs.keys() == {"learner"}
    assert {config.policy_mapping_fn(agent, SimpleNamespace(id_="x")) for agent in ("player_0", "player_1")} == {
        "learner"
    }
    config.callbacks_class().on_train_result(algorithm=SimpleNamespace(iteration=10))


def test_values_are_those_of_the_network() -> None:
    env = bridge.RLlibEnv({"game": "agent_avenue_v0"})
    space, actions = env.observation_spaces["player_0"], env.action_spaces["player_0"]
    settings = {"observation_space": space, "action_space": actions, "model_config": {"hidden": (16,)}}
    module = bridge.MaskedActorCritic(**settings)
    seen = torch.rand(5, *space["observations"].shape)
    batch = {"obs": {"observations": seen, "action_mask": torch.ones(5, actions.n, dtype=torch.int8)}}
    logits, values = module.network(seen)
    assert module.compute_values(batch).shape == (5,)
    made = module.forward_train(batch)
    for given in (None, made["embeddings"]):
        assert torch.allclose(module.compute_values(batch, given), values, atol=1e-5)
    assert torch.allclose(made["action_dist_inputs"], logits, atol=1e-5)
    assert module.network.hidden == (16,)


def test_a_copied_network_does_not_learn_on() -> None:
    learner = SimpleNamespace(network=ActorCritic(4, 2, (8,)))
    copied = bridge.to_actor_critic(SimpleNamespace(get_module={"learner": learner}.get))
    before = weights(learner)
    with torch.no_grad():
        learner.network.policy.bias.add_(1)
    assert equal(weights(SimpleNamespace(network=copied)), before)
    assert not equal(weights(learner), before)
