"""The tables of the game's README agree with the code."""

import re
from pathlib import Path

import pytest

from spygames.agent_avenue import cards, layout
from spygames.core.game.game import Game, as_record

README = (Path(layout.__file__).parent / "README.md").read_text()


def test_sizes(game: Game) -> None:
    assert f"float32 [{game.num_features}]" in README
    assert f"has {game.num_actions} actions" in README


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
