"""Finds out how well a checkpoint, or any other player, plays.

    scripts/evaluate.py checkpoints/agent_avenue_simple --against random greedy expert mcts:200 --games 5000
    scripts/evaluate.py runs/demo --play sample 0.5 argmax --json results.json
    scripts/evaluate.py --cross-play random greedy expert checkpoints/agent_avenue_simple@argmax

A player is a scripted bot (random, greedy, ...), a search with its simulations a decision (mcts:200, mc:200), or the
folder of a checkpoint or a run, which is sampled unless @argmax or a temperature (@0.5) stands behind it. Every deal is
played with the challenger on every side: in every seat, or, where seats play in teams, as every team. Intervals are
bootstrapped over deals, or Wilson's where all deals agree.
"""

import argparse
import json
import sys
from pathlib import Path

from rich.console import Console

from spygames.core.players import make_player
from spygames.core.shown import one_line
from spygames_training.atomic import write_whole
from spygames_training.command_line import Parser, add_game_arguments, choose_game, finished, positive, seed
from spygames_training.evaluation import cross_play, evaluate, share_matrix, total_cross_games, total_games
from spygames_training.tables import as_json, check_picture, heat_map, matrix_table, progress_bar, results_table


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("challenger", nargs="?", help="the player to evaluate; not with --cross-play")
    parser.add_argument("--against", nargs="+", metavar="PLAYER", help="the opponents (default: all scripted bots)")
    parser.add_argument("--cross-play", nargs="+", metavar="PLAYER", help="these players, each against each other one")
    parser.add_argument(
        "--play", nargs="+", metavar="HOW", help="how the challenger, a checkpoint, plays: sample, argmax, 0.5, ..."
    )
    parser.add_argument("--games", type=positive, default=5000, help="of each pair (default: %(default)s)")
    parser.add_argument("--seed", type=seed, default=0, help="the same seed, the same result (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE",
        default=Path("cross_play.png"),
        help="where to draw the heat map of --cross-play (default: %(default)s)",
    )
    add_game_arguments(parser)
    args = parser.parse_args(argv)
    if args.challenger is None and args.against and len(args.against) > 1:
        first, *others = reversed(args.against)
        parser.error(
            f"--against takes all names behind it, and none is left to evaluate: name that one before it, as in "
            f"evaluate.py {one_line(first)} --against {one_line(' '.join(reversed(others)))}"
        )
    if (args.challenger is None) == (args.cross_play is None):
        parser.error("name one player to evaluate, or several with --cross-play")
    if args.cross_play and (args.against or args.play):
        parser.error("--cross-play names all players itself: --against and --play do not go with it")
    if args.cross_play and len(args.cross_play) < 2:
        parser.error("--cross-play needs at least two players")
    return args


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    return finished("evaluate.py", lambda: run(args))


def run(args: argparse.Namespace) -> int:
    files = [args.json] if args.json else []
    if args.cross_play:
        check_picture(args.plot)
        files.append(args.plot)
    for file in files:
        if not file.resolve().parent.is_dir() or file.is_dir():  # said before the games, not after them
            raise ValueError(f"{file} cannot be written: it is a folder, or its folder does not exist")
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # a file or a pipe has no width of its own
    specs = args.cross_play or [
        args.challenger if how in ("", "sample") else f"{args.challenger}@{how}" for how in args.play or [""]
    ]
    game = choose_game([*specs, *(args.against or [])], args.game, dict(args.option))
    players = [make_player(game, spec) for spec in specs]
    opponents = [] if args.cross_play else [make_player(game, spec) for spec in args.against or game.bots]
    if args.cross_play:
        total = total_cross_games(game, args.games, len(players))
    else:
        total = total_games(game, args.games, len(players), len(opponents))
    with progress_bar(console=console, transient=True) as bar:
        task = bar.add_task("playing", total=total)

        def progress(games: int) -> None:
            bar.advance(task, games)

        if args.cross_play:
            results = cross_play(game, players, args.games, args.seed, progress)
        else:
            results = [r for p in players for r in evaluate(game, p, opponents, args.games, args.seed, progress)]
    console.print(results_table(results, game.title))
    if args.cross_play:
        names = [player.name for player in players]
        shares = share_matrix(results, len(players))
        console.print(matrix_table(names, shares))
        heat_map(names, shares, args.plot, f"{game.title}\nwins of the row, {results[0].games:,} games a pair")
        console.print(f"heat map: {args.plot}")
    if args.json:
        write_whole(args.json, json.dumps(as_json(game, results, args.seed), indent=2) + "\n")
        console.print(f"results: {args.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
