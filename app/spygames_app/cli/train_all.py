"""`spygames train-all`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional

from spygames.core.basics.files import shipped_folder
from spygames_app.cli.arguments import AnyPositive, Folder, TaskOptions, Tasks, complain, console, say, value, values
from spygames_app.shipped import config_path

BEGIN, END = "<!-- curves: spygames train-all --write writes from here -->", "<!-- to here, curves -->"


@dataclass(frozen=True)
class TrainAll:
    """Train every config and compare the learning curves.

        spygames train-all                           two to three hours on two cores
        spygames train-all heimlich_3 my_own.toml    some of them
        spygames train-all --decisions 1000000 --out runs/short

    Every run has its own folder under --out. The command skips finished runs and resumes stopped ones, so it can be
    repeated until all runs are finished.

    The table has a row for each config: the share of games won against the opponent of --against at the start, half-way
    and at the end. A game with several winners counts for each of them. The table is printed and written to
    OUT/variants.md as Markdown. variants.json has all figures, variants.png the curves.
    """

    configs: Positional[
        Annotated[tuple[Path, ...], values(config_path, "CONFIG", least=0), tyro.conf.arg(help_behavior_hint="")]
    ] = ()
    """TOML files, or names of configs that come with the package. (default: all of the latter except demo)"""
    against: Annotated[str, value(str, "PLAYER")] = "greedy"
    """The opponent whose curve is shown."""
    decisions: AnyPositive = None
    """Length of each run. (default: that of its config)"""
    out: Folder = Path("runs/all")
    """Folder of the runs."""
    allow_code: bool = False
    """Allow a config to name a game from any module, which may run arbitrary code."""
    write: bool = False
    """In a clone: write table and figures into docs/results, and the picture into docs/images. Only for all configs of
    the package at their full length."""
    tasks: TaskOptions = field(default_factory=Tasks)

    def run(self) -> int:
        from spygames_training.experiments.train_all import TrainAll as Runs
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import put_between
        from spygames_training.system.machine import machine

        docs = shipped_folder("configs").parent / "docs"
        if self.write and not docs.is_dir():
            raise ValueError("--write needs a clone of the repository, whose docs/ it writes to")
        if self.write and (self.configs or self.decisions):
            raise ValueError("--write replaces the whole table: omit the configs and --decisions")
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
        say(f"table, figures and curves: {self.out / 'variants'}.md, .json, .png")
        if self.write:
            results = docs / "results"
            write_whole(results / "variants.json", (self.out / "variants.json").read_text(encoding="utf-8"))
            runs.plot(docs / "images" / "variants.png")
            put_between(
                results / "variants.md", BEGIN, END, f"{table.markdown()}\n\n![The curves](../images/variants.png)"
            )
            say(f"also written: {results / 'variants'}.md, .json, {docs / 'images' / 'variants.png'}")
        return 0
