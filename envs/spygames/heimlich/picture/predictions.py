"""The table of predictions, a row for each player; at the end it marks those that were right."""

from spygames.core.pictures.picture import heading
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import PAPER
from spygames.core.svg.pen import Pen
from spygames.heimlich.board import MARK
from spygames.heimlich.picture.facts import Seen, owners, seats
from spygames.heimlich.picture.frame import SIDE_W, SIDE_X
from spygames.heimlich.picture.notebook import column

HIT = "#23704a"
"""Background of a prediction that was right."""


def predictions(pen: Pen, m: Seen, look: Look, y: float) -> float:
    """Draw the known predictions of each player, at the end with marks for those that were right.

    Returns:
        The y coordinate of the lower edge.
    """
    over, row = m["phase"] == "over", 22
    y += 26
    made = "all made, an identity changed since" if m["swapped_late"] else "all made" if m["guessed"] else ""
    status = made or ("never asked" if over else "asked now" if m["guessing"] else f"asked when a token reaches {MARK}")
    heading(pen, SIDE_X + 14, y, "Predictions")
    pen.words(SIDE_X + 112, y, status, 12, pen.palette.soft, bold=False)
    if not (over or m["guessed"] or m["guessing"]):
        return y
    truth = owners(m, look.viewer) if over else {}
    for k, seat in enumerate(seats(m, look.viewer)):
        pen.at(0, y + 8 + (k + 0.5) * row)
        made = m["guesses"][str(seat)]
        due = seat in m["guessing"]
        edge = pen.palette.pick if seat == m["to_move"] and due else None
        pen.box(SIDE_X + 6, -10, SIDE_W - 12, 20, 6, pen.palette.row, stroke=edge)
        pen.words(SIDE_X + 24, 4.5, str(seat), 12, pen.palette.soft, anchor="middle")
        count = made if isinstance(made, int) else len(made)
        text = "You" if seat == look.viewer else f"player_{seat}"
        pen.words(SIDE_X + 42, 4.5, f"{text} · {count} made" if count else text, 12, bold=False)
        right = 0
        for i, agent in enumerate(m["agents"]):
            cx, _ = column(m, i)
            if isinstance(made, int) or agent not in made:
                continue
            owner = made[agent]
            label = "free" if owner == "free" else owner.removeprefix("player_")
            hit = (
                over
                and owner == ("free" if truth[agent] is None else f"player_{truth[agent]}")
                and truth[agent] != seat
            )
            right += hit
            ground, edge = (HIT, None) if hit else (pen.palette.cell, pen.palette.line)
            pen.box(cx - 19, -8, 38, 16, 5, ground, stroke=edge)
            if hit:
                pen.path(f"M{cx - 16:.1f} 0 l2.6 3.6 l4.6 -7.2", stroke=PAPER, stroke_width=2)
            pen.words(cx + (6 if hit else 0), 4.2, label, 11.5, PAPER if hit else None, anchor="middle")
        if over:
            pen.words(SIDE_X + SIDE_W - 9, 4.5, f"+{5 * right}", 12, anchor="end")
        pen.close()
    return y + 8 + row * m["players"]
