"""Random games of Heimlich & Co. compared with another program: `python -m studies.heimlich_random_play`."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames import make_game
from spygames.core.players.names import make_player
from spygames.core.playing.batch import spread
from spygames_app.cli.arguments import Positive, Seed, console, run_command
from spygames_training.evaluation.play_games import play_games
from spygames_training.output.tables import markdown_table, progress_bar

INDEPENDENT = {  # by players: turns a game, scorings a game, share of games with only free agents on top
    2: (37.4, 7.39, 0.593),
    3: (35.9, 7.17, 0.492),
    4: (35.3, 6.96, 0.410),
    5: (35.4, 6.99, 0.277),
    6: (35.2, 6.97, 0.137),
    7: (35.3, 6.98, 0.0),
}
INDEPENDENT_GAMES = 20_000
COLUMNS = ("turns", "scorings", "only free agents on top")


def random_games(players: int, games: int, seed: int) -> np.ndarray:
    """Return turns, scorings and whether no player won, float64 [games, 3]."""
    game = make_game("heimlich_v0", players=players)
    states, seats = game.new_states(games), np.zeros((games, players), np.int64)
    play_games(
        game, [make_player(game, "splits")], seats, spread(np.uint64(seed), games), seed ^ players, finals=states
    )
    return np.stack([states["turn"] + 1.0, states["scorings"].sum(1), states["winners"] == 0], 1)


def errors_apart(values: np.ndarray, players: int) -> np.ndarray:
    """Return the differences between the means of `values` [n, 3] and the independent ones, in standard errors.

    If a column does not vary and the means agree, its difference is 0.
    """
    error = values.std(0) * np.sqrt(1 / len(values) + 1 / INDEPENDENT_GAMES)
    apart = values.mean(0) - INDEPENDENT[players]
    return np.divide(apart, error, out=np.where(apart == 0, 0.0, np.inf), where=error > 0)


def row(players: int, values: np.ndarray) -> list[str]:
    """Return the cells for `values` [n, 3]: the means with their errors, next to the independent ones."""
    own, error, apart = values.mean(0), values.std(0) / np.sqrt(len(values)), errors_apart(values, players)
    cells = [str(players)]
    for k, other in enumerate(INDEPENDENT[players]):
        cells += [f"{own[k]:.3f} ({error[k]:.3f})", str(other), f"{apart[k]:+.1f}"]
    return cells


@dataclass(frozen=True)
class Study:
    """Compare random games of Heimlich & Co. for two to seven players with another program.

        python -m studies.heimlich_random_play --games 20000

    The scripted player `splits` chooses each split of a roll over the agents, and each building for the safe, with
    equal probability. The study prints the means with their standard errors, and their differences from independent
    figures of 20,000 games each, in standard errors. The table is in docs/results/heimlich_random_play.md.
    """

    games: Positive = 20_000
    """Number of games for each number of players."""
    seed: Seed = 0
    """Random seed; the same seed gives the same result."""

    def run(self) -> int:
        rows = []
        with progress_bar(console=console(stderr=True), transient=True) as bar:
            task = bar.add_task("playing", total=self.games * len(INDEPENDENT))
            for players in INDEPENDENT:
                rows.append(row(players, random_games(players, self.games, self.seed)))
                bar.advance(task, self.games)
        head = [cell for name in COLUMNS for cell in (f"{name} (error)", "independent", "errors apart")]
        print(markdown_table(["players", *head], rows))
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.heimlich_random_play")


if __name__ == "__main__":
    sys.exit(main())
