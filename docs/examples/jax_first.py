"""Random games in JAX: 1,000 games by `vmap`, and 64 rows of games that restart by `scan`: `python jax_first.py`."""

from typing import Any

import jax
import jax.numpy as jnp

import spygames.jax


def random_action(key: jax.Array, state: spygames.jax.State) -> jax.Array:
    return jax.random.categorical(key, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))


env = spygames.jax.make("heimlich_v0", players=3)


@jax.jit
@jax.vmap
def results(key: jax.Array) -> jax.Array:
    """Play one random game and return the reward of each seat."""
    state = env.init(key)

    def step(carry: Any) -> Any:
        key, state, rewards = carry
        key, now = jax.random.split(key)
        state = env.step(state, random_action(now, state))
        return key, state, rewards + state.rewards

    def goes_on(carry: Any) -> Any:
        return ~(carry[1].terminated | carry[1].truncated)

    return jax.lax.while_loop(goes_on, step, (key, state, state.rewards))[2]


print(results(jax.random.split(jax.random.key(1), 1000)).mean(0))

rows = spygames.jax.make("agent_avenue_v0", autoreset=True)


@jax.jit
def ended(key: jax.Array) -> jax.Array:
    """Play 100 steps in 64 rows and return the number of games that ended."""
    beginning, playing = jax.random.split(key)
    states = jax.vmap(rows.init)(jax.random.split(beginning, 64))

    def step(states: spygames.jax.State, key: jax.Array) -> tuple[spygames.jax.State, jax.Array]:
        states = jax.vmap(rows.step)(states, jax.vmap(random_action)(jax.random.split(key, 64), states))
        return states, states.terminated.sum()

    return jax.lax.scan(step, states, jax.random.split(playing, 100))[1].sum()


print(ended(jax.random.key(1)))
