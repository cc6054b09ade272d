"""Games in lockstep, where the contract test does not say it already (it shows that they equal single games)."""

import numpy as np
import pytest

from spygames import make_batch, make_game
from spygames.core.batch import Batch, spread
from spygames.core.game import NOBODY, IllegalAction

GAME = make_game("agent_avenue_v0")
N = 700


def step(batch: Batch, steps: int) -> None:
    for i in range(steps):
        batch.step(np.array([np.flatnonzero(mask)[i % mask.sum()] for mask in batch.mask]))


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_threads_do_not_matter(threads: int) -> None:
    one, many = Batch(GAME, N, 5, threads=1), Batch(GAME, N, 5, threads=threads)
    for _ in range(30):
        step(one, 1)
        step(many, 1)
        for name in ("states", "observation", "mask", "rewards", "done", "seeds"):
            assert getattr(one, name).tobytes() == getattr(many, name).tobytes()


def test_rows_differ_and_seeds_repeat() -> None:
    batch = Batch(GAME, N, 5)
    assert len({state.tobytes() for state in batch.states}) == N
    assert batch.states.tobytes() == Batch(GAME, N, 5).states.tobytes()
    assert batch.states.tobytes() != Batch(GAME, N, 6).states.tobytes()
    assert Batch(GAME, 2).states.tobytes() != Batch(GAME, 2).states.tobytes()
    assert batch.seeds.tolist() == spread(np.uint64(5), N).tolist()


def test_games_restart_by_themselves() -> None:
    batch = Batch(GAME, N, 5)
    ended = np.zeros(N, int)
    for _ in range(80):
        step(batch, 1)
        ended += batch.done
        assert (np.abs(batch.rewards).sum(1) > 0).tolist() == batch.done.tolist()
        assert not batch.rewards.sum(1).any()
        assert (batch.seats != NOBODY).all()
        assert (batch.states["turn"][batch.done] == 1).all()
        assert batch.mask.any(1).all()
    assert (ended > 0).all()


def test_callers_own_the_buffers() -> None:
    buffers = {
        "observation": np.zeros((N, GAME.num_features), np.float32),
        "mask": np.zeros((N, GAME.num_actions), np.int8),
        "rewards": np.zeros((N, 2), np.float32),
        "done": np.zeros(N, np.bool_),
    }
    batch = make_batch("agent_avenue_v0", N, seed=5, **buffers)
    for name, buffer in buffers.items():
        assert getattr(batch, name) is buffer
    step(batch, 40)
    assert all(buffer.any() for buffer in buffers.values())
    plain = Batch(GAME, N, 5)
    step(plain, 40)
    assert plain.observation.tobytes() == buffers["observation"].tobytes()


def test_further_buffers() -> None:
    """As a trainer's rollout takes them: one row of a bigger array a step."""
    batch, plain = Batch(GAME, N, 5), Batch(GAME, N, 5)
    observations = np.zeros((3, N, GAME.num_features), np.float32)
    masks = np.zeros((3, N, GAME.num_actions), np.int8)
    for observation, mask in zip(observations, masks, strict=True):
        actions = batch.mask.argmax(1)
        batch.write_to(observation, mask)
        batch.step(actions)
        plain.step(actions)
        assert observation.tobytes() == plain.observation.tobytes()
        assert mask.tobytes() == plain.mask.tobytes()
        assert batch.observation is observation


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="at least one game"):
        Batch(GAME, 0)
    with pytest.raises(ValueError, match="threads"):
        Batch(GAME, 2, threads=0)
    strided = np.zeros((N, GAME.num_features * 2), np.float32)[:, ::2]
    for wrong in (np.zeros((N, 3), np.float32), np.zeros((N, GAME.num_features)), strided):
        with pytest.raises(ValueError, match="observation must be a writeable C-contiguous float32"):
            Batch(GAME, N, observation=wrong)
    batch = Batch(GAME, 3, 1)
    for malformed in (
        np.zeros(2, int),
        np.zeros((3, 1), int),
        batch.mask.argmax(1) + 0.5,
        np.zeros(3, bool),
        [None] * 3,
    ):
        with pytest.raises(IllegalAction, match="actions must be whole numbers of shape"):
            batch.step(np.asarray(malformed))
    with pytest.raises(IllegalAction, match="in game 1"):
        batch.step(np.array([batch.mask[0].argmax(), 99, batch.mask[2].argmax()]))


def test_restart_from_given_seeds() -> None:
    batch = Batch(GAME, 3, 1)
    batch.reset(seeds=np.array([7, 8, 2**64 - 1], np.uint64))
    for state, seed in zip(batch.states, (7, 8, 2**64 - 1), strict=True):
        assert state.tobytes() == GAME.start(seed).tobytes()
    with pytest.raises(ValueError, match="seeds"):
        batch.reset(seeds=np.zeros(2, np.uint64))
