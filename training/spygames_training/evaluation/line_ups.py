"""Evaluate players at one table: a mixed line-up, every deal from each seat.

Letters: D deals, P seats, R rotations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames.core.basics.whole_numbers import whole
from spygames.core.game.game import Game
from spygames.core.game.rng import given_seed, next_seed
from spygames.core.players.names import Player, PlayerLike, as_players
from spygames.core.playing.batch import spread
from spygames_training.evaluation.digests import player_digest
from spygames_training.evaluation.evaluation import mean_interval, won
from spygames_training.evaluation.play_games import Match, settled_matches
from spygames_training.parallel.executor import SERIAL, Executor, Progress

__all__ = ["LineUpResult", "line_up"]


@dataclass(frozen=True)
class LineUpForfeits:
    """Games of a line-up that a player lost because it failed, and the result of the games that nobody forfeited.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training.measuring import line_up
        >>> game = make_game("heimlich_v0", players=3)
        >>> result, _ = line_up(game, ["greedy", "random", "random"], games=60, seed=1, limit=10)
        >>> result.forfeits.own, result.forfeits.others, round(result.forfeits.win_share - result.win_share, 9)
        (0, 0, 0.0)
    """

    own: int
    """Number of games that the player lost because it failed."""
    others: int
    """Number of games that another player lost because it failed."""
    win_share: float | None
    """`LineUpResult.win_share` in the other games; None: there are none."""


@dataclass(frozen=True)
class LineUpResult:
    """Result of one player in a line-up, over all of its seats.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training.measuring import line_up
        >>> game = make_game("heimlich_v0", players=3)
        >>> results = line_up(game, ["greedy", "random", "random"], games=60, seed=1)
        >>> [(result.player, result.seats) for result in results]
        [('greedy', 1), ('random', 2)]
    """

    player: str
    """The player's name, including how it plays."""
    line_up: tuple[str, ...]
    """The names of all players at the table, by seat before the rotations."""
    seats: int
    """Number of seats that the player held."""
    deals: int
    """Number of deals; each was played once for each of `rotations`."""
    rotations: tuple[int, ...]
    """The rotations of the line-up that were played, in seats."""
    games: int
    """Number of games: `deals` times the number of rotations."""
    win_share: float
    """As in `Result.win_share`, averaged over the player's seats."""
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
    forfeits: LineUpForfeits | None = None
    """Forfeited games, which the figures above count as lost by the player that failed and as won by all others. None:
    forfeits were not allowed."""


def line_up(
    game: Game,
    players: Sequence[PlayerLike],
    games: int,
    seed: int,
    progress: Progress | None = None,
    executor: Executor = SERIAL,
    limit: float | None = None,
) -> list[LineUpResult]:
    """Play the same line-up on every deal, rotated so that each player has each seat.

    If seats form teams, only the rotations that keep all partners together are played.

    Args:
        game: the game to play.
        players: one for each seat: a name as `make_player` takes it, a `Policy` or a `Player`. The same player may have
            several seats.
        games: number of games, rounded up to whole deals.
        seed: 0..2^64-1, of the deals and of the players' random streams; the same seed gives the same results.
        progress, executor, limit: as in `evaluate`.

    Returns:
        A result for each distinct player, in the order of their first seats.

    Raises:
        PlayerFailed: a player chose an illegal action; the message names the player.
        TypeError: a player or the game has the wrong type.
        ValueError: the number of players is not the number of seats, `games` is below 1, or there is no player of that
            name.
    """
    seated = line_up_players(game, players)
    deals, moves, seats = line_up_deals(game, games), rotations(game), game.num_players
    seed = int(given_seed(seed))
    different = list({id(player): player for player in seated}.values())
    who = np.array([next(i for i, other in enumerate(different) if other is player) for player in seated])
    seating = np.array([np.roll(who, move) for move in moves])
    match = Match(
        tuple(different),
        np.tile(seating, (deals, 1)),
        np.repeat(spread(np.uint64(seed), deals), len(moves)),
        int(next_seed(np.uint64(seed))),
    )
    ((returns, failed),) = settled_matches(game, [match], limit, progress, executor)
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
                forfeits=None if failed is None else _forfeits(game, own, failed, i),
            )
        )
    return results


def _forfeits(game: Game, own: np.ndarray, failed: np.ndarray, player: int) -> LineUpForfeits:
    """Count forfeits. `own` are the player's returns [D, R * its seats], `failed` the player that failed, [D * R]."""
    lost, others = int((failed == player).sum()), int(((failed >= 0) & (failed != player)).sum())
    rest = own.reshape(len(failed), -1)[failed < 0]
    return LineUpForfeits(lost, others, float(won(rest, game.num_sides).mean()) if len(rest) else None)


def line_up_players(game: Game, players: Sequence[PlayerLike]) -> list[Player]:
    """Make the players of a line-up, as `as_players` does. Several names of one agent give one player.

    ValueError if there is not one for each seat.
    """
    found = as_players(game, players)
    if len(found) != game.num_players:
        raise ValueError(f"the line-up must have {game.num_players} players, one for each seat, not {len(found)}")
    same: dict[tuple[str, str], Player] = {}
    for seat, (given, player) in enumerate(zip(players, found, strict=True)):
        if isinstance(given, str) and (digest := player_digest(game, player)):
            found[seat] = same.setdefault((player.name, digest), player)
    return found


def rotations(game: Game) -> tuple[int, ...]:
    """Rotations of a line-up, in seats, that keep all partners together; the first is 0."""
    sides, seats = game.side_of, range(game.num_players)

    def keeps(move: int) -> bool:
        moved = [sides[(seat + move) % len(sides)] for seat in seats]
        return all((sides[a] == sides[b]) == (moved[a] == moved[b]) for a in seats for b in seats)

    return tuple(move for move in seats if keeps(move))


def line_up_deals(game: Game, games: int) -> int:
    """Number of deals that make at least `games` games, each deal played once a rotation; ValueError below 1 game."""
    return -(-whole("games", games, 1) // len(rotations(game)))
