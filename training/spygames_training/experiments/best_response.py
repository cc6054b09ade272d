"""How far an agent can be exploited: by a network that learns against it alone, and by a search that knows it.

The agent is frozen. The learner has a network of the same kind and size, fresh or begun from given weights, and plays
one side of each game (a team, or a seat that plays for itself); the agent plays all other sides. The search has the
agent's exact policy as its model of all others: it is a local best response (Lisy, Bowling, "Equilibrium approximation
quality of current no-limit poker bots", arXiv 1612.07547) with rollouts of the policy. It steps from the agent's own
policy, or, where one has learned, from the learner's. A win fraction above the fair share, which the agent itself would
win in that place, is a lower bound of a perfect best response's; the largest one counts. In a game for two sides the
fair share is 50 %, and against an agent at equilibrium nobody wins more.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spygames.core.basics.json_numbers import written
from spygames.core.players.names import make_player
from spygames.core.players.player import Player
from spygames_training.agents.policy import Policy, PolicyPlayer, from_network
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation.evaluation import Result, evaluate, total_games
from spygames_training.files.atomic import write_whole
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.parallel.executor import SERIAL, Executor, Progress
from spygames_training.runs.folder import resume_config
from spygames_training.runs.run import Run
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.settings import SearchSettings

PLAYS = ("sample", "argmax")
"""How the learner plays when it is measured."""
SEARCH = "search"
"""The key of a search's result, beside those of `PLAYS`."""
DECISIONS, GAMES = 10_000_000, 5000
FIGURES = "best_response.json"


@dataclass(frozen=True)
class BestResponse:
    """The learner's results against the agent."""

    agent: str
    """With how it plays, as `heimlich/base-3@sample`."""
    decisions: int
    """The learner's own; 0: nobody has learned, there is a search alone."""
    seed: int
    results: dict[str, Result]
    """By how the learner plays (`PLAYS`), and of a search on top of it, or of the agent (`SEARCH`)."""
    worlds: int = 0
    """Of the search, a decision; 0: there is none."""

    @property
    def fair_share(self) -> float:
        """The win fraction of the agent in the learner's place, 0 to 1."""
        return next(iter(self.results.values())).fair_share

    @property
    def worst(self) -> str:
        """The key of the result that bounds what a best response wins the most."""
        return max(self.results, key=lambda how: self.results[how].interval[0])

    def as_json(self) -> dict[str, Any]:
        """All figures as plain values."""
        figures: dict[str, Any] = {
            "agent": self.agent,
            "decisions": self.decisions,
            "seed": written(self.seed),
            "fair_share": self.fair_share,
            "worlds": self.worlds,
            "worst": self.worst,
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
    start_from: str | Path = "",
    worlds: int = 0,
    executor: Executor = SERIAL,
) -> BestResponse:
    """Trains a learner against `agent` and measures it.

    Args:
        agent: a checkpoint's folder or a run's, or a released agent's name.
        folder: of the learner's run; None: `runs/best_response_NAME`. `best_response.json` in it holds the figures.
        play: how the agent plays: sample, argmax or a temperature.
        decisions: the learner's own.
        games: of the measurement, for each of `PLAYS`.
        seed: of the learner.
        workers: threads.
        start_from: whose weights the learner begins with, as the agent's own; "": fresh ones.
        worlds: of a search on top of the learner, which is measured, too; 0: none.
        executor: plays the games of the measurement.

    Raises:
        ValueError: there is no such agent, or the folder holds a run already; and what `Run.train` raises.
    """
    run = learner_run(agent, folder, play=play, decisions=decisions, seed=seed, workers=workers, start_from=start_from)
    return measure(run, run.train(), games, worlds=worlds, executor=executor)


@dataclass(frozen=True)
class KnownSearch:
    """A search against an agent that it knows; nobody learns."""

    challenger: SearchingPolicy
    agent: PolicyPlayer
    file: Path
    """Where the figures go."""

    @classmethod
    def of(
        cls, agent: str | Path, folder: str | Path | None = None, *, worlds: int, play: str = "sample"
    ) -> "KnownSearch":
        """Prepares the measurement.

        Args:
            agent: a checkpoint's folder or a run's, or a released agent's name.
            folder: where `best_response.json` goes; None: `runs/best_response_NAME`.
            worlds: of the search, a decision.
            play: how the agent plays: sample, argmax or a temperature.

        Raises:
            ValueError: there is no such agent, or no search of it; or the folder holds a best response already.
        """
        policy = Policy.load(agent, play)
        file = _folder(folder, policy) / FIGURES
        if file.exists():
            raise ValueError(f"{file} is there already: choose another folder with --out")
        return cls(SearchingPolicy(Policy.load(agent), SearchSettings(worlds), policy), PolicyPlayer(policy), file)

    def measure(
        self, games: int = GAMES, seed: int = 1, progress: Progress | None = None, executor: Executor = SERIAL
    ) -> BestResponse:
        """Plays the search against the agent and writes the figures.

        Args:
            games: of the measurement.
            seed: of the games.
            progress: told of games as they end.
            executor: plays them.
        """
        (result,) = evaluate(self.challenger.game, self.challenger, self.agent, games, seed, progress, executor)
        worlds = self.challenger.settings.worlds
        found = BestResponse(self.agent.name, decisions=0, seed=seed, results={SEARCH: result}, worlds=worlds)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.file, json.dumps(found.as_json(), indent=2) + "\n")
        return found


def learner_run(
    agent: str | Path,
    folder: str | Path | None = None,
    *,
    play: str = "sample",
    decisions: int = DECISIONS,
    seed: int = 1,
    workers: int = 2,
    start_from: str | Path = "",
) -> Run:
    """The run of a learner that has not begun to learn; arguments and errors as of `best_response`."""
    policy = Policy.load(agent, play)
    folder = _folder(folder, policy)
    spec, kept = f"{agent}@{play}", policy.network.config
    config = Config(
        game=policy.game.id,
        options=dict(policy.game.options),
        name=folder.name,
        seed=seed,
        decisions=decisions * policy.game.num_sides,  # the learner takes those of one side
        workers=workers,
        start_from=str(start_from),
        network=Network(kept.hidden, kept.kind, kept.embedding, kept.memory),  # with a critic of its own
        ppo=PPO(entropy=0.02, entropy_end=0.0, kl=0.0),
        opponents=Opponents(share=1.0, bots=(spec,)),
        evaluate_against=(spec,),
    )
    return Run.create(config, folder)


def _folder(folder: str | Path | None, policy: Policy) -> Path:
    name = policy.called.source.replace("/", "_")  # a released agent's has a slash
    return Path(folder or Path("runs") / f"best_response_{name}")


def resume_learner(folder: str | Path, *, allow_code: bool = True) -> Run:
    """The learner's run in `folder`, to be continued; ValueError if the folder holds none, or its game is not allowed.
    `allow_code` as in `read_config`."""
    config = resume_config(folder, allow_code=allow_code)
    if config.opponents.share < 1 or config.opponents.bots != config.evaluate_against:
        raise ValueError(f"{folder} holds another run than that of a best response")
    return Run.resume(folder, config)


def games_to_measure(run: Run, games: int, worlds: int = 0) -> int:
    """How many games `measure` plays."""
    return total_games(run.game, games, len(PLAYS) + (worlds > 0), 1)


def measure(
    run: Run,
    network: ActorCritic,
    games: int = GAMES,
    progress: Progress | None = None,
    worlds: int = 0,
    executor: Executor = SERIAL,
) -> BestResponse:
    """Plays the learner against its agent, in each of the ways of `PLAYS`, and writes the figures to the run's folder.

    Args:
        run: the learner's.
        network: the trained learner.
        games: in each of the ways.
        progress: told of games as they end.
        worlds: of a search on top of the learner, which knows the agent and is measured, too; 0: none.
        executor: plays the games.

    Raises:
        ValueError: the network is none that can be searched with.
    """
    learners: dict[str, Player] = {how: from_network(run.game, network, how, "best response") for how in PLAYS}
    if worlds:
        (agent,) = run.config.opponents.bots
        known = make_player(run.game, agent)
        assert isinstance(known, PolicyPlayer)
        # Another's values mislead about this rival, so they count for less.
        settings = SearchSettings(worlds, lam=0.9)
        learned = Policy(run.game, network, name="best response", value_unit=run.config.ppo.reward_scale)
        learners[SEARCH] = SearchingPolicy(learned, settings, known.policy)
    results = {
        how: evaluate(run.game, learner, run.evaluation_opponents, games, run.config.seed, progress, executor)[0]
        for how, learner in learners.items()
    }
    found = BestResponse(
        agent=results[PLAYS[0]].opponent,
        decisions=run.config.decisions // run.game.num_sides,
        seed=run.config.seed,
        results=results,
        worlds=worlds,
    )
    write_whole(run.folder / FIGURES, json.dumps(found.as_json(), indent=2) + "\n")
    return found
