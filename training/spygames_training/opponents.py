"""The old name of `spygames_training.league`; it works for one release."""

from spygames.core.deprecated import moved

__getattr__ = moved(
    __name__,
    Pool="spygames_training.league:League",
    named_players="spygames.core.players:named_players",
)
