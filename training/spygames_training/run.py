"""A training run from its config to a checkpoint, and on from where it was stopped."""

import copy
import dataclasses
import json
import os
import signal
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from math import isfinite
from pathlib import Path
from typing import Any

import torch

from spygames.core.game import Game
from spygames.core.players import Player, new_memory
from spygames.core.registry import make_game
from spygames.core.shown import one_line
from spygames_training.checkpoint import check_place, save_checkpoint
from spygames_training.compute import find_device, one_thread
from spygames_training.config import Config, differences, from_mapping
from spygames_training.evaluation import evaluate
from spygames_training.atomic import only_one, read_file, write_whole
from spygames_training.network import ActorCritic, make_network
from spygames_training.league import Pool, named_players
from spygames_training.policy import from_network, temperature_of
from spygames_training.learner import Learner
from spygames_training.processes import ALONE, Processes
from spygames_training.report import METRICS, WIN, Report, metrics_digest, read_metrics
from spygames_training.rollout import Rollout
from spygames_training.resume import State, StateError, load_state, read_state, save_state

CHANGEABLE = {
    "name",
    "decisions",
    "evaluate_against",
    "evaluate_every",
    "evaluate_games",
    "evaluate_play",
    "save_every",
}
"""Settings that a run may go on with changed; the others decide what it has become."""

RUN = "run.json"
FILES = (RUN, "state.safetensors", METRICS, "curves.png", "summary.json", ".lock")
"""What a run writes into its folder, beside the folders checkpoint and tensorboard."""
MAX_RUN_BYTES = 1 << 20

TRAINING_DEALS = 1 << 62
"""Seeds of the games that are learned from begin here, those of evaluations at 0, so that they share no deal."""


class Diverged(ValueError):
    """The losses are no numbers any more; the last saved state is from before."""


class Run:
    """A training run in a folder: run.json, state.safetensors, checkpoint/, metrics.jsonl, tensorboard/, curves.png.

    Args:
        config: what to do. With `resume` it must be that of the run, but for what is `CHANGEABLE`.
        folder: where the run lives.
        resume: go on from the state in `folder`.
        game: what is played, where it is none that `config.game` can name.
        processes: those that train together, each with an equal part of the workers; what becomes of it is the same
            as in one process. The first one evaluates, writes and reports.

    Raises:
        ValueError: there is a run already, or none to go on with, or not one of these settings; a damaged one; an
            unknown game, option or player; something in the place of a file of the run; more games and steps than the
            machine has memory for. Nothing in the folder is changed then.
    """

    def __init__(
        self,
        config: Config,
        folder: str | Path,
        resume: bool = False,
        game: Game | None = None,
        processes: Processes = ALONE,
    ):
        self.config, self.folder, self.processes = config, Path(folder), processes
        if config.workers % processes.count:
            raise ValueError(f"workers must be a multiple of the {processes.count} processes, not {config.workers}")
        if resume and (changed := [n for n in differences(config, resume_config(folder)) if n not in CHANGEABLE]):
            raise ValueError(
                f"{folder} cannot go on with another {', '.join(changed)}; what may change is "
                f"{', '.join(sorted(CHANGEABLE))}"
            )
        self.game = game or make_game(config.game, **config.options)
        self.judges = find_judges(self.game, config)
        device = find_device(config.device, processes.local_rank)
        check_folder(self.folder)
        check_memory(self.game, config, processes)
        self.state = self.folder / "state.safetensors"
        if self.state.exists() and not resume:
            raise ValueError(f"{folder} holds a run already: go on with --resume, or choose another folder with --out")
        if (self.folder / "checkpoint" / "config.json").exists() and not resume:
            raise ValueError(f"{folder} holds an agent already: choose another folder with --out")
        torch.manual_seed(config.seed)
        with one_thread():
            network = make_network(self.game, config.network).to(device)
        ppo, workers = config.ppo, config.workers // processes.count
        self.learner = Learner(network, ppo, workers, config.seed, processes)
        self.pool = Pool(self.game, config.opponents)
        memory = new_memory(self.game, [from_network(self.game, network), *self.pool.players.values()]).shape[2]
        self.rollouts = [
            Rollout(
                self.game,
                ppo.games // config.workers,
                ppo.steps,
                TRAINING_DEALS + config.seed * 1000 + k,
                config.opponents.share,
                memory,
            )
            for k in range(processes.rank * workers, (processes.rank + 1) * workers)
        ]
        self._stopping = False
        self.progress: dict[str, Any] = {"decisions": 0, "seconds": 0.0}
        self._earlier: list[dict[str, Any]] = []
        if resume:
            state = read_state(self.state)
            self._check_settings(state)
            self.progress = load_state(state, self.learner, self.rollouts, self.pool)
            saved = state.facts.get("metrics") if state.vouched else None
            self._earlier = read_metrics(self.folder, self.progress["decisions"], saved)
        self.folder.mkdir(parents=True, exist_ok=True)  # last, so that whoever stops it before leaves nothing
        processes.gather(None)  # nobody goes on, and writes, before all have looked

    def _check_settings(self, state: State) -> None:
        """StateError if settings that decide what the run has become are not those that the state was saved with."""
        if not state.vouched:
            return
        saved = from_mapping(Config, state.facts["config"])
        if changed := [name for name in differences(self.config, saved) if name not in CHANGEABLE]:
            raise StateError(
                f"{self.folder / RUN} is damaged or of a run with other settings: {state.path.name} was saved with "
                f"another {', '.join(changed)}"
            )

    def train(self) -> ActorCritic:
        """Trains to the end and returns the policy to ship, the mean of the weights. Ctrl-C or SIGTERM saves and raises
        KeyboardInterrupt; from there, or from the last saved state after a kill, `resume` goes on. The workers' threads
        end with it, so another `Run` is needed to go on.

        Raises:
            ValueError: another process trains in this folder.
            Diverged: the losses are no numbers any more.
            OSError: the disk is full, say; the last state that was saved is whole.
        """
        with only_one(self.folder) if self.processes.first else nullcontext():
            return self._train()

    def _train(self) -> ActorCritic:
        config, learner, progress = self.config, self.learner, self.progress
        handlers = catch_signals(self._stop_soon)
        try:
            with one_thread(), self._report() as report:  # each worker is one thread
                if learner.updates == 0:
                    self.save()  # so that a kill at any moment leaves something to go on from
                else:
                    self._save_agent()  # which is older than the state after a kill between the two
                saved = evaluated = time.monotonic()
                while progress["decisions"] < config.decisions:
                    before = progress["decisions"]
                    metrics = self._update()
                    now = time.monotonic()
                    over = progress["decisions"] >= config.decisions
                    half = before < config.decisions / 2 <= progress["decisions"]
                    # The clock of the first process counts for all, and a signal to any.
                    wishes = self.processes.gather(
                        (self._stopping, now - evaluated >= config.evaluate_every, now - saved >= config.save_every)
                    )
                    stop = any(wish[0] for wish in wishes)
                    if over or half or wishes[0][1] or learner.updates == 1:
                        metrics |= self._evaluate()
                        evaluated = time.monotonic()
                    if report:
                        report.add(metrics)
                    if stop or over or wishes[0][2]:
                        self.save()
                        saved = time.monotonic()
                    if stop:
                        raise KeyboardInterrupt
                if report:
                    report.plot()
                    report.summarise(progress["decisions"], progress["seconds"])
        finally:
            learner.pool.shutdown(cancel_futures=True)
            for number, handler in handlers.items():
                signal.signal(number, handler)
        return learner.ema

    def _stop_soon(self, *_: object) -> None:
        """Ends the run after the update that is being made, since a state from its middle could not be gone on from; a
        second signal ends it at once, without saving."""
        if self._stopping:
            raise KeyboardInterrupt("stopped at once, without saving; the last saved state is whole")
        self._stopping = True

    def _report(self) -> AbstractContextManager[Report | None]:
        if not self.processes.first:
            return nullcontext()
        return Report(self.folder, self.config.decisions, self.progress["decisions"], self._earlier)

    def save(self) -> None:
        """Writes the settings, the state to go on from and the checkpoint of the policy; all processes take part."""
        config = dataclasses.asdict(self.config)
        more: dict[str, Any] = {}
        if self.processes.first:
            write_whole(self.folder / RUN, json.dumps(config, indent=2) + "\n")
            more = {"config": config, "metrics": metrics_digest(self.folder)}
        save_state(self.state, self.learner, self.rollouts, self.pool, self.progress, more)
        self._save_agent()

    def _save_agent(self) -> None:
        """Writes the checkpoint of the policy."""
        if self.processes.first:
            extra = {"config": dataclasses.asdict(self.config), "seconds": round(self.progress["seconds"])}
            results = self.progress.get("results", {})
            save_checkpoint(
                self.folder / "checkpoint", self.game, self.learner.ema, self.progress["decisions"], results, extra
            )

    def _update(self) -> dict[str, Any]:
        """Plays, learns and returns the metrics."""
        config, learner, rollouts = self.config, self.learner, self.rollouts
        started = time.monotonic()
        if config.opponents.share > 0:
            if config.opponents.snapshots and learner.updates % config.opponents.snapshot_every == 0:
                self.pool.add_snapshot(learner.ema)
            playing = self.processes.gather({int(k) for rollout in rollouts for k in rollout.controller.flat})
            self.pool.forget(set().union(*playing))
            for rollout in rollouts:
                rollout.seat_opponents(self.pool)
        learner.play(rollouts)
        results = self.processes.gather([rollout.pop_results() for rollout in rollouts])
        self.pool.take(result for part in results for result in part)
        if not sum(self.processes.gather(sum(int(rollout.valid.sum()) for rollout in rollouts))):
            raise ValueError(
                f"in {config.ppo.games} games x {config.ppo.steps} decisions the outcome of none that the network took "
                "is known, for no game ended and no seat was asked again: raise ppo.steps"
            )
        parts = learner.update(rollouts, 1 - self.progress["decisions"] / config.decisions)
        if not all(map(isfinite, parts.values())):
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
            **parts,
            **self._won_at_tables(),
        }

    def _won_at_tables(self) -> dict[str, float]:
        """The share won of late against each scripted opponent; one that is named twice has two numbers."""
        shares: dict[str, list[float]] = {}
        for number, bot in self.pool.bots.items():
            shares.setdefault(f"won_at_tables/{bot.name}", []).append(self.pool.share_won(number))
        return {name: sum(several) / len(several) for name, several in shares.items()}

    def _evaluate(self) -> dict[str, float]:
        """Win shares of the mean of the weights, which play as the config says; the first process finds out."""
        if not self.judges or not self.processes.first:
            return {}
        step = self.progress["decisions"]
        shares, self.progress["results"] = win_shares(self.game, self.learner.ema, self.judges, self.config, step)
        return shares


def find_judges(game: Game, config: Config) -> list[Player]:
    """Those whom a run evaluates against. ValueError for a player who is not there, for two who are called alike, whose
    figures could not be told apart, and for a way to play that makes no sense."""
    temperature_of(config.evaluate_play)
    judges = named_players(game, config.evaluate_against, "evaluate_against")
    names = [judge.name for judge in judges]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"evaluate_against names two players called {twice[0]}: take one, or rename its folder")
    return judges


def win_shares(
    game: Game, network: ActorCritic, judges: Sequence[Player], config: Config, step: int
) -> tuple[dict[str, float], dict[str, Any]]:
    """How the network does against the judges, playing as the config says: as metrics, and as a checkpoint keeps it,
    with the decisions trained on by then, since the weights that it keeps may have learned on."""
    player = from_network(game, network, config.evaluate_play)
    results = evaluate(game, player, judges, config.evaluate_games, seed=config.seed)
    shares = {WIN + result.opponent: result.win_share for result in results}
    return shares, {"step": step, "play": config.evaluate_play, "games": config.evaluate_games, **shares}


def check_folder(folder: Path) -> None:
    """ValueError if a run cannot write its files into `folder`, for something else is in the place of one."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is no folder")
    for file in (folder / name for name in FILES):
        if (file.exists() or file.is_symlink()) and not file.is_file():
            raise ValueError(f"{file} is no file, but the run writes one of that name: move it away")
    board = folder / "tensorboard"
    if (board.exists() or board.is_symlink()) and not board.is_dir():
        raise ValueError(f"{board} is no folder, but the run writes one of that name: move it away")
    check_place(folder / "checkpoint")


def check_memory(game: Game, config: Config, processes: Processes = ALONE) -> None:
    """ValueError if what the games of an update take alone is more than this machine's memory."""
    ppo = config.ppo
    decision = 4 * game.num_features + game.num_actions + 4 * game.num_players + 28  # what `Rollout` holds of each
    need = ppo.games * (ppo.steps * decision + game.state_dtype.itemsize) // processes.count
    try:
        have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not known here
        return
    if need > have:
        raise ValueError(
            f"ppo.games {ppo.games} x ppo.steps {ppo.steps} take {need / 2**30:,.0f} GiB, and this machine has "
            f"{have / 2**30:,.0f}: lower one of them"
        )


def resume_config(folder: str | Path) -> Config:
    """The config of the run in `folder`; ValueError, of one line, if there is none."""
    path = Path(folder) / RUN
    try:
        values = json.loads(read_file(path, MAX_RUN_BYTES))
        if not isinstance(values, dict):
            raise ValueError("it holds no mapping")
        return from_mapping(Config, values)
    except OSError as error:
        raise ValueError(f"{folder} holds no run to go on with: {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged or no config of a run: {one_line(error, 300)}") from error


def train(config: Config, folder: str | Path, resume: bool = False, game: Game | None = None) -> ActorCritic:
    """Makes a `Run` and trains it to the end."""
    return copy.deepcopy(Run(config, folder, resume, game).train())


def catch_signals(handler: Any) -> dict[int, Any]:
    """Puts `handler` in the place of those of Ctrl-C and SIGTERM, which it returns; none outside the main thread."""
    try:
        return {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    except ValueError:
        return {}
