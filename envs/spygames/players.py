"""Players: make them by name, write your own, and use the agents that come with the package.

>>> from spygames import make_game
>>> from spygames.players import make_player
>>> from spygames.records import play_record
>>> game = make_game("agent_avenue_v0")
>>> record = play_record(game, [make_player(game, "greedy"), make_player(game, "random")], seed=1)

A `Player` chooses actions for seats, in many games per call. `make_player` makes one from a name:

- a scripted bot: `greedy`
- a search: `mcts:50`
- a mixture, which draws one of its players for each game: `mix:greedy|expert`
- a released agent: `agent_avenue/simple-2`; of the variant in play, `best` wins most and `safest` is hardest to exploit
- a checkpoint: its folder, or a zip of it
- a Python function or class: `python:module.name`
- a program: `command:PROGRAM`
- a language model: `llm:MODEL@URL`

`docs/players.md` describes the names.
"""

from spygames.core.chat.account import Account, Limits
from spygames.core.chat.player import LanguageModel
from spygames.core.chat.transcripts import Transcripts
from spygames.core.players.history import Noted, Notes
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import PlayerName, as_players, make_player, named_players, runs_code
from spygames.core.players.numpy_player import NumpyPlayer
from spygames.core.players.player import (
    DecisionBatch,
    Player,
    PlayerFailed,
    PlayerLike,
    PlayerTooSlow,
    PlayerUnavailable,
    Scripted,
    name_of,
    new_memory,
    tell_end,
)
from spygames.core.players.program import DECISION_LIMIT, PROTOCOL, START_LIMIT, CommandPlayer
from spygames.core.players.python_function import PythonPlayer
from spygames.core.players.released import (
    Figures,
    ReleasedAgent,
    WorstCase,
    best_agent,
    find_agent,
    released_agents,
    safest_agent,
)
from spygames.core.players.search import EXPLORATION, Found, Kind, SearchPlayer, search_values
from spygames.core.playing.session import SeatSession, Session, answers

__all__ = [
    "DECISION_LIMIT",
    "EXPLORATION",
    "PROTOCOL",
    "START_LIMIT",
    "Account",
    "CommandPlayer",
    "DecisionBatch",
    "Figures",
    "Found",
    "Kind",
    "LanguageModel",
    "Limits",
    "MixturePlayer",
    "Noted",
    "Notes",
    "NumpyPlayer",
    "Player",
    "PlayerFailed",
    "PlayerLike",
    "PlayerName",
    "PlayerTooSlow",
    "PlayerUnavailable",
    "PythonPlayer",
    "ReleasedAgent",
    "Scripted",
    "SearchPlayer",
    "SeatSession",
    "Session",
    "Transcripts",
    "WorstCase",
    "answers",
    "as_players",
    "best_agent",
    "find_agent",
    "make_player",
    "name_of",
    "named_players",
    "new_memory",
    "released_agents",
    "runs_code",
    "safest_agent",
    "search_values",
    "tell_end",
]
