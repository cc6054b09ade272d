"""Read pictures in tests: texts and shapes with their positions on the canvas, and checks for faults."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

import numpy as np

from spygames.core.pictures.raster import pixels
from spygames.core.svg.pen import WIDTH, width

SVG = "{http://www.w3.org/2000/svg}"
Matrix = tuple[float, float, float, float, float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)
ALLOWED = {"svg", "g", "title", "desc", "rect", "circle", "ellipse", "path", "text"}
FORBIDDEN = {"id", "style", "href", "onclick", "onload"}
RAISED, LOWERED = 0.74, 0.2
"""Extent of letters above and below their baseline, as parts of the font size."""


@dataclass(frozen=True)
class Words:
    """A text on the canvas."""

    text: str
    size: float
    fill: str
    box: Box


@lru_cache(1)
def elements(svg: str) -> list[tuple[ElementTree.Element, Matrix, Mapping[str, str]]]:
    """Return each element with its transform and the attributes it inherits; the XML must be well-formed."""

    def walk(
        element: ElementTree.Element, matrix: Matrix, inherited: Mapping[str, str]
    ) -> Iterator[tuple[ElementTree.Element, Matrix, Mapping[str, str]]]:
        matrix = _product(matrix, _matrix(element.get("transform", "")))
        attributes = {**inherited, **element.attrib}
        yield element, matrix, attributes
        for child in element:
            yield from walk(child, matrix, attributes)

    return [*walk(ElementTree.fromstring(svg), IDENTITY, {})]


def texts(svg: str) -> list[Words]:
    """Return the texts of a picture with the boxes of their letters."""
    found = []
    for element, matrix, attributes in elements(svg):
        if element.tag == f"{SVG}text":
            text, size = element.text or "", float(attributes["font-size"])
            spacing = float(attributes.get("letter-spacing", 0))
            w = width(text, size, attributes.get("font-weight") == "bold") + spacing * (len(text) - 1)
            left = float(attributes["x"]) - {"middle": w / 2, "end": w}.get(attributes.get("text-anchor", ""), 0)
            y = float(attributes["y"])
            corners = [(x, z) for x in (left, left + w) for z in (y - RAISED * size, y + LOWERED * size)]
            found.append(Words(text, size, attributes["fill"], _bounds([_moved(matrix, *each) for each in corners])))
    return found


def small_letters(svg: str, least: float = 12.0) -> list[str]:
    """Return texts whose letters are smaller than `least` units after all scaling."""
    wrong = []
    for element, matrix, attributes in elements(svg):
        if element.tag == f"{SVG}text":
            size = float(attributes["font-size"]) * math.hypot(matrix[2], matrix[3])
            wrong += [f"{element.text!r}: {size:.1f}"] if size < least - 0.05 else []
    return wrong


def small_targets(svg: str, least: float = 44.0) -> list[str]:
    """Return targets that are narrower or lower than `least` units; what they contain counts."""
    boxes: dict[ElementTree.Element, list[tuple[float, float]]] = {}
    inside: dict[ElementTree.Element, ElementTree.Element] = {}
    for element, matrix, _ in elements(svg):
        owner = element if element.get("class") == "target" else inside.get(element)
        if owner is None:
            continue
        inside |= dict.fromkeys(element, owner)
        found = _points(element.tag.removeprefix(SVG), element.attrib)
        boxes.setdefault(owner, []).extend(_moved(matrix, *each) for each in found)
    wrong = []
    for target, points in boxes.items():
        left, top, right, bottom = _bounds(points)
        if min(right - left, bottom - top) < least - 0.05:
            named = target.get("data-action") or target.get("data-pick")
            wrong.append(f"{named}: {right - left:.1f} x {bottom - top:.1f}")
    return wrong


def canvas(svg: str) -> tuple[float, float]:
    """Return the width and the height of the canvas in units."""
    _, _, w, h = map(float, elements(svg)[0][0].attrib["viewBox"].split())
    return w, h


def outside(svg: str) -> list[str]:
    """Return whatever is outside the canvas."""
    size = canvas(svg)
    wrong = [f"{each.text!r} at {each.box}" for each in texts(svg) if not _is_inside(each.box, size)]
    for element, matrix, _ in elements(svg):
        points = _points(element.tag.removeprefix(SVG), element.attrib)
        if points and not _is_inside(box := _bounds([_moved(matrix, *each) for each in points]), size):
            wrong.append(f"{element.tag.removeprefix(SVG)} {element.attrib} at {box}")
    return wrong


def overlaps(svg: str) -> list[str]:
    """Return texts that touch each other."""
    found = texts(svg)
    return [
        f"{a.text!r} and {b.text!r}"
        for i, a in enumerate(found)
        for b in found[i + 1 :]
        if min(a.box[2], b.box[2]) - max(a.box[0], b.box[0]) > 0.5
        and min(a.box[3], b.box[3]) - max(a.box[1], b.box[1]) > 0.5
    ]


def pale(svg: str, least: float = 4.5) -> list[str]:
    """Return texts with too little contrast to a tenth or more of their background (WCAG 2: 4.5)."""
    scale = WIDTH / canvas(svg)[0]
    ground = pixels(re.sub(r"<text.*?</text>", "", svg), WIDTH).astype(float)
    wrong = []
    for each in filter(lambda words: words.text, texts(svg)):
        left, top = (int(scale * value) for value in each.box[:2])
        right, bottom = (math.ceil(scale * value) for value in each.box[2:])
        behind = ground[top:bottom, left:right].reshape(-1, 3)
        ink = _luminance(_rgb(each.fill))
        light = _luminance(behind)
        contrast = (np.maximum(ink, light) + 0.05) / (np.minimum(ink, light) + 0.05)
        if (found := float(np.quantile(contrast, 0.1))) < least:
            wrong.append(f"{each.text!r}: {found:.2f}")
    return wrong


def strange(svg: str) -> list[str]:
    """Return forbidden elements and attributes: references to outside the page, and what a strict policy blocks."""
    wrong = []
    for element, _, _ in elements(svg):
        tag = element.tag.removeprefix(SVG)
        wrong += [] if tag in ALLOWED else [tag]
        wrong += [f"{tag} {name}" for name in element.attrib if name in FORBIDDEN]
        wrong += [f"{tag} {value}" for value in element.attrib.values() if "url(" in value or "://" in value]
    return wrong


def unreachable(svg: str, legal: list[str]) -> list[str]:
    """Return legal actions without a target, neither for the whole text nor for each word after the verb.

    A card that can be picked for a place can also be picked for the next place, after another one.
    """
    found = [attributes for element, _, attributes in elements(svg) if element.get("class") == "target"]
    actions = {attributes.get("data-action") for attributes in found}
    picks = {attributes.get("data-pick") for attributes in found}

    def by_words(text: str) -> bool:
        words = text.split()[1:]
        return bool(words) and all({f"{i}:{word}", f"{i - 1}:{word}"} & picks for i, word in enumerate(words, 1))

    return [text for text in legal if text not in actions and not by_words(text)]


def dangling(svg: str, legal: list[str]) -> list[str]:
    """Return targets that match no legal action."""
    words = {f"{i}:{word}" for text in legal for i, word in enumerate(text.split())}
    found = [element for element, _, _ in elements(svg) if element.get("class") == "target"]
    wrong = [str(each.get("data-action")) for each in found if each.get("data-action") not in {None, *legal}]
    return wrong + [str(each.get("data-pick")) for each in found if each.get("data-pick") not in {None, *words}]


def refused(svg: str) -> list[str]:
    """Return the actions of what looks like a target and cannot be chosen; the keyboard must not reach it."""
    found = [element for element, _, _ in elements(svg) if "data-refused" in element.attrib]
    assert not any({"role", "tabindex", "class", "aria-label"} & {*each.attrib} for each in found)
    return [each.attrib["data-refused"] for each in found]


def colorless(svg: str) -> str:
    """Return the picture with all colors replaced by one: themes must not differ in anything else."""
    return re.sub(r'"#[0-9a-f]{3,6}"', '"#000"', svg)


def drawn(svg: str) -> str:
    """Return the picture without the text for screen readers."""
    return re.sub(r"<(title|desc)>.*?</\1>", "", svg, flags=re.DOTALL)


def _points(tag: str, a: Mapping[str, str]) -> list[tuple[float, float]]:
    """Return points around a shape: corners, or the ends of a path's segments."""

    def number(name: str) -> float:
        return float(a.get(name, 0))

    if tag == "rect":
        x, y = number("x"), number("y")
        return [
            (x, y),
            (x + number("width"), y),
            (x, y + number("height")),
            (x + number("width"), y + number("height")),
        ]
    if tag in ("circle", "ellipse"):
        x, y, rx, ry = number("cx"), number("cy"), number("r") or number("rx"), number("r") or number("ry")
        return [(x - rx, y), (x + rx, y), (x, y - ry), (x, y + ry)]
    return list(_path(a["d"])) if tag == "path" else []


_TAKES = {"m": 2, "l": 2, "h": 1, "v": 1, "a": 7, "q": 4, "c": 6, "z": 0}


def _path(d: str) -> Iterator[tuple[float, float]]:
    x = y = start_x = start_y = 0.0
    for command, rest in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", d):
        numbers = [float(n) for n in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
        kind, relative, takes = command.lower(), command.islower(), _TAKES[command.lower()]
        assert takes == len(numbers) == 0 or (takes and numbers and len(numbers) % takes == 0), f"{command}{rest}"
        if kind == "z":
            x, y = start_x, start_y
        for i in range(0, len(numbers), takes or 1):
            given = numbers[i : i + takes]
            dx, dy = (x, y) if relative else (0.0, 0.0)
            if kind == "h":
                x = given[0] + dx
            elif kind == "v":
                y = given[0] + dy
            else:
                x, y = given[-2] + dx, given[-1] + dy
            if kind == "m" and i == 0:
                start_x, start_y = x, y
            yield x, y


def _matrix(transform: str) -> Matrix:
    result = IDENTITY
    for name, inside in re.findall(r"(\w+)\(([^)]*)\)", transform):
        n = [float(each) for each in inside.split()]
        if name == "translate":
            each: Matrix = (1, 0, 0, 1, n[0], n[1])
        elif name == "rotate":
            c, s = math.cos(math.radians(n[0])), math.sin(math.radians(n[0]))
            each = (c, s, -s, c, 0, 0)
        else:
            assert name == "scale", name
            each = (n[0], 0, 0, n[-1], 0, 0)
        result = _product(result, each)
    return result


def _product(m: Matrix, n: Matrix) -> Matrix:
    a, b, c, d, e, f = m
    g, h, i, j, k, o = n
    return a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * o + e, b * k + d * o + f


def _moved(m: Matrix, x: float, y: float) -> tuple[float, float]:
    return m[0] * x + m[2] * y + m[4], m[1] * x + m[3] * y + m[5]


def _bounds(points: list[tuple[float, float]]) -> Box:
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _is_inside(box: Box, size: tuple[float, float]) -> bool:
    return box[0] >= 0 and box[1] >= 0 and box[2] <= size[0] and box[3] <= size[1]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors, 1 to 21 (WCAG 2)."""
    dark, light = sorted(_luminance(_rgb(each)) for each in (one, other))
    return float((light + 0.05) / (dark + 0.05))


def _rgb(color: str) -> Any:
    return np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)], float)


def _luminance(rgb: Any) -> Any:
    linear = np.where(rgb / 255 <= 0.04045, rgb / 255 / 12.92, ((rgb / 255 + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])
