"""Draw Agent DOG: the board in the middle, the viewer's hand below, and the other players beside the board.

The picture shows only what `seen_to_dict` returned. The viewer's start space is at the bottom. Every legal action is a
target (see `Pen.target`): a card, one of its functions, a pawn, a goal space, or a button.
"""

from collections.abc import Mapping
from typing import Any

from spygames.agent_dog.picture.columns import buttons, count, legend
from spygames.agent_dog.picture.ground import homes, middle, track
from spygames.agent_dog.picture.pawns import marks, pawns, trails
from spygames.agent_dog.picture.scene import COLUMN, LEFT, RIGHT, Scene, scene_of
from spygames.agent_dog.picture.seats import SLOTS, bottom, panel
from spygames.agent_dog.picture.signs import FILL
from spygames.core.pictures.picture import advice_panel, log_panel, title_bar
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import Pen


def draw(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the mapping that `seen_to_dict` returned."""
    scene = scene_of(pen, seen, look)
    headline = _headline(scene)
    # A turn may end without a card played (AD-35), so there may be fewer cards played than turns.
    cards = f" · card {seen['cards_played']}" if seen["cards_played"] != seen["turn"] else ""
    due = scene.mover == look.viewer >= 0 or scene.mover < 0
    title_bar(pen, "Agent DOG", headline, f"round {seen['round'] + 1} · turn {seen['turn'] + 1}{cards}", due)
    track(scene)
    homes(scene)
    middle(scene)
    if look.before is not None:
        trails(scene, scene_of(pen, look.before, look))
    pawns(scene)
    marks(scene)
    for seat, colour in scene.colours.items():
        if place := SLOTS.get((colour - scene.colours[scene.below]) % 4):
            panel(scene, seat, *place)
    bottom(scene)
    count(scene, LEFT + 8, 224 if scene.sits(1) else 76)
    if look.log:
        pen.box(816, 718, 368, 168, 14, pen.palette.panel, stroke=pen.palette.line, stroke_width=1.3)
    log_panel(pen, 832, 746, 338, look, 5)
    colours = FILL[scene.colours[scene.below]], "#8fa0ae"
    advice_panel(pen, RIGHT, 366, COLUMN, look, colours, 3 if scene.left else 8)
    if look.advice is None and not scene.left:
        legend(scene, RIGHT + 4, 500)
    buttons(scene)


def headline(seen: Mapping[str, Any], viewer: int) -> str:
    """Return the decision that is due, or how the game ended."""
    return _headline(scene_of(Pen(), seen, Look(viewer)))


def _headline(scene: Scene) -> str:
    """Return the decision to be made, or how the game ended."""
    seen, mover = scene.seen, scene.mover
    if mover < 0:
        if not seen["winners"]:
            cards = seen["cards_played"]
            return f"Nobody wins: cut off after {cards} card{'s' if cards != 1 else ''}"
        if scene.look.viewer in seen["winners"]:
            won = "Your team wins" if len(seen["winners"]) > 1 else "You win"
        else:
            names = " and ".join(scene.name(seat) for seat in seen["winners"])
            won = f"{names} {'win' if len(seen['winners']) > 1 else 'wins'}"
        return f"{won}: all pawns are home"
    pending = seen["pending"] or {"as": "", "points": 0, "first": None}
    points = f"{pending['points']} point{'s' if pending['points'] != 1 else ''}"
    what = {
        "exchange": f"pass a card to {scene.name(scene.taker(mover)).replace('You', 'you')}",
        "card": "play a card",
        "place": "bring a pawn from its area" if pending["as"] == "start" else f"move a pawn by {pending['as']}",
        "step": f"step with a pawn, {points} left",
        "swap": f"choose the {'first' if pending['first'] is None else 'second'} hidden pawn to swap",
        "meeting": "choose the meeting that is held next",
        "redraw": f"{'still ' if seen['redrawn'] else ''}no playable card, discard one",
    }
    return f"{scene.name(mover)}: {what[seen['phase']]}"
