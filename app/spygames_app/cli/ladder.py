"""`spygames ladder`."""

import time
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyPositive,
    AnySeed,
    File,
    GameId,
    GameOptions,
    Named,
    Players,
    Positives,
    TaskOptions,
    Tasks,
    WrongArguments,
    check_writable,
    choose_game,
    console,
    counted,
    say,
)
from spygames_app.cli.models import ModelOptions, Models

if TYPE_CHECKING:
    from spygames.core.game.game import Game
    from spygames_training.ladder.lines import Line

SEED = 20_261_122
"""Seed of the published ladders. Nothing is tuned on it."""
TWO_SIDES, MORE_SIDES = 19, 12
"""Default numbers of blocks: at least 9,604 games between two sides, and 2,846 deals with more sides."""


STANDINGS = (
    "In brackets the 95 % interval. rating: Plackett-Luce, on Elo's scale; lottery: how often a maximal lottery draws "
    "the player; CPU ms: mean time of a decision; failed: games lost by a crash, an illegal action or the time limit; "
    "digest: of the player's code and weights."
)
"""The caption of the first table."""
CROSS = (
    "Games won by the player of the row, alone among players of the column, in %. On the diagonal the fair share.",
    "Games won by the player of the row against that of the column, in %.",
)
"""The caption of the second table with more than two sides, and with two."""
CROSS_WITHOUT = "The table above without the games that a player lost because it failed."


@dataclass(frozen=True)
class Ladder:
    """Play all players against each other and write a page with their ratings.

        spygames ladder dog.jsonl greedy agent_dog/standard-2
        spygames ladder dog.jsonl runs/new@argmax
        spygames ladder dog.jsonl --rerun 3 17

        spygames ladder small.jsonl --deals 10 --blocks 1 --players random greedy llm:MODEL@URL

    The file has one line for each block of 256 deals between two players. The command writes a page and a picture next
    to it (dog.md, dog.svg). The named players meet each other and all players in the file, except those that have
    changed since (their digest differs); existing lines stay as they are. Without players the command only writes the
    page. It can be stopped at any time; the same command resumes.

    A player loses a game in which it crashes, answers an illegal action or exceeds --limit. The page counts these
    games.
    """

    file: Positional[File]
    """The file of the ladder's lines. It is created if it does not exist."""
    players: Positional[Players] = ()
    """The players to add. See spygames evaluate --help."""
    named: Named = ()
    """More players to add, after those named first."""
    blocks: AnyPositive = None
    """Number of blocks for each pair. (default: 19 between two sides, otherwise 12)"""
    deals: AnyPositive = None
    """Number of deals of a block of a new file, at most 256, for slow players. (default: 256)"""
    minutes: AnyPositive = None
    """Stop after this time, at the end of a block. (default: no limit)"""
    limit: AnyPositive = None
    """Seconds that a player may take for a decision. (default: 10; with a language model in the game --llm.patience)"""
    rerun: Positives = ()
    """Play these lines again (numbers from 1) and compare the results. Writes nothing."""
    allow_code: bool = False
    """Allow players in the file to run code, such as command:..."""
    seed: AnySeed = None
    """Seed of the deals of a new file."""
    game: GameId = None
    """The game of a new file, such as agent_avenue_v0. (default: that of the first checkpoint named, with its
    options)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    tasks: TaskOptions = field(default_factory=Tasks)
    llm: ModelOptions = field(default_factory=Models)

    def run(self) -> int:
        import scipy  # noqa: F401 - for the page; without it the command would fail after the games

        from spygames_training.evaluation.blocks import DEALS
        from spygames_training.ladder.lines import check_sides, game_of, read_lines
        from spygames_training.ladder.page import cross_table, standings_table, write_page

        specs = (*self.players, *self.named)
        if self.rerun and specs:
            raise WrongArguments("--rerun plays existing lines again: name no players with it")
        if self.deals is not None and self.deals > DEALS:
            raise ValueError(f"--deals must be an integer from 1 to {DEALS}, not {self.deals}")
        check_writable(self.file)
        if self.file.suffix in (".md", ".svg"):
            raise ValueError(f"{self.file} would be overwritten by the page or its picture: name it .jsonl")
        lines = read_lines(self.file)
        if not lines and not specs:
            there = "has no lines" if self.file.exists() else "does not exist"
            raise ValueError(f"{self.file} {there}: name the players, as in spygames ladder FILE greedy random")
        named = bool(lines) and self.game == lines[0].game["id"]  # the user names the module, not the file
        game = (
            game_of(lines[0], self.allow_code or named) if lines else choose_game(specs, self.game, dict(self.option))
        )
        if lines:
            check_sides(game, lines)
            self._check_same(game, lines[0])
        if self.rerun:
            return self._rerun(game, lines)
        if specs:
            lines = self._play(game, lines, specs)
        screen = console()
        found = write_page(game, self.file, lines)
        screen.print(replace(standings_table(found), caption=STANDINGS).rich())
        screen.print(replace(cross_table(found), caption=CROSS[game.num_sides == 2]).rich())
        if any(found.forfeits):
            screen.print(replace(cross_table(found, forfeits=False), caption=CROSS_WITHOUT).rich())
        say(f"page: {self.file.with_suffix('.md')}\npicture: {self.file.with_suffix('.svg')}")
        return 0

    def _check_same(self, game: "Game", line: "Line") -> None:
        """Raise ValueError if --game, --option or --seed differ from those of the file."""
        from spygames.core.game.registry import default_options

        if self.deals not in (None, len(line.wins)):
            raise ValueError(f"{self.file} has blocks of {counted(len(line.wins), 'deal')}: leave --deals out")
        own = {**default_options(game.id), **game.options}  # a game leaves out an option such as history=0
        wrong = [key for key, asked in self.option if own.get(key) != asked]
        if (self.game not in (None, game.id, line.game["id"])) or wrong or self.seed not in (None, line.seed):
            raise ValueError(f"{self.file} holds {game.title}, seed {line.seed}: name another file for another game")

    def _play(self, game: "Game", lines: "list[Line]", specs: tuple[str, ...]) -> "list[Line]":
        from spygames.core.players.names import PlayerName, make_player
        from spygames_training.evaluation.blocks import DEALS
        from spygames_training.ladder.lines import appending, check_harmless, entry_of, pairs, read_lines
        from spygames_training.ladder.playing import Meeting, play_lines
        from spygames_training.output.tables import progress_bar

        known = {entry.name: entry for line in lines for entry in line.players}
        players, entries, given = {}, {}, []
        for spec in dict.fromkeys([*specs, *known]):
            if spec in entries:  # named by the command, perhaps in a shorter way
                continue
            if spec not in specs and not self.allow_code:
                check_harmless(spec)
            name = PlayerName.parse(spec)
            player = make_player(game, name)
            entry = entry_of(game, name, player)
            if known.get(entry.name, entry) != entry:
                changed = f"{self.file} has results of another {entry.name} (digest {known[entry.name].digest}, here "
                changed += f"{entry.digest})"
                if spec in specs:
                    raise ValueError(f"{changed}: use a new file, or rename the player")
                say(f"{changed}: the new players do not meet it")
                continue
            players[entry.name], entries[entry.name] = player, entry
            given += [entry.name] if spec in specs else []
        if len(players) < 2:
            raise ValueError(f"{self.file} needs at least two different players, not only {', '.join(players)}")
        seed = lines[0].seed if lines else SEED if self.seed is None else self.seed
        deals = len(lines[0].wins) if lines else self.deals or DEALS
        blocks = self.blocks or (TWO_SIDES if game.num_sides == 2 else MORE_SIDES)
        meetings = pairs(game, [*players], given)
        end = time.monotonic() + 60 * self.minutes if self.minutes else float("inf")
        try:
            with (
                self.llm.at_work([*players.values()]) as models,
                self.tasks.executor() as executor,
                appending(self.file) as append,
            ):
                if len(now := read_lines(self.file)) != len(lines):  # while the players were made
                    raise ValueError(f"another process has written {self.file} meanwhile: repeat the command")
                done = {line.key for line in now}
                wanted = [(a, b, number) for number in range(blocks) for a, b in meetings if (a, b, number) not in done]
                meet = [
                    Meeting((entries[a], players[a]), (entries[b], players[b]), seed, number) for a, b, number in wanted
                ]
                in_time = takewhile(lambda _: time.monotonic() <= end, meet)
                with progress_bar(console=console(stderr=True), transient=True) as bar:
                    task = bar.add_task("playing", total=sum(games_of(game, a == b, deals) for a, b, _ in wanted))
                    new = play_lines(game, in_time, self.limit, append, executor, lambda n: bar.advance(task, n), deals)
        except KeyboardInterrupt:
            say(f"saved in {self.file}; the same command resumes")
            raise
        self.llm.report(models)
        return [*lines, *new]

    def _rerun(self, game: "Game", lines: "list[Line]") -> int:
        from spygames.core.players.names import PlayerName, make_player
        from spygames_training.ladder.lines import check_harmless, entry_of, play_line

        tasks = []
        for number in self.rerun:
            if number > len(lines):
                raise ValueError(f"{self.file} has {counted(len(lines), 'line')}, no line {number}")
            line, seats = lines[number - 1], []
            for entry in line.players:
                if not self.allow_code:
                    check_harmless(entry.name)
                name = PlayerName.parse(entry.name)
                player = make_player(game, name)
                seats.append((entry_of(game, name, player), player))
            tasks.append((game, *seats, line.seed, line.number, self.limit))
        play = partial(play_line, deals=len(lines[0].wins))
        with self.llm.at_work([player for task in tasks for _, player in task[1:3]]), self.tasks.executor() as executor:
            pairs = zip(self.rerun, executor.in_order(play, tasks), strict=True)
            return 1 if sum(_differs(number, lines[number - 1], again) for number, again in pairs) else 0


def _differs(number: int, line: "Line", again: "Line") -> bool:
    """Print whether a line that was played again gave the same result; return whether it differs."""
    from spygames.core.basics.text import shown

    same, says = again.compared() == line.compared(), "the same, byte for byte"
    others = [entry.name for entry, old in zip(again.players, line.players, strict=True) if entry != old]
    if not same:
        played = (again.wins.tolist(), again.forfeits) == (line.wins.tolist(), line.forfeits)
        says = f"{'the same games' if played else 'different games'}"
        says += f"; the digest of {' and '.join(others)} differs" if others else ""
        had, has = line.made.get("instructions"), again.made["instructions"]
        says += "" if had in (None, has) else f"; networks computed with {shown(had)} then, with {has} here"
    say(f"line {number}: {says}")
    return not same


def games_of(game: "Game", alone: bool, deals: int) -> int:
    """Return the number of games of a block of `deals` deals."""
    return deals * (1 if alone else game.num_sides)
