"""The usual loop over a PettingZoo environment, of this package or another, with known or chosen actions."""

from typing import Any

from benchmarks.tools import Run, rate

GAMES, SEED = 50, 1
"""Number of recorded games that are replayed in turn, and the seed of the first."""


def aec_random(env: Any, seed: int | None = None) -> list[int]:
    """Play one game of any PettingZoo AEC environment by masked random actions in the usual loop; return them."""
    env.reset(seed=seed)
    actions = []
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            action = env.action_space(agent).sample(observation["action_mask"])
            actions.append(action)
            env.step(action)
    return actions


def aec_replay(env: Any, games: list[list[int]]) -> int:
    """Replay the games with known actions in the same loop, which measures only the environment."""
    decisions, seed = 0, SEED
    for actions in games:
        env.reset(seed=seed)
        seed = None  # the games that follow start from the environment's own random stream
        following = iter(actions)
        for _ in env.agent_iter():
            _, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
            else:
                env.step(next(following))
                decisions += 1
    return decisions


def replay(env: Any) -> Run:
    """Measure the replay of recorded games, resets included."""
    games = [aec_random(env, None if i else SEED) for i in range(GAMES)]
    if aec_replay(env, games) != sum(map(len, games)):
        raise RuntimeError("the same seed and actions gave different games")
    return rate(lambda: aec_replay(env, games))


def chosen(env: Any) -> Run:
    """Measure games with masked random choice, resets included."""
    aec_random(env, 0)
    return rate(lambda: len(aec_random(env)))
