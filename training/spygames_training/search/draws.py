"""The sampling of a search: worlds, the worlds to play out, and actions.

Tests replace it by an enumeration of all worlds and actions with their probabilities; the same search is then exact.
"""

from typing import Protocol

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.sampling import Asked, Drawn, sample_rows
from spygames_training.search.loops import loops_of


class Draws(Protocol):
    """The random choices of a search. Letters: j rivals, m worlds, k of them, r rows of rollouts, b branches, A
    actions."""

    exact: bool
    """Whether everything is enumerated, so that estimates have no error."""

    def worlds(self, root: np.ndarray, seat: int, m: int) -> np.ndarray:
        """Return about `m` equally likely worlds, STATE [m], that `seat` cannot distinguish from `root`, STATE [1]."""
        ...

    def pick(self, weights: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw about `k` pairs of rival and world.

        Args:
            weights: float64 [j, m], the probabilities of the pairs.
            k: number of pairs.

        Returns:
            rivals int64 [k], worlds int64 [k], and their shares float64 [k], of sum 1.
        """
        ...

    def anew(self, root: np.ndarray, seat: int, worlds: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Return `worlds[which]` for rollouts, STATE [k]. Games with strata redraw each world within its stratum.
        `which` is int64 [k]."""
        ...

    def streams(self, n: int) -> np.ndarray:
        """Return random streams, uint64 [n, 1]."""
        ...

    def uniform(self) -> float:
        """Return a number from 0 to below 1."""
        ...

    def act(
        self, logits: np.ndarray, mask: np.ndarray, rng: np.ndarray
    ) -> tuple[np.ndarray | None, np.ndarray, np.ndarray | None]:
        """Choose actions in rows [r] by softmax(logits) over legal actions.

        Returns:
            The row of each branch, int64 [b], its action, int64 [b], and its probability, float64 [b]. Rows and
            probabilities are None if each row has one branch.
        """
        ...


class Sampled:
    """Sampling from one random stream, so that a search depends on its seed alone.

    Args:
        game: the game.
        seed: uint64.
    """

    exact = False

    def __init__(self, game: Game, seed: np.uint64):
        self._game = game
        self._rng = np.random.Generator(np.random.SFC64(int(seed)))
        self._legal = np.zeros(game.num_actions, np.int64)

    def worlds(self, root: np.ndarray, seat: int, m: int) -> np.ndarray:
        """Call `Game.determinize` with `m` seeds. In games with strata, each stratum gets the same number of worlds, at
        least one."""
        loops = loops_of(self._game)
        if loops.redraw_strata is None:
            found = self._game.new_states(m)
            loops.redraw(root, seat, self.streams(m)[:, 0], found)
            return found
        strata = loops.redraw_strata(root, seat, self.streams(1)[:, 0], np.zeros(1, np.int64), self._game.new_states())
        return self._of_strata(root, seat, np.arange(-(-m // strata) * strata))

    def anew(self, root: np.ndarray, seat: int, worlds: np.ndarray, which: np.ndarray) -> np.ndarray:
        """Draw the chosen worlds again. A likely world is chosen repeatedly, and gets other cards and chance each
        time."""
        if self._game.determinize_stratum is None:
            return worlds.take(which)
        return self._of_strata(root, seat, which)

    def _of_strata(self, root: np.ndarray, seat: int, strata: np.ndarray) -> np.ndarray:
        """Draw a world from each of `strata`, int64 [k], numbers taken modulo the number of strata: STATE [k]."""
        found, redraw = self._game.new_states(len(strata)), loops_of(self._game).redraw_strata
        assert redraw is not None
        redraw(root, seat, self.streams(len(strata))[:, 0], strata, found)
        return found

    def pick(self, weights: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Systematic resampling (Kitagawa 1996, doi:10.1080/10618600.1996.10474692): k equal shares, one random start.

        The weights are in order of rivals, so each rival's number of pairs is its share of k, rounded up or down.
        """
        ends = np.cumsum(weights.ravel())
        places = (np.arange(k) + self._rng.random()) / k * ends[-1]
        found = np.minimum(np.searchsorted(ends, places, side="right"), weights.size - 1)
        self._rng.shuffle(found)  # so that any first part is a sample, too
        return found // weights.shape[1], found % weights.shape[1], np.full(k, 1 / k)

    def streams(self, n: int) -> np.ndarray:
        """Draw from the search's own stream."""
        return self._rng.integers(0, 1 << 64, (n, 1), np.uint64)

    def uniform(self) -> float:
        """Draw from the search's own stream."""
        return float(self._rng.random())

    def act(self, logits: np.ndarray, mask: np.ndarray, rng: np.ndarray) -> tuple[None, np.ndarray, None]:
        """Draw one action per row from the row's stream."""
        r = len(mask)
        drawn = Drawn(np.empty(r, np.int64), np.empty(r, np.float32))
        sample_rows(np.ascontiguousarray(logits), Asked(mask, rng, np.arange(r)), 1.0, drawn, self._legal)
        return None, drawn.actions, None
