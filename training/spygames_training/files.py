"""The old name of `spygames_training.atomic`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    **{name: f"spygames_training.atomic:{name}" for name in ("only_one", "read_file", "replacing", "write_whole")},
)
