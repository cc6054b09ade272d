"""Checks that the parts of a state of Agent Avenue agree: cards, seats, phase, offer, market, end.

No check is stricter than play needs. Kernels find the fault. For a state that was read from a mapping, `check` raises
an error that describes the fault. For the bytes of a state, `is_known` only returns whether there is one.
"""

import numpy as np

from spygames.agent_avenue.cards import (
    AGENTS,
    CARDS,
    COPIES,
    KINDS,
    MARKET_CARDS,
    MARKET_SIZE,
    ONGOING,
    OPEN,
    SPYCATION,
)
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
    MAX_HISTORY,
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
    StateWithOffers,
    in_range,
    offers_in_range,
)
from spygames.agent_avenue.queries import (
    discard_limit,
    discards_of,
    face_down_seat,
    first_seat,
    hand_size,
    is_team,
    other,
    side_of,
)
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
            f"hands, discarded, in_play, deck, face_up and face_down must hold {COPIES[card]} copies of "
            f"{AGENTS[card]}, not {copies_held(s, card)}"
        )
    if (seat := discarded_too_many(s)) != NONE:
        raise ImpossibleState(
            f"discarded and discards_left of seat {seat} must be at most {discard_limit(s, seat)} together, "
            f"not {thrown(s, seat)} and {s.discards_left[seat]}"
        )
    _check_turn(s)
    _check_offer(s)
    _check_market(s)
    if (seat := seen_too_many(s)) != NONE:
        card = next(card for card in range(KINDS) if s.seen[seat, card] > held_or_offered(s, seat, card))
        raise ImpossibleState(
            f"seen_in_hand of seat {seat} must be at most {held_or_offered(s, seat, card)} for {AGENTS[card]}, the "
            f"copies that it holds, not {s.seen[seat, card]}"
        )
    _check_end(s)


@kernel
def agrees(s: State) -> bool:
    """Whether fields that depend on each other agree as `state_from_dict` requires. Each field must be in its range."""
    fine = s.leader == NONE or s.options.players > 2
    for side in range(SIDES):
        fine = fine and side_of(s, s.captain[side]) == side
    for seat in range(s.options.players):
        for card in range(KINDS):
            fine = fine and s.seen[seat, card] <= COPIES[card]
    return bool(fine and (not s.options.advanced or _market_agrees(s)) and _ability_agrees(s))


@kernel
def _market_agrees(s: State) -> bool:
    """Whether each market card is in a place that takes it, and the market deck lists exactly its cards."""
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
    """Whether resolver and taken fit the ability, and an agent that was taken for it is in the mover's hand."""
    if s.ability == NONE:
        return bool(s.resolver == NONE and s.taken == NONE)
    if s.to_move == NONE:
        return False
    return bool(s.taken == NONE or (s.ability == SPYCATION and s.phase == ABILITY and s.hands[s.to_move, s.taken] > 0))


@kernel
def is_known(s: State, options: Options, mask: np.ndarray) -> bool:
    """Whether the position is valid in the variant of these options: its mapping reads back as the same bytes.

    `s` may be any bytes and is changed; `mask` is unused. The ranges are those of `state_from_dict`. Fields that its
    mapping does not name must be as `clear` leaves them.
    """
    if not in_range(s, options) or not agrees(s) or miscounted(s) != NONE or discarded_too_many(s) != NONE:
        return False
    if turn_fault(s) or kept_fault(s) or offer_fault(s) or market_fault(s) or seen_too_many(s) != NONE:
        return False
    return end_fault(s) == NO_FAULT


@kernel
def is_known_with_history(s: StateWithOffers, options: Options, mask: np.ndarray) -> bool:
    """Whether the position is valid, as `is_known` has it, and its earlier offers are."""
    return bool(is_known(s, options, mask) and offers_in_range(s, options) and history_fault(s) == NO_FAULT)


# ---------------------------------------------------------------- cards and seats


@kernel
def kept_fault(s: State) -> bool:
    """Whether `kept` is more than the hand behind the face-down card holds, or not 0 without such a hand."""
    most = hand_size(s, face_down_seat(s)) if s.phase == RECRUIT else 0
    return not 0 <= s.kept <= most


@kernel
def copies_held(s: State, card: Int) -> Int:
    """Copies of an agent in all places."""
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
    """The first agent with a wrong number of copies, or NONE."""
    for card in range(KINDS):
        if copies_held(s, card) != COPIES[card]:
            return card
    return NONE


@kernel
def thrown(s: State, seat: Int) -> Int:
    """Number of cards that a seat has discarded."""
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
    """Copies in a hand, with its face-down card still counted in it."""
    offered = s.face_down != NONE and seat == face_down_seat(s) and s.face_down == card
    return np.int64(s.hands[seat, card]) + offered


@kernel
def seen_too_many(s: State) -> Int:
    """The first seat with more seen copies of an agent than it holds, or NONE."""
    for seat in range(s.options.players):
        for card in range(KINDS):
            if s.seen[seat, card] > held_or_offered(s, seat, card):
                return seat
    return NONE


# ---------------------------------------------------------------- the turn

WRONG_PHASE, OF_MARKET, LEADER_NAMED, LEADER_MISSING, NOT_CAPTAIN, WRONG_MOVER = range(1, 7)


@kernel
def may_move(s: State, seat: Int) -> bool:
    """Whether `seat` can be to move in this phase; NONE for nobody."""
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
    """The first side whose captaincy is fixed but not with the lower seat (AA-41), or NONE."""
    for side in range(SIDES):
        if s.options.captain_fixed and s.captain[side] != first_seat(s, side):
            return side
    return NONE


@kernel
def turn_fault(s: State) -> Int:
    """The first fault of leader, captains and mover with the phase and the active side, or NO_FAULT."""
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
    """Raise ImpossibleState unless the phase fits the active side and the mover."""
    phase, active, fault = PHASES[s.phase], int(s.active_side), turn_fault(s)
    team = is_team(s, active)
    if fault == WRONG_PHASE:
        raise ImpossibleState(f"phase must not be {phase}: side {active} is {'a team' if team else 'a single player'}")
    if fault == OF_MARKET:
        raise ImpossibleState(f"phase must not be {phase} in simple mode")
    if fault == LEADER_NAMED:
        right = f"a seat of side {active}" if team and s.phase != LEAD else "null"
        raise ImpossibleState(f"lead must be {right} in phase {phase} with active_side {active}, not {s.leader}")
    if fault == LEADER_MISSING:
        raise ImpossibleState(f"lead must be a seat of side {active} in phase {phase}, not null")
    if fault == NOT_CAPTAIN:
        side = not_fixed(s)
        raise ImpossibleState(
            f"captain of side {side} must be {first_seat(s, side)} with captain='fixed', not {s.captain[side]}"
        )
    if fault == WRONG_MOVER:
        expected = [seat for seat in range(NONE, SEATS) if may_move(s, seat)]
        seats = " or ".join("null" if seat == NONE else str(seat) for seat in expected) or "the seat of ability"
        mover = "null" if s.to_move == NONE else s.to_move
        raise ImpossibleState(f"to_move must be {seats} in phase {phase} with active_side {active}, not {mover}")


# ---------------------------------------------------------------- the offer

NOT_OFFERED, NOT_UP, OFFERED, IDENTICAL, TOO_FEW, EMPTY_HAND = range(1, 7)


@kernel
def without_cards(s: State) -> Int:
    """The first seat that must play a card but has none, or NONE (AA-40)."""
    if s.phase not in (LEAD, UP, DOWN):
        return NONE
    if hand_size(s, s.to_move) == 0:
        return np.int64(s.to_move)
    if s.phase != DOWN and hand_size(s, s.to_move ^ 1) == 0:
        return np.int64(s.to_move) ^ 1
    return NONE


@kernel
def offer_fault(s: State) -> Int:
    """The first fault of the offer, or of a hand that must play, with the phase, or NO_FAULT."""
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
    """Raise ImpossibleState unless the offer fits the phase and each seat that must play has cards."""
    fault = offer_fault(s)
    if fault == NOT_OFFERED:
        raise ImpossibleState("face_up and face_down must both name a card in phase recruit")
    if fault == NOT_UP:
        raise ImpossibleState("face_up must name a card and face_down must be null in phase down")
    if fault == OFFERED:
        raise ImpossibleState(f"face_up and face_down must be null in phase {PHASES[s.phase]}")
    if fault == IDENTICAL:
        raise ImpossibleState("face_up and face_down must differ unless the hand kept nothing else")
    if fault == TOO_FEW:
        held = hand_size(s, s.to_move)
        raise ImpossibleState(f"hands of seat {s.to_move} must hold at least 2 cards in phase play, not {held}")
    if fault == EMPTY_HAND:
        raise ImpossibleState(
            f"hands of seat {without_cards(s)} must hold at least 1 card in phase {PHASES[s.phase]}, not 0"
        )


# ---------------------------------------------------------------- the market

WRONG_ABILITY, NO_CHOICES, RESOLVED, CANNOT, NO_SUPPLY, PENDING, WRONG_SIDE = range(1, 8)


@kernel
def market_fault(s: State) -> Int:
    """The first fault of ability, supply and pending with the phase, or NO_FAULT."""
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
    """Raise ImpossibleState unless ability, supply and pending fit the phase and the ability can be carried out."""
    phase, fault = PHASES[s.phase], market_fault(s)
    if fault == WRONG_ABILITY:
        raise ImpossibleState(f"ability must be {'null' if s.ability != NONE else 'a market card'} in phase {phase}")
    if fault == NO_CHOICES:
        raise ImpossibleState(f"ability must be a card that requires choices, not {MARKET_CARDS[s.ability]}")
    if fault == RESOLVED:
        raise ImpossibleState("ability seat and taken must be null in phase resolver")
    if fault == CANNOT:
        raise ImpossibleState(f"ability: seat {s.resolver} cannot carry it out, so phase must not be ability")
    if fault == NO_SUPPLY:
        raise ImpossibleState("market_supply must hold a card in phase market")
    if fault == PENDING:
        raise ImpossibleState(f"pending must be empty in phase {phase}")
    if fault == WRONG_SIDE:
        raise ImpossibleState(f"pending side must be the side that waits while the active side acts, not {s.pending}")


# ---------------------------------------------------------------- the end

WRONG_RESULT, NOT_OVER, OTHER_RESULT, OVER_ALREADY = range(1, 5)


@kernel
def end_fault(s: State) -> Int:
    """The first fault of the result with the End step, or NO_FAULT. `s` is left as the End step leaves it."""
    over, winner, reason = s.phase == OVER, np.int64(s.winner), np.int64(s.end_reason)
    if over != (winner != NONE) or over != (reason != NONE):
        return WRONG_RESULT
    if s.phase in (MARKET, RESOLVER, ABILITY):
        return NO_FAULT  # the turn has not reached its End step
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
    """Raise ImpossibleState unless the result is the one that the End step finds in this position."""
    found = s.copy()
    fault = end_fault(found)
    winner, reason = int(found.winner), END_REASONS[found.end_reason]
    if fault == WRONG_RESULT:
        raise ImpossibleState("winner and end_reason must be set in phase over, and null in every other phase")
    if fault == NOT_OVER:
        raise ImpossibleState("phase must not be over: no side has won, and the next side can play")
    if fault == OTHER_RESULT:
        wrong = f"{s.winner} and {END_REASONS[s.end_reason]}"
        raise ImpossibleState(f"winner and end_reason must be {winner} and {reason} in this position, not {wrong}")
    if fault == OVER_ALREADY:
        raise ImpossibleState(f"phase must be over, not {PHASES[s.phase]}: side {winner} has already won ({reason})")


# ---------------------------------------------------------------- earlier offers

OUT_OF_ORDER, NOT_PAIRED, WRONG_TAKE, WRONG_DISCARDS, WRONG_LEADER, NOT_RECRUITED = range(1, 7)


@kernel
def history_fault(s: StateWithOffers) -> Int:
    """The first fault of the earlier offers, or NO_FAULT. Each field must be in its range."""
    for side in range(SIDES):
        for k in range(MAX_HISTORY):
            fault = past_offer_fault(s, side, k)
            if fault != NO_FAULT:
                return fault
    for side in range(SIDES):
        for card in range(KINDS):
            # A market card may take agents out of play again.
            if not s.options.advanced and recruited(s, side, card) > s.in_play[side, card]:
                return NOT_RECRUITED
    return NO_FAULT


@kernel
def past_offer_fault(s: StateWithOffers, side: Int, k: Int) -> Int:
    """The fault of one earlier offer, or NO_FAULT. Places without an offer come last and are blank."""
    up, down = s.offered_up[side, k], s.offered_down[side, k]
    if up != NONE and k > 0 and s.offered_up[side, k - 1] == NONE:
        return OUT_OF_ORDER
    if (up == NONE) != (down == NONE) or (up != NONE and up == down and COPIES[up] < 2):
        return NOT_PAIRED
    if (s.took_up[side, k] == NONE) != (up == down):
        return WRONG_TAKE
    most = discards_of(s, side) if k == 0 else np.int64(s.discards_before[side, k - 1])
    if s.discards_before[side, k] > (most if up != NONE else 0):
        return WRONG_DISCARDS
    leader = s.led_by[side, k]
    if up == NONE or not is_team(s, side):
        return WRONG_LEADER if leader != NONE else NO_FAULT
    return NO_FAULT if leader != NONE and side_of(s, leader) == side else WRONG_LEADER


def check_offers(s: StateWithOffers) -> None:
    """Check that the earlier offers agree with each other and with the position.

    Raises:
        ImpossibleState: they do not; the message names the key.
    """
    for side in range(SIDES):
        for k in range(MAX_HISTORY):
            fault, where = past_offer_fault(s, side, k), f"offers of side {side}"
            if fault == NOT_PAIRED:
                raise ImpossibleState(f"{where} must name two cards, not {AGENTS[s.offered_up[side, k]]} twice")
            if fault == WRONG_TAKE:
                raise ImpossibleState(f"taken in {where} must be 'up' or 'down', or null if both cards have one name")
            if fault == WRONG_DISCARDS:
                most = discards_of(s, side) if k == 0 else s.discards_before[side, k - 1]
                raise ImpossibleState(
                    f"discards in {where} must be at most {most}, those of the next offer or of now, not "
                    f"{s.discards_before[side, k]}"
                )
            if fault == WRONG_LEADER:
                right = f"a seat of side {side}" if is_team(s, side) else "null for a single player"
                raise ImpossibleState(f"lead in {where} must be {right}")
    if history_fault(s) == NOT_RECRUITED:
        side, card = next(
            (side, card)
            for side in range(SIDES)
            for card in range(KINDS)
            if recruited(s, side, card) > s.in_play[side, card]
        )
        raise ImpossibleState(
            f"offers have {recruited(s, side, card)} copies of {AGENTS[card]} that side {side} recruited, but its "
            f"in_play has only {s.in_play[side, card]}"
        )


@kernel
def recruited(s: StateWithOffers, side: Int, card: Int) -> Int:
    """Copies of an agent that a side has recruited from the earlier offers of both sides."""
    count = 0
    for offerer in range(SIDES):
        for k in range(MAX_HISTORY):
            takes_up = (s.took_up[offerer, k] == 1) == (offerer != side)
            count += (s.offered_up[offerer, k] if takes_up else s.offered_down[offerer, k]) == card
    return count
