"""The rules of a game for people: the short rules first, then the rules of its README by chapter and ID."""

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

from spygames.core.game.game import Game, reference
from spygames.core.game.registry import game_module
from spygames.core.game.rulebook import rules_text, without_ids
from spygames.core.players.replies import canonical
from spygames_app.terminal import line_width, text_width

PICTURES: Mapping[str, tuple[str, str]] = {
    "agent_avenue_v0": (
        "The start: both meeples are at home, and you offer two cards.",
        "A decision: you take one card, face up or face down.",
    ),
    "heimlich_v0": (
        "The start: all agents are in the church, the safe is in building 7.",
        "A decision: you share the steps of the die among the agents.",
    ),
    "agent_dog_v0": (
        "The start: one pawn of each color is on its start space, three wait in its area.",
        "A decision: you play a card. Pawns in the dark holes wear hats.",
    ),
}
"""What the two pictures of the short rules show, by game; `docs/draw_docs.py` draws them."""


class Rule(NamedTuple):
    """One rule."""

    id: str
    chapter: str
    text: str
    table: tuple[tuple[str, ...], ...] = ()
    """The rows of the table that follows the rule, its head first."""


def readme_of(game: str) -> str:
    """Return the README of a game that `make_game` knows by this name; empty if it has none."""
    package = sys.modules[game_module(game).make_game.__module__].__file__
    file = Path(package or "").resolve().parent / "README.md"
    return file.read_text(encoding="utf-8") if package and file.is_file() else ""


def title_of(game: str) -> tuple[str, str]:
    """Return the display name of a game and its description: the title and first paragraph of its README."""
    found = re.match(r"# (.+)\n\n((?:.+\n)+)", readme_of(game))
    return (found[1].strip(), " ".join(re.sub(r"[`*]", "", found[2]).split())) if found else (game, "")


def rules_of(game: Game) -> dict[str, Rule]:
    """Return the rules of a game by ID, in the order of its README; empty if it has none."""
    return read_rules(readme_of(reference(game)[0]))


def read_rules(page: str) -> dict[str, Rule]:
    """Return the rules of a README: list items that begin with a bold ID, with their indented lines and the table that
    follows them.
    """
    found: dict[str, Rule] = {}
    item = r"^- \*\*([A-Z]+-\d+)\*\* (.*\n(?:  .*\n)*)(?:\n((?:\|.*\n)+))?"
    for chapter in re.split(r"^#{2,3} ", page, flags=re.MULTILINE)[1:]:
        title = chapter.partition("\n")[0].strip()
        for name, text, table in re.findall(item, f"{chapter}\n", re.MULTILINE):
            rows = [line.strip("|\n").split("|") for line in table.splitlines() if not re.match(r"\|[-:|]+$", line)]
            cells = tuple(tuple(_plain(cell) for cell in row) for row in rows)
            found[name] = Rule(name, re.sub(r"[`*]", "", title), _plain(text), cells)
    return found


def _plain(text: str) -> str:
    """The text without marks: those of sources, of code and of links."""
    linked = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"\[[SPpD]\] |[`*]", "", linked).split())


def chapters_of(rules: dict[str, Rule]) -> dict[str, list[Rule]]:
    """Return the rules by chapter, in order."""
    chapters: dict[str, list[Rule]] = {}
    for rule in rules.values():
        chapters.setdefault(rule.chapter, []).append(rule)
    return chapters


def rules_in_words(game: Game, wanted: str = "", command: str = "rules") -> str:
    """Return the text for `rules` (the short rules and the chapters), or for a rule, a chapter or a card.

    The chapters come with a line that tells the reader to type `command` before what to read.
    """
    rules = rules_of(game)
    if wanted:
        return found_in(game, wanted) or (
            f"No rule, chapter or card {wanted!r}: the rules are {next(iter(rules))} to {[*rules][-1]}."
            if rules
            else f"{game.id} has no list of rules."
        )
    if not rules:
        return f"{short_rules_for_people(game)}\n\n{game.id} has no list of rules."
    chapters = chapters_of(rules)
    width = max(map(len, chapters))
    lines = [
        f"  {title:{width}}  {within[0].id}{f' to {within[-1].id}' if len(within) > 1 else ''}"
        for title, within in chapters.items()
    ]
    more = f"All rules by their IDs; type {command} and an ID, a chapter or a card to read more."
    return "\n".join([short_rules_for_people(game), "", more, *lines])


def short_rules_for_people(game: Game) -> str:
    """Return the short rules as people read them: the opening and the parts without IDs, then the details."""
    sections = [without_ids(section) for section in game.short_rules()]
    short = [section for section in sections if not section.details]
    details = [section for section in sections if section.details]
    text = rules_text(f"Rules of {game.title}", short, text_width())
    return f"{text}\n\n{rules_text('Details, with the IDs of the rules', details, text_width())}" if details else text


def found_in(game: Game, wanted: str) -> str:
    """Return the text of a rule by its ID, of a chapter by its first words, or of a card; "" if there is none."""
    rules, name = rules_of(game), canonical(wanted)
    if (rule := rules.get(wanted.strip().upper())) is not None:
        return in_words(rule)
    for title, within in chapters_of(rules).items():
        if canonical(title).startswith(name):
            return "\n".join([title, *(in_words(rule) for rule in within)])
    return card_in_words(game, rules, name)


def card_in_words(game: Game, rules: dict[str, Rule], name: str) -> str:
    """Return what the short rules and the tables of the README say about a card or term; "" for nothing."""
    lines = [
        f"{section.title}: {line.text}{_ids(line.ids or section.ids)}"
        for section in game.short_rules()
        for line in section.lines
        if name in map(canonical, line.name.split(", "))
    ]
    for rule in rules.values():
        for row in rule.table[1:]:
            if canonical(row[0]) == name:
                lines.append(f"{rule.id}: {_facts(rule.table[0], row)}")
    return "\n".join(part for line in lines for part in wrap(line, text_width(), subsequent_indent="  "))


def in_words(rule: Rule) -> str:
    """Return a rule with its table as text."""
    lines = wrap(f"{rule.id}: {rule.text}", text_width(), subsequent_indent="  ")
    return "\n".join([*lines, *_columns(rule.table)])


def _columns(table: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows of a table as aligned lines, or as paragraphs if the terminal is too narrow."""
    if not table:
        return []
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    lines = ["  " + "  ".join(f"{cell:{w}}" for cell, w in zip(row, widths, strict=True)).rstrip() for row in table]
    if max(map(len, lines)) <= line_width():
        return lines
    rows = (f"  {row[0]}: {_facts(table[0], row)}" for row in table[1:])
    return [line for row in rows for line in wrap(row, text_width(), subsequent_indent="    ")]


def _facts(head: Sequence[str], row: Sequence[str]) -> str:
    """Return the cells of a row after the first one, each with the name of its column."""
    return "; ".join(f"{name}: {cell}" for name, cell in zip(head[1:], row[1:], strict=False))


def _ids(ids: Sequence[str]) -> str:
    return f" ({', '.join(ids)})" if ids else ""
