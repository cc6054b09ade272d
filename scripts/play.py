"""A game in the terminal, you against any player.

    scripts/play.py --against expert
    scripts/play.py --against checkpoints/agent_avenue_simple@argmax --seat 1 --seed 7

A player is a scripted bot (random, greedy, ...), a search with its simulations a decision (mcts:200, mc:200), or the
folder of a checkpoint or a run, which is sampled unless @argmax or a temperature (@0.5) stands behind it. You see what
your seat may know, no more; what the others did shows in the next position.
"""

import argparse
import secrets
import sys
from collections.abc import Callable

import numpy as np

from spygames.core.game import NOBODY, Game, IllegalAction, as_record, flat
from spygames.core.players import DecisionBatch, Player, answers, make_player, new_memory
from spygames.core.rng import mix
from spygames_training.command_line import Parser, add_game_arguments, choose_game, finished, seed

HELP = "Type the number of an action, or its text. show: the position again; help: this; quit (or Ctrl-D): leave."


class Left(Exception):
    """The person has had enough."""


def main(argv: list[str] | None = None, ask: Callable[[str], str] = input) -> int:
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", default="greedy", metavar="PLAYER", help="(default: %(default)s)")
    parser.add_argument("--seat", type=int, default=0, help="yours, from 0 (default: %(default)s)")
    parser.add_argument("--seed", type=seed, help="of the deal and the opponent's luck (default: a new one)")
    add_game_arguments(parser)
    args = parser.parse_args(argv)
    return finished("play.py", lambda: run(args, ask))


def run(args: argparse.Namespace, ask: Callable[[str], str]) -> int:
    game = choose_game([args.against], args.game, dict(args.option))
    if not 0 <= args.seat < game.num_players:
        raise ValueError(f"--seat must be from 0 to {game.num_players - 1}, not {args.seat}")
    opponent = make_player(game, args.against)
    number = secrets.randbits(32) if args.seed is None else args.seed
    print(f"{game.id}: you are seat {args.seat}, against {opponent.name}. The deal is --seed {number}.\n{HELP}")
    try:
        result = play(game, opponent, args.seat, number, ask)
    except (Left, EOFError, KeyboardInterrupt):
        print("\nGood-bye.")
        return 0
    except IllegalAction as error:
        print(f"play.py: {error}", file=sys.stderr)
        return 2
    outcome = "You win." if result > 0 else "You lose." if result < 0 else "Nobody wins."
    print(f"{outcome} (return {result:+g})")
    return 0


def play(game: Game, opponent: Player, seat: int, number: int, ask: Callable[[str], str]) -> float:
    """One game of the person in `seat`; returns what that seat gets. Raises Left, EOFError, KeyboardInterrupt."""
    states = game.start(number)
    state = as_record(states)
    luck = np.array([[mix(~np.uint64(number))]], np.uint64)
    mask, memory = np.zeros((1, game.num_actions), np.int8), new_memory(game, [opponent])
    while state.to_move != NOBODY:
        game.legal(state, mask[0])
        if state.to_move == seat:
            action = choose(game, state, mask[0], ask)
        else:
            views = game.new_views()
            game.observe(state, int(state.to_move), as_record(views))
            decisions = DecisionBatch(game, states, views, flat(views), mask, luck, np.arange(1), memory)
            action = int(answers(opponent, decisions, secret=True)[0])
        game.apply(state, action)
    print(f"\n{game.to_text(state, seat)}\n\nThe game is over.")
    returns = np.zeros(game.num_players, np.float32)
    game.returns(state, returns)
    return float(returns[seat])


def choose(game: Game, state: np.recarray, mask: np.ndarray, ask: Callable[[str], str]) -> int:
    """Shows the position and asks until a legal action is named."""
    seat = int(state.to_move)
    actions = [int(action) for action in np.flatnonzero(mask)]
    texts = [game.action_to_string(state, action, seat) for action in actions]
    spoken = [text.casefold() for text in texts]
    listing = "\n".join(f"{i:4}  {text}" for i, text in enumerate(texts, 1))
    position = f"\n{game.to_text(state, seat)}\n\n{listing}"
    print(position)
    while True:
        answer = " ".join(ask("> ").split()).casefold()
        if answer in ("quit", "exit", "q"):
            raise Left
        if answer in ("help", "h", "?"):
            print(HELP)
        elif answer == "show":
            print(position)
        elif answer in spoken:
            return actions[spoken.index(answer)]
        elif answer.isdecimal() and 1 <= int(answer) <= len(actions):
            return actions[int(answer) - 1]
        else:
            print(f"{answer!r} is no action here: a number from 1 to {len(actions)} or the text, such as {texts[0]!r}")


if __name__ == "__main__":
    sys.exit(main())
