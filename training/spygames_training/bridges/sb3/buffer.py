"""A rollout buffer that gives every decision the credit of its own seat."""

from collections.abc import Generator

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer, MaskableRolloutBufferSamples
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs

from spygames_training import Estimates, Played, per_seat_gae
from spygames_training.bridges.sb3.vec_env import SelfPlayVecEnv

_LEARNED = ("observations", "actions", "values", "log_probs", "advantages", "returns", "action_masks")


class PerSeatRolloutBuffer(MaskableRolloutBuffer):
    """A MaskableRolloutBuffer for `SelfPlayVecEnv` with a trajectory for each seat.

    Example:
        >>> from sb3_contrib import MaskablePPO
        >>> from spygames import make_game
        >>> from spygames_training.bridges.sb3 import PerSeatRolloutBuffer, SelfPlayVecEnv
        >>> env = SelfPlayVecEnv(make_game("agent_avenue_v0"), 8, seed=1)
        >>> buffer = {"rollout_buffer_class": PerSeatRolloutBuffer, "rollout_buffer_kwargs": {"env": env}}
        >>> MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=32, **buffer).learn(256).num_timesteps
        256

    A reward counts for the seat that receives it, whichever seat moved last (`spygames_training.per_seat_gae`).
    Decisions without a known outcome are not learned from: a seat's last decision before the rollout ends in mid-game.
    In each pass, the last decisions that do not fill a minibatch are left out. A truncated game counts as ended: no
    value replaces its result.

    Args:
        env: the SelfPlayVecEnv to learn from, wrapped or not. All other arguments are those of MaskableRolloutBuffer.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        device: torch.device | str = "auto",
        gae_lambda: float = 1,
        gamma: float = 0.99,
        n_envs: int = 1,
        *,
        env: VecEnv,
    ):
        games = env.unwrapped
        if not isinstance(games, SelfPlayVecEnv):
            raise TypeError(f"env must be a SelfPlayVecEnv, not a {type(games).__name__}")
        if games.num_envs != n_envs:
            raise ValueError(
                f"env must have n_envs games: it has {games.num_envs}, not {n_envs}; pass the same env twice"
            )
        self.env = games
        games.paid_is_read = True
        super().__init__(buffer_size, observation_space, action_space, device, gae_lambda, gamma, n_envs)

    def reset(self) -> None:
        """Begin a rollout with the next step of the environment."""
        super().reset()
        size = (self.buffer_size, self.n_envs)
        self.seats = np.zeros(size, np.int8)
        self.paid = np.zeros((*size, self.env.game.num_players), np.float32)
        self.ended = np.zeros(size, np.bool_)
        self.valid = np.zeros(size, np.bool_)
        self._steps = self.env.steps

    def add(self, obs: VecEnvObs, *args: object, action_masks: np.ndarray | None = None, **kwargs: object) -> None:
        """Record the environment's last step; the arguments are those of MaskableRolloutBuffer.

        Raises:
            RuntimeError: the algorithm learns from another environment, the environment was stepped elsewhere, or a
                wrapper changes its observations.
        """
        self._steps += 1
        if self.env.steps != self._steps:
            raise RuntimeError(
                "the buffer's env must be the env that the algorithm learns from, and must not be stepped elsewhere: "
                "pass the same env twice, also to MaskablePPO.load(path, env=env, rollout_buffer_kwargs={'env': env})"
            )
        if self.pos == 0 and not (isinstance(obs, np.ndarray) and np.array_equal(obs, self.env.seen)):
            raise RuntimeError("a wrapper changes the observations of SelfPlayVecEnv: remove it (such as VecNormalize)")
        self.seats[self.pos], self.paid[self.pos] = self.env.decided, self.env.paid
        self.ended[self.pos] = self.env.ended
        super().add(obs, *args, action_masks=action_masks, **kwargs)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray) -> None:
        """Estimate advantages along each seat's own decisions. The arguments, which ignore seats, are not used."""
        scratch = np.zeros((4, self.env.game.num_players), np.float32)
        played = Played(self.paid, self.ended, self.seats, self.values)
        estimates = Estimates(self.advantages, self.valid)
        per_seat_gae(played, float(self.gamma), float(self.gae_lambda), estimates, scratch)
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield minibatches of the decisions with known outcomes, in random order."""
        if not self.full:
            raise RuntimeError("the rollout is not complete")
        if not self.generator_ready:
            keep = np.flatnonzero(self.valid.reshape(-1))
            if len(keep) < 2:
                raise ValueError("no decision in the rollout has a known outcome: increase n_steps")
            for name in _LEARNED:
                array = getattr(self, name)
                setattr(self, name, array.reshape(array.shape[0] * array.shape[1], -1)[keep])
            self.generator_ready = True
        count = len(self.actions)
        size = min(batch_size or count, count)
        order = np.random.permutation(count)
        for start in range(0, count - size + 1, size):
            yield self._get_samples(order[start : start + size])
