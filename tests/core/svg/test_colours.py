"""The themes: their text can be read on all of their grounds, the games' own colors of text included."""

from collections.abc import Iterator
from dataclasses import fields

import pytest

from spygames.agent_avenue.picture import signs as avenue
from spygames.agent_dog.picture import signs as dog
from spygames.core.svg.colours import EDGE, INK, PAPER, THEMES, Palette, Theme
from spygames.heimlich.picture import signs as heimlich
from tests.support.svg import contrast

LEAST = 4.5
GROUNDS = ("table", "panel", "row", "own_row", "cell", "notice", "bar", "other_bar", "best_bar")
TEXTS = ("strong", "text", "soft", "accent", "pick_text")
STRONG_ONLY = {"notice", "bar", "other_bar", "best_bar", "line"}
"""Grounds of text in `strong` alone."""


def pairs(palette: Palette) -> Iterator[tuple[str, str, str]]:
    """Each text on each ground, with what they are."""
    for ground in (*GROUNDS, "line"):
        for text in ("strong",) if ground in STRONG_ONLY else TEXTS:
            yield f"{text} on {ground}", getattr(palette, text), getattr(palette, ground)
    own = (*avenue.SIDE_TEXT[palette.theme], avenue.MARKET_TEXT[palette.theme], *dog.TEXT[palette.theme])
    for ground in ("table", "panel"):
        yield from ((f"{text} on {ground}", text, getattr(palette, ground)) for text in own)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_can_be_read_on_their_grounds(theme: Theme) -> None:
    found = {name: contrast(text, ground) for name, text, ground in pairs(THEMES[theme])}
    assert {name: round(ratio, 2) for name, ratio in found.items() if ratio < LEAST} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_the_frame_of_a_choice_stands_out(theme: Theme) -> None:
    """The frame of what can be chosen: WCAG 2 asks for 3 to 1."""
    palette = THEMES[theme]
    assert min(contrast(palette.pick, ground) for ground in (palette.table, palette.panel)) >= 3


def test_ink_can_be_read_on_things() -> None:
    for ground in (PAPER, EDGE, heimlich.TAG, heimlich.GOLD, *avenue.SIDE):
        assert contrast(INK, ground) >= LEAST


def test_the_themes_differ_in_all_but_their_fields() -> None:
    dark, light = THEMES.values()
    assert [palette.theme for palette in (dark, light)] == [*THEMES] == ["dark", "light"]
    assert [each.name for each in fields(Palette) if getattr(dark, each.name) == getattr(light, each.name)] == []
