"""Scores of beliefs about hidden things: nats against the truth, by group of questions, with intervals over deals.

Letters: n answered questions of one player, in the same order for all players; D deals.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from spygames_training.evaluation.belief_positions import Asked
from spygames_training.evaluation.believers import KNOWN, RULES
from spygames_training.evaluation.evaluation import mean_interval

FLOOR = 0.001
"""Weight of the uniform distribution that is mixed into every belief before it is scored. It limits what one question
can cost: 9 nats with eight answers. A belief that is right with certainty costs at most 0.001 nats."""
CERTAIN = 0.99
"""Probability of one answer from which a belief counts as certain."""

Interval = tuple[float, float]
Probabilities = Sequence[Sequence[float] | None]
"""The answers at one position: for each question the probability of each answer; None: no valid answer."""


def nats(probability: float, answers: int) -> float:
    """Return the score of a belief that gave the truth this probability among so many answers: -log, with `FLOOR`."""
    return -math.log((1 - FLOOR) * probability + FLOOR / answers)


@dataclass(frozen=True)
class Score:
    """The scores of one player."""

    nats: np.ndarray
    """float64 [n]; of questions without a valid answer it is the score of the rules alone."""
    valid: np.ndarray
    """bool [n], whether the question has a valid answer."""
    certain: np.ndarray
    """bool [n], whether the valid answer is certain."""
    right: np.ndarray
    """bool [n], whether the likeliest answer is the true one."""
    least: np.ndarray
    """float64 [n], the lowest score that any answer with a probability by the rules alone would have given."""
    most: np.ndarray
    """float64 [n], the highest one."""


@dataclass(frozen=True)
class BeliefResult:
    """How well a player answered one group of questions."""

    player: str
    group: str
    """The name of the group, see `Questions.groups`."""
    deals: int
    """Number of deals with a question of the group."""
    questions: int
    """Number of questions."""
    nats: float
    """Mean over the deals of the mean over a deal's questions. Questions without a valid answer count as the rules
    alone."""
    interval: tuple[float, float]
    """95 % interval of `nats`, over deals."""
    over_rules: float
    """Nats of the rules alone minus `nats`: what the player infers beyond them."""
    over_rules_interval: tuple[float, float]
    """95 % interval of `over_rules`, over the same deals."""
    excess: float | None
    """`nats` minus those of someone who knows the players. None: these cannot be computed."""
    excess_interval: tuple[float, float] | None
    """95 % interval of `excess`, over the same deals."""
    answered: int
    """Number of questions with a valid answer."""
    nats_answered: float | None
    """The mean over these questions alone; None: there are none."""
    answered_interval: tuple[float, float] | None
    """95 % interval of `nats_answered`, over the deals that have such questions."""
    rules_answered: float | None
    """Nats of the rules alone on these questions."""
    certain: float
    """Share of the valid answers that are certain, 0 to 1."""
    right: float | None
    """Share of the certain answers that are right, 0 to 1; None: there are none."""


def score(
    asked: Sequence[Asked],
    answers: Sequence[Sequence[Probabilities]],
    by_rules: Sequence[Sequence[Probabilities]],
) -> Score:
    """Score the answers of one player.

    Args:
        asked: the positions by game.
        answers: its answers by game and position.
        by_rules: those of the rules alone, which take the place of answers that are not valid.
    """
    found: list[tuple[float, bool, bool, bool, float, float]] = []
    for game, told, standard in zip(asked, answers, by_rules, strict=True):
        for position, truths, given, rules in zip(game.positions, game.truths, told, standard, strict=True):
            for truth, chances, possible in zip(truths, given, rules, strict=True):
                assert possible is not None
                used = possible if chances is None else chances
                costs = [nats(chance, len(used)) for chance in used]
                # With few worlds even the truth may be in none.
                open_ones = [cost for cost, chance in zip(costs, possible, strict=True) if chance > 0]
                open_ones.append(costs[truth])
                valid, top = chances is not None, max(used)
                marks = valid, valid and top >= CERTAIN, valid and used[truth] == top
                found.append((costs[truth], *marks, min(open_ones), max(open_ones)))
            assert len(truths) == len(position.unknowns)
    columns = [*zip(*found, strict=True)] if found else [()] * 6
    kinds = (np.float64, bool, bool, bool, np.float64, np.float64)
    return Score(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))


def results(
    asked: Sequence[Asked], answers: Mapping[str, Sequence[Sequence[Probabilities]]], seed: int
) -> list[BeliefResult]:
    """Score all players, by group of questions.

    Args:
        asked: the positions by game.
        answers: by player, its answers by game and position; with `RULES`, and `KNOWN` if it can be computed.
        seed: of the bootstrap.

    Returns:
        The results, by group in the order of the game, then by player.
    """
    groups = np.array([each.group for game in asked for p in game.positions for each in p.unknowns], object)
    deals = np.repeat(np.arange(len(asked)), [sum(len(p.unknowns) for p in game.positions) for game in asked])
    sizes = {each.group: len(each.answers) for game in asked for p in game.positions for each in p.unknowns}
    scores = {name: score(asked, told, answers[RULES]) for name, told in answers.items()}
    rules, known = scores[RULES], scores.get(KNOWN)
    found = []
    for group, size in sizes.items():
        mine, worst = groups == group, nats(0.0, size)

        def over_deals(values: np.ndarray, low: float, high: float, rows: np.ndarray) -> tuple[float, Interval]:
            """Return the mean over deals and its interval; each value is from `low` to `high`."""
            _, where = np.unique(deals[rows], return_inverse=True)
            by_deal = np.bincount(where, values[rows]) / np.bincount(where)
            return float(by_deal.mean()), mean_interval(by_deal, low, high, seed)[0]

        for name, s in scores.items():
            valid, certain = mine & s.valid, mine & s.certain
            bounds = float(s.least[mine].min()), float(s.most[mine].max())
            value, interval = over_deals(s.nats, *bounds, mine)
            gain, gain_interval = over_deals(rules.nats - s.nats, -worst, worst, mine)
            excess, excess_interval = None, None
            if known is not None:
                excess, excess_interval = over_deals(s.nats - known.nats, -worst, worst, mine)
            answered, answered_interval, rules_answered = None, None, None
            if valid.any():
                answered, answered_interval = over_deals(s.nats, *bounds, valid)
                rules_answered, _ = over_deals(rules.nats, 0.0, worst, valid)
            found.append(
                BeliefResult(
                    player=name,
                    group=group,
                    deals=len(np.unique(deals[mine])),
                    questions=int(mine.sum()),
                    nats=value,
                    interval=interval,
                    over_rules=gain,
                    over_rules_interval=gain_interval,
                    excess=excess,
                    excess_interval=excess_interval,
                    answered=int(valid.sum()),
                    nats_answered=answered,
                    answered_interval=answered_interval,
                    rules_answered=rules_answered,
                    certain=float(s.certain[valid].mean()) if valid.any() else 0.0,
                    right=float(s.right[certain].mean()) if certain.any() else None,
                )
            )
    return found
