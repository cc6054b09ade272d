"""The pages of the games on the site: below what stands in docs/games come the rules, spaces and mappings of the game's
README, each rule with the tests that prove it. GitHub shows the README itself.
"""

import os
import re
from pathlib import Path

from rule_proofs import proofs

ROOT = Path(__file__).resolve().parents[2]
USE = "## Can I use it?"
"""The section of a README that stands before the facts on the site."""
_RULE = re.compile(r"^- \*\*([A-Z]+-\d+)\*\* ", re.MULTILINE)


def whole_page(game: str, page: str) -> str:
    """The page of a game with its README.

    Args:
        game: the name of its folder, as `agent_avenue`.
        page: what stands in docs/games.

    Returns:
        Markdown: the page, with the README's "Can I use it?" above its facts; the README from its options on, with its
        links as seen from docs/games, each rule linked to its row in a table of tests; that table.
    """
    folder = ROOT / "envs" / "spygames" / game
    readme = (folder / "README.md").read_text(encoding="utf-8")
    tests = proofs(ROOT / "tests" / "games" / game)
    body = _moved(readme[readme.index("| option |") :], folder, ROOT / "docs" / "games")
    body = _RULE.sub(lambda rule: f"- [**{rule[1]}**]{{#{rule[1].lower()}}} ([proof](#proof-{rule[1].lower()})) ", body)
    use = _section(body, USE)
    body, page = body.replace(use, ""), _linked(page).replace("## Facts", f"{use}## Facts", 1)
    page = page.replace(f"../../envs/spygames/{game}/README.md", "#options")  # on the site it stands below
    return f"{page}\n## Options\n\n{body}\n{_table(_RULE.findall(readme), tests, game)}"


def _linked(text: str) -> str:
    """The page with the IDs behind each line of the short rules linked to the rules below."""

    def ids(found: re.Match[str]) -> str:
        names = found[1].split(", ")
        return f" ({', '.join(f'[{name}](#{name.lower()})' for name in names)})"

    return re.sub(r" \(((?:[A-Z]{2}-\d+(?:, )?)+)\)", ids, text)


def _section(text: str, heading: str) -> str:
    """The section of a heading up to the next one of its level."""
    start = text.index(f"{heading}\n")
    return text[start : text.index("\n## ", start) + 1]


def _moved(text: str, old: Path, new: Path) -> str:
    """The text with relative links as they are in another folder; of a page of the site's its address there."""

    def link(found: re.Match[str]) -> str:
        path = os.path.relpath(old / found[1], new)
        return f"]({Path(path).as_posix()}{found[2] or ''})"

    return re.sub(r"\]\((?![a-z]+://|#)([^)#]+)(#[^)]*)?\)", link, text)


def _table(rules: list[str], tests: dict[str, list[str]], game: str) -> str:
    """A section with a row for each rule: the files of tests that prove it, a line each, with the names in it."""
    lines = []
    for rule in rules:
        files: dict[str, dict[str, None]] = {}
        for test in tests[rule]:
            file, _, name = test.partition(": ")
            files.setdefault(file, {})[_named(name)] = None
        cells = "<br>".join(f"`{file}`: {', '.join(names)}" for file, names in files.items())
        shown = rule.replace("-", "\N{NON-BREAKING HYPHEN}")
        lines.append(f"| [{shown}](#{rule.lower()}) | []{{#proof-{rule.lower()}}}{cells} |\n")
    return (
        f"\n## Which tests prove which rule\n\nIn `tests/games/{game}`. Scenarios are positions and decisions as data, "
        "which `test_scenarios.py` plays.\n\n| rule | tests |\n|---|---|\n" + "".join(lines)
    )


def _named(name: str) -> str:
    """A test's name as words that a line can be broken at; scenarios for both sides have one."""
    name = re.sub(r" \(side \d active\)$", "", name)
    return name.removeprefix("test_").replace("_", " ").replace("|", "\\|")
