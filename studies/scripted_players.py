"""Matches among the scripted players in every game and variant: `nice python -m studies.scripted_players`."""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from spygames import make_game
from spygames.core.game.game import Game
from spygames_app.cli.arguments import AnyFolder, File, Positive, Seed, console, run_command
from spygames_training.evaluation.evaluation import evaluate
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import markdown_table, progress_bar, put_between
from studies.figures import won

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *(
        ("heimlich_v0", {"players": players, "top_secret": cards, "secret_identities": identities})
        for cards, identities, players in product((False, True), (False, True), range(2, 8))
    ),
    *(
        ("agent_avenue_v0", {"mode": mode, "players": players})
        for mode, players in product(("simple", "advanced"), (2, 3, 4))
    ),
    *(
        ("agent_dog_v0", {"players": players, "hidden_colours": colors, "deck": deck})
        for colors, deck, players in product(("table", "tracked"), ("standard", "royal"), (2, 3, 4))
    ),
]
"""Games and the options of their variants."""
MATCHES = [("greedy", "expert"), ("random", "expert"), ("expert", "greedy")]
"""The player of one side, and the player of all other sides."""
SEED = 51_171_722
"""Seed of the published figures. Nothing was tuned on it."""
BEGIN, END = "<!-- figures: python -m studies.scripted_players writes from here -->", "<!-- to here, figures -->"


def figures_of(game: Game, deals: int, seed: int) -> dict[str, Any]:
    """Return the win share of each challenger of `MATCHES`, its 95 % interval, and the fair share."""
    found = {}
    for challenger, opponent in MATCHES:
        (result,) = evaluate(game, challenger, opponent, deals * game.num_sides, seed)
        found[f"{challenger} among {opponent}"] = {
            "win_share": result.win_share,
            "interval": result.interval,
            "fair_share": result.fair_share,
            "games": result.games,
        }
    return found


def row(title: str, found: dict[str, Any]) -> list[str]:
    """Return the cells of one variant in percent, with fair shares next to the win shares."""
    cells = [title]
    for challenger, opponent in MATCHES:
        result = found[f"{challenger} among {opponent}"]
        cells.append(won(result))
        if challenger != "random":
            cells.append(f"{100 * result['fair_share']:.1f}")
    return cells


def table(variants: dict[str, Any]) -> str:
    """Return the table of all variants in Markdown."""
    head = [
        "",
        "`greedy` among `expert` %",
        "fair %",
        "`random` among `expert` %",
        "`expert` among `greedy` %",
        "fair %",
    ]
    return markdown_table(head, [row(title, found) for title, found in variants.items()])


@dataclass(frozen=True)
class Study:
    """Play `expert`, `greedy` and `random` against each other in every game and variant.

    One player takes one side and another takes all other sides; each deal is played from every side. The study can be
    stopped at any time; the same command resumes. It writes the file after each variant. It prints a table of win
    shares and fair shares, which are what the other players win among themselves.
    """

    deals: Positive = 5_000
    """Number of deals of each match."""
    seed: Seed = SEED
    """Random seed; the same seed gives the same result."""
    file: File = Path("docs/results/scripted_players.json")
    """File of the results: the win share of each variant and match, 0 to 1, with its interval."""
    docs: AnyFolder = None
    """Also write the table into `scripted_players.md` in this folder."""
    minutes: Positive = 600
    """Stop after this time, at the end of a variant."""

    def run(self) -> int:
        kept: dict[str, Any] = {"seed": self.seed, "deals": self.deals, "variants": {}}
        if self.file.exists():
            kept = json.loads(self.file.read_text())
        if (kept["seed"], kept["deals"]) != (self.seed, self.deals):
            raise ValueError(
                f"{self.file} has {kept['deals']} deals of seed {kept['seed']}, not {self.deals} of seed {self.seed}: "
                "name another --file"
            )
        end = time.monotonic() + 60 * self.minutes
        with progress_bar("variants", console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("playing", total=len(VARIANTS))
            for game_id, options in VARIANTS:
                game = make_game(game_id, **options)
                title = f"{game_id}, " + ", ".join(f"{name} {value}" for name, value in options.items())
                if title not in kept["variants"] and time.monotonic() < end:
                    kept["variants"][title] = figures_of(game, self.deals, self.seed)
                    write_whole(self.file, json.dumps(kept, indent=1) + "\n")
                bar.advance(task, 1)
        text = table(kept["variants"])
        print(text)
        if self.docs is not None:
            put_between(self.docs / "scripted_players.md", BEGIN, END, text)
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.scripted_players")


if __name__ == "__main__":
    sys.exit(main())
