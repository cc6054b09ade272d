"""Benchmarks of this package: the game through each interface, from one environment to training."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.loops import chosen, replay
from benchmarks.tools import Bench, NotHere, Run, rate
from spygames import agent_avenue_v0
from spygames.core.game.game import Game, as_record
from spygames.core.game.rng import next_seed
from spygames.core.players.player import bot_loop
from spygames.core.playing.batch import Batch

ROOT = Path(__file__).resolve().parents[1]
GAMES, STEPS = 1024, 256
"""Number of games of a batch, and number of its steps that are recorded and replayed."""

determinize: Any = None  # placeholder; `Game.bind` replaces it by the game's kernel


def _determinize_rows(states, seed):  # type: ignore[no-untyped-def]
    for i in range(len(states)):
        seed = next_seed(seed)
        determinize(states[i], states[i].to_move, seed)
    return seed


class Draws:
    """Masked random actions for a batch, drawn by the compiled bot."""

    def __init__(self, batch: Batch):
        self.batch = batch
        self.loop = bot_loop(batch.game, "random")
        self.rng = np.random.default_rng(0).integers(2**64, size=(batch.n, 1), dtype=np.uint64)
        self.rows = np.arange(batch.n)
        self.actions = np.zeros(batch.n, np.int64)

    def __call__(self) -> np.ndarray:
        b = self.batch
        self.loop(b.views, b.mask, self.rng, self.rows, self.actions, 0, b.n)
        return self.actions


def midgame(n: int, game: Game | None = None, threads: int = 1) -> Batch:
    """Return a batch of a game (default: Agent Avenue) after 100 steps, so that its games are at all stages."""
    batch = Batch(game or agent_avenue_v0.make_game(), n, seed=1, threads=threads)
    draw = Draws(batch)
    for _ in range(100):
        batch.step(draw())
    return batch


def batch_replay(threads: int, games: int = GAMES, game: Game | None = None, steps: int = STEPS) -> Run:
    """Measure the replay of recorded steps of a batch of a game (default: Agent Avenue) from mid-game."""
    batch = midgame(games, game, threads)
    draw, states, seeds = Draws(batch), batch.states.copy(), batch.seeds.copy()
    recorded = np.zeros((steps, games), np.int64)
    for t in range(steps):
        recorded[t] = draw()
        batch.step(recorded[t])
    clock = time.process_time if threads == 1 else time.perf_counter

    def run(seconds: float) -> float:
        passed, done = 0.0, 0
        while passed < seconds:
            batch.resume(states, seeds, checked=True)
            start = clock()
            for actions in recorded:
                batch.step(actions)
            passed += clock() - start
            done += recorded.size
        return done / passed

    return run


def batch_random(threads: int) -> Run:
    batch = Batch(agent_avenue_v0.make_game(), GAMES, seed=1, threads=threads)
    draw = Draws(batch)

    def work() -> int:
        for _ in range(STEPS):
            batch.step(draw())
        return STEPS * GAMES

    work()
    return rate(work)


def env_clone() -> Run:
    env: Any = agent_avenue_v0.raw_env()
    env.reset(seed=1)

    def work() -> int:
        for _ in range(1000):
            env.clone()
        return 1000

    return rate(work)


def record_copy() -> Run:
    state = midgame(16).states[:1].copy().view(np.uint8)  # as bytes: NumPy copies records field by field

    def work() -> int:
        for _ in range(10_000):
            state.copy()
        return 10_000

    return rate(work)


def determinized(game: Game | None = None) -> Run:
    """Measure redraws of the state hidden from the mover, for a game (default: Agent Avenue)."""
    batch = midgame(4096, game)
    game = batch.game
    loop: Any = game.bind(_determinize_rows)
    states = batch.states.copy()
    loop(states, np.uint64(1))

    def work() -> int:
        loop(states, np.uint64(time.perf_counter_ns()))
        return len(states)

    return rate(work)


def determinized_from_python() -> Run:
    game = agent_avenue_v0.make_game()
    s = as_record(midgame(16).states)
    game.determinize(s, 0, np.uint64(1))

    def work() -> int:
        for seed in range(1000):
            game.determinize(s, 0, np.uint64(seed))
        return 1000

    return rate(work)


IMPORT = "import time; start = time.perf_counter(); import spygames; print(time.perf_counter() - start)"
FIRST_GAME = """
import time
clock = time.{clock}
start = clock()
from spygames import {game_id}
env = {game_id}.env(**{options})
env.reset(seed=1)
for agent in env.agent_iter():
    observation, _, terminated, truncated, _ = env.last()
    env.step(None if terminated or truncated else int(observation["action_mask"].argmax()))
print(clock() - start)
"""


def fresh_process(code: str, cache: str | None = None) -> float:
    """Run Python code in a new process, in the root of the clone; return the last number that it prints."""
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        raise RuntimeError(f"a measured process failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])


def first_game(
    game_id: str = "agent_avenue_v0", options: Mapping[str, Any] | None = None, clock: str = "perf_counter"
) -> str:
    """Return code that plays one game and prints the seconds, import included, by a clock of the module `time`."""
    return FIRST_GAME.format(game_id=game_id, options=dict(options or {}), clock=clock)


def first_game_cold(code: str = "") -> Run:
    """Measure a first game with nothing compiled."""

    def run(_: float) -> float:
        with tempfile.TemporaryDirectory() as cache:
            return fresh_process(code or first_game(), cache)

    return run


def first_game_warm() -> Run:
    """Measure the first game of a later process."""
    fresh_process(first_game())
    return lambda _: fresh_process(first_game())


def needs_torch() -> None:
    """Raise NotHere if torch is not installed."""
    if importlib.util.find_spec("torch") is None:
        raise NotHere("needs the extra: pip install 'spygames[training]'")


def training() -> Run:
    needs_torch()
    from benchmarks.rates import training_rate

    return training_rate("agent_avenue_v0")


def searching(player: str) -> Run:
    needs_torch()
    from benchmarks.rates import search_rate

    return search_rate(player)


def _search(name: str, player: str) -> Bench:
    return Bench(name, f"`{player}` in both seats, 8 games at once, one thread", lambda: searching(player))


BENCHES = [
    Bench("aec", "AEC loop (agent_iter, last, step), actions known", lambda: replay(agent_avenue_v0.env())),
    Bench("aec_random", "AEC loop, `space.sample(mask)`", lambda: chosen(agent_avenue_v0.env())),
    Bench("batch", f"batch of {GAMES}, one thread, actions known", lambda: batch_replay(1)),
    Bench("batch_random", f"batch of {GAMES}, one thread, masked random choice by the bot", lambda: batch_random(1)),
    Bench("batch_2", f"batch of {2 * GAMES}, two threads, actions known", lambda: batch_replay(2, 2 * GAMES)),
    Bench("clone", "clone: the bytes of one state, a NumPy copy from Python", record_copy, "copies/s"),
    Bench("env_clone", "clone: `env.clone()`, a whole environment", env_clone, "copies/s"),
    Bench("determinize", "determinize, compiled loop over positions in mid-game", determinized, "calls/s"),
    Bench("determinize_py", "determinize, one call from Python", determinized_from_python, "calls/s"),
    _search("search", "agent_avenue/simple-2-first+search:64"),
    _search("search_bfloat16", "agent_avenue/simple-2-first+search:64,precision=bfloat16"),
    Bench("import", "`import spygames`", lambda: lambda _: fresh_process(IMPORT), "s", max_runs=5),
    Bench("cold", "first game, nothing compiled yet, import included", first_game_cold, "s", max_runs=3),
    Bench("warm", "first game of a later process, import included", first_game_warm, "s", max_runs=5),
    Bench("training", "training, both cores, network 2x128, 2 epochs", training, max_runs=5),
]
