"""Writing files so that a kill or a full disk at any moment leaves the old one or the new one, whole."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Writes `text` beside `path` and renames it. OSError if it cannot be written; the old file is then still there."""
    new = beside(path)
    with open(new, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def beside(path: Path) -> Path:
    """Where the next version of `path` is written before it takes its name."""
    return path.with_name(f".{path.name}.new")
