"""How far an agent can be exploited: a fresh network learns against it alone, and is then measured against it.

The agent is frozen. The learner has a network of the same kind and size and plays one side of each game (a team, or a
seat that plays for itself); the agent plays all other sides. The learner's win fraction above the fair share, which the
agent itself would win in its place, is a lower bound of a perfect best response's. In a game for two sides the fair
share is 50 %, and against an agent at equilibrium nobody wins more.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spygames_training.atomic import write_whole
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation import Progress, Result, evaluate, total_games
from spygames_training.network import ActorCritic
from spygames_training.policy import Policy, from_network
from spygames_training.run import Run
from spygames_training.run_files import resume_config

PLAYS = ("sample", "argmax")
"""How the learner plays when it is measured."""
DECISIONS, GAMES = 10_000_000, 5000
FIGURES = "best_response.json"


@dataclass(frozen=True)
class BestResponse:
    """The learner's results against the agent."""

    agent: str
    """With how it plays, as `heimlich_3@sample`."""
    decisions: int
    """The learner's own."""
    seed: int
    results: dict[str, Result]
    """By how the learner plays (`PLAYS`)."""

    @property
    def fair_share(self) -> float:
        """The win fraction of the agent in the learner's place, 0 to 1."""
        return self.results[PLAYS[0]].fair_share

    def as_json(self) -> dict[str, Any]:
        """All figures as plain values."""
        figures: dict[str, Any] = {
            "agent": self.agent,
            "decisions": self.decisions,
            "seed": self.seed,
            "fair_share": self.fair_share,
        }
        for how, r in self.results.items():
            figures[how] = {"win_share": r.win_share, "interval": list(r.interval), "games": r.games}
        return figures


def best_response(
    agent: str | Path,
    folder: str | Path | None = None,
    *,
    play: str = "sample",
    decisions: int = DECISIONS,
    games: int = GAMES,
    seed: int = 1,
    workers: int = 2,
) -> BestResponse:
    """Trains a learner against `agent` and measures it.

    Args:
        agent: a checkpoint's folder or a run's.
        folder: of the learner's run; None: `runs/best_response_NAME`. `best_response.json` in it holds the figures.
        play: how the agent plays: sample, argmax or a temperature.
        decisions: the learner's own.
        games: of the measurement, for each of `PLAYS`.
        seed: of the learner.
        workers: threads.

    Raises:
        ValueError: there is no such agent, or the folder holds a run already; and what `Run.train` raises.
    """
    run = learner_run(agent, folder, play=play, decisions=decisions, seed=seed, workers=workers)
    return measure(run, run.train(), games)


def learner_run(
    agent: str | Path,
    folder: str | Path | None = None,
    *,
    play: str = "sample",
    decisions: int = DECISIONS,
    seed: int = 1,
    workers: int = 2,
) -> Run:
    """The run of a learner that has not begun to learn; arguments and errors as of `best_response`."""
    policy = Policy.load(agent, play)
    folder = Path(folder or Path("runs") / f"best_response_{policy.name.rpartition('@')[0]}")
    spec, kept = f"{agent}@{play}", policy.network.config
    config = Config(
        game=policy.game.id,
        options=dict(policy.game.options),
        name=folder.name,
        seed=seed,
        decisions=decisions * policy.game.num_sides,  # the learner takes those of one side
        workers=workers,
        network=Network(kept.hidden, kept.kind, kept.embedding, kept.memory),  # with a critic of its own
        ppo=PPO(entropy=0.02, entropy_end=0.0, kl=0.0),
        opponents=Opponents(share=1.0, bots=(spec,)),
        evaluate_against=(spec,),
    )
    return Run.create(config, folder)


def resume_learner(folder: str | Path) -> Run:
    """The learner's run in `folder`, to be continued; ValueError if the folder holds none."""
    config = resume_config(folder)
    if config.opponents.share < 1 or config.opponents.bots != config.evaluate_against:
        raise ValueError(f"{folder} holds another run than that of a best response")
    return Run.resume(folder, config)


def games_to_measure(run: Run, games: int) -> int:
    """How many games `measure` plays."""
    return total_games(run.game, games, len(PLAYS), 1)


def measure(run: Run, network: ActorCritic, games: int = GAMES, progress: Progress | None = None) -> BestResponse:
    """Plays the learner against its agent, in each of the ways of `PLAYS`, and writes the figures to the run's folder.

    Args:
        run: the learner's.
        network: the trained learner.
        games: in each of the ways.
        progress: told of games as they end.
    """
    learners = {how: from_network(run.game, network, how, "best response") for how in PLAYS}
    results = {
        how: evaluate(run.game, learner, run.evaluation_opponents, games, run.config.seed, progress)[0]
        for how, learner in learners.items()
    }
    found = BestResponse(
        agent=results[PLAYS[0]].opponent,
        decisions=run.config.decisions // run.game.num_sides,
        seed=run.config.seed,
        results=results,
    )
    write_whole(run.folder / FIGURES, json.dumps(found.as_json(), indent=2) + "\n")
    return found
