"""The tables of the game's README are those of the code."""

import re
from math import prod
from pathlib import Path

from spygames import agent_dog
from spygames.agent_dog.actions import FIRST
from spygames.core.game import Game, as_record
from tests.contract.test_rules_covered import stated

README = (Path(agent_dog.__file__).parent / "README.md").read_text()


def test_every_rule_is_stated() -> None:
    assert stated(README) == [f"AD-{n}" for n in range(1, 39)]


def test_observation_table(game: Game) -> None:
    table = README.split("## Observation")[1].split("## State")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\dx ]+) \|", table, re.MULTILINE)
    sizes = {name: prod(int(n) for n in shape.split(" x ")) for name, shape in rows}
    fields = {name: prod(game.view_dtype[name].shape) for name in game.view_dtype.names or ()}
    assert list(sizes.items()) == list(fields.items())
    assert f"float32 [{game.num_features}]" in table


def test_action_table(game: Game) -> None:
    table = README.split("## Actions")[1].split("## Observation")[0]
    assert f"{game.num_actions} on the standard board" in table
    firsts = [int(n) for n in re.findall(r"^\| (\d+)", table, re.MULTILINE)]
    assert firsts == [*FIRST, FIRST[-1] + 64, FIRST[-1] + 128]


def test_state_table(game: Game) -> None:
    table = README.split("## State")[1]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"\w+", row)}
    assert keys == set(game.state_to_dict(as_record(game.start(0))))


def test_options(game: Game) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| `(.*)` \|$", README.split("## Rules")[0], re.MULTILINE))
    assert {name: repr(value).replace("'", '"') for name, value in game.options.items()} == rows
