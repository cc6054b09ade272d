"""Measures the environments' speed, and other libraries' beside it: a table on screen, in Markdown and in JSON.

The runs are taken in rounds, each benchmark once a round, so that a busy moment of the machine touches all alike; the
table has the median and the range. Names for --only: {names}.

With --train it measures training instead: from nothing to 85 % against greedy in Agent Avenue, by this package's PPO,
by MaskablePPO as PettingZoo's tutorial shows it, and by MaskablePPO through our environment; and training's speed in
each game.
"""

import argparse
import json
import sys
from datetime import date
from pathlib import Path

import _bench_ours
from _bench_others import BENCHES as THEIRS
from _bench_tools import Bench, NotHere, Result, machine, put_between, show

try:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
except ImportError:
    sys.exit("benchmark.py needs the extra: pip install 'spygames[bench]'")

DOCS = Path(__file__).resolve().parents[1] / "docs"
BEGIN, END = "<!-- figures: scripts/benchmark.py writes from here -->", "<!-- to here -->"


def measure(benches: list[Bench], runs: int, seconds: float) -> list[Result]:
    """All figures of all benchmarks."""
    results = [Result(bench, []) for bench in benches]
    columns = (TextColumn("{task.description:<24}"), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, transient=True) as progress:
        task = progress.add_task("", total=sum(min(runs, b.most_runs) for b in benches) + len(benches))
        prepared = []
        for result in results:
            progress.update(task, description=f"prepare {result.bench.name}")
            try:
                prepared.append(result.bench.prepare())
            except NotHere as reason:
                prepared.append(None)
                result.reason = str(reason)
            progress.advance(task)
        for turn in range(runs):
            for run, result in zip(prepared, results, strict=True):
                if turn < result.bench.most_runs:
                    progress.update(task, description=result.bench.name)
                    if run:
                        result.figures.append(run(seconds))
                    progress.advance(task)
    return results


def table(results: list[Result]) -> str:
    """The figures as Markdown: ours, then the others' beside ours."""
    ours = {r.bench.name: r for r in results if not r.bench.beside}
    theirs = [r for r in results if r.bench.beside]
    lines = []
    if ours:
        lines += ["| spygames, Agent Avenue, simple mode, two players | median | lowest to highest | unit |"]
        lines += ["|---|---:|---|---|"]
        lines += [f"| {r.bench.title} | {' | '.join(_cells(r))} | {r.bench.unit} |" for r in ours.values()]
    if ours and theirs:
        lines.append("")
    if theirs:
        lines += [
            "| other libraries | median | lowest to highest | unit | spygames, same loop |",
            "|---|---:|---|---|---:|",
        ]
        for r in theirs:
            own = ours.get(r.bench.beside)
            ratio = f"{own.median / r.median:.3g} x" if own and own.median and r.median else ""
            lines.append(f"| {r.bench.title} | {' | '.join(_cells(r))} | {r.bench.unit} | {ratio} |")
    return "\n".join(lines)


def _cells(result: Result) -> tuple[str, str]:
    if result.median is None:
        return "", result.reason
    unit = result.bench.unit
    return show(result.median, unit), f"{show(min(result.figures), unit)} to {show(max(result.figures), unit)}"


def caveat(host: dict[str, str]) -> str:
    """A warning if others used the machine."""
    load = host["load at the start"]
    if load == "unknown" or float(load) <= 0.7:
        return ""
    return " **Other jobs ran beside it: what is timed by the wall (two threads, training, start-up) is too slow.**"


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
        lines.append(f"| {who} | {_cells(r)[0] or r.reason} |")
    return "\n".join(lines)


def write(text: str, results: list[Result], host: dict[str, str], settings: str) -> None:
    """Into docs/benchmarks.md and, in short, README.md, between the markers; and into docs/benchmarks.json."""
    for page, content in ((DOCS / "benchmarks.md", text), (DOCS.parent / "README.md", short(results, host))):
        put_between(page, BEGIN, END, content)
    figures = {
        r.bench.name: {
            "title": r.bench.title,
            "unit": r.bench.unit,
            "median": r.median,
            "figures": r.figures,
            **({"beside": r.bench.beside} if r.bench.beside else {}),
            **({"reason": r.reason} if r.reason else {}),
        }
        for r in results
    }
    content = {"date": date.today().isoformat(), "settings": settings, "machine": host, "results": figures}
    (DOCS / "benchmarks.json").write_text(json.dumps(content, indent=1) + "\n")


def main() -> None:
    benches = {b.name: b for b in (*_bench_ours.BENCHES, *THEIRS)}
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").format(names=", ".join(benches)), formatter_class=argparse.RawTextHelpFormatter
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
            from _bench_train import train
        except ImportError as error:
            parser.exit(2, f"benchmark.py: --train needs the extra: pip install 'spygames[sb3]' ({error})\n")
        train(args.minutes, args.runs, args.seconds, DOCS if args.write else None)
        return
    if args.runs < 1 or args.seconds <= 0:
        parser.error("--runs must be at least 1 and --seconds positive")
    if args.write and (args.only or args.quick):
        parser.error("--write keeps whole tables of full runs: leave out --only and --quick")
    runs, seconds = (3, 0.2) if args.quick else (args.runs, args.seconds)
    settings = f"{runs} runs of {seconds:g} s each (start-up times: 3 to 5), taken in rounds"
    host = machine()
    results = measure([benches[name] for name in args.only or benches], runs, seconds)
    on = f"{host['processor']}, {host['cores']} cores, {host['system']}"
    versions = ", ".join(f"{k} {host[k]}" for k in ("python", "numpy", "numba", "pettingzoo", "open_spiel", "torch"))
    busy = f"Load average at the start: {host['load at the start']}.{caveat(host)}"
    text = f"{table(results)}\n\n{date.today()}, {on}; {versions}. {settings}. {busy}"
    print(text)
    if args.write:
        write(text, results, host, settings)


if __name__ == "__main__":
    main()
