"""Best responses: how far an agent can be exploited by a network trained against it, and by a search that knows it.

The agent is frozen. The learner's network has the same kind and size, with fresh or given weights. It plays one side of
each game (a team, or a seat that plays for itself), and the agent plays all other sides. The search models all others
by the agent's exact policy, and starts from this policy or from that of a trained learner. It is a local best response
with rollouts of the policy (Lisy, Bowling, "Equilibrium approximation quality of current no-limit poker bots", arXiv
1612.07547).

The agent may be a mixture of agents, `mix:A|B`. Its members are then the learner's opponents and the search's rivals,
and the figures are those against the mixture.

The fair share is what the agent itself would win in the learner's place. A win share above it is a lower bound of
what a perfect best response wins. `BestResponse.worst` names the result whose interval has the highest lower end.
Between two sides the fair share is 50 %, and no player wins more against an agent at equilibrium.
"""

import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import torch

from spygames.core.basics.files import read_text
from spygames.core.basics.json_numbers import written
from spygames.core.basics.json_values import parse_json
from spygames.core.basics.text import one_line, shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.game.game import Game
from spygames.core.game.registry import name_of
from spygames.core.game.validation import choice
from spygames.core.players.checkpoint import checkpoint_game, common_game
from spygames.core.players.mixture import MIX, MixturePlayer
from spygames.core.players.names import PlayerName, check_play
from spygames.core.players.player import Player
from spygames.core.players.released import CHOOSE
from spygames_training.agents.policy import Policy, PolicyPlayer, from_network
from spygames_training.config import PPO, Config, Network, Opponents
from spygames_training.evaluation.evaluation import Result, evaluate, total_games
from spygames_training.evaluation.kept_games import KeptGames
from spygames_training.files.atomic import check_new, write_whole
from spygames_training.networks.actor_critic import ActorCritic, make_network
from spygames_training.parallel.executor import SERIAL, Executor, Progress
from spygames_training.runs.folder import resume_config
from spygames_training.runs.report import MAX_METRICS_BYTES, METRICS
from spygames_training.runs.run import Run
from spygames_training.search.player import SearchingPolicy
from spygames_training.search.settings import SearchPrecision, SearchSettings

PLAYS = ("sample", "argmax")
"""The ways in which the learner plays when it is measured."""
SEARCH = "search"
"""Key of a search's result, next to those of `PLAYS`."""
CURVE = 80
"""Maximum number of points of a learning curve."""
MIXED_LAM = 0.9
"""Lambda of a search whose values do not fit its rivals."""
DECISIONS, GAMES = 10_000_000, 5000
FIGURES = "best_response.json"
GAMES_SO_FAR = "games_so_far"
"""Folder in that of the run with the games of its search that have ended."""


@dataclass(frozen=True)
class BestResponse:
    """Results of a learner or a search against the agent."""

    agent: str
    """The agent's name, including how it plays: `heimlich/base-3@sample`."""
    decisions: int
    """Number of the learner's own decisions that the training was to have; it makes whole updates, so `curve` may end
    a little later. 0 for a search without a learner."""
    seed: int
    """Seed of the learner's run, or of the games of a search alone."""
    results: dict[str, Result]
    """Results by the learner's way to play, `sample` and `argmax`. `search`: of a search on top of the learner or the
    agent."""
    worlds: int = 0
    """Number of worlds that the search draws for a decision; 0 without a search."""
    precision: SearchPrecision = "float32"
    """Number format of the search's networks."""
    curve: tuple[tuple[int, float], ...] = ()
    """The learner's learning curve: its own decisions so far, and its win share in recent training games, where its
    actions are sampled and the policy is not yet the running mean. Empty without a learner."""

    @property
    def fair_share(self) -> float:
        """The agent's own win share in the learner's place, 0 to 1."""
        return next(iter(self.results.values())).fair_share

    @property
    def worst(self) -> str:
        """Key of the result with the highest lower bound, the strongest evidence of exploitability."""
        return max(self.results, key=lambda how: self.results[how].interval[0])

    def as_json(self) -> dict[str, Any]:
        """Return all figures as plain values."""
        figures: dict[str, Any] = {
            "agent": self.agent,
            "decisions": self.decisions,
            "seed": written(self.seed),
            "fair_share": self.fair_share,
            "worlds": self.worlds,
            "worst": self.worst,
        }
        if self.precision != "float32":
            figures["precision"] = self.precision
        if self.curve:
            figures["curve"] = [[decisions, share] for decisions, share in self.curve]
        for how, r in self.results.items():
            figures[how] = {"win_share": r.win_share, "interval": list(r.interval), "games": r.games}
        return figures


def best_response(
    agent: str | Path,
    folder: str | Path | None = None,
    *,
    play: str = "",
    decisions: int = DECISIONS,
    games: int = GAMES,
    seed: int = 1,
    workers: int = 2,
    start_from: str | Path = "",
    worlds: int = 0,
    precision: SearchPrecision = "float32",
    executor: Executor = SERIAL,
    game: Game | None = None,
) -> BestResponse:
    """Train a learner against `agent` and measure it.

    Example:
        >>> from spygames_training import best_response
        >>> found = best_response("agent_avenue/simple-2", decisions=10_000_000)  # doctest: +SKIP
        >>> found.worst, found.results[found.worst].win_share  # doctest: +SKIP

    Args:
        agent: the folder of a checkpoint or a run, a released agent's name, or a mixture of these, `mix:A|B@0.5`. A
            name may say how the agent plays (`@sample`) in place of `play`.
        folder: of the learner's run; None: `runs/best_response_NAME`. Its file `best_response.json` has the figures.
        play: how the agent plays: sample, argmax or a temperature. In a mixture it is for the members that do not say
            how they play. "": as the name says; otherwise a released agent as it is meant to, another one sampled.
        decisions: number of the learner's own decisions. All sides' decisions together are rounded up to whole updates
            of 65,536.
        games: number of games of the learner sampled, as many by argmax, and as many of a search.
        seed: of the learner.
        workers: number of threads.
        start_from: the agent whose weights the learner starts with; "": random weights.
        worlds: number of worlds of a search on top of the learner, which is measured, too; 0: no search.
        precision: number format of the search's networks, see `SearchSettings.precision`.
        executor: computes the games of the measurement.
        game: the game, if it is not the one that the agent's checkpoint names. It may have other options with the same
            layout, or `history`, which then only the learner uses. Needed for a game of your own, which a checkpoint
            cannot name; `Run.resume` needs it, too.

    Returns:
        The results, which are also in `best_response.json`.

    Raises:
        ValueError: there is no such agent, the folder already holds a run, or an argument is invalid; before the
            training.
        Exception: as in `Run.train`.
    """
    run = learner_run(
        agent,
        folder,
        play=play,
        decisions=decisions,
        games=games,
        seed=seed,
        workers=workers,
        start_from=start_from,
        worlds=worlds,
        precision=precision,
        game=game,
    )
    return measure(run, run.train(), games, worlds=worlds, executor=executor, precision=precision)


@dataclass(frozen=True)
class KnownSearch:
    """A search that knows its opponent's policy, without a learner."""

    challenger: SearchingPolicy
    """The search on top of the agent's policy; of the first one in a mixture."""
    agent: Player
    """The opponent."""
    file: Path
    """The file of the figures."""

    @classmethod
    def of(
        cls,
        agent: str | Path,
        folder: str | Path | None = None,
        *,
        worlds: int,
        precision: SearchPrecision = "float32",
        play: str = "",
        game: Game | None = None,
    ) -> "KnownSearch":
        """Prepare a search on top of the agent's own policy, against the agent.

        Args:
            agent, play, game: as in `best_response`.
            folder: for `best_response.json`; None: `runs/best_response_NAME`.
            worlds: number of worlds that the search draws for a decision.
            precision: as in `best_response`.

        Raises:
            ValueError: there is no such agent, it cannot be searched with, or the folder is not empty.
        """
        members = members_of(agent, play, game)
        policies = [policy for _, policy in members]
        file = _folder(folder, policies) / FIGURES
        check_new(file.parent)
        first = policies[0]
        own = Policy(first.game, first.network, name=first.called.source, value_unit=first.value_unit)
        lam = None if len(policies) == 1 else MIXED_LAM
        settings = SearchSettings(worlds, lam=lam, precision=precision)
        return cls(SearchingPolicy(own, settings, policies), one_player(policies), file)

    def measure(
        self, games: int = GAMES, seed: int = 1, progress: Progress | None = None, executor: Executor = SERIAL
    ) -> BestResponse:
        """Play the search against the agent and write the figures.

        Args:
            games: number of games.
            seed: of the games.
            progress: see `Progress`.
            executor: computes the games.
        """
        (result,) = evaluate(self.challenger.game, self.challenger, self.agent, games, seed, progress, executor)
        settings = self.challenger.settings
        found = BestResponse(
            self.agent.name,
            decisions=0,
            seed=seed,
            results={SEARCH: result},
            worlds=settings.worlds,
            precision=settings.precision,
        )
        self.file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.file, json.dumps(found.as_json(), indent=2) + "\n")
        return found


def learner_run(
    agent: str | Path,
    folder: str | Path | None = None,
    *,
    play: str = "",
    decisions: int = DECISIONS,
    games: int = GAMES,
    seed: int = 1,
    workers: int = 2,
    start_from: str | Path = "",
    worlds: int = 0,
    precision: SearchPrecision = "float32",
    game: Game | None = None,
) -> Run:
    """Create the run of a learner, without training it; arguments and errors as in `best_response`.

    `games`, `worlds` and `precision` are only checked, before the folder is made; give them to `measure`, too.
    """
    bots, policies = zip(*members_of(agent, play, game), strict=True)
    policy = policies[0]
    folder, kept = _folder(folder, policies), policy.network.config
    config = Config(
        game=name_of(policy.game),
        options=dict(policy.game.options),
        name=folder.name,
        seed=seed,
        decisions=decisions * policy.game.num_sides,  # the setting counts all sides, and the learner plays one
        workers=workers,
        start_from=_written(start_from),
        network=Network(kept.hidden, kept.kind, kept.embedding, kept.memory),  # with the default critic
        ppo=PPO(entropy=0.02, entropy_end=0.0, kl=0.0),
        opponents=Opponents(share=1.0, bots=bots),
        evaluate_against=(_opponent(bots),),
    )
    whole("games", games, 1)
    choice("precision", precision, get_args(SearchPrecision))
    with torch.random.fork_rng(devices=[]):
        _learners(policy.game, config, make_network(policy.game, config.network), worlds, precision)
    return Run.create(config, folder, policy.game)


def members_of(agent: str | Path, play: str, game: Game | None = None) -> list[tuple[str, Policy]]:
    """Return the name and the policy of each member of a mixture, or of the agent alone.

    Without `game` they play the `common_game` of their checkpoints.

    Raises:
        ValueError: a member is not an agent, or plays another variant than the first one.
    """
    if isinstance(agent, Path):
        policy = Policy.load(agent, play, game)
        return [(f"{_written(agent)}@{policy.called.play}", policy)]
    named = PlayerName.parse(agent)
    check_play(named, play)
    if game is None and (own := [each.source for each in named.members if each.source not in CHOOSE]):
        game = common_game(map(checkpoint_game, own))
    found: list[tuple[str, Policy]] = []
    for member in named.members:
        name = replace(member, play=member.play or play).resolved(game)
        policy = Policy.load(name, game=game)
        found.append((str(replace(name, play=policy.called.play)), policy))
    return found


def _written(agent: str | Path) -> str:
    """Return the name of a player. The path of a folder named `best` is no other player's name."""
    relative = isinstance(agent, Path) and not agent.is_absolute()
    return f".{os.sep}{agent}" if relative else str(agent)


def one_player(policies: Sequence[Policy]) -> Player:
    """Return the player of the only policy, or the mixture of the policies' players."""
    players = [PolicyPlayer(policy) for policy in policies]
    return players[0] if len(players) == 1 else MixturePlayer(policies[0].game, players)


def _opponent(names: Sequence[str]) -> str:
    """Return the name of the player that the learner is measured against, from those that it trains against."""
    return names[0] if len(names) == 1 else f"{MIX}:{'|'.join(names)}"


def _folder(folder: str | Path | None, policies: Sequence[Policy]) -> Path:
    # Released agents' names have a slash.
    name = "_".join([*([MIX] if len(policies) > 1 else []), *(p.called.source.replace("/", "_") for p in policies)])
    return Path(folder or Path("runs") / f"best_response_{name}")


def resume_learner(folder: str | Path, *, allow_code: bool = True) -> Run:
    """Open the learner's run in `folder` to continue it.

    ValueError if the folder holds no such run or its game is not allowed. `allow_code` as in `read_config`.
    """
    config = resume_config(folder, allow_code=allow_code)
    bots = config.opponents.bots
    if config.opponents.share < 1 or not bots or config.evaluate_against != (_opponent(bots),):
        raise ValueError(f"{folder} does not hold the run of a best response, but a run of another kind")
    return Run.resume(folder, config)


def games_to_measure(run: Run, games: int, worlds: int = 0) -> int:
    """Number of games that `measure` plays."""
    return total_games(run.game, games, len(PLAYS) + (worlds > 0), 1)


def check_measurable(run: Run, games: int, worlds: int = 0, precision: SearchPrecision = "float32") -> None:
    """Raise ValueError if `measure` would refuse these arguments for a resumed run, or lose an earlier result of a
    search: before hours of training instead of after them."""
    whole("games", games, 1)
    file = run.folder / FIGURES
    if not worlds and file.exists():
        try:
            known = parse_json(read_text(file, MAX_METRICS_BYTES))
        except ValueError as error:
            raise ValueError(f"{file} is damaged: move it away ({one_line(error)})") from error
        if isinstance(known, dict) and known.get(SEARCH):
            count = shown(known.get("worlds"))
            raise ValueError(f"{file} has the result of a search: search with {count} worlds, or move it away")
    _learners(run.game, run.config, run.learner.network, worlds, precision)


def _learners(
    game: Game, config: Config, network: ActorCritic, worlds: int, precision: SearchPrecision
) -> dict[str, Player]:
    """Return the players that are measured, by their keys in `BestResponse.results`; arguments as in `measure`."""
    learners: dict[str, Player] = {how: from_network(game, network, how, "best response") for how in PLAYS}
    if worlds:
        known = [Policy.load(agent, game=game) for agent in config.opponents.bots]
        # The learner's values do not fit this rival's play, so they get a lower weight.
        settings = SearchSettings(worlds, lam=MIXED_LAM, precision=precision)
        learned = Policy(game, network, name="best response", value_unit=config.ppo.reward_scale)
        learners[SEARCH] = SearchingPolicy(learned, settings, known)
    return learners


def measure(
    run: Run,
    network: ActorCritic,
    games: int = GAMES,
    progress: Progress | None = None,
    worlds: int = 0,
    executor: Executor = SERIAL,
    precision: SearchPrecision = "float32",
) -> BestResponse:
    """Play the learner against its agent, in each way of `PLAYS`, and write the figures to the run's folder.

    Games of the search that have ended are kept there until then: after a stop, the same call plays the others only.

    Args:
        run: the learner's.
        network: the trained learner.
        games: number of games for each way.
        progress: see `Progress`.
        worlds: number of worlds of a search on top of the learner, which is measured, too; 0: no search. The search
            knows the agent's policy.
        executor: computes the games.
        precision: number format of the search's networks, see `SearchSettings.precision`.

    Raises:
        ValueError: the network cannot be searched with, or an argument is invalid.
        OSError: the run has no metrics.
    """
    learners = _learners(run.game, run.config, network, worlds, precision)
    curve = learning_curve(run)  # first: without its file, the games would be played in vain
    kept = KeptGames(run.folder / GAMES_SO_FAR, executor)
    results = {
        how: evaluate(
            run.game,
            learner,
            run.evaluation_opponents,
            games,
            run.config.seed,
            progress,
            kept if how == SEARCH else executor,
        )[0]
        for how, learner in learners.items()
    }
    found = BestResponse(
        agent=results[PLAYS[0]].opponent,
        decisions=run.config.decisions // run.game.num_sides,
        seed=run.config.seed,
        results=results,
        worlds=worlds,
        precision=precision if worlds else "float32",
        curve=curve,
    )
    write_whole(run.folder / FIGURES, json.dumps(found.as_json(), indent=2) + "\n")
    kept.forget()
    return found


def learning_curve(run: Run) -> tuple[tuple[int, float], ...]:
    """Return the curve of a learner's run, see `BestResponse.curve`. Against a mixture it is the mean over members."""
    members = Counter(f"won_at_tables/{bot.name}" for bot in run.league.bots.values())
    found: list[tuple[int, float]] = []
    for line in read_text(run.folder / METRICS, MAX_METRICS_BYTES).splitlines():
        row = json.loads(line)
        won = [row[name] for name in members.elements() if name in row]
        if won and row["decisions"] * CURVE >= (len(found) + 1) * run.config.decisions:
            found.append((row["decisions"] // run.game.num_sides, sum(won) / len(won)))
    return tuple(found)
