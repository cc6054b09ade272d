"""Train one config with several seeds, to see how much of a result is chance."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from spygames.core.basics.json_values import LARGEST
from spygames.core.basics.whole_numbers import whole
from spygames_training.config import Config, check_config
from spygames_training.experiments.ablations import T_95, interval
from spygames_training.experiments.series import Say, Series
from spygames_training.files.atomic import write_whole
from spygames_training.networks.custom import Source
from spygames_training.output.plots import legend, picture
from spygames_training.output.tables import TextTable, in_millions, name_in_markdown
from spygames_training.parallel.executor import SERIAL, Executor
from spygames_training.ppo.shaping import Shaping
from spygames_training.runs.loop import check_callbacks
from spygames_training.runs.report import METRICS, WIN, read_metrics
from spygames_training.runs.run import Callback

__all__ = ["train_seeds"]

POINTS = 200
"""Number of points in a drawn curve."""
Curves = Mapping[str, Sequence[Sequence[tuple[int, float]]]]
"""By opponent, for each seed: (decisions, win share) of each evaluation."""


def train_seeds(
    config: Config,
    folder: str | Path,
    seeds: int = 3,
    *,
    network: Source | str | None = None,
    shaping: Shaping | str | None = None,
    callbacks: Sequence[Callback] = (),
    progress: bool = True,
    say: Say = print,
    executor: Executor = SERIAL,
) -> TextTable:
    """Train a config with the seeds `config.seed`, `config.seed` + 1, and so on, in the folders `folder`/seed_N.

    Finished runs are not repeated and stopped runs are resumed, so the same call continues after Ctrl-C. `folder` gets
    seeds.md with the table, seeds.json with all figures, and curves.png. The plot shows the mean over the seeds and a
    band from the lowest to the highest.

    Args:
        config: the settings of the runs; its `evaluate_against` must name at least one opponent.
        folder: the parent of the runs' folders.
        seeds: number of seeds, 2 to 10.
        network, shaping: as in `Run.create`; a function that makes a network is called for each seed.
        callbacks, progress: as in `Run.train`.
        say: called with a line when a run begins.
        executor: computes the runs, possibly several at a time. Then the arguments must be picklable, and callbacks are
            called in other processes.

    Returns:
        A table with a row for each opponent. It has each seed's win share in its last evaluation, in percent. The
        last column is their mean, with half of its 95 % interval (Student's t over the seeds). Its `markdown()`
        returns it as text.

    Raises:
        ValueError: `seeds` is out of range, there is no opponent to evaluate against, or a folder holds a run with
            other settings. It is raised before the first run begins. After the runs: the metrics of one have no
            evaluation, for instance because the file was removed.
        Exception: as in `Run.train`.
    """
    check_config(config)
    check_callbacks(callbacks)
    seeds = whole("seeds", seeds, min(T_95), max(T_95))
    if not config.evaluate_against:
        raise ValueError("evaluate_against must name at least one opponent: otherwise there is no curve to show")
    folder = Path(folder)
    numbers = range(config.seed, config.seed + seeds)
    configs = {f"seed_{n}": replace(config, seed=n, name=f"{config.name}_seed_{n}") for n in numbers}
    passed = {"network": network, "shaping": shaping, "callbacks": callbacks, "progress": progress}
    series = Series(configs, folder, say, passed, executor)
    curves = _curves([*series.runs()])
    ends = {name: [curve[-1][1] for curve in several] for name, several in curves.items()}
    table = _table(config, numbers, ends)
    figures = {"config": asdict(config), "seeds": list(numbers), "ends": ends, "curves": curves}
    write_whole(folder / "seeds.json", json.dumps(figures, indent=1) + "\n")
    write_whole(folder / "seeds.md", table.markdown() + "\n")
    _plot(curves, folder / "curves.png")
    return table


def _curves(runs: Sequence[Path]) -> dict[str, list[list[tuple[int, float]]]]:
    """Read the curves from the metrics of each seed's run; ValueError if a run has none."""
    found: dict[str, list[list[tuple[int, float]]]] = {}
    for k, run in enumerate(runs):
        rows = read_metrics(run, LARGEST)
        if not any(name.startswith(WIN) for row in rows for name in row):
            raise ValueError(
                f"{run / METRICS} has no evaluation, so there is no curve to show: move {run} away, and the same call "
                "trains this run again"
            )
        for row in rows:
            for name in row:
                if name.startswith(WIN):
                    several = found.setdefault(name.removeprefix(WIN), [[] for _ in runs])
                    several[k].append((row["decisions"], row[name]))
    return found


def _table(config: Config, numbers: Sequence[int], ends: Mapping[str, Sequence[float]]) -> TextTable:
    rows = []
    for name, shares in ends.items():
        middle, half = interval(shares)
        measured = [*(f"{100 * share:.1f}" for share in shares), f"{100 * middle:.1f} ± {100 * half:.1f}"]
        rows.append([name_in_markdown(name), *measured])
    play = config.evaluate_play
    how = {"sample": "with sampled actions", "argmax": "with argmax"}.get(play, f"at temperature {play}")
    return TextTable(
        ["wins % against", *(f"seed {n}" for n in numbers), "mean"],
        rows,
        f"{name_in_markdown(config.name)}, {in_millions(config.decisions)} decisions, {len(numbers)} seeds",
        f"After the last evaluation of each run, {config.evaluate_games} games {how}. "
        "± is half of the 95 % interval over the seeds.",
    )


def band(curves: Sequence[Sequence[tuple[int, float]]]) -> np.ndarray:
    """Combine several curves by linear interpolation over the decisions that all of them cover.

    Returns:
        float64 [4, POINTS]: decisions, mean, lowest and highest win share.
    """
    ends = [(curve[0][0], curve[-1][0]) for curve in curves]
    at = np.linspace(max(first for first, _ in ends), min(last for _, last in ends), POINTS)
    points = [np.array(curve, np.float64) for curve in curves]
    shares = np.array([np.interp(at, curve[:, 0], curve[:, 1]) for curve in points])
    return np.stack([at, shares.mean(axis=0), shares.min(axis=0), shares.max(axis=0)])


def _plot(curves: Curves, path: Path) -> None:
    """Draw the mean over the seeds and a band, for each opponent, as a PNG."""
    with picture(path, 1, 1, (8, 5), 110) as (_, (axis,)):
        for name, several in curves.items():
            at, middle, lowest, highest = band(several)
            (line,) = axis.plot(at / 1e6, middle, label=name)
            axis.fill_between(at / 1e6, lowest, highest, alpha=0.25, color=line.get_color(), lw=0)
        seeds = len(next(iter(curves.values())))
        title = f"mean of {seeds} seeds, band from the lowest to the highest"
        axis.set(title=title, xlabel="million decisions", ylabel="win share", ylim=(0, 1))
        axis.grid(alpha=0.3)
        legend(axis)
