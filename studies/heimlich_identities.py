"""How well players of Heimlich & Co. hide their agents: `python -m studies.heimlich_identities`."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from rich.box import SIMPLE_HEAD
from rich.table import Table

from spygames import make_game
from spygames.core.game.game import Game
from spygames.core.players.names import make_player
from spygames.core.playing.batch import spread
from spygames_app.cli.arguments import (
    AnyFile,
    Players,
    Positive,
    Seed,
    WrongArguments,
    check_writable,
    console,
    run_command,
)
from spygames_training.evaluation.evaluation import bootstrap
from spygames_training.evaluation.play_games import play_games
from spygames_training.output.tables import progress_bar
from spygames_training.parallel.executor import Progress

UNITS = {"points": 20.0, "times": 10.0, "gains": 20.0}
"""Parts of the public record, with divisors that scale them to about 1."""
HIDDEN, EPOCHS, ROWS, RATE = 32, 15, 256, 3e-3


@dataclass(frozen=True)
class Found:
    """How often the classifier named a player's agent correctly, in held-out games."""

    player: str
    games: int
    """Number of held-out games, with one question per seat."""
    chance: float
    accuracy: float
    """Share of correct answers, 0 to 1."""
    interval: tuple[float, float]
    """95 % bootstrap interval of `accuracy` over games."""
    rules: dict[str, float]
    """For each part of the record, how often the agent with the highest value is the correct one, 0 to 1."""
    turns: float
    """Mean number of turns of a game."""


def final_states(game: Game, spec: str, games: int, seed: int, progress: Progress | None = None) -> np.ndarray:
    """Return the final states, STATE [n], of `games` games in which `spec` plays every seat."""
    states, results = game.new_states(games), np.zeros((games, game.num_players), np.int64)
    seeds = spread(np.uint64(seed), games)
    play_games(game, [make_player(game, spec)], results, seeds, seed, progress, states)
    return states


def public_record(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the public record, float32 [n, seat in question, agent, seat from that one leftward, part of UNITS]."""
    seats, agents = game.num_players, int(game.packed["agents"][0])
    parts = np.stack([states[name][:, :agents, :seats] / unit for name, unit in UNITS.items()], -1)
    leftward = [[(seat + i) % seats for i in range(seats)] for seat in range(seats)]
    return np.stack([parts[:, :, order] for order in leftward], 1).astype(np.float32)


def answers(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the agent that each seat's passport names at the end, int64 [n, P]."""
    return states["passports"][:, : game.num_players].astype(np.int64)


def features(record: np.ndarray) -> torch.Tensor:
    """Return the features of every agent, [n, P, agents, F].

    They are: what the seat in question and what the other seats did with the agent; the same minus the mean over
    agents; the two highest values over agents; and the agent itself, one-hot.
    """
    n, seats, agents = record.shape[:3]
    x = np.concatenate([record[:, :, :, 0], record[:, :, :, 1:].sum(3)], -1)
    highest = np.sort(x, axis=2)[:, :, -2:].reshape(n, seats, 1, -1).repeat(agents, 2)
    who = np.broadcast_to(np.eye(agents, dtype=np.float32), (n, seats, agents, agents))
    return torch.from_numpy(np.concatenate([x, x - x.mean(2, keepdims=True), highest, who], -1))


def learn(record: np.ndarray, owned: np.ndarray, seed: int) -> torch.nn.Module:
    """Train a network with one hidden layer that gives every agent a score. The agent with the highest is named."""
    torch.manual_seed(seed)
    x, y = features(record).flatten(0, 1), torch.from_numpy(owned).flatten()
    network = torch.nn.Sequential(
        torch.nn.Linear(x.shape[-1], HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 1), torch.nn.Flatten(-2)
    )
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=1e-3)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x)).split(ROWS):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(network(x[rows]), y[rows]).backward()
            optimizer.step()
    return network


def measured(player: str, record: np.ndarray, owned: np.ndarray, turns: float, seed: int) -> Found:
    """Train on three quarters of the games and measure on the others."""
    cut = 3 * len(record) // 4
    network = learn(record[:cut], owned[:cut], seed)
    with torch.no_grad():
        named = network(features(record[cut:]).flatten(0, 1)).argmax(-1).reshape(owned[cut:].shape)
    right = (named.numpy() == owned[cut:]).mean(1)
    most = {name: record[cut:, :, :, 0, i].argmax(2) == owned[cut:] for i, name in enumerate(UNITS)}
    return Found(
        player=player,
        games=len(right),
        chance=1 / record.shape[2],
        accuracy=float(right.mean()),
        interval=bootstrap(right, seed),
        rules={name: float(hits.mean()) for name, hits in most.items()},
        turns=turns,
    )


def table(results: list[Found], title: str) -> Table:
    """Return a table with one row per player."""
    found = Table(title=title, box=SIMPLE_HEAD, pad_edge=False)
    found.add_column("player", overflow="fold")
    for name in ("games", "turns", "named %", "95 %", "chance %", *(f"most {part} %" for part in UNITS)):
        found.add_column(name, justify="right", no_wrap=True)
    for r in results:
        low, high = (f"{100 * x:.1f}" for x in r.interval)
        rules = [f"{100 * share:.1f}" for share in r.rules.values()]
        found.add_row(
            r.player, f"{r.games:,}", f"{r.turns:.1f}", f"{100 * r.accuracy:.1f}", f"{low}-{high}",
            f"{100 * r.chance:.1f}", *rules,
        )  # fmt: skip
    return found


@dataclass(frozen=True)
class Study:
    """Measure how often a classifier names a player's secret agent in Heimlich & Co.

        python -m studies.heimlich_identities --players-named greedy expert-1 random --games 20000
        python -m studies.heimlich_identities --players-named heimlich/base-3

    The same player plays all seats of a game. The classifier reads the public record: which player moved which agent,
    how far and how often, and what each agent scored through whom. It is trained on three quarters of the games and
    measured on the others. Three simple rules are measured as well: name the agent that the player moved furthest, that
    it moved most often, or that gained most through it. A random guess is right in 1/agents of the cases. Passports are
    used only as the correct answers.
    """

    players_named: Players = ("greedy", "expert-1", "random")
    """The players whose agents are named: scripted players or checkpoints."""
    games: Positive = 20_000
    """Number of games of each player."""
    players: Positive = 3
    """Number of players in a game."""
    top_secret: bool = False
    """Play with Top Secret cards."""
    secret_identities: bool = False
    """Play with predictions (Secret Identities)."""
    seed: Seed = 0
    """Random seed; the same seed gives the same result."""
    json: AnyFile = None
    """File for the results as JSON."""

    def run(self) -> int:
        if self.games < 100:
            raise WrongArguments(f"--games must be at least 100, not {self.games}")
        check_writable(self.json)
        options: dict[str, Any] = {
            "players": self.players, "top_secret": self.top_secret, "secret_identities": self.secret_identities,
        }  # fmt: skip
        game = make_game("heimlich_v0", **options)
        specs = self.players_named
        for spec in specs:
            make_player(game, spec)  # raises before the first game for an invalid name
        torch.set_num_threads(1)
        screen, results = console(), []
        with progress_bar(console=screen, transient=True) as bar:
            task = bar.add_task("playing", total=self.games * len(specs))
            for spec in specs:
                states = final_states(game, spec, self.games, self.seed, lambda games: bar.advance(task, games))
                turns = float(states["turn"].mean() + 1)
                record, owned = public_record(game, states), answers(game, states)
                results.append(measured(spec, record, owned, turns, self.seed % 2**63))
        title = ", ".join([game.id, *(f"{name}={value}" for name, value in options.items())])
        screen.print(table(results, title))
        if self.json:
            content = {"environment": {"id": game.id, "options": dict(game.options)}, "seed": self.seed}
            content["results"] = [asdict(result) for result in results]
            self.json.write_text(json.dumps(content, indent=2) + "\n")
            screen.print(f"results: {self.json}")
        return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study; return the exit code."""
    return run_command(Study, argv, "python -m studies.heimlich_identities")


if __name__ == "__main__":
    sys.exit(main())
