"""The games and agents in other libraries: `rllib`, `sb3` (stable-baselines3), `torchrl`, and Ray Train (`ray_train`).

Each module needs its extra: pip install 'spygames[sb3]'. Importing this package imports none of them.
"""
