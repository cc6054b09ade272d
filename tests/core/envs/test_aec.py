"""The AEC environment and its registration, beyond the promises that the contract test checks."""

import copy
import json
import pickle
import subprocess
import sys
import warnings
import zlib

import gymnasium
import numpy as np
import pettingzoo
import pytest

import spygames
from spygames import agent_avenue_v0
from spygames.core.compiling.kernel import Record
from spygames.core.envs.aec import GameEnv
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.envs.vector import SeatVectorEnv
from spygames.core.game.game import ImpossibleState, as_record
from spygames.core.game.padding import without_padding
from spygames.core.game.registry import canonical_id, game_ids
from spygames.core.game.rng import next_seed
from spygames.testing.variants import VARIANTS


@pytest.fixture
def env() -> GameEnv:
    env = agent_avenue_v0.env(render_mode="ansi")
    env.reset(seed=1)
    return env


def finish(env: GameEnv) -> None:
    """Play the first legal action until the end."""
    while env.to_move >= 0:
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))


def python(program: str) -> str:
    """Return the output of a fresh interpreter."""
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


# ---------------------------------------------------------------- the package


def test_import_loads_neither_torch_nor_numba() -> None:
    """Importing never loads torch, and loads the compiler only when a game is requested."""
    heavy = python("import sys, spygames; print([m for m in ('torch', 'numba') if m in sys.modules])")
    assert heavy == "[]\n"
    assert python("import sys, spygames; spygames.agent_avenue_v0.env(); print('torch' in sys.modules)") == "False\n"


def test_importing_again_does_not_warn() -> None:
    assert python("import importlib, spygames; importlib.reload(spygames); print('quiet')") == "quiet\n"


def test_games_are_attributes_of_the_package() -> None:
    assert "agent_avenue_v0" in game_ids()
    assert set(game_ids()) <= set(dir(spygames))
    for game_id in game_ids():
        assert spygames.make_game(game_id).id == game_id
        assert VARIANTS[game_id][0]
        module = getattr(spygames, game_id)
        assert module.env().metadata["name"] == game_id
    with pytest.raises(AttributeError, match=r"no_such_game_v0.*agent_avenue_v0"):
        spygames.no_such_game_v0  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]
    assert not hasattr(spygames, "agent_avenue_v1")
    with pytest.raises(ImportError, match="games are agent_avenue_v0, "):
        from spygames import agent_avenue_v1  # type: ignore[attr-defined]  # noqa: F401


def test_make_game_takes_ids_and_modules() -> None:
    assert spygames.make_game("tests.poker.kuhn").name == "kuhn_poker"
    assert spygames.make_game("agent_avenue_v0", first_player=1).options["first_player"] == 1
    for unknown in ("nonsense", "os", "no.such.module", "", "agent_avenue_v99"):
        with pytest.raises(ValueError, match=r"no game .*agent_avenue_v0"):
            spygames.make_game(unknown)
    with pytest.raises(ValueError, match=r"players must be .*7"):
        spygames.make_game("agent_avenue_v0", players=7)


def test_make_batch_takes_options_and_an_observation_array() -> None:
    observation = np.zeros((4, agent_avenue_v0.make_game().num_features), np.float32)
    batch = spygames.make_batch("agent_avenue_v0", 4, seed=3, first_player=1, observation=observation, threads=1)
    assert batch.observation is observation
    assert repr(batch) == "Batch(agent_avenue_v0, mode=simple, players=2, first_player=1; n=4)"
    assert batch.seats.tolist() == [1] * 4


def test_environments_are_registered() -> None:
    for env_id in ("spygames/agent_avenue-v0", "spygames/agent_avenue_v0"):
        env = pettingzoo.make("aec", env_id, players=2)
        assert isinstance(env, GameEnv)
        assert str(env) == "agent_avenue_v0"
    single = gymnasium.make("spygames/AgentAvenue-v0", opponents="random", seat=1, first_player=1)
    assert isinstance(single.unwrapped, SingleEnv)
    assert single.unwrapped.game.options["first_player"] == 1


@pytest.mark.parametrize("library", ["", "spygames/", "SpyGames/"])
@pytest.mark.parametrize("name", ["agent_avenue", "AgentAvenue", "agentavenue", "agent-avenue"])
@pytest.mark.parametrize("version", ["-v0", "_v0"])
def test_ids_are_accepted_in_the_usual_spellings(library: str, name: str, version: str) -> None:
    env_id = library + name + version
    assert isinstance(pettingzoo.make("aec", env_id), GameEnv)
    assert isinstance(gymnasium.make(env_id).unwrapped, SingleEnv)
    assert isinstance(gymnasium.make_vec(env_id, num_envs=2, max_episode_steps=5), SeatVectorEnv)
    assert spygames.make_game(env_id) == spygames.make_game(library + name) == agent_avenue_v0.make_game()


@pytest.mark.parametrize(
    ("spelling", "game_id"),
    [
        ("AGENT_AVENUE_V0", "agent_avenue_v0"),
        ("Agent Avenue", "agent_avenue_v0"),
        ("spygames:spygames/AgentAvenue-v0", "agent_avenue_v0"),
        ("spygames.agent_avenue_v0", "agent_avenue_v0"),
        ("AgentDOG-v0", "agent_dog_v0"),
        ("Heimlich", "heimlich_v0"),
        ("my.agent_avenue_v0", "my.agent_avenue_v0"),  # a module of another package
        ("spygames", "spygames"),
        ("_v0", "_v0"),
    ],
)
def test_spellings_of_ids(spelling: str, game_id: str) -> None:
    assert canonical_id(spelling) == game_id


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("spygames/AgentAvenue-v7", "agent_avenue_v0"),
        ("SpyGames/AgentAvneue-v0", "agent_avenue_v0"),
        ("Heimlich & Co.", "heimlich_v0"),
        ("AgentDogs-v0", "agent_dog_v0"),
    ],
)
def test_a_wrong_id_is_answered_with_the_right_one(wrong: str, right: str) -> None:
    with pytest.raises(ValueError, match=rf"did you mean {right}\?$"):
        spygames.make_game(wrong)


# ---------------------------------------------------------------- the environment


def test_attributes_and_invalid_arguments(env: GameEnv) -> None:
    assert repr(env) == "agent_avenue_v0(mode='simple', players=2, first_player=0)"
    assert env.unwrapped is env
    assert env.possible_agents == ["player_0", "player_1"]
    assert env.metadata["is_parallelizable"] is False
    with pytest.raises(ValueError, match=r"render_mode must be one of None, .*, not 'film'"):
        agent_avenue_v0.env(render_mode="film")  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="agent must be one of player_0, player_1, not 'bob'"):
        env.observe("bob")
    for space in (env.action_space, env.observation_space):
        with pytest.raises(ValueError, match="agent must be one of player_0, player_1, not 'player_9'"):
            space("player_9")


def test_before_the_first_reset_everything_raises() -> None:
    env = agent_avenue_v0.env()
    for ask in (
        env.agent_iter,
        env.last,
        env.state,
        env.save,
        env.state_to_dict,
        env.to_text,
        lambda: env.observe("player_0"),
    ):
        with pytest.raises(gymnasium.error.ResetNeeded):
            ask()
    other = env.clone()
    other.reset(seed=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.state()


def test_each_reset_takes_the_next_seed(env: GameEnv) -> None:
    game, seed = env.game, np.uint64(1)
    for _ in range(3):
        assert env.state().tobytes() == game.start(int(seed)).tobytes()
        env.reset()
        seed = np.uint64(next_seed(seed))
    other = agent_avenue_v0.env()
    other.reset(seed=2**64 - 1)
    assert other.state().tobytes() == game.start(2**64 - 1).tobytes()


def test_without_a_seed_games_differ() -> None:
    states = set()
    for _ in range(5):
        env = agent_avenue_v0.env()
        env.reset()
        states.add(env.save())
    assert len(states) == 5


def test_rewards_are_given_once(env: GameEnv) -> None:
    finish(env)
    assert sorted(env.rewards.values()) == [-1, 1]
    results = dict(env.rewards)
    for agent in env.possible_agents:
        observation, reward, termination, truncation, info = env.last()
        assert env.agent_selection == agent
        assert (reward, termination, truncation) == (results[agent], True, False)
        assert observation is not None
        assert not observation["action_mask"].any()
        assert not info["action_mask"].any()
        env.step(None)
        assert not any(env.rewards.values())
    assert env.agents == []
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.last()


def test_each_agent_sees_the_end(env: GameEnv) -> None:
    """Also where `last` was not called for the agent before."""
    finish(env)
    env.step(None)
    assert env.agent_selection == "player_1"
    observation = env.last()[0]
    assert observation is not None
    assert observation["observation"].tobytes() == env.observe("player_1")["observation"].tobytes()


def test_a_waiting_agent_sees_but_cannot_act(env: GameEnv) -> None:
    observation = env.observe("player_1")
    assert observation["observation"].any()
    assert not observation["action_mask"].any()
    assert not env.infos["player_1"]["action_mask"].any()
    assert env.observation_space("player_1").contains(observation)


def test_a_view_has_named_fields(env: GameEnv) -> None:
    view = env.view("player_0")
    assert view.hand.shape == (8, 4)
    assert view.hand.sum() == 4
    assert view.decides == 1
    view.hand[:] = 0
    assert env.view("player_0")["hand"].sum() == 4
    with pytest.raises(AttributeError, match=r"no field 'hand_sise'; .*hand_size"):
        view.hand_sise  # noqa: B018
    assert {"hand_size", "tobytes"} <= set(dir(view))
    assert f"hand_size: {view.hand_size}" in str(view).splitlines()
    for other in (copy.deepcopy(view), pickle.loads(pickle.dumps(view))):
        assert other.tobytes() == view.tobytes()
        assert np.array_equal(other.hand_size, view.hand_size)


def test_scripted_players_read_a_view(env: GameEnv) -> None:
    mask = env.observe("player_0")["action_mask"]
    for bot in env.game.bots.values():
        answers = [bot(view, mask, np.zeros(1, np.uint64)) for view in (env.view("player_0"), plain_view(env))]
        assert answers[0] == answers[1]
        assert mask[answers[0]]


def plain_view(env: GameEnv) -> Record:
    view = env.game.new_views()
    env.game.observe(as_record(env._states), 0, as_record(view))
    return as_record(view)


def test_state_is_a_copy_of_the_true_state(env: GameEnv) -> None:
    state = env.state()
    assert env.state_space.contains(state)
    assert state.tobytes() == env.game.start(1).tobytes()
    state[:] = 0
    assert env.state().any()


def test_actions_convert_to_texts_and_back(env: GameEnv) -> None:
    action = env.string_to_action("discard sentinel")
    assert env.action_to_string(action) == env.action_to_string(action, "player_1") == "discard sentinel"
    with pytest.raises(ValueError, match="nonsense"):
        env.string_to_action("nonsense")
    with pytest.raises(ValueError, match=r"action must be 0\.\.73, not"):
        env.action_to_string(74)
    finish(env)
    with pytest.raises(ValueError, match="agent must be given"):
        env.action_to_string(action)
    assert env.action_to_string(action, "player_0") == "discard sentinel"
    assert env.string_to_action("discard sentinel", "player_0") == action


def test_render_returns_the_text(env: GameEnv) -> None:
    assert env.render() == env.to_text()
    with pytest.warns(UserWarning, match="render_mode"):
        assert agent_avenue_v0.env().render() is None


def test_reset_starts_from_a_mapping(env: GameEnv) -> None:
    position = env.state_to_dict()
    del position["rng"], position["record"]
    other = agent_avenue_v0.env()
    other.reset(seed=5, options={"state": position})
    assert other.state_to_dict() == {**env.state_to_dict(), "rng": "5"}
    other.reset(seed=5, options={"state": json.loads(json.dumps(env.state_to_dict()))})
    assert other.state().tobytes() == env.state().tobytes()
    position["deck"] = position["deck"][:-1]
    before = other.save()
    with pytest.raises(ImpossibleState, match="copies of"):
        other.reset(seed=6, options={"state": position})
    assert other.save() == before
    with pytest.warns(UserWarning, match="'stat'"):
        other.reset(options={"stat": position})


def test_reset_starts_from_a_finished_game(env: GameEnv) -> None:
    finish(env)
    other = agent_avenue_v0.env()
    other.reset(seed=1, options={"state": env.state_to_dict()})
    assert other.rewards == env.rewards
    assert other.last()[1:4] == env.last()[1:4]
    assert other.save() == env.save()


def test_invalid_actions_are_refused_with_the_legal_ones(env: GameEnv) -> None:
    refused = r"action 72 .*not legal: you recruit .* \(AA-12\); legal for player_0: .*'discard "
    with pytest.raises(ValueError, match=refused):
        env.step(72)
    with pytest.raises(ValueError, match=r"action must be 0\.\.73, not 74; legal for player_0: "):
        env.step(74)
    with pytest.raises(ValueError, match=r"action must be an integer, not None; legal for player_0: "):
        env.step(None)
    finish(env)
    with pytest.raises(ValueError, match="action of player_0 must be None"):
        env.step(0)


def test_restore_refuses_another_game(env: GameEnv) -> None:
    for other in (agent_avenue_v0.env(first_player=1), GameEnv(spygames.make_game("tests.poker.kuhn"))):
        with pytest.raises(ValueError, match="saved must be of this game") as error:
            other.restore(env.save())
        assert "\n" not in str(error.value)


def test_restore_refuses_impossible_positions(env: GameEnv) -> None:
    """Their checksums are valid, but kernels would write out of bounds there."""
    saved = env.save()
    layout = without_padding(env.game.state_dtype)
    size = layout.itemsize
    start = len(saved) - 4 - size - 9
    offset = (layout.fields or {})["deck_size"][1]
    for at, value in ((start + offset, 120), (len(saved) - 5, 1), (start + size - 1, 9)):
        blob = bytearray(saved)
        blob[at] = value
        blob[-4:] = zlib.crc32(blob[start:-4]).to_bytes(4, "little")
        with pytest.raises(ValueError, match="must hold a position"):
            env.restore(bytes(blob))
    assert env.save() == saved


def test_deep_copies_keep_attributes_and_streams(env: GameEnv) -> None:
    env.action_space("player_0").seed(3)
    vars(env)["note"] = ["mine"]
    other = copy.deepcopy(env)
    assert vars(other)["note"] == ["mine"]
    assert vars(other)["note"] is not vars(env)["note"]
    assert other.game is env.game
    assert other.action_space("player_0") is not env.action_space("player_0")
    draws = [[int(e.action_space("player_0").sample()) for _ in range(20)] for e in (env, other)]
    assert draws[0] == draws[1]


def test_determinize_keeps_the_view_of_an_agent(env: GameEnv) -> None:
    for _ in range(3):
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    saved = env.save()
    for agent in env.possible_agents:
        worlds = [env.determinize(agent, seed) for seed in range(6)]
        assert len({world.state().tobytes() for world in worlds}) == 6
        for world in worlds:
            assert world.view(agent).tobytes() == env.view(agent).tobytes()
            assert world.to_text(agent) == env.to_text(agent)
            assert (world.agent_selection, world.rewards) == (env.agent_selection, env.rewards)
            # The true position and its seed decide nothing, not even the next games.
            again, same = world.determinize(agent, 9), env.determinize(agent, 9)
            assert again.save() == same.save()
            again.reset()
            same.reset()
            assert again.save() == same.save()
            assert again.state().tobytes() == env.game.start(int(next_seed(np.uint64(9)))).tobytes()
    assert env.determinize("player_0").save() != env.determinize("player_0").save()
    for agent in (None, 0, "player_2"):
        with pytest.raises(ValueError, match=r"agent must be one of player_0, player_1, not "):
            env.determinize(agent, 1)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="seed must be an integer"):
        env.determinize("player_0", -1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        agent_avenue_v0.env().determinize("player_0", 1)
    assert env.save() == saved


def test_a_determinized_environment_has_no_past() -> None:
    """The earlier positions, which pictures show, belong to the true game."""
    env = agent_avenue_v0.env(render_mode="rgb_array")
    env.reset(seed=1)
    for _ in range(3):
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    moves = [(before.tobytes(), action) for before, action in env.renderer.moves or ()]
    assert len(moves) == 3
    assert not env.determinize("player_0", 1).renderer.moves
    env.clone().step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    assert [(before.tobytes(), action) for before, action in env.renderer.moves or ()] == moves


def test_a_clone_shows_the_same_as_the_original(env: GameEnv) -> None:
    """A clone computes what it shows on demand, also after a step and after agents have left."""
    names = ("agents", "agent_selection", "rewards", "terminations", "truncations", "_cumulative_rewards")
    finish(other := env.clone())
    other.step(None)
    for each in (agent_avenue_v0.env(), env, other):
        for name in names:
            assert getattr(each.clone(), name) == getattr(each, name)
        assert {a: i["action_mask"].tobytes() for a, i in each.clone().infos.items()} == {
            a: i["action_mask"].tobytes() for a, i in each.infos.items()
        }
    clone = env.clone()
    action = int(env.infos["player_0"]["action_mask"].argmax())
    clone.clone().step(action)
    clone.step(action)
    env.step(action)
    assert [getattr(clone, name) for name in names] == [getattr(env, name) for name in names]
    assert clone.last()[4]["action_mask"].tobytes() == env.last()[4]["action_mask"].tobytes()
    assert clone.save() == env.save()
    assert pickle.loads(pickle.dumps(env.clone())).infos.keys() == copy.deepcopy(env.clone()).infos.keys()
    assert not hasattr(clone, "no_such_name")
    with pytest.raises(AttributeError, match="'GameEnv' object has no attribute 'reward'"):
        clone.reward  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]


def test_plain_use_gives_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = agent_avenue_v0.env()
        env.reset(seed=3)
        for agent in env.agent_iter():
            *_, termination, _, info = env.last()
            env.step(None if termination else env.action_space(agent).sample(info["action_mask"]))
