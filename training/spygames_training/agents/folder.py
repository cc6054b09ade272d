"""The folder of a checkpoint: find it by name, read and replace its two files as one."""

import hashlib
import json
import os
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import save as tensors_to_bytes
from torch import Tensor

from spygames.core.basics.files import read_file
from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game
from spygames.core.players.released import agent_folder, agent_names
from spygames_training.files.atomic import remove, write_synced
from spygames_training.files.json_values import parse_json

FORMAT = 1
MODEL, CONFIG = "model.safetensors", "config.json"
MAX_CONFIG_BYTES = 1 << 20
ARCHIVES = {".zip": "zipfile", ".tar": "tarfile", ".tgz": "tarfile", ".gz": "tarfile"}
"""Suffixes of archives, with the standard library modules that unpack them."""


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or of another game or layout; the message is one line."""


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

    new, old = _aside(path, "new"), _aside(path)
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


def find_checkpoint(path: str | Path, game: Game | None = None) -> Path:
    """Find the folder of a checkpoint.

    Args:
        path: the folder, a run's folder (with a folder `checkpoint` in it), or a released agent's name.
        game: the game of the agent `best`.

    Raises:
        CheckpointError: there is no such checkpoint.
    """
    if isinstance(path, str) and (found := _named(path, game)) is not None:
        return found
    place, path = path, Path(path)
    try:
        for folder in (path, path / "checkpoint"):
            for candidate in (folder, _aside(folder)):
                if (candidate / CONFIG).exists() or (candidate / MODEL).exists():
                    return candidate
        there = path.exists()
    except (OSError, ValueError):  # too long, or with a character that no file name has
        there = False
    if not there or place == "":
        if isinstance(place, Path) and (found := _named(place.as_posix(), game)) is not None:
            return found
        raise CheckpointError(
            f"{shown(str(place))}: there is no such checkpoint, and no released agent of that name ({agent_names()})"
        )
    if path.suffix in ARCHIVES and path.is_file():
        folder = shlex.quote(path.name.partition(".")[0])
        unpack = f"python -m {ARCHIVES[path.suffix]} -e {shlex.quote(path.name)} {folder}"
        raise CheckpointError(f"{one_line(path)} is an archive: unpack it (`{unpack}`) and pass the folder")
    if path.name in (MODEL, CONFIG) and path.is_file():
        raise CheckpointError(
            f"{one_line(path)} is a file of a checkpoint: pass its folder, {one_line(path.parent)}, instead"
        )
    raise CheckpointError(
        f"{one_line(path)} is not a checkpoint: it has neither {MODEL} and {CONFIG} nor a folder named checkpoint"
    )


def _named(name: str, game: Game | None) -> Path | None:
    """Return the folder of a released agent or an anchor by its name; None for any other name."""
    try:
        return agent_folder(name, game)
    except ValueError as error:
        raise CheckpointError(str(error)) from None


def read_checkpoint_file(file: Path, longest: int) -> bytes:
    """Read one of the two files; CheckpointError if it is missing or has more than `longest` bytes."""
    try:
        return read_file(file, longest)
    except FileNotFoundError:
        raise CheckpointError(f"{file} is missing") from None
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror}") from None


def read_checkpoint_config(file: Path) -> dict[str, Any]:
    """Read a config.json; CheckpointError if it is missing, damaged or of another format."""
    data = read_checkpoint_file(file, MAX_CONFIG_BYTES)
    try:
        config = parse_json(data)
    except ValueError as error:
        raise CheckpointError(f"{file} is truncated or not JSON: {one_line(error, 200)}") from None
    if not isinstance(config, dict):
        raise CheckpointError(f"{file} must hold a JSON object")
    if config.get("format") != FORMAT:
        raise CheckpointError(f"{file}: format must be {FORMAT}, not {config.get('format')!r:.20}")
    return config


def _retire(old: Path, path: Path) -> None:
    """Delete the former checkpoint `old`, after moving other files in its folder to its replacement `path`."""
    for name in _others(old) if old.is_dir() else ():
        os.rename(old / name, path / name)
    remove(old)


def _others(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - {MODEL, CONFIG}


def _aside(path: Path, what: str = "old") -> Path:
    """Return a hidden folder beside `path`. `old` is read while `path` is replaced; `new` is being written."""
    path = Path(os.path.abspath(path))  # "." has no name
    return path.parent / f".{path.name}.{what}"


def _sync(folder: Path) -> None:
    if os.name == "posix":  # other systems cannot open a folder
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
