"""`spygames replay`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames_app.cli.arguments import File, GameId
from spygames_app.cli.record import summary

if TYPE_CHECKING:
    import numpy as np

    from spygames.core.game import Game
    from spygames.core.record import GameRecord


@dataclass(frozen=True)
class Replay:
    """Replays recorded games and checks that they come out as they are written down.

        spygames replay games.jsonl
        spygames replay games.jsonl --show

    Games of a module of your own need --game: a file does not choose what is imported.
    """

    file: Positional[File]
    """Games that `spygames record` wrote."""
    show: bool = False
    """Print each position, all cards open."""
    game: GameId = None
    """What the games are played with, as agent_avenue_v0; otherwise what the file names."""

    def run(self) -> int:
        from spygames.core.record import RecordError, load_games, replay
        from spygames.core.registry import make_game

        games = load_games(self.file)
        for number, game_record in enumerate(games, 1):
            try:
                game = None if self.game is None else make_game(self.game, **game_record.options)
                states = replay(game_record, game)
            except (RecordError, TypeError) as error:
                raise RecordError(f"{self.file}, game {number}: {error}") from error
            if self.show:
                show_game(game or make_game(game_record.game, **game_record.options), game_record, states)
            print(f"game {number}: {summary(game_record)}")
        print(f"{len(games)} games of {self.file} replayed exactly")
        return 0


def show_game(game: "Game", game_record: "GameRecord", states: "np.ndarray") -> None:
    """Prints each position with the action that follows."""
    from spygames.core.game import NOBODY, as_record

    for number, text in enumerate((*game_record.actions, None)):
        s = as_record(states, number)
        print(game.to_text(s, NOBODY))
        print("" if text is None else f"\n> seat {s.to_move}: {text}\n")
