"""A training run from its config to a checkpoint, and resumed where it was stopped."""

import dataclasses
import functools
import json
import time
from collections.abc import Callable, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.game.game import Game
from spygames.core.game.registry import make_game
from spygames_training.agents.checkpoint import save_checkpoint
from spygames_training.agents.policy import Policy, from_network
from spygames_training.config import Config, check_config, differences, from_mapping
from spygames_training.files.atomic import write_whole
from spygames_training.networks.actor_critic import ActorCritic
from spygames_training.networks.custom import Source, answers_of, check_answers, network_to_train
from spygames_training.networks.custom_code import check_names, find_own, names_of
from spygames_training.networks.device import find_device, one_thread, seeded, usual_torch
from spygames_training.parallel.machine import cores, instructions, processor
from spygames_training.parallel.processes import ALONE, Processes
from spygames_training.ppo.faster_device import gpu_pays
from spygames_training.ppo.league import League
from spygames_training.ppo.learner import Learner
from spygames_training.ppo.rollout import Rollout, check_memory
from spygames_training.ppo.shaping import Shaping, check_shaping
from spygames_training.runs.agreement import check_alike, check_workers, led_by_newest, saved_anywhere
from spygames_training.runs.evaluations import evaluation_opponents, win_shares
from spygames_training.runs.folder import RUN, STATE, check_folder, resume_config
from spygames_training.runs.loop import TrainingLoop
from spygames_training.runs.report import metrics_digest, read_metrics
from spygames_training.runs.state_file import State, StateError, load_state, read_state, save_state
from spygames_training.runs.warm_start import start_from

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
"""Settings that a resumed run may have changed; the others decide what it has become."""

TRAINING_SEEDS = 1 << 62
"""Seeds of the games that are learned from begin here, those of evaluations at 0, so that they share no game."""


class Diverged(ValueError):
    """The losses are not finite any more; the last saved state is from before."""


Callback = Callable[["Run", dict[str, float]], object]
"""Called after each update with the run and a copy of its line in metrics.jsonl: `decisions`, `entropy` and more,
after an evaluation also `win_share/NAME` for each opponent. It may read everything and call `Run.stop`. Its return
value is ignored; an exception ends the training once all is saved."""


class Run:
    """A training run in a folder: run.json, state.safetensors, checkpoint/, metrics.jsonl, tensorboard/, curves.png.

    `Run.create` begins one, `Run.resume` continues one, `Run.open` does either; all leave the training to `train`.
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
        """The parts of a run that has not begun; for `create` and `resume`. Nothing in the folder is changed."""
        check_config(config)
        self.config, self.folder, self.processes = config, Path(folder), processes
        self._network, shape = find_own(network), find_own(shaping)
        check_shaping(shape)
        self.own_code = names_of(network=self._network, shaping=shape)
        """The names of what the caller has passed, by what it is for."""
        check_workers(config, processes.count)
        self.game = game or make_game(config.game, **config.options)
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
        self.earlier: list[dict[str, Any]] = []
        """The metrics of the updates before it was resumed."""

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
        """A new run.

        Args:
            config: what to do.
            folder: where the run lives; it is made.
            game: what is played, where `config.game` cannot name it.
            processes: those that train together, each with an equal part of the workers; the result is the same as in
                one process. The first one evaluates, writes and reports.
            network: a torch module, which is copied, or a function or class that makes one for a game, in the place of
                the network that `config` describes: float32 observation [n, F] -> logits [n, A], of illegal actions
                too, and value [n]. The agent's checkpoint is then read only by who passes the same module.
            shaping: added to the rewards that are learned from, in training games only (`Shaping`). The agent is then
                kept without its value, which is none of the game's results. Both may be `python:MODULE.NAME`, too.

        Raises:
            ValueError: the folder holds a run or an agent already, or something in the place of a file of the run; an
                unknown game, option or player; `start_from` or `network` does not fit; more games and steps than the
                machine has memory for. Nothing in the folder is changed then.
            TypeError: `config` is no Config, or `shaping` no function.
        """
        place = Path(folder)
        with processes.in_own_time():
            if processes.first and (place / STATE).exists():
                raise ValueError(
                    f"{folder} holds a run already: resume it (--resume, resume=True), or choose another folder (--out)"
                )
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
        """The run in `folder`, from its last saved state.

        Args:
            folder: of the run.
            config: the run's, in which settings of `CHANGEABLE` may have other values; None: as it is.
            game: as for `create`.
            processes: as for `create`; there may be more or fewer than before. Among them the one whose `folder` holds
                the newest state is the first: it reads and sends, and goes on writing there. So they need not share a
                folder.
            network, shaping: the same as before; the folder holds no code.

        Raises:
            ValueError: there is no run, it is damaged, or `config` changes another setting; what is passed has another
                name than what the run was saved with; and as for `create`.
        """
        processes = led_by_newest(folder, processes)
        saved = resume_config(folder, processes)
        config = config or saved
        if changed := [name for name in differences(config, saved) if name not in CHANGEABLE]:
            raise ValueError(
                f"{folder} cannot continue with another {', '.join(changed)}; what may change is "
                f"{', '.join(sorted(CHANGEABLE))}"
            )
        own = find_own(network)
        if processes.first:
            check_folder(Path(folder))
        state = read_state(Path(folder) / STATE, processes)
        try:
            check_names(state.facts.get("own_code", {}), names_of(network=own, shaping=find_own(shaping)))
        except ValueError as error:
            raise StateError(f"{state.path}: {error}") from error
        with processes.in_own_time():
            run = cls(config, folder, game, processes, own, shaping)
            run._check_settings(state)
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
        """The run in `folder` from its last saved state, or a new one if no process finds a state there.

        So the same call goes on after whatever has ended it. Arguments are those of `create`, errors those of `create`
        and `resume`.
        """
        if saved_anywhere(folder, processes):
            return cls.resume(folder, config, game, processes, network=network, shaping=shaping)
        return cls.create(config, folder, game, processes, network=network, shaping=shaping)

    def _enter(self) -> None:
        """Makes the folder, last, so that a run that is refused or stopped before leaves nothing."""
        settings = {"config": dataclasses.asdict(self.config), "own_code": self.own_code}
        check_alike(self.processes, settings, self.game)
        with self.processes.in_own_time():
            if self.processes.first:
                self.folder.mkdir(parents=True, exist_ok=True)

    def _check_settings(self, state: State) -> None:
        """StateError if settings that decide what the run has become are not those that the state was saved with."""
        try:
            saved = from_mapping(Config, state.facts.get("config"))
        except ValueError as error:
            raise StateError(f"{state.path} is damaged: its config is not that of a run: {one_line(error)}") from None
        if changed := [name for name in differences(self.config, saved) if name not in CHANGEABLE]:
            raise StateError(
                f"{self.folder / RUN} is damaged or of a run with other settings: {state.path.name} was saved with "
                f"another {', '.join(changed)}"
            )

    @property
    def finished(self) -> bool:
        """Whether all decisions of the config have been made."""
        return self.progress["decisions"] >= self.config.decisions

    @property
    def policy(self) -> Policy:
        """The policy to ship, the mean of the weights, as it is now and as it will be: training changes it."""
        return Policy(self.game, self.learner.ema, name=self.config.name, value_unit=self.config.ppo.reward_scale)

    def stop(self) -> None:
        """Makes the present update the last one of `train`, which then saves and returns; `Run.resume` continues."""
        self.stopping = True

    def close(self) -> None:
        """Ends the workers' threads, for whoever calls `update` instead of `train`."""
        self.learner.close()

    def train(self, callbacks: Sequence[Callback] = (), progress: bool = True) -> ActorCritic:
        """Trains to the end and returns the policy to ship, the mean of the weights. Ctrl-C or SIGTERM saves and raises
        KeyboardInterrupt; from there, or from the last saved state after a kill, `Run.resume` continues. The workers'
        threads end with it, so another `Run` is needed to continue.

        Args:
            callbacks: called in their order after each update, by the first process only.
            progress: whether the progress is shown; Python's logger `spygames_training` is told of it either way.

        Raises:
            ValueError: another process trains in this folder.
            TypeError: a callback cannot be called.
            Diverged: the losses are not finite any more.
            ProcessLost: another process has ended or failed, or cannot be reached; `Run.open` goes on.
            OSError: a file cannot be written, as on a full disk; the last state that was saved is whole.
            Exception: what a callback raised; the state after the update is saved.
        """
        TrainingLoop(self, callbacks, progress).train()
        return self.learner.ema

    def save(self) -> None:
        """Writes the settings, the state to resume from and the checkpoint of the policy; all processes take part, and
        return when all is written."""
        config = dataclasses.asdict(self.config)
        more: dict[str, Any] = {}
        with self.processes.in_own_time():
            if self.processes.first:
                write_whole(self.folder / RUN, json.dumps(config, indent=2) + "\n")
                more = {"config": config, "metrics": metrics_digest(self.folder)}
                if self.own_code:
                    more |= {"own_code": self.own_code, "answers": answers_of(self.learner.ema)}
            save_state(self.state, self.learner, self.rollouts, self.league, self.progress, more)
            self.save_agent()

    def save_agent(self) -> None:
        """Writes the checkpoint of the policy."""
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
    @np.errstate(all="ignore")  # losses are looked at instead
    def update(self) -> dict[str, Any]:
        """Plays, learns and returns the metrics; all processes take part.

        Raises:
            ValueError: no decision's outcome is known, for the games are too long for `ppo.steps`.
            Diverged: the losses are not finite any more.
        """
        config, learner, rollouts = self.config, self.learner, self.rollouts
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
                f"in {config.ppo.games} games x {config.ppo.steps} decisions the outcome of none that the network took "
                "is known, for no game ended and no seat was asked again: raise ppo.steps"
            )
        losses = learner.update(rollouts, 1 - self.progress["decisions"] / config.decisions)
        if not all(map(isfinite, losses.values())):
            raise Diverged(
                f"after {self.progress['decisions']:,} decisions the losses are no numbers any more: a lower "
                "ppo.learning_rate or ppo.reward_scale may help"
            )
        decisions = config.ppo.games * config.ppo.steps
        seconds = time.monotonic() - started
        self.progress["decisions"] += decisions
        self.progress["seconds"] += seconds
        return {
            "decisions": self.progress["decisions"],
            "seconds": self.progress["seconds"],
            "decisions_per_second": decisions / seconds,
            **losses,
            **self._won_in_training(),
        }

    def _seat_opponents(self) -> None:
        """Brings the league up to date and lets the rollouts draw from it."""
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
        """The recent win fraction against each scripted opponent; one that is named twice has two numbers."""
        fractions: dict[str, list[float]] = {}
        for number, bot in self.league.bots.items():
            fractions.setdefault(f"won_at_tables/{bot.name}", []).append(self.league.win_fraction(number))
        return {name: sum(several) / len(several) for name, several in fractions.items()}

    def evaluate(self) -> dict[str, float]:
        """Win fractions of the mean of the weights, which play as the config says, 0 to 1: `win_share/NAME` for each
        opponent; found by the first process."""
        fractions: dict[str, float] = {}
        if self.evaluation_opponents and self.processes.first:
            step = self.progress["decisions"]
            fractions, self.progress["results"] = win_shares(
                self.game, self.learner.ema, self.evaluation_opponents, self.config, step
            )
        return fractions
