"""Rasterize pictures with resvg_py and Pillow, from the extra `render`. No other module imports them.

Only the two fonts of the package are used, so text looks the same on every machine. resvg silently omits text whose
font it cannot find.
"""

import io
import re
import unicodedata
from pathlib import Path
from types import ModuleType

import numpy as np
from gymnasium.error import DependencyNotInstalled

from spygames.core.basics.extras import how_to_install
from spygames.core.basics.whole_numbers import whole
from spygames.core.pictures.themes import palette_of
from spygames.core.svg.colours import Theme
from spygames.core.svg.fonts import widths
from spygames.core.svg.pen import HEIGHT, WIDTH

__all__ = ["pixels", "png"]

MIN_WIDTH, MAX_WIDTH = 16, 4096
"""Bounds of a picture's width, in pixels."""
FONTS = Path(__file__).resolve().parents[1] / "svg" / "fonts"
"""The folder of the fonts, `spygames-regular.ttf` and `spygames-bold.ttf`."""


def check_width(width: int) -> int:
    """Check a width in pixels; ValueError if it is not an integer from `MIN_WIDTH` to `MAX_WIDTH`."""
    return whole("width", width, MIN_WIDTH, MAX_WIDTH)


def png(svg: str, width: int = 800, ground: str | None = None) -> bytes:
    """Render a picture as a PNG file.

    Args:
        svg: a result of `picture`, or another SVG whose `viewBox` says its size.
        width: pixels, 16 to 4096. The height follows from it: 600 for 800 in a full picture.
        ground: the background color, such as `#17232f`; None leaves the round corners transparent.

    Raises:
        ValueError: `width` is invalid, or the picture has the theme "auto".
        DependencyNotInstalled: the extra `render` is not installed.
    """
    width = check_width(width)
    if "light-dark(" in svg:
        raise ValueError("theme must be 'dark' or 'light' for pixels, not 'auto', which is for SVG inside a page")
    resvg_py, _ = libraries()
    fonts = [str(FONTS / name) for name in ("spygames-regular.ttf", "spygames-bold.ttf")]
    box = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    w, h = (int(box[1]), int(box[2])) if box else (WIDTH, HEIGHT)
    size = {"width": width, "height": max(1, round(width * h / w))}
    text = _drawable(svg)
    return bytes(
        resvg_py.svg_to_bytes(svg_string=text, background=ground, skip_system_fonts=True, font_files=fonts, **size)
    )


def _drawable(svg: str) -> str:
    """Replace accented letters that the fonts lack, for which resvg draws boxes, by the letters without the accents."""
    return re.sub(r"[^\x00-\x7f]", lambda found: _plain(found[0]), svg)


def _plain(letter: str) -> str:
    """Return a letter of the fonts, if there is one: the letter itself, or without its accent."""
    if letter in widths.OTHERS:
        return letter
    if unicodedata.combining(letter):
        return ""
    name, accented, _ = unicodedata.name(letter, "").partition(" WITH ")
    try:
        plain = unicodedata.lookup(name) if accented else letter
    except KeyError:
        return letter
    return plain if plain.isalpha() else letter


def pixels(svg: str, width: int = 800, theme: Theme = "dark") -> np.ndarray:
    """Render a picture as RGB pixels, uint8 [height, width, 3]. The corners have the table color of `theme`.

    Other arguments and errors are those of `png`. An invalid theme raises ValueError.
    """
    table = palette_of(theme).table
    _, image = libraries()
    with image.open(io.BytesIO(png(svg, width, table))) as opened:
        return np.array(opened.convert("RGB"))


def libraries() -> tuple[ModuleType, ModuleType]:
    """Import resvg_py and PIL.Image; DependencyNotInstalled says what to install."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise DependencyNotInstalled(
            f"pictures as pixels need {error.name or 'resvg_py'}: {how_to_install('render')}"
        ) from error
    return resvg_py, Image
