"""The state of Agent DOG as a mapping, and back; its actions and places as text are in places.py."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.agent_dog import rules
from spygames.agent_dog.board import COLOURS, PAWNS
from spygames.agent_dog.cards import CARDS, COMPANION, COPY, FUNCTIONS, KINDS, MAX_CARDS, NUMBERS, OFFERS, POINTS, SWAP
from spygames.agent_dog.layout import (
    CARD,
    EMPTY,
    END_REASONS,
    EXCHANGE,
    GOAL,
    HAT,
    MEETING,
    NONE,
    OVER,
    PHASES,
    PLACE,
    PLACES,
    REDRAW,
    STEP,
    SWAPPING,
    colour_of,
    plays_for,
    taker,
)
from spygames.agent_dog.places import place_text, read_place, seat_colour
from spygames.agent_dog.turns import clear_card, offers, playable
from spygames.core.game import Game, ImpossibleState
from spygames.core.kernel import Record
from spygames.core.mapping import check_keys, integer, member, sequence, table

_KEYS = (
    "players", "board", "deck_name", "phase", "to_move", "dealer", "round", "turn", "pawns", "hidden", "hands",
    "passed", "out", "deck", "discard", "last_card", "pending", "redrawn", "cards_played", "winners", "end_reason",
)  # fmt: skip
_PENDING = ("card", "as", "points", "moved", "first", "meetings", "penalty")
_BIG = 2**31 - 1


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    """The state as plain JSON values, with the keys that the rules name in section 9, `rng` and `record`."""
    seats = range(game.num_players)
    deck = game.options["deck"]
    return {
        "players": game.num_players,
        "board": game.options["board"] if isinstance(game.options["board"], str) else dict(game.options["board"]),
        "deck_name": deck if isinstance(deck, str) else "custom",
        "phase": PHASES[s.phase],
        "to_move": _or_none(s.to_move),
        "dealer": int(s.dealer),
        "round": int(s.round_number),
        "turn": int(s.turn),
        "pawns": {COLOURS[colour]: _pawns(s, colour) for colour in (seat_colour(game, seat) for seat in seats)},
        "hidden": [
            place if place < GOAL else place_text(place, NONE) for place in range(PLACES) if s.board[place] >= HAT
        ],
        "hands": {str(seat): _cards(s.hands[seat]) for seat in seats},
        "passed": {str(seat): _card(s.passed[seat]) for seat in seats},
        "out": [seat for seat in seats if s.out[seat]],
        "deck": [CARDS[s.deck[i]] for i in reversed(range(s.deck_size))],
        "discard": [CARDS[s.discard[i]] for i in reversed(range(s.discard_size))],
        "last_card": _card(s.last_card),
        "pending": _pending(s),
        "redrawn": bool(s.redrawn),
        "cards_played": int(s.cards_played),
        "winners": [seat for seat in seats if s.winners >> seat & 1],
        "end_reason": None if s.end_reason == NONE else END_REASONS[s.end_reason],
        "rng": int(s.rng),
        "record": {"lost": {str(seat): _cards(s.lost[seat]) for seat in seats}},
    }


def _pawns(s: Record, colour: int) -> list[str]:
    """Where the four pawns of a colour are: area, track, goals."""
    places = ["area"] * int(s.area[colour])
    return places + [place_text(place, colour) for place in range(PLACES) if s.board[place] in (colour, colour + HAT)]


def _pending(s: Record) -> dict[str, Any] | None:
    """The card being played."""
    if s.card == NONE:
        return None
    point = int(s.options.meeting)
    return {
        "card": CARDS[s.card],
        "as": FUNCTIONS[s.function],
        "points": int(s.points),
        "moved": [] if s.moved == NONE else [_moved_text(s)],
        "first": None if s.first == NONE else place_text(int(s.first), NONE),
        "meetings": [k * int(s.options.quarter) + point for k in range(4) if s.meetings >> k & 1],
        "penalty": bool(s.penalty),
    }


def _moved_text(s: Record) -> str:
    """As in the actions: the goal of the seat's own colour needs no colour."""
    return place_text(int(s.moved), int(colour_of(s, int(s.to_move))))


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """Writes `mapping` into the zeroed state `s`; ImpossibleState says what is wrong with it.

    Checked are the cards and pawns (each in one place), and that the phase has something to decide. Where pawns
    stand, who holds how many cards, and all counters are free within their range.
    """
    check_keys(mapping, _KEYS, ("rng", "record"))
    deck = game.options["deck"]
    named = {
        "players": game.num_players,
        "board": game.options["board"],
        "deck_name": deck if isinstance(deck, str) else "custom",
    }
    for key, value in named.items():
        if mapping[key] != value:
            raise ImpossibleState(f"{key} is {mapping[key]!r}, but this game is played with {value!r}")
    rules.take_options(s, game.packed.view(np.recarray)[0])
    clear_card(s)
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    for key, field in (("round", "round_number"), ("turn", "turn"), ("cards_played", "cards_played")):
        s[field] = integer(mapping[key], key, 0, _BIG)
    s.phase = member(mapping["phase"], "phase", PHASES)
    last = game.num_players - 1
    s.dealer = integer(mapping["dealer"], "dealer", 0, last)
    s.to_move = NONE if mapping["to_move"] is None else integer(mapping["to_move"], "to_move", 0, last)
    if (s.to_move == NONE) != (s.phase == OVER):
        raise ImpossibleState("to_move must be null in phase over, and in no other")
    _read_pawns(game, mapping, s)
    _read_cards(game, mapping, s)
    _read_pending(game, mapping["pending"], s)
    if not isinstance(mapping["redrawn"], bool):
        raise ImpossibleState(f"redrawn must be true or false, not {mapping['redrawn']!r}")
    s.redrawn = mapping["redrawn"]
    for key in ("out", "winners"):
        seats = [integer(seat, key, 0, last) for seat in sequence(mapping[key], key)]
        if sorted(set(seats)) != seats:
            raise ImpossibleState(f"{key} must name seats in ascending order, not {seats}")
        for seat in seats:
            if key == "out":
                s.out[seat] = 1
            else:
                s.winners |= 1 << seat
    s.end_reason = NONE if mapping["end_reason"] is None else member(mapping["end_reason"], "end_reason", END_REASONS)
    _read_record(mapping, s, game.num_players)
    _check(game, s)


def _read_pawns(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """`pawns` and `hidden`."""
    s.board[:] = EMPTY
    track = int(s.options.track)
    colours = [seat_colour(game, seat) for seat in range(game.num_players)]
    pawns = mapping["pawns"]
    if not isinstance(pawns, Mapping) or sorted(map(str, pawns)) != sorted(COLOURS[c] for c in colours):
        raise ImpossibleState(f"pawns must be a mapping with the keys {', '.join(COLOURS[c] for c in colours)}")
    for colour in colours:
        key = f"pawns of {COLOURS[colour]}"
        for text in sequence(pawns[COLOURS[colour]], key, PAWNS):
            if text == "area":
                s.area[colour] += 1
                continue
            place = read_place(text, key, track, colour)
            if s.board[place] != EMPTY:
                raise ImpossibleState(f"{key}: {text!r} holds another pawn already")
            s.board[place] = colour
    for space in sequence(mapping["hidden"], "hidden"):
        in_goal = isinstance(space, str)
        place = read_place(space, "hidden", track) if in_goal else integer(space, "hidden", 0, track - 1)
        if s.board[place] == EMPTY:
            raise ImpossibleState(f"hidden names {space!r}, where no pawn stands")
        if s.board[place] >= HAT:
            raise ImpossibleState(f"hidden names {space!r} twice")
        s.board[place] += HAT


def _read_cards(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """Hands, piles, passed cards and the card to copy."""
    for seat, cards in table(mapping["hands"], "hands", game.num_players):
        _put(s.hands[seat], cards, f"hands of seat {seat}")
    s.passed[:] = NONE
    for seat, card in table(mapping["passed"], "passed", game.num_players):
        s.passed[seat] = NONE if card is None else member(card, f"passed of seat {seat}", CARDS)
    for key in ("deck", "discard"):
        cards = [member(card, key, CARDS) for card in sequence(mapping[key], key)]
        if len(cards) > MAX_CARDS:
            raise ImpossibleState(f"{key} holds {len(cards)} cards, more than the game has")
        s[key][:] = NONE
        s[key][: len(cards)] = cards[::-1]
        s[f"{key}_size"] = len(cards)
    s.discarded[:] = np.bincount(s.discard[: s.discard_size], minlength=KINDS)
    s.last_card = NONE if mapping["last_card"] is None else member(mapping["last_card"], "last_card", CARDS)
    if s.last_card == COPY:
        raise ImpossibleState("last_card is what a copy would copy, so it cannot be a copy itself")


def _read_pending(game: Game, pending: object, s: Record) -> None:
    """The card being played."""
    if pending is None:
        return
    check_keys(pending, _PENDING, (), "pending")
    assert isinstance(pending, Mapping)
    if s.phase == OVER:
        raise ImpossibleState("pending must be null in phase over")
    s.card = member(pending["card"], "pending card", CARDS)
    s.function = member(pending["as"], "pending as", FUNCTIONS)
    s.points = integer(pending["points"], "pending points", 0, POINTS)
    track, colour = int(s.options.track), seat_colour(game, int(s.to_move))
    moved = sequence(pending["moved"], "pending moved")
    if len(moved) > 1:
        raise ImpossibleState(f"pending moved names one place at most, not {len(moved)}")
    s.moved = NONE
    for text in moved:
        s.moved = read_place(text, "pending moved", track, colour)
    s.first = NONE if pending["first"] is None else read_place(pending["first"], "pending first", track)
    quarter, point = int(s.options.quarter), int(s.options.meeting)
    for space in sequence(pending["meetings"], "pending meetings"):
        space = integer(space, "pending meetings", 0, track - 1)
        if space % quarter != point or s.board[space] == EMPTY:
            raise ImpossibleState(f"pending meetings: {space} is no meeting point on which a pawn stands")
        s.meetings |= 1 << space // quarter
    if not isinstance(pending["penalty"], bool):
        raise ImpossibleState(f"pending penalty must be true or false, not {pending['penalty']!r}")
    s.penalty = pending["penalty"]


def _read_record(mapping: Mapping[str, Any], s: Record, players: int) -> None:
    """What left each hand since the exchange. If it is left out, no more than the mapping tells: the card being
    played, and a passed card that its taker no longer holds."""
    remembered = mapping.get("record")
    check_keys({} if remembered is None else remembered, (), ("lost",), "record")
    if remembered and "lost" in remembered:
        for seat, cards in table(remembered["lost"], "record lost", players):
            _put(s.lost[seat], cards, f"record lost of seat {seat}")
    elif s.card != NONE:
        s.lost[s.to_move, s.card] = 1
    for seat in range(players):
        card, to = int(s.passed[seat]), int(taker(s, seat))
        if s.phase != EXCHANGE and card != NONE and not s.hands[to, card] and not s.lost[to, card]:
            if remembered and "lost" in remembered:
                raise ImpossibleState(f"record lost: seat {to} neither holds nor lost the {CARDS[card]} passed to it")
            s.lost[to, card] = 1


def _check(game: Game, s: Record) -> None:
    """Raises ImpossibleState where the parts of a state contradict each other."""
    phase = PHASES[s.phase]
    for card in range(KINDS):
        total = sum(map(int, s.hands[:, card])) + int((s.deck == card).sum()) + int(s.discarded[card])
        total += int(s.card == card) + (int((s.passed == card).sum()) if s.phase == EXCHANGE else 0)
        if total != s.options.copies[card]:
            raise ImpossibleState(
                f"there are {s.options.copies[card]} copies of {CARDS[card]}, but hands, deck, discard and pending"
                f"{' and passed' if s.phase == EXCHANGE else ''} hold {total}"
            )
    playing = s.phase in (PLACE, STEP, SWAPPING, MEETING)
    if playing != (s.card != NONE):
        raise ImpossibleState(f"pending must {'not ' if playing else ''}be null in phase {phase}")
    if playing:
        _check_pending(s)
    _check_places(s)
    if (s.phase == OVER) != (s.end_reason != NONE):
        raise ImpossibleState("end_reason belongs to phase over, and to no other")
    if (s.winners != 0) != (s.end_reason == 0):
        raise ImpossibleState("winners are named where the end_reason is home, and nowhere else")
    if s.phase == EXCHANGE:
        _check_exchange(game, s)
    if s.phase == OVER:
        return
    if s.phase in (CARD, REDRAW) and (playable(s, int(s.to_move)) != 0) != (s.phase == CARD):
        raise ImpossibleState(
            f"phase is {phase}, but hands of seat {s.to_move} hold {'a' if s.phase == REDRAW else 'no'} playable card"
        )
    if s.phase == REDRAW and game.num_players == 4:
        raise ImpossibleState("phase redraw is for two and three players")
    mask = np.zeros(game.num_actions, np.int8)
    rules.legal(s, mask)
    if not mask.any():
        raise ImpossibleState(f"in phase {phase} seat {s.to_move} has nothing to decide: nothing is legal")


def _check_pending(s: Record) -> None:
    """The card being played fits its function and the phase."""
    card, function = int(s.card), int(s.function)
    if card != COPY and not OFFERS[card] >> function & 1:
        raise ImpossibleState(f"pending: a {CARDS[card]} cannot be played as {FUNCTIONS[function]}")
    if card == COPY and not offers(s, card) >> function & 1:
        raise ImpossibleState(f"pending: a copy of last_card cannot be played as {FUNCTIONS[function]}")
    fits = {PLACE: function < NUMBERS + 1, STEP: function == COMPANION, SWAPPING: function == SWAP, MEETING: True}
    if not fits[int(s.phase)]:
        raise ImpossibleState(f"pending is played as {FUNCTIONS[function]}, which has no phase {PHASES[s.phase]}")
    if (s.points > 0) != (s.phase == STEP):
        raise ImpossibleState("pending points are above 0 in phase step, and in no other")
    if s.moved != NONE and (s.phase != STEP or s.board[s.moved] == EMPTY):
        raise ImpossibleState("pending moved is the place of a pawn in phase step")
    if s.first != NONE and (s.phase != SWAPPING or s.board[s.first] < HAT):
        raise ImpossibleState("pending first is the place of a hidden pawn in phase swap")
    if s.phase == MEETING and not s.meetings & (s.meetings - 1):
        raise ImpossibleState("phase meeting is for two meetings or more")
    if s.phase in (PLACE, SWAPPING) and (s.meetings or s.penalty):
        raise ImpossibleState(f"pending meetings and penalty cannot be in phase {PHASES[s.phase]}")


def _check_places(s: Record) -> None:
    """Hidden pawns stand on holes, and in goals of their own colour only own pawns, but for a companion under way."""
    own = int(plays_for(s, int(s.to_move))) if s.phase == STEP else NONE
    for place in range(PLACES):
        pawn = int(s.board[place])
        goal = (place - GOAL) // PAWNS if place >= GOAL else NONE
        if goal != NONE and pawn != EMPTY and pawn != goal and not (goal == own and pawn >= HAT):
            raise ImpossibleState(
                f"pawns: {place_text(place, NONE)} may hold visible pawns of its own colour, and hidden ones only in "
                "the mover's own goal while a companion is played"
            )
        if goal == NONE and pawn >= HAT and s.phase != STEP and s.options.hole[place % s.options.quarter] == NONE:
            raise ImpossibleState(f"hidden: {place} is no hole, so no hidden pawn stands there but in phase step")


def _check_exchange(game: Game, s: Record) -> None:
    """From the dealer clockwise those before the seat to move have passed a card, the others have not."""
    before = (int(s.to_move) - int(s.dealer)) % game.num_players
    for i in range(game.num_players):
        seat = (int(s.dealer) + i) % game.num_players
        if (s.passed[seat] != NONE) != (i < before):
            raise ImpossibleState(f"passed of seat {seat} must {'name a card' if i < before else 'be null'} now")


def _cards(counts: np.ndarray) -> list[str]:
    return [CARDS[card] for card in range(KINDS) for _ in range(counts[card])]


def _card(card: int) -> str | None:
    return None if card == NONE else CARDS[card]


def _or_none(number: int) -> int | None:
    return None if number == NONE else int(number)


def _put(counts: np.ndarray, cards: object, key: str) -> None:
    cards = sequence(cards, key)
    if len(cards) > MAX_CARDS:
        raise ImpossibleState(f"{key} holds {len(cards)} cards, more than the game has")
    for card in cards:
        counts[member(card, key, CARDS)] += 1
