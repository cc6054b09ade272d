"""The HTML pages as functions of their content: start, seats, game, records."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import picture
from spygames.core.svg.annotations import Advice
from spygames.core.svg.pen import Size
from spygames_app.advice import LEAST, believed, ranked
from spygames_app.sides import MAX_NAME, Sides
from spygames_app.web.choices import Option, differences, label, levels_of
from spygames_app.web.html import Form, Html, board, h, joined
from spygames_app.web.page import hidden, page, post
from spygames_app.web.phrases import grouped, phrase
from spygames_app.web.rule_pages import half_page
from spygames_app.web.store import WebGame

FEW = 3
"""Maximum number of rivals that the title of a game names if they have one level."""
LOG = 12
"""Maximum number of moves in the log of the page."""


def start(games: Sequence[tuple[str, str, Sequence[Option], str | None]], problem: str = "") -> Html:
    """Return the page that offers the games: title, description, options, and the address of a picture of each."""
    cards = [
        h(
            "form",
            h("img", src=image, alt="", class_="thumbnail", width=400, height=300) if image else None,
            h("h2", title),
            h("p", about),
            h("input", type="hidden", name="game", value=number),
            h(
                "p",
                h("button", f"Play {title}", class_="main"),
                h("a", "Rules", href=f"/rules?game={number}"),
                class_="start",
            ),
            _options(number, options),
            action="/seats",
            class_="card",
        )
        for number, (title, about, options, image) in enumerate(games)
    ]
    return page("Choose a game", h("h1", "Choose a game"), h("div", *cards, class_="cards"), problem=problem)


def _options(number: int, options: Sequence[Option]) -> Html | None:
    """Return the fields of the options, folded, each with what it means."""
    fields = [
        joined(
            _select(each.label, f"o{i}", each.shown, f"{number}-{i}", each.default),
            h("p", each.about, class_="about") if each.about else None,
        )
        for i, each in enumerate(options)
    ]
    return h("details", h("summary", "Options"), *fields, id=f"options{number}") if fields else None


def _select(label: str, name: str, values: Sequence[str], key: str, chosen: int = 0) -> Html:
    options = [
        h("option", text, value=i, selected=i == chosen)
        for i, text in enumerate(values)
        if text not in values[:i]  # two names of one value
    ]
    return h("p", h("label", label, for_=f"f{key}"), h("select", *options, name=name, id=f"f{key}"), class_="field")


def seats(
    title: str,
    game: Game,
    number: int,
    picked: Sequence[int],
    options: Sequence[Option],
    specs: Sequence[str],
    token: str,
    problem: str = "",
) -> Html:
    """Return the page that assigns the seats. The user takes one of them, or none to watch."""
    teams = {seat: f", team {team + 1}" for seat, team in enumerate(game.teams)}
    first = game.options.get("first_player")
    places = [
        f"seat {seat + 1}{teams.get(seat, '')}{' (begins)' if first is not None and first == seat else ''}"
        for seat in range(game.num_players)
    ]
    variant = ", ".join(differences(game.options, options))
    levels = [name for name, _ in levels_of(game)]
    opponents = "Your opponent" if game.num_players == 2 else "The other players"
    radios = [
        h("label", h("input", type="radio", name="level", value=i, checked=i == min(1, len(levels) - 1)), f" {name}")
        for i, name in enumerate(levels)
    ]
    custom = [
        _select(place, f"s{seat}", ["you", *(label(game, spec) for spec in specs)], f"s{seat}", 0 if seat == 0 else 1)
        for seat, place in enumerate(places)
    ]
    return page(
        f"Seats of {title}",
        h("h1", f"{title}: who plays?"),
        h("p", variant, class_="soft"),
        h(
            "form",
            *hidden(token, game=number, **{f"o{i}": value for i, value in enumerate(picked)}),
            h("fieldset", h("legend", opponents), *radios, class_="levels"),
            h(
                "p",
                h("label", "Your name", for_="name"),
                h("input", name="name", id="name", maxlength=MAX_NAME, placeholder="You", autocomplete="nickname"),
                class_="field",
            ),
            _select("Your seat", "seat", [*places, "none, I watch"], "seat"),
            h(
                "p",
                h("label", h("input", type="checkbox", name="forced", value=1, checked=True),
                  h("span", "Play a move for me if it is the only one"), class_="tick"),
            ),
            h(
                "details",
                h("summary", "Custom: choose a player for each seat"),
                h("p", h("label", h("input", type="radio", name="level", value="custom"), " Use these players:")),
                *custom,
                h(
                    "p",
                    "Players with mcts or +search need up to 20 seconds before the first game.",
                    class_="soft",
                ),
            ),
            h("button", "Begin", class_="main"),
            method="post",
            action="/games",
            class_="card leads",
        ),
        h("p", h("a", "Another game", href="/"), " · ", h("a", "Rules", href=f"/rules?game={number}"), class_="below"),
        problem=problem,
    )  # fmt: skip


# ---------------------------------------------------------------- a game


def frame(made: WebGame, number: int, form: Form | None = None) -> Mapping[str, Any]:
    """Return what the browser gets about the last of `number` decisions: the picture after it, and its text."""
    live, seat = made.live, made.seat
    assert live is not None
    s, before = as_record(live.positions[number]), live.game.seen_to_dict(as_record(live.positions[number - 1]), seat)
    text = made.happened(number - 1)
    return {"picture": _board(made, s, form, before=before), "text": text, "line": _line(text), "number": number}


def play(made: WebGame, token: str, problem: str = "", form: Form | None = None) -> Html:
    """Return the page of a running game with only what the user's seat may know.

    Args:
        made: the game.
        token: the visitor's token for forms.
        problem: a line about an error.
        form: the only form of the picture that is needed; None: all.
    """
    live, seat, here = made.live, made.seat, f"/games/{made.id}"
    title, problem = made.title, problem or made.problem
    again = None
    sides = made.table.sides
    if made.failed:
        ways = h("button", "Ask it again"), h("button", "Let it move at random", name="random", value=1)
        again = post(f"{here}/again", token, *ways, class_="hint")
    wait = h("p", f"{made.busy} …", class_="busy") if made.busy else None
    refresh = here if made.busy else None
    if live is None:
        return page(title, h("h1", f"{title}: the players get ready"), wait, again, refresh=refresh, problem=problem)
    gone = made.gone  # read first: if another request undoes a move meanwhile, this page is of a past position
    number = len(live.positions) - 1
    revision = gone + number
    s = as_record(live.positions[number])
    own_turn = seat != NOBODY and s.to_move == seat and not made.busy and not made.resigned
    legal = [*live.legal_at(number)] if own_turn else []
    mine = [i for i in range(number) if live.decisions[i].seat == seat]
    since = mine[-1] if mine else 0 if seat != NOBODY else number - 1
    before = live.game.seen_to_dict(as_record(live.positions[since]), seat) if number else None
    log = _log(made, number)
    hint = made.hint  # read once: another request may undo a move meanwhile
    advice, by = hint[1:] if hint and hint[0] == revision else (None, 0)
    drawn = _board(made, s, form, before=before, legal=legal)
    mover = int(s.to_move)
    others_move = made.busy and mover not in (seat, NOBODY)
    turn = f"{sides.name(mover)} is thinking …" if others_move else _headline(made, s)
    asks = {verb: [*texts] for verb, texts in live.game.texts.asks.items()}
    return page(
        title,
        h("h1", f"{title}: {_opponents(made)}", class_="small"),
        h(
            "div",
            h(
                "div",
                h("h2", turn, id="turn"),
                h("p", id="picked", class_="soft", aria_live="polite", data_asks=json.dumps(asks)) if legal else None,
                h("noscript", h("p", "Choose in the list below the board.", class_="soft")) if legal else None,
                h("p", problem, role="alert", class_="problem") if problem else None,
                again,
                id="due",
            ),
            h("section", drawn, id="picture", aria_label="Board"),
            h(
                "aside",
                None if others_move else wait,
                _actions(made, here, token, revision, legal) if legal else None,
                _helps(made, here, token, revision) if own_turn else None,
                _meanings(made.game, legal, turn) if legal else None,
                thoughts(advice, made.game, made.called(made.specs[by]), sides) if advice else None,
                h("h2", "What happened"),
                h("ol", *map(_line, log), h("li", "Nothing yet.", class_="none") if not log else None, id="log"),
                _position(made, s) if seat != NOBODY and live.game.texts.describe else None,
                _more(made, here, token, revision, legal) if own_turn else None,
                h(
                    "details",
                    h("summary", "Rules"),
                    half_page(made.game),
                    h("p", h("a", "All rules", href=made.rules, target="_blank")),
                    id="rules",
                ),
            ),
            class_="table played",
        ),
        refresh=refresh,
        revision=revision,
    )


def _opponents(made: WebGame) -> str:
    """Return who plays whom, with the levels; a level that all have is said once."""
    names, seat = made.table.sides.names, made.seat
    levels = {level for i, level in enumerate(made.beside) if i != seat}
    one = f" ({levels.pop()})" if len(levels) == 1 else ""
    shown = [name if one else f"{name} ({level})" for name, level in zip(names, made.beside, strict=True)]
    if seat == NOBODY:
        return f"{', '.join(shown)}{one}"
    side = made.game.side_of[seat]
    mates = [shown[i] for i in range(len(names)) if made.game.side_of[i] == side and i != seat]
    others = [shown[i] for i in range(len(names)) if made.game.side_of[i] != side]
    together = " and ".join(part for part in (", ".join(others[:-1]), *others[-1:]) if part)
    rivals = f"{len(others)} others" if one and len(others) > FEW else together or "nobody"
    return f"you{''.join(f' and {mate}' for mate in mates)} against {rivals}{one}"


def _board(made: WebGame, s: Any, form: Form | None, **annotations: Any) -> Html:
    """Return the picture of a position as the user sees it, for wide and for narrow screens.

    The decision that is due is not part of it, because the page says it.
    """
    assert made.live is not None
    game, names = made.live.game, made.beside

    def draw(size: Size) -> str:
        drawn = picture(game, s, made.seat, names=names, size=size, theme="auto", **annotations)
        return made.table.sides.drawn(drawn)

    return board(draw, form, headline=False)


def _headline(made: WebGame, s: Any) -> str:
    """Return the decision that is due, in the names of the page; without "You: " if it is the user's."""
    text = made.table.sides.words(made.game.headline(s, made.seat)).removeprefix("You: ")
    return text[:1].upper() + text[1:]


def _log(made: WebGame, number: int) -> list[str]:
    """Return what the user saw of the last moves, the latest first."""
    numbers = range(number - 1, max(-1, number - 1 - LOG), -1)
    lines = ((text.partition(" ("), len([*same])) for text, same in groupby(map(made.happened, numbers)))
    return ["".join((deed, f", {times} times" if times > 1 else "", *effects)) for (deed, *effects), times in lines]


def _line(text: str) -> Html:
    """Return a line of the log: what happened, and its effects below."""
    deed, _, effects = text.removesuffix(")").partition(" (")
    return h("li", deed, h("small", effects[:1].upper() + effects[1:]) if effects else None)


def _position(made: WebGame, s: Any) -> Html:
    """Return the position in sentences, folded."""
    text = made.game.describe(s, made.seat)
    text = text.replace(f" of player_{made.seat}: you ", ": you ")  # whose turn it is
    me = rf"^You are player_{made.seat}(?: on side \d)?"
    for own, shown in ((" and ", "You "), (", and your ", "Your "), (", with ", "You play with "), (r"\. ", "")):
        text = re.sub(f"{me}{own}", shown, text)
    lines = [h("li", made.table.sides.words(line.removeprefix("- "))) for line in text.splitlines()]
    return h("details", h("summary", "The position in words"), h("ul", *lines, class_="cards-do"), id="words")


def _plain(text: str) -> set[str]:
    """Return the words of a text."""
    return {*re.findall(r"[a-z0-9]+", text.lower())}


def _meanings(game: Game, legal: Sequence[str], due: str) -> Html | None:
    """Return what the short rules say about the cards in the legal actions and in the line about the decision, folded;
    None for nothing.
    """
    named = {word.replace("_", " ") for text in legal for word in text.split()[1:]}
    said = _plain(due)
    found = list[Html]()
    for section in game.short_rules():
        lines = [
            h("li", h("b", f"{name}: "), line.text)
            for line in section.lines
            for name in (line.name.split(", ") if line.name else ())
            if name in named or _plain(name) <= said
        ]
        if lines:
            found += [h("h3", section.title), h("ul", *lines, class_="cards-do")]
    return h("details", h("summary", "Cards and words of this decision"), *found, id="meanings") if found else None


def _seen(revision: int) -> Html:
    """Return the hidden field that says which position the user has seen."""
    return h("input", type="hidden", name="revision", value=revision)


def _helps(made: WebGame, here: str, token: str, revision: int) -> Html:
    """Return the buttons for a hint and to take a move back."""
    assert made.live is not None
    seen = _seen(revision)
    by = h("input", type="hidden", name="by", value=made.hinter)
    hint = post(f"{here}/hint", token, seen, by, h("button", "Hint", id="ask"))
    moved = any(each.seat == made.seat for each in made.live.decisions)
    undo = post(f"{here}/undo", token, seen, h("button", "Take back my move", id="undo")) if moved else None
    return h("div", hint, undo, class_="hint")


def _more(made: WebGame, here: str, token: str, revision: int, legal: Sequence[str]) -> Html:
    """Return what is rarely needed, folded: a field for actions, hints of any player, resigning."""
    seen = _seen(revision)
    chosen = made.hinter if made.adviser is None else made.adviser
    options = [h("option", text, value=i, selected=i == chosen) for i, text in enumerate(made.labels)]
    return h(
        "details",
        h("summary", "More"),
        post(
            f"{here}/act",
            token,
            seen,
            h("label", "Type a move", for_="typed"),
            h("input", name="action", id="typed", list="legal", autocomplete="off", spellcheck="false", required=True),
            h("datalist", *(h("option", value=text) for text in legal), id="legal"),
            h("button", "Play it"),
            class_="act typed",
        ),
        post(
            f"{here}/hint",
            token,
            seen,
            h("label", "Hint of", for_="by"),
            h("select", *options, name="by", id="by"),
            h("button", "Ask", id="ask-by"),
            class_="hint",
        ),
        post(f"{here}/resign", token, h("button", "Resign", id="resign"), class_="hint"),
        id="more",
    )


def _actions(made: WebGame, here: str, token: str, revision: int, legal: Sequence[str]) -> Html:
    """Return the actions as a list of buttons. The script folds it where the board has them all."""
    found = list[Html]()
    words = made.table.sides.words
    for title, actions in grouped(made.game, legal).items():
        buttons = [
            h(
                "button",
                words(shown),
                name="action",
                value=text,
                aria_label=words(phrase(made.game, text)) if title else None,
            )
            for text, shown in actions
        ]
        row = h("div", h("span", words(title)), h("div", *buttons), class_="row")
        found += [row] if title else buttons
    return h(
        "details",
        h("summary", "All moves as a list"),
        post(
            f"{here}/act",
            token,
            _seen(revision),
            h("div", *found, class_="actions"),
            class_="act",
            aria_label="Your actions",
        ),
        id="list",
        open=True,
    )


def thoughts(advice: Advice, game: Game, by: str, sides: Sides) -> Html:
    """Return a player's thoughts: action probabilities as bars, the win share or expected result, and its beliefs."""
    named = [
        (sides.words(text if text.endswith(" others") else phrase(game, text)), share)
        for text, share in ranked(advice)
        if share >= LEAST
    ]
    bars = [
        h("li", h("span", text), h("span", f"{share:.0%}"), h("progress", value=f"{share:.3f}", max=1, aria_label=text))
        for text, share in named
    ]
    value = None
    if advice.share is not None:
        value = h("p", f"{advice.share_title}: ", h("strong", f"{advice.share:.0%}"))
    elif advice.value is not None:
        value = h("p", "Expected result: ", h("strong", f"{advice.value:+.2f}"))
    belief = [h("li", h("b", f"{sides.words(what)}: "), things) for what, things in believed(advice)]
    return h(
        "div",
        h("h3", f"What {by} would do" if bars else advice.title),
        h("ol", *bars, class_="bars"),
        value,
        joined(h("h3", "What it believes"), h("ul", *belief, class_="belief")) if belief else None,
        class_="thoughts",
    )


# ---------------------------------------------------------------- records


def records(listed: Sequence[tuple[str, str]], token: str, problem: str = "") -> Html:
    """Return the page of recorded games, given by title and address, with a form to upload some."""
    games = h("ul", *(h("li", h("a", text, href=address)) for text, address in listed)) if listed else None
    return page(
        "Recorded games",
        h("h1", "Watch recorded games"),
        games,
        post(
            "/records",
            token,
            h("label", "Lines of a file from spygames record or from a download on this page", for_="record"),
            h("textarea", name="record", id="record", rows=6, required=True),
            h("button", "Watch it", class_="main"),
            class_="card wide leads",
        ),
        problem=problem,
    )
