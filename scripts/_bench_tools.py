"""What the benchmarks share: a benchmark as data, timing, and the machine's name."""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median

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


def put_between(page: Path, begin: str, end: str, content: str) -> None:
    """Puts `content` on a page in the place of what stands between two markers."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n\n{content}\n\n{end}{after}", encoding="utf-8")


def machine() -> dict[str, str]:
    """What the figures were taken on."""
    return {
        "processor": _processor(),
        "cores": str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numpy", "numba", "pettingzoo", "open_spiel", "torch", "sb3_contrib")},
        "load at the start": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
