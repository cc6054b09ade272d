"""`spygames ablate`."""

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyPositive,
    ConfigFile,
    Folder,
    Players,
    Positive,
    Positives,
    TaskOptions,
    Tasks,
    WrongArguments,
    complain,
    console,
    say,
    value,
)


@dataclass(frozen=True)
class Ablate:
    """Measure the effect of single settings: train with one of them changed.

        spygames ablate agent_avenue_simple --decisions 4000000 --hidden 128 128
        spygames ablate heimlich_3 --only defaults "no reference" --seeds 3

    Every run has its own folder under --out. The command skips finished runs and resumes stopped ones, so it can be
    repeated until all runs are finished. It skips changes that the config already makes.

    Each agent then plays every opponent of --against. It also plays as many games against the agent of the unchanged
    config with the same seed. The table has a row for each change: the mean over seeds with its 95 % interval
    (Student's t over the seeds' means). The table is printed and written to ablations.md as Markdown; ablations.json
    has all figures.
    """

    config: Positional[ConfigFile] = None
    """The config to change: a TOML file, or the name of a config that comes with the package."""
    only: Annotated[tuple[str, ...], tyro.conf.arg(help_behavior_hint="", metavar="[CHANGE ...]")] = ()
    """Names of the changes to measure; an unknown name lists them. (default: all)"""
    seeds: Positive = 3
    """Training runs for each change, 2 to 10."""
    decisions: AnyPositive = None
    """Length of each run. (default: that of the config)"""
    hidden: Positives = ()
    """Layer widths of the network. (default: those of the config)"""
    games: Positive = 2000
    """Number of games against each opponent."""
    play: Annotated[str, value(str, "HOW")] = "argmax"
    """How the agents play: sample, argmax or a temperature, such as 0.5."""
    against: Players = ("greedy", "expert")
    """The opponents. (default: greedy expert)"""
    out: Folder = Path("runs/ablations")
    """Folder of the runs."""
    tasks: TaskOptions = field(default_factory=Tasks)

    allow_code: bool = False
    """Allow the config to name a game from any module, which may run arbitrary code."""

    def run(self) -> int:
        if self.config is None:
            raise WrongArguments("name the config, as in spygames ablate demo")
        from spygames_training.config import read_config
        from spygames_training.experiments.ablations import CHANGES, Ablations

        if unknown := [name for name in self.only if name not in CHANGES]:
            near = get_close_matches(unknown[0][:100], CHANGES, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"the changes are {', '.join(map(repr, CHANGES))}"
            raise ValueError(f"no change {unknown[0][:100]!r}; {meant}")
        config = read_config(self.config, allow_code=self.allow_code)
        config = replace(config, decisions=self.decisions or config.decisions)
        if self.hidden:
            config = replace(config, network=replace(config.network, hidden=self.hidden))
        against = [*self.against]
        with self.tasks.executor() as executor:
            measured = self.seeds, self.games, self.play, against
            ablations = Ablations(config, self.out, self.only or None, *measured, executor=executor)
            for name in ablations.left_out:
                say(f"skipped, since {self.config} already makes this change: {name}")
            try:
                table = ablations.measure()
            except KeyboardInterrupt:
                complain("spygames ablate", "stopped; the same command resumes")
                return 130
        console().print(table.rich())
        folder = ablations.folder
        say(f"table: {folder / 'ablations.md'}\nall figures: {folder / 'ablations.json'}")
        return 0
