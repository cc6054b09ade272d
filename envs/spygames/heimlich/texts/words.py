"""Positions and effects of Heimlich & Co. in sentences, written from what a seat has seen (`seen_to_dict`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from spygames.core.game.game import Game
from spygames.core.game.rulebook import counted, words
from spygames.heimlich.board import BUILDINGS, FINISH, LOOP, MARK
from spygames.heimlich.texts.seen import HIDDEN, place

Seen = Mapping[str, Any]


def describe(game: Game, seen: Seen, viewer: int) -> str:
    """Return the position in sentences that address `viewer` as "you"; see `Texts.describe`."""
    return "\n".join([
        f"You are player_{viewer}, and your agent is {seen['passports'][str(viewer)]}{_former(seen, viewer)}. "
        f"Turn {seen['turn'] + 1} of player_{seen['active']}: {_due(seen, viewer)}",
        f"The safe is in {place(BUILDINGS[seen['safe']])}. A token at {FINISH} ends the game.",
        "Agents:",
        *(f"- {line}" for line in _agents(seen, viewer)),
        *_cards(seen, viewer),
        *_predictions(seen, viewer),
        "What each player has done so far (points moved, times; points scored by it):",
        *(f"- {line}" for line in _notebook(game, seen, viewer)),
    ])  # fmt: skip


def effects(game: Game, before: Seen, after: Seen, viewer: int) -> str:
    """Return what an action has changed, as `viewer` sees it; see `Texts.effects`."""
    parts = []
    for agent in after["agents"]:
        if after["positions"][agent] != before["positions"][agent]:
            parts.append(f"{agent} to {place(BUILDINGS[after['positions'][agent]])}")
    for agent in after["agents"]:
        if gained := after["scores"][agent] - before["scores"][agent]:
            parts.append(f"{agent} scores {gained:+d}, now {after['scores'][agent]}")
    for seat, hand in after["hands"].items():
        mine, old = int(seat) == viewer, before["hands"][seat]
        if mine and len(hand) > len(old):
            parts.append(f"you draw {_listed(_added(old, hand))}")
        elif not mine and hand > old:
            parts.append(f"player_{seat} draws a card")
    mine, old = after["passports"][str(viewer)], before["passports"][str(viewer)]
    if mine != old:
        parts.append(f"your agent is now {mine}")
    if after["phase"] == "guess" and before["phase"] != "guess":
        parts.append("everybody predicts who owns each agent")
    if after["phase"] == "over":
        parts.append(_result(after, viewer))
    elif after["turn"] != before["turn"]:
        roller = "you roll" if after["active"] == viewer else f"player_{after['active']} rolls"
        parts.append(f"{roller} {after['die']}")
    return "; ".join(parts)


def _former(seen: Seen, viewer: int) -> str:
    return f" (before, it was {seen['former']}, which is free)" if seen["swapped"] == viewer else ""


def _due(seen: Seen, viewer: int) -> str:
    """The decision that is due, or the result."""
    if seen["phase"] == "over":
        return f"the game is over. {_result(seen, viewer).capitalize()}."
    card = words(seen["pending_card"]["card"]) if seen["pending_card"] else ""
    named = " and ".join(seen["pending_card"]["agents"]) if seen["pending_card"] else ""
    what = {
        "move": f"move agents: the die shows {seen['die']}, {counted(seen['points_left'], 'point')} left",
        "cards": "play a card or pass",
        "card_choice": f"choose for the card {card}{f', after {named}' if named else ''}",
        "safe": "move the safe",
        "guess": "predict who owns each agent",
    }[seen["phase"]]
    seat = seen["to_move"]
    return f"you {what}." if seat == viewer else f"player_{seat} is to {what}."


def _result(seen: Seen, viewer: int) -> str:
    if not seen["winners"]:
        return "nobody wins"
    names = ["you" if seat == viewer else f"player_{seat}" for seat in seen["winners"]]
    return f"{' and '.join(names)} {'win' if len(names) > 1 or names == ['you'] else 'wins'}"


def _agents(seen: Seen, viewer: int) -> list[str]:
    """A line for each agent: its place, the way to the safe, its score and what the viewer knows of its owner."""
    owners = {agent: int(seat) for seat, agent in seen["passports"].items() if agent != HIDDEN}
    lines = []
    for agent in seen["agents"]:
        here = seen["positions"][agent]
        way = (seen["safe"] - here) % LOOP
        where = f"{way} before the safe" if way else "with the safe"
        owner = "?"
        if agent in owners:
            owner = "you" if owners[agent] == viewer else f"player_{owners[agent]}"
        elif seen["phase"] == "over" or (seen["swapped"] == viewer and seen["former"] == agent):
            owner = "free"
        moved = f"; moved {seen['moved'][agent]} in this turn" if seen["moved"].get(agent) else ""
        arrived = "; would cause a scoring now" if agent in seen["arrived"] else ""
        lines.append(
            f"{agent}: {place(BUILDINGS[here])}, {where}; score {seen['scores'][agent]}; owner {owner}{moved}{arrived}"
        )
    return lines


def _cards(seen: Seen, viewer: int) -> list[str]:
    if not seen["hands"]:
        return []
    others = ", ".join(f"player_{seat} {count}" for seat, count in seen["hands"].items() if int(seat) != viewer)
    lines = [
        f"Your cards: {_listed(seen['hands'][str(viewer)])}",
        f"Cards of the others: {others}. Deck: {counted(seen['deck'], 'card')}. Used: {_listed(seen['used'])}",
    ]
    if seen["passes"]:
        lines.append(f"Passes in a row: {seen['passes']}")
    if seen["swapped"] is not None and seen["swapped"] != viewer:
        lines.append(f"player_{seen['swapped']} has exchanged its agent for a free one.")
    return lines


def _predictions(seen: Seen, viewer: int) -> list[str]:
    if not seen["guesses"]:
        return []
    lines = []
    for seat, made in seen["guesses"].items():
        if isinstance(made, Mapping):
            named = ", ".join(f"{agent} {owner}" for agent, owner in made.items()) or "none yet"
            lines.append(f"{'Your predictions' if int(seat) == viewer else f'Predictions of player_{seat}'}: {named}")
    if not seen["guessed"] and seen["phase"] != "guess":
        lines.append(f"Everybody predicts when the first token reaches {MARK}.")
    if seen["guessing"]:
        lines.append(f"Still to predict: {', '.join(f'player_{seat}' for seat in seen['guessing'])}")
    return lines


def _notebook(game: Game, seen: Seen, viewer: int) -> list[str]:
    """A line for each player: how it moved each agent, and what each agent scored by its scorings."""
    book, lines = seen["notebook"], []
    for seat in map(str, range(game.num_players)):
        who = "you" if int(seat) == viewer else f"player_{seat}"
        moved = ", ".join(
            f"{agent} {book['points'][seat].get(agent, 0):+d} in {times}"
            for agent, times in book["times"][seat].items()
        )
        scored = ", ".join(f"{agent} {points:+d}" for agent, points in book["gains"][seat].items())
        lines.append(f"{who}: moved {moved or 'nothing'}; scored {scored or 'nothing'}")
    return lines


def _added(old: Sequence[str], new: Sequence[str]) -> list[str]:
    left = list(new)
    for card in old:
        if card in left:
            left.remove(card)
    return left


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(words, names)) or "none"
