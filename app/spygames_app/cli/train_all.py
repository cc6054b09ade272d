"""`spygames train-all`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

from spygames.core.basics.files import shipped_folder
from spygames_app.cli.arguments import AnyPositive, Folder, TaskOptions, Tasks, complain, console, say, value
from spygames_app.shipped import config_path

BEGIN, END = "<!-- curves: spygames train-all --write writes from here -->", "<!-- to here, curves -->"
_Config = Annotated[Path, value(config_path, "CONFIG")]


@dataclass(frozen=True)
class TrainAll:
    """Trains every config, one after another or several at a time, and shows how the agents' curves rise.

        spygames train-all                             two to three hours on two cores
        spygames train-all heimlich_3 my_own.toml      some
        spygames train-all --decisions 1000000 --out runs/short

    Every run lives in a folder of its own under --out. A finished run is not made again, and one that was stopped is
    resumed, so the command can be repeated until all are there. The table has a row for each config: the fraction of
    games won against the opponent of --against at the start, half-way and at the end (a game that several win counts in
    part; among n players about 1/n is par). It is on screen and, in Markdown, in OUT/variants.md; variants.json has
    every figure, variants.png the curves.
    """

    configs: Positional[Annotated[tuple[_Config, ...], tyro.conf.arg(help_behavior_hint="")]] = ()
    """TOML files or names of configs that come with the package; all of these but the demo's if not given."""
    against: Annotated[str, value(str, "PLAYER")] = "greedy"
    """The opponent whose curve is shown."""
    decisions: AnyPositive = None
    """Length of each run; each config's own if not given."""
    out: Folder = Path("runs/all")
    """Holds the runs."""
    allow_code: bool = False
    """Whether the game that a config names may be a module of anybody's, which may run any code."""
    write: bool = False
    """In a clone: keep table and figures in docs/results, and the picture in docs/images."""
    tasks: TaskOptions = field(default_factory=Tasks)

    def run(self) -> int:
        from spygames_training.experiments.train_all import TrainAll as Runs
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import put_between
        from spygames_training.system.machine import machine

        docs = shipped_folder("configs").parent / "docs"
        if self.write and not docs.is_dir():
            raise ValueError("--write keeps the figures in the documents of a clone, and this is none")
        paths = self.configs or tuple(p for p in sorted(shipped_folder("configs").glob("*.toml")) if p.stem != "demo")
        with self.tasks.executor() as executor:
            code = self.allow_code
            runs = Runs(paths, self.out, self.against, self.decisions, machine(), allow_code=code, executor=executor)
            try:
                table = runs.train()
            except KeyboardInterrupt:
                complain("spygames train-all", "stopped; the same command resumes")
                return 130
        console().print(table.rich())
        say(f"the table in Markdown, every figure, and the curves: {self.out / 'variants'}.md, .json, .png")
        if self.write:
            results = docs / "results"
            write_whole(results / "variants.json", (self.out / "variants.json").read_text(encoding="utf-8"))
            runs.plot(docs / "images" / "variants.png")
            put_between(
                results / "variants.md", BEGIN, END, f"{table.markdown()}\n\n![The curves](../images/variants.png)"
            )
        return 0
