"""The old name of `spygames_training.experiments.series`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    Series="spygames_training.experiments.series:Series",
)
