"""Trains every config, one after another, and shows how the agents' curves rise: a config for each game and variant.

    python scripts/train_all.py                              # all of configs/, two to three hours on two cores
    python scripts/train_all.py configs/heimlich_*.toml      # some
    python scripts/train_all.py configs/*.toml --decisions 1000000 --out runs/short

Every run lives in a folder of its own under --out. A run that is there is not made again, and one that was stopped goes
on, so the command can be repeated until all are there. The table has a row a config: the share of games won against
the opponent of --against at the start, half-way and at the end (a game that several win counts in part; among n players
a share of about 1/n is par). It is on screen and, in Markdown, in OUT/variants.md; variants.json has every figure,
variants.png the curves.
"""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from _bench_tools import machine, put_between
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import spygames
from spygames_training.command_line import Parser, finished, positive
from spygames_training.config import Config, read_config
from spygames_training.files import replacing, write_whole
from spygames_training.report import WIN
from spygames_training.series import Series

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- curves: scripts/train_all.py --write writes from here -->", "<!-- to here, curves -->"
MOMENTS = ("start", "half", "end")


def main(argv: list[str] | None = None) -> int:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*", type=Path, help="TOML files (default: all in configs/ but the demo's)")
    parser.add_argument("--against", default="greedy", help="whose curve is shown (default: greedy)")
    parser.add_argument("--decisions", type=positive, help="length of each run (default: each config's own)")
    parser.add_argument("--out", type=Path, default=Path("runs/all"), help="holds the runs (default: runs/all)")
    parser.add_argument("--write", action="store_true", help="keep table, figures and picture in docs/")
    args = parser.parse_args(argv)
    return finished("train_all.py", lambda: run(args), "stopped; the same command goes on")


def run(args: argparse.Namespace) -> int:
    paths = args.configs or [p for p in sorted((ROOT / "configs").glob("*.toml")) if p.stem != "demo"]
    stems = [path.stem for path in paths]
    if twice := [stem for stem in stems if stems.count(stem) > 1]:
        raise ValueError(f"two configs are called {twice[0]}, which is also the name of the run's folder: rename one")
    configs = {path.stem: read_config(path) for path in paths}
    for path, config in zip(paths, configs.values(), strict=True):
        if args.against not in config.evaluate_against:
            raise ValueError(f"{path} does not evaluate against {args.against}")
    if args.decisions:
        configs = {name: replace(config, decisions=args.decisions) for name, config in configs.items()}
    series = Series(configs, args.out)
    found: dict[str, dict[str, Any]] = {}
    for name, config in configs.items():
        folder, summary = series.trained(name), series.summary(name)
        rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        curve = [[row["decisions"], row[WIN + args.against]] for row in rows if WIN + args.against in row]
        found[name] = {"game": config.game, "options": config.options, **summary, "curve": curve}
        write_whole(args.out / "variants.json", json.dumps({"machine": machine(), "runs": found}, indent=1) + "\n")
    head = ["config", "players", "decisions", "seconds", *(f"{args.against}, {moment} %" for moment in MOMENTS)]
    rows = [cells(name, configs[name], one, WIN + args.against) for name, one in found.items()]
    text = markdown(head, rows)
    write_whole(args.out / "variants.md", text + "\n")
    picture(found, args.against, args.out / "variants.png")
    show(head, rows)
    print(f"the table in Markdown, every figure, and the curves: {args.out / 'variants'}.md, .json, .png")
    if args.write:
        docs = ROOT / "docs"
        write_whole(docs / "variants.json", (args.out / "variants.json").read_text())
        picture(found, args.against, docs / "images" / "variants.png")
        put_between(docs / "variants.md", BEGIN, END, f"{text}\n\n![The curves](images/variants.png)")
    return 0


def cells(name: str, config: Config, found: dict[str, Any], metric: str) -> list[str]:
    """A run's row of the table."""
    players = spygames.make_game(config.game, **config.options).num_players
    shares = [f"{100 * found[moment][metric]:.1f}" for moment in MOMENTS]
    return [name, str(players), f"{found['decisions'] / 1e6:.0f} M", f"{found['seconds']:,}", *shares]


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """The table for a page."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def show(head: list[str], rows: list[list[str]]) -> None:
    """The table on screen."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for k, name in enumerate(head):
        table.add_column(name, justify="right" if k else "left")
    for row in rows:
        table.add_row(*row)
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)


def picture(found: dict[str, dict[str, Any]], against: str, path: Path) -> None:
    """The curves, a panel a game."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    games = list(dict.fromkeys(one["game"] for one in found.values()))
    figure, axes = plt.subplots(1, len(games), figsize=(6 * len(games), 5), layout="constrained", squeeze=False)
    for axis, game in zip(axes.flat, games, strict=True):
        mine = {name: one for name, one in found.items() if one["game"] == game}
        for k, (name, one) in enumerate(mine.items()):
            colour = plt.get_cmap("turbo")((k + 0.5) / len(mine))
            decisions, shares = zip(*one["curve"], strict=True)
            axis.plot([d / one["decisions"] for d in decisions], shares, color=colour, label=name, linewidth=1.2)
        axis.set(title=game, xlabel="part of the run", ylabel=f"win share against {against}", ylim=(0, 1), xlim=(0, 1))
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7, ncols=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as new:
        figure.savefig(new, dpi=100, format="png")
    plt.close(figure)


if __name__ == "__main__":
    sys.exit(main())
