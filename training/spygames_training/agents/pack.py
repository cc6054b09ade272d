"""Pack a checkpoint into one zip file, to send or to publish."""

import zipfile
from pathlib import Path

from spygames.core.basics.files import read_file
from spygames.core.players.checkpoint import check_sha256, name_of_agent
from spygames.core.players.checkpoint_files import (
    CONFIG,
    MAX_CONFIG_BYTES,
    MAX_MODEL_BYTES,
    MODEL,
    ZIP,
    CheckpointError,
    find_checkpoint,
    read_checkpoint_config,
    read_checkpoint_file,
)
from spygames_training.files.atomic import replacing

__all__ = ["pack_checkpoint"]

CARD = "README.md"


def pack_checkpoint(path: str | Path, file: str | Path | None = None) -> Path:
    """Write a checkpoint, and the card beside it if there is one, into a zip. The zip is loaded as the folder is.

    Example:
        >>> from spygames_training import Policy, pack_checkpoint
        >>> pack_checkpoint("agent_avenue/simple-2", "simple-2.zip").name
        'simple-2.zip'
        >>> Policy.load("simple-2.zip", "argmax")
        Policy(agent_avenue_v0, simple-2@argmax)

    Args:
        path: the checkpoint's folder, a run's folder, or the name of an agent that comes with the package.
        file: the zip to write, replacing a zip of a checkpoint there. None: the agent's name, in the current folder.

    Returns:
        The path of the zip. Equal checkpoints give equal bytes.

    Raises:
        ValueError: `path` is not a checkpoint or is damaged, or `file` does not end in .zip or is another file.
        OSError: the file cannot be written.
    """
    place = find_checkpoint(path)
    name = name_of_agent(path, place).replace("/", "-")
    file = Path(f"{name}{ZIP}" if file is None else file)
    if file.suffix.casefold() != ZIP:
        raise ValueError(f"the name of the zip must end in {ZIP}, not be {file.name}")
    if file.exists():
        _check_replaceable(file)
    config = read_checkpoint_config(place / CONFIG)
    weights = read_checkpoint_file(place / MODEL, MAX_MODEL_BYTES)
    check_sha256(place, config, weights)
    content = {CONFIG: read_checkpoint_file(place / CONFIG, MAX_CONFIG_BYTES), MODEL: weights}
    if (place / CARD).is_file():
        content[CARD] = read_file(place / CARD, MAX_CONFIG_BYTES)
    with replacing(file) as new, zipfile.ZipFile(new, "w") as archive:
        for each, data in content.items():
            entry = zipfile.ZipInfo(f"{name}/{each}")  # of one date, and not compressed
            entry.create_system = 3  # also on Windows, so that equal checkpoints give equal bytes
            archive.writestr(entry, data)
    return file


def _check_replaceable(file: Path) -> None:
    """Raise ValueError if `file` is something else than a zip of a checkpoint."""
    try:
        read_checkpoint_config(file / CONFIG)
    except CheckpointError:
        raise ValueError(f"{file} is not the zip of a checkpoint, and other files are not overwritten") from None
