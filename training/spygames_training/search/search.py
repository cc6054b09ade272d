"""Search on top of a policy: one careful step from it, on worlds weighted by what the rivals have done.

At a decision worlds are drawn and weighted (`belief`), each likely action is played out in the same worlds by everybody's
policy from its own view (`rollouts`), and the policy takes one step of mirror descent on the values found (`step`): the
update-equivalence view of search (Sokota and others, "The update-equivalence framework for decision-time planning",
arXiv 2304.13138). All that it reads is a function of what the seat may know: the redrawn worlds, and the public part of
what was done.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames.core.game import Game
from spygames.core.notes import Noted
from spygames_training.search.belief import Belief, believe
from spygames_training.search.draws import Draws
from spygames_training.search.loops import loops_of
from spygames_training.search.models import Model, Rival, log_probabilities
from spygames_training.search.rollouts import play_out
from spygames_training.search.settings import SearchSettings
from spygames_training.search.step import Estimate, candidates_of, estimate, losing, mirror_step

__all__ = ["Findings", "PolicySearch"]

STAGED = 256
"""Worlds from which on candidates are dropped on the way; with fewer it costs more than it saves."""


@dataclass(frozen=True)
class Findings:
    """What a search found out about one decision. A actions, m worlds."""

    action: int
    """What it would do."""
    prior: np.ndarray
    """float64 [A], the policy's probabilities."""
    policy: np.ndarray
    """float64 [A], those after the step."""
    values: np.ndarray
    """float64 [A], mean return of the seat after each action, in the game's units; NaN where it was not looked at."""
    errors: np.ndarray
    """float64 [A], the standard error of what an action gains over the policy's likeliest; NaN likewise."""
    rivals: dict[str, float]
    """The probability of each model of the rivals."""
    worlds: np.ndarray
    """STATE [m], how things may be."""
    weights: np.ndarray
    """float64 [m], how likely each of `worlds` is, of sum 1: with it whatever is hidden has a distribution."""


class PolicySearch:
    """The search of one policy.

    Args:
        game: what is played.
        policy: the model of the seat, and of its partners.
        rivals: who may play the other seats.
        settings: what it spends and trusts.
    """

    def __init__(self, game: Game, policy: Model, rivals: Sequence[Rival], settings: SearchSettings):
        self.game, self.policy, self.rivals, self.settings = game, policy, list(rivals), settings

    def find(self, root: np.ndarray, noted: Noted | None, draws: Draws) -> Findings:
        """Searches the decision of the seat to move.

        Args:
            root: STATE [1]; the part of it that the seat may not know makes no difference.
            noted: the decisions so far, of which only what is public makes a difference; None: they are not known.
            draws: what is drawn: the findings depend on it alone, besides.
        """
        s, game = self.settings, self.game
        views, mask = game.new_views(), np.zeros((1, game.num_actions), np.int8)
        loops_of(game).show(root.copy(), views, mask)
        logits, _ = self.policy.ask(views, mask, draws.streams(1), values=False)
        prior = np.exp(log_probabilities(logits, mask))[0]
        belief = believe(
            game, root, noted if s.memory else None, self.policy, self.rivals, draws, 4 * s.worlds, max(s.memory, 1),
            0 if draws.exact else s.worlds / 4,
        )  # fmt: skip
        candidates = candidates_of(prior, s.least, s.most)
        found = self._estimate(belief, candidates, draws)
        return self._findings(prior, belief, candidates, found, draws)

    def _estimate(self, belief: Belief, candidates: np.ndarray, draws: Draws) -> Estimate:
        """What the candidates are worth, those that lose on the first worlds from these alone."""
        s = self.settings
        who, which, shares = draws.pick(belief.weights, s.worlds)
        k, c = len(which), len(candidates)
        ends = [k] if draws.exact or s.worlds < STAGED else [k // 4, k // 2, k]
        order = np.arange(k) if len(ends) == 1 else draws.streams(k)[:, 0].argsort()
        who, which, shares = who[order], which[order], shares[order]
        returns, used = np.full((k, c), np.nan), np.zeros(c, np.int64)
        alive, begin = np.arange(c), 0
        models = [rival.model for rival in self.rivals]
        for end in ends:
            part = slice(begin, end)
            returns[part, alive] = play_out(
                self.game, belief.worlds[which[part]], who[part], candidates[alive], self.policy, models, draws,
                s.step_lam, s.horizon,
            )  # fmt: skip
            used[alive], begin = end, end
            here = estimate(returns[:end, alive], shares[:end] / shares[:end].sum(), draws.exact)
            alive = alive[~losing(here)]
        parts = [
            estimate(returns[:n][:, [0, a]], shares[:n] / shares[:n].sum(), draws.exact) for a, n in enumerate(used)
        ]
        base = float(shares @ returns[:, 0])
        gains = np.array([part.gains[1] for part in parts])
        return Estimate(base + gains, gains, np.array([part.errors[1] for part in parts]))

    def _findings(
        self, prior: np.ndarray, belief: Belief, candidates: np.ndarray, found: Estimate, draws: Draws
    ) -> Findings:
        """The step, and what is done."""
        s = self.settings
        values, errors = np.full(len(prior), np.nan), np.full(len(prior), np.nan)
        values[candidates], errors[candidates] = found.values, found.errors
        best = int(found.gains.argmax())
        noise = 0.0
        if len(candidates) > 1:  # noise must not choose
            noise = 2 * float(found.errors[best] if best else found.errors[1:].min())
        tau = max(s.step_tau * abs(self.game.lowest_return), noise)
        policy = mirror_step(prior, values, tau)
        if s.mode == "safe":
            action = int(np.searchsorted(np.cumsum(policy), draws.uniform() * policy.sum(), side="right"))
            action = min(action, int(np.flatnonzero(policy)[-1]))
        else:
            action = int(policy.argmax())
            a = int(np.flatnonzero(candidates == action)[0])
            if found.gains[a] <= found.errors[a]:
                action = int(candidates[0])
        names = [rival.name for rival in self.rivals]
        return Findings(
            action=action,
            prior=prior,
            policy=policy,
            values=values,
            errors=errors,
            rivals=dict(zip(names, belief.rivals.tolist(), strict=True)),
            worlds=belief.worlds,
            weights=belief.weights.sum(axis=0),
        )
