"""The configs and checkpoints that come with the package, found from a clone and from an installed wheel alike."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def folder(kind: str) -> Path:
    """Returns the folder of all `configs` or `checkpoints`: in the package where it was installed from a wheel, else at
    the top of the clone."""
    installed = _PACKAGE / kind
    return installed if installed.is_dir() else _PACKAGE.parents[1] / kind


def config_path(text: str) -> Path:
    """Returns the TOML file that `text` names: a path, or else a shipped config (`demo`, `configs/demo.toml`).

    A path where no file is comes back as it is, so that whoever reads it says so.
    """
    path = Path(text)
    if path.exists() or path.parts[:-1] not in ((), ("configs",)):
        return path
    shipped = folder("configs") / f"{path.name.removesuffix('.toml')}.toml"
    return shipped if shipped.is_file() else path


def player_spec(text: str) -> str:
    """Returns a player's spec with the path of a shipped checkpoint where it names one (`agent_avenue_simple@argmax`,
    `checkpoints/agent_avenue_simple`) and no such folder is here; any other spec as it is."""
    from spygames.core.players import released_checkpoint, split_spec  # slow to import

    source = split_spec(text).source
    shipped = None if Path(source).exists() else released_checkpoint(source)
    return text if shipped is None else f"{shipped}{text[len(source) :]}"
