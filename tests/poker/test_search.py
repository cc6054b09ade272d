"""Policy search against exact results: if it enumerates all worlds and branches, its values are those of the game tree.

Base policies are iterates of magnetic mirror descent from uniform play, which converges to a regularized equilibrium
(Sokota and others, arXiv 2206.05825).
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from spygames.core.players.history import Noted
from spygames_training.search import Findings, SearchSettings
from spygames_training.search.draws import Draws, Sampled
from spygames_training.search.models import Rival, TableModel, log_probabilities
from spygames_training.search.policy_search import PolicySearch, Question

from . import kuhn, leduc
from .nashconv import Tree

GAMES = {"kuhn": kuhn.make_game(), "leduc": leduc.make_game()}
both_games = pytest.mark.parametrize("name", GAMES)


@cache
def tree(name: str) -> Tree:
    return Tree(GAMES[name])


class Past(NamedTuple):
    """The history of the first node of an information set."""

    root: np.ndarray
    noted: Noted


@cache
def pasts(name: str) -> list[Past]:
    """The root and the decisions before it, for each information set."""
    nodes = tree(name).nodes
    before: dict[int, tuple[int, int]] = {c: (i, a) for i, node in enumerate(nodes) for a, c in node.children.items()}
    found = []
    for members in tree(name).members:
        i, states, actions = members[0], [], []
        while i in before:
            i, action = before[i]
            states.append(nodes[i].state)
            actions.append(action)
        empty = GAMES[name].new_states(0)
        noted = Noted(np.concatenate([*states[::-1], empty]), np.array(actions[::-1], np.int64))
        found.append(Past(nodes[members[0]].state, noted))
    return found


class Everything:
    """`Draws` that enumerate instead of sampling: all worlds of an information set with their weights, all branches."""

    exact = True

    def __init__(self, name: str, infoset: int) -> None:
        self.members = [tree(name).nodes[i].state for i in tree(name).members[infoset]]

    def worlds(self, root: np.ndarray, seat: int, m: int) -> np.ndarray:
        return np.concatenate(self.members)

    def anew(self, root: np.ndarray, seat: int, worlds: np.ndarray, which: np.ndarray) -> np.ndarray:
        return worlds.take(which)

    def pick(self, weights: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        who, which = np.nonzero(weights)
        return who, which, weights[who, which]

    def streams(self, n: int) -> np.ndarray:
        return np.zeros((n, 1), np.uint64)

    def uniform(self) -> float:
        return 0.5

    def act(self, logits: np.ndarray, mask: np.ndarray, rng: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        p = np.exp(log_probabilities(logits, mask))
        rows, actions = np.nonzero(p)
        return rows, actions, p[rows, actions]


class Walk(NamedTuple):
    """The tree as arrays of decisions, level by level from the deals on."""

    levels: list[tuple[np.ndarray, np.ndarray, np.ndarray]]
    """Nodes at which somebody decides, actions, and the nodes after them, int64 [k] each, by level."""
    seat: np.ndarray
    infoset: np.ndarray


@cache
def walk(name: str) -> Walk:
    nodes = tree(name).nodes
    level, levels = tree(name).deals, []
    while level:
        edges = [(i, a, c) for i in level for a, c in nodes[i].children.items()]
        level = [c for _, _, c in edges]
        if edges:
            levels.append(tuple(np.array(edges).T))
    return Walk(levels, np.array([n.seat for n in nodes]), np.array([n.infoset for n in nodes]))


def q_values(name: str, p: np.ndarray, belief: bool = True) -> np.ndarray:
    """The value of each action, float64 [I, A], by traversing the whole tree."""
    t, w = tree(name), walk(name)
    v = np.stack([n.payoff for n in t.nodes]).astype(np.float64)
    for i, a, c in reversed(w.levels):
        np.add.at(v, i, p[w.infoset[i], a][:, None] * v[c])
    q, total = np.zeros_like(p), np.zeros_like(p)
    for seat in range(2):
        reach = np.zeros(len(t.nodes))  # by chance and the opponent
        reach[t.deals] = 1.0
        for i, a, c in w.levels:
            own = w.seat[i] == seat
            reach[c] = reach[i] * np.where(own, 1, p[w.infoset[i], a])
            place = w.infoset[i][own], a[own]
            weight = reach[i][own] if belief else np.ones(own.sum())
            np.add.at(q, place, weight * v[c[own], seat])
            np.add.at(total, place, weight)
    return q / np.where(t.mask > 0, total, 1)


@cache
def base(name: str) -> np.ndarray:
    """The base policy of the searches, regularized: float64 [I, A]."""
    steps, eta, alpha = {"kuhn": (400, 0.1, 0.2), "leduc": (300, 0.1, 0.5)}[name]
    t = tree(name)
    p = t.mask / t.mask.sum(axis=1, keepdims=True)
    for _ in range(steps):
        x = np.where(t.mask > 0, (np.log(np.maximum(p, 1e-300)) + eta * q_values(name, p)) / (1 + eta * alpha), -np.inf)
        p = np.exp(x - x.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
    return p


def searched(
    name: str, settings: SearchSettings, draws: Callable[[int], Draws], rivals: list[np.ndarray] | None = None
) -> list[Findings]:
    """The findings of a search from the base policy at each information set."""
    t, p = tree(name), base(name)
    policy = TableModel(t.observation, p)
    who = [Rival(f"rival {j}", TableModel(t.observation, q), settings.slip) for j, q in enumerate(rivals or [p])]
    search = PolicySearch(GAMES[name], policy, who, settings)
    return [search.find([Question(*past, draws(i))])[0] for i, past in enumerate(pasts(name))]


def exactly(name: str, tau: float = 2.0, memory: int = 99, rivals: list[np.ndarray] | None = None) -> list[Findings]:
    """As `searched`, with everything enumerated; `tau` is in chips."""
    chips = abs(GAMES[name].lowest_return)
    settings = SearchSettings(tau=tau / chips, lam=1.0, least=0.0, most=99, memory=memory, slip=0.0)
    if rivals is None:
        return against_the_base(name, settings)
    return searched(name, settings, lambda i: Everything(name, i), rivals)


@cache
def against_the_base(name: str, settings: SearchSettings) -> list[Findings]:
    """The exact search against the base policy, cached for all tests."""
    return searched(name, settings, lambda i: Everything(name, i))


def nash_conv(name: str, p: np.ndarray) -> float:
    return tree(name).nash_conv(lambda observation, mask: p)


@both_games
def test_values_are_those_of_the_tree(name: str) -> None:
    t = tree(name)
    for memory in (99, 0):
        expected = q_values(name, base(name), belief=memory > 0)
        for i, found in enumerate(exactly(name, memory=memory)):
            legal = t.mask[i] > 0
            np.testing.assert_allclose(found.values[legal], expected[i, legal], rtol=0, atol=1e-9)
            assert np.isnan(found.values[~legal]).all()
            np.testing.assert_allclose(found.prior, base(name)[i], atol=1e-12)


@both_games
def test_weights_of_worlds_are_reach_probabilities_of_the_opponent(name: str) -> None:
    t, p = tree(name), base(name)
    reach = [t._reach(p, seat) for seat in range(2)]
    for i, found in enumerate(exactly(name)):
        members = t.members[i]
        expected = reach[t.nodes[members[0]].seat][members]
        np.testing.assert_allclose(found.weights, expected / expected.sum(), atol=1e-12)


@pytest.mark.parametrize(
    ("tau", "memory", "low", "high"),
    [
        (2.0, 99, 0.30, 0.39),  # a regularized step with beliefs is harder to exploit than the base
        (0.0, 99, 0.86, 0.88),  # the greedy step is easier to exploit, although it wins more against the base
        (2.0, 0, 0.80, 0.83),  # equally weighted worlds are worse than the base
    ],
)
def test_only_a_regularized_step_with_beliefs_is_less_exploitable_in_leduc(
    tau: float, memory: int, low: float, high: float
) -> None:
    assert 0.44 < nash_conv("leduc", base("leduc")) < 0.46
    assert low < nash_conv("leduc", np.stack([f.policy for f in exactly("leduc", tau, memory)])) < high


def test_a_regularized_step_is_less_exploitable_in_kuhn() -> None:
    before = nash_conv("kuhn", base("kuhn"))
    after = nash_conv("kuhn", np.stack([f.policy for f in exactly("kuhn", 4.0)]))
    assert after < before < 0.1


def test_a_few_sampled_worlds_approximate_the_exact_search() -> None:
    settings = SearchSettings(worlds=64, tau=2 / 13, lam=1.0, least=0.0, most=99, slip=0.0)
    found = searched("leduc", settings, lambda i: Sampled(GAMES["leduc"], np.uint64(i)))
    exact = np.stack([f.policy for f in exactly("leduc", 2.0)])
    assert nash_conv("leduc", np.stack([f.policy for f in found])) < nash_conv("leduc", exact) + 0.05


def test_the_opponent_is_inferred_by_bayes_rule() -> None:
    """The candidates are the base policy and random play, in every information set of Leduc poker."""
    t, p = tree("leduc"), base("leduc")
    uniform = t.mask / t.mask.sum(axis=1, keepdims=True)
    reaches = [[t._reach(policy, seat) for seat in range(2)] for policy in (p, uniform)]
    for i, found in enumerate(exactly("leduc", rivals=[p, uniform])):
        members, seat = t.members[i], t.nodes[t.members[i][0]].seat
        likelihood = np.array([reach[seat][members].sum() for reach in reaches])
        np.testing.assert_allclose([*found.rivals.values()], likelihood / likelihood.sum(), atol=1e-12)
