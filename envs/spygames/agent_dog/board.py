"""Boards of Agent DOG as data: a loop of four equal quadrants. Places as numbers and as texts.

A place is a number: 0 to track - 1 on the loop, GOAL + 4 * color + i in a goal (i = 0 is next to the track).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from spygames.core.basics.plain import plain
from spygames.core.basics.text import shown
from spygames.core.game.game import ImpossibleState

COLOURS = ("red", "blue", "green", "yellow")
"""Colors, clockwise. The start space of color k is the first space of quadrant k (AD-1)."""
PAWNS = 4
"""Number of pawns, and of goal spaces, of a color."""
MIN_TRACK, MAX_TRACK = 56, 128
GOAL = MAX_TRACK
"""Place of the first goal space of color 0, beyond the longest loop."""
PLACES = GOAL + len(COLOURS) * PAWNS


@dataclass(frozen=True)
class Board:
    """A board: the same quadrant four times. Offsets count from the start space of a quadrant (AD-3).

    >>> Board(64, [3, 7, 11, 15], 8) == BOARDS["standard"]
    True
    """

    track: int
    """Number of spaces of the loop."""
    holes: Sequence[int]
    """Offsets of the holes."""
    meeting: int
    """Offset of the agent meeting point."""

    def __post_init__(self) -> None:
        for name in ("track", "meeting"):
            object.__setattr__(self, name, plain(getattr(self, name)))
        if type(self.track) is not int or self.track % 4 or not MIN_TRACK <= self.track <= MAX_TRACK:
            raise ValueError(
                f"track must be a multiple of 4 from {MIN_TRACK} to {MAX_TRACK}, not {shown(self.track)}: "
                "a move must not be longer than a quadrant"
            )
        if not isinstance(self.holes, Sequence | np.ndarray) or isinstance(self.holes, str):
            raise ValueError(f"holes must be a list of integers, not {shown(self.holes)}")
        object.__setattr__(self, "holes", [plain(hole) for hole in self.holes])
        for name, offset in (*(("each of holes", hole) for hole in self.holes), ("meeting", self.meeting)):
            if type(offset) is not int or not 0 <= offset < self.quarter:
                raise ValueError(f"{name} must be an offset from 0 to {self.quarter - 1}, not {shown(offset)}")
        if len(set(self.holes)) < len(self.holes):
            raise ValueError(f"holes must not contain an offset twice, as in {self.holes}")
        object.__setattr__(self, "holes", tuple(sorted(self.holes)))
        if 0 in self.holes:
            raise ValueError("holes must not contain 0, the start space")
        if self.meeting == 0:
            raise ValueError("meeting must not be 0, the start space")
        if self.meeting in self.holes:
            raise ValueError(f"meeting must not be in holes, as {self.meeting} is")
        if self.meeting - 1 not in self.holes:
            raise ValueError(f"holes must contain {self.meeting - 1}, the space behind the meeting point")

    @property
    def quarter(self) -> int:
        """Number of spaces of a quadrant."""
        return self.track // 4


BoardName = Literal["standard"]
BOARDS = {"standard": Board(64, (3, 7, 11, 15), 8)}
"""Boards by name."""

_PLACE = re.compile(r"track (?P<space>[0-9]{1,3})|goal (?:(?P<colour>[a-z]+) )?(?P<index>[0-9])")


def place_to_string(place: int, colour: int | None = None) -> str:
    """Return `track 17`, `goal 2` in the goal of `colour`, or `goal green 2` in another goal."""
    if place < GOAL:
        return f"track {place}"
    owner, index = divmod(place - GOAL, PAWNS)
    return f"goal {index}" if owner == colour else f"goal {COLOURS[owner]} {index}"


def string_to_place(text: object, key: str, track: int, colour: int | None = None) -> int:
    """Return the place with this text.

    Args:
        text: The text of a place.
        key: The key of the mapping that contains the text, for the message.
        track: Number of spaces of the loop.
        colour: The owner of the goal if the text does not name a color.

    Raises:
        ImpossibleState: `text` is not a place.
    """
    match = _PLACE.fullmatch(text) if isinstance(text, str) else None
    if match and match["space"] is not None and int(match["space"]) < track:
        return int(match["space"])
    if match and match["index"] is not None and int(match["index"]) < PAWNS:
        owner = colour if match["colour"] is None else None
        if match["colour"] in COLOURS:
            owner = COLOURS.index(match["colour"])
        if owner is not None:
            return GOAL + PAWNS * owner + int(match["index"])
    goal = "'goal 2'" if colour is not None else "'goal red 2'"
    raise ImpossibleState(
        f"{key}: a place must be like 'track 17' (0 to {track - 1}) or {goal} (0 to {PAWNS - 1}), not {shown(text)}"
    )
