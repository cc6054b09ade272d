"""The rules as HTML: the page of a game's rules, half a page for beginners, and the reason why an action is refused."""

import re
from collections.abc import Mapping, Sequence

from spygames.core.game.game import Game
from spygames.core.game.rulebook import RuleSection, without_ids
from spygames_app.rules import PICTURES, Rule, chapters_of
from spygames_app.web.html import Html, h, joined
from spygames_app.web.page import page


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
        h(
            "li",
            h("strong", f"{line.name}: ") if line.name else None,
            *_coded(_seated(line.text)),
            _ids(line.ids, found),
        )
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


def _seated(text: str) -> str:
    """Return a text with seats as the page counts them: "player_0" is "seat 1"."""
    text = re.sub(r"\bplayer_(\d+)\b", lambda found: f"seat {int(found[1]) + 1}", text)
    return re.sub(r"(^|\. )seat\b", r"\1Seat", text)


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
