"""Configs and agents that come with the package, by name."""

import os
from pathlib import Path

from spygames.core.basics.files import shipped_folder


def config_path(text: str) -> Path:
    """Returns the TOML file that `text` names: a path, or else a shipped config (`demo`, `configs/demo.toml`), also one
    that a released agent was trained by (`agents/heimlich_3`).

    A path where no file is comes back as it is, so that whoever reads it says so.
    """
    path = Path(text)
    within = path.parent.parts[path.parts[:1] == ("configs",) :]
    if os.path.exists(path) or within not in ((), ("agents",)):
        return path
    shipped = shipped_folder("configs").joinpath(*within, f"{path.name.removesuffix('.toml')}.toml")
    return shipped if shipped.is_file() else path


def agent_folder(text: str) -> Path:
    """Returns the folder, checked, of the released agent that `text` names (`agent_avenue/simple-2`), else `text` as
    the path of a checkpoint or run.

    Raises:
        ValueError: the agent's files are damaged, or there is no such anchor (`find_anchor`).
    """
    from spygames.core.players.released import find_agent, find_anchor  # slow to import

    agent = find_agent(text)
    return (find_anchor(text) or Path(text)) if agent is None else agent.checked_folder()
