"""Action numbers and texts of Agent DOG, derived from one table of action kinds.

Numbers are relative to the mover: spaces count from its start space, quadrants and colors clockwise from its own. Texts
are absolute: colors by name, spaces from red's start space. Each kind has one kernel that encodes an action and one
that decodes it.
"""

from functools import cache

import numpy as np

from spygames.agent_dog.board import COLOURS, MAX_TRACK, PAWNS
from spygames.agent_dog.cards import CARDS, CHOICE_CARD, CHOICE_FUNCTION, CHOICES, COPY, FUNCTIONS, OFFERED
from spygames.agent_dog.layout import NONE, State
from spygames.agent_dog.queries import seat_colour
from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.action_table import ActionKind, action_codec, action_forms, action_texts, first_actions
from spygames.core.game.game import Game, as_record
from spygames.core.game.layout import Size

MOVABLE = PAWNS - 1
"""Goal spaces from which a pawn can move on."""
FARTHEST = 12
"""Maximum distance to a start space from which a number can lead into the goal: the longest number minus 1."""
INDEX = tuple(map(str, range(MOVABLE)))
SPACE, HOLE = Size("track", MAX_TRACK), Size("holes", MAX_TRACK)


def card_text(card: int, function: int) -> str:
    """Return `9`, `1/11 as start` or `copy as 9`: with the function if the card has a choice of functions."""
    choice = card == COPY or len(OFFERED[card]) > 1
    return f"{CARDS[card]} as {FUNCTIONS[function]}" if choice else CARDS[card]


KINDS_OF_ACTIONS = (
    ActionKind("pass {card}", (CARDS,), "exchange: the card to pass"),
    ActionKind("discard {card}", (CARDS,), "no playable card (AD-35)"),
    ActionKind(
        "card {card}",
        (tuple(card_text(*choice) for choice in CHOICES),),
        "turn; `card CARD as FUNCTION` for `1/11`, `13`, `copy`",
    ),
    ActionKind("from area", (), "start: a pawn from the start area"),
    ActionKind(
        "from {goal} {index}", (2, INDEX), "number: a pawn in the mover's goal `goal`, or the partner's, `goal green`"
    ),
    ActionKind(
        "from track {before} into goal",
        (2 * FARTHEST,),
        "number: a pawn 1 to 12 spaces before the mover's start space or the partner's",
    ),
    ActionKind("step {any_goal} {index}", (4, INDEX), "companion: a pawn in one of the four goals"),
    ActionKind("step track {start} into goal", (4,), "companion: a pawn on one of the four start spaces"),
    ActionKind("meet {point}", (4,), "the meeting to hold next"),
    ActionKind("from track {space}", (SPACE,), "number: a pawn on the track"),
    ActionKind("step track {space}", (SPACE,), "companion: a pawn on the track"),
    ActionKind("swap track {hole}", (HOLE,), "swap: a hidden pawn, twice"),
)
(
    PASS, DISCARD, PLAY, FROM_AREA, FROM_GOAL, INTO_GOAL, STEP_GOAL, STEP_INTO, MEET, FROM_TRACK, STEP_TRACK,
    SWAP_TRACK,
) = range(len(KINDS_OF_ACTIONS))  # fmt: skip
"""The kinds of action, in the order of their numbers."""
FIRST = first_actions(KINDS_OF_ACTIONS)[: FROM_TRACK + 1]
"""First number of each kind up to FROM_TRACK. The kinds that depend on the size of the board follow."""


def num_actions(track: int, holes: int) -> int:
    """Return the number of actions on a loop of `track` spaces with `holes` holes in a quadrant."""
    return FIRST[FROM_TRACK] + 2 * track + 4 * holes


@kernel
def kind_of(action: Int, track: Int) -> Int:
    """Return the kind of an action on a loop of `track` spaces."""
    if action >= FIRST[FROM_TRACK]:
        if action < FIRST[FROM_TRACK] + track:
            return FROM_TRACK
        return STEP_TRACK if action < FIRST[FROM_TRACK] + 2 * track else SWAP_TRACK
    if action >= FIRST[STEP_GOAL]:
        if action >= FIRST[STEP_INTO]:
            return MEET if action >= FIRST[MEET] else STEP_INTO
        return STEP_GOAL
    if action >= FIRST[FROM_AREA]:
        if action >= FIRST[FROM_GOAL]:
            return INTO_GOAL if action >= FIRST[INTO_GOAL] else FROM_GOAL
        return FROM_AREA
    if action >= FIRST[DISCARD]:
        return PLAY if action >= FIRST[PLAY] else DISCARD
    return PASS


# ---------------------------------------------------------------- cards


encode_pass, decode_pass = action_codec("pass", "card", "FIRST[PASS]", globals())


encode_discard, decode_discard = action_codec("discard", "card", "FIRST[DISCARD]", globals())


@kernel
def encode_play(choice: Int) -> Int:
    """Return the action that plays `choice`, an index in CHOICES."""
    return FIRST[PLAY] + choice


@kernel
def decode_play(action: Int) -> tuple[Int, Int]:
    """Return the card and its function."""
    choice = action - FIRST[PLAY]
    return CHOICE_CARD[choice], CHOICE_FUNCTION[choice]


# ---------------------------------------------------------------- numbers


@kernel
def encode_from_area() -> Int:
    """Return the action `from area`."""
    return FIRST[FROM_AREA]


@kernel
def encode_from_goal(partner: Int, index: Int) -> Int:
    """Return the action that moves the pawn on goal space `index`, 0 to 2. `partner` is 1 for the partner's goal."""
    return FIRST[FROM_GOAL] + MOVABLE * partner + index


@kernel
def decode_from_goal(action: Int) -> tuple[Int, Int]:
    """Return 1 for the partner's goal, else 0, and the goal space."""
    place = action - FIRST[FROM_GOAL]
    return place // MOVABLE, place % MOVABLE


@kernel
def encode_into_goal(partner: Int, distance: Int) -> Int:
    """Return the action that moves a pawn into a goal from `distance` spaces, 1 to 12, before its start space.

    `partner` is 1 for the partner's goal.
    """
    return FIRST[INTO_GOAL] + FARTHEST * partner + distance - 1


@kernel
def decode_into_goal(action: Int) -> tuple[Int, Int]:
    """Return 1 for the partner's goal, else 0, and the distance to its start space."""
    place = action - FIRST[INTO_GOAL]
    return place // FARTHEST, place % FARTHEST + 1


encode_from_track, decode_from_track = action_codec("from_track", "space", "FIRST[FROM_TRACK]", globals())


# ---------------------------------------------------------------- companion, swap, meetings


@kernel
def encode_step_goal(quadrant: Int, index: Int) -> Int:
    """Return the action that steps with the pawn on goal space `index`, 0 to 2, of a quadrant."""
    return FIRST[STEP_GOAL] + MOVABLE * quadrant + index


@kernel
def decode_step_goal(action: Int) -> tuple[Int, Int]:
    """Return the quadrant and the goal space."""
    place = action - FIRST[STEP_GOAL]
    return place // MOVABLE, place % MOVABLE


encode_step_into, decode_step_into = action_codec("step_into", "quadrant", "FIRST[STEP_INTO]", globals())


@kernel
def encode_step_track(space: Int, track: Int) -> Int:
    """Return the action that steps with the pawn on `space`, 0 to track - 1 from the mover's start space."""
    return FIRST[FROM_TRACK] + track + space


@kernel
def decode_step_track(action: Int, track: Int) -> Int:
    """Return the space, counted from the mover's start space."""
    return action - FIRST[FROM_TRACK] - track


@kernel
def encode_swap(quadrant: Int, hole: Int, track: Int, holes: Int) -> Int:
    """Return the action that names the hidden pawn in `hole`, 0 to `holes` - 1, of a quadrant."""
    return FIRST[FROM_TRACK] + 2 * track + holes * quadrant + hole


@kernel
def decode_swap(action: Int, track: Int, holes: Int) -> tuple[Int, Int]:
    """Return the quadrant and the number of the hole in it."""
    place = action - FIRST[FROM_TRACK] - 2 * track
    return place // holes, place % holes


encode_meet, decode_meet = action_codec("meet", "quadrant", "FIRST[MEET]", globals())


# ---------------------------------------------------------------- texts


@cache
def _texts(track: int, holes: tuple[int, ...], meeting: int, colour: int) -> tuple[str, ...]:
    """Return the text of each action of the player of `colour` on a board, [A]."""
    quarter, start = track // 4, colour * (track // 4)
    clockwise = [COLOURS[(colour + k) % 4] for k in range(4)]
    goals = [f"goal{'' if k == 0 else f' {name}'}" for k, name in enumerate(clockwise)]
    spaces = [str((start + k) % track) for k in range(track)]
    found = action_texts(
        KINDS_OF_ACTIONS,
        goal=(goals[0], goals[2]),
        before=[spaces[k * quarter - d] for k in (0, 2) for d in range(1, FARTHEST + 1)],
        any_goal=goals,
        start=[spaces[k * quarter] for k in range(4)],
        point=[spaces[k * quarter + meeting] for k in range(4)],
        space=spaces,
        hole=[spaces[k * quarter + hole] for k in range(4) for hole in holes],
    )
    assert len(found) == num_actions(track, len(holes)) == len(set(found))
    return found


@cache
def _actions_by_text(track: int, holes: tuple[int, ...], meeting: int, colour: int) -> dict[str, int]:
    """Return the inverse of `_texts` for the same arguments."""
    return {text: action for action, text in enumerate(_texts(track, holes, meeting, colour))}


def _board(game: Game) -> tuple[int, tuple[int, ...], int]:
    """Return the length of the track, the offsets of the holes, and the offset of the meeting point."""
    o = as_record(game.packed)
    return int(o.track), tuple(np.flatnonzero(o.hole != NONE).tolist()), int(o.meeting)


def _colour(game: Game, seat: int) -> int:
    """Return the color of a seat, an index of COLOURS."""
    return int(seat_colour(game.num_players, int(seat)))


def action_to_string(game: Game, s: State, action: int, seat: int) -> str:
    """Return the text of an action of `seat`, such as `pass 12`, `card copy as 9` or `from track 60 into goal`."""
    return _texts(*_board(game), _colour(game, seat))[action]


def string_to_action(game: Game, s: State, text: str, seat: int) -> int:
    """Return the action with this text.

    Raises:
        ValueError: `text` is not the text of an action of `seat`.
    """
    action = _actions_by_text(*_board(game), _colour(game, seat)).get(text) if isinstance(text, str) else None
    if action is None:
        raise ValueError(f"action of Agent DOG must be one of {action_forms(KINDS_OF_ACTIONS)}, not {shown(text)}")
    return action
