"""Positions of random play in all variants of Agent Avenue, with the arguments for drawing them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from spygames.agent_avenue import Mode, make_game
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import Advice, Picture, picture
from spygames.core.svg.colours import Theme
from spygames.testing.trial import mask_of

MODES: tuple[Mode, ...] = ("simple", "advanced")
VARIANTS: list[tuple[Mode, int]] = [(mode, players) for mode in MODES for players in (2, 3, 4)]
NAMES = ("A player with a very long name", '<script>alert("1 & 2")</script>', "expert", "checkpoints/agent_avenue_v0")
LOG = ("player_0 offers double_agent face up and codebreaker face down", *("player_1 takes the face-down card",) * 30)


class Moment(NamedTuple):
    """A position of random play and the one before it."""

    game: Game
    states: np.ndarray
    before: np.ndarray
    """The position one decision earlier; the same at the start."""

    @property
    def s(self) -> Record:
        return as_record(self.states)

    @property
    def viewers(self) -> range:
        return range(NOBODY, self.game.num_players)

    def legal(self, viewer: int) -> list[str]:
        """The texts of the seat's legal actions."""
        if viewer != self.s.to_move or viewer == NOBODY:
            return []
        return [self.game.action_to_string(self.s, int(a), viewer) for a in np.flatnonzero(mask_of(self.game, self.s))]

    def seen(self, viewer: int) -> dict[str, Any]:
        return self.game.seen_to_dict(self.s, viewer)

    def picture(self, viewer: int, full: bool = True, theme: Theme = "dark") -> Picture:
        """The picture for a seat; `full`: with everything that a picture can contain, else the board only."""
        if not full:
            return picture(self.game, self.s, viewer, theme=theme)
        legal = self.legal(viewer)
        advice = Advice([(text, 1 / len(legal)) for text in legal], 0.36) if legal and self.s.turn % 2 else None
        before = self.game.seen_to_dict(as_record(self.before), viewer)
        names = NAMES[: self.game.num_players]
        return picture(
            self.game, self.s, viewer, before=before, legal=legal, advice=advice, names=names, log=LOG, theme=theme
        )


def positions(mode: Mode, players: int, number: int, seed: int = 0) -> Iterator[Moment]:
    """`number` positions of random games: every third decision and every final position."""
    game, rng, found = make_game(mode, players), np.random.default_rng([seed, players, len(mode)]), 0
    while found < number:
        states = game.start(int(rng.integers(2**60)))
        before, wait = states.copy(), int(rng.integers(3))
        while True:
            over = as_record(states).to_move == NOBODY
            if wait == 0 or over:
                yield Moment(game, states.copy(), before)
                found += 1
                wait = 3
            if over or found >= number:
                break
            wait -= 1
            before = states.copy()
            game.apply(as_record(states), int(rng.choice(np.flatnonzero(mask_of(game, as_record(states))))))
