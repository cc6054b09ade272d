"""Pictures of positions as SVG or pixels, and the pen that a game's `draw` uses.

>>> from spygames import agent_avenue_v0
>>> env = agent_avenue_v0.env()
>>> env.reset(seed=1)
>>> env.unwrapped.to_svg("player_0").save("turn.svg")  # a Picture

A picture shows only what its viewer may know, because it is drawn from the mapping of the viewer's knowledge. `Look`
adds the analysis of an agent (`Advice`), names and the last moves. `docs/pictures.md` shows all kinds of pictures.
"""

from spygames.core.pictures.picture import Picture, advice_panel, draw_seen, heading, log_panel, picture, title_bar
from spygames.core.pictures.raster import pixels, png
from spygames.core.pictures.render import draw
from spygames.core.players.beliefs import Belief, drawn_worlds, in_things, win_share
from spygames.core.svg.annotations import Advice, Draw, Look
from spygames.core.svg.colours import BAD, EDGE, GOOD, INK, PAPER, PICK, THEMES, Palette, Theme
from spygames.core.svg.pen import CANVAS, FONT, HEIGHT, WIDTH, Pen, Size, cut, width

__all__ = [
    "BAD",
    "CANVAS",
    "EDGE",
    "FONT",
    "GOOD",
    "HEIGHT",
    "INK",
    "PAPER",
    "PICK",
    "THEMES",
    "WIDTH",
    "Advice",
    "Belief",
    "Draw",
    "Look",
    "Palette",
    "Pen",
    "Picture",
    "Size",
    "Theme",
    "advice_panel",
    "cut",
    "draw",
    "draw_seen",
    "drawn_worlds",
    "heading",
    "in_things",
    "log_panel",
    "picture",
    "pixels",
    "png",
    "title_bar",
    "width",
    "win_share",
]
