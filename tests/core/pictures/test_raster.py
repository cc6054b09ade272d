"""Pixels of two pictures a game are those that were looked at; `python -m tests.core.pictures.test_raster` draws them anew."""

import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from spygames.core.pictures.raster import pixels, png

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "pictures"
NAMES = (
    "agent_avenue-turn",
    "agent_avenue-four_players",
    "heimlich-open",
    "heimlich-identities",
    "agent_dog-turn",
    "agent_dog-open",
)
WIDTH = 400
MOST = 1.0
"""How much a picture may differ on average, in steps of 255: processors round differently."""


def svg_of(name: str) -> str:
    """A picture of the docs, which a test holds against what is drawn."""
    return (ROOT / "docs" / "images" / "games" / f"{name}.svg").read_text("utf-8")


def difference(name: str, svg: str) -> float:
    """By how much the pixels of a picture differ from the golden ones, on average."""
    with Image.open(GOLDEN / f"{name}.png") as opened:
        golden = np.array(opened.convert("RGB")).astype(float)
    shown = pixels(svg, WIDTH)
    assert shown.shape == golden.shape == (300, WIDTH, 3)
    return float(np.abs(shown - golden).mean())


@pytest.mark.parametrize("name", NAMES)
def test_pixels_are_as_they_were(name: str) -> None:
    assert difference(name, svg_of(name)) <= MOST


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_there(name: str) -> None:
    """resvg leaves out text whose font it does not find, without a word."""
    assert difference(name, re.sub(r"<text.*?</text>", "", svg_of(name))) > MOST


def test_a_font_that_is_not_there_is_found() -> None:
    name = NAMES[0]
    other = re.sub(r'(<svg[^>]* font-family=")[^"]*', r"\1Nowhere", svg_of(name))
    assert difference(name, other) > MOST


def test_only_these_pictures_stand_there() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*NAMES}


if __name__ == "__main__":
    for each in NAMES:
        (GOLDEN / f"{each}.png").write_bytes(png(svg_of(each), WIDTH, "#17232f"))
