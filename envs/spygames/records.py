"""Recorded games: play, save, load and replay them, and turn them into films.

>>> from spygames import make_game
>>> from spygames.records import load_games, play_record, replay, save_games
>>> record = play_record(make_game("agent_avenue_v0"), ["greedy", "random"], seed=1)
>>> save_games("games.jsonl", [record])
>>> [loaded] = load_games("games.jsonl")
>>> len(replay(loaded)) == len(loaded.actions) + 1  # all states
True

A record has the game's id, options, seed, players and the text of each action. `save_games` writes one JSON line per
game; `load_games` reads and checks such a file. A `Film` draws a record position by position, and
`spygames_app.films.encode` writes it as WebP, GIF, MP4, PNG, SVG or an HTML page. `decision_rows` and `chat_rows` turn
a record into rows for learning; `spygames record --dataset` writes folders of them.
"""

from spygames.core.chat.transcripts import load_said
from spygames.core.records.dataset import Column, chat_columns, chat_rows, decision_columns, decision_rows
from spygames.core.records.film import Adviser, Film, Said, Scene
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
    "Column",
    "Film",
    "GameRecord",
    "RecordError",
    "Said",
    "Scene",
    "chat_columns",
    "chat_rows",
    "decision_columns",
    "decision_rows",
    "load_games",
    "load_said",
    "make_record",
    "play_record",
    "read_games",
    "replay",
    "save_games",
]
