"""A series of training runs, computed one after another or several at a time."""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import mean
from typing import Any
from uuid import uuid4

from spygames.core.game.registry import make_game
from spygames_training.config import Config, differences
from spygames_training.experiments.run_tasks import packed, recover, train_task, unpack
from spygames_training.output.tables import progress_bar
from spygames_training.parallel.executor import SERIAL, Executor, Task
from spygames_training.runs.folder import resume_config
from spygames_training.runs.report import SUMMARY, read_summary
from spygames_training.runs.run import check_own_code, in_full
from spygames_training.runs.train import train

Say = Callable[[str], None]
"""Called with a line about the progress, like `print`."""


class Series:
    """Training runs of several configs in sibling folders. Finished runs are not repeated, stopped runs are resumed.

    Args:
        configs: by the name of the run's folder.
        folder: the parent of those folders.
        say: called with a line when a run begins.
        passed: further arguments of `train` for each run. For runs in other processes they must be picklable, and
            callbacks are called there.
        executor: computes the runs.

    Raises:
        ValueError: a folder holds a run with other settings or other code (`network`, `shaping`); raised before the
            first run begins.
    """

    def __init__(
        self,
        configs: Mapping[str, Config],
        folder: Path,
        say: Say = print,
        passed: Mapping[str, Any] | None = None,
        executor: Executor = SERIAL,
    ):
        self.configs, self.folder, self.say, self.passed = configs, folder, say, dict(passed or {})
        self.executor = executor
        self._took: list[float] = []
        for name, config in configs.items():
            recover(folder / name)
            if not self._begun(name):
                continue
            game = self.passed.get("game") or make_game(config.game, **config.options)
            if other := differences(resume_config(folder / name), in_full(config, game)):
                names = ", ".join(other)
                raise ValueError(
                    f"{folder / name} holds a run with other settings ({names}): choose another folder (--out)"
                )
            check_own_code(folder / name, self.passed.get("network"), self.passed.get("shaping"))

    def runs(self) -> Iterator[Path]:
        """Yield each run's folder, in the order of the configs, when the run is finished.

        An executor that computes several runs at a time finishes all of them first.

        Raises:
            Exception: as in `Run.train` and `Executor.run`.
        """
        if self.executor.parallel:
            self._train_together()
        for name in self.configs:
            yield self.folder / name if self.executor.parallel else self._train(name)

    def _train_together(self) -> None:
        """Train or resume all unfinished runs, several at a time."""
        names = [name for name in self.configs if not self._finished(name)]
        if not names:
            return
        folder = self.folder.resolve()
        folder.mkdir(parents=True, exist_ok=True)
        mark = folder / f".shared-{uuid4().hex}"
        mark.touch()

        def tasks() -> Iterator[Task]:
            for name in names:
                self._tell(name)
                begun = packed(folder / name) if self.executor.elsewhere else b""
                yield self.configs[name], folder / name, mark.name, begun, self.passed

        cpus = max(self.configs[name].workers for name in names)
        try:
            with progress_bar("decisions", transient=True) as bar:
                task = bar.add_task("training", total=sum(self.configs[name].decisions for name in names))
                found = self.executor.run(train_task, tasks(), lambda n: bar.advance(task, n), cpus)
                for number, files in found:
                    if files:
                        unpack(files, folder / names[number])
        finally:
            mark.unlink(missing_ok=True)

    def _tell(self, name: str, time: str = "") -> None:
        number = list(self.configs).index(name) + 1
        self.say(f"run {number} of {len(self.configs)}: {name}{time}")

    def _train(self, name: str) -> Path:
        """Train or resume the run `name` unless it is finished; return its folder."""
        self._tell(name, self._time())
        if not self._finished(name):
            began = time.monotonic()
            train(self.configs[name], self.folder / name, resume=self._begun(name), **self.passed)
            self._took.append(time.monotonic() - began)
        return self.folder / name

    def summary(self, name: str) -> dict[str, Any]:
        """Return the content of a finished run's summary.json."""
        return read_summary(self.folder / name)

    def _time(self) -> str:
        """The time of the finished runs, and an estimate for the others, as text."""
        took = [self.summary(name)["seconds"] for name in self.configs if self._finished(name)]
        left = len(self.configs) - len(took)
        if not took or not left:
            return ""
        each = mean(self._took or took)
        return f" ({sum(took) / 60:.0f} min of training so far, about {left * each / 60:.0f} min left)"

    def _begun(self, name: str) -> bool:
        return (self.folder / name / "state.safetensors").exists()

    def _finished(self, name: str) -> bool:
        """Whether the run has made all its decisions. One that was made longer still has the summary of before."""
        if not (self.folder / name / SUMMARY).exists():
            return False
        return self.summary(name)["decisions"] >= self.configs[name].decisions
