"""Everything that some games show, byte for byte, by each way of playing them; compiled and interpreted."""

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
"""Decisions of each seed's chain of games."""
TO_THE_NEXT = 2000
"""Decisions within which one chain is followed into its second game."""

Page = list[tuple[str, str, bytes]]
"""What was shown: where, which of state, view, mask, results or answer, and its bytes."""


def chosen(mask: np.ndarray, step: int) -> int:
    """A legal action that differs between steps."""
    legal = np.flatnonzero(mask)
    return int(legal[(step * 7919 + 13) % len(legal)])


def by_environment(game: Game, seed: int, steps: int) -> Page:
    """One step after the other: state, view and mask of the seat to move, and results where a game has ended."""
    env, page = GameEnv(game), Page()
    env.reset(seed=seed)
    for step in range(steps):
        at = f"seed {seed}, decision {step}"
        observation, *_ = env.last()
        assert observation is not None
        page.append((at, "state", env.state().tobytes()))
        page.append((at, "view", observation["observation"].tobytes()))
        page.append((at, "mask", observation["action_mask"].tobytes()))
        env.step(chosen(observation["action_mask"], step))
        if env.to_move < 0:
            results = np.array([env.rewards[agent] for agent in env.possible_agents], np.float32)
            page.append((at, "results", results.tobytes()))
            env.reset()
    return page


def by_batch(game: Game, seeds: Sequence[int], steps: int, threads: int = 1) -> Page:
    """The same for all seeds at once."""
    batch = Batch(game, len(seeds), threads=threads)
    batch.reset(seeds=np.array(seeds, np.uint64))
    pages = [Page() for _ in seeds]
    for step in range(steps):
        for i, (seed, page) in enumerate(zip(seeds, pages, strict=True)):
            at = f"seed {seed}, decision {step}"
            page.append((at, "state", batch.states[i].tobytes()))
            page.append((at, "view", batch.observation[i].tobytes()))
            page.append((at, "mask", batch.mask[i].tobytes()))
        if not batch.mask.any(1).all():  # it is not the game that the others play, and can not go on
            break
        batch.step(np.array([chosen(mask, step) for mask in batch.mask]))
        for i in np.flatnonzero(batch.done).tolist():
            pages[i].append((f"seed {seeds[i]}, decision {step}", "results", batch.rewards[i].tobytes()))
    return [line for page in pages for line in page]


def by_kernels(game: Game, seed: int, steps: int) -> Page:
    """The same by the kernels alone, the view and the mask into memory that held something else before."""
    states, views, page = game.new_states(), game.new_views(), Page()
    mask = np.empty(game.num_actions, np.int8)
    s, view, start = as_record(states), as_record(views), np.uint64(seed)
    game.init(s, as_record(game.packed), start)
    for step in range(steps):
        at = f"seed {seed}, decision {step}"
        vector(views)[:], mask[:] = np.nan, 7
        game.observe(s, np.int64(s.to_move), view)  # type: ignore[arg-type]
        game.legal(s, mask)
        page += [(at, "state", states.tobytes()), (at, "view", views.tobytes()), (at, "mask", mask.tobytes())]
        game.apply(s, chosen(mask, step))
        if s.to_move < 0:
            out = np.full(game.num_players, np.nan, np.float32)
            game.returns(s, out)
            page.append((at, "results", out.tobytes()))
            start = np.uint64(next_seed(start))
            states.view(np.uint8)[:] = 0
            game.init(s, as_record(game.packed), start)
    return page


def by_waiting(game: Game, seed: int, steps: int) -> Page:
    """What every seat may know at each step of a game, also those that wait, and after its end."""
    env, page = GameEnv(game), Page()
    env.reset(seed=seed)
    for step in range(steps):
        for agent in env.possible_agents:
            observation = env.observe(agent)
            at = f"seed {seed}, decision {step} as {agent} sees it"
            page.append((at, "view", observation["observation"].tobytes()))
            page.append((at, "mask", observation["action_mask"].tobytes()))
        if env.to_move < 0:
            break
        env.step(chosen(mask_of(game, as_record(env.state().view(game.state_dtype))), 0))
    return page


def asides(game: Game, seed: int, steps: int, bots: bool) -> Page:
    """The determinized state of one seat after the other, and what one bot after the other answers."""
    states, page = game.start(seed), Page()
    s, names = as_record(states), sorted(game.bots) if bots else []
    for step in range(steps):
        if s.to_move == NOBODY:
            break
        at, seat = f"seed {seed}, decision {step}", step % game.num_players
        page.append(
            (f"{at}, determinized for seat {seat}", "state", determinized(game, states, seat, seed ^ step).tobytes())
        )
        mask, rng = mask_of(game, s), np.array([seed], np.uint64)
        for name in names[step % len(names) :][:1] if names else ():
            action = game.bots[name](as_record(view_of(game, s, int(s.to_move))), mask.copy(), rng)
            page.append((f"{at}, bot {name}", "answer", np.int64(action).tobytes() + rng.tobytes()))
        game.apply(s, chosen(mask, step))
    return page


def different(game: Game, one: Page, other: Page, names: tuple[str, str]) -> str | None:
    """Where two pages differ first, and how; None where they do not."""
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
    return None if len(one) == len(other) else f"{len(one)} things shown {names[0]}, {len(other)} {names[1]}"


def equal_bytes(trial: Trial) -> None:
    """Batch, environment and bare kernels play the same games, into the next game, whatever memory held before."""
    game, steps = trial.game, STEPS
    seeds = EDGES[-trial.times(len(EDGES)) :]
    chain = by_kernels(game, seeds[-1], TO_THE_NEXT)
    ends = [i for i, (_, what, _) in enumerate(chain) if what == "results"]
    if ends:
        steps = max(STEPS, ends[0] // 3 + 10)
    threads = 2 if trial.effort >= 1 else 1  # what threads run is compiled by itself, which takes seconds
    for some, length in ((seeds, STEPS), (seeds[-1:], steps)):
        kernels = [line for seed in some for line in by_kernels(game, seed, length)]
        environment = [line for seed in some for line in by_environment(game, seed, length)]
        for other, name in (
            (environment, "in the environment"),
            (by_batch(game, some, length, threads), "in the batch"),
        ):
            found = different(game, kernels, other, ("by the kernels alone", name))
            if found:
                trial.fail(f"{found}; all three play the same game from a zeroed state")


# ---------------------------------------------------------------- interpreted


class Job(NamedTuple):
    """What is played in both processes."""

    pickled: bytes
    """The game."""
    seeds: Sequence[int]
    steps: int
    bots: bool
    """Whether their answers are looked at."""


def pages(game: Game, job: Job) -> list[Page]:
    """What is compared with an interpreted process, which takes some hundred times as long for each decision."""
    return [
        [line for seed in job.seeds for line in by_kernels(game, seed, job.steps)],
        by_environment(game, job.seeds[-1], job.steps // 3),
        by_batch(game, job.seeds, job.steps // 3),
        [line for seed in job.seeds[-2:] for line in by_waiting(game, seed, job.steps // 3)],
        [line for seed in job.seeds for line in asides(game, seed, job.steps // 3, job.bots)],
    ]


def interpreted(trial: Trial) -> None:
    """Machine code does what a fresh interpreted process does with the sources as they are now."""
    compare_with_interpreted([trial])


def compare_with_interpreted(trials: Sequence[Trial], steps: int = STEPS) -> None:
    """`interpreted` for several games in one process, which has to start and import only once.

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
            raise Skip("the game is not in a module of its own that another process could import")
        jobs.append(Job(pickle.dumps(game), EDGES[-trial.times(len(EDGES)) :], steps, trial.bots))
    for trial, job, there in zip(trials, jobs, _in_fresh_process(trials[0], jobs), strict=True):
        for one, other in zip(pages(trial.game, job), there, strict=True):
            found = different(trial.game, one, other, ("compiled", "interpreted"))
            if found:
                trial.fail(
                    f"{found}; a sum that leaves its type wraps when interpreted only, and machine code may be older "
                    "than an edit"
                )


def _in_fresh_process(trial: Trial, jobs: list[Job]) -> list[list[Page]]:
    """The `pages` of pickled games, each with seeds and steps, by an interpreted process."""
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = Path(folder) / "asked", Path(folder) / "answered"
        asked.write_bytes(pickle.dumps(jobs))
        # The same modules are found there as here, also beside a script or in the current folder.
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        code = "import sys; from spygames.testing.transcript import answer; answer(*sys.argv[1:])"
        run = subprocess.run(
            [sys.executable, "-c", code, str(asked), str(answered)],
            env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path},
            capture_output=True,
            text=True,
        )
        if run.returncode != 0:
            last = (run.stderr.strip().splitlines() or ["no word"])[-1]
            trial.fail(f"a fresh process with NUMBA_DISABLE_JIT=1 fails with {short(last)}")
        return pickle.loads(answered.read_bytes())


def answer(asked: str, answered: str) -> None:
    """What the fresh process does: reads pickled jobs and writes their pages."""
    jobs: list[Job] = pickle.loads(Path(asked).read_bytes())
    Path(answered).write_bytes(pickle.dumps([pages(pickle.loads(job.pickled), job) for job in jobs]))
