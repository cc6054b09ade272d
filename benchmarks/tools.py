"""Measuring speed: a benchmark as data, timing, and the table."""

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
"""Measures once, for about so many seconds, and returns the figure."""


class NotHere(Exception):
    """What is to be measured is not installed; the message says what to do."""


@dataclass(frozen=True)
class Bench:
    """One row of the table."""

    name: str
    """For `--only`."""
    title: str
    """What is done."""
    prepare: Callable[[], Run]
    """Loads and warms up, outside of the timing; raises NotHere."""
    unit: str = "decisions/s"
    beside: str = ""
    """Name of our benchmark that does the same thing, if this one measures another library."""
    most_runs: int = 1000
    """For what takes long."""


@dataclass
class Result:
    """The figures of one row, one a run; none, and a reason, if it could not be measured."""

    bench: Bench
    figures: list[float]
    reason: str = ""

    @property
    def median(self) -> float | None:
        return median(self.figures) if self.figures else None


def rate(work: Callable[[], int], clock: Callable[[], float] = time.process_time) -> Run:
    """Repeats `work`, which returns how much it did, and gives the amount a second.

    The clock is the process's CPU time: for one thread the same as time by the wall on a quiet machine, and much the
    same on a busy one. What uses several threads takes `time.perf_counter`.
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
    """A figure with three digits that count."""
    if unit == "s":
        return f"{figure:.2f} s"
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if figure >= size:
            figure /= size
            return f"{figure:.0f}{letter}" if figure >= 100 else f"{figure:.3g}{letter}"
    return f"{figure:.3g}"


def measure(benches: list[Bench], runs: int, seconds: float, console: "Console") -> list[Result]:
    """Returns all figures of all benchmarks; the bar is on `console`."""
    results = [Result(bench, []) for bench in benches]
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=sum(min(runs, b.most_runs) for b in benches) + len(benches))
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
                if turn < result.bench.most_runs:
                    progress.update(task, description=result.bench.name)
                    if run:
                        result.figures.append(run(seconds))
                    progress.advance(task)
    return results


def table(results: list[Result]) -> str:
    """The figures as Markdown: ours, then the others' beside ours."""
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
    """Returns the median and the range, or why there is none."""
    if result.median is None:
        return "", result.reason
    unit = result.bench.unit
    return show(result.median, unit), f"{show(min(result.figures), unit)} to {show(max(result.figures), unit)}"


def caveat(host: dict[str, str]) -> str:
    """A warning if others used the machine."""
    load = host["load at the start"]
    if load == "unknown" or float(load) <= 0.7:
        return ""
    return " **Other jobs ran beside it: what is timed by the wall (two threads, training, start-up) is too slow.**"


def about(settings: str, host: dict[str, str]) -> str:
    """Returns the line under the tables: when, where, with which versions and settings."""
    on = f"{host['processor']} ({host['instructions']}), {host['cores']} cores, {host['system']}"
    versions = ", ".join(f"{k} {host[k]}" for k in ("python", "numpy", "numba", "pettingzoo", "open_spiel", "torch"))
    busy = f"Load average at the start: {host['load at the start']}.{caveat(host)}"
    return f"{date.today()}, {on}; {versions}. {settings}. {busy}"


def settings_text(runs: int, seconds: float) -> str:
    """Returns how the figures were taken."""
    return f"{runs} runs of {seconds:g} s each (start-up times: 3 to 5), taken in rounds"


def as_json(results: list[Result], host: dict[str, str], settings: str) -> dict[str, Any]:
    """Returns every figure, for machines."""
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
