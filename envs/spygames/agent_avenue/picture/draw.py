"""Draw Agent Avenue: the loop around the park, a zone for each side above and below, columns with piles and market.

The picture shows only what `seen_to_dict` returned. The viewer's side is at the bottom. Everything that the viewer may
choose is framed and carries the text of its action (`Pen.target`).
"""

from collections.abc import Mapping
from typing import Any

from spygames.agent_avenue.picture.columns import COLUMN, LEFT, RIGHT, TOP, key, market, piles, race
from spygames.agent_avenue.picture.loop import loop
from spygames.agent_avenue.picture.park import park
from spygames.agent_avenue.picture.scene import Scene
from spygames.agent_avenue.picture.signs import SIDE
from spygames.agent_avenue.picture.zones import own_zone, top_zone
from spygames.core.pictures.picture import Look, advice_panel, log_panel, title_bar
from spygames.core.svg.pen import WIDTH, Pen

TOP_ZONE, OWN_ZONE = (52, 148), (638, 248)
"""The upper edge and height of the zones of the two sides."""
LOG_END, ADVICE = 622, 428


def headline(seen: Mapping[str, Any], viewer: int) -> str:
    """Return the decision that is due, or the result and its reason."""
    return Scene(Pen(), seen, Look(viewer)).headline


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw what `seen_to_dict` returned on the canvas of 1200 x 900 units."""
    c = Scene(pen, seen, look)
    due = look.viewer >= 0 and seen["to_move"] == look.viewer
    title_bar(pen, "Agent Avenue", c.headline, f"turn {seen['turn']}", due)
    for side, (y, h) in ((1 - c.below, TOP_ZONE), (c.below, OWN_ZONE)):
        active = side == (seen["active_side"] if seen["winner"] is None else seen["winner"])
        edge = SIDE[side] if active else pen.palette.line
        pen.box(16, y, WIDTH - 32, h, 16, pen.palette.panel, stroke=edge, stroke_width=2.4)
    top_zone(c, 1 - c.below, TOP_ZONE[0])
    own_zone(c, c.below, OWN_ZONE[0])
    loop(c)
    park(c)
    y = piles(c)
    if seen["mode"] == "advanced":
        y = race(c, LEFT, y, 24) + 24
        market(c)
    else:
        race(c, RIGHT, TOP, 50)
    own = c.below if look.viewer >= 0 or seen["to_move"] is None else c.side(seen["to_move"])
    if look.viewer < 0 and look.advice is None:  # the order of the decks fills the left column
        log_panel(pen, RIGHT, ADVICE, COLUMN, look, 8)
    elif (lines := int((LOG_END - y) // 22)) > 0:
        log_panel(pen, LEFT, y, COLUMN + 12, look, lines)
    if look.advice is not None:
        advice_panel(pen, RIGHT, ADVICE, COLUMN, look, (SIDE[own], SIDE[1 - own]), lines=4)
    elif look.viewer >= 0:
        key(c, ADVICE)
