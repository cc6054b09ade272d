"""A recorded game as one HTML file without a server: a slider, viewpoints, and a player's advice."""

import base64
import gzip
import json
import re
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from spygames.core.game.game import NOBODY
from spygames.core.pictures.raster import FONTS
from spygames.core.records.film import Film, Scene
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import Size

_TEMPLATE = Path(__file__).with_name("page.html")
_BARS = 6
"""Maximum number of actions that the page names. The others are summed up."""


def page(
    film: Film,
    viewers: Sequence[int],
    progress: Callable[[int], None] = lambda done: None,
    theme: Theme = "dark",
    size: Size = "full",
) -> str:
    """Return the text of the HTML file.

    The pictures of a game share most of their SVG elements. Each element is stored once, and a picture is a list of
    element numbers, which gzip packs well. A browser opens the file from disk; its content security policy forbids
    network access.

    Args:
        film: the game.
        viewers: the seats whose viewpoints can be chosen; NOBODY for everything. The file holds only what they see.
        progress: called with 1 after each picture.
        theme: "dark" or "light", of the pictures and of the page around them.
        size: "full", "portrait" or "compact".

    Raises:
        ValueError: `theme` or `size` is invalid.
    """
    parts: dict[str, int] = {}
    views = []
    for viewer in viewers:
        scenes = []
        for position in range(len(film)):
            scenes.append(_packed(film.scene(position, viewer, draw_advice=False, theme=theme, size=size), parts))
            progress(1)
        views.append({"name": "everything" if viewer == NOBODY else f"player_{viewer}", "scenes": scenes})
    data = {"parts": [*parts], "views": views, "low": film.game.lowest_return, "fonts": _fonts()}
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)
    game, players = film.game, film.record.players
    texts = {"THEME": theme, "TITLE": f"{game.id}: {', '.join(players)}" if players else game.id, "VARIANT": game.title}
    filled = {name: escape(text) for name, text in texts.items()} | {"DATA": base64.b64encode(packed).decode()}
    return re.sub("{{(THEME|TITLE|VARIANT|DATA)}}", lambda found: filled[found[1]], _TEMPLATE.read_text("utf-8"))


def _packed(scene: Scene, parts: dict[str, int]) -> dict[str, Any]:
    """Return a scene as plain data, and add its new elements to `parts`."""
    elements = re.findall("<[^<]*", scene.picture)
    packed: dict[str, Any] = {"p": [parts.setdefault(each, len(parts)) for each in elements], "m": scene.move}
    packed["d"] = scene.seat
    if said := scene.said:
        packed |= {"n": said.title, "q": said.paragraphs}
    if advice := scene.advice:
        ranked = sorted(advice.actions, key=lambda each: -each[1])
        named = ranked if len(ranked) <= _BARS + 1 else ranked[:_BARS]
        bars = [[text, round(share, 3)] for text, share in named]
        if rest := ranked[len(named) :]:
            bars.append([f"{len(rest)} others", round(sum(share for _, share in rest), 3)])
        packed |= {"a": bars, "t": advice.title, "s": advice.share_title}
        for key, number in (("w", advice.share), ("v", advice.value)):
            if number is not None:
                packed[key] = round(number, 3)
    return packed


def _fonts() -> list[str]:
    """Return the regular and the bold font as base64. The layout of the pictures depends on them."""
    return [
        base64.b64encode((FONTS / f"spygames-{weight}.ttf").read_bytes()).decode() for weight in ("regular", "bold")
    ]
