"""`spygames bench`."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import tyro

from spygames_app.cli.arguments import AnyFile, Positive, WrongArguments, check_writable, console, say

Name = Literal[
    "aec",
    "aec_random",
    "batch",
    "batch_random",
    "batch_2",
    "clone",
    "env_clone",
    "determinize",
    "determinize_py",
    "search",
    "search_bfloat16",
    "import",
    "cold",
    "warm",
    "training",
]
"""Of the benchmarks; a test compares them with `spygames_app.bench.ours.BENCHES`, which is slow to import."""


@dataclass(frozen=True)
class Bench:
    """Measures how fast the environments and training are on this machine.

        spygames bench
        spygames bench --quick --only aec batch
        spygames bench --games

    The runs are taken in rounds, each benchmark once a round, so that a busy moment of the machine touches all alike;
    the table has the median and the range. Beside other libraries: `make bench` in a clone.
    """

    only: Annotated[tuple[Name, ...], tyro.conf.arg(help_behavior_hint="", metavar="[NAME [NAME ...]]")] = ()
    """These alone: aec, aec_random, batch, batch_random, batch_2, clone, env_clone, determinize, determinize_py,
    search, import, cold, warm, training."""
    runs: Positive = 7
    """Runs of each, at most; start-up times take fewer."""
    seconds: float = 1.0
    """Length of a run."""
    quick: bool = False
    """3 runs of 0.2 seconds: rough figures."""
    games: bool = False
    """Instead: each game's speed and memory, from 1 to 1,000,000 games at once; 20 minutes and 10 GB."""
    json: AnyFile = None
    """Where to write the figures."""

    @staticmethod
    def surplus(text: str) -> str:
        """What is right in the place of a word that stands alone."""
        return f"a benchmark is given as --only {text}" if text in get_args(Name) else ""

    def run(self) -> int:
        if not 0 < self.seconds <= 3600:  # nan is not
            raise WrongArguments(f"--seconds must be positive, and at most 3600, not {self.seconds}")
        if self.games and self.only:
            raise WrongArguments("--games measures everything of each game: leave out --only")
        check_writable(self.json)
        from spygames_app.bench.ours import BENCHES
        from spygames_app.bench.tools import about, as_json, machine, measure, settings_text, table

        runs, seconds = (3, 0.2) if self.quick else (self.runs, self.seconds)
        settings, host = settings_text(runs, seconds), machine()
        if self.games:
            from spygames_app.bench.games import report

            found = report(runs, seconds, console(stderr=True))
            self._show(found.text(), about(settings, host), {"settings": settings, "machine": host, **found.as_json()})
            return 0
        benches = [bench for bench in BENCHES if bench.name in (self.only or get_args(Name))]
        results = measure(benches, runs, seconds, console(stderr=True))
        self._show(table(results), about(settings, host), as_json(results, host, settings))
        return 0

    def _show(self, text: str, about: str, figures: dict[str, Any]) -> None:
        """Keeps the figures, then shows them."""
        if self.json:
            from spygames_training.atomic import write_whole

            write_whole(self.json, json.dumps(figures, indent=1) + "\n")
        say(f"{text}\n\n{about}")
        if self.json:
            say(f"results: {self.json}")
