"""Plays games between named players into a file, one JSON line a game, or replays such a file and checks it.

    scripts/record_game.py --players greedy expert --games 10 --seed 1 --out games.jsonl
    scripts/record_game.py --replay games.jsonl --show

A player is a scripted bot (random, greedy, ...), a search with its simulations a decision (mcts:200, mc:200), or the
path of a checkpoint, which is sampled unless @argmax or a temperature (@0.5) stands behind it. They sit in the order
in which they are named; one name stands for all seats. The first game is dealt from --seed, each later one from the
seed that follows it, as in an environment that is reset without a seed.

Games of a module of your own need --game for --replay, too: a file does not choose what is imported.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from spygames.core.game import NOBODY, Game, as_record
from spygames.core.players import make_player
from spygames.core.record import GameRecord, RecordError, load_games, play_record, replay, save_games
from spygames.core.registry import make_game
from spygames.core.rng import next_seed
from spygames_training.command_line import Parser, add_game_arguments, choose_game, finished, positive, seed


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", nargs="+", metavar="PLAYER", help="one a seat, or one for all seats")
    parser.add_argument("--games", type=positive, default=1, help="(default: %(default)s)")
    parser.add_argument("--seed", type=seed, default=0, help="of the first game (default: %(default)s)")
    parser.add_argument("--out", type=Path, metavar="FILE", help="where to write the games")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="replay and check this file instead")
    parser.add_argument("--show", action="store_true", help="with --replay: print each position, all cards open")
    add_game_arguments(parser)
    args = parser.parse_args(argv)
    if args.replay is None and not (args.players and args.out):
        parser.error("--players and --out to record, or --replay")
    if args.replay is not None and (args.players or args.out):
        parser.error("--replay goes with neither --players nor --out")
    if args.show and args.replay is None:
        parser.error("--show goes with --replay")
    return args


def main(argv: list[str] | None = None) -> int:
    args = arguments(argv)
    return finished("record_game.py", lambda: run(args))


def run(args: argparse.Namespace) -> int:
    if args.replay is None:
        play_games(args)
    else:
        replay_games(args.replay, args.show, args.game)
    return 0


def play_games(args: argparse.Namespace) -> None:
    """Plays `--games` games and writes them."""
    game = choose_game(args.players, args.game, dict(args.option))
    specs = args.players * game.num_players if len(args.players) == 1 else args.players
    if len(specs) != game.num_players:
        raise ValueError(f"{game.id} has {game.num_players} seats, but --players names {len(specs)}")
    if not args.out.parent.is_dir():
        raise ValueError(f"there is no folder {args.out.parent}")
    known = {spec: make_player(game, spec) for spec in specs}
    deal, games = np.uint64(args.seed), []
    for _ in range(args.games):
        games.append(play_record(game, [known[spec] for spec in specs], int(deal)))
        deal = next_seed(deal)
        print(f"game {len(games)}: {summary(games[-1])}")
    save_games(args.out, games)
    print(f"{len(games)} games in {args.out}")


def replay_games(path: Path, show: bool, game_id: str | None) -> None:
    """Replays every game of the file; `game_id` is what they are played with, None: what they name."""
    games = load_games(path)
    for number, game_record in enumerate(games, 1):
        try:
            game = None if game_id is None else make_game(game_id, **game_record.options)
            states = replay(game_record, game)
        except (RecordError, TypeError) as error:
            raise RecordError(f"{path}, game {number}: {error}") from error
        if show:
            show_game(game or make_game(game_record.game, **game_record.options), game_record, states)
        print(f"game {number}: {summary(game_record)}")
    print(f"{len(games)} games of {path} replayed exactly")


def show_game(game: Game, game_record: GameRecord, states: np.ndarray) -> None:
    """Each position with the action that follows."""
    for number, text in enumerate((*game_record.actions, None)):
        s = as_record(states, number)
        print(game.to_text(s, NOBODY))
        print("" if text is None else f"\n> seat {s.to_move}: {text}\n")


def summary(game_record: GameRecord) -> str:
    """One line about a game."""
    r = game_record
    begin = "from a state" if r.seed is None else f"seed {r.seed}"
    results = ", ".join(
        f"{name or f'seat {seat}'} {value:+g}"
        for seat, (name, value) in enumerate(zip(r.players or ("",) * len(r.returns), r.returns, strict=True))
    )
    return f"{begin}, {len(r.actions)} decisions, {results}{f' ({r.end_reason})' if r.end_reason else ''}"


if __name__ == "__main__":
    sys.exit(main())
