"""The old name of `spygames_training.resume`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    **{name: f"spygames_training.resume:{name}" for name in ("State", "StateError", "load_state", "read_state")},
    save_state="spygames_training.resume:save_state",
)
