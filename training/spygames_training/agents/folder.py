"""The folder of a checkpoint: two files, written as one and found by name."""

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
"""Modules of Python that unpack files of that ending."""


class CheckpointError(ValueError):
    """A checkpoint that is missing, broken, or of something else than is played; the message is one line."""


def write_checkpoint(path: Path, tensors: Mapping[str, Tensor], config: Mapping[str, Any]) -> None:
    """Writes the two files into the folder `path`, as `save_checkpoint` says.

    Args:
        path: absolute, and a place that `check_place` has looked at.
        tensors: contiguous, on the CPU, finite.
        config: what config.json is to hold; the digest of the weights is added.

    Raises:
        ValueError, TypeError: `config` is not JSON.
    """
    weights = tensors_to_bytes(dict(tensors))
    config = {**config, "weights": {"sha256": hashlib.sha256(weights).hexdigest()}}
    text = json.dumps(config, indent=2, allow_nan=False, default=_own) + "\n"
    text = re.sub(r"\[\n[\d,\s]+\]", lambda numbers: " ".join(numbers[0].split()), text)  # a shape on one line

    new, old = _aside(path, "new"), _aside(path)
    remove(new)  # left by a kill, say
    if path.exists():
        _retire(old, path)
    new.mkdir(parents=True)
    write_synced(new / MODEL, weights)
    write_synced(new / CONFIG, text.encode())
    _sync(new)
    if path.exists():
        os.rename(path, old)  # a folder cannot be renamed onto a full one; until the next line `old` stands for it
    os.rename(new, path)
    _sync(path.parent)
    _retire(old, path)


def _own(value: object) -> object:
    """A number or text out of NumPy as Python's own, which JSON has."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{shown(value)} is not JSON")


def check_place(path: Path) -> None:
    """CheckpointError if `path` is something else than a checkpoint, which `save_checkpoint` would not overwrite."""
    if not path.exists() or (path.is_dir() and not _others(path)):
        return
    try:
        read_checkpoint_config(path / CONFIG)
    except CheckpointError:
        raise CheckpointError(f"{path} holds other things than a checkpoint, which is not overwritten") from None


def find_checkpoint(path: str | Path, game: Game | None = None) -> Path:
    """The checkpoint folder of the released agent that `path` names (`agent_avenue/simple-2`, or `best` of `game`), or
    the one that `path` is, or has as `checkpoint` in it (a run); CheckpointError if there is none."""
    if isinstance(path, str) and (found := _named(path, game)) is not None:
        return found
    place, path = path, Path(path)
    try:
        for folder in (path, path / "checkpoint"):
            for candidate in (folder, _aside(folder)):
                if (candidate / CONFIG).exists() or (candidate / MODEL).exists():
                    return candidate
        there = path.exists()
    except (OSError, ValueError):  # too long for a name, or with a character that no name has
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
        raise CheckpointError(f"{one_line(path)} is an archive: unpack it (`{unpack}`) and name the folder")
    if path.name in (MODEL, CONFIG) and path.is_file():
        raise CheckpointError(f"{one_line(path)} is one file of a checkpoint: name the folder {one_line(path.parent)}")
    raise CheckpointError(
        f"{one_line(path)} is no checkpoint: it holds neither {MODEL} and {CONFIG} nor a folder checkpoint"
    )


def _named(name: str, game: Game | None) -> Path | None:
    """The folder of a released agent or an anchor, by its name; None for another name."""
    try:
        return agent_folder(name, game)
    except ValueError as error:
        raise CheckpointError(str(error)) from None


def read_checkpoint_file(file: Path, longest: int) -> bytes:
    """The bytes of one of the two files; CheckpointError where it is missing, or longer than `longest`."""
    try:
        return read_file(file, longest)
    except FileNotFoundError:
        raise CheckpointError(f"{file} is missing") from None
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror}") from None


def read_checkpoint_config(file: Path) -> dict[str, Any]:
    """What a config.json holds; CheckpointError where it is missing, broken or of another format."""
    data = read_checkpoint_file(file, MAX_CONFIG_BYTES)
    try:
        config = parse_json(data)
    except ValueError as error:
        raise CheckpointError(f"{file} is cut short or is not JSON: {one_line(error, 200)}") from None
    if not isinstance(config, dict):
        raise CheckpointError(f"{file} holds no mapping")
    if config.get("format") != FORMAT:
        raise CheckpointError(f"{file} has format {config.get('format')!r:.20}; this version reads format {FORMAT}")
    return config


def _retire(old: Path, path: Path) -> None:
    """Deletes the former checkpoint; what else lies there goes over to the one that has taken its place."""
    for name in _others(old) if old.is_dir() else ():
        os.rename(old / name, path / name)
    remove(old)


def _others(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()} - {MODEL, CONFIG}


def _aside(path: Path, what: str = "old") -> Path:
    """The folder beside `path` that stands for it while it is replaced; `new` is the one that is written."""
    path = Path(os.path.abspath(path))  # "." has no name of its own
    return path.parent / f".{path.name}.{what}"


def _sync(folder: Path) -> None:
    if os.name == "posix":  # elsewhere a folder cannot be opened
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
