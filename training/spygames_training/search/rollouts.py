"""Rollouts from worlds, in which each seat decides from its own view.

No decision uses more than its seat's view, so a player can carry out the policies that a rollout evaluates. There is
no strategy fusion (Frank, Basin 1998, doi:10.1016/S0004-3702(97)00082-9).

Letters: r rollouts.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from spygames.core.game.game import NOBODY, Game
from spygames_training.search.loops import loops_of
from spygames_training.search.models import Model

Act = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray | None, np.ndarray, np.ndarray | None]]
"""See `Draws.act`."""


class Beginnings(NamedTuple):
    """The starts of rollouts, which may belong to different decisions."""

    worlds: np.ndarray
    """STATE [r]"""
    actions: np.ndarray
    """int64 [r], the first action, by the seat to move."""
    rivals: np.ndarray
    """int64 [r], the index of the rival that plays the other sides' seats."""
    rng: np.ndarray
    """uint64 [r, 1], the random streams of later decisions."""


def play_out(
    game: Game,
    begin: Beginnings,
    policy: Model,
    rivals: Sequence[Model],
    act: Act,
    lam: float = 1.0,
    horizon: int | None = None,
) -> np.ndarray:
    """Return the lambda-return of the seat that moves first, float64 [r], in the game's units.

    G = (1 - lam) sum_n lam^(n-1) V_n + lam^(N-1) G_N (Sutton, Barto 2018, section 12.1), where V_n is the value at the
    n-th decision after the first action. With two sides every decision counts, and the opponent's value has its sign
    changed. Otherwise only decisions of the seat's own side count. G_N is the result, or the value at which `horizon`
    cuts.

    Args:
        game: the game.
        begin: the rollouts.
        policy: the model of the seat's own side; its values are used.
        rivals: the models of the other sides.
        act: how actions are chosen.
        lam: 0 to 1; 1 uses no values.
        horizon: number of decisions after which the next value ends the rollout; None: play to the end.
    """
    loops, side_of, r = loops_of(game), np.array(game.side_of), len(begin.actions)
    reads, two = lam < 1 or horizon is not None, game.num_sides == 2
    total, results, step = np.zeros(r), np.zeros(game.num_players, np.float32), 0
    # Per row: its rollout, seat and share, and the weight of the return that is still to come.
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
                raise ValueError("this policy has no value: use lam 1 and no horizon, which play to the end")
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
    """Select rows, int64 [k], of each array."""
    return tuple(array.take(rows, axis=0) for array in arrays)
