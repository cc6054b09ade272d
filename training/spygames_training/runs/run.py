"""A training run: from its config to a checkpoint, and resumed from its last saved state."""

import dataclasses
import functools
import json
import time
import warnings
from collections.abc import Callable, Sequence
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.game.game import Game
from spygames.core.game.registry import make_game
from spygames.core.players.mixture import MixturePlayer
from spygames.core.players.names import Player, PlayerName
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.agents.policy import Policy, from_network
from spygames_training.config import Config, check_config, differences, from_mapping
from spygames_training.files.atomic import write_whole
from spygames_training.files.state_dicts import check_numbers, tensors_of
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.custom import Source, answers_of, check_answers, network_to_train
from spygames_training.networks.custom_code import check_names, find_own, names_of
from spygames_training.networks.device import find_device, seeded, usual_torch
from spygames_training.parallel.processes import ALONE, Processes
from spygames_training.ppo.faster_device import gpu_pays
from spygames_training.ppo.league import League
from spygames_training.ppo.learner import Learner
from spygames_training.ppo.rollout import Rollout, check_memory
from spygames_training.ppo.seating import is_network
from spygames_training.ppo.shaping import Shaping, check_shaping
from spygames_training.runs.agreement import check_same_setup, check_workers, led_by_newest, saved_anywhere
from spygames_training.runs.evaluations import evaluation_opponents, win_shares
from spygames_training.runs.folder import RUN, STATE, check_folder, resume_config
from spygames_training.runs.loop import TrainingLoop
from spygames_training.runs.report import metrics_digest, read_metrics
from spygames_training.runs.state_file import State, StateError, load_state, read_state, save_state
from spygames_training.runs.warm_start import start_from
from spygames_training.search.player import SearchingPolicy
from spygames_training.system.machine import cores, instructions, processor
from spygames_training.system.threads import one_thread

__all__ = ["Callback", "Diverged", "Run"]

CHANGEABLE = {
    "name",
    "decisions",
    "evaluate_against",
    "evaluate_every",
    "evaluate_games",
    "evaluate_play",
    "save_every",
}
"""Settings that may change when a run is resumed. All others determine its result."""

TRAINING_SEEDS = 1 << 62
"""First seed of training games. Evaluation games start at seed 0, so that the two share no game."""

LOWER = "try a lower ppo.learning_rate or ppo.reward_scale"
"""Advice after a divergence."""


class Diverged(ValueError):
    """A loss or a weight is not finite. The last saved state is older and intact."""


Callback = Callable[["Run", dict[str, float]], object]
"""Called after each update with the run and a copy of its line in metrics.jsonl.

The line has `decisions`, `entropy` and more, and after an evaluation `win_share/NAME` for each opponent. A callback may
read everything and call `Run.stop`. Its return value is ignored. An exception ends the training after everything is
saved.
"""


class RunExists(ValueError):
    """The folder of a new run holds a run already."""

    def __init__(self, folder: Path):
        super().__init__(f"{folder} holds a run already: resume it, or choose another folder")
        self.folder = folder


class Run:
    """A training run in a folder: run.json, state.safetensors, checkpoint/, metrics.jsonl, tensorboard/, curves.png.

    `Run.create` starts a run, `Run.resume` continues one, and `Run.open` does either. `train` then does the training.
    """

    def __init__(
        self,
        config: Config,
        folder: str | Path,
        game: Game | None,
        processes: Processes,
        network: Source | str | None = None,
        shaping: Shaping | str | None = None,
    ):
        """Build the parts of a new run; for `create` and `resume`. The folder is not changed."""
        check_config(config)
        self.folder, self.processes = Path(folder), processes
        self._network, shape = find_own(network), find_own(shaping)
        self.own_code = names_of(network=self._network, shaping=shape)
        """The names of the user code that was passed, by its purpose."""
        check_workers(config, processes.count)
        self.game = game or make_game(config.game, **config.options)
        check_shaping(shape, self.game)
        self.evaluation_opponents = evaluation_opponents(self.game, config) if processes.first else []
        if processes.first:
            check_folder(self.folder)
        self.state = self.folder / STATE
        ppo, workers = config.ppo, config.workers // processes.count
        with usual_torch():
            with seeded(config.seed), one_thread():
                own = network_to_train(self.game, config.network, self._network)
            pays = functools.partial(gpu_pays, own, ppo, workers, processes.count)
            own.to(find_device(config.device, processes.local_rank, pays))
            own.shaped = shape is not None
            self.learner = Learner(own, ppo, workers, config.seed, processes)
        self.league = League(self.game, config.opponents)
        if processes.first and (config.opponents.share == 0 or all(map(is_network, self.league.bots.values()))):
            idle = ['network.values = "split"'] if config.network.values == "split" else []
            if config.opponents.share == 0:
                idle += [f"opponents.{name}" for name in ("bots", "snapshots") if getattr(config.opponents, name)]
            idle += ["opponents.temperature"] if config.opponents.temperature != 1 else []
            if idle:
                text = f"{' and '.join(idle)} without effect: no game is against a scripted player"
                warnings.warn(text, stacklevel=3)
        self.config = in_full(config, self.game)
        players = [from_network(self.game, own), *self.league.players.values()]
        check_memory(self.game, config, processes.count)
        self.rollouts = [
            Rollout(
                self.game,
                ppo.games // config.workers,
                ppo.steps,
                TRAINING_SEEDS + config.seed * 1000 + k,
                config.opponents.share,
                players,
                shape,
                config.opponents.temperature,
            )
            for k in range(processes.rank * workers, (processes.rank + 1) * workers)
        ]
        self.progress: dict[str, Any] = {"decisions": 0, "seconds": 0.0}
        self.stopping = False
        """Whether `stop` was called."""
        self._seen: Identity = None  # of the saved state that this run continues
        bots = zip(self.config.opponents.bots, self.league.bots.values(), strict=True)
        self._opponents = {name: digest for name, bot in bots if (digest := _weights_digest(bot))}
        self.earlier: list[dict[str, Any]] = []
        """The metrics of the updates before the run was resumed."""

    @classmethod
    def create(
        cls,
        config: Config,
        folder: str | Path,
        game: Game | None = None,
        processes: Processes = ALONE,
        *,
        network: Source | str | None = None,
        shaping: Shaping | str | None = None,
    ) -> "Run":
        """Create a new run.

        Args:
            config: the settings.
            folder: of the run; it is created.
            game: the game, if `config.game` cannot name it.
            processes: the processes that train together, each with an equal part of the workers. The result is the same
                as with one process. The first process evaluates, writes and reports.
            network: a custom network in place of the one that `config` describes. A torch module, which is copied, or a
                function or class that makes one for a game. It maps float32 observation [n, F] to logits [n, A],
                illegal actions included, and value [n]. Loading the agent's checkpoint then requires the same module.
                May also be a string `python:MODULE.NAME`.
            shaping: rewards added in training games only (`Shaping`), as a function or `python:MODULE.NAME`. The agent
                is then saved without its value, which does not predict the game's results.

        Raises:
            ValueError: the folder holds a run or an agent already, or something is in the way of the run's files. A
                game, option or player is unknown. `start_from` or `network` does not fit. The games and steps need more
                memory than the machine has. Nothing in the folder is changed.
            TypeError: `config` is not a Config, or `shaping` is not a function.
        """
        place = Path(folder)
        with processes.in_own_time():
            if processes.first and (place / STATE).exists():
                raise RunExists(place)
            if processes.first and (place / "checkpoint" / "config.json").exists():
                raise ValueError(f"{folder} holds an agent already: choose another folder (--out)")
            run = cls(config, folder, game, processes, network, shaping)
            if config.start_from and processes.first:
                run.progress["began_with"] = start_from(
                    config.start_from, run.game, run.learner, config.ppo.reward_scale, run._network
                )
        run._enter()
        run.learner.copy_first()
        return run

    @classmethod
    def resume(
        cls,
        folder: str | Path,
        config: Config | None = None,
        game: Game | None = None,
        processes: Processes = ALONE,
        *,
        network: Source | str | None = None,
        shaping: Shaping | str | None = None,
    ) -> "Run":
        """Resume the run in `folder` from its last saved state.

        Args:
            folder: of the run.
            config: the run's config, in which settings of `CHANGEABLE` may have other values; None: unchanged.
            game: as for `create`.
            processes: as for `create`; their number may differ from before, and they need not share a folder. The
                process whose `folder` holds the newest state becomes the first: it sends the state to the others and
                continues to write there.
            network, shaping: the same code as before, since the folder holds no code.

        Raises:
            ValueError: there is no run, it is damaged, or `config` changes a setting that is not in `CHANGEABLE`. The
                name of the network or shaping differs from the saved one. Also the errors of `create`.
        """
        processes = led_by_newest(folder, processes)
        saved = resume_config(folder, processes)
        if config is None:
            config = saved
        else:
            check_config(config)
            config = in_full(config, game or make_game(config.game, **config.options))
        if changed := [name for name in differences(config, saved) if name not in CHANGEABLE]:
            raise ValueError(
                f"{folder} cannot continue with another value of {', '.join(changed)}; only these settings may change: "
                f"{', '.join(sorted(CHANGEABLE))}"
            )
        own, path = find_own(network), Path(folder) / STATE
        if processes.first:
            check_folder(Path(folder))
        seen = _identity(path)
        state = read_state(path, processes)
        _check_own_code(state, own, shaping)
        with processes.in_own_time():
            run = cls(config, folder, game, processes, own, shaping)
            run._seen = seen
            run._check_settings(state)
            run._check_opponents(state)
            run.progress = load_state(state, run.learner, run.rollouts, run.league)
            try:
                check_answers(run.learner.ema, state.facts.get("answers"))
            except ValueError as error:
                raise StateError(f"{state.path}: {error}") from error
            if processes.first:
                run.earlier = read_metrics(run.folder, run.progress["decisions"], state.facts.get("metrics"))
        run._enter()
        return run

    @classmethod
    def open(
        cls,
        config: Config,
        folder: str | Path,
        game: Game | None = None,
        processes: Processes = ALONE,
        *,
        network: Source | str | None = None,
        shaping: Shaping | str | None = None,
    ) -> "Run":
        """Resume the run in `folder`, or create it if no process finds a saved state there.

        The same call thus continues a run after any interruption. Arguments are those of `create`, exceptions those of
        `create` and `resume`.
        """
        if saved_anywhere(folder, processes):
            return cls.resume(folder, config, game, processes, network=network, shaping=shaping)
        return cls.create(config, folder, game, processes, network=network, shaping=shaping)

    def _enter(self) -> None:
        """Check the agreement of the processes and make the folder. It is made last, so that a refused run leaves
        nothing behind."""
        settings = {"config": dataclasses.asdict(self.config), "own_code": self.own_code}
        check_same_setup(self.processes, settings, self.game)
        with self.processes.in_own_time():
            if self.processes.first:
                self.folder.mkdir(parents=True, exist_ok=True)

    def _check_settings(self, state: State) -> None:
        """Raise StateError if a setting that determines the result differs from the one saved with the state."""
        try:
            saved = from_mapping(Config, state.facts.get("config"))
        except ValueError as error:
            raise StateError(
                f"{state.path} is damaged: its config is not the config of a run: {one_line(error)}"
            ) from None
        if changed := [name for name in differences(self.config, saved) if name not in CHANGEABLE]:
            raise StateError(
                f"{self.folder / RUN} is damaged or belongs to a run with other settings: {state.path.name} was saved "
                f"with another {', '.join(changed)}"
            )

    def _check_opponents(self, state: State) -> None:
        """Raise StateError if an opponent's name now means another agent than when the state was saved."""
        saved = state.facts.get("opponents", {})
        for name, digest in self._opponents.items():
            if saved.get(name, digest) != digest:
                raise StateError(
                    f"{state.path}: the run trained against another {name} (digest {saved[name]}, now {digest}): put "
                    "that agent back"
                )

    def check_unchanged(self) -> None:
        """Raise ValueError if another process has saved a state in the folder since this run was made."""
        if self.processes.first and _identity(self.state) != self._seen:
            raise ValueError(f"another process has trained in {self.folder} meanwhile: resume its run")

    @property
    def finished(self) -> bool:
        """Whether all decisions of the config have been made."""
        return self.progress["decisions"] >= self.config.decisions

    @property
    def policy(self) -> Policy:
        """The policy to evaluate and use: the running mean of the weights. Training continues to change it."""
        return Policy(self.game, self.learner.ema, name=self.config.name, value_unit=self.config.ppo.reward_scale)

    def stop(self) -> None:
        """Make the current update the last one of `train`, which then saves and returns. `Run.resume` continues the
        run."""
        self.stopping = True

    def close(self) -> None:
        """End the workers' threads; for callers of `update`, since `train` does it by itself."""
        self.learner.close()

    def train(self, callbacks: Sequence[Callback] = (), progress: bool = True) -> ActorCritic:
        """Train to the end and return the running mean of the weights, the network of `policy`.

        Ctrl-C or SIGTERM saves and raises KeyboardInterrupt. `Run.resume` continues from there, or after a kill from
        the last saved state. This object cannot train again, since its threads have ended.

        Args:
            callbacks: called in order after each update, in the first process only.
            progress: whether to show the progress. Python's logger `spygames_training` gets it either way.

        Raises:
            ValueError: another process trains in this folder.
            TypeError: a callback is not callable.
            Diverged: a loss or a weight is not finite.
            ProcessLost: another process has ended or failed, or cannot be reached; `Run.open` continues the run.
            OSError: a file cannot be written, for instance because the disk is full; the last saved state is intact.
            Exception: a callback raised it; the state after the update is saved.
        """
        TrainingLoop(self, callbacks, progress).train()
        return self.learner.ema

    def save(self) -> None:
        """Write the settings, the state to resume from and the policy's checkpoint. All processes take part, and return
        when everything is written.

        Raises:
            Diverged: a weight is not finite, so that the state could not be resumed; nothing is written.
        """
        try:
            check_numbers(tensors_of(self.learner.state_dict()))
        except ValueError as error:
            raise Diverged(f"after {self.progress['decisions']:,} decisions {error}; {LOWER}") from error
        config = dataclasses.asdict(self.config)
        more: dict[str, Any] = {}
        with self.processes.in_own_time():
            if self.processes.first:
                write_whole(self.folder / RUN, json.dumps(config, indent=2) + "\n")
                more = {"config": config, "metrics": metrics_digest(self.folder), "opponents": self._opponents}
                if self.own_code:
                    more |= {"own_code": self.own_code, "answers": answers_of(self.learner.ema)}
            save_state(self.state, self.learner, self.rollouts, self.league, self.progress, more)
            self._seen = _identity(self.state)
            self.save_agent()

    def save_agent(self) -> None:
        """Write the policy's checkpoint."""
        if self.processes.first:
            extra = {"config": dataclasses.asdict(self.config), "seconds": round(self.progress["seconds"])}
            extra["machine"] = f"{self.config.workers} of {cores()} cores of {processor()} ({instructions()})"
            extra["precision"] = str(self.learner.compute.dtype).removeprefix("torch.")
            if "began_with" in self.progress:
                extra["began_with"] = self.progress["began_with"]
            if self.own_code:
                extra["own_code"] = self.own_code
            results = self.progress.get("results", {})
            save_checkpoint(
                self.folder / "checkpoint", self.game, self.learner.ema, self.progress["decisions"], results, extra
            )

    @usual_torch()
    @np.errstate(all="ignore")  # the losses are checked instead
    def update(self) -> dict[str, Any]:
        """Play, learn and return the metrics. All processes take part.

        Raises:
            RuntimeError: the threads of this object have ended, with `train` or `close`; nothing is changed.
            ValueError: no decision has a known outcome, because the games are too long for `ppo.steps`.
            Diverged: a loss is not finite.
        """
        config, learner, rollouts = self.config, self.learner, self.rollouts
        if learner.closed:
            raise RuntimeError(
                "this run has ended its threads (after train or close): continue with Run.resume(folder)"
            )
        started = time.monotonic()
        self._seat_opponents()
        with self.processes.in_own_time():
            learner.play(rollouts)
        won = [(k, *counts) for rollout in rollouts for k, counts in rollout.opponents.pop_results().items()]
        parts = self.processes.gather_rows(np.array(won, np.float64).reshape(-1, 3))
        self.league.add_results({int(number): counts} for number, *counts in np.concatenate(parts))
        valid = np.array([rollout.trajectories.valid.sum() for rollout in rollouts])
        if not sum(part.sum() for part in self.processes.gather(valid)):
            raise ValueError(
                f"no decision in {config.ppo.games} games x {config.ppo.steps} decisions has a known outcome: no game "
                "ended and no seat decided twice; increase ppo.steps"
            )
        # A caller may go on after the end, where the last values of the schedules stay.
        losses = learner.update(rollouts, max(0.0, 1 - self.progress["decisions"] / config.decisions))
        if not all(map(isfinite, losses.values())):
            raise Diverged(f"a loss is not finite after {self.progress['decisions']:,} decisions; {LOWER}")
        decisions = config.ppo.games * config.ppo.steps
        seconds = time.monotonic() - started
        self.progress["decisions"] += decisions
        self.progress["seconds"] += seconds
        return {
            "decisions": self.progress["decisions"],
            "seconds": self.progress["seconds"],
            "decisions_per_second": decisions / max(seconds, 1e-9),  # a clock may stand still in a short update
            **losses,
            **self._won_in_training(),
        }

    def _seat_opponents(self) -> None:
        """Update the league and let the rollouts draw from it."""
        opponents, learner = self.config.opponents, self.learner
        if opponents.share == 0:
            return
        if opponents.snapshots and learner.updates % opponents.snapshot_every == 0:
            self.league.add_snapshot(learner.ema)
        playing = np.unique(np.concatenate([rollout.opponents.controller.ravel() for rollout in self.rollouts]))
        self.league.forget(np.concatenate(self.processes.gather_rows(playing)).tolist())
        for rollout in self.rollouts:
            rollout.opponents.join(self.league)

    def _won_in_training(self) -> dict[str, float]:
        """Return the recent win share against each bot; for a bot that is listed twice, the mean."""
        fractions: dict[str, list[float]] = {}
        for number, bot in self.league.bots.items() if self.config.opponents.share else ():
            fractions.setdefault(f"won_at_tables/{bot.name}", []).append(self.league.win_fraction(number))
        return {name: sum(several) / len(several) for name, several in fractions.items()}

    def evaluate(self) -> dict[str, float]:
        """Return the win shares, 0 to 1, of the running mean of the weights: `win_share/NAME` for each opponent. The
        first process computes them; the others return nothing."""
        fractions: dict[str, float] = {}
        if self.evaluation_opponents and self.processes.first:
            step = self.progress["decisions"]
            fractions, self.progress["results"] = win_shares(
                self.game, self.learner.ema, self.evaluation_opponents, self.config, step
            )
        return fractions


def _weights_digest(player: Player) -> str:
    """Return a digest of all weights that an opponent decides with, also below a search and in a mixture; "" if it has
    none."""
    found = _weights_digests(player)
    return found[0] if len(found) == 1 else sha256("\n".join(found).encode()).hexdigest()[:16] if found else ""


def _weights_digests(player: Player) -> list[str]:
    if isinstance(player, MixturePlayer):
        return [digest for member in player.members for digest in _weights_digests(member)]
    if isinstance(player, SearchingPolicy):
        return [policy.digest for policy in (player.policy, *player.named.values())]
    digest = getattr(player, "digest", None)
    return [digest] if isinstance(digest, str) else []


Identity = tuple[int, ...] | None
"""What tells a file from another one of the same path, without reading it; None if there is none."""


def _identity(path: Path) -> Identity:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def check_own_code(folder: Path, network: Source | str | None, shaping: Shaping | str | None) -> None:
    """Raise StateError if the run in `folder` was saved with other code than this, by name."""
    _check_own_code(read_state(folder / STATE), find_own(network), shaping)


def _check_own_code(state: State, network: Source | None, shaping: Shaping | str | None) -> None:
    try:
        check_names(state.facts.get("own_code", {}), names_of(network=network, shaping=find_own(shaping)))
    except ValueError as error:
        raise StateError(f"{state.path}: {error}") from error


def in_full(config: Config, game: Game) -> Config:
    """Return the config with `opponents.bots` in full, as they are recorded: which agent `best` is, and how released
    agents play."""
    bots = tuple(str(PlayerName.parse(bot).resolved(game)) for bot in config.opponents.bots)
    return dataclasses.replace(config, opponents=dataclasses.replace(config.opponents, bots=bots))
