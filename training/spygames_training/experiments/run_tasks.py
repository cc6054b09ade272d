"""Training runs as tasks, in their own folder or, on a machine without access to it, in a temporary one."""

import io
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from spygames_training.config import Config
from spygames_training.files.atomic import remove
from spygames_training.parallel.executor import Progress
from spygames_training.runs.folder import STATE
from spygames_training.runs.run import Run
from spygames_training.runs.train import train


def train_task(
    config: Config, folder: Path, mark: str, begun: bytes, passed: Mapping[str, Any], progress: Progress | None
) -> bytes:
    """Train or resume a run, as a task of an executor.

    Args:
        config: of the run.
        folder: of the run, absolute.
        mark: name of a file beside that folder; if it exists, this machine has access to the folder.
        begun: the result of `packed` for a run to resume, for a machine without access to the folder; b"": a new run.
        passed: further arguments of `train`.
        progress: called with the number of decisions since the last call.

    Returns:
        b"" if the run is in `folder`, otherwise an argument for `unpack`.
    """
    if (folder.parent / mark).exists():
        _train(config, folder, passed, progress)
        return b""
    with TemporaryDirectory(prefix="spygames-") as place:
        run = Path(place) / folder.name
        if begun:
            unpack(begun, run)
        _train(config, run, passed, progress)
        return packed(run)


def _train(config: Config, folder: Path, passed: Mapping[str, Any], progress: Progress | None) -> None:
    arguments = {**passed, "progress": False, "callbacks": [*passed.get("callbacks", ()), _telling(progress)]}
    train(config, folder, resume=(folder / STATE).exists(), **arguments)


def _telling(progress: Progress | None) -> Callable[[Run, dict[str, float]], None]:
    """Make a callback that reports decisions; its first report includes those of a resumed run."""
    reported = 0

    def tell(run: Run, metrics: dict[str, float]) -> None:
        nonlocal reported
        if progress:
            progress(int(metrics["decisions"]) - reported)
        reported = int(metrics["decisions"])

    return tell


def packed(folder: Path) -> bytes:
    """Pack the files of a run's folder; b"" if it holds no run."""
    if not (folder / STATE).exists():
        return b""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
            archive.write(file, file.relative_to(folder))
    return content.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Replace `folder` by files from `packed`. A kill at any moment leaves no mix of old and new files, and after
    `recover` either the old or the new ones are there."""
    part, new, old = (_beside(folder, which) for which in ("part", "new", "old"))
    remove(part)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(part)
    remove(new)
    part.rename(new)
    if folder.exists():
        remove(old)
        folder.rename(old)
    recover(folder)


def recover(folder: Path) -> None:
    """Finish an `unpack` that was killed after it had moved the old files away."""
    if not folder.exists() and (new := _beside(folder, "new")).exists():
        new.rename(folder)
    remove(_beside(folder, "old"))


def _beside(folder: Path, which: str) -> Path:
    return folder.with_name(f".{folder.name}.{which}")
