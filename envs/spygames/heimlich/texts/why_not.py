"""Why an action of Heimlich & Co. is not legal: the reasons with their rules, found from what the seat has seen."""

from collections.abc import Mapping, Sequence
from typing import Any

from spygames.core.game.game import Game
from spygames.core.game.rulebook import Reason
from spygames.heimlich.board import AGENTS, BUILDINGS
from spygames.heimlich.cards import HAND
from spygames.heimlich.texts.seen import titled
from spygames.heimlich.texts.short_rules import EFFECTS

REASONS: Mapping[str, Reason] = {
    "over": Reason("the game is over", "HC-17"),
    "waiting": Reason("it is not your decision", "HC-6"),
    "choices": Reason("first make the choices of the card {card}", "HC-32"),
    "agent": Reason("this agent is not in play", "HC-3"),
    "agent_1984": Reason("this agent is not in play", "HC-36"),
    "move_now": Reason("you move agents only after your own roll", "HC-8"),
    "move_points": Reason("your roll does not have this many points left", "HC-9"),
    "move_order": Reason("agents move in the order of their list, each once, and this one's turn has passed", "HC-11"),
    "move_rest": Reason("this leaves points that no agent can take", "HC-11"),
    "done_now": Reason("all points of the roll must be spent; only a 1-3 lets you leave some", "HC-9"),
    "done_first": Reason("on a 1-3 you spend at least one point", "HC-10"),
    "done_card": Reason("the card {card} says: {effect}", "HC-20"),
    "safe_now": Reason("you move the safe only after a scoring in your turn", "HC-15"),
    "safe_same": Reason("the safe must go to another building", "HC-15"),
    "safe_free": Reason("the safe must go to a building without agents", "HC-36"),
    "draw_now": Reason("you take a card only on a 1-3, instead of moving", "HC-23"),
    "draw_full": Reason("your hand is full", "HC-23"),
    "draw_deck": Reason("the deck is empty", "HC-23"),
    "round_now": Reason("cards are played only between the movement and the scoring", "HC-25"),
    "card_held": Reason("you do not hold this card", "HC-25"),
    "card_idle": Reason("no agents are where this card needs them: {effect}", "HC-20"),
    "choice_now": Reason("only a card that you have played asks for this", "HC-32"),
    "choice": Reason("the card {card} says: {effect}", "HC-20"),
    "guess_now": Reason("everybody predicts once, when the first token reaches the marked space", "HC-33"),
    "guess_order": Reason("you predict agent by agent, and now it is another one", "HC-33"),
    "guess_named": Reason("you have given this player another agent", "HC-33"),
    "guess_free": Reason("every other player must get an agent, so this one cannot be free", "HC-33"),
}
"""All reasons by name; names in braces are filled in."""

ROUND, CHOICES = ("card", "pass"), ("agent", "step", "building")


def why_not(game: Game, seen: Mapping[str, Any], action: str, seat: int) -> Reason:
    """Return why an action, which is not legal, is not; see `Texts.why_not`."""
    verb, *names = action.split()
    pending = seen["pending_card"]
    found = _reason(seen, verb, names, seat)
    card = pending["card"] if pending else names[0] if verb == "card" else ""
    words = {"card": titled(card), "effect": EFFECTS.get(card, "")}
    return REASONS[found]._replace(text=REASONS[found].text.format(**words))


def _reason(seen: Mapping[str, Any], verb: str, names: Sequence[str], seat: int) -> str:
    """Return the name of the reason."""
    phase = seen["phase"]
    if phase == "over":
        return "over"
    if seen["to_move"] != seat:
        return "waiting"
    if phase == "card_choice":
        return "choice" if verb in CHOICES else "done_card" if verb == "done" else "choices"
    if verb in ROUND:
        return "round_now" if phase != "cards" else _card(seen, names[0], seat)
    if verb in CHOICES:
        return "choice_now"
    if verb == "safe":
        return "safe_now" if phase != "safe" else "safe_same" if _is_there(seen, names[0]) else "safe_free"
    if verb == "guess":
        return "guess_now" if phase != "guess" else _guess(seen, names[0], names[1], seat)
    if phase != "move":
        return {"done": "done_now", "draw": "draw_now"}.get(verb, "move_now")
    if verb == "move":
        return _move(seen, names[0], int(names[1]))
    if verb == "done":
        return "done_now" if seen["die"] != "1-3" else "done_first"
    if seen["die"] != "1-3" or seen["moved"]:
        return "draw_now"
    return "draw_full" if len(seen["hands"][str(seat)]) >= HAND else "draw_deck"


def _move(seen: Mapping[str, Any], agent: str, points: int) -> str:
    if agent not in seen["agents"]:
        return "agent_1984" if seen["edition"] == "ravensburger" else "agent"
    last = max((AGENTS.index(moved) for moved in seen["moved"]), default=-1)
    if AGENTS.index(agent) <= last:
        return "move_order"
    return "move_points" if points > seen["points_left"] else "move_rest"


def _card(seen: Mapping[str, Any], card: str, seat: int) -> str:
    return "card_idle" if card in seen["hands"][str(seat)] else "card_held"


def _is_there(seen: Mapping[str, Any], building: str) -> bool:
    return bool(seen["safe"] == BUILDINGS.index(building))


def _guess(seen: Mapping[str, Any], agent: str, owner: str, seat: int) -> str:
    made, own = seen["guesses"][str(seat)], seen["passports"][str(seat)]
    asked = next(each for each in seen["agents"] if each != own and each not in made)
    if agent != asked:
        return "guess_order"
    return "guess_free" if owner == "free" else "guess_named"
