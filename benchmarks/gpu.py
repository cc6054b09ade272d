"""Benchmarks on a GPU: games stepped there, and training with the network there."""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context

from benchmarks.games import VARIANTS as EACH
from benchmarks.games import game_of
from benchmarks.ours import batch_replay
from benchmarks.rates import training_rate
from benchmarks.tools import Bench, Result, Run, rate, show
from spygames.core.game.game import Game
from spygames.core.gpu.device import DeviceGames, Kernel, current_gpu
from spygames.core.gpu.ptx import LAYOUTS, Layout, choose_ptx, step_ptx
from spygames.core.playing.batch import Batch
from spygames_training.config import PPO
from spygames_training.output.tables import markdown_table

VARIANTS = tuple(variant for variant in EACH if variant not in ("Heimlich & Co., all cards, 7", "Agent DOG, 2"))
"""Names of the measured variants."""
FAULTY = ("Agent DOG, 4", "lanes")
"""Left out: it ended with an illegal address on an NVIDIA H200."""
GAMES = 262_144
"""Games at once on the GPU."""
STEPS = 200
"""Steps between two waits for the GPU."""
WARM_UP = 100
"""Steps before the measurement, so that games are at all stages."""
WIDTHS = ((128, 128), (512, 512))
"""Hidden layers of the trained networks."""
SETTINGS = {"1,024 games": PPO(), "8,192 games": PPO(games=8192, minibatch=32_768)}
"""Settings of the training, by their names in the table."""


def _compile(variant: str, layout: Layout, capability: tuple[int, int]) -> tuple[str, str]:
    ptx = choose_ptx(layout, capability), step_ptx(game_of(variant), layout, capability)
    for each in ptx:
        Kernel(each)  # the driver's compiler is slow, too; it keeps the machine code on disk for the next process
    return ptx


def compile_all(capability: tuple[int, int]) -> dict[tuple[str, Layout], tuple[str, str]]:
    """Return the PTX of all kernels, compiled by a process per core."""
    names = [name for name in product(VARIANTS, LAYOUTS) if name != FAULTY]
    with ProcessPoolExecutor(min(len(names), os.cpu_count() or 1), get_context("spawn")) as pool:
        variants, layouts = zip(*names, strict=True)
        return dict(zip(names, pool.map(_compile, variants, layouts, [capability] * len(names)), strict=True))


def on_gpu(game: Game, layout: Layout, ptx: tuple[str, str]) -> Run:
    """Return the measurement of games on the GPU, in decisions per second. The GPU draws the actions at random."""
    batch = Batch(game, GAMES, seed=1)
    games = DeviceGames(game, batch.states, batch.seeds, batch.mask, layout, ptx=ptx)

    def work(steps: int = STEPS) -> int:
        for _ in range(steps):
            games.choose()
            games.step()
        games.wait()
        return steps * GAMES

    work(WARM_UP)
    return rate(work, time.perf_counter)


def game_benches() -> list[Bench]:
    """Return a benchmark for each variant and layout, and one of a batch on the CPU."""
    compiled: dict[tuple[str, Layout], tuple[str, str]] = {}
    threads = os.cpu_count() or 1

    def prepare(variant: str, layout: Layout) -> Run:
        if not compiled:
            compiled.update(compile_all(current_gpu().capability))
        return on_gpu(game_of(variant), layout, compiled[variant, layout])

    benches = []
    for variant in VARIANTS:
        for layout in LAYOUTS:
            if (variant, layout) != FAULTY:
                benches.append(Bench(f"{variant}: {layout}", layout, partial(prepare, variant, layout)))
        cpu = partial(batch_replay, threads, 65_536, game_of(variant), 32)
        benches.append(Bench(f"{variant}: CPU", f"batch, {threads} threads", cpu))
    return benches


def training_benches() -> list[Bench]:
    """Return a benchmark of training for each network, setting and device."""
    train = partial(training_rate, "agent_avenue_v0", workers=os.cpu_count())
    return [
        Bench(
            f"{width(hidden)}, {title}: {device}",
            f"{width(hidden)}, {title}",
            partial(train, hidden=hidden, ppo=ppo, device=device),
            max_runs=3,
        )
        for hidden, (title, ppo), device in product(WIDTHS, SETTINGS.items(), ("cpu", "cuda"))
    ]


def width(hidden: tuple[int, ...]) -> str:
    """Return the name of a network: number of layers and their width."""
    return f"{len(hidden)}x{hidden[0]}"


def cell(results: dict[str, Result], name: str) -> str:
    """Return a median, or nothing."""
    found = results[name].median if name in results else None
    return show(found, "decisions/s") if found else ""


def text(results: list[Result]) -> str:
    """Return both tables as Markdown."""
    by_name, threads = {r.bench.name: r for r in results}, os.cpu_count() or 1
    columns = [*LAYOUTS, "CPU"]
    games = [[variant, *(cell(by_name, f"{variant}: {c}") for c in columns)] for variant in VARIANTS]
    names = [f"{width(hidden)}, {title}" for hidden, title in product(WIDTHS, SETTINGS)]
    rows = [[name, *(cell(by_name, f"{name}: {device}") for device in ("cpu", "cuda"))] for name in names]
    head = ["decisions/s", *(f"GPU, `{layout}`" for layout in LAYOUTS), f"batch on the CPU, {threads} threads"]
    below = ["training, decisions/s", f"network on the CPU, {threads} workers", "network on the GPU"]
    return f"{markdown_table(head, games)}\n\n{markdown_table(below, rows)}"


def benches() -> list[Bench]:
    """Return all benchmarks of a GPU."""
    return [*game_benches(), *training_benches()]
