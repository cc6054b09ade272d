"""The board of Agent DOG, as data: four equal quadrants in a loop."""

from collections.abc import Sequence
from dataclasses import dataclass

from spygames.core.shown import shown

COLOURS = ("red", "blue", "green", "yellow")
"""Clockwise; the start space of colour k is the first space of quadrant k (AD-1)."""
PAWNS = 4
"""Pawns of a colour, and goal spaces."""
MIN_TRACK, MAX_TRACK = 56, 128


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
        if type(self.track) is not int or self.track % 4 or not MIN_TRACK <= self.track <= MAX_TRACK:
            raise ValueError(
                f"track must be a multiple of 4 from {MIN_TRACK} to {MAX_TRACK}, not {shown(self.track)}: "
                "no move may reach over a whole quadrant"
            )
        if not isinstance(self.holes, Sequence) or isinstance(self.holes, str):
            raise ValueError(f"holes must be a list of offsets, not {shown(self.holes)}")
        for name, offset in (*(("a hole", hole) for hole in self.holes), ("meeting", self.meeting)):
            if type(offset) is not int or not 0 <= offset < self.quarter:
                raise ValueError(f"{name} must be an offset from 0 to {self.quarter - 1}, not {shown(offset)}")
        if len(set(self.holes)) < len(self.holes):
            raise ValueError(f"holes names an offset twice: {list(self.holes)}")
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


BOARDS = {"standard": Board(64, (3, 7, 11, 15), 8)}
"""The boards by name."""
