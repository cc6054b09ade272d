"""Writes the tables of options, actions and the observation into the games' READMEs and pages:
`python docs/_extensions/game_tables.py`.

They follow from `Settings` and `View` in each game's `layout.py` and from the kinds in its `actions.py`. A table is
found by its head and replaced as a whole.
"""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spygames.core.game import action_table, options
from spygames.core.game.layout import fields, rows, view_parts

PACKAGE = Path(__file__).resolve().parents[2] / "envs" / "spygames"
GAMES = sorted(path.parent.name for path in PACKAGE.glob("*/layout.py"))
SHOWN: dict[str, dict[str, Any]] = {
    "agent_avenue": importlib.import_module("spygames.agent_avenue.layout").variant(advanced=False, teams=False),
    "agent_dog": {"track": 64, "quarter": 16},
    "heimlich": {"players": "P", "agents": "A"},
}
"""The variant of which a README shows the observation; letters stand for sizes."""
PARTS = {"top_secret": "with cards", "secret_identities": "with predictions", "": "always"}
"""What stands above the fields of a condition, where a README shows several."""
_TEXT = re.compile(r'(?<!`)"\w+"(?!`)')
"""A value that is a text, which a table shows as code."""
OPTIONS, VIEW = "| option | values | default |", "| field | shape | part | meaning |"
ACTIONS = "| number | text | when |"


def table_of_options(game: str) -> list[str]:
    """The lines of a game's options."""
    settings = importlib.import_module(f"spygames.{game}.layout").Settings
    found = [f"| `{name}` | {meaning} | `{default}` |" for name, meaning, default in options.rows(settings)]
    return [OPTIONS, "|---|---|---|", *found]


def table_of_view(game: str) -> list[str]:
    """The lines of a game's observation."""
    view, variant = importlib.import_module(f"spygames.{game}.layout").View, SHOWN[game]
    conditions = [" ".join(row.when) for row in fields(view, **variant).values()]
    parts = view_parts(view, **variant)
    lines = [VIEW, "|---|---|---|---|"]
    for k, (name, shape, meaning) in enumerate(rows(view, **variant)):
        if len(set(conditions)) > 1 and conditions[k] not in conditions[:k]:
            lines.append(f"| *{PARTS[conditions[k]]}* | | | |")
        lines.append(f"| `{name}` | {shape} | {parts[name]} | {meaning} |")
    return lines


def table_of_actions(game: str) -> list[str]:
    """The lines of a game's kinds of action."""
    table = importlib.import_module(f"spygames.{game}.actions").KINDS_OF_ACTIONS
    sizes = {"track": 64, "holes": 16} if game == "agent_dog" else {}
    found = [f"| {numbers} | `{form}` | {when} |" for numbers, form, when in action_table.rows(table, **sizes)]
    return [ACTIONS, "|---|---|---|", *found]


def replaced(text: str, lines: list[str]) -> str:
    """`text` with the table of this head replaced; ValueError where there is none."""
    old = text.split("\n")
    start = old.index(lines[0])
    end = next(k for k in range(start, len(old)) if not old[k].startswith("|"))
    return "\n".join([*old[:start], *(_TEXT.sub(r"`\g<0>`", line) for line in lines), *old[end:]])


def pages() -> Iterator[tuple[Path, str]]:
    """Each file with tables, and its text with fresh ones."""
    for game in GAMES:
        readme, page = PACKAGE / game / "README.md", PACKAGE / f"{game}_v0.py"
        text = readme.read_text(encoding="utf-8")
        for table in (table_of_options(game), table_of_actions(game), table_of_view(game)):
            text = replaced(text, table)
        yield readme, text
        text = replaced(page.read_text(encoding="utf-8"), table_of_options(game))
        yield page, replaced(text, table_of_actions(game)) if ACTIONS in text else text


if __name__ == "__main__":
    for file, text in pages():
        file.write_text(text, encoding="utf-8")
