"""The rollout buffer that gives every decision the credit of its own seat."""

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
    """A MaskableRolloutBuffer for `SelfPlayVecEnv`: each seat's own decisions form its trajectory, and a reward reaches
    the seat it belongs to, whoever moved last (`spygames_training.ppo.gae.per_seat_gae`).

    A seat's last decision before the rollout ends in mid-game, whose outcome is not known, is not learned from; nor
    are, in each pass, the decisions that no longer fill a minibatch. A game that was cut off counts as one that has
    ended: no value is put in the place of its result.

    Args:
        env: the SelfPlayVecEnv that is learned from, wrapped or not; the others as of MaskableRolloutBuffer.
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
            raise ValueError(f"env has {games.num_envs} games, but {n_envs} are learned from: name the same env twice")
        self.env = games
        games.paid_is_read = True
        super().__init__(buffer_size, observation_space, action_space, device, gae_lambda, gamma, n_envs)

    def reset(self) -> None:
        """Begins a rollout with the next step of the environment."""
        super().reset()
        size = (self.buffer_size, self.n_envs)
        self.seats = np.zeros(size, np.int8)
        self.paid = np.zeros((*size, self.env.game.num_players), np.float32)
        self.ended = np.zeros(size, np.bool_)
        self.valid = np.zeros(size, np.bool_)
        self._steps = self.env.steps

    def add(self, obs: VecEnvObs, *args: object, action_masks: np.ndarray | None = None, **kwargs: object) -> None:
        """Notes the step that the environment has just made; the arguments are those of MaskableRolloutBuffer.

        RuntimeError if it is not the environment that was named, or was stepped elsewhere, too, or if something
        between it and the algorithm changes observations.
        """
        self._steps += 1
        if self.env.steps != self._steps:
            raise RuntimeError(
                "the buffer's env is not the one that is learned from, or somebody else has stepped it: give the same "
                "env twice, also to MaskablePPO.load(path, env=env, rollout_buffer_kwargs={'env': env})"
            )
        if self.pos == 0 and not (isinstance(obs, np.ndarray) and np.array_equal(obs, self.env.seen)):
            raise RuntimeError(
                "something changes observations on their way from SelfPlayVecEnv: no VecNormalize can stand between"
            )
        self.seats[self.pos], self.paid[self.pos] = self.env.decided, self.env.paid
        self.ended[self.pos] = self.env.ended
        super().add(obs, *args, action_masks=action_masks, **kwargs)

    def compute_returns_and_advantage(self, last_values: torch.Tensor, dones: np.ndarray) -> None:
        """Advantages along each seat's own decisions. Both arguments are those of one trajectory a game: not used."""
        scratch = np.zeros((4, self.env.game.num_players), np.float32)
        played = Played(self.paid, self.ended, self.seats, self.values)
        estimates = Estimates(self.advantages, self.valid)
        per_seat_gae(played, float(self.gamma), float(self.gae_lambda), estimates, scratch)
        self.returns = self.advantages + self.values

    def get(self, batch_size: int | None = None) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Minibatches in random order of the decisions whose outcome is known."""
        if not self.full:
            raise RuntimeError("the rollout is not complete")
        if not self.generator_ready:
            keep = np.flatnonzero(self.valid.reshape(-1))
            if len(keep) < 2:
                raise ValueError("in no game is anything known to come of a decision: n_steps is too small")
            for name in _LEARNED:
                array = getattr(self, name)
                setattr(self, name, array.reshape(array.shape[0] * array.shape[1], -1)[keep])
            self.generator_ready = True
        count = len(self.actions)
        size = min(batch_size or count, count)
        order = np.random.permutation(count)
        for start in range(0, count - size + 1, size):
            yield self._get_samples(order[start : start + size])
