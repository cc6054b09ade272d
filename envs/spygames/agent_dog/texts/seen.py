"""What a seat sees: the mapping of a state and the texts of moves, with all that it cannot know left out.

AD-n: the rule in README.md.
"""

from typing import Any

from spygames.agent_dog.actions import action_to_string
from spygames.agent_dog.board import COLOURS, GOAL, PAWNS, place_to_string, string_to_place
from spygames.agent_dog.cards import CARDS, FUNCTIONS, STEPS
from spygames.agent_dog.determinize import known_card
from spygames.agent_dog.layout import EMPTY, EXCHANGE, HAT, NONE
from spygames.agent_dog.queries import colour_of, goal_of, hand_size, plays_for, seat_colour, start_of, taker
from spygames.agent_dog.state_dict import state_to_dict
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game

HIDDEN = "?"
"""Stands for a card or a place that the viewer cannot know."""


def seen_to_dict(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    """What seat `viewer` may know of state `s`: the mapping of `state_to_dict` without `rng` and `record`.

    NOBODY keeps all of it.

    In place of what is hidden stand the size of the deck and "?": for a card of another hand, for the card that
    another seat passed, and (AD-24) for the place of a hidden pawn in the list of its colour. Two keys are added:
    `copies`, the cards of the game by kind, and `lost`, the cards that left each hand since the exchange.
    """
    seen = state_to_dict(game, s)
    del seen["rng"]
    seen["lost"] = seen.pop("record")["lost"]
    seen["copies"] = {CARDS[card]: n for card, n in enumerate(s.options.copies.tolist()) if n}
    if viewer == NOBODY:
        return seen
    for seat in range(game.num_players):
        if seat != viewer:
            seen["hands"][str(seat)] = _hand(s, seat, viewer)
            if s.passed[seat] != NONE and (s.phase == EXCHANGE or taker(s, seat) != viewer):
                seen["passed"][str(seat)] = HIDDEN
    seen["deck"] = int(s.deck_size)
    if not s.options.tracked:
        _hide_colours(game, s, seen["pawns"])
    return seen


def _hand(s: Record, seat: int, viewer: int) -> list[str]:
    """The hand of another seat: the card that the viewer passed, if it is certainly there, and "?" for the others."""
    known = int(known_card(s, viewer)) if taker(s, viewer) == seat else NONE
    names = [CARDS[known]] if known != NONE else []
    return names + [HIDDEN] * (int(hand_size(s, seat)) - len(names))


def _hide_colours(game: Game, s: Record, pawns: dict[str, list[str]]) -> None:
    """AD-24: of a colour's hidden pawns only their number is known, which follows from the visible ones."""
    hats = [place for place, pawn in enumerate(s.board.tolist()) if pawn >= HAT]
    for seat in range(game.num_players if hats else 0):
        colour = int(seat_colour(game.num_players, seat))
        names = {place_to_string(place, colour) for place in hats}
        places = [place for place in pawns[COLOURS[colour]] if place not in names]
        pawns[COLOURS[colour]] = places + [HIDDEN] * (PAWNS - len(places))


# ---------------------------------------------------------------- moves


def seen_action(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
    """What seat `viewer` sees happen when `seat` takes an action in state `s`: `player_1 moves red from ...`.

    Others do not see which card is passed, but for its taker once all have passed one (AD-6), and nobody sees the
    colours under hats unless they are tracked (AD-24). All see which two pawns a swap exchanges and which meeting is
    held first, also where the board does not show it afterwards. NOBODY sees everything.
    """
    verb, *words = action_to_string(game, s, action, seat).split()
    open_hats = viewer == NOBODY or bool(s.options.tracked)
    who = f"player_{seat}"
    if verb == "pass":
        to = int(taker(s, seat))
        came = viewer == to and (seat + 1) % game.num_players == s.dealer  # the last one to pass: all get their cards
        return f"{who} passes {words[0] if came or viewer in (seat, NOBODY) else 'a card'} to player_{to}"
    if verb == "discard":
        return f"{who} discards {words[0]} {'unused' if s.redrawn else 'and draws a card'}"
    if verb == "card":
        return f"{who} plays {' '.join(words)}"
    if verb == "meet":
        return f"{who} holds the meeting on {words[0]}"
    if words == ["area"]:
        target = int(start_of(s, plays_for(s, seat)))
        colour = COLOURS[plays_for(s, seat)]
        return f"{who} brings {colour} from its area to {target}{_captured(s, target, open_hats)}"
    into = words[-2:] == ["into", "goal"]
    place = string_to_place(" ".join(words[:-2] if into else words), "action", s.options.track, int(colour_of(s, seat)))
    if verb == "swap":
        if s.first == NONE:
            return f"{who} lifts {_pawn(s, place, open_hats)} on {place} for a swap"
        return f"{who} swaps {_pawn(s, int(s.first), open_hats)} on {s.first} with the one on {place}"
    target = _target(s, seat, place, into, 1 if verb == "step" else int(STEPS[s.function]))
    does = "steps with" if verb == "step" else "moves"
    route = f"from {_where(place)} to {_where(target)}"
    return f"{who} {does} {_pawn(s, place, open_hats)} {route}{_captured(s, target, open_hats)}"


def _where(place: int) -> str:
    """`17` on the track, `goal red 2` in a goal."""
    return str(place) if place < GOAL else place_to_string(place)


def _target(s: Record, seat: int, place: int, into: bool, steps: int) -> int:
    """Where the pawn on `place` ends that goes on by so many steps, round the track or `into` a goal."""
    if place >= GOAL:
        return place + steps
    if not into:
        return (place + steps) % int(s.options.track)
    pawn, own = int(s.board[place]), int(plays_for(s, seat))
    colour = pawn if s.function == FUNCTIONS.index("companion") and pawn < HAT else own
    if s.function == FUNCTIONS.index("companion"):
        return int(goal_of(colour))
    return int(goal_of(own)) + steps - (int(start_of(s, own)) - place) % int(s.options.track) - 1


def _pawn(s: Record, place: int, open_hats: bool) -> str:
    """`red`, `a hidden pawn`, or `hidden red` where its colour is known."""
    pawn = int(s.board[place])
    if pawn < HAT:
        return COLOURS[pawn]
    return f"hidden {COLOURS[pawn - HAT]}" if open_hats else "a hidden pawn"


def _captured(s: Record, place: int, open_hats: bool) -> str:
    """Whom a pawn meets that ends its move there."""
    return f", capturing {_pawn(s, place, open_hats)}" if s.board[place] != EMPTY else ""
