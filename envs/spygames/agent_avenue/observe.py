"""Observe: write what a seat of Agent Avenue may know into its view."""

import numpy as np
from numpy import float32

from spygames.agent_avenue.board import CATCH, HOMES, SPACES
from spygames.agent_avenue.cards import CARDS, KINDS, MARKET_SIZE, ONGOING
from spygames.agent_avenue.layout import (
    AT_ABILITY,
    AT_DISCARD,
    AT_SUPPLY,
    DISCARDS,
    HAND,
    NONE,
    OVER,
    SUPPLY_AND_DECK,
    THREE,
    State,
    StateWithOffers,
    View,
)
from spygames.agent_avenue.queries import (
    face_down_seat,
    hand_size,
    knows_face_down,
    lead,
    other,
    seat_at,
    side_of,
    unseen,
)
from spygames.core.compiling.kernel import Int, kernel

_THERMOMETER = np.tril(np.ones((8, 7), float32), -1)  # row n: n ones


@kernel(noalias=True)
def observe(s: State, seat: Int, view: View) -> None:
    """Write the fields that every variant has, with the side of `seat` first."""
    own = side_of(s, seat)
    knows_down = knows_face_down(s, seat)
    for card in range(KINDS):
        for i in range(HAND):
            view.hand[card, i] = _THERMOMETER[s.hands[seat, card], i]
        view.discarded[card] = s.discarded[seat, card] / DISCARDS
        view.unseen[card] = unseen(s, seat, card, knows_down) / 6
        view.face_up[card] = s.face_up == card
        view.face_down[card] = knows_down and s.face_down == card
    for k in range(2):
        side = own ^ k
        for card in range(KINDS):
            view.in_play[k, card] = s.in_play[side, card] / 6
            for i in range(THREE):
                view.stacks[k, card, i] = _THERMOMETER[s.in_play[side, card], i]
        view.space[k] = ((HOMES[side] - HOMES[own] + s.progress[side]) % SPACES) / SPACES
    for k in range(len(view.hand_size)):
        who = seat_at(s, seat, k)
        for i in range(DISCARDS):
            view.discards_left[k, i] = _THERMOMETER[s.discards_left[who], i] if who != NONE else 0.0
        view.hand_size[k] = hand_size(s, who) / HAND if who != NONE else 0.0
    ahead = min(max(lead(s, own), -CATCH), CATCH) + CATCH
    for i in range(2 * CATCH + 1):
        view.lead[i] = i == ahead
    view.deck_size = s.deck_size / CARDS
    for i in range(len(view.phase)):
        view.phase[i] = s.phase == i
    view.decides = s.to_move == seat
    view.active = s.phase != OVER and s.active_side == own


@kernel
def observe_with_market(s: State, seat: Int, view: View) -> None:
    """Write the view of two players in advanced mode."""
    observe(s, seat, view)
    view.kept = s.kept / HAND
    observe_market(s, seat, view)


@kernel
def observe_with_teams(s: State, seat: Int, view: View) -> None:
    """Write the view of three or four players in simple mode."""
    observe(s, seat, view)
    view.kept = s.kept / HAND
    observe_teams(s, seat, view)


@kernel
def observe_all(s: State, seat: Int, view: View) -> None:
    """Write the view of three or four players in advanced mode."""
    observe(s, seat, view)
    view.kept = s.kept / HAND
    observe_market(s, seat, view)
    observe_teams(s, seat, view)


@kernel
def observe_market(s: State, seat: Int, view: View) -> None:
    """Write the fields of advanced mode: market cards, and hand cards that everybody has seen (AA-37)."""
    own = side_of(s, seat)
    for card in range(MARKET_SIZE):
        view.supply[card] = s.market[card] == AT_SUPPLY
    for card in range(ONGOING):
        view.ongoing[0, card] = s.market[card] == own
        view.ongoing[1, card] = s.market[card] == other(own)
    for i in range(MARKET_SIZE - ONGOING):
        view.market_discard[i] = s.market[ONGOING + i] == AT_DISCARD
        view.ability[i] = s.market[ONGOING + i] == AT_ABILITY
    view.market_deck_size = s.market_deck_size / SUPPLY_AND_DECK
    view.pending[0] = s.pending == own
    view.pending[1] = s.pending == other(own)
    for card in range(KINDS):
        view.taken[card] = s.taken == card
    for k in range(len(view.seen_in_hand)):
        observe_seen(s, seat_at(s, seat, k), k, view)


@kernel
def observe_seen(s: State, who: Int, place: Int, view: View) -> None:
    """Write the cards seen in a hand (AA-37). A card that the hand has played face down may be any of them."""
    hidden = who != NONE and who == face_down_seat(s)
    for card in range(KINDS):
        n = np.int64(s.seen[who, card]) if who != NONE else 0
        view.seen_or_offered[place, card] = n / HAND
        view.seen_in_hand[place, card] = max(n - 1, 0) / HAND if hidden else n / HAND


@kernel
def observe_teams(s: State, seat: Int, view: View) -> None:
    """Write the fields of teams: seats, mover, captains, leader."""
    for k in range(len(view.present)):
        who = seat_at(s, seat, k)
        there = who != NONE
        view.present[k] = there
        view.decider[k] = there and s.to_move == who
        view.captain[k] = there and s.captain[side_of(s, max(who, 0))] == who
        view.leader[k] = there and s.leader == who


@kernel
def observe_with_history(s: StateWithOffers, seat: Int, view: View) -> None:
    """Write the view of two players in simple mode, with earlier offers."""
    observe(s, seat, view)
    observe_offers(s, seat, view)


@kernel
def observe_market_with_history(s: StateWithOffers, seat: Int, view: View) -> None:
    """Write the view of two players in advanced mode, with earlier offers."""
    observe_with_market(s, seat, view)
    observe_offers(s, seat, view)


@kernel
def observe_teams_with_history(s: StateWithOffers, seat: Int, view: View) -> None:
    """Write the view of three or four players in simple mode, with earlier offers."""
    observe_with_teams(s, seat, view)
    observe_offers(s, seat, view)
    observe_leaders(s, seat, view)


@kernel
def observe_all_with_history(s: StateWithOffers, seat: Int, view: View) -> None:
    """Write the view of three or four players in advanced mode, with earlier offers."""
    observe_all(s, seat, view)
    observe_offers(s, seat, view)
    observe_leaders(s, seat, view)


@kernel(noalias=True)
def observe_offers(s: StateWithOffers, seat: Int, view: View) -> None:
    """Write the earlier offers of both sides, which everybody has seen (AA-12)."""
    own = side_of(s, seat)
    for k in range(2):
        side = own ^ k
        for i in range(view.took_up.shape[1]):
            for card in range(KINDS):
                view.offered_up[k, i, card] = s.offered_up[side, i] == card
                view.offered_down[k, i, card] = s.offered_down[side, i] == card
            view.took_up[k, i] = s.took_up[side, i] == 1
            view.discards_before[k, i] = s.discards_before[side, i] / DISCARDS


@kernel
def observe_leaders(s: StateWithOffers, seat: Int, view: View) -> None:
    """Write who played the open card of earlier offers (AA-40); zeros for a single player, who played both cards."""
    own = side_of(s, seat)
    for k in range(2):
        for i in range(view.took_up.shape[1]):
            for place in range(len(view.present)):
                who = seat_at(s, seat, place)
                view.led_by[k, i, place] = who != NONE and s.led_by[own ^ k, i] == who
