"""`spygames record`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from tyro.conf import Positional

from spygames_app.cli.arguments import (
    AnyFile,
    GameId,
    GameOptions,
    Named,
    Players,
    Positive,
    Seed,
    WrongArguments,
    check_writable,
    choose_game,
    counted,
    say,
)

if TYPE_CHECKING:
    from spygames.core.records.record import GameRecord


@dataclass(frozen=True)
class Record:
    """Play games between named players and record them, one JSON line per game.

        spygames record greedy expert --games 10 --seed 1 --out games.jsonl
        spygames replay games.jsonl --show

    A player is a scripted bot (random, greedy, ...), a search with its simulations per decision (mcts:200, mc:200), a
    released agent (spygames agents lists them), or the folder of a checkpoint or run. A released agent plays as it is
    meant to, another one samples its actions; @argmax, @sample or a temperature (@0.5) after the name changes that.

    Players sit in the order of their names; a single name fills all seats. The first game starts from --seed, each
    later one from the next seed, as in an environment that is reset without a seed.
    """

    players: Positional[Players] = ()
    """The players: one per seat, or one for all seats."""
    named: Named = ()
    """More players, after those named first."""
    games: Positive = 1
    """Number of games."""
    seed: Seed = 0
    """Seed of the first game."""
    out: AnyFile = None
    """File for the games."""
    game: GameId = None
    """The game, such as agent_avenue_v0. (default: that of the first checkpoint named, with its options)"""
    option: GameOptions = ()
    """An option of the game, such as players=2."""

    def run(self) -> int:
        given = (*self.players, *self.named)
        if not given:
            raise WrongArguments("name the players, as in spygames record greedy expert --out games.jsonl")
        if self.out is None:
            raise WrongArguments("name the file for the games, as in --out games.jsonl")
        from spygames.core.game.rng import next_seed
        from spygames.core.players.names import make_player
        from spygames.core.records.record import play_record, save_games

        check_writable(self.out)
        game = choose_game(given, self.game, dict(self.option))
        specs = given * game.num_players if len(given) == 1 else given
        if len(specs) != game.num_players:
            raise ValueError(
                f"{game.title} has {game.num_players} seats: name one player, or one per seat, not {len(specs)}"
            )
        known = {spec: make_player(game, spec) for spec in specs}
        seed, games = np.uint64(self.seed), []
        for _ in range(self.games):
            games.append(play_record(game, [known[spec] for spec in specs], int(seed)))
            seed = next_seed(seed)
        save_games(self.out, games)
        for number, game_record in enumerate(games, 1):
            say(f"game {number}: {summary(game_record)}")
        say(f"{counted(len(games), 'game')} in {self.out}")
        return 0


def summary(game_record: "GameRecord") -> str:
    """Return one line about a game: its start, length and results."""
    r = game_record
    start = "from a state" if r.seed is None else f"seed {r.seed}"
    results = ", ".join(
        f"{name or f'seat {seat}'} {value:+g}"
        for seat, (name, value) in enumerate(zip(r.players or ("",) * len(r.returns), r.returns, strict=True))
    )
    return f"{start}, {len(r.actions)} decisions, {results}{f' ({r.end_reason})' if r.end_reason else ''}"
