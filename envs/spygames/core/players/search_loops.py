"""The compiled loops of the searches: playouts, the flat search `mc` and the tree search `mcts`."""

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.game import Game
from spygames.core.game.rng import GAMMA, mix, random_action, uniform

Kind = Literal["mcts", "mc"]
"""The kind of search: a tree search, or a flat one (Monte Carlo)."""

# Placeholders for the kernels of a game and for the loops made of them: `Game.bind` replaces them.
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
determinize: Any = None
playout: Any = None
descend: Any = None
search: Any = None

GRAIN = 65536.0
"""Views are compared in units of 1/65536, coarse enough that float32 rounding makes no new node."""


class SearchBuffers(NamedTuple):
    """The memory of a search. Letters: N nodes, 2 N to 4 N slots, P seats, A actions, F features."""

    states: np.ndarray
    """STATE [2]: the state that is played on, and a redrawn state to copy from"""
    mask: np.ndarray
    """int8 [A]"""
    returns: np.ndarray
    """float32 [P]"""
    views: np.ndarray
    """VIEW [P + 1]: the views of all seats at the root, and last the view of the mover"""
    features: np.ndarray
    """float32 [P + 1, F], the memory of `views`"""
    keys: np.ndarray
    """uint64 [slots], hash table by open addressing"""
    slots: np.ndarray
    """int32 [slots]: the node of a key, -1 for none"""
    visits: np.ndarray
    """int64 [N, A]: number of times an action was taken from a node"""
    available: np.ndarray
    """int64 [N, A]: number of times it was legal there"""
    totals: np.ndarray
    """float64 [N, A]: sum of the mover's returns after it"""
    path: np.ndarray
    """int64 [N, 3]: node, mover and action of each step in the tree"""


def _playout(s, mask, rng, out):  # type: ignore[no-untyped-def]
    """Play uniformly random decisions until the game is over or no action is legal; write its returns."""
    going = s.to_move >= 0
    while going:
        legal(s, mask)
        action = random_action(mask, rng)
        going = action >= 0
        if going:
            apply(s, action)
            going = s.to_move >= 0
    returns(s, out)


def _mc(root, simulations, exploration, rng, m):  # type: ignore[no-untyped-def]
    """Fill row 0 of `m.visits` and `m.totals`, with at least one simulation for each legal action."""
    seat = np.int64(root.to_move)
    legal(root, m.mask)
    count = 0
    for action in range(len(m.mask)):
        m.visits[0, action] = m.mask[action]  # for now: which are legal
        m.totals[0, action] = 0.0
        count += m.mask[action]
    share = max(1, simulations // count)
    for _ in range(share):
        m.states[1] = root
        rng[0] += GAMMA
        determinize(m.states[1], seat, mix(rng[0]))
        for action in range(len(m.mask)):
            if m.visits[0, action] > 0:
                m.states[0] = m.states[1]
                apply(m.states[0], action)
                playout(m.states[0], m.mask, rng, m.returns)
                m.totals[0, action] += m.returns[seat]
    for action in range(len(m.mask)):
        m.visits[0, action] *= share


@kernel
def changes(features: np.ndarray, seat: Int) -> np.uint64:
    """Return a hash of the differences between the mover's view (the last row) and its view at the root."""
    last = features.shape[0] - 1
    key = mix(np.uint64(seat + 1))
    for i in range(features.shape[1]):
        change = features[last, i] - features[seat, i]
        if change != 0:
            steps = np.int64(np.floor(np.float64(change) * GRAIN + 0.5))
            if steps != 0:
                key += mix(np.uint64(i + 1) * GAMMA + mix(np.uint64(steps + (1 << 40))))
    return key


@kernel
def find(key: np.uint64, keys: np.ndarray, slots: np.ndarray) -> Int:
    """Return the slot that holds `key`, or the free slot for it."""
    last = np.uint64(len(slots) - 1)
    slot = key & last
    while slots[np.int64(slot)] >= 0 and keys[np.int64(slot)] != key:
        slot = (slot + np.uint64(1)) & last
    return np.int64(slot)


@kernel
def choose(m: SearchBuffers, node: Int, low: float, high: float, exploration: float, rng: np.ndarray) -> Int:
    """Return the legal action (`m.mask`) to take from a node: a random untried one, else the highest UCB."""
    best, best_score, fresh = -1, 0.0, 0
    scale = 1.0 / (high - low) if high > low else 0.0
    for action in range(len(m.mask)):
        if m.mask[action]:
            m.available[node, action] += 1
            n = m.visits[node, action]
            if n == 0:
                fresh += 1
            elif fresh == 0:
                value = (m.totals[node, action] / n - low) * scale
                score = value + exploration * np.sqrt(np.log(m.available[node, action]) / n)
                if best < 0 or score > best_score:
                    best, best_score = action, score
    if fresh == 0:
        return best
    left = uniform(rng, fresh)
    for action in range(len(m.mask)):
        if m.mask[action] and m.visits[node, action] == 0:
            if left == 0:
                return action
            left -= 1
    return -1


@kernel
def expand(m: SearchBuffers, slot: Int, key: np.uint64, node: Int) -> None:
    """Add a node without visits to the tree, in the free `slot` of its `key`."""
    m.keys[slot] = key
    m.slots[slot] = node
    for action in range(len(m.mask)):
        m.visits[node, action] = m.available[node, action] = 0
        m.totals[node, action] = 0.0


@kernel
def backup(m: SearchBuffers, depth: Int) -> None:
    """Add the returns of a simulation to the `depth` nodes of its path."""
    for k in range(depth):
        node, mover, action = m.path[k, 0], m.path[k, 1], m.path[k, 2]
        m.visits[node, action] += 1
        m.totals[node, action] += m.returns[mover]


def _descend(nodes, low, high, exploration, rng, m):  # type: ignore[no-untyped-def]
    """Play `m.states[0]` down the tree and add one node, if there is room; write `m.path`.

    Returns the depth reached and the new number of nodes.
    """
    s, seats = m.states[0], len(m.returns)
    depth = 0
    grown = False
    while s.to_move >= 0 and not grown and depth < len(m.path):
        mover = np.int64(s.to_move)
        observe(s, mover, m.views[seats])
        legal(s, m.mask)
        key = changes(m.features, mover)
        slot = find(key, m.keys, m.slots)
        grown = m.slots[slot] < 0
        if grown:
            expand(m, slot, key, nodes)
            nodes += 1
        node = np.int64(m.slots[slot])
        action = choose(m, node, low, high, exploration, rng)
        if action < 0:
            break  # in a position made by hand no action may be legal: the playout ends here, too
        m.path[depth, 0], m.path[depth, 1], m.path[depth, 2] = node, mover, action
        depth += 1
        apply(s, action)
    return depth, nodes


def _mcts(root, simulations, exploration, rng, m):  # type: ignore[no-untyped-def]
    """Fill the tree. Its root is row 0 of `m.visits` and `m.totals`."""
    seat = np.int64(root.to_move)
    seats = len(m.returns)
    for slot in range(len(m.slots)):
        m.slots[slot] = -1
    nodes = 0
    low, high = np.inf, -np.inf  # the range of all returns met
    for _ in range(simulations):
        m.states[0] = root
        rng[0] += GAMMA
        determinize(m.states[0], seat, mix(rng[0]))
        for j in range(seats):
            observe(m.states[0], j, m.views[j])
        depth, nodes = descend(nodes, low, high, exploration, rng, m)
        playout(m.states[0], m.mask, rng, m.returns)
        for j in range(seats):
            low, high = min(low, np.float64(m.returns[j])), max(high, np.float64(m.returns[j]))
        backup(m, depth)


def _search_rows(states, mask, rng, rows, simulations, exploration, m, actions, lo, hi):  # type: ignore[no-untyped-def]
    """Write an action for each of `rows[lo:hi]`: the most visited, among equals the one with the higher return.

    A decision with one legal action is not searched.
    """
    for k in range(lo, hi):
        i = rows[k]
        count, best = 0, -1
        for action in range(mask.shape[1]):
            if mask[i, action]:
                count += 1
                best = action
        if count > 1:
            search(states[i], simulations, exploration, rng[i], m)
            for action in range(mask.shape[1]):
                n, most = m.visits[0, action], m.visits[0, best]
                if n > most or (n == most and n > 0 and m.totals[0, action] > m.totals[0, best]):
                    best = action
        actions[k] = best


class Loops(NamedTuple):
    """The compiled loops of one game and kind of search."""

    one: Callable[..., None]
    """Search one decision: (root, simulations, exploration, rng uint64 [1], buffers)"""
    rows: Callable[..., None]
    """Search many decisions and choose the actions, see `_search_rows`."""


@cache
def loops(game: Game, kind: Kind) -> Loops:
    """Return the compiled loops of a game and a kind of search."""
    playout = game.bind(_playout)
    if kind == "mcts":
        one = game.bind(_mcts, playout=playout, descend=game.bind(_descend))
    else:
        one = game.bind(_mc, playout=playout)
    return Loops(one, game.bind(_search_rows, search=one))


def buffers(game: Game, kind: Kind, simulations: int) -> SearchBuffers:
    """Return the memory for a search. A tree grows by at most one node per simulation."""
    nodes = simulations if kind == "mcts" else 1
    slots = 1 << (2 * nodes - 1).bit_length()
    views = game.new_views(game.num_players + 1)
    return SearchBuffers(
        states=game.new_states(2).view(np.recarray),
        mask=np.zeros(game.num_actions, np.int8),
        returns=np.zeros(game.num_players, np.float32),
        views=views.view(np.recarray),
        features=views.view(np.float32).reshape(len(views), -1),
        keys=np.zeros(slots, np.uint64),
        slots=np.zeros(slots, np.int32),
        visits=np.zeros((nodes, game.num_actions), np.int64),
        available=np.zeros((nodes, game.num_actions), np.int64),
        totals=np.zeros((nodes, game.num_actions), np.float64),
        path=np.zeros((nodes, 3), np.int64),
    )
