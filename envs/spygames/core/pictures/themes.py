"""Input validation: the theme and the size of a picture."""

from spygames.core.basics.text import shown
from spygames.core.svg.colours import AUTO, THEMES, Palette, Theme
from spygames.core.svg.pen import CANVAS, Size

__all__ = ["check_size", "palette_of"]


def palette_of(theme: Theme) -> Palette:
    """Return the palette of a theme; raise ValueError for an unknown one."""
    palettes = {**THEMES, AUTO.theme: AUTO}
    if not isinstance(theme, str) or theme not in palettes:
        raise ValueError(f"theme must be {', '.join(map(repr, THEMES))} or {AUTO.theme!r}, not {shown(theme)}")
    return palettes[theme]


def check_size(size: Size) -> Size:
    """Return the size of a picture; raise ValueError for an unknown one."""
    if not isinstance(size, str) or size not in CANVAS:
        *first, last = map(repr, CANVAS)
        raise ValueError(f"size must be {', '.join(first)} or {last}, not {shown(size)}")
    return size
