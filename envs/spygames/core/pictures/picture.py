"""SVG pictures of positions, as one viewer sees them.

A game provides two functions. `seen_to_dict` masks the parts of the state mapping that the viewer cannot know, and
`draw` draws that mapping. `draw` never gets the state, so a picture cannot reveal hidden information. A game without
these functions gets the text of `to_text` on a panel.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game
from spygames.core.pictures.themes import check_size, palette_of
from spygames.core.svg.annotations import Advice, Look
from spygames.core.svg.colours import INK, Theme
from spygames.core.svg.pen import CANVAS, FONT, HEIGHT, WIDTH, Pen, Size, fitting, width

__all__ = ["Picture", "advice_panel", "draw_seen", "heading", "log_panel", "phone_headline", "picture", "title_bar"]

_LINES = 8
"""Maximum number of bars in a panel of advice; the last one sums up the remaining actions."""


class Picture(str):
    """An SVG document as text. Notebooks display it as an image."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> None:
        """Write the SVG to a file."""
        Path(path).write_text(self, encoding="utf-8")


def picture(
    game: Game,
    s: Record,
    viewer: int,
    *,
    before: Mapping[str, Any] | None = None,
    legal: Sequence[str] = (),
    advice: Advice | None = None,
    names: Sequence[str] = (),
    log: Sequence[str] = (),
    theme: Theme = "dark",
    size: Size = "full",
) -> Picture:
    """Draw what seat `viewer` may know of state `s`; NOBODY (-1) sees everything.

    Args:
        game: the game of the state.
        s: the state.
        viewer: the seat that sees the picture, or NOBODY.
        before: an earlier result of `seen_to_dict` for the same viewer; the picture shows what has moved since.
        legal: texts of actions to draw as targets.
        advice: a player's assessment to draw.
        names: the players' names, one per seat.
        log: the events so far, latest first.
        theme: "dark" or "light".
        size: "full", "portrait" (for phones) or "compact" (for thumbnails and notebooks). A game without a drawing for
            this size is drawn in full.

    Raises:
        ValueError: `theme` or `size` is invalid.
    """
    look = Look(viewer, before, tuple(legal), advice, tuple(names), tuple(log), game.to_text(s, viewer))
    return draw_seen(game, game.seen_to_dict(s, viewer), look, theme, size)


def draw_seen(game: Game, seen: Mapping[str, Any], look: Look, theme: Theme = "dark", size: Size = "full") -> Picture:
    """Draw a result of `seen_to_dict`; the arguments and errors are those of `picture`."""
    pen, size = Pen(palette_of(theme)), check_size(size)
    texts = game.texts
    draw = {"full": None, "portrait": texts.draw_portrait, "compact": texts.draw_compact}[size]
    w, h = CANVAS[size if draw else "full"]
    pen.open(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {w} {h}",
        role="img",
        font_family=FONT,
    )
    pen.add("title", game.title)
    pen.add("desc", look.alt)
    pen.box(0, 0, w, h, 0.02 * w, pen.palette.table)
    (draw or texts.draw or _draw_text)(pen, seen, look)
    pen.close("svg")
    return Picture(str(pen))


def title_bar(pen: Pen, title: str, headline: str, right: str = "", due: bool = False) -> None:
    """Draw the first line of a picture: the game, the current decision, and a counter such as the turn.

    `due` frames the decision, for a viewer who decides. A page that says it elsewhere can hide the class "headline".
    """
    pen.words(26, 35, title.upper(), 18, pen.palette.accent, letter_spacing=2.5)
    pen.open(class_="headline")
    size = fitting(headline, 19, 640, least=15)
    if due:
        w = min(640.0, width(headline, size)) + 36
        edge = {"stroke": pen.palette.pick, "stroke_width": 1.6}
        pen.box(WIDTH / 2 - w / 2, 11, w, 33, 16, pen.palette.notice, **edge)
    pen.words(WIDTH / 2, 34, headline, size, anchor="middle", most=640)
    pen.close()
    pen.words(WIDTH - 26, 35, right.upper(), 14, pen.palette.soft, anchor="end", letter_spacing=1.5)


def phone_headline(pen: Pen, text: str, due: bool) -> None:
    """Draw the first line of the portrait form: the current decision, in two lines if it is long.

    `due` frames the decision, for a viewer who decides. It ends 36 units from the top.
    """
    w, palette = CANVAS["portrait"][0], pen.palette
    if due:
        pen.box(8, 6, w - 16, 30, 12, palette.notice, stroke=palette.pick, stroke_width=1.4)
    size = fitting(text, 16, w - 28)
    if size >= 12.5:
        pen.words(w / 2, 26, text, size, anchor="middle")
        return
    split = min((i for i, letter in enumerate(text) if letter == " "), key=lambda i: abs(i - len(text) / 2))
    for y, line in ((18.5, text[:split]), (32, text[split + 1 :])):
        pen.words(w / 2, y, line, 12, anchor="middle", most=w - 20)


def heading(pen: Pen, x: float, y: float, text: str, colour: str | None = None, anchor: str | None = None) -> None:
    """Draw the small heading of a panel, by default in the secondary color of text."""
    pen.words(x, y, text.upper(), 11.5, colour or pen.palette.soft, anchor=anchor, letter_spacing=1.4)


def log_panel(pen: Pen, x: float, y: float, w: float, look: Look, lines: int = 5) -> None:
    """Draw the log: a heading and at most `lines` lines of 22 units, the latest first and brightest.

    A long line is smaller, and cut if that is not enough. Draws nothing if the log is empty.
    """
    if not look.log:
        return
    heading(pen, x, y, "What happened")
    for i, text in enumerate(look.log[:lines]):
        size = fitting(text, 13.5, w, bold=False, least=12)
        pen.words(x, y + 24 + 22 * i, text, size, None if i == 0 else pen.palette.soft, bold=False, most=w)


def advice_panel(
    pen: Pen, x: float, y: float, w: float, look: Look, colours: tuple[str, str], lines: int = _LINES
) -> None:
    """Draw a player's action probabilities as bars, and its expected share of a win. Draws nothing without advice.

    Args:
        pen: the writer.
        x: the left edge.
        y: the baseline of the heading.
        w: the width.
        look: the annotations, which hold the advice.
        colours: the colors of the viewer's share and of the rest.
        lines: the maximum number of bars; the last one sums up the remaining actions.
    """
    advice = look.advice
    if advice is None:
        return
    top = y + 14
    if advice.actions:
        heading(pen, x, y, advice.title)
        ranked = sorted(advice.actions, key=lambda each: -each[1])
        shown = ranked if len(ranked) <= lines else ranked[: lines - 1]
        bars = [*shown]
        if rest := ranked[len(shown) :]:
            bars.append((f"{len(rest)} others", sum(share for _, share in rest)))
        for i, (text, share) in enumerate(bars):
            pen.box(x, top, w, 27, 6, pen.palette.bar)
            fill = pen.palette.best_bar if i == 0 and len(shown) else pen.palette.other_bar
            pen.box(x, top, max(5.0, w * min(1.0, share)), 27, 6, fill)
            pen.words(x + 9, top + 18.5, text, 13, bold=i == 0, most=w - 70)
            pen.words(x + w - 9, top + 18.5, f"{100 * share:.0f} %", 13, anchor="end")
            top += 32
        top += 14
    if advice.share is not None:
        heading(pen, x, top + 8, advice.share_title)
        share = min(1.0, max(0.0, advice.share))
        pen.box(x, top + 18, w, 22, 6, colours[1])
        pen.box(x, top + 18, max(6.0, w * share), 22, 6, colours[0])
        pen.words(x + 10, top + 34, f"{100 * share:.0f} %", 13, INK)
        pen.words(x + w - 10, top + 34, f"{100 - 100 * share:.0f} %", 13, INK, anchor="end")
    elif advice.value is not None:
        heading(pen, x, top + 8, "Expected result")
        pen.words(x, top + 34, f"{advice.value:+.2f}", 18)


def _draw_text(pen: Pen, seen: Mapping[str, Any], look: Look) -> None:
    """Draw the position as text on a panel, for games without `draw`."""
    lines = str(seen.get("text", look.alt)).splitlines() or [""]
    longest = max(map(len, lines))
    size = min(24.0, (HEIGHT - 200) / (1.3 * len(lines)), (WIDTH - 120) / (0.62 * max(1, longest)))
    viewer = "everything" if look.viewer < 0 else f"player_{look.viewer}"
    title_bar(pen, "Position", f"seen by {viewer}" if look.viewer >= 0 else "everything is open")
    pen.box(30, 60, WIDTH - 60, HEIGHT - 130, 16, pen.palette.panel, stroke=pen.palette.line, stroke_width=1.4)
    for i, line in enumerate(lines):
        # Each letter has its own x, so columns stay aligned in any font.
        places = [(f"{60 + 0.62 * size * column:.1f}", letter) for column, letter in enumerate(line) if letter != " "]
        if places:
            xs, letters = zip(*places, strict=True)
            y = 72 + size * (1 + 1.3 * i)
            fill = pen.palette.strong
            pen.add("text", "".join(letters), x=" ".join(xs), y=y, font_size=size, fill=fill, text_anchor="middle")
    for text in look.legal[:1]:
        line = f"{len(look.legal)} actions, such as {text}"
        pen.words(54, HEIGHT - 36, line, 15, pen.palette.soft, bold=False, most=WIDTH - 108)
