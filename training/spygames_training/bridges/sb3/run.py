"""Train with the stock MaskablePPO of sb3-contrib, one policy in all seats, from the same config as other runs."""

import dataclasses
import math
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from spygames import Game, make_game
from spygames_training import PPO, ActorCritic, Config, Diverged, save_checkpoint
from spygames_training.bridges.sb3.buffer import PerSeatRolloutBuffer
from spygames_training.bridges.sb3.policy import actor_critic_kwargs, to_actor_critic
from spygames_training.bridges.sb3.vec_env import SelfPlayVecEnv
from spygames_training.files.atomic import only_one
from spygames_training.networks.device import find_device, float32_by_default, usual_torch
from spygames_training.ppo.learner import scheduled
from spygames_training.ppo.rollout import check_memory
from spygames_training.runs.evaluations import evaluation_opponents, win_shares
from spygames_training.runs.folder import check_folder
from spygames_training.runs.loop import signals_to
from spygames_training.runs.report import Report
from spygames_training.runs.run import LOWER
from spygames_training.system.compat import updates_made

UNUSED = ("kl", "kl_end", "reference_every", "reference_ema", "ema", "belief_weight")
"""Settings of `PPO` that MaskablePPO does not have: of the reference policy, the mean of the weights, and beliefs."""

METRICS = {
    "policy_loss": ("train/policy_gradient_loss", 1.0),
    "value_loss": ("train/value_loss", 1.0),
    "entropy": ("train/entropy_loss", -1.0),
    "kl_to_reference": ("train/approx_kl", 1.0),
    "clipped": ("train/clip_fraction", 1.0),
    "explained_variance": ("train/explained_variance", 1.0),
}
"""This package's names of MaskablePPO's metrics, with a factor. `approx_kl` is relative to the policy that played."""


def check(config: Config) -> None:
    """Raise ValueError for a setting that MaskablePPO would ignore."""
    usual = PPO()
    for name in UNUSED:
        value = getattr(config.ppo, name)
        if value not in (getattr(usual, name), 0):
            raise ValueError(f"ppo.{name} has no counterpart in MaskablePPO: leave it out (it is {value})")
    for name, value, right in (
        ("network.kind", config.network.kind, "mlp"),
        ("network.critic", config.network.critic, "own"),
        ("network.values", config.network.values, "one"),
        ("network.belief", config.network.belief, "none"),
        ("ppo.credit", config.ppo.credit, "seat"),
        ("start_from", config.start_from, ""),
    ):
        if value != right:
            raise ValueError(f"with maskable_ppo {name} must be {right or 'left out'}, not {value}")
    if config.ppo.precision == "bfloat16":
        raise ValueError("MaskablePPO computes in float32: ppo.precision must be auto or float32")
    if config.opponents.share > 0:
        raise ValueError("with maskable_ppo opponents.share must be 0: all seats of all games learn")


def maskable_ppo(config: Config, game: Game) -> MaskablePPO:
    """Make the stock algorithm over all seats of `game`, with the settings that have a counterpart; see `check`.

    The learning rate follows `ppo.decay`, and the clip range is constant. The entropy's weight is that of the start of
    the run; `MaskableRun` lowers it.
    """
    check(config)
    ppo = config.ppo
    env = SelfPlayVecEnv(game, ppo.games, config.seed, ppo.reward_scale)

    def learning_rate(progress_remaining: float) -> float:
        return scheduled(ppo.learning_rate, ppo.learning_rate_end, max(0.0, progress_remaining), ppo.decay)

    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=learning_rate,
        n_steps=ppo.steps,
        batch_size=ppo.minibatch,
        n_epochs=ppo.epochs,
        gamma=ppo.gamma,
        gae_lambda=ppo.lam,
        clip_range=ppo.clip,
        ent_coef=ppo.entropy,
        vf_coef=ppo.value_weight / 2,  # MaskablePPO uses the squared error, this package's loss half of it
        max_grad_norm=ppo.max_grad_norm,
        rollout_buffer_class=PerSeatRolloutBuffer,
        rollout_buffer_kwargs={"env": env},
        policy_kwargs=actor_critic_kwargs(config.network.hidden),
        seed=config.seed,
        device=find_device(config.device, 0, lambda: False),  # stable-baselines3 advises against GPUs for MLPs
    )


class _GlobalGenerators:
    """The process's random generators (of `random`, NumPy and torch), which stable-baselines3 seeds and draws from."""

    def __init__(self) -> None:
        self._own: Any = None

    @contextmanager
    def used(self) -> Iterator[None]:
        """Resume the generators where the last such context left them; restore the outer state on exit."""
        outside = self._states()
        if self._own is not None:
            self._set(self._own)
        try:
            yield
        finally:
            self._own = self._states()
            self._set(outside)

    @staticmethod
    def _states() -> Any:
        gpus = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
        return random.getstate(), np.random.get_state(), torch.get_rng_state(), gpus

    @staticmethod
    def _set(states: Any) -> None:
        python, numpy, cpu, gpus = states
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(cpu)
        if gpus:
            torch.cuda.set_rng_state_all(gpus)


class MaskableRun:
    """A run in a folder: checkpoint/, metrics.jsonl, tensorboard/, curves.png and summary.json, as in `Run`.

    It cannot be resumed; the checkpoint holds the config. `workers` is the number of torch's threads.

    Args:
        config: the settings; ValueError for those that MaskablePPO does not have (`check`).
        folder: of the run.
        game: the game to play, if `config.game` cannot name it.
    """

    def __init__(self, config: Config, folder: str | Path, game: Game | None = None):
        self.config, self.folder = config, Path(folder)
        self.game = game or make_game(config.game, **config.options)
        self.evaluation_opponents = evaluation_opponents(self.game, config)
        self._check_unused()
        check_folder(self.folder)
        check_memory(self.game, config)
        self._generators = _GlobalGenerators()
        with self._generators.used(), float32_by_default(), usual_torch():
            self.model = maskable_ppo(config, self.game)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.results: dict[str, Any] = {}

    def _check_unused(self) -> None:
        for name in ("state.safetensors", "checkpoint"):
            if (self.folder / name).exists():
                raise ValueError(f"{self.folder} already holds a run: choose another folder (--out)")

    def train(self) -> ActorCritic:
        """Train to the end and return the policy. Ctrl-C or SIGTERM saves and raises KeyboardInterrupt.

        Raises:
            ValueError: another process trains in this folder, or has trained in it since this object was made.
            Diverged: a loss is not finite; the last checkpoint is older and intact.
        """
        with only_one(self.folder), self._generators.used(), float32_by_default(), usual_torch():
            self._check_unused()
            return self._train()

    def _train(self) -> ActorCritic:
        threads = torch.get_num_threads()
        torch.set_num_threads(self.config.workers)
        try:
            with Report(self.folder, self.config.whole_updates, play=self.config.evaluate_play) as report:
                callback = _Updates(self, report)
                with signals_to(callback.stop_soon):
                    self.model.learn(self.config.decisions, callback, log_interval=10**9)
                self.save(callback.seconds)
                if callback.stopping:
                    raise KeyboardInterrupt
                report.plot()
                report.summarize(self.model.num_timesteps, callback.seconds)
        finally:
            torch.set_num_threads(threads)
        return to_actor_critic(self.model.policy)

    def save(self, seconds: float) -> None:
        """Write the checkpoint; `seconds` is the time spent training."""
        extra = {"algorithm": "maskable_ppo", "config": dataclasses.asdict(self.config), "seconds": round(seconds)}
        network = to_actor_critic(self.model.policy)
        save_checkpoint(self.folder / "checkpoint", self.game, network, self.model.num_timesteps, self.results, extra)

    def evaluate(self) -> dict[str, float]:
        """Return the win shares of the current policy, playing as the config says."""
        if not self.evaluation_opponents:
            return {}
        network = to_actor_critic(self.model.policy)
        shares, self.results = win_shares(
            self.game, network, self.evaluation_opponents, self.config, self.model.num_timesteps
        )
        return shares


class _Updates(BaseCallback):
    """Reports, evaluates and saves between two updates, and lowers the entropy's weight."""

    def __init__(self, run: MaskableRun, report: Report):
        super().__init__()
        self.run, self.report = run, report
        self.stopping = False
        self.seconds = 0.0
        self._updates = 0
        self._decisions = 0
        self._evaluated = self._saved = self._started = time.monotonic()

    def stop_soon(self, *_: object) -> None:
        """End the run before the next decision; a second signal ends it at once, without saving."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping = True

    def _on_step(self) -> bool:
        return not self.stopping

    def _on_rollout_start(self) -> None:
        self._after_update()
        ppo = self.run.config.ppo
        left = max(0.0, 1 - self.num_timesteps / self.run.config.decisions)
        self.run.model.ent_coef = scheduled(ppo.entropy, ppo.entropy_end, left, ppo.decay)

    def _on_training_end(self) -> None:
        self._after_update()

    def _after_update(self) -> None:
        """Report, evaluate and save if an update has ended. This time is not counted in `seconds`."""
        model, config = self.run.model, self.run.config
        if updates_made(model) > self._updates:
            self._updates = updates_made(model)
            now = time.monotonic()
            taken = now - self._started
            self.seconds += taken
            metrics: dict[str, Any] = {
                "decisions": model.num_timesteps,
                "seconds": self.seconds,
                "decisions_per_second": (model.num_timesteps - self._decisions) / max(taken, 1e-9),
            }
            for name, (theirs, factor) in METRICS.items():
                metrics[name] = float(self.logger.name_to_value[theirs]) * factor
            if math.isnan(metrics["explained_variance"]):  # all returns of this update were equal
                metrics["explained_variance"] = 0.0
            if not all(math.isfinite(metrics[name]) for name in METRICS):
                raise Diverged(f"a loss is not finite after {model.num_timesteps:,} decisions; {LOWER}")
            over = model.num_timesteps >= config.decisions
            first = self._decisions == 0
            half = self._decisions < config.decisions / 2 <= model.num_timesteps
            self._decisions = model.num_timesteps
            if over or half or first or now - self._evaluated >= config.evaluate_every:
                metrics |= self.run.evaluate()
                self._evaluated = time.monotonic()
            self.report.add(metrics)
            if first or now - self._saved >= config.save_every:
                self.run.save(self.seconds)
                self._saved = time.monotonic()
        self._started = time.monotonic()
