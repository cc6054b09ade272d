"""What is in configs/ and checkpoints/ works as it is."""

from pathlib import Path

import numpy as np
import pytest

import spygames
from spygames.core.players import make_player
from spygames_training.checkpoint import load_checkpoint
from spygames_training.config import read_config
from spygames_training.evaluation import evaluate

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = sorted((ROOT / "configs").glob("*.toml"))
CHECKPOINTS = sorted(path.parent for path in (ROOT / "checkpoints").glob("*/config.json"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_config_names_a_game_its_players_and_itself(path: Path) -> None:
    config = read_config(path)
    assert config.name == path.stem
    game = spygames.make_game(config.game, **config.options)
    for name in (*config.evaluate_against, *config.opponents.bots):
        assert make_player(game, name).name == name


@pytest.mark.parametrize("path", CHECKPOINTS, ids=lambda path: path.name)
def test_an_agent_loads_is_small_and_plays_better_than_chance(path: Path) -> None:
    assert sum(file.stat().st_size for file in path.iterdir()) < 2_000_000
    checkpoint = load_checkpoint(path)
    config = read_config(ROOT / "configs" / f"{path.name}.toml")
    assert (checkpoint.game.id, dict(checkpoint.game.options) | config.options) == (
        config.game,
        dict(checkpoint.game.options),
    )
    player = make_player(checkpoint.game, str(path))
    (result,) = evaluate(checkpoint.game, player, [make_player(checkpoint.game, "random")], 60, 0)
    assert result.interval[0] > result.fair_share
    assert np.isfinite(result.mean_return)


def test_every_agent_has_its_config() -> None:
    assert {path.name for path in CHECKPOINTS} <= {path.stem for path in CONFIGS}
    assert CHECKPOINTS
