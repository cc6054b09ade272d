"""Plays uniformly random games of every variant and prints how long they are and how they end.

    scripts/random_play.py                                       # 100,000 games of each variant of Agent Avenue
    scripts/random_play.py --game agent_dog_v0 --option players=4 --games 20000 --json lengths.json

A row of the table is a variant; seeds 0 to N-1, each seed's first game. The figures stand in
`docs/<game>_random_play.md`, where other implementations can be compared with them. The same games with everything
that must hold in them looked at: `python -m tests.random_games`.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from spygames.core.game import Game, as_record
from spygames.core.lockstep import first_games
from spygames_training.command_line import DEFAULT_GAME, Parser, add_game_arguments, choose_game, positive
from spygames_training.tables import progress_bar

CHUNK = 10_000
MEASURED: dict[str, list[dict[str, Any]]] = {
    "agent_avenue_v0": [{"mode": mode, "players": n} for mode in ("simple", "advanced") for n in (2, 3, 4)],
    "heimlich_v0": [{"players": n} for n in range(2, 8)],
    "agent_dog_v0": [{"players": n} for n in (2, 3, 4)],
}
"""The variants in the documents; of any other game the default one."""


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=positive, default=100_000, help="of each variant (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the figures")
    add_game_arguments(parser)
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    try:
        return run(args)
    except KeyboardInterrupt:
        print("random_play.py: interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"random_play.py: {error}", file=sys.stderr)
        return 2


def run(args: argparse.Namespace) -> int:
    if args.json and (not args.json.resolve().parent.is_dir() or args.json.is_dir()):
        raise ValueError(f"{args.json} cannot be written: it is a folder, or its folder does not exist")
    rows = [measure(game, args.games) for game in games_of(args.game or DEFAULT_GAME, dict(args.option))]
    print(table(rows))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 0


def games_of(game_id: str, options: dict[str, Any]) -> list[Game]:
    """The variant with these options, or without any those that the documents have."""
    variants = [options] if options else MEASURED.get(game_id, [{}])
    return [choose_game([], game_id, variant) for variant in variants]


def measure(game: Game, games: int) -> dict[str, Any]:
    """The figures of one variant, plain JSON values."""
    decisions, states, results = [], [], []
    title = ", ".join([game.id, *(f"{name}={value}" for name, value in game.options.items())])
    with progress_bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=games)
        for start in range(0, games, CHUNK):
            seeds = np.arange(start, min(start + CHUNK, games), dtype=np.uint64)
            for number, step in enumerate(first_games(game, seeds)):
                decisions.append(np.full(step.over.sum(), number))
                states.append(step.after[step.over])
                results.append(step.results[step.over])
                bar.advance(task, step.over.sum())
    last = np.concatenate(states)
    return {
        "options": dict(game.options),
        "games": games,
        "decisions": spread(np.concatenate(decisions)),
        "turns": spread(last["turn"]),
        "wins": (np.concatenate(results) > 0).mean(0).tolist(),
        "ends": ends(game, last),
    }


def spread(numbers: np.ndarray) -> dict[str, float]:
    """Mean, median, least and most."""
    return {
        "mean": float(numbers.mean()),
        "median": float(np.median(numbers)),
        "least": int(numbers.min()),
        "most": int(numbers.max()),
    }


def ends(game: Game, last: np.ndarray) -> dict[str, float]:
    """The share of each reason to end, in the order of the game's own list, of final states, STATE [n]."""
    _, where, counts = np.unique(last["end_reason"], return_index=True, return_counts=True)
    names = [game.state_to_dict(as_record(last, int(k)))["end_reason"] for k in where]
    return {name: count / len(last) for name, count in zip(names, counts.tolist(), strict=True)}


def table(rows: list[dict[str, Any]]) -> str:
    """All variants in Markdown, with the options in which they differ."""
    names = [name for name in rows[0]["options"] if len({str(row["options"][name]) for row in rows}) > 1]
    reasons = list(dict.fromkeys(reason for row in rows for reason in row["ends"]))
    columns = [*names, "decisions (median, most)", "turns (median, most)", "won by each seat", *reasons]
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    for row in rows:
        cells = [str(row["options"][name]) for name in names]
        cells += ["{mean:.2f} ({median:.0f}, {most})".format(**row[key]) for key in ("decisions", "turns")]
        cells.append(" / ".join(f"{100 * share:.1f} %" for share in row["wins"]))
        cells += [f"{100 * row['ends'].get(reason, 0):.2f} %" for reason in reasons]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
