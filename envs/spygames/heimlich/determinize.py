"""`determinize`: redraw everything that a seat cannot know, uniformly among what its view allows."""

from math import comb, factorial

import numpy as np
from numpy import uint64

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import below, shuffle
from spygames.heimlich.board import MAX_AGENTS
from spygames.heimlich.cards import ALL_CARDS, KINDS
from spygames.heimlich.layout import FIRST_OWNER, FREE, NONE, OVER, UNASKED, State
from spygames.heimlich.queries import answers, copies_of, left_of


def _prefixes(length: int, players: int, agents: int) -> int:
    """Return the number of ways to answer for `length` of `agents` agents so that all `players` can still get one."""
    named = range(max(0, length - (agents - players)), min(length, players) + 1)
    return sum(comb(length, k) * factorial(players) // factorial(players - k) for k in named)


_COUNTS = range(MAX_AGENTS)
PREFIXES = np.array(
    [[[_prefixes(r, u, n) if r <= n >= u else 0 for n in _COUNTS] for u in _COUNTS] for r in _COUNTS], np.int64
)
"""Number of ways to answer, int64 [answers still to draw, players without an agent, agents without an answer]."""


@kernel
def determinize(s: State, seat: Int, seed: uint64) -> None:
    """Redraw passports, the agent that was put back, predictions, hands and deck. `seed` seeds future chance.

    At the end passports and predictions are public (HC-34), so they stay.
    """
    s.rng = seed
    if s.phase != OVER:
        draw_passports(s, seat)
        draw_former(s, seat)
        for places in range(1, s.options.players):
            draw_guesses(s, left_of(s, seat, places))
    elif not (s.swapped_late and s.guessed):  # predictions before the swap leave out, and so show, the former agent
        draw_former(s, seat)
    if s.options.top_secret:
        draw_cards(s, seat)


@kernel
def determinize_stratum(s: State, seat: Int, seed: uint64, stratum: Int) -> Int:
    """`Game.determinize_stratum`: as `determinize`, but with the passports of the given stratum.

    A stratum is one way to deal the passports. Returns their number.
    """
    determinize(s, seat, seed)
    if s.phase == OVER:
        return 1
    strata = deal_passports(s, seat, stratum)
    draw_former(s, seat)
    for places in range(1, s.options.players):
        draw_guesses(s, left_of(s, seat, places))
    return strata


@kernel
def deal_passports(s: State, seat: Int, number: Int) -> Int:
    """Deal passports to the other seats in way `number` of the ways that `draw_passports` can draw.

    Returns:
        The number of ways.
    """
    own, ways = s.passports[seat], 1
    kept = s.former if s.swapped == seat else NONE
    left = np.int64(s.options.agents) - 1 - (kept != NONE)
    for agent in range(s.options.agents):
        if agent != own:
            s.owner[agent] = NONE
    for places in range(1, s.options.players):
        other, skip = left_of(s, seat, places), number % left
        number, ways = number // left, ways * left
        for agent in range(s.options.agents):
            if s.owner[agent] == NONE and agent != kept:
                if skip == 0:
                    s.owner[agent] = other
                    s.passports[other] = agent
                skip -= 1
        left -= 1
    return ways


@kernel
def draw_passports(s: State, seat: Int) -> None:
    """Draw agents for the other seats from all but the seat's own and its former one, which it knows to be free."""
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
def draw_former(s: State, seat: Int) -> None:
    """HC-31: draw the agent that another seat put back from the free ones."""
    if s.swapped == NONE or s.swapped == seat:
        return
    skip = below(s, np.int64(s.options.agents) - np.int64(s.options.players))
    for agent in range(s.options.agents):
        if s.owner[agent] == NONE:
            if skip == 0:
                s.former = agent
            skip -= 1


@kernel
def draw_guesses(s: State, seat: Int) -> None:
    """Redraw the answers that the seat has given; each way that HC-33 allows is equally likely."""
    left = answers(s, seat)
    if left == 0:
        return
    own = s.former if s.swapped_late and s.swapped == seat else s.passports[seat]
    unnamed, open_agents = np.int64(s.options.players) - 1, np.int64(s.options.agents) - 1
    named_seats = 0  # as bits
    for agent in range(s.options.agents):
        s.guesses[seat, agent] = UNASKED
    for agent in range(s.options.agents):
        if agent != own and left > 0:
            named = unnamed * PREFIXES[left - 1, unnamed - 1, open_agents - 1] if unnamed > 0 else 0
            free = PREFIXES[left - 1, unnamed, open_agents - 1]
            if below(s, named + free) < free:
                s.guesses[seat, agent] = FREE
            else:
                owner = unnamed_seat(s, seat, named_seats, below(s, unnamed))
                s.guesses[seat, agent] = FIRST_OWNER + owner
                named_seats |= 1 << owner
                unnamed -= 1
            left -= 1
            open_agents -= 1


@kernel
def unnamed_seat(s: State, seat: Int, named_seats: Int, skip: Int) -> Int:
    """Return the seat number `skip`, from 0, of those not in `named_seats` (bits), from the left of `seat` on."""
    for places in range(1, s.options.players):
        other = left_of(s, seat, places)
        if not named_seats >> other & 1:
            if skip == 0:
                return other
            skip -= 1
    return NONE


@kernel
def draw_cards(s: State, seat: Int) -> None:
    """Shuffle the cards that the seat has not seen and deal them to the other hands; the deck keeps the rest."""
    unseen = s.hands[left_of(s, seat, 1)]  # holds the counts until the cards are dealt
    for kind in range(KINDS):
        unseen[kind] = copies_of(s, kind) - s.hands[seat, kind]
    for i in range(s.used_size):
        unseen[s.used[i]] -= 1
    pile = 0  # number of unseen cards; `deck` holds them until they are dealt
    for kind in range(KINDS):
        for _ in range(unseen[kind]):
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
