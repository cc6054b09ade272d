"""Draw Heimlich & Co. from what a viewer may know: town and score track, stage, notebook, and the viewer's own things.

Agents are always in the order of their ids, because a viewer-relative order would reveal the mover's agent.
"""

from spygames.core.pictures.picture import advice_panel, log_panel, title_bar
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import Pen
from spygames.heimlich.picture.facts import Seen, headline
from spygames.heimlich.picture.frame import BOTTOM, SIDE_W, SIDE_X
from spygames.heimlich.picture.hand import own_things
from spygames.heimlich.picture.notebook import notebook
from spygames.heimlich.picture.predictions import predictions
from spygames.heimlich.picture.signs import GOLD, TAG
from spygames.heimlich.picture.stage import stage
from spygames.heimlich.picture.town import town
from spygames.heimlich.picture.track import race, track


def draw(pen: Pen, seen: Seen, look: Look) -> None:
    """Draw the mapping that `seen_to_dict` returned."""
    edition = " \N{MIDDLE DOT} 1984" if seen["edition"] == "ravensburger" else ""
    due = look.viewer == seen["to_move"]
    title_bar(pen, "Heimlich & Co.", headline(seen, look.viewer), f"turn {seen['turn'] + 1}{edition}", due)
    track(pen, seen, look)
    town(pen, seen, look)
    stage(pen, seen, look)
    y = notebook(pen, seen, look)
    if seen["guesses"]:
        y = predictions(pen, seen, look, y)
    panels(pen, seen, look, y + 30)
    own_things(pen, seen, look)


def panels(pen: Pen, m: Seen, look: Look, y: float) -> None:
    """Draw the scores if they are not elsewhere and there is room, the log, and advice."""
    x, w, advice = SIDE_X + 14, SIDE_W - 28, look.advice if m["phase"] != "over" else None
    if m["hands"] and BOTTOM - y >= 30 + 22 * len(m["agents"]) + (130 if advice is None else 250):
        race(pen, m, x, y, w, 22)
        y += 44 + 22 * len(m["agents"])
    if advice is not None:
        left = (w + 20) / 2 if look.log else 0
        lines = max(2, min(8, int((BOTTOM - y - 80) // 32)))
        advice_panel(pen, x + left, y, w - left, look, (GOLD, TAG), lines)
        w = left - 20
    log_panel(pen, x, y, w, look, int((BOTTOM - y - 12) // 22))
