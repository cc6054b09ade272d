"""Several training runs, made one after another."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from spygames_training.config import Config, differences
from spygames_training.run_files import resume_config
from spygames_training.trainer import train

Say = Callable[[str], None]
"""Called with a line about the progress, as `print` is."""


class Series:
    """The runs of several configs in folders beside each other. A finished run is not made again, and one that was
    stopped is resumed.

    Args:
        configs: by the name of the run's folder.
        folder: holds those folders.
        say: told which run begins.
        passed: further arguments of `train` for each run.

    Raises:
        ValueError: a folder holds a run with other settings; raised before any run is made.
    """

    def __init__(
        self, configs: Mapping[str, Config], folder: Path, say: Say = print, passed: Mapping[str, Any] | None = None
    ):
        self.configs, self.folder, self.say, self.passed = configs, folder, say, dict(passed or {})
        self._took: list[float] = []
        for name, config in configs.items():
            if self._begun(name) and (other := differences(resume_config(folder / name), config)):
                raise ValueError(f"{folder / name} holds a run with another {', '.join(other)}: choose another --out")

    def train(self, name: str) -> Path:
        """Trains or resumes the run `name` unless it is finished; returns its folder. Raises what `Run.train` does."""
        number = list(self.configs).index(name) + 1
        self.say(f"run {number} of {len(self.configs)}: {name}{self._time()}")
        if not self._finished(name):
            began = time.monotonic()
            train(self.configs[name], self.folder / name, resume=self._begun(name), **self.passed)
            self._took.append(time.monotonic() - began)
        return self.folder / name

    def summary(self, name: str) -> dict[str, Any]:
        """The content of a finished run's summary.json."""
        return json.loads((self.folder / name / "summary.json").read_text())

    def _time(self) -> str:
        """How long the finished runs took, and how long the others will take at that rate."""
        took = [self.summary(name)["seconds"] for name in self.configs if self._finished(name)]
        left = len(self.configs) - len(took)
        if not took or not left:
            return ""
        each = mean(self._took or took)
        return f" ({sum(took) / 60:.0f} min of training so far, about {left * each / 60:.0f} min left)"

    def _begun(self, name: str) -> bool:
        return (self.folder / name / "state.safetensors").exists()

    def _finished(self, name: str) -> bool:
        return (self.folder / name / "summary.json").exists()
