"""The compiled calls of one game at a time, as the AEC environment makes them.

They take the state as bytes, uint8: Numba knows such an array at a glance, one of records it looks at each time.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba.extending import intrinsic

from spygames.core.compiling.digest import numba
from spygames.core.game.game import NOBODY, Game

# Stand for the kernels and the layouts of a game, which `calls` and `Game.bind` put in their place.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
STATE: Any = None
VIEW: Any = None


def _record_in(typing: Any, array: Any, dtype: Any) -> Any:
    """The machine code of `record_in`, and its types."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.bitcast(values.data, context.get_value_type(dtype.dtype))

    return dtype.dtype(array, dtype), code


def _record_in_interpreted(array: np.ndarray, dtype: np.dtype) -> Any:
    return array.view(dtype)[0]


record_in: Any = _record_in_interpreted if numba.config.DISABLE_JIT else intrinsic(_record_in)
"""(array, dtype): the array's memory as one record, `array.view(dtype)[0]`. Numba compiles a function for each such
view, and this is no instruction at all."""


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
    """What `Calls.step` takes in place of an action to show what a seat sees."""
    return -1 - seat


class Calls(NamedTuple):
    """The compiled calls of one game; arrays are written. The state is its bytes, `features` one view, float32 [F]."""

    init: Callable[..., None]
    """(options OPTIONS [1], state, seed): a fresh game in a zeroed state."""
    step: Callable[..., tuple[bool, int]]
    """(state, action 0..A-1, features, mask int8 [A]): whether the action was legal, else nothing has changed, and the
    seat to move, to which view and mask belong; the view is left out where nobody is. With `look(seat)` for an action
    nothing changes: view and mask are those of that seat. Both in one, because compiling them takes a second each."""
    results: Callable[..., None]
    """(state, results float32 [P])"""


@cache
def calls(game: Game) -> Calls:
    """The compiled calls of `game`; every environment of one variant shares them."""
    return Calls(*(game.bind(call) for call in (_init, _step, _results)))
