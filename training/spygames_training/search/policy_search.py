"""Search on top of a policy: one step of mirror descent, in worlds weighted by the rivals' decisions.

1. Worlds are drawn and weighted (`belief`).
2. Each candidate action is played out in the same worlds. Every seat decides by its model from its own view
   (`rollouts`).
3. The policy takes one step of mirror descent on the resulting values (`mirror_descent`).

This is the update-equivalence view of search (Sokota and others, "The update-equivalence framework for decision-time
planning", arXiv 2304.13138). The search reads only what the seat may know: the redrawn worlds, and the public part of
past actions.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.history import Noted
from spygames_training.search.belief import Belief, believe
from spygames_training.search.draws import Draws
from spygames_training.search.loops import loops_of
from spygames_training.search.mirror_descent import Estimate, candidates_of, estimate, losing, mirror_step
from spygames_training.search.models import Model, Rival, log_probabilities
from spygames_training.search.rollouts import Beginnings, play_out
from spygames_training.search.settings import SearchSettings

STAGED = 256
"""Minimum number of worlds for eliminating candidates in stages; with fewer, the stages cost more than they save."""


@dataclass(frozen=True)
class Findings:
    """The result of searching one decision. Letters: A actions, m worlds."""

    action: int
    """The action that the search chooses."""
    prior: np.ndarray
    """float64 [A], the policy's probabilities."""
    policy: np.ndarray
    """float64 [A], the probabilities after the step."""
    values: np.ndarray
    """float64 [A], the seat's mean return after each action, in the game's units; NaN for actions that are not
    candidates."""
    errors: np.ndarray
    """float64 [A], the standard error of each action's gain over the policy's most likely action; NaN for actions that
    are not candidates."""
    rivals: dict[str, float]
    """The probability of each model of the rivals, by name."""
    worlds: np.ndarray
    """STATE [m], possible worlds, only as many as the comparison of actions needs. `SearchingPolicy.believe` is more
    accurate."""
    weights: np.ndarray
    """float64 [m], the probability of each of `worlds`, of sum 1."""


class Question(NamedTuple):
    """A decision to search."""

    root: np.ndarray
    """STATE [1]; the result does not depend on what the seat to move may not know."""
    noted: Noted | None
    """The decisions so far, of which only the public part is used; None: unknown."""
    draws: Draws
    """The source of randomness. The findings depend on nothing else."""


class Believed(NamedTuple):
    """What is known about a decision before any rollout."""

    root: np.ndarray
    """STATE [1]"""
    prior: np.ndarray
    """float64 [A]"""
    belief: Belief
    candidates: np.ndarray
    """int64 [c], the policy's most likely action first."""


class Sample(NamedTuple):
    """k pairs of rival and world, drawn from a belief for rollouts."""

    who: np.ndarray
    """int64 [k], indices of rivals"""
    which: np.ndarray
    """int64 [k], indices of worlds"""
    shares: np.ndarray
    """float64 [k], of sum 1."""
    draws: Draws


def together(returns: np.ndarray, used: np.ndarray, sample: Sample) -> Estimate:
    """Combine the returns of all candidates into one estimate.

    Args:
        returns: [k, c].
        used: [c], the number of leading worlds in which each candidate was played out.
        sample: the worlds.
    """
    pairs = []
    for a, n in enumerate(used.tolist()):
        shares = sample.shares[:n] / sample.shares[:n].sum()
        pairs.append(estimate(returns[:n][:, [0, a]], shares, sample.draws.exact))
    gains, errors = (np.array([getattr(pair, name)[1] for pair in pairs]) for name in ("gains", "errors"))
    return Estimate(float(sample.shares @ returns[:, 0]) + gains, gains, errors)


class PolicySearch:
    """The search of one policy.

    Args:
        game: the game.
        policy: the model of the seat and of its partners.
        rivals: the models that may play the other sides.
        settings: of the search.
    """

    def __init__(self, game: Game, policy: Model, rivals: Sequence[Rival], settings: SearchSettings):
        self.game, self.policy, self.rivals, self.settings = game, policy, list(rivals), settings

    @np.errstate(all="ignore")  # weights of the least likely worlds underflow
    def find(self, questions: Sequence[Question]) -> list[Findings]:
        """Search several decisions at once. The findings of one decision do not depend on the others."""
        beliefs = [self._believe(question) for question in questions]
        found = self._estimate(beliefs, [question.draws for question in questions])
        return [
            self._findings(believed, estimated, question.draws)
            for believed, estimated, question in zip(beliefs, found, questions, strict=True)
        ]

    def _believe(self, question: Question) -> Believed:
        """Compute what is known before any rollout."""
        s, game, draws = self.settings, self.game, question.draws
        views, mask = game.new_views(), np.zeros((1, game.num_actions), np.int8)
        loops_of(game).show(question.root.copy(), views, mask)
        logits, _ = self.policy.ask(views, mask, draws.streams(1), values=False)
        prior = np.exp(log_probabilities(logits, mask))[0]
        # All strata are among the worlds, so more worlds and flattened weights are not needed.
        if draws.exact or game.determinize_stratum is not None:
            belief = self.believe(question, s.worlds)
        else:
            belief = self.believe(question, 4 * s.worlds, s.effective * s.worlds)
        return Believed(question.root, prior, belief, candidates_of(prior, s.least, s.most))

    @np.errstate(all="ignore")
    def believe(self, question: Question, m: int, least: float = 0.0) -> Belief:
        """Compute the belief about hidden information from about `m` worlds; `least` as in the function `believe`."""
        memory = self.settings.memory
        noted = question.noted if memory else None
        return believe(
            self.game, question.root, noted, self.policy, self.rivals, question.draws, m, max(memory, 1), least
        )

    def _estimate(self, beliefs: Sequence[Believed], draws: Sequence[Draws]) -> list[Estimate]:
        """Estimate the values of the candidates. Eliminated candidates are estimated from the worlds before their
        elimination."""
        s = self.settings
        samples = [Sample(*draw.pick(b.belief.weights, s.worlds), draw) for b, draw in zip(beliefs, draws, strict=True)]
        returns = [np.full((len(x.which), len(b.candidates)), np.nan) for x, b in zip(samples, beliefs, strict=True)]
        used = [np.zeros(len(b.candidates), np.int64) for b in beliefs]
        alive = [np.arange(len(b.candidates)) for b in beliefs]
        begin, stages = 0.0, (1.0,) if s.worlds < STAGED or draws[0].exact else (0.25, 0.5, 1.0)
        for end in stages:
            parts = [slice(int(begin * len(x.which)), int(end * len(x.which))) for x in samples]
            several = zip(beliefs, samples, parts, alive, strict=True)
            starts = [self._beginnings(b, x, part, left) for b, x, part, left in several]
            models = [rival.model for rival in self.rivals]
            whole = Beginnings(*(np.concatenate(columns) for columns in zip(*starts, strict=True)))
            played = play_out(self.game, whole, self.policy, models, draws[0].act, s.step_lam, s.horizon)
            cuts = np.cumsum([len(each.actions) for each in starts])
            for i, values in enumerate(np.split(played, cuts[:-1])):
                n, left, shares = parts[i].stop, alive[i], samples[i].shares
                returns[i][parts[i], left] = values.reshape(-1, len(left))
                used[i][left] = n
                here = estimate(returns[i][:n, left], shares[:n] / shares[:n].sum(), draws[i].exact)
                alive[i] = left[~losing(here)]
            begin = end
        return [together(*each) for each in zip(returns, used, samples, strict=True)]

    def _beginnings(self, believed: Believed, sample: Sample, part: slice, alive: np.ndarray) -> Beginnings:
        """Return one rollout for each chosen world and candidate. In one world all candidates share the random
        stream."""
        which, who, c = sample.which[part], sample.who[part], len(alive)
        root, belief = believed.root, believed.belief
        worlds = sample.draws.anew(root, int(root["to_move"][0]), belief.worlds, which)
        return Beginnings(
            worlds=np.repeat(worlds, c),
            actions=np.tile(believed.candidates[alive], len(which)),
            rivals=np.repeat(who, c),
            rng=np.repeat(sample.draws.streams(len(which)), c, axis=0),
        )

    def _findings(self, believed: Believed, found: Estimate, draws: Draws) -> Findings:
        """Take the step and choose the action."""
        s, (_, prior, belief, candidates) = self.settings, believed
        values, errors = np.full(len(prior), np.nan), np.full(len(prior), np.nan)
        values[candidates], errors[candidates] = found.values, found.errors
        best = int(found.gains.argmax())
        noise = 0.0
        if len(candidates) > 1:  # noise must not decide
            noise = 2 * float(found.errors[best] if best else found.errors[1:].min())
        tau = max(s.step_tau * abs(self.game.lowest_return), noise)
        policy = mirror_step(prior, values, tau)
        if s.mode == "safe":
            action = int(np.searchsorted(np.cumsum(policy), draws.uniform() * policy.sum(), side="right"))
            action = min(action, int(np.flatnonzero(policy)[-1]))
        else:
            action = int(np.where(np.isnan(values), -np.inf, policy).argmax())  # not one that ties by rounding
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
