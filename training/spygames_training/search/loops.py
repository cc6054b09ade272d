"""The compiled loops of a search, which apply a game's kernels to many worlds.

Letters: m worlds, t recorded decisions, k of them, r rows of rollouts, A actions, P seats.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from spygames.core.game.game import Game
from spygames.core.game.rewinding import TELLS_NOTHING, one_way

# Placeholders for the kernels of a game, which `Game.bind` inserts.
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
determinize: Any = None
determinize_stratum: Any = None
rewind: Any = None
ways: Any = None


def _redraw_rows(root, seat, seeds, worlds):  # type: ignore[no-untyped-def]
    for m in range(len(worlds)):
        worlds[m] = root[0]
        determinize(worlds[m], seat, seeds[m])


def _redraw_strata(root, seat, seeds, numbers, worlds):  # type: ignore[no-untyped-def]
    strata = 1
    for m in range(len(worlds)):
        worlds[m] = root[0]
        strata = determinize_stratum(worlds[m], seat, seeds[m], numbers[m])
    return strata


def _show_seat(states, seat, views):  # type: ignore[no-untyped-def]
    for i in range(len(states)):
        observe(states[i], seat, views[i])


def _rewind_rows(worlds, now, viewer, pasts, actions, seat, rng, views, mask, told, counted):  # type: ignore[no-untyped-def]
    k = 0
    for t in range(len(pasts)):
        if k == len(told):
            break
        tells = False
        for m in range(len(worlds)):
            told[k, m] = rewind(worlds[m], pasts[t], seat, actions[t], rng[m])
            if told[k, m] < 0:
                tells |= told[k, m] != TELLS_NOTHING
                counted[k, m] = 1.0
                continue
            counted[k, m] = ways(worlds[m], now[0], viewer, seat, told[k, m])
            legal(worlds[m], mask[k, m])
            choices = 0
            for action in range(mask.shape[2]):
                choices += mask[k, m, action]
            if choices == 1 and mask[k, m, told[k, m]]:
                mask[k, m, told[k, m]], told[k, m] = 0, TELLS_NOTHING
                tells |= counted[k, m] != 1.0
            else:
                observe(worlds[m], seat, views[k, m])
                tells = True
        k += tells
    return k


def _apply_rows(states, actions):  # type: ignore[no-untyped-def]
    for i in range(len(states)):
        apply(states[i], actions[i])


def _show_rows(states, views, mask):  # type: ignore[no-untyped-def]
    for i in range(len(states)):
        legal(states[i], mask[i])
        observe(states[i], states[i].to_move, views[i])


def _result_rows(states, seats, results, out):  # type: ignore[no-untyped-def]
    for i in range(len(states)):
        returns(states[i], results)
        out[i] = results[seats[i]]


class Loops(NamedTuple):
    """The loops of one game. All write in place."""

    redraw: Callable[..., None]
    """(root STATE [1], seat, seeds uint64 [m], worlds STATE [m])"""
    redraw_strata: Callable[..., int] | None
    """(root STATE [1], seat, seeds uint64 [m], strata int64 [m], worlds STATE [m]): draws each world within its stratum
    and returns the number of strata. None for a game without strata."""
    rewind: Callable[..., int] | None
    """(worlds STATE [m], now STATE [1], viewer, pasts STATE [t], newest first, actions int64 [t], seat, rng uint64 [m,
    1], views VIEW [k, m], mask int8 [k, m, A], told int64 [k, m], counted float64 [k, m]).

    Rewinds to the newest informative decisions, at most k, and returns their number. If `told` is not an action, for
    instance because there was no choice, views and masks are unchanged. `counted` is `Game.ways`, also if there was no
    choice. None for a game that cannot be rewound.
    """
    show_seat: Callable[..., None]
    """(states STATE [r], seat, views VIEW [r])"""
    apply: Callable[..., None]
    """(states STATE [r], actions int64 [r])"""
    show: Callable[..., None]
    """(states STATE [r], views VIEW [r], mask int8 [r, A]), for the seats to move"""
    result: Callable[..., None]
    """(states STATE [r], seats int64 [r], results float32 [P], out float64 [r])"""


@cache
def loops_of(game: Game) -> Loops:
    """Return the loops of `game`."""
    strata = None
    if game.determinize_stratum is not None:
        strata = game.bind(_redraw_strata, determinize_stratum=game.determinize_stratum)
    undo = None if game.rewind is None else game.bind(_rewind_rows, rewind=game.rewind, ways=game.ways or one_way)
    redraw, *rest = (game.bind(loop) for loop in (_redraw_rows, _show_seat, _apply_rows, _show_rows, _result_rows))
    return Loops(redraw, strata, undo, *rest)
