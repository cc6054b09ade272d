"""The text drawings: recorded ones of each phase, their width, and no hidden information of other seats."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames.core.game.game import NOBODY

DRAWINGS = Path(__file__).parent / "drawings"
FULL = {"players": 3, "top_secret": True, "secret_identities": True}
MIDDLE: dict[str, Any] = {
    "die": "1-3",
    "moved": {"blue": 1},
    "active": 1,
    "hands": {"0": ["swap", "join"], "1": ["to_safe"]},
    "used": ["step_1", "all_to_church"],
    "scores": {"red": 31, "yellow": 7, "orange": 12},
    "safe": 11,
    "guessed": True,
    "guesses": {
        "0": {"yellow": "player_1", "green": "player_2", "blue": "free", "purple": "free", "orange": "free"},
        "1": {"red": "player_2", "green": "player_0", "blue": "free", "purple": "free", "orange": "free"},
        "2": {"red": "free", "yellow": "free", "blue": "player_0", "purple": "player_1", "orange": "free"},
    },
}


BASE, CARDS = {"players": 3}, {"players": 4, "top_secret": True}
POSITIONS: dict[str, tuple[dict[str, Any], dict[str, Any], list[str]]] = {  # options, parts of a position, actions
    "middle": (FULL, MIDDLE, []),
    "move": (BASE, {"die": 6, "scores": {"green": 12}}, ["move yellow 2"]),
    "safe": (BASE, {"die": 2, "safe": 10, "positions": {"red": 8}}, ["move red 2"]),
    "edition_1984": ({"players": 3, "edition": "ravensburger"}, {"die": 5}, []),
    "cards": (CARDS, {"die": 2, "hands": {"1": ["swap"], "2": ["to_safe", "join"]}}, ["move red 2"]),
    "card_choice": (CARDS, {"phase": "cards", "hands": {"0": ["swap"]}}, ["card swap", "agent red"]),
    "guess": (
        {"players": 3, "secret_identities": True},
        {"phase": "guess", "guessing": [0, 1, 2], "scores": {"red": 30}},
        ["guess yellow player_2"],
    ),
    "end": (
        {"players": 3, "secret_identities": True},
        {"die": 4, "positions": {"red": 6}, "scores": {"red": 38}, "guessed": True, "guesses": MIDDLE["guesses"]},
        ["move red 4"],
    ),
}


@pytest.mark.parametrize("viewer", [0, 1, NOBODY])
@pytest.mark.parametrize("name", POSITIONS)
def test_recorded_drawings(at: Callable[..., Any], name: str, viewer: int) -> None:
    options, parts, actions = POSITIONS[name]
    who = "nobody" if viewer == NOBODY else f"player_{viewer}"
    assert at(options, **parts).act(*actions).drawing(viewer) + "\n" == (DRAWINGS / f"{name}_{who}.txt").read_text()


def test_every_phase_is_drawn(at: Callable[..., Any]) -> None:
    phases = {at(options, **parts).act(*actions).mapping["phase"] for options, parts, actions in POSITIONS.values()}
    assert phases == {"move", "cards", "card_choice", "safe", "guess", "over"}
    whos = ("nobody", "player_0", "player_1")
    assert {path.stem for path in DRAWINGS.glob("*.txt")} == {f"{name}_{who}" for name in POSITIONS for who in whos}


@pytest.mark.rule("HC-5", "HC-33")
def test_drawings_show_only_the_viewers_hidden_information(at: Callable[..., Any]) -> None:
    position = at(FULL, **MIDDLE)
    text = position.drawing(0)
    assert "player_0 (you)" in text
    assert "Your hand: swap, join" in text
    assert "Your predictions: yellow player_1, green player_2, blue free" in text
    owners = [line.split()[-1] for line in text.splitlines() if line.startswith("   Y ") or line.startswith("   G ")]
    assert owners == ["?", "?"]
    assert "to_safe" not in text
    assert "predictions: red player_2" not in text


def test_drawings_are_at_most_80_wide(fresh: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    heads = set()
    for seed in range(3):
        position = fresh(seed, **FULL)
        while True:
            drawings = [position.drawing(viewer).splitlines() for viewer in (*range(3), NOBODY)]
            assert max(len(line) for lines in drawings for line in lines) <= 80
            lines = drawings[-1]
            assert len({len(line) for line in lines if line.startswith(("   +", "   |"))}) == 1  # of the town
            heads.add(" ".join(lines[: lines.index("")]).split()[-1])
            if position.s.to_move < 0:
                break
            position.game.apply(position.s, int(rng.choice(np.flatnonzero(position.mask))))
    assert {"left", "safe", "passes", "chooses", "who"} <= heads
