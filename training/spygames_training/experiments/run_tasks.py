"""Training runs as tasks: each in its folder, or on a machine that does not see that folder in one of its own."""

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
    """A task: trains a run, or resumes one that was begun.

    Args:
        config: of the run.
        folder: of the run, absolute.
        mark: the name of a file beside that folder, by which it is known to be the same folder on this machine.
        begun: where it may not be, what `packed` made of a run that is to be resumed; b"": none.
        passed: further arguments of `train`.
        progress: told of decisions.

    Returns:
        b"" where the run is in its folder, else what `unpack` takes.
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
    """A callback that tells of decisions, at first of all that the run has."""
    told = 0

    def tell(run: Run, metrics: dict[str, float]) -> None:
        nonlocal told
        if progress:
            progress(int(metrics["decisions"]) - told)
        told = int(metrics["decisions"])

    return tell


def packed(folder: Path) -> bytes:
    """The files of a run's folder; b"" if there is no run in it."""
    if not (folder / STATE).exists():
        return b""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
            archive.write(file, file.relative_to(folder))
    return content.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    """Puts files that were `packed` in the place of `folder`, which is whole at any moment, the old or the new one."""
    new, old = (folder.with_name(f".{folder.name}.{which}") for which in ("new", "old"))
    remove(new)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(new)
    if folder.exists():
        remove(old)
        folder.rename(old)
    new.rename(folder)
    remove(old)
