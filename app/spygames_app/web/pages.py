"""The HTML pages as functions of their content: start, seats, game, rules, records, error."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rulebook import RuleSection, without_ids
from spygames.core.pictures.picture import picture
from spygames.core.svg.annotations import Advice
from spygames.core.svg.pen import Size
from spygames_app.advice import believed, ranked
from spygames_app.rules import PICTURES, Rule, chapters_of
from spygames_app.sides import MAX_NAME
from spygames_app.web.choices import Option, label, levels_of
from spygames_app.web.html import Html, board, h, joined
from spygames_app.web.store import WebGame

LOG = 12
"""Maximum number of moves in the log of the page."""


def page(
    title: str,
    *main: object,
    refresh: str | None = None,
    patient: bool = False,
    problem: str = "",
    revision: int | None = None,
) -> Html:
    """Return a complete page.

    Args:
        title: title of the page.
        main: content of the page.
        refresh: address that the browser loads again after a moment; None: none.
        patient: do not reload in browsers without JavaScript, which would load the whole page again.
        problem: a line about an error.
        revision: number of decisions of the game, which tells newer pages from older ones.
    """
    again = (
        None
        if refresh is None or patient
        else h("noscript", h("meta", http_equiv="refresh", content=f"1; url={refresh}"))
    )
    alert = h("p", problem, role="alert", class_="problem") if problem else None
    head = h(
        "head",
        h("meta", charset="utf-8"),
        h("meta", name="viewport", content="width=device-width, initial-scale=1"),
        h("title", f"{title} · spygames"),
        h("link", rel="stylesheet", href="/static/page.css"),
        h("link", rel="icon", href="/static/icon.svg", type="image/svg+xml"),
        h("script", type="module", src="/static/page.js"),
        again,
    )
    body = h(
        "body",
        h(
            "header",
            h("a", "spygames", href="/"),
            h("nav", h("a", "Watch recorded games", href="/records"), aria_label="Site"),
            # On small screens a picture as wide as the screen is hard to read. This works without a script.
            h("label", h("input", type="checkbox", id="large"), " large board", class_="large"),
        ),
        h("p", role="status", id="said", class_="unseen"),
        h("main", alert, *main, data_refresh=refresh, data_revision=revision),
        h("footer", "Unofficial. The rules belong to the games; all drawings are this project's own."),
    )
    return Html(f"<!doctype html>\n{h('html', head, body, lang='en')}\n")


def sorry(title: str, line: str, back: str = "/") -> Html:
    """Return a page with one line about an error."""
    return page(title, h("h1", title), h("p", line, role="alert"), h("p", h("a", "Back", href=back)))


# ---------------------------------------------------------------- the start


def start(games: Sequence[tuple[str, str, Sequence[Option], str | None]], problem: str = "") -> Html:
    """Return the page that offers the games: title, description, options, and the address of a picture of each."""
    cards = [
        h(
            "form",
            h("img", src=image, alt="", class_="thumbnail", width=400, height=300) if image else None,
            h("h2", title),
            h("p", about),
            h("input", type="hidden", name="game", value=number),
            *_options(number, options),
            h("button", f"Play {title}", class_="main"),
            h("p", h("a", "Rules", href=f"/rules?game={number}"), class_="soft"),
            action="/seats",
            class_="card",
        )
        for number, (title, about, options, image) in enumerate(games)
    ]
    return page("Choose a game", h("h1", "Choose a game"), h("div", *cards, class_="cards"), problem=problem)


def _options(number: int, options: Sequence[Option]) -> list[Html]:
    """Return the fields of the options with what each means. All after the third are folded."""
    fields = [
        joined(
            _select(
                each.name.replace("_", " "),
                f"o{i}",
                [_shown(each.name, value) for value in each.values],
                f"{number}-{i}",
                each.default,
            ),
            h("p", sentence(each.about), class_="about") if each.about and each.name != "players" else None,
        )
        for i, each in enumerate(options)
    ]
    return [*fields[:3], h("details", h("summary", "More options"), *fields[3:])] if len(fields) > 3 else fields


def _shown(name: str, value: object) -> str:
    """Return the human-readable value of an option."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "first_player" and isinstance(value, int):
        return f"seat {value + 1}"
    return "default" if value is None else str(value).replace("_", " ")


def sentence(text: str) -> str:
    """Return the text of an option's documentation for the page: as a sentence, with names of seats and values."""
    plain = re.sub(r"\bseat (\d+)", lambda found: f"seat {int(found[1]) + 1}", re.sub(r"[`\"]", "", text))
    return plain[:1].upper() + plain[1:]


def _select(label: str, name: str, values: Sequence[str], key: str, chosen: int = 0) -> Html:
    options = [h("option", text, value=i, selected=i == chosen) for i, text in enumerate(values)]
    return h("p", h("label", label, for_=f"f{key}"), h("select", *options, name=name, id=f"f{key}"), class_="field")


def seats(
    title: str, game: Game, number: int, picked: Sequence[int], specs: Sequence[str], token: str, problem: str = ""
) -> Html:
    """Return the page that assigns the seats. The user takes one of them, or none to watch."""
    teams = {seat: f" (team {team + 1})" for seat, team in enumerate(game.teams)}
    places = [f"seat {seat + 1}{teams.get(seat, '')}" for seat in range(game.num_players)]
    variant = ", ".join(f"{name.replace('_', ' ')}: {_shown(name, value)}" for name, value in game.options.items())
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
            *_hidden(token, game=number, **{f"o{i}": value for i, value in enumerate(picked)}),
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
                  " Play a move for me if it is the only one"),
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


def _hidden(token: str, **values: object) -> list[Html]:
    """Return the hidden fields of a form: the visitor's token, and `values`."""
    return [h("input", type="hidden", name=name, value=value) for name, value in {"token": token, **values}.items()]


# ---------------------------------------------------------------- a game


def frame(made: WebGame, number: int) -> Mapping[str, Any]:
    """Return what the browser gets about the last of `number` decisions: the picture after it, and its text."""
    live, seat = made.live, made.seat
    assert live is not None
    s, before = as_record(live.positions[number]), live.game.seen_to_dict(as_record(live.positions[number - 1]), seat)
    log = _log(made, number)
    drawn = _board(made, s, before=before)
    return {"picture": drawn, "text": log[0] if log else "", "number": number}


def play(made: WebGame, token: str, problem: str = "") -> Html:
    """Return the page of a running game with only what the user's seat may know."""
    live, seat, here = made.live, made.seat, f"/games/{made.id}"
    title, problem = made.title, problem or made.problem
    again = None
    sides = made.table.sides
    if made.failed:
        ways = h("button", "Ask it again"), h("button", "Let it move at random", name="random", value=1)
        again = form(f"{here}/again", token, *ways, class_="hint")
    wait = h("p", f"{made.busy} …", class_="busy") if made.busy else None
    refresh = here if made.busy else None
    if live is None:
        return page(title, h("h1", f"{title}: the players get ready"), wait, again, refresh=refresh, problem=problem)
    number = made.revision
    s = as_record(live.positions[number])
    own_turn = seat != NOBODY and s.to_move == seat and not made.busy and not made.resigned
    legal = [*live.legal_at(number)] if own_turn else []
    mine = [i for i in range(number) if live.decisions[i].seat == seat]
    since = mine[-1] if mine else 0 if seat != NOBODY else number - 1
    before = live.game.seen_to_dict(as_record(live.positions[since]), seat) if number else None
    log = _log(made, number)
    advice = made.hint[1] if made.hint and made.hint[0] == number else None
    drawn = _board(made, s, before=before, legal=legal)
    mover = int(s.to_move)
    turn = f"{sides.name(mover)} is thinking …" if made.busy and mover not in (seat, NOBODY) else _headline(made, s)
    others = [f"{sides.names[i]} ({level})" for i, level in enumerate(_levels(made)) if i != seat]
    return page(
        title,
        h("h1", f"{title}: {'you against ' if seat != NOBODY else ''}{', '.join(others)}", class_="small"),
        h(
            "div",
            h("section", drawn, id="picture", aria_label="Board"),
            h(
                "aside",
                h("h2", turn, id="turn"),
                wait,
                again,
                _actions(here, token, number, legal, live.game.texts.asks) if legal else None,
                _givings_up(made, here, token, number) if own_turn else None,
                _hints(made, here, token, number, advice) if legal else None,
                h("h2", "What happened"),
                h("ol", *(h("li", line) for line in log), id="log") if log else h("p", "Nothing yet."),
                h(
                    "details",
                    h("summary", "Rules"),
                    half_page(made.game),
                    h("p", h("a", "All rules", href=made.rules, target="_blank")),
                    id="rules",
                ),
            ),
            class_="table",
        ),
        refresh=refresh,
        problem=problem,
        revision=number,
    )


def _board(made: WebGame, s: Any, **annotations: Any) -> Html:
    """Return the picture of a position as the user sees it, for wide and for narrow screens."""
    assert made.live is not None
    sizes: tuple[Size, ...] = ("full", "portrait")
    forms = [
        picture(made.live.game, s, made.seat, names=_levels(made), size=size, theme="auto", **annotations)
        for size in sizes
    ]
    return board(*map(made.table.sides.drawn, forms))


def _levels(made: WebGame) -> tuple[str, ...]:
    """Return what is said about each seat beside its name."""
    assert made.live is not None
    levels = made.table.levels or made.live.names
    return tuple("" if i == made.seat else level for i, level in enumerate(levels))


def _headline(made: WebGame, s: Any) -> str:
    """Return the decision that is due, in the names of the page."""
    return made.table.sides.words(made.game.headline(s, made.seat))


def _log(made: WebGame, number: int) -> list[str]:
    """Return what the user saw of the last moves, the latest first."""
    assert made.live is not None
    live, seat, sides = made.live, made.seat, made.table.sides
    numbers = range(number - 1, max(-1, number - 1 - LOG), -1)
    return [sides.words(live.happened(i, seat)) for i in numbers]


def _givings_up(made: WebGame, here: str, token: str, number: int) -> Html:
    """Return the buttons to take a move back and to resign."""
    moved = any(each.seat == made.seat for each in made.live.decisions) if made.live else False
    hidden = h("input", type="hidden", name="revision", value=number)
    undo = form(f"{here}/undo", token, hidden, h("button", "Take back my move", id="undo")) if moved else None
    resign = form(f"{here}/resign", token, h("button", "Resign", id="resign"))
    return h("div", undo, resign, class_="hint")


def form(action: str, token: str, *children: object, **attributes: Any) -> Html:
    """Return a form that changes something and therefore carries the visitor's token."""
    return h("form", *_hidden(token), *children, method="post", action=action, **attributes)


def _actions(here: str, token: str, number: int, legal: Sequence[str], asks: Mapping[str, Sequence[str]]) -> Html:
    """Return the actions as buttons, and a field that takes their texts."""
    buttons = _buttons(legal)
    listed = h("datalist", *(h("option", value=text) for text in legal), id="legal")
    field = h("input", name="action", id="typed", list="legal", autocomplete="off", spellcheck="false", required=True)
    return joined(
        h(
            "p",
            id="picked",
            class_="soft",
            aria_live="polite",
            data_asks=json.dumps({k: [*v] for k, v in asks.items()}),
        ),
        form(
            f"{here}/act",
            token,
            h("input", type="hidden", name="revision", value=number),
            h("div", *buttons, class_="actions"),
            class_="act",
            aria_label="Your actions",
        ),
        form(
            f"{here}/act",
            token,
            h("input", type="hidden", name="revision", value=number),
            h("label", "or type one", for_="typed"),
            field,
            listed,
            h("button", "Play it"),
            class_="act typed",
        ),
    )


def _buttons(legal: Sequence[str]) -> list[Html]:
    """Return the buttons of the actions. Actions that differ only in the last word form a row after the shared text."""
    groups: dict[str, list[str]] = {}
    for text in legal:
        groups.setdefault(text.rpartition(" ")[0], []).append(text)

    def button(text: str, shown: str) -> Html:
        named = None if shown == text else text.replace("_", " ")
        return h("button", shown.replace("_", " "), name="action", value=text, aria_label=named)

    found, verbs = [], {shared.partition(" ")[0] for shared, texts in groups.items() if len(texts) > 1}
    for shared, texts in groups.items():
        if shared and shared.partition(" ")[0] in verbs:
            row = [button(text, text.rpartition(" ")[2]) for text in texts]
            found.append(h("div", h("span", shared.replace("_", " ")), h("div", *row), class_="row"))
        else:
            found += [button(text, text) for text in texts]
    return found


def _hints(made: WebGame, here: str, token: str, number: int, advice: Advice | None) -> Html:
    chosen = next((i for i in (made.adviser, *made.seats) if i is not None), 0)
    options = [h("option", spec, value=i, selected=i == chosen) for i, spec in enumerate(made.specs)]
    ask = form(
        f"{here}/hint",
        token,
        h("input", type="hidden", name="revision", value=number),
        h("label", "Ask", for_="by"),
        h("select", *options, name="by", id="by"),
        h("button", "What would you do?", id="ask"),
        class_="hint",
    )
    return joined(h("h2", "Hint"), ask, thoughts(advice) if advice else None)


def thoughts(advice: Advice) -> Html:
    """Return a player's thoughts: action probabilities as bars, the win share or expected result, and its beliefs."""
    bars = [
        h("li", h("span", text), h("span", f"{share:.0%}"), h("progress", value=f"{share:.3f}", max=1, aria_label=text))
        for text, share in ((text.replace("_", " "), share) for text, share in ranked(advice))
    ]
    value = None
    if advice.share is not None:
        value = h("p", f"{advice.share_title}: ", h("strong", f"{advice.share:.0%}"))
    elif advice.value is not None:
        value = h("p", "Expected result: ", h("strong", f"{advice.value:+.2f}"))
    belief = [h("li", h("b", f"{what}: "), things) for what, things in believed(advice)]
    return h(
        "div",
        h("h3", advice.title),
        h("ol", *bars, class_="bars"),
        value,
        joined(h("h3", "What it believes"), h("ul", *belief, class_="belief")) if belief else None,
        class_="thoughts",
    )


# ---------------------------------------------------------------- records and rules


def records(listed: Sequence[tuple[str, str]], token: str, problem: str = "") -> Html:
    """Return the page of recorded games, given by title and address, with a form to upload some."""
    games = h("ul", *(h("li", h("a", text, href=address)) for text, address in listed)) if listed else None
    return page(
        "Recorded games",
        h("h1", "Watch recorded games"),
        games,
        form(
            "/records",
            token,
            h("label", "Lines of a file from spygames record or from a download on this page", for_="record"),
            h("textarea", name="record", id="record", rows=6, required=True),
            h("button", "Watch it", class_="main"),
            class_="card wide leads",
        ),
        problem=problem,
    )


def rules(title: str, game: Game, found: Mapping[str, Rule], rule: str = "") -> Html:
    """Return the page of the rules of a game: half a page, then the details and all rules by their IDs behind folds.

    Args:
        title: display name of the game.
        game: the variant.
        found: all rules by their IDs.
        rule: the ID of the rule to show; "" for none.
    """
    details = [_section(section, found) for section in game.short_rules() if section.details]
    chapters = [
        joined(
            h("h2", chapter),
            h(
                "dl",
                *(joined(h("dt", each.id, id=each.id), h("dd", each.text, _table(each.table))) for each in within),
            ),
        )
        for chapter, within in chapters_of(dict(found)).items()
    ]
    return page(
        f"Rules of {title}",
        h("h1", f"Rules of {title}"),
        half_page(game),
        h("details", h("summary", "Details"), *details) if details else None,
        h("details", h("summary", "All rules by their IDs"), *chapters, open=rule in found) if chapters else None,
        None if chapters else h("p", "This game has no list of rules."),
    )


def half_page(game: Game) -> Html:
    """Return what a beginner reads: the goal, the turn and the end in a sentence each, two pictures, and the parts."""
    first, *others = [section for section in game.short_rules() if not section.details]
    opening = [h("p", h("strong", f"{line.name}: ") if line.name else None, *_coded(line.text)) for line in first.lines]
    shown = zip((f"{game.id}-start", game.id), PICTURES.get(game.id, ()), strict=False)
    figures = [
        h(
            "figure",
            h("img", src=f"/static/games/{name}.svg", alt="", width=400, height=300, loading="lazy"),
            h("figcaption", text),
        )
        for name, text in shown
    ]
    parts = [_section(without_ids(section), {}) for section in others]
    return h("div", *opening, h("div", *figures, class_="figures") if figures else None, *parts, class_="half")


def _section(section: RuleSection, found: Mapping[str, Rule]) -> Html:
    """Return a section of the short rules, with IDs that link to the rules in `found`."""
    lines = [
        h("li", h("strong", f"{line.name}: ") if line.name else None, *_coded(line.text), _ids(line.ids, found))
        for line in section.lines
    ]
    return joined(h("h2", section.title, _ids(section.ids, found)), h("ul", *lines))


def refusal(line: str, address: str, rule: str = "") -> Html:
    """Return the line about a refused action, with a link to its rule.

    Args:
        line: what was refused, and why.
        address: address of the rules of the variant.
        rule: the ID of the rule; "" for none.
    """
    link = h("a", f"Rule {rule}", href=f"{address}&rule={rule}#{rule}", target="_blank") if rule else None
    return joined(line, " " if rule else None, link)


def _coded(text: str) -> list[str]:
    """Return a text in parts, with what is in backquotes as code."""
    return [h("code", part) if k % 2 else part for k, part in enumerate(text.split("`"))]


def _ids(ids: Sequence[str], found: Mapping[str, Rule]) -> Html | None:
    """Return the IDs behind a line, each linked to its rule."""
    links = [h("a", name, href=f"#{name}") if name in found else h("span", name) for name in ids]
    return h("small", " ", *(part for link in links for part in (link, " ")), class_="ids") if links else None


def _table(rows: Sequence[Sequence[str]]) -> Html | None:
    if not rows:
        return None
    head, *body = rows
    return h(
        "div",
        h(
            "table",
            h("thead", h("tr", *(h("th", cell, scope="col") for cell in head))),
            h("tbody", *(h("tr", *(h("td", cell) for cell in row)) for row in body)),
        ),
        class_="scrolls",
    )
