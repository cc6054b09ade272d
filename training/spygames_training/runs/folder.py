"""The files of a run's folder, checks that they can be written, and the config that the folder holds."""

from pathlib import Path

from spygames.core.basics.files import read_file
from spygames.core.basics.json_values import parse_json
from spygames.core.basics.text import one_line
from spygames_training.agents.folder import check_place
from spygames_training.config import Config, from_mapping, harmless
from spygames_training.parallel.processes import ALONE, Processes, ProcessLost
from spygames_training.runs.report import METRICS

RUN = "run.json"
STATE = "state.safetensors"
FILES = (RUN, STATE, METRICS, "curves.png", "summary.json", ".lock")
"""The files of a run's folder. It also has the folders checkpoint and tensorboard."""
MAX_RUN_BYTES = 1 << 20
"""Size limit of run.json."""


def check_folder(folder: Path) -> None:
    """Raise ValueError if something in `folder` is in the way of the run's files."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} must be a folder")
    for file in (folder / name for name in FILES):
        if (file.exists() or file.is_symlink()) and not file.is_file():
            raise ValueError(f"{file} is not a file, but the run writes a file of that name: move it away")
    board = folder / "tensorboard"
    if (board.exists() or board.is_symlink()) and not board.is_dir():
        raise ValueError(f"{board} is not a folder, but the run makes a folder of that name: move it away")
    check_place(folder / "checkpoint")


def resume_config(folder: str | Path, processes: Processes = ALONE, *, allow_code: bool = True) -> Config:
    """Return the config of the run in `folder`. With several processes, the first one reads it.

    Args:
        folder: of the run.
        processes: the processes that train together.
        allow_code: see `read_config`.

    Raises:
        ValueError: there is no run, its config is damaged, or its game is not allowed; one line.
    """
    path = Path(folder) / RUN
    try:
        values = parse_json(processes.from_first(lambda: read_file(path, MAX_RUN_BYTES)))
        if not isinstance(values, dict):
            raise ValueError("it must hold a JSON object")
        config = from_mapping(Config, values)
    except ProcessLost:
        raise
    except FileNotFoundError as error:
        agents = (Path(folder) / name for name in ("checkpoint", "model.safetensors"))
        only = "it has an agent, but not the state of its training, which MaskablePPO does not keep"
        found = only if any(agent.exists() for agent in agents) else "nothing was saved there"
        if (run := Path(folder).parent / RUN).exists():
            found = f"its run is in {run.parent}"
        raise ValueError(f"{folder} holds no run to resume: {found}") from error
    except OSError as error:
        raise ValueError(f"{folder} holds no run to resume: {path}: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path} is damaged or not the config of a run: {one_line(error, 300)}") from error
    return config if allow_code else harmless(config, path)
