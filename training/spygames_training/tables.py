"""Tables, bars and pictures of results, on the screen and in Markdown. Imports no torch, as bots need none.

Names of players, paths and titles come from users and from files: they are shown as they are, never as markup, emoji
codes, control characters, mathematics or Markdown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from spygames.core.shown import printable
from spygames_training.plots import literal, picture

if TYPE_CHECKING:
    from spygames_training.evaluation import Result
    from spygames_training.line_ups import LineUpResult

DARK = 0.33
"""A win share so far from a half has a colour on which black is hard to read."""


class _Rate(ProgressColumn):
    def __init__(self, unit: str):
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} {self.unit}/s")


def progress_bar(unit: str = "games", **options: Any) -> Progress:
    """A bar with games done, or another `unit`, rate, time spent and time left; `options` as of
    `rich.progress.Progress`."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(unit),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        **options,
    )


def console(stderr: bool = False) -> Console:
    """A console for tables and bars, which shows every text as it is. A file or a pipe has no width, and gets 120
    columns."""
    found = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if not found.is_terminal:
        found.width = 120
    return found


def as_cell(text: str) -> Text:
    """A text that somebody else chose, for a cell or a title: without markup, control characters escaped."""
    return Text(printable(text))


def code_span(text: str) -> str:
    """A text that somebody else chose as code in Markdown: one line, between more backticks than it has in a row."""
    line = " ".join(printable(text).split()) or " "
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def in_markdown(text: str) -> str:
    """A text that somebody else chose as plain text in Markdown: one line without markup."""
    return re.sub(r"[\\`*\[\]<>&]", r"\\\g<0>", " ".join(printable(text).split()))


def name_in_markdown(text: str) -> str:
    """A name that somebody else chose, for a table in Markdown and on the screen: as code where Markdown could take it
    for something else."""
    return text if re.fullmatch(r"[A-Za-z0-9]([\w .,:;=+@%/-]*[A-Za-z0-9])?", text, re.ASCII) else code_span(text)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A table in Markdown, without a newline at its end; all columns but the first `texts` are aligned to the right."""
    lines = [head, [*["---"] * texts, *["---:"] * (len(head) - texts)], *rows]
    # A bar ends a cell, in code too, and names of players may have some: agent+search:64,rivals=policy|expert.
    # A newline ends the row.
    escaped = [[" ".join(cell.replace("|", r"\|").splitlines()) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


@dataclass(frozen=True)
class TextTable:
    """A table of texts for the screen and for a page; they are Markdown (`code_span`, `name_in_markdown`)."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    caption: str = ""
    texts: int = 1
    """How many of the first columns are texts, which begin at the left."""

    def markdown(self) -> str:
        """Title, table and caption, with empty lines between them."""
        table = markdown_table(self.head, self.rows, self.texts)
        return "\n\n".join(filter(None, [self.title, table, self.caption]))

    def rich(self, min_width: int | None = None) -> Table:
        """For `Console.print`, without Markdown's signs of code; `min_width` is that of the columns of numbers."""
        table = new_table(_without_code(self.title), _without_code(self.caption))
        for k, name in enumerate(self.head):
            number = k >= self.texts
            table.add_column(
                _plain(name),
                justify="right" if number else "left",
                min_width=min_width if number else None,
                overflow="fold",
            )
        for row in self.rows:
            table.add_row(*map(_plain, row))
        return table


def _plain(cell: str) -> Text:
    """A cell without Markdown's signs of code."""
    return as_cell(_without_code(cell))


def _without_code(text: str) -> str:
    """What is between Markdown's signs of code stays, they do not."""
    return re.sub(r"(`+) ?(.*?) ?\1(?!`)", r"\2", text)


def new_table(title: str = "", caption: str = "") -> Table:
    """A table without columns, in the style of all tables."""
    texts = [as_cell(text) if text else None for text in (title, caption)]
    return Table(title=texts[0], caption=texts[1], box=SIMPLE_HEAD, pad_edge=False)


def results_table(results: Sequence["Result"], title: str = "") -> Table:
    """A row for each result: win share with its interval, the fair share where it is no half, the shares by side, mean
    return."""
    table = new_table(title)
    for name in ("challenger", "against"):
        table.add_column(name, overflow="fold")
    more = len(results[0].by_side) > 2
    side = "seat" if more else "side"
    for name in ("games", "wins %", "95 %", *(["fair share %"] if more else []), f"by {side} %", "return"):
        table.add_column(name, justify="right", no_wrap=True)
    for r in results:
        low, high = (f"{100 * x:.1f}" for x in r.interval)
        shares = " / ".join(f"{100 * share:.1f}" for share in r.by_side)
        fair = [f"{100 * r.fair_share:.1f}"] if more else []
        table.add_row(
            as_cell(r.challenger), as_cell(r.opponent), f"{r.games:,}", f"{100 * r.win_share:.1f}", f"{low}-{high}",
            *fair, shares, f"{r.mean_return:+.3f}",
        )  # fmt: skip
    first = results[0]
    table.caption = f"{first.deals:,} deals, the challenger on each of the {len(first.by_side)} sides once a deal"
    return table


def line_up_table(results: Sequence["LineUpResult"], title: str = "") -> Table:
    """A row for each player of a line-up: its seats, win share and mean return with their intervals."""
    table = new_table(title)
    table.add_column("player", overflow="fold")
    for name in ("seats", "wins %", "95 %", "return", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for r in results:
        wins = "-".join(f"{100 * x:.1f}" for x in r.interval)
        returns = " to ".join(f"{x:+.3f}" for x in r.return_interval)
        share, mean = f"{100 * r.win_share:.1f}", f"{r.mean_return:+.3f}"
        table.add_row(as_cell(r.player), str(r.seats), share, wins, mean, returns)
    first = results[0]
    moved = "once" if len(first.rotations) == 1 else f"in {len(first.rotations)} rotations of the line-up"
    table.caption = f"{first.deals:,} deals, each played {moved}"
    return table


def matrix_table(names: Sequence[str], shares: np.ndarray) -> Table:
    """Win shares in percent, the row's player against the column's."""
    table = new_table("wins of the row against the column, %")
    table.add_column("")
    for name in names:
        table.add_column(as_cell(name), justify="right", overflow="fold")
    for name, row in zip(names, shares, strict=True):
        table.add_row(as_cell(name), *("" if np.isnan(share) else f"{100 * share:.1f}" for share in row))
    return table


def check_picture(file: Path) -> None:
    """ValueError if `heat_map` does not know the format that the ending of `file` names."""
    from matplotlib.backend_bases import FigureCanvasBase  # slow to import

    known = sorted(FigureCanvasBase.filetypes)
    if file.suffix[1:].lower() not in known:
        raise ValueError(f"{file} cannot be drawn: the ending must be one of {', '.join(known)}")


def heat_map(names: Sequence[str], shares: np.ndarray, file: str | Path, title: str = "") -> None:
    """Draws `matrix_table` as a picture; the ending of `file` says in which format (`check_picture`)."""
    size = 2.5 + 0.9 * len(names)
    shown, file = [*map(literal, names)], Path(file)
    with picture(file, 1, 1, (size + 1.5, size), 150, file.suffix[1:]) as (figure, (axes,)):
        image = axes.imshow(100 * shares, vmin=0, vmax=100, cmap="RdBu")
        axes.set_xticks(range(len(names)), labels=shown, rotation=30, ha="right")
        axes.set_yticks(range(len(names)), labels=shown)
        axes.set_xlabel("against")
        axes.set_title(literal(title))
        for i, j in np.argwhere(~np.isnan(shares)):
            dark = abs(shares[i, j] - 0.5) > DARK
            axes.text(j, i, f"{100 * shares[i, j]:.1f}", ha="center", va="center", color="white" if dark else "black")
        figure.colorbar(image, label="wins %")
