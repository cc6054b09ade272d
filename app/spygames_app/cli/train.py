"""`spygames train`."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import tyro

from spygames.core.players.import_by_name import PYTHON
from spygames_app.cli.arguments import (
    AUTO,
    ERRORS,
    AnyCode,
    AnyFolder,
    AnyPositive,
    ConfigFile,
    GameOptions,
    RunOrAuto,
    TaskOptions,
    Tasks,
    complain,
    console,
    program,
    say,
)
from spygames_app.shipped import config_path
from spygames_training.config import Config, Network, read_config

if TYPE_CHECKING:
    from spygames_training.bridges.sb3.run import MaskableRun
    from spygames_training.parallel.processes import Processes

PROG = "spygames train"


@dataclass(frozen=True)
class Train:
    """Trains an agent by self-play.

        spygames train --config demo
        spygames train --config demo --decisions 5000000 --ppo.entropy 0.05
        spygames train --resume runs/demo

    A TOML file says what the run does; every option can be given on the command line and wins over the file. Ctrl-C
    saves. A run that is resumed keeps its settings: only its length, evaluations and saves may change.

    `--seeds 3` trains three runs and shows one curve with a band and one table.

    `--own-network python:my_networks.Residual` and `--shaping python:my_rewards.ahead` take code of yours, of a module
    that is installed or lies in the current folder (docs/open_trainer.md); such a run is resumed with the same options.

    `--resume auto` begins the run, or goes on with it: the same command, started again after whatever has ended it.

    Several processes, on one machine or many, train one agent together; `--workers` counts the workers of all of them
    (docs/machines.md):

        torchrun --standalone --nproc-per-node 2 -m spygames_app train --config demo --workers 2 --resume auto

    `--algorithm maskable_ppo` learns by the stock MaskablePPO of sb3-contrib (extra sb3), all seats with their own
    credit. The same options hold, with these differences: ppo.kl, ppo.reference_every and ppo.ema do nothing and are
    refused where they are set, as are ppo.precision bfloat16, ppo.credit table, start_from, other networks than mlp
    with its own critic, and opponents.share above 0; workers are threads of torch; a run that was stopped keeps its
    agent, but cannot be resumed.
    """

    config: ConfigFile = None
    """A TOML file with the options below, or the name of a config that comes with the package."""
    resume: RunOrAuto = None
    """Resume the run in this folder; auto: the run in --out if there is one, else begin it."""
    out: AnyFolder = None
    """Folder of the run; runs/NAME if not given."""
    option: GameOptions = ()
    """An option of the game, as players=2; may be given several times."""
    algorithm: Literal["ppo", "maskable_ppo"] = "ppo"
    """ppo is this package's own."""
    seeds: AnyPositive = None
    """Train with so many seeds, 2 to 10, from --seed on, one after another or several at a time (--jobs, --on);
    the same command resumes."""
    own_network: AnyCode = None
    """A network of your own, python:MODULE.NAME, in the place of the config's."""
    shaping: AnyCode = None
    """A shaping of rewards of your own, python:MODULE.NAME."""
    allow_code: bool = False
    """Whether the game that the config or the run names may be a module of anybody's, which may run any code."""
    tasks: TaskOptions = field(default_factory=Tasks)
    settings: Annotated[Config, tyro.conf.arg(name="")] = field(default_factory=Config)
    variant: tyro.conf.Suppress[dict[str, Any]] = field(default_factory=dict)
    """Options of the game in the config, which `option` changes."""

    @staticmethod
    def surplus(text: str) -> str:
        """What is right in the place of a word that stands alone."""
        from spygames.core.game.registry import canonical_id, game_ids

        for run in (Path(text), Path("runs", text)):
            if os.path.isfile(run / "run.json"):
                return f"a run is resumed with --resume {run}"
        if canonical_id(text) in game_ids():
            return f"a game is given as --game {text}"
        return f"a config is given as --config {text}"

    @classmethod
    def default_for(cls, argv: Sequence[str]) -> "Train":
        """The settings of the run or the config that the command line names."""
        allow_code = "--allow-code" in argv or bool(last_value(argv, "--game"))  # or the command line says which
        run = last_value(argv, "--resume")
        if run and run != AUTO:
            if any(last_value(argv, name) for name in ("--config", "--out", "--option")):
                raise ValueError("--resume takes a run as it is: --config, --out and --option do not go with it")
            from spygames_training.parallel.processes import join
            from spygames_training.runs.agreement import led_by_newest
            from spygames_training.runs.folder import resume_config

            base = resume_config(run, led_by_newest(run, join()), allow_code=allow_code)
        else:
            config = last_value(argv, "--config")
            base = read_config(config_path(config), allow_code=allow_code) if config else Config()
            if last_value(argv, "--own-network"):
                base = replace(base, network=Network())  # it takes the place of the config's
        return cls(settings=replace(base, options={}), variant=base.options)

    def run(self) -> int:
        from spygames.core.game.registry import imports_code
        from spygames_training.parallel.processes import join, leave
        from spygames_training.runs.run import Run

        processes = join()
        config = self.settings
        config = replace(
            config,
            options={**self.variant, **dict(self.option)},
        )
        resumed = self.resume if isinstance(self.resume, Path) else None
        folder = resumed or self.out or Path("runs") / config.name
        own = self.algorithm == "ppo"
        passed = {"network": self.own_network, "shaping": self.shaping}
        try:
            if not own and processes.count > 1:
                raise ValueError("maskable_ppo trains in one process")
            if not own and (self.seeds or self.own_network or self.shaping):
                raise ValueError("maskable_ppo takes neither --seeds nor --own-network nor --shaping")
            if self.tasks != Tasks() and not self.seeds:
                raise ValueError("--jobs and --on are for several runs: --seeds makes some, torchrun divides one")
            if self.seeds:
                return self._train_seeds(config, folder, processes.count)
            if not own:
                run = maskable_run(config, folder, self.resume)
            elif self.resume == AUTO:
                run = Run.open(config, folder, None, processes, **passed)
            elif resumed:
                run = Run.resume(folder, config, None, processes, **passed)
            else:
                run = Run.create(config, folder, None, processes, **passed)
        except KeyboardInterrupt:
            return stopped_early(processes)
        processes = run.processes if isinstance(run, Run) else processes
        resume = f"{program()} train --resume {shlex.quote(str(folder))}"
        resume += " --allow-code" if self.allow_code else ""
        for name, code in (("own-network", self.own_network), ("shaping", self.shaping)):
            resume += f" --{name} {shlex.quote(code)}" if code else ""
        saved = run.state if isinstance(run, Run) else folder / "checkpoint"
        try:
            run.train()
        except KeyboardInterrupt as stop:
            if not saved.exists():
                return stopped_early(processes)
            if stop.args:  # a second signal
                say(f"{stop.args[0]}: {folder}")
            elif not own:
                say(f"stopped; the agent so far is in {folder}/checkpoint")
            elif processes.first:
                say(f"stopped and saved; resume with: {resume}")
            return 130
        except ERRORS as error:
            complain(PROG, error)
            if own and processes.first and saved.exists():
                print(f"the last saved state is whole; resume with: {resume}", file=sys.stderr)
            return 1
        leave()
        if processes.first:
            say(
                f"the agent is in {folder}/checkpoint, its curves in {folder}/curves.png, its figures in "
                f"{folder}/metrics.jsonl"
            )
            game = f" --game {config.game}" if imports_code(run.game.id) else ""
            names = " ".join(name for name in run.game.bots if name in ("random", "greedy", "expert"))
            say(f"next: {program()} evaluate {shlex.quote(self._agent(folder))} --against {names}{game}")
        return 0

    def _agent(self, folder: Path) -> str:
        """What the agent in `folder` is called as a player."""
        return str(folder) if self.own_network is None else f"network:{self.own_network.removeprefix(PYTHON)}:{folder}"

    def _train_seeds(self, config: Config, folder: Path, processes: int) -> int:
        """Trains with several seeds; ValueError where that cannot be."""
        from spygames_training.experiments.seeds import train_seeds

        if isinstance(self.resume, Path) or processes > 1:
            raise ValueError("--seeds goes neither with --resume, as the same command resumes, nor with torchrun")
        try:
            with self.tasks.executor() as executor:
                seeds, network, shaping = self.seeds or 0, self.own_network, self.shaping
                table = train_seeds(config, folder, seeds, network=network, shaping=shaping, executor=executor)
        except KeyboardInterrupt:
            complain(PROG, "stopped; the same command resumes")
            return 130
        console().print(table.rich())
        say(f"the curves are in {folder}/curves.png, the table in {folder}/seeds.md, every figure in seeds.json")
        return 0


def last_value(argv: Sequence[str], name: str) -> str:
    """Returns the value of an option that decides the others' defaults; "" where it is not given."""
    found = ""
    for k, text in enumerate(argv):
        if text == name and k + 1 < len(argv):
            found = argv[k + 1]
        elif text.startswith(f"{name}="):
            found = text.partition("=")[2]
    return found


def maskable_run(config: Config, folder: Path, resume: Path | Literal["auto"] | None) -> "MaskableRun":
    """Returns the run by MaskablePPO; ValueError if it cannot be."""
    if resume:
        raise ValueError("a run by maskable_ppo cannot be resumed: begin another one")
    try:
        from spygames_training.bridges.sb3.run import MaskableRun
    except ImportError as error:
        raise ValueError(f"maskable_ppo needs the extra: pip install 'spygames[sb3]' ({error})") from error
    return MaskableRun(config, folder)


def stopped_early(processes: "Processes") -> int:
    """Says so; returns the exit code."""
    if processes.first:
        complain(PROG, "stopped before training began: nothing was saved, so there is nothing to resume")
    return 130
