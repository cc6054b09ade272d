"""The games and agents in other libraries: `rllib`, `sb3` (stable-baselines3), `torchrl`, and Ray Train (`ray_train`).

Each of these needs its extra: pip install 'spygames[sb3]'. Importing this package imports none of them. The private
modules choose where a command's games are played (`executors`), and play them on a Ray cluster (`ray_tasks`).
"""
