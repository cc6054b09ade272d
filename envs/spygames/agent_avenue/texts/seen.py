"""What a seat of Agent Avenue sees: positions as mappings without hidden values, and moves as text."""

from typing import Any

from spygames.agent_avenue.actions import (
    DECLINE,
    LEAD_OWN,
    PLAY_DOWN,
    PLAY_PAIR,
    PLAY_UP,
    RECRUIT_AGENT,
    RECRUIT_DOWN,
    RECRUIT_UP,
    RESOLVE_OWN,
    TAKE_AGENT,
    decode_discard,
    decode_down,
    decode_market,
    decode_pair,
    decode_recruit,
    decode_seat,
    decode_take,
    decode_up,
)
from spygames.agent_avenue.cards import AGENTS, FROM, MARKET_CARDS, OTHER_PLAY
from spygames.agent_avenue.layout import NONE
from spygames.agent_avenue.queries import knows_face_down, partner
from spygames.agent_avenue.rules.market import is_possible
from spygames.agent_avenue.state_dict import state_to_dict
from spygames.core.compiling.kernel import Int, Record
from spygames.core.game.game import NOBODY, Game


def seen_to_dict(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    """Return the mapping of `state_to_dict` as `viewer` (a seat) knows it.

    Hands and discards of other seats and both decks become counts. A face-down card of another seat becomes "?".
    `seen_in_hand` is unchanged, because everybody has seen those cards; a face-down card may be one of them (AA-37).
    `rng` and `record` are left out. For NOBODY everything else stays.
    """
    seen = state_to_dict(game, s)
    del seen["rng"], seen["record"]
    if viewer == NOBODY:
        return seen
    for key in ("hands", "discarded"):
        seen[key] = {seat: cards if int(seat) == viewer else len(cards) for seat, cards in seen[key].items()}
    for key in ("deck", "market_deck"):
        seen[key] = len(seen[key])
    if s.face_down != NONE and not knows_face_down(s, viewer):
        seen["face_down"] = "?"
    return seen


def seen_action(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
    """Describe what `viewer` sees when `seat` takes an action in `s`, the state before it: "player_1 discards a card".

    The text includes what everybody sees right after the action. Actions that the viewer still cannot distinguish have
    the same text. NOBODY sees everything.
    """
    knows = viewer in (seat, NOBODY)
    if action < PLAY_PAIR:
        what = f"discards {_agent(decode_discard(action)) if knows else 'a card'}"
    elif action < RECRUIT_UP:
        up, down = decode_pair(action)
        what = f"offers {_agent(up)} face up and {_agent(down) if knows else 'a card'} face down"
    elif action <= RECRUIT_DOWN:
        what = _recruits(s, action == RECRUIT_UP, seat, viewer)
    elif action < TAKE_AGENT:
        what = f"takes {_market_card(decode_market(action))}"
    elif action < RECRUIT_AGENT:
        what = f"{'steals' if _is_theirs(s) else 'takes back'} {_agent(decode_take(action))}"
    elif action < DECLINE:
        what = f"recruits {_agent(decode_recruit(action))} from hand"
    elif action < LEAD_OWN:
        what = f"keeps {_agent(s.taken)} in hand"
    elif action < PLAY_UP:
        who = _seat_name(s, action, seat)
        what = "is to play face up" if who == f"player_{seat}" else f"lets {who} play face up"
    elif action < PLAY_DOWN:
        what = f"plays {_agent(decode_up(action))} face up"
    elif action < RESOLVE_OWN:
        what = f"plays {_agent(decode_down(action)) if knows else 'a card'} face down"
    else:
        card, named = _market_card(s.ability), _seat_name(s, action, seat)
        is_visible = knows or _resolves(s, int(decode_seat(seat, action)))
        named = "is to" if named == f"player_{seat}" else f"has {named}"
        what = f"{named} resolve {card}" if is_visible else f"names who resolves {card}"
    return f"player_{seat} {what}"


def _recruits(s: Record, take_up: bool, seat: int, viewer: int) -> str:
    """Describe a choice. Both cards are open afterwards, so it is public unless they have the same name (AA-12)."""
    if s.face_down == s.face_up and viewer not in (seat, NOBODY):
        return "takes one of the two cards"
    if take_up:
        return f"takes the face-up {_agent(s.face_up)}"
    known = viewer == NOBODY or knows_face_down(s, viewer)
    return f"takes the face-down {_agent(s.face_down) if known else 'card'}"


def _resolves(s: Record, named: int) -> bool:
    """Whether the seat that a captain names can carry the card out, which shows everybody who was named (AA-44).

    Otherwise the card lapses (AA-28), and nothing shows who was named.
    """
    found = s.copy()
    found.resolver = named
    return s.ability != NONE and bool(is_possible(found))


def _is_theirs(s: Record) -> bool:
    """Whether the market card that is being resolved takes agents from the other side."""
    return s.ability != NONE and FROM[s.ability] == OTHER_PLAY


def _agent(card: Int) -> str:
    return "card" if card == NONE else AGENTS[card]


def _market_card(card: Int) -> str:
    return "a market card" if card == NONE else MARKET_CARDS[card]


def _seat_name(s: Record, action: int, seat: int) -> str:
    """The player that the captain `seat` names; "nobody" for the partner of a seat without one."""
    named = int(decode_seat(seat, action))
    return f"player_{named}" if named in (seat, int(partner(s, seat))) else "nobody"
