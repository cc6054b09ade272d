"""A game of two seats for tests of memory: each seat sees its own coin once, acts twice without effect, and names it.

A seat sees its coin only in the first round. Naming it gives 1 to that seat alone, naming the other side -1. A player
that forgets wins nothing on average; a player that remembers always wins.
"""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
from numpy import float32, int8, uint64

from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.game import Game
from spygames.core.game.rng import below
from tests.poker import kuhn

SEATS, ROUNDS = 2, 4
NONE = -1

OPTIONS = np.dtype([], align=True)
STATE = np.dtype([
    ("rng", uint64),  # HIDDEN: the random stream of chance
    ("coins", int8, SEATS),  # HIDDEN: from the other seat always, from the own one after the first round
    ("named", int8, SEATS),  # NONE before
    ("turn", int8),  # decisions made
    ("to_move", int8),
    ("padding", int8, 2),  # 0; fills the record up to a multiple of 8 bytes
], align=True)  # fmt: skip
VIEW = np.dtype([("coin", float32, 2), ("turn", float32, ROUNDS), ("seat", float32)], align=True)


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    s.rng = seed
    s.turn = s.to_move = 0
    for seat in range(SEATS):
        s.coins[seat] = below(s, 2)
        s.named[seat] = NONE


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    mask[0] = mask[1] = s.to_move != NONE


@kernel
def apply(s: Record, action: Int) -> None:
    s.named[s.to_move] = action  # the last one counts
    s.turn += 1
    s.to_move = s.turn % SEATS if s.turn < SEATS * ROUNDS else NONE


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    for seat in range(SEATS):
        out[seat] = 0.0
        if s.to_move == NONE:
            out[seat] = 1.0 if s.named[seat] == s.coins[seat] else -1.0


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    turn = s.turn // SEATS
    for side in range(2):
        view.coin[side] = turn == 0 and s.coins[seat] == side
    for i in range(ROUNDS):
        view.turn[i] = turn == i
    view.seat = seat


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    s.rng = seed
    for other in range(SEATS):
        if other != seat or s.turn >= SEATS:
            s.coins[other] = below(s, 2)


def action_to_string(game: Game, state: Record, action: int, seat: int) -> str:
    return str(action)


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    return {"rng": int(s.rng), "coins": s.coins.tolist(), "named": s.named.tolist(), "turn": int(s.turn)}


def make_game() -> Game:
    """Return the game; it has no options."""
    game = kuhn.make_game()
    return replace(
        game,
        name="recall",
        packed=np.zeros(1, OPTIONS),
        num_players=SEATS,
        state_dtype=STATE,
        view_dtype=VIEW,
        init=init,
        legal=legal,
        apply=apply,
        returns=returns,
        observe=observe,
        determinize=determinize,
        texts=replace(game.texts, action_to_string=action_to_string, state_to_dict=state_to_dict),
        module=sys.modules[__name__],
    )
