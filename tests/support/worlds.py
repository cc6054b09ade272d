"""Two worlds that a seat cannot tell apart: the same decisions are played in both, and it must see the same in both.

The worlds are made by hand, from what the rules call hidden: `determinize` is not used.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from spygames.core.game import NOBODY
from tests.support.position import Position


def seen(position: Position, seat: int) -> tuple[Any, ...]:
    """What reaches a seat, whoever is to move: its view, mask and texts, whose decision it is, results, drawing."""
    asked = position.s.to_move == seat
    texts = [position.game.action_to_string(position.s, a, seat) for a in range(position.game.num_actions)]
    mask = position.mask.tobytes() if asked else b""
    return (
        position.view(seat).tobytes(),
        mask,
        texts,
        int(position.s.to_move),
        position.returns(),
        position.drawing(seat),
    )


def play_both(
    one: Position,
    two: Position,
    watcher: int,
    rng: np.random.Generator,
    goes_on: Callable[[Mapping[str, Any], Mapping[str, Any]], bool],
) -> int:
    """Plays random decisions that are legal in both worlds, and looks at what reaches the watcher.

    Returns:
        After how many decisions the games were over, the worlds had been told apart as the rules allow (`goes_on` of
        both mappings is false), or there was no decision that both worlds allow.
    """
    decisions = 0
    while goes_on(one.mapping, two.mapping):
        assert seen(one, watcher) == seen(two, watcher)
        mover = int(one.s.to_move)
        if mover == NOBODY:
            break
        both = sorted(one.legal & two.legal)
        assert mover != watcher or one.legal == two.legal
        if not both:
            break
        text = str(rng.choice(both))
        one.act(text)
        two.act(text)
        decisions += 1
    return decisions
