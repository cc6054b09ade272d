"""Calibration: what `determinize` draws comes as often as it is true in play.

A redrawn world is as likely as the truth only among players whose moves do not depend on what the cards say: a seat
that plays its best card tells of the others. So these games are played by places, not by cards. A seat lays down any
card of its hand, each place with the same chance, and a game that breaks a rule by it ends there, before the move.
What is left then has exactly the law that `determinize` claims: every way to lay the hidden cards that the rules allow
counts once. Each fact, such as "the card on top is a mole", is compared with what it is in redrawn worlds of the same
position: the difference is 0 on average, whatever the position. All luck is SplitMix64 and all sums are of whole
numbers, so every machine finds the same.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.rng import mix, uniform

WORLDS = 4
"""Redrawn worlds of a position."""
BOUND = 4.5
"""Standard errors by which no fact may be off: of 1,000 facts that are right, one is in 150 test runs."""
ENOUGH = 30
"""A fact that was in doubt in fewer games than this is not judged: its standard error means nothing."""

Facts = Callable[[np.ndarray, int], np.ndarray]
"""(STATE [k], viewer) -> int64 [k, f]: facts that the viewer cannot know. How many worlds they count in, and what the
numbers are, is up to the test; the f facts are the same in every position, and 0 where they mean nothing."""


class Luck:
    """Whole numbers of a SplitMix64 stream."""

    def __init__(self, seed: int) -> None:
        self.rng = np.array([seed], np.uint64)

    def below(self, n: int) -> int:
        """0..n-1, each with the same chance."""
        return int(uniform(self.rng, n))

    def seed(self) -> np.uint64:
        """Any seed: mixed, since streams from states of one stream would have its numbers in common."""
        self.below(2)
        return np.uint64(mix(self.rng[0]))


class Found(NamedTuple):
    """What came of a fact."""

    true: int
    """How often it was true in play, or how much it was in all."""
    drawn: float
    """The same in redrawn worlds, on average."""
    games: int
    """In how many games it was another in a redrawn world."""
    errors: float
    """The difference in standard errors; games count as independent, positions of one game do not."""


def compare(
    game: Game, games: Iterable[Iterable[tuple[np.ndarray, int]]], names: Sequence[str], facts: Facts, luck: Luck
) -> dict[str, Found]:
    """What facts are in play and in redrawn worlds.

    Args:
        game: what is played.
        games: of each game some positions, STATE [1], and for each a viewer.
        names: [f], of the facts.
        facts: counts them.
        luck: for the worlds.

    Returns:
        What came of each fact that was ever in doubt.
    """
    size = len(names)
    true, drawn, off, squares, in_doubt = (np.zeros(size, np.int64) for _ in range(5))
    for positions in games:
        of_game = np.zeros(size, np.int64)
        for states, viewer in positions:
            worlds = np.repeat(states, 1 + WORLDS)
            for i in range(1, 1 + WORLDS):
                game.determinize(as_record(worlds, i), viewer, luck.seed())
            found = facts(worlds, viewer)
            assert found.shape == (1 + WORLDS, size)
            true += found[0]
            drawn += found[1:].sum(axis=0)
            of_game += WORLDS * found[0] - found[1:].sum(axis=0)
        off += of_game
        squares += of_game**2
        in_doubt += of_game != 0
    return {
        name: Found(int(true[i]), int(drawn[i]) / WORLDS, int(in_doubt[i]), float(off[i] / squares[i] ** 0.5))
        for i, name in enumerate(names)
        if squares[i]
    }


def check(found: dict[str, Found], bound: float = BOUND) -> None:
    """No fact is further off than the bound: `wrong` has those that are."""
    wrong = {name: each for name, each in found.items() if each.games >= ENOUGH and abs(each.errors) > bound}
    assert not wrong


def one_hot(values: np.ndarray, size: int) -> np.ndarray:
    """int64 [k, size] of int [k]; zeros for values out of range."""
    return (values[:, None] == np.arange(size)).astype(np.int64)
