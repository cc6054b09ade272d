"""The games and agents in other libraries: `rllib`, `sb3` (stable-baselines3), `torchrl`, and Ray Train (`ray_train`).

Each module needs an extra: pip install 'spygames[sb3]'. Importing this package imports none of these libraries. Two
private modules choose where a command's tasks are computed (`executors`) and compute them on Ray (`ray_tasks`).
"""
