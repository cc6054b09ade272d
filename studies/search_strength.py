"""How much a search adds to the released agent of Agent Avenue: `nice python -m studies.search_strength`."""

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from spygames import make_game
from spygames.core.batch import spread
from spygames.core.game import Game
from spygames.core.players import make_player
from spygames.core.rng import next_seed
from spygames_app.cli.arguments import File, Positive, Seed, console, execute
from spygames_training.atomic import write_whole
from spygames_training.evaluation import bootstrap, play_games, won
from spygames_training.tables import markdown_table, progress_bar

AGENT = "agent_avenue_simple"
SEARCH, PLAIN = f"{AGENT}+search:64", f"{AGENT}@argmax"
TYPES = f"{SEARCH},rivals=policy|expert|random"
MATCHES = [
    (SEARCH, PLAIN),
    *((PLAIN, bot) for bot in ("expert", "greedy", "random", "mcts:200")),
    *((TYPES, bot) for bot in ("expert", "greedy", "random", "mcts:200")),
]
"""Challengers and opponents."""
BLOCK = 100
"""Deals that are played before the file is written."""
SEED = 8_640_141
"""Of the published figures; nothing was tuned on it."""


def wins_in(game: Game, challenger: str, opponent: str, deals: np.ndarray, rng_seed: int) -> list[int]:
    """Games that the challenger wins of the two of each deal, uint64 [d], as either side."""
    players = [make_player(game, name) for name in (challenger, opponent)]
    seating = np.tile([[0, 1], [1, 0]], (len(deals), 1))
    returns = play_games(game, players, seating, np.repeat(deals, 2), rng_seed).reshape(-1, 2, 2)
    own = np.stack([returns[:, 0, 0], returns[:, 1, 1]], axis=1)
    return won(own, 2).sum(axis=1).astype(int).tolist()


def figures(wins: str) -> list[str]:
    """Games, games won in percent, and their 95 % interval, from the games won of each deal."""
    values = np.array([*map(int, wins)]) / 2
    low, high = bootstrap(values, 0)
    return [f"{2 * len(values):,}", f"{100 * values.mean():.1f}", f"{100 * low:.1f}-{100 * high:.1f}"]


@dataclass(frozen=True)
class Study:
    """Plays the released agent of Agent Avenue with and without a search, on the same deals.

    It goes on where it was stopped: after each 100 deals, each played as either side, the file has what was played.
    Prints a table of games won.
    """

    games: Positive = 9604
    """Of each match; so many tell a share to one percent."""
    seed: Seed = SEED
    """The same seed, the same result."""
    file: File = Path("docs/search_strength.json")
    """What was played: for each match the games won of each deal, 0 to 2, as digits."""
    minutes: Positive = 600
    """It stops at the next block after so long."""

    def run(self) -> int:
        torch.set_num_threads(1)
        game, deals = make_game("agent_avenue_v0"), spread(np.uint64(self.seed), -(-self.games // 2))
        kept: dict[str, Any] = {"seed": self.seed, "wins": {}}
        if self.file.exists():
            kept = json.loads(self.file.read_text())
        if kept["seed"] != self.seed:
            raise ValueError(f"{self.file} has games of seed {kept['seed']}, not {self.seed}: name another --file")
        end = time.monotonic() + 60 * self.minutes
        with progress_bar(console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("playing", total=len(deals) * len(MATCHES))
            for challenger, opponent in MATCHES:
                match = f"{challenger} against {opponent}"
                wins = kept["wins"].get(match, "")
                bar.advance(task, len(wins))
                while len(wins) < len(deals) and time.monotonic() < end:
                    part = deals[len(wins) : len(wins) + BLOCK]
                    wins += "".join(map(str, wins_in(game, challenger, opponent, part, int(next_seed(part[0])))))
                    kept["wins"][match] = wins
                    write_whole(self.file, json.dumps(kept, indent=2) + "\n")
                    bar.advance(task, len(part))
        rows = [[match, *figures(wins)] for match, wins in kept["wins"].items()]
        print(markdown_table(["match", "games", "won %", "95 %"], rows))
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the study; returns the exit code."""
    return execute(Study, sys.argv[1:] if argv is None else argv, "python -m studies.search_strength")


if __name__ == "__main__":
    sys.exit(main())
