"""The games that the contract test plays, and what it needs of them: all of the package's, and the test games."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog.cards import KINDS
from spygames.agent_dog.layout import GOAL, HAT
from spygames.core.game import NOBODY, Game
from spygames.core.kernel import Record
from spygames.core.registry import game_ids, game_module
from spygames.heimlich.board import COPIES as TOP_SECRET
from spygames.heimlich.board import LOOP
from spygames.testing.trial import returns_of
from tests.agent_avenue import invariants

TEST_GAMES = ("tests.poker.kuhn", "tests.poker.leduc")
"""Modules with a `make_game`, and `VARIANTS` if they have options."""
FEWER = 5
"""A further variant is tested with one example where a main one is with so many."""
SHORTENED = "max_turns"
"""An option that makes no variant, but a shorter game."""


@dataclass(frozen=True)
class Variant:
    """A game with options."""

    game_id: str
    options: Mapping[str, Any] = field(default_factory=dict)
    further: bool = False
    """Of `FURTHER_VARIANTS`: it is played less, since a main variant differs from it in little."""

    @property
    def effort(self) -> float:
        """How much it is tested, as `check_game` takes it."""
        return 1 / FEWER if self.further else 1.0

    def __str__(self) -> str:
        return "-".join([self.game_id, *(f"{k}={v}" for k, v in self.options.items())])

    def make_game(self) -> Game:
        return game_module(self.game_id).make_game(**self.options)


VARIANTS = [
    Variant(game_id, options, further)
    for game_id in (*game_ids(), *TEST_GAMES)
    for name, further in (("VARIANTS", False), ("FURTHER_VARIANTS", True))
    for options in getattr(game_module(game_id), name, [] if further else [{}])
]


def _brings_a_value(variant: Variant) -> bool:
    """Whether an option of it has a value that it has in no main variant of the game, nor in one before."""
    before = [each for each in VARIANTS[: VARIANTS.index(variant)] if each.game_id == variant.game_id]
    known = [dict(each.make_game().options) for each in before]
    options = variant.make_game().options.items()
    return any(all(value != each[name] for each in known) for name, value in options if name != SHORTENED)


def parameter(variant: Variant) -> Any:
    """For pytest: the variant, `slow` where other ones show all that it is made of."""
    slow = variant.further and not _brings_a_value(variant)
    return pytest.param(variant, id=str(variant), marks=[pytest.mark.slow] if slow else [])


def _agent_avenue(s: Record) -> None:
    """All that the rules say of a state by itself."""
    found = [holds.__name__ for holds in invariants.OF_STATE if not holds(np.asarray(s).reshape(1)).all()]
    assert not found, found


def _heimlich(s: Record) -> None:
    """Cards, passports and agents are in one place each, and the public record agrees with the turns played."""
    players, agents = int(s.options.players), int(s.options.agents)
    if s.options.top_secret:
        for kind, copies in enumerate(TOP_SECRET):
            there = s.hands[:, kind].sum() + (s.deck == kind).sum() + (s.used == kind).sum()
            assert there == (copies if kind < len(TOP_SECRET) - 1 else s.options.new_identity)
    assert (s.hands.sum(1) == s.hand_sizes).all()
    assert s.hand_sizes.max() <= 4
    assert [s.owner[a] for a in s.passports[:players]] == list(range(players))
    assert (s.owner >= 0).sum() == players
    assert s.positions.min() >= 0
    assert max(s.positions.max(), s.safe) < LOOP
    assert (s.moved.sum() + s.points_left) <= (s.die or 3)
    assert s.scores.min() >= 0
    assert s.phase == 5 or s.scores.max() < 42
    assert (s.points[:, :players].sum(0) <= 6 * (s.turn // players + 1) + 6 * s.cards_played[:players]).all()
    assert (s.times.sum(0) <= 6 * (s.turn // players + 1) + 7 * s.cards_played).all()
    assert ((np.abs(s.points) <= 6 * s.times) | (s.times > 6)).all()
    assert (np.abs(s.gains).sum(0) <= 10 * agents * s.scorings.astype(int) + 6 * s.cards_played).all()
    assert s.scorings.sum() <= (s.turn + 1) * players


def _poker(s: Record) -> None:
    assert s.cards[0] != s.cards[1]


def _agent_dog(s: Record) -> None:
    """Each card and each pawn is in one place; what is kept twice agrees."""
    track, players = int(s.options.track), int(s.options.players)
    for card in range(KINDS):
        there = s.hands[:, card].sum() + (s.deck == card).sum() + (s.discard == card).sum() + (s.card == card)
        there += (s.passed == card).sum() if s.phase == 0 else 0
        assert there == s.options.copies[card]
        assert (s.discard == card).sum() == s.discarded[card]
    for pile, size in ((s.deck, s.deck_size), (s.discard, s.discard_size)):
        assert (pile[:size] >= 0).all()
        assert (pile[size:] == NOBODY).all()
    for colour in range(4):
        pawns = s.area[colour] + np.isin(s.board, (colour, colour + HAT)).sum()
        assert pawns == (4 if colour in ({2: (0, 2), 3: (0, 1, 2)}.get(players, range(4))) else 0)
    assert (s.board[track:GOAL] == NOBODY).all()
    assert ((s.hands >= 0) & (s.lost >= 0)).all()
    assert (s.area >= 0).all()


CHECKS: dict[str, Callable[[Record], None]] = {
    "agent_avenue": _agent_avenue,
    "heimlich": _heimlich,
    "agent_dog": _agent_dog,
    "kuhn_poker": _poker,
    "leduc_poker": _poker,
}
"""By the name of a game: what holds in every state, counted from the record alone (cards, pieces, ranges)."""


def holds(game: Game) -> Callable[[Record], None]:
    """What holds in every state of one of our games, results included: what one side wins the other ones lose."""

    def check(s: Record) -> None:
        CHECKS[game.name](s)
        if s.to_move == NOBODY:
            results = returns_of(game, s)
            assert abs(sum(float(results[game.side_of.index(side)]) for side in range(game.num_sides))) < 1e-6, results
            assert results.any() or game.name != "agent_avenue", "nobody has won"

    return check
