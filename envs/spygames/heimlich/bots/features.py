"""Features that bots compute from a view: the board as integers, and the probable owners of agents.

Agents and seats are relative to the viewer: agent 0 is its own, seat 0 is the viewer.
"""

from math import exp

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.heimlich.actions import encode_guess
from spygames.heimlich.board import FACES, FINISH, LOOP, VALUES
from spygames.heimlich.layout import GAINS, GAINS_UNIT, POINTS, POINTS_UNIT, TIMES, TIMES_UNIT, View

Places = tuple[Int, Int, Int, Int, Int, Int, Int]
Numbers = tuple[float, float, float, float, float, float, float]
"""One number for each relative agent. Entries beyond the agents in play are never read."""

PER_POINT, PER_TIME, PER_GAIN = 0.15, 0.4, 0.1
"""Log-odds that a seat owns an agent, added for each point moved, movement, and point scored through the seat."""


@kernel
def position(view: View, agent: Int) -> Int:
    """Return the building of an agent."""
    for building in range(LOOP):
        if view.position[agent, building]:
            return building
    return 0


@kernel
def safe_of(view: View) -> Int:
    """Return the building of the safe."""
    for building in range(LOOP):
        if view.safe[building]:
            return building
    return 0


@kernel
def score_of(view: View, agent: Int) -> Int:
    """Return the score of an agent."""
    return int(view.score[agent] * FINISH + 0.5)


@kernel
def points_left(view: View) -> Int:
    """Return the points of the die still to be spent."""
    for i in range(FACES):
        if view.points_left[i]:
            return i + 1
    return 0


@kernel
def own_id(view: View) -> Int:
    """Return the id of the own agent, which is its place in the order of movement."""
    for agent in range(len(view.own)):
        if view.own[agent]:
            return agent
    return 0


@kernel
def worth(building: Int) -> float:
    """Return the points that an agent scores in a building."""
    return float(VALUES[building])


@kernel
def building_after(building: Int, steps: Int) -> Int:
    """Return the building `steps` further clockwise; negative steps go back."""
    return (building + steps + LOOP) % LOOP


@kernel
def times_moved(view: View) -> float:
    """Return the number of movements of agents by the viewer so far."""
    times = 0.0
    for agent in range(len(view.score)):
        times += TIMES_UNIT * view.record[agent, 0, TIMES]
    return times


@kernel
def evidence(view: View, seat: Int, agent: Int) -> float:
    """Return the log-odds that the public record adds to `seat` owning `agent`."""
    by_points = PER_POINT * POINTS_UNIT * view.record[agent, seat, POINTS]
    by_times = PER_TIME * TIMES_UNIT * view.record[agent, seat, TIMES]
    return float(by_points + by_times + PER_GAIN * GAINS_UNIT * view.record[agent, seat, GAINS])


@kernel
def weight(view: View, seat: Int, agent: Int) -> float:
    """Return the odds factor that the public record gives to `seat` owning `agent`."""
    return exp(min(evidence(view, seat, agent), 30.0))


@kernel
def owner_chance(view: View, seat: Int, agent: Int) -> float:
    """Return the probability that another seat owns an agent; 0 for the viewer's own agent."""
    if agent == 0:
        return 0.0
    total = 0.0
    for other in range(1, len(view.score)):
        total += weight(view, seat, other)
    return weight(view, seat, agent) / total


@kernel
def rival_chance(view: View, agent: Int) -> float:
    """Return the probability that an agent belongs to another player, capped at 1."""
    chance = 0.0
    for seat in range(1, len(view.active)):
        chance += owner_chance(view, seat, agent)
    return min(chance, 1.0)


@kernel
def exposure(view: View) -> float:
    """Return the probability that the public record gives to the viewer owning its own agent."""
    total = 0.0
    for agent in range(len(view.score)):
        total += weight(view, 0, agent)
    return weight(view, 0, 0) / total


@kernel
def verdict(view: View, own: Int, moved: Int, there: Int) -> float:
    """Return the result of a scoring with the own agent in building `own` and the agent `moved` in `there`.

    +1: the game ends with the own token furthest ahead. -1: it ends otherwise. 0: it does not end.
    """
    mine = max(score_of(view, 0) + worth(own), 0.0)
    best = -1.0
    for agent in range(1, len(view.score)):
        building = there if agent == moved else position(view, agent)
        best = max(best, score_of(view, agent) + worth(building))
    if max(mine, best) < FINISH:
        return 0.0
    return 1.0 if mine >= best else -1.0


@kernel
def likeliest_owner(view: View, agent: Int, first_guess: Int, mask: np.ndarray) -> Int:
    """Return the most probable owner of an agent among the legal predictions.

    The owner is a number of places to the left, or 0 for a free agent; -1 if no prediction is legal.
    """
    best, best_chance = -1, -1.0
    for seat in range(len(view.active)):
        if mask[encode_guess(first_guess, len(view.active), agent, seat)]:
            chance = owner_chance(view, seat, agent) if seat else 1.0 - rival_chance(view, agent)
            if chance > best_chance:
                best, best_chance = seat, chance
    return best


@kernel
def all_places(view: View) -> Places:
    """Return the building of each agent."""
    last = len(view.score) - 1
    return (
        position(view, 0), position(view, 1), position(view, 2), position(view, 3),
        position(view, min(4, last)), position(view, min(5, last)), position(view, min(6, last)),
    )  # fmt: skip


@kernel
def all_scores(view: View) -> Numbers:
    """Return the score of each agent."""
    last = len(view.score) - 1
    return (
        float(score_of(view, 0)), float(score_of(view, 1)), float(score_of(view, 2)), float(score_of(view, 3)),
        float(score_of(view, min(4, last))), float(score_of(view, min(5, last))), float(score_of(view, min(6, last))),
    )  # fmt: skip


@kernel
def all_evidence(view: View) -> Numbers:
    """Return the evidence of the viewer's own record for each agent."""
    last = len(view.score) - 1
    return (
        evidence(view, 0, 0), evidence(view, 0, 1), evidence(view, 0, 2), evidence(view, 0, 3),
        evidence(view, 0, min(4, last)), evidence(view, 0, min(5, last)), evidence(view, 0, min(6, last)),
    )  # fmt: skip


@kernel
def all_rivals(view: View) -> Numbers:
    """Return the probability of each agent to belong to another player; 0 for the own agent."""
    last = len(view.score) - 1
    return (
        0.0, rival_chance(view, 1), rival_chance(view, 2), rival_chance(view, 3),
        rival_chance(view, min(4, last)), rival_chance(view, min(5, last)), rival_chance(view, min(6, last)),
    )  # fmt: skip
