"""What reaches a viewer, and what of it differs between worlds that the viewer cannot tell apart."""

import json
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from spygames.core.game import NOBODY, Game, as_record
from spygames.core.look import Look
from spygames.core.picture import draw_seen
from spygames.testing.hidden import shows
from spygames.testing.trial import determinized, mask_of

PAIRS, LONG_PAIRS = 500, 2_000
"""Pairs of a position and a viewer that a test of a variant compares, and a slow one."""
PICTURES = 50
"""One pair in so many has its pictures drawn, which take longer than all else together."""


def legal_texts(game: Game, states: np.ndarray) -> dict[str, int]:
    """What the seat to move may do: the texts of its actions and their numbers."""
    s = as_record(states)
    if s.to_move == NOBODY:
        return {}
    return {game.action_to_string(s, int(a), int(s.to_move)): int(a) for a in np.flatnonzero(mask_of(game, s))}


def reached(game: Game, states: np.ndarray, viewer: int, pictures: bool = True) -> dict[str, Any]:
    """What a viewer gets of a position: the mapping as JSON, what it sees happen by each legal action, by its text, and
    the pictures without and with its own actions as targets."""
    s, legal = as_record(states), legal_texts(game, states)
    mover, seen = int(s.to_move), game.seen_to_dict(s, viewer)
    moves = {text: game.seen_action(s, action, mover, viewer) for text, action in legal.items()}
    found: dict[str, Any] = {"mapping": json.dumps(seen), "moves": moves}
    if pictures:
        alt = game.to_text(s, viewer)
        found["picture"] = draw_seen(game, seen, Look(viewer, alt=alt))
        if mover == viewer:
            found["targets"] = draw_seen(game, seen, Look(viewer, legal=tuple(legal), alt=alt))
    return found


def differing(
    one: dict[str, Any], other: dict[str, Any], is_shown: Callable[[str], bool] = lambda move: False
) -> set[str]:
    """By which channels two worlds can be told apart. Of others' moves only those count that both worlds allow, but for
    those after which they can be told apart anyway (`is_shown`)."""
    both = one["moves"].keys() & other["moves"].keys()
    told = (
        {"moves"} if any(one["moves"][text] != other["moves"][text] and not is_shown(text) for text in both) else set()
    )
    return told | {name for name in one.keys() | other.keys() if name != "moves" and one.get(name) != other.get(name)}


def leaks(
    game: Game, positions: Iterable[np.ndarray], pairs: int = PAIRS, pictures: int = PICTURES
) -> tuple[int, set[str]]:
    """Compares each position for each of its viewers with a world that the viewer cannot tell from it.

    Args:
        game: what is played.
        positions: STATE [1] each.
        pairs: how many pairs of a position and a viewer are compared.
        pictures: of one pair in so many the pictures are drawn, too.

    Returns:
        How many pairs were compared, fewer where there were fewer positions, and the channels that leak.
    """
    compared, found = 0, set[str]()
    for states in positions:
        for viewer in range(game.num_players):
            if compared == pairs:
                return compared, found
            drawn = compared % pictures == 0
            world = determinized(game, states, viewer, compared)
            is_shown = partial(shows, game, states, world, viewer)
            found |= differing(reached(game, states, viewer, drawn), reached(game, world, viewer, drawn), is_shown)
            compared += 1
    return compared, found
