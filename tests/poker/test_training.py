"""On two solved games, trained agents come close to an equilibrium, measured by exact NashConv."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spygames.core.game.game import Game
from spygames_training.agents.policy import Policy
from spygames_training.config import PPO, Config, Network
from spygames_training.runs.run import Run

from . import kuhn, leduc
from .nashconv import nash_conv


def trained_nash_conv(game: Game, folder: Path, decisions: int, hidden: tuple[int, ...], **ppo: Any) -> float:
    """The NashConv, in chips, of a run's final agent, which samples its actions."""
    config = Config(
        decisions=decisions,
        evaluate_against=(),
        network=Network(hidden),
        ppo=PPO(
            games=512, steps=16, minibatch=1024, learning_rate=2e-3, learning_rate_end=0.0, precision="float32", **ppo
        ),
    )
    policy = Policy(game, Run.create(config, folder, game=game).train())
    return nash_conv(game, policy.probabilities)


@pytest.mark.parametrize(("decisions", "most"), [(400_000, 0.2), pytest.param(4_000_000, 0.05, marks=pytest.mark.slow)])
def test_kuhn_agents_come_close_to_an_equilibrium(
    tmp_path: Path, record_property: Callable[..., None], decisions: int, most: float
) -> None:
    value = trained_nash_conv(kuhn.make_game(), tmp_path, decisions, (64, 64), entropy_end=0.0, kl=0.3)
    record_property("nash_conv", value)
    print(f"Kuhn poker: NashConv {value:.4f} chips")
    assert value <= most


@pytest.mark.slow
def test_leduc_agents_have_a_nash_conv_of_at_most_half_a_chip(
    tmp_path: Path, record_property: Callable[..., None]
) -> None:
    value = trained_nash_conv(
        leduc.make_game(), tmp_path, 10_000_000, (128, 128), entropy=0.3, entropy_end=0.05, reward_scale=0.1
    )
    record_property("nash_conv", value)
    print(f"Leduc poker: NashConv {value:.4f} chips")
    assert value <= 0.5
