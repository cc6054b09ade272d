"""How players do at one table: a mixed line-up, every deal from each seat.

Letters: D deals, P seats, R rotations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames.core.game.game import Game
from spygames.core.game.rng import as_seed, next_seed
from spygames.core.game.validation import whole
from spygames.core.players.names import Player, PlayerLike, as_players
from spygames.core.playing.batch import spread
from spygames_training.evaluation.evaluation import mean_interval, won
from spygames_training.evaluation.play_games import Match, play_matches
from spygames_training.parallel.executor import SERIAL, Executor, Progress

__all__ = ["LineUpResult", "line_up"]


@dataclass(frozen=True)
class LineUpResult:
    """How a player of a line-up did, over all of its seats."""

    player: str
    """Its name, with how it plays."""
    line_up: tuple[str, ...]
    """Who sat at the table, in the order of the seats before the rotations."""
    seats: int
    """How many of them the player held."""
    deals: int
    """Each was played once for each of `rotations`."""
    rotations: tuple[int, ...]
    """By how many seats the line-up moved on."""
    games: int
    """All that were played: `deals` times the number of rotations."""
    win_share: float
    """As in `Result.win_share`, the mean of its seats."""
    interval: tuple[float, float]
    """95 % interval of `win_share`, by `interval_method`."""
    interval_method: str
    """As in `Result`."""
    mean_return: float
    """In the game's own units."""
    return_interval: tuple[float, float]
    """95 % interval of `mean_return`, by `return_interval_method`."""
    return_interval_method: str
    """As in `Result`."""


def line_up(
    game: Game,
    players: Sequence[PlayerLike],
    games: int,
    seed: int,
    progress: Progress | None = None,
    executor: Executor = SERIAL,
) -> list[LineUpResult]:
    """Plays the same line-up on every deal, moved on by one seat after the other, so that each has each seat.

    Where seats play in teams, only rotations that keep all partners together are played.

    Args:
        game: what is played.
        players: one a seat, each a name as `make_player` takes it, a `Policy` or a `Player`; the same one may have
            several seats.
        games: rounded up to whole deals.
        seed: 0..2^64-1, of the deals and of the players' random streams; the same one gives the same results.
        progress, executor: as of `evaluate`.

    Returns:
        A result for each different player, in the order of their first seats.

    Raises:
        PlayerFailed: a player answered what is no legal action; the message names it.
        TypeError: something is no player.
        ValueError: not one player a seat, fewer than one game, or there is no player of that name.
    """
    deals, moves, seats = line_up_deals(game, games), rotations(game), game.num_players
    seed = int(as_seed(seed))
    seated = line_up_players(game, players)
    different = list({id(player): player for player in seated}.values())
    who = np.array([next(i for i, other in enumerate(different) if other is player) for player in seated])
    seating = np.array([np.roll(who, move) for move in moves])
    match = Match(
        tuple(different),
        np.tile(seating, (deals, 1)),
        np.repeat(spread(np.uint64(seed), deals), len(moves)),
        int(next_seed(np.uint64(seed))),
    )
    (returns,) = play_matches(game, [match], progress, executor)
    returns = returns.reshape(deals, len(moves), seats)
    most = max(float(np.abs(returns).max()), abs(game.lowest_return))
    results = []
    for i, player in enumerate(different):
        own = returns[:, seating == i].astype(np.float64)  # [D, R * its seats]
        wins = won(own, game.num_sides).mean(axis=1)
        interval, method = mean_interval(wins, 0.0, 1.0, seed)
        return_interval, return_method = mean_interval(own.mean(axis=1), -most, most, seed)
        results.append(
            LineUpResult(
                player=player.name,
                line_up=tuple(each.name for each in seated),
                seats=int((who == i).sum()),
                deals=deals,
                rotations=moves,
                games=deals * len(moves),
                win_share=float(wins.mean()),
                interval=interval,
                interval_method=method,
                mean_return=float(own.mean()),
                return_interval=return_interval,
                return_interval_method=return_method,
            )
        )
    return results


def line_up_players(game: Game, players: Sequence[PlayerLike]) -> list[Player]:
    """The players of a line-up, one a seat, as `as_players` finds them; ValueError where they are not so many."""
    if len(players) != game.num_players:
        raise ValueError(f"{game.id} has {game.num_players} seats, but the line-up names {len(players)} players")
    return as_players(game, players)


def rotations(game: Game) -> tuple[int, ...]:
    """The moves of a line-up by so many seats that keep all partners together; 0 is the first."""
    sides, seats = game.side_of, range(game.num_players)

    def keeps(move: int) -> bool:
        moved = [sides[(seat + move) % len(sides)] for seat in seats]
        return all((sides[a] == sides[b]) == (moved[a] == moved[b]) for a in seats for b in seats)

    return tuple(move for move in seats if keeps(move))


def line_up_deals(game: Game, games: int) -> int:
    """Deals that make at least `games` games when each is played once a rotation; ValueError below 1."""
    return -(-whole("games", games, 1) // len(rotations(game)))
