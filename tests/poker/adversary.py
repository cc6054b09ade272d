"""Which share of the exact gain do the learned adversary and its search find, in an Agent Avenue that can be solved?

Agents are trained on `mini_avenue` for different times. Against each, `best_response` trains a learner from the agent's
own weights and measures a search on top of it. The game tree gives what a perfect best response wins, and what the
learner wins by argmax and sampled; the search plays games.

Run it in the root of a clone: `python -m tests.poker.adversary`.
"""

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from spygames_app.cli.arguments import Positive, execute
from spygames_training.agents.policy import Policy
from spygames_training.experiments.best_response import PLAYS, SEARCH, learner_run, measure
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import markdown_table, put_between
from spygames_training.runs.run import Run
from tests.poker.exploitability import PAGE, RECIPES, RESULTS, mean_interval, tree

FILE = RESULTS / "poker_adversary.json"
BEGIN, END = "<!-- figures: python -m tests.poker.adversary writes from here -->", "<!-- to here -->"
AGENTS = (50_000, 200_000, 1_000_000)
"""Decisions of the agents' training."""
DECISIONS = 250_000
"""The learner's own decisions in training."""
WORLDS, GAMES = 64, 4000
"""Worlds and games of the search on top of the learner."""
WORST = "worst"

Found = dict[str, dict[str, dict[str, Any]]]
"""By the agent's decisions and seed: the fractions of games won by a perfect best response (`exact`), by the learner in
each way of `PLAYS`, and by `SEARCH`, which has an `interval`, too."""


def attack(decisions: int, seed: int) -> dict[str, Any]:
    """Train an agent and its adversary, and return the figures of `Found`."""
    recipe, t = RECIPES["mini"], tree("mini")
    game = recipe.module.make_game()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        agent = folder / "agent"
        network = Run.create(recipe.config(seed, decisions=decisions), agent, game).train(progress=False)
        policy = Policy(game, network)
        exact = np.mean([t.best_response(policy.probabilities, seat) for seat in range(2)])
        run = learner_run(
            agent, folder / "learner", decisions=DECISIONS, seed=seed, workers=1, start_from=agent, game=game
        )
        learner = run.train(progress=False)
        search = measure(run, learner, GAMES, worlds=WORLDS).results[SEARCH]
        found = {how: won(t.against(Policy(game, learner, how).probabilities, policy.probabilities)) for how in PLAYS}
    return {"exact": won(float(exact)), **found, SEARCH: search.win_share, "interval": list(search.interval)}


def won(result: float) -> float:
    """The fraction of games won, from the mean of results of 1 and -1."""
    return (1 + result) / 2


def read() -> Found:
    """The measured values."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def shares(run: dict[str, Any]) -> dict[str, float]:
    """The part of the exact gain over one half that each adversary finds, and that of the worst one for the agent.

    It is the one with the highest lower end, as in `BestResponse.worst`: the search's figure is sampled and has an
    interval, the others are exact.
    """
    parts = {how: (run[how] - 0.5) / (run["exact"] - 0.5) for how in (*PLAYS, SEARCH)}
    lower = {how: run["interval"][0] if how == SEARCH else run[how] for how in parts}
    return {**parts, WORST: parts[max(lower, key=lambda how: lower[how])]}


def table(found: Found) -> str:
    """The games won and the shares of the exact gain by the agent's training, as a Markdown table."""
    rows = []
    for decisions, by_seed in sorted(found.items(), key=lambda item: int(item[0])):
        runs = [*by_seed.values()]
        parts = [shares(run) for run in runs]
        row = [f"{int(decisions):,}", str(len(runs)), f"{100 * np.mean([run['exact'] for run in runs]):.1f} %"]
        row += [f"{100 * np.mean([run[how] for run in runs]):.1f} %" for how in ("argmax", "sample", SEARCH)]
        worst = [part[WORST] for part in parts]
        spread = mean_interval(worst)
        interval = f" ({100 * spread[0]:.0f} to {100 * spread[1]:.0f})" if spread else ""
        rows.append([*row, f"{100 * np.mean(worst):.0f} %{interval}"])
    head = ["agent's decisions", "seeds", "perfect", "learner, argmax", "learner, sampled", "search on top"]
    return markdown_table([*head, "best adversary, share of the exact gain (95 %)"], rows)


@dataclass(frozen=True)
class Study:
    """Attack agents of the small Agent Avenue and write the table of docs/results/poker.md.

    Runs whose results are already in the file are skipped.
    """

    seeds: Positive = 8
    """Number of agents for each training time, with seeds from 1."""

    def run(self) -> int:
        torch.set_num_threads(1)
        found = read()
        for seed in range(1, self.seeds + 1):
            for decisions in AGENTS:
                if str(seed) not in found.get(str(decisions), {}):
                    figures = attack(decisions, seed)
                    found = read()  # another process may have written meanwhile
                    found.setdefault(str(decisions), {})[str(seed)] = figures
                    write_whole(FILE, json.dumps(found, indent=1) + "\n")
        put_between(PAGE, BEGIN, END, table(found))
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study and return the exit code."""
    return execute(Study, sys.argv[1:] if argv is None else argv, "python -m tests.poker.adversary")


if __name__ == "__main__":
    sys.exit(main())
