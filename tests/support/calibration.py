"""Calibration: facts are as frequent in the worlds that `determinize` draws as they are in play.

A redrawn world is as likely as the truth only if the players' moves do not depend on the cards: a seat that plays its
best card reveals something about the others. So these games are played by places, not by cards. A seat plays a random
card of its hand, each place with the same chance, and a game in which that breaks a rule ends there, before the move.
The remaining positions have exactly the law that `determinize` claims: each arrangement of the hidden cards that the
rules allow counts once. Each fact, such as "the card on top is a mole", is compared with its value in redrawn worlds of
the same position: the difference is 0 on average, in every position. All luck is SplitMix64 and all sums are of
integers, so every machine finds the same.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from spygames.core.game.game import Game, as_record
from spygames.core.game.rng import mix, uniform

WORLDS = 4
"""Redrawn worlds per position."""
BOUND = 4.5
"""Maximum distance of a fact, in standard errors: 1,000 correct facts exceed it in one of 150 test runs."""
ENOUGH = 30
"""Minimum number of games in which a fact was in doubt; with fewer, its standard error means nothing."""

Facts = Callable[[np.ndarray, int], np.ndarray]
"""(STATE [k], viewer) -> int64 [k, f]: facts that the viewer cannot know. Each test defines its numbers and the number
of worlds that they count in. The f facts are the same in every position, and 0 where they mean nothing."""


class Luck:
    """Integers of a SplitMix64 stream."""

    def __init__(self, seed: int) -> None:
        self.rng = np.array([seed], np.uint64)

    def below(self, n: int) -> int:
        """Return 0..n-1, uniformly."""
        return int(uniform(self.rng, n))

    def seed(self) -> np.uint64:
        """Return a seed. It is mixed: streams seeded with states of one stream would share its numbers."""
        self.below(2)
        return np.uint64(mix(self.rng[0]))


class Found(NamedTuple):
    """Result of the comparison for one fact."""

    true: int
    """Number of positions in which it was true in play, or the sum of its numbers."""
    drawn: float
    """The same in redrawn worlds, on average."""
    games: int
    """Number of games in which it differed in a redrawn world."""
    errors: float
    """Difference in standard errors; games count as independent, positions of one game do not."""


def compare(
    game: Game, games: Iterable[Iterable[tuple[np.ndarray, int]]], names: Sequence[str], facts: Facts, luck: Luck
) -> dict[str, Found]:
    """Compare facts in play with facts in redrawn worlds.

    Args:
        game: the game.
        games: per game some positions, STATE [1], each with a viewer.
        names: [f] names of the facts.
        facts: computes the facts.
        luck: seeds the worlds.

    Returns:
        The result for each fact that was ever in doubt.
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
    """Check that no fact is further off than the bound; `wrong` holds those that are."""
    wrong = {name: each for name, each in found.items() if each.games >= ENOUGH and abs(each.errors) > bound}
    assert not wrong


def one_hot(values: np.ndarray, size: int) -> np.ndarray:
    """Return int64 [k, size] of int [k]; all zeros for values out of range."""
    return (values[:, None] == np.arange(size)).astype(np.int64)
