"""A batch whose games are stepped one by one, and which stay over until they are begun anew."""

from collections.abc import Callable
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


def _advance_rows(games, rows, actions, viewers, cut_off):  # type: ignore[no-untyped-def]
    for k in range(len(rows)):
        i = rows[k]
        s = games.states[i]
        apply(s, np.int64(actions[i]))
        over = s.to_move < 0
        games.done[i] = over
        returns(s, games.rewards[i])
        cut_off[i] = over and truncated(s)
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(viewers[i] if over else s.to_move), games.views[i])


def _begin_rows(options, games, rows):  # type: ignore[no-untyped-def]
    for k in range(len(rows)):
        i = rows[k]
        blank(games.memory[i])
        init(games.states[i], options[0], games.seeds[i])


def _look_rows(games, rows, viewers):  # type: ignore[no-untyped-def]
    for k in range(len(rows)):
        i = rows[k]
        s = games.states[i]
        legal(s, games.allowed[i])
        for a in range(games.mask.shape[1]):
            games.mask[i, a] = games.allowed[i, a]
        observe(s, np.int64(viewers[i] if s.to_move < 0 else s.to_move), games.views[i])


class RowLoops(NamedTuple):
    """The compiled loops over some rows of one game."""

    advance: Callable[..., None]
    begin: Callable[..., None]
    look: Callable[..., None]


def _row_loops(game: Game) -> RowLoops:
    return RowLoops(
        game.bind(_advance_rows, truncated=game.truncated or _never), game.bind(_begin_rows), game.bind(_look_rows)
    )


class Games(Batch):
    """A `Batch` that can be stepped in some rows only, and in which a game that has ended stays over until `begin`.

    observation: float32 [n, F], in a game that is over what `viewers` of `advance` sees of its end. mask: int8 [n, A],
    all zeros there. rewards, done: of each row's last step. cut_off: bool [n], whether the row's last step ended its
    game without a result (`Game.truncated`).
    """

    def __init__(self, game: Game, n: int, seed: int | None = None):
        super().__init__(game, n, seed, threads=1)
        self.cut_off = np.zeros(n, np.bool_)
        self._row_loops = _row_loops(game)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_row_loops": None}

    def __setstate__(self, values: dict[str, Any]) -> None:
        super().__setstate__(values)
        self._row_loops = _row_loops(self.game)

    def advance(self, rows: np.ndarray, actions: np.ndarray, viewers: np.ndarray) -> None:
        """One decision in each of `rows`, int64 [k]; other rows and what belongs to them stay as they are.

        actions: int64 [n], read at `rows`. viewers: int8 [n], the seat for which the end of a game is observed.
        IllegalAction, and no game has moved, if an action is not legal.
        """
        games = self.arrays
        bad = first_illegal(actions[rows], games.allowed[rows])
        if bad >= 0:
            i = rows[bad]
            # What would be legal is not said: it would show one seat the cards of another.
            raise IllegalAction(f"action {actions[i]} is not legal for seat {self.seats[i]} in game {i}")
        self._row_loops.advance(games, rows, actions, viewers, self.cut_off)

    def begin(self, rows: np.ndarray, seeds: np.ndarray | None = None) -> None:
        """Begins games anew in `rows`, int64 [k]: from `seeds`, uint64 [k], or, for None, each from the seed that
        follows its last game's. `rewards`, `done` and `cut_off` stay those of the last step."""
        self.seeds[rows] = [next_seed(s) for s in self.seeds[rows]] if seeds is None else seeds
        self._row_loops.begin(self.game.packed, self.arrays, rows)
        self._row_loops.look(self.arrays, rows, self.seats)

    def look(self, rows: np.ndarray, viewers: np.ndarray) -> None:
        """Writes `observation` and `mask` of `rows` from the states, which somebody has changed; viewers as above."""
        self._row_loops.look(self.arrays, rows, viewers)
