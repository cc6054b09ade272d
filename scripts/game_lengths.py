"""Plays uniformly random games of every variant, checks the game's invariants at each decision, and prints how long the
games are and how they end.

    scripts/game_lengths.py                                  # 100,000 games of each variant of Agent Avenue
    scripts/game_lengths.py --games 2000 --option mode=advanced --option players=4 --json lengths.json

A row of the table is a variant; seeds 0 to N-1, each seed's first game. What holds at every decision stands in
`tests/<game>/invariants.py`, beside the game's variants; the exit code is 1 if anything did not hold. The figures for
Agent Avenue are kept in `docs/agent_avenue_random_play.md`, where other implementations can be compared with them.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # for the invariants, which are the tests'

from tests.random_games import Played, invariants_of, names, play_games  # noqa: E402

from spygames.core.game import Game  # noqa: E402
from spygames_training.command_line import DEFAULT_GAME, Parser, add_game_arguments, choose_game, positive  # noqa: E402
from spygames_training.tables import progress_bar  # noqa: E402

CHUNK = 10_000
SHOWN = 3  # seeds of games in which an invariant did not hold


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
        print("game_lengths.py: interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"game_lengths.py: {error}", file=sys.stderr)
        return 2


def run(args: argparse.Namespace) -> int:
    if args.json and (not args.json.resolve().parent.is_dir() or args.json.is_dir()):
        raise ValueError(f"{args.json} cannot be written: it is a folder, or its folder does not exist")
    rows = []
    for game in games_of(args.game or DEFAULT_GAME, dict(args.option)):
        if not rows:
            print(head(game), flush=True)
        rows.append(measure(game, args.games))
        print(line(game, rows[-1]), flush=True)
        for name, seeds in rows[-1]["broken"].items():
            print(f"{game.id}: {name} did not hold in {len(seeds)} games: seeds {seeds[:SHOWN]}", file=sys.stderr)
    if args.json:
        args.json.write_text(json.dumps(rows, indent=2) + "\n")
    return int(any(row["broken"] for row in rows))


def games_of(game_id: str, options: dict[str, Any]) -> list[Game]:
    """The variant with these options, or without any all that the invariants are to be checked for."""
    game = choose_game([], game_id, options)
    try:
        variants = invariants_of(game).VARIANTS
    except ModuleNotFoundError:
        raise ValueError(f"{game.id} has no tests/{game.name}/invariants.py, so nothing can be checked") from None
    return [game] if options else [choose_game([], game_id, variant) for variant in variants]


def measure(game: Game, games: int) -> dict[str, Any]:
    """The figures of one variant, plain JSON values."""
    own = invariants_of(game)
    decisions, turns, ends, first, broken = [], [], [], 0, dict[str, list[int]]()
    title = ", ".join([game.id, *(f"{name}={value}" for name, value in game.options.items())])
    with progress_bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=games)
        for start in range(0, games, CHUNK):
            seeds = np.arange(start, min(start + CHUNK, games), dtype=np.uint64)
            played: Played = play_games(game, seeds, lambda n: bar.advance(task, n))
            decisions.append(played.decisions)
            turns.append(played.states["turn"])
            ends.append(played.states["end_reason"])
            first += int((own.due(played.states)[:, 0] > 0).sum())
            for name, rows in played.broken.items():
                if len(rows):
                    broken.setdefault(name, []).extend(seeds[rows].tolist())
    reasons = np.concatenate(ends)
    return {
        "options": dict(game.options),
        "games": games,
        "decisions": spread(np.concatenate(decisions)),
        "turns": spread(np.concatenate(turns)),
        "seat_0_wins": first / games,
        "ends": {reason: float((reasons == i).mean()) for i, reason in enumerate(own.END_REASONS)},
        "invariants": names(game),
        "broken": broken,
    }


def spread(numbers: np.ndarray) -> dict[str, float]:
    """Mean, least and most."""
    return {"mean": float(numbers.mean()), "least": int(numbers.min()), "most": int(numbers.max())}


def head(game: Game) -> str:
    columns = [*variant(game), "decisions (most)", "turns (most)", "seat 0 wins", *invariants_of(game).END_REASONS]
    return f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|"


def line(game: Game, row: dict[str, Any]) -> str:
    """A row of the table."""
    values = [str(row["options"][name]) for name in variant(game)]
    values += [f"{row[key]['mean']:.2f} ({row[key]['most']})" for key in ("decisions", "turns")]
    values += [f"{100 * row['seat_0_wins']:.1f} %", *(f"{100 * share:.2f} %" for share in row["ends"].values())]
    return f"| {' | '.join(values)} |"


def variant(game: Game) -> list[str]:
    """The options in which the variants differ."""
    return list(invariants_of(game).VARIANTS[0])


if __name__ == "__main__":
    sys.exit(main())
