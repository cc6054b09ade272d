"""Write the tables of random games from their JSON files: `python -m studies.random_play`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spygames_app.cli.arguments import run_command, say
from spygames_training.experiments.random_play import columns
from spygames_training.output.tables import markdown_table, put_between

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"
KEPT = RESULTS / "random_play"
"""The folder of the files; GAME.json holds what `spygames random-play --game GAME --json` wrote."""
BEGIN, END = "<!-- figures: python -m studies.random_play writes from here -->", "<!-- to here, figures -->"


@dataclass(frozen=True)
class Study:
    """Write the tables of random games into the pages in docs/results.

    The figures come from docs/results/random_play, where these commands put them:

        spygames random-play --game agent_avenue_v0 --json docs/results/random_play/agent_avenue_v0.json
        spygames random-play --game heimlich_v0 --games 20000 --json docs/results/random_play/heimlich_v0.json
        spygames random-play --game agent_dog_v0 --games 20000 --json docs/results/random_play/agent_dog_v0.json

    The study takes no options. It replaces the tables between the lines of each page that name it, and nothing else.
    """

    def run(self) -> int:
        for file in files():
            put_between(page_of(file), BEGIN, END, table(file))
            say(f"wrote {page_of(file)}")
        return 0


def files() -> list[Path]:
    """Return the files of figures, one for each game."""
    return sorted(KEPT.glob("*.json"))


def page_of(file: Path) -> Path:
    """Return the page with the table of this file."""
    return RESULTS / f"{file.stem.rpartition('_v')[0]}_random_play.md"


def table(file: Path) -> str:
    """Return the table of a file in Markdown."""
    return markdown_table(*columns(json.loads(file.read_text(encoding="utf-8"))))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.random_play")


if __name__ == "__main__":
    sys.exit(main())
