"""`spygames best-response`."""

import shlex
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tyro.conf import Positional

from spygames_app.cli.arguments import (
    ERRORS,
    AnyFolder,
    AnyPlayer,
    AnyPositive,
    AnySeed,
    GameId,
    GameOptions,
    How,
    Positive,
    RunFolder,
    TaskOptions,
    Tasks,
    WrongArguments,
    agent_and_game,
    complain,
    console,
    program,
    say,
)

if TYPE_CHECKING:
    from spygames.core.game.game import Game
    from spygames_training.experiments.best_response import BestResponse as Found
    from spygames_training.runs.run import Run


@dataclass(frozen=True)
class BestResponse:
    r"""Measure how far an agent can be exploited, by a learner and by a search.

        spygames best-response agent_avenue/simple-2 --decisions 10000000
        spygames best-response agent_avenue/simple-2 --play sample \
            --start-from agent_avenue/simple-2 --decisions 100000000
        spygames best-response agent_avenue/simple-2 --search 64
        spygames best-response agent_avenue/simple-2 --option history=3
        spygames best-response "mix:agent_avenue/simple-2|runs/other" --search 64
        spygames best-response --resume runs/best_response_agent_avenue_simple-2

    The agent is frozen and plays as --play says. The learner has a network of the same kind and size. It plays one side
    of each game (a team, or a seat that plays for itself) and trains for --decisions decisions of its own; the agent
    plays all other sides. Ctrl-C saves. The agent may be a mixture, mix:A|B, of which one plays in each game. With
    --option history=3 the learner also sees earlier offers in Agent Avenue, an agent without history does not.

    The learner is then evaluated against the agent. The fair share is what the agent itself would win in the learner's
    place, 50 % in a game with two sides. The learner's win share above the fair share is a lower bound for a perfect
    best response. In a game with two sides no player wins more than the fair share against an agent at equilibrium. The
    figures are written to best_response.json in the learner's run.

    --search K without a learner measures a search on top of the agent that knows the agent's policy and plays out K
    worlds per decision. With --decisions, --start-from or --resume a network learns, and a search on top of it is
    measured as well. The largest figure is the bound.
    """

    checkpoint: Positional[AnyPlayer] = None
    """The agent: a released agent, the folder of a checkpoint or run, or a mixture of these (mix:A|B)."""
    resume: RunFolder = None
    """Resume the learner's run in this folder. Takes --games, --search, --precision, --allow-code, --jobs and --on, but
    no other option."""
    game: GameId = None
    """The game, such as agent_avenue_v0, or a game of your own. (default: the game of the checkpoint)"""
    option: GameOptions = ()
    """An option of the game in place of the checkpoint's, such as history=3. The agent must be able to play it."""
    play: How = None
    """How the agent plays: sample, argmax or a temperature. (default: as its name says; otherwise a released agent as
    it is meant to, another one sampled)"""
    decisions: AnyPositive = None
    """The learner's own decisions in training. Both seats are counted while it trains, so about twice as many are
    played with two sides, in whole updates of 65,536. (default: 10000000)"""
    seed: AnySeed = None
    """Seed of the learner. (default: 1)"""
    workers: AnyPositive = None
    """Number of threads. (default: 2)"""
    out: AnyFolder = None
    """Folder of the learner's run. (default: runs/best_response_NAME)"""
    start_from: AnyPlayer = None
    """Start the learner from the weights of this agent, such as the one to exploit. (default: fresh weights)"""
    search: AnyPositive = None
    """Measure a search that knows the agent's policy, with this many worlds per decision, at most 100000."""
    precision: Literal["float32", "bfloat16"] = "float32"
    """Number format of the search. bfloat16 is two to three times as fast on a processor with instructions for it, and
    another player."""
    games: Positive = 5000
    """Number of games of the final evaluation. --jobs and --on divide these games."""
    allow_code: bool = False
    """With --resume: allow the run to name a game from any module, which may run arbitrary code."""
    tasks: TaskOptions = field(default_factory=Tasks)

    def run(self) -> int:
        options = {"play": self.play, "decisions": self.decisions, "seed": self.seed, "workers": self.workers}
        options["start_from"] = self.start_from
        given = {name: option for name, option in options.items() if option is not None}
        if self.resume and (self.checkpoint or self.out or given):
            raise WrongArguments(
                "--resume keeps the settings of the run: it takes --games, --search, --precision, --allow-code, --jobs "
                "and --on, no other option"
            )
        if self.resume and (self.game or self.option):
            raise WrongArguments("--resume keeps the game of the run: omit --game and --option")
        if self.precision != "float32" and not self.search:
            raise WrongArguments("--precision is that of a search: add --search")
        if not self.resume and not self.checkpoint:
            raise WrongArguments(
                "name the agent, as in spygames best-response agent_avenue/simple-2, or the run to --resume"
            )
        agent, game = ("", None) if self.resume else agent_and_game(str(self.checkpoint), self.game, dict(self.option))
        from spygames_training.experiments.best_response import check_measurable, learner_run, resume_learner
        from spygames_training.runs.run import RunExists

        if self.search and not self.resume and not given.keys() & {"decisions", "start_from"}:
            if self.workers is not None:
                raise WrongArguments("--workers is for a learner: add --decisions, or use --jobs for a search alone")
            return self._search_alone(agent, game, given)
        if self.resume:
            run = resume_learner(self.resume, allow_code=self.allow_code)
            check_measurable(run, self.games, self.search or 0, self.precision)
        else:
            measured = {"games": self.games, "worlds": self.search or 0, "precision": self.precision}
            try:
                run = learner_run(agent, self.out, game=game, **given, **measured)
            except RunExists as error:
                again = self._resume(error.folder, game)
                raise ValueError(
                    f"{error.folder} holds a run already: resume it with {again}, or choose another --out"
                ) from error
        resume = self._resume(run.folder, run.game)
        try:
            self._report(run)
        except KeyboardInterrupt as stop:
            say(f"{stop.args[0] if stop.args else 'stopped and saved'}; resume with: {resume}")
            return 130
        except ERRORS as error:
            complain("spygames best-response", error)
            if run.state.exists():
                print(f"the last saved state is intact; resume with: {resume}", file=sys.stderr)
            return 1
        return 0

    def _resume(self, folder: Path, game: "Game | None") -> str:
        """Return the command that resumes the run in `folder` and measures it as this one would have."""
        from spygames.core.game.registry import imports_code

        command = f"{program()} best-response --resume {shlex.quote(str(folder))}"
        command += f" --games {self.games}" if self.games != BestResponse.games else ""
        command += f" --search {self.search}" if self.search else ""
        command += f" --precision {self.precision}" if self.precision != BestResponse.precision else ""
        return command + (" --allow-code" if game is not None and imports_code(game.id) else "")

    def _search_alone(self, agent: str, game: "Game | None", given: dict[str, Any]) -> int:
        """Measure a search without a learner and print the figures."""
        from spygames_training.evaluation.evaluation import total_games
        from spygames_training.experiments.best_response import KnownSearch
        from spygames_training.output.tables import progress_bar

        assert self.search
        seed = given.pop("seed", 1)
        search = KnownSearch.of(agent, self.out, worlds=self.search, precision=self.precision, game=game, **given)
        with self.tasks.executor() as executor, progress_bar(console=console(), transient=True) as bar:
            task = bar.add_task("playing", total=total_games(search.challenger.game, self.games, 1, 1))
            found = search.measure(self.games, seed, lambda n: bar.advance(task, n), executor)
        self._show(found, search.file)
        return 0

    def _report(self, run: "Run") -> None:
        """Train and evaluate the learner and print the figures."""
        from spygames_training.experiments.best_response import FIGURES, games_to_measure, measure
        from spygames_training.output.tables import progress_bar

        network, worlds, screen = run.train(), self.search or 0, console()
        with self.tasks.executor() as executor, progress_bar(console=screen, transient=True) as bar:
            task = bar.add_task("playing", total=games_to_measure(run, self.games, worlds))
            found = measure(run, network, self.games, lambda n: bar.advance(task, n), worlds, executor, self.precision)
        self._show(found, run.folder / FIGURES)

    def _show(self, found: "Found", file: Path) -> None:
        from spygames_training.output.tables import results_table

        table = results_table([*found.results.values()], f"best response to {found.agent}")
        console().print(table)
        say(f"results: {file}")
