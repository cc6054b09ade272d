"""What a picture shows, read back from its SVG: texts with the boxes that they fill, and targets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np

from spygames.core.pen import HEIGHT, WIDTH, width

_CALL = re.compile(r"(\w+)\(([^)]*)\)")


@dataclass(frozen=True)
class Written:
    """A text in a picture."""

    text: str
    fill: str
    left: float
    top: float
    right: float
    bottom: float
    """The letters' box in units, spaces below the base line included only where a letter reaches there."""

    def over(self, other: "Written", apart: float = 0.5) -> bool:
        """Whether the boxes share more than a rim of `apart` units."""
        return (
            min(self.right, other.right) - max(self.left, other.left) > apart
            and min(self.bottom, other.bottom) - max(self.top, other.top) > apart
        )

    @property
    def inside(self) -> bool:
        """Whether it lies on the canvas."""
        return self.left >= 0 and self.top >= 0 and self.right <= WIDTH and self.bottom <= HEIGHT


def texts(svg: str) -> list[Written]:
    """All that is written, in the order of drawing; ParseError where the picture is no well-formed XML."""
    return [_written(element, matrix) for element, matrix in _elements(svg) if element.tag.endswith("}text")]


def targets(svg: str) -> list[tuple[str | None, str | None]]:
    """The action and the pick of each target."""
    found = (element for element, _ in _elements(svg) if element.get("class") == "target")
    return [(element.get("data-action"), element.get("data-pick")) for element in found]


def overlaps(svg: str) -> list[tuple[str, str]]:
    """The texts that cover each other."""
    found = texts(svg)
    return [(a.text, b.text) for i, a in enumerate(found) for b in found[i + 1 :] if a.over(b)]


def _elements(svg: str) -> Iterator[tuple[ElementTree.Element, np.ndarray]]:
    """Every element with the matrix that leads from its units to the canvas."""
    stack = [(ElementTree.fromstring(svg), np.eye(3))]
    while stack:
        element, matrix = stack.pop()
        matrix = matrix @ _matrix(element.get("transform", ""))
        yield element, matrix
        stack.extend((child, matrix) for child in reversed(element))


def _matrix(transform: str) -> np.ndarray:
    matrix = np.eye(3)
    for name, numbers in _CALL.findall(transform):
        x, *rest = (float(number) for number in numbers.replace(",", " ").split())
        each = np.eye(3)
        if name == "translate":
            each[:2, 2] = x, rest[0]
        elif name == "scale":
            each[0, 0] = each[1, 1] = x
        elif name == "rotate":
            c, s = np.cos(np.radians(x)), np.sin(np.radians(x))
            each[:2, :2] = [[c, -s], [s, c]]
        else:
            raise AssertionError(f"no picture has a {name}")
        matrix = matrix @ each
    return matrix


def _written(element: ElementTree.Element, matrix: np.ndarray) -> Written:
    text, size = element.text or "", float(element.get("font-size", "0"))
    w = width(text, size, element.get("font-weight") == "bold") + float(element.get("letter-spacing", 0)) * len(text)
    x, y = float(element.get("x", "0")), float(element.get("y", "0"))
    x -= {"middle": w / 2, "end": w}.get(element.get("text-anchor", ""), 0)
    below = 0.2 * size if re.search(r"[gjpqy,/]", text) else 0.02 * size
    corners = matrix @ np.array([(a, b, 1) for a in (x, x + w) for b in (y - 0.74 * size, y + below)]).T
    (left, top), (right, bottom) = corners[:2].min(1), corners[:2].max(1)
    return Written(text, element.get("fill", ""), left, top, right, bottom)
