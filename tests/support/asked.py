"""Ask a player for one action in one position."""

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.player import Player
from spygames.core.playing.session import ROW, Asking, answers, one_game


def ask(game: Game, states: np.ndarray, player: Player, rng: np.ndarray, asking: Asking = answers) -> int:
    """Return the action of `player` for the seat to move in STATE [1]; the game starts there and `rng` advances."""
    return int(one_game(game, [player] * game.num_players, states, rng, asking).ask(ROW)[0])
