"""Benchmarks of each game: speed for each interface, memory, and how both grow with the number of games."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby, product
from typing import Any

from rich.console import Console

import spygames
from benchmarks.loops import replay
from benchmarks.ours import (
    batch_replay,
    determinized,
    first_game,
    first_game_cold,
    fresh_process,
    needs_torch,
)
from benchmarks.tools import Bench, Result, Run, measure, show
from spygames.core.game.game import Game
from spygames.core.game.registry import game_module
from spygames.core.playing.batch import Batch
from spygames_training.output.tables import markdown_table, progress_bar

FULL = {"top_secret": True, "secret_identities": True}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "Agent Avenue, simple, 2 players": ("agent_avenue_v0", {}),
    "Agent Avenue, advanced, 2": ("agent_avenue_v0", {"mode": "advanced"}),
    "Agent Avenue, advanced, 4": ("agent_avenue_v0", {"mode": "advanced", "players": 4}),
    "Heimlich & Co., base game, 3": ("heimlich_v0", {"players": 3}),
    "Heimlich & Co., all cards, 4": ("heimlich_v0", {"players": 4, **FULL}),
    "Heimlich & Co., all cards, 7": ("heimlich_v0", {"players": 7, **FULL}),
    "Agent DOG, 2": ("agent_dog_v0", {"players": 2}),
    "Agent DOG, 4": ("agent_dog_v0", {"players": 4}),
}
"""Games and options of the measured variants, by their names in the tables."""
SIZES = tuple(10**k for k in range(7))
"""Batch sizes for the measurement of growth."""
GROWING = ("Agent Avenue, simple, 2 players", "Heimlich & Co., base game, 3", "Agent DOG, 4")
"""Variants whose growth with the number of games is measured."""

RESIDENT = """
import spygames
from spygames.core.playing.batch import Batch

def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024

game = spygames.make_game("{game_id}", **{options})
Batch(game, 1, seed=1, threads=1)
before = resident()
batch = Batch(game, {games}, seed=1, threads=1)
print(resident() - before)
"""
TRAINING_RUN = """
from benchmarks.rates import training_rate

training_rate("{game_id}", **{options})(0.1)
with open("/proc/self/status") as lines:  # getrusage would include the parent process
    print(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024)
"""


def game_of(variant: str) -> Game:
    """Return the game of a variant."""
    game_id, options = VARIANTS[variant]
    return spygames.make_game(game_id, **options)


def training(variant: str) -> Run:
    """Return the measurement of the training speed, which needs torch."""
    needs_torch()
    from benchmarks.rates import training_rate

    game_id, options = VARIANTS[variant]
    return training_rate(game_id, **options)


def cold(variant: str) -> Run:
    """Return the measurement of the CPU seconds of a first game with nothing compiled."""
    return first_game_cold(first_game(*VARIANTS[variant], "process_time"))


def aec(variant: str) -> Run:
    """Return the measurement of the loop over an AEC environment."""
    game_id, options = VARIANTS[variant]
    module: Any = game_module(game_id)
    return replay(module.env(**options))


@dataclass(frozen=True)
class Column:
    """A column of the table of variants."""

    name: str
    prepare: Callable[[str], Run]
    unit: str = "decisions/s"
    max_runs: int = 1000


COLUMNS = (
    Column("AEC loop", aec),
    Column("batch of 1,024", lambda variant: batch_replay(1, 1024, game_of(variant))),
    Column("2,048, two threads", lambda variant: batch_replay(2, 2048, game_of(variant))),
    Column("16,384, one thread", lambda variant: batch_replay(1, 16_384, game_of(variant), 32)),
    Column("16,384, two threads", lambda variant: batch_replay(2, 16_384, game_of(variant), 32)),
    Column("determinize", lambda variant: determinized(game_of(variant)), "calls/s"),
    Column("training, both cores", training, max_runs=5),
    Column("first game cold, CPU", cold, "s", max_runs=3),
)


def variant_benches() -> list[Bench]:
    """Return a benchmark for each variant and column."""
    return [
        Bench(f"{variant}: {c.name}", c.name, lambda c=c, v=variant: c.prepare(v), c.unit, max_runs=c.max_runs)
        for variant, c in product(VARIANTS, COLUMNS)
    ]


def growth_benches() -> list[Bench]:
    """Return a benchmark for each growing variant and number of games, on one thread and on two."""

    def run(variant: str, games: int, threads: int) -> Run:
        return batch_replay(threads, games, game_of(variant), max(8, min(4096, 2**20 // games)))

    return [
        Bench(
            f"{variant}: {games} games, {threads} threads",
            f"{games:,}",
            lambda v=variant, g=games, t=threads: run(v, g, t),
            max_runs=3,
        )
        for variant, games, threads in product(GROWING, SIZES, (1, 2))
        if threads == 1 or games > 1
    ]


def variant_table(results: list[Result]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table of medians, a variant per row."""
    width = len(COLUMNS)
    rows = [[variant, *(cell(r) for r in results[k * width : (k + 1) * width])] for k, variant in enumerate(VARIANTS)]
    return ["", *(c.name for c in COLUMNS)], rows


def growth_table(results: list[Result]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table of medians on one thread and on two, a number of games per row."""
    by_name = {r.bench.name: r for r in results}

    def rates(variant: str, games: int) -> str:
        found = [by_name.get(f"{variant}: {games} games, {threads} threads") for threads in (1, 2)]
        return ", ".join(cell(r) for r in found if r)

    rows = [[f"{games:,}", *(rates(variant, games) for variant in GROWING)] for games in SIZES]
    return ["games", *GROWING], rows


def cell(result: Result) -> str:
    """Return the median, or the reason why it is missing."""
    return result.reason if result.median is None else show(result.median, result.bench.unit)


@dataclass(frozen=True)
class Memory:
    """Memory of a variant, in bytes."""

    state: int
    """Size of a game's state."""
    view: int
    """Size of a seat's view (its observation)."""
    game: int
    """Size of everything that a batch holds for one game: state, seed, view, masks, rewards."""
    resident: dict[int, int]
    """Growth of the process by a batch, by its number of games."""
    training: int
    """Peak size of a training process (1,024 games of 64 steps, network 2x128)."""


def memory_of(variant: str, sizes: tuple[int, ...] = SIZES) -> Memory:
    """Measure the memory of a variant. The sizes of processes are measured only on Linux."""
    game_id, options = VARIANTS[variant]
    batch = Batch(game_of(variant), 64, seed=1, threads=1)
    held = sum(array.nbytes for array in batch.arrays) - batch.arrays.memory.nbytes  # those are the states again
    linux = sys.platform == "linux"
    resident = {
        games: int(fresh_process(RESIDENT.format(game_id=game_id, options=options, games=games)))
        for games in (sizes if linux else ())
    }
    run = int(fresh_process(TRAINING_RUN.format(game_id=game_id, options=options))) if linux else 0
    return Memory(batch.states.itemsize, batch.views.itemsize, held // 64, resident, run)


def memory_table(found: Mapping[str, Memory]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the table of memory, a variant per row."""
    rows = [
        [
            variant,
            f"{m.state:,}",
            f"{m.view:,}",
            f"{m.game:,}",
            *(f"{m.resident[n] / 2**20:,.0f} MiB" if n in m.resident else "" for n in (10_000, 1_000_000)),
            f"{m.training / 2**20:,.0f} MiB" if m.training else "",
        ]
        for variant, m in found.items()
    ]
    head = ["bytes", "state", "view", "a game in a batch", "batch of 10,000", "batch of 1,000,000", "training run"]
    return head, rows


@dataclass(frozen=True)
class Report:
    """All figures of the games."""

    variants: list[Result]
    growth: list[Result]
    memory: dict[str, Memory]

    def text(self) -> str:
        """Return the three tables in Markdown, each with a sentence about it."""
        parts = [
            "Medians, decisions a second. Batches replay recorded actions in games at all stages.",
            markdown_table(*variant_table(self.variants)),
            "Batches by their number of games, decisions a second on one thread and on two:",
            markdown_table(*growth_table(self.growth)),
            "Memory. The sizes of batches are what the process grows by; a training run is the largest size of the "
            "process, Python, torch and machine code included.",
            markdown_table(*memory_table(self.memory)),
        ]
        return "\n\n".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        return {
            "variants": {r.bench.name: r.figures for r in self.variants},
            "growth": {r.bench.name: r.figures for r in self.growth},
            "memory": {variant: asdict(m) for variant, m in self.memory.items()},
        }


def report(runs: int, seconds: float, console: Console) -> Report:
    """Measure everything, which takes some minutes and 10 GB of memory."""
    every = variant_benches()
    groups = [every[k : k + len(COLUMNS)] for k in range(0, len(every), len(COLUMNS))]  # one variant at a time
    variants = [r for group in groups for r in measure(group, runs, seconds, console)]
    benches = sorted(
        growth_benches(), key=lambda bench: len(bench.title)
    )  # one size at a time, since the largest need memory
    growth = [r for _, group in groupby(benches, lambda b: b.title) for r in measure([*group], runs, seconds, console)]
    with progress_bar("variants", console=console, transient=True) as bar:
        memory = {variant: memory_of(variant) for variant in bar.track(VARIANTS, description="memory")}
    return Report(variants, growth, memory)
