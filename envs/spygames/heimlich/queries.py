"""Kernels that answer questions about a state: relative numbers of agents and seats, predictions, copies of cards."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.heimlich.board import ABSOLUTE, RELATIVE
from spygames.heimlich.cards import COPIES, NEW_IDENTITY
from spygames.heimlich.layout import FIRST_OWNER, LARGEST, LOWEST, NONE, UNASKED, State


@kernel
def agent_of(s: State, seat: Int, relative: Int) -> Int:
    """The id of the agent that `seat` calls agent number `relative`."""
    return np.int64(ABSOLUTE[s.passports[seat], relative])


@kernel
def relative_of(s: State, seat: Int, agent: Int) -> Int:
    """The number that `seat` gives the agent with this id."""
    return np.int64(RELATIVE[s.passports[seat], agent])


@kernel
def left_of(s: State, seat: Int, places: Int) -> Int:
    """The seat `places` to the left of `seat`; at most one lap."""
    found = np.int64(seat) + places
    players = np.int64(s.options.players)
    return found if found < players else found - players


@kernel
def places_to(s: State, seat: Int, other: Int) -> Int:
    """How many places to the left of `seat` the seat `other` is."""
    places = np.int64(other) - np.int64(seat)
    return places if places >= 0 else places + np.int64(s.options.players)


@kernel
def asked_agent(s: State, seat: Int) -> Int:
    """The agent that `seat` is asked about next, in the order of ids without its own; NONE if it has answered all."""
    own = s.passports[seat]
    for agent in range(s.options.agents):
        if agent != own and s.guesses[seat, agent] == UNASKED:
            return agent
    return NONE


@kernel
def answers(s: State, seat: Int) -> Int:
    """The number of agents that `seat` has answered for."""
    made = 0
    for agent in range(s.options.agents):
        made += s.guesses[seat, agent] != UNASKED
    return made


@kernel
def is_named(s: State, seat: Int, owner: Int) -> bool:
    """Whether `seat` has given the player `owner` an agent."""
    named = False
    for agent in range(s.options.agents):
        named |= s.guesses[seat, agent] == FIRST_OWNER + owner
    return named


@kernel
def still_to_predict(s: State) -> Int:
    """The number of seats that have not predicted yet in phase `guess`, the seat to move included."""
    return np.int64(s.options.players) - places_to(s, s.active, s.to_move)


@kernel
def copies_of(s: State, kind: Int) -> Int:
    """HC-20, HC-31: the number of cards of a kind in this game."""
    return np.int64(s.options.new_identity) if kind == NEW_IDENTITY else COPIES[kind]


@kernel
def add_bounded(total: Int, more: Int) -> Int:
    """`total + more` for a count of the public record, clipped to LOWEST..LARGEST."""
    return min(max(np.int64(total) + np.int64(more), LOWEST), LARGEST)
