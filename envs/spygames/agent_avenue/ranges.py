"""Which values can be: whether those of a state of Agent Avenue, of any bytes, can, and the ranges of a view."""

from spygames.agent_avenue.cards import CARDS, COPIES, KINDS, MARKET_SIZE, ONGOING, SPYCATION
from spygames.agent_avenue.layout import (
    ABILITY,
    AT_ABILITY,
    AT_DECK,
    AT_DISCARD,
    DISCARDS,
    END_REASONS,
    FURTHEST,
    HAND,
    LAST_TURN,
    NONE,
    PHASES,
    SEATS,
    SIDES,
    SUPPLY_AND_DECK,
)
from spygames.agent_avenue.queries import side_of
from spygames.agent_avenue.types import Options, State
from spygames.core.kernel import kernel
from spygames.core.padding import is_zero

VIEW_RANGES = {
    "hand_size": (0, CARDS / HAND),
    "kept": (0, CARDS / HAND),
    "seen_in_hand": (0, int(COPIES.max()) / HAND),
    "seen_or_offered": (0, int(COPIES.max()) / HAND),
}
"""Fields of VIEW that are not from 0 to 1. Abilities bring cards back to a hand, and a given position may have more."""
_REASONS, _PHASES = len(END_REASONS), len(PHASES)


@kernel
def in_range(s: State, options: Options) -> bool:
    """Whether `s`, any bytes, is of the variant of these options, its values in the ranges of `state_from_dict`."""
    return bool(_is_of_variant(s, options) and _course_in_range(s) and _cards_in_range(s) and _market_in_range(s))


@kernel
def _is_of_variant(s: State, options: Options) -> bool:
    return bool(
        is_zero(s.padding)
        and s.options.first_player == options.first_player
        and s.options.players == options.players
        and s.options.advanced == options.advanced
        and s.options.captain_fixed == options.captain_fixed
    )


@kernel
def _course_in_range(s: State) -> bool:
    """Turn, meeples, phase, seats and result."""
    players = s.options.players
    fine = 1 <= s.turn <= LAST_TURN and 0 <= s.phase < _PHASES and 0 <= s.active_side < SIDES
    fine = fine and NONE <= s.to_move < players and NONE <= s.winner < SIDES and NONE <= s.end_reason < _REASONS
    fine = fine and NONE <= s.leader < (players if players > 2 else 0)
    for side in range(SIDES):
        fine = fine and -FURTHEST <= s.progress[side] <= FURTHEST and 0 <= s.captain[side] < players
        fine = fine and side_of(s, s.captain[side]) == side
    for seat in range(SEATS):
        fine = fine and 0 <= s.discards_left[seat] <= (DISCARDS if seat < players else 0)
    return bool(fine)


@kernel
def _cards_in_range(s: State) -> bool:
    """Agents, wherever they are, and what was seen of them."""
    fine = NONE <= s.face_up < KINDS and NONE <= s.face_down < KINDS and 0 <= s.deck_size <= CARDS
    for card in range(KINDS):
        for seat in range(SEATS):
            most = COPIES[card] if seat < s.options.players else 0
            fine = fine and 0 <= s.hands[seat, card] <= most and 0 <= s.discarded[seat, card] <= most
            fine = fine and 0 <= s.seen[seat, card] <= (most if s.options.advanced else 0)
        for side in range(SIDES):
            fine = fine and 0 <= s.in_play[side, card] <= COPIES[card]
    for i in range(CARDS):
        fine = fine and (0 <= s.deck[i] < KINDS if i < s.deck_size else s.deck[i] == NONE)
    return bool(fine)


@kernel
def _market_in_range(s: State) -> bool:
    """Market cards, each in one place, and the ability that is resolved; nothing of it in the simple mode."""
    fine = 0 <= s.market_deck_size <= (SUPPLY_AND_DECK if s.options.advanced else 0)
    fine = fine and NONE <= s.pending < (SIDES if s.options.advanced else 0)
    fine = fine and NONE <= s.ability < (MARKET_SIZE if s.options.advanced else 0)
    fine = fine and NONE <= s.resolver < s.options.players and NONE <= s.taken < KINDS
    for card in range(MARKET_SIZE):
        if s.options.advanced:
            fine = fine and 0 <= s.market[card] <= AT_ABILITY and (s.market[card] == AT_ABILITY) == (card == s.ability)
            fine = fine and (s.market[card] >= SIDES or card < ONGOING)
            fine = fine and (s.market[card] != AT_DISCARD or card >= ONGOING)
        else:
            fine = fine and s.market[card] == NONE
    if not fine:
        return False
    in_deck = 0
    for card in range(MARKET_SIZE):
        in_deck += s.market[card] == AT_DECK
    fine = in_deck == s.market_deck_size
    for i in range(MARKET_SIZE):
        card = s.market_deck[i]
        if i >= s.market_deck_size:
            fine = fine and card == NONE
        else:
            fine = fine and 0 <= card < MARKET_SIZE and s.market[card] == AT_DECK
            for j in range(i):
                fine = fine and s.market_deck[j] != card
    return bool(fine and _ability_in_range(s))


@kernel
def _ability_in_range(s: State) -> bool:
    if s.ability == NONE:
        return bool(s.resolver == NONE and s.taken == NONE)
    if s.to_move == NONE:
        return False
    return bool(s.taken == NONE or (s.ability == SPYCATION and s.phase == ABILITY and s.hands[s.to_move, s.taken] > 0))
