"""Tools of the benchmarks: their data type, timing, and tables."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from statistics import median
from typing import TYPE_CHECKING, Any

from spygames_training.output.tables import markdown_table

if TYPE_CHECKING:
    from rich.console import Console

Run = Callable[[float], float]
"""Measures once, for about the given number of seconds, and returns the figure."""


class NotHere(Exception):
    """The package to measure is not installed. The message tells how to install it."""


@dataclass(frozen=True)
class Bench:
    """One row of the table."""

    name: str
    """Name for `--only`."""
    title: str
    """Title of the row."""
    prepare: Callable[[], Run]
    """Loads and warms up before the timing; raises NotHere."""
    unit: str = "decisions/s"
    beside: str = ""
    """Name of our benchmark with the same work, if this one measures another library."""
    max_runs: int = 1000
    """Maximum number of runs, for slow benchmarks."""


@dataclass
class Result:
    """The figures of one row, one per run. If it could not be measured, no figures and a reason."""

    bench: Bench
    figures: list[float]
    reason: str = ""

    @property
    def median(self) -> float | None:
        return median(self.figures) if self.figures else None


def rate(work: Callable[[], int], clock: Callable[[], float] = time.process_time) -> Run:
    """Return a measurement that repeats `work`, which returns its amount of work, and gives the amount per second.

    The default clock is the CPU time of the process. For one thread it equals the wall time on an idle machine, and
    changes little on a busy one. Work on several threads needs `time.perf_counter`.
    """

    def run(seconds: float) -> float:
        done, start = 0, clock()
        while True:
            done += work()
            passed = clock() - start
            if passed >= seconds:
                return done / passed

    return run


def show(figure: float, unit: str) -> str:
    """Return a figure with three significant digits."""
    if unit == "s":
        return f"{figure:.2f} s"
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if figure >= size:
            figure /= size
            return f"{figure:.0f}{letter}" if figure >= 100 else f"{figure:.3g}{letter}"
    return f"{figure:.3g}"


def measure(benches: list[Bench], runs: int, seconds: float, console: "Console") -> list[Result]:
    """Run all benchmarks and return their figures. The progress bar is on `console`."""
    results = [Result(bench, []) for bench in benches]
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=sum(min(runs, b.max_runs) for b in benches) + len(benches))
        prepared = []
        for result in results:
            progress.update(task, description=f"prepare {result.bench.name}")
            try:
                prepared.append(result.bench.prepare())
            except NotHere as reason:
                prepared.append(None)
                result.reason = str(reason)
            progress.advance(task)
        for turn in range(runs):
            for run, result in zip(prepared, results, strict=True):
                if turn < result.bench.max_runs:
                    progress.update(task, description=result.bench.name)
                    if run:
                        result.figures.append(run(seconds))
                    progress.advance(task)
    return results


def table(results: list[Result]) -> str:
    """Return the figures as Markdown: our own, then those of other libraries with the ratio to ours."""
    ours = {r.bench.name: r for r in results if not r.bench.beside}
    theirs = [r for r in results if r.bench.beside]
    tables = []
    if ours:
        head = ["spygames, Agent Avenue, simple mode, two players", "median", "lowest to highest", "unit"]
        tables.append(markdown_table(head, [[r.bench.title, *cells(r), r.bench.unit] for r in ours.values()]))
    if theirs:
        rows = []
        for r in theirs:
            own = ours.get(r.bench.beside)
            ratio = f"{own.median / r.median:.3g} x" if own and own.median and r.median else ""
            rows.append([r.bench.title, *cells(r), r.bench.unit, ratio])
        head = ["other libraries", "median", "lowest to highest", "unit", "spygames, same loop"]
        tables.append(markdown_table(head, rows))
    return "\n\n".join(tables)


def cells(result: Result) -> tuple[str, str]:
    """Return the median and the range, or the reason why they are missing."""
    if result.median is None:
        return "", result.reason
    unit = result.bench.unit
    return show(result.median, unit), f"{show(min(result.figures), unit)} to {show(max(result.figures), unit)}"


def caveat(host: dict[str, str]) -> str:
    """Return a warning if other jobs used the machine."""
    load = host["load at the start"]
    if load == "unknown" or float(load) <= 0.7:
        return ""
    return " **Other jobs ran beside it: what is timed by the wall (two threads, training, start-up) is too slow.**"


def about(settings: str, host: dict[str, str]) -> str:
    """Return the line under the tables: date, machine, versions and settings."""
    on = f"{host['processor']} ({host['instructions']}), {host['cores']} cores, {host['system']}"
    versions = ", ".join(f"{k} {host[k]}" for k in ("python", "numpy", "numba", "pettingzoo", "open_spiel", "torch"))
    busy = f"Load average at the start: {host['load at the start']}.{caveat(host)}"
    return f"{date.today()}, {on}; {versions}. {settings}. {busy}"


def settings_text(runs: int, seconds: float) -> str:
    """Return a description of how the figures were measured."""
    return f"{runs} runs of {seconds:g} s each (start-up times: 3 to 5), taken in rounds"


def as_json(results: list[Result], host: dict[str, str], settings: str) -> dict[str, Any]:
    """Return all figures as plain values."""
    figures = {
        r.bench.name: {
            "title": r.bench.title,
            "unit": r.bench.unit,
            "median": r.median,
            "figures": r.figures,
            **({"beside": r.bench.beside} if r.bench.beside else {}),
            **({"reason": r.reason} if r.reason else {}),
        }
        for r in results
    }
    return {"date": date.today().isoformat(), "settings": settings, "machine": host, "results": figures}
