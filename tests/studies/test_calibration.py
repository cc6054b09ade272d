"""Calibration of a policy's value: expected against actual results."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from studies.calibration import Calibration, calibrate, draw_calibration

from spygames_training.agents.policy import Policy
from spygames_training.config import Network
from spygames_training.networks.actor_critic import make_network
from tests.poker import kuhn

GAME = kuhn.make_game()


def policy(bias: float, critic: str = "own") -> Policy:
    """A policy that plays uniformly and always expects `bias` chips."""
    network = make_network(GAME, Network((4,)))
    with torch.no_grad():
        for head in (network.policy, network.value):
            head.weight.zero_()
            head.bias.zero_()
        network.value.bias.fill_(2 * bias)
    return Policy(GAME, network, value_unit=2.0)


def test_a_constant_value_explains_nothing() -> None:
    found = calibrate(policy(0.25), 3000, 1)
    assert found.play == "sample"
    assert (found.games, found.seed) == (3000, 1)
    assert len(found.bins) == 1
    assert found.bins[0].expected == pytest.approx(0.25)
    assert found.bins[0].decisions == found.decisions
    assert found.explained < 0
    mean = found.bins[0].found
    assert found.bias == pytest.approx(0.25 - mean)
    # All play uniformly, so cards do not matter. Seat 0 wins a chip if its bet is folded to (1/4 of the games) and
    # loses one if it folds to a bet (1/8). It decides a second time in 1/4 of the games and then loses half a chip on
    # average.
    of_seat_0, again = 1 / 4 - 1 / 8, 1 / 4 * -1 / 2
    assert mean == pytest.approx((of_seat_0 - of_seat_0 + again) / (1 + 1 + 1 / 4), abs=0.05)


def test_a_value_that_knows_the_card_explains_something() -> None:
    """The king expects +1 chip, the jack -1 and the queen 0, which is right except for the size."""
    network = policy(0.0).network
    with torch.no_grad():
        first: Any = network.get_submodule("trunk.0")
        first.weight.zero_()
        first.bias.zero_()
        first.weight[0, 2], first.weight[1, 0] = 1.0, 1.0  # the player's card: a king, a jack
        network.value.weight[0, 0], network.value.weight[0, 1] = 2.0, -2.0
    found = calibrate(Policy(GAME, network, value_unit=2.0), 3000, 1)
    assert [round(each.expected, 6) for each in found.bins] == [-1, 0, 1]
    low, middle, high = (each.found for each in found.bins)
    assert low < -0.5
    assert abs(middle) < 0.3
    assert high > 0.5
    assert 0.2 < found.explained < 0.8
    assert Calibration.from_json(found.as_json()) == found
    assert calibrate(Policy(GAME, network, value_unit=2.0), 3000, 1) == found


def test_the_picture_is_the_same_each_time(tmp_path: Path) -> None:
    found = calibrate(policy(0.25), 50, 1)
    draw_calibration(found, tmp_path / "value.svg")
    first = (tmp_path / "value.svg").read_bytes()
    assert b"result that the value expects" in first
    draw_calibration(found, tmp_path / "value.svg")
    assert (tmp_path / "value.svg").read_bytes() == first


def test_policies_without_a_value_and_zero_games_are_refused() -> None:
    shaped = policy(0.0)
    shaped.network.shaped = True
    with pytest.raises(ValueError, match="policy@sample has no value"):
        calibrate(shaped, 10, 1)
    with pytest.raises(ValueError, match=r"games .*integer >= 1.*0"):
        calibrate(policy(0.0), 0, 1)
    assert np.isfinite(calibrate(policy(0.0), 1, 1).bias)
