"""The folder of a checkpoint: write and replace its two files as one."""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from spygames.core.basics.text import shown
from spygames.core.players.checkpoint_files import CONFIG, MODEL, CheckpointError, aside, read_checkpoint_config
from spygames_training.files.atomic import remove, write_synced


def write_checkpoint(path: Path, tensors: Mapping[str, Tensor], config: Mapping[str, Any]) -> None:
    """Write the two files into the folder `path`, as described in `save_checkpoint`.

    Args:
        path: absolute, and accepted by `check_place`.
        tensors: contiguous, on the CPU, finite.
        config: the content of config.json; the digest of the weights is added.

    Raises:
        ValueError, TypeError: `config` is not JSON-serializable.
    """
    weights = tensors_to_bytes(dict(tensors))
    config = {**config, "weights": {"sha256": hashlib.sha256(weights).hexdigest()}}
    text = json.dumps(config, indent=2, allow_nan=False, default=_own) + "\n"
    text = re.sub(r"\[\n[\d,\s]+\]", lambda numbers: " ".join(numbers[0].split()), text)  # a shape on one line

    new, old = aside(path, "new"), aside(path)
    remove(new)  # may be left over from a kill
    if path.exists():
        _retire(old, path)
    new.mkdir(parents=True)
    write_synced(new / MODEL, weights)
    write_synced(new / CONFIG, text.encode())
    _sync(new)
    if path.exists():
        os.rename(path, old)  # a folder cannot be renamed onto a non-empty one; until the next line `old` is read
    os.rename(new, path)
    _sync(path.parent)
    _retire(old, path)


def _own(value: object) -> object:
    """Convert a NumPy scalar to the Python value that JSON has."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{shown(value)} is not JSON-serializable")


def check_place(path: Path) -> None:
    """Raise CheckpointError if `path` holds something that `save_checkpoint` must not overwrite."""
    if not path.exists() or (path.is_dir() and not _others(path)):
        return
    try:
        read_checkpoint_config(path / CONFIG)
    except CheckpointError:
        raise CheckpointError(f"{path} is not a checkpoint, and other files are not overwritten") from None


def _retire(old: Path, path: Path) -> None:
    """Delete the former checkpoint `old`, after moving other files in its folder to its replacement `path`."""
    for name in _others(old) if old.is_dir() else ():
        os.rename(old / name, path / name)
    remove(old)


def _others(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - {MODEL, CONFIG}


def _sync(folder: Path) -> None:
    if os.name == "posix":  # other systems cannot open a folder
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
