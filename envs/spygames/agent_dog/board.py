"""The board of Agent DOG as data: four equal quadrants in a loop; its places as numbers and as text.

A place is a number: 0 to track - 1 on the loop, GOAL + 4 * colour + i in a goal (i = 0 nearest to the track).
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
"""Clockwise; the start space of colour k is the first space of quadrant k (AD-1)."""
PAWNS = 4
"""Pawns of a colour, and goal spaces."""
MIN_TRACK, MAX_TRACK = 56, 128
GOAL = MAX_TRACK
"""The place of the first goal space of colour 0, beyond the longest loop."""
PLACES = GOAL + len(COLOURS) * PAWNS


@dataclass(frozen=True)
class Board:
    """A board: the same quadrant four times; offsets count from its start space (AD-3).

    >>> Board(64, [3, 7, 11, 15], 8) == BOARDS["standard"]
    True
    """

    track: int
    """Spaces of the loop."""
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
                "no move may reach over a whole quadrant"
            )
        if not isinstance(self.holes, Sequence | np.ndarray) or isinstance(self.holes, str):
            raise ValueError(f"holes must be a list of offsets, not {shown(self.holes)}")
        object.__setattr__(self, "holes", [plain(hole) for hole in self.holes])
        for name, offset in (*(("a hole", hole) for hole in self.holes), ("meeting", self.meeting)):
            if type(offset) is not int or not 0 <= offset < self.quarter:
                raise ValueError(f"{name} must be an offset from 0 to {self.quarter - 1}, not {shown(offset)}")
        if len(set(self.holes)) < len(self.holes):
            raise ValueError(f"holes names an offset twice: {self.holes}")
        object.__setattr__(self, "holes", tuple(sorted(self.holes)))
        if 0 in self.holes:
            raise ValueError("a start space (offset 0) cannot be a hole")
        if self.meeting == 0:
            raise ValueError("a meeting point cannot be a start space (offset 0)")
        if self.meeting in self.holes:
            raise ValueError(f"a meeting point cannot be a hole (offset {self.meeting})")
        if self.meeting - 1 not in self.holes:
            raise ValueError(f"the space behind the meeting point (offset {self.meeting - 1}) must be a hole")

    @property
    def quarter(self) -> int:
        """Spaces of a quadrant."""
        return self.track // 4


BoardName = Literal["standard"]
BOARDS = {"standard": Board(64, (3, 7, 11, 15), 8)}
"""The boards by name."""

_PLACE = re.compile(r"track (?P<space>[0-9]{1,3})|goal (?:(?P<colour>[a-z]+) )?(?P<index>[0-9])")


def place_to_string(place: int, colour: int | None = None) -> str:
    """`track 17`, `goal 2` in the goal of `colour`, `goal green 2` in another one."""
    if place < GOAL:
        return f"track {place}"
    owner, index = divmod(place - GOAL, PAWNS)
    return f"goal {index}" if owner == colour else f"goal {COLOURS[owner]} {index}"


def string_to_place(text: object, key: str, track: int, colour: int | None = None) -> int:
    """The inverse of `place_to_string`.

    Args:
        text: the text of a place.
        key: the key of the mapping where it stands, for the message.
        track: spaces of the loop.
        colour: whose goal is meant where the text names none.

    Raises:
        ImpossibleState: the text names no place.
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
    raise ImpossibleState(f"{key}: {shown(text)} is no place, which is 'track 17' (0 to {track - 1}) or {goal}")
