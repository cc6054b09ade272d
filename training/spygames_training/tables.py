"""Results on the screen, in Markdown, as JSON and as a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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

from spygames.core.game import Game
from spygames.core.players import Player
from spygames.core.version import VERSION
from spygames_training.evaluation import PROTOCOL, Result, paired_differences
from spygames_training.identity import game_digest, player_digest, trained_against
from spygames_training.line_ups import LineUpResult
from spygames_training.plots import new_figure, save_figure

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
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(unit),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        **options,
    )


def wide_console() -> Console:
    """A console for results: as wide as the terminal, or 120 columns in a file or a pipe, which has no width."""
    console = Console()
    return console if console.is_terminal else Console(width=120)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """A table in Markdown, without a newline at its end; all columns but the first `texts` are aligned to the right."""
    lines = [head, [*["---"] * texts, *["---:"] * (len(head) - texts)], *rows]
    # A bar ends a cell, in code too, and names of players may have some: agent+search:64,rivals=policy|expert.
    escaped = [[cell.replace("|", r"\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)


@dataclass(frozen=True)
class TextTable:
    """A table of texts for the screen and for a page."""

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
        table = Table(title=self.title or None, caption=self.caption or None, box=SIMPLE_HEAD, pad_edge=False)
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


def _plain(cell: str) -> str:
    return cell.replace("`", "")


def results_table(results: Sequence[Result], title: str = "") -> Table:
    """A row for each result: win share with its interval, the fair share where it is no half, the shares by side, mean
    return."""
    table = Table(title=title or None, box=SIMPLE_HEAD, pad_edge=False)
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
            r.challenger, r.opponent, f"{r.games:,}", f"{100 * r.win_share:.1f}", f"{low}-{high}", *fair, shares,
            f"{r.mean_return:+.3f}",
        )  # fmt: skip
    first = results[0]
    table.caption = f"{first.deals:,} deals, the challenger on each of the {len(first.by_side)} sides once a deal"
    return table


def line_up_table(results: Sequence[LineUpResult], title: str = "") -> Table:
    """A row for each player of a line-up: its seats, win share and mean return with their intervals."""
    table = Table(title=title or None, box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("player", overflow="fold")
    for name in ("seats", "wins %", "95 %", "return", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for r in results:
        wins = "-".join(f"{100 * x:.1f}" for x in r.interval)
        returns = " to ".join(f"{x:+.3f}" for x in r.return_interval)
        table.add_row(r.player, str(r.seats), f"{100 * r.win_share:.1f}", wins, f"{r.mean_return:+.3f}", returns)
    first = results[0]
    moved = "once" if len(first.rotations) == 1 else f"in {len(first.rotations)} rotations of the line-up"
    table.caption = f"{first.deals:,} deals, each played {moved}"
    return table


def matrix_table(names: Sequence[str], shares: np.ndarray) -> Table:
    """Win shares in percent, the row's player against the column's."""
    table = Table(title="wins of the row against the column, %", box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("")
    for name in names:
        table.add_column(name, justify="right", overflow="fold")
    for name, row in zip(names, shares, strict=True):
        table.add_row(name, *("" if np.isnan(share) else f"{100 * share:.1f}" for share in row))
    return table


def as_json(
    game: Game,
    results: Sequence[Result],
    seed: int,
    extra: Mapping[str, Any] | None = None,
    players: Sequence[Player] = (),
) -> dict[str, Any]:
    """Everything that is needed to play the same games again, and what came of them.

    Args:
        game: what was played.
        results: of one seed.
        seed: of the deals.
        extra: more to be told, JSON-able.
        players: all who are named in `results`; None of them twice. Others have no digest.
    """
    known = {player.name: player for player in players}
    rows = []
    for result in results:
        row = asdict(result)
        del row["by_deal"]
        pair = known.get(result.challenger), known.get(result.opponent)
        row["training_opponent"] = None if None in pair else trained_against(game, *pair)  # type: ignore[arg-type]
        rows.append(row)
    unit = "a deal, played with the challenger on every side (a team, or a seat that plays for itself)"
    differences = [asdict(difference) for difference in paired_differences(results, seed)]
    return _document(game, rows, seed, {"unit": unit, **(extra or {})}, known) | {"differences": differences}


def line_up_json(
    game: Game, results: Sequence[LineUpResult], seed: int, players: Sequence[Player] = ()
) -> dict[str, Any]:
    """As `as_json`, of a line-up."""
    unit = "a deal, played once for each rotation of the line-up"
    known = {player.name: player for player in players}
    return _document(game, [asdict(result) for result in results], seed, {"unit": unit}, known)


def _document(
    game: Game, rows: list[dict[str, Any]], seed: int, extra: Mapping[str, Any], known: Mapping[str, Player]
) -> dict[str, Any]:
    """Results with all that they depend on."""
    return {
        "protocol": PROTOCOL,
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "code": {"spygames": VERSION, "game": game_digest(game), "worlds": game.worlds_version},
        "environment": {"id": game.id, "options": dict(game.options)},
        "players": {name: {"digest": player_digest(game, player)} for name, player in known.items()},
        "seed": seed,
        **extra,
        "results": rows,
    }


def check_picture(file: Path) -> None:
    """ValueError if `heat_map` does not know the format that the ending of `file` names."""
    from matplotlib.backend_bases import FigureCanvasBase  # slow to import

    known = sorted(FigureCanvasBase.filetypes)
    if file.suffix[1:].lower() not in known:
        raise ValueError(f"{file} cannot be drawn: the ending must be one of {', '.join(known)}")


def heat_map(names: Sequence[str], shares: np.ndarray, file: str | Path, title: str = "") -> None:
    """Draws `matrix_table` as a picture; the ending of `file` says in which format (`check_picture`)."""
    size = 2.5 + 0.9 * len(names)
    figure, (axes,) = new_figure(1, 1, (size + 1.5, size))
    image = axes.imshow(100 * shares, vmin=0, vmax=100, cmap="RdBu")
    axes.set_xticks(range(len(names)), labels=names, rotation=30, ha="right")
    axes.set_yticks(range(len(names)), labels=names)
    axes.set_xlabel("against")
    axes.set_title(title)
    for i, j in np.argwhere(~np.isnan(shares)):
        dark = abs(shares[i, j] - 0.5) > DARK
        axes.text(j, i, f"{100 * shares[i, j]:.1f}", ha="center", va="center", color="white" if dark else "black")
    figure.colorbar(image, label="wins %")
    save_figure(figure, Path(file), 150, Path(file).suffix[1:])
