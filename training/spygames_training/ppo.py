"""The old name of `spygames_training.learner` and `.minibatch`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    Decisions="spygames_training.minibatch:Minibatches",
    Learner="spygames_training.learner:Learner",
    Sequences="spygames_training.minibatch:Sequences",
)
