"""The compiled calls of one game at a time, as the AEC environment makes them: over a state in an array [1]."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from spygames.core.game import NOBODY, Game
from spygames.core.kernel import announce

# Stand for the kernels and the view of a game, which `Game.bind` puts in their place.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
VIEW: Any = None


def _init(options, states, seed):  # type: ignore[no-untyped-def]
    init(states[0], options[0], seed)


def _step(states, action, features, mask):  # type: ignore[no-untyped-def]
    s = states[0]
    legal(s, mask)
    if mask[action] == 0:
        return False, np.int64(s.to_move)
    apply(s, action)
    legal(s, mask)
    if s.to_move != NOBODY:
        observe(s, np.int64(s.to_move), features.view(VIEW)[0])
    return True, np.int64(s.to_move)


def _look(states, seat, features, mask, results):  # type: ignore[no-untyped-def]
    s = states[0]
    observe(s, seat, features.view(VIEW)[0])
    if s.to_move == seat:
        legal(s, mask)
    else:
        for action in range(len(mask)):
            mask[action] = 0
    returns(s, results)


class Calls(NamedTuple):
    """The compiled calls of one game; all arrays are written, and `features` is one view, float32 [F]."""

    init: Callable[..., None]
    """(options OPTIONS [1], states STATE [1], seed): a fresh game in a zeroed state."""
    step: Callable[..., tuple[bool, int]]
    """(states, action 0..A-1, features, mask int8 [A]): whether the action was legal, else nothing has changed, and the
    seat to move, to which view and mask belong; the view is left out where nobody is."""
    look: Callable[..., None]
    """(states, seat, features, mask int8 [A], results float32 [P]): what a seat sees and may do; the results."""


@cache
def calls(game: Game) -> Calls:
    """The compiled calls of `game`; every environment of one variant shares them."""
    bound = Calls(*(game.bind(call) for call in (_init, _step, _look)))
    announce(bound, game.title)
    return bound
