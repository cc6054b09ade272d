"""Playing on from worlds, everybody from its own view: what an action is worth there.

Nobody sees more than its view, so what is found is what a player can carry out: no strategy fusion (Frank, Basin 1998,
doi:10.1016/S0004-3702(97)00082-9).

Letters: r rollouts.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spygames.core.game.game import NOBODY, Game
from spygames_training.search.loops import loops_of
from spygames_training.search.models import Model

Act = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray | None, np.ndarray, np.ndarray | None]]
"""`Draws.act`"""


class Beginnings(NamedTuple):
    """Where rollouts begin; all of them may be of different decisions."""

    worlds: np.ndarray
    """STATE [r]"""
    actions: np.ndarray
    """int64 [r], what is done there first, by the seat to move."""
    rivals: np.ndarray
    """int64 [r], which rival plays the other sides' seats."""
    rng: np.ndarray
    """uint64 [r, 1], the luck of the decisions that follow."""


def play_out(
    game: Game,
    begin: Beginnings,
    policy: Model,
    rivals: Sequence[Model],
    act: Act,
    lam: float = 1.0,
    horizon: int | None = None,
) -> np.ndarray:
    """The lambda-return of the seat that is to move at first, float64 [r], in the game's units.

    G = (1 - lam) sum_n lam^(n-1) V_n + lam^(N-1) G_N (Sutton, Barto 2018, section 12.1), where V_n is the value at the
    n-th decision after the first one: between two sides that of whoever decides, with its sign; else at decisions of
    the seat's own side alone. G_N is the result, or the value where `horizon` cuts.

    Args:
        game: what is played.
        begin: the rollouts.
        policy: of the seat's own side; its values are read.
        rivals: models.
        act: how branches are drawn.
        lam: 0 to 1; 1 reads no values.
        horizon: after so many decisions the next value that is read ends the rollout; None: it plays to the end.
    """
    loops, side_of, r = loops_of(game), np.array(game.side_of), len(begin.actions)
    reads, two = lam < 1 or horizon is not None, game.num_sides == 2
    total, results, step = np.zeros(r), np.zeros(game.num_players, np.float32), 0
    # What each row is: of which rollout, for which seat, with which share, and what is left of its return.
    states, kind, rng = begin.worlds.copy(), begin.rivals, begin.rng.copy()
    pair, seat, share, rest = np.arange(r), states["to_move"].astype(np.int64), np.ones(r), np.ones(r)
    actions = begin.actions
    while True:
        loops.apply(states, actions)
        over = states["to_move"] == NOBODY
        if over.any():
            ended, on = np.flatnonzero(over), np.flatnonzero(~over)
            out = np.zeros(len(ended))
            loops.result(states.take(ended), seat[ended], results, out)
            total += np.bincount(pair[ended], share[ended] * rest[ended] * out, r)
            states, pair, seat, kind, rng, share, rest = _take(on, states, pair, seat, kind, rng, share, rest)
        if not len(states):
            return total
        step += 1
        own = side_of[states["to_move"]] == side_of[seat]
        views, mask = game.new_views(len(states)), np.zeros((len(states), game.num_actions), np.int8)
        loops.show(states, views, mask)
        logits, values = policy.ask(views, mask, rng, values=reads)
        if reads:
            if values is None:
                raise ValueError("this policy has no value: play to the end, with lam 1 and no horizon")
            cut = horizon is not None and step >= horizon
            part = np.where(own | two, 1.0 if cut else 1 - lam, 0.0)
            total += np.bincount(pair, share * rest * part * np.where(own, values, -values), r)
            rest = rest * (1 - part)
            if cut:
                on = np.flatnonzero(rest)
                states, pair, seat, kind, rng, share, rest = _take(on, states, pair, seat, kind, rng, share, rest)
                views, mask, own, logits = _take(on, views, mask, own, logits)
                if not len(states):
                    return total
        for j, rival in enumerate(rivals):
            if rival is not policy and len(asked := np.flatnonzero(~own & (kind == j))):
                streams = rng[asked]
                logits[asked] = rival.ask(views.take(asked), mask[asked], streams, values=False)[0]
                rng[asked] = streams
        branch, actions, chances = act(logits, mask, rng)
        if branch is not None and chances is not None:
            states, pair, seat, kind, rng, share, rest = _take(branch, states, pair, seat, kind, rng, share, rest)
            share = share * chances


def _take(rows: np.ndarray, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """Some rows, int64 [k], of each array."""
    return tuple(array.take(rows, axis=0) for array in arrays)
