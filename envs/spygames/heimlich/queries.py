"""Queries about a state: relative numbers of agents and seats, predictions, copies of cards."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.heimlich.board import ABSOLUTE, RELATIVE
from spygames.heimlich.cards import COPIES, NEW_IDENTITY
from spygames.heimlich.layout import FIRST_OWNER, LARGEST, LOWEST, NONE, UNASKED, State


@kernel
def agent_of(s: State, seat: Int, relative: Int) -> Int:
    """Return the id of the agent with the number `relative` from the view of `seat`."""
    return np.int64(ABSOLUTE[s.passports[seat], relative])


@kernel
def relative_of(s: State, seat: Int, agent: Int) -> Int:
    """Return the relative number of the agent with id `agent` from the view of `seat`."""
    return np.int64(RELATIVE[s.passports[seat], agent])


@kernel
def left_of(s: State, seat: Int, places: Int) -> Int:
    """Return the seat `places` to the left of `seat`. `places` is at most one lap."""
    found = np.int64(seat) + places
    players = np.int64(s.options.players)
    return found if found < players else found - players


@kernel
def places_to(s: State, seat: Int, other: Int) -> Int:
    """Return the number of places from `seat` to the left until `other`."""
    places = np.int64(other) - np.int64(seat)
    return places if places >= 0 else places + np.int64(s.options.players)


@kernel
def asked_agent(s: State, seat: Int) -> Int:
    """Return the agent that `seat` is asked about next, in the order of ids without its own; NONE after the last."""
    own = s.passports[seat]
    for agent in range(s.options.agents):
        if agent != own and s.guesses[seat, agent] == UNASKED:
            return agent
    return NONE


@kernel
def answers(s: State, seat: Int) -> Int:
    """Return the number of agents for which `seat` has answered."""
    made = 0
    for agent in range(s.options.agents):
        made += s.guesses[seat, agent] != UNASKED
    return made


@kernel
def is_named(s: State, seat: Int, owner: Int) -> bool:
    """Whether a prediction of `seat` names `owner`."""
    named = False
    for agent in range(s.options.agents):
        named |= s.guesses[seat, agent] == FIRST_OWNER + owner
    return named


@kernel
def still_to_predict(s: State) -> Int:
    """Return the number of seats still to predict in phase `guess`, the seat to move included."""
    return np.int64(s.options.players) - places_to(s, s.active, s.to_move)


@kernel
def copies_of(s: State, kind: Int) -> Int:
    """HC-20, HC-31: the number of copies of a card kind in this game."""
    return np.int64(s.options.new_identity) if kind == NEW_IDENTITY else COPIES[kind]


@kernel
def add_bounded(total: Int, more: Int) -> Int:
    """Return `total + more`, clipped to LOWEST..LARGEST, the range of counts in the public record."""
    return min(max(np.int64(total) + np.int64(more), LOWEST), LARGEST)
