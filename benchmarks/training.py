"""Benchmarks of training: the time to a win share against `greedy` for three methods, and the speed in each game."""

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.rates import training_rate
from benchmarks.tools import show
from spygames.core.game.registry import game_ids
from spygames_training.output.tables import markdown_table, put_between
from spygames_training.system.machine import machine

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- training: python -m benchmarks --train writes from here -->", "<!-- to here, training -->"
GOAL = 0.85
"""Win share against `greedy`, by argmax, that two consecutive evaluations must reach."""
GAMES = 2000
EVERY = 5.0
SHARE = "win_share/greedy"
TUTORIAL = "MaskablePPO, PettingZoo's tutorial"
DECISIONS = 30_000_000
"""Decisions over which learning rate and entropy decay, twice as many as in the demo, so that the goal is reached while
they are high."""
PATIENCE = 4.0
"""Maximum duration of a run with its evaluations, as a multiple of its training time."""
STARTING = 300.0
"""Additional seconds for the start on a machine where nothing is compiled yet."""


@dataclass
class Way:
    """One training method, as a command that writes metrics.jsonl into a folder."""

    title: str
    name: str
    command: list[str]
    rows: list[dict[str, Any]] = field(default_factory=list)

    def curve(self) -> tuple[list[float], list[float]]:
        """Return seconds of training and win shares at the evaluations."""
        points = [(row["seconds"], row[SHARE]) for row in self.rows if SHARE in row]
        return [s for s, _ in points], [w for _, w in points]

    def reached(self) -> float | None:
        """Return the seconds of training until the first of two consecutive evaluations that reach the goal."""
        seconds, shares = self.curve()
        for k in range(len(shares) - 1):
            if min(shares[k], shares[k + 1]) >= GOAL:
                return seconds[k]
        return None

    def rate(self) -> float:
        """Return the decisions per second of training, without the first figure, which includes warm-up."""
        first, last = self.rows[0], self.rows[-1]
        if first is last:
            return float(last["decisions_per_second"])
        return (last["decisions"] - first["decisions"]) / (last["seconds"] - first["seconds"])


def ways() -> list[Way]:
    """Return the three methods.

    Ours is the demo's config, twice as long, with scripted opponents in some games. MaskablePPO with `SelfPlayVecEnv`
    has the same config without scripted opponents, which it does not support. The tutorial has its own settings.
    """
    train = [
        *("-m", "spygames_app", "train", "--config", "demo", "--decisions", str(DECISIONS)),
        *("--evaluate-against", "greedy", "--evaluate-play", "argmax"),
        *("--evaluate-every", str(EVERY), "--evaluate-games", str(GAMES)),
    ]
    tutorial = ["-m", "benchmarks.tutorial", "--every", str(EVERY), "--games", str(GAMES)]
    return [
        Way("this package's PPO", "ours", train),
        Way(
            "MaskablePPO, SelfPlayVecEnv",
            "self_play_vec_env",
            [*train, "--algorithm", "maskable_ppo", "--opponents.share", "0"],
        ),
        Way(TUTORIAL, "tutorial", tutorial),
    ]


def run(way: Way, seconds: float, progress: Progress) -> None:
    """Train for `seconds`, not counting evaluations and start-up, and keep the metrics."""
    task = progress.add_task(way.title, total=seconds, note="starting")
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "errors", "w+") as errors:
        out, started = Path(folder) / "run", time.monotonic()
        command = [sys.executable, *way.command, "--out", str(out)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=errors)
        try:
            while process.poll() is None and time.monotonic() - started < PATIENCE * seconds + STARTING:
                time.sleep(0.5)
                way.rows = _read(out / "metrics.jsonl")
                if way.rows:
                    note = f"{way.rows[-1]['decisions']:,} decisions, {(way.curve()[1] or [0])[-1]:.1%}"
                    progress.update(task, completed=way.rows[-1]["seconds"], note=note)
                    if way.rows[-1]["seconds"] >= seconds:
                        break
        finally:
            if process.poll() is None:
                process.terminate()  # not SIGINT, which background processes may ignore
            process.wait()
        way.rows = _read(out / "metrics.jsonl")
        if not way.curve()[0]:
            errors.seek(0)
            raise RuntimeError(f"{way.title} gave no figures:\n{errors.read()}")
    progress.update(task, completed=seconds)


def _read(file: Path) -> list[dict[str, Any]]:
    """Return the complete rows of the file. The last line may be incomplete."""
    rows = []
    for line in file.read_text().splitlines() if file.exists() else []:
        try:
            rows.append(json.loads(line))
        except ValueError:
            break
    return rows


def table(measured: list[Way], speeds: dict[str, list[float]]) -> str:
    """Return both tables as Markdown."""
    base = next(way for way in measured if way.title == TUTORIAL).rate()
    rows = []
    for way in measured:
        seconds, shares = way.curve()
        reached = way.reached()
        goal = f"not in {seconds[-1]:.0f} s" if reached is None else f"{reached:.0f} s"
        rows.append([way.title, goal, f"{max(shares):.1%}", show(way.rate(), ""), f"{way.rate() / base:.3g} x"])
    head = ["Agent Avenue, two players, simple", f"training to {GOAL:.0%} against `greedy`"]
    ways = markdown_table([*head, "best", "decisions/s", "ratio"], rows)
    rows = []
    for game_id, found in speeds.items():
        middle = sorted(found)[len(found) // 2]
        rows.append([f"`{game_id}`", show(middle, ""), f"{show(min(found), '')} to {show(max(found), '')}"])
    head = ["training, network 2x128, 2 epochs, default variant", "median decisions/s", "lowest to highest"]
    return f"{ways}\n\n{markdown_table(head, rows)}"


def picture(measured: list[Way], path: Path) -> None:
    """Plot the win share against `greedy` over seconds of training."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axis = plt.subplots(figsize=(8, 5), layout="constrained")
    for way in measured:
        axis.plot(*way.curve(), marker=".", label=f"{way.title} ({show(way.rate(), '')} decisions/s)")
    axis.axhline(GOAL, color="grey", linewidth=0.8, linestyle="--")
    axis.set(xlabel="seconds of training", ylabel="games won against greedy", ylim=(0, 1), xlim=(0, None))
    axis.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=1)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def train(minutes: float, runs: int, seconds: float, docs: Path | None) -> None:
    """Measure, print and save the figures.

    Args:
        minutes: maximum minutes of training of each method.
        runs: maximum number of measurements of the speed in each game.
        seconds: length of each of these measurements.
        docs: folder of the page, the JSON file and the picture; None: runs/benchmark, without the page.
    """
    host, console = machine(), Console()
    measured, speeds = ways(), {}
    columns = (
        TextColumn("{task.description:<36}"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=console) as progress:
        for way in measured:
            run(way, 60 * minutes, progress)
        task = progress.add_task("speed in each game", total=len(game_ids()), note="")
        for game_id in game_ids():
            measure = training_rate(game_id)
            speeds[game_id] = [measure(seconds) for _ in range(min(runs, 5))]
            progress.advance(task)
    versions = ", ".join(f"{k} {host[k]}" for k in ("python", "numpy", "numba", "torch", "sb3_contrib"))
    about = (
        f"{date.today()}, {host['processor']} ({host['instructions']}), {host['cores']} cores; "
        f"{versions}. At most {minutes:g} minutes of "
        f"training each, evaluations of {GAMES:,} games and start-up not counted. Load average at the start: "
        f"{host['load at the start']}."
    )
    text = f"{table(measured, speeds)}\n\n{about}"
    console.print(text, markup=False, highlight=False, soft_wrap=True)
    folder = docs or ROOT / "runs" / "benchmark"
    picture(measured, folder / "images" / "training.png")
    figures = {
        "date": date.today().isoformat(),
        "machine": host,
        "minutes": minutes,
        "goal": GOAL,
        "ways": {
            way.name: {
                "title": way.title,
                "command": ["python", *way.command],
                "seconds_to_goal": way.reached(),
                "decisions_per_second": way.rate(),
                "curve": [
                    dict(zip(("seconds", "win_share"), point, strict=True)) for point in zip(*way.curve(), strict=True)
                ],
            }
            for way in measured
        },
        "training_speed": speeds,
    }
    results = docs / "results" if docs else folder
    (results / "benchmarks_training.json").write_text(json.dumps(figures, indent=1) + "\n")
    if docs:
        put_between(results / "benchmarks.md", BEGIN, END, f"![Win share over time](../images/training.png)\n\n{text}")
    console.print(f"picture and figures: {folder}", markup=False, highlight=False)
