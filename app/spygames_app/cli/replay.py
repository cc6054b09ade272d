"""`spygames replay`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyCount,
    AnyPlayer,
    AnyPositive,
    File,
    GameId,
    WrongArguments,
    counted,
    given,
    say,
)
from spygames_app.cli.record import summary

if TYPE_CHECKING:
    from spygames.core.game.game import Game
    from spygames.core.records.film import Adviser, Film
    from spygames.core.records.record import GameRecord

HELP = "Enter: on; back; a number: that position; end; quit (or Ctrl-D): leave."
_OF_SHOW = ("--viewer", "--agent", "--number", "--step")


@dataclass(frozen=True)
class Replay:
    """Replays recorded games and checks that they come out as they are written down.

        spygames replay games.jsonl
        spygames replay games.jsonl --show --viewer 0
        spygames replay games.jsonl --step --number 2 --agent best

    Games of a module of your own need --game: a file does not choose what is imported.
    """

    file: Positional[File]
    """Games that `spygames record` or `spygames play --save` wrote."""
    show: bool = False
    """Print each position, all cards open."""
    step: bool = False
    """Go through one game position by position, on and back."""
    number: AnyPositive = None
    """Which game of the file is shown, from 1; with --step the first one if not given."""
    viewer: AnyCount = None
    """Show what this seat may know, from 0; everything if not given."""
    agent: AnyPlayer = None
    """A player whose thoughts are shown at each decision, of the seat that decides: what it would do, what result it
    expects."""
    game: GameId = None
    """What the games are played with, as agent_avenue_v0; otherwise what the file names."""

    def run(self, ask: Callable[[str], str] = input) -> int:
        wrong = sorted(set(given(self)) & {"--viewer", "--agent", "--number"})
        if wrong and not (self.show or self.step):
            raise WrongArguments(f"{wrong[0]} is of what is shown: with --show or --step")
        from spygames.core.records.record import RecordError, load_games

        games = load_games(self.file)
        stepped = (self.number or 1) if self.step else None
        if (wanted := stepped or self.number or 0) > len(games):
            raise ValueError(f"{self.file} has {counted(len(games), 'game')}, so there is no --number {wanted}")
        for number, game_record in enumerate(games, 1):
            try:
                film = self._film(game_record)
            except (RecordError, TypeError) as error:
                raise RecordError(f"{self.file}, game {number}: {error}") from error
            if number == stepped:
                step_through(film, self._seat(film), ask)
            elif self.show and self.number in (None, number):
                show_game(film, self._seat(film))
            say(f"game {number}: {summary(game_record)}")
        say(f"{counted(len(games), 'game')} of {self.file} replayed exactly")
        return 0

    def _film(self, game_record: "GameRecord") -> "Film":
        from spygames.core.game.registry import make_game
        from spygames.core.records.film import Film
        from spygames.core.records.record import game_of

        game = game_of(game_record) if self.game is None else make_game(self.game, **game_record.options)
        return Film(game_record, game, self._adviser(game))

    def _adviser(self, game: "Game") -> "Adviser | None":
        if self.agent is None:
            return None
        from spygames.core.players.names import make_player
        from spygames_app.advice import Thoughts

        return Thoughts(make_player(game, self.agent))

    def _seat(self, film: "Film") -> int:
        seats = film.game.num_players
        if self.viewer is not None and not 0 <= self.viewer < seats:
            raise ValueError(f"--viewer must be from 0 to {seats - 1}, not {self.viewer}")
        return -1 if self.viewer is None else self.viewer


def position_in_words(film: "Film", position: int, viewer: int) -> str:
    """A position as a viewer sees it, with what an adviser thinks where the viewer may know it."""
    from spygames_app.advice import in_words

    scene = film.scene(position, viewer)
    thought = f"\n\n{in_words(scene.advice)}" if scene.advice else ""
    return f"{film.text(position, viewer)}{thought}"


def show_game(film: "Film", viewer: int) -> None:
    """Prints each position with the move that follows."""
    for position in range(len(film)):
        say(position_in_words(film, position, viewer))
        if position + 1 < len(film):
            say(f"\n> {film.move(position + 1, viewer)}\n")


def step_through(film: "Film", viewer: int, ask: Callable[[str], str]) -> None:
    """Shows positions as the person asks for them."""
    at, last = 0, len(film) - 1
    say(HELP)
    while True:
        if at:
            say(f"\n> {film.move(at, viewer)}")
        say(f"\n{position_in_words(film, at, viewer)}\n")
        while True:
            try:
                answer = ask(f"{at}/{last}> ").strip().casefold()
            except (EOFError, KeyboardInterrupt):
                print()
                return
            if answer in ("quit", "exit", "q"):
                return
            wanted = {"": at + 1, "back": at - 1, "b": at - 1, "end": last}.get(answer)
            if answer.isdecimal():
                wanted = int(answer)
            if wanted is not None and 0 <= wanted <= last:
                at = wanted
                break
            say(f"There are the positions 0 to {last}." if wanted is not None else HELP)
