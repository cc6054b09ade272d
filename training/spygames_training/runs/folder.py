"""The files of a run's folder: which there are, whether they can be written, and the config that the folder holds."""

from pathlib import Path

from spygames.core.basics.text import one_line
from spygames_training.agents.folder import check_place
from spygames_training.config import Config, from_mapping, harmless
from spygames_training.files.atomic import parse_json, read_file
from spygames_training.parallel.processes import ALONE, Processes, ProcessLost
from spygames_training.runs.report import METRICS

RUN = "run.json"
STATE = "state.safetensors"
FILES = (RUN, STATE, METRICS, "curves.png", "summary.json", ".lock")
"""The files that a run writes into its folder, beside the folders checkpoint and tensorboard."""
MAX_RUN_BYTES = 1 << 20


def check_folder(folder: Path) -> None:
    """ValueError if a run cannot write its files into `folder`, for something else is in the place of one."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    for file in (folder / name for name in FILES):
        if (file.exists() or file.is_symlink()) and not file.is_file():
            raise ValueError(f"{file} is no file, but the run writes one of that name: move it away")
    board = folder / "tensorboard"
    if (board.exists() or board.is_symlink()) and not board.is_dir():
        raise ValueError(f"{board} is no folder, but the run writes one of that name: move it away")
    check_place(folder / "checkpoint")


def resume_config(folder: str | Path, processes: Processes = ALONE, *, allow_code: bool = True) -> Config:
    """The config of the run in `folder`, which the first process reads; ValueError, of one line, if there is none, or
    it is not allowed. `allow_code` as in `read_config`."""
    path = Path(folder) / RUN
    try:
        values = parse_json(processes.from_first(lambda: read_file(path, MAX_RUN_BYTES)))
        if not isinstance(values, dict):
            raise ValueError("it holds no mapping")
        config = from_mapping(Config, values)
    except ProcessLost:
        raise
    except FileNotFoundError as error:
        raise ValueError(f"{folder} holds no run to resume: nothing was saved there") from error
    except OSError as error:
        raise ValueError(f"{folder} holds no run to resume: {path}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path} is damaged or no config of a run: {one_line(error, 300)}") from error
    return config if allow_code else harmless(config, path)
