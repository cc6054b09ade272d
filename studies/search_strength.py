"""How much a search improves the anchors of the ladders: `nice python -m studies.search_strength`."""

import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro

from spygames import make_game
from spygames.core.game.game import Game
from spygames.core.game.rng import next_seed
from spygames.core.players.names import make_player
from spygames.core.playing.batch import spread
from spygames_app.cli.arguments import AnyFolder, File, Positive, Seed, console, run_command
from spygames_training.evaluation.evaluation import mean_interval, won
from spygames_training.evaluation.play_games import play_games
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import markdown_table, progress_bar, put_between
from studies.figures import read_json


@dataclass(frozen=True)
class Match:
    """A match. The challenger plays each side of each deal; the opponent plays all other sides."""

    challenger: str
    opponent: str
    deals: int
    game_id: str = "agent_avenue_v0"
    options: Mapping[str, Any] = field(default_factory=dict)
    block: int = 100
    """Number of deals between two writes of the file."""

    @property
    def name(self) -> str:
        """The two players of the match as text."""
        one, other = self.challenger, self.opponent
        return f"{one} in all seats" if one == other else f"{one} against {other}"


AGENT = "agent_avenue/simple-2-first"
IN = "precision=bfloat16"
"""Precision of the searches."""
SEARCH, PLAIN = f"{AGENT}+search:64,{IN}", f"{AGENT}@argmax"
TYPES = f"{AGENT}+search:64,rivals=policy|expert|random,{IN}"
FULL = {"top_secret": True, "secret_identities": True}
OTHERS: list[tuple[str, str, Mapping[str, Any], int, int]] = [
    ("agent_avenue/advanced-2-first", "agent_avenue_v0", {"mode": "advanced"}, 1000, 100),
    ("agent_avenue/simple-4-first", "agent_avenue_v0", {"players": 4}, 1000, 100),
    ("heimlich/base-3-first", "heimlich_v0", {"players": 3}, 1000, 100),
    ("heimlich/full-4-first", "heimlich_v0", {"players": 4, **FULL}, 1000, 20),
    ("agent_dog/standard-2-first", "agent_dog_v0", {"players": 2}, 400, 20),
    ("agent_dog/standard-4-first", "agent_dog_v0", {"players": 4}, 400, 20),
]
"""The other agents: name, game, options, number of deals, and deals of a block."""
MATCHES = [
    Match(SEARCH, PLAIN, 4802),
    *(Match(PLAIN, bot, 4802) for bot in ("expert", "greedy", "random", "mcts:200")),
    *(Match(TYPES, bot, 4802) for bot in ("expert", "greedy", "random", "mcts:200")),
    *(
        Match(f"{agent}+search:64,{IN}", f"{agent}@argmax", deals, game, opts, n)
        for agent, game, opts, deals, n in OTHERS
    ),
    *(
        Match(f"{agent}@argmax", f"{agent}@argmax", deals, game, opts)
        for agent, game, opts, deals, _ in OTHERS
        if game == "heimlich_v0"
    ),
]
"""All matches. For games with more than two sides also the opponent in all seats, which gives the fair share."""
SEED = 8_640_141
"""Seed of the published figures. Nothing was tuned on it."""
BEGIN, END = "<!-- figures: python -m studies.search_strength writes from here -->", "<!-- to here, search -->"


def wins_in(game: Game, challenger: str, opponent: str, deals: np.ndarray, rng_seed: int) -> list[int]:
    """Return the number of games of each deal, [d], that the challenger wins, playing one as each side.

    If challenger and opponent are the same, return the number of sides that win the single game of each deal. A game
    that neither of two sides wins counts for the opponent.
    """
    sides = game.num_sides
    if challenger == opponent:
        seating = np.zeros((len(deals), game.num_players), np.int64)
        returns = play_games(game, [make_player(game, opponent)], seating, deals, rng_seed)
        return (won(returns, sides) == 1).sum(axis=1).tolist()
    players = [make_player(game, name) for name in (challenger, opponent)]
    seating = np.tile((np.arange(sides)[:, None] != np.array(game.side_of)).astype(np.int64), (len(deals), 1))
    returns = play_games(game, players, seating, np.repeat(deals, sides), rng_seed)
    leaders = [game.side_of.index(side) for side in range(sides)]
    own = np.diagonal(returns[:, leaders].reshape(-1, sides, sides), axis1=1, axis2=2)
    return (won(own, sides) == 1).sum(axis=1).tolist()


def figures(wins: str, sides: int) -> list[str]:
    """Return the cells for deals, win share in percent and its 95 % interval, from the games won of each deal."""
    values = np.array([*map(int, wins)]) / sides
    (low, high), _ = mean_interval(values, 0.0, 1.0, 0)
    return [f"{len(values):,}", f"{100 * values.mean():.1f}", f"{100 * low:.1f}-{100 * high:.1f}"]


def table(wins_of: Mapping[str, str]) -> str:
    """Return the results as a Markdown table, from the games won of each deal of each match."""
    rows = []
    for match in MATCHES:
        if match.name in wins_of:
            sides = make_game(match.game_id, **match.options).num_sides
            one, other = (f"`{name}`" for name in (match.challenger, match.opponent))
            title = f"{one} in all seats" if one == other else f"{one} against {other}"
            rows.append([title, *figures(wins_of[match.name], sides)])
    return markdown_table(["match", "deals", "won %", "95 %"], rows)


@dataclass(frozen=True)
class Study:
    """Play the anchors with and without a search on the same deals.

    The study can be stopped at any time; the same command resumes. It writes the file after each block of deals, each
    played from every side, and prints a table of win shares.
    """

    seed: Seed = SEED
    """Random seed; the same seed gives the same result."""
    file: File = Path("docs/results/search_strength.json")
    """File of the results: for each match the games won of each deal, as digits."""
    docs: AnyFolder = None
    """Also write the table into `searches.md` in this folder."""
    only: Annotated[str, tyro.conf.arg(metavar="TEXT")] = ""
    """Play only matches whose name contains this text."""
    minutes: Positive = 600
    """Stop after this time, at the end of a block."""

    def run(self) -> int:
        torch.set_num_threads(1)
        kept: dict[str, Any] = {"seed": self.seed, "wins": {}}
        if self.file.exists():
            kept = read_json(self.file, problem := "not a file of this study's results")
            if not isinstance(kept, dict) or kept.keys() != {"seed", "wins"} or not isinstance(kept["wins"], dict):
                raise ValueError(f"{self.file} is {problem}: name another --file")
        if kept["seed"] != self.seed:
            raise ValueError(f"{self.file} has games of seed {kept['seed']}, not {self.seed}: name another --file")
        end = time.monotonic() + 60 * self.minutes
        with progress_bar("deals", console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("playing", total=sum(match.deals for match in MATCHES if self.only in match.name))
            for match in MATCHES:
                if self.only not in match.name:
                    continue
                game, deals = make_game(match.game_id, **match.options), spread(np.uint64(self.seed), match.deals)
                wins = kept["wins"].get(match.name, "")
                bar.advance(task, len(wins))
                while len(wins) < len(deals) and time.monotonic() < end:
                    part = deals[len(wins) : len(wins) + match.block]
                    found = wins_in(game, match.challenger, match.opponent, part, int(next_seed(part[0])))
                    wins += "".join(map(str, found))
                    kept["wins"][match.name] = wins
                    write_whole(self.file, json.dumps(kept, indent=2) + "\n")
                    bar.advance(task, len(part))
        text = table(kept["wins"])
        print(text)
        if self.docs is not None:
            put_between(self.docs / "searches.md", BEGIN, END, text)
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.search_strength")


if __name__ == "__main__":
    sys.exit(main())
