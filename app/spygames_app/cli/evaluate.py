"""`spygames evaluate`."""

import json
from dataclasses import dataclass, field, replace
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    AnyPositive,
    GameId,
    GameOptions,
    Hows,
    Players,
    PlayersOrNone,
    Positive,
    Seed,
    TaskOptions,
    Tasks,
    WrongArguments,
    check_writable,
    choose_game,
    console,
    say,
)
from spygames_app.cli.models import ModelOptions, Models, accounts, limit_of

if TYPE_CHECKING:
    from spygames.core.players.names import PlayerName


@dataclass(frozen=True)
class Evaluate:
    """Measure how well a checkpoint or any other player plays.

        spygames evaluate agent_avenue/simple-2 --against greedy mcts:200
        spygames evaluate runs/first runs/second --against greedy
        spygames evaluate runs/demo --play sample 0.5 argmax --json results.json
        spygames evaluate --cross-play random greedy agent_avenue/simple-2
        spygames evaluate --seats greedy random random expert --game heimlich_v0

    A player is one of:

      random, greedy, ...      a scripted bot
      mcts:200, mc:200         a search, with its simulations per decision
      agent_avenue/simple-2    a released agent (spygames agents lists them)
      best, safest             the agent that wins most, or is hardest to exploit
      runs/first               the folder of a checkpoint or a run
      AGENT+search:64          an agent with a search of 64 worlds per decision
      mix:A|B                  a mixture: draws one of these players for each game
      python:my_bot.act        a function or class of your own (docs/players.md)
      command:./bot            a program of your own (docs/players.md)
      onnx:FILE                a network in ONNX format (docs/players.md)
      llm:MODEL@URL            a language model (docs/language_models.md)

    A released agent plays as it is meant to, another one samples its actions; @argmax, @sample or a temperature (@0.5)
    after the name changes that. A search with +search:64,rivals=policy|expert infers which of these players it meets.

    Every deal (a seed) is played with the challenger on every side: in every seat, or as every team. Intervals are
    bootstrapped over deals; if all deals agree, they are Wilson intervals.
    """

    players: Positional[Players] = ()
    """The players to evaluate, each against every opponent."""
    against: Players = ()
    """The opponents. (default: all scripted bots)"""
    cross_play: PlayersOrNone = None
    """Play every player against every other one and draw a heat map. Includes the players named before the option."""
    seats: PlayersOrNone = None
    """Play all players at one table, one per seat. Includes the players named before the option. Every deal is played
    with each player in each seat, or with each team in each team's place."""
    play: Hows = ()
    """How all checkpoints to evaluate play: sample, argmax or a temperature, such as 0.5. Several values give several
    players. Their names must not say it, and no scripted player may be among them. (default: released agents as they
    are meant to, others sampled)"""
    games: Positive = 5000
    """Number of games of each pair."""
    seed: Seed = 0
    """Random seed; the same seed gives the same result."""
    json: AnyFile = None
    """File for the results as JSON."""
    plot: AnyFile = None
    """File for the heat map of --cross-play. (default: cross_play.png)"""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: that of the first checkpoint named, with its options)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    limit: AnyPositive = None
    """Seconds for a decision. A player that fails or is later loses the game, as in a ladder; results are given with
    and without these games. (default: the first failure ends the command; with a language model, it loses the game)"""
    tasks: TaskOptions = field(default_factory=Tasks)
    llm: ModelOptions = field(default_factory=Models)

    def run(self) -> int:
        self._check()
        from spygames.core.players.names import make_player
        from spygames_training.evaluation.digests import tell_apart
        from spygames_training.evaluation.evaluation import (
            cross_play,
            evaluate,
            share_matrix,
            total_cross_games,
            total_games,
        )
        from spygames_training.evaluation.results_json import as_json
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import check_picture, heat_map, matrix_table, progress_bar, results_table

        check_writable(self.json)
        if self.seats is not None:
            return self._play_line_up((*self.players, *self.seats))
        crossed, plot = self.cross_play is not None, self.plot or Path("cross_play.png")
        if crossed:
            check_picture(plot)
            check_writable(plot)
        screen = console()
        specs = [
            how_named(spec, how) for spec in (*self.players, *(self.cross_play or ())) for how in self.play or [""]
        ]
        game = choose_game([*specs, *self.against], self.game, dict(self.option))
        players = [make_player(game, spec) for spec in specs]
        others = [] if crossed else [*(self.against or game.bots)]
        opponents = [make_player(game, spec) for spec in others]
        tell_apart(game, zip([*specs, *others], [*players, *opponents], strict=True))
        if not crossed:  # two names of one player, such as best and an agent's own, are one row
            players, opponents = (list({p.name: p for p in each}.values()) for each in (players, opponents))
        if crossed:
            total = total_cross_games(game, self.games, len(players))
        else:
            total = total_games(game, self.games, len(players), len(opponents))
        with (
            self.llm.at_work([*players, *opponents]) as models,
            self.tasks.executor() as executor,
            progress_bar(console=screen, transient=True) as bar,
        ):
            task, limit = bar.add_task("playing", total=total), limit_of(self.limit, models)

            def progress(games: int) -> None:
                bar.advance(task, games)

            if crossed:
                results = cross_play(game, players, self.games, self.seed, progress, executor, limit)
            else:
                several = [
                    evaluate(game, p, opponents, self.games, self.seed, progress, executor, limit) for p in players
                ]
                results = [result for results in several for result in results]
        rows = results
        if crossed and game.num_sides == 2:  # both results of a pair come from the same games
            rows = [
                r
                for pair, r in zip(permutations(range(len(players)), 2), results, strict=True)
                if pair == (*sorted(pair),)
            ]
        screen.print(results_table(rows, game.title))
        if crossed:
            names = [player.name for player in players]
            shares = share_matrix(results, len(players))
            screen.print(matrix_table(names, shares))
            heat_map(names, shares, plot, f"{game.title}\nwins of the row, {results[0].games:,} games a pair")
            say(f"heat map: {plot}")
        self.llm.report(models)
        if self.json:
            extra = {"language_models": accounts(models)} if models else {}
            found = as_json(game, results, self.seed, extra, players=[*players, *opponents])
            write_whole(self.json, json.dumps(found, indent=2) + "\n")
            say(f"results: {self.json}")
        return 0

    def _play_line_up(self, specs: tuple[str, ...]) -> int:
        """Play --seats."""
        from spygames_training.evaluation.digests import tell_apart
        from spygames_training.evaluation.line_ups import line_up, line_up_deals, line_up_players, rotations
        from spygames_training.evaluation.results_json import line_up_json
        from spygames_training.files.atomic import write_whole
        from spygames_training.output.tables import line_up_table, progress_bar

        screen, game = console(), choose_game(specs, self.game, dict(self.option))
        players = line_up_players(game, specs)
        tell_apart(game, zip(specs, players, strict=True))
        total = line_up_deals(game, self.games) * len(rotations(game))
        with (
            self.llm.at_work(players) as models,
            self.tasks.executor() as executor,
            progress_bar(console=screen, transient=True) as bar,
        ):
            task, limit = bar.add_task("playing", total=total), limit_of(self.limit, models)
            results = line_up(
                game, players, self.games, self.seed, lambda games: bar.advance(task, games), executor, limit
            )
        screen.print(line_up_table(results, game.title))
        self.llm.report(models)
        if self.json:
            extra = {"language_models": accounts(models)} if models else {}
            found = line_up_json(game, results, self.seed, players, extra)
            write_whole(self.json, json.dumps(found, indent=2) + "\n")
            say(f"results: {self.json}")
        return 0

    def _check(self) -> None:
        """Raise WrongArguments if the options that name players conflict."""
        from spygames.core.basics.text import one_line

        if self.plot is not None and self.cross_play is None:
            raise WrongArguments("--plot works only with --cross-play")
        if self.seats is not None:
            if self.against or self.cross_play is not None or self.play:
                raise WrongArguments("--seats names all players: omit --against, --cross-play and --play")
            return
        named = (*self.players, *(self.cross_play or ()))
        if not named and len(self.against) > 1:
            *others, last = self.against
            raise WrongArguments(
                "--against takes all names after it, so none is left to evaluate: name that one before it, as in "
                f"spygames evaluate {one_line(last)} --against {one_line(' '.join(others))}"
            )
        if self.cross_play is not None and (self.against or self.play):
            raise WrongArguments("--cross-play names all players: omit --against and --play")
        if self.cross_play is not None and len(named) < 2:
            raise WrongArguments("--cross-play needs at least two players")
        if not named:
            raise WrongArguments(
                "name a player to evaluate, or several, as in spygames evaluate greedy --against random"
            )


def how_named(spec: str, how: str) -> "PlayerName":
    """Return the name of a player that plays as --play says. "" keeps the player's own way, and so does sample, except
    for a released agent, which may be meant to play in another way. ValueError if the name says how to play, too, or is
    that of a mixture, whose members have ways of their own."""
    from spygames.core.players.mixture import MIX
    from spygames.core.players.names import PlayerName, check_play
    from spygames.core.players.released import CHOOSE, find_agent

    name = PlayerName.parse(spec)
    check_play(name, how)
    if how and name.kind == MIX:
        raise ValueError(f"--play is not for a mixture: say how its members play, as in {MIX}:A@{how}|B@{how}")
    released = name.source in CHOOSE or find_agent(name.source) is not None
    return name if how == "" or (how == "sample" and not released) else replace(name, play=how)
