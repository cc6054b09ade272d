"""The old name of `spygames_training.sb3.run`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    MaskableRun="spygames_training.sb3.run:MaskableRun",
    maskable_ppo="spygames_training.sb3.run:maskable_ppo",
)
