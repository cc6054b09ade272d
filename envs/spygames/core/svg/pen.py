"""Writing SVG: shapes and texts on a canvas of 1200 x 900 units, as bytes that are equal for equal pictures.

No ids, gradients, filters, `style` attributes, external fonts or images: any number of pictures live on one page, under
a strict content security policy, too.
"""

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from html import escape
from typing import Any

from spygames.core.svg.colours import PAPER
from spygames.core.svg.fonts import widths

__all__ = [
    "FONT",
    "HEIGHT",
    "WIDTH",
    "Pen",
    "cut",
    "width",
]

WIDTH = 1200
"""Of the canvas, in its units."""
HEIGHT = 900
"""Of the canvas, in its units."""
FONT = "'Spygames Sans','DejaVu Sans Condensed','Roboto Condensed','Arial Narrow',Arial,sans-serif"
"""The families of all text. `width` measures the first one, which `raster` has and the others are as narrow as."""


class Pen:
    """Writes elements. Numbers have one decimal; every value and text is escaped here and nowhere else."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, tag: str, text: str | None = None, **attributes: Any) -> None:
        """One element; `font_size` becomes `font-size`, `class_` becomes `class`, None is left out."""
        end = "/>" if text is None else f">{escape(text)}</{tag}>"
        self._parts.append(f"<{tag}{_attributes(attributes)}{end}")

    def open(self, tag: str = "g", **attributes: Any) -> None:
        """Opens an element, a group by default; `close` ends it."""
        self._parts.append(f"<{tag}{_attributes(attributes)}>")

    def close(self, tag: str = "g") -> None:
        """Ends what `open`, `at` or `target` began."""
        self._parts.append(f"</{tag}>")

    def at(self, x: float, y: float, scale: float = 1.0, turn: float = 0.0, **attributes: Any) -> None:
        """Opens a group whose origin is (x, y), scaled and turned clockwise by so many degrees."""
        turned = f" rotate({_number(float(turn))})" if turn else ""
        scaled = f" scale({scale:.3f})" if scale != 1 else ""
        self.open(transform=f"translate({_number(float(x))} {_number(float(y))}){turned}{scaled}", **attributes)

    def target(self, pick: str | None = None, action: str | None = None, label: str | None = None) -> None:
        """Opens a group that can be chosen.

        Args:
            pick: the word at a position of an action's text that this stands for, as "1:enforcer".
            action: the whole text of the action, instead.
            label: what a screen reader says; the action or the word by default.
        """
        label = label or action or (pick or "").partition(":")[2]
        self.open(class_="target", data_pick=pick, data_action=action, role="button", tabindex=0, aria_label=label)

    def box(self, x: float, y: float, w: float, h: float, r: float, fill: str, **attributes: Any) -> None:
        """A rectangle with corners of radius r."""
        self.add("rect", x=x, y=y, width=w, height=h, rx=r, fill=fill, **attributes)

    def dot(self, x: float, y: float, r: float, fill: str, **attributes: Any) -> None:
        """A circle."""
        self.add("circle", cx=x, cy=y, r=r, fill=fill, **attributes)

    def path(self, d: str, fill: str = "none", **attributes: Any) -> None:
        """A path in SVG's own words, not filled by default."""
        self.add("path", d=d, fill=fill, **attributes)

    def words(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        fill: str = PAPER,
        anchor: str | None = None,
        bold: bool = True,
        most: float | None = None,
        **attributes: Any,
    ) -> None:
        """One line of text with its base line at y.

        Args:
            x: where it begins, or its middle or end as `anchor` says.
            y: the base line.
            text: what it says.
            size: the font size in units.
            fill: its colour.
            anchor: None for the start, "middle" or "end".
            bold: which of the two fonts.
            most: the width it may have; a longer text is cut and ends with an ellipsis.
            attributes: further ones, as `opacity`.
        """
        if most is not None:
            text = cut(text, size, most, bold)
        weight = "bold" if bold else None
        self.add(
            "text", text, x=x, y=y, font_size=size, fill=fill, text_anchor=anchor, font_weight=weight, **attributes
        )

    def stamp(self, draw: Callable[..., None], *args: Hashable) -> None:
        """What `draw(pen, *args)` draws, from memory after the first time: for signs, which look alike each time."""
        self._parts.append(_drawn(draw, *args))

    def __str__(self) -> str:
        return "".join(self._parts)


@lru_cache(1024)
def _drawn(draw: Callable[..., None], *args: Hashable) -> str:
    pen = Pen()
    draw(pen, *args)
    return str(pen)


def width(text: str, size: float, bold: bool = True) -> float:
    """How wide a text is in the pictures' font, in units; letters beyond ASCII count as the widest one."""
    table = widths.BOLD if bold else widths.REGULAR
    codes = (ord(letter) - widths.FIRST for letter in text)
    return sum(table[code] if 0 <= code < len(table) else max(table) for code in codes) * size / 1000


def cut(text: str, size: float, most: float, bold: bool = True) -> str:
    """The text, or as much of it as fits into `most` units, with an ellipsis."""
    if width(text, size, bold) <= most:
        return text
    while text and width(text + "...", size, bold) > most:
        text = text[:-1]
    return text.rstrip() + "…"


def _attributes(attributes: Mapping[str, Any]) -> str:
    return "".join([f' {_name(name)}="{_value(value)}"' for name, value in attributes.items() if value is not None])


def _value(value: object) -> str:
    return _number(value) if isinstance(value, int | float) else _escaped(str(value))


@lru_cache(256)
def _name(name: str) -> str:
    """`font-size` for `font_size`."""
    return name.rstrip("_").replace("_", "-")


_escaped = lru_cache(4096)(escape)
"""Colours and the paths of signs come again and again."""


def _number(value: float) -> str:
    if isinstance(value, float):
        text = f"{value:.1f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return str(value)
