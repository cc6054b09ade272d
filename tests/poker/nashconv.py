"""Exact values, best responses and NashConv in small two-player games, by traversing the game tree.

The tree begins with the game's equally likely deals (`deals()` of its rules module; equal ones are merged), so the deal
must be the only chance event: `apply` may draw nothing. An information set is a seat and the bytes of its view. Views
must have perfect recall, i.e. show everything that the seat has seen and done. `Tree` raises ValueError for games that
break either condition. Shapes: I information sets, A actions, F view features.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record

PolicyFunction = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""(observation float32 [k, F], mask int8 [k, A]) -> probabilities [k, A]: zero where not legal, rows that sum to 1."""


Decision = tuple[int, int]
"""Information set and action."""
NO_DECISION: Decision = (-1, -1)


@dataclass
class Node:
    """One history: a deal and the actions so far."""

    state: np.ndarray
    """STATE [1]"""
    seat: int
    """who moves, or NOBODY"""
    infoset: int = -1
    """index of the mover's information set"""
    children: dict[int, int] = field(default_factory=dict)
    """index of the node after each legal action"""
    payoff: np.ndarray = field(default_factory=lambda: np.zeros(2, np.float32))
    """float32 [2], result per seat when over"""


class Tree:
    """The histories and information sets of a game.

    nodes: the histories, parents before children. deals: the initial nodes. chance: the probability of each, float64.
    observation: float32 [I, F]. mask: int8 [I, A]. members: the nodes of each information set.

    ValueError if the game is not for two players, has chance events after the deal, or lacks perfect recall.
    """

    def __init__(self, game: Game) -> None:
        if game.num_players != 2:
            raise ValueError(f"num_players must be 2 for NashConv, not {game.num_players}")
        self.game = game
        self.nodes: list[Node] = []
        self.members: list[list[int]] = []
        self.deals: list[int] = []
        self._infosets: dict[tuple[int, bytes], int] = {}
        self._facts: list[tuple[Decision, np.ndarray]] = []  # by information set: its seat's previous decision, mask
        counts = Counter(self._start(deal) for deal in game.module.deals())
        for start in counts:
            state = np.frombuffer(start, game.state_dtype).copy()
            self.deals.append(self._add(state, (NO_DECISION, NO_DECISION)))
        self.chance = np.array([*counts.values()]) / counts.total()
        views = b"".join(view for _, view in self._infosets)
        self.observation = np.frombuffer(views, np.float32).reshape(len(self.members), -1)
        self.mask = np.array([mask for _, mask in self._facts])

    def _start(self, deal: Mapping[str, Any]) -> bytes:
        """The state of a deal, as bytes."""
        state = self.game.new_states()
        self.game.state_from_dict(deal, as_record(state))
        return state.tobytes()

    def _add(self, state: np.ndarray, last: tuple[Decision, Decision]) -> int:
        """Add the subtree of `state`; `last` is the last decision of each seat. Return the index of its root."""
        game, s = self.game, as_record(state)
        index, node = len(self.nodes), Node(state, int(s.to_move))
        self.nodes.append(node)
        if node.seat == NOBODY:
            game.returns(s, node.payoff)
            return index
        node.infoset = self._infoset(s, node.seat, last[node.seat])
        self.members[node.infoset].append(index)
        for action in np.flatnonzero(self._facts[node.infoset][1]).tolist():
            after, decision = state.copy(), (node.infoset, action)
            game.apply(as_record(after), action)
            if after["rng"] != state["rng"]:
                raise ValueError(f"{game.id} has chance events after the deal")
            node.children[action] = self._add(after, (decision, last[1]) if node.seat == 0 else (last[0], decision))
        return index

    def _infoset(self, s: Record, seat: int, last: Decision) -> int:
        """The index of the information set in which `seat` decides, added if it is new."""
        view, mask = self.game.new_views(), np.zeros(self.game.num_actions, np.int8)
        self.game.observe(s, seat, as_record(view))
        self.game.legal(s, mask)
        infoset = self._infosets.setdefault((seat, view.tobytes()), len(self.members))
        if infoset == len(self.members):
            self.members.append([])
            self._facts.append((last, mask))
        elif last != self._facts[infoset][0] or (mask != self._facts[infoset][1]).any():
            raise ValueError(f"views of {self.game.id} lack perfect recall: one hides what its seat did or may do")
        return infoset

    def probabilities(self, policy: PolicyFunction) -> np.ndarray:
        """The policy at every information set, float64 [I, A], in one call; ValueError if it is invalid."""
        p = np.array(policy(self.observation, self.mask), np.float64)
        if p.shape != self.mask.shape:
            raise ValueError(f"probabilities must have shape {self.mask.shape}, not {p.shape}")
        if not np.isfinite(p).all() or (p < 0).any() or (p[self.mask == 0] > 0).any():
            raise ValueError("probabilities must be at least 0, and 0 for illegal actions")
        total = p.sum(1, keepdims=True)
        if (abs(total - 1) > 1e-4).any():
            raise ValueError(f"probabilities must sum to 1, not {total.min():.6f} to {total.max():.6f}")
        return p / total

    def values(self, policy: PolicyFunction) -> np.ndarray:
        """Expected result of each seat if both play `policy`, float64 [2]."""
        reach = self._reach(self.probabilities(policy), NOBODY)
        return sum((reach[i] * node.payoff for i, node in enumerate(self.nodes)), np.zeros(2))

    def against(self, policy: PolicyFunction, rival: PolicyFunction) -> float:
        """The expected result of `policy` against `rival`, the mean over both seats."""
        seats = np.array([self.nodes[members[0]].seat for members in self.members])
        first, second = self.probabilities(policy), self.probabilities(rival)
        results = []
        for seat in range(2):
            p = np.where((seats == seat)[:, None], first, second)
            results.append(self.values(lambda observation, mask, p=p: p)[seat])
        return float(np.mean(results))

    def decisions(self, policy: PolicyFunction) -> float:
        """The expected number of decisions in a game of `policy` against itself."""
        reach = self._reach(self.probabilities(policy), NOBODY)
        return float(sum(reach[i] for members in self.members for i in members))

    def best_response(self, policy: PolicyFunction, seat: int) -> float:
        """The expected result of `seat` with a best response to `policy`."""
        p = self.probabilities(policy)
        reach = self._reach(p, seat)  # by chance and the opponent

        @cache
        def choice(infoset: int) -> int:
            gains = {
                action: sum(reach[i] * value(self.nodes[i].children[action]) for i in self.members[infoset])
                for action in np.flatnonzero(self.mask[infoset]).tolist()
            }
            return max(gains, key=gains.__getitem__)

        @cache
        def value(i: int) -> float:
            node = self.nodes[i]
            if node.seat == NOBODY:
                return float(node.payoff[seat])
            if node.seat == seat:
                return value(node.children[choice(node.infoset)])
            return sum(float(p[node.infoset, action]) * value(child) for action, child in node.children.items())

        return float(sum(p * value(i) for i, p in zip(self.deals, self.chance, strict=True)))

    def nash_conv(self, policy: PolicyFunction) -> float:
        """The gains of best responses to `policy` over playing it, summed over the seats; 0 in an equilibrium."""
        values = self.values(policy)
        return sum(self.best_response(policy, seat) - float(values[seat]) for seat in range(2))

    def _reach(self, p: np.ndarray, free: int) -> np.ndarray:
        """Reach probability of each node, float64, without the decisions of seat `free` (NOBODY: with all)."""
        reach = np.zeros(len(self.nodes))
        reach[self.deals] = self.chance
        for i, node in enumerate(self.nodes):
            for action, child in node.children.items():
                reach[child] = reach[i] * (1 if node.seat == free else p[node.infoset, action])
        return reach


def nash_conv(game: Game, policy: PolicyFunction) -> float:
    """NashConv of `policy`, in units of the game's returns (chips)."""
    return Tree(game).nash_conv(policy)


def uniform(observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The uniform random policy over legal actions."""
    return mask / mask.sum(1, keepdims=True)
