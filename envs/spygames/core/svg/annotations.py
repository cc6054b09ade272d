"""What a picture shows beside a position: advice, names, what happened; and what a game's `draw` is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spygames.core.svg.pen import Pen

__all__ = ["Advice", "Draw", "Look"]


@dataclass(frozen=True)
class Advice:
    """What a player thinks about a position, as far as it is drawn."""

    actions: Sequence[tuple[str, float]] = ()
    """The texts of actions with their probabilities, 0..1; drawn with the most likely one first."""
    share: float | None = None
    """The share of a win that it expects for its seat, 0..1; None where it does not say."""
    value: float | None = None
    """The result that it expects for its seat, in the game's own unit; drawn where there is no share."""
    title: str = "What the agent would do"
    """The head of the panel."""
    share_title: str = "Chance to win"
    """The head of the bar of the share."""
    belief: Sequence[tuple[str, Sequence[tuple[str, float]]]] = ()
    """What it believes about what its seat cannot see (`core.advice.Belief`), if it says so; pictures leave it out."""


@dataclass(frozen=True)
class Look:
    """How a position is drawn, beside what is seen. All of it is plain data, and the caller's to keep from leaking."""

    viewer: int
    """The seat that looks, NOBODY (-1) for everything."""
    before: Mapping[str, Any] | None = None
    """What the same viewer saw earlier, as `seen_to_dict` returned it: the picture shows what moved since."""
    legal: Sequence[str] = ()
    """Texts of the actions that the viewer may choose now: drawn as targets."""
    advice: Advice | None = None
    """What a player thinks."""
    names: Sequence[str] = ()
    """Who plays, a name a seat."""
    log: Sequence[str] = ()
    """What happened, the latest line first."""
    alt: str = ""
    """The position as text, for screen readers."""


Draw = Callable[[Pen, Mapping[str, Any], Look], None]
"""(pen, seen, look): draws what `seen_to_dict` returned on the canvas of 1200 x 900 units, title included."""
