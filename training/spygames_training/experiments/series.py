"""Several training runs, made one after another."""

import json
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import mean
from typing import Any

from spygames_training.config import Config, differences
from spygames_training.training import Run, resume_config


class Series:
    """The runs of several configs in folders beside each other. One that is there is not made again, and one that was
    stopped goes on.

    Args:
        configs: by the name of the run's folder.
        folder: holds those folders.

    Raises:
        ValueError: a folder holds a run with other settings; said before any run is made.
    """

    def __init__(self, configs: Mapping[str, Config], folder: Path):
        self.configs, self.folder = configs, folder
        self._took: list[float] = []
        for name, config in configs.items():
            if self._begun(name) and (other := differences(resume_config(folder / name), config)):
                raise ValueError(f"{folder / name} holds a run with another {', '.join(other)}: choose another --out")

    def trained(self, name: str) -> Path:
        """The folder of a finished run, which is made or gone on with where it is not there. Raises what
        `Run.train` does."""
        number = list(self.configs).index(name) + 1
        print(f"run {number} of {len(self.configs)}: {name}{self._time()}", flush=True)
        if not self._finished(name):
            began = time.monotonic()
            Run(self.configs[name], self.folder / name, resume=self._begun(name)).train()
            self._took.append(time.monotonic() - began)
        return self.folder / name

    def summary(self, name: str) -> dict[str, Any]:
        """What a finished run's summary.json says."""
        return json.loads((self.folder / name / "summary.json").read_text())

    def _time(self) -> str:
        """How long all took so far and what is left, by the runs that are finished."""
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
