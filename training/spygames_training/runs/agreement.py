"""Agreement between processes before they train one network.

They agree on the folder to resume from, check that all were started with the same settings, and share the workers.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

import spygames
from spygames.core.game.game import Game
from spygames_training.config import Config
from spygames_training.parallel.processes import Processes
from spygames_training.runs.folder import STATE
from spygames_training.runs.state_file import saved_decisions


def led_by_newest(folder: str | Path, processes: Processes) -> Processes:
    """Order the processes so that the first one's folder holds the newest state.

    Launchers number the processes again when they restart them, and the state may be on one machine only.
    """
    return processes.led_by(saved_decisions(Path(folder) / STATE))


def saved_anywhere(folder: str | Path, processes: Processes) -> bool:
    """Return whether the folder of any process holds a state."""
    return max(claim[0] for claim in processes.gather(np.array([saved_decisions(Path(folder) / STATE)]))) >= 0


def check_workers(config: Config, count: int) -> None:
    """Raise ValueError if `count` processes cannot share the workers evenly. The message names numbers that work."""
    if config.workers % count == 0:
        return
    games = config.ppo.games
    counts = [n for n in range(1, config.workers + 1) if config.workers % n == 0]
    most = min(games, config.ppo.minibatch, 1024)
    workers = [n for n in range(count, most + 1, count) if games % n == 0]
    nearest = sorted(sorted(workers, key=lambda n: abs(n - config.workers))[:3])
    other = f"set workers to {_any_of(nearest)}" if nearest else f"set ppo.games to a multiple of {count}, too"
    raise ValueError(
        f"workers must be a multiple of the {count} processes, not {config.workers}: start {_any_of(counts)} "
        f"processes, or {other}"
    )


def check_same_setup(processes: Processes, settings: Mapping[str, Any], game: Game) -> None:
    """Check that all processes have the same settings, rules and versions; otherwise their weights would diverge.

    Raises:
        ValueError: a process differs from the first one.
    """
    versions = spygames.__version__, torch.__version__, np.__version__
    kinds = {
        "settings": json.dumps(settings, sort_keys=True, default=str),
        "code of the game": game.digest,
        "version of spygames, torch or numpy": " ".join(map(str, versions)),
    }
    own = np.array([list(hashlib.sha256(text.encode()).digest()) for text in kinds.values()], np.uint8)
    all_of_them = processes.gather(own)
    for rank, digests in enumerate(all_of_them):
        for name, same in zip(kinds, (digests == all_of_them[0]).all(axis=1), strict=True):
            if not same:
                raise ValueError(
                    f"process {rank} of {processes.count} was started with another {name} than process 0: run the same "
                    "command with the same installation on all machines"
                )


def _any_of(numbers: list[int]) -> str:
    """Join numbers as in "1, 2 or 4"."""
    *first, last = map(str, numbers)
    return f"{', '.join(first)} or {last}" if first else last
