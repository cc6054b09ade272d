"""Matplotlib, set up in one place: figures without a window, saved whole. Imported late, for it is slow to import."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.text import printable
from spygames_training.files.atomic import replacing

Axes = Any
"""A matplotlib Axes; untyped, so that matplotlib is imported only when something is drawn."""
Figure = Any


@contextmanager
def picture(
    path: Path, rows: int, columns: int, size: tuple[float, float], dpi: int, kind: str = "png"
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure of `size` inches with rows x columns axes, row by row, that is drawn inside and written afterwards.

    It looks the same whatever style the caller's program has set, needs no screen and stays in no list. The folder of
    `path` is made; after an error `path` is as it was.
    """
    from matplotlib import rc_context, style
    from matplotlib.figure import Figure

    # Without a date and with names that are not drawn by chance, the same figure is the same file.
    ours = rc_context({"svg.hashsalt": "spygames", "svg.fonttype": "none"})
    with style.context("default"), ours, np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # in a name, where no font has it
        figure = Figure(figsize=size, layout="constrained")
        yield figure, [*figure.subplots(rows, columns, squeeze=False).flat]
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new:
            figure.savefig(new, dpi=dpi, format=kind, metadata={"Date": None} if kind == "svg" else None)


def literal(text: str) -> str:
    """A text for a label, shown as it is: matplotlib takes what is between two dollar signs for mathematics."""
    return printable(text).replace("$", r"\$")


def legend(axis: Axes, **options: Any) -> None:
    """Names every line of `axis` by its label as it is; by itself matplotlib leaves out labels that begin with `_`."""
    lines = axis.get_lines()
    axis.legend(lines, [literal(line.get_label()) for line in lines], **options)


def curve_axes(axis: Axes, curves: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draws named curves, each a list of points, in colours that run from the first to the last."""
    from matplotlib import colormaps

    for k, (name, points) in enumerate(curves.items()):
        color = colormaps["turbo"]((k + 0.5) / len(curves))
        axis.plot(*zip(*points, strict=True), color=color, label=name, lw=1.2)
    axis.grid(alpha=0.3)
