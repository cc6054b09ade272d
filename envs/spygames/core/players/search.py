"""Search over a game's kernels: determinized Monte Carlo (`mc`) and information-set tree search (`mcts`).

Both look at a state through the eyes of the seat to move: each simulation begins with `Game.determinize`, so what
they find is a function of what that seat may know, of the number of simulations and of the search's own random stream.
They work on copies; the game that is searched, its chance included, is never touched.

`mc` gives each legal action the same share of uniformly random playouts. All actions meet the same redrawn states,
so that they are compared under equal chance.

`mcts` is information-set Monte Carlo tree search (Cowling, Powley, Whitehouse, "Information Set Monte Carlo Tree
Search", IEEE TCIAIG 4(2), 2012): one tree over all redrawn states, a new one in each iteration; UCB1 in which an
action's count of availability stands for the visits of its parent; one new node an iteration, then a uniformly
random playout; at each node the mover maximises its own return. A node is what its mover has seen change since the
root (the multiple-observer variant), however the hidden rest was redrawn: so nobody in the tree acts on a card that
another seat played secretly, which is where the single-observer variant goes wrong. A rival's own hidden cards decide
what is available to it, but as in the paper its nodes are shared between all hands it may hold, or no node would
ever be met twice.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, get_args

import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, as_record
from spygames.core.game.rng import as_seed, mix
from spygames.core.game.validation import choice, number, whole
from spygames.core.players.beliefs import drawn_worlds, in_things, win_share
from spygames.core.players.player import DecisionBatch
from spygames.core.players.search_loops import Kind, buffers, loops
from spygames.core.svg.annotations import Advice

__all__ = ["EXPLORATION", "Found", "Kind", "SearchPlayer", "search_values"]

EXPLORATION = 0.7
"""The weight of UCB's second term where returns are scaled to 0..1 by the least and greatest seen in the search; the
value of the paper."""


_WORLDS = 128
"""Worlds of which `SearchPlayer.advise` tells."""


class Found(NamedTuple):
    """What a search found out about one decision."""

    visits: np.ndarray
    """float64 [A]: simulations spent on each action; they sum to the number of simulations."""
    values: np.ndarray
    """float64 [A]: mean return of the seat after each action, in the game's units; NaN where there was no visit."""


def _check(kind: Kind, simulations: int, exploration: float) -> tuple[int, float]:
    """Simulations and exploration as plain numbers; ValueError for wrong ones."""
    choice("kind", kind, get_args(Kind))
    return whole("simulations", simulations, 1), number("exploration", exploration, 0)


class SearchPlayer:
    """A search as a player: `mcts:200` or `mc:200`. It draws from `DecisionBatch.rng`; states are read and left alone.

    It takes the most visited action, the higher mean return among equals, so it is deterministic in what its
    seat may know and its random stream. A decision with one legal action is not searched.

    Args:
        game: what is played.
        kind: "mcts" or "mc".
        simulations: playouts a decision, at least 1; `mc` makes at least one for each legal action.
        exploration: the weight of UCB's second term, for returns scaled to 0..1; `mc` has no use for it.
        threads: how many share the rows of one call; actions do not depend on it.
    """

    def __init__(self, game: Game, kind: Kind, simulations: int, exploration: float = EXPLORATION, threads: int = 1):
        simulations, exploration = _check(kind, simulations, exploration)
        threads = whole("threads", threads, 1)
        self.name = f"{kind}:{simulations}"
        self.kind: Kind = kind
        """How it searches."""
        self._arguments = game, kind, simulations, exploration, threads
        self._simulations, self._exploration = simulations, exploration
        self._buffers = [buffers(game, kind, simulations) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._rows = loops(game, kind).rows

    def __reduce__(self) -> tuple[Any, ...]:
        # Copied and pickled by its arguments: it remembers nothing between decisions, and a copy of its buffers
        # one by one would tear apart what shares memory.
        return SearchPlayer, self._arguments

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """One legal action for each of `decisions.rows`, int64 [k]; advances the streams of the rows it searched."""
        d, k = decisions, len(decisions.rows)
        actions = np.empty(k, np.int64)
        states = d.states.view(np.recarray)

        def run(part: int) -> None:
            lo, hi = (k * p // len(self._buffers) for p in (part, part + 1))
            m = self._buffers[part]
            self._rows(states, d.mask, d.rng, d.rows, self._simulations, self._exploration, m, actions, lo, hi)

        others = [self._pool.submit(run, p) for p in range(1, len(self._buffers))] if self._pool else []
        run(0)
        for future in others:
            future.result()
        return actions

    def advise(self, decisions: DecisionBatch) -> list[Advice]:
        """What it finds at each of `decisions.rows`: the share of the simulations that it spent on each action, the
        result that it expects after the one that it takes, and worlds as it draws them."""
        found, game, kind = [], self._arguments[0], self._arguments[1]
        for row in decisions.rows.tolist():
            states, seed = decisions.states[row : row + 1], int(mix(decisions.rng[row, 0]))
            s, seat = as_record(states), int(states["to_move"][0])
            visits, values = search_values(game, states, seat, self._simulations, seed, kind, self._exploration)
            legal = np.flatnonzero(decisions.mask[row])
            shares = visits[legal] / visits.sum()
            actions = [(game.action_to_string(s, int(a), seat), float(x)) for a, x in zip(legal, shares, strict=True)]
            best = max(legal.tolist(), key=lambda a: (visits[a], values[a]))
            worlds = drawn_worlds(decisions, row, _WORLDS)
            belief = in_things(game, s, seat, worlds, np.full(_WORLDS, 1 / _WORLDS))
            value = float(values[best])
            found.append(Advice(actions, win_share(game, value), value, f"What {self.name} would do", belief=belief))
        return found


def search_values(
    game: Game,
    state: np.ndarray,
    seat: int,
    simulations: int,
    seed: int,
    kind: Kind = "mcts",
    exploration: float = EXPLORATION,
) -> Found:
    """What a search of one decision finds: visits and mean returns, float64 [A] each.

    Args:
        game: what is played.
        state: STATE [1], not changed; the part of it that `seat` may not know makes no difference.
        seat: whose decision it is, the seat to move.
        simulations: at least 1.
        seed: 0..2^64-1, of the search's random stream.
        kind: "mcts" (Cowling, Powley, Whitehouse 2012, multiple observers) or "mc" (equal shares, flat).
        exploration: see `SearchPlayer`.

    Raises:
        ValueError: `seat` is not the seat to move or has no legal action, or an argument is out of range or of another
            form.
    """
    simulations, exploration = _check(kind, simulations, exploration)
    rng, seat = np.array([as_seed(seed)]), whole("seat", seat, 0)
    if not isinstance(state, np.ndarray) or state.shape != (1,) or state.dtype != game.state_dtype:
        form = f"{state.dtype!r:.60} {list(state.shape)}" if isinstance(state, np.ndarray) else type(state).__name__
        raise ValueError(f"state must be an array [1] of the states of {game.id}, not {form}")
    root: Record = state.view(np.recarray)[0]
    if root.to_move != seat or seat >= game.num_players:
        raise ValueError(f"seat {seat} has nothing to decide here; to move is {root.to_move}")
    m = buffers(game, kind, simulations)
    game.legal(root, m.mask)
    if not m.mask.any():
        raise ValueError(f"seat {seat} has no legal action in this position")
    loops(game, kind).one(root, simulations, exploration, rng, m)
    visits = m.visits[0].astype(np.float64)
    with np.errstate(invalid="ignore"):
        return Found(visits, m.totals[0] / visits)
