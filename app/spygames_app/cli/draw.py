"""`spygames draw`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyCount,
    AnyFile,
    AnyPlayer,
    File,
    GameId,
    Positive,
    WrongArguments,
    check_writable,
    console,
    counted,
    say,
)

if TYPE_CHECKING:
    from spygames.core.records.film import Film
    from spygames.core.records.record import GameRecord


@dataclass(frozen=True)
class Draw:
    """Makes a film, a picture or a page of a recorded game.

        spygames draw games.jsonl --out game.webp
        spygames draw games.jsonl --viewer 0 --agent agent_avenue/simple-2 --out game.html
        spygames draw games.jsonl --move 12 --out position.png

    The ending of --out says what is made: webp, gif or mp4 a film, png or svg one position, html a page with a slider,
    which a browser opens from disk. mp4 needs imageio-ffmpeg. Without --viewer everything is open, and the page has all
    viewpoints to choose from: give --viewer before you show it to somebody who must not see the others' cards.
    """

    file: Positional[File]
    """Games that `spygames record` wrote."""
    out: AnyFile = None
    """What is written: game.webp, .gif, .mp4, .png, .svg or .html."""
    viewer: AnyCount = None
    """Draw what this seat may know, from 0; everything if not given."""
    agent: AnyPlayer = None
    """A checkpoint, or a search, that says at each decision what it would do, and what result it expects."""
    number: Positive = 1
    """Which game of the file, from 1."""
    move: AnyCount = None
    """For png and svg: the position after so many moves; the last one if not given."""
    width: Positive = 800
    """Pixels, 16 to 4096; the height is three quarters of it."""
    seconds: float = 0.8
    """For how long a film shows a position."""
    game: GameId = None
    """What the game is played with, as agent_avenue_v0; otherwise what the file names."""

    def run(self) -> int:
        form = self._form()
        from gymnasium.error import DependencyNotInstalled

        from spygames.core.records.record import RecordError, load_games
        from spygames_app.films.encoding import check, encode, pictures_in
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import progress_bar

        assert self.out is not None
        check_writable(self.out)
        try:
            check(form, self.width, self.seconds)
        except DependencyNotInstalled as error:
            raise ValueError(str(error)) from error
        games = load_games(self.file)
        if self.number > len(games):
            raise ValueError(f"{self.file} has {counted(len(games), 'game')}, so there is no --number {self.number}")
        try:
            film = self._film(games[self.number - 1])
        except RecordError as error:
            raise RecordError(f"{self.file}, game {self.number}: {error}") from error
        if self.viewer is not None and not 0 <= self.viewer < film.game.num_players:
            raise ValueError(f"--viewer must be from 0 to {film.game.num_players - 1}, not {self.viewer}")
        if self.move is not None and not 0 <= self.move < len(film):
            raise ValueError(f"--move must be from 0 to {len(film) - 1}, not {self.move}")
        everything = None if form == "html" else -1
        viewer = everything if self.viewer is None else self.viewer
        with progress_bar(unit="pictures", console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("drawing", total=pictures_in(film, form, viewer))
            content = encode(
                film, form, viewer, width=self.width, seconds=self.seconds, position=self.move,
                progress=lambda done: bar.advance(task, done),
            )  # fmt: skip
        write_whole(self.out, content)
        say(f"{self.out}: {len(content) / 1000:,.0f} kB, {len(film)} positions")
        return 0

    def _form(self) -> str:
        from spygames_app.films import FORMATS

        form = "" if self.out is None else self.out.suffix.removeprefix(".").lower()
        if form not in FORMATS:
            what = "say with --out" if self.out is None else f"--out {self.out} does not say"
            raise WrongArguments(f"{what} what is made: a name that ends in .{', .'.join(FORMATS)}")
        if self.move is not None and form not in ("png", "svg"):
            raise WrongArguments(f"--move is for png and svg, which show one position, not for {form}")
        return form

    def _film(self, game_record: "GameRecord") -> "Film":
        from spygames.core.game.registry import make_game
        from spygames.core.players.names import make_player
        from spygames.core.records.film import Adviser, Film
        from spygames.core.records.record import game_of

        game = game_of(game_record) if self.game is None else make_game(self.game, **game_record.options)
        adviser: Adviser | None = None
        if self.agent is not None:
            player = make_player(game, self.agent)
            if not isinstance(player, Adviser):
                raise ValueError(f"{player.name} does not say what it thinks: --agent takes a checkpoint or a search")
            adviser = player
        return Film(game_record, game, adviser)
