"""`spygames ladder`."""

import time
from dataclasses import dataclass, field
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
    Positive,
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

if TYPE_CHECKING:
    from spygames.core.game.game import Game
    from spygames_training.ladder.lines import Line

SEED = 20_261_122
"""Of the published ladders; nothing is tuned on it."""
TWO_SIDES, MORE_SIDES = 19, 12
"""Blocks that make 9,604 games between two sides, and 2,846 deals with more."""


@dataclass(frozen=True)
class Ladder:
    """Plays everyone against everyone, and makes a page of what came of it.

        spygames ladder dog.jsonl random greedy expert agent_dog/standard-2@argmax --game agent_dog_v0
        spygames ladder dog.jsonl runs/new@argmax
        spygames ladder dog.jsonl --rerun 3 17

    The file has a line for each block of 256 deals that two players have played; the page and its picture are made from
    them and lie beside it (dog.md, dog.svg). Without players that is all it does. With some, these players meet each
    other and all who are in the file, and what is there stays as it is. It goes on where it was stopped, at any time.

    A player that crashes, answers what is not legal or takes longer than --limit loses that game; the page counts them.
    """

    file: Positional[File]
    """The lines of the ladder; it is made if it is not there."""
    players: Positional[Players] = ()
    """The players to be played, as `evaluate` takes them."""
    named: Named = ()
    """The same."""
    blocks: AnyPositive = None
    """Blocks of 256 deals of each pair; 19 between two sides, else 12, if not given."""
    minutes: AnyPositive = None
    """It stops after the block that ends after so long."""
    limit: Positive = 10
    """Seconds that a player may take for a decision."""
    rerun: Positives = ()
    """Numbers of lines that are played again and compared, from 1; nothing is written."""
    allow_code: bool = False
    """Whether players in the file may run code, as command:... does."""
    seed: AnySeed = None
    """Of the deals of a new file."""
    game: GameId = None
    """The game of a new file, as agent_avenue_v0; otherwise that of the first checkpoint named, with its options."""
    option: GameOptions = ()
    """An option of the game, as players=2; may be given several times."""
    tasks: TaskOptions = field(default_factory=Tasks)

    def run(self) -> int:
        from spygames_training.ladder.lines import check_sides, game_of, read_lines
        from spygames_training.ladder.page import cross_table, standings_table, write_page

        specs = (*self.players, *self.named)
        if self.rerun and specs:
            raise WrongArguments("--rerun plays lines of the file again, and players make new ones: one at a time")
        check_writable(self.file)
        if self.file.suffix in (".md", ".svg"):
            raise ValueError(f"{self.file} would be overwritten by the page or its picture: name it .jsonl")
        lines = read_lines(self.file)
        if not lines and not specs:
            there = "has no lines" if self.file.exists() else "does not exist"
            raise ValueError(f"{self.file} {there}: name the players, as in spygames ladder FILE greedy random")
        game = game_of(lines[0], self.allow_code) if lines else choose_game(specs, self.game, dict(self.option))
        if lines:
            check_sides(game, lines)
            self._check_same(game, lines[0])
        if self.rerun:
            return self._rerun(game, lines)
        if specs:
            lines = self._play(game, lines, specs)
        screen = console()
        found = write_page(game, self.file, lines)
        screen.print(standings_table(found).rich())
        screen.print(cross_table(found).rich())
        say(f"page: {self.file.with_suffix('.md')}")
        return 0

    def _check_same(self, game: "Game", line: "Line") -> None:
        """ValueError where the command asks for something else than the file is of."""
        wrong = [key for key, asked in self.option if game.options.get(key) != asked]
        if (self.game not in (None, game.id)) or wrong or self.seed not in (None, line.seed):
            raise ValueError(f"{self.file} is of {game.title}, seed {line.seed}: name another file for another game")

    def _play(self, game: "Game", lines: "list[Line]", specs: tuple[str, ...]) -> "list[Line]":
        from spygames.core.players.names import PlayerName, make_player
        from spygames_training.ladder.lines import appending, check_harmless, entry_of, pairs
        from spygames_training.ladder.playing import Meeting, play_lines
        from spygames_training.output.tables import progress_bar

        known = {entry.name: entry for line in lines for entry in line.players}
        for name in known:
            if name not in specs and not self.allow_code:
                check_harmless(name)
        players, entries, given = {}, {}, []
        for spec in dict.fromkeys([*specs, *known]):
            name = PlayerName.parse(spec)
            player = make_player(game, name)
            entry = entry_of(game, name, player)
            players[entry.name], entries[entry.name] = player, entry
            given += [entry.name] if spec in specs else []
            if known.get(entry.name, entry) != entry:
                raise ValueError(
                    f"{self.file} has results of another {entry.name} (digest {known[entry.name].digest}, here "
                    f"{entry.digest}): name a new file, or the player otherwise"
                )
        if len(players) < 2:
            raise ValueError(f"{self.file} needs two different players at least, and has {', '.join(players)} alone")
        seed = lines[0].seed if lines else SEED if self.seed is None else self.seed
        blocks = self.blocks or (TWO_SIDES if game.num_sides == 2 else MORE_SIDES)
        meetings = pairs(game, [*players], given)
        done = {line.key for line in lines}
        wanted = [(a, b, number) for number in range(blocks) for a, b in meetings if (a, b, number) not in done]
        end = time.monotonic() + 60 * self.minutes if self.minutes else float("inf")
        meet = [Meeting((entries[a], players[a]), (entries[b], players[b]), seed, number) for a, b, number in wanted]
        with (
            self.tasks.executor() as executor,
            appending(self.file) as append,
            progress_bar(console=console(stderr=True), transient=True) as bar,
        ):
            task = bar.add_task("playing", total=sum(games_of(game, a == b) for a, b, _ in wanted))
            in_time = takewhile(lambda _: time.monotonic() <= end, meet)
            new = play_lines(game, in_time, self.limit, append, executor, lambda n: bar.advance(task, n))
        return [*lines, *new]

    def _rerun(self, game: "Game", lines: "list[Line]") -> int:
        from spygames.core.players.names import PlayerName, make_player
        from spygames_training.ladder.lines import check_harmless, entry_of, play_line

        tasks = []
        for number in self.rerun:
            if number > len(lines):
                raise ValueError(f"{self.file} has {counted(len(lines), 'line')}, and no line {number}")
            line, seats = lines[number - 1], []
            for entry in line.players:
                if not self.allow_code:
                    check_harmless(entry.name)
                name = PlayerName.parse(entry.name)
                player = make_player(game, name)
                seats.append((entry_of(game, name, player), player))
            tasks.append((game, *seats, line.seed, line.number, self.limit))
        with self.tasks.executor() as executor:
            pairs = zip(self.rerun, executor.in_order(play_line, tasks), strict=True)
            return 1 if sum(_differs(number, lines[number - 1], again) for number, again in pairs) else 0


def _differs(number: int, line: "Line", again: "Line") -> bool:
    """Prints whether a line that was played again is as it was, and returns whether it is not."""
    from spygames.core.basics.text import shown

    same, says = again.compared() == line.compared(), "the same, byte for byte"
    others = [entry.name for entry, old in zip(again.players, line.players, strict=True) if entry != old]
    if not same:
        played = (again.wins.tolist(), again.forfeits) == (line.wins.tolist(), line.forfeits)
        says = f"{'the same games' if played else 'other games'}"
        says += f"; the digest of {' and '.join(others)} is another" if others else ""
        had, has = line.made.get("instructions"), again.made["instructions"]
        says += "" if had in (None, has) else f"; networks computed with {shown(had)} then, and with {has} here"
    say(f"line {number}: {says}")
    return not same


def games_of(game: "Game", alone: bool) -> int:
    """How many games a block has."""
    from spygames_training.evaluation.blocks import DEALS

    return DEALS * (1 if alone else game.num_sides)
