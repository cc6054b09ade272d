"""What each part of the training recipe is worth: the same run with one setting changed, several seeds each.

    python scripts/ablations.py configs/agent_avenue_simple.toml --decisions 4000000 --hidden 128 128
    python scripts/ablations.py configs/heimlich_3.toml --only defaults "no reference" --seeds 3

Every run lives in a folder of its own under --out. A run that is there is not made again, and one that was stopped goes
on, so the command can be repeated until all are there. Each agent then plays every opponent of --against, and as many
games against the agent of the unchanged recipe that has the same seed. The table has a row a change: the mean over
seeds with its 95 % interval (Student's t over the seeds' means); the file beside it has every figure.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import spygames
from spygames.core.players import make_player
from spygames_training.command_line import Parser, positive
from spygames_training.config import Config, differences, read_config
from spygames_training.evaluation import evaluate
from spygames_training.files import write_whole
from spygames_training.training import Run, resume_config

DEFAULTS = "defaults"
BOTS = ("random", "greedy", "expert")
CHANGES: dict[str, dict[str, dict[str, Any]]] = {
    DEFAULTS: {},
    "credit to whoever moves next": {"ppo": {"credit": "table"}},
    "little entropy": {"ppo": {"entropy": 0.01}},
    "no reference": {"ppo": {"kl": 0.0}},
    "no mean of the weights": {"ppo": {"ema": 0.0}},
    "critic sees all views": {"network": {"critic": "all"}},
    "self-play only": {"opponents": {"share": 0.0}},
    "earlier selves, drawn alike": {
        "opponents": {"share": 0.4, "bots": (), "snapshots": 8, "snapshot_every": 4, "draw": "even"}
    },
    "earlier selves and bots, the hard ones more often": {
        "opponents": {"share": 0.4, "bots": BOTS, "snapshots": 8, "snapshot_every": 4, "draw": "hard"}
    },
}
"""What is changed, by the config's section."""
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 8: 2.365, 10: 2.262}
"""Student's t, two-sided 95 %, by the number of seeds."""


def changed(config: Config, name: str) -> Config:
    """`config` with one of `CHANGES`."""
    sections = {section: replace(getattr(config, section), **values) for section, values in CHANGES[name].items()}
    return replace(config, **sections)


def trained(config: Config, folder: Path) -> Path:
    """The finished run in `folder`, made or gone on with where it is missing."""
    there = (folder / "state.safetensors").exists()
    if there and (other := differences(resume_config(folder), config)):
        raise ValueError(f"{folder} holds a run with another {', '.join(other)}: choose another --out")
    if not (folder / "summary.json").exists():
        Run(config, folder, resume=there).train()
    return folder


def judged(run: Path, against: Sequence[str], games: int, play: str, seed: int) -> dict[str, float]:
    """Win shares of the run's agent against each player, kept in its folder."""
    file = run / "judged.json"
    asked = {"against": list(against), "games": games, "play": play, "seed": seed}
    if file.exists() and (known := json.loads(file.read_text()))["asked"] == asked:
        return known["win_share"]
    config = resume_config(run)
    game = spygames.make_game(config.game, **config.options)
    player = make_player(game, f"{run}@{play}")
    results = evaluate(game, player, [make_player(game, name) for name in against], games, seed)
    shares = {name: result.win_share for name, result in zip(against, results, strict=True)}
    write_whole(file, json.dumps({"asked": asked, "win_share": shares}, indent=2) + "\n")
    return shares


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean over seeds and the half-width of its 95 % interval; 0 where there is one seed."""
    if len(values) < 2:
        return mean(values), 0.0
    return mean(values), T_95[len(values)] * stdev(values) / len(values) ** 0.5


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
    try:
        return run(args)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"ablations.py: {error}", file=sys.stderr)
        return 2


def run(args: argparse.Namespace) -> int:
    config = read_config(args.config)
    config = replace(config, decisions=args.decisions or config.decisions, evaluate_against=(), save_every=60.0)
    if args.hidden:
        config = replace(config, network=replace(config.network, hidden=tuple(args.hidden)))
    names = list(dict.fromkeys([DEFAULTS, *(args.only or CHANGES)]))
    folder = args.out / config.name
    found: dict[str, dict[str, list[float]]] = {}
    seconds: dict[str, float] = {}
    for k, name in enumerate(names, 1):
        shares: dict[str, list[float]] = {}
        for seed in range(args.seeds):
            print(f"{config.name}: {name} ({k} of {len(names)}), seed {seed}", flush=True)
            here = trained(replace(changed(config, name), seed=seed), folder / f"{name} {seed}")
            seconds[name] = json.loads((here / "summary.json").read_text())["seconds"]
            usual = f"{folder / f'{DEFAULTS} {seed}'}@{args.play}"
            rivals = [*args.against, *([] if name == DEFAULTS else [usual])]
            for rival, share in judged(here, rivals, args.games, args.play, seed).items():
                shares.setdefault(DEFAULTS if rival == usual else rival, []).append(share)
        found[name] = shares
        write_whole(folder / "ablations.json", json.dumps(report(args, config, found, seconds), indent=2) + "\n")
    show(config, found, [*args.against, DEFAULTS], args.seeds)
    print(f"every figure: {folder / 'ablations.json'}")
    return 0


def report(
    args: argparse.Namespace, config: Config, found: dict[str, Any], seconds: dict[str, float]
) -> dict[str, Any]:
    """All that is needed to do it again, and what came of it."""
    asked = {"seeds": args.seeds, "games": args.games, "play": args.play}
    rows = {
        name: {
            "changes": CHANGES[name],
            "seconds": seconds[name],
            "win_share": {
                r: {"seeds": v, "mean": interval(v)[0], "interval": interval(v)[1]} for r, v in shares.items()
            },
        }
        for name, shares in found.items()
    }
    return {"config": asdict(config), **asked, "changes": rows}


def show(config: Config, found: dict[str, dict[str, list[float]]], rivals: Sequence[str], seeds: int) -> None:
    """The table on screen."""
    title = f"{config.name}, {config.decisions / 1e6:g} M decisions, {seeds} seeds: wins % against"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("change")
    for rival in rivals:
        table.add_column(rival, justify="right", no_wrap=True)
    for name, shares in found.items():
        cells = [interval(shares[r]) if r in shares else None for r in rivals]
        table.add_row(name, *("" if c is None else f"{100 * c[0]:.1f} ± {100 * c[1]:.1f}" for c in cells))
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)


if __name__ == "__main__":
    sys.exit(main())
