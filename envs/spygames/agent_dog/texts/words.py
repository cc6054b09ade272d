"""Positions and effects of Agent DOG in sentences, written from what a seat has seen (`seen_to_dict`)."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from spygames.agent_dog.board import COLOURS
from spygames.agent_dog.layout import Settings
from spygames.agent_dog.queries import seat_colour
from spygames.agent_dog.texts.seen import HIDDEN
from spygames.core.game.game import Game
from spygames.core.game.rulebook import counted

Seen = Mapping[str, Any]


def describe(game: Game, seen: Seen, viewer: int) -> str:
    """Return the position in sentences that address `viewer` as "you"; see `Texts.describe`."""
    mates = [seat for seat in range(game.num_players) if game.side_of[seat] == game.side_of[viewer] and seat != viewer]
    team = "".join(f", with player_{mate} ({_colour(game, mate)})" for mate in mates)
    return "\n".join([
        f"You are player_{viewer} and play {_colour(game, viewer)}{team}. Round {seen['round'] + 1}: "
        f"{_due(seen, viewer)}",
        *_pending(seen),
        "Pawns, and the spaces to their start space:",
        *(f"- {line}" for line in _pawns(game, seen)),
        f"Hidden pawns on: {', '.join(map(str, seen['hidden'])) or 'none'}",
        *_hands(game, seen, viewer),
        f"Dealer: player_{seen['dealer']}. A copy would copy {seen['last_card'] or 'nothing'}. Cards played: "
        f"{seen['cards_played']}.",
        f"Deck: {counted(seen['deck'], 'card')}. Discard pile: {_listed(seen['discard'])}",
    ])  # fmt: skip


def effects(game: Game, before: Seen, after: Seen, viewer: int) -> str:
    """Return what an action has changed, as `viewer` sees it; see `Texts.effects`."""
    parts = [*_moved(before, after)]
    same_round = before["round"] == after["round"]
    if before["phase"] == "exchange" and (after["phase"] != "exchange" or not same_round):
        for giver, card in after["passed"].items():
            if card not in (None, HIDDEN) and int(giver) != viewer:
                parts.append(f"all have passed, and you get {card} from player_{giver}")
    if same_round:
        for seat in sorted(set(after["out"]) - set(before["out"])):
            cards = Counter(after["lost"][str(seat)]) - Counter(before["lost"][str(seat)])
            shown = f" and {'lay' if seat == viewer else 'lays'} down {_listed(cards.elements())}" if cards else ""
            parts.append(f"{'you are' if seat == viewer else f'player_{seat} is'} out of the round{shown}")
    if after["winners"]:
        names = ["you" if seat == viewer else f"player_{seat}" for seat in after["winners"]]
        parts.append(f"{' and '.join(names)} {'win' if len(names) > 1 or names == ['you'] else 'wins'}")
    elif after["phase"] == "over":
        parts.append("the game is cut off")
    elif not same_round:
        dealer = "you deal" if after["dealer"] == viewer else f"player_{after['dealer']} deals"
        parts.append(f"a new round: {dealer}, and you get {_listed(after['hands'][str(viewer)])}")
    return "; ".join(parts)


def _colour(game: Game, seat: int) -> str:
    return COLOURS[seat_colour(game.num_players, seat)]


def _due(seen: Seen, viewer: int) -> str:
    """The decision that is due, or the result."""
    if seen["phase"] == "over":
        names = " and ".join("you" if seat == viewer else f"player_{seat}" for seat in seen["winners"])
        return f"the game is over. Winners: {names or 'none'}."
    points = seen["pending"]["points"] if seen["pending"] else 0
    what = {
        "exchange": "pass a card",
        "card": "play a card",
        "place": "choose the pawn that moves",
        "step": f"step with a pawn, {counted(points, 'point')} left",
        "swap": "choose a hidden pawn for the swap",
        "meeting": "choose the next meeting",
        "redraw": "discard a card, for none is playable",
    }[seen["phase"]]
    seat = seen["to_move"]
    return f"you {what}." if seat == viewer else f"player_{seat} is to {what}."


def _pending(seen: Seen) -> list[str]:
    """The card that is being played."""
    pending = seen["pending"]
    if not pending:
        return []
    parts = [f"The card being played is {pending['card']} as {pending['as']}"]
    if pending["first"] is not None:
        parts.append(f"the first pawn of the swap is on {pending['first']}")
    if pending["moved"]:
        parts.append(f"the last step ended on {pending['moved'][0]}")
    if pending["meetings"]:
        parts.append(f"meetings are due at {', '.join(map(str, pending['meetings']))}")
    if pending["penalty"]:
        parts.append("a pawn of the own team has been captured")
    return ["; ".join(parts) + "."]


def _pawns(game: Game, seen: Seen) -> list[str]:
    """A line for each color: where its pawns are, and how far they must go to their start space.

    A pawn on its start space has a whole lap to go (AD-15, AD-17).
    """
    board = Settings.of(game).get_board()
    lines = []
    for seat in range(game.num_players):
        colour = _colour(game, seat)
        start, places = COLOURS.index(colour) * board.quarter, []
        for place in seen["pawns"][colour]:
            kind, _, number = place.partition(" ")
            if place == HIDDEN:
                places.append("under a hat, you do not see where")
            elif kind == "track":
                hat = ", hidden" if int(number) in seen["hidden"] else ""
                places.append(f"{place} ({(start - int(number) - 1) % board.track + 1} to go{hat})")
            else:
                places.append(place)
        lines.append(f"{colour} (player_{seat}, start space {start}): {', '.join(places)}")
    return lines


def _hands(game: Game, seen: Seen, viewer: int) -> list[str]:
    lines = [f"Your hand: {_listed(seen['hands'][str(viewer)])}"]
    for seat in map(str, range(game.num_players)):
        passed, out = seen["passed"][seat], ", out of the round" if int(seat) in seen["out"] else ""
        if int(seat) == viewer:
            lines += [f"You have passed on {passed}."] if passed is not None else []
            continue
        hand, lost = seen["hands"][seat], seen["lost"][seat]
        known = [card for card in hand if card != HIDDEN]
        parts = [counted(len(hand), "card")]
        parts += [f"one of them is {known[0]}, which you passed"] if known else []
        parts += [f"passed you {passed}"] if passed not in (None, HIDDEN) else []
        parts += [f"{_listed(lost)} left the hand in this round"] if lost else []
        lines.append(f"player_{seat}: {'; '.join(parts)}{out}")
    return lines


def _moved(before: Seen, after: Seen) -> list[str]:
    """Where pawns are now that were elsewhere before, color by color, and the hidden pawns if they have changed.

    A single move is left out unless it shows a color, because the event itself tells it.
    """
    parts: list[str] = []
    for colour, new in after["pawns"].items():
        old, now = Counter(before["pawns"][colour]), Counter(new)
        gone, come = [*(old - now).elements()], [*(now - old).elements()]
        for place, target in zip(gone, come, strict=True):
            named = [("under a hat" if each == HIDDEN else each.removeprefix("track ")) for each in (place, target)]
            parts.append(f"{colour} from {named[0]} to {named[1]}")
    if len(parts) == 1 and "from under a hat" not in parts[0]:
        parts = []
    if before["hidden"] != after["hidden"]:
        spaces = ", ".join(map(str, after["hidden"]))
        parts.append(f"pawns under hats on {spaces}" if spaces else "no pawn is under a hat")
    return parts


def _listed(cards: Iterable[str]) -> str:
    """Cards with their numbers: `2 x 8, swap`."""
    return ", ".join(f"{n} x {card}" if n > 1 else card for card, n in Counter(cards).items()) or "none"
