"""Measures the environments' speed, and other libraries' beside it: a table on screen, in Markdown and in JSON.

The runs are taken in rounds, each benchmark once a round, so that a busy moment of the machine touches all alike; the
table has the median and the range. Names for --only: {names}.

With --train it measures training instead: from nothing to 85 % against greedy in Agent Avenue, by this package's PPO,
by MaskablePPO as PettingZoo's tutorial shows it, and by MaskablePPO through our environment; and training's speed in
each game.
"""

import argparse
import json
from pathlib import Path

from rich.console import Console

from benchmarks.others import BENCHES as THEIRS
from spygames_app.bench.ours import BENCHES as OURS
from spygames_app.bench.tools import (
    Result,
    about,
    as_json,
    caveat,
    cells,
    machine,
    measure,
    put_between,
    settings_text,
    table,
)

DOCS = Path(__file__).resolve().parents[1] / "docs"
BEGIN, END = "<!-- figures: python -m benchmarks writes from here -->", "<!-- to here -->"


def short(results: list[Result], host: dict[str, str]) -> str:
    """A few figures for the README."""
    found = {r.bench.name: r for r in results}
    lines = [
        f"Medians on {host['cores']} cores of an {host['processor']}, decisions a second:{caveat(host)}",
        "",
        "| | |",
        "|---|---:|",
    ]
    for name in ("aec", "batch", "training", "pz_connect_four", "pz_leduc", "os_leduc", "os_backgammon"):
        r = found[name]
        who = r.bench.title if r.bench.beside else f"spygames, {r.bench.title}"
        lines.append(f"| {who} | {cells(r)[0] or r.reason} |")
    return "\n".join(lines)


def write(text: str, results: list[Result], host: dict[str, str], settings: str) -> None:
    """Into docs/benchmarks.md and, in short, README.md, between the markers; and into docs/benchmarks.json."""
    for page, content in ((DOCS / "benchmarks.md", text), (DOCS.parent / "README.md", short(results, host))):
        put_between(page, BEGIN, END, content)
    content = as_json(results, host, settings)
    (DOCS / "benchmarks.json").write_text(json.dumps(content, indent=1) + "\n")


def main() -> None:
    benches = {b.name: b for b in (*OURS, *THEIRS)}
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=(__doc__ or "").format(names=", ".join(benches)),
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(benches), help="these alone")
    parser.add_argument(
        "--runs", type=int, default=7, help="runs of each, at most (default 7; start-up times take fewer)"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="length of a run (default 1)")
    parser.add_argument("--quick", action="store_true", help="3 runs of 0.2 seconds: rough figures")
    parser.add_argument("--write", action="store_true", help="keep the figures in docs/benchmarks.md and .json")
    parser.add_argument("--train", action="store_true", help="measure training (extra sb3)")
    parser.add_argument("--minutes", type=float, default=4.0, help="with --train: longest training of each (default 4)")
    args = parser.parse_args()
    if args.train:
        if args.only or args.quick or args.minutes <= 0:
            parser.error("--train takes --minutes (positive), --runs, --seconds and --write, and no other option")
        try:
            from benchmarks.training import train
        except ImportError as error:
            parser.exit(2, f"benchmarks: --train needs the extra: pip install 'spygames[sb3]' ({error})\n")
        train(args.minutes, args.runs, args.seconds, DOCS if args.write else None)
        return
    if args.runs < 1 or args.seconds <= 0:
        parser.error("--runs must be at least 1 and --seconds positive")
    if args.write and (args.only or args.quick):
        parser.error("--write keeps whole tables of full runs: leave out --only and --quick")
    runs, seconds = (3, 0.2) if args.quick else (args.runs, args.seconds)
    settings, host = settings_text(runs, seconds), machine()
    results = measure([benches[name] for name in args.only or benches], runs, seconds, Console())
    text = f"{table(results)}\n\n{about(settings, host)}"
    print(text)
    if args.write:
        write(text, results, host, settings)


if __name__ == "__main__":
    main()
