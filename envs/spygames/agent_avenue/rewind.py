"""Rewind: turn a redrawn world back to an earlier decision, so that the decision is evidence about a hidden hand."""

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
from spygames.agent_avenue.layout import ABILITY, NONE, copy_offers, copy_public
from spygames.agent_avenue.queries import face_down_seat, hand_size, is_team, knows_face_down, seen_of, side_of
from spygames.agent_avenue.rules.market import is_possible, may_recruit
from spygames.core.compiling.kernel import Int, Record, kernel
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING, any_of
from spygames.core.game.rng import uniform

_NONE_KEPT = np.zeros(KINDS, np.int8)


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """Undo a decision of `seat` and the cards that it has drawn since (`Game.rewind`).

    Nothing else has changed the hand since the decision. The hand before it follows from these facts:

    - The cards drawn since are any cards of the hand, with equal chances. Cards that were seen in the hand (AA-37) were
      there before. A hand that offered two cards of one name held nothing else (AA-10, AA-40).
    - The discarded card is any of the discards, because `determinize` deals all unseen cards with equal chances.
    - An offer is public except for its face-down card, and that is public once it has been recruited.

    The result is correct for the view of `seat` only.
    """
    down = s.face_down if knows_face_down(s, seat) else NONE
    asked = np.int64(s.ability) if s.phase == ABILITY and s.resolver == seat else NONE
    given, taken = given_by(action), 1 if TAKE_AGENT <= action < RECRUIT_AGENT else 0
    alike = repeated(past, action, down)
    # An offer of two cards of one name: while the card lies face down, `determinize` deals a hand that kept only that
    # name. Later the kept cards are any cards of the hand, and worlds where one has another name are impossible.
    undo_draws(s, seat, down, alike if down != NONE else NONE, hand_size(past, seat) - given + taken, rng)
    action = undo(s, seat, action, down, rng)
    take_public(s, past, seat)
    if not is_possible_hand(s, seat, action, alike):
        return IMPOSSIBLE
    if RECRUIT_UP <= action <= RECRUIT_DOWN:
        return TELLS_NOTHING if past.face_up == past.face_down else action  # nobody sees which of two equal cards
    if TAKE_MARKET <= action < TAKE_AGENT:
        return IMPOSSIBLE if might_have_resolved(s, seat, decode_market(action), asked) else action
    if action >= RESOLVE_OWN:
        return action if was_resolved(s, seat, decode_seat(seat, action), asked) else TELLS_NOTHING
    return action


@kernel
def rewind_with_history(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """Undo a decision as `rewind` does, and the offers since. The offers before it were public then and are now."""
    told = rewind(s, past, seat, action, rng)
    copy_offers(s, past)
    return told


@kernel
def ways(s: Record, now: Record, viewer: Int, seat: Int, action: Int) -> float:
    """Count the ways in which `seat` could have made a decision (`Game.ways`).

    Any copy of the name in the hand may be the card that was discarded, offered or recruited. The exception is a card
    that was seen in the hand: it is the first of its name to leave the hand openly (AA-37). Then the other cards of the
    hand can be dealt in the same number of ways before and after, and the decision counts once.
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
    """Count the ways to discard `card`. Afterwards each name counts one seen card less, since it could be any (AA-37).

    Of the n hidden cards of a name, h are in the hand, and s of these are seen. Before the discard, the hand can be
    dealt in C(n - s, h - s) ways. Afterwards n - s + 1 cards are dealt: h - s + 1 of them to the hand. If this name was
    discarded, h - s go to the hand and one to the discards. So a hand counts (n - s + 1) / (h - s + 1) times as often
    as before, or n - s + 1 times for the discarded name. The factor n - s + 1 is the same in all worlds and left out.
    """
    found = 1.0 if s.seen[seat, card] > 0 else np.float64(s.hands[seat, card])
    for each in range(KINDS):
        if each != card and s.seen[seat, each] > 0:
            found /= np.int64(s.hands[seat, each]) - s.seen[seat, each] + 1
    return found


@kernel
def ways_to_show(s: Record, seat: Int, card: Int) -> float:
    """Count the ways in which a card can leave the hand openly."""
    return 1.0 if s.seen[seat, card] > 0 else np.float64(s.hands[seat, card])


@kernel
def ways_to_show_two(s: Record, seat: Int, card: Int) -> float:
    """Count the ways in which Double Trouble can show two copies and recruit one of them (AA-29, AA-37)."""
    copies, seen = np.float64(s.hands[seat, card]), s.seen[seat, card]
    if seen == 0:
        return copies * (copies - 1) / 2
    return copies - 1 if seen == 1 else 1.0


@kernel
def ways_to_hide(s: Record, now: Record, seat: Int, card: Int, up: Int) -> float:
    """Count the ways to play a card face down; `up` is the face-up card from the same hand, or NONE.

    Until the card is recruited, it may be a seen card or another one. Afterwards a seen card has left the hand.
    """
    lies = now.face_down != NONE and now.turn == s.turn and face_down_seat(now) == seat
    copies, seen = np.int64(s.hands[seat, card]) - (card == up), np.int64(s.seen[seat, card]) - (card == up)
    return 1.0 if seen > 0 and not lies else np.float64(copies)


@kernel
def is_possible_hand(s: Record, seat: Int, action: Int, alike: Int) -> bool:
    """Whether the rewound hand could have made the decision.

    The hand holds the cards seen in it (AA-37), and the agent that it recruited, twice for Double Trouble (AA-28). If
    it offered two cards of the name `alike`, it holds nothing else (AA-10, AA-40).
    """
    if alike != NONE and s.hands[seat, alike] < hand_size(s, seat):
        return False
    if s.options.advanced:
        for card in range(KINDS):
            if s.hands[seat, card] < s.seen[seat, card]:
                return False
    return not RECRUIT_AGENT <= action < DECLINE or may_recruit(s, decode_recruit(action))


@kernel
def given_by(action: Int) -> Int:
    """Number of cards that leave the mover's hand by this action."""
    if action < PLAY_PAIR:
        return 1
    if action < RECRUIT_UP:
        return 2
    return 1 if RECRUIT_AGENT <= action < DECLINE or PLAY_UP <= action < RESOLVE_OWN else 0


@kernel
def repeated(past: Record, action: Int, down: Int) -> Int:
    """The agent of an offer of two cards of one name, else NONE. Its hand held nothing else (AA-10, AA-40).

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
    """Reduce a hand to `kept` cards, including the cards that were seen in it.

    If the hand offered two cards of the name `alike`, all kept cards have this name. One of the seen cards may be the
    face-down card `down`.
    """
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
    """Draw whether the face-down card, which is `down`, is one of those that were seen in the hand.

    Each way to place the cards counts once. The seen cards are in the `kept` places or the face-down place. The other
    cards fill the rest of these places and the places of the cards drawn since. With c seen and m other cards, this
    gives each seen copy of the name the weight m, and each other copy the weight kept + 1 - c.
    """
    cards, seen = seen_of(s, seat), np.int64(s.seen[seat, down])
    ways = seen * max(hand_size(s, seat) + 1 - cards, 1)
    others = (np.int64(s.hands[seat, down]) + 1 - seen) * max(kept + 1 - cards, 0)
    return bool(uniform(rng, ways + others) < ways)


@kernel
def undo(s: Record, seat: Int, action: Int, down: Int, rng: np.ndarray) -> Int:
    """Undo what the decision itself did to the hand. Return the action as it was in this world."""
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
    """Whether the hand could have carried out an instant card that everybody has seen lapse (AA-28).

    `asked`: the card for which `seat` made the choices next, or NONE.
    """
    if card < ONGOING or OPEN[card] or card == asked or is_team(s, side_of(s, seat)):
        return False
    s.ability, s.resolver = card, seat
    possible = is_possible(s)
    s.ability = s.resolver = NONE
    return possible


@kernel
def was_resolved(s: Record, seat: Int, named: Int, asked: Int) -> bool:
    """Whether the named member could carry the card out, which reveals which member the captain named (AA-44).

    `seat`: the captain. `named`: the member. `asked`: as in `might_have_resolved`.
    """
    if named == seat:
        return bool(s.ability == asked)
    s.resolver = named
    possible = is_possible(s)
    s.resolver = NONE
    return possible


@kernel
def take_public(s: Record, past: Record, seat: Int) -> None:
    """Restore everything public, and the cards of the other seats, of which `seat` sees only the number."""
    copy_public(s, past)
    s.face_down = past.face_down
    for who in range(s.options.players):
        for card in range(KINDS):
            if who != seat:
                s.hands[who, card] = past.hands[who, card]
                s.discarded[who, card] = past.discarded[who, card]
