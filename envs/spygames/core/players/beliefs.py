"""Win probabilities, and marginal beliefs about hidden things from weighted worlds."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.player import DecisionBatch

__all__ = ["Belief", "drawn_worlds", "in_things", "win_share"]

Belief = Sequence[tuple[str, Sequence[tuple[str, float]]]]
"""Each hidden thing ("player_1's passport") with its possible values and their probabilities, the most likely first.

For several cards or places ("player_1's hand") it is the probability that at least one of them has the value."""

HIDDEN = "?"
"""The value in `seen_to_dict` of what the viewer cannot know."""
MIN_SHARE = 0.005
"""Minimum probability to be reported."""


def win_share(game: Game, value: float | None) -> float | None:
    """Convert an expected result to an expected share of wins, 0 to 1.

    The game must have one winning side, and its results must depend only on the winner. With two sides the results are
    1 and -1, or 0.5 and -0.5. With more sides the winner gets 1, and each loser pays an equal part of it. Other games
    have no scale of this kind: in Heimlich & Co. with three seats it may happen that no player wins, and a game of one
    side has no other side that could.

    Example:
        >>> from spygames import make_game
        >>> from spygames.pictures import win_share
        >>> win_share(make_game("agent_avenue_v0"), 0.5)
        0.75

    Args:
        game: the game.
        value: the expected result of a seat, in the game's units; None is returned as None.

    Returns:
        The share; None for a game with other results.
    """
    low, sides = game.lowest_return, game.num_sides
    known = () if sides == 1 else (-1.0, -0.5) if sides == 2 else (-1.0 / (sides - 1),)
    if value is None or low not in known:
        return None
    high = -low if sides == 2 else 1.0
    return min(1.0, max(0.0, (value - low) / (high - low)))


def drawn_worlds(decisions: DecisionBatch, row: int, n: int) -> np.ndarray:
    """Draw `n` equally likely worlds that are consistent with what the seat to move in `row` knows.

    Returns:
        STATE [n]. The worlds depend on the random stream of the row, which is not advanced.
    """
    d = decisions
    worlds = np.repeat(d.states[row : row + 1], n)
    seat, seeds = int(d.states["to_move"][row]), np.random.default_rng(int(d.rng[row, 0])).integers(0, 2**63, n)
    for i, seed in enumerate(seeds.tolist()):
        d.game.determinize(as_record(worlds, i), seat, np.uint64(seed))
    return worlds


def in_things(game: Game, s: Record, viewer: int, worlds: np.ndarray, weights: np.ndarray) -> Belief:
    """Return the marginal probabilities of each thing that is hidden from `viewer`, from weighted worlds.

    Args:
        game: the game. If it has no `seen_to_dict` of its own, the result is empty.
        s: the state; only `seen_to_dict(s, viewer)` is read.
        viewer: a seat.
        worlds: STATE [m], possible worlds.
        weights: float64 [m], their relative weights.
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
        (label, tuple((thing, min(1.0, share)) for thing, share in things if share >= MIN_SHARE))
        for label, things in ranked.items()
        if things
    )


def _hidden(seen: Any, true: Any, path: tuple[str, ...]) -> Iterator[tuple[str, list[str]]]:
    """Yield each thing that `seen` hides, with its values in the world `true`.

    Piles that belong to no player are left out, because their order is future chance.
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
    """Return a label for a path of keys: `player_1's hand` for hands of "1", `red pawns` for pawns of "red"."""
    words = path[0].replace("_", " ")
    if len(path) == 1:
        return words
    if path[1].isdecimal():
        return f"player_{path[1]}'s {words.removesuffix('s')}"
    return f"{path[1]} {words}"
