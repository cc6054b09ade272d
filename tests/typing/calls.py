"""What type checkers find in public calls. Nothing here runs: `test_typing.py` and `make lint` check this file.

Calls that they must refuse are marked as ignored; an unnecessary mark is an error.
"""
# pyright: reportUnnecessaryTypeIgnoreComment=true

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import spygames
from spygames import agent_avenue_v0, agent_dog_v0, heimlich_v0
from spygames.agent_avenue.layout import State, View
from spygames.agent_dog.layout import View as DogView
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.envs.aec import GameEnv, Observation
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.envs.vector import SeatVectorEnv
from spygames.core.game.game import Game
from spygames.core.playing.batch import Batch
from spygames.heimlich.layout import View as HeimlichView
from spygames_training.agents.policy import Policy


@kernel
def a_kernel(s: State, view: View, seat: Int) -> Int:
    assert_type(s.turn, Int)
    assert_type(s.options.players, Int)
    assert_type(s.hands, NDArray[np.int8])
    assert_type(s.rng, np.uint64)
    s.turn += 1
    s.to_move = s.captain[1 - s.active_side]
    s.hands[seat, s.face_up] -= 1
    s.winner = s.turn > 3
    view.deck_size = s.deck_size / 38
    view.decides = s.to_move == seat
    view.hand[s.face_up, 0] = 1.0
    s["turn"] = 3
    s.turns = 3  # type: ignore[attr-defined]
    s.options.player = 2  # type: ignore[attr-defined]
    s.turn = "first"  # type: ignore[assignment]
    view.deck_size = "none"  # type: ignore[assignment]
    view.hands[0] = 1  # type: ignore[attr-defined]
    seat = s.phases  # type: ignore[attr-defined]
    return s.phase


a_kernel("state", 1)  # type: ignore[call-arg, arg-type]


def options() -> None:
    assert_type(agent_avenue_v0.env(mode="advanced", players=3, captain="fixed"), GameEnv[View])
    assert_type(agent_avenue_v0.raw_env(render_mode="ansi", mode="advanced"), GameEnv[View])
    assert_type(spygames.agent_avenue_v0.env(first_player="random"), GameEnv[View])
    assert_type(spygames.heimlich_v0.env(edition="ravensburger", nobody_wins=-1), GameEnv[HeimlichView])
    assert_type(
        spygames.agent_dog_v0.env(deck="royal", board={"track": 56, "holes": [2], "meeting": 7}), GameEnv[DogView]
    )
    assert_type(agent_avenue_v0.single_env(opponents=["greedy"], illegal="lose", mode="advanced"), SingleEnv)
    assert_type(agent_avenue_v0.vector_env(num_envs=8, autoreset_mode="SameStep", players=4), SeatVectorEnv)
    assert_type(agent_avenue_v0.make_game("advanced"), Game[View])
    assert_type(spygames.make_game("agent_avenue_v0", mode="advanced"), Game[Any])
    assert_type(spygames.make_batch("agent_avenue_v0", 4, seed=1, threads=2, players=4), Batch)
    agent_avenue_v0.env(mode="advance")  # type: ignore[call-overload]
    agent_avenue_v0.env(render_mode="film")  # type: ignore[call-overload]
    agent_avenue_v0.env(player=3)  # type: ignore[call-overload]
    heimlich_v0.env(edition="amiga")  # type: ignore[call-overload]
    heimlich_v0.make_game(reward="money")  # type: ignore[arg-type]
    agent_dog_v0.env(deck="small")  # type: ignore[call-overload]
    agent_dog_v0.env(hidden_colours="none")  # type: ignore[call-overload]
    agent_avenue_v0.single_env(illegal="ask")  # type: ignore[arg-type]
    agent_avenue_v0.vector_env(num_envs="eight")  # type: ignore[arg-type]
    spygames.make_batch("agent_avenue_v0", 4, threads="two")  # type: ignore[arg-type]
    spygames.agent_avenue_v1  # type: ignore[attr-defined]  # noqa: B018


def an_environment(policy: Policy) -> None:
    env = agent_avenue_v0.env()
    observation, reward, termination, truncation, info = env.last()
    assert_type(observation, Observation)
    assert_type((reward, termination, truncation, info), tuple[float, bool, bool, dict[str, Any]])
    assert_type(env.last(observe=False)[0], None)
    assert_type(env.last(bool(env.agents))[0], Observation | None)
    assert_type(env.observe("player_0"), Observation)
    assert_type(env.view("player_0"), View)
    assert_type(env.view("player_0").hand, NDArray[np.float32])
    assert_type(policy.act(observation["observation"], observation["action_mask"]), int)
    env.step(policy.act(observation["observation"], observation["action_mask"]))
    env.step(observation["action_mask"].argmax())
    rows, masks = np.zeros((2, 160), np.float32), np.ones((2, 74), np.int8)
    assert_type(policy.act(rows, masks), NDArray[np.int64])
    env.step(policy.act(rows, masks))  # type: ignore[arg-type]
    one = agent_avenue_v0.single_env(opponents="greedy")
    seen, info = one.reset(seed=1)
    assert_type(seen, np.ndarray)
    one.step(one.action_space.sample(one.action_masks()))
    one.step(info["action_mask"].argmax())
    observation["mask"]  # type: ignore[typeddict-item]
    env.view("player_0").nosuch  # type: ignore[attr-defined]  # noqa: B018
