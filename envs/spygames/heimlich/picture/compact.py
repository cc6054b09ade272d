"""The form for thumbnails and notebooks: the decision, the town, the scores, and who the viewer is."""

from collections.abc import Mapping
from typing import Any

from spygames.core.game.game import NOBODY
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import INK, PAPER
from spygames.core.svg.pen import CANVAS, Pen, fitting, width
from spygames.heimlich.board import FINISH, MARK
from spygames.heimlich.picture.facts import headline
from spygames.heimlich.picture.frame import ROAD
from spygames.heimlich.picture.signs import COLOURS, figure
from spygames.heimlich.picture.small import middle, town

W, H = CANVAS["compact"]


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the mapping that `seen_to_dict` returned on the compact canvas."""
    palette, text = pen.palette, headline(seen, look.viewer)
    if look.viewer == seen["to_move"] and look.viewer != NOBODY:
        pen.box(6, 5, W - 12, 30, 12, palette.notice, stroke=palette.pick, stroke_width=1.4)
    text = text if width(text, 16) <= W - 24 else text.partition(":")[0]
    pen.words(W / 2, 26, text, 16, anchor="middle", most=W - 24)
    x, y, w, h = 10.0, 44.0, 252.0, 246.0
    pen.box(x - 2, y - 2, w + 4, h + 4, 10, ROAD)
    town(pen, seen, look, (x, y, w, h), letters=0, pick=False)
    middle(pen, seen, (x + w / 4 + 3, y + h / 4 + 3, w / 2 - 6, h / 2 - 6))
    x, long = 292.0, 58.0
    for i, agent in enumerate(seen["agents"]):
        mid, score = 56 + 28 * i, seen["scores"][agent]
        pen.at(x - 12, mid + 11, 0.54)
        pen.stamp(figure, agent, False, 0)
        pen.close()
        pen.box(x, mid - 7, long, 14, 4, palette.row)
        pen.box(x, mid - 7, max(3.0, long * min(score, FINISH) / FINISH), 14, 4, COLOURS[agent])
        pen.words(W - 8, mid + 6, str(score), 17, anchor="end")
    mark = x + long * MARK / FINISH
    dashes = {"stroke": palette.strong, "stroke_width": 1.2, "stroke_dasharray": "3 4"}
    pen.path(f"M{mark:.1f} 46v{28 * len(seen['agents']) - 8}", **dashes)
    if look.viewer != NOBODY:
        agent = seen["passports"][str(look.viewer)]
        pen.box(272, 250, 120, 40, 8, PAPER, stroke=COLOURS[agent], stroke_width=2.6)
        pen.at(290, 286, 0.66)
        pen.stamp(figure, agent, False, 0)
        pen.close()
        text = f"You: {agent}"
        pen.words(306, 276, text, fitting(text, 16, 82), INK)
