"""`spygames ablate`."""

from dataclasses import dataclass, field, replace
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
    """Measures what each part of a training recipe is worth: the same run with one setting changed, several seeds each.

        spygames ablate agent_avenue_simple --decisions 4000000 --hidden 128 128
        spygames ablate heimlich_3 --only defaults "no reference" --seeds 3

    Every run lives in a folder of its own under --out. A finished run is not made again, and one that was stopped is
    resumed, so the command can be repeated until all are there. A change that the config has made already is left out.
    Each agent then plays every opponent of --against, and as many games against the agent of the unchanged recipe that
    has the same seed. The table has a row for each change: the mean over seeds with its 95 % interval (Student's t over
    the seeds' means), on screen and, in Markdown, in ablations.md; ablations.json has every figure.
    """

    config: Positional[ConfigFile] = None
    """The recipe that is changed: a TOML file, or the name of a config that comes with the package."""
    only: Annotated[tuple[str, ...], tyro.conf.arg(help_behavior_hint="", metavar="[CHANGE [CHANGE ...]]")] = ()
    """Some of the changes; all if not given. A wrong one is answered with their names."""
    seeds: Positive = 3
    """Training runs for each change, 2 to 10."""
    decisions: AnyPositive = None
    """Length of each run; the config's if not given."""
    hidden: Annotated[tuple[Positive, ...], tyro.conf.arg(help_behavior_hint="")] = ()
    """Widths of the network; the config's if not given."""
    games: Positive = 2000
    """Against each opponent."""
    play: Annotated[str, value(str, "HOW")] = "argmax"
    """How the agents play: sample, argmax or a temperature, such as 0.5."""
    against: Players = ("greedy", "expert")
    """The opponents. (default: greedy expert)"""
    out: Folder = Path("runs/ablations")
    """Holds the runs."""
    tasks: TaskOptions = field(default_factory=Tasks)

    allow_code: bool = False
    """Whether the game that the config names may be a module of anybody's, which may run any code."""

    def run(self) -> int:
        if self.config is None:
            raise WrongArguments("name the config, as in spygames ablate demo")
        from spygames_training.config import read_config
        from spygames_training.experiments.ablations import CHANGES, Ablations

        if unknown := [name for name in self.only if name not in CHANGES]:
            raise ValueError(f"no change {unknown[0][:100]!r}; there are {', '.join(map(repr, CHANGES))}")
        config = read_config(self.config, allow_code=self.allow_code)
        config = replace(config, decisions=self.decisions or config.decisions)
        if self.hidden:
            config = replace(config, network=replace(config.network, hidden=self.hidden))
        against = [*self.against]
        with self.tasks.executor() as executor:
            measured = self.seeds, self.games, self.play, against
            ablations = Ablations(config, self.out, self.only or None, *measured, executor=executor)
            for name in ablations.left_out:
                say(f"left out, for {self.config} says so already: {name}")
            try:
                table = ablations.measure()
            except KeyboardInterrupt:
                complain("spygames ablate", "stopped; the same command resumes")
                return 130
        console().print(table.rich())
        folder = ablations.folder
        say(f"the table in Markdown: {folder / 'ablations.md'}; every figure: {folder / 'ablations.json'}")
        return 0
