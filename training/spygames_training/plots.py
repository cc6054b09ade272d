"""Matplotlib, set up in one place: figures without a window, saved whole. Imported late, for it is slow to import."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spygames.core.shown import printable
from spygames_training.atomic import replacing

Axes = Any
"""A matplotlib Axes; untyped, so that matplotlib is imported only when something is drawn."""
Figure = Any


def new_figure(rows: int, columns: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A figure of `size` inches with rows x columns axes, row by row. It needs no screen and stays in no list."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    return figure, [*figure.subplots(rows, columns, squeeze=False).flat]


def save_figure(figure: Figure, path: Path, dpi: int, kind: str = "png") -> None:
    """Writes the picture in the place of `path`; its folder is made. After an error `path` is as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    from matplotlib import rc_context

    # Without a date and with names that are not drawn by chance, the same figure is the same file.
    settings = {"svg.hashsalt": "spygames", "svg.fonttype": "none"}
    with replacing(path) as new, rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # in a name, where no font has it
        figure.savefig(new, dpi=dpi, format=kind, metadata={"Date": None} if kind == "svg" else None)


def as_text(text: str) -> str:
    """A name as Matplotlib shows it as it is: two dollars would be the marks of a formula."""
    return printable(text).replace("$", r"\$")


def legend(axis: Axes, **options: Any) -> None:
    """Names every line of `axis`; by itself Matplotlib leaves out labels that begin with `_`."""
    lines = axis.get_lines()
    axis.legend(lines, [line.get_label() for line in lines], **options)


def curve_axes(axis: Axes, curves: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Draws named curves, each a list of points, in colours that run from the first to the last."""
    from matplotlib import colormaps

    for k, (name, points) in enumerate(curves.items()):
        axis.plot(
            *zip(*points, strict=True), color=colormaps["turbo"]((k + 0.5) / len(curves)), label=as_text(name), lw=1.2
        )
    axis.grid(alpha=0.3)
