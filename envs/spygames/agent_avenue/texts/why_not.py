"""Why an action of Agent Avenue is not legal: the reasons with their rules, found from what the seat has seen."""

from collections.abc import Mapping
from typing import Any

from spygames.agent_avenue.texts.short_rules import EFFECTS
from spygames.core.game.game import Game
from spygames.core.game.rulebook import Reason, words

REASONS: Mapping[str, Reason] = {
    "over": Reason("the game is over", "AA-17"),
    "waiting": Reason("it is not your decision", "AA-7"),
    "discard_now": Reason("you discard only in your own turn, before you offer cards", "AA-8"),
    "discard_held": Reason("your hand does not hold this card", "AA-8"),
    "discard_deck": Reason("the deck is empty, so nobody discards", "AA-20"),
    "discard_left": Reason("you have used up your discards", "AA-8"),
    "discard_left_team": Reason("you have used up your discards", "AA-42"),
    "play_now": Reason("you offer two cards only at the start of your own turn", "AA-10"),
    "play_held": Reason("your hand does not hold both cards", "AA-10"),
    "play_names": Reason("the two cards must have different names, unless your hand holds only one name", "AA-10"),
    "play_team": Reason("in a team each member plays one of the two cards", "AA-40"),
    "recruit_now": Reason("you recruit a card only when the other side has offered two", "AA-12"),
    "single_now": Reason("you play this card only in your part of your team's turn", "AA-40"),
    "single_solo": Reason("a solo player plays both cards at once", "AA-40"),
    "single_held": Reason("your hand does not hold this card", "AA-40"),
    "single_names": Reason("your partner has played this name, and your hand holds another one", "AA-40"),
    "market_off": Reason("the Black Market is part of the advanced mode only", "AA-3"),
    "market_now": Reason("you take a market card only when your meeple has landed on a market space", "AA-23"),
    "market_supply": Reason("this card is not in the supply", "AA-23"),
    "take_now": Reason("only Mind Control and Spycation take an agent into your hand", "AA-30"),
    "recruit_hand_now": Reason("only a market card lets you recruit from your hand", "AA-29"),
    "decline_now": Reason("you may decline only to recruit the agent that Spycation took back", "AA-28"),
    "ability": Reason("the card {card} says: {effect}", "AA-4"),
    "lead_now": Reason("the captain names who plays face up only at the start of the team's turn", "AA-41"),
    "resolver_now": Reason("the captain names a member only for a market card with a choice", "AA-44"),
}
"""All reasons by name; names in braces are filled in."""

PHASES = {
    "discard": ("play", "up", "down"), "play": ("play",), "recruit up": ("recruit",), "recruit down": ("recruit",),
    "market": ("market",), "take": ("ability",), "recruit": ("ability",), "decline": ("ability",), "lead": ("lead",),
    "up": ("up",), "down": ("down",), "resolver": ("resolver",),
}  # fmt: skip
"""The phases in which each kind of action may be legal."""
MARKET = ("market", "take", "recruit", "decline", "resolver")
"""The kinds of action of the advanced mode."""
NOW = {
    "recruit up": "recruit_now", "recruit down": "recruit_now", "recruit": "recruit_hand_now", "up": "single_now",
    "down": "single_now",
}  # fmt: skip
"""The reasons of kinds of action in other phases; those of all others are `KIND_now`."""


def why_not(game: Game, seen: Mapping[str, Any], action: str, seat: int) -> Reason:
    """Return why an action, which is not legal, is not; see `Texts.why_not`."""
    verb, *cards = action.split()
    kind = action if action in PHASES else verb
    if seen["phase"] == "over":
        return REASONS["over"]
    if seen["to_move"] != seat:
        return REASONS["waiting"]
    teamed = game.side_of.count(game.side_of[seat]) > 1
    if kind == "play" and teamed:
        return REASONS["play_team"]
    if kind in ("up", "down") and not teamed:
        return REASONS["single_solo"]
    if seen["mode"] == "simple" and kind in MARKET:
        return REASONS["market_off"]
    if seen["phase"] not in PHASES[kind]:
        return REASONS[NOW.get(kind, f"{kind}_now")]
    if seen["phase"] == "ability":
        card = seen["ability"]["card"]
        text = REASONS["ability"].text.format(card=words(card), effect=EFFECTS[card])
        return REASONS["ability"]._replace(text=text)
    return REASONS[_in_phase(seen, kind, cards, seat, teamed)]


def _in_phase(seen: Mapping[str, Any], kind: str, cards: list[str], seat: int, teamed: bool) -> str:
    """Return the name of the reason against an action of a kind that the phase allows."""
    hand = seen["hands"][str(seat)]
    held = all(hand.count(card) >= cards.count(card) for card in cards)
    if kind == "market":
        return "market_supply"
    if kind == "discard" and held:
        return "discard_deck" if seen["deck"] == 0 else "discard_left_team" if teamed else "discard_left"
    if held:
        return "play_names" if kind == "play" else "single_names"
    return {"discard": "discard_held", "play": "play_held"}.get(kind, "single_held")
