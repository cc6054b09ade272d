"""Input validation: the theme of a picture."""

from spygames.core.basics.text import shown
from spygames.core.svg.colours import THEMES, Palette, Theme

__all__ = ["palette_of"]


def palette_of(theme: Theme) -> Palette:
    """Return the palette of a theme; raise ValueError for an unknown one."""
    if not isinstance(theme, str) or theme not in THEMES:
        raise ValueError(f"theme must be {' or '.join(map(repr, THEMES))}, not {shown(theme)}")
    return THEMES[theme]
