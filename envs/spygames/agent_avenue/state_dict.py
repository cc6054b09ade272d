"""Convert states of Agent Avenue to mappings of plain JSON values and back. Errors name the key and the valid value."""

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from spygames.agent_avenue.cards import AGENTS, CARDS, COPIES, MARKET_CARDS, MARKET_SIZE, ONGOING, SPYCATION
from spygames.agent_avenue.layout import (
    ABILITY,
    AT_ABILITY,
    AT_DECK,
    AT_DISCARD,
    AT_SUPPLY,
    DISCARDS,
    FURTHEST,
    HAND,
    LAST_TURN,
    MAX_HISTORY,
    NONE,
    RECRUIT,
    SIDES,
    SUPPLY_AND_DECK,
    Settings,
    State,
    StateWithOffers,
)
from spygames.agent_avenue.queries import face_down_seat, first_seat, hand_size, is_team, side_of
from spygames.agent_avenue.rules.history import clear_offers
from spygames.agent_avenue.rules.play import clear
from spygames.agent_avenue.validate import check, check_offers
from spygames.core.basics.text import shown
from spygames.core.game.game import Game, ImpossibleState
from spygames.core.game.layout import plain_fields, read_fields
from spygames.core.game.validation import check_keys, check_played, integer, member, sequence, table

_KEYS = (
    "mode", "players", "phase", "to_move", "active_side", "turn", "progress", "hands", "in_play", "discarded",
    "discards_left", "deck", "face_up", "face_down", "winner", "end_reason",
)  # fmt: skip
_MARKET_KEYS = ("market_supply", "market_deck", "market_in_play", "market_discard")
_OPTIONAL_MARKET_KEYS = ("pending", "ability", "seen_in_hand")
_TEAM_KEYS = ("captain", "lead")
_CARDS_OF_OFFER = ("down", "up")
_OPTIONAL_KEYS = (*_MARKET_KEYS, *_OPTIONAL_MARKET_KEYS, *_TEAM_KEYS, "rng", "record")


def state_to_dict(game: Game, s: State) -> dict[str, Any]:
    """Return the state as plain JSON values, with all keys that README.md lists."""
    seats, teams = range(game.num_players), game.num_players > 2
    mapping = {
        "mode": Settings.of(game).mode,
        "players": game.num_players,
        **plain_fields(State, s, "phase", "to_move", "active_side", "turn"),
        "progress": s.progress.tolist(),
        "hands": {str(seat): _cards(s.hands[seat]) for seat in seats},
        "in_play": {str(side): _counts(s.in_play[side]) for side in range(SIDES)},
        "discarded": {str(seat): _cards(s.discarded[seat]) for seat in seats},
        "discards_left": {str(seat): n for seat, n in zip(seats, s.discards_left.tolist(), strict=False)},
        "deck": [AGENTS[card] for card in s.deck[: s.deck_size][::-1].tolist()],
        **plain_fields(State, s, "face_up", "face_down"),
        "market_supply": _market_cards(s, AT_SUPPLY),
        "market_deck": [MARKET_CARDS[card] for card in s.market_deck[: s.market_deck_size][::-1].tolist()],
        "market_in_play": {str(side): _market_cards(s, side) for side in range(SIDES)},
        "market_discard": _market_cards(s, AT_DISCARD),
        "pending": [] if s.pending == NONE else [{"side": int(s.pending), "do": "market"}],
        "ability": _ability(s),
        "captain": {str(side): int(s.captain[side]) for side in range(SIDES)} if teams else {},
        **plain_fields(State, s, lead="leader"),
        "seen_in_hand": {str(seat): _counts(s.seen[seat]) for seat in seats},
        **plain_fields(State, s, "winner", "end_reason"),
        "rng": int(s.rng),
        "record": plain_fields(State, s, "kept"),
    }
    if Settings.of(game).history:
        mapping["offers"] = {str(side): _offers(cast(StateWithOffers, s), side) for side in range(SIDES)}
    return mapping


def _offers(s: StateWithOffers, side: int) -> list[dict[str, Any]]:
    """The earlier offers of a side, the latest first."""
    return [
        {
            "up": AGENTS[s.offered_up[side, k]],
            "down": AGENTS[s.offered_down[side, k]],
            "taken": None if s.took_up[side, k] == NONE else _CARDS_OF_OFFER[s.took_up[side, k]],
            "discards": int(s.discards_before[side, k]),
            "lead": None if s.led_by[side, k] == NONE else int(s.led_by[side, k]),
        }
        for k in range(MAX_HISTORY)
        if s.offered_up[side, k] != NONE
    ]


def _ability(s: State) -> dict[str, Any] | None:
    if s.ability == NONE:
        return None
    return {
        "side": int(side_of(s, s.to_move)),
        "card": MARKET_CARDS[s.ability],
        **plain_fields(State, s, seat="resolver", taken="taken"),
    }


def _cards(counts: np.ndarray) -> list[str]:
    return [name for name, count in zip(AGENTS, counts.tolist(), strict=True) for _ in range(count)]


def _counts(counts: np.ndarray) -> dict[str, int]:
    return {name: count for name, count in zip(AGENTS, counts.tolist(), strict=True) if count}


def _market_cards(s: State, place: int) -> list[str]:
    return [name for name, where in zip(MARKET_CARDS, s.market.tolist(), strict=True) if where == place]


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: State) -> None:
    """Write `mapping` into the zeroed state `s`.

    Progress, hand sizes and the number of discards left may have any value in their ranges. So a scenario can place
    meeples and cards freely.

    Raises:
        ImpossibleState: a key is missing, unknown or malformed; a card is not in exactly one place; the phase does not
            fit the cards; or the result does not follow from the position.
    """
    history = Settings.of(game).history > 0
    check_keys(mapping, _KEYS, (*_OPTIONAL_KEYS, "offers") if history else _OPTIONAL_KEYS)
    check_played(mapping, {"mode": Settings.of(game).mode, "players": game.num_players})
    s.options = game.packed[0]
    clear(s)
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    _read_course(mapping, s)
    _read_cards(mapping, s)
    if s.options.advanced:
        _read_market(mapping, s)
        _read_ability(mapping, s)
        _read_seen(mapping, s)
    else:
        _refuse_unused(mapping, (*_MARKET_KEYS, *_OPTIONAL_MARKET_KEYS))
    if s.options.players > 2:
        _read_team(mapping, s)
    else:
        _refuse_unused(mapping, _TEAM_KEYS)
        s.leader = NONE
    _read_record(mapping, s)
    check(s)
    if history:
        remembers = cast(StateWithOffers, s)
        _read_offers(mapping, remembers)
        check_offers(remembers)


def _read_course(mapping: Mapping[str, Any], s: State) -> None:
    # A mapping with a record comes from a game and may hold any counts. One that was set up has narrower ranges.
    set_up = mapping.get("record") is None
    s.turn = integer(mapping["turn"], "turn", 1, 1000 if set_up else LAST_TURN)
    progress, most = sequence(mapping["progress"], "progress", SIDES), 200 if set_up else FURTHEST
    s.progress[:] = [integer(p, "progress", -most, most) for p in progress]
    read_fields(State, s, mapping, "phase", "active_side", "to_move", "winner", "end_reason")


def _read_cards(mapping: Mapping[str, Any], s: State) -> None:
    players = int(s.options.players)
    for seat, cards in table(mapping["hands"], "hands", players):
        _put(s.hands[seat], cards, f"hands of seat {seat}")
    for seat, cards in table(mapping["discarded"], "discarded", players):
        _put(s.discarded[seat], cards, f"discarded of seat {seat}")
    for seat, left in table(mapping["discards_left"], "discards_left", players):
        s.discards_left[seat] = integer(left, f"discards_left of seat {seat}", 0, DISCARDS)
    for side, counts in table(mapping["in_play"], "in_play", SIDES):
        _count(s.in_play[side], counts, f"in_play of side {side}")
    deck = [member(card, "deck", AGENTS) for card in sequence(mapping["deck"], "deck")]
    if len(deck) > CARDS:
        raise ImpossibleState(f"deck must hold at most {CARDS} cards, not {len(deck)}")
    s.deck[:] = NONE
    s.deck[: len(deck)] = deck[::-1]
    s.deck_size = len(deck)
    read_fields(State, s, mapping, "face_up", "face_down")


def _read_market(mapping: Mapping[str, Any], s: State) -> None:
    if missing := [key for key in _MARKET_KEYS if key not in mapping]:
        raise ImpossibleState(f"the state lacks {', '.join(missing)}")
    deck = [member(card, "market_deck", MARKET_CARDS) for card in sequence(mapping["market_deck"], "market_deck")]
    places = [("market_deck", card, AT_DECK) for card in deck]
    lists = [("market_supply", mapping["market_supply"], AT_SUPPLY)]
    lists += [("market_discard", mapping["market_discard"], AT_DISCARD)]
    lists += [("market_in_play", cards, side) for side, cards in table(mapping["market_in_play"], "market_in_play", 2)]
    for key, cards, place in lists:
        places += [(key, member(card, key, MARKET_CARDS), place) for card in sequence(cards, key)]
    for key, card, place in places:
        if s.market[card] != NONE:
            raise ImpossibleState(f"{key}: {MARKET_CARDS[card]} is named twice, but the game has only one")
        if place in (0, 1) and card >= ONGOING:
            raise ImpossibleState(f"market_in_play must hold ongoing cards, not {MARKET_CARDS[card]}, an instant card")
        if place == AT_DISCARD and card < ONGOING:
            raise ImpossibleState(f"market_discard must hold instant cards, not {MARKET_CARDS[card]}, an ongoing card")
        s.market[card] = place
    if len(deck) > SUPPLY_AND_DECK:
        raise ImpossibleState(f"market_deck must hold at most {SUPPLY_AND_DECK} cards, not {len(deck)}")
    s.market_deck[: len(deck)] = deck[::-1]
    s.market_deck_size = len(deck)


def _read_ability(mapping: Mapping[str, Any], s: State) -> None:
    waiting = sequence(_get(mapping, "pending", []), "pending")
    if len(waiting) > 1:
        raise ImpossibleState(f"pending must hold at most one entry, not {shown(waiting)}")
    for entry in waiting:
        check_keys(entry, ("side", "do"), (), "pending")
        if entry["do"] != "market":
            raise ImpossibleState(f"pending: do must be 'market', not {shown(entry['do'])}")
        s.pending = integer(entry["side"], "pending side", 0, SIDES - 1)
    ability = mapping.get("ability")
    if ability is not None:
        check_keys(ability, ("side", "card"), ("seat", "taken"), "ability")
        s.ability = member(ability["card"], "ability", MARKET_CARDS)
        read_fields(State, s, ability, "taken", seat="resolver", within="ability")
        if s.market[s.ability] != NONE:
            raise ImpossibleState(f"ability: {MARKET_CARDS[s.ability]} is named twice, but the game has only one")
        s.market[s.ability] = AT_ABILITY
        side = integer(ability["side"], "ability side", 0, SIDES - 1)
        if s.to_move == NONE or side != side_of(s, s.to_move):
            raise ImpossibleState(f"ability side must be the side of to_move, not {side}")
        if s.taken != NONE and s.ability != SPYCATION:
            raise ImpossibleState("ability taken must be null unless card is spycation")
        if s.taken != NONE and (s.phase != ABILITY or s.hands[s.to_move, s.taken] == 0):
            raise ImpossibleState("ability taken must be in the hand of the seat that resolves it")
    if missing := [MARKET_CARDS[card] for card in range(MARKET_SIZE) if s.market[card] == NONE]:
        raise ImpossibleState(f"market_deck, market_supply and the other market keys lack {', '.join(missing)}")


def _read_seen(mapping: Mapping[str, Any], s: State) -> None:
    players = int(s.options.players)
    seen = _get(mapping, "seen_in_hand", {}) or {str(seat): {} for seat in range(players)}
    for seat, counts in table(seen, "seen_in_hand", players):
        _count(s.seen[seat], counts, f"seen_in_hand of seat {seat}")


def _read_team(mapping: Mapping[str, Any], s: State) -> None:
    captains = _get(mapping, "captain", {})
    if not isinstance(captains, Mapping) or not {str(side) for side in captains} <= {"0", "1"}:
        raise ImpossibleState(f"captain must map sides to seats, not {shown(captains)}")
    for key, seat in captains.items():
        side, captain = int(key), integer(seat, f"captain of side {key}", 0, int(s.options.players) - 1)
        if side_of(s, captain) != side:
            raise ImpossibleState(f"captain of side {side} must be one of its seats, not {captain}")
        s.captain[side] = captain
    read_fields(State, s, mapping, lead="leader")


def _read_record(mapping: Mapping[str, Any], s: State) -> None:
    """Read `kept`, by default the usual number for a hand of this size."""
    remembered = _get(mapping, "record", {})
    check_keys(remembered, (), ("kept",), "record")
    team = bool(is_team(s, s.active_side))
    offered = s.phase == RECRUIT and not (team and s.leader == NONE)
    held = int(hand_size(s, face_down_seat(s) if offered else first_seat(s, s.active_side)))
    before = HAND - 1 if team else HAND - 2
    usual = 0 if s.phase != RECRUIT else held if held > HAND else min(held, before)  # a larger hand has not drawn
    s.kept = integer(remembered.get("kept", usual), "record kept", 0, held if s.phase == RECRUIT else 0)


def _read_offers(mapping: Mapping[str, Any], s: StateWithOffers) -> None:
    """Read the earlier offers of each side, by default none."""
    clear_offers(s)
    for side, offers in table(_get(mapping, "offers", {"0": [], "1": []}), "offers", SIDES):
        where = f"offers of side {side}"
        if len(offers := sequence(offers, where)) > MAX_HISTORY:
            raise ImpossibleState(f"{where} must hold at most {MAX_HISTORY} offers, not {len(offers)}")
        for k, offer in enumerate(offers):
            check_keys(offer, ("up", "down", "taken"), ("discards", "lead"), where)
            s.offered_up[side, k] = member(offer["up"], f"up in {where}", AGENTS)
            s.offered_down[side, k] = member(offer["down"], f"down in {where}", AGENTS)
            if offer["taken"] is not None:
                s.took_up[side, k] = member(offer["taken"], f"taken in {where}", _CARDS_OF_OFFER)
            s.discards_before[side, k] = integer(offer.get("discards", 0), f"discards in {where}", 0, DISCARDS)
            if offer.get("lead") is not None:
                s.led_by[side, k] = integer(offer["lead"], f"lead in {where}", 0, int(s.options.players) - 1)


def _get(mapping: Mapping[str, Any], key: str, default: Any) -> Any:
    """The value of `key`, or `default` if it is missing or null."""
    value = mapping.get(key)
    return default if value is None else value


def _refuse_unused(mapping: Mapping[str, Any], keys: tuple[str, ...]) -> None:
    """Raise ImpossibleState if a key that this variant does not use has a value that is not empty."""
    for key in keys:
        value = mapping.get(key)
        entries = list(value.values()) if isinstance(value, Mapping) else [value]
        if not all(entry is None or (isinstance(entry, list | tuple | Mapping) and not entry) for entry in entries):
            raise ImpossibleState(f"{key} must be empty or left out in this variant, not {shown(value)}")


def _count(counts: np.ndarray, value: object, key: str) -> None:
    if not isinstance(value, Mapping):
        raise ImpossibleState(f"{key} must map agents to counts, not {shown(value)}")
    for name, count in value.items():
        card = member(name, key, AGENTS)
        counts[card] = integer(count, key, 1, COPIES[card])


def _put(counts: np.ndarray, cards: object, key: str) -> None:
    cards = sequence(cards, key)
    if len(cards) > CARDS:
        raise ImpossibleState(f"{key} must hold at most {CARDS} cards, not {len(cards)}")
    for card in cards:
        counts[member(card, key, AGENTS)] += 1
