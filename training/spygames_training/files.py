"""The old name of `spygames_training.atomic`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    only_one="spygames_training.atomic:only_one",
    read_file="spygames_training.atomic:read_file",
    replacing="spygames_training.atomic:replacing",
    write_whole="spygames_training.atomic:write_whole",
)
