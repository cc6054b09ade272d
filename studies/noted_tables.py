"""Write the tables of figures that were noted during runs, from their JSON files: `python -m studies.noted_tables`.

Most of these agents are not kept, so no command measures them again. `docs/results/noted/PAGE.json` has the tables of
`PAGE.md`, which is in `docs/results`, `docs` or `docs/tutorials`, by name: the columns, how many of them are texts
(`texts`), and the rows. A cell is a text, a number, null, or a result: the games won (`won`, %), their 95 % interval
(`interval`, %) or half of it (`half`), and the fair share (`fair`, %) where it is not 50.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spygames_app.cli.arguments import run_command, say
from spygames_training.output.tables import markdown_table, put_between

DOCS = Path(__file__).resolve().parents[1] / "docs"
RESULTS = DOCS / "results"
FOLDERS = (RESULTS, DOCS, DOCS / "tutorials")


@dataclass(frozen=True)
class Study:
    """Write the tables of figures that were noted during runs into the pages of the documentation.

    The figures come from docs/results/noted. The study takes no options. It replaces the tables between the lines of
    each page that name it, and nothing else.
    """

    def run(self) -> int:
        for page in pages():
            for name, table in tables(page).items():
                put_between(file_of(page), *markers(name), table)
            say(f"wrote {file_of(page)}")
        return 0


def pages() -> list[str]:
    """Return the names of the pages that have noted figures."""
    return sorted(file.stem for file in (RESULTS / "noted").glob("*.json"))


def file_of(page: str) -> Path:
    """Return the file of a page that has noted figures."""
    return next(file for folder in FOLDERS if (file := folder / f"{page}.md").exists())


def markers(name: str) -> tuple[str, str]:
    """Return the lines of a page around the table of this name."""
    return f"<!-- {name}: python -m studies.noted_tables writes from here -->", f"<!-- to here, {name} -->"


def tables(page: str) -> dict[str, str]:
    """Return the tables of a page as Markdown, by name."""
    found = json.loads((RESULTS / "noted" / f"{page}.json").read_text(encoding="utf-8"))
    return {name: _table(table) for name, table in found.items()}


def _table(table: Mapping[str, Any]) -> str:
    rows = [[_cell(cell) for cell in row] for row in table["rows"]]
    if any(len(row) != len(table["columns"]) for row in rows):
        raise ValueError(f"each row must have {len(table['columns'])} cells, as the columns {table['columns']}")
    return markdown_table(table["columns"], rows, table["texts"])


def _cell(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Mapping):
        text = f"{cell['won']:.1f}"
        if "half" in cell:
            text += f" ± {cell['half']:.1f}"
        if "interval" in cell:
            text += " ({:.1f}-{:.1f})".format(*cell["interval"])
        return f"{text} [{cell['fair']:g}]" if "fair" in cell else text
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.noted_tables")


if __name__ == "__main__":
    sys.exit(main())
