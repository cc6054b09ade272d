"""The drawing: a recorded one, its width, and what a seat is shown of the others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spygames.core.game import NOBODY

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


@pytest.mark.parametrize("viewer", [0, NOBODY])
def test_recorded_drawings(at: Callable[..., Any], viewer: int) -> None:
    who = "nobody" if viewer == NOBODY else f"player_{viewer}"
    assert at(FULL, **MIDDLE).drawing(viewer) + "\n" == (DRAWINGS / f"middle_{who}.txt").read_text()


@pytest.mark.rule("HC-5", "HC-33")
def test_a_seat_is_shown_its_own_things_only(at: Callable[..., Any]) -> None:
    table = at(FULL, **MIDDLE)
    text = table.drawing(0)
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
        table = fresh(seed, **FULL)
        while True:
            drawings = [table.drawing(viewer).splitlines() for viewer in (*range(3), NOBODY)]
            assert max(len(line) for lines in drawings for line in lines) <= 80
            lines = drawings[-1]
            heads.add(" ".join(lines[: lines.index("")]).split()[-1])
            if table.s.to_move < 0:
                break
            table.game.apply(table.s, int(rng.choice(np.flatnonzero(table.mask))))
    assert {"left", "safe", "passes", "chooses", "who"} <= heads
