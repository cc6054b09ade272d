"""The games for stable-baselines3 (the extra `sb3`; nothing outside of this folder imports it).

`SelfPlayVecEnv` with `PerSeatRolloutBuffer` makes the stock MaskablePPO of sb3-contrib learn all seats of a game, each
decision with its own seat's credit. `LearnerSeatVecEnv` is one seat against players that you name, for any algorithm of
stable-baselines3 that takes masks. `actor_critic_kwargs` and `to_actor_critic` lead to this package's checkpoints.
"""

from spygames_training.bridges.sb3.buffer import PerSeatRolloutBuffer
from spygames_training.bridges.sb3.policy import actor_critic_kwargs, to_actor_critic
from spygames_training.bridges.sb3.vec_env import LearnerSeatVecEnv, SelfPlayVecEnv

__all__ = ["LearnerSeatVecEnv", "PerSeatRolloutBuffer", "SelfPlayVecEnv", "actor_critic_kwargs", "to_actor_critic"]
