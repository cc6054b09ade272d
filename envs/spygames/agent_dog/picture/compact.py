"""The form for thumbnails and notebooks: the decision, the board, the other players, and the viewer's hand."""

from collections.abc import Mapping
from typing import Any

from spygames.agent_dog.picture import signs
from spygames.agent_dog.picture.draw import headline
from spygames.agent_dog.picture.scene import scene_of
from spygames.agent_dog.picture.signs import TEXT
from spygames.agent_dog.picture.small import board, face
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import CANVAS, Pen, width

W, H = CANVAS["compact"]


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the mapping that `seen_to_dict` returned on the compact canvas."""
    scene, text, palette = scene_of(pen, seen, look), headline(seen, look.viewer), pen.palette
    if scene.mover == look.viewer >= 0:
        pen.box(6, 5, W - 12, 30, 12, palette.notice, stroke=palette.pick, stroke_width=1.4)
    text = text if width(text, 16) <= W - 24 else text.partition(",")[0]
    pen.words(W / 2, 26, text, 16, anchor="middle", most=W - 24)
    board(scene, 6, 38, 258, letters=0)
    y = 42.0
    for seat, colour in scene.colours.items():
        hand = seen["hands"][str(seat)]
        if seat == scene.mover:
            pen.box(268, y, 126, 26, 7, palette.own_row, stroke=palette.pick, stroke_width=1.4)
        pen.at(281, y + 23, 0.56)
        pen.stamp(signs.pawn, colour)
        pen.close()
        pen.words(295, y + 18.5, scene.name(seat), 15, TEXT[palette.theme][colour], most=72)
        pen.box(372, y + 4, 17, 19, 3, signs.BACK, stroke="#5f87a6", stroke_width=1)
        pen.words(380.5, y + 18.5, str(len(hand)), 14, "#ffffff", anchor="middle")
        y += 29
    hand = seen["hands"][str(scene.below)]
    a_row = 3 if len(hand) > 4 else 2
    w = (126 + 5) / a_row - 5
    h = min(58.0, (H - 10 - y - 6) / max(1, -(-len(hand) // a_row)) - 5)
    for i, card in enumerate(hand):
        pen.at(268 + i % a_row * (w + 5), y + 6 + i // a_row * (h + 5))
        face(pen, card, w, h, 0)
        pen.close()
