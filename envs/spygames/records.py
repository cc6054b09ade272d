"""Recorded games: play, save, load and replay them, and turn them into films.

>>> from spygames import make_game
>>> from spygames.players import make_player
>>> from spygames.records import play_record, replay
>>> game = make_game("agent_avenue_v0")
>>> record = play_record(game, [make_player(game, "greedy")] * 2, seed=1)
>>> states = replay(record)

A record has the game's id, options, seed, players and the text of each action. `save_games` writes one JSON line a
game, `load_games` reads and checks them. A `Film` draws a record position by position, and
`spygames_app.films.encode` writes it as WebP, GIF, MP4, PNG, SVG or a page of its own.
"""

from spygames.core.records.film import Adviser, Film, Scene
from spygames.core.records.record import (
    GameRecord,
    RecordError,
    load_games,
    make_record,
    play_record,
    read_games,
    replay,
    save_games,
)

__all__ = [
    "Adviser",
    "Film",
    "GameRecord",
    "RecordError",
    "Scene",
    "load_games",
    "make_record",
    "play_record",
    "read_games",
    "replay",
    "save_games",
]
