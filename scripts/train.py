"""Trains an agent by self-play.

    python scripts/train.py --config configs/demo.toml
    python scripts/train.py --config configs/demo.toml --decisions 5000000 --ppo.entropy 0.05
    python scripts/train.py --resume runs/demo

A TOML file says what the run does; every option can be given on the command line and wins over the file. Ctrl-C saves.
A run that goes on keeps its settings: of those below only its length, evaluations and saves may change.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import tyro

from spygames_training.command_line import option
from spygames_training.config import Config, read_config
from spygames_training.training import Run, resume_config


def main() -> int:
    first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    first.add_argument("--config", type=Path, help="a TOML file with the options below")
    first.add_argument("--resume", type=Path, metavar="RUN", help="go on with the run in this folder")
    first.add_argument("--out", type=Path, help="folder of the run; runs/NAME if not given")
    first.add_argument(
        "--option", metavar="NAME=VALUE", action="append", type=option, default=[], help="of the game, as players=2"
    )
    own, rest = first.parse_known_args()
    try:
        if own.resume and (own.config or own.out or own.option):
            raise ValueError("--resume goes on with a run as it is: --config, --out and --option do not go with it")
        base = resume_config(own.resume) if own.resume else read_config(own.config) if own.config else Config()
        usage = f"{__doc__}\n\n{first.format_help()}"
        base = replace(base, options={**base.options, **dict(own.option)})
        config = tyro.cli(Config, args=rest, default=base, description=usage, prog="train.py")
        folder = own.resume or own.out or Path("runs") / config.name
        run = Run(config, folder, resume=own.resume is not None)
    except (ValueError, OSError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 2
    try:
        run.train()
    except KeyboardInterrupt:
        print(f"stopped and saved; go on with: python scripts/train.py --resume {folder}")
        return 130
    except (ValueError, OSError) as error:
        print(f"train.py: {error}", file=sys.stderr)
        if run.state.exists():
            print(f"the last saved state is whole: python scripts/train.py --resume {folder}", file=sys.stderr)
        return 1
    print(
        f"the agent is in {folder}/checkpoint, its curves in {folder}/curves.png, its figures in {folder}/metrics.jsonl"
    )
    print(f"next: python scripts/evaluate.py {folder} --against random greedy expert")
    return 0


if __name__ == "__main__":
    sys.exit(main())
