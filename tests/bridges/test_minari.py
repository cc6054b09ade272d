"""Minari's collector records the environments of one seat, and its datasets have the games that were played."""

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import spygames  # noqa: F401  (registers the environments)

minari = pytest.importorskip("minari", reason="minari is not installed: make test-bridges")

IDS = ("spygames/AgentAvenue-v0", "spygames/Heimlich-v0", "spygames/AgentDog-v0")
EPISODES = 3


def played(env: Any, seed: int) -> tuple[list[Any], list[int], list[float]]:
    """Play an episode with random legal actions; return its observations, actions and rewards."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    observations, actions, rewards, over = [observation], [], [], False
    while not over:
        actions.append(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        observation, reward, terminated, truncated, info = env.step(actions[-1])
        observations.append(observation)
        rewards.append(float(reward))
        over = terminated or truncated
    return observations, actions, rewards


@pytest.mark.parametrize("name", IDS)
def test_a_dataset_of_minari_has_the_games_that_were_played(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    options: dict[str, Any] = {"max_turns": 40} if "Dog" in name else {}
    plain = gymnasium.make(name, opponents="random", **options)
    wanted = [played(plain, seed) for seed in range(EPISODES)]
    collector = minari.DataCollector(gymnasium.make(name, opponents="random", **options), record_infos=True)
    assert [played(collector, seed)[1:] for seed in range(EPISODES)] == [each[1:] for each in wanted]
    collector.create_dataset(dataset_id="spygames/random-v0")
    collector.close()
    dataset = minari.load_dataset("spygames/random-v0")
    assert dataset.total_episodes == EPISODES
    for episode, (observations, actions, rewards) in zip(dataset.iterate_episodes(), wanted, strict=True):
        assert episode.actions.tolist() == actions
        assert episode.rewards.tolist() == pytest.approx(rewards, abs=1e-6)
        assert [*episode.terminations].count(True) + [*episode.truncations].count(True) == 1
        assert len(observations) == len(actions) + 1
        for key, found in columns(episode.observations).items():
            assert np.array_equal(found, np.stack([columns(each)[key] for each in observations])), key
        masks = np.asarray(episode.infos["action_mask"])
        assert masks[np.arange(len(actions)), actions].all()
    recovered = dataset.recover_environment()
    assert recovered.spec is not None
    assert played(recovered, 0)[1] == wanted[0][1]


def columns(observation: Any) -> dict[str, np.ndarray]:
    return dict(observation) if isinstance(observation, dict) else {"": np.asarray(observation)}
