"""PPO by self-play in one jitted function: `python jax_ppo.py [seed] [updates]`.

One network plays both seats of 1,024 games and learns from the decisions of both. The algorithm is PPO (arXiv
1707.06347) with generalized advantage estimation (arXiv 1506.02438), in plain JAX.
"""

import sys
import time
from functools import partial
from typing import Any, NamedTuple

import gymnasium
import jax
import jax.numpy as jnp
import numpy as np

import spygames.jax

GAME = "agent_avenue_v0"
GAMES, STEPS, UPDATES, EPOCHS, MINIBATCHES = 1024, 64, 60, 2, 32
RATE, LAM, CLIP, ENTROPY, WIDTH = 1e-3, 0.95, 0.2, 0.1, 128

Params = dict[str, jax.Array]
env = spygames.jax.make(GAME, autoreset=True)


class Decision(NamedTuple):
    """One decision in each game of a batch."""

    observation: jax.Array
    mask: jax.Array
    seat: jax.Array
    action: jax.Array
    log_p: jax.Array
    value: jax.Array
    rewards: jax.Array
    over: jax.Array


def new_params(key: jax.Array) -> Params:
    """Return the weights of two hidden layers, a policy and a value."""
    sizes = {"a": (*env.observation_shape, WIDTH), "b": (WIDTH, WIDTH), "policy": (WIDTH, env.num_actions)}
    params: Params = {}
    for name, (rows, columns) in (sizes | {"value": (WIDTH, 1)}).items():
        key, own = jax.random.split(key)
        scale = 0.01 if name == "policy" else (2 / rows) ** 0.5
        params[name] = scale * jax.random.normal(own, (rows, columns))
        params[f"{name}_bias"] = jnp.zeros(columns)
    return params


def network(params: Params, observation: Any, mask: Any) -> tuple[jax.Array, jax.Array]:
    """Return the logits, where illegal actions have probability 0, and the value for the seat that observes."""
    hidden = jax.nn.relu(observation @ params["a"] + params["a_bias"])
    hidden = jax.nn.relu(hidden @ params["b"] + params["b_bias"])
    logits = jnp.where(mask, hidden @ params["policy"] + params["policy_bias"], -1e9)
    return logits, (hidden @ params["value"] + params["value_bias"]).squeeze(-1)


def play(params: Params, states: spygames.jax.State, key: jax.Array) -> tuple[spygames.jax.State, Decision]:
    """Play `STEPS` decisions in each game."""

    def decide(states: spygames.jax.State, key: jax.Array) -> tuple[spygames.jax.State, Decision]:
        seen, mask, seat = states.observation, states.legal_action_mask, states.current_player
        logits, value = network(params, seen, mask)
        action = jax.random.categorical(key, logits)
        log_p = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
        states = jax.vmap(env.step)(states, action)
        over = states.terminated | states.truncated
        return states, Decision(seen, mask, seat, action, log_p, value, states.rewards, over)

    return jax.lax.scan(decide, states, jax.random.split(key, STEPS))


def advantages(decisions: Decision, states: spygames.jax.State, value: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return the advantage of each decision, and whether what followed is known. Each seat is credited by its own.

    A seat's decision is followed by the next decision of the same seat, or by the end of the game. The last decision
    of each seat is followed by its value, if it is to move next; otherwise nothing is known, and it does not count.
    """
    seats = jnp.arange(env.num_players)
    mover = states.current_player[:, None] == seats

    def back(carry: tuple[jax.Array, ...], d: Decision) -> tuple[tuple[jax.Array, ...], tuple[jax.Array, jax.Array]]:
        following, later, paid, known = carry  # [n, P], by seat: value, advantage and rewards after this decision
        over = d.over[:, None]
        following, later, paid = (jnp.where(over, 0.0, x) for x in (following, later, paid))
        known, paid = known | over, paid + d.rewards
        own = d.seat[:, None] == seats
        gain = jnp.where(known, paid + following - d.value[:, None] + LAM * later, 0.0)
        carry = (
            jnp.where(own, d.value[:, None], following),
            jnp.where(own, gain, later),
            jnp.where(own, 0.0, paid),
            jnp.where(own, True, known),
        )
        return carry, ((gain * own).sum(1), (known & own).any(1))

    zeros = jnp.zeros((GAMES, env.num_players))
    start = (jnp.where(mover, value[:, None], 0.0), zeros, zeros, mover)
    return jax.lax.scan(back, start, decisions, reverse=True)[1]


def loss(params: Params, d: Decision, gain: jax.Array, known: jax.Array) -> jax.Array:
    logits, value = network(params, d.observation, d.mask)
    every = jax.nn.log_softmax(logits)
    ratio = jnp.exp(jnp.take_along_axis(every, d.action[:, None], 1)[:, 0] - d.log_p)
    mean = partial(jnp.average, weights=known)
    error = jnp.square(value - gain - d.value)
    centered = gain - mean(gain)
    gain = centered / jnp.sqrt(mean(jnp.square(centered)) + 1e-8)
    policy_loss = -mean(jnp.minimum(ratio * gain, jnp.clip(ratio, 1 - CLIP, 1 + CLIP) * gain))
    entropy = -(jnp.exp(every) * jnp.where(d.mask, every, 0.0)).sum(1)
    return policy_loss + 0.5 * mean(error) - ENTROPY * mean(entropy)


def adam(params: Params, gradient: Params, first: Params, second: Params, t: jax.Array, rate: jax.Array) -> Any:
    """Return new weights and moments of Adam, with the gradient clipped to norm 0.5."""
    norm = jnp.sqrt(sum(jnp.square(g).sum() for g in gradient.values()))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1.0, 0.5 / (norm + 1e-8)), gradient)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    fix = jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
    params = jax.tree.map(lambda p, m, v: p - rate * fix * m / (jnp.sqrt(v) + 1e-5), params, first, second)
    return params, first, second


@partial(jax.jit, static_argnames="updates")
def train(key: jax.Array, updates: int = UPDATES) -> tuple[Params, jax.Array]:
    """Train by self-play. Returns the weights before each update and at the end, and the entropy at each update."""
    key, weights, deals = jax.random.split(key, 3)
    params = new_params(weights)
    zeros = jax.tree.map(jnp.zeros_like, params)
    states = jax.vmap(env.init)(jax.random.split(deals, GAMES))

    def minibatch(carry: Any, rows: Any) -> tuple[Any, None]:
        params, first, second, t, rate = carry
        gradient = jax.grad(loss)(params, *rows)
        return (*adam(params, gradient, first, second, t + 1, rate), t + 1, rate), None

    def update(carry: Any, k: jax.Array) -> tuple[Any, tuple[Params, jax.Array]]:
        before, first, second, t, states = carry
        playing, *orders = jax.random.split(jax.random.fold_in(key, k), 1 + EPOCHS)
        states, decisions = play(before, states, playing)
        value = network(before, states.observation, states.legal_action_mask)[1]
        batch = (decisions, *advantages(decisions, states, value))
        batch = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), batch)
        carry = before, first, second, t, RATE * (1 - k / updates)
        for order in orders:
            rows = jax.random.permutation(order, GAMES * STEPS).reshape(MINIBATCHES, -1)
            carry, _ = jax.lax.scan(lambda c, r: minibatch(c, jax.tree.map(lambda x: x[r], batch)), carry, rows)
        params, first, second, t, _ = carry
        return (params, first, second, t, states), (before, -decisions.log_p.mean())

    last, (params, entropy) = jax.lax.scan(update, (params, zeros, zeros, 0.0, states), jnp.arange(updates))
    return jax.tree.map(lambda each, end: jnp.concatenate([each, end[None]]), params, last[0]), entropy


def judge(params: Params, opponent: str, games: int = 2000, seed: int = 10_000) -> float:
    """Return the share of games that the most likely actions win against a player of this package."""
    seats = gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=games, opponents=opponent)
    observations, infos = seats.reset(seed=seed)
    best = jax.jit(lambda seen, mask: network(params, seen, mask)[0].argmax(1))
    results = np.zeros(games)  # 0: no game of the row has been decided yet
    while not results.all():
        observations, rewards, *_, infos = seats.step(np.asarray(best(observations, infos["action_mask"])))
        results = np.where(results == 0, rewards, results)
    return float((results > 0).mean())


if __name__ == "__main__":
    start, cpu = time.perf_counter(), time.process_time()
    seed, updates = [int(each) for each in (*sys.argv[1:], *(0, UPDATES)[len(sys.argv) - 1 :])]
    params, entropy = jax.block_until_ready(train(jax.random.key(seed), updates))
    print(f"{updates * GAMES * STEPS:,} decisions in {time.perf_counter() - start:.0f} s", end=", ")
    print(f"{time.process_time() - cpu:.0f} s of CPU, compiling included")
    print("update  entropy  wins against random  greedy")
    for k in sorted({*range(0, updates, 10), updates}):
        wins = [judge(jax.tree.map(lambda each, k=k: each[k], params), opponent) for opponent in ("random", "greedy")]
        print(f"{k:6}  {entropy[min(k, updates - 1)]:7.2f}  {wins[0]:19.1%}  {wins[1]:6.1%}", flush=True)
