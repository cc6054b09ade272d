"""A batch whose games are stepped one by one, and which keeps the end of a game when the next one begins."""

from typing import Any, NamedTuple

import numpy as np

from spygames.core.batch import Batch, blank
from spygames.core.game import Game, IllegalAction
from spygames.core.kernel import Record, kernel
from spygames.core.player import first_illegal
from spygames.core.rng import next_seed

# Stand for the kernels of a game, which `Game.bind` puts in their place.
init: Any = None
legal: Any = None
apply: Any = None
returns: Any = None
observe: Any = None
truncated: Any = None


@kernel
def _never(s: Record) -> bool:
    return False


class Ends(NamedTuple):
    """How the last game of each of n rows ended."""

    viewers: np.ndarray
    """int8 [n], the seat that `final` is written for"""
    final: np.ndarray
    """VIEW [n]"""
    cut_off: np.ndarray
    """bool [n], whether it ended without a result"""


def _advance_rows(options, games, rows, actions, ends):  # type: ignore[no-untyped-def]
    for k in range(len(rows)):
        i = rows[k]
        s = games.states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        games.done[i] = over
        returns(s, games.rewards[i])
        if over:
            observe(s, ends.viewers[i], ends.final[i])
            ends.cut_off[i] = truncated(s)
            games.seeds[i] = next_seed(games.seeds[i])
            blank(games.memory[i])
            init(s, options[0], games.seeds[i])
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(s.to_move), games.views[i])


def _loop(game: Game) -> Any:
    return game.bind(_advance_rows, truncated=game.truncated or _never)


class Games(Batch):
    """A `Batch` that can be stepped in some rows only.

    final: float32 [n, F], what `viewers[i]` sees of the end of the last game of row i. cut_off: bool [n], whether that
    game ended without a result (`Game.truncated`). Both hold where the row's last step ended a game (`done`).
    """

    def __init__(self, game: Game, n: int, seed: int | None = None):
        super().__init__(game, n, seed, threads=1)
        self.final = np.zeros((n, game.num_features), np.float32)
        self.cut_off = np.zeros(n, np.bool_)
        self._advance = _loop(game)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_advance": None}

    def __setstate__(self, values: dict[str, Any]) -> None:
        super().__setstate__(values)
        self._advance = _loop(self.game)

    def advance(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
        """One decision in each of `rows`, int64 [k]; other rows and what belongs to them stay as they are.

        actions: int64 [n], read at `rows`. viewers: int8 [n], the seat that `final` is written for. IllegalAction, and
        no game has moved, if one is not legal.
        """
        games = self.arrays
        bad = first_illegal(actions[rows], games.allowed[rows])
        if bad >= 0:
            i = rows[bad]
            # What would be legal is not said: it would show one seat the cards of another.
            raise IllegalAction(f"action {actions[i]} is not legal for seat {self.seats[i]} in game {i}")
        final = self.final.view(self.game.view_dtype).reshape(self.n)
        self._advance(self.game.packed, games, rows, actions, Ends(viewers, final, self.cut_off))
