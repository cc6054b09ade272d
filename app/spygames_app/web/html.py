"""HTML as nested function calls. All text and attribute values are escaped here and nowhere else."""

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any, Literal

from spygames.core.svg.pen import CANVAS, HEIGHT, WIDTH, Size

Form = Literal["wide", "narrow"]
FORMS: Mapping[Form, Size] = {"wide": "full", "narrow": "portrait"}
"""The forms of a picture on the page, with their sizes."""
HEADLINE = 37
"""The height of the first line of the portrait form."""
_VOID = {"input", "link", "meta", "br", "img"}


class Html(str):
    """Text that is already HTML and is not escaped again."""

    __slots__ = ()


def h(tag: str, *children: object, **attributes: Any) -> Html:
    """Return an element. Children that are not `Html` are escaped; None is omitted.

    `class_` becomes `class`, and `aria_label` becomes `aria-label`. An attribute that is True is written without a
    value; one that is None or False is omitted.
    """
    named = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{tag}{named}>" if tag in _VOID else f"<{tag}{named}>{joined(*children)}</{tag}>")


def joined(*children: object) -> Html:
    """Concatenate elements and texts."""
    parts = (each if isinstance(each, Html) else escape(str(each)) for each in children if each is not None)
    return Html("".join(parts))


def board(draw: Callable[[Size], str], form: Form | None, headline: bool = True) -> Html:
    """Return both forms of a picture; the style sheet shows the portrait form on screens below 1200 pixels.

    Its targets are not buttons. The script makes them buttons; without it they do nothing. A game without a portrait
    form is drawn in full in both, and one of them suffices.

    Args:
        draw: draws the picture in a size.
        form: the only form that is needed; None: both.
        headline: whether the portrait form shows its first line, the decision that is due.
    """
    found = {}
    for name in (form,) if form else FORMS:
        w, high = CANVAS[size := FORMS[name]]
        drawn = re.sub(r' role="button" tabindex="0" aria-label="', ' data-label="', draw(size))
        if name == "narrow" and not headline:
            drawn = drawn.replace(f'viewBox="0 0 {w} {high}"', f'viewBox="0 {HEADLINE} {w} {high - HEADLINE}"', 1)
        found[name] = drawn
    if f'viewBox="0 0 {WIDTH} {HEIGHT}"' in found.get("narrow", ""):
        return Html(found["narrow"])
    return Html("".join(h("div", Html(drawn), class_=name) for name, drawn in found.items()))


def form_of(named: str | None) -> Form | None:
    """Return the form of pictures that a browser asks for; None for both."""
    return next((form for form in FORMS if form == named), None)
