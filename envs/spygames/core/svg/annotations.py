"""The annotations of a picture (advice, names, log), and the type of a game's `draw` function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spygames.core.svg.pen import Pen

__all__ = ["Advice", "Draw", "Look"]


@dataclass(frozen=True)
class Advice:
    """A player's assessment of a position."""

    actions: Sequence[tuple[str, float]] = ()
    """The texts of actions with their probabilities, 0..1; drawn with the most likely one first."""
    share: float | None = None
    """The expected share of a win for the player's seat, 0..1; None if unknown."""
    value: float | None = None
    """The expected result for the player's seat, in the game's own unit; drawn if `share` is None."""
    title: str = "What the agent would do"
    """The heading of the panel."""
    share_title: str = "Chance to win"
    """The heading of the bar for `share`."""
    belief: Sequence[tuple[str, Sequence[tuple[str, float]]]] = ()
    """The player's beliefs about what its seat cannot see (`Belief`), if available; not drawn."""


@dataclass(frozen=True)
class Look:
    """The drawing options and annotations of a picture, as plain data.

    They are drawn as given: the caller must ensure that they reveal nothing hidden from the viewer.
    """

    viewer: int
    """The seat that sees the picture, or NOBODY (-1) for a view of everything."""
    before: Mapping[str, Any] | None = None
    """An earlier result of `seen_to_dict` for the same viewer; the picture then shows what has moved since."""
    legal: Sequence[str] = ()
    """Texts of the viewer's legal actions, drawn as targets."""
    advice: Advice | None = None
    """A player's assessment to draw."""
    names: Sequence[str] = ()
    """The players' names, one per seat."""
    log: Sequence[str] = ()
    """The events so far, latest first."""
    alt: str = ""
    """The position as text, for screen readers."""

    @property
    def decides(self) -> bool:
        """Whether the viewer is a seat that decides now."""
        return self.viewer >= 0 and bool(self.legal)


Draw = Callable[[Pen, Mapping[str, Any], Look], None]
"""(pen, seen, look): draws a result of `seen_to_dict`, with its title, on the canvas of 1200 x 900 units."""
