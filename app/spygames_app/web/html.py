"""HTML as nested function calls. All text and attribute values are escaped here and nowhere else."""

import re
from html import escape
from typing import Any

from spygames.core.svg.pen import CANVAS

HEADLINE = 38
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


def board(full: str, portrait: str, headline: bool = True) -> Html:
    """Return both forms of a picture; the style sheet shows the portrait form on screens below 600 pixels.

    Its targets are not buttons. The script makes them buttons; without it they do nothing. A game without a portrait
    form is drawn in full in both, and one of them suffices.

    Args:
        full: the picture for wide screens.
        portrait: the picture for narrow screens.
        headline: whether the portrait form shows its first line, the decision that is due.
    """
    if not headline and full != portrait:
        w, h_ = CANVAS["portrait"]
        portrait = portrait.replace(f'viewBox="0 0 {w} {h_}"', f'viewBox="0 {HEADLINE} {w} {h_ - HEADLINE}"', 1)
    plain = [re.sub(r' role="button" tabindex="0" aria-label="', ' data-label="', each) for each in (full, portrait)]
    if full == portrait:
        return Html(plain[0])
    wide, narrow = (h("div", Html(each), class_=name) for each, name in zip(plain, ("wide", "narrow"), strict=True))
    return Html(wide + narrow)
