"""Ablations: measure each part of the training recipe by training with one setting changed, with several seeds each.

Each agent plays every opponent, and as many games against the agent of the unchanged recipe with the same seed. The
table has a row for each change: the mean over the seeds with its 95 % interval (Student's t over the seeds' means).
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from spygames.core.basics.files import read_file
from spygames.core.basics.json_values import is_number, parse_json
from spygames.core.basics.whole_numbers import whole
from spygames.core.game.game import Game
from spygames.core.game.registry import make_game
from spygames.core.game.validation import choice
from spygames.core.players.names import PlayerName, make_player
from spygames.core.players.sampling import temperature_of
from spygames_training.config import Config
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import evaluate, total_games
from spygames_training.experiments.series import Say, Series
from spygames_training.files.atomic import write_whole
from spygames_training.output.tables import TextTable, in_millions, name_in_markdown, progress_bar
from spygames_training.parallel.executor import SERIAL, Executor

DEFAULTS = "defaults"
UNCHANGED = "the unchanged recipe"
BOTS = ("random", "greedy", "expert")
CHANGES: dict[str, dict[str, dict[str, Any]]] = {
    DEFAULTS: {},
    "credit to whoever moves next": {"ppo": {"credit": "table"}},
    "little entropy": {"ppo": {"entropy": 0.01}},
    "entropy that does not fall": {"ppo": {"entropy_end": 0.1}},
    "no reference": {"ppo": {"kl": 0.0}},
    "a reference that follows": {"ppo": {"reference_ema": 0.999}},
    "no mean of the weights": {"ppo": {"ema": 0.0}},
    "critic sees all views": {"network": {"critic": "all"}},
    "belief heads": {"network": {"belief": "train"}},
    "self-play only": {"opponents": {"share": 0.0}},
    "earlier selves, drawn alike": {
        "opponents": {"share": 0.4, "bots": (), "snapshots": 8, "snapshot_every": 4, "draw": "even"}
    },
    "earlier selves and bots, drawn alike": {
        "opponents": {"share": 0.4, "bots": BOTS, "snapshots": 8, "snapshot_every": 4, "draw": "even"}
    },
    "earlier selves and bots, the hard ones more often": {
        "opponents": {"share": 0.4, "bots": BOTS, "snapshots": 8, "snapshot_every": 4, "draw": "hard"}
    },
}
"""The changed settings of each ablation, by section of the config."""
MAX_JUDGED_BYTES = 1 << 20
T_95 = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262}
"""Student's t, two-sided 95 %, by number of seeds."""


def changed(config: Config, name: str) -> Config:
    """Return `config` with the change `name` of `CHANGES`."""
    sections = {section: replace(getattr(config, section), **values) for section, values in CHANGES[name].items()}
    return replace(config, **sections)


class Ablations:
    """Training runs of `config` and of its ablations, each in its own folder below `folder`/NAME, and their results.

    Finished runs are not repeated and stopped runs are resumed, so `measure` can be called until all are finished. A
    change that leaves the config as it is gets no run.

    Args:
        config: the recipe to change. It is not evaluated during training.
        folder: the parent of this comparison's folder, which holds ablations.json, ablations.md and the runs.
        only: names from `CHANGES`; None: all.
        seeds: number of training runs for each change, 2 to 10.
        games: number of games against each opponent.
        play: how the agents play: sample, argmax or a temperature.
        against: the opponents.
        say: called with a line when a run begins.
        executor: computes the runs and the games.

    Raises:
        ValueError: an unknown change, player, game or way to play, a number out of range, or a folder with another run.
            It is raised before the first run begins.
    """

    def __init__(
        self,
        config: Config,
        folder: Path,
        only: Sequence[str] | None = None,
        seeds: int = 3,
        games: int = 2000,
        play: str = "argmax",
        against: Sequence[str] = ("greedy", "expert"),
        say: Say = print,
        executor: Executor = SERIAL,
    ):
        for name in only or ():
            choice("only", name, tuple(CHANGES))
        seeds, games = whole("seeds", seeds, min(T_95), max(T_95)), whole("games", games, 1)
        self.config = config = replace(config, evaluate_against=(), save_every=60.0)
        configs = {name: changed(config, name) for name in dict.fromkeys([DEFAULTS, *(only or CHANGES)])}
        self.left_out = [name for name, other in configs.items() if name != DEFAULTS and other == config]
        """Changes that leave the config as it is."""
        self.configs = {name: other for name, other in configs.items() if name not in self.left_out}
        self.game = make_game(config.game, **config.options)
        self.seeds, self.games, self.play, self.against = range(seeds), games, play, list(against)
        temperature_of(play)
        bots = [bot for other in self.configs.values() for bot in other.opponents.bots]
        for player in dict.fromkeys([*self.against, *bots]):
            make_player(self.game, player)  # raise before the first run, not after hours
        runs = {f"{name} {k}": replace(other, seed=k) for name, other in self.configs.items() for k in self.seeds}
        self.series = Series(runs, folder / config.name, say, executor=executor)
        self.folder = self.series.folder
        self.changes: dict[str, dict[str, Any]] = {}
        """The figures of each change that has been measured, by name."""

    def measure(self) -> TextTable:
        """Train and evaluate all runs and return the table, which is also written after each change.

        Raises:
            Exception: as in `Run.train`.
        """
        against = {name: name for name in self.against}
        table, runs = self.table(), self.series.runs()
        for name in self.configs:
            results = []
            for k in self.seeds:
                run = next(runs)
                others = {} if name == DEFAULTS else {DEFAULTS: f"{self.folder / f'{DEFAULTS} {k}'}@{self.play}"}
                results.append(
                    evaluated(self.game, run, against | others, self.games, self.play, k, self.series.executor)
                )
            self.changes[name] = {
                "changes": CHANGES[name],
                "seconds": mean(self.series.summary(f"{name} {k}")["seconds"] for k in self.seeds),
                "win_share": {opponent: over_seeds([r[opponent] for r in results]) for opponent in results[0]},
            }
            table = self.table()
            write_whole(self.folder / "ablations.json", json.dumps(self.as_json(), indent=2) + "\n")
            write_whole(self.folder / "ablations.md", table.markdown() + "\n")
        return table

    def table(self) -> TextTable:
        """Return a row for each change that has been measured."""
        config = self.config
        length = f"{in_millions(config.decisions)} decisions, {len(self.seeds)} seeds"
        return TextTable(
            ["change", *map(name_in_markdown, self.against), UNCHANGED, "seconds of training"],
            [cells(name, change, [*self.against, DEFAULTS]) for name, change in self.changes.items()],
            f"{name_in_markdown(config.name)}, {length}: wins % against",
            caption(self.changes),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the settings and all figures as plain values."""
        return {
            "config": asdict(self.config),
            "seeds": len(self.seeds),
            "games": self.games,
            "play": self.play,
            "left_out": self.left_out,
            "changes": self.changes,
        }


def evaluated(
    game: Game, run: Path, against: dict[str, str], games: int, play: str, seed: int, executor: Executor = SERIAL
) -> dict[str, Any]:
    """Evaluate a run's agent: its win share, 95 % interval over deals and fair share, by opponent.

    The results are stored in the run's folder (judged.json) and read from there until the agent, an opponent or the
    game's code changes.

    Args:
        game: the game to play.
        run: the run's folder.
        against: the opponents as `make_player` takes them, by their names in the results.
        games: number of games against each opponent.
        play: how the agent plays.
        seed: of the deals and of the players' random streams.
        executor: computes the games.
    """
    player, file = make_player(game, PlayerName(str(run), play)), run / "judged.json"
    opponents = [make_player(game, spec) for spec in against.values()]
    asked = {
        "against": {
            name: [spec, player_digest(game, o)] for (name, spec), o in zip(against.items(), opponents, strict=True)
        },
        "weights": player_digest(game, player),
        "code": game.digest,
        "games": games,
        "play": play,
        "seed": seed,
    }
    if (known := kept_results(file, asked)) is not None:
        return known
    with progress_bar(transient=True) as bar:
        task = bar.add_task("playing", total=total_games(game, games, 1, len(opponents)))
        results = evaluate(game, player, opponents, games, seed, lambda n: bar.advance(task, n), executor)
    found = {
        name: {"win_share": r.win_share, "interval": list(r.interval), "fair_share": r.fair_share}
        for name, r in zip(against, results, strict=True)
    }
    write_whole(file, json.dumps({"asked": asked, "found": found}, indent=2) + "\n")
    return found


def kept_results(file: Path, asked: dict[str, Any]) -> dict[str, Any] | None:
    """Read stored results; None if the file cannot be read or has the results of other arguments."""
    try:
        known = parse_json(read_file(file, MAX_JUDGED_BYTES))
        if known["asked"] != asked or {*known["found"]} != {*asked["against"]}:
            return None
        for each in known["found"].values():
            if not all(map(is_number, [each["win_share"], each["fair_share"], *each["interval"]])):
                return None
        return known["found"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean over seeds and half the width of its 95 % interval."""
    return mean(values), T_95[len(values)] * stdev(values) / len(values) ** 0.5


def over_seeds(results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Combine the results of `evaluated` against one opponent, one for each seed.

    Returns:
        The win shares, their mean and half the width of its interval, each seed's interval over its deals, and the
        mean fair share.
    """
    shares = [r["win_share"] for r in results]
    middle, half = interval(shares)
    return {
        "seeds": shares,
        "mean": middle,
        "interval": half,
        "intervals_over_deals": [r["interval"] for r in results],
        "fair_share": mean(r["fair_share"] for r in results),
    }


def cells(name: str, change: dict[str, Any], opponents: Sequence[str]) -> list[str]:
    """Return a change's row of the table."""
    shares = [change["win_share"].get(opponent) for opponent in opponents]
    wins = ["" if s is None else f"{100 * s['mean']:.1f} ± {100 * s['interval']:.1f}" for s in shares]
    return [name, *wins, f"{change['seconds']:.0f}"]


def caption(changes: dict[str, dict[str, Any]]) -> str:
    """Return a sentence with the fair shares: the win shares of an agent as good as its opponent."""
    fair: dict[str, list[float]] = {}
    for change in changes.values():
        for opponent, share in change["win_share"].items():
            fair.setdefault(UNCHANGED if opponent == DEFAULTS else opponent, []).append(share["fair_share"])
    shares = ", ".join(
        f"{100 * mean(several):.1f} against {name_in_markdown(opponent)}" for opponent, several in fair.items()
    )
    return f"± is half of the 95 % interval over the seeds. Fair shares, of an agent as good as its opponent: {shares}."
