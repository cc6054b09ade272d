"""Pictures as pixels: the one place that imports resvg_py and Pillow, which the extra `render` brings.

Two fonts come with the package and no other is looked for, so a picture has the same letters on every machine. resvg
leaves out text whose font it does not find, without a word.
"""

import io
from pathlib import Path
from types import ModuleType

import numpy as np
from gymnasium.error import DependencyNotInstalled

from spygames.core.game.validation import whole
from spygames.core.svg.colours import TABLE
from spygames.core.svg.pen import HEIGHT, WIDTH

__all__ = ["pixels", "png"]

LEAST, MOST = 16, 4096
"""The widths that a picture may have, in pixels."""
FONTS = Path(__file__).resolve().parents[1] / "svg" / "fonts"
"""The folder of both, `spygames-regular.ttf` and `spygames-bold.ttf`."""


def check_width(width: int) -> int:
    """The width in pixels; ValueError if a picture cannot have it."""
    return whole("width", width, LEAST, MOST)


def png(svg: str, width: int = 800, ground: str | None = None) -> bytes:
    """A picture as a PNG file.

    Args:
        svg: what `picture` returned, or another SVG of 4 to 3.
        width: pixels, 16 to 4096; the height follows, 600 for 800.
        ground: the colour behind the picture, as `#17232f`; None: its round corners are transparent.

    Raises:
        ValueError: a width that is none.
        DependencyNotInstalled: the extra `render` is not installed.
    """
    width = check_width(width)
    resvg_py, _ = libraries()
    fonts = [str(FONTS / name) for name in ("spygames-regular.ttf", "spygames-bold.ttf")]
    size = {"width": width, "height": round(width * HEIGHT / WIDTH)}
    return bytes(
        resvg_py.svg_to_bytes(svg_string=str(svg), background=ground, skip_system_fonts=True, font_files=fonts, **size)
    )


def pixels(svg: str, width: int = 800) -> np.ndarray:
    """A picture as pixels, uint8 [height, width, 3], red, green and blue; arguments and errors as of `png`."""
    _, image = libraries()
    with image.open(io.BytesIO(png(svg, width, TABLE))) as opened:
        return np.array(opened.convert("RGB"))


def libraries() -> tuple[ModuleType, ModuleType]:
    """resvg_py and PIL.Image; DependencyNotInstalled says what to install."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise DependencyNotInstalled(
            f"pictures as pixels need {error.name or 'resvg_py'}: pip install 'spygames[render]'"
        ) from error
    return resvg_py, Image
