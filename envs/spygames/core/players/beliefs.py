"""What players say that they think: win shares, and what may be hidden, as weighted worlds told thing by thing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.player import DecisionBatch

__all__ = ["Belief", "drawn_worlds", "in_things", "win_share"]

Belief = Sequence[tuple[str, Sequence[tuple[str, float]]]]
"""What is hidden ("player_1's passport"), and what it may be with probabilities, the likeliest first. Of several cards
or places ("player_1's hand") the probability of a thing is that at least one of them is it."""

HIDDEN = "?"
"""What stands in `seen_to_dict` for what the viewer cannot know."""
LEAST = 0.005
"""What is less likely is left out."""


def win_share(game: Game, value: float | None) -> float | None:
    """The share of a win that an expected result is worth; None where results tell more than who has won.

    Two sides of which one wins what the other loses have the results -low and low. Of more sides each loser pays the
    winner the same part of 1. Other games have no such scale: in Heimlich & Co. with three seats nobody may win.
    """
    low, sides = game.lowest_return, game.num_sides
    if value is None or low not in ((-1.0, -0.5) if sides == 2 else (-1.0 / (sides - 1),)):
        return None
    high = -low if sides == 2 else 1.0
    return min(1.0, max(0.0, (value - low) / (high - low)))


def drawn_worlds(decisions: DecisionBatch, row: int, n: int) -> np.ndarray:
    """`n` worlds as the seat to move in `row` may take them to be, alike likely: STATE [n]. They depend on the random
    stream of the row, which stays as it is."""
    d = decisions
    worlds = np.repeat(d.states[row : row + 1], n)
    seat, seeds = int(d.states["to_move"][row]), np.random.default_rng(int(d.rng[row, 0])).integers(0, 2**63, n)
    for i, seed in enumerate(seeds.tolist()):
        d.game.determinize(as_record(worlds, i), seat, np.uint64(seed))
    return worlds


def in_things(game: Game, s: Record, viewer: int, worlds: np.ndarray, weights: np.ndarray) -> Belief:
    """What `viewer` may believe about what is hidden from it in state `s`.

    Args:
        game: what is played; without a `seen_to_dict` of its own it tells of nothing.
        s: the state, of which only `seen_to_dict(s, viewer)` is looked at.
        viewer: a seat.
        worlds: STATE [m], how things may be.
        weights: float64 [m], how likely each of them is.
    """
    found: dict[str, Counter[str]] = {}
    seen, total = game.seen_to_dict(s, viewer), float(weights.sum())
    for i in np.flatnonzero(weights).tolist():
        for label, things in _hidden(seen, game.seen_to_dict(as_record(worlds, i), NOBODY), ()):
            counted = found.setdefault(label, Counter())
            for thing in things:
                counted[thing] += float(weights[i]) / total  # type: ignore[assignment]
    ranked = {label: sorted(things.items(), key=lambda each: (-each[1], each[0])) for label, things in found.items()}
    return tuple(
        (label, tuple((thing, min(1.0, share)) for thing, share in things if share >= LEAST))
        for label, things in ranked.items()
        if things
    )


def _hidden(seen: Any, true: Any, path: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Each thing that `seen` hides, with what it is in the world of `true`.

    Piles that belong to nobody are left out: their order is chance that is still to come.
    """
    if isinstance(seen, Mapping) and isinstance(true, Mapping):
        for key, value in seen.items():
            if key in true:
                yield from _hidden(value, true[key], (*path, str(key)))
    elif seen == HIDDEN and not isinstance(true, list | Mapping):
        yield _label(path), [str(true)]
    elif isinstance(true, list) and len(path) > 1 and (isinstance(seen, int) or HIDDEN in seen):
        known = Counter() if isinstance(seen, int) else Counter(map(str, seen))
        yield _label(path), sorted(Counter(map(str, true)) - known)


def _label(path: tuple[str, ...]) -> str:
    """`player_1's hand` for hands of "1", `red pawns` for pawns of "red"."""
    words = path[0].replace("_", " ")
    if len(path) == 1:
        return words
    if path[1].isdecimal():
        return f"player_{path[1]}'s {words.removesuffix('s')}"
    return f"{path[1]} {words}"
