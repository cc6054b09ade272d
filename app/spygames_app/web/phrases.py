"""Actions in words for people, made from their texts by `Texts.phrases`."""

import re
from collections.abc import Sequence
from functools import cache

from spygames.core.game.game import Game

BLANK = "{}"
REST = "…"
"""Stands for the last word of the actions of a group."""


def phrase(game: Game, text: str) -> str:
    """Return an action in words: "recruit up" is "take the face-up card".

    Seats and underscores stay: `Sides.words` names the seats.
    """
    form, words = _form(game, text)
    return form.format(*words)


def grouped(game: Game, legal: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return actions in groups of those that differ in their last word alone.

    The keys are the words of the group, such as "move red by …"; "" for an action of its own. Each action has its text
    and what it says in the group. Seats and underscores stay, as in `phrase`.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for text in legal:
        form, words = _form(game, text)
        groups.setdefault((form, *words[:-1]) if words else (form, text), []).append(text)
    several = {key[0] for key, texts in groups.items() if len(texts) > 1}
    found: dict[str, list[tuple[str, str]]] = {}
    for (form, *shared), texts in groups.items():
        for text in texts:
            words = _form(game, text)[1]
            title = form.format(*shared, REST) if words and form in several else ""
            shown = words[-1] if title else phrase(game, text)
            found.setdefault(title, []).append((text, shown))
    return found


def _form(game: Game, text: str) -> tuple[str, list[str]]:
    """Return the form that an action's text has, and the words that fill its blanks. Without a form, the text itself
    is one, with a blank for its last word if it has several.
    """
    for pattern, form in _patterns(tuple(game.texts.phrases.items())):
        if found := pattern.fullmatch(text):
            return form, [*found.groups()]
    shared, _, last = text.replace("{", "{{").replace("}", "}}").rpartition(" ")
    return (f"{shared} {BLANK}", [last]) if shared else (last, [])


@cache
def _patterns(phrases: tuple[tuple[str, str], ...]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(re.escape(text).replace(re.escape(BLANK), r"(\S+)")), form) for text, form in phrases]
