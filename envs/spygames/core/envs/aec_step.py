"""The compiled calls of the AEC environment, for one game at a time.

They take the state as bytes, uint8, because Numba recognizes the type of such an array faster than that of records.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from spygames.core.compiling.digest import numba
from spygames.core.game.game import NOBODY, Game

# Placeholders for the kernels and layouts of a game: `calls` and `Game.bind` replace them.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
STATE: Any = None
VIEW: Any = None


def _record_in(typing: Any, array: Any, dtype: Any) -> Any:
    """Return the types of `record_in` and the function that generates its machine code."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.bitcast(values.data, context.get_value_type(dtype.dtype))

    return dtype.dtype(array, dtype), code


def _record_in_interpreted(array: np.ndarray, dtype: np.dtype) -> Any:
    return array.view(dtype)[0]


record_in: Any = _record_in_interpreted if numba.config.DISABLE_JIT else intrinsic(_record_in)
"""(array, dtype) -> the array's memory as one record, `array.view(dtype)[0]`. Numba would compile a function for each
such view; this intrinsic compiles to no instruction."""


def _init(options, raw, seed):  # type: ignore[no-untyped-def]
    init(record_in(raw, STATE), options[0], seed)


def _step(raw, action, features, mask):  # type: ignore[no-untyped-def]
    s = record_in(raw, STATE)
    if action < 0:
        seat = -1 - action
        observe(s, seat, record_in(features, VIEW))
        if s.to_move == seat:
            legal(s, mask)
        else:
            for k in range(len(mask)):
                mask[k] = 0
        return True, np.int64(s.to_move)
    legal(s, mask)
    if mask[action] == 0:
        return False, np.int64(s.to_move)
    apply(s, action)
    legal(s, mask)
    if s.to_move != NOBODY:
        observe(s, np.int64(s.to_move), record_in(features, VIEW))
    return True, np.int64(s.to_move)


def _results(raw, results):  # type: ignore[no-untyped-def]
    returns(record_in(raw, STATE), results)


def look(seat: int) -> int:
    """Return the value that `Calls.step` takes as an action to show what a seat sees."""
    return -1 - seat


class Calls(NamedTuple):
    """The compiled calls of one game. They write into the arrays that they get.

    `state` is the bytes of the STATE, uint8; `features` is one view as a vector, float32 [F].
    """

    init: Callable[..., None]
    """(options OPTIONS [1], state, seed): begin a game in a zeroed state."""
    step: Callable[..., tuple[bool, int]]
    """(state, action 0..A-1, features, mask int8 [A]) -> (whether the action was legal, the seat to move).

    An illegal action changes no state. After a legal action `features` and `mask` are those of the new seat to move;
    `features` is not written when the game is over. With `look(seat)` as the action the state does not change, and
    `features` and `mask` are those of `seat`. Both uses share one function, because compiling each takes about a
    second."""
    results: Callable[..., None]
    """(state, results float32 [P]): write the result of each seat."""


@cache
def calls(game: Game) -> Calls:
    """Return the compiled calls of `game`, which all environments of one variant share."""
    return Calls(*(game.bind(call) for call in (_init, _step, _results)))
