"""Writes the short rules into docs/games, and an exchange of each game into docs/language_models.md:
`python docs/_extensions/game_texts.py`.

Both are texts of the package (`spygames.text`); a test compares the pages with them.
"""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spygames.core.game.game import Game
from spygames.core.game.registry import game_ids, make_game
from spygames.core.game.rulebook import RuleSection, without_ids
from spygames.text import parse
from spygames_app.cli import main as run
from spygames_app.rules import PICTURES

DOCS = Path(__file__).resolve().parents[1]
BEGIN, END = (
    "<!-- texts: python docs/_extensions/game_texts.py writes from here -->",
    "<!-- to here, texts -->",
)
MORE: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "agent_avenue_v0": [
        ('In advanced mode (`mode="advanced"`)', {"mode": "advanced"}),
        ("With three and four players (`players=4`)", {"players": 4}),
    ],
    "heimlich_v0": [
        ("With cards (`top_secret=True`)", {"top_secret": True}),
        ("With predictions (`secret_identities=True`)", {"secret_identities": True}),
        ('In the edition of 1984 (`edition="ravensburger"`)', {"edition": "ravensburger"}),
    ],
    "agent_dog_v0": [("With two and three players (`players=2`)", {"players": 2})],
}
"""By game: the options whose further rules follow those of the default variant, each with a heading."""
EXCHANGES: dict[str, tuple[str, str]] = {
    "agent_avenue_v0": ("prompt agent_avenue --seed 1 --after 9", "The hidden card may be better."),
    "heimlich_v0": ("prompt heimlich --option players=3 --seed 1 --after 12", "Nobody must see which one is mine."),
    "agent_dog_v0": ("prompt agent_dog --option players=2 --seed 2 --after 40", "This brings a pawn forward."),
}
"""By game: the command that prints the prompt, and what a player says before it names its action."""


def short_page(game_id: str) -> str:
    """The short rules of a game in Markdown: those of the default variant, then what other options add.

    Each variant has its three sentences and its parts, and the details behind a fold.
    """
    base = make_game(game_id)
    known = {(line.name, line.text) for section in base.short_rules() for line in section.lines}
    parts = [_sections(base.short_rules(), _pictures(game_id))]
    for heading, options in MORE[game_id]:
        parts.append(f"### {heading}\n\n{_sections(_further(make_game(game_id, **options), known))}")
    return "\n".join(parts)


def _further(game: Game, known: set[tuple[str, str]]) -> list[RuleSection]:
    """The sections of a variant without the lines whose name and text are known; its three sentences stay together."""
    first, *others = game.short_rules()
    sections = [
        section._replace(lines=tuple(line for line in section.lines if (line.name, line.text) not in known))
        for section in others
    ]
    if all((line.name, line.text) in known for line in first.lines):
        first = first._replace(lines=())
    return [first, *(section for section in sections if section.lines)]


def _pictures(game_id: str) -> str:
    """The pictures of the start and of a decision, with what they show."""
    name = game_id.rpartition("_v")[0]
    shown = zip(PICTURES[game_id], ("start", "decision"), strict=True)
    images = [f"![{text}](../images/games/{name}-{file}.svg)" for text, file in shown]
    return "\n".join([*images, "", *PICTURES[game_id], ""])


def _sections(sections: list[RuleSection] | tuple[RuleSection, ...], pictures: str = "") -> str:
    first, *others = map(without_ids, sections)
    short = [_section(each) for each in others if not each.details]
    details = [_section(each) for each in others if each.details]
    opening = [f"- **{line.name}**: {line.text}" for line in first.lines]
    fold = ["<details>\n<summary>Details, with the IDs of the rules</summary>\n", *details, "</details>\n"]
    return "\n".join(
        [*opening, *([""] if opening else []), *([pictures] if pictures else []), *short, *(fold if details else [])]
    )


def _section(section: RuleSection) -> str:
    lines = [f"**{section.title}**{_ids(section.ids)}", ""]
    for line in section.lines:
        name = f"**{line.name}**: " if line.name else ""
        lines.append(f"- {name}{line.text}{_ids(line.ids)}")
    return "\n".join([*lines, ""])


def _ids(ids: tuple[str, ...]) -> str:
    return f" ({', '.join(ids)})" if ids else ""


def exchanges() -> str:
    """A prompt of each game with an answer, in Markdown."""
    parts = []
    for game_id, (command, words) in EXCHANGES.items():
        told = printed(command)
        legal = re.findall(r"^- (.+)$", told.partition("Your legal actions:")[2], re.MULTILINE)
        answer = f'{words} {{"action": "{legal[-1]}"}}'
        reply = parse(answer, legal)
        parts += [
            f"### {_title(game_id)}\n\n    spygames {command}\n",
            f"```text\n{told}\n```\n",
            f"The answer `{answer}` is {reply.verdict}: the seat plays `{reply.action}`.\n",
        ]
    return "\n".join(parts)


def printed(command: str) -> str:
    """What a command of `spygames` prints."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert run(command.split()) == 0
    return out.getvalue().removesuffix("\n")


def _title(game_id: str) -> str:
    page = (DOCS / "games" / f"{game_id.rpartition('_v')[0]}.md").read_text(encoding="utf-8")
    return page.partition("\n")[0].removeprefix("# ")


def pages() -> Iterator[tuple[Path, str]]:
    """Each page with texts, and its content with fresh ones."""
    for game_id in game_ids():
        page = DOCS / "games" / f"{game_id.rpartition('_v')[0]}.md"
        yield page, renewed(page.read_text(encoding="utf-8"), short_page(game_id))
    page = DOCS / "language_models.md"
    yield page, renewed(page.read_text(encoding="utf-8"), exchanges())


def renewed(page: str, text: str) -> str:
    """The page with the text between its marks replaced; ValueError where there are none."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"a page must have the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{text.rstrip()}\n\n{END}{after}"


if __name__ == "__main__":
    for file, content in pages():
        file.write_text(content, encoding="utf-8")
