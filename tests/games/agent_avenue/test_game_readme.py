"""The tables of the game's README are those of the code."""

import re
from math import prod
from pathlib import Path

import pytest

from spygames.agent_avenue import actions, cards, layout
from spygames.core.game import Game, as_record

README = (Path(layout.__file__).parent / "README.md").read_text()


def test_observation_table(game: Game) -> None:
    table = README.split("## Observation")[1].split("## State")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\dx ]+) \|", table, re.MULTILINE)
    sizes = {name: prod(int(n) for n in shape.split(" x ")) for name, shape in rows}
    fields = {name: prod(layout.VIEW[name].shape) for name in layout.VIEW.names or ()}
    assert list(sizes.items()) == list(fields.items())
    assert f"float32 [{game.num_features}]" in table


def test_action_table(game: Game) -> None:
    table = README.split("## Actions")[1].split("## Observation")[0]
    assert f"{game.num_actions} in all" in table
    assert (actions.DISCARD_CARD, actions.PLAY_PAIR, actions.RECRUIT_UP, actions.RECRUIT_DOWN) == (0, 8, 72, 73)


def test_state_table(game: Game) -> None:
    table = README.split("## State")[1].split("## How")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"\w+", row)}
    assert keys == set(game.state_to_dict(as_record(game.start(0))))


@pytest.mark.rule("AA-1")
def test_agent_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d) \| ([+-]?\d) \| ([^|]*) \| ([^|]*) \|$", README, re.MULTILINE)
    assert tuple(row[0] for row in rows) == cards.AGENTS
    for card, (_, copies, *icons) in enumerate(rows):
        assert int(copies) == cards.COPIES[card]
        numbers = [int(icon) if re.fullmatch(r"[+-]?\d", icon) else 0 for icon in icons]
        assert numbers == cards.ICONS[card].tolist()


def test_options(game: Game) -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| `.* \| `(.*)` \|$", README, re.MULTILINE))
    assert {name: repr(value).replace("'", '"') for name, value in game.options.items()} == rows
