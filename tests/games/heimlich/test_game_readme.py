"""The tables of the game's README agree with the code."""

import re
from pathlib import Path

import pytest

import spygames.heimlich
from spygames.core.game.game import as_record
from spygames.heimlich import cards, make_game

README = (Path(spygames.heimlich.__file__).parent / "README.md").read_text()


def test_sizes() -> None:
    table = README.split("## Observation")[1].split("## State")[0]
    for players in range(2, 8):
        assert f"{players} players {make_game(players=players).num_features}" in table
    assert f"with 4 players {make_game(players=4, top_secret=True, secret_identities=True).num_features}" in table
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
