"""The games that the contract test plays, and what it needs of them: all of the package's, and the test games."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spygames.agent_avenue.cards import COPIES
from spygames.agent_avenue.layout import AT_DECK
from spygames.core.entry import entry_points
from spygames.core.game import NOBODY, Game, record
from spygames.core.kernel import Record
from spygames.core.registry import game_ids, game_module

TEST_GAMES = ("tests.poker.kuhn", "tests.poker.leduc")
"""Modules with a `make_game`, and `VARIANTS` if they have options."""


@dataclass(frozen=True)
class Variant:
    """A game with options."""

    game_id: str
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "-".join([self.game_id, *(f"{k}={v}" for k, v in self.options.items())])

    def make_game(self) -> Game:
        return game_module(self.game_id).make_game(**self.options)

    def env(self, **kwargs: Any) -> Any:
        """A PettingZoo environment of it."""
        return entry_points(game_module(self.game_id).make_game)[0](**self.options, **kwargs)

    def single_env(self, **kwargs: Any) -> Any:
        """A Gymnasium environment of it."""
        return entry_points(game_module(self.game_id).make_game)[2](**self.options, **kwargs)


VARIANTS = [
    Variant(game_id, options)
    for game_id in (*game_ids(), *TEST_GAMES)
    for options in getattr(game_module(game_id), "VARIANTS", [{}])
]


def _agent_avenue(s: Record) -> None:
    """Each of the 38 agent cards is in one place, and each of the 15 market cards if there is a market."""
    for card in range(len(COPIES)):
        there = s.hands[:, card].sum() + s.discarded[:, card].sum() + s.in_play[:, card].sum()
        there += (s.deck == card).sum() + (s.face_up == card) + (s.face_down == card)
        assert there == COPIES[card]
    assert (s.deck[: s.deck_size] >= 0).all()
    assert (s.deck[s.deck_size :] == NOBODY).all()
    assert ((s.market >= 0) == bool(s.options.advanced)).all()
    assert sorted(s.market_deck[: s.market_deck_size]) == [card for card in range(15) if s.market[card] == AT_DECK]
    assert (s.market_deck[s.market_deck_size :] == NOBODY).all()


def _poker(s: Record) -> None:
    assert s.cards[0] != s.cards[1]


CHECKS: dict[str, Callable[[Record], None]] = {
    "agent_avenue": _agent_avenue,
    "kuhn_poker": _poker,
    "leduc_poker": _poker,
}
"""By the name of a game: what holds in every state, counted from the record alone (cards, pieces, ranges)."""


def mask_of(game: Game, s: Record) -> np.ndarray:
    """int8 [A] of the seat to move."""
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    return mask


def view_of(game: Game, s: Record, seat: int) -> np.ndarray:
    """VIEW [1] of a seat."""
    views = game.new_views()
    game.observe(s, seat, record(views))
    return views


def returns_of(game: Game, s: Record) -> np.ndarray:
    """float32 [P]"""
    out = np.zeros(game.num_players, np.float32)
    game.returns(s, out)
    return out


def sums_to_zero(game: Game, returns: np.ndarray) -> bool:
    """What one side wins the other ones lose. Members of a team have the same result, which counts once."""
    teams = {("agent_avenue", 3): [[0, 1], [2]], ("agent_avenue", 4): [[0, 1], [2, 3]]}
    sides = teams.get((game.name, game.num_players), [[seat] for seat in range(game.num_players)])
    alike = all(len({float(returns[seat]) for seat in side}) == 1 for side in sides)
    return alike and abs(sum(float(returns[side[0]]) for side in sides)) < 1e-6


def play(game: Game, seed: int, choose: Callable[[int], int], decisions: int = 100_000) -> np.ndarray:
    """The state [1] after some decisions from `seed` or at the end; `choose(n)` picks one of n legal actions."""
    states = game.start(seed)
    s = record(states)
    for _ in range(decisions):
        if s.to_move == NOBODY:
            break
        legal = np.flatnonzero(mask_of(game, s))
        game.apply(s, int(legal[choose(len(legal))]))
    return states
