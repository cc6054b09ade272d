"""Measure an agent's worst case and keep the page of all of them: `nice python -m studies.worst_case AGENT`."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from tyro.conf import Positional

from spygames.core.basics.json_values import LARGEST
from spygames.core.game.game import Game
from spygames.core.players.names import PlayerName, make_player
from spygames.core.players.player import Player
from spygames.core.players.released import FIRST, best_agent, find_anchor
from spygames_app.cli.arguments import (
    AnyFile,
    AnyFolder,
    AnyPlayer,
    Folder,
    How,
    Positive,
    Seed,
    TaskOptions,
    Tasks,
    WrongArguments,
    agent_and_game,
    check_writable,
    console,
    run_command,
    say,
)
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import deals_for, evaluate, total_games
from spygames_training.evaluation.kept_games import KeptGames
from spygames_training.experiments.best_response import (
    FIGURES,
    SEARCH,
    check_measurable,
    games_to_measure,
    learner_run,
    measure,
    members_of,
    one_player,
    resume_learner,
)
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import progress_bar, put_between
from spygames_training.parallel.executor import Executor, Progress
from spygames_training.search.settings import SearchPrecision, SearchSettings
from studies.worst_case_page import FILE, Entry, draw, page, read_entries, summary

ROOT = Path(__file__).resolve().parents[1]
SEED = 71_526_903
"""Seed of the first learner and of its games. An agent that was chosen by its result needs another one."""
DECISIONS, SEEDS, GAMES, WORLDS = 40_000_000, 3, 2000, 64
"""The protocol of the adversary X."""
BEGIN, END = "<!-- figures: python -m studies.worst_case writes from here -->", "<!-- to here, figures -->"
FIRST_BEGIN, FIRST_END = "<!-- summary: python -m studies.worst_case writes from here -->", "<!-- to here, summary -->"
PAGE = "worst_case.md"


@dataclass(frozen=True)
class Study:
    """Measure an agent's worst case: the adversary X, and beside it an adversary that knows nothing of the agent.

    X is a learner that starts from the agent's own weights (from those of the first member, for a mixture) and learns
    against the frozen agent, with several seeds. Each learner is measured sampled, by argmax, and with a search on top
    that knows the agent's policy. The worst result counts: the one whose interval has the highest lower end.

    The adversary that knows nothing is the first agent of the variant with a search that takes everybody for itself.

    The study can be stopped at any time; the same command resumes. After each learner it keeps an entry of the learners
    so far in the file; the adversary that knows nothing plays last. A learner that the file has, measured with the same
    budget, is not trained again, not even on another machine. Without an agent, the study only writes the page.
    """

    agent: Positional[AnyPlayer] = None
    """A released agent, the folder of a checkpoint or run, or a mixture of these (mix:A|B)."""
    play: How = None
    """How the agent plays: sample, argmax or a temperature. (default: a released agent as it is meant to, another one
    sampled)"""
    decisions: Positive = DECISIONS
    """Each learner's own decisions."""
    seeds: Positive = SEEDS
    """Number of learners."""
    seed: Seed = SEED
    """Seed of the first learner and of its games; the next learners have the next seeds."""
    games: Positive = GAMES
    """Number of games for each result, rounded up to whole deals."""
    worlds: Positive = WORLDS
    """Worlds per decision of the searches."""
    precision: SearchPrecision = "float32"
    """Number format of the searches on the learners. bfloat16 is two to three times as fast on a processor with
    instructions for it, and another player."""
    workers: Positive = 2
    """Number of threads of the training."""
    tasks: TaskOptions = field(default_factory=Tasks)
    folder: Folder = Path("runs/worst_case")
    """Folder of the learners' runs."""
    file: AnyFile = None
    """File of the entries. (default: docs/results/worst_case.json)"""
    docs: AnyFolder = None
    """Also write the table into `worst_case.md` in this folder, and draw the pictures in `../images`."""

    def run(self) -> int:
        torch.set_num_threads(1)
        if self.seed + self.seeds > LARGEST:  # the last learner would be refused after days of training the others
            raise WrongArguments(
                f"the seeds of the learners must be from 0 to 2^53 - 1, not {self.seed} to {self.seed + self.seeds - 1}"
            )
        file = self.file or FILE
        entries = read_entries(file)
        if self.docs is not None and not (self.docs / PAGE).exists():
            raise WrongArguments(f"--docs must be a folder with {PAGE}, not {self.docs}")
        check_writable(file)
        agent = None if self.agent is None else agent_and_game(self.agent, None, {}, takes_game=False)[0]
        if agent is not None:
            self._measure(agent, file, entries)
            entries = read_entries(file)
        print(text := page(entries))
        if self.docs is not None:
            draw(entries, self.docs.parent / "images")
            put_between(self.docs / PAGE, FIRST_BEGIN, FIRST_END, summary(entries))
            put_between(self.docs / PAGE, BEGIN, END, text)
        return 0

    def _measure(self, agent: str, file: Path, entries: Sequence[Entry]) -> None:
        """Measure X and the adversary that knows nothing, and keep the agent's entry in `file`, which has `entries`."""
        members = members_of(agent, self.play or "")
        specs, policies = [spec for spec, _ in members], [policy for _, policy in members]
        game, opponent = policies[0].game, one_player(policies)
        digest = player_digest(game, opponent)
        games = deals_for(game, self.games) * game.num_sides
        seeds = list(range(self.seed, self.seed + self.seeds))
        budget = (self.decisions, self.worlds, games, self.precision)
        # Of each entry of this agent, the learners that were measured with this budget.
        known = [
            (entry, {each["seed"]: each for each in entry["learners"] if _budget(each) == budget})
            for entry in entries
            if (entry["agent"], entry["digest"]) == (opponent.name, digest)
        ]
        uninformed = self._uninformed(game)
        if any(found.keys() >= set(seeds) and (entry["unaware"] or not uninformed) for entry, found in known):
            say(f"{file} already has this measurement of {opponent.name}")
            return
        # A digest does not cover how the agent plays.
        folder = self.folder / "_".join([str(digest), *(policy.called.play for policy in policies)])
        sources = dict.fromkeys(PlayerName.parse(spec).source for spec in specs)
        decisions = sum(load_checkpoint(source, game).decisions for source in sources)
        unaware = [each["unaware"] for each, found in known if each["unaware"] and next(iter(found), None) == self.seed]
        unaware_games = folder / f"unaware_{self.seed}"
        learners: list[dict[str, Any]] = []

        def keep(adversary: dict[str, Any] | None) -> None:
            entry = {
                "date": datetime.now(UTC).strftime("%Y-%m-%d"),
                "commit": commit(),
                "agent": opponent.name,
                "digest": digest,
                "decisions": decisions,
                "learners": learners,
                "unaware": adversary,
            }
            # Another study may have added an entry meanwhile.
            kept = [each for each in read_entries(file) if not _is_part(each, entry)]
            write_whole(file, json.dumps([*kept, entry], indent=1) + "\n")

        to_play = bool(uninformed) and not unaware
        for seed in seeds:
            measured = [found[seed] for _, found in known if seed in found]
            learners.append(
                measured[0] if measured else self._learned(agent, specs[0], folder / str(seed), seed, games)
            )
            if not measured and (to_play or seed != seeds[-1]):  # the last entry is written below
                keep(unaware[0] if unaware else None)
        if uninformed and to_play:
            unaware = [self._unaware(game, uninformed, opponent, unaware_games)]
        keep(unaware[0] if unaware else None)
        KeptGames(unaware_games).forget()

    def _learned(self, agent: str, first: str, folder: Path, seed: int, games: int) -> dict[str, Any]:
        """Train or resume a learner in `folder`, measure it in `games` games, whole deals, and return its
        `best_response.json`."""
        budget = (self.decisions, self.worlds, games, self.precision)
        if not (folder / FIGURES).exists():
            if (folder / "run.json").exists():
                run = resume_learner(folder)
                begun = run.config.decisions // run.game.num_sides, run.config.seed
                if begun != (self.decisions, seed):  # before hours of training
                    raise ValueError(
                        f"{folder} has a learner of {begun[0]:,} decisions and seed {begun[1]}, not "
                        f"{self.decisions:,} and {seed}: move it away"
                    )
                check_measurable(run, games, self.worlds, self.precision)
            else:
                start = PlayerName.parse(first).source
                options = {"play": self.play or "", "seed": seed, "workers": self.workers, "start_from": start}
                measured = {"games": games, "worlds": self.worlds, "precision": self.precision}
                run = learner_run(agent, folder, decisions=self.decisions, **options, **measured)
            network, total = run.train(), games_to_measure(run, games, self.worlds)
            with self._playing(total) as (progress, executor):
                measure(run, network, games, progress, self.worlds, executor, self.precision)
        found: dict[str, Any] = json.loads((folder / FIGURES).read_text())
        if (known := _budget(found)) != budget:
            raise ValueError(
                f"{folder} has a learner of (decisions, worlds, games, precision) {known}, not {budget}: move it away"
            )
        return found

    def _uninformed(self, game: Game) -> Player | None:
        """Make the first agent of the variant, with a search; None if the variant has none."""
        try:
            name = f"{best_agent(game).name}{FIRST}"
            if find_anchor(name) is None:
                return None
        except ValueError:
            return None
        settings = SearchSettings(self.worlds, precision=self.precision).name
        return make_player(game, f"{name}+search:{settings}")

    def _unaware(self, game: Game, challenger: Player, opponent: Player, folder: Path) -> dict[str, Any]:
        """Measure the adversary that knows nothing against the agent. Games that have ended are kept in `folder`."""
        with self._playing(total_games(game, self.games, 1, 1)) as (progress, executor):
            kept = KeptGames(folder, executor)
            (result,) = evaluate(game, challenger, opponent, self.games, self.seed, progress=progress, executor=kept)
        return {
            "player": challenger.name,
            "win_share": result.win_share,
            "interval": list(result.interval),
            "games": result.games,
        }

    @contextmanager
    def _playing(self, games: int) -> Iterator[tuple[Progress, Executor]]:
        """Show a progress bar of `games` games, and yield its callback and an executor."""
        with self.tasks.executor() as executor, progress_bar(console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("playing", total=games)
            yield lambda count: bar.advance(task, count), executor


def _budget(learner: Mapping[str, Any]) -> tuple[int, int, int, str]:
    """Return the decisions, worlds, games of each result, and precision of a learner's figures."""
    games = learner.get(SEARCH, {}).get("games", 0)  # without a search no budget fits
    return learner["decisions"], learner["worlds"], games, learner.get("precision", "float32")


def _is_part(entry: Entry, whole: Entry) -> bool:
    """Tell whether an entry is of the same agent as `whole` and has only learners that `whole` has."""
    same = (entry["agent"], entry["digest"]) == (whole["agent"], whole["digest"])
    return same and all(learner in whole["learners"] for learner in entry["learners"])


def commit() -> str:
    """Return the commit of this clone, shortened; "" outside of a clone and without git. The clone may not have the
    agent: a digest says which agent was measured."""
    try:
        found = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return ""
    return found.stdout.strip()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.worst_case")


if __name__ == "__main__":
    sys.exit(main())
