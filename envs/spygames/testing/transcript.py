"""Transcripts of games: all bytes that a game shows, by environment, batch and kernels, compiled and interpreted."""

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from spygames.core.compiling.digest import numba
from spygames.core.envs.aec import GameEnv
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rng import next_seed
from spygames.core.playing.batch import Batch
from spygames.testing.trial import (
    EDGES,
    Skip,
    Trial,
    determinized,
    difference,
    mask_of,
    short,
    vector,
    view_of,
)

STEPS = 60
"""Decisions played per seed; when a game ends, the next one follows."""
TO_THE_NEXT = 2000
"""Maximum number of decisions in which one seed is played into its second game."""

Transcript = list[tuple[str, str, bytes]]
"""A transcript, as entries (position, what, bytes); "what" is state, view, mask, results or answer."""


def chosen(mask: np.ndarray, step: int) -> int:
    """Choose a legal action, which varies with the step."""
    legal = np.flatnonzero(mask)
    return int(legal[(step * 7919 + 13) % len(legal)])


def by_environment(game: Game, seed: int, steps: int) -> Transcript:
    """Transcript by the environment: state, view and mask of the seat to move at each step, and results at each end."""
    env, entries = GameEnv(game), Transcript()
    env.reset(seed=seed)
    for step in range(steps):
        at = f"seed {seed}, decision {step}"
        observation, *_ = env.last()
        assert observation is not None
        entries.append((at, "state", env.state().tobytes()))
        entries.append((at, "view", observation["observation"].tobytes()))
        entries.append((at, "mask", observation["action_mask"].tobytes()))
        env.step(chosen(observation["action_mask"], step))
        if env.to_move < 0:
            results = np.array([env.rewards[agent] for agent in env.possible_agents], np.float32)
            entries.append((at, "results", results.tobytes()))
            env.reset()
    return entries


def by_batch(game: Game, seeds: Sequence[int], steps: int, threads: int = 1) -> Transcript:
    """The same transcript by a batch, for all seeds at once."""
    batch = Batch(game, len(seeds), threads=threads)
    batch.reset(seeds=np.array(seeds, np.uint64))
    transcripts = [Transcript() for _ in seeds]
    for step in range(steps):
        for i, (seed, entries) in enumerate(zip(seeds, transcripts, strict=True)):
            at = f"seed {seed}, decision {step}"
            entries.append((at, "state", batch.states[i].tobytes()))
            entries.append((at, "view", batch.observation[i].tobytes()))
            entries.append((at, "mask", batch.mask[i].tobytes()))
        if not batch.mask.any(1).all():  # a faulty game, which cannot continue; the transcripts differ
            break
        batch.step(np.array([chosen(mask, step) for mask in batch.mask]))
        for i in np.flatnonzero(batch.done).tolist():
            transcripts[i].append((f"seed {seeds[i]}, decision {step}", "results", batch.rewards[i].tobytes()))
    return [line for entries in transcripts for line in entries]


def by_kernels(game: Game, seed: int, steps: int) -> Transcript:
    """The same transcript by the kernels alone, with view and mask written into buffers with old contents."""
    states, views, entries = game.new_states(), game.new_views(), Transcript()
    mask = np.empty(game.num_actions, np.int8)
    s, view, start = as_record(states), as_record(views), np.uint64(seed)
    game.init(s, as_record(game.packed), start)
    for step in range(steps):
        at = f"seed {seed}, decision {step}"
        vector(views)[:], mask[:] = np.nan, 7
        game.observe(s, np.int64(s.to_move), view)  # type: ignore[arg-type]
        game.legal(s, mask)
        entries += [(at, "state", states.tobytes()), (at, "view", views.tobytes()), (at, "mask", mask.tobytes())]
        game.apply(s, chosen(mask, step))
        if s.to_move < 0:
            out = np.full(game.num_players, np.nan, np.float32)
            game.returns(s, out)
            entries.append((at, "results", out.tobytes()))
            start = np.uint64(next_seed(start))
            states.view(np.uint8)[:] = 0
            game.init(s, as_record(game.packed), start)
    return entries


def by_waiting(game: Game, seed: int, steps: int) -> Transcript:
    """Transcript of what all seats may know at each step of a game and after its end, including those that wait."""
    env, entries = GameEnv(game), Transcript()
    env.reset(seed=seed)
    for step in range(steps):
        for agent in env.possible_agents:
            observation = env.observe(agent)
            at = f"seed {seed}, decision {step} as {agent} sees it"
            entries.append((at, "view", observation["observation"].tobytes()))
            entries.append((at, "mask", observation["action_mask"].tobytes()))
        if env.to_move < 0:
            break
        env.step(chosen(mask_of(game, as_record(env.state().view(game.state_dtype))), 0))
    return entries


def asides(game: Game, seed: int, steps: int, bots: bool) -> Transcript:
    """Transcript of determinized states, for one seat per step, and of bots' answers, for one bot per step."""
    states, entries = game.start(seed), Transcript()
    s, names = as_record(states), sorted(game.bots) if bots else []
    for step in range(steps):
        if s.to_move == NOBODY:
            break
        at, seat = f"seed {seed}, decision {step}", step % game.num_players
        entries.append(
            (f"{at}, determinized for seat {seat}", "state", determinized(game, states, seat, seed ^ step).tobytes())
        )
        mask, rng = mask_of(game, s), np.array([seed], np.uint64)
        for name in names[step % len(names) :][:1] if names else ():
            action = game.bots[name](as_record(view_of(game, s, int(s.to_move))), mask.copy(), rng)
            entries.append((f"{at}, bot {name}", "answer", np.int64(action).tobytes() + rng.tobytes()))
        game.apply(s, chosen(mask, step))
    return entries


def different(game: Game, one: Transcript, other: Transcript, names: tuple[str, str]) -> str | None:
    """Describe the first difference between two transcripts; None if they are equal."""
    dtypes = {
        "state": game.state_dtype,
        "view": game.view_dtype,
        "mask": np.dtype((np.int8, game.num_actions)),
        "results": np.dtype((np.float32, game.num_players)),
        "answer": np.dtype((np.int64, 2)),
    }
    for (at, what, a), (at_other, what_other, b) in zip(one, other, strict=False):
        if (at, what) != (at_other, what_other):
            return f"{at}: {what} {names[0]}, but {at_other}: {what_other} {names[1]}"
        if a != b:
            one_, other_ = (np.frombuffer(data, np.dtype([(what, dtypes[what])])) for data in (a, b))
            if dtypes[what].names:
                one_, other_ = (np.frombuffer(data, dtypes[what]) for data in (a, b))
                return f"{at}: {what}: {difference(one_, other_, names)}"
            return f"{at}: {difference(one_, other_, names)}"
    return None if len(one) == len(other) else f"{len(one)} entries {names[0]}, {len(other)} {names[1]}"


def equal_bytes(trial: Trial) -> None:
    """Batch, environment and bare kernels play the same games, even after restarts and in buffers with old contents."""
    game, steps = trial.game, STEPS
    seeds = EDGES[-trial.times(len(EDGES)) :]
    chain = by_kernels(game, seeds[-1], TO_THE_NEXT)
    ends = [i for i, (_, what, _) in enumerate(chain) if what == "results"]
    if ends:
        steps = max(STEPS, ends[0] // 3 + 10)
    threads = 2 if trial.effort >= 1 else 1  # the loop for threads is compiled separately, which takes seconds
    for some, length in ((seeds, STEPS), (seeds[-1:], steps)):
        kernels = [line for seed in some for line in by_kernels(game, seed, length)]
        environment = [line for seed in some for line in by_environment(game, seed, length)]
        for other, name in (
            (environment, "in the environment"),
            (by_batch(game, some, length, threads), "in the batch"),
        ):
            found = different(game, kernels, other, ("by the kernels alone", name))
            if found:
                trial.fail(f"{found}; kernels, environment and batch must play the same game from a zeroed state")


# ---------------------------------------------------------------- interpreted


class Job(NamedTuple):
    """A game to play in both processes, with the settings."""

    pickled: bytes
    """The game."""
    seeds: Sequence[int]
    steps: int
    bots: bool
    """Whether the answers of bots are compared."""


def transcripts(game: Game, job: Job) -> list[Transcript]:
    """Return the transcripts to compare. An interpreted process takes some hundred times as long per decision."""
    return [
        [line for seed in job.seeds for line in by_kernels(game, seed, job.steps)],
        by_environment(game, job.seeds[-1], job.steps // 3),
        by_batch(game, job.seeds, job.steps // 3),
        [line for seed in job.seeds[-2:] for line in by_waiting(game, seed, job.steps // 3)],
        [line for seed in job.seeds for line in asides(game, seed, job.steps // 3, job.bots)],
    ]


def interpreted(trial: Trial) -> None:
    """Machine code gives the same bytes as a fresh process that interprets the current sources."""
    compare_with_interpreted([trial])


def compare_with_interpreted(trials: Sequence[Trial], steps: int = STEPS) -> None:
    """Do the check `interpreted` for several games in one process, which starts and imports only once.

    Raises:
        ContractError: the first difference.
        Skip: no other process can make the game.
    """
    jobs: list[Job] = []
    for trial in trials:
        game = trial.game
        if numba.config.DISABLE_JIT:
            raise Skip("NUMBA_DISABLE_JIT is set, so nothing is compiled here")
        functions = (game.init, game.legal, game.apply, game.returns, game.observe, game.determinize)
        homes = {game.module.__name__, *(f.__module__ for f in (*functions, *game.bots.values()))}
        if "__main__" in homes or not getattr(game.module, "__file__", None):
            raise Skip("the game is not in a module that another process can import")
        jobs.append(Job(pickle.dumps(game), EDGES[-trial.times(len(EDGES)) :], steps, trial.bots))
    for trial, job, there in zip(trials, jobs, _in_fresh_process(trials[0], jobs), strict=True):
        for one, other in zip(transcripts(trial.game, job), there, strict=True):
            found = different(trial.game, one, other, ("compiled", "interpreted"))
            if found:
                trial.fail(
                    f"{found}; either an integer leaves its type, which wraps only when interpreted, or machine code "
                    "is older than the sources"
                )


def _in_fresh_process(trial: Trial, jobs: list[Job]) -> list[list[Transcript]]:
    """Return the `transcripts` of each job, computed by an interpreted process."""
    with tempfile.TemporaryDirectory() as folder:
        jobs_file, transcripts_file = Path(folder) / "jobs", Path(folder) / "transcripts"
        jobs_file.write_bytes(pickle.dumps(jobs))
        # The process finds the same modules as this one, also beside a script or in the current folder.
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        code = "import sys; from spygames.testing.transcript import answer; answer(*sys.argv[1:])"
        run = subprocess.run(
            [sys.executable, "-c", code, str(jobs_file), str(transcripts_file)],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        if run.returncode != 0:
            last = (run.stderr.strip().splitlines() or ["no message"])[-1]
            trial.fail(f"a fresh process with NUMBA_DISABLE_JIT=1 fails: {short(last)}")
        return pickle.loads(transcripts_file.read_bytes())


def answer(jobs_file: str, transcripts_file: str) -> None:
    """Read pickled jobs and write their transcripts. The fresh process runs this function."""
    jobs: list[Job] = pickle.loads(Path(jobs_file).read_bytes())
    Path(transcripts_file).write_bytes(pickle.dumps([transcripts(pickle.loads(job.pickled), job) for job in jobs]))
