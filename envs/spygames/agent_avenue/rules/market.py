"""The Black Market: landing on it, its supply, and the abilities of its cards, which `cards.py` lists."""

import numpy as np

from spygames.agent_avenue.actions import (
    DECLINE,
    LEAD_OWN,
    RECRUIT_AGENT,
    RESOLVE_OWN,
    RESOLVE_PARTNER,
    TAKE_AGENT,
    decode_market,
    decode_recruit,
    decode_seat,
    decode_take,
    encode_market,
    encode_recruit,
    encode_take,
)
from spygames.agent_avenue.cards import (
    AGENT,
    DOUBLE_TROUBLE,
    FROM,
    KINDS,
    MARKET_SIZE,
    MIN_COPIES,
    NEW,
    ONGOING,
    OPEN,
    OTHER_PLAY,
    PLUS,
    SMOKE_SCREEN,
    SPYCATION,
    SUPPLY,
)
from spygames.agent_avenue.layout import (
    ABILITY,
    AT_ABILITY,
    AT_DECK,
    AT_DISCARD,
    AT_SUPPLY,
    MARKET,
    NONE,
    RESOLVER,
    State,
)
from spygames.agent_avenue.queries import hand_size, is_team, other, side_of
from spygames.agent_avenue.rules.end_step import end_step
from spygames.agent_avenue.rules.recruiting import forget, move, recruit, refill
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import shuffle


@kernel
def set_up_market(s: State) -> None:
    """AA-22: shuffle the market cards; three lie face up, the others are the market deck."""
    for card in range(MARKET_SIZE):
        s.market[card] = AT_DECK
        s.market_deck[card] = card
    shuffle(s, s.market_deck, MARKET_SIZE)
    s.market_deck_size = MARKET_SIZE
    for _ in range(SUPPLY):
        replace(s)


@kernel
def no_market(s: State) -> None:
    """AA-22: without the Black Market, no market card is anywhere."""
    for card in range(MARKET_SIZE):
        s.market[card] = s.market_deck[card] = NONE
    s.market_deck_size = 0


@kernel
def replace(s: State) -> None:
    """AA-25: the top card of the market deck, if there is one, joins the supply."""
    if s.market_deck_size > 0:
        s.market_deck_size -= 1
        s.market[s.market_deck[s.market_deck_size]] = AT_SUPPLY
        s.market_deck[s.market_deck_size] = NONE


@kernel
def continue_turn(s: State, side: Int, landed: bool) -> None:
    """AA-23, AA-24, AA-29: a side that has landed takes a card, then the side that is pending; then the turn ends."""
    if not landed and s.pending != NONE:
        side, landed = np.int64(s.pending), True
        s.pending = NONE
    supply = False
    for card in range(MARKET_SIZE):
        supply = supply or s.market[card] == AT_SUPPLY
    if landed and supply:
        s.phase = MARKET
        s.to_move = s.captain[side]
    else:
        s.pending = NONE
        end_step(s)


@kernel
def legal_at_market(s: State, mask: np.ndarray) -> None:
    """AA-23, AA-28, AA-36, AA-44: the cards to take, the seats to resolve one, and the choices of an ability."""
    if s.phase == MARKET:
        for card in range(MARKET_SIZE):
            mask[encode_market(card)] = s.market[card] == AT_SUPPLY
    elif s.phase == RESOLVER:
        mask[RESOLVE_OWN] = mask[RESOLVE_PARTNER] = 1
    elif s.phase == ABILITY:
        for card in range(KINDS):
            mask[encode_take(card)] = may_take(s, card)
            mask[encode_recruit(card)] = may_recruit(s, card)
        mask[DECLINE] = s.taken != NONE


@kernel
def may_take(s: State, card: Int) -> bool:
    """Whether the ability lets its resolver take this agent from play."""
    source = FROM[s.ability]
    if source == NONE or s.taken != NONE:
        return False
    side = side_of(s, s.resolver)
    return bool(s.in_play[other(side) if source == OTHER_PLAY else side, card] > 0)


@kernel
def may_recruit(s: State, card: Int) -> bool:
    """Whether the ability lets its resolver recruit this agent from the hand."""
    if MIN_COPIES[s.ability] == 0 or s.hands[s.resolver, card] < MIN_COPIES[s.ability]:
        return False
    if AGENT[s.ability] != NONE and AGENT[s.ability] != card:
        return False
    if s.ability == SPYCATION:
        return bool(s.taken == card)
    return not (NEW[s.ability] and s.in_play[side_of(s, s.resolver), card] > 0)


@kernel
def is_possible(s: State) -> bool:
    """AA-28: whether the resolver can carry the ability out."""
    possible = False
    for card in range(KINDS):
        possible = possible or may_take(s, card) or may_recruit(s, card)
    return possible


@kernel
def act_at_market(s: State, action: Int) -> None:
    """One decision about a market card."""
    if action < TAKE_AGENT:
        take_market_card(s, decode_market(action))
    elif action < RECRUIT_AGENT:
        take_agent(s, decode_take(action))
    elif action < DECLINE:
        recruit_by_ability(s, decode_recruit(action))
    elif action < LEAD_OWN:
        end_ability(s, False)
    else:
        begin_ability(s, decode_seat(s.to_move, action))


@kernel
def take_market_card(s: State, card: Int) -> None:
    """AA-25, AA-26: the card is replaced at once; an ongoing one stays, an instant one is resolved.

    AA-44: in a team the captain names who resolves a card that needs a hand.
    """
    seat = np.int64(s.to_move)
    side = side_of(s, seat)
    replace(s)
    if card < ONGOING:
        s.market[card] = side
        continue_turn(s, side, False)
        return
    s.market[card] = AT_ABILITY
    s.ability = card
    if OPEN[card]:
        s.resolver = NONE if is_team(s, side) else seat
        resolve_open_card(s, side)
    elif is_team(s, side):
        s.phase = RESOLVER
    else:
        begin_ability(s, seat)


@kernel
def resolve_open_card(s: State, side: Int) -> None:
    """The cards that need no choice: Smoke Screen (AA-36: ignored without a deck) and Surveillance Truck."""
    landed = False
    if s.ability != SMOKE_SCREEN:
        landed = move(s, side, np.int64(PLUS[s.ability]))
    elif s.deck_size > 0:
        s.deck_size -= 1
        card = s.deck[s.deck_size]
        s.deck[s.deck_size] = NONE
        landed = recruit(s, side, card)
    leave_ability(s)
    continue_turn(s, side, landed)


@kernel
def begin_ability(s: State, seat: Int) -> None:
    """AA-28: the seat makes the choices of the ability, or lets it lapse if it cannot carry it out."""
    s.resolver = seat
    if is_possible(s):
        s.phase = ABILITY
        s.to_move = seat
    else:
        end_ability(s, False)


@kernel
def take_agent(s: State, card: Int) -> None:
    """AA-30: an agent goes from play into the resolver's hand, and nobody moves; AA-37: seen by all.

    Spycation then asks whether to recruit it (AA-28).
    """
    side = side_of(s, s.resolver)
    s.in_play[other(side) if FROM[s.ability] == OTHER_PLAY else side, card] -= 1
    s.hands[s.resolver, card] += 1
    s.seen[s.resolver, card] += 1
    if s.ability == SPYCATION:
        s.taken = card
    else:
        end_ability(s, False)


@kernel
def recruit_by_ability(s: State, card: Int) -> None:
    """AA-29: an agent from the resolver's hand, which moves the meeple again. AA-37: Double Trouble has shown two."""
    s.hands[s.resolver, card] -= 1
    if s.ability == DOUBLE_TROUBLE:
        s.seen[s.resolver, card] = max(s.seen[s.resolver, card], 2)
    forget(s, s.resolver, card)
    end_ability(s, recruit(s, side_of(s, s.resolver), card))


@kernel
def end_ability(s: State, landed: bool) -> None:
    """AA-31: the resolver draws up to four, before a further market card is taken."""
    side = side_of(s, s.resolver)
    refill(s, s.resolver, hand_size(s, s.resolver))
    leave_ability(s)
    continue_turn(s, side, landed)


@kernel
def leave_ability(s: State) -> None:
    """AA-26: an instant card is discarded once it is resolved."""
    s.market[s.ability] = AT_DISCARD
    s.ability = s.resolver = s.taken = NONE
