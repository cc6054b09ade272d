"""Turns and rounds have the same numbers, from 1, in the picture, the text drawing and the text of a position."""

import re

import numpy as np
import pytest

from spygames import make_game
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import draw_seen
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import CANVAS
from spygames.testing.trial import mask_of
from tests.support import svg

GAMES = ["agent_avenue_v0", "heimlich_v0", "agent_dog_v0"]
DECISIONS, DRAWN = 40, 13
"""The decisions of a game, and every how many of them is drawn."""


def numbers(text: str) -> dict[str, set[int]]:
    """Return the numbers of turns and rounds that a text names."""
    found: dict[str, set[int]] = {}
    for word, number in re.findall(r"\b(turn|round) (\d+)", text.casefold()):
        found.setdefault(word, set()).add(int(number))
    return found


def shown(game: Game, s: np.record, viewer: int) -> list[dict[str, set[int]]]:
    """Return the numbers in each form of a position."""
    seen = game.seen_to_dict(s, viewer)
    pictures = [draw_seen(game, seen, Look(viewer, alt=""), size=size) for size in CANVAS]
    texts = [" | ".join(each.text for each in svg.texts(str(picture))) for picture in pictures]
    return [numbers(text) for text in [game.to_text(s, viewer), game.describe(s, viewer), *texts]]


@pytest.mark.parametrize("game_id", GAMES)
def test_turns_and_rounds_count_from_1_in_every_form(game_id: str) -> None:
    game, rng = make_game(game_id), np.random.default_rng(1)
    states = game.start(1)
    s, found = as_record(states), set[int]()
    first = shown(game, s, 0)
    assert first[0]["turn"] == {1}
    for i in range(DECISIONS):
        if s.to_move == NOBODY:
            break
        found |= numbers(game.to_text(s, NOBODY))["turn"]
        if i % DRAWN == DRAWN - 1:
            forms = shown(game, s, int(s.to_move))
            assert all("turn" in form for form in (forms[0], forms[2]))
            assert "turn" in forms[1] or "round" in forms[1]
            for form in forms:
                assert form.items() <= forms[0].items(), forms
        game.apply(s, int(rng.choice(np.flatnonzero(mask_of(game, s)))))
    assert found == set(range(1, max(found) + 1))
    assert len(found) > 3
