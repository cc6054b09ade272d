"""Everything a game of your own needs: its description, kernels, random numbers, checks and entry points.

>>> from spygames.authoring import NOBODY, Game, Record, Texts, below, kernel

A game is one module with a `make_game(**options)` that returns a `Game`: three record layouts, a few functions marked
with `kernel`, texts, and bots. `entry_points(make_game)` makes its environments. `docs/tutorials/game_of_your_own.md`
builds one in a single file; `spygames.testing.check_game` tests it.
"""

from spygames.core.basics.text import one_line, shown
from spygames.core.compiling.kernel import CompileError, Int, Record, cache_dir, kernel
from spygames.core.envs.entry_points import entry_points, vector_entry
from spygames.core.game.belief_targets import UNASKED, Questions
from spygames.core.game.bots import random as random_bot
from spygames.core.game.bots import uniform as uniform_bot
from spygames.core.game.fields import Fields, NamedRecord
from spygames.core.game.game import NOBODY, Bot, Game, ImpossibleState, Texts, as_record, flat
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING
from spygames.core.game.rng import as_seed, below, mix, next_seed, random_action, shuffle, uniform
from spygames.core.game.validation import check_keys, choice, integer, sequence, whole

__all__ = [
    "IMPOSSIBLE",
    "NOBODY",
    "TELLS_NOTHING",
    "UNASKED",
    "Bot",
    "CompileError",
    "Fields",
    "Game",
    "ImpossibleState",
    "Int",
    "NamedRecord",
    "Questions",
    "Record",
    "Texts",
    "as_record",
    "as_seed",
    "below",
    "cache_dir",
    "check_keys",
    "choice",
    "entry_points",
    "flat",
    "integer",
    "kernel",
    "mix",
    "next_seed",
    "one_line",
    "random_action",
    "random_bot",
    "sequence",
    "shown",
    "shuffle",
    "uniform",
    "uniform_bot",
    "vector_entry",
    "whole",
]
