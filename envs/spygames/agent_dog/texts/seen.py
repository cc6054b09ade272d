"""What one seat may know, as a mapping and as sentences. Pictures and logs are made from these.

AD-n names a rule in README.md.
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
"""Placeholder for a card or a place that the viewer cannot know."""


def seen_to_dict(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    """Return what `viewer` (a seat) may know: the keys of `state_to_dict` without `rng` and `record`, and two more.

    The deck is its size. A "?" replaces each hidden card of another hand, each hidden card that another seat passed,
    and (AD-24) the place of each hidden pawn in the list of its color. The two new keys are `copies`, the cards of the
    game by kind, and `lost`, the cards that left each hand since the exchange. NOBODY sees everything.
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
    """Return another seat's hand: the card that the viewer passed if it is certainly there, and "?" for the others."""
    known = int(known_card(s, viewer)) if taker(s, viewer) == seat else NONE
    names = [CARDS[known]] if known != NONE else []
    return names + [HIDDEN] * (int(hand_size(s, seat)) - len(names))


def _hide_colours(game: Game, s: Record, pawns: dict[str, list[str]]) -> None:
    """AD-24: replace the places of hidden pawns by "?". Their number is known from the visible pawns."""
    hats = [place for place, pawn in enumerate(s.board.tolist()) if pawn >= HAT]
    for seat in range(game.num_players if hats else 0):
        colour = int(seat_colour(game.num_players, seat))
        names = {place_to_string(place, colour) for place in hats}
        places = [place for place in pawns[COLOURS[colour]] if place not in names]
        pawns[COLOURS[colour]] = places + [HIDDEN] * (PAWNS - len(places))


# ---------------------------------------------------------------- moves


def seen_action(game: Game, s: Record, action: int, seat: int, viewer: int) -> str:
    """Return what `viewer` sees when `seat` takes an action in state `s`, such as `player_1 moves red from ...`.

    Only two seats see a passed card: its giver and, once all have passed, its taker (AD-6). No seat sees the colors
    under hats unless they are tracked (AD-24). All seats see which two pawns a swap exchanges and which meeting is held
    first, even if the board does not show it afterwards. NOBODY sees everything.
    """
    verb, *words = action_to_string(game, s, action, seat).split()
    open_hats = viewer == NOBODY or bool(s.options.tracked)
    who = f"player_{seat}"
    if verb == "pass":
        to = int(taker(s, seat))
        came = viewer == to and (seat + 1) % game.num_players == s.dealer  # the last seat passes: all get their cards
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
    """Return `17` for a space of the track, `goal red 2` for a goal space."""
    return str(place) if place < GOAL else place_to_string(place)


def _target(s: Record, seat: int, place: int, into: bool, steps: int) -> int:
    """Return where the pawn on `place` ends if it moves by `steps`, along the track or `into` a goal."""
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
    """Return `red`, `a hidden pawn`, or `hidden red` if its color is known."""
    pawn = int(s.board[place])
    if pawn < HAT:
        return COLOURS[pawn]
    return f"hidden {COLOURS[pawn - HAT]}" if open_hats else "a hidden pawn"


def _captured(s: Record, place: int, open_hats: bool) -> str:
    """Return the part of a sentence about the pawn captured on `place`, or an empty text."""
    return f", capturing {_pawn(s, place, open_hats)}" if s.board[place] != EMPTY else ""
