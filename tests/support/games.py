"""The games and variants of the contract test, and the checks that hold in their states."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game
from spygames.core.game.registry import game_ids, game_module
from spygames.testing import variants
from spygames.testing.trial import returns_of
from tests.support.random_games import wrong_with

TEST_GAMES = ("tests.poker.kuhn", "tests.poker.leduc")
"""Modules with a `make_game` without options."""
FEWER = 5
"""A further variant gets one example where a main variant gets this many."""


@dataclass(frozen=True)
class Variant:
    """A game with its options."""

    game_id: str
    options: Mapping[str, Any] = field(default_factory=dict)
    further: bool = False
    """Tested less, since it differs little from a main variant."""
    quick: bool = False
    """Run by `make test`."""

    @property
    def effort(self) -> float:
        """The `effort` argument of `check_game`."""
        return 1 / FEWER if self.further else 1.0

    def __str__(self) -> str:
        return "-".join([self.game_id, *(f"{k}={v}" for k, v in self.options.items())])

    def make_game(self) -> Game:
        return game_module(self.game_id).make_game(**self.options)


QUICK = {"agent_avenue_v0": (6,), "agent_dog_v0": (0,), "heimlich_v0": (3,)}
"""By game: indices of the main variants that `make test` plays. They have the most rules; each further variant costs
seconds of compiling."""
VARIANTS = [
    Variant(game_id, options, bool(further), not further and i in QUICK.get(game_id, (0,)))
    for game_id in (*game_ids(), *TEST_GAMES)
    for further, found in enumerate(variants.VARIANTS.get(game_id, ([{}], [])))
    for i, options in enumerate(found)
]


def parameter(variant: Variant) -> Any:
    """Return the variant as a pytest parameter, marked `slow` if `make test` skips it."""
    return pytest.param(variant, id=str(variant), marks=[] if variant.quick else [pytest.mark.slow])


def some_quick(options: Sequence[Mapping[str, Any]], quick: Collection[int]) -> list[Any]:
    """Return options of variants as pytest parameters, marked `slow` if their index is not in `quick`."""
    return [
        pytest.param(each, id=str(each), marks=[] if i in quick else [pytest.mark.slow])
        for i, each in enumerate(options)
    ]


def holds(game: Game) -> Callable[[Record], None]:
    """Return a check for every state of one of our games, results included: one side's gains are the others' losses."""
    poker = game.name.endswith("_poker")

    def check(s: Record) -> None:
        if poker:
            assert s.cards[0] != s.cards[1]
        else:
            wrong = wrong_with(game, np.asarray(s).reshape(1))
            assert not wrong, ", ".join(wrong)
        results = returns_of(game, s)
        assert abs(sum(float(results[game.side_of.index(side)]) for side in range(game.num_sides))) < 1e-6, results
        assert s.to_move != NOBODY or results.any() or game.name != "agent_avenue", "nobody has won"

    return check
