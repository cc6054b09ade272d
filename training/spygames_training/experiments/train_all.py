"""Train all configs one after another, and plot how their agents improve."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spygames.core.game.registry import make_game
from spygames.core.players.names import make_player
from spygames_training.config import Config, read_config
from spygames_training.experiments.series import Say, Series
from spygames_training.files.atomic import write_whole
from spygames_training.output.plots import curve_axes, legend, literal, picture
from spygames_training.output.tables import TextTable, in_millions, name_in_markdown
from spygames_training.parallel.executor import SERIAL, Executor
from spygames_training.runs.report import MOMENTS, WIN, read_metrics


class TrainAll:
    """Training runs of several TOML files, each in its own folder below `folder`, and their curves against an opponent.

    Finished runs are not repeated and stopped runs are resumed.

    Args:
        paths: TOML files; the stem of each names its run.
        folder: the parent of the runs' folders; variants.json, variants.md and variants.png are written there.
        against: the opponent, which every config must evaluate against.
        decisions: length of each run; None: each config's own.
        machine: facts about this machine, stored with the figures.
        say: called with a line when a run begins.
        allow_code: as in `read_config`.
        executor: computes the runs.

    Raises:
        ValueError: a config cannot be read, two have the same name, one does not evaluate against the opponent, or a
            folder holds another run. It is raised before the first run begins.
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
                f"two configs are named {twice[0]}, which also names the run's folder: rename one of the files"
            )
        self.metrics: dict[str, str] = {}
        """The name of the win share against the opponent in each run's metrics, by the config's name."""
        configs = {path.stem: read_config(path, allow_code=allow_code) for path in paths}
        for path, config in zip(paths, configs.values(), strict=True):
            game = make_game(config.game, **config.options)
            judge = make_player(game, against).name  # the name of its figures
            if judge not in [make_player(game, name).name for name in config.evaluate_against]:
                raise ValueError(f"{path}: evaluate_against must contain {against}")
            self.metrics[path.stem] = WIN + judge
        if decisions:
            configs = {name: replace(config, decisions=decisions) for name, config in configs.items()}
        self.configs, self.folder, self.against, self.machine = configs, folder, against, dict(machine or {})
        self.series = Series(configs, folder, say, executor=executor)
        self.runs: dict[str, dict[str, Any]] = {}
        """Summary and curve of each finished run, by name."""

    def train(self) -> TextTable:
        """Train all and return a table with a row for each config. Errors as in `Run.train`."""
        for (name, config), folder in zip(self.configs.items(), self.series.runs(), strict=True):
            summary = self.series.summary(name)
            rows = read_metrics(folder, summary["decisions"])
            metric = self.metrics[name]
            curve = [[row["decisions"], row[metric]] for row in rows if metric in row]
            self.runs[name] = {"game": config.game, "options": config.options, **summary, "curve": curve}
            figures = {"machine": self.machine, "runs": self.runs}
            write_whole(self.folder / "variants.json", json.dumps(figures, indent=1) + "\n")
        against = name_in_markdown(self.against)
        head = ["config", "players", "decisions", "seconds", *(f"{against}, {moment} %" for moment in MOMENTS)]
        table = TextTable(
            head, [_cells(self.configs[name], name, run, self.metrics[name]) for name, run in self.runs.items()]
        )
        write_whole(self.folder / "variants.md", table.markdown() + "\n")
        self.plot(self.folder / "variants.png")
        return table

    def plot(self, path: Path) -> None:
        """Draw the curves as a PNG, with a panel for each game."""
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
    """Return a run's row of the table."""
    players = make_game(config.game, **config.options).num_players
    shares = [f"{100 * run[moment][metric]:.1f}" for moment in MOMENTS]
    return [name_in_markdown(name), str(players), in_millions(run["decisions"]), f"{run['seconds']:,}", *shares]
