"""The tables of the game's README are those of the code."""

import re
from pathlib import Path

import pytest

import spygames.heimlich
from spygames.core.game import as_record
from spygames.heimlich import actions, cards, layout, make_game

README = (Path(spygames.heimlich.__file__).parent / "README.md").read_text()


def test_observation_table() -> None:
    table = README.split("## Observation")[1].split("## State")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([\dPAx ]+) \|", table, re.MULTILINE)
    for players, agents in ((3, 6), (5, 7)):
        dtype = layout.view_dtype(players, agents, True, True)
        sizes = {"P": players, "A": agents}
        shapes = [(name, tuple(sizes.get(n) or int(n) for n in shape.split(" x "))) for name, shape in rows]
        assert shapes == [(name, dtype[name].shape or (1,)) for name in dtype.names or ()]
    for players in range(2, 8):
        assert f"{players} players {make_game(players=players).num_features}" in table
    assert f"with 4 players {make_game(players=4, top_secret=True, secret_identities=True).num_features}" in table


def test_action_table() -> None:
    kinds = ("DONE", "SAFE", "DRAW", "CARD", "PASS", "AGENT", "STEP", "BUILDING")
    assert [getattr(actions, f"ACT_{kind}") for kind in kinds] == [42, 43, 55, 56, 71, 72, 79, 84]
    assert actions.CARD_ACTIONS == 96
    table = README.split("## Actions")[1].split("## Observation")[0]
    numbers = re.findall(r"^\| [^|]*?(\d+)(?: to (\d+)\)?)? \| `", table, re.MULTILINE)
    assert ("56", "70") in numbers
    for players, agents in ((2, 5), (4, 7)):
        for top_secret, first_guess in ((False, 55), (True, 96)):
            assert make_game(players=players, top_secret=top_secret).num_actions == first_guess
            game = make_game(players=players, top_secret=top_secret, secret_identities=True)
            assert game.num_actions == first_guess + players * (agents - 1)


def test_state_table() -> None:
    table = README.split("## State")[1].split("## Players")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"\w+", row)}
    game = make_game(players=3)
    mapping = game.state_to_dict(as_record(game.start(0)))
    assert keys == set(mapping)
    parts = next(line for line in table.splitlines() if line.startswith("| `record`"))
    assert set(mapping["record"]) <= set(re.findall(r"`(\w+)`", parts))


@pytest.mark.rule("HC-20")
def test_card_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d) \| ", README.split("## Actions")[0], re.MULTILINE)
    assert [(name, int(n)) for name, n in rows] == list(zip(cards.CARDS, cards.COPIES.tolist(), strict=True))


def test_options() -> None:
    game = make_game()
    table = README.split("| option | values | default |")[1].split("## Rules")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| `(.*)` \|$", table, re.MULTILINE))
    assert {name: repr(value).replace("'", '"') for name, value in game.options.items()} == rows
