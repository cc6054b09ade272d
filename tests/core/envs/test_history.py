"""What an environment says that a seat has seen. That it reveals nothing is tested in tests/core/game/test_seen.py."""

import copy
import json
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from spygames import agent_avenue_v0
from spygames.core.envs.aec import GameEnv
from spygames.core.envs.vector import SeatVectorEnv
from spygames.core.game.game import IllegalAction, as_record
from spygames.core.game.registry import make_game
from spygames.core.game.seen import Event
from spygames.core.players.player import PlayerFailed
from spygames.core.players.python_function import PythonPlayer
from spygames.core.playing.courses import Courses
from spygames.text import turn_of

KEYS = [*Event.__annotations__]


def step(env: GameEnv, rng: np.random.Generator) -> int:
    """Take a random action and return it."""
    action = int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"])))
    env.step(action)
    return action


@pytest.fixture
def env() -> GameEnv:
    env = agent_avenue_v0.env()
    env.reset(seed=1)
    return env


def test_history_is_what_each_seat_has_seen(env: GameEnv) -> None:
    """The events are those of `Game.happened` at the time, and only a seat's own actions are known to it."""
    rng, game = np.random.default_rng(1), env.game
    expected: dict[str, list[tuple[str, str, int | None, str]]] = {agent: [] for agent in env.possible_agents}
    while env.to_move >= 0:
        before, mover, phase = env.state(), env.agent_selection, env.state_to_dict()["phase"]
        action = step(env, rng)
        for seat, agent in enumerate(env.possible_agents):
            s, own = as_record(before.view(game.state_dtype)), agent == mover
            text = game.happened(s, action, env.seat(mover), seat)
            expected[agent].append((mover, phase, action if own else None, text))
    for agent, events in expected.items():
        history = env.history(agent)
        assert [(e["agent"], e["kind"], e["action"], e["text"]) for e in history] == events
        assert all([*event] == KEYS for event in history)
        assert json.loads(json.dumps(history)) == history
        for event in history:
            assert event["text"] == event["seen"] + (f" ({event['effects']})" if event["effects"] else "")
            assert (event["action_text"] is None) == (event["action"] is None)
    assert any(event["effects"] for event in env.history("player_0"))


def test_history_since_the_last_own_decision(env: GameEnv) -> None:
    rng = np.random.default_rng(2)
    assert env.history("player_1", since_own=True) == []
    for _ in range(6):
        step(env, rng)
        for agent in env.possible_agents:
            whole, since = env.history(agent), env.history(agent, since_own=True)
            own = [k for k, event in enumerate(whole) if event["agent"] == agent]
            assert since == whole[own[-1] if own else 0 :]
    events = env.history(env.agent_selection, since_own=True)
    assert turn_of(env.game, env.state(), events) == turn_of(env.game, env.state(), [e["text"] for e in events])


def test_a_history_is_of_the_current_game_alone(env: GameEnv) -> None:
    rng = np.random.default_rng(3)
    step(env, rng)
    kept = env.history("player_0")
    assert len(kept) == 1
    clones = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    saved, position = env.save(), env.state_to_dict()
    step(env, rng)
    assert len(env.history("player_0")) == 2
    for clone in clones:
        assert clone.history("player_0") == kept
    with pytest.raises(IllegalAction):
        clones[0].step(10**6)
    assert clones[0].history("player_0") == kept
    # A position without its past has no history. That of a redrawn world would be of the true one.
    assert env.determinize("player_0", seed=1).history("player_0") == []
    env.restore(saved)
    assert env.history("player_0") == []
    step(env, rng)
    assert len(env.history("player_0")) == 1
    env.reset(options={"state": position})
    assert env.history("player_0") == []
    step(env, rng)
    env.reset(seed=1)
    assert env.history("player_0") == []


def test_wrong_requests(env: GameEnv) -> None:
    with pytest.raises(ValueError, match="agent must be one of player_0, player_1, not 'player_2'"):
        env.history("player_2")
    with pytest.raises(ResetNeeded):
        GameEnv(env.game).history("player_0")
    with pytest.raises(ResetNeeded):
        agent_avenue_v0.single_env().history()


def test_history_of_one_seat() -> None:
    """It is that of an AEC environment in which the same actions are taken, and belongs to the current game."""
    env = agent_avenue_v0.single_env(opponents="random", seat=1)
    for seed in (4, 5):
        _, info = env.reset(seed=seed)
        other = GameEnv(make_game("agent_avenue_v0"))
        other.reset(options={"state": env.env.state_to_dict()})
        begun = len(env.history())
        assert begun == len([e for e in env.history() if e["agent"] == "player_0"]) > 0
        terminated = False
        while not terminated:
            action = int(info["action_mask"].argmax())
            _, _, terminated, _, info = env.step(action)
            other.step(action)
            since = env.history(since_own=True)
            assert since[0]["agent"] == "player_1"
            assert since[0]["action"] == action
            truths = env.env.history("player_0")[len(env.history()) - len(since) + 1 :]
            for event, truth in zip(since[1:], truths, strict=True):
                assert (event["agent"], event["action"]) == ("player_0", None)
                assert truth["action"] is not None
                other.step(truth["action"])
        assert env.history()[begun:] == other.history("player_1")
        assert env.determinize(seed=1).history() == []
    env.reset(seed=6)
    kept = env.history()
    assert copy.deepcopy(env).history() == kept
    with pytest.raises(ValueError, match="seat 1 has no decision"):
        env.reset(options={"state": other.state_to_dict()})
    assert env.history() == kept


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_history_of_a_row_is_that_of_one_seat(mode: str) -> None:
    """In each mode, over several games, and while other rows begin theirs."""
    many = agent_avenue_v0.vector_env(num_envs=3, opponents="greedy", autoreset_mode=mode)
    alone = [agent_avenue_v0.single_env(opponents="greedy") for _ in range(3)]
    with pytest.raises(ResetNeeded):
        many.history(0)
    many.reset(seed=5)
    for row, env in enumerate(alone):
        env.reset(seed=5 + row)
    over, games, rng = np.zeros(3, bool), 0, np.random.default_rng(1)
    for _ in range(40):
        if mode == "Disabled" and over.any():
            many.reset(options={"reset_mask": over})
        if mode != "NextStep":
            for row in np.flatnonzero(over):
                alone[row].reset()
            over[:] = False
        masks = np.stack([env.action_masks() for env in alone])
        actions = (rng.random(masks.shape) * masks).argmax(1)
        terminations = many.step(actions)[2]
        for row, env in enumerate(alone):
            if over[row] or (mode == "SameStep" and env.step(int(actions[row]))[2]):
                env.reset()
            elif mode != "SameStep":
                env.step(int(actions[row]))
            assert many.history(row) == env.history()
            assert many.history(row, since_own=True) == env.history(since_own=True)
        games += int(terminations.sum())
        over = terminations & (mode != "SameStep")
    assert games > 6


def test_what_was_saved_comes_back_after_several_new_games() -> None:
    row, action = np.array([0]), np.array([5])
    courses = Courses(np.array([[1]], np.uint8))
    courses.add(row, action)
    saved = courses.save()
    for start in (2, 3):
        courses.begin(row, np.array([[start]], np.uint8))
        courses.add(row, action)
    courses.restore(saved)
    assert (courses.of(0).start, courses.of(0).actions) == (bytes([1]), [5])


def test_a_failed_step_leaves_the_histories_of_rows() -> None:
    """Also where games have ended and begun in the step that failed."""
    luck, wrong = np.random.default_rng(1), 0.0

    def first(observation: np.ndarray, mask: np.ndarray) -> int:
        return -1 if luck.random() < wrong else int(mask.argmax())

    player = PythonPlayer(make_game("agent_avenue_v0"), first, "sometimes wrong")
    many = SeatVectorEnv(make_game("agent_avenue_v0"), 2, player, autoreset_mode="SameStep")
    many.reset(seed=1)
    wrong = 0.1
    failed = 0
    for _ in range(80):
        kept = [many.history(row) for row in range(2)]
        try:
            many.step(many.action_masks().argmax(1))
        except PlayerFailed:
            failed += 1
            assert [many.history(row) for row in range(2)] == kept
        else:
            assert [many.history(row) for row in range(2)] != kept
    assert failed > 5
    with pytest.raises(ValueError, match="row must be an integer from 0 to 1, not 2"):
        many.history(2)
