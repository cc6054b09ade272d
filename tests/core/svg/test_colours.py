"""Texts of each theme have enough contrast with all of their backgrounds, including the games' own colors."""

from collections.abc import Iterator
from dataclasses import fields

import pytest

from spygames.agent_avenue.picture import signs as avenue
from spygames.agent_dog.picture import signs as dog
from spygames.core.svg.colours import EDGE, INK, PAPER, THEMES, Palette, Theme
from spygames.heimlich.picture import signs as heimlich
from tests.support.svg import contrast

MIN_CONTRAST = 4.5
GROUNDS = ("table", "panel", "row", "own_row", "cell", "notice", "bar", "other_bar", "best_bar")
TEXTS = ("strong", "text", "soft", "accent", "pick_text")
STRONG_ONLY = {"notice", "bar", "other_bar", "best_bar", "line"}
"""Backgrounds that carry text in the color `strong` only."""


def pairs(palette: Palette) -> Iterator[tuple[str, str, str]]:
    """Yield the name, text color and background color of each pair."""
    for ground in (*GROUNDS, "line"):
        for text in ("strong",) if ground in STRONG_ONLY else TEXTS:
            yield f"{text} on {ground}", getattr(palette, text), getattr(palette, ground)
    own = (*avenue.SIDE_TEXT[palette.theme], avenue.MARKET_TEXT[palette.theme], *dog.TEXT[palette.theme])
    for ground in ("table", "panel"):
        yield from ((f"{text} on {ground}", text, getattr(palette, ground)) for text in own)


@pytest.mark.parametrize("theme", THEMES)
def test_texts_have_contrast_with_their_backgrounds(theme: Theme) -> None:
    found = {name: contrast(text, ground) for name, text, ground in pairs(THEMES[theme])}
    assert {name: round(ratio, 2) for name, ratio in found.items() if ratio < MIN_CONTRAST} == {}


@pytest.mark.parametrize("theme", THEMES)
def test_the_frame_of_a_choice_stands_out(theme: Theme) -> None:
    """WCAG 2 asks for a contrast of 3 to 1 for the frame of a possible choice."""
    palette = THEMES[theme]
    assert min(contrast(palette.pick, ground) for ground in (palette.table, palette.panel)) >= 3


def test_ink_has_contrast_with_things() -> None:
    for ground in (PAPER, EDGE, heimlich.TAG, heimlich.GOLD, *avenue.SIDE):
        assert contrast(INK, ground) >= MIN_CONTRAST


def test_the_themes_differ_in_every_color() -> None:
    dark, light = THEMES.values()
    assert [palette.theme for palette in (dark, light)] == [*THEMES] == ["dark", "light"]
    assert [each.name for each in fields(Palette) if getattr(dark, each.name) == getattr(light, each.name)] == []
