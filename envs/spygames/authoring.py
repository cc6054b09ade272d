"""Tools to write a game of your own: its description, kernels, random numbers, checks and entry points.

>>> from spygames.authoring import NOBODY, Layout, dtype, filler, int8, uint64
>>> class State(Layout):
...     rng = uint64("the random stream of chance")
...     cards = int8(0, 9, "by seat", 2, hidden=True)
...     to_move = int8(NOBODY, 1, "the seat; NOBODY when over")
...     padding = filler(5)
>>> dtype(State).names
('rng', 'cards', 'to_move', 'padding')

A game is a module with a function `make_game(**options)` that returns a `Game`: three record layouts, a few functions
marked with `kernel`, texts, and bots. A layout is a table (`Layout`) or any NumPy dtype. `GameOptions` and `ActionKind`
are tables of options and of actions. `entry_points(make_game)` returns the functions that make its environments, and
`vector_entry(make_game)` the one for vector environments.

The tutorial `docs/tutorials/game_of_your_own.md` builds a game in one file. `spygames.testing.check_game` tests a game.
"""

from spygames.core.basics.text import one_line, shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.compiling.cache import cache_dir
from spygames.core.compiling.kernel import CompileError, Int, Record, kernel
from spygames.core.envs.entry_points import entry_points, vector_entry
from spygames.core.game import bots
from spygames.core.game.action_table import ActionKind, action_codec, action_forms, action_texts, first_actions
from spygames.core.game.belief_targets import UNASKED, Questions
from spygames.core.game.fields import Fields, NamedRecord
from spygames.core.game.game import NOBODY, Bot, Game, ImpossibleState, Texts, as_record, flat
from spygames.core.game.layout import (
    NONE,
    Layout,
    Size,
    dtype,
    filler,
    flag,
    float32,
    int8,
    int16,
    int32,
    nested,
    options_copy,
    plain_fields,
    public_copy,
    range_check,
    read_fields,
    uint64,
    view_parts,
    view_ranges,
)
from spygames.core.game.options import GameOptions, maker, packed, seat_or_random
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING
from spygames.core.game.rng import as_seed, below, mix, next_seed, random_action, shuffle, uniform
from spygames.core.game.rulebook import Reason, rule, section
from spygames.core.game.validation import check_keys, check_played, choice, integer, member, sequence

__all__ = [
    "IMPOSSIBLE",
    "NOBODY",
    "NONE",
    "TELLS_NOTHING",
    "UNASKED",
    "ActionKind",
    "Bot",
    "CompileError",
    "Fields",
    "Game",
    "GameOptions",
    "ImpossibleState",
    "Int",
    "Layout",
    "NamedRecord",
    "Questions",
    "Reason",
    "Record",
    "Size",
    "Texts",
    "action_codec",
    "action_forms",
    "action_texts",
    "as_record",
    "as_seed",
    "below",
    "cache_dir",
    "check_keys",
    "check_played",
    "choice",
    "dtype",
    "entry_points",
    "filler",
    "first_actions",
    "flag",
    "flat",
    "float32",
    "int8",
    "int16",
    "int32",
    "integer",
    "kernel",
    "maker",
    "member",
    "mix",
    "nested",
    "next_seed",
    "one_line",
    "options_copy",
    "packed",
    "plain_fields",
    "public_copy",
    "random_action",
    "random_bot",
    "range_check",
    "read_fields",
    "rule",
    "seat_or_random",
    "section",
    "sequence",
    "shown",
    "shuffle",
    "uint64",
    "uniform",
    "vector_entry",
    "view_parts",
    "view_ranges",
    "whole",
]

random_bot = bots.random
"""The bot `random`, which every game has: it draws a legal action uniformly."""
