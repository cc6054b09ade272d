"""Positions of random play of Agent DOG, with the previous positions for their pictures."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import draw_seen
from spygames.core.svg.annotations import Advice, Look
from spygames.core.svg.colours import Theme
from tests.games.agent_dog.conftest import game_of
from tests.support.position import Position

SMALL_BOARD = {"track": 56, "holes": [2, 5, 6, 9, 12], "meeting": 7}
LARGE_BOARD = {"track": 128, "holes": [3, 7, 11, 15, 20, 25, 30], "meeting": 8}
VARIANTS: list[dict[str, Any]] = [
    {"players": 2},
    {"players": 3},
    {"players": 4},
    {"players": 4, "hidden_colours": "tracked"},
    {"players": 3, "hidden_colours": "tracked", "deck": "royal", "first_player": "random"},
    {"players": 2, "board": SMALL_BOARD, "deck": {"1/11": 30, "swap": 20, "companion": 20, "12": 20}},
    {"players": 4, "board": LARGE_BOARD, "max_turns": 120},
]
NAMES = ("a person", "a checkpoint with a name that is far too long for its panel", "<script>alert(1)</script>", "bot")


class Moment(NamedTuple):
    """A position and the one before it."""

    at: Position
    before: Position
    log: list[tuple[np.ndarray, int, int]]
    """The last decisions, the latest first: the state before, the action, the seat."""

    def look(self, viewer: int, full: bool = True) -> Look:
        """The arguments for drawing the position for a viewer; `full`: with everything that a picture can contain."""
        game, s = self.at.game, self.at.s
        legal = tuple(sorted(self.at.legal)) if s.to_move == viewer != NOBODY else ()
        if not full:
            return Look(viewer, legal=legal)
        log = [game.seen_action(as_record(state), a, seat, viewer) for state, a, seat in self.log]
        advice = Advice([(text, 1 / len(legal)) for text in legal], 0.4) if legal else None
        return Look(viewer, game.seen_to_dict(self.before.s, viewer), legal, advice, NAMES[: game.num_players], log)


def moments(options: dict[str, Any], seed: int, n: int) -> Iterator[Moment]:
    """`n` positions of random games, every third decision and every final position."""
    game, rng = game_of(options), np.random.default_rng(seed)
    while n > 0:
        position, log, step = Position(game, game.start(int(rng.integers(2**32)))), [], 0
        before = position
        while n > 0:
            step += 1
            if step % 3 == 0 or position.s.to_move == NOBODY:
                n -= 1
                yield Moment(position, before, log[:6])
            if position.s.to_move == NOBODY:
                break
            before = Position(game, position.states.copy())
            action = int(rng.choice(np.flatnonzero(position.mask)))
            log.insert(0, (before.states, action, int(position.s.to_move)))
            game.apply(position.s, action)
            if step > 900:
                break


def svg_of(game: Game, seen: dict[str, Any], look: Look, theme: Theme = "dark") -> str:
    """A picture without the text for screen readers."""
    svg = draw_seen(game, seen, look, theme)
    assert "<desc></desc>" in svg
    return svg
