"""`spygames best-response`."""

import shlex
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    choose_agent,
    complain,
    console,
    program,
    say,
)

if TYPE_CHECKING:
    from spygames_training.experiments.best_response import BestResponse as Found
    from spygames_training.runs.run import Run


@dataclass(frozen=True)
class BestResponse:
    """Finds out how far an agent can be exploited: by a network that learns against it alone, and by a search.

        spygames best-response agent_avenue/simple-2 --play sample --decisions 10000000
        spygames best-response agent_avenue/simple-2 --start-from agent_avenue/simple-2 --decisions 100000000
        spygames best-response agent_avenue/simple-2 --search 64
        spygames best-response --resume runs/best_response_agent_avenue_simple-2

    The agent is frozen and plays as --play says. The learner has a network of the same kind and size and takes
    --decisions decisions of its own, as one side of each game (a team, or a seat that plays for itself); the agent is
    all other sides. Then the learner is measured against the agent. Its win fraction above the fair share, which the
    agent itself would win in its place, is a lower bound of a perfect best response's. In a game for two sides the fair
    share is 50 %, and against an agent at equilibrium nobody wins more. Ctrl-C saves. The figures are written to
    best_response.json in the learner's run.

    --search K alone measures, in place of a learner, a search on top of the agent that knows the agent's policy and
    plays out K worlds a decision; with --decisions, --start-from or --resume a network learns, and a search on top of
    it is measured beside it. The largest figure is the bound that counts.
    """

    checkpoint: Positional[AnyPlayer] = None
    """The agent: the folder of a checkpoint or of a run, or the name of a checkpoint that comes with the package."""
    resume: RunFolder = None
    """Resume the learner's run in this folder; of the others only --games, --search and --allow-code go with it."""
    game: GameId = None
    """The game, as agent_avenue_v0; otherwise that of the checkpoint, which must be the same."""
    option: GameOptions = ()
    """An option of the game, as players=2; may be given several times."""
    play: How = None
    """How the agent plays: sample, argmax or a temperature. (default: sample)"""
    decisions: AnyPositive = None
    """The learner's own. (default: 10000000)"""
    seed: AnySeed = None
    """Of the learner. (default: 1)"""
    workers: AnyPositive = None
    """Threads. (default: 2)"""
    out: AnyFolder = None
    """Folder of the learner's run. (default: runs/best_response_NAME)"""
    start_from: AnyPlayer = None
    """The agent whose weights the learner begins with, such as the one that it is to beat. (default: fresh weights)"""
    search: AnyPositive = None
    """Also measure a search that knows the agent, with this many worlds a decision."""
    games: Positive = 5000
    """Games of the final measurement, which --jobs and --on are for."""
    allow_code: bool = False
    """With --resume: whether the game of the run may be a module of anybody's, which may run any code."""
    tasks: TaskOptions = field(default_factory=Tasks)

    def run(self) -> int:
        options = {"play": self.play, "decisions": self.decisions, "seed": self.seed, "workers": self.workers}
        options["start_from"] = self.start_from
        given = {name: option for name, option in options.items() if option is not None}
        if self.resume and (self.checkpoint or self.out or given):
            raise WrongArguments(
                "--resume continues a run as it is: of the others only --games, --search and --allow-code go with it"
            )
        if self.resume and (self.game or self.option):
            raise WrongArguments("--resume continues a run with its own game: --game and --option do not go with it")
        if not self.resume and not self.checkpoint:
            raise WrongArguments(
                "name the agent, as in spygames best-response agent_avenue/simple-2, or the run to --resume"
            )
        agent = "" if self.resume else choose_agent(str(self.checkpoint), self.game, dict(self.option))
        from spygames_training.experiments.best_response import learner_run, resume_learner

        if self.search and not self.resume and not given.keys() & {"decisions", "start_from", "workers"}:
            return self._search_alone(agent, given)
        if self.resume:
            run = resume_learner(self.resume, allow_code=self.allow_code)
        else:
            run = learner_run(agent, self.out, **given)
        resume = f"{program()} best-response --resume {shlex.quote(str(run.folder))}"
        try:
            self._report(run)
        except KeyboardInterrupt as stop:
            say(f"{stop.args[0] if stop.args else 'stopped and saved'}; resume with: {resume}")
            return 130
        except ERRORS as error:
            complain("spygames best-response", error)
            if run.state.exists():
                print(f"the last saved state is whole; resume with: {resume}", file=sys.stderr)
            return 1
        return 0

    def _search_alone(self, agent: str, given: dict[str, Any]) -> int:
        """Measures a search, and shows the figures."""
        from spygames_training.evaluation.evaluation import total_games
        from spygames_training.experiments.best_response import KnownSearch
        from spygames_training.output.tables import progress_bar

        assert self.search
        seed = given.pop("seed", 1)
        search = KnownSearch.of(agent, self.out, worlds=self.search, **given)
        with self.tasks.executor() as executor, progress_bar(console=console(), transient=True) as bar:
            task = bar.add_task("playing", total=total_games(search.challenger.game, self.games, 1, 1))
            found = search.measure(self.games, seed, lambda n: bar.advance(task, n), executor)
        self._show(found, search.file)
        return 0

    def _report(self, run: "Run") -> None:
        """Trains, measures, and shows the figures."""
        from spygames_training.experiments.best_response import FIGURES, games_to_measure, measure
        from spygames_training.output.tables import progress_bar

        network, worlds, screen = run.train(), self.search or 0, console()
        with self.tasks.executor() as executor, progress_bar(console=screen, transient=True) as bar:
            task = bar.add_task("playing", total=games_to_measure(run, self.games, worlds))
            found = measure(run, network, self.games, lambda n: bar.advance(task, n), worlds, executor)
        self._show(found, run.folder / FIGURES)

    def _show(self, found: "Found", file: Path) -> None:
        from spygames_training.output.tables import results_table

        table = results_table([*found.results.values()], f"best response to {found.agent}")
        caption = f"{table.caption}; fair share {100 * found.fair_share:.1f} %"
        console().print(replace(table, caption=caption))
        say(f"results: {file}")
