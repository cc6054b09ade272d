"""The games for stable-baselines3 (extra `sb3`).

- `SelfPlayVecEnv` with `PerSeatRolloutBuffer`: the stock MaskablePPO of sb3-contrib learns all seats of a game, and
  each decision gets the credit of its own seat.
- `LearnerSeatVecEnv`: one seat against given players, for any algorithm of stable-baselines3 that supports masks.
- `actor_critic_kwargs` and `to_actor_critic`: convert policies to this package's checkpoints.
"""

try:
    import sb3_contrib  # noqa: F401
except ImportError as error:
    what = "spygames_training.bridges.sb3 needs stable-baselines3: pip install 'spygames[sb3]' (in a clone: '.[sb3]')"
    raise ImportError(f"{what}. {error}", name=error.name) from error

from spygames_training.bridges.sb3.buffer import PerSeatRolloutBuffer
from spygames_training.bridges.sb3.policy import actor_critic_kwargs, to_actor_critic
from spygames_training.bridges.sb3.vec_env import LearnerSeatVecEnv, SelfPlayVecEnv

__all__ = ["LearnerSeatVecEnv", "PerSeatRolloutBuffer", "SelfPlayVecEnv", "actor_critic_kwargs", "to_actor_critic"]
