"""`determinize`: all that a seat cannot know is drawn anew, uniformly among what its view allows."""

import numpy as np
from numpy import uint64

from spygames.core.kernel import Int, Record, kernel
from spygames.core.rng import below, shuffle
from spygames.heimlich.board import ALL_CARDS, BEGINNINGS, COPIES, KINDS, NEW_IDENTITY
from spygames.heimlich.identities import FIRST_OWNER, FREE, UNASKED, answers, is_named
from spygames.heimlich.state import NONE, OVER, left_of


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    """Redraws passports, the agent that was put back, predictions, hands, deck and the luck to come.

    At the end passports and predictions lie open (HC-34), so they stay.
    """
    s.rng = seed
    if s.phase != OVER:
        deal_passports(s, seat)
        draw_former(s, seat)
        for places in range(1, s.options.players):
            draw_guesses(s, left_of(s, seat, places))
    elif not (s.swapped_late and s.guessed):  # the agent left out of a prediction made before the swap shows it
        draw_former(s, seat)
    if s.options.top_secret:
        deal_cards(s, seat)


@kernel
def deal_passports(s: Record, seat: Int) -> None:
    """The other seats get any of the agents that are not the seat's own and, as it knows, not its former one."""
    own = s.passports[seat]
    kept = s.former if s.swapped == seat else NONE
    left = np.int64(s.options.agents) - 1 - (kept != NONE)
    for agent in range(s.options.agents):
        if agent != own:
            s.owner[agent] = NONE
    for places in range(1, s.options.players):
        other = left_of(s, seat, places)
        skip = below(s, left)
        for agent in range(s.options.agents):
            if s.owner[agent] == NONE and agent != kept:
                if skip == 0:
                    s.owner[agent] = other
                    s.passports[other] = agent
                skip -= 1
        left -= 1


@kernel
def draw_former(s: Record, seat: Int) -> None:
    """HC-31: the agent that another seat put back is any free one."""
    if s.swapped == NONE or s.swapped == seat:
        return
    skip = below(s, np.int64(s.options.agents) - np.int64(s.options.players))
    for agent in range(s.options.agents):
        if s.owner[agent] == NONE:
            if skip == 0:
                s.former = agent
            skip -= 1


@kernel
def draw_guesses(s: Record, seat: Int) -> None:
    """As many answers as the seat has given, each way of answering that HC-33 allows with the same chance."""
    left = answers(s, seat)
    if left == 0:
        return
    own = s.former if s.swapped_late and s.swapped == seat else s.passports[seat]
    unnamed, open_agents = np.int64(s.options.players) - 1, np.int64(s.options.agents) - 1
    for agent in range(s.options.agents):
        s.guesses[seat, agent] = UNASKED
    for agent in range(s.options.agents):
        if agent != own and left > 0:
            named = unnamed * BEGINNINGS[left - 1, unnamed - 1, open_agents - 1] if unnamed > 0 else 0
            free = BEGINNINGS[left - 1, unnamed, open_agents - 1]
            if below(s, named + free) < free:
                s.guesses[seat, agent] = FREE
            else:
                s.guesses[seat, agent] = FIRST_OWNER + unnamed_seat(s, seat, below(s, unnamed))
                unnamed -= 1
            left -= 1
            open_agents -= 1


@kernel
def unnamed_seat(s: Record, seat: Int, skip: Int) -> Int:
    """The seat that `seat` has given no agent yet, from its left on, after `skip` others."""
    for places in range(1, s.options.players):
        other = left_of(s, seat, places)
        if not is_named(s, seat, other):
            if skip == 0:
                return other
            skip -= 1
    return NONE


@kernel
def deal_cards(s: Record, seat: Int) -> None:
    """The cards that the seat has not seen are shuffled and dealt to the other hands and the deck."""
    pile = 0  # the deck serves as the pile that is dealt from
    for kind in range(KINDS):
        unseen = np.int64(s.options.new_identity) if kind == NEW_IDENTITY else COPIES[kind]
        unseen -= s.hands[seat, kind]
        for i in range(s.used_size):
            unseen -= s.used[i] == kind
        for _ in range(unseen):
            s.deck[pile] = kind
            pile += 1
    shuffle(s, s.deck, pile)
    for places in range(1, s.options.players):
        other = left_of(s, seat, places)
        for kind in range(KINDS):
            s.hands[other, kind] = 0
        for _ in range(s.hand_sizes[other]):
            pile -= 1
            s.hands[other, s.deck[pile]] += 1
    for i in range(pile, ALL_CARDS):
        s.deck[i] = NONE
