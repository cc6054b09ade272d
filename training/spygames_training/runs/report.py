"""The metrics of a training run: on screen, in Python's logging, in metrics.jsonl, for TensorBoard, and as plots."""

import hashlib
import io
import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from spygames.core.basics.files import decoded, read_file
from spygames.core.basics.json_values import is_count, is_number, parse_json
from spygames.core.compiling.digest import content
from spygames_training.files.atomic import named, write_whole
from spygames_training.output.plots import legend, picture
from spygames_training.output.tables import ScreenTable, as_cell, console

WIN = "win_share/"
"""Prefix of metrics that are win shares against an opponent."""
METRICS = "metrics.jsonl"
SUMMARY = "summary.json"
MOMENTS = ("start", "half", "end")
"""The moments of a run for which its summary has win shares."""
MAX_METRICS_BYTES = 1 << 32
MAX_SUMMARY_BYTES = 1 << 20
MAX_METRIC = 3.5e38
"""Limit for the absolute value of a metric: the range of a float32, which a plot can show."""
LOG = logging.getLogger("spygames_training")
"""Gets the progress as lines of level INFO, whether or not it is shown on screen."""
SECONDS_A_LINE = 30
"""Maximum time between two lines about the progress; an evaluation gives a line earlier."""


class Board:
    """Writes scalars for TensorBoard to an event file of this process.

    TensorBoard's own writer uses a thread, which would print a traceback when the disk is full.

    Args:
        folder: TensorBoard's; it is created if it does not exist.
        done: the current step; TensorBoard hides later steps of earlier files.

    Raises:
        OSError: the file cannot be written; the methods raise it, too.
    """

    def __init__(self, folder: Path, done: int):
        # Imported here because it is slow, and by name because the modules' contents are generated at run time.
        self._events = import_module("tensorboard.compat.proto.event_pb2")
        self._summaries = import_module("tensorboard.compat.proto.summary_pb2")
        folder.mkdir(exist_ok=True)
        now = time.time_ns()
        self._file = open(folder / f"events.out.tfevents.{now // 10**9}.{os.getpid()}.{now}", "xb")  # noqa: SIM115
        self._write(file_version="brain.Event:2")
        if done:
            log = self._events.SessionLog
            self._write(step=done + 1, session_log=log(status=log.SessionStatus.START))

    def add(self, metrics: Mapping[str, float], step: int) -> None:
        """Write the metrics of one step."""
        summary = self._summaries.Summary
        values = [summary.Value(tag=name, simple_value=value) for name, value in metrics.items()]
        self._write(step=step, summary=summary(value=values))

    def close(self) -> None:
        """Close the file. All metrics were written when they were added."""
        self._file.close()

    def _write(self, **event: Any) -> None:
        from tensorboard.summary.writer.record_writer import RecordWriter

        whole = io.BytesIO()
        RecordWriter(whole).write(self._events.Event(wall_time=time.time(), **event).SerializeToString())
        with named(Path(self._file.name)):
            self._file.write(whole.getvalue())
            self._file.flush()


class MetricsFile:
    """The file metrics.jsonl, with one line per update.

    Args:
        file: its path; the content is replaced by `rows`.
        rows: the metrics of earlier updates.
    """

    def __init__(self, file: Path, rows: Sequence[Mapping[str, Any]]):
        self.file = file
        if file.exists():
            write_whole(file, "".join(json.dumps(row) + "\n" for row in rows))

    def add(self, metrics: Mapping[str, Any]) -> None:
        """Append the metrics of one update. Raises OSError if they cannot be written."""
        with named(self.file), open(self.file, "a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(metrics) + "\n")


class Screen:
    """The progress of a run on screen: a live display in a terminal, otherwise lines.

    Args:
        total: decisions of the whole run.
        done: decisions made so far.
        rows: the metrics of earlier updates.
        play: how the policy plays in evaluations, in words (`play_in_words`).
    """

    def __init__(self, total: int, done: int, rows: Sequence[Mapping[str, Any]], play: str = ""):
        self.total = total
        self.play = play
        self.console = console()
        self.latest: dict[str, float] = {}
        """The latest value of each metric."""
        for row in rows:
            self.latest |= row
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=self.console,
        )
        self._task = self._progress.add_task("decisions", total=total, completed=done, rate="")
        self._live = Live(console=self.console, refresh_per_second=2, get_renderable=self._render)

    def start(self) -> None:
        """Start the live display, if the console is a terminal."""
        if self.console.is_terminal:
            self._live.start()

    def stop(self) -> None:
        """Stop the live display."""
        if self.console.is_terminal:
            self._live.stop()

    def add(self, metrics: Mapping[str, Any], line: str) -> None:
        """Show the metrics of one update in a terminal. Elsewhere print `line`, unless it is empty."""
        self.latest |= metrics
        rate = f"{metrics['decisions_per_second']:,.0f}/s"
        self._progress.update(self._task, completed=min(metrics["decisions"], self.total), rate=rate)
        if line and not self.console.is_terminal:
            self.console.print(as_cell(line), soft_wrap=True)

    def say(self, line: str) -> None:
        """Print a line."""
        self.console.print(as_cell(line), soft_wrap=True)

    def _render(self) -> Group:
        names = ["policy_loss", "value_loss", "explained_variance", "entropy", "kl_to_reference", "clipped"]
        wins = sorted(n for n in self.latest if n.startswith(WIN))
        head, values = [], []
        for name in [*names, *wins]:
            value = self.latest.get(name)
            won = name.startswith(WIN)
            head.append(f"wins against {name.removeprefix(WIN)}" if won else name.replace("_", " "))
            values.append("" if value is None else f"{value:.1%}" if won else f"{value:.4f}")
        caption = f"wins in evaluations: {self.play}" if self.play and wins else ""
        return Group(self._progress, ScreenTable(head, [values], caption=caption, texts=0))


def play_in_words(how: str) -> str:
    """Return `sampled`, `argmax`, or `sampled at temperature 0.5`, for a setting of `Config.evaluate_play`."""
    return {"sample": "sampled", "argmax": "argmax"}.get(how, f"sampled at temperature {how}")


def line_of(metrics: Mapping[str, Any], total: int, play: str = "") -> str:
    """Return the metrics of one update as a line.

    Args:
        metrics: of the update.
        total: decisions of the whole run.
        play: how the policy plays in evaluations, in words (`play_in_words`).
    """
    rate = metrics["decisions_per_second"]
    seconds = max(0, total - metrics["decisions"]) / max(rate, 1)
    left = f"{seconds:4.0f} s  " if seconds < 120 else f"{seconds / 60:4.1f} min"
    done = f"{metrics['decisions'] / 1e6:7.2f} M of {total / 1e6:.2f} M"
    if total < 1_000_000:
        done = f"{metrics['decisions']:7,} of {total:,}"
    parts = [
        done,
        f"{rate:9,.0f}/s",
        f"left {left}",
        f"entropy {metrics['entropy']:.3f}",
        f"KL {metrics['kl_to_reference']:.4f}",
        f"value loss {metrics['value_loss']:.4f}",
        *(f"wins against {n.removeprefix(WIN)} {v:.1%}" for n, v in metrics.items() if n.startswith(WIN)),
    ]
    evaluated = any(name.startswith(WIN) for name in metrics)
    return "  ".join(parts) + (f" ({play})" if play and evaluated else "")


class Report:
    """Passes the metrics of every update on to metrics.jsonl, TensorBoard and the screen.

    Python's logging gets a line after each evaluation and every `SECONDS_A_LINE`. Each mapping of metrics has
    `decisions`.

    Args:
        folder: of the run.
        total: decisions of the whole run.
        done: decisions made so far.
        earlier: the metrics so far (`read_metrics`). Other metrics in the folder are dropped, since the run makes them
            again.
        progress: whether to show the progress on screen.
        play: `Config.evaluate_play`, named beside win shares; "": not named.
    """

    def __init__(
        self,
        folder: Path,
        total: int,
        done: int = 0,
        earlier: Sequence[dict[str, Any]] = (),
        progress: bool = True,
        play: str = "",
    ):
        self.folder, self.total, self.rows = folder, total, [*earlier]
        self.play = play_in_words(play) if play else ""
        self._file = MetricsFile(folder / METRICS, self.rows)
        self._board = Board(folder / "tensorboard", done)
        self._screen = Screen(total, done, self.rows, self.play) if progress else None
        self._last_line = 0.0

    def __enter__(self) -> "Report":
        if self._screen:
            self._screen.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._screen:
            self._screen.stop()
        self._board.close()

    def add(self, metrics: dict[str, Any]) -> None:
        """Report the metrics of one update."""
        self.rows.append(metrics)
        self._file.add(metrics)
        self._board.add(metrics, metrics["decisions"])
        line = ""
        if any(name.startswith(WIN) for name in metrics) or time.monotonic() - self._last_line > SECONDS_A_LINE:
            self._last_line = time.monotonic()
            line = line_of(metrics, self.total, self.play)
            LOG.info(line)
        if self._screen:
            self._screen.add(metrics, line)

    def plot(self) -> Path:
        """Draw the curves so far into curves.png."""
        return plot_curves(self.rows, self.folder / "curves.png", self.play)

    def summarize(self, decisions: int, seconds: float, trained: bool = True) -> None:
        """Write summary.json: the win shares after the first update, at half and at the end of the run.

        The speed is shown on screen and logged, or that there was nothing left to do.

        Args:
            decisions: of the run.
            seconds: that they took.
            trained: whether this call of the run made any of them.
        """
        rows = [row for row in self.rows if any(name.startswith(WIN) for name in row)]
        half = sorted(rows, key=lambda row: abs(row["decisions"] - decisions / 2))[:1]
        summary: dict[str, Any] = {"decisions": decisions, "seconds": round(seconds)}
        for moment, selected in zip(MOMENTS, (rows[:1], half, rows[-1:]), strict=True):
            summary[moment] = {name: v for row in selected for name, v in row.items() if name.startswith(WIN)}
        write_whole(self.folder / SUMMARY, json.dumps(summary, indent=2) + "\n")
        rate = decisions / max(seconds, 1e-9)
        line = f"{decisions:,} decisions in {round(seconds)} s ({rate:,.0f} a second)"
        if not trained:
            line = f"nothing is left to do: the run has made its {decisions:,} decisions; set more to make it longer"
        LOG.info(line)
        if self._screen:
            self._screen.say(line)


def read_summary(folder: Path) -> dict[str, Any]:
    """Read the summary.json of a finished run. Raise ValueError, of one line, if it is missing or damaged."""
    file = folder / SUMMARY
    try:
        summary = parse_json(read_file(file, MAX_SUMMARY_BYTES))
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{file} is damaged: {error}") from error
    shares = [summary.get(moment) for moment in MOMENTS] if isinstance(summary, dict) else [None]
    good = all(isinstance(each, dict) and all(is_number(share) for share in each.values()) for each in shares)
    if not good or not is_count(summary.get("decisions")) or not is_count(summary.get("seconds")):
        raise ValueError(f"{file} is damaged: it must have decisions, seconds and win shares ({', '.join(MOMENTS)})")
    return summary


def metrics_digest(folder: Path) -> list[Any]:
    """Flush metrics.jsonl to disk and return its length in bytes and its SHA-256, independent of line endings."""
    file, data = folder / METRICS, b""
    if file.exists():
        with open(file, "rb+") as opened:
            os.fsync(opened.fileno())
            data = content(opened.read())
    return [len(data), hashlib.sha256(data).hexdigest()]


def read_metrics(folder: Path, done: int, saved: Sequence[Any] | None = None) -> list[dict[str, Any]]:
    """Read the metrics of a run's updates up to `done` decisions. A last line that a kill cut off is ignored.

    Args:
        folder: of the run; without metrics.jsonl there are no metrics.
        done: number of decisions.
        saved: the `metrics_digest` saved with the state; None: not known.

    Raises:
        ValueError: the file is damaged; one line.
    """
    file = folder / METRICS
    if not file.exists():
        return []
    hint = "without the file the run can be resumed, but its earlier metrics are lost"
    try:
        data = content(read_file(file, MAX_METRICS_BYTES))
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}; {hint}") from error
    lines = data.splitlines()
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        row: Any = None
        try:
            row = json.loads(decoded(line))
        except (ValueError, RecursionError):
            if number == len(lines):
                break
        if (
            not isinstance(row, dict)
            or not is_count(row.get("decisions"))
            or not all(is_number(value) and abs(value) < MAX_METRIC for value in row.values())
        ):
            raise ValueError(
                f"{file}, line {number}, is damaged: it must be a JSON object of finite numbers, decisions among them; "
                f"{hint}"
            )
        if row["decisions"] <= done:
            rows.append(row)
    if saved is not None and (not isinstance(saved, list) or len(saved) != 2 or not is_count(saved[0])):
        raise ValueError(f"{file}: its digest in the saved state is damaged; {hint}")
    if saved is not None and saved != [len(data[: saved[0]]), hashlib.sha256(data[: saved[0]]).hexdigest()]:
        raise ValueError(f"{file} is damaged: it differs from what was saved with the state; {hint}")
    return rows


def plot_curves(rows: list[dict[str, Any]], path: Path, play: str = "") -> Path:
    """Draw win shares, entropy, KL and explained variance over decisions as a PNG.

    `play` says how the policy plays in evaluations, in words (`play_in_words`).
    """
    with picture(path, 2, 2, (11, 7), 110) as (_, axes):
        wins = sorted({name for row in rows for name in row if name.startswith(WIN)})
        panels = [
            (f"win share ({play})" if play else "win share", wins),
            ("entropy (nats)", ["entropy"]),
            ("KL to the reference (nats)", ["kl_to_reference"]),
            ("variance explained by the critic", ["explained_variance"]),
        ]
        for axis, (title, names) in zip(axes, panels, strict=True):
            for name in names:
                points = [(row["decisions"] / 1e6, row[name]) for row in rows if name in row]
                axis.plot(
                    *zip(*points, strict=True),
                    marker="o" if name in wins else "",
                    label=name.removeprefix(WIN),
                )
            axis.set(title=title, xlabel="million decisions")
            axis.grid(alpha=0.3)
        axes[0].set_ylim(0, 1)
        if wins:
            legend(axes[0])
    return path
