"""Convert a STATE to a mapping of plain JSON values, and back. README.md lists the keys."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.agent_dog.board import COLOURS, GOAL, PAWNS, place_to_string, string_to_place
from spygames.agent_dog.cards import CARDS, COPY, FUNCTIONS, KINDS, MAX_CARDS
from spygames.agent_dog.layout import EMPTY, HAT, MOST_LOST, NONE, OVER, Settings, State
from spygames.agent_dog.queries import colour_of, seat_colour, taker
from spygames.agent_dog.rules.turns import clear_card
from spygames.agent_dog.validate import check_state, lost_without_trace
from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Int
from spygames.core.game.game import Game, ImpossibleState, as_record
from spygames.core.game.layout import plain_fields, read_fields
from spygames.core.game.validation import check_keys, check_played, integer, member, sequence, table

_KEYS = (
    "players", "board", "deck_name", "phase", "to_move", "dealer", "round", "turn", "pawns", "hidden", "hands",
    "passed", "out", "deck", "discard", "last_card", "pending", "redrawn", "cards_played", "winners", "end_reason",
)  # fmt: skip
_PENDING = ("card", "as", "points", "moved", "first", "meetings", "penalty")


def state_to_dict(game: Game, s: State) -> dict[str, Any]:
    """Return the state as plain JSON values with all keys that README.md lists."""
    seats = range(game.num_players)
    o, area = Settings.of(game), s.area.tolist()
    taken = {place: pawn for place, pawn in enumerate(s.board.tolist()) if pawn != EMPTY}
    return {
        "players": game.num_players,
        "board": o.board_data,
        "deck_name": _deck_name(o),
        **plain_fields(State, s, "phase", "to_move", "dealer", round="round_number", turn="turn"),
        "pawns": {COLOURS[colour]: _pawns(area[colour], taken, colour) for colour in _colours(game)},
        "hidden": [place if place < GOAL else place_to_string(place) for place, pawn in taken.items() if pawn >= HAT],
        "hands": {str(seat): _cards(s.hands[seat]) for seat in seats},
        "passed": {str(seat): _card(s.passed[seat]) for seat in seats},
        "out": [seat for seat in seats if s.out[seat]],
        "deck": [CARDS[card] for card in s.deck[: s.deck_size][::-1].tolist()],
        "discard": [CARDS[card] for card in s.discard[: s.discard_size][::-1].tolist()],
        **plain_fields(State, s, "last_card"),
        "pending": _pending(s),
        **plain_fields(State, s, "redrawn", "cards_played"),
        "winners": [seat for seat in seats if s.winners >> seat & 1],
        **plain_fields(State, s, "end_reason"),
        "rng": int(s.rng),
        "record": {"lost": {str(seat): _cards(s.lost[seat]) for seat in seats}},
    }


def _deck_name(options: Settings) -> str:
    return options.deck if isinstance(options.deck, str) else "custom"


def _colours(game: Game) -> list[int]:
    """Return the color of each seat."""
    return [int(seat_colour(game.num_players, seat)) for seat in range(game.num_players)]


def _pawns(area: int, taken: Mapping[int, int], colour: int) -> list[str]:
    """Return the places of the four pawns of a color: area, track, goals."""
    there = [place_to_string(place, colour) for place, pawn in taken.items() if pawn in (colour, colour + HAT)]
    return ["area"] * area + there


def _pending(s: State) -> dict[str, Any] | None:
    """Return the card being played, or None."""
    if s.card == NONE:
        return None
    point = int(s.options.meeting)
    return {
        **plain_fields(State, s, "card", **{"as": "function"}, points="points"),
        "moved": [] if s.moved == NONE else [_moved_text(s)],
        "first": None if s.first == NONE else place_to_string(int(s.first)),
        "meetings": [k * int(s.options.quarter) + point for k in range(4) if s.meetings >> k & 1],
        **plain_fields(State, s, "penalty"),
    }


def _moved_text(s: State) -> str:
    """Return the place of the pawn that stepped last as actions name it: without a color in the mover's own goal."""
    return place_to_string(int(s.moved), int(colour_of(s, int(s.to_move))))


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: State) -> None:
    """Write `mapping` into the zeroed state `s`.

    The checks cover cards and pawns (each in one place), and that the phase has a legal decision. Places of pawns,
    sizes of hands and counters may have any value in their ranges.

    Raises:
        ImpossibleState: A key is missing, unknown or wrong, or two keys contradict each other.
    """
    check_keys(mapping, _KEYS, ("rng", "record"))
    o = Settings.of(game)
    check_played(mapping, {"players": game.num_players, "board": o.board_data, "deck_name": _deck_name(o)})
    s.options = as_record(game.packed)
    clear_card(s)
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    read_fields(State, s, mapping, "turn", "phase", "dealer", "to_move", "redrawn", "end_reason", round="round_number")
    s.cards_played = integer(mapping["cards_played"], "cards_played", 0, int(s.options.max_turns))
    last = game.num_players - 1
    if (s.to_move == NONE) != (s.phase == OVER):
        raise ImpossibleState("to_move must be a seat, or null in phase over")
    _read_pawns(game, mapping, s)
    _read_cards(game, mapping, s)
    _read_pending(game, mapping["pending"], s)
    for key in ("out", "winners"):
        seats = [integer(seat, key, 0, last) for seat in sequence(mapping[key], key)]
        if sorted(set(seats)) != seats:
            raise ImpossibleState(f"{key} must name seats in ascending order, not {shown(seats)}")
        for seat in seats:
            if key == "out":
                s.out[seat] = 1
            else:
                s.winners |= 1 << seat
    _read_record(mapping, s, game.num_players)
    check_state(game, s)


def _read_pawns(game: Game, mapping: Mapping[str, Any], s: State) -> None:
    """Read `pawns` and `hidden`."""
    s.board[:] = EMPTY
    track = int(s.options.track)
    colours = _colours(game)
    pawns = mapping["pawns"]
    if not isinstance(pawns, Mapping) or sorted(map(str, pawns)) != sorted(COLOURS[c] for c in colours):
        raise ImpossibleState(f"pawns must be a mapping with the keys {', '.join(COLOURS[c] for c in colours)}")
    for colour in colours:
        key = f"pawns of {COLOURS[colour]}"
        for text in sequence(pawns[COLOURS[colour]], key, PAWNS):
            if text == "area":
                s.area[colour] += 1
                continue
            place = string_to_place(text, key, track, colour)
            if s.board[place] != EMPTY:
                raise ImpossibleState(f"{key} must not name {shown(text)}, where another pawn is")
            s.board[place] = colour
    for space in sequence(mapping["hidden"], "hidden"):
        in_goal = isinstance(space, str)
        place = string_to_place(space, "hidden", track) if in_goal else integer(space, "hidden", 0, track - 1)
        if s.board[place] == EMPTY:
            raise ImpossibleState(f"hidden must name places of pawns, not {shown(space)}, where no pawn is")
        if s.board[place] >= HAT:
            raise ImpossibleState(f"hidden must not name {shown(space)} twice")
        s.board[place] += HAT


def _read_cards(game: Game, mapping: Mapping[str, Any], s: State) -> None:
    """Read hands, piles, passed cards and the card to copy."""
    for seat, cards in table(mapping["hands"], "hands", game.num_players):
        _put(s.hands[seat], cards, f"hands of seat {seat}")
    s.passed[:] = NONE
    for seat, card in table(mapping["passed"], "passed", game.num_players):
        s.passed[seat] = NONE if card is None else member(card, f"passed of seat {seat}", CARDS)
    for key in ("deck", "discard"):
        cards = [member(card, key, CARDS) for card in sequence(mapping[key], key)]
        if len(cards) > MAX_CARDS:
            raise ImpossibleState(f"{key} must hold at most {MAX_CARDS} cards, not {len(cards)}")
        s[key][:] = NONE
        s[key][: len(cards)] = cards[::-1]
        s[f"{key}_size"] = len(cards)
    s.discarded[:] = np.bincount(s.discard[: s.discard_size], minlength=KINDS)
    read_fields(State, s, mapping, "last_card")
    if s.last_card == COPY:
        raise ImpossibleState("last_card must be a card that a copy can copy, not 'copy'")


def _read_pending(game: Game, pending: object, s: State) -> None:
    """Read the card being played."""
    if pending is None:
        return
    check_keys(pending, _PENDING, (), "pending")
    assert isinstance(pending, Mapping)
    if s.phase == OVER:
        raise ImpossibleState("pending must be null in phase over")
    s.card = member(pending["card"], "pending card", CARDS)
    s.function = member(pending["as"], "pending as", FUNCTIONS)
    read_fields(State, s, pending, "points", "penalty", within="pending")
    track, colour = int(s.options.track), _colours(game)[s.to_move]
    moved = sequence(pending["moved"], "pending moved")
    if len(moved) > 1:
        raise ImpossibleState(f"pending moved must name at most one place, not {len(moved)}")
    s.moved = NONE
    for text in moved:
        s.moved = string_to_place(text, "pending moved", track, colour)
    s.first = NONE if pending["first"] is None else string_to_place(pending["first"], "pending first", track)
    quarter, point = int(s.options.quarter), int(s.options.meeting)
    for space in sequence(pending["meetings"], "pending meetings"):
        space = integer(space, "pending meetings", 0, track - 1)
        if space % quarter != point or s.board[space] == EMPTY:
            raise ImpossibleState(f"pending meetings must name meeting points with a pawn, not {space}")
        s.meetings |= 1 << space // quarter


def _read_record(mapping: Mapping[str, Any], s: State, players: int) -> None:
    """Read the cards that left each hand since the exchange.

    If `record` lacks them, two kinds of lost cards follow from the mapping: the card being played, and each passed card
    that its taker no longer holds.
    """
    remembered = {} if mapping.get("record") is None else mapping["record"]
    check_keys(remembered, (), ("lost",), "record")
    given = "lost" in remembered
    if given:
        for seat, cards in table(remembered["lost"], "record lost", players):
            _put(s.lost[seat], cards, f"record lost of seat {seat}", KINDS * MOST_LOST, MOST_LOST)
    elif s.card != NONE:
        s.lost[s.to_move, s.card] = 1
    while (seat := lost_without_trace(s)) != NONE:
        card, to = int(s.passed[seat]), int(taker(s, seat))
        if given:
            raise ImpossibleState(
                f"record lost of seat {to} must name the {CARDS[card]} passed to it: its hand lacks it"
            )
        s.lost[to, card] = 1


def _cards(counts: np.ndarray) -> list[str]:
    """Return the names of the cards in a hand, sorted."""
    return [CARDS[card] for card, count in enumerate(counts.tolist()) for _ in range(count)]


def _card(card: Int) -> str | None:
    """Return the name of a card, or None for NONE."""
    return None if card == NONE else CARDS[card]


def _put(counts: np.ndarray, cards: object, key: str, most: int = MAX_CARDS, of_a_kind: int = MAX_CARDS) -> None:
    """Count the cards of a list by kind into `counts`.

    Raises:
        ImpossibleState: There are more than `most` cards, or more than `of_a_kind` of one kind.
    """
    cards = sequence(cards, key)
    if len(cards) > most:
        raise ImpossibleState(f"{key} must hold at most {most} cards, not {len(cards)}")
    found = np.bincount([member(card, key, CARDS) for card in cards], minlength=KINDS)
    if found.max() > of_a_kind:
        raise ImpossibleState(
            f"{key} must name {CARDS[found.argmax()]} at most {of_a_kind} times, not {found.max()} times"
        )
    counts[:] = found
