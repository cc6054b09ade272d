# Of an extra that is not installed where types are checked:
# pyright: reportMissingImports=false
"""Benchmarks of the JAX environments beside Pgx's: steps of vmapped games in one jitted loop."""

import os
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pgx
from pgx.experimental import auto_reset

import spygames.jax
from benchmarks.games import cell
from benchmarks.ours import Draws
from benchmarks.tools import Bench, Result, Run, rate
from spygames.core.game.registry import game_module
from spygames.core.playing.batch import Batch
from spygames_training.output.tables import markdown_table

SIZES = (1, 64, 1024, 8192)
"""Numbers of games at once."""
MAX_STEPS = 256
OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "Agent Avenue, simple, 2 players": ("agent_avenue_v0", {}),
    "Heimlich & Co., base game, 3": ("heimlich_v0", {"players": 3}),
    "Agent DOG, 4": ("agent_dog_v0", {"players": 4}),
}
THEIRS = ("kuhn_poker", "leduc_holdem", "connect_four", "backgammon", "sparrow_mahjong", "go_9x9")


def pinned() -> str:
    """Pin this process to one core, before JAX starts its threads; return how the figures were taken."""
    if not hasattr(os, "sched_setaffinity"):
        return "CPU time of all threads"
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return "CPU time on one pinned core"


def ours(name: str) -> tuple[Any, Callable[..., Any]]:
    """Return the environment and its step (state, action, key), which begins a new game where one ends."""
    game_id, options = OURS[name]
    env = spygames.jax.make(game_id, autoreset=True, **options)
    return env, env.step


def theirs(name: str) -> tuple[Any, Callable[..., Any]]:
    """Return the same of one of Pgx's games, as its documentation shows."""
    env: Any = pgx.make(name)
    return env, auto_reset(env.step, env.init)


def steps(make: Callable[[], tuple[Any, Callable[..., Any]]], games: int) -> Run:
    """Measure random legal steps of `games` vmapped games."""
    env, step = make()
    length = max(1, min(MAX_STEPS, 65_536 // games))

    def one(states: Any, key: Any) -> tuple[Any, None]:
        choosing, stepping = jax.random.split(key)
        logits = jnp.where(states.legal_action_mask, 0.0, -1e9)
        actions = jax.random.categorical(choosing, logits)
        return jax.vmap(step)(states, actions, jax.random.split(stepping, games)), None

    @jax.jit
    def play(states: Any, key: Any) -> Any:
        return jax.lax.scan(one, states, jax.random.split(key, length))[0]

    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))
    key = jax.random.key(1)

    def work() -> int:
        nonlocal states, key
        key, now = jax.random.split(key)
        states = jax.block_until_ready(play(states, now))
        return length * games

    work()  # compiles
    return rate(work)


def batch(name: str, games: int) -> Run:
    """Measure random legal steps of a batch of the same game, without JAX."""
    game_id, options = OURS[name]
    batch = Batch(game_module(game_id).make_game(**options), games, seed=1, threads=1)
    draw, length = Draws(batch), max(1, min(MAX_STEPS, 65_536 // games))

    def work() -> int:
        for _ in range(length):
            batch.step(draw())
        return length * games

    work()
    return rate(work)


ROWS: dict[str, Callable[[int], Run]] = {
    **{f"spygames.jax, {name}": partial(steps, partial(ours, name)) for name in OURS},
    **{f"the same without JAX: make_batch, {name}": partial(batch, name) for name in list(OURS)[:1]},
    **{f"Pgx, {name}": partial(steps, partial(theirs, name)) for name in THEIRS},
}


def benches() -> list[Bench]:
    """Return a benchmark for each row and number of games."""
    return [
        Bench(f"{row}: {games}", row, lambda row=row, games=games: ROWS[row](games), "steps/s", max_runs=3)
        for row, games in product(ROWS, SIZES)
    ]


def text(results: list[Result]) -> str:
    """Return the table of medians."""
    width = len(SIZES)
    rows = [[row, *(cell(r) for r in results[k * width : (k + 1) * width])] for k, row in enumerate(ROWS)]
    return markdown_table(["steps/s, games at once:", *(f"{n:,}" for n in SIZES)], rows)


def versions() -> str:
    """Return the versions of the libraries."""
    return f"jax {jax.__version__}, pgx {pgx.__version__}, numpy {np.__version__}"
