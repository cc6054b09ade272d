"""Scorings, the end of the game and rewards (HC-14, HC-17 to HC-19, HC-34, HC-37)."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.heimlich.board import FINISH, VALUES
from spygames.heimlich.layout import FINISHED, NONE, OVER, State
from spygames.heimlich.queries import add_bounded
from spygames.heimlich.rules.predictions import bonus


@kernel
def score(s: State) -> bool:
    """HC-14: if an agent has arrived at the safe, score every agent in play; no token goes behind Start.

    Returns:
        Whether there was a scoring.
    """
    causes = 0  # the seats that caused it, as bits
    for agent in range(s.options.agents):
        seat = np.int64(s.arrived_by[agent])
        if seat != NONE:
            s.scorings[seat] = add_bounded(s.scorings[seat], 1 - ((causes >> seat) & 1))
            causes |= 1 << seat
            s.arrived_by[agent] = NONE
    if causes == 0:
        return False
    for agent in range(s.options.agents):
        before = np.int64(s.scores[agent])
        after = max(before + np.int64(VALUES[s.positions[agent]]), 0)
        s.scores[agent] = after
        for cause in range(s.options.players):
            if (causes >> cause) & 1:
                s.gains[agent, cause] = add_bounded(s.gains[agent, cause], after - before)
    return True


@kernel
def is_finished(s: State) -> bool:
    """HC-17: whether a token has reached the end of the score track."""
    finished = False
    for agent in range(s.options.agents):
        finished |= s.scores[agent] >= FINISH
    return finished


@kernel
def finish(s: State) -> None:
    """End the game: add bonuses for predictions (HC-34) and determine the winners (HC-18, HC-19).

    The safe stays where it is (HC-17).
    """
    if s.guessed:
        for seat in range(s.options.players):
            s.scores[s.passports[seat]] += bonus(s, seat)
    s.winners = furthest(s)
    s.end_reason = FINISHED
    s.phase, s.to_move = OVER, NONE


@kernel
def furthest(s: State) -> Int:
    """HC-18, HC-19: the owners of the tokens furthest ahead, as bits; 0 if a free agent keeps them from winning."""
    best, owners, free = -1, 0, False
    for agent in range(s.options.agents):
        points, owner = np.int64(s.scores[agent]), np.int64(s.owner[agent])
        if points > best:
            best, owners, free = points, 0, False
        if points == best:
            if owner == NONE:
                free = True
            else:
                owners |= 1 << owner
    return 0 if free and not s.options.tie_to_player else owners


@kernel
def returns(s: State, out: np.ndarray) -> None:
    """HC-37: write the rewards: winners share +1 and the others -1, or each score relative to the others' mean.

    All are zero until the end.
    """
    players = np.int64(s.options.players)
    won, total = 0, 0
    for seat in range(players):
        out[seat] = 0.0
        won += (s.winners >> seat) & 1
        total += s.scores[s.passports[seat]]
    if s.phase != OVER:
        return
    for seat in range(players):
        if s.options.by_score:
            own = np.int64(s.scores[s.passports[seat]])
            out[seat] = (own - (total - own) / (players - 1)) / FINISH
        elif won == 0:
            out[seat] = s.options.nobody_wins
        elif won < players:
            out[seat] = 1.0 / won if (s.winners >> seat) & 1 else -1.0 / (players - won)
