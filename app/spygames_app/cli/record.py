"""`spygames record`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from spygames_app.cli.arguments import (
    AnyFile,
    GameId,
    GameOptions,
    Players,
    Positive,
    Seed,
    WrongArguments,
    check_writable,
    choose_game,
    counted,
)

if TYPE_CHECKING:
    from spygames.core.record import GameRecord


@dataclass(frozen=True)
class Record:
    """Plays games between named players into a file, one JSON line a game.

        spygames record --players greedy expert --games 10 --seed 1 --out games.jsonl
        spygames replay games.jsonl --show

    A player is a scripted bot (random, greedy, ...), a search with its simulations a decision (mcts:200, mc:200), or
    the folder of a checkpoint or a run, which is sampled unless @argmax or a temperature (@0.5) stands behind it; the
    checkpoints that come with the package go by name. Players sit in the order in which they are named; one name
    stands for all seats. The first game starts from --seed, each later one from the seed that follows it, as in an
    environment that is reset without a seed.
    """

    players: Players = ()
    """One a seat, or one for all seats."""
    games: Positive = 1
    """How many are played."""
    seed: Seed = 0
    """Of the first game."""
    out: AnyFile = None
    """Where to write the games."""
    game: GameId = None
    """The game, as agent_avenue_v0; otherwise that of the first checkpoint named, with its options."""
    option: GameOptions = ()
    """An option of the game, as players=2; may be given several times."""

    def run(self) -> int:
        if not self.players or self.out is None:
            raise WrongArguments("say who plays, with --players, and where the games are written, with --out")
        from spygames.core.players import make_player
        from spygames.core.record import play_record, save_games
        from spygames.core.rng import next_seed

        check_writable(self.out)
        game = choose_game(self.players, self.game, dict(self.option))
        specs = self.players * game.num_players if len(self.players) == 1 else self.players
        if len(specs) != game.num_players:
            raise ValueError(f"{game.id} has {game.num_players} seats, but --players names {len(specs)}")
        known = {spec: make_player(game, spec) for spec in specs}
        seed, games = np.uint64(self.seed), []
        for _ in range(self.games):
            games.append(play_record(game, [known[spec] for spec in specs], int(seed)))
            seed = next_seed(seed)
            print(f"game {len(games)}: {summary(games[-1])}")
        save_games(self.out, games)
        print(f"{counted(len(games), 'game')} in {self.out}")
        return 0


def summary(game_record: "GameRecord") -> str:
    """Returns one line about a game."""
    r = game_record
    start = "from a state" if r.seed is None else f"seed {r.seed}"
    results = ", ".join(
        f"{name or f'seat {seat}'} {value:+g}"
        for seat, (name, value) in enumerate(zip(r.players or ("",) * len(r.returns), r.returns, strict=True))
    )
    return f"{start}, {len(r.actions)} decisions, {results}{f' ({r.end_reason})' if r.end_reason else ''}"
