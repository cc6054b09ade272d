"""Heimlich & Co. as a picture, drawn from what a viewer may know: town and score track, stage, notebook, own things.

The agents stand in the order of their ids wherever there is an order: the viewer-relative order would mark the mover's.
The parts are in `drawing/`.
"""

from spygames.core.look import Look
from spygames.core.pen import PAPER, SOFT, Pen
from spygames.core.picture import advice_panel, heading, log_panel, title_bar
from spygames.heimlich.board import FINISH, MARK
from spygames.heimlich.drawing.facts import Seen, headline
from spygames.heimlich.drawing.frame import BOTTOM, SIDE_W, SIDE_X
from spygames.heimlich.drawing.hand import own_things
from spygames.heimlich.drawing.notebook import ROW, notebook
from spygames.heimlich.drawing.predictions import predictions
from spygames.heimlich.drawing.stage import stage
from spygames.heimlich.drawing.town import town
from spygames.heimlich.drawing.track import track
from spygames.heimlich.signs import COLOURS, GOLD, token


def draw(pen: Pen, seen: Seen, look: Look) -> None:
    """Draws what `seen_to_dict` returned."""
    edition = " \N{MIDDLE DOT} 1984" if seen["edition"] == "ravensburger" else ""
    title_bar(pen, "Heimlich & Co.", headline(seen, look.viewer), f"turn {seen['turn']}{edition}")
    track(pen, seen, look)
    town(pen, seen, look)
    stage(pen, seen, look)
    y = notebook(pen, seen, look)
    if seen["guesses"]:
        y = predictions(pen, seen, look, y)
    panels(pen, seen, look, y + 30)
    own_things(pen, seen, look)


def panels(pen: Pen, m: Seen, look: Look, y: float) -> None:
    """The race of the tokens, advice, and what happened, as far as there is room."""
    x, w, advice = SIDE_X + 14, SIDE_W - 28, look.advice if m["phase"] != "over" else None
    log = look.log if m["hands"] else ()
    race = 30 + 22 * len(m["agents"])
    need = (150 if log else 0) if advice is None else 250
    if BOTTOM - y >= race + need:
        y = _race(pen, m, look, x, y, w)
    if advice is not None:
        lines = max(2, min(8, int((BOTTOM - y - 80) // 32)))
        split = (w - 20) / 2 if log else 0
        advice_panel(pen, x + split + (20 if log else 0), y, w - split - (20 if log else 0), look, (GOLD, SOFT), lines)
        w = split
    if log:
        log_panel(pen, x, y, w, look, int((BOTTOM - y - 12) // 22))


def _race(pen: Pen, m: Seen, look: Look, x: float, y: float, w: float) -> float:
    """The scores as bars. Returns where the next panel may begin."""
    heading(pen, x, y, "Scores")
    long = w - 70
    for i, agent in enumerate(m["agents"]):
        mid, score = y + 22 + 22 * i, m["scores"][agent]
        pen.at(x + 9, mid)
        token(pen, agent, 9)
        pen.close()
        pen.box(x + 26, mid - 7, long, 14, 4, ROW)
        pen.box(x + 26, mid - 7, max(3.0, long * min(score, FINISH) / FINISH), 14, 4, COLOURS[agent])
        pen.words(x + w, mid + 5, str(score), 14, PAPER, anchor="end")
    mark = x + 26 + long * MARK / FINISH
    pen.path(f"M{mark:.1f} {y + 10} v{22 * len(m['agents'])}", stroke=PAPER, stroke_width=1.4, stroke_dasharray="3 4")
    return y + 44 + 22 * len(m["agents"])
