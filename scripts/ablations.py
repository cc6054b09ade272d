"""Measures each part of the training recipe: the same run with one setting changed, several seeds each.

    python scripts/ablations.py configs/agent_avenue_simple.toml --decisions 4000000 --hidden 128 128
    python scripts/ablations.py configs/heimlich_3.toml --only defaults "no reference" --seeds 3

Every run lives in a folder of its own under --out. A finished run is not made again, and one that was stopped is
resumed, so the command can be repeated until all are there. A change that the config has made already is left out. Each
agent then plays every opponent of --against, and as many games against the agent of the unchanged recipe that has the
same seed. The table has a row for each change: the mean over seeds with its 95 % interval (Student's t over the seeds'
means), on screen and, in Markdown, in ablations.md; ablations.json has every figure.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from spygames_training.command_line import Parser, finished, positive
from spygames_training.config import read_config
from spygames_training.experiments.ablations import CHANGES, T_95, Ablations
from spygames_training.tables import wide_console


def main(argv: list[str] | None = None) -> int:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("config", type=Path, help="the recipe that is changed")
    parser.add_argument("--only", nargs="+", choices=CHANGES, metavar="CHANGE", help=f"of: {', '.join(CHANGES)}")
    parser.add_argument("--seeds", type=int, choices=T_95, default=3, help="training runs a change (default: 3)")
    parser.add_argument("--decisions", type=positive, help="length of each run (default: the config's)")
    parser.add_argument("--hidden", type=positive, nargs="+", help="widths of the network (default: the config's)")
    parser.add_argument("--games", type=positive, default=2000, help="against each opponent (default: 2000)")
    parser.add_argument("--play", default="argmax", help="how the agents play: sample, argmax, 0.5 (default: argmax)")
    parser.add_argument("--against", nargs="+", default=["greedy", "expert"], help="(default: greedy expert)")
    parser.add_argument("--out", type=Path, default=Path("runs/ablations"), help="(default: runs/ablations)")
    args = parser.parse_args(argv)
    return finished("ablations.py", lambda: run(args), "stopped; the same command resumes")


def run(args: argparse.Namespace) -> int:
    config = read_config(args.config)
    config = replace(config, decisions=args.decisions or config.decisions)
    if args.hidden:
        config = replace(config, network=replace(config.network, hidden=tuple(args.hidden)))
    ablations = Ablations(config, args.out, args.only, args.seeds, args.games, args.play, args.against)
    for name in ablations.left_out:
        print(f"left out, for {args.config} says so already: {name}")
    wide_console().print(ablations.measure().rich(min_width=12))
    folder = ablations.folder
    print(f"the table in Markdown: {folder / 'ablations.md'}; every figure: {folder / 'ablations.json'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
