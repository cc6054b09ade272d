"""The JAX environments are the games of spygames, under every transformation of JAX."""

import pickle
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np
import pytest

import spygames
from spygames.authoring import as_record, next_seed
from spygames.core.envs.aec import GameEnv
from spygames.core.playing.batch import Batch
from tests.support.games import VARIANTS, Variant
from tests.support.two_worlds import SHOWN, Rows, leaky, told

jax = pytest.importorskip("jax", reason="jax is not installed: make test-bridges")
bridge = pytest.importorskip("spygames.jax")
jnp = jax.numpy

MAIN = [variant for variant in VARIANTS if not variant.further and variant.game_id.endswith("_v0")]
each_variant = pytest.mark.parametrize("variant", MAIN, ids=str)
GAME = "agent_avenue_v0"


def halves(seeds: np.ndarray) -> np.ndarray:
    return seeds.view(np.uint32).reshape(-1, 2)


def equal(a: Any, b: Any) -> bool:
    """Whether two states have the same dtypes, shapes and bytes."""
    pairs = zip(jax.tree.leaves(a), jax.tree.leaves(b), strict=True)
    return all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in pairs)


def first_legal(state: Any) -> Any:
    return state.legal_action_mask.argmax(-1)


def last_legal(state: Any) -> Any:
    return state.legal_action_mask.shape[-1] - 1 - state.legal_action_mask[..., ::-1].argmax(-1)


@each_variant
def test_games_are_those_of_a_batch(variant: Variant) -> None:
    env = bridge.make(variant.game_id, autoreset=True, **variant.options)
    batch = Batch(variant.make_game(), 20, seed=5, threads=1)
    states, step = jax.vmap(env.init_seed)(halves(batch.seeds)), jax.jit(jax.vmap(env.step))
    rng, ended = np.random.default_rng(6), 0
    for _ in range(250):
        assert np.asarray(states.state_bytes).tobytes() == batch.states.tobytes()
        assert np.array_equal(states.seed, halves(batch.seeds))
        assert np.array_equal(states.observation, batch.observation)
        assert np.array_equal(states.legal_action_mask, batch.mask == 1)
        assert np.array_equal(states.current_player, batch.seats)
        assert np.array_equal(states.rewards, batch.rewards)
        assert np.array_equal(states.terminated, batch.done & ~batch.cut_off)
        assert np.array_equal(states.truncated, batch.cut_off)
        actions = (rng.random(batch.mask.shape) * batch.mask).argmax(1)
        batch.step(actions)
        states = step(states, actions)
        ended += int(batch.done.sum())
    assert ended > 0 or variant.game_id.startswith("agent_dog")


@each_variant
def test_an_observation_is_that_of_the_current_player_to_the_end(variant: Variant) -> None:
    env, aec = bridge.make(variant.game_id, **variant.options), GameEnv(variant.make_game())
    step, state = jax.jit(env.step), env.init_seed(9)
    rng, mover = np.random.default_rng(9), -1
    aec.reset(seed=9)
    while not (state.terminated or state.truncated):
        seen = aec.observe(aec.possible_agents[int(state.current_player)])
        assert aec.agent_selection == aec.possible_agents[int(state.current_player)]
        assert np.array_equal(state.observation, seen["observation"])
        assert np.array_equal(state.legal_action_mask, seen["action_mask"] == 1)
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        mover = int(state.current_player)
        aec.step(action)
        state = step(state, action)
    assert int(state.current_player) == mover
    assert np.array_equal(state.observation, aec.observe(aec.possible_agents[mover])["observation"])
    assert state.rewards.tolist() == [aec.rewards[agent] for agent in aec.possible_agents]
    assert bool(state.truncated) == any(aec.truncations.values())
    assert bool(state.terminated) == any(aec.terminations.values())
    assert state.legal_action_mask.all()
    assert equal(step(state, 0), state.replace(rewards=jnp.zeros_like(state.rewards)))


def test_transformations_give_the_same_bytes() -> None:
    env = bridge.make(GAME, autoreset=True)
    keys = jax.random.split(jax.random.key(3), 6)

    def go(state: Any, _: Any) -> tuple[Any, Any]:
        return env.step(state, last_legal(state)), state.terminated

    one_by_one = []
    for key in keys:
        state = env.init(key)
        for _ in range(80):
            state = env.step(state, last_legal(state))
        one_by_one.append(state)
    expected = jax.tree.map(lambda *leaves: jnp.stack(leaves), *one_by_one)
    run = partial(jax.lax.scan, go, length=80)
    states, ended = jax.jit(jax.vmap(lambda key: run(env.init(key))))(keys)
    assert equal(states, expected)
    assert ended.any()
    nested = jax.vmap(jax.vmap(lambda key: run(env.init(key))[0]))(keys.reshape(2, 3))
    assert equal(jax.tree.map(lambda x: x.reshape(6, *x.shape[2:]), nested), expected)
    loop = jax.jit(lambda key: jax.lax.fori_loop(0, 80, lambda _, s: go(s, None)[0], env.init(key)))
    assert equal(loop(keys[4]), one_by_one[4])


def test_one_state_goes_with_many_actions() -> None:
    env = bridge.make(GAME)
    state = env.init(jax.random.key(1))
    actions = np.flatnonzero(state.legal_action_mask)
    many = jax.vmap(env.step, in_axes=(None, 0))(state, actions)
    for i, action in enumerate(actions.tolist()):
        assert equal(jax.tree.map(lambda leaf, i=i: leaf[i], many), env.step(state, action))


def test_a_key_is_a_seed() -> None:
    env, key = bridge.make(GAME), jax.random.key(11)
    low, high = (int(half) for half in jax.random.bits(key, (2,), "uint32"))
    assert bridge.key_to_seed(key).tolist() == [low, high]
    assert equal(env.init(key), env.init_seed(low + 2**32 * high))
    assert equal(env.init(jax.random.PRNGKey(11)), env.init(key))
    start = spygames.make_game(GAME).start(low + 2**32 * high)
    assert np.asarray(env.init(key).state_bytes).tobytes() == start.tobytes()


def test_illegal_actions_and_steps_after_the_end_follow_pgx() -> None:
    env = bridge.make(GAME)
    state = env.init(jax.random.key(1))
    wrong, legal = int((~state.legal_action_mask).argmax()), int(first_legal(state))
    for action in (wrong, -1, env.num_actions, np.uint32(2**32 - 1), 2**40, np.int64(2**32 + legal)):
        ended = env.step(state, action)
        assert ended.terminated
        assert ended.rewards.tolist() == [
            env.game.lowest_return if seat == state.current_player else 0 for seat in (0, 1)
        ]
        assert np.array_equal(ended.state_bytes, state.state_bytes)
        assert np.array_equal(ended.observation, state.observation)
        after = env.step(ended, legal)
        assert equal(after, ended.replace(rewards=jnp.zeros(2)))


def test_gradients_pass_by_the_game() -> None:
    """A loss may contain the steps that its decisions came from; they have no gradient."""
    env = bridge.make(GAME)

    def loss(weight: Any) -> Any:
        state = env.init(jax.random.key(1))
        state = env.step(state, jnp.argmax(jnp.where(state.legal_action_mask, weight, -jnp.inf)))
        return (state.observation.sum() + 1) * weight.sum()

    weight = jnp.arange(env.num_actions, dtype=jnp.float32)
    assert np.isfinite(jax.grad(loss)(weight)).all()


def test_environments_are_values() -> None:
    env = bridge.make(GAME, mode="advanced")
    assert env == bridge.make(GAME, mode="advanced")
    assert hash(env) == hash(bridge.make(GAME, mode="advanced"))
    assert env != bridge.make(GAME, mode="advanced", autoreset=True)
    assert pickle.loads(pickle.dumps(env)) == env
    assert (env.id, env.version, env.num_players) == (GAME, "v0", 2)
    state = env.init(jax.random.key(1))
    assert state.observation.shape == env.observation_shape
    assert state.legal_action_mask.shape == (env.num_actions,)
    counts = jax.jit(lambda env, state: env.step(state, 0).observation, static_argnums=0)
    counts(env, state)
    counts(bridge.make(GAME, mode="advanced"), state)
    assert counts._cache_size() == 1


def test_wrong_arguments_are_reported() -> None:
    env = bridge.make(GAME)
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(1), 3))
    state = env.init(jax.random.key(1))
    with pytest.raises(ValueError, match=r"action must be one integer \(use jax.vmap.*not int32 of shape \(3,\)"):
        env.step(states, jnp.zeros(3, int))
    with pytest.raises(
        ValueError, match=r"state.state_bytes must be uint8 of shape \(224,\).*not uint8 of shape \(3, 224\)"
    ):
        env.step(states, 0)
    with pytest.raises(ValueError, match=r"action must be one integer.*not float32"):
        env.step(state, 1.0)
    other = bridge.make(GAME, mode="advanced").init(jax.random.key(1))
    assert other.state_bytes.shape == state.state_bytes.shape
    with pytest.raises(ValueError, match=r"state.legal_action_mask must be of shape \(74,\), as in .*not \(106,\)"):
        env.step(other, 0)
    with pytest.raises(ValueError, match=r"seed must be uint32 of shape \(2,\).*not uint64 of shape \(5,\)"):
        env.init_seed(np.zeros(5, np.uint64))
    with pytest.raises(ValueError, match="seed must be an integer from 0 to"):
        env.init_seed(-1)
    with pytest.raises(ValueError, match=r"seed must be uint32.*not 'x'"):
        env.init_seed("x")
    with pytest.raises(ValueError, match="autoreset must be True or False, not 1"):
        bridge.make(GAME, autoreset=1)
    with pytest.raises(ValueError, match="chess"):
        bridge.make("chess_v0")
    with pytest.raises(TypeError, match="game must be a Game, as"):
        bridge.Env(GAME)  # pyright: ignore[reportArgumentType]


def step_of(env: Any) -> Any:
    """Return the step of an environment as `told` takes it: on arrays of several games."""
    step = jax.jit(jax.vmap(env.step))
    empty = jax.vmap(env.init_seed)(halves(np.zeros(2, np.uint64)))

    def stepped(*games: np.ndarray) -> Rows:
        memory, seeds, seats, terminated, truncated, actions = games
        before = empty.replace(
            state_bytes=memory, seed=halves(seeds), current_player=seats, terminated=terminated, truncated=truncated
        )
        state = step(before, actions)
        after = {
            "memory": state.state_bytes,
            "seats": state.current_player,
            "observation": state.observation,
            "mask": state.legal_action_mask,
            "rewards": state.rewards,
            "terminated": state.terminated,
            "truncated": state.truncated,
        }
        seeds = np.array(state.seed).view(np.uint64).reshape(-1)
        return {name: np.array(value) for name, value in after.items()} | {"seeds": seeds}

    return stepped


@pytest.mark.parametrize("variant", [variant for variant in MAIN if variant.quick], ids=str)
def test_states_show_a_seat_nothing_that_it_cannot_know(variant: Variant) -> None:
    env = bridge.make(variant.game_id, **variant.options)
    compared, moved, found = told(env.game, step_of(env))
    assert not found
    assert compared > 40
    assert moved > 5


@pytest.mark.parametrize("name", SHOWN)
def test_planted_leaks_of_states_are_found(name: str) -> None:
    env = bridge.make(GAME, players=4)
    assert told(env.game, step_of(env), games=12, show=leaky(name))[2] == {name}


@pytest.mark.parametrize("name", ["memory", "seeds"])
def test_bytes_and_seed_of_a_state_do_tell(name: str) -> None:
    """The worlds that seats are compared in differ in these two fields, which are not for policies."""
    env = bridge.make(GAME, players=4)
    found = told(env.game, step_of(env), games=12, show=lambda rows: {**rows, "seats": rows[name]})[2]
    assert found == {"seats"}


def test_jax_is_imported_by_this_module_only() -> None:
    program = "import sys, spygames, spygames.players, spygames.authoring; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_actions_are_integers_of_any_type_and_range() -> None:
    env = bridge.make("tests.poker.kuhn")  # both actions are legal, so that every other number is told from them
    state = env.init_seed(1)
    bet = env.step(state, 1)
    assert not bet.terminated
    for action in (np.int64(1), np.uint8(1), np.array(1), jnp.uint32(1), jnp.int8(1)):
        assert equal(env.step(state, action), bet)
    for action in (-1, 2, 2**32 + 1, np.int64(2**32 + 1), np.uint64(2**63 + 1), np.array(2**32 + 1)):
        assert env.step(state, action).terminated
    for action in (True, np.True_, None, "1", np.array("1"), [1]):
        with pytest.raises(ValueError, match=r"action must be one integer.*, not "):
            env.step(state, action)


def test_actions_of_64_bits_are_whole() -> None:
    env = bridge.make("tests.poker.kuhn")
    with jax.enable_x64(True):
        state = env.init_seed(1)
        for action in (jnp.uint64(2**63 + 1), jnp.int64(2**32 + 1), jnp.int64(-(2**32))):
            assert env.step(state, action).terminated


def test_a_step_does_not_use_its_key() -> None:
    env = bridge.make(GAME)
    state = env.init_seed(1)
    assert equal(env.step(state, first_legal(state), jax.random.key(2)), env.step(state, first_legal(state)))


def test_seeds_are_integers_of_any_type() -> None:
    env = bridge.make(GAME)
    for seed in (2**64 - 1, 7):
        (own,) = halves(np.array([seed], np.uint64))
        for same in (seed, np.uint64(seed), jnp.asarray(own)):
            assert equal(env.init_seed(same), env.init_seed(own))
        assert env.init_seed(own).seed.tolist() == own.tolist()


def test_many_games_are_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    env, calls = bridge.make(GAME), []
    for name in ("begin", "step"):
        real = getattr(env._functions, name)

        def counted(*arrays: np.ndarray, real: Any = real) -> Any:
            calls.append(len(arrays[0]))
            return real(*arrays)

        monkeypatch.setattr(env._functions, name, counted)
    states = jax.jit(jax.vmap(env.init_seed))(halves(np.arange(5, dtype=np.uint64)))
    jax.block_until_ready(jax.jit(jax.vmap(env.step))(states, first_legal(states)))
    assert calls == [5, 5]


def test_a_state_is_drawn_as_the_page_says() -> None:
    env, aec = bridge.make(GAME), GameEnv(spygames.make_game(GAME))
    aec.reset(seed=7)
    record = as_record(np.asarray(env.init_seed(7).state_bytes).view(env.game.state_dtype))
    for seat, agent in enumerate(aec.possible_agents):
        assert env.game.to_text(record, seat) == aec.to_text(agent)


def test_an_illegal_action_in_games_that_restart_begins_the_next_game() -> None:
    env = bridge.make(GAME, autoreset=True)
    state = env.init_seed(3)
    after = env.step(state, -1)
    assert after.terminated
    assert after.rewards.tolist() == [env.game.lowest_return, 0]
    first = env.init_seed(int(next_seed(np.uint64(3))))
    assert equal(after.replace(rewards=first.rewards, terminated=first.terminated), first)
