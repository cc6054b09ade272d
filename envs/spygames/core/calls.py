"""The compiled calls of one game at a time, as the AEC environment makes them.

They take the state as bytes, uint8: Numba knows such an array at a glance, one of records it looks at each time.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from spygames.core.game import NOBODY, Game

# Stand for the kernels and the layouts of a game, which `calls` and `Game.bind` put in their place.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
STATE: Any = None
VIEW: Any = None


def _init(options, raw, seed):  # type: ignore[no-untyped-def]
    init(raw.view(STATE)[0], options[0], seed)


def _step(raw, action, features, mask):  # type: ignore[no-untyped-def]
    s = raw.view(STATE)[0]
    legal(s, mask)
    if mask[action] == 0:
        return False, np.int64(s.to_move)
    apply(s, action)
    legal(s, mask)
    if s.to_move != NOBODY:
        observe(s, np.int64(s.to_move), features.view(VIEW)[0])
    return True, np.int64(s.to_move)


def _look(raw, seat, features, mask, results):  # type: ignore[no-untyped-def]
    s = raw.view(STATE)[0]
    observe(s, seat, features.view(VIEW)[0])
    if s.to_move == seat:
        legal(s, mask)
    else:
        for action in range(len(mask)):
            mask[action] = 0
    returns(s, results)


class Calls(NamedTuple):
    """The compiled calls of one game; arrays are written. The state is its bytes, `features` one view, float32 [F]."""

    init: Callable[..., None]
    """(options OPTIONS [1], state, seed): a fresh game in a zeroed state."""
    step: Callable[..., tuple[bool, int]]
    """(state, action 0..A-1, features, mask int8 [A]): whether the action was legal, else nothing has changed, and the
    seat to move, to which view and mask belong; the view is left out where nobody is."""
    look: Callable[..., None]
    """(state, seat, features, mask int8 [A], results float32 [P]): what a seat sees and may do; the results."""


@cache
def calls(game: Game) -> Calls:
    """The compiled calls of `game`; every environment of one variant shares them."""
    return Calls(*(game.bind(call) for call in (_init, _step, _look)))
