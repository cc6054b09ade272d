"""The colors of all pictures: some for cards and boards, the same in each theme, and a `Palette` for each theme."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

__all__ = ["AUTO", "BAD", "EDGE", "GOOD", "INK", "PAPER", "PICK", "THEMES", "Palette", "Theme", "auto", "themed"]

INK = "#20242e"
"""Text on paper."""
PAPER = "#fbf4e2"
"""The face of cards and boards, and text on their dark parts."""
EDGE = "#d9c9a3"
"""The rim of cards and boards."""
GOOD = "#2c8a5a"
"""Gains."""
BAD = "#c2413a"
"""Losses and warnings."""
PICK = "#ffd85e"
"""The mark of things on a board that can be chosen; `Palette.pick` frames those on the table."""

Theme = Literal["dark", "light", "auto"]
"""The name of a palette. "auto" is for SVG inside a page: each color follows the page's CSS property `color-scheme`."""


def auto(dark: str, light: str) -> str:
    """Return the CSS color that is `light` on a light page and `dark` on a dark one."""
    return dark if dark == light else f"light-dark({light}, {dark})"


def themed(dark: str, light: str) -> Mapping[Theme, str]:
    """Return a color of a game for each theme."""
    return {"dark": dark, "light": light, "auto": auto(dark, light)}


@dataclass(frozen=True)
class Palette:
    """The colors that depend on the theme: the table and all that is drawn on it.

    Colors of text have a contrast of at least 4.5 to 1 with the grounds, the background colors.
    """

    theme: Theme
    """The name, by which a game can look up colors of its own."""
    table: str
    """Ground: the background."""
    panel: str
    """Ground: a box for text on the table."""
    row: str
    """Ground: a row of a table, or the track of a bar."""
    own_row: str
    """Ground: the viewer's row."""
    cell: str
    """Ground: a cell of a row."""
    notice: str
    """Ground: a headline that asks the viewer to act."""
    bar: str
    """Ground: the track of a bar that holds text."""
    other_bar: str
    """Ground: the filled part of such a bar."""
    best_bar: str
    """Ground: the filled part of the longest bar."""
    line: str
    """Lines, and the ground of small labels in `strong`."""
    strong: str
    """Text: the most important."""
    text: str
    """Text: between `strong` and `soft`."""
    soft: str
    """Text: secondary."""
    accent: str
    """Text: the name of the game, and points."""
    pick_text: str
    """Text: what the viewer can choose."""
    pick: str
    """The frame of things that can be chosen."""


THEMES: Mapping[Theme, Palette] = {
    "dark": Palette(
        theme="dark",
        table="#17232f",
        panel="#1f3040",
        row="#263a4c",
        own_row="#2c4257",
        cell=INK,
        notice="#4a3f14",
        bar="#2b4154",
        other_bar="#456a85",
        best_bar="#28709e",
        line="#35495c",
        strong=PAPER,
        text=EDGE,
        soft="#9fb2c3",
        accent="#f4b63f",
        pick_text=PICK,
        pick=PICK,
    ),
    "light": Palette(
        theme="light",
        table="#e6ecf1",
        panel="#f6f9fb",
        row="#d8e2ea",
        own_row="#c5d9ea",
        cell="#ffffff",
        notice="#fff0bd",
        bar="#d8e2ea",
        other_bar="#b9ccdb",
        best_bar="#9ccbed",
        line="#bccad6",
        strong="#17232f",
        text="#4a4029",
        soft="#43566a",
        accent="#7a4a04",
        pick_text="#7a4a04",
        pick="#bd6f00",
    ),
}
"""The palettes of pictures that stand alone, by name."""
AUTO = Palette(
    "auto",
    *(auto(*(getattr(THEMES[theme], each.name) for theme in ("dark", "light"))) for each in fields(Palette)[1:]),
)
"""The palette of SVG inside a page, whose colors follow the page's `color-scheme`."""
