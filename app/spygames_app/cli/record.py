"""`spygames record`."""

import json
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    AnyFolder,
    AnyPlayer,
    GameId,
    GameOptions,
    Named,
    Players,
    Positive,
    Seed,
    TaskOptions,
    Tasks,
    WrongArguments,
    check_writable,
    choose_game,
    console,
    counted,
    given,
    say,
)
from spygames_app.cli.models import ModelOptions, Models

if TYPE_CHECKING:
    from spygames.core.game.game import Game
    from spygames.core.players.player import Player
    from spygames.core.records.record import GameRecord


_OF_DECISIONS = ("--advice", "--truth", "--numbers-only")


@dataclass(frozen=True)
class Record:
    """Play games between named players and record them, one JSON line per game, or as a dataset for learning.

        spygames record greedy expert --games 10 --seed 1 --out games.jsonl
        spygames replay games.jsonl --show
        spygames record expert --games 1000 --dataset data --parquet
        spygames record expert --games 1000 --dataset talks --form chat

    A player is a scripted bot (random, greedy, ...), a search with its simulations per decision (mcts:200, mc:200), a
    released agent (spygames agents lists them), or the folder of a checkpoint or run. A released agent plays as it is
    meant to, another one samples its actions; @argmax, @sample or a temperature (@0.5) after the name changes that.

    Players sit in the order in which they are named; a single name fills all seats. The first game starts from --seed.
    The seed of each later game follows from the one before (next_seed), as in an environment that is reset without a
    seed. If a language model gives no legal action, its game ends there and is lost.

    A dataset is a folder with a row for each decision: what the seat knew, as numbers and texts, what it did, and how
    the game ended for it. It has a data card (README.md) and the games themselves (games.jsonl). The same command
    continues after an interruption or with more --games.
    """

    players: Positional[Players] = ()
    """The players: one per seat, or one for all seats."""
    named: Named = ()
    """More players, after those named first."""
    games: Positive = 1
    """Number of games."""
    seed: Seed = 0
    """Seed of the first game."""
    out: AnyFile = None
    """File for the games. An existing file is replaced."""
    dataset: AnyFolder = None
    """Folder for a dataset, in place of --out."""
    form: Literal["decisions", "chat"] = "decisions"
    """Rows of the dataset: decisions, or the conversation of each seat for fine-tuning of language models."""
    parquet: bool = False
    """Write the rows as Parquet in place of JSON lines. Needs the extra parquet."""
    advice: AnyPlayer = None
    """A search, agent or bot that analyzes each decision: its policy, value and beliefs go into columns advice_...;
    own: the player of each seat, if it can."""
    truth: bool = False
    """Add columns truth_... with the seed and the whole position, which are hidden from the seat."""
    numbers_only: bool = False
    """Leave the columns of texts out: events, position, legal."""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: that of the first checkpoint named, with its options)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    tasks: TaskOptions = field(default_factory=Tasks)
    llm: ModelOptions = field(default_factory=Models)

    def run(self) -> int:
        named = (*self.players, *self.named)
        if not named:
            raise WrongArguments("name the players, as in spygames record greedy expert --out games.jsonl")
        if (self.out is None) == (self.dataset is None):
            wanted = "a file for the games, as in --out games.jsonl, or a folder, as in --dataset data"
            raise WrongArguments(f"name {wanted}" + (", not both" if self.out else ""))
        of_dataset = sorted(
            {"--form", "--parquet", "--advice", "--truth", "--numbers-only", "--tasks"} & {*given(self)}
        )
        if self.out is not None and of_dataset:
            wrong = "--jobs and --on work" if of_dataset == ["--tasks"] else f"{of_dataset[0]} works"
            raise WrongArguments(f"{wrong} only with --dataset")
        if self.form == "chat" and (wrong := [each for each in of_dataset if each in _OF_DECISIONS]):
            raise WrongArguments(f"{wrong[0]} does not go with --form chat")
        from spygames.core.players.names import make_player

        check_writable(self.out)
        game = choose_game(named, self.game, dict(self.option))
        specs = named * game.num_players if len(named) == 1 else named
        if len(specs) != game.num_players:
            raise ValueError(
                f"{game.title} has {game.num_players} seats: name one player, or one per seat, not {len(specs)}"
            )
        known = {spec: make_player(game, spec) for spec in specs}
        with self.llm.at_work([*known.values()]) as models:
            if self.out is not None:
                self._record(game, [known[spec] for spec in specs])
            else:
                self._write(game, specs, [known[spec] for spec in specs])
        self.llm.report(models)
        return 0

    def _record(self, game: "Game", players: "list[Player]") -> None:
        from spygames.core.chat.player import language_models
        from spygames.core.game.rng import next_seed
        from spygames.core.records.record import play_record, save_games

        assert self.out is not None
        seed, games, forfeits = np.uint64(self.seed), [], bool(language_models(players))
        new = not self.out.exists()
        try:
            for _ in range(self.games):
                games.append(play_record(game, players, int(seed), forfeits=forfeits))
                seed = np.uint64(next_seed(seed))
        finally:  # after an error or Ctrl-C a new file has the games so far: they may have cost much
            if len(games) == self.games or (games and new):
                save_games(self.out, games)
                for number, game_record in enumerate(games, 1):
                    say(f"game {number}: {summary(game_record)}")
                say(f"{counted(len(games), 'game')} in {self.out}")

    def _write(self, game: "Game", specs: tuple[str, ...], players: "list[Player]") -> None:
        from spygames.core.players.names import make_player
        from spygames_app.datasets import CARD, OWN, Plan, adviser_of, opened, write
        from spygames_training.ladder.lines import Entry, entry_of
        from spygames_training.output.tables import progress_bar

        assert self.dataset is not None
        entries = tuple(entry_of(game, spec, player) for spec, player in zip(specs, players, strict=True))
        adviser = advice = None
        if self.advice == OWN:
            advice = Entry(OWN, None)
        elif self.advice is not None:
            adviser = make_player(game, self.advice)
            advice = entry_of(game, self.advice, adviser)
        plan = Plan(
            game, entries, self.seed, self.form, "parquet" if self.parquet else "jsonl",
            not self.numbers_only, self.truth, advice,
        )  # fmt: skip
        try:
            with (
                opened(self.dataset, plan, self.games) as data,
                self.tasks.executor() as executor,
                progress_bar(console=console(stderr=True), transient=True) as bar,
            ):
                task = bar.add_task("playing", total=self.games)
                command, thinks = self._command(game, specs), None if adviser is None else adviser_of(adviser)
                write(data, players, thinks, self.games, command, executor, lambda done: bar.advance(task, done))
        except KeyboardInterrupt:
            say(f"saved in {self.dataset}; the same command resumes")
            raise
        say(f"{counted(len(data.games), 'game')}, {counted(data.rows, 'row')} in {data.folder}")
        say(f"data card: {data.folder / CARD}")

    def _command(self, game: "Game", specs: tuple[str, ...]) -> str:
        """Return a command line that writes the same dataset."""
        from spygames.core.game.registry import name_of

        made = {key: json.dumps(each) if isinstance(each, dict | list) else each for key, each in game.options.items()}
        options = [part for name, chosen in made.items() for part in ("--option", f"{name}={chosen}")]
        words = ["spygames", "record", *specs, "--game", name_of(game), *options, "--games", self.games]
        words += ["--seed", self.seed, "--dataset", self.dataset]
        words += ["--form", self.form] if self.form != "decisions" else []
        words += ["--advice", self.advice] if self.advice else []
        flags = {"--parquet": self.parquet, "--truth": self.truth, "--numbers-only": self.numbers_only}
        return shlex.join(map(str, [*words, *(name for name, on in flags.items() if on)]))


def summary(game_record: "GameRecord") -> str:
    """Return one line about a game: its start, length and results."""
    r = game_record
    start = "from a state" if r.seed is None else f"seed {r.seed}"
    results = ", ".join(
        f"{name or f'seat {seat}'} {value:+g}"
        for seat, (name, value) in enumerate(zip(r.players or ("",) * len(r.returns), r.returns, strict=True))
    )
    why = f"seat {r.forfeit} gave no legal action" if r.forfeit is not None else r.end_reason
    return f"{start}, {counted(len(r.actions), 'decision')}, {results}{f' ({why})' if why else ''}"
