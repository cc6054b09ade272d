"""The score track, a frame of 42 spaces around the town. Start and Finish are one space."""

from collections.abc import Sequence

from spygames.core.pictures.picture import heading
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import EDGE, INK, PAPER
from spygames.core.svg.pen import Pen
from spygames.heimlich.board import FINISH, MARK
from spygames.heimlich.picture.facts import Seen
from spygames.heimlich.picture.frame import BOARD_X, BOARD_Y, CELL, PATH, ROAD
from spygames.heimlich.picture.signs import COLOURS, GOLD, token


def track(pen: Pen, m: Seen, look: Look) -> None:
    """Draw the spaces from Start to Finish and the tokens on them."""
    pen.stamp(_ground)
    here: dict[int, list[str]] = {}
    for agent, score in m["scores"].items():
        here.setdefault(_space_of(score) % FINISH, []).append(agent)
        if look.before and (old := _space_of(look.before["scores"][agent])) != _space_of(score):
            x, y = _cell(old)
            pen.at(x, y)
            pen.stamp(token, agent, 12, True)
            pen.close()
    for space, agents in here.items():
        x, y = _cell(space)
        for agent, (dx, dy, r) in zip(agents, _spread(len(agents)), strict=True):
            pen.at(x + dx, y + dy)
            pen.stamp(token, agent, r)
            pen.close()


def _ground(pen: Pen) -> None:
    """Draw the track without tokens."""
    pen.box(BOARD_X - 4, BOARD_Y - 4, 12 * CELL + 8, 11 * CELL + 8, 16, ROAD)
    special = {0: PAPER, MARK: GOLD}
    for fill, spaces in ((EDGE, range(0, FINISH, 2)), (PATH, range(1, FINISH, 2))):
        _squares(pen, fill, [space for space in spaces if space not in special])
    for space, fill in special.items():
        _squares(pen, fill, [space])
    x, y = _cell(0)
    for i in range(12):  # the checkered line of the finish
        pen.box(x - 24 + 8 * (i % 6), y - 22 + 7 * (i // 6), 8, 7, 0, INK if (i + i // 6) % 2 else PAPER)
    for space in (MARK, *range(5, FINISH, 5)):
        x, y = _cell(space)
        pen.words(x - 21, y - 12, str(space), 12, INK)


def _squares(pen: Pen, fill: str, spaces: Sequence[int]) -> None:
    """Draw spaces of one color as one path, whose stroke rounds their corners."""
    d = "".join(f"M{x - 18:g} {y - 18:g}h36v36h-36z" for x, y in map(_cell, spaces))
    pen.path(d, fill, stroke=fill, stroke_width=13, stroke_linejoin="round")


def _cell(space: int) -> tuple[float, float]:
    """Return the center of a space of the track. Start and Finish are one space, in the lower left corner."""
    space %= FINISH
    legs = ((0, 10, 0, -1, 0), (0, 0, 1, 0, 10), (11, 0, 0, 1, 21), (11, 10, -1, 0, 31))
    column, row, dx, dy, first = next(leg for leg in reversed(legs) if space >= leg[4])
    return (BOARD_X + (column + dx * (space - first) + 0.5) * CELL, BOARD_Y + (row + dy * (space - first) + 0.5) * CELL)


def _space_of(score: int) -> int:
    return min(score, FINISH)


def _spread(n: int) -> Sequence[tuple[float, float, float]]:
    """Return (dx, dy, radius) for each of n tokens on one space."""
    if n <= 2:
        return ((0, 5, 14),) if n == 1 else ((-11.5, 6, 11), (11.5, 6, 11))
    r, step = (9.0, 20) if n <= 4 else (8.0, 15.6) if n <= 6 else (7.2, 11.2)
    rows = enumerate((n - n // 2, n // 2))
    return [(step * (i - (k - 1) / 2), (-1, 15)[row], r) for row, k in rows for i in range(k)]


def race(pen: Pen, m: Seen, x: float, y: float, w: float, row: float) -> None:
    """Draw the scores as bars, one row for each agent below a heading at y, with a line at the marked space."""
    heading(pen, x, y, "Scores")
    long, bar = w - 74, row * 0.64
    for i, (agent, score) in enumerate(m["scores"].items()):
        mid = y + row * (i + 1)
        pen.at(x + 10, mid)
        pen.stamp(token, agent, row * 0.41)
        pen.close()
        pen.box(x + 30, mid - bar / 2, long, bar, 4, pen.palette.row)
        pen.box(x + 30, mid - bar / 2, max(3.0, long * min(score, FINISH) / FINISH), bar, 4, COLOURS[agent])
        pen.words(x + w, mid + 5, str(score), 14, anchor="end")
    mark = x + 30 + long * MARK / FINISH
    pen.path(
        f"M{mark:.1f} {y + row / 2:.1f} v{row * len(m['scores']):.1f}",
        stroke=pen.palette.strong,
        stroke_width=1.4,
        stroke_dasharray="3 4",
    )
