"""The three places where a search samples: worlds, which of them it plays on, and what is done there.

A test puts all worlds and branches with their weights in their place, and the same search is then exact.
"""

from typing import Protocol

import numpy as np

from spygames.core.game.game import Game
from spygames_training.networks.sampling import Asked, Drawn, sample_rows
from spygames_training.search.loops import loops_of


class Draws(Protocol):
    """What a search draws. Letters: j rivals, m worlds, k of them, r rows of rollouts, A actions."""

    exact: bool
    """Whether everything is enumerated, so that no estimate has an error."""

    def worlds(self, root: np.ndarray, seat: int, m: int) -> np.ndarray:
        """About `m` worlds that `seat` cannot tell from the one in `root`, STATE [1], alike likely: STATE [m]."""
        ...

    def pick(self, weights: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """About `k` of the pairs of rival and world, whose probabilities are float64 [j, m]: rivals int64 [k], worlds
        int64 [k], and their shares float64 [k], of sum 1."""
        ...

    def anew(self, root: np.ndarray, seat: int, worlds: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Those of the `worlds` that were drawn which have the numbers `which`, int64 [k], to be played out: STATE [k].
        Where a game has strata, each is another one of its stratum."""
        ...

    def streams(self, n: int) -> np.ndarray:
        """Random streams, uint64 [n, 1]."""
        ...

    def uniform(self) -> float:
        """A number from 0 to 1, without 1."""
        ...

    def act(
        self, logits: np.ndarray, mask: np.ndarray, rng: np.ndarray
    ) -> tuple[np.ndarray | None, np.ndarray, np.ndarray | None]:
        """What is done in rows [r] by softmax(logits) over legal actions: of which row each branch is, int64 [b], the
        actions int64 [b], and the branches' probabilities float64 [b]; None and None for one branch a row."""
        ...


class Sampled:
    """Draws from one random stream, so that what a search finds depends on its seed alone.

    Args:
        game: what is played.
        seed: uint64.
    """

    exact = False

    def __init__(self, game: Game, seed: np.uint64):
        self._game = game
        self._rng = np.random.Generator(np.random.SFC64(int(seed)))
        self._legal = np.zeros(game.num_actions, np.int64)

    def worlds(self, root: np.ndarray, seat: int, m: int) -> np.ndarray:
        """`Game.determinize` with `m` seeds; of each stratum alike many, at least one."""
        loops = loops_of(self._game)
        if loops.redraw_strata is None:
            found = self._game.new_states(m)
            loops.redraw(root, seat, self.streams(m)[:, 0], found)
            return found
        strata = loops.redraw_strata(root, seat, self.streams(1)[:, 0], np.zeros(1, np.int64), self._game.new_states())
        return self._of_strata(root, seat, np.arange(-(-m // strata) * strata))

    def anew(self, root: np.ndarray, seat: int, worlds: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Draws again: a likely world comes again and again, with other cards and chance."""
        if self._game.determinize_stratum is None:
            return worlds.take(which)
        return self._of_strata(root, seat, which)

    def _of_strata(self, root: np.ndarray, seat: int, strata: np.ndarray) -> np.ndarray:
        """A world of each stratum, int64 [k] modulo how many there are: STATE [k]."""
        found, redraw = self._game.new_states(len(strata)), loops_of(self._game).redraw_strata
        assert redraw is not None
        redraw(root, seat, self.streams(len(strata))[:, 0], strata, found)
        return found

    def pick(self, weights: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Systematic resampling (Kitagawa 1996, doi:10.1080/10618600.1996.10474692): k equal shares, one random start.

        Neighbours share a rival, so that each has its part of the k to one unit.
        """
        ends = np.cumsum(weights.ravel())
        places = (np.arange(k) + self._rng.random()) / k * ends[-1]
        found = np.minimum(np.searchsorted(ends, places, side="right"), weights.size - 1)
        self._rng.shuffle(found)  # so that the first few are a sample, too
        return found // weights.shape[1], found % weights.shape[1], np.full(k, 1 / k)

    def streams(self, n: int) -> np.ndarray:
        """Of the search's own stream."""
        return self._rng.integers(0, 1 << 64, (n, 1), np.uint64)

    def uniform(self) -> float:
        """Of the search's own stream."""
        return float(self._rng.random())

    def act(self, logits: np.ndarray, mask: np.ndarray, rng: np.ndarray) -> tuple[None, np.ndarray, None]:
        """One action a row, drawn from the row's stream."""
        r = len(mask)
        drawn = Drawn(np.empty(r, np.int64), np.empty(r, np.float32))
        sample_rows(np.ascontiguousarray(logits), Asked(mask, rng, np.arange(r)), 1.0, drawn, self._legal)
        return None, drawn.actions, None
