"""Find a checkpoint by its path or name, and read its two files from its folder or zip.

A checkpoint is `model.safetensors` (the weights) and `config.json` (everything else). Both are data. Reading them runs
no code and fails with a one-line `CheckpointError`.
"""

import io
import os
import shlex
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

from spygames.core.basics.files import read_file, regular
from spygames.core.basics.json_values import parse_json
from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game
from spygames.core.players.released import agent_folder, agent_names, released_agents

FORMAT = 1
MODEL, CONFIG = "model.safetensors", "config.json"
MAX_MODEL_BYTES, MAX_CONFIG_BYTES = 1 << 30, 1 << 20
ZIP = ".zip"
MAX_DIRECTORY = 1 << 20
"""Maximum number of bytes that list the files of a zip."""
MAX_RATIO = 100
"""Maximum size of an unpacked file, as a multiple of its zip. Weights hardly compress."""
ARCHIVES = {".tar": "tarfile", ".tgz": "tarfile", ".gz": "tarfile"}
"""Suffixes of other archives, with the standard library modules that unpack them."""


class CheckpointError(ValueError):
    """A checkpoint that is missing, damaged, or of another game or layout; the message is one line."""


def find_checkpoint(path: str | Path, game: Game | None = None) -> Path:
    """Find a checkpoint.

    Args:
        path: the folder, a run's folder (with a folder `checkpoint` in it), a zip of one of these, or a released
            agent's name.
        game: the game of the agent `best`.

    Returns:
        The folder, or the zip file. `read_checkpoint_file` reads from both.

    Raises:
        CheckpointError: there is no such checkpoint.
    """
    if isinstance(path, str) and (found := _named(path, game)) is not None:
        return found
    place, path = path, Path(path)
    try:
        for folder in (path, path / "checkpoint"):
            for candidate in (folder, aside(folder)):
                if (candidate / CONFIG).exists() or (candidate / MODEL).exists():
                    return candidate
        if is_zip(path):
            return path
        there = path.exists()
    except (OSError, ValueError):  # too long, or with a character that no file name has
        there = False
    if not there or place == "":
        if isinstance(place, Path) and (found := _named(place.as_posix(), game)) is not None:
            return found
        if (alone := str(place).rpartition("@")[0]) and _exists(alone, game):
            raise CheckpointError(
                f"{one_line(place)} says how the agent plays: name the checkpoint alone, {one_line(alone)}"
            )
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


def _exists(name: str, game: Game | None) -> bool:
    """Whether there is a checkpoint of this name or path."""
    try:
        find_checkpoint(name, game)
    except CheckpointError:
        return False
    return True


def display_name(place: Path) -> str:
    """Return the name of a checkpoint in messages: a released agent's name, otherwise the path."""
    try:
        agents = released_agents()
    except ValueError:  # the list of agents is damaged, but the message is about something else
        agents = []
    return next((agent.name for agent in agents if agent.folder == place), str(place))


def is_zip(path: Path) -> bool:
    """Whether `path` is an existing file whose name ends in .zip."""
    return path.suffix.casefold() == ZIP and os.path.isfile(path)


def aside(path: Path, what: str = "old") -> Path:
    """Return a hidden folder beside `path`. `old` is read while `path` is replaced; `new` is being written."""
    path = Path(os.path.abspath(path))  # "." has no name
    return path.parent / f".{path.name}.{what}"


def _named(name: str, game: Game | None) -> Path | None:
    """Return the folder of a released agent or an anchor by its name; None for any other name."""
    try:
        return agent_folder(name, game)
    except ValueError as error:
        raise CheckpointError(str(error)) from None


def read_checkpoint_file(file: Path, longest: int) -> bytes:
    """Read one of the two files.

    Args:
        file: the checkpoint's folder or zip, as `find_checkpoint` returns it, and the name of the file.
        longest: maximum number of bytes.

    Raises:
        CheckpointError: the file is missing, longer, or cannot be read.
    """
    try:
        return _unzipped(file.parent, file.name, longest) if is_zip(file.parent) else read_file(file, longest)
    except FileNotFoundError:
        raise CheckpointError(f"{file} is missing") from None
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror or one_line(error)}") from None


def read_checkpoint_config(file: Path) -> dict[str, Any]:
    """Read a config.json, in a folder or zip; CheckpointError if it is missing, damaged or of another format."""
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


class _Sparing(io.RawIOBase):
    """An open file from which at most `left` bytes can be read.

    The module zipfile keeps the whole list of a zip's files in memory, however long it is.
    """

    def __init__(self, file: io.BufferedReader, left: int):
        self.file, self.left = file, left

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()

    def read(self, size: int | None = -1) -> bytes:
        found = self.file.read(self.left + 1 if size is None or size < 0 else min(size, self.left + 1))
        self.left -= len(found)
        if self.left < 0:
            raise zipfile.BadZipFile(f"its list of files must have at most {MAX_DIRECTORY} bytes")
        return found


def _unzipped(place: Path, name: str, longest: int) -> bytes:
    """Read one of the two files from a zip into memory. Nothing is unpacked, so no path in the zip is used."""
    with regular(place) as opened:
        size = os.fstat(opened.fileno()).st_size
        longest = min(longest, MAX_RATIO * size)
        file = _Sparing(opened, MAX_DIRECTORY)
        try:
            with zipfile.ZipFile(file) as archive:
                file.left = size + MAX_DIRECTORY
                info = _member(place, archive, name)
                if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
                    raise CheckpointError(f"{place / name} must be stored or deflated, and not encrypted")
                with archive.open(info) as member:
                    data = member.read(longest + 1)
        except CheckpointError:
            raise
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise CheckpointError(f"{one_line(place)} is damaged or not a zip: {one_line(error)}") from None
    if len(data) > longest:
        raise CheckpointError(f"{place / name} is longer than {longest} bytes")
    return data


def _member(place: Path, archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Find a file of the one checkpoint in a zip."""
    found = [(PurePosixPath(info.filename), info) for info in archive.infolist()]
    folders = {path.parent for path, _ in found if path.name in (MODEL, CONFIG)}
    if len(folders) != 1:
        several = ", ".join(sorted(map(str, folders))) or "none"
        raise CheckpointError(f"{one_line(place)} must hold one checkpoint, in one folder, not {one_line(several)}")
    members = [info for path, info in found if path.name == name]
    if len(members) != 1:
        raise CheckpointError(f"{place / name} is {f'there {len(members)} times' if members else 'missing'}")
    return members[0]
