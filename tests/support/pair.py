"""One of the two processes that train together in `tests/training/runs/test_processes.py`.

`python -m tests.support.pair FOLDER` is started with RANK, WORLD_SIZE and MASTER_ADDR. It writes its results as JSON.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np
import torch

from spygames_training.parallel.processes import PULSE, Processes, ProcessLost, join, leave


def found_by(processes: Processes) -> dict[str, object]:
    """Return what the processes exchange."""
    rank = processes.rank
    tensors = [torch.full((2, 2), 1.0 + rank), torch.arange(3.0)]
    processes.add(tensors)
    copied = torch.full((3,), rank)
    processes.copy_first([copied])
    other = processes.led_by([5, 7][rank])
    return {
        "count": processes.count,
        "equal": [part.tolist() for part in processes.gather(np.array([[rank, 10.5]]))],
        "flags": [part.tolist() for part in processes.gather(np.array([rank == 1, True]))],
        "rows": [part.tolist() for part in processes.gather_rows(np.arange(2 * rank).reshape(rank, 2))],
        "no rows": [part.tolist() for part in processes.gather_rows(np.zeros((0, 3)))],
        "sums": [tensor.tolist() for tensor in tensors],
        "copied": copied.tolist(),
        "from first": processes.from_first(lambda: b"read by " + str(rank).encode()).decode(),
        "nothing": processes.from_first(lambda: b"").decode(),
        "new rank": other.rank,
        "new order": [int(part[0]) for part in other.gather(np.array([rank]))],
        "from the new first": other.from_first(lambda: b"read by " + str(rank).encode()).decode(),
        "same claims": processes.led_by(3).rank,
    }


def waited_for(processes: Processes) -> dict[str, object]:
    """Return what happens where one process is slow, fails, and finally ends."""
    found: dict[str, object] = {}
    started = time.monotonic()
    with processes.in_own_time():
        time.sleep(2.5 * PULSE * processes.rank)
    found["left together"] = time.monotonic() - started >= 2.5 * PULSE
    try:
        with processes.in_own_time():
            if processes.first:
                raise OSError("the disk is full")
    except OSError as error:
        found["failure"] = f"{type(error).__name__}: {error}"
    try:
        with processes.in_own_time():
            if not processes.first:
                os.kill(os.getpid(), signal.SIGKILL)
    except ProcessLost as error:
        found["lost in its own time"] = str(error)
    try:
        processes.gather(np.array([1]))
    except ProcessLost as error:
        found["lost"] = str(error)
    return found


def main() -> None:
    """Write FOLDER/RANK.json."""
    processes = join()
    found = found_by(processes)
    file = Path(sys.argv[1]) / f"{processes.rank}.json"
    file.write_text(json.dumps(found))
    file.write_text(json.dumps(found | waited_for(processes)))
    leave()


if __name__ == "__main__":
    main()
