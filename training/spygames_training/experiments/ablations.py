"""What each part of the training recipe is worth: the same run with one setting changed, several seeds each.

    python scripts/ablations.py configs/agent_avenue_simple.toml --decisions 4000000 --hidden 128 128
    python scripts/ablations.py configs/heimlich_3.toml --only defaults "no reference" --seeds 3

Every run lives in a folder of its own under --out. A run that is there is not made again, and one that was stopped goes
on, so the command can be repeated until all are there. A change that the config has made already is left out. Each
agent then plays every opponent of --against, and as many games against the agent of the unchanged recipe that has the
same seed. The table has a row a change: the mean over seeds with its 95 % interval (Student's t over the seeds' means),
on screen and, in Markdown, in ablations.md; ablations.json has every figure.
"""

import argparse
import hashlib
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
from safetensors.torch import save

from spygames.core.game import Game
from spygames.core.players import Player, make_player
from spygames_training.command_line import Parser, choose_game, finished, positive
from spygames_training.config import Config, read_config
from spygames_training.evaluation import evaluate, total_games
from spygames_training.files import write_whole
from spygames_training.policy import PolicyPlayer, temperature_of
from spygames_training.series import Series
from spygames_training.tables import progress_bar

DEFAULTS = "defaults"
USUAL = "the unchanged recipe"
BOTS = ("random", "greedy", "expert")
CHANGES: dict[str, dict[str, dict[str, Any]]] = {
    DEFAULTS: {},
    "credit to whoever moves next": {"ppo": {"credit": "table"}},
    "little entropy": {"ppo": {"entropy": 0.01}},
    "entropy that does not fall": {"ppo": {"entropy_end": 0.1}},
    "no reference": {"ppo": {"kl": 0.0}},
    "no mean of the weights": {"ppo": {"ema": 0.0}},
    "critic sees all views": {"network": {"critic": "all"}},
    "self-play only": {"opponents": {"share": 0.0}},
    "earlier selves, drawn alike": {
        "opponents": {"share": 0.4, "bots": (), "snapshots": 8, "snapshot_every": 4, "draw": "even"}
    },
    "earlier selves and bots, drawn alike": {
        "opponents": {"share": 0.4, "bots": BOTS, "snapshots": 8, "snapshot_every": 4, "draw": "even"}
    },
    "earlier selves and bots, the hard ones more often": {
        "opponents": {"share": 0.4, "bots": BOTS, "snapshots": 8, "snapshot_every": 4, "draw": "hard"}
    },
}
"""What is changed, by the config's section."""
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""Student's t, two-sided 95 %, by the number of seeds."""


def changed(config: Config, name: str) -> Config:
    """`config` with one of `CHANGES`."""
    sections = {section: replace(getattr(config, section), **values) for section, values in CHANGES[name].items()}
    return replace(config, **sections)


def weights(player: Player) -> str:
    """A digest of the network that plays; "" for a player without one."""
    if not isinstance(player, PolicyPlayer):
        return ""
    return hashlib.sha256(save({k: v.contiguous() for k, v in player.policy.network.actor().items()})).hexdigest()


def judged(game: Game, run: Path, against: dict[str, str], games: int, play: str, seed: int) -> dict[str, Any]:
    """How the run's agent does against each player, by the name that stands before it in `against`: win share, its 95 %
    interval over the deals, fair share. Kept in the run's folder for as long as all of them are who they were."""
    player, file = make_player(game, f"{run}@{play}"), run / "judged.json"
    rivals = [make_player(game, spec) for spec in against.values()]
    asked = {
        "against": {name: [spec, weights(r)] for (name, spec), r in zip(against.items(), rivals, strict=True)},
        "weights": weights(player),
        "code": game.digest,
        "games": games,
        "play": play,
        "seed": seed,
    }
    if file.exists() and (known := json.loads(file.read_text()))["asked"] == asked:
        return known["found"]
    with progress_bar(transient=True) as bar:
        task = bar.add_task("playing", total=total_games(game, games, 1, len(rivals)))
        results = evaluate(game, player, rivals, games, seed, lambda n: bar.advance(task, n))
    found = {
        name: {"win_share": r.win_share, "interval": list(r.interval), "fair_share": r.fair_share}
        for name, r in zip(against, results, strict=True)
    }
    write_whole(file, json.dumps({"asked": asked, "found": found}, indent=2) + "\n")
    return found


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The mean over seeds and the half-width of its 95 % interval."""
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
    return finished("ablations.py", lambda: run(args), "stopped; the same command goes on")


def run(args: argparse.Namespace) -> int:
    config = read_config(args.config)
    config = replace(config, decisions=args.decisions or config.decisions, evaluate_against=(), save_every=60.0)
    if args.hidden:
        config = replace(config, network=replace(config.network, hidden=tuple(args.hidden)))
    configs = {name: changed(config, name) for name in dict.fromkeys([DEFAULTS, *(args.only or CHANGES)])}
    same = [name for name, other in configs.items() if name != DEFAULTS and other == config]
    configs = {name: other for name, other in configs.items() if name not in same}
    game = choose_game([], config.game, config.options)
    temperature_of(args.play)
    for player in dict.fromkeys([*args.against, *(bot for other in configs.values() for bot in other.opponents.bots)]):
        make_player(game, player)  # what is wrong is said before the first run, not after hours
    seeds = range(args.seeds)
    runs = Series(
        {f"{name} {seed}": replace(other, seed=seed) for name, other in configs.items() for seed in seeds},
        args.out / config.name,
    )
    for name in same:
        print(f"left out, for {args.config} says so already: {name}")
    against = {name: name for name in args.against}
    changes: dict[str, dict[str, Any]] = {}
    rows: list[list[str]] = []
    report = {
        "config": asdict(config),
        "seeds": args.seeds,
        "games": args.games,
        "play": args.play,
        "left_out": same,
        "changes": changes,
    }
    title = f"{config.name}, {config.decisions / 1e6:g} M decisions, {args.seeds} seeds: wins % against"
    head = ["change", *against, USUAL, "seconds of training"]
    for name in configs:
        found = []
        for seed in seeds:
            here = runs.trained(f"{name} {seed}")
            usual = {} if name == DEFAULTS else {DEFAULTS: f"{runs.folder / f'{DEFAULTS} {seed}'}@{args.play}"}
            found.append(judged(game, here, against | usual, args.games, args.play, seed))
        changes[name] = {
            "changes": CHANGES[name],
            "seconds": mean(runs.summary(f"{name} {seed}")["seconds"] for seed in seeds),
            "win_share": {rival: over_seeds([f[rival] for f in found]) for rival in found[0]},
        }
        rows = [cells(name, change, [*against, DEFAULTS]) for name, change in changes.items()]
        write_whole(runs.folder / "ablations.json", json.dumps(report, indent=2) + "\n")
        write_whole(runs.folder / "ablations.md", markdown(title, head, rows, caption(changes)))
    show(title, head, rows, caption(changes))
    print(f"the table in Markdown: {runs.folder / 'ablations.md'}; every figure: {runs.folder / 'ablations.json'}")
    return 0


def over_seeds(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What `judged` found against one player, by seed: the shares, their mean and the half-width of its interval, each
    seed's interval over its deals, and the mean fair share."""
    shares = [f["win_share"] for f in found]
    middle, half = interval(shares)
    return {
        "seeds": shares,
        "mean": middle,
        "interval": half,
        "intervals_over_deals": [f["interval"] for f in found],
        "fair_share": mean(f["fair_share"] for f in found),
    }


def cells(name: str, change: dict[str, Any], rivals: Sequence[str]) -> list[str]:
    """A change's row of the table."""
    shares = [change["win_share"].get(rival) for rival in rivals]
    wins = ["" if s is None else f"{100 * s['mean']:.1f} ± {100 * s['interval']:.1f}" for s in shares]
    return [name, *wins, f"{change['seconds']:.0f}"]


def caption(changes: dict[str, dict[str, Any]]) -> str:
    """What an agent wins that is as good as its opponent."""
    fair: dict[str, list[float]] = {}
    for change in changes.values():
        for rival, share in change["win_share"].items():
            fair.setdefault(USUAL if rival == DEFAULTS else rival, []).append(share["fair_share"])
    shares = ", ".join(f"{100 * mean(several):.1f} against {rival}" for rival, several in fair.items())
    return f"± is half of the 95 % interval over the seeds. Fair shares, of an agent as good as its opponent: {shares}."


def markdown(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """The table for a page."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join([f"{title}", "", *(f"| {' | '.join(line)} |" for line in lines), "", caption, ""])


def show(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> None:
    """The table on screen."""
    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, pad_edge=False)
    for k, name in enumerate(head):
        table.add_column(name, justify="right" if k else "left", min_width=12 if k else None)
    for row in rows:
        table.add_row(*row)
    console = Console()
    (console if console.is_terminal else Console(width=120)).print(table)


if __name__ == "__main__":
    sys.exit(main())
