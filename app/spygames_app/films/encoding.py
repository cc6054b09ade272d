"""Encoding of films as file contents."""

import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled

from spygames.core.basics.text import shown
from spygames.core.game.game import NOBODY
from spygames.core.game.validation import number
from spygames.core.pictures.raster import check_width, libraries, pixels, png
from spygames.core.pictures.themes import check_size, palette_of
from spygames.core.records.film import Film
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import Size
from spygames_app.films.html_page import page

FORMATS = ("webp", "gif", "mp4", "png", "svg", "html")
"""The formats of `encode`. Each is also the suffix of the file."""
MAX_SECONDS = 60.0
"""Maximum time for which a film may show a position."""
_END = 3  # the last position is shown this many times as long
_RATE = 10  # frames per second of an MP4 file; video players expect several


def encode(
    film: Film,
    form: str,
    viewer: int | None = NOBODY,
    *,
    width: int = 800,
    seconds: float = 0.8,
    position: int | None = None,
    theme: Theme = "dark",
    size: Size = "full",
    progress: Callable[[int], None] = lambda done: None,
) -> bytes:
    """Encode a recorded game as the content of a file.

    Args:
        film: the game.
        form: one of `FORMATS`.
        viewer: the seat whose view is drawn; NOBODY sees everything. None, for "html" only, offers everything and each
            seat's view; such a page holds all hidden cards.
        width: pixels, 16 to 4096; the height follows from it, three quarters of it for a full picture. Unused for "svg"
            and "html", which scale.
        seconds: time for which a film shows each position, 0.02 to 60; "mp4" rounds it to tenths, at least one.
        position: the position that "png" and "svg" show; None: the last.
        theme: "dark" or "light".
        size: "full", "portrait" or "compact".
        progress: called with 1 after each picture.

    Raises:
        ValueError: an argument is out of its range.
        DependencyNotInstalled: a package is missing; the message names it.
    """
    check(form, width, seconds)
    palette_of(theme)
    check_size(size)
    if form == "html":
        viewers = range(NOBODY, film.game.num_players) if viewer is None else [viewer]
        return page(film, viewers, progress, theme, size).encode()
    viewer = NOBODY if viewer is None else viewer
    if form in ("png", "svg"):
        drawn = film.scene(len(film) - 1 if position is None else position, viewer, theme=theme, size=size).picture
        progress(1)
        return png(drawn, width) if form == "png" else drawn.encode()
    frames = _frames(film, viewer, width, progress, theme, size)
    return _mp4(frames, len(film), seconds) if form == "mp4" else _animation(frames, len(film), form, seconds)


def check(form: str, width: int, seconds: float) -> None:
    """Raise the errors of `encode` for these arguments before anything is drawn."""
    if form not in FORMATS:
        raise ValueError(f"form must be one of {', '.join(FORMATS)}, not {shown(form)}")
    check_width(width)
    number("seconds for a position", seconds, 0.02, MAX_SECONDS)
    if form not in ("svg", "html"):
        libraries()
    if form == "mp4":
        _encoder()


def pictures_in(film: Film, form: str, viewer: int | None) -> int:
    """Return the number of pictures that `encode` draws."""
    viewers = film.game.num_players + 1 if form == "html" and viewer is None else 1
    return 1 if form in ("png", "svg") else len(film) * viewers


def _frames(
    film: Film, viewer: int, width: int, progress: Callable[[int], None], theme: Theme, size: Size
) -> Iterator[np.ndarray]:
    for position in range(len(film)):
        yield pixels(film.scene(position, viewer, theme=theme, size=size).picture, width, theme)
        progress(1)


def _animation(frames: Iterator[np.ndarray], count: int, form: str, seconds: float) -> bytes:
    """Return an animated WebP or GIF that repeats forever."""
    _, image = libraries()
    times = [round(1000 * seconds)] * count
    times[-1] *= _END
    options: dict[str, Any] = (
        {"quality": 75, "method": 4, "minimize_size": True} if form == "webp" else {"optimize": False}
    )
    images = (image.fromarray(frame) for frame in frames)
    out = io.BytesIO()
    next(images).save(out, format=form.upper(), save_all=True, append_images=images, duration=times, loop=0, **options)
    return out.getvalue()


def _encoder() -> ModuleType:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise DependencyNotInstalled(
            "MP4 needs an encoder: pip install imageio-ffmpeg (WebP and GIF need none)"
        ) from error
    return imageio_ffmpeg


def _mp4(frames: Iterator[np.ndarray], count: int, seconds: float) -> bytes:
    imageio_ffmpeg = _encoder()
    times = max(1, round(_RATE * seconds))
    with tempfile.TemporaryDirectory() as folder:
        path, writer = Path(folder) / "film.mp4", None
        try:
            for number, frame in enumerate(frames):
                height, width = (side // 2 * 2 for side in frame.shape[:2])  # H.264 requires even sides
                if writer is None:
                    writer = imageio_ffmpeg.write_frames(str(path), (width, height), fps=_RATE, macro_block_size=2)
                    writer.send(None)
                content = np.ascontiguousarray(frame[:height, :width]).tobytes()
                for _ in range(times * (_END if number == count - 1 else 1)):
                    writer.send(content)
        finally:
            if writer is not None:
                writer.close()  # ends ffmpeg before its folder is removed
        return path.read_bytes()
