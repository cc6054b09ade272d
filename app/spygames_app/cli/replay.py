"""`spygames replay`."""

from collections.abc import Callable, Mapping
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
    fitted,
    game_of_record,
    given,
    say,
)
from spygames_app.cli.record import summary

if TYPE_CHECKING:
    from spygames.core.game.game import Game
    from spygames.core.records.film import Adviser, Film, Said
    from spygames.core.records.record import GameRecord

HELP = "Enter: next position; back; end; a number: that position; quit (or Ctrl-D): leave."


@dataclass(frozen=True)
class Replay:
    """Replay recorded games and check that they give the recorded results.

        spygames replay games.jsonl
        spygames replay games.jsonl --show --viewer 0
        spygames replay games.jsonl --step --number 2 --agent best
        spygames replay told/games.jsonl --show

    For the transcripts of a language model (--llm.transcripts) each position also has what the model said there, if
    the viewer is that seat or sees everything.

    Games from a module of your own need --game, since a file may not choose which code is imported.
    """

    file: Positional[File]
    """A file that `spygames record` or `spygames play --save` wrote, or games.jsonl of transcripts."""
    show: bool = False
    """Print each position."""
    step: bool = False
    """Step through one game, forward and back."""
    number: AnyPositive = None
    """The game to show, from 1. (default: all; with --step the first)"""
    viewer: AnyCount = None
    """Show only what this seat may know, from 0. (default: everything)"""
    agent: AnyPlayer = None
    """Show at each decision what this player would do in that seat, and the result that it expects."""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: the one that the file names)"""

    def run(self, ask: Callable[[str], str] = input) -> int:
        wrong = sorted(set(given(self)) & {"--viewer", "--agent", "--number"})
        if wrong and not (self.show or self.step):
            raise WrongArguments(f"{wrong[0]} works only with --show or --step")
        from spygames.core.chat.transcripts import load_said
        from spygames.core.records.record import RecordError, load_games

        games = load_games(self.file)
        told = load_said(self.file)
        stepped = (self.number or 1) if self.step else None
        if (wanted := stepped or self.number or 0) > len(games):
            raise ValueError(f"{self.file} has {counted(len(games), 'game')}, no --number {wanted}")
        for number, game_record in enumerate(games, 1):
            try:
                film = self._film(game_record, told[number - 1])
            except (RecordError, TypeError) as error:
                raise RecordError(f"{self.file}, game {number}: {error}") from error
            if number == stepped:
                step_through(film, self._seat(film), ask)
            elif self.show and self.number in (None, number):
                show_game(film, self._seat(film))
            say(f"game {number}: {summary(game_record)}")
        say(f"{counted(len(games), 'game')} of {self.file} replayed exactly")
        return 0

    def _film(self, game_record: "GameRecord", said: "Mapping[int, Said]") -> "Film":
        from spygames.core.records.film import Film

        game = game_of_record(game_record, self.game)
        return Film(game_record, game, self._adviser(game), said)

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
    """Return a position as a viewer sees it, with an adviser's thoughts and what was said if the viewer may know it."""
    from spygames_app.advice import in_words, said_in_words

    scene = film.scene(position, viewer, draw_advice=False)
    thought = f"\n\n{fitted(in_words(scene.advice))}" if scene.advice else ""
    said = f"\n\n{fitted(said_in_words(scene.said))}" if scene.said else ""
    return f"{film.text(position, viewer)}{thought}{said}"


def show_game(film: "Film", viewer: int) -> None:
    """Print each position with the move that follows."""
    for position in range(len(film)):
        say(position_in_words(film, position, viewer))
        if position + 1 < len(film):
            say(fitted(f"\n> {film.move(position + 1, viewer)}\n"))


def step_through(film: "Film", viewer: int, ask: Callable[[str], str]) -> None:
    """Show the positions that the user asks for."""
    at, last = 0, len(film) - 1
    say(fitted(HELP))
    while True:
        if at:
            say(fitted(f"\n> {film.move(at, viewer)}"))
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
                wanted = int(answer) if len(answer) < 10 else last + 1  # int() limits the digits
            if wanted is not None and 0 <= wanted <= last:
                at = wanted
                break
            say(fitted(f"The positions are 0 to {last}." if wanted is not None else HELP))
