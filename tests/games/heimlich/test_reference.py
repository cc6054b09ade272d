"""The kernels and the slow reference, written from the rules, play the same games."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.games.heimlich.reference import DOUBLE, ORDER, SINGLE, State, act, legal, without_chance

ALL = tuple(f"HC-{n}" for n in (6, *range(9, 20), *range(21, 36)))


@pytest.mark.rule(*ALL)
@pytest.mark.parametrize("part", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("options", "games"),
    [
        ({"players": 3}, 12),
        ({"players": 7, "tie_with_free": "nobody"}, 8),
        ({"players": 3, "edition": "ravensburger", "secret_identities": True}, 10),
        ({"players": 2, "top_secret": True, "secret_identities": True}, 20),
        ({"players": 4, "top_secret": True, "secret_identities": True, "card_round_opens": "active"}, 20),
        ({"players": 5, "top_secret": True}, 10),
        ({"players": 7, "top_secret": True, "secret_identities": True}, 8),
    ],
    ids=str,
)
def test_both_implementations_play_the_same_games(
    fresh: Callable[..., Any], options: State, games: int, part: int
) -> None:
    rng = np.random.default_rng(1)
    seen: Counter[str] = Counter()
    for _ in range(games // part):
        position = fresh(int(rng.integers(2**63)), **options)
        state = without_chance(position.mapping)
        passing = rng.random() ** 2  # in some games cards are kept, in others they are played at once
        while state["phase"] != "over":
            texts = sorted(legal(state, position.game.options))
            assert position.legal == set(texts)
            if rng.random() < passing and "pass" in texts:
                texts = ["pass"]
            text = str(rng.choice(texts))
            position.act(text)
            real = without_chance(position.mapping)
            act(state, text, position.game.options, real)
            assert real == state
            seen[" ".join(text.split()[: 2 if text.startswith("card") else 1])] += 1
    assert seen["move"] > 100 / part
    if part == 1 and options.get("top_secret") and options["players"] < 7:
        assert {f"card {card}" for card in ORDER} <= set(seen)


def test_the_order_contains_every_card() -> None:
    assert len(ORDER) == 15
    assert set(SINGLE) | set(DOUBLE) | {"move_safe", "all_to_church", "ruins_to_church", "new_identity"} == set(ORDER)
