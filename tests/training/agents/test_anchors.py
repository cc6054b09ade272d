"""Anchors of the ladders: found by name in a clone, not part of the package, and as strong as when measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from spygames.core.players import released
from spygames.core.players.names import make_player
from spygames.core.players.released import find_anchor, released_agents
from spygames_app.shipped import agent_folder
from spygames_training.agents.checkpoint import CheckpointError, load_checkpoint
from spygames_training.agents.policy import Policy
from spygames_training.evaluation.evaluation import evaluate

ROOT = Path(__file__).resolve().parents[3]
RESULTS: dict[str, Any] = json.loads((ROOT / "tests" / "golden" / "anchors.json").read_text())
"""Results of each anchor against `random` and `greedy`, measured with its first version."""
GAMES, SEED = 40, 7
"""Number of games and seed of these results."""
NAME = "agent_avenue/simple-2-first"
# Other anchors compile kernels that no other test of `make test` needs.
SOME = [name if name == NAME else pytest.param(name, marks=pytest.mark.slow) for name in RESULTS]


def test_an_anchor_is_found_by_its_name() -> None:
    folder = ROOT / "anchors" / NAME
    assert find_anchor(NAME) == agent_folder(NAME) == folder
    assert load_checkpoint(NAME).meta == load_checkpoint(folder).meta
    player = make_player(load_checkpoint(NAME).game, f"{NAME}@argmax")
    assert player.name == Policy.load(NAME, "argmax").name == f"{NAME}@argmax"
    assert NAME not in {agent.name for agent in released_agents()}
    assert sorted(RESULTS) == sorted(
        path.parent.relative_to(ROOT / "anchors").as_posix() for path in (ROOT / "anchors").glob("*/*/config.json")
    )


def test_the_package_has_no_anchors_and_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = load_checkpoint(NAME).game
    for folder, error in (
        (tmp_path / "anchors", f"^{NAME} is an anchor .*: use a clone"),
        (tmp_path, f"^there is no anchor {NAME}; "),
    ):
        monkeypatch.setattr(released, "ANCHORS", folder)
        with pytest.raises(ValueError, match=error):
            make_player(game, f"{NAME}@argmax")
        with pytest.raises(CheckpointError, match=error):
            load_checkpoint(NAME)
        with pytest.raises(ValueError, match=error):
            agent_folder(NAME)
    assert find_anchor("agent_avenue/nobody-first") is None


@pytest.mark.parametrize("name", SOME)
def test_anchors_reproduce_their_results(name: str) -> None:
    """One game of forty may differ, because rounding on another processor can change a decision."""
    game, expected = load_checkpoint(name).game, RESULTS[name]
    opponents = [make_player(game, bot) for bot in expected]
    near = {"win_share": 1 / GAMES, "by_side": game.num_sides / GAMES, "mean_return": 2 / GAMES}
    for result in evaluate(game, make_player(game, name), opponents, GAMES, SEED):
        for figure, value in expected[result.opponent].items():
            assert getattr(result, figure) == pytest.approx(value, abs=near.get(figure, 0) + 1e-9), figure
