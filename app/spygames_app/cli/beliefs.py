"""`spygames beliefs`."""

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFolder,
    GameId,
    GameOptions,
    Named,
    Players,
    Positive,
    Seed,
    WrongArguments,
    check_writable,
    choose_game,
    console,
    say,
)
from spygames_app.cli.models import ModelOptions, Models, accounts

if TYPE_CHECKING:
    from spygames.core.game.game import Game

RESULTS, PICTURE = "results.json", "beliefs.svg"
VERDICTS = "unparseable", "invalid"


@dataclass(frozen=True)
class Beliefs:
    """Measure what players believe about hidden cards and identities, in nats against the truth.

        spygames beliefs agent_avenue/simple-2+search:64 --games-of agent_avenue/simple-2@sample --out runs/beliefs
        spygames beliefs llm:MODEL@URL --game heimlich --option players=3 --games 10 --out runs/beliefs
        spygames beliefs --game agent_dog --out runs/beliefs

    Games are played by the players of --games-of. At some of their decisions every named player is asked the same
    questions about what is hidden from the seat to move. A player is one of:

      llm:MODEL@URL            a language model, which answers with JSON
      AGENT+search:64          a search: its worlds, weighted by what the rivals did
      runs/first               an agent with a belief head (network.belief = "keep")
      python:module.Class      a class with a method beliefs(turn)

    Two more rows need no player: what the rules alone say, and what could be known by someone who knows how the players
    of the games decide, if they are random or agents that sample. docs/beliefs.md explains the figures.

    The command can be stopped at any time; the same command resumes. With more --games it continues.
    """

    players: Positional[Players] = ()
    """The players to ask."""
    named: Named = ()
    """More players to ask, after those named first."""
    games_of: Players = ()
    """The players of the games: one for all seats, or one per seat. (default: the released agent of the variant,
    sampled; random if there is none)"""
    games: Positive = 50
    """Number of games."""
    per_game: Positive = 4
    """Maximum number of decisions of a game at which the players are asked."""
    worlds: Positive = 4096
    """Number of worlds of the rules alone and of what could be known."""
    seed: Seed = 0
    """Random seed; the same seed gives the same questions."""
    out: AnyFolder = None
    """Folder for games, answers, results and the picture."""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: that of the first checkpoint named, with its options)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""
    llm: ModelOptions = field(default_factory=Models)

    def run(self) -> int:
        if self.out is None:
            raise WrongArguments("name the folder for the answers, as in --out runs/beliefs")
        from spygames.core.chat.player import language_models
        from spygames.core.players.names import make_player
        from spygames_training.evaluation.belief_probe import TOLD, Probe, as_json, ask, check_probe
        from spygames_training.evaluation.belief_scores import results
        from spygames_training.evaluation.believers import KNOWN, RULES, believer_of
        from spygames_training.evaluation.digests import tell_apart
        from spygames_training.files.atomic import only_one, write_whole
        from spygames_training.ladder.page import short_title
        from spygames_training.output.beliefs import belief_picture, belief_table, caption
        from spygames_training.output.tables import progress_bar

        specs = tuple(dict.fromkeys((*self.players, *self.named)))
        game = choose_game([*specs, *self.games_of], self.game, dict(self.option))
        seated = self._players_of_games(game)
        made = {spec: make_player(game, spec) for spec in dict.fromkeys((*specs, *seated))}
        tell_apart(game, made.items())
        probe = Probe(game, tuple(made[spec] for spec in seated), self.seed, self.per_game, self.worlds)
        asked = {made[spec].name: made[spec] for spec in specs}  # two names may mean one player
        believers = [*probe.standards(), *map(believer_of, asked.values())]
        if self.out.exists() and not self.out.is_dir():
            raise ValueError(f"{self.out} must be a folder, not a file")
        self.out.mkdir(parents=True, exist_ok=True)
        check_writable(self.out / RESULTS, self.out / PICTURE)
        models = self.llm
        if language_models(made.values()) and models.transcripts is None:
            models = replace(models, transcripts=self.out / TOLD)
        screen = console()
        try:
            with only_one(self.out, "asks for beliefs"), models.at_work([*made.values()]) as spoken:
                check_probe(self.out, probe)
                with progress_bar(console=screen, transient=True) as bar:
                    task = bar.add_task("asking", total=self.games * len(believers))
                    found = ask(probe, believers, self.games, self.out, lambda n: bar.advance(task, n))
        except KeyboardInterrupt:
            say(f"saved in {self.out}; the same command resumes")
            raise
        about = as_json(probe, found, {each.name: each.digest for each in believers})
        scores = results(found.asked, found.answers, self.seed % 2**63)
        if not scores:
            raise ValueError(f"nothing is hidden at the decisions of these games of {game.title}")
        if spoken:
            about["language_models"] = accounts(spoken)
        write_whole(self.out / RESULTS, json.dumps(about, indent=2) + "\n")
        belief_picture(scores, RULES, KNOWN, self.out / PICTURE, short_title(game))
        table = replace(belief_table(scores, RULES, KNOWN), title=game.title, caption=caption(about, RULES, KNOWN))
        screen.print(table.rich())
        models.report(spoken, VERDICTS)
        say(f"results: {self.out / RESULTS}\npicture: {self.out / PICTURE}")
        return 0

    def _players_of_games(self, game: "Game") -> tuple[str, ...]:
        """Return the names of the players of the games by seat."""
        from spygames.core.players.released import best_agent

        names = self.games_of
        if not names:
            try:
                names = (f"{best_agent(game).name}@sample",)
            except ValueError:  # no released agent plays this variant
                names = ("random",)
        seated = names * game.num_players if len(names) == 1 else names
        if len(seated) != game.num_players:
            raise ValueError(
                f"--games-of must name one player, or one for each of the {game.num_players} seats of {game.title}, "
                f"not {len(names)}"
            )
        return seated
