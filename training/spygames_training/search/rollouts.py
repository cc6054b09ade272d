"""Playing on from worlds, everybody from its own view: what an action is worth there.

Nobody sees more than its view, so what is found is what a player can carry out: no strategy fusion (Frank, Basin 1998,
doi:10.1016/S0004-3702(97)00082-9).

Letters: k worlds, c candidates, r rows.
"""

from collections.abc import Sequence

import numpy as np

from spygames.core.game import NOBODY, Game
from spygames_training.search.draws import Draws
from spygames_training.search.loops import loops_of
from spygames_training.search.models import Model


def play_out(
    game: Game,
    worlds: np.ndarray,
    who: np.ndarray,
    candidates: np.ndarray,
    policy: Model,
    rivals: Sequence[Model],
    draws: Draws,
    lam: float = 1.0,
    horizon: int | None = None,
) -> np.ndarray:
    """The lambda-return of the seat to move, float64 [k, c], in the game's units, of each candidate in each world.

    G = (1 - lam) sum_n lam^(n-1) V_n + lam^(N-1) G_N (Sutton, Barto 2018, section 12.1), where V_n is the value at the
    n-th decision after the candidate: between two sides that of whoever decides, with its sign; else at decisions of
    the seat's own side alone. G_N is the result, or the value where `horizon` cuts. All candidates meet the same luck.

    Args:
        game: what is played.
        worlds: STATE [k], in which the same seat is to move.
        who: int64 [k], which of `rivals` plays the other sides' seats.
        candidates: int64 [c], legal actions.
        policy: of the seat's own side; its values are read.
        rivals: models.
        draws: what is drawn.
        lam: 0 to 1; 1 reads no values.
        horizon: after so many decisions the next value that is read ends the rollout; None: it plays to the end.
    """
    loops, seat, side_of = loops_of(game), int(worlds["to_move"][0]), np.array(game.side_of)
    k, c = len(worlds), len(candidates)
    reads, two = lam < 1 or horizon is not None, game.num_sides == 2
    total, results = np.zeros(k * c), np.zeros(game.num_players, np.float32)
    # What each row is: of which pair of world and candidate, with which share, and what is left of its return.
    states, pair, kind = np.repeat(worlds, c), np.arange(k * c), np.repeat(who, c)
    rng, share, rest = np.repeat(draws.streams(k), c, axis=0), np.ones(k * c), np.ones(k * c)
    actions, step = np.tile(candidates, k), 0
    while True:
        loops.apply(states, actions)
        over = states["to_move"] == NOBODY
        if over.any():
            ended, on = np.flatnonzero(over), np.flatnonzero(~over)
            out = np.zeros(len(ended))
            loops.result(states.take(ended), seat, results, out)
            np.add.at(total, pair[ended], share[ended] * rest[ended] * out)
            states, pair, kind, rng, share, rest = (x.take(on, axis=0) for x in (states, pair, kind, rng, share, rest))
        if not len(states):
            return total.reshape(k, c)
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
            np.add.at(total, pair, share * rest * part * np.where(own, values, -values))
            rest = rest * (1 - part)
            if cut:
                on = np.flatnonzero(rest)
                rows = (states, pair, kind, rng, share, rest, views, mask, own, logits)
                states, pair, kind, rng, share, rest, views, mask, own, logits = (x.take(on, axis=0) for x in rows)
                if not len(states):
                    return total.reshape(k, c)
        for j, rival in enumerate(rivals):
            if rival is not policy and len(rows := np.flatnonzero(~own & (kind == j))):
                streams = rng[rows]
                logits[rows] = rival.ask(views.take(rows), mask[rows], streams, values=False)[0]
                rng[rows] = streams
        branch, actions, chances = draws.act(logits, mask, rng)
        if branch is not None and chances is not None:
            states, pair, kind, rng = (x.take(branch, axis=0) for x in (states, pair, kind, rng))
            share, rest = share[branch] * chances, rest[branch]
