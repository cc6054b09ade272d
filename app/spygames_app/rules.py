"""The rules of a game by their IDs, read from its README."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

from spygames.core.game.game import Game, reference
from spygames.core.game.registry import game_module


class Rule(NamedTuple):
    """One rule."""

    id: str
    chapter: str
    text: str


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
    """Return the rules of a README: list items that begin with a bold ID, with their indented lines."""
    found: dict[str, Rule] = {}
    for chapter in re.split(r"^#{2,3} ", page, flags=re.MULTILINE)[1:]:
        title = chapter.partition("\n")[0].strip()
        for item in re.findall(r"^- \*\*([A-Z]+-\d+)\*\* (.*\n(?:  .*\n)*)", chapter, re.MULTILINE):
            plain = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", item[1])  # the text of links
            text = " ".join(re.sub(r"\[[SPpD]\] |[`*]", "", plain).split())
            found[item[0]] = Rule(item[0], re.sub(r"[`*]", "", title), text)
    return found


def rules_in_words(game: Game, wanted: str) -> str:
    """Return the text for `rules` (the chapters with the IDs of their rules) or `rules AA-12` (one rule)."""
    rules = rules_of(game)
    if not rules:
        return f"{game.id} has no list of rules."
    if wanted:
        rule = rules.get(wanted.upper())
        if rule is None:
            ids = [*rules]
            return f"No rule {wanted!r}: the rules are {ids[0]} to {ids[-1]}."
        return f"{rule.id}: {rule.text}"
    chapters: dict[str, list[str]] = {}
    for rule in rules.values():
        chapters.setdefault(rule.chapter, []).append(rule.id)
    width = max(map(len, chapters))
    lines = [
        f"  {title:{width}}  {ids[0]}{f' to {ids[-1]}' if len(ids) > 1 else ''}" for title, ids in chapters.items()
    ]
    return "\n".join(["The rules by their IDs; type rules ID to read one.", *lines])
