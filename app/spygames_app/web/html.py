"""HTML as nested calls: every text and value is escaped here and nowhere else."""

import re
from html import escape
from typing import Any

_VOID = {"input", "link", "meta", "br"}


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def h(tag: str, *children: object, **attributes: Any) -> Html:
    """An element; children that are no `Html` are escaped, and None is left out.

    `class_` becomes `class`, `aria_label` becomes `aria-label`; an attribute that is True stands without a value, and
    one that is None or False is left out.
    """
    named = "".join(
        f" {name.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for name, value in attributes.items()
        if value is not None and value is not False
    )
    return Html(f"<{tag}{named}>" if tag in _VOID else f"<{tag}{named}>{joined(*children)}</{tag}>")


def joined(*children: object) -> Html:
    """Elements and texts one after the other."""
    parts = (each if isinstance(each, Html) else escape(str(each)) for each in children if each is not None)
    return Html("".join(parts))


def board(picture: str) -> Html:
    """A picture for the page: its targets are plain until the script makes buttons of them, since without it nobody can
    press them."""
    plain = re.sub(r' role="button" tabindex="0" aria-label="', ' data-label="', picture)
    return Html(plain)
