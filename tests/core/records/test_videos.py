"""Tools of other libraries that show and record environments; each test checks that the pictures change."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import HumanRendering
from gymnasium.wrappers import RecordVideo as RecordSingle
from pettingzoo.test.render_test import render_test
from pettingzoo.utils.wrappers.record_video import RecordVideo

import spygames
from spygames import agent_avenue_v0
from spygames.core.game.game import as_record

pytest.importorskip("moviepy")
imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg")


def frames(film: Path) -> list[np.ndarray]:
    """Return the pictures of an MP4 file."""
    reader = imageio_ffmpeg.read_frames(str(film))
    width, height = next(reader)["size"]
    return [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in reader]


def different(film: Path) -> int:
    """Return the number of pictures that differ from the one before by more than encoding noise."""
    shown = [frame.astype(np.int16) for frame in frames(film)]
    return sum(bool((np.abs(one - other) > 60).sum() > 20) for one, other in pairwise(shown))


def step_all(env: Any, steps: int) -> None:
    """Make a few decisions in an AEC environment."""
    for agent in env.agent_iter(steps):
        observation, _, terminated, truncated, _ = env.last()
        env.step(None if terminated or truncated else env.action_space(agent).sample(observation["action_mask"]))


def test_pettingzoo_records_videos(tmp_path: Path) -> None:
    env = RecordVideo(
        agent_avenue_v0.env(render_mode="rgb_array"), str(tmp_path / "new"), episode_trigger=lambda n: True
    )
    env.reset(seed=3)
    step_all(env, 5)
    env.close()
    (film,) = (tmp_path / "new").glob("*.mp4")
    assert len(frames(film)) == 6
    assert different(film) >= 2


def test_gymnasium_records_videos(tmp_path: Path) -> None:
    env = gymnasium.make("spygames/AgentAvenue-v0", render_mode="rgb_array", opponents="random")
    env = RecordSingle(env, str(tmp_path / "new"), episode_trigger=lambda n: True)
    _, info = env.reset(seed=3)
    for _ in range(4):
        *_, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        if terminated:
            break
    env.close()
    (film,) = (tmp_path / "new").glob("*.mp4")
    assert different(film) >= 2


def test_gymnasium_adds_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with pytest.warns(UserWarning, match="doesn't natively support"):
        env = gymnasium.make("spygames/AgentAvenue-v0", render_mode="human")
    assert isinstance(env, HumanRendering)
    _, info = env.reset(seed=3)
    seen = []
    for _ in range(2):
        env.render()
        seen.append(pygame.surfarray.array3d(pygame.display.get_surface()).tobytes())
        *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    env.close()
    assert seen[0] != seen[1]


def test_gymnasium_collects_pictures() -> None:
    env = gymnasium.make("spygames/AgentAvenue-v0", render_mode="rgb_array_list")
    _, info = env.reset(seed=3)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    frames: Any = env.render()
    assert [frame.shape for frame in frames] == [(600, 800, 3)] * 2


@pytest.mark.slow
def test_pettingzoo_accepts_all_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    make: Any = agent_avenue_v0.env
    render_test(make)


@pytest.mark.filterwarnings("ignore:action", "ignore:.*alternative render modes")
def test_gymnasium_accepts_all_modes() -> None:
    for mode in ("ansi", "rgb_array"):
        env = spygames.agent_avenue_v0.single_env(render_mode=mode, illegal="random")
        check_env(env)


# ---------------------------------------------------------------- stable-baselines3


def sb3(name: str) -> Callable[[], Any]:
    """Return a maker of one of the two vectorized environments, with three games."""
    vec_env = pytest.importorskip("spygames_training.bridges.sb3.vec_env")
    game = spygames.make_game("agent_avenue_v0")
    if name == "self-play":
        return lambda: vec_env.SelfPlayVecEnv(game, 3, by_hand=True, render_mode="rgb_array")
    return lambda: vec_env.LearnerSeatVecEnv(game, 3, render_mode="rgb_array")


@pytest.mark.parametrize("name", ["self-play", "learner"])
def test_stable_baselines3_records_videos(tmp_path: Path, name: str) -> None:
    env = sb3(name)()
    from stable_baselines3.common.vec_env import VecVideoRecorder

    recorder = VecVideoRecorder(env, str(tmp_path), lambda step: step == 0, video_length=3)
    recorder.seed(5)
    recorder.reset()
    for _ in range(4):
        recorder.step(np.array([np.flatnonzero(mask)[0] for mask in env.action_masks()]))
    recorder.close()
    (film,) = tmp_path.glob("*.mp4")
    assert frames(film)[0].shape == (600, 800, 3)  # four places of 400 x 300; one is empty
    assert different(film) >= 2


def test_stable_baselines3_shows_at_most_nine_games() -> None:
    vec_env = pytest.importorskip("spygames_training.bridges.sb3.vec_env")
    game = spygames.make_game("agent_avenue_v0")
    env = vec_env.LearnerSeatVecEnv(game, 20, seat=1, seed=1, render_mode="rgb_array")
    env.seed(1)
    env.reset()
    images = env.get_images()
    assert [image.shape for image in images] == [(300, 400, 3)] * 9
    one = agent_avenue_v0.env()
    one.reset(options={"state": game.state_to_dict(as_record(env.games.states))})
    assert np.array_equal(images[0], one.to_rgb("player_1", 400))
    assert env.render().shape == (900, 1200, 3)
    assert vec_env.SelfPlayVecEnv(game, 2).render_mode is None
    with pytest.raises(ValueError, match=r"render_mode must be one of .*, not 'human'"):
        vec_env.SelfPlayVecEnv(game, 2, render_mode="human")


def test_stable_baselines3_needs_no_extra_to_make_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("stable_baselines3")
    import sys

    from stable_baselines3.common.env_util import make_vec_env

    for name in ("resvg_py", "PIL", "pygame"):
        monkeypatch.setitem(sys.modules, name, None)
    env = make_vec_env("spygames/AgentAvenue-v0", n_envs=2)
    assert env.render_mode == "rgb_array"
    env.reset()
    with pytest.raises(gymnasium.error.DependencyNotInstalled, match="spygames\\[render\\]"):
        env.render()
