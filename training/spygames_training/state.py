"""The old name of `spygames_training.resume`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    State="spygames_training.resume:State",
    StateError="spygames_training.resume:StateError",
    load_state="spygames_training.resume:load_state",
    read_state="spygames_training.resume:read_state",
    save_state="spygames_training.resume:save_state",
)
