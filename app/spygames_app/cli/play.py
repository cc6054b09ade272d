"""`spygames play`."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from spygames_app.cli.arguments import AnySeed, GameId, GameOptions, PlayerSpec, choose_game, complain

if TYPE_CHECKING:
    from spygames.core.game import Game
    from spygames.core.notes import Notes
    from spygames.core.player import Player

HELP = (
    "Type the number of an action, or its text. show: the position again; who: who is probably who, as far as a search "
    "finds out; help: this; quit (or Ctrl-D): leave."
)


class Left(Exception):
    """The person has had enough."""


@dataclass(frozen=True)
class Play:
    """A game in the terminal, you against any player.

        spygames play --against expert
        spygames play --against agent_avenue_simple@argmax --seat 1 --seed 7

    A player is a scripted bot (random, greedy, ...), a search with its simulations a decision (mcts:200, mc:200), or
    the folder of a checkpoint or a run, which is sampled unless @argmax or a temperature (@0.5) stands behind it; the
    checkpoints that come with the package go by name. You see what your seat may know, no more; what the others did
    shows in the next position. Against a search in Heimlich & Co., `who` tells what it would make of it in your place.
    """

    against: PlayerSpec = "greedy"
    """The opponent, in all other seats."""
    seat: int = 0
    """Yours, from 0."""
    seed: AnySeed = None
    """Of the game and of the opponent's choices; a new one if not given."""
    game: GameId = None
    """The game, as agent_avenue_v0; otherwise that of the checkpoint named, with its options."""
    option: GameOptions = ()
    """An option of the game, as players=2; may be given several times."""

    def run(self, ask: Callable[[str], str] = input) -> int:
        from spygames.core.game import IllegalAction
        from spygames.core.players import make_player

        game = choose_game([self.against], self.game, dict(self.option))
        if not 0 <= self.seat < game.num_players:
            raise ValueError(f"--seat must be from 0 to {game.num_players - 1}, not {self.seat}")
        opponent = make_player(game, self.against)
        seed = secrets.randbits(32) if self.seed is None else self.seed
        print(f"{game.id}: you are seat {self.seat}, against {opponent.name}. The game is --seed {seed}.\n{HELP}")
        try:
            result = play(game, opponent, self.seat, seed, ask)
        except (Left, EOFError, KeyboardInterrupt):
            print("\nGood-bye.")
            return 0
        except IllegalAction as error:
            complain("spygames play", error)
            return 2
        outcome = "You win." if result > 0 else "You lose." if result < 0 else "Nobody wins."
        print(f"{outcome} (return {result:+g})")
        return 0


def play(game: "Game", opponent: "Player", seat: int, seed: int, ask: Callable[[str], str]) -> float:
    """Plays one game with the person in `seat`.

    Args:
        game: what is played.
        opponent: who decides in all other seats.
        seat: the person's.
        seed: of the game and of the opponent's choices.
        ask: shows a prompt and returns what the person types.

    Returns:
        What the person's seat gets.

    Raises:
        Left, EOFError, KeyboardInterrupt: the person leaves.
    """
    from spygames.core import match
    from spygames.core.game import NOBODY, as_record
    from spygames.core.notes import new_notes
    from spygames.core.player import new_memory, tell_end
    from spygames.core.rng import mix

    states = game.start(seed)
    state = as_record(states)
    rng = np.array([[mix(~np.uint64(seed))]], np.uint64)
    mask, memory = np.zeros(game.num_actions, np.int8), new_memory(game, [opponent])
    notes = new_notes(game, [opponent])
    while state.to_move != NOBODY:
        if state.to_move == seat:
            game.legal(state, mask)
            action = choose(game, state, mask, ask, lambda: who_is_who(opponent, states, notes))
        else:
            action = match.ask(game, states, opponent, rng, memory, notes=notes, secret=True)
        if notes is not None:
            notes.add(states, np.array([action]))
        game.apply(state, action)
    print(f"\n{game.to_text(state, seat)}\n\nThe game is over.")
    returns = np.zeros(game.num_players, np.float32)
    game.returns(state, returns)
    tell_end({other: opponent for other in range(game.num_players) if other != seat}, returns, notes=notes)
    return float(returns[seat])


def who_is_who(opponent: "Player", states: np.ndarray, notes: "Notes | None") -> str:
    """What an opponent that searches would believe in the place of the person."""
    suspect = getattr(opponent, "suspect", None)
    text = suspect(states, None if notes is None else notes.of(0)) if suspect else ""
    return text or "Nobody finds out: play Heimlich & Co. against a search, such as --against heimlich_3+search:64."


def choose(
    game: "Game", state: Any, mask: np.ndarray, ask: Callable[[str], str], who: Callable[[], str] | None = None
) -> int:
    """Shows the position and asks until a legal action is named; `who` tells what a search believes."""
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
        elif answer == "who" and who is not None:
            print(who())
        elif answer in spoken:
            return actions[spoken.index(answer)]
        elif answer.isdecimal() and 1 <= int(answer) <= len(actions):
            return actions[int(answer) - 1]
        else:
            print(f"{answer!r} is no action here: a number from 1 to {len(actions)} or the text, such as {texts[0]!r}")
