"""Matplotlib set up in one place: figures need no window and are saved atomically.

Matplotlib is imported when something is drawn, since the import is slow.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.text import printable
from spygames_training.files.atomic import replacing

Axes = Any
"""A matplotlib Axes. It is untyped, so that this module does not import matplotlib."""
Figure = Any


@contextmanager
def picture(
    path: Path, rows: int, columns: int, size: tuple[float, float], dpi: int, kind: str = "png"
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Context with a new figure of rows x columns axes, which is saved to `path` at the end.

    The figure is independent of the caller's matplotlib style, needs no screen, and is not registered with pyplot. The
    folder of `path` is created. After an error `path` is unchanged.

    Args:
        path: the file.
        rows: of axes.
        columns: of axes.
        size: width and height in inches.
        dpi: dots per inch.
        kind: file format, such as png or svg.

    Yields:
        The figure and its axes, row by row.
    """
    from matplotlib import rc_context, style
    from matplotlib.figure import Figure

    # With a fixed salt and no date, equal figures give equal files.
    ours = rc_context({"svg.hashsalt": "spygames", "svg.fonttype": "none"})
    with style.context("default"), ours, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # of a player's name
        figure = Figure(figsize=size, layout="constrained")
        yield figure, [*figure.subplots(rows, columns, squeeze=False).flat]
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new:
            figure.savefig(new, dpi=dpi, format=kind, metadata={"Date": None} if kind == "svg" else None)


def literal(text: str) -> str:
    """Escape a label. Matplotlib would read text between two dollar signs as mathematics."""
    return printable(text).replace("$", r"\$")


def legend(axis: Axes, **options: Any) -> None:
    """Draw a legend with the label of every line. Matplotlib alone would leave out labels that start with `_`."""
    lines = axis.get_lines()
    axis.legend(lines, [literal(line.get_label()) for line in lines], **options)


def curve_axes(axis: Axes, curves: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draw named curves, each a list of points, in colors along one color map."""
    from matplotlib import colormaps

    for k, (name, points) in enumerate(curves.items()):
        color = colormaps["turbo"]((k + 0.5) / len(curves))
        axis.plot(*zip(*points, strict=True), color=color, label=name, lw=1.2)
    axis.grid(alpha=0.3)
