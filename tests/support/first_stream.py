"""Games played with the random stream that players had when the golden games were recorded."""

from collections.abc import Sequence

import numpy as np

from spygames.core.game.game import Game
from spygames.core.game.rng import mix
from spygames.core.players.player import Player
from spygames.core.playing.session import play
from spygames.core.records.record import make_record


def actions_of(game: Game, players: Sequence[Player], seed: int) -> tuple[str, ...]:
    """Return the actions of a game whose players draw from `mix(~seed)`, as `play_record` did until decision 0067."""
    rng = np.array([[mix(~np.uint64(seed))]], np.uint64)
    return make_record(game, play(game, game.start(seed), list(players), rng), seed).actions
