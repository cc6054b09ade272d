"""What the games of one seat begin from, drawn for many rows at once as NumPy's generators draw it.

A game takes three draws of its row's generator, in this order: the seat, `integers(P)`, unless it is fixed; the
players' random stream and the seed of the game, `integers(2**64, dtype=uint64)` each. `SingleEnv` draws one game after
the other; here a compiled loop does, from raw numbers of the same generators that were fetched in advance.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from spygames.core.kernel import kernel

WIDTH = 64
"""Raw numbers of a row that are fetched at a time."""
ENOUGH = 16
"""Those that a game takes, at most: three, and some more where a seat is drawn again, once in 10^9 times."""


class Drawn(NamedTuple):
    """What games begin from, by row."""

    seats: np.ndarray
    """int8 [n], which are drawn where `fixed` is below 0"""
    streams: np.ndarray
    """uint64 [n, 1]"""
    seeds: np.ndarray
    """uint64 [n]"""


Row = tuple[np.random.Generator, np.ndarray, int, int]
"""The draws of one row."""


class Starts:
    """The draws of `n` rows.

    Args:
        generators: one a row, which nobody else draws from.
        seats: P, from which a seat is drawn.
    """

    def __init__(self, generators: Sequence[np.random.Generator], seats: int):
        n = len(generators)
        self.generators, self.num_seats = list(generators), seats
        self._raw = np.zeros((n, WIDTH), np.uint64)
        self._place = np.full(n, WIDTH, np.int64)  # the next raw number of each row
        self._half = np.full(n, -1, np.int64)  # 32 bits that the last draw of a seat has left over, or -1

    def restart(self, row: int, generator: np.random.Generator) -> None:
        """The row draws from another generator from now on."""
        self.generators[row] = generator
        self._place[row], self._half[row] = self._raw.shape[1], -1

    def row(self, row: int) -> Row:
        """The draws of a row, for `put_row`."""
        return self.generators[row], self._raw[row].copy(), int(self._place[row]), int(self._half[row])

    def put_row(self, row: int, kept: Row) -> None:
        """The row draws again as it did."""
        self.generators[row], raw, place, self._half[row] = kept
        added = self._raw.shape[1] - len(raw)
        self._raw[row, added:], self._place[row] = raw, place + added

    def fetch(self) -> None:
        """Makes sure that each row has raw numbers at hand; what was drawn before cannot be drawn again (`goto`)."""
        width = self._raw.shape[1]
        for i in np.flatnonzero(self._place > width - ENOUGH).tolist():
            place = int(self._place[i])
            self._raw[i, : width - place] = self._raw[i, place:]
            self._raw[i, width - place :] = self.generators[i].bit_generator.random_raw(place)
            self._place[i] = 0

    def mark(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the draws are, for `goto`."""
        return self._place.copy(), self._half.copy()

    def goto(self, mark: tuple[np.ndarray, np.ndarray]) -> None:
        """Draws again from where the draws were at `mark`, after which nothing was fetched."""
        self._place[:], self._half[:] = mark

    def draw(self, rows: np.ndarray, fixed: np.ndarray, drawn: Drawn) -> None:
        """Draws what games in `rows`, int64 [k], begin from.

        Args:
            rows: the games.
            fixed: int64 [n], the seat of each row, or -1: it is drawn.
            drawn: written at `rows`.
        """
        if (self._place[rows] > self._raw.shape[1] - ENOUGH).any():  # many games of one step had nothing to decide
            more = [generator.bit_generator.random_raw(WIDTH) for generator in self.generators]
            self._raw = np.concatenate([self._raw, np.array(more, np.uint64)], axis=1)
        _draw_rows(self._raw, self._place, self._half, rows, fixed, self.num_seats, drawn)


@kernel
def _next32(raw: np.ndarray, place: np.ndarray, half: np.ndarray, i: int) -> np.uint64:
    """32 random bits as PCG64 gives them: the lower half of 64, then the upper half of these."""
    if half[i] >= 0:
        bits = np.uint64(half[i])
        half[i] = -1
        return bits
    both = raw[i, place[i]]
    place[i] += 1
    half[i] = np.int64(both >> np.uint64(32))
    return both & np.uint64(0xFFFFFFFF)


@kernel
def _draw_seat(raw: np.ndarray, place: np.ndarray, half: np.ndarray, i: int, n: int) -> np.int64:
    """0..n-1, as `integers(n)` of NumPy: by Lemire's method from 32 bits (see `spygames.core.spaces`)."""
    if n == 1:
        return np.int64(0)
    size, mask = np.uint64(n), np.uint64(0xFFFFFFFF)
    product = _next32(raw, place, half, i) * size
    if product & mask < size:
        refused = (np.uint64(0x1_0000_0000) - size) % size
        while product & mask < refused:
            product = _next32(raw, place, half, i) * size
    return np.int64(product >> np.uint64(32))


@kernel
def _draw_rows(
    raw: np.ndarray, place: np.ndarray, half: np.ndarray, rows: np.ndarray, fixed: np.ndarray, n: int, drawn: Drawn
) -> None:
    for k in range(len(rows)):
        i = rows[k]
        drawn.seats[i] = fixed[i] if fixed[i] >= 0 else _draw_seat(raw, place, half, i, n)
        drawn.streams[i, 0] = raw[i, place[i]]
        drawn.seeds[i] = raw[i, place[i] + 1]
        place[i] += 2
