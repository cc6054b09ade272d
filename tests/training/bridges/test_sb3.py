"""The stable-baselines3 bridge: credit per seat, masks, one seat against players, and conversion to our checkpoints."""

import contextlib
import copy
import dataclasses
import importlib
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy as plain_evaluate_policy
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize

import spygames
from spygames.core.compiling.kernel import Record, kernel
from spygames.core.envs.aec import GameEnv
from spygames.core.game.game import NOBODY, Game, IllegalAction
from spygames.core.players.player import DecisionBatch
from spygames.core.playing.batch import Batch
from spygames.core.playing.rows import Rows
from spygames_app.cli.train import maskable_run
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.agents.policy import Policy, PolicyPlayer, from_network, logits
from spygames_training.bridges.sb3 import (
    LearnerSeatVecEnv,
    PerSeatRolloutBuffer,
    SelfPlayVecEnv,
    actor_critic_kwargs,
    to_actor_critic,
)
from spygames_training.config import Config, Network
from spygames_training.networks.actor_critic import make_network
from tests.poker import kuhn
from tests.poker.nashconv import nash_conv
from tests.support import pennies, recall
from tests.training.ppo.test_gae import by_definition

BET, PASS = kuhn.BET, kuhn.PASS


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("sb3_contrib", "spygames_training.bridges.sb3"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sb3_contrib", None)
    with pytest.raises(ImportError, match=r"bridges\.sb3 needs stable-baselines3: pip install 'spygames\[sb3\]'"):
        importlib.import_module("spygames_training.bridges.sb3")
    with pytest.raises(ValueError, match=r"^maskable_ppo: spygames_training\.bridges\.sb3 needs stable-baselines3: "):
        maskable_run(Config(), Path("runs/none"), None)


def model_of(env: VecEnv, hidden: tuple[int, ...] = (16,), **kwargs: Any) -> MaskablePPO:
    """Return the stock algorithm over all seats of `env`."""
    settings: dict[str, Any] = {"n_steps": 8, "batch_size": 64, "n_epochs": 2, "gamma": 1.0, "seed": 0}
    settings |= {"rollout_buffer_class": PerSeatRolloutBuffer, "rollout_buffer_kwargs": {"env": env}, "device": "cpu"}
    return MaskablePPO("MlpPolicy", env, policy_kwargs=actor_critic_kwargs(hidden), **(settings | kwargs))


def any_legal(env: Any, rng: np.random.Generator) -> np.ndarray:
    """Return a legal action for each game."""
    masks = get_action_masks(env)
    return (masks * rng.random(masks.shape)).argmax(axis=1)


def filled(env: SelfPlayVecEnv, choose: Any, values: np.ndarray, lam: float) -> PerSeatRolloutBuffer:
    """Return a buffer after a rollout as in MaskablePPO, with critic values `values` [T, n] and actions by `choose`."""
    steps, n = values.shape
    buffer = PerSeatRolloutBuffer(
        steps, env.observation_space, env.action_space, "cpu", gae_lambda=lam, gamma=0.9, n_envs=n, env=env
    )
    observation, starts = env.reset(), np.ones(n, bool)
    for t in range(steps):
        masks, actions = get_action_masks(env), choose(t)
        following, rewards, done, _ = env.step(actions)
        critic = torch.from_numpy(values[t])
        buffer.add(observation, actions, rewards, starts, critic, torch.zeros(n), action_masks=masks)
        observation, starts = following, done
    buffer.compute_returns_and_advantage(torch.zeros(n), starts)
    return buffer


def test_each_seat_gets_its_own_reward() -> None:
    """Pass, bet, fold: both decisions of seat 0 are charged with its lost ante, though seat 1 never moves again."""
    env = SelfPlayVecEnv(kuhn.make_game(), 3, seed=1)
    script = [PASS, BET, PASS, BET]
    buffer = filled(env, lambda t: np.full(3, script[t]), np.zeros((4, 3), np.float32), lam=1.0)
    np.testing.assert_array_equal(buffer.seats[:, 0], [0, 1, 0, 0])
    np.testing.assert_allclose(buffer.advantages[:3], [[-0.9] * 3, [1.0] * 3, [-1.0] * 3])
    np.testing.assert_array_equal(buffer.valid, [[True] * 3, [True] * 3, [True] * 3, [False] * 3])


@pytest.mark.parametrize(("game_id", "options"), [("agent_avenue_v0", {"players": 3}), ("agent_avenue_v0", {})])
def test_credit_follows_the_definition(game_id: str, options: dict[str, Any]) -> None:
    """Compare with the sums over a batch that is played in parallel."""
    game, n, steps = spygames.make_game(game_id, **options), 5, 300
    rng = np.random.default_rng(2)
    values = rng.normal(size=(steps, n)).astype(np.float32)
    env, batch = SelfPlayVecEnv(game, n), Batch(game, n, 0)
    env.seed(11)
    batch.reset(seeds=np.arange(11, 11 + n, dtype=np.uint64))
    seats, paid, done = (
        np.zeros((steps, n), np.int8),
        np.zeros((steps, n, game.num_players)),
        np.zeros((steps, n), bool),
    )

    def choose(t: int) -> np.ndarray:
        actions = any_legal(env, rng)
        seats[t] = batch.seats
        batch.step(actions)
        paid[t], done[t] = batch.rewards, batch.done
        return actions

    buffer = filled(env, choose, values, lam=0.8)
    assert done.any(axis=0).all()
    for i in range(n):
        expected, known = by_definition(paid, done, seats, values, 0.9, 0.8, i)
        np.testing.assert_array_equal(buffer.valid[:, i], known)
        np.testing.assert_allclose(buffer.advantages[known, i], expected[known], rtol=1e-4, atol=1e-4)
    batches = list(buffer.get(64))
    assert [len(b.actions) for b in batches] == [64] * (int(buffer.valid.sum()) // 64)
    assert all(bool(b.action_masks[range(64), b.actions.long().flatten()].all()) for b in batches)
    flat = {float(x) for x in (buffer.advantages + buffer.values).ravel()}
    assert flat >= {float(x) for b in batches for x in b.returns}


def test_only_known_decisions_are_learned_from() -> None:
    env = SelfPlayVecEnv(kuhn.make_game(), 3, seed=1)
    script = [PASS, BET, PASS, BET]
    buffer = filled(env, lambda t: np.full(3, script[t]), np.zeros((4, 3), np.float32), lam=1.0)
    (batch,) = buffer.get()
    assert sorted(batch.advantages.tolist()) == pytest.approx([-1.0] * 3 + [-0.9] * 3 + [1.0] * 3)
    short = filled(env, lambda t: np.full(3, BET), np.zeros((1, 3), np.float32), lam=1.0)
    with pytest.raises(ValueError, match="increase n_steps"):
        next(short.get(4))


def test_an_environment_other_than_the_buffers_is_detected(tmp_path: Path) -> None:
    game = kuhn.make_game()
    env, other = SelfPlayVecEnv(game, 16, seed=1), SelfPlayVecEnv(game, 16, seed=1)
    model = model_of(env)
    model.set_env(other)
    with pytest.raises(RuntimeError, match="the same env twice"):
        model.learn(128)
    with pytest.raises(ValueError, match="env must have n_envs games"):
        MaskablePPO(
            "MlpPolicy",
            SelfPlayVecEnv(game, 8),
            rollout_buffer_class=PerSeatRolloutBuffer,
            rollout_buffer_kwargs={"env": env},
        )
    model_of(env).save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", env=other, rollout_buffer_kwargs={"env": other})
    loaded.learn(128)


@pytest.mark.parametrize("make_env", [partial(SelfPlayVecEnv, by_hand=True), LearnerSeatVecEnv])
def test_an_illegal_action_is_refused_and_changes_nothing(make_env: Any) -> None:
    env = make_env(spygames.make_game("agent_avenue_v0"), 4, seed=3)
    before = env.reset()
    states = env.games.states.copy()
    masks = get_action_masks(env)
    actions = masks.argmax(axis=1)
    actions[2] = masks[2].argmin()
    with pytest.raises(IllegalAction, match="in game 2"):
        env.step(actions)
    np.testing.assert_array_equal(env.games.states, states)
    np.testing.assert_array_equal(env.games.observation, before)


def test_copies_share_no_games() -> None:
    env = SelfPlayVecEnv(kuhn.make_game(), 2, seed=1, by_hand=True)
    env.reset()
    before = env.games.states.tobytes()
    for other in (copy.copy(env), copy.deepcopy(env)):
        other.step(other.action_masks().argmax(1))
        assert env.games.states.tobytes() == before != other.games.states.tobytes()


@pytest.mark.parametrize("make_env", [partial(SelfPlayVecEnv, by_hand=True), LearnerSeatVecEnv])
def test_malformed_actions_are_refused(make_env: Any) -> None:
    env = make_env(spygames.make_game("agent_avenue_v0"), 2, seed=3)
    env.reset()
    states, good = env.games.states.copy(), env.action_masks().argmax(axis=1)
    for actions in (good + 0.5, good.astype(str), good.astype(bool), good[0], good[:1], good[:, None], [None, None]):
        with pytest.raises(IllegalAction, match=r"actions must be integers of shape \(2,\), not "):
            env.step(actions)
        np.testing.assert_array_equal(env.games.states, states)
    env.step(good.tolist())


@pytest.mark.parametrize("make_env", [partial(SelfPlayVecEnv, by_hand=True), LearnerSeatVecEnv])
def test_steps_masks_and_pictures_need_a_reset(make_env: Any) -> None:
    env = make_env(spygames.make_game("agent_avenue_v0"), 2, seed=3, render_mode="rgb_array")
    states = env.games.states.copy()
    assert is_masking_supported(env)
    calls = [
        lambda: env.step(env.games.mask.argmax(axis=1)), env.action_masks, lambda: env.env_method("action_masks"),
        env.get_attr("action_masks")[1], env.render,
    ]  # fmt: skip
    if isinstance(env, LearnerSeatVecEnv):
        calls.append(lambda: env.seats)
    for call in calls:
        with pytest.raises(ResetNeeded, match="no game has begun"):
            call()
    np.testing.assert_array_equal(env.games.states, states)
    env.reset()
    env.step(env.action_masks().argmax(axis=1))


@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), "x"])
def test_invalid_reward_scales_are_refused(scale: Any) -> None:
    with pytest.raises(ValueError, match="reward_scale must be a positive number, not "):
        SelfPlayVecEnv(spygames.make_game("agent_avenue_v0"), 2, reward_scale=scale)
    with pytest.raises(ValueError, match="must be an integer"):
        SelfPlayVecEnv(spygames.make_game("agent_avenue_v0"), 2.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("make_env", [partial(SelfPlayVecEnv, by_hand=True), LearnerSeatVecEnv])
def test_invalid_seeds_are_refused_at_once(make_env: Any) -> None:
    env, twin = (make_env(spygames.make_game("agent_avenue_v0"), 3, seed=1) for _ in range(2))
    for each in (env, twin):
        each.seed(2**64 - 3)
    for seed in (-1, 2**64 - 2, 1.0, True, "1"):
        with pytest.raises(ValueError, match="seed must be an integer from 0 to 18446744073709551613, not"):
            env.seed(seed)
    np.testing.assert_array_equal(env.reset(), twin.reset())


class Faulty:
    """A player that takes the first legal action, and fails once, after `calls` further calls."""

    name, calls = "faulty", -1

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the first legal action per row."""
        self.calls -= 1
        if self.calls == -1:
            raise ZeroDivisionError("a fault")
        return decisions.mask[decisions.rows].argmax(axis=1)


def test_a_failing_opponent_changes_nothing() -> None:
    """Otherwise the learner would see the opponent's mask and decide in its place."""
    game, player, rng, failed = spygames.make_game("agent_avenue_v0"), Faulty(), np.random.default_rng(1), 0
    env, twin = (LearnerSeatVecEnv(game, 8, ["random", who], seat=1, seed=3) for who in (player, Faulty()))
    for step in range(60):
        if step % 20 == 0:
            for each in (env, twin):
                each.seed(step)
            player.calls = 0
            with pytest.raises(ZeroDivisionError):
                env.reset()
            player.calls = -1
            np.testing.assert_array_equal(env.reset(), twin.reset())
        masks, actions, found = env.action_masks(), any_legal(env, rng), None
        player.calls = step % 3
        with contextlib.suppress(ZeroDivisionError):
            found = env.step(actions)
        player.calls = -1
        if found is None:
            failed += 1
            np.testing.assert_array_equal(env.action_masks(), masks)
        assert data_equivalence(found or env.step(actions), twin.step(actions), exact=True)
    assert failed > 30


def test_maskable_ppo_learns_kuhn_poker_with_credit_per_seat() -> None:
    """Uniform play can be exploited for 0.91 chips.

    With each seat's own credit, a few seconds of training reduce that to about 0.25. The library's buffer, which treats
    a game as one agent's trajectory, does not improve it.
    """
    torch.set_num_threads(1)
    game = kuhn.make_game()
    found = []
    for buffer in ({}, {"rollout_buffer_class": None, "rollout_buffer_kwargs": {}}):
        env = SelfPlayVecEnv(game, 256, seed=0, by_hand=True)  # otherwise it refuses the library's buffer
        model = model_of(env, (32,), n_steps=16, batch_size=1024, learning_rate=2e-3, ent_coef=0.1, **buffer)
        found.append(nash_conv(game, Policy(game, to_actor_critic(model.policy)).probabilities))
        model.learn(80_000)
        found.append(nash_conv(game, Policy(game, to_actor_critic(model.policy)).probabilities))
    print("NashConv: {:.2f} -> {:.2f}; with the library's buffer {:.2f} -> {:.2f}".format(*found))
    assert found[0] == found[2] > 0.8
    assert found[1] < 0.5
    assert found[3] > 0.7


def test_the_bystander_learns_to_keep_its_money() -> None:
    """In a game of three, a decision has a different value for each seat; seat 2 loses 1.1 by giving its present."""
    torch.set_num_threads(1)
    game = pennies.make_game()
    model = model_of(SelfPlayVecEnv(game, 128, seed=0), (32,), n_steps=16, batch_size=512, learning_rate=3e-3)
    model.learn(40_000)
    view = game.new_views()
    view["phase"][0, pennies.GIVE] = 1
    policy = Policy(game, to_actor_critic(model.policy))
    assert policy.probabilities(view.view(np.float32).reshape(-1), np.ones(2, np.int8))[pennies.PRESENT] < 0.1


class Recorder:
    """Record each row's moves as (seat, action)."""

    def __init__(self, env: LearnerSeatVecEnv) -> None:
        self.moves: list[list[tuple[int, int]]] = [[] for _ in range(env.num_envs)]
        advance, games = env.games.advance_legal, env.games

        def recorded(rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
            for i in rows.tolist():
                self.moves[i].append((int(games.seats[i]), int(actions[i])))
            advance(rows, actions, viewers)

        env.games.advance_legal = recorded  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("game", "opponents", "seat"),
    [
        (spygames.make_game("agent_avenue_v0"), ["random", "greedy"], "random"),
        (spygames.make_game("agent_avenue_v0", players=3), "random", 2),
        (pennies.make_game(), "random", 1),  # many games end before seat 1 moves
        (spygames.make_game("agent_dog_v0", max_turns=20), "random", "random"),  # most are truncated
    ],
)
def test_results_equal_those_of_the_same_moves_in_an_aec_environment(game: Game, opponents: Any, seat: Any) -> None:
    """Every game is replayed move by move: seats, results, ends and last observations are equal."""
    n, steps = 6, 250
    env = LearnerSeatVecEnv(game, n, opponents, seat, seed=5)
    recorder = Recorder(env)
    env.seed(7)
    env.reset()
    rng = np.random.default_rng(0)
    told: list[list[tuple[float, dict[str, Any]]]] = [[] for _ in range(n)]
    for _ in range(steps):
        assert (env.games.seats == env.seats).all()
        _, rewards, done, infos = env.step(any_legal(env, rng))
        assert not rewards[~done].any()
        for i in range(n):
            assert done[i] == ("terminal_observation" in infos[i])
            if done[i]:
                told[i].append((float(rewards[i]), infos[i]))
    for i in range(n):
        alone, reports, seats = GameEnv(game), iter(told[i]), set()
        alone.reset(seed=7 + i)
        reported = next(reports, None)
        decided: set[int] = set()
        for mover, action in recorder.moves[i]:
            assert alone.to_move == mover
            decided.add(mover)
            alone.step(action)
            if alone.to_move >= 0:
                continue
            if reported and reported[1]["seat"] in decided:
                reward, info = reported
                agent = alone.possible_agents[info["seat"]]
                assert reward == alone.rewards[agent]
                assert info["is_success"] == (reward > 0)
                assert info["TimeLimit.truncated"] == alone.truncations[agent]
                np.testing.assert_array_equal(info["terminal_observation"], alone.observe(agent)["observation"])
                assert len(info["opponents"]) == game.num_players - 1
                seats.add(info["seat"])
                reported = next(reports, None)
            decided = set()
            alone.reset()
        assert reported is None
        assert seats <= ({seat} if seat != "random" else set(range(game.num_players)))
    assert sum(map(len, told)) > 3 * n
    names = {name for row in told for _, info in row for name in info["opponents"]}
    assert names == ({"random"} if opponents == "random" else set(opponents))


def test_opponents_with_memory_remember_their_own_game() -> None:
    """Two networks with memories of different sizes are replayed move by move, with an empty memory for each game."""
    game, n = recall.make_game(), 6
    networks: dict[str, PolicyPlayer] = {}
    for size in (4, 8):
        torch.manual_seed(size)
        network = make_network(game, Network((16,), kind="recurrent", memory=size))
        name = f"memory of {size}"
        networks[f"{name}@argmax"] = from_network(game, network, "argmax", name)
    env = LearnerSeatVecEnv(game, n, list(networks.values()), seed=5)
    recorder, rng = Recorder(env), np.random.default_rng(0)
    env.seed(7)
    env.reset()
    infos = [env.step(any_legal(env, rng))[3] for _ in range(120)]
    forgetful = 0
    for i in range(n):
        told, moves, alone = [row[i] for row in infos if row[i]], iter(recorder.moves[i]), GameEnv(game)
        alone.reset(seed=7 + i)
        for info in told:
            policy = networks[info["opponents"][0]].policy
            memory, empty = np.zeros((2, policy.network.memory_size), np.float32)
            while alone.to_move >= 0:
                mover, action = next(moves)
                if mover != info["seat"]:
                    seen, mask = (alone.observe(alone.agent_selection)[key] for key in ("observation", "action_mask"))
                    assert action == policy.act(seen, mask, memory=memory)
                    forgetful += action != policy.act(seen, mask, memory=empty.copy())
                alone.step(action)
            alone.reset()
    assert forgetful > 100  # the memory matters
    assert {info["opponents"][0] for row in infos for info in row if info} == networks.keys()


def test_opponents_and_seats_are_drawn_evenly() -> None:
    env = LearnerSeatVecEnv(spygames.make_game("agent_avenue_v0"), 256, ["random", "random", "greedy"], seed=1)
    env.reset()
    infos = []
    rng = np.random.default_rng(0)
    while len(infos) < 1500:
        infos += [info for info in env.step(any_legal(env, rng))[3] if info]
    assert np.mean([info["seat"] for info in infos]) == pytest.approx(0.5, abs=0.05)
    assert np.mean([info["opponents"] == ["greedy"] for info in infos]) == pytest.approx(1 / 3, abs=0.05)


def test_equal_seeds_give_equal_games() -> None:
    def play(seed: int) -> np.ndarray:
        env = LearnerSeatVecEnv(spygames.make_game("agent_avenue_v0"), 8, ["random", "greedy"])
        env.seed(seed)
        seen = [env.reset()]
        rng = np.random.default_rng(0)
        seen += [env.step(any_legal(env, rng))[0] for _ in range(30)]
        return np.array(seen)

    np.testing.assert_array_equal(play(4), play(4))
    assert (play(4) != play(5)).any()


def test_the_first_games_are_those_of_the_constructors_seed() -> None:
    game = spygames.make_game("agent_avenue_v0")
    for env in (SelfPlayVecEnv(game, 3, 7), LearnerSeatVecEnv(game, 3, seat=0, seed=7)):
        first = env.reset()
        np.testing.assert_array_equal(first, spygames.Rows(game, 3, 7).observation)
        assert (env.reset() != first).any()


def test_invalid_seats_and_players_are_refused() -> None:
    game = kuhn.make_game()
    for wrong in (2, -1, True, "player_0"):
        with pytest.raises(ValueError, match="seat must be"):
            LearnerSeatVecEnv(game, 2, seat=wrong)
    with pytest.raises(ValueError, match="no player 'nobody'"):
        LearnerSeatVecEnv(game, 2, ["random", "nobody"])
    with pytest.raises(ValueError, match="opponents must not be empty"):
        LearnerSeatVecEnv(game, 2, [])


def test_stable_baselines_takes_the_learners_seat(tmp_path: Path) -> None:
    """Training, a monitor and an evaluation during training work; the mean reward is that of the games."""
    game = spygames.make_game("agent_avenue_v0")
    env = VecMonitor(LearnerSeatVecEnv(game, 16, ["random", "greedy"], seed=0))
    test_env = VecMonitor(LearnerSeatVecEnv(game, 8, "random", seed=1))
    assert is_masking_supported(env)
    callback = MaskableEvalCallback(test_env, n_eval_episodes=16, eval_freq=16, log_path=str(tmp_path), verbose=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=128, n_epochs=1, seed=0, device="cpu")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two environments of one class with different wrappers
        model.learn(512, callback)
    evaluations = np.load(tmp_path / "evaluations.npz")
    assert evaluations["results"].shape == (2, 16)
    assert set(np.unique(evaluations["results"])) <= {-1.0, 1.0}
    assert evaluations["successes"].mean() == pytest.approx((evaluations["results"].mean() + 1) / 2)
    rewards, lengths = evaluate_policy(model, test_env, 16, return_episode_rewards=True)
    assert isinstance(lengths, list)
    assert len(rewards) == 16  # type: ignore[arg-type]
    assert min(lengths) >= 1


def test_the_network_is_the_same_after_conversion(tmp_path: Path) -> None:
    game = spygames.make_game("agent_avenue_v0")
    env = SelfPlayVecEnv(game, 32, seed=0)
    model = model_of(env, (24, 16))
    model.learn(256)
    network = to_actor_critic(model.policy)
    save_checkpoint(tmp_path / "agent", game, network, model.num_timesteps)
    observation, masks = env.games.observation.copy(), env.games.mask.copy()
    theirs: Any = model.policy.get_distribution(torch.from_numpy(observation), env.action_masks()).distribution
    policy = Policy.load(tmp_path / "agent")
    with torch.no_grad():
        raw = model.policy.action_net(model.policy.extract_features(torch.from_numpy(observation))).numpy()
        value = model.policy.predict_values(torch.from_numpy(observation)).numpy()[:, 0]
        np.testing.assert_array_equal(policy.network(torch.from_numpy(observation))[1].numpy(), value)
    np.testing.assert_array_equal(logits(policy.network, observation), raw)
    np.testing.assert_allclose(policy.probabilities(observation, masks), theirs.probs.detach().numpy(), atol=1e-6)
    other = MaskablePPO("MlpPolicy", env, device="cpu")
    with pytest.raises(ValueError, match="actor_critic_kwargs"):
        to_actor_critic(other.policy)


@kernel
def init_without_zeroing(s: Record, options: Record, seed: np.uint64) -> None:
    """Kuhn poker's init, but it relies on a zeroed state for the zeros of a new game."""
    s.rng = seed
    s.cards[1] = 1 + seed % 2


def test_rows_that_move_separately_begin_with_zeroed_states() -> None:
    game = dataclasses.replace(kuhn.make_game(), init=init_without_zeroing)
    games, rows = Rows(game, 3, seed=1), np.arange(3)
    ended = 0
    for _ in range(6):
        games.advance(rows, games.mask.argmax(1), games.seats.copy())
        over = np.flatnonzero(games.done)
        assert (games.seats[over] == NOBODY).all()
        games.begin(over)
        for row in over:
            ended += 1
            assert games.states[row].tobytes() == game.start(games.seeds[row]).tobytes()
    assert ended > 3


def test_the_librarys_usual_first_lines_work() -> None:
    """`make_vec_env` requests pictures first; a deterministic policy without masks reaches the end of each game."""
    env = make_vec_env("spygames/AgentAvenue-v0", 2, env_kwargs={"max_ignored": 20})
    model = PPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, device="cpu", seed=0)
    steps = 0

    def count(*_: Any) -> None:
        nonlocal steps
        steps += 1
        assert steps < 5000, "it does not end"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.learn(64)
        rewards, lengths = plain_evaluate_policy(model, env, 4, callback=count, return_episode_rewards=True)
    assert len(rewards) == len(lengths) == 4  # type: ignore[arg-type]


def test_self_play_without_its_buffer_is_refused() -> None:
    game = kuhn.make_game()
    env = SelfPlayVecEnv(game, 4, seed=1)
    with pytest.raises(
        RuntimeError, match="rollout_buffer_class=PerSeatRolloutBuffer and rollout_buffer_kwargs"
    ) as error:
        MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=8, device="cpu").learn(64)
    assert "\n" not in str(error.value)
    with pytest.raises(RuntimeError, match="by_hand=True"):
        MaskablePPO("MlpPolicy", VecNormalize(env), n_steps=8, batch_size=8, device="cpu").learn(64)
    by_hand = SelfPlayVecEnv(game, 4, seed=1, by_hand=True)
    by_hand.reset()
    for _ in range(20):
        by_hand.step(any_legal(by_hand, np.random.default_rng(0)))
    assert by_hand.paid.shape == (4, 2)


@pytest.mark.parametrize("inner", [True, False])
def test_self_play_with_changed_observations_is_refused(inner: bool) -> None:
    env = SelfPlayVecEnv(kuhn.make_game(), 4, seed=1)
    scaled: Any = VecNormalize(env)
    settings: dict[str, Any] = {"rollout_buffer_kwargs": {"env": env if inner else scaled}}
    with pytest.raises(RuntimeError, match="a wrapper changes the observations"):
        model_of(scaled, **settings).learn(64)
    model_of(VecMonitor(env), **settings).learn(64)
