"""Tables, progress bars and heat maps of results, on screen and in Markdown. This module does not import torch.

Names of players, paths and titles come from users and files. They are printed literally: never as markup, emoji codes,
control characters, mathematics or Markdown.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
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
from rich.theme import Theme

from spygames.core.basics.text import printable
from spygames_training.output.plots import literal, picture

if TYPE_CHECKING:
    from spygames_training.evaluation.evaluation import Forfeits, Result
    from spygames_training.evaluation.line_ups import LineUpResult

DARK = 0.33
"""Distance of a win share from one half beyond which its color is too dark for black text."""

PLAIN = {
    "progress.elapsed": "none", "progress.remaining": "none", "progress.download": "none", "bar.back": "dim",
}  # fmt: skip
"""Styles of progress bars without the default colors that are hard to read on a light terminal."""

MAX_PART_WIDTH = 16
"""Maximum width of a part of a text for which its column is widened before the columns of numbers."""

MIN_NAME_WIDTH = 12
"""Minimum width in characters of a column of numbers for a longer word of its name."""

MIN_TEXT_WIDTH = 8
"""Minimum width in characters of a column whose text is folded."""


class _Rate(ProgressColumn):
    def __init__(self, unit: str):
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} {self.unit}/s")


def progress_bar(unit: str = "games", **options: Any) -> Progress:
    """Return a progress bar with the number of games done (or another `unit`), their rate, the time spent and the time
    left. `options` are those of `rich.progress.Progress`. A file or a pipe gets no bar."""
    screen = options.setdefault("console", console())
    options.setdefault("disable", not (screen.is_terminal or screen.is_jupyter))  # else an empty line
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
    """Return a console that prints text literally. Files and pipes have no width and get 120 columns."""
    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False, theme=Theme(PLAIN))
    if not console.is_terminal:
        console.width = 120
    return console


def as_cell(text: str) -> Text:
    """Return untrusted text for a cell or a title: no markup, control characters escaped."""
    return Text(printable(text))


def code_span(text: str) -> str:
    """Return untrusted text as a Markdown code span: one line, between more backticks than the text has in a row."""
    line = " ".join(printable(text).split()) or " "
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{pad}{line}{pad}{fence}"


def in_markdown(text: str) -> str:
    """Return untrusted text as plain text in Markdown: one line, special characters escaped."""
    special = r"[\\`*\[\]<>&~#]|(?<![^\W_])_|_(?![^\W_])"  # an underscore between letters is not special
    return re.sub(special, r"\\\g<0>", " ".join(printable(text).split()))


def name_in_markdown(text: str) -> str:
    """Return an untrusted name for a table, in Markdown and on screen: as a code span if Markdown would change it."""
    return text if text[:1].isalpha() and text == in_markdown(text) else code_span(text)


def in_millions(number: int) -> str:
    """Return a number of decisions for a table: `6.03 M`, `1,614 M`, or in full below 100,000, `8,192`."""
    if number < 100_000:
        return f"{number:,}"
    return f"{number / 1e6:.3g} M" if number < 100_000_000 else f"{number / 1e6:,.0f} M"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Return a Markdown table without a final newline. All columns except the first `texts` are right-aligned."""
    lines = [head, [*["---"] * texts, *["---:"] * (len(head) - texts)], *rows]
    # A bar ends a cell even inside code, and names may contain bars: agent+search:64,rivals=policy|expert. A newline
    # ends the row.
    escaped = [[" ".join(cell.replace("|", r"\|").splitlines()) for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


def put_between(page: Path, begin: str, end: str, content: str) -> None:
    """Replace the text between two markers of a page by `content`.

    Raises:
        ValueError: the page does not have both markers in this order; it is not changed.
    """
    before, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        raise ValueError(f"{page} must have a line {begin!r} and after it a line {end!r}")
    page.write_text(f"{before}{begin}\n\n{content}\n\n{end}{after}", encoding="utf-8")


@dataclass(frozen=True)
class ScreenTable:
    """A table for `Console.print`; texts are printed literally.

    If the console is too narrow, long texts are folded, and the columns of numbers are split into groups. The groups
    are printed one below the other, each after the text columns. No cell is cut.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    caption: str = ""
    texts: int = 1
    """Number of leading text columns, which are left-aligned."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        columns = [_Column.of([name, *cells], k < self.texts) for k, (name, *cells) in enumerate(self._columns())]
        groups = self._groups(columns, options.max_width)
        for number, group in enumerate(groups):
            table = Table(box=SIMPLE_HEAD, pad_edge=False)
            table.title = as_cell(self.title) if self.title and number == 0 else None
            widths = _widths([columns[k] for k in group], options.max_width - _between(len(group)))
            for k, width in zip(group, widths, strict=True):
                justify = "left" if k < self.texts else "right"
                table.add_column(
                    Text(broken(printable(self.head[k]), width)), justify=justify, width=width, overflow="fold"
                )
            for row in self.rows:
                sized = zip(group, widths, strict=True)
                cells = (broken(printable(row[k]), width, numbers=k >= self.texts) for k, width in sized)
                table.add_row(*map(Text, cells))
            yield table
        if self.caption:
            yield as_cell(self.caption)

    def _columns(self) -> list[tuple[str, ...]]:
        return [*zip(self.head, *self.rows, strict=True)]

    def _groups(self, columns: "Sequence[_Column]", room: int) -> list[list[int]]:
        """Return the columns of each group: the text columns and at least one column of numbers, if there is one."""
        texts = [*range(self.texts)]
        groups = [[*texts]]
        for k in range(self.texts, len(columns)):
            group = [*groups[-1], k]
            if len(groups[-1]) > self.texts and sum(columns[i].minimum for i in group) + _between(len(group)) > room:
                groups.append([*texts, k])
            else:
                groups[-1] = group
        return groups


class _Column(NamedTuple):
    """Possible widths of a column, in terminal characters."""

    minimum: int
    """Width with texts and the name folded, and numbers whole."""
    whole_parts: int
    """Width with texts broken only after separators (`broken`)."""
    usual: int
    """Width with cells of numbers whole."""
    maximum: int
    """Width with nothing folded."""

    @classmethod
    def of(cls, texts: Sequence[str], is_text: bool) -> "_Column":
        """Compute the widths from the column's name and cells, and from whether they are texts."""
        name, *cells = ([cell_len(line) for line in printable(text).splitlines()] for text in texts)
        maximum = max(map(max, filter(None, [name, *cells])), default=1)
        if is_text:
            minimum = min(MIN_TEXT_WIDTH, maximum)
            parts = max((cell_len(part) for text in texts for part in _parts(printable(text))), default=1)
            return cls(minimum, max(minimum, min(parts, MAX_PART_WIDTH)), minimum, maximum)
        words = [[cell_len(word) for word in printable(text).split()] for text in texts]
        name_words = (min(MIN_NAME_WIDTH, word) for word in words[0])
        minimum = max([1, *name_words, *(word for cell in words[1:] for word in cell)])
        return cls(minimum, minimum, max([minimum, *(line for cell in cells for line in cell)]), maximum)


def _widths(columns: Sequence[_Column], room: int) -> list[int]:
    """Distribute `room` characters over the columns.

    The first characters go to whole parts of texts, the next to whole cells of numbers, and the last to whole texts and
    names of columns.
    """
    widths = [column.minimum for column in columns]
    for wanted in (
        [column.whole_parts for column in columns],
        [column.usual for column in columns],
        [column.maximum for column in columns],
    ):
        for _ in range(room - sum(widths)):
            lack = [want - width for want, width in zip(wanted, widths, strict=True)]
            if max(lack) <= 0:
                break
            widths[lack.index(max(lack))] += 1
    return widths


def broken(text: str, width: int, numbers: bool = False) -> str:
    """Break lines that are wider than `width` after separators of names (`agent_avenue/simple-2@argmax`) or spaces; in
    a cell of `numbers` only after spaces.

    Parts that are still too wide are left to the console, which folds them.
    """
    lines = []
    for line in text.split("\n"):
        lines.append("")
        for part in re.findall(r"\S+\s*|\s+", line) if numbers else _parts(line):
            if lines[-1] and cell_len(lines[-1] + part.rstrip()) > width:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.rstrip() for line in lines)


def _parts(text: str) -> list[str]:
    return re.findall(r"[^/+,| @]*[/+,| ]+|@?[^/+,| @]+|@", text)


def _between(columns: int) -> int:
    """Return the number of characters between and around `columns` columns."""
    return 3 * columns - 1


@dataclass(frozen=True)
class TextTable:
    """A table of Markdown texts (`code_span`, `name_in_markdown`), for a page and for the screen."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    caption: str = ""
    texts: int = 1
    """Number of leading text columns, which are left-aligned."""

    def markdown(self) -> str:
        """Return title, table and caption as Markdown, separated by empty lines."""
        table = markdown_table(self.head, self.rows, self.texts)
        return "\n\n".join(filter(None, [self.title, table, self.caption]))

    def rich(self) -> ScreenTable:
        """Return the table for `Console.print`, without Markdown's backticks."""
        rows = [[*map(_without_code, row)] for row in self.rows]
        title, caption = _without_code(self.title), _without_code(self.caption)
        return ScreenTable([*map(_without_code, self.head)], rows, title, caption, self.texts)


def _without_code(text: str) -> str:
    """Remove the backticks of code spans; keep their content."""
    return re.sub(r"(`+) ?(.*?) ?\1(?!`)", r"\2", text)


def _deals(number: int) -> str:
    return f"{number:,} deal{'' if number == 1 else 's'}"


def results_table(results: Sequence["Result"], title: str = "") -> ScreenTable:
    """Return a table with one row per result.

    The columns are the win share and its interval, the win shares by side, and the mean return. Games with more than
    two sides also have the fair share.
    """
    first = results[0]
    more = len(first.by_side) > 2
    fair, side = (["fair share %"], "seat") if more else ([], "side")
    failing = any(r.forfeits is not None and r.forfeits.challenger + r.forfeits.opponent for r in results)
    lost = ["failed", "wins % without", "95 %"] if failing else []
    head = ["challenger", "against", "games", "wins %", "95 %", *fair, f"by {side} %", "return", *lost]
    rows = []
    for r in results:
        low, high = (f"{100 * x:.1f}" for x in r.interval)
        shares = " / ".join(f"{100 * share:.1f}" for share in r.by_side)
        fair = [f"{100 * r.fair_share:.1f}"] if more else []
        wins = [f"{100 * r.win_share:.1f}", f"{low}-{high}", *fair, shares]
        rows.append([r.challenger, r.opponent, f"{r.games:,}", *wins, f"{r.mean_return:+.3f}"])
        if failing:
            rows[-1] += _failed(r.forfeits)
    caption = (
        f"{_deals(first.deals)}, each played once from each of the {len(first.by_side)} sides"
        f"{'' if more else f'; fair share {100 * first.fair_share:.1f} %'}. "
        "wins: games won by the challenger, with the 95 % interval; "
        f"by {side}: the same from each {side}, in the order of the {side}s; return: mean result, a win is +1"
        f"{'; fair share: wins of the opponent in the same place' if more else ''}."
    )
    if failing:
        caption += f" {FAILED}"
    return ScreenTable(head, rows, title, caption, texts=2)


FAILED = (
    "failed: games that the challenger and the opponent lost by a crash, no legal action or a time limit, which the "
    "figures before count; without: wins in the other games, with the interval."
)
"""The caption's sentence on forfeits."""


def _failed(forfeits: "Forfeits | None") -> list[str]:
    """Return the cells for forfeits: both numbers, the win share without these games, and its interval."""
    if forfeits is None:
        return ["", "", ""]
    numbers = f"{forfeits.challenger:,} / {forfeits.opponent:,}"
    if forfeits.win_share is None or forfeits.interval is None:
        return [numbers, "", ""]
    return [numbers, f"{100 * forfeits.win_share:.1f}", "-".join(f"{100 * x:.1f}" for x in forfeits.interval)]


def line_up_table(results: Sequence["LineUpResult"], title: str = "") -> ScreenTable:
    """Return a table with one row per player of a line-up: seats, win share and mean return with their intervals."""
    rows = []
    for r in results:
        wins = "-".join(f"{100 * x:.1f}" for x in r.interval)
        returns = " to ".join(f"{x:+.3f}" for x in r.return_interval)
        rows.append([r.player, str(r.seats), f"{100 * r.win_share:.1f}", wins, f"{r.mean_return:+.3f}", returns])
    failing = any(r.forfeits is not None and r.forfeits.own for r in results)
    for row, r in zip(rows, results, strict=True) if failing else ():
        share = None if r.forfeits is None else r.forfeits.win_share
        row += ["" if r.forfeits is None else f"{r.forfeits.own:,}", "" if share is None else f"{100 * share:.1f}"]
    first = results[0]
    moved = "once" if len(first.rotations) == 1 else f"in {len(first.rotations)} rotations of the line-up"
    head = ["player", "seats", "wins %", "95 %", "return", "95 %", *(["failed", "wins % without"] if failing else [])]
    caption = (
        f"{_deals(first.deals)}, each played {moved}. wins: games won; return: mean result; 95 %: their intervals."
    )
    if failing:
        caption += (
            " failed: games lost by a crash, no legal action or a time limit; without: wins in games without these."
        )
    return ScreenTable(head, rows, title, caption)


def matrix_table(names: Sequence[str], shares: np.ndarray) -> ScreenTable:
    """Return a table of win shares in percent, of the row's player against the column's."""
    rows = [
        [name, *("" if np.isnan(share) else f"{100 * share:.1f}" for share in row)]
        for name, row in zip(names, shares, strict=True)
    ]
    return ScreenTable(["", *names], rows, "cross-play", "Games won by the player of the row against the column, in %.")


def check_picture(file: Path) -> None:
    """Raise ValueError if `heat_map` cannot write the format that the suffix of `file` names."""
    from matplotlib.backend_bases import FigureCanvasBase  # slow to import

    known = sorted(FigureCanvasBase.filetypes)
    if file.suffix[1:].lower() not in known:
        raise ValueError(f"{file} cannot be drawn: the ending must be one of {', '.join(known)}")


def heat_map(names: Sequence[str], shares: np.ndarray, file: str | Path, title: str = "") -> None:
    """Draw `matrix_table` as a heat map. The suffix of `file` chooses the format (`check_picture`)."""
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
