"""Tasks for tests: functions in a module that other processes import quickly."""

import importlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from spygames_training.parallel.executor import Progress


def square(number: int, progress: Progress | None) -> tuple[int, int]:
    """Return the square, and the process that computed it."""
    if progress:
        progress(number)
    return number * number, os.getpid()


def imports(module: str, other: str, progress: Progress | None) -> bool:
    """Import `module`; return whether `other` is loaded, too."""
    importlib.import_module(module)
    return other in sys.modules


def slowly(number: int, seconds: float, progress: Progress | None) -> int:
    """Return the number after a while."""
    time.sleep(seconds)
    return number


def dying(number: int, folder: Path, deaths: int, progress: Progress | None) -> int:
    """Return the number once this many processes have died of the task."""
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
    """Fail in one of several ways."""
    match how:
        case "value":
            raise ValueError("it is wrong")
        case "peculiar":
            raise Peculiar(1, 2)
        case "result":
            return lambda: None
    time.sleep(600)


def waiting(file: Path, progress: Progress | None) -> None:
    """Write the process id and wait; on a signal, take a moment and write what was received."""
    file.write_text(str(os.getpid()))
    signals: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: signals.append(number))
    signal.signal(signal.SIGINT, lambda number, frame: signals.append(number))
    while not signals:
        time.sleep(0.01)
    time.sleep(0.2)
    file.write_text(f"saved after {signals}")
    raise KeyboardInterrupt
