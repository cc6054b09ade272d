"""The tables of the game's README agree with the code."""

import re
from pathlib import Path

from spygames import agent_dog
from spygames.core.game.game import Game, as_record
from tests.contract.test_rules_covered import stated

README = (Path(agent_dog.__file__).parent / "README.md").read_text()


def test_every_rule_is_stated() -> None:
    assert stated(README) == [f"AD-{n}" for n in range(1, 39)]


def test_sizes(game: Game) -> None:
    assert f"float32 [{game.num_features}] on the standard board" in README
    assert f"{game.num_actions} on the standard board" in README


def test_state_table(game: Game) -> None:
    table = README.split("## State")[1]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"\w+", row)}
    assert keys == set(game.state_to_dict(as_record(game.start(0))))
