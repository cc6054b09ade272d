"""The rules of a game by their IDs, as its README has them."""

import re
from pathlib import Path
from typing import NamedTuple

from spygames.core.game import Game

_LEVELS = 2
"""How far above the rules module the README may lie."""


class Rule(NamedTuple):
    """One rule."""

    id: str
    chapter: str
    text: str


def rules_of(game: Game) -> dict[str, Rule]:
    """The rules of a game by ID, in the order of its README; empty where it has none."""
    file = game.module.__file__
    folder = Path(file).resolve().parent if file else Path()
    for each in (folder, *folder.parents[: _LEVELS - 1]):
        if file and (each / "README.md").is_file():
            return read_rules((each / "README.md").read_text(encoding="utf-8"))
    return {}


def read_rules(page: str) -> dict[str, Rule]:
    """The rules of a README: lines that begin with an ID in bold, with what is indented below them."""
    found: dict[str, Rule] = {}
    for chapter in re.split(r"^#{2,3} ", page, flags=re.MULTILINE)[1:]:
        title = chapter.partition("\n")[0].strip()
        for item in re.findall(r"^- \*\*([A-Z]+-\d+)\*\* (.*\n(?:  .*\n)*)", chapter, re.MULTILINE):
            text = " ".join(re.sub(r"\[[SPpD]\] |[`*]", "", item[1]).split())
            found[item[0]] = Rule(item[0], re.sub(r"[`*]", "", title), text)
    return found


def rules_in_words(game: Game, wanted: str) -> str:
    """What `rules` and `rules AA-12` answer: the chapters with the IDs of their rules, or one rule."""
    rules = rules_of(game)
    if not rules:
        return f"{game.id} has no list of rules."
    if wanted:
        rule = rules.get(wanted.upper())
        if rule is None:
            ids = [*rules]
            return f"No rule {wanted!r}: there are {ids[0]} to {ids[-1]}."
        return f"{rule.id}: {rule.text}"
    chapters: dict[str, list[str]] = {}
    for rule in rules.values():
        chapters.setdefault(rule.chapter, []).append(rule.id)
    width = max(map(len, chapters))
    lines = [
        f"  {title:{width}}  {ids[0]}{f' to {ids[-1]}' if len(ids) > 1 else ''}" for title, ids in chapters.items()
    ]
    return "\n".join(["The rules by their IDs; rules ID shows one.", *lines])
