"""Trains every config, one after another, and shows how the agents' curves rise: a config for each game and variant.

    python scripts/train_all.py                              # all of configs/, two to three hours on two cores
    python scripts/train_all.py configs/heimlich_*.toml      # some
    python scripts/train_all.py configs/*.toml --decisions 1000000 --out runs/short

Every run lives in a folder of its own under --out. A finished run is not made again, and one that was stopped is
resumed, so the command can be repeated until all are there. The table has a row for each config: the fraction of games
won against the opponent of --against at the start, half-way and at the end (a game that several win counts in part;
among n players about 1/n is par). It is on screen and, in Markdown, in OUT/variants.md; variants.json has every figure,
variants.png the curves.
"""

import argparse
import sys
from pathlib import Path

from _bench_tools import machine, put_between

from spygames_training.atomic import write_whole
from spygames_training.command_line import Parser, finished, positive
from spygames_training.experiments.train_all import TrainAll
from spygames_training.tables import wide_console

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- curves: scripts/train_all.py --write writes from here -->", "<!-- to here, curves -->"


def main(argv: list[str] | None = None) -> int:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", type=Path, help="TOML files (default: all in configs/ but the demo's)")
    parser.add_argument("--against", default="greedy", help="the opponent whose curve is shown (default: greedy)")
    parser.add_argument("--decisions", type=positive, help="length of each run (default: each config's own)")
    parser.add_argument("--out", type=Path, default=Path("runs/all"), help="holds the runs (default: runs/all)")
    parser.add_argument("--write", action="store_true", help="keep table, figures and picture in docs/")
    args = parser.parse_args(argv)
    return finished("train_all.py", lambda: run(args), "stopped; the same command resumes")


def run(args: argparse.Namespace) -> int:
    paths = args.configs or [p for p in sorted((ROOT / "configs").glob("*.toml")) if p.stem != "demo"]
    runs = TrainAll(paths, args.out, args.against, args.decisions, machine())
    table = runs.train()
    wide_console().print(table.rich())
    print(f"the table in Markdown, every figure, and the curves: {args.out / 'variants'}.md, .json, .png")
    if args.write:
        docs = ROOT / "docs"
        write_whole(docs / "variants.json", (args.out / "variants.json").read_text())
        runs.plot(docs / "images" / "variants.png")
        put_between(docs / "variants.md", BEGIN, END, f"{table.markdown()}\n\n![The curves](images/variants.png)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
