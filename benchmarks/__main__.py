"""The command `python -m benchmarks`. Run it from the root of a clone."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro
from rich.console import Console

from benchmarks.games import report
from benchmarks.others import BENCHES as THEIRS
from benchmarks.ours import BENCHES as OURS
from benchmarks.tools import (
    Result,
    about,
    as_json,
    caveat,
    cells,
    measure,
    settings_text,
    table,
)
from spygames_app.cli.arguments import AnyFile, Positive, WrongArguments, check_writable, run_command
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import markdown_table, put_between
from spygames_training.system.machine import machine

DOCS = Path(__file__).resolve().parents[1] / "docs"
RESULTS = DOCS / "results"
BEGIN, END = "<!-- figures: python -m benchmarks writes from here -->", "<!-- to here -->"
JAX = "<!-- jax: python -m benchmarks --jax writes from here -->", "<!-- to here, jax -->"
GPU = "<!-- gpu: python -m benchmarks --gpu writes from here -->", "<!-- to here, gpu -->"
GAMES = "<!-- games: python -m benchmarks --games writes from here -->", "<!-- to here, games -->"


def short(results: list[Result], host: dict[str, str]) -> str:
    """Return the few figures that the README shows."""
    found = {r.bench.name: r for r in results}
    rows = []
    for name in ("aec", "batch", "training", "pz_connect_four", "pz_leduc", "os_leduc", "os_backgammon"):
        r = found[name]
        who = r.bench.title if r.bench.beside else f"spygames, {r.bench.title}"
        rows.append([who, cells(r)[0] or r.reason])
    processor = f"{host['processor']} ({host['instructions']})"
    intro = f"Medians on {host['cores']} cores of an {processor}, decisions a second:{caveat(host)}"
    return f"{intro}\n\n{markdown_table(['', ''], rows)}"


def write(text: str, results: list[Result], host: dict[str, str], settings: str) -> None:
    """Write the figures between the markers of docs/results/benchmarks.md and README.md, and into benchmarks.json."""
    for page, content in ((RESULTS / "benchmarks.md", text), (DOCS.parent / "README.md", short(results, host))):
        put_between(page, BEGIN, END, content)
    content = as_json(results, host, settings)
    (RESULTS / "benchmarks.json").write_text(json.dumps(content, indent=1) + "\n")


@dataclass(frozen=True)
class Benchmarks:
    """Measure the speed of the environments and of other libraries.

        python -m benchmarks --quick --only aec batch os_leduc
        python -m benchmarks --train --minutes 1

    The benchmarks run in rounds, each of them once per round, so that a busy moment of the machine affects all equally.
    The table has the median and the range.

    --train measures training instead: the time from random weights to 85 % against greedy in Agent Avenue, with this
    package's PPO, with MaskablePPO as in PettingZoo's tutorial, and with MaskablePPO through our environment. It also
    measures the speed of training in each game. --games measures each game's speed and memory, from 1 to 1,000,000
    games at once. --jax measures the JAX environments beside those of Pgx. --gpu measures games and training on a GPU.
    """

    only: Annotated[tuple[str, ...], tyro.conf.arg(help_behavior_hint="", metavar="[NAME ...]")] = ()
    """Names of the benchmarks to run; an unknown name lists them. (default: all)"""
    runs: Positive = 7
    """Maximum number of runs of each benchmark. Start-up times take fewer."""
    seconds: float = 1.0
    """Length of a run in seconds."""
    quick: bool = False
    """3 runs of 0.2 seconds, for rough figures."""
    write: bool = False
    """Write the figures into docs/results/benchmarks.md and .json."""
    json: AnyFile = None
    """File for the figures as JSON. Not with --train."""
    games: bool = False
    """Measure each game (20 minutes, 10 GB of memory)."""
    jax: bool = False
    """Measure the JAX environments beside Pgx's, on one core."""
    gpu: bool = False
    """Measure games and training on a GPU, beside the same on all cores. Needs the extra gpu, torch and a GPU."""
    train: bool = False
    """Measure training. Needs the extra sb3."""
    minutes: float = 4.0
    """With --train: maximum minutes of training of each method."""

    def run(self) -> int:
        if not 0 < self.seconds <= 3600:  # nan is not
            raise WrongArguments(f"--seconds must be positive and at most 3600, not {self.seconds}")
        check_writable(self.json)
        if self.train:
            return self._measure_training()
        if self.games:
            return self._measure_games()
        if self.jax:
            return self._measure_jax()
        if self.gpu:
            return self._measure_gpu()
        benches = {b.name: b for b in (*OURS, *THEIRS)}
        if unknown := [name for name in self.only if name not in benches]:
            raise WrongArguments(f"no benchmark {unknown[0]!r}; the benchmarks are {', '.join(benches)}")
        if self.write and (self.only or self.quick):
            raise WrongArguments("--write needs complete tables of full runs: omit --only and --quick")
        runs, seconds = (3, 0.2) if self.quick else (self.runs, self.seconds)
        settings, host = settings_text(runs, seconds), machine()
        results = measure([benches[name] for name in self.only or benches], runs, seconds, Console())
        text = f"{table(results)}\n\n{about(settings, host)}"
        print(text)
        self._keep(as_json(results, host, settings))
        if self.write:
            write(text, results, host, settings)
        return 0

    def _measure_games(self) -> int:
        if self.only or (self.write and self.quick):
            raise WrongArguments("--games measures everything: omit --only, and do not combine --quick with --write")
        runs, seconds = (3, 0.2) if self.quick else (self.runs, self.seconds)
        settings, host = settings_text(runs, seconds), machine()
        found = report(runs, seconds, Console())
        text = f"{found.text()}\n\n{about(settings, host)}"
        return self._publish(text, {"settings": settings, "machine": host, **found.as_json()}, GAMES, "games")

    def _measure_jax(self) -> int:
        if self.only or (self.write and self.quick):
            raise WrongArguments("--jax measures everything: omit --only, and do not combine --quick with --write")
        try:
            from benchmarks import jax_games
        except ImportError as error:
            raise ValueError(f"--jax needs the extra: pip install 'spygames[bench]' ({error})") from error
        runs, seconds, host, how = 3, 0.2 if self.quick else self.seconds, machine(), jax_games.pinned()
        results = measure(jax_games.benches(), runs, seconds, Console())
        settings = f"{jax_games.versions()}. {how}, medians of {runs} runs of {seconds:g} s each, taken in rounds"
        text = f"{jax_games.text(results)}\n\n{about(settings, host)}"
        return self._publish(text, as_json(results, host, settings), JAX, "jax")

    def _measure_gpu(self) -> int:
        if self.only or (self.write and self.quick):
            raise WrongArguments("--gpu measures everything: omit --only, and do not combine --quick with --write")
        try:
            from benchmarks import gpu

            name, host = gpu.current_gpu().name, machine()
        except (ModuleNotFoundError, RuntimeError) as error:
            raise ValueError(f"--gpu: {error}") from error
        runs, seconds = (3, 0.2) if self.quick else (self.runs, self.seconds)
        results = measure(gpu.benches(), runs, seconds, Console())
        settings = f"{name}. {settings_text(runs, seconds)}"
        text = f"{gpu.text(results)}\n\n{about(settings, host)}"
        return self._publish(text, as_json(results, host, settings), GPU, "gpu")

    def _publish(self, text: str, figures: dict[str, Any], markers: tuple[str, str], name: str) -> int:
        """Print the tables and keep the figures; with --write, also between the markers of the page. Return 0."""
        print(text)
        self._keep(figures)
        if self.write:
            put_between(RESULTS / "benchmarks.md", *markers, text)
            (RESULTS / f"benchmarks_{name}.json").write_text(json.dumps(figures, indent=1) + "\n")
        return 0

    def _keep(self, figures: dict[str, Any]) -> None:
        """Write the figures to the file of --json."""
        if self.json:
            write_whole(self.json, json.dumps(figures, indent=1) + "\n")

    def _measure_training(self) -> int:
        if self.only or self.quick or self.json or self.minutes <= 0:
            raise WrongArguments(
                "--train takes --minutes (positive), --runs, --seconds and --write, and no other option"
            )
        try:
            from benchmarks.training import train
        except ImportError as error:
            raise ValueError(f"--train needs the extra: pip install 'spygames[sb3]' ({error})") from error
        train(self.minutes, self.runs, self.seconds, DOCS if self.write else None)
        return 0


if __name__ == "__main__":
    sys.exit(run_command(Benchmarks, None, "python -m benchmarks"))
