"""Contradictions in a state of Agent Avenue are refused: cards, seats, phase, offer, market, end. No check is stricter
than play needs.

Kernels find what is wrong; `check` says it in words, of a state that was read from a mapping. `is_known` judges the
bytes of a state, where nobody waits for words.
"""

import numpy as np

from spygames.agent_avenue.cards import AGENTS, CARDS, COPIES, KINDS, MARKET_SIZE, ONGOING, OPEN, SPYCATION
from spygames.agent_avenue.layout import (
    ABILITY,
    AT_ABILITY,
    AT_DECK,
    AT_DISCARD,
    AT_SUPPLY,
    DOWN,
    END_REASONS,
    LEAD,
    MARKET,
    NONE,
    OVER,
    PHASES,
    PLAY,
    RAN_OUT,
    RECRUIT,
    RESOLVER,
    SEATS,
    SIDES,
    UP,
    Options,
    State,
    in_range,
)
from spygames.agent_avenue.queries import discard_limit, face_down_seat, first_seat, hand_size, is_team, other, side_of
from spygames.agent_avenue.rules.end_step import end_step
from spygames.agent_avenue.rules.market import is_possible
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.game import ImpossibleState

NO_FAULT = 0


def check(s: State) -> None:
    """Check that the parts of a state agree.

    Raises:
        ImpossibleState: two parts contradict each other; the message names their keys.
    """
    if (card := miscounted(s)) != NONE:
        raise ImpossibleState(
            f"there are {COPIES[card]} copies of {AGENTS[card]}, but hands, discarded, in_play, deck, face_up and "
            f"face_down hold {copies_held(s, card)}"
        )
    if (seat := discarded_too_many(s)) != NONE:
        raise ImpossibleState(
            f"discarded of seat {seat} holds {thrown(s, seat)} and discards_left is {s.discards_left[seat]}: "
            f"{discard_limit(s, seat)} together at most"
        )
    _check_turn(s)
    _check_offer(s)
    _check_market(s)
    if (seat := seen_too_many(s)) != NONE:
        card = next(card for card in range(KINDS) if s.seen[seat, card] > held_or_offered(s, seat, card))
        raise ImpossibleState(
            f"seen_in_hand of seat {seat} counts {s.seen[seat, card]} of {AGENTS[card]}, but it holds "
            f"{held_or_offered(s, seat, card)}"
        )
    _check_end(s)


@kernel
def agrees(s: State) -> bool:
    """Whether fields that depend on each other, each in its range, agree as `state_from_dict` demands."""
    fine = s.leader == NONE or s.options.players > 2
    for side in range(SIDES):
        fine = fine and side_of(s, s.captain[side]) == side
    for seat in range(s.options.players):
        for card in range(KINDS):
            fine = fine and s.seen[seat, card] <= COPIES[card]
    return bool(fine and (not s.options.advanced or _market_agrees(s)) and _ability_agrees(s))


@kernel
def _market_agrees(s: State) -> bool:
    """Each market card is in one place that takes it, and the deck holds those that are there."""
    fine, in_deck = True, 0
    for card in range(MARKET_SIZE):
        place = s.market[card]
        fine = fine and place != NONE and (place == AT_ABILITY) == (card == s.ability)
        fine = fine and (place >= SIDES or card < ONGOING) and (place != AT_DISCARD or card >= ONGOING)
        in_deck += place == AT_DECK
    fine = fine and in_deck == s.market_deck_size
    for i in range(s.market_deck_size):
        card = s.market_deck[i]
        fine = fine and s.market[card] == AT_DECK
        for j in range(i):
            fine = fine and s.market_deck[j] != card
    return bool(fine)


@kernel
def _ability_agrees(s: State) -> bool:
    """A seat resolves the ability, and an agent that was taken for it is in the mover's hand."""
    if s.ability == NONE:
        return bool(s.resolver == NONE and s.taken == NONE)
    if s.to_move == NONE:
        return False
    return bool(s.taken == NONE or (s.ability == SPYCATION and s.phase == ABILITY and s.hands[s.to_move, s.taken] > 0))


@kernel
def is_known(s: State, options: Options, mask: np.ndarray) -> bool:
    """Whether the variant of these options knows the position: its mapping reads back as the same bytes.

    `s` may be any bytes; they change. `mask` is not needed. The ranges are those of `state_from_dict`, and what its
    mapping does not name is as `clear` leaves it.
    """
    if not in_range(s, options) or not agrees(s) or miscounted(s) != NONE or discarded_too_many(s) != NONE:
        return False
    if turn_fault(s) or kept_fault(s) or offer_fault(s) or market_fault(s) or seen_too_many(s) != NONE:
        return False
    return end_fault(s) == NO_FAULT


# ---------------------------------------------------------------- cards and seats


@kernel
def kept_fault(s: State) -> bool:
    """Whether `kept` is more than the hand behind the face-down card holds, or counts where there is none."""
    most = hand_size(s, face_down_seat(s)) if s.phase == RECRUIT else 0
    return not 0 <= s.kept <= most


@kernel
def copies_held(s: State, card: Int) -> Int:
    """Copies of an agent, wherever they are."""
    total = np.int64(s.face_up == card) + np.int64(s.face_down == card)
    for seat in range(SEATS):
        total += s.hands[seat, card] + s.discarded[seat, card]
    for side in range(SIDES):
        total += s.in_play[side, card]
    for i in range(CARDS):
        total += s.deck[i] == card
    return total


@kernel
def miscounted(s: State) -> Int:
    """The first agent of which there are not as many as the game has, or NONE."""
    for card in range(KINDS):
        if copies_held(s, card) != COPIES[card]:
            return card
    return NONE


@kernel
def thrown(s: State, seat: Int) -> Int:
    """Cards that a seat has discarded."""
    total = np.int64(0)
    for card in range(KINDS):
        total += s.discarded[seat, card]
    return total


@kernel
def discarded_too_many(s: State) -> Int:
    """The first seat that could discard more often than AA-8 and AA-42 allow, or NONE."""
    for seat in range(s.options.players):
        if thrown(s, seat) + s.discards_left[seat] > discard_limit(s, seat):
            return seat
    return NONE


@kernel
def held_or_offered(s: State, seat: Int, card: Int) -> Int:
    """Copies in a hand, with the face-down card still counted to it."""
    offered = s.face_down != NONE and seat == face_down_seat(s) and s.face_down == card
    return np.int64(s.hands[seat, card]) + offered


@kernel
def seen_too_many(s: State) -> Int:
    """The first seat in whose hand more was seen than it holds, or NONE."""
    for seat in range(s.options.players):
        for card in range(KINDS):
            if s.seen[seat, card] > held_or_offered(s, seat, card):
                return seat
    return NONE


# ---------------------------------------------------------------- the turn

WRONG_PHASE, OF_MARKET, LEADER_NAMED, LEADER_MISSING, NOT_CAPTAIN, WRONG_MOVER = range(1, 7)


@kernel
def may_move(s: State, seat: Int) -> bool:
    """Whether it can be the turn of `seat`, or of nobody for NONE, in this phase."""
    captain, active = s.captain, s.active_side
    if s.phase in (PLAY, LEAD):
        return bool(seat == captain[active])
    if s.phase == UP:
        return bool(seat == s.leader)
    if s.phase == DOWN:
        return bool(seat == s.leader ^ 1)
    if s.phase == RECRUIT:
        return bool(seat == captain[other(active)])
    if s.phase == MARKET:
        return bool(seat == captain[0] or seat == captain[1])
    if s.phase == RESOLVER:
        return bool((is_team(s, 0) and seat == captain[0]) or (is_team(s, 1) and seat == captain[1]))
    if s.phase == ABILITY:
        return bool(s.resolver != NONE and seat == s.resolver)
    return seat == NONE


@kernel
def not_fixed(s: State) -> Int:
    """The first side whose captaincy is fixed and another's (AA-41), or NONE."""
    for side in range(SIDES):
        if s.options.captain_fixed and s.captain[side] != first_seat(s, side):
            return side
    return NONE


@kernel
def turn_fault(s: State) -> Int:
    """What of leader, captains and mover does not fit the phase and the active side; NO_FAULT if all does."""
    phase, team = s.phase, is_team(s, s.active_side)
    if (phase in (LEAD, UP, DOWN) and not team) or (phase == PLAY and team):
        return WRONG_PHASE
    if not s.options.advanced and phase in (MARKET, RESOLVER, ABILITY):
        return OF_MARKET
    if s.leader != NONE and (not team or side_of(s, s.leader) != s.active_side or phase == LEAD):
        return LEADER_NAMED
    if s.leader == NONE and team and phase in (UP, DOWN, RECRUIT):
        return LEADER_MISSING
    if not_fixed(s) != NONE:
        return NOT_CAPTAIN
    return NO_FAULT if may_move(s, s.to_move) else WRONG_MOVER


def _check_turn(s: State) -> None:
    """The phase fits the active side and the mover."""
    phase, active, fault = PHASES[s.phase], int(s.active_side), turn_fault(s)
    if fault == WRONG_PHASE:
        raise ImpossibleState(f"phase {phase} is not one of side {active} with {s.options.players} players")
    if fault == OF_MARKET:
        raise ImpossibleState(f"phase {phase} belongs to the advanced mode")
    if fault == LEADER_NAMED:
        raise ImpossibleState(f"lead must be null in phase {phase} of side {active}, not {s.leader}")
    if fault == LEADER_MISSING:
        raise ImpossibleState(f"lead must name a seat of side {active} in phase {phase}")
    if fault == NOT_CAPTAIN:
        side = not_fixed(s)
        raise ImpossibleState(f"captain of side {side} must be seat {first_seat(s, side)}: the captaincy is fixed")
    if fault == WRONG_MOVER:
        expected = [seat for seat in range(NONE, SEATS) if may_move(s, seat)]
        seats = " or ".join("null" if seat == NONE else str(seat) for seat in expected) or "the seat of ability"
        raise ImpossibleState(f"to_move must be {seats} in phase {phase} with this active_side")


# ---------------------------------------------------------------- the offer

NOT_OFFERED, NOT_UP, OFFERED, IDENTICAL, TOO_FEW, EMPTY_HAND = range(1, 7)


@kernel
def without_cards(s: State) -> Int:
    """The first seat that must play a card and has none, or NONE (AA-40)."""
    if s.phase not in (LEAD, UP, DOWN):
        return NONE
    if hand_size(s, s.to_move) == 0:
        return np.int64(s.to_move)
    if s.phase != DOWN and hand_size(s, s.to_move ^ 1) == 0:
        return np.int64(s.to_move) ^ 1
    return NONE


@kernel
def offer_fault(s: State) -> Int:
    """What of the offer does not fit the phase, or who must play and has no cards; NO_FAULT if all does."""
    up, down = s.face_up != NONE, s.face_down != NONE
    if s.phase == RECRUIT and not (up and down):
        return NOT_OFFERED
    if s.phase == DOWN and not (up and not down):
        return NOT_UP
    if s.phase not in (RECRUIT, DOWN) and (up or down):
        return OFFERED
    if s.phase == RECRUIT and s.face_up == s.face_down and s.hands[face_down_seat(s), s.face_up] < s.kept:
        return IDENTICAL
    if s.phase == PLAY and hand_size(s, s.to_move) < 2:
        return TOO_FEW
    return NO_FAULT if without_cards(s) == NONE else EMPTY_HAND


def _check_offer(s: State) -> None:
    """The offer fits the phase, and a seat that must play has cards."""
    fault = offer_fault(s)
    if fault == NOT_OFFERED:
        raise ImpossibleState("face_up and face_down must both name a card in phase recruit")
    if fault == NOT_UP:
        raise ImpossibleState("face_up must name a card and face_down none in phase down")
    if fault == OFFERED:
        raise ImpossibleState(f"face_up and face_down must be null in phase {PHASES[s.phase]}")
    if fault == IDENTICAL:
        raise ImpossibleState("face_up and face_down can be identical only where the hand held nothing else")
    if fault == TOO_FEW:
        raise ImpossibleState(f"hands of seat {s.to_move} holds fewer than 2 cards, but it must play two")
    if fault == EMPTY_HAND:
        raise ImpossibleState(f"hands of seat {without_cards(s)} holds no card, but it must play one")


# ---------------------------------------------------------------- the market

WRONG_ABILITY, NO_CHOICES, RESOLVED, CANNOT, NO_SUPPLY, PENDING, WRONG_SIDE = range(1, 8)


@kernel
def market_fault(s: State) -> Int:
    """What of ability, supply and pending does not fit the phase; NO_FAULT if all does."""
    resolving = s.phase in (RESOLVER, ABILITY)
    if (s.ability != NONE) != resolving:
        return WRONG_ABILITY
    if s.ability != NONE and (s.ability < ONGOING or OPEN[s.ability]):
        return NO_CHOICES
    if s.phase == RESOLVER and (s.resolver != NONE or s.taken != NONE):
        return RESOLVED
    if s.phase == ABILITY and not is_possible(s):
        return CANNOT
    supply = False
    for card in range(MARKET_SIZE):
        supply = supply or s.market[card] == AT_SUPPLY
    if s.phase == MARKET and not supply:
        return NO_SUPPLY
    if s.pending != NONE and s.phase != MARKET and not resolving:
        return PENDING
    if s.pending != NONE and (s.pending == s.active_side or side_of(s, s.to_move) == s.pending):
        return WRONG_SIDE
    return NO_FAULT


def _check_market(s: State) -> None:
    """An ability is resolved only in its phases, and can be carried out."""
    phase, fault = PHASES[s.phase], market_fault(s)
    if fault == WRONG_ABILITY:
        raise ImpossibleState(f"ability must be {'null' if s.ability != NONE else 'a market card'} in phase {phase}")
    if fault == NO_CHOICES:
        raise ImpossibleState("ability must be a card that asks for choices")
    if fault == RESOLVED:
        raise ImpossibleState("ability seat and taken must be null in phase resolver")
    if fault == CANNOT:
        raise ImpossibleState(f"ability: seat {s.resolver} cannot carry it out, so phase must not be ability")
    if fault == NO_SUPPLY:
        raise ImpossibleState("market_supply must hold a card in phase market")
    if fault == PENDING:
        raise ImpossibleState(f"pending must be empty in phase {phase}")
    if fault == WRONG_SIDE:
        raise ImpossibleState("pending can hold the waiting side only, while the active side is at the market")


# ---------------------------------------------------------------- the end

WRONG_RESULT, NOT_OVER, OTHER_RESULT, OVER_ALREADY = range(1, 5)


@kernel
def end_fault(s: State) -> Int:
    """What of the result is not as the End step finds it; NO_FAULT if all is. `s` is left as the End step leaves it."""
    over, winner, reason = s.phase == OVER, np.int64(s.winner), np.int64(s.end_reason)
    if over != (winner != NONE) or over != (reason != NONE):
        return WRONG_RESULT
    if s.phase in (MARKET, RESOLVER, ABILITY):
        return NO_FAULT  # the turn has not come to its End step
    s.winner = s.end_reason = NONE
    end_step(s)
    if over and s.winner == NONE:
        return NOT_OVER
    if over and (s.winner != winner or s.end_reason != reason):
        return OTHER_RESULT
    if not over and s.end_reason != NONE and s.end_reason != RAN_OUT:
        return OVER_ALREADY
    return NO_FAULT


def _check_end(s: State) -> None:
    """The result is the one that the End step finds in this position."""
    found = s.copy()
    fault = end_fault(found)
    winner, reason = int(found.winner), END_REASONS[found.end_reason]
    if fault == WRONG_RESULT:
        raise ImpossibleState("winner and end_reason belong to phase over, and to no other")
    if fault == NOT_OVER:
        raise ImpossibleState("phase is over, but nobody has won and the next player can play")
    if fault == OTHER_RESULT:
        raise ImpossibleState(f"winner and end_reason must be {winner} and {reason} in this position")
    if fault == OVER_ALREADY:
        raise ImpossibleState(f"side {winner} has won already ({reason}), so phase must be over")
