"""Pixels of two pictures per game match the golden ones, which were checked by eye.

`python -m tests.core.pictures.test_raster` redraws the golden ones.
"""

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
MAX_DIFFERENCE = 1.0
"""Largest mean difference of a picture, in steps of 255: processors round differently."""


def svg_of(name: str) -> str:
    """Return a picture of the docs; another test keeps these up to date."""
    return (ROOT / "docs" / "images" / "games" / f"{name}.svg").read_text("utf-8")


def difference(name: str, svg: str) -> float:
    """Return the mean difference between the pixels of a picture and the golden ones."""
    with Image.open(GOLDEN / f"{name}.png") as opened:
        golden = np.array(opened.convert("RGB")).astype(float)
    shown = pixels(svg, WIDTH)
    assert shown.shape == golden.shape == (300, WIDTH, 3)
    return float(np.abs(shown - golden).mean())


@pytest.mark.parametrize("name", NAMES)
def test_pixels_match_the_golden_ones(name: str) -> None:
    assert difference(name, svg_of(name)) <= MAX_DIFFERENCE


@pytest.mark.parametrize("name", NAMES)
def test_missing_texts_are_detected(name: str) -> None:
    """resvg silently omits text whose font it does not find; a picture without text must fail."""
    assert difference(name, re.sub(r"<text.*?</text>", "", svg_of(name))) > MAX_DIFFERENCE


def test_a_missing_font_is_detected() -> None:
    name = NAMES[0]
    other = re.sub(r'(<svg[^>]* font-family=")[^"]*', r"\1Nowhere", svg_of(name))
    assert difference(name, other) > MAX_DIFFERENCE


def test_the_folder_has_no_other_files() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {*NAMES}


if __name__ == "__main__":
    for each in NAMES:
        (GOLDEN / f"{each}.png").write_bytes(png(svg_of(each), WIDTH, "#17232f"))
