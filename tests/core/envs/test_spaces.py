"""The action space of the environments: Gymnasium's `Discrete` with fast sampling from a mask."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Discrete

from spygames import agent_avenue_v0
from spygames.core.envs.single_seat import SingleEnv
from spygames.core.envs.spaces import Actions


@pytest.mark.parametrize("options", [{}, {"start": 5}, {"start": -3, "dtype": np.int32}, {"dtype": np.uint8}], ids=str)
def test_draws_are_legal_and_uniform(options: dict[str, Any]) -> None:
    space, legal = Actions(74, seed=1, **options), [0, 20, 33, 73]
    mask = np.zeros((74, 2), np.int8)
    mask[legal] = 1
    draws = [space.sample(part) for part in (mask[:, 0], mask[:, 1].copy()) for _ in range(1000)]
    values, counts = np.unique(draws, return_counts=True)
    assert values.tolist() == [space.start + action for action in legal]
    assert counts.min() > 430
    assert {type(draw) for draw in draws} == {type(Discrete(74, **options).sample(mask[:, 0].copy()))}
    assert space.sample(np.zeros(74, np.int8)) == space.start


def test_equal_seeds_draw_equal_actions() -> None:
    mask = np.ones(9, np.int8)
    space, other = Actions(9, seed=3), Actions(9)
    other.seed(3)
    twins = [other, copy.deepcopy(space), pickle.loads(pickle.dumps(space))]
    draws = [[each.sample(mask) for _ in range(20)] for each in (space, *twins)]
    assert draws == [draws[0]] * 4
    assert all(type(each) is Actions for each in twins)
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
def test_invalid_masks_give_the_errors_of_gymnasium(mask: Any) -> None:
    ours, theirs = Actions(3, seed=1), Discrete(3, seed=1)
    errors = []
    for space in (ours, theirs):
        with pytest.raises(AssertionError) as error:
            space.sample(mask)
        errors.append(str(error.value))
    assert errors[0] == errors[1]
    with pytest.raises(ValueError, match="Only one of `mask` or `probability`"):
        ours.sample(np.ones(3, np.int8), np.full(3, 1 / 3))


def test_everything_else_is_as_in_discrete() -> None:
    ours, theirs = Actions(7, seed=2), Discrete(7, seed=2)
    assert ours == theirs
    assert theirs == ours
    assert ours != Discrete(8)
    assert Discrete(7, start=1) != ours
    assert repr(ours) == repr(theirs) == "Discrete(7)"
    assert [ours.sample() for _ in range(9)] == [theirs.sample() for _ in range(9)]
    share = np.full(7, 1 / 7)
    assert [ours.sample(probability=share) for _ in range(9)] == [theirs.sample(probability=share) for _ in range(9)]


def test_environments_use_it() -> None:
    env = agent_avenue_v0.env()
    assert type(env.action_space("player_1")) is Actions
    assert type(SingleEnv(env.game).action_space) is Actions
