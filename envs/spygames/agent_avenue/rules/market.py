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
    """Shuffle the market cards: three lie face up, the others are the market deck (AA-22)."""
    for card in range(MARKET_SIZE):
        s.market[card] = AT_DECK
        s.market_deck[card] = card
    shuffle(s, s.market_deck, MARKET_SIZE)
    s.market_deck_size = MARKET_SIZE
    for _ in range(SUPPLY):
        replace(s)


@kernel
def no_market(s: State) -> None:
    """Remove all market cards, for a game without the Black Market (AA-22)."""
    for card in range(MARKET_SIZE):
        s.market[card] = s.market_deck[card] = NONE
    s.market_deck_size = 0


@kernel
def replace(s: State) -> None:
    """Add the top card of the market deck, if there is one, to the supply (AA-25)."""
    if s.market_deck_size > 0:
        s.market_deck_size -= 1
        s.market[s.market_deck[s.market_deck_size]] = AT_SUPPLY
        s.market_deck[s.market_deck_size] = NONE


@kernel
def continue_turn(s: State, side: Int, landed: bool) -> None:
    """Let a side that has landed take a card, then the pending side, then end the turn (AA-23, AA-24, AA-29)."""
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
    """Allow the actions of phases market (AA-23), resolver (AA-44) and ability (AA-28, AA-36)."""
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
    """Whether the resolver can carry the ability out (AA-28)."""
    possible = False
    for card in range(KINDS):
        possible = possible or may_take(s, card) or may_recruit(s, card)
    return possible


@kernel
def act_at_market(s: State, action: Int) -> None:
    """Apply a decision about a market card."""
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
    """Take a market card and replace it at once (AA-25). An ongoing card stays, an instant one is resolved (AA-26).

    In a team the captain names who resolves a card that needs a hand (AA-44).
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
    """Resolve a card that needs no choice: Smoke Screen, which lapses without a deck (AA-36), or Surveillance Truck."""
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
    """Let the seat make the choices of the ability, or end the ability if the seat cannot carry it out (AA-28)."""
    s.resolver = seat
    if is_possible(s):
        s.phase = ABILITY
        s.to_move = seat
    else:
        end_ability(s, False)


@kernel
def take_agent(s: State, card: Int) -> None:
    """Take an agent from play into the resolver's hand; no meeple moves (AA-30), and everybody sees it (AA-37).

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
    """Recruit an agent from the resolver's hand (AA-29). Double Trouble has shown two copies of it (AA-37)."""
    s.hands[s.resolver, card] -= 1
    if s.ability == DOUBLE_TROUBLE:
        s.seen[s.resolver, card] = max(s.seen[s.resolver, card], 2)
    forget(s, s.resolver, card)
    end_ability(s, recruit(s, side_of(s, s.resolver), card))


@kernel
def end_ability(s: State, landed: bool) -> None:
    """End an ability: the resolver draws up to four before a further market card is taken (AA-31)."""
    side = side_of(s, s.resolver)
    refill(s, s.resolver, hand_size(s, s.resolver))
    leave_ability(s)
    continue_turn(s, side, landed)


@kernel
def leave_ability(s: State) -> None:
    """Discard the resolved instant card (AA-26)."""
    s.market[s.ability] = AT_DISCARD
    s.ability = s.resolver = s.taken = NONE
