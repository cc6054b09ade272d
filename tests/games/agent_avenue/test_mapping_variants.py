"""State mappings in the variants with the Black Market and with teams: invalid values and optional keys."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue.conftest import VARIANTS

from spygames.agent_avenue import make_game
from spygames.agent_avenue.cards import MARKET_CARDS, ONGOING
from spygames.core.game.game import ImpossibleState, as_record

Mapping = dict[str, Any]


def start(options: Mapping, seed: int = 2) -> Mapping:
    game = make_game(**options)
    return game.state_to_dict(as_record(game.start(seed)))


def read(options: Mapping, mapping: Mapping) -> np.ndarray:
    game = make_game(**options)
    states = game.new_states()
    game.state_from_dict(mapping, as_record(states))
    return states


def put(key: str, value: Any) -> Callable[[Mapping], None]:
    return lambda m: m.__setitem__(key, value)


def at_ability(m: Mapping, card: str, **changes: Any) -> None:
    """The seat to move resolves a market card, with a sentinel in its hand and one in play."""
    m["market_deck"] = [c for c in m["market_deck"] if c != card]
    if card in m["market_supply"]:
        m["market_supply"] = [c for c in m["market_supply"] if c != card]
    seat, side = m["to_move"], m["active_side"]
    m["phase"] = "ability"
    m["ability"] = {"side": side, "card": card, "seat": seat, "taken": None} | changes


def solo_names_a_resolver(m: Mapping) -> None:
    """The solo side is asked who resolves its market card."""
    m.update(to_move=2, active_side=1)
    at_ability(m, "mind_control", seat=None)
    m["phase"] = "resolver"


def without_supply(m: Mapping) -> None:
    """The supply is empty although a market card is to be taken."""
    m["phase"] = "market"
    for card in m["market_supply"]:
        if MARKET_CARDS.index(card) < ONGOING:
            m["market_in_play"]["0"].append(card)
        else:
            m["market_discard"].append(card)
    m["market_supply"] = []


TWO, FOUR, BOTH = VARIANTS[0], VARIANTS[2], VARIANTS[4]
FIXED = {"players": 4, "captain": "fixed"}
REFUSED: list[tuple[Mapping, str, Callable[[Mapping], object], str]] = [
    (TWO, "no market deck", lambda m: m.__delitem__("market_deck"), "market_deck"),
    (TWO, "a market card lost", lambda m: m["market_deck"].pop(), "lack"),
    (TWO, "a market card twice", lambda m: m["market_deck"].append(m["market_supply"][0]), "named twice"),
    (TWO, "an agent as market card", lambda m: m["market_deck"].append("mole"), "market_deck"),
    (TWO, "supply a text", put("market_supply", "spycation"), "market_supply"),
    (TWO, "market in play of one side", put("market_in_play", {"0": []}), "market_in_play"),
    (TWO, "phase market without supply", lambda m: without_supply(m), "market_supply"),
    (TWO, "a market deck with all cards", lambda m: m["market_deck"].append(m["market_supply"].pop()), "at most 12"),
    (TWO, "ability in phase play", put("ability", {"side": 0, "card": "outpost"}), "named twice"),
    (TWO, "pending in phase play", put("pending", [{"side": 1, "do": "market"}]), "pending"),
    (TWO, "pending of something else", put("pending", [{"side": 1, "do": "play"}]), "pending"),
    (TWO, "pending no list", put("pending", {"side": 1}), "pending"),
    (TWO, "pending of the active side", lambda m: m.update(phase="market", pending=[{"side": 0, "do": "market"}]),
     "pending"),
    (TWO, "seen but not held", put("seen_in_hand", {"0": {}, "1": {"saboteur": 6}}), "seen_in_hand"),
    (TWO, "seen of nobody", put("seen_in_hand", {"0": {}}), "seen_in_hand"),
    (TWO, "captain with two players", put("captain", {"0": 0}), "captain"),
    (TWO, "lead with two players", put("lead", 0), "lead"),
    (TWO, "a team's phase", put("phase", "lead"), "phase"),
    (TWO, "ability without card", put("phase", "ability"), "to_move"),
    (TWO, "ability that cannot be", lambda m: at_ability(m, "spycation"), "cannot carry it out"),
    (TWO, "ability of nothing to choose", lambda m: at_ability(m, "smoke_screen"), "requires choices"),
    (TWO, "taken of another card", lambda m: at_ability(m, "mind_control", taken="mole"), "taken"),
    (FOUR, "phase play in a team", put("phase", "play"), "phase"),
    (FOUR, "to_move not the captain", put("to_move", 1), "to_move"),
    (FOUR, "captain of the other side", put("captain", {"0": 2, "1": 2}), "captain"),
    (FIXED, "the partner as a fixed captain", put("captain", {"0": 0, "1": 3}), "captain"),
    (FIXED, "the partner as fixed captain to move", lambda m: m.update(captain={"0": 1, "1": 2}, to_move=1), "captain"),
    (FOUR, "lead in phase lead", put("lead", 0), "lead"),
    (FOUR, "phase up without lead", put("phase", "up"), "lead"),
    (FOUR, "lead of the other side", lambda m: m.update(phase="up", lead=2, to_move=2), "lead"),
    (FOUR, "phase down without an open card", lambda m: m.update(phase="down", lead=0, to_move=1), "face_up"),
    (FOUR, "hands of two seats", lambda m: m.update(hands={k: m["hands"][k] for k in "01"}), "hands"),
    (FOUR, "three discards left", lambda m: m["discards_left"].update({"0": 3}), "discards_left"),
    (FOUR, "a market in simple mode", put("market_supply", ["outpost"]), "market_supply"),
    (BOTH, "phase resolver without card", put("phase", "resolver"), "ability"),
    (VARIANTS[3], "phase resolver of a solo side", solo_names_a_resolver, "to_move"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "change", "key"), [pytest.param(o, c, k, id=i) for o, i, c, k in REFUSED])
def test_invalid_mappings_are_refused(options: Mapping, change: Callable[[Mapping], object], key: str) -> None:
    mapping = start(options)
    read(options, mapping)
    change(mapping)
    with pytest.raises(ImpossibleState, match=re.escape(key)):
        read(options, mapping)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_keys_that_a_variant_does_not_use_are_empty_and_optional(options: Mapping) -> None:
    mapping = start(options)
    market = {"market_supply", "market_deck", "market_in_play", "market_discard", "pending", "ability", "seen_in_hand"}
    unused = set() if options.get("mode") == "advanced" else market
    unused |= set() if options.get("players", 2) > 2 else {"captain", "lead"}
    for key in unused:
        value = mapping[key]
        assert value in ([], {}, None) or not any(value.values())
    assert mapping["seen_in_hand"].keys() == mapping["hands"].keys()
    short = {key: value for key, value in mapping.items() if key not in unused}
    assert read(options, short).tobytes() == read(options, mapping).tobytes()
