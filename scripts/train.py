"""Trains an agent by self-play.

    python scripts/train.py --config configs/demo.toml
    python scripts/train.py --config configs/demo.toml --decisions 5000000 --ppo.entropy 0.05
    python scripts/train.py --resume runs/demo

A TOML file says what the run does; every option can be given on the command line and wins over the file. Ctrl-C saves.
A run that goes on keeps its settings: of those below only its length, evaluations and saves may change.

Several processes, on one machine or many, train one agent together; `--workers` counts the workers of all of them:

    torchrun --standalone --nproc-per-node 2 scripts/train.py --config configs/demo.toml --workers 2

`--algorithm maskable_ppo` learns by the stock MaskablePPO of sb3-contrib (extra sb3), all seats with their own credit.
The same options hold, with these differences: ppo.kl, ppo.reference_every and ppo.ema do nothing and are refused where
they are set, as are ppo.precision bfloat16, ppo.credit table, other networks than mlp with its own critic, and
opponents.share above 0; workers are threads of torch; a run that was stopped keeps its agent, but cannot be resumed.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from spygames_training.command_line import ERRORS, complain, finished, option
from spygames_training.config import Config, read_config
from spygames_training.processes import join, leave
from spygames_training.run import Run, resume_config

EARLY = "stopped before training began"

if TYPE_CHECKING:
    from spygames_training.sb3.run import MaskableRun


def maskable_run(config: Config, folder: Path, resume: Path | None) -> "MaskableRun":
    """The run by MaskablePPO; ValueError if it cannot be."""
    if resume:
        raise ValueError("a run by maskable_ppo cannot be resumed: begin another one")
    try:
        from spygames_training.sb3.run import MaskableRun
    except ImportError as error:
        raise ValueError(f"maskable_ppo needs the extra: pip install 'spygames[sb3]' ({error})") from error
    return MaskableRun(config, folder)


def main(argv: list[str] | None = None) -> int:
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--config", type=Path, help="a TOML file with the options below")
    first.add_argument("--resume", type=Path, metavar="RUN", help="go on with the run in this folder")
    first.add_argument("--out", type=Path, help="folder of the run; runs/NAME if not given")
    first.add_argument(
        "--option", metavar="NAME=VALUE", action="append", type=option, default=[], help="of the game, as players=2"
    )
    first.add_argument("--algorithm", choices=("ppo", "maskable_ppo"), default="ppo", help="ppo, this package's own")
    own, rest = first.parse_known_args(argv)
    return finished("train.py", lambda: train(own, rest, f"{__doc__}\n\n{first.format_help()}"), EARLY)


def train(own: argparse.Namespace, rest: list[str], usage: str) -> int:
    """Makes the run and trains it; an error in training itself is 1."""
    processes = join()
    if own.resume and (own.config or own.out or own.option):
        raise ValueError("--resume goes on with a run as it is: --config, --out and --option do not go with it")
    base = resume_config(own.resume) if own.resume else read_config(own.config) if own.config else Config()
    base = replace(base, options={**base.options, **dict(own.option)})
    config = tyro.cli(Config, args=rest, default=base, description=usage, prog="train.py")
    folder = own.resume or own.out or Path("runs") / config.name
    if own.algorithm == "maskable_ppo":
        if processes.count > 1:
            raise ValueError("maskable_ppo trains in one process")
        run = maskable_run(config, folder, own.resume)
    else:
        run = (
            Run.resume(folder, config, processes=processes)
            if own.resume
            else Run.create(config, folder, processes=processes)
        )
    saved = run.state if isinstance(run, Run) else folder / "checkpoint"
    try:
        run.train()
    except KeyboardInterrupt as stop:
        if not saved.exists():
            raise
        if stop.args:  # a second signal
            print(f"{stop.args[0]}: {folder}")
        elif own.algorithm == "maskable_ppo":
            print(f"stopped; the agent so far is in {folder}/checkpoint")
        elif processes.first:
            print(f"stopped and saved; go on with: python scripts/train.py --resume {folder}")
        return 130
    except ERRORS as error:
        complain("train.py", error)
        if isinstance(run, Run) and saved.exists():
            print(f"the last saved state is whole: python scripts/train.py --resume {folder}", file=sys.stderr)
        return 1
    leave()
    if not processes.first:
        return 0
    print(
        f"the agent is in {folder}/checkpoint, its curves in {folder}/curves.png, its figures in {folder}/metrics.jsonl"
    )
    print(f"next: python scripts/evaluate.py {folder} --against random greedy expert")
    return 0


if __name__ == "__main__":
    sys.exit(main())
