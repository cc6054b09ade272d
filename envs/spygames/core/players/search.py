"""Search over a game's kernels: determinized Monte Carlo (`mc`) and information-set tree search (`mcts`).

Both search from the point of view of the seat to move: each simulation begins with `Game.determinize`. The result
depends only on what that seat may know, on the number of simulations and on the search's own random stream. The search
works on copies and never changes the searched game or its future chance.

`mc` gives each legal action the same number of uniformly random playouts. All actions are tried in the same redrawn
states, so that they are compared under equal chance.

`mcts` is information-set Monte Carlo tree search (Cowling, Powley, Whitehouse, "Information Set Monte Carlo Tree
Search", IEEE TCIAIG 4(2), 2012):

- One tree covers all redrawn states; each iteration redraws the state.
- UCB1 uses the number of times an action was available in place of the visits of its parent.
- Each iteration adds one node and plays on uniformly at random. At each node the mover maximizes its own return.
- A node is identified by what its mover has seen change since the root (the multiple-observer variant). Therefore no
  seat in the tree acts on a card that another seat has played secretly; in the single-observer variant seats do.
- A rival's own hidden cards decide which actions are available to it. As in the paper, the rival's nodes are shared
  between all its possible hands; otherwise no node would be visited twice.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, get_args

import numpy as np

from spygames.core.basics.whole_numbers import whole
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, as_record
from spygames.core.game.rng import given_seed, mix
from spygames.core.game.validation import check_variant, choice, number
from spygames.core.players.beliefs import drawn_worlds, in_things, win_share
from spygames.core.players.player import DecisionBatch
from spygames.core.players.search_loops import Kind, buffers, loops
from spygames.core.svg.annotations import Advice

__all__ = ["EXPLORATION", "Found", "Kind", "SearchPlayer", "search_values"]

EXPLORATION = 0.7
"""Default weight of the exploration term of UCB, from the paper. Returns are scaled to 0..1 by the minimum and maximum
met in the search."""


_WORLDS = 128
"""Number of worlds from which `SearchPlayer.advise` estimates beliefs."""


class Found(NamedTuple):
    """The result of a search of one decision, see `search_values`.

    Example:
        >>> import numpy as np
        >>> from spygames import make_game
        >>> from spygames.players import search_values
        >>> game = make_game("agent_avenue_v0")
        >>> found = search_values(game, game.start(1), seat=0, simulations=50, seed=1)
        >>> best = int(np.argmax(found.visits))
        >>> bool(-1 <= found.values[best] <= 1)
        True
    """

    visits: np.ndarray
    """float64 [A], number of simulations of each action. With `mcts` their sum is the number of simulations; with `mc`
    all legal actions have the same number, at least 1"""
    values: np.ndarray
    """float64 [A], mean return of the seat after each action, in the game's units; NaN without a visit"""


def _check(kind: Kind, simulations: int, exploration: float) -> tuple[int, float]:
    """Return `simulations` and `exploration` as plain numbers. Raise ValueError for wrong values."""
    choice("kind", kind, get_args(Kind))
    return whole("simulations", simulations, 1), number("exploration", exploration, 0)


class SearchPlayer:
    """A search as a player, `mcts:200` or `mc:200`.

    It takes the most visited action, and among equals the one with the higher mean return. The action depends only on
    what the seat may know and on the random stream of the game (`DecisionBatch.rng`). A decision with one legal action
    is not searched.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import SearchPlayer
        >>> from spygames.records import play_record
        >>> game = make_game("agent_avenue_v0")
        >>> play_record(game, [SearchPlayer(game, "mcts", simulations=20), "random"], seed=1).players
        ('mcts:20', 'random')

    Args:
        game: the game to play.
        kind: "mcts" or "mc".
        simulations: playouts per decision, at least 1; `mc` makes at least one for each legal action.
        exploration: weight of the exploration term of UCB, for returns scaled to 0..1; unused by `mc`.
        threads: number of threads that share the rows of one call; actions do not depend on it.

    Raises:
        ValueError: an argument is out of its range.
    """

    def __init__(self, game: Game, kind: Kind, simulations: int, exploration: float = EXPLORATION, threads: int = 1):
        simulations, exploration = _check(kind, simulations, exploration)
        threads = whole("threads", threads, 1)
        self.name = f"{kind}:{simulations}"
        self.game = game
        self.kind: Kind = kind
        """The kind of search."""
        self._arguments = game, kind, simulations, exploration, threads
        self._simulations, self._exploration = simulations, exploration
        self._buffers = [buffers(game, kind, simulations) for _ in range(threads)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._rows = loops(game, kind).rows

    def __reduce__(self) -> tuple[Any, ...]:
        # Copied and pickled by its arguments: a search keeps nothing between decisions. Its buffers share memory, and
        # separate copies of them would not.
        return SearchPlayer, self._arguments

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return one legal action for each of `decisions.rows`, int64 [k]. Advances the streams of searched rows."""
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
        """Return the search's view of each of `decisions.rows`.

        An Advice has the share of simulations of each legal action and the expected result of the best one. Its beliefs
        come from worlds drawn as in the search.
        """
        found, game, kind = [], self.game, self.kind
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
    """Search one decision and return the visits and mean returns of each action.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import search_values
        >>> game = make_game("agent_avenue_v0")
        >>> found = search_values(game, game.start(1), seat=0, simulations=50, seed=1)
        >>> int(found.visits.sum())
        50

    Args:
        game: the game.
        state: STATE [1], not changed; the part that is hidden from `seat` does not influence the result.
        seat: the seat to move.
        simulations: number of simulations, at least 1.
        seed: 0..2^64-1, seed of the search's random stream.
        kind: "mcts" (Cowling, Powley, Whitehouse 2012, multiple observers) or "mc" (flat, equal shares).
        exploration: see `SearchPlayer`.

    Raises:
        ValueError: `seat` is not to move or has no legal action, `state` is not a position of this variant, or an
            argument has a wrong form or is out of its range.
    """
    simulations, exploration = _check(kind, simulations, exploration)
    rng, seat = np.array([given_seed(seed)]), whole("seat", seat, 0)
    if not isinstance(state, np.ndarray) or state.shape != (1,) or state.dtype != game.state_dtype:
        form = f"{state.dtype!r:.60} {list(state.shape)}" if isinstance(state, np.ndarray) else type(state).__name__
        raise ValueError(f"state must be an array [1] of the states of {game.id}, not {form}")
    check_variant(game, state)
    root: Record = state.view(np.recarray)[0]
    if root.to_move != seat or seat >= game.num_players:
        raise ValueError(f"seat must be the seat to move, not {seat}; the state has to_move = {root.to_move}")
    m = buffers(game, kind, simulations)
    game.legal(root, m.mask)
    if not m.mask.any():
        raise ValueError(f"seat {seat} has no legal action in this position")
    loops(game, kind).one(root, simulations, exploration, rng, m)
    visits = m.visits[0].astype(np.float64)
    with np.errstate(invalid="ignore"):
        return Found(visits, m.totals[0] / visits)
