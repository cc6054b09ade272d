"""`spygames draw`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

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
    game_of_record,
    given,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spygames.core.records.film import Film, Said
    from spygames.core.records.record import GameRecord


@dataclass(frozen=True)
class Draw:
    """Make a film, a picture or an HTML page of a recorded game.

        spygames draw games.jsonl --out game.webp
        spygames draw games.jsonl --viewer 0 --agent best --out game.html
        spygames draw games.jsonl --move 12 --out position.png

    The suffix of --out sets the format: webp, gif or mp4 is a film, png or svg one position, html a page with a slider
    that a browser opens from disk. mp4 needs the package imageio-ffmpeg.

    For the transcripts of a language model (--llm.transcripts) a panel beside the drawing has what the model said, in
    the views of its seat and of everything.

    Without --viewer nothing is hidden, and the page offers every seat's view. Give --viewer before you share the result
    with players who must not see the other seats' cards.
    """

    file: Positional[File]
    """A file that `spygames record` or `spygames play --save` wrote, or games.jsonl of transcripts."""
    out: AnyFile = None
    """Output file: game.webp, .gif, .mp4, .png, .svg or .html."""
    viewer: AnyCount = None
    """Draw only what this seat may know, from 0. (default: everything)"""
    agent: AnyPlayer = None
    """A checkpoint or a search. Show at each decision what it would do, and the result that it expects."""
    number: Positive = 1
    """The game of the file to draw, from 1."""
    move: AnyCount = None
    """For png and svg: the position after this number of moves. (default: the last)"""
    width: Positive = 800
    """For films and png: width in pixels, 16 to 4096. The height follows from --size, three quarters of the width for
    full."""
    seconds: float = 0.8
    """Seconds that a film shows each position, 0.02 to 60; mp4 rounds it to tenths, at least one."""
    theme: Literal["dark", "light"] = "dark"
    """The colors of the pictures."""
    size: Literal["full", "portrait", "compact"] = "full"
    """The form of the pictures: for a screen, for a phone held upright, or for a thumbnail."""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: the one that the file names)"""

    def run(self) -> int:
        form = self._form()
        from gymnasium.error import DependencyNotInstalled

        from spygames.core.chat.transcripts import load_said
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
            raise ValueError(f"{self.file} has {counted(len(games), 'game')}, no --number {self.number}")
        try:
            film = self._film(games[self.number - 1], load_said(self.file)[self.number - 1])
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
                theme=self.theme, size=self.size, progress=lambda done: bar.advance(task, done),
            )  # fmt: skip
        write_whole(self.out, content)
        last = len(film) - 1
        one = f"position {last if self.move is None else self.move} of {last}"
        shows = one if form in ("png", "svg") else f"{len(film)} positions"
        say(f"{self.out}: {len(content) / 1000:,.0f} kB, {shows}")
        return 0

    def _form(self) -> str:
        from spygames_app.films import FORMATS

        form = "" if self.out is None else self.out.suffix.removeprefix(".").lower()
        if form not in FORMATS:
            instead = "" if self.out is None else f", not {self.out}"
            raise WrongArguments(f"--out must name a file that ends in .{', .'.join(FORMATS)}{instead}")
        if self.move is not None and form not in ("png", "svg"):
            raise WrongArguments(f"--move works only for png and svg, which show one position, not for {form}")
        if form in ("svg", "html") and "--width" in given(self):
            raise WrongArguments(f"--width works only for films and png, not for {form}")
        if form in ("png", "svg", "html") and "--seconds" in given(self):
            raise WrongArguments(f"--seconds works only for films, not for {form}")
        return form

    def _film(self, game_record: "GameRecord", said: "Mapping[int, Said]") -> "Film":
        from spygames.core.players.names import make_player
        from spygames.core.records.film import Adviser, Film

        game = game_of_record(game_record, self.game)
        adviser: Adviser | None = None
        if self.agent is not None:
            player = make_player(game, self.agent)
            if not isinstance(player, Adviser):
                raise ValueError(f"--agent must be a checkpoint or a search, not {player.name}")
            adviser = player
        return Film(game_record, game, adviser, said)
