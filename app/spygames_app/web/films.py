"""The page of a finished or recorded game, position by position, with nothing hidden."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from spygames.core.game.game import NOBODY
from spygames.core.records.film import Film, Said
from spygames.core.svg.annotations import Advice
from spygames.core.svg.colours import auto
from spygames.core.svg.pen import Size
from spygames_app.advice import SILENT, EachOwn
from spygames_app.live import PERSON
from spygames_app.sides import Sides
from spygames_app.web.choices import is_search, label, level_of
from spygames_app.web.html import Form, Html, board, h, joined
from spygames_app.web.page import page
from spygames_app.web.pages import thoughts
from spygames_app.web.store import COMPILES
from spygames_app.web.thinking import Screening, Thinker

COLOURS = tuple(
    auto(dark, light)
    for dark, light in (
        ("#f4b63f", "#a86a00"), ("#6cb8e6", "#1f78b4"), ("#7fd08a", "#2c7a3f"), ("#e58a86", "#b5403a"),
        ("#c9a3f0", "#7a4fb0"), ("#d9c9a3", "#77663a"), ("#9fb2c3", "#51667a"),
    )
)  # fmt: skip
WIDE, HIGH = 300, 90


@dataclass(frozen=True)
class Place:
    """The position and view of a film that the page shows."""

    move: int
    viewer: int
    """A seat, or NOBODY for everything."""
    by: int
    """Index of the voice whose thoughts are shown."""

    def url(self, here: str, move: int) -> str:
        """Return the address of another position."""
        viewer = "all" if self.viewer == NOBODY else self.viewer
        return f"{here}?{urlencode({'move': move, 'viewer': viewer, 'by': self.by})}"


def place_in(query: Mapping[str, str], screening: Screening) -> Place:
    """Return the place that the query of an address names. Invalid values are ignored."""

    def number(name: str, low: int, high: int, default: int) -> int:
        text = query.get(name, "")
        return int(text) if text.isdecimal() and len(text) < 9 and low <= int(text) <= high else default

    film = screening.film
    last, seats = len(film) - 1, film.game.num_players
    return Place(
        number("move", 0, last, last),
        number("viewer", 0, seats - 1, NOBODY),
        number("by", 0, len(screening.voices) - 1, 0),
    )


def film_page(
    title: str,
    screening: Screening,
    place: Place,
    here: str,
    headline: str,
    extra: Html | None = None,
    problem: str = "",
    sides: Sides | None = None,
    form: Form | None = None,
) -> Html:
    """Return the page of one position of a film, with links to all others.

    Args:
        title: title of the game.
        screening: the game, and the voices whose thoughts can be shown.
        place: the position and view to show.
        here: the address of the page.
        headline: the line above the board.
        extra: links and buttons for the game.
        problem: a line about an error.
        sides: names of the seats; None: the players' names of the record.
        form: the only form of the picture that is needed; None: all.
    """
    film = screening.film
    players = film.record.players or tuple(f"seat {i + 1}" for i in range(film.game.num_players))
    person = players.index(PERSON) if players.count(PERSON) == 1 else NOBODY
    sides = sides or Sides(_distinct(players), person)
    thinker = screening.thoughts(place.by, place.move)
    advisers = [label(film.game, voice.name) if i else voice.name for i, voice in enumerate(screening.voices)]
    done = thinker is None or thinker.done  # read before the thoughts, so that no late thought is missed
    last, at = len(film) - 1, place.move
    scene = film.scene(at, place.viewer, draw_advice=False, theme="auto")

    def draw(size: Size) -> str:
        drawn = scene if size == "full" else film.scene(at, place.viewer, draw_advice=False, theme="auto", size=size)
        return sides.drawn(drawn.picture, place.viewer)

    both = zip(sides.names, players, strict=True)
    viewers = ["everything", *(name if player in (name, "") else f"{name} ({player})" for name, player in both)]
    chosen = 0 if place.viewer == NOBODY else place.viewer + 1
    values = ["all", *range(film.game.num_players)]
    steps = [
        h("a", text, href=place.url(here, to), class_="step", data_key=key, aria_disabled="true" if to == at else None)
        for text, to, key in (
            ("Start", 0, "Home"),
            ("Back", max(0, at - 1), "ArrowLeft"),
            ("Next", min(last, at + 1), "ArrowRight"),
            ("End", last, "End"),
        )
    ]
    move = h("input", type="range", name="move", id="move", min=0, max=last, value=at, aria_label="Position")
    controls = h(
        "form",
        move,
        h("output", f"{at} / {last}", for_="move"),
        _select("Point of view", "viewer", viewers, values, chosen),
        _select("Analysis by", "by", advisers, range(len(advisers)), place.by),
        h("button", "Show"),
        action=here,
        class_="film",
    )
    told = ["The start", *(sides.words(film.move(i, place.viewer)) for i in range(1, len(film)))]
    listed = [
        h("li", h("a", text, href=place.url(here, i), data_key=f"move{i}", aria_current="step" if i == at else None))
        for i, text in enumerate(told)
    ]
    return page(
        title,
        h("h1", headline if extra else f"{title}: {headline}", class_=None if extra else "small"),
        h("div", extra, class_="extra") if extra else None,
        h(
            "div",
            h(
                "section",
                board(draw, form),
                h("p", *steps, class_="steps"),
                controls,
                id="picture",
                aria_label="Board",
            ),
            h(
                "aside",
                h("h2", told[at], id="happened"),
                _said(scene.said) if scene.said else None,
                h("div", *_thought(thinker, done, film, place, sides), id="thought") if thinker else None,
                h("h2", "Moves"),
                h("ol", *listed, id="moves", start=0, tabindex=0, aria_label="Moves"),
            ),
            class_="table watched",
        ),
        problem=problem,
        refresh=None if done else place.url(here, at),
        patient=thinker is not None and (at in thinker.found or not _may_know(film, place, at)),
    )


def _may_know(film: Film, place: Place, position: int) -> bool:
    """Whether the viewer may know the thoughts at a position. A player's choice reveals its hidden cards."""
    mover = int(film.states["to_move"][position])
    return mover != NOBODY and place.viewer in (NOBODY, mover)


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names, with numbers for those that occur several times."""
    return tuple(f"{name} {i + 1}" if names.count(name) > 1 else name for i, name in enumerate(names))


def _thought(thinker: Thinker, done: bool, film: Film, place: Place, sides: Sides) -> list[Html | None]:
    """Return the thoughts at the position and the curve over the game, as far as they are known.

    `done`: no more thoughts will come.
    """
    found = {at: advice for at, advice in dict(thinker.found).items() if _may_know(film, place, at)}
    decisions = sum(_may_know(film, place, at) for at in range(len(film)))
    mover, hidden, wait = int(film.states["to_move"][place.move]), None, None
    by = level_of(film.game, thinker.name) or (sides.name(mover) if thinker.name == EachOwn.name else thinker.name)
    if mover != NOBODY and not _may_know(film, place, place.move):
        decides = sides.words(f"player_{mover} decides here")
        line = f"{decides}. Choose this view, or everything, to see thoughts about the decision."
        hidden = h("p", line, class_="soft")
    if not done:
        first = COMPILES if not thinker.found and is_search(thinker.name) else ""
        name = level_of(film.game, thinker.name) or thinker.name
        wait = h("p", f"{name} is thinking: {len(found)} of {decisions} decisions{first} …", class_="busy")
    return [
        h("p", thinker.problem, class_="problem") if thinker.problem else None,
        wait,
        hidden,
        thoughts(found[place.move], film.game, by, sides)
        if place.move in found and found[place.move] != SILENT
        else None,
        curve(film, found, place, sides),
    ]


def _said(said: Said) -> Html:
    """Return what a language model said at the position."""
    answers = [joined(h("h3", head) if head else None, h("p", text)) for head, text in said.paragraphs]
    return h("div", h("h2", said.title), *answers, class_="told", tabindex=0, role="group", aria_label=said.title)


def _select(label: str, name: str, texts: Sequence[str], values: Sequence[object], chosen: int) -> Html:
    options = zip(texts, values, strict=True)
    named = [h("option", text, value=value, selected=i == chosen) for i, (text, value) in enumerate(options)]
    return h("span", h("label", label, for_=name), h("select", *named, name=name, id=name), class_="pair")


def curve(film: Film, found: Mapping[int, Advice], place: Place, sides: Sides) -> Html | None:
    """Return a plot of the expectation over the game, one line per seat that decides, with the current position."""
    points, shares = dict[int, list[tuple[int, float]]](), True
    for position, advice in sorted(found.items()):
        if (value := advice.value if advice.share is None else advice.share) is not None:
            shares = shares and advice.share is not None
            points.setdefault(int(film.states["to_move"][position]), []).append((position, value))
    if not points:
        return None
    numbers = [value for line in points.values() for _, value in line]
    low, high = (
        (0.0, 1.0) if shares else (min(film.game.lowest_return, *numbers), max(-film.game.lowest_return, *numbers))
    )

    def x(position: int) -> float:
        return WIDE * position / max(1, len(film) - 1)

    def y(value: float) -> float:
        return HIGH - 5 - (HIGH - 10) * (value - low) / ((high - low) or 1)

    def line(at: Sequence[tuple[float, float]], colour: str, wide: int) -> Html:
        text = " ".join(f"{a:.1f},{b:.1f}" for a, b in at)
        return h(
            "polyline", points=text, fill="none", stroke=colour, stroke_width=wide, vector_effect="non-scaling-stroke"
        )

    lines = [line([(x(i), y(v)) for i, v in each], COLOURS[seat % 7], 2) for seat, each in sorted(points.items())]
    names = [
        h("li", h("svg", h("rect", width=12, height=12, fill=colour), width=12, height=12), f" {sides.names[seat]}")
        for seat, colour in ((seat, COLOURS[seat % 7]) for seat in sorted(points))
    ]
    middle = y((low + high) / 2)
    what = "Chance to win, 0 to 100%" if shares else f"Expected result, {low:+.1f} to {high:+.1f}"
    return joined(
        h("h2", what),
        h(
            "svg",
            line([(0, middle), (WIDE, middle)], auto("#35495c", "#bccad6"), 1),
            *lines,
            line([(x(place.move), 0), (x(place.move), HIGH)], auto("#fbf4e2", "#17232f"), 1),
            viewBox=f"0 0 {WIDE} {HIGH}",
            preserveAspectRatio="none",
            class_="curve",
            role="img",
            aria_label=f"{what} over the game",
        ),
        h("ul", *names, class_="legend"),
    )
