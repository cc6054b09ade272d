"""Agent Avenue as text: actions, and states as mappings. Texts are absolute: seats and sides by number."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import numpy as np

from spygames.agent_avenue import rules
from spygames.agent_avenue.cards import AGENTS, CARDS, COPIES, KINDS
from spygames.agent_avenue.rules import (
    DISCARDS,
    END_REASONS,
    HAND,
    NONE,
    OVER,
    PHASES,
    PLAY,
    RAN_OUT,
    RECRUIT,
    SEATS,
    SIDES,
)
from spygames.core.game import Game, ImpossibleState
from spygames.core.kernel import Record
from spygames.core.mapping import check_keys, integer, member, sequence, table

_TEXTS = (
    *(f"discard {a}" for a in AGENTS),
    *(f"play {up} {down}" for up in AGENTS for down in AGENTS),
    "recruit up",
    "recruit down",
)
_ACTIONS = {text: action for action, text in enumerate(_TEXTS)}
_UNUSED = {  # keys of the advanced mode and of teams, as they stand in this variant
    "market_supply": [],
    "market_deck": [],
    "market_in_play": {"0": [], "1": []},
    "market_discard": [],
    "pending": [],
    "ability": None,
    "captain": {},
    "lead": None,
    "seen_in_hand": {"0": {}, "1": {}},
}
_KEYS = (
    "mode", "players", "phase", "to_move", "active_side", "turn", "progress", "hands", "in_play", "discarded",
    "discards_left", "deck", "face_up", "face_down", "winner", "end_reason",
)  # fmt: skip
_LEFT_OUT = (*_UNUSED, "rng", "record")


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
    """`discard sentinel`, `play enforcer mole` (face up, face down), `recruit up`, `recruit down`."""
    return _TEXTS[action]


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
    """The inverse of `action_to_string`; ValueError for anything else."""
    action = _ACTIONS.get(text)
    if action is None:
        forms = "'discard AGENT', 'play AGENT AGENT', 'recruit up', 'recruit down'"
        raise ValueError(f"{text!r} is no action of Agent Avenue: {forms}, with AGENT in {', '.join(AGENTS)}")
    return action


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    """The state as plain JSON values, with the keys that the rules name in section 5, `rng` and `record`."""
    return {
        "mode": game.options["mode"],
        "players": game.options["players"],
        "phase": PHASES[s.phase],
        "to_move": _or_none(s.to_move),
        "active_side": int(s.active_side),
        "turn": int(s.turn),
        "progress": [int(p) for p in s.progress],
        "hands": {str(seat): _cards(s.hands[seat]) for seat in range(SEATS)},
        "in_play": {str(side): _counts(s.in_play[side]) for side in range(SIDES)},
        "discarded": {str(seat): _cards(s.discarded[seat]) for seat in range(SEATS)},
        "discards_left": {str(seat): int(s.discards_left[seat]) for seat in range(SEATS)},
        "deck": [AGENTS[s.deck[i]] for i in reversed(range(s.deck_size))],
        "face_up": _card(s.face_up),
        "face_down": _card(s.face_down),
        **deepcopy(_UNUSED),  # a caller may change what it gets
        "winner": _or_none(s.winner),
        "end_reason": None if s.end_reason == NONE else END_REASONS[s.end_reason],
        "rng": int(s.rng),
        "record": {"kept": int(s.kept)},
    }


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """Writes `mapping` into the zeroed state `s`; ImpossibleState says what is wrong with it.

    Checked are the cards (each copy in one place), the phase against what lies on the table, and that the game
    is over exactly where somebody has won, and why. Progress, hand sizes and the number of discards left are free
    within their range, so that a scenario can place meeples and cards as it likes.
    """
    check_keys(mapping, _KEYS, _LEFT_OUT)
    for key in ("mode", "players"):
        if type(mapping[key]) is not type(game.options[key]) or mapping[key] != game.options[key]:
            raise ImpossibleState(f"{key} is {mapping[key]!r}, but this game is played with {game.options[key]!r}")
    for key, empty in _UNUSED.items():
        value = mapping.get(key)
        if value is not None and (not isinstance(value, list | tuple | Mapping) or (len(value) and value != empty)):
            raise ImpossibleState(f"{key} must be {empty!r} or left out in this variant, not {mapping[key]!r}")
    s.options.first_player = game.packed["first_player"][0]
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    for seat, cards in table(mapping["hands"], "hands", SEATS):
        _put(s.hands[seat], cards, f"hands of seat {seat}")
    for seat, cards in table(mapping["discarded"], "discarded", SEATS):
        _put(s.discarded[seat], cards, f"discarded of seat {seat}")
    for seat, left in table(mapping["discards_left"], "discards_left", SEATS):
        s.discards_left[seat] = integer(left, f"discards_left of seat {seat}", 0, DISCARDS)
    for side, counts in table(mapping["in_play"], "in_play", SIDES):
        if not isinstance(counts, Mapping):
            raise ImpossibleState(f"in_play of side {side} must map agents to counts, not {counts!r}")
        for card, count in counts.items():
            card = member(card, f"in_play of side {side}", AGENTS)
            s.in_play[side, card] = integer(count, f"in_play of side {side}", 1, COPIES[card])
    # A card in play stands for a turn of at most two and a move of at most six, so a game stays within these bounds.
    spread = [200 + 6 * int(s.in_play[side].sum()) for side in range(SIDES)]
    progress = sequence(mapping["progress"], "progress", SIDES)
    s.progress[:] = [integer(p, "progress", -most, most) for p, most in zip(progress, spread, strict=True)]
    s.turn = integer(mapping["turn"], "turn", 1, 1000 + int(s.in_play.sum()))
    deck = [member(card, "deck", AGENTS) for card in sequence(mapping["deck"], "deck")]
    if len(deck) > CARDS:
        raise ImpossibleState(f"deck holds {len(deck)} cards; the game has {CARDS}")
    s.deck[:] = NONE
    s.deck[: len(deck)] = deck[::-1]
    s.deck_size = len(deck)
    s.face_up = _optional(mapping["face_up"], "face_up", AGENTS)
    s.face_down = _optional(mapping["face_down"], "face_down", AGENTS)
    s.phase = member(mapping["phase"], "phase", PHASES)
    s.active_side = integer(mapping["active_side"], "active_side", 0, SIDES - 1)
    s.to_move = NONE if mapping["to_move"] is None else integer(mapping["to_move"], "to_move", 0, SEATS - 1)
    s.winner = NONE if mapping["winner"] is None else integer(mapping["winner"], "winner", 0, SIDES - 1)
    s.end_reason = _optional(mapping["end_reason"], "end_reason", END_REASONS)
    remembered = {} if mapping.get("record") is None else mapping["record"]
    check_keys(remembered, (), ("kept",), "record")
    held = int(rules.hand_size(s, int(s.active_side)))
    usual = 0 if s.phase != RECRUIT else held if held > HAND else min(held, HAND - 2)  # a larger hand has not drawn
    s.kept = integer(remembered.get("kept", usual), "record kept", 0, held if s.phase == RECRUIT else 0)
    _check(s)


def _check(s: Record) -> None:
    """Raises ImpossibleState where the parts of a state contradict each other."""
    for card in range(KINDS):
        places = [*s.hands[:, card], *s.discarded[:, card], *s.in_play[:, card]]
        total = sum(map(int, places)) + int((s.deck == card).sum()) + (s.face_up == card) + (s.face_down == card)
        if total != COPIES[card]:
            raise ImpossibleState(
                f"there are {COPIES[card]} copies of {AGENTS[card]}, but hands, discarded, in_play, deck, face_up and "
                f"face_down hold {total}"
            )
    for seat in range(SEATS):
        thrown = int(s.discarded[seat].sum())
        if thrown + s.discards_left[seat] > DISCARDS:
            raise ImpossibleState(
                f"discarded of seat {seat} holds {thrown} and discards_left is {s.discards_left[seat]}: "
                f"{DISCARDS} together at most"
            )
    phase = PHASES[s.phase]
    expected = {PLAY: int(s.active_side), RECRUIT: rules.other(int(s.active_side)), OVER: NONE}[int(s.phase)]
    if s.to_move != expected:
        raise ImpossibleState(f"to_move must be {_or_none(expected)} in phase {phase} with this active_side")
    offered = [s.face_up != NONE, s.face_down != NONE]
    if s.phase == RECRUIT and not all(offered):
        raise ImpossibleState("face_up and face_down must both name a card in phase recruit")
    if s.phase != RECRUIT and any(offered):
        raise ImpossibleState(f"face_up and face_down must be null in phase {phase}")
    if s.phase == RECRUIT and s.face_up == s.face_down and s.hands[s.active_side, s.face_up] < s.kept:
        raise ImpossibleState("face_up and face_down can be identical only where the hand held nothing else")
    if s.phase == PLAY and rules.hand_size(s, int(s.to_move)) < 2:
        raise ImpossibleState(f"hands of seat {s.to_move} holds fewer than 2 cards, but it must play two")
    if (s.phase == OVER) != (s.winner != NONE) or (s.phase == OVER) != (s.end_reason != NONE):
        raise ImpossibleState("winner and end_reason belong to phase over, and to no other")
    _check_end(s)


def _check_end(s: Record) -> None:
    """Raises ImpossibleState where the result is not what the End step finds in this position."""
    found = s.copy()
    found.winner = found.end_reason = NONE
    rules.end_step(found)
    winner, reason = int(found.winner), int(found.end_reason)
    if s.phase == OVER and winner == NONE:
        raise ImpossibleState("phase is over, but nobody has won and the next player can play")
    if s.phase == OVER and (s.winner, s.end_reason) != (winner, reason):
        raise ImpossibleState(f"winner and end_reason must be {winner} and {END_REASONS[reason]} in this position")
    if s.phase != OVER and reason not in (NONE, RAN_OUT):
        raise ImpossibleState(f"side {winner} has won already ({END_REASONS[reason]}), so phase must be over")


def _cards(counts: np.ndarray) -> list[str]:
    return [AGENTS[card] for card in range(KINDS) for _ in range(counts[card])]


def _counts(counts: np.ndarray) -> dict[str, int]:
    return {AGENTS[card]: int(counts[card]) for card in range(KINDS) if counts[card]}


def _card(card: int) -> str | None:
    return None if card == NONE else AGENTS[card]


def _or_none(number: int) -> int | None:
    return None if number == NONE else int(number)


def _optional(value: object, key: str, names: tuple[str, ...]) -> int:
    return NONE if value is None else member(value, key, names)


def _put(counts: np.ndarray, cards: object, key: str) -> None:
    cards = sequence(cards, key)
    if len(cards) > CARDS:
        raise ImpossibleState(f"{key} holds {len(cards)} cards; the game has {CARDS}")
    for card in cards:
        counts[member(card, key, AGENTS)] += 1
