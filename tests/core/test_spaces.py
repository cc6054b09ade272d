"""The environments' action space draws as Gymnasium's does."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete

from spygames import agent_avenue_v0
from spygames.core.single import SingleEnv
from spygames.core.spaces import Actions


def both(n: int, **options: Any) -> tuple[Actions, Discrete]:
    return Actions(n, **options), Discrete(n, **options)


def mask_of(rng: np.random.Generator, n: int) -> np.ndarray:
    """None, one, few, many or all are legal; also as a part of a larger array."""
    mask = (rng.random((2, n)) < rng.choice([0, 1 / n, 0.2, 0.9, 1])).astype(np.int8)
    return (mask[0], mask.T.copy()[:, 0], mask[0, ::-1])[rng.integers(3)]


def ask(space: Discrete, what: int, mask: np.ndarray) -> Any:
    """One of the ways to sample."""
    if what < 6:
        return space.sample(mask)
    if what == 6:
        return space.sample(mask=mask)
    if what == 7:
        return space.sample()
    if what == 8:
        return space.sample(probability=np.full(mask.size, 1 / mask.size))
    return space.np_random.random()


@pytest.mark.parametrize("options", [{}, {"start": 5}, {"start": -3, "dtype": np.int32}, {"dtype": np.uint8}], ids=str)
def test_same_seed_and_calls_give_the_same(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 74, 255):
        for seed in range(5):
            ours, theirs = both(n, seed=seed, **options)
            for turn in range(300):
                mask, what = mask_of(rng, n), int(rng.integers(10))
                if turn == 150:
                    assert ours.seed(seed + 1) == theirs.seed(seed + 1)
                one, other = ask(ours, what, mask), ask(theirs, what, mask)
                assert one == other
                assert type(one) is type(other)
            assert ours.np_random.bit_generator.state == theirs.np_random.bit_generator.state


def test_rejected_bits_are_drawn_again() -> None:
    """Lemire's method refuses few bits where few actions are legal: here some that it refuses come first."""
    ours, theirs = both(3, seed=4)
    generator, draw, *others = ours._bind()
    refused = iter([0, 0, 0])
    ours._quick = (generator, lambda at: next(refused, None) or draw(at), *others)  # type: ignore[assignment]
    mask = np.ones(3, np.int8)
    draws = [int(ours.sample(mask)) for _ in range(20)]
    assert draws == [int(theirs.sample(mask)) for _ in range(20)]
    assert next(refused, "none is left") == "none is left"


def test_generators_can_be_put_in_place() -> None:
    mask = np.ones(9, np.int8)
    ours, theirs = both(9, seed=1)
    for seed in (3, 4):
        for space in (ours, theirs):
            space._np_random = np.random.Generator(np.random.MT19937(seed))
        assert [ours.sample(mask) for _ in range(20)] == [theirs.sample(mask) for _ in range(20)]
    state = ours.np_random.bit_generator.state
    first = [ours.sample(mask) for _ in range(20)]
    ours.np_random.bit_generator.state = state
    assert [ours.sample(mask) for _ in range(20)] == first
    assert len({Actions(10**6).sample(np.ones(10**6, np.int8)) for _ in range(5)}) > 1  # seeded by the system


@pytest.mark.parametrize(
    "mask",
    [
        [1, 0, 1],
        "101",
        np.ones(3),
        np.ones(3, np.bool_),
        np.ones(2, np.int8),
        np.ones((1, 3), np.int8),
        np.ones((3, 1), np.int8),
        np.array(1, np.int8),
        np.array([1, 0, 2], np.int8),
        np.array([0, 0, -1], np.int8),
    ],
    ids=str,
)
def test_wrong_masks_are_refused_alike(mask: Any) -> None:
    ours, theirs = both(3, seed=1)
    said = []
    for space in (ours, theirs):
        with pytest.raises(AssertionError) as error:
            space.sample(mask)
        said.append(str(error.value))
    assert said[0] == said[1]
    right = np.ones(3, np.int8)
    for space in (ours, theirs):
        with pytest.raises(ValueError, match="Only one of `mask` or `probability`"):
            space.sample(right, np.full(3, 1 / 3))
    assert ours.sample(right) == theirs.sample(right)


def test_is_a_discrete_in_everything_else() -> None:
    ours, theirs = both(7, seed=2)
    assert ours == theirs
    assert theirs == ours
    assert ours != Discrete(8)
    assert Discrete(7, start=1) != ours
    assert repr(ours) == repr(theirs) == "Discrete(7)"
    mask = np.ones(7, np.int8)
    ours.sample(mask)
    theirs.sample(mask)
    for other in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert type(other) is Actions
        assert other == ours
    for other in (copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):  # with a random stream of their own
        expected = copy.deepcopy(theirs)
        assert [other.sample(mask) for _ in range(9)] == [expected.sample(mask) for _ in range(9)]
    assert ours.np_random.bit_generator.state == theirs.np_random.bit_generator.state


def test_environments_have_it() -> None:
    env = agent_avenue_v0.env()
    assert type(env.action_space("player_1")) is Actions
    assert type(SingleEnv(env.game).action_space) is Actions
