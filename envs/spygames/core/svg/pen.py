"""An SVG writer: shapes and text on a canvas, by default of 1200 x 900 units. Equal pictures have equal bytes.

The output has no ids, gradients, filters, `style` attributes, external fonts or images. One page can therefore embed
any number of pictures, even under a strict content security policy.
"""

import re
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from html import escape
from typing import Any, Literal

from spygames.core.svg.colours import THEMES, Palette
from spygames.core.svg.fonts import widths

__all__ = [
    "CANVAS",
    "FONT",
    "HEIGHT",
    "WIDTH",
    "Pen",
    "Size",
    "cut",
    "fitting",
    "width",
    "wrapped",
]

WIDTH = 1200
"""Width of the canvas in units."""
HEIGHT = 900
"""Height of the canvas in units."""
Size = Literal["full", "portrait", "compact"]
"""The forms of a picture: for a screen, for a phone held upright, and for a thumbnail or a notebook."""
CANVAS: Mapping[Size, tuple[int, int]] = {"full": (WIDTH, HEIGHT), "portrait": (320, 700), "compact": (400, 300)}
"""The canvas of each form. A unit of the portrait form is a pixel of a phone that is 320 pixels wide."""
FONT = "'Spygames Sans','DejaVu Sans Condensed','Roboto Condensed','Arial Narrow',Arial,sans-serif"
"""The font families of all text. `raster` uses the first one, which `width` measures; the fallbacks are as narrow."""


class Pen:
    """A writer of SVG elements. Floats are rounded to one decimal. All values and texts are escaped here, and only
    here.

    Args:
        palette: the colors that depend on the theme.
    """

    def __init__(self, palette: Palette = THEMES["dark"]) -> None:
        self.palette = palette
        self._parts: list[str] = []

    def add(self, tag: str, text: str | None = None, **attributes: Any) -> None:
        """Add an element. Attribute `font_size` becomes `font-size`, `class_` becomes `class`; None is left out."""
        end = "/>" if text is None else f">{_safe(text)}</{tag}>"
        self._parts.append(f"<{tag}{_attributes(attributes)}{end}")

    def open(self, tag: str = "g", **attributes: Any) -> None:
        """Open an element, by default a group; `close` ends it."""
        self._parts.append(f"<{tag}{_attributes(attributes)}>")

    def close(self, tag: str = "g") -> None:
        """Close an element that `open`, `at`, `target` or `refused` opened."""
        self._parts.append(f"</{tag}>")

    def at(self, x: float, y: float, scale: float = 1.0, turn: float = 0.0, **attributes: Any) -> None:
        """Open a group with origin (x, y), scaled by `scale` and turned clockwise by `turn` degrees."""
        turned = f" rotate({_number(float(turn))})" if turn else ""
        scaled = f" scale({scale:.3f})" if scale != 1 else ""
        self.open(transform=f"translate({_number(float(x))} {_number(float(y))}){turned}{scaled}", **attributes)

    def target(self, pick: str | None = None, action: str | None = None, label: str | None = None) -> None:
        """Open a group that the user can choose.

        Args:
            pick: the word that the group represents, with its position in an action's text, such as "1:enforcer".
            action: the whole text of an action, in place of `pick`.
            label: the text for screen readers; by default the action or the word.
        """
        label = label or action or (pick or "").partition(":")[2]
        self.open(class_="target", data_pick=pick, data_action=action, role="button", tabindex=0, aria_label=label)

    def refused(self, action: str) -> None:
        """Open a group that looks like a target, but that the user cannot choose now.

        Args:
            action: the whole text of an action that is not legal; the page says why when the group is tapped.
        """
        self.open(data_refused=action)

    def box(self, x: float, y: float, w: float, h: float, r: float, fill: str, **attributes: Any) -> None:
        """Add a rectangle with corners of radius r."""
        self.add("rect", x=x, y=y, width=w, height=h, rx=r, fill=fill, **attributes)

    def dot(self, x: float, y: float, r: float, fill: str, **attributes: Any) -> None:
        """Add a circle."""
        self.add("circle", cx=x, cy=y, r=r, fill=fill, **attributes)

    def path(self, d: str, fill: str = "none", **attributes: Any) -> None:
        """Add a path with SVG path data `d`, not filled by default."""
        self.add("path", d=d, fill=fill, **attributes)

    def words(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        fill: str | None = None,
        anchor: str | None = None,
        bold: bool = True,
        most: float | None = None,
        **attributes: Any,
    ) -> None:
        """Add a line of text.

        Args:
            x: the start, middle or end of the text; see `anchor`.
            y: the baseline.
            text: the text.
            size: the font size in units.
            fill: the color.
            anchor: the meaning of `x`: None for the start, "middle" or "end".
            bold: whether the bold font is used.
            most: the maximum width in units; a wider text is cut and ends with an ellipsis.
            attributes: further attributes, such as `opacity`.
        """
        if most is not None:
            text = cut(text, size, most, bold)
        weight = "bold" if bold else None
        self.add(
            "text",
            text,
            x=x,
            y=y,
            font_size=size,
            fill=fill or self.palette.strong,
            text_anchor=anchor,
            font_weight=weight,
            **attributes,
        )

    def raw(self, svg: str) -> None:
        """Add SVG that another pen has written."""
        self._parts.append(svg)

    def stamp(self, draw: Callable[..., None], *args: Hashable) -> None:
        """Add the output of `draw(pen, *args)`, which is cached. Use it for icons, which look the same each time."""
        self._parts.append(_drawn(self.palette, draw, *args))

    def __str__(self) -> str:
        return "".join(self._parts)


@lru_cache(1024)
def _drawn(palette: Palette, draw: Callable[..., None], *args: Hashable) -> str:
    pen = Pen(palette)
    draw(pen, *args)
    return str(pen)


def width(text: str, size: float, bold: bool = True) -> float:
    """Return the width of a text in the pictures' font, in units. Non-ASCII letters count as the widest letter."""
    table = widths.BOLD if bold else widths.REGULAR
    codes = (ord(letter) - widths.FIRST for letter in text)
    return sum(table[code] if 0 <= code < len(table) else max(table) for code in codes) * size / 1000


def fitting(text: str, size: float, most: float, bold: bool = True, least: float = 0.0) -> float:
    """Return the largest font size from `least` to `size` at which a text is not wider than `most`, or `least`."""
    return max(least, min(size, size * most / max(1.0, width(text, size, bold))))


def cut(text: str, size: float, most: float, bold: bool = True) -> str:
    """Cut a text to at most `most` units; a text that was cut ends with an ellipsis."""
    if width(text, size, bold) <= most:
        return text
    while text and width(text + "...", size, bold) > most:
        text = text[:-1]
    return text.rstrip() + "…"


def wrapped(text: str, size: float, most: float, bold: bool = True) -> list[str]:
    """Split a text at its spaces into lines of at most `most` units; a longer word has a line of its own."""
    lines = [""]
    for word in text.split():
        if lines[-1] and width(f"{lines[-1]} {word}", size, bold) > most:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _attributes(attributes: Mapping[str, Any]) -> str:
    return "".join([f' {_name(name)}="{_value(value)}"' for name, value in attributes.items() if value is not None])


def _value(value: object) -> str:
    return _number(value) if isinstance(value, int | float) else _escaped(str(value))


@lru_cache(256)
def _name(name: str) -> str:
    """Return the SVG name of an attribute, such as `font-size` for `font_size`."""
    return name.rstrip("_").replace("_", "-")


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that make an SVG invalid, even escaped; the name of a player in a record may have them."""


def _safe(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text))


_escaped = lru_cache(4096)(_safe)
"""Cached, since colors and the paths of icons repeat."""


def _number(value: float) -> str:
    if isinstance(value, float):
        text = f"{value:.1f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return str(value)
