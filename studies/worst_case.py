"""Measure an agent's worst case and keep the page of all of them: `nice python -m studies.worst_case AGENT`."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from tyro.conf import Positional

from spygames.core.game.game import Game
from spygames.core.players.mixture import MixturePlayer
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
    agent_and_game,
    run_command,
)
from spygames_training.agents.checkpoint import load_checkpoint
from spygames_training.agents.policy import PolicyPlayer
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import deals_for, evaluate
from spygames_training.experiments.best_response import (
    FIGURES,
    PLAYS,
    SEARCH,
    learner_run,
    measure,
    members_of,
    resume_learner,
)
from spygames_training.files.atomic import write_whole
from spygames_training.output.plots import literal, picture
from spygames_training.output.tables import code_span, markdown_table, put_between
from spygames_training.search.settings import SearchPrecision, SearchSettings
from studies.figures import Adversary

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "results" / "worst_case.json"
"""All entries, in the order in which they were measured."""
BEGIN, END = "<!-- figures: python -m studies.worst_case writes from here -->", "<!-- to here, figures -->"
PICTURES = "worst_case.svg", "worst_case_curves.svg"
"""The worst case over decisions trained, and the learning curves of the adversaries."""
SIZE = 9.8, 4.2
"""Width and height of these pictures in inches."""
BESIDE: Mapping[str, Any] = {"fontsize": 8, "loc": "upper left", "bbox_to_anchor": (1.01, 1.0)}
"""Place of their legend: beside the axes, where it hides no line."""
SEED = 71_526_903
"""Seed of the first learner and of its games. Nothing was tuned on it."""
DECISIONS, SEEDS, GAMES, WORLDS = 40_000_000, 3, 2000, 64
"""The protocol of the adversary X."""
WAYS = {"sample": "the learner, sampled", "argmax": "the learner, by argmax", SEARCH: "a search on the learner"}
Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Study:
    """Measure an agent's worst case: the adversary X, and beside it an adversary that knows nothing of the agent.

    X is a learner that starts from the agent's own weights (from those of the first member, for a mixture) and learns
    against the frozen agent, with several seeds. Each learner is measured sampled, by argmax, and with a search on top
    that knows the agent's policy. The worst result counts: the one whose interval has the highest lower end.

    The adversary that knows nothing is the first agent of the variant with a search that takes everybody for itself.

    The study can be stopped at any time; the same command resumes. Its result is added to the file. Without an agent,
    it only writes the page.
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
    """Number of threads."""
    folder: Folder = Path("runs/worst_case")
    """Folder of the learners' runs."""
    file: AnyFile = None
    """File of the entries. (default: docs/results/worst_case.json)"""
    docs: AnyFolder = None
    """Also write the table into `worst_case.md` in this folder, and draw the pictures in `../images`."""

    def run(self) -> int:
        torch.set_num_threads(1)
        file = self.file or FILE
        entries: list[Entry] = json.loads(file.read_text()) if file.exists() else []
        if self.agent is not None:
            entries = [*entries, self._measured(agent_and_game(str(self.agent), None, {})[0])]
            write_whole(file, json.dumps(entries, indent=1) + "\n")
        print(text := page(entries))
        if self.docs is not None:
            put_between(self.docs / "worst_case.md", BEGIN, END, text)
            draw(entries, self.docs.parent / "images")
        return 0

    def _measured(self, agent: str) -> Entry:
        """Measure X and the adversary that knows nothing, and return the entry of the agent."""
        members = members_of(agent, self.play or "")
        specs, policies = [spec for spec, _ in members], [policy for _, policy in members]
        game, players = policies[0].game, [PolicyPlayer(policy) for policy in policies]
        opponent = players[0] if len(players) == 1 else MixturePlayer(game, players)
        digest = player_digest(game, opponent)
        # A digest does not cover how the agent plays.
        folder = self.folder / "_".join([str(digest), *(policy.called.play for policy in policies)])
        learners = [
            self._learned(agent, specs[0], folder / str(seed), seed, deals_for(game, self.games) * game.num_sides)
            for seed in range(self.seed, self.seed + self.seeds)
        ]
        sources = dict.fromkeys(PlayerName.parse(spec).source for spec in specs)
        return {
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "commit": commit(),
            "agent": opponent.name,
            "digest": digest,
            "decisions": sum(load_checkpoint(source, game).decisions for source in sources),
            "learners": learners,
            "unaware": self._unaware(game, opponent),
        }

    def _learned(self, agent: str, first: str, folder: Path, seed: int, games: int) -> dict[str, Any]:
        """Train or resume a learner in `folder`, measure it in `games` games, whole deals, and return its
        `best_response.json`."""
        budget = (self.decisions, self.worlds, games, self.precision)
        if not (folder / FIGURES).exists():
            if (folder / "run.json").exists():
                run = resume_learner(folder)
            else:
                start = PlayerName.parse(first).source
                options = {"play": self.play or "", "seed": seed, "workers": self.workers, "start_from": start}
                run = learner_run(agent, folder, decisions=self.decisions, **options)
            measure(run, run.train(), games, worlds=self.worlds, precision=self.precision)
        found: dict[str, Any] = json.loads((folder / FIGURES).read_text())
        known = (found["decisions"], found["worlds"], found[SEARCH]["games"], found.get("precision", "float32"))
        if known != budget:
            raise ValueError(
                f"{folder} has a learner of (decisions, worlds, games, precision) {known}, not {budget}: move it away"
            )
        return found

    def _unaware(self, game: Game, opponent: Player) -> dict[str, Any] | None:
        """Measure the first agent of the variant, with a search, against the agent; None if the variant has none."""
        try:
            name = f"{best_agent(game).name}{FIRST}"
            if find_anchor(name) is None:
                return None
        except ValueError:
            return None
        settings = SearchSettings(self.worlds, precision=self.precision).name
        challenger = make_player(game, f"{name}+search:{settings}")
        (result,) = evaluate(game, challenger, opponent, self.games, self.seed)
        return {
            "player": challenger.name,
            "win_share": result.win_share,
            "interval": list(result.interval),
            "games": result.games,
        }


def times(number: int) -> str:
    """Return how often something was done, in words, such as `once` or `3 times`."""
    return "once" if number == 1 else f"{number} times"


def commit() -> str:
    """Return the commit of this clone, shortened; "" outside of a clone."""
    found = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return found.stdout.strip()


def worst(entry: Entry) -> tuple[Mapping[str, Any], str]:
    """Return the learner and the way of play whose interval has the highest lower end."""
    found = [(learner, how) for learner in entry["learners"] for how in (*PLAYS, SEARCH)]
    return max(found, key=lambda each: each[0][each[1]]["interval"][0])


def adversary(entry: Entry) -> Adversary:
    """Return the worst result of X as a row of the agent's card."""
    learner, how = worst(entry)
    figures = learner[how]
    seeds = f"the worst of {len(entry['learners'])} seeds" if len(entry["learners"]) > 1 else "one seed"
    budget = f"{learner['decisions']:,} own decisions, {seeds}"
    if how == SEARCH:
        budget += f"; {learner['worlds']} worlds a decision"
        budget += f" in {learner['precision']}" if "precision" in learner else ""
    return Adversary(
        how=f"{WAYS[how]}, which started from the agent's own weights",
        play=PlayerName.parse(entry["agent"]).play,
        budget=budget,
        games=figures["games"],
        win_share=figures["win_share"],
        interval=tuple(figures["interval"]),
        fair_share=learner["fair_share"],
        curve=tuple((decisions, share) for decisions, share in learner["curve"]),
    )


def latest(digest: str | None, play: str) -> Entry | None:
    """Return the newest entry of an agent that plays so; None if there is none."""
    entries = json.loads(FILE.read_text()) if FILE.exists() else []
    found = [e for e in entries if e["digest"] == digest and PlayerName.parse(e["agent"]).play == play]
    return found[-1] if found else None


def page(entries: Sequence[Entry]) -> str:
    """Return the table, the newest entry first, and below it the pictures, as Markdown."""
    if not entries:
        return "No agent has been measured yet."
    head = ["date", "commit", "agent", "X", "X learned, decisions", "agent trained, decisions", "worst case, %"]
    head += ["fair share, %", "who knows nothing won, %"]
    rows = []
    for entry in reversed(entries):
        learner, how = worst(entry)
        unaware = entry["unaware"]
        rows.append(
            [
                entry["date"],
                code_span(entry["commit"]) if entry["commit"] else "",
                code_span(entry["agent"]),
                f"{WAYS[how]}, {learner[how]['games']:,} games",
                f"{learner['decisions']:,}, {times(len(entry['learners']))}",
                f"{entry['decisions']:,}",
                f"**{_share(learner[how])}**",
                f"{100 * learner['fair_share']:.1f}",
                "" if unaware is None else f"{_share(unaware)}, {code_span(unaware['player'])}",
            ]
        )
    table = markdown_table(head, rows, texts=4)
    first, second = (f"../images/{name}" for name in PICTURES)
    return (
        f"{table}\n\n![The worst case over the decisions that the agent trained]({first})\n\n"
        f"![What the learners won over their own decisions]({second})"
    )


def _share(figures: Mapping[str, Any]) -> str:
    low, high = figures["interval"]
    return f"{100 * figures['win_share']:.1f} ({100 * low:.1f}-{100 * high:.1f})"


def label(entry: Entry) -> str:
    """Return the text of an entry in a legend."""
    return literal(f"{entry['agent']}, {entry['date']}")


def draw(entries: Sequence[Entry], folder: Path) -> None:
    """Draw both pictures as SVG; none without entries."""
    if not entries:
        return
    with picture(folder / PICTURES[0], 1, 1, SIZE, 100, "svg") as (_, (axes,)):
        for k, entry in enumerate(entries):
            learner, how = worst(entry)
            share, (low, high) = learner[how]["win_share"], learner[how]["interval"]
            above = [100 * (share - learner["fair_share"])]
            errors = [[100 * (share - low)], [100 * (high - share)]]
            look = {"color": f"C{k % 10}", "fmt": "os"[k // 10 % 2], "capsize": 3, "label": label(entry)}
            axes.errorbar([entry["decisions"] / 1e6], above, errors, **look)
        axes.set_xlabel("decisions that the agent trained, million")
        axes.set_ylabel("worst case, points above the fair share")
        axes.grid(alpha=0.3)
        axes.legend(**BESIDE)
    with picture(folder / PICTURES[1], 1, 1, SIZE, 100, "svg") as (_, (axes,)):
        lines = []
        for k, entry in enumerate(entries):
            drawn = []
            for learner in entry["learners"]:
                fair = 100 * learner["fair_share"]
                decisions, won = zip(*_percent(learner["curve"]), strict=True)
                above = [share - fair for share in won]
                drawn += axes.plot(decisions, above, color=f"C{k % 10}", ls=("-", "--")[k // 10 % 2], lw=1.2)
            lines.append(drawn[0])
        axes.legend(lines, [label(entry) for entry in entries], **BESIDE)
        axes.grid(alpha=0.3)
        axes.set_xlabel("the learner's own decisions, million")
        axes.set_ylabel("won in training games,\npoints above the fair share")


def _percent(curve: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    return [(decisions / 1e6, 100 * share) for decisions, share in curve]


def draw_curve(curve: Sequence[Sequence[float]], path: Path) -> None:
    """Draw the learning curve of the adversary of a card as SVG."""
    with picture(path, 1, 1, (4.2, 3.2), 100, "svg") as (_, (axes,)):
        axes.plot(*zip(*_percent(curve), strict=True), lw=1.2)
        axes.grid(alpha=0.3)
        axes.set_xlabel("the learner's own decisions, million")
        axes.set_ylabel("won in training games, %")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.worst_case")


if __name__ == "__main__":
    sys.exit(main())
