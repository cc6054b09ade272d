"""Every config trained, one after another, and how the agents' curves rise."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spygames.core.game.registry import make_game
from spygames_training.config import Config, read_config
from spygames_training.experiments.series import Say, Series
from spygames_training.files.atomic import write_whole
from spygames_training.output.plots import curve_axes, legend, literal, picture
from spygames_training.output.tables import TextTable, name_in_markdown
from spygames_training.parallel.executor import SERIAL, Executor
from spygames_training.runs.report import MOMENTS, WIN, read_metrics


class TrainAll:
    """The runs of several TOML files, each in a folder of its own under `folder`, and their curves against one
    opponent. A finished run is not trained again, and one that was stopped is resumed.

    Args:
        paths: TOML files; each one's stem names its run.
        folder: holds the runs, and afterwards variants.json, variants.md and variants.png.
        against: the opponent, which every config must evaluate against.
        decisions: length of each run; None: each config's own.
        machine: facts of this machine, kept with the figures.
        say: told which run begins.
        allow_code: as in `read_config`.
        executor: makes the runs.

    Raises:
        ValueError: a config cannot be read, two are called alike, one does not evaluate against that opponent, or a
            folder holds another run; raised before any run is made.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        folder: Path,
        against: str = "greedy",
        decisions: int | None = None,
        machine: Mapping[str, Any] | None = None,
        say: Say = print,
        allow_code: bool = True,
        executor: Executor = SERIAL,
    ):
        stems = [path.stem for path in paths]
        if twice := [stem for stem in stems if stems.count(stem) > 1]:
            raise ValueError(
                f"two configs are called {twice[0]}, which is also the name of the run's folder: rename one"
            )
        configs = {path.stem: read_config(path, allow_code=allow_code) for path in paths}
        for path, config in zip(paths, configs.values(), strict=True):
            if against not in config.evaluate_against:
                raise ValueError(f"{path} does not evaluate against {against}")
        if decisions:
            configs = {name: replace(config, decisions=decisions) for name, config in configs.items()}
        self.configs, self.folder, self.against, self.machine = configs, folder, against, dict(machine or {})
        self.series = Series(configs, folder, say, executor=executor)
        self.runs: dict[str, dict[str, Any]] = {}
        """Summary and curve of each run that is finished, by name."""

    def train(self) -> TextTable:
        """Trains all and returns the table: a row for each config. Raises what `Run.train` does."""
        metric = WIN + self.against
        for (name, config), folder in zip(self.configs.items(), self.series.runs(), strict=True):
            summary = self.series.summary(name)
            rows = read_metrics(folder, summary["decisions"])
            curve = [[row["decisions"], row[metric]] for row in rows if metric in row]
            self.runs[name] = {"game": config.game, "options": config.options, **summary, "curve": curve}
            figures = {"machine": self.machine, "runs": self.runs}
            write_whole(self.folder / "variants.json", json.dumps(figures, indent=1) + "\n")
        against = name_in_markdown(self.against)
        head = ["config", "players", "decisions", "seconds", *(f"{against}, {moment} %" for moment in MOMENTS)]
        table = TextTable(head, [_cells(self.configs[name], name, run, metric) for name, run in self.runs.items()])
        write_whole(self.folder / "variants.md", table.markdown() + "\n")
        self.plot(self.folder / "variants.png")
        return table

    def plot(self, path: Path) -> None:
        """Draws the curves as a PNG, a panel for each game."""
        games = list(dict.fromkeys(run["game"] for run in self.runs.values()))
        with picture(path, 1, len(games), (6 * len(games), 5), 100) as (_, axes):
            for axis, game in zip(axes, games, strict=True):
                runs = {name: run for name, run in self.runs.items() if run["game"] == game}
                curve_axes(
                    axis,
                    {name: [(d / run["decisions"], share) for d, share in run["curve"]] for name, run in runs.items()},
                )
                axis.set(title=literal(game), xlabel="part of the run", ylim=(0, 1), xlim=(0, 1))
                axis.set_ylabel(literal(f"win share against {self.against}"))
                legend(axis, fontsize=7, ncols=2)


def _cells(config: Config, name: str, run: Mapping[str, Any], metric: str) -> list[str]:
    """A run's row of the table."""
    players = make_game(config.game, **config.options).num_players
    shares = [f"{100 * run[moment][metric]:.1f}" for moment in MOMENTS]
    return [name_in_markdown(name), str(players), f"{run['decisions'] / 1e6:.0f} M", f"{run['seconds']:,}", *shares]
