"""The tables and pictures of what players believe: `python -m studies.beliefs runs/beliefs_agent_avenue ...`."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import Positional

from spygames.core.game.registry import make_game
from spygames_app.cli.arguments import Folder, run_command, say, values
from spygames_app.cli.beliefs import RESULTS
from spygames_training.evaluation.belief_scores import BeliefResult
from spygames_training.evaluation.believers import KNOWN, RULES
from spygames_training.files.atomic import write_whole
from spygames_training.ladder.page import short_title
from spygames_training.output.beliefs import belief_picture, belief_table, caption
from spygames_training.output.tables import put_between

FILE, PAGE = "beliefs.json", "beliefs.md"
BEGIN, END = "<!-- figures: python -m studies.beliefs writes from here -->", "<!-- to here, beliefs -->"


def scores(found: Mapping[str, Any]) -> list[BeliefResult]:
    """Return the results in a file of `spygames beliefs`."""
    return [BeliefResult(**each) for each in found["results"]]


def page_of(games: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the tables and pictures of all games as Markdown."""
    parts = []
    for name, found in games.items():
        game = make_game(found["game"]["id"], **found["game"]["options"])
        parts += [f"## {short_title(game)}", f"![What players believe in {game.id}](../images/beliefs_{name}.svg)"]
        parts += [belief_table(scores(found), RULES, KNOWN).markdown(), caption(found, RULES, KNOWN)]
    return "\n\n".join(parts)


@dataclass(frozen=True)
class Study:
    """Write the page of results about beliefs from folders of `spygames beliefs`.

        python -m studies.beliefs runs/beliefs_agent_avenue runs/beliefs_heimlich runs/beliefs_agent_dog

    Games that are not named keep their figures. Without folders the page is written again from its JSON file.
    """

    folders: Positional[Annotated[tuple[Path, ...], values(Path, "FOLDER", least=0)]] = ()
    """Folders of `spygames beliefs`, one for each game."""
    docs: Folder = Path("docs")
    """The folder of the pages."""

    def run(self) -> int:
        results = self.docs / "results"
        file = results / FILE
        games: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        for folder in self.folders:
            found = json.loads((folder / RESULTS).read_text())
            games[make_game(found["game"]["id"]).name] = found
        write_whole(file, json.dumps(games, indent=1) + "\n")
        for name, found in games.items():
            title = short_title(make_game(found["game"]["id"], **found["game"]["options"]))
            belief_picture(scores(found), RULES, KNOWN, self.docs / "images" / f"beliefs_{name}.svg", title)
        put_between(results / PAGE, BEGIN, END, page_of(games))
        say(f"page: {results / PAGE}")
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.beliefs")


if __name__ == "__main__":
    sys.exit(main())
