"""A panel of text beside a picture, such as what a language model said."""

import re
from collections.abc import Iterator, Sequence

from spygames.core.basics.text import printable
from spygames.core.pictures.picture import Picture, heading
from spygames.core.pictures.themes import palette_of
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import FONT, Pen, cut, width

__all__ = ["beside"]

_SHARE = 0.35
"""Width of the panel as a share of the picture's width; its height below a picture that is higher than wide."""
_LETTERS = 44
"""Widths of a letter in a line of a panel at the side, which sets the size of the letters."""


def beside(drawn: Picture, title: str, paragraphs: Sequence[tuple[str, str]], theme: Theme = "dark") -> Picture:
    """Return a picture with a panel of text to its right, or below it if it is higher than wide.

    Args:
        drawn: the picture, made with the same theme.
        title: the heading of the panel; empty: the panel is blank.
        paragraphs: (heading, text) each. If they are too long, their last lines are drawn, which say what is done.
        theme: "dark", "light" or "auto".
    """
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', drawn)
    assert size is not None
    w, h = int(size[1]), int(size[2])
    right = w > h
    panel_w, panel_h = (round(_SHARE * w), h) if right else (w, round(_SHARE * h))
    x, y = (w, 0) if right else (0, h)
    pen = Pen(palette_of(theme))
    pen.open("svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {x + panel_w} {y + panel_h}", role="img",
             font_family=FONT)  # fmt: skip
    pen.box(0, 0, x + panel_w, y + panel_h, 0.02 * w, pen.palette.table)
    # A nested picture without its own size would fill the whole one.
    pen.raw(drawn.replace("<svg ", f'<svg x="0" y="0" width="{w}" height="{h}" ', 1))
    if title:
        letter = 2 * (panel_w if right else 0.6 * panel_w) / _LETTERS
        _write(pen, x, y, panel_w, panel_h, letter, title, paragraphs)
    pen.close("svg")
    return Picture(str(pen))


def _write(
    pen: Pen, x: float, y: float, w: float, h: float, size: float, title: str, paragraphs: Sequence[tuple[str, str]]
) -> None:
    margin, step = 0.8 * size, 1.35 * size
    lines = [line for paragraph in paragraphs for line in _lines(*paragraph, size, w - 2 * margin)]
    heading_size = 0.9 * size
    pen.words(x + margin, y + 2 * size, cut(title, heading_size, w - 2 * margin), heading_size, pen.palette.accent)
    room = max(1, int((h - 3.2 * size) / step))
    if len(lines) > room:
        lines = [(f"{len(lines) - room + 1} lines before", True), *lines[len(lines) - room + 1 :]]
    for i, (text, is_heading) in enumerate(lines):
        place = y + 3.6 * size + i * step
        if is_heading:
            heading(pen, x + margin, place, text) if size > 12 else pen.words(x + margin, place, text, 0.8 * size)
        else:
            pen.words(x + margin, place, text, size, bold=False)


def _lines(head: str, text: str, size: float, most: float) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a paragraph that are at most `most` units wide, and whether each is its heading."""
    if head:
        yield head, True
    for line in printable(text).splitlines():
        now = ""
        for word in line.split():
            longer = f"{now} {word}" if now else word
            if width(longer, size, False) <= most:
                now = longer
                continue
            if now:
                yield now, False
            while width(word, size, False) > most:
                part = word
                while len(part) > 1 and width(part, size, False) > most:
                    part = part[: len(part) // 2] if width(part, size, False) > 2 * most else part[:-1]
                yield part, False
                word = word[len(part) :]
            now = word
        yield now, False
