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
    r"""Train an agent by self-play.

        spygames train --config demo
        spygames train --config demo --decisions 5000000 --ppo.entropy 0.05
        spygames train --resume runs/demo

    A TOML file holds the settings of the run. Options on the command line override it. Ctrl-C saves and stops the run.
    A resumed run keeps its settings, except for its length, evaluations and saves. --decisions with --resume is the new
    length of the whole run: give more decisions than the run has made to train longer.

    An update has ppo.games x ppo.steps decisions, and the length of a run is rounded up to a multiple of that. Learning
    takes many updates: have at least 50.

    --resume auto starts the run, or resumes it if its folder exists. The same command can be repeated after any
    interruption.

    --seeds 3 trains three runs and shows one table and one plot of their mean curve with a band.

    --own-network python:my_networks.Residual and --shaping python:my_rewards.ahead use your own code, from an installed
    module or one in the current folder (docs/open_trainer.md). Resume such a run with the same options.

    Several processes, on one machine or many, can train one agent together. --workers is then the total number of
    workers (docs/machines.md):

        torchrun --standalone --nproc-per-node 2 -m spygames_app train \
            --config demo --workers 2 --resume auto

    --algorithm maskable_ppo trains with MaskablePPO of sb3-contrib (extra sb3). These options raise an error: ppo.kl,
    ppo.reference_every, ppo.ema, ppo.precision bfloat16, ppo.credit table, start_from, opponents.share above 0, and
    networks other than mlp with its own critic. Workers are torch threads. A stopped run
    keeps its agent but cannot be resumed.
    """

    config: ConfigFile = None
    """A TOML file with the options below, or the name of a config that comes with the package, such as demo."""
    resume: RunOrAuto = None
    """Resume the run in this folder. auto: resume the run in --out, or start it."""
    out: AnyFolder = None
    """Folder of the run. (default: runs/NAME)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    algorithm: Literal["ppo", "maskable_ppo"] = "ppo"
    """ppo: the PPO of this package. maskable_ppo: that of sb3-contrib."""
    seeds: AnyPositive = None
    """Train one run per seed, 2 to 10 of them, starting at --seed. --jobs and --on run several at a time. The same
    command resumes."""
    own_network: AnyCode = None
    """Your own network, python:MODULE.NAME, instead of the config's."""
    shaping: AnyCode = None
    """Your own reward shaping, python:MODULE.NAME."""
    allow_code: bool = False
    """Allow the config or the run to name a game from any module, which may run arbitrary code."""
    tasks: TaskOptions = field(default_factory=Tasks)
    settings: Annotated[Config, tyro.conf.arg(name="")] = field(default_factory=Config)
    variant: tyro.conf.Suppress[dict[str, Any]] = field(default_factory=dict)
    """Options of the game in the config. `option` overrides them."""

    @staticmethod
    def surplus(text: str) -> str:
        """Return a hint for a positional argument, which this subcommand does not take."""
        from spygames.core.game.registry import canonical_id, game_ids

        for run in (Path(text), Path("runs", text)):
            if os.path.isfile(run / "run.json"):
                return f"a run is resumed with --resume {run}"
        if canonical_id(text) in game_ids():
            return f"a game is given as --game {text}"
        return f"a config is given as --config {text}"

    @classmethod
    def default_for(cls, argv: Sequence[str]) -> "Train":
        """Return the defaults: the settings of the run or the config that the command line names."""
        # With --game the user names the game, not the file.
        allow_code = "--allow-code" in argv or bool(last_value(argv, "--game"))
        run = last_value(argv, "--resume")
        if run and run != AUTO:
            if any(last_value(argv, name) for name in ("--config", "--out", "--option")):
                raise ValueError("--resume keeps the settings of the run: omit --config, --out and --option")
            from spygames_training.parallel.processes import join
            from spygames_training.runs.agreement import led_by_newest
            from spygames_training.runs.folder import resume_config

            base = resume_config(run, led_by_newest(run, join()), allow_code=allow_code)
        else:
            config = last_value(argv, "--config")
            base = read_config(config_path(config), allow_code=allow_code) if config else Config()
            if last_value(argv, "--own-network"):
                base = replace(base, network=Network())  # replaces the config's network
        return cls(settings=replace(base, options={}), variant=base.options)

    def run(self) -> int:
        from spygames.core.game.registry import imports_code
        from spygames_training.parallel.processes import join, leave
        from spygames_training.runs.folder import STATE
        from spygames_training.runs.run import Run, RunExists

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
        resume = f"{program()} train --resume {shlex.quote(str(folder))}"
        resume += " --allow-code" if imports_code(config.game) else ""
        for name, code in (("own-network", self.own_network), ("shaping", self.shaping)):
            resume += f" --{name} {shlex.quote(code)}" if code else ""
        try:
            if not own and processes.count > 1:
                raise ValueError("maskable_ppo trains in one process")
            if not own and (self.seeds or self.own_network or self.shaping):
                raise ValueError("maskable_ppo takes neither --seeds nor --own-network nor --shaping")
            if self.tasks != Tasks() and not self.seeds:
                raise ValueError("--jobs and --on need --seeds; to divide one run among processes use torchrun")
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
        except RunExists as error:
            raise ValueError(
                f"{folder} holds a run already: resume it with {resume}, or choose another --out"
            ) from error
        except KeyboardInterrupt:
            if not own or not (folder / STATE).exists():
                return stopped_early(processes)
            if processes.first:
                say(f"stopped; the saved run is intact; resume with: {resume}")
            return 130
        processes = run.processes if isinstance(run, Run) else processes
        saved = run.state if isinstance(run, Run) else folder / "checkpoint"
        try:
            run.train()
        except KeyboardInterrupt as stop:
            if not saved.exists():
                return stopped_early(processes)
            if stop.args:  # a second signal
                say(f"{stop.args[0]}: {folder}")
            elif not own:
                say(f"stopped; the agent trained so far is in {folder}/checkpoint")
            elif processes.first:
                say(f"stopped and saved; resume with: {resume}")
            return 130
        except ERRORS as error:
            complain(PROG, error)
            if own and processes.first and saved.exists():
                print(f"the last saved state is intact; resume with: {resume}", file=sys.stderr)
            return 1
        leave()
        if processes.first:
            say(f"agent: {folder}/checkpoint\ncurves: {folder}/curves.png\nmetrics: {folder}/metrics.jsonl")
            game = f" --game {config.game}" if imports_code(run.game.id) else ""
            names = " ".join(name for name in run.game.bots if name in ("random", "greedy", "expert"))
            agent = shlex.quote(self._agent(folder))
            say(f"next: {program()} evaluate {agent} --play sample argmax --against {names}{game}")
        return 0

    def _agent(self, folder: Path) -> str:
        """Return the name of the agent in `folder` as a player."""
        return str(folder) if self.own_network is None else f"network:{self.own_network.removeprefix(PYTHON)}:{folder}"

    def _train_seeds(self, config: Config, folder: Path, processes: int) -> int:
        """Train with several seeds; ValueError if the options do not allow it."""
        from spygames_training.experiments.seeds import train_seeds

        if isinstance(self.resume, Path) or processes > 1:
            raise ValueError("--seeds takes neither --resume (the same command resumes) nor torchrun")
        try:
            with self.tasks.executor() as executor:
                seeds, network, shaping = self.seeds or 0, self.own_network, self.shaping
                table = train_seeds(config, folder, seeds, network=network, shaping=shaping, executor=executor)
        except KeyboardInterrupt:
            complain(PROG, "stopped; the same command resumes")
            return 130
        console().print(table.rich())
        say(f"curves: {folder}/curves.png\ntable: {folder}/seeds.md\nall figures: {folder}/seeds.json")
        return 0


def last_value(argv: Sequence[str], name: str) -> str:
    """Return the value of an option that sets the defaults of other options; "" if it is not given."""
    found = ""
    for k, text in enumerate(argv):
        if text == name and k + 1 < len(argv):
            found = argv[k + 1]
        elif text.startswith(f"{name}="):
            found = text.partition("=")[2]
    return found


def maskable_run(config: Config, folder: Path, resume: Path | Literal["auto"] | None) -> "MaskableRun":
    """Return the MaskablePPO run; ValueError if the extra is missing or `resume` is given."""
    if resume:
        raise ValueError("a maskable_ppo run cannot be resumed: start a new one without --resume")
    try:
        from spygames_training.bridges.sb3.run import MaskableRun
    except ImportError as error:
        raise ValueError(f"maskable_ppo: {error}") from error
    return MaskableRun(config, folder)


def stopped_early(processes: "Processes") -> int:
    """Report that the run was stopped before its first save; return the exit code."""
    if processes.first:
        complain(PROG, "stopped before the first save, so there is nothing to resume")
    return 130
