"""Places and actions of Agent DOG as text. Texts are absolute: colours by name, spaces from red's start space."""

import re
from functools import cache

import numpy as np

from spygames.agent_dog.board import COLOURS, PAWNS
from spygames.agent_dog.cards import CARDS, CHOICES, COPY, FUNCTIONS, OFFERED
from spygames.agent_dog.layout import FROM_TRACK, GOAL, NONE
from spygames.core.game import Game, ImpossibleState
from spygames.core.kernel import Record
from spygames.core.shown import shown

_PLACE = re.compile(r"track (?P<space>[0-9]{1,3})|goal (?:(?P<colour>[a-z]+) )?(?P<index>[0-9])")


def place_text(place: int, colour: int) -> str:
    """`track 17`, `goal 2` in the goal of `colour`, `goal green 2` in another one."""
    if place < GOAL:
        return f"track {place}"
    of, index = divmod(place - GOAL, PAWNS)
    return f"goal {index}" if of == colour else f"goal {COLOURS[of]} {index}"


def read_place(text: object, key: str, track: int, colour: int = NONE) -> int:
    """The inverse; a goal without a colour is that of `colour`. ImpossibleState for anything else."""
    match = _PLACE.fullmatch(text) if isinstance(text, str) else None
    if match and match["space"] is not None and int(match["space"]) < track:
        return int(match["space"])
    if match and match["index"] is not None and int(match["index"]) < PAWNS:
        of = (
            colour
            if match["colour"] is None
            else COLOURS.index(match["colour"])
            if match["colour"] in COLOURS
            else NONE
        )
        if of != NONE:
            return GOAL + PAWNS * of + int(match["index"])
    goal = "'goal 2'" if colour != NONE else "'goal red 2'"
    raise ImpossibleState(f"{key}: {shown(text)} is no place, which is 'track 17' (0 to {track - 1}) or {goal}")


def card_text(card: int, function: int) -> str:
    """`9`, `1/11 as start`, `copy as 9`: `as` where a card has a choice of functions."""
    choice = card == COPY or len(OFFERED[card]) > 1
    return f"{CARDS[card]} as {FUNCTIONS[function]}" if choice else CARDS[card]


@cache
def action_texts(track: int, holes: tuple[int, ...], meeting: int, colour: int) -> tuple[str, ...]:
    """The text of every action of the player of `colour` on a board."""
    quarter, start = track // 4, colour * (track // 4)
    clockwise = [COLOURS[(colour + k) % 4] for k in range(4)]
    goals = [f"goal{'' if k == 0 else f' {name}'}" for k, name in enumerate(clockwise)]
    spaces = [(start + k) % track for k in range(track)]
    texts = (
        *(f"pass {card}" for card in CARDS),
        *(f"discard {card}" for card in CARDS),
        *(f"card {card_text(*choice)}" for choice in CHOICES),
        "from area",
        *(f"from {goals[k]} {i}" for k in (0, 2) for i in range(3)),
        *(f"from track {(start + k * quarter - d) % track} into goal" for k in (0, 2) for d in range(1, 13)),
        *(f"step {goal} {i}" for goal in goals for i in range(3)),
        *(f"step track {spaces[k * quarter]} into goal" for k in range(4)),
        *(f"meet {spaces[k * quarter + meeting]}" for k in range(4)),
        *(f"from track {space}" for space in spaces),
        *(f"step track {space}" for space in spaces),
        *(f"swap track {spaces[k * quarter + hole]}" for k in range(4) for hole in holes),
    )
    assert len(texts) == FROM_TRACK + 2 * track + 4 * len(holes) == len(set(texts))
    return texts


@cache
def _numbers(track: int, holes: tuple[int, ...], meeting: int, colour: int) -> dict[str, int]:
    return {text: action for action, text in enumerate(action_texts(track, holes, meeting, colour))}


def seat_colour(game: Game, seat: int) -> int:
    """AD-1: the colour of a seat."""
    return 2 * seat if game.num_players == 2 else seat


def _board(game: Game) -> tuple[int, tuple[int, ...], int]:
    """Track, offsets of the holes and of the meeting point."""
    options = game.packed[0]
    holes = tuple(np.flatnonzero(options["hole"] != NONE).tolist())
    return int(options["track"]), holes, int(options["meeting"])


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
    """`pass 12`, `card copy as 9`, `from track 60 into goal`, ...: absolute."""
    return action_texts(*_board(game), seat_colour(game, int(seat)))[action]


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
    """The inverse of `action_to_string`; ValueError for anything else."""
    action = _numbers(*_board(game), seat_colour(game, int(seat))).get(text) if isinstance(text, str) else None
    if action is None:
        forms = (
            "pass CARD, card CARD [as FUNCTION], from PLACE [into goal], step PLACE [into goal], swap, meet, discard"
        )
        raise ValueError(f"{shown(text)} is no action of Agent DOG: {forms}")
    return action
