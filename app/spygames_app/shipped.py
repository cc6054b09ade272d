"""Configs and agents that come with the package, found by name."""

import os
from difflib import get_close_matches
from pathlib import Path

from spygames.core.basics.files import shipped_folder
from spygames.core.basics.text import one_line


def config_path(text: str) -> Path:
    """Return the TOML file that `text` names.

    `text` is a path, or else the name of a config that comes with the package (`demo`, `configs/demo.toml`), including
    those of released agents (`agents/heimlich_3`). A path without a file is returned unchanged; reading it then fails.

    Raises:
        ValueError: `text` is a bare name, and there is neither a file nor a config of that name.
    """
    path = Path(text)
    within = path.parent.parts[path.parts[:1] == ("configs",) :]
    if os.path.exists(path) or within not in ((), ("agents",)):
        return path
    shipped = shipped_folder("configs").joinpath(*within, f"{path.name.removesuffix('.toml')}.toml")
    if shipped.is_file():
        return shipped
    if text and path.name == text and not path.suffix:
        names = sorted(file.stem for file in shipped.parent.glob("*.toml"))
        near = get_close_matches(text[:100].casefold(), names, 3)
        meant = (
            f"did you mean {' or '.join(near)}?"
            if near
            else (f"a config is named as {', '.join(names[:2])}, ...: docs/results/variants.md has all {len(names)}")
        )
        raise ValueError(f"there is no file and no config {one_line(text)}; {meant}")
    return path


def agent_folder(text: str) -> Path:
    """Return the verified folder of a released agent (`agent_avenue/simple-2`), otherwise `text` as a path.

    Raises:
        ValueError: the agent's files are damaged, or the anchor does not exist (`find_anchor`).
    """
    from spygames.core.players.released import find_agent, find_anchor  # slow to import

    agent = find_agent(text)
    return (find_anchor(text) or Path(text)) if agent is None else agent.checked_folder()
