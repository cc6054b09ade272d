"""Tasks for tests: functions that other processes import, which is quick."""

import importlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from spygames_training.parallel.executor import Progress


def square(number: int, progress: Progress | None) -> tuple[int, int]:
    """The square, and the process that computed it."""
    if progress:
        progress(number)
    return number * number, os.getpid()


def imports(module: str, other: str, progress: Progress | None) -> bool:
    """Whether the process has the other module, too, after it has imported the one."""
    importlib.import_module(module)
    return other in sys.modules


def slowly(number: int, seconds: float, progress: Progress | None) -> int:
    """The number, after a while."""
    time.sleep(seconds)
    return number


def dying(number: int, folder: Path, deaths: int, progress: Progress | None) -> int:
    """The number, by the process that is asked after so many have died of it."""
    if progress:
        progress(1)
    mine = folder / f"{number} {os.getpid()}"
    if len([*folder.glob(f"{number} *")]) < deaths:
        mine.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if progress:
        progress(1)
    return number


class Peculiar(Exception):
    """An error that cannot be pickled."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__("peculiar")


def failing(how: str, progress: Progress | None) -> Any:
    """Fails in one of several ways."""
    match how:
        case "value":
            raise ValueError("it is wrong")
        case "peculiar":
            raise Peculiar(1, 2)
        case "result":
            return lambda: None
    time.sleep(600)


def waiting(file: Path, progress: Progress | None) -> None:
    """Says who it is and waits; told to end, it takes its time to save."""
    file.write_text(str(os.getpid()))
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    signal.signal(signal.SIGINT, lambda number, frame: told.append(number))
    while not told:
        time.sleep(0.01)
    time.sleep(0.2)
    file.write_text(f"saved after {told}")
    raise KeyboardInterrupt
