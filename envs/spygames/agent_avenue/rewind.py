"""Rewind: turns a redrawn world into that of an earlier decision, for what a decision tells of a hidden hand."""

import numpy as np

from spygames.agent_avenue.actions import (
    DECLINE,
    PLAY_DOWN,
    PLAY_PAIR,
    PLAY_UP,
    RECRUIT_AGENT,
    RECRUIT_DOWN,
    RECRUIT_UP,
    RESOLVE_OWN,
    TAKE_AGENT,
    TAKE_MARKET,
    decode_discard,
    decode_down,
    decode_market,
    decode_pair,
    decode_recruit,
    decode_seat,
    decode_take,
    decode_up,
    encode_discard,
    encode_down,
    encode_pair,
)
from spygames.agent_avenue.cards import DOUBLE_TROUBLE, KINDS, ONGOING, OPEN
from spygames.agent_avenue.layout import ABILITY, NONE, copy_public
from spygames.agent_avenue.queries import face_down_seat, hand_size, is_team, knows_face_down, seen_of, side_of
from spygames.agent_avenue.rules.market import is_possible, may_recruit
from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING, any_of
from spygames.core.game.rng import uniform

_NONE_KEPT = np.zeros(KINDS, np.int8)


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """`Game.rewind`: nothing but a seat's own decisions and draws changes its hand.

    Cards that were drawn since may be any of the hand alike, but those that were seen in it (AA-37) have been there
    before, and a hand that offered two alike held nothing else (AA-10, AA-40). The card that was discarded may be any
    of the discards, as all cards that a seat has not seen are dealt alike (`determinize`). An offer is public but for
    its face-down card, and that, too, once it has been recruited. What comes out is right for the view of `seat` alone.
    """
    down = s.face_down if knows_face_down(s, seat) else NONE
    asked = np.int64(s.ability) if s.phase == ABILITY and s.resolver == seat else NONE
    given, taken = given_by(action), 1 if TAKE_AGENT <= action < RECRUIT_AGENT else 0
    alike = repeated(past, action, down)
    # Only while the card lies there do redrawn hands hold nothing else than two alike that were offered. Afterwards the
    # cards that were kept are any of the hand, and worlds in which some are of another name are out.
    undo_draws(s, seat, down, alike if down != NONE else NONE, hand_size(past, seat) - given + taken, rng)
    action = undo(s, seat, action, down, rng)
    take_public(s, past, seat)
    if not is_possible_hand(s, seat, action, alike):
        return IMPOSSIBLE
    if RECRUIT_UP <= action <= RECRUIT_DOWN:
        return TELLS_NOTHING if past.face_up == past.face_down else action  # which of two alike it was is not seen
    if TAKE_MARKET <= action < TAKE_AGENT:
        return IMPOSSIBLE if might_have_resolved(s, seat, decode_market(action), asked) else action
    if action >= RESOLVE_OWN:
        return action if was_resolved(s, seat, decode_seat(seat, action), asked) else TELLS_NOTHING
    return action


@kernel
def ways(s: Record, now: Record, viewer: Int, seat: Int, action: Int) -> float:
    """`Game.ways`: any copy of the name in the hand may be the card that was discarded, offered or recruited.

    The exception is a card that was seen in the hand: it is the first of its name to leave the hand openly (AA-37). So
    the other cards of the hand are dealt in as many ways afterwards as before, and the decision counts once.
    """
    if action < PLAY_PAIR:
        return ways_to_discard(s, seat, decode_discard(action))
    if action < RECRUIT_UP:
        up, down = decode_pair(action)
        return ways_to_show(s, seat, up) * ways_to_hide(s, now, seat, down, up)
    if RECRUIT_AGENT <= action < DECLINE:
        card = decode_recruit(action)
        return ways_to_show_two(s, seat, card) if s.ability == DOUBLE_TROUBLE else ways_to_show(s, seat, card)
    if PLAY_UP <= action < PLAY_DOWN:
        return ways_to_show(s, seat, decode_up(action))
    return ways_to_hide(s, now, seat, decode_down(action), NONE) if PLAY_DOWN <= action < RESOLVE_OWN else 1.0


@kernel
def ways_to_discard(s: Record, seat: Int, card: Int) -> float:
    """A discard could be a card that was seen (AA-37), so each name counts one card less as seen afterwards.

    For a name of which n cards are hidden, h in the hand and s of them seen, the hand before can be dealt in
    C(n - s, h - s) ways. Afterwards n - s + 1 cards are dealt: h - s + 1 of them to the hand, or h - s to the hand and
    one to the discards if this name was discarded. So a hand counts (n - s + 1) / (h - s + 1) times as often as before,
    or n - s + 1 times; n - s + 1 is the same in all worlds.
    """
    found = 1.0 if s.seen[seat, card] > 0 else np.float64(s.hands[seat, card])
    for each in range(KINDS):
        if each != card and s.seen[seat, each] > 0:
            found /= np.int64(s.hands[seat, each]) - s.seen[seat, each] + 1
    return found


@kernel
def ways_to_show(s: Record, seat: Int, card: Int) -> float:
    """A card leaves the hand openly."""
    return 1.0 if s.seen[seat, card] > 0 else np.float64(s.hands[seat, card])


@kernel
def ways_to_show_two(s: Record, seat: Int, card: Int) -> float:
    """AA-29, AA-37: Double Trouble shows two copies and recruits one of them."""
    copies, seen = np.float64(s.hands[seat, card]), s.seen[seat, card]
    if seen == 0:
        return copies * (copies - 1) / 2
    return copies - 1 if seen == 1 else 1.0


@kernel
def ways_to_hide(s: Record, now: Record, seat: Int, card: Int, up: Int) -> float:
    """A card is laid face down, beside `up` from the same hand, or NONE. It may be a card that was seen or not until
    it is recruited; then the one that was seen has left the hand."""
    lies = now.face_down != NONE and now.turn == s.turn and face_down_seat(now) == seat
    copies, seen = np.int64(s.hands[seat, card]) - (card == up), np.int64(s.seen[seat, card]) - (card == up)
    return 1.0 if seen > 0 and not lies else np.float64(copies)


@kernel
def is_possible_hand(s: Record, seat: Int, action: Int, alike: Int) -> bool:
    """Whether the hand holds what was seen in it (AA-37), nothing else where it offered two `alike` (AA-10, AA-40), and
    what it recruited, for Double Trouble twice (AA-28)."""
    if alike != NONE and s.hands[seat, alike] < hand_size(s, seat):
        return False
    if s.options.advanced:
        for card in range(KINDS):
            if s.hands[seat, card] < s.seen[seat, card]:
                return False
    return not RECRUIT_AGENT <= action < DECLINE or may_recruit(s, decode_recruit(action))


@kernel
def given_by(action: Int) -> Int:
    """How many cards leave the hand of who decides so."""
    if action < PLAY_PAIR:
        return 1
    if action < RECRUIT_UP:
        return 2
    return 1 if RECRUIT_AGENT <= action < DECLINE or PLAY_UP <= action < RESOLVE_OWN else 0


@kernel
def repeated(past: Record, action: Int, down: Int) -> Int:
    """AA-10, AA-40: the agent of an offer of two alike, which only a hand of nothing else can make; else NONE.

    `down`: the agent that lies face down in this world, or NONE if the action names it.
    """
    up = hidden = NONE
    if PLAY_PAIR <= action < RECRUIT_UP:
        up, hidden = decode_pair(action)
    elif PLAY_DOWN <= action < RESOLVE_OWN:
        up, hidden = np.int64(past.face_up), decode_down(action)
    return up if up == (hidden if down == NONE else down) else NONE


@kernel
def undo_draws(s: Record, seat: Int, down: Int, alike: Int, kept: Int, rng: np.ndarray) -> None:
    """Leaves `kept` cards of a hand, those that were seen in it among them, and of one name where it offered two
    `alike`. One of those that were seen may lie face down, as `down`."""
    hand, seen = s.hands[seat], s.seen[seat] if s.options.advanced else _NONE_KEPT
    if down != NONE and seen[down] > 0 and was_seen(s, seat, down, kept, rng):
        s.seen[seat, down] -= 1
    if alike != NONE and hand[alike] >= kept:
        for card in range(KINDS):
            hand[card] = kept if card == alike else 0
    for _ in range(hand_size(s, seat) - kept):
        card = any_of(hand, seen, rng)
        hand[card if card != NONE else any_of(hand, _NONE_KEPT, rng)] -= 1


@kernel
def was_seen(s: Record, seat: Int, down: Int, kept: Int, rng: np.ndarray) -> bool:
    """Whether the face-down card, which is `down`, is one of those that were seen in the hand.

    Each way to lay the cards counts once: those that were seen to the `kept` ones and the face-down one, the others to
    what is left of these and to the cards drawn since. For one copy it is as m, the cards that were not seen, if that
    copy was, to the kept ones and the face-down one less the cards that were seen, if it was not.
    """
    cards, seen = seen_of(s, seat), np.int64(s.seen[seat, down])
    ways = seen * max(hand_size(s, seat) + 1 - cards, 1)
    others = (np.int64(s.hands[seat, down]) + 1 - seen) * max(kept + 1 - cards, 0)
    return bool(uniform(rng, ways + others) < ways)


@kernel
def undo(s: Record, seat: Int, action: Int, down: Int, rng: np.ndarray) -> Int:
    """Gives back what the decision itself took from the hand, or takes what it gave; the action as in this world."""
    hand, discarded = s.hands[seat], s.discarded[seat]
    if action < PLAY_PAIR:
        card = any_of(discarded, _NONE_KEPT, rng)
        discarded[card] -= 1
        hand[card] += 1
        return encode_discard(card)
    if action < RECRUIT_UP:
        up, hidden = decode_pair(action)
        hidden = np.int64(down) if down != NONE else hidden
        hand[up] += 1
        hand[hidden] += 1
        return encode_pair(up, hidden)
    if TAKE_AGENT <= action < RECRUIT_AGENT:
        hand[decode_take(action)] -= 1
    elif RECRUIT_AGENT <= action < DECLINE:
        hand[decode_recruit(action)] += 1
    elif PLAY_UP <= action < PLAY_DOWN:
        hand[decode_up(action)] += 1
    elif PLAY_DOWN <= action < RESOLVE_OWN:
        action = encode_down(down) if down != NONE else action
        hand[decode_down(action)] += 1
    return action


@kernel
def might_have_resolved(s: Record, seat: Int, card: Int, asked: Int) -> bool:
    """AA-28: whether the hand of who took an instant card could carry it out though it lapsed for all to see.

    `asked`: the card of which `seat` made the choices next, or NONE.
    """
    if card < ONGOING or OPEN[card] or card == asked or is_team(s, side_of(s, seat)):
        return False
    s.ability, s.resolver = card, seat
    possible = is_possible(s)
    s.ability = s.resolver = NONE
    return possible


@kernel
def was_resolved(s: Record, seat: Int, named: Int, asked: Int) -> bool:
    """AA-44: whether the seat that its captain `seat` named could carry the card out, so that all saw who it was.

    `asked`: as above.
    """
    if named == seat:
        return bool(s.ability == asked)
    s.resolver = named
    possible = is_possible(s)
    s.resolver = NONE
    return possible


@kernel
def take_public(s: Record, past: Record, seat: Int) -> None:
    """All that was public is as it was then, and what the other seats held, which `seat` does not see but as counts."""
    copy_public(s, past)
    s.face_down = past.face_down
    for who in range(s.options.players):
        for card in range(KINDS):
            if who != seat:
                s.hands[who, card] = past.hands[who, card]
                s.discarded[who, card] = past.discarded[who, card]
