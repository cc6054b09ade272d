"""The games that the contract test plays: all of the package's, and the test games; and what holds in their states."""

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
"""Modules with a `make_game` that takes no options."""
FEWER = 5
"""A further variant is tested with one example where a main one is with so many."""


@dataclass(frozen=True)
class Variant:
    """A game with options."""

    game_id: str
    options: Mapping[str, Any] = field(default_factory=dict)
    further: bool = False
    """It is played less, since a main variant differs from it in little."""
    quick: bool = False
    """`make test` plays it."""

    @property
    def effort(self) -> float:
        """How much it is tested, as `check_game` takes it."""
        return 1 / FEWER if self.further else 1.0

    def __str__(self) -> str:
        return "-".join([self.game_id, *(f"{k}={v}" for k, v in self.options.items())])

    def make_game(self) -> Game:
        return game_module(self.game_id).make_game(**self.options)


QUICK = {"agent_avenue_v0": (6,), "agent_dog_v0": (0,), "heimlich_v0": (3,)}
"""By game: the indices of the main variants that `make test` plays: the ones with the most rules, since each further
one costs seconds of compiling."""
VARIANTS = [
    Variant(game_id, options, bool(further), not further and i in QUICK.get(game_id, (0,)))
    for game_id in (*game_ids(), *TEST_GAMES)
    for further, found in enumerate(variants.VARIANTS.get(game_id, ([{}], [])))
    for i, options in enumerate(found)
]


def parameter(variant: Variant) -> Any:
    """For pytest: the variant, `slow` where `make test` does without it."""
    return pytest.param(variant, id=str(variant), marks=[] if variant.quick else [pytest.mark.slow])


def some_quick(options: Sequence[Mapping[str, Any]], quick: Collection[int]) -> list[Any]:
    """For pytest: options of variants; those whose index is not in `quick` are `slow`."""
    return [
        pytest.param(each, id=str(each), marks=[] if i in quick else [pytest.mark.slow])
        for i, each in enumerate(options)
    ]


def holds(game: Game) -> Callable[[Record], None]:
    """What holds in every state of one of our games, results included: what one side wins the other ones lose."""
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
