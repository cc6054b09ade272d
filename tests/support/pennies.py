"""A game of three seats for tests of search: a coin is hidden and guessed, and a bystander may make a present.

Seat 0 stays out for 0.25, or enters. If it enters, seat 1 hides a coin and seat 0 guesses it (right: +1 for seat 0 and
-1 for seat 1; wrong: the reverse). Seat 2, who sees neither, keeps 0.1, or gives up 1 so that seat 0 gains 1. Under
good play, entering is worth 0. So seat 0 stays out, unless it expects to see the coin or to get the present.
"""

import sys
from dataclasses import replace

import numpy as np
from numpy import float32, int8, uint64

from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.game import Game
from spygames.core.game.rng import below
from tests.poker import kuhn

SEATS = 3
NONE = -1
ENTER, HIDE, GUESS, GIVE, OVER = range(5)  # phases
STAY, IN = KEEP, PRESENT = range(2)  # actions; while hiding and guessing they are the sides of the coin

OPTIONS = np.dtype([], align=True)
STATE = np.dtype([
    ("rng", uint64),  # HIDDEN: the random stream of chance
    ("coin", int8),  # HIDDEN from all but seat 1, NONE before that
    ("guess", int8),  # HIDDEN from seat 2, NONE before that
    ("given", int8),  # whether seat 2 gave
    ("phase", int8),
    ("to_move", int8),
    ("padding", int8, 3),  # 0; fills the record up to a multiple of 8 bytes
], align=True)  # fmt: skip
VIEW = np.dtype([("phase", float32, 5), ("coin", float32, 2), ("guess", float32, 2)], align=True)


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    s.rng = seed
    s.coin = s.guess = NONE
    s.given = s.phase = s.to_move = 0


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    mask[0] = mask[1] = s.to_move != NONE


@kernel
def apply(s: Record, action: Int) -> None:
    if s.phase == HIDE:
        s.coin = action
    elif s.phase == GUESS:
        s.guess = action
    elif s.phase == GIVE:
        s.given = action
    s.phase = OVER if s.phase == ENTER and action == STAY else s.phase + 1
    if s.phase == HIDE:
        s.to_move = 1
    elif s.phase == GUESS:
        s.to_move = 0
    else:
        s.to_move = 2 if s.phase == GIVE else NONE


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    out[0] = out[1] = out[2] = 0.0
    if s.phase == OVER:
        if s.coin == NONE:
            out[0] = 0.25
        else:
            out[0] = 1.0 if s.coin == s.guess else -1.0
            out[1] = -out[0]
            out[0] += s.given
            out[2] = -1.0 if s.given else 0.1


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    for i in range(5):
        view.phase[i] = s.phase == i
    for side in range(2):
        view.coin[side] = seat == 1 and s.coin == side
        view.guess[side] = seat != 2 and s.guess == side


@kernel
def observe_all(s: Record, seat: Int, view: Record) -> None:
    """Observe as if the coin were open."""
    for i in range(5):
        view.phase[i] = s.phase == i
    for side in range(2):
        view.coin[side] = s.coin == side
        view.guess[side] = s.guess == side


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    s.rng = seed
    if seat != 1 and s.coin != NONE:
        s.coin = below(s, 2)
    if seat == 2 and s.guess != NONE:
        s.guess = below(s, 2)


def make_game(open_coin: bool = False) -> Game:
    """Return the game, or the variant in which everybody sees the coin."""
    return replace(
        kuhn.make_game(),
        name="open_pennies" if open_coin else "pennies",
        packed=np.zeros(1, OPTIONS),
        num_players=SEATS,
        state_dtype=STATE,
        view_dtype=VIEW,
        init=init,
        legal=legal,
        apply=apply,
        returns=returns,
        observe=observe_all if open_coin else observe,
        determinize=determinize,
        module=sys.modules[__name__],
    )
