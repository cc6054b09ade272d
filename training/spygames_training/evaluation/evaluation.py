"""Evaluate players against each other: every deal from every side, with confidence intervals.

A side is a team, or a seat that plays for itself (`Game.side_of`). Letters: n games, D deals, P seats, K sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from spygames.core.basics.whole_numbers import whole
from spygames.core.game.game import Game
from spygames.core.game.rng import given_seed, next_seed
from spygames.core.players.names import Player, PlayerLike, as_players
from spygames.core.playing.batch import spread
from spygames_training.evaluation.play_games import Match, settled_matches
from spygames_training.parallel.executor import SERIAL, Executor, Progress

__all__ = ["Forfeits", "Result", "cross_play", "evaluate"]

RESAMPLES = 2000
PROTOCOL = 1
"""Version of the measuring protocol (docs/protocol.md); figures of different versions are not compared."""
BOOTSTRAP_BLOCK = 1 << 16
"""Number of deals that the bootstrap draws in one call."""

BOOTSTRAP, WILSON = "bootstrap over deals", "Wilson over deals"
"""Names of the two interval methods in `Result`: see `bootstrap` and `wilson`."""


@dataclass(frozen=True)
class Forfeits:
    """Games of a result that a player lost because it failed, and the result of the other games.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training import evaluate
        >>> (result,) = evaluate(make_game("agent_avenue_v0"), "greedy", "random", games=200, seed=1, limit=10)
        >>> result.forfeits.challenger, result.forfeits.opponent, round(result.forfeits.win_share - result.win_share, 9)
        (0, 0, 0.0)
    """

    challenger: int
    """Number of games that the challenger lost because it failed."""
    opponent: int
    """Number of games that the opponent lost because it failed."""
    win_share: float | None
    """`Result.win_share` without these games: the mean over the deals that have other games. None: there are none."""
    interval: tuple[float, float] | None
    """95 % interval of this `win_share`, over the same deals."""


@dataclass(frozen=True)
class Result:
    """Result of a challenger, on one side, against an opponent on all other sides.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training import evaluate
        >>> (result,) = evaluate(make_game("agent_avenue_v0"), "greedy", "random", games=200, seed=1)
        >>> result.games, result.fair_share, result.interval[0] > 0.5
        (200, 0.5, True)
    """

    challenger: str
    """The challenger's name, including how it plays."""
    opponent: str
    """The opponent's name, including how it plays."""
    deals: int
    """Number of deals. Each is played with the challenger on every side: in all seats of a team, or in one seat that
    plays for itself."""
    games: int
    """Number of games: `deals` times K."""
    win_share: float
    """Fraction of games won (return above 0). Between two sides, a game that neither wins (return 0) is half a win."""
    interval: tuple[float, float]
    """95 % interval of `win_share`, by `interval_method`."""
    interval_method: str
    """BOOTSTRAP, or WILSON if all deals have the same result."""
    fair_share: float
    """The opponent's win share in the challenger's place: a half between two sides, otherwise measured on the same
    deals with the opponent in all seats."""
    mean_return: float
    """In the game's own units."""
    return_interval: tuple[float, float]
    """95 % interval of `mean_return`, by `return_interval_method`. WILSON assumes that no return is larger, of either
    sign, than the largest one seen or `Game.lowest_return`."""
    return_interval_method: str
    """BOOTSTRAP or WILSON, as `interval_method`."""
    by_side: tuple[float, ...]
    """`win_share` by the challenger's side, [K], of `deals` games each."""
    by_deal: tuple[float, ...] = field(default=(), repr=False, compare=False)
    """`win_share` by deal, [D]."""
    forfeits: Forfeits | None = None
    """Forfeited games, which the figures above count as lost by the player that failed, and won by the other one. None:
    forfeits were not allowed."""


@dataclass(frozen=True)
class Difference:
    """Difference between two challengers' win shares against the same opponent, on the same deals."""

    challenger: str
    than: str
    """Name of the other challenger."""
    opponent: str
    win_share: float
    """The challenger's win share minus that of `than`, -1 to 1."""
    interval: tuple[float, float]
    """95 % interval of the difference, over deals."""
    interval_method: str
    """As in `Result`."""


def evaluate(
    game: Game,
    challenger: PlayerLike,
    opponents: PlayerLike | Sequence[PlayerLike],
    games: int,
    seed: int,
    progress: Progress | None = None,
    executor: Executor = SERIAL,
    limit: float | None = None,
) -> list[Result]:
    """Play `challenger` against each opponent, on the same deals.

    Args:
        game: the game to play.
        challenger: a name as `make_player` takes it, a `Policy` or a `Player`. It plays each side once a deal.
        opponents: one or several players in the same forms. Each gets a result.
        games: number of games against each opponent, rounded up to whole deals (K games each). Unless there are
            two sides, one more game a deal measures the fair share.
        seed: 0..2^64-1, of the deals and of the players' random streams; the same seed gives the same results.
        progress: called with the number of games that have ended since the last call.
        executor: computes the games, `LOCKSTEP` at a time, with torch on one thread. It does not change the results.
        limit: seconds for a decision, above 0. A player that fails or is later loses the game, as in a ladder
            (`Result.forfeits`). For a `CommandPlayer` or `PythonPlayer` it replaces the `decision_limit`. None: no
            other limit than that, and the first failure ends all games.

    Raises:
        PlayerFailed: without a limit, a player chose an illegal action; the message names the player.
        PlayerUnavailable: a player cannot be asked any more.
        TypeError: a player or the game has the wrong type.
        ValueError: there is no player of that name, a policy plays another game, a player cannot be pickled for another
            process, or a number is out of range.
    """
    if isinstance(challenger, Sequence) and not isinstance(challenger, str):
        raise TypeError("challenger must be one player; cross_play takes several")
    (challenger,), others = as_players(game, challenger), as_players(game, opponents)
    matches = [_match(game, challenger, opponent, games, seed) for opponent in others]
    fair = [_self_match(game, opponent, games, seed) for opponent in others] if game.num_sides != 2 else []
    played = settled_matches(game, [*matches, *fair], limit, progress, executor)
    shares = _fair_shares(game, [returns for returns, _ in played[len(others) :]], len(others))
    return [
        _summary(challenger, opponent, _own(game, returns), share, game, seed, lost)
        for opponent, (returns, lost), share in zip(others, played[: len(others)], shares, strict=True)
    ]


def cross_play(
    game: Game,
    players: Sequence[PlayerLike],
    games: int,
    seed: int,
    progress: Progress | None = None,
    executor: Executor = SERIAL,
    limit: float | None = None,
) -> list[Result]:
    """Play every player against every other one, as in `evaluate`; one result for each ordered pair, by challenger.

    With two sides a pair plays `games` games, which count for both players. With more sides each player of a pair plays
    `games` games of its own, on one side, with the other player on all other sides.

    Args:
        game: the game to play.
        players: names as `make_player` takes them, or `Policy` or `Player` objects.
        games: number of games of a pair, rounded up to whole deals.
        seed, progress, executor, limit: as in `evaluate`, as are the errors.
    """
    found: dict[tuple[int, int], Result] = {}
    seated, two = as_players(game, players), game.num_sides == 2
    numbers = range(len(seated))
    pairs = [(i, j) for i in numbers for j in numbers if (i < j if two else i != j)]
    matches = [_match(game, seated[i], seated[j], games, seed) for i, j in pairs]
    fair = [] if two else [_self_match(game, player, games, seed) for player in seated]
    played = settled_matches(game, [*matches, *fair], limit, progress, executor)
    shares = _fair_shares(game, [returns for returns, _ in played[len(pairs) :]], len(seated))
    for (i, j), (returns, lost) in zip(pairs, played[: len(pairs)], strict=True):
        first, second = seated[i], seated[j]
        found[i, j] = _summary(first, second, _own(game, returns), shares[j], game, seed, lost)
        if two:
            other = np.diagonal(_by_side(game, returns)[:, ::-1], axis1=1, axis2=2)
            found[j, i] = _summary(second, first, other, shares[i], game, seed, _seen_by_second(lost))
    return [found[pair] for pair in sorted(found)]


def total_games(game: Game, games: int, challengers: int, opponents: int) -> int:
    """Number of games that `evaluate` plays when called once for each challenger."""
    deals = deals_for(game, games)
    return challengers * opponents * deals * (game.num_sides + (game.num_sides != 2))


def total_cross_games(game: Game, games: int, players: int) -> int:
    """Number of games that `cross_play` of `players` players plays."""
    deals, sides = deals_for(game, games), game.num_sides
    pairs = players * (players - 1)
    return deals * pairs if sides == 2 else deals * (sides * pairs + players)


def deals_for(game: Game, games: int) -> int:
    """Number of deals that make at least `games` games, each deal played from every side; ValueError below 1 game."""
    return -(-whole("games", games, 1) // game.num_sides)


def _match(game: Game, first: Player, second: Player, games: int, seed: int) -> Match:
    """Games with `first` on each side of each deal in turn, and `second` on the other sides."""
    deals, sides, seed = deals_for(game, games), game.num_sides, int(given_seed(seed))
    seating = np.tile((np.arange(sides)[:, None] != np.array(game.side_of)).astype(np.int64), (deals, 1))
    seeds = np.repeat(spread(np.uint64(seed), deals), sides)
    return Match((first, second), seating, seeds, int(next_seed(np.uint64(seed))))


def _seen_by_second(failed: np.ndarray | None) -> np.ndarray | None:
    """Return who failed in a match between two sides as the second player counts: by deal and its own side."""
    if failed is None:
        return None
    pairs = failed.reshape(-1, 2)[:, ::-1]
    return np.where(pairs < 0, -1, 1 - pairs).ravel()


def _own(game: Game, returns: np.ndarray) -> np.ndarray:
    """Returns of a `_match` for the first player, [D, K]: deal, its side."""
    return np.diagonal(_by_side(game, returns), axis1=1, axis2=2)


def _by_side(game: Game, returns: np.ndarray) -> np.ndarray:
    """Returns of a `_match` as [D, K, K]: deal, the first player's side, side."""
    return returns[:, _leaders(game)].reshape(-1, game.num_sides, game.num_sides)


def _leaders(game: Game) -> list[int]:
    """The first seat of each side, [K]."""
    return [game.side_of.index(side) for side in range(game.num_sides)]


def _self_match(game: Game, player: Player, games: int, seed: int) -> Match:
    """The same deals with `player` in all seats."""
    deals = deals_for(game, games)
    seating = np.zeros((deals, game.num_players), np.int64)
    return Match((player,), seating, spread(np.uint64(seed), deals), int(next_seed(np.uint64(seed))))


def _fair_shares(game: Game, returns: Sequence[np.ndarray], players: int) -> list[float]:
    """A side's win share if one player holds all seats, for each player, from the returns of its `_self_match`."""
    if game.num_sides == 2:
        return [0.5] * players
    return [float(won(each[:, _leaders(game)], game.num_sides).mean()) for each in returns]


def won(returns: np.ndarray, sides: int) -> np.ndarray:
    """Convert returns to shares of a win, 0 to 1, float64, in a game of `sides` sides: see `Result.win_share`."""
    return 0.5 + 0.5 * np.sign(returns.astype(np.float64)) if sides == 2 else (returns > 0).astype(np.float64)


def _summary(
    challenger: Player,
    opponent: Player,
    returns: np.ndarray,
    fair_share: float,
    game: Game,
    seed: int,
    failed: np.ndarray | None = None,
) -> Result:
    """Summarize the challenger's returns [D, K] by deal and side. `failed`, int64 [n], is 0 where the challenger
    failed, 1 where the opponent did, -1 elsewhere; None: there were no forfeits."""
    wins = won(returns, returns.shape[1])
    most = max(float(np.abs(returns).max()), abs(game.lowest_return))
    interval, method = mean_interval(wins.mean(axis=1), 0.0, 1.0, seed)
    return_interval, return_method = mean_interval(returns.mean(axis=1, dtype=np.float64), -most, most, seed)
    return Result(
        challenger=challenger.name,
        opponent=opponent.name,
        deals=len(returns),
        games=returns.size,
        win_share=float(wins.mean()),
        interval=interval,
        interval_method=method,
        fair_share=fair_share,
        mean_return=float(returns.mean(dtype=np.float64)),
        return_interval=return_interval,
        return_interval_method=return_method,
        by_side=tuple(float(share) for share in wins.mean(axis=0)),
        by_deal=tuple(wins.mean(axis=1).tolist()),
        forfeits=None if failed is None else _forfeits(wins, failed.reshape(wins.shape), seed),
    )


def _forfeits(wins: np.ndarray, failed: np.ndarray, seed: int) -> Forfeits:
    """Count forfeits, and compute the win share of the other games. `wins` and `failed` are [D, K], see `_summary`."""
    challenger, opponent = int((failed == 0).sum()), int((failed == 1).sum())
    games = (failed < 0).sum(axis=1)
    rest = games > 0
    if not rest.any():
        return Forfeits(challenger, opponent, None, None)
    by_deal = np.where(failed < 0, wins, 0.0).sum(axis=1)[rest] / games[rest]
    return Forfeits(challenger, opponent, float(by_deal.mean()), mean_interval(by_deal, 0.0, 1.0, seed)[0])


def paired_differences(results: Sequence[Result], seed: int) -> list[Difference]:
    """Compare all pairs of challengers with the same opponent in `results`, which share seed and number of games."""
    found = []
    for i, one in enumerate(results):
        for other in results[i + 1 :]:
            if one.opponent != other.opponent:
                continue
            values = np.array(one.by_deal) - np.array(other.by_deal)
            interval, method = mean_interval(values, -1.0, 1.0, seed)
            found.append(
                Difference(one.challenger, other.challenger, one.opponent, float(values.mean()), interval, method)
            )
    return found


def mean_interval(values: np.ndarray, low: float, high: float, seed: int) -> tuple[tuple[float, float], str]:
    """Return the 95 % interval of the mean of `values` [D], each from `low` to `high`, and the name of its method."""
    if values.min() < values.max():
        return bootstrap(values, seed), BOOTSTRAP
    return wilson(float(values[0]), len(values), low, high), WILSON


def wilson(value: float, deals: int, low: float, high: float) -> tuple[float, float]:
    """Return the 95 % interval of the mean if each of `deals` deals gave `value`.

    A fraction of the unplayed deals may have another result, from `low` to `high`. Its upper limit, `other`, is the end
    of Wilson's score interval for 0 successes of `deals` (Wilson 1927, doi:10.1080/01621459.1927.10502953). For a
    `value` of 0 or 1 in the range 0 to 1 the result is Wilson's interval itself.
    """
    z = 1.959963984540054
    other = z * z / (deals + z * z)
    return value + other * (low - value), value + other * (high - value)


def bootstrap(values: np.ndarray, seed: int, resamples: int = RESAMPLES) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean of `values` [D], from deals drawn with replacement.

    If all values are equal the interval has width 0, which overstates the certainty: use `wilson` then.
    """
    rng = np.random.default_rng(seed)
    d = len(values)
    block = max(1, BOOTSTRAP_BLOCK // d)  # several resamples a call, with the same draws as one by one
    sizes = [min(block, resamples - k) for k in range(0, resamples, block)]
    means = np.concatenate([values[rng.integers(0, d, (n, d))].mean(axis=1) for n in sizes])
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


def share_matrix(results: Sequence[Result], players: int) -> np.ndarray:
    """Win shares of row against column, float64 [m, m], NaN on the diagonal, from the results of `cross_play`."""
    matrix = np.full((players, players), np.nan)
    matrix[~np.eye(players, dtype=bool)] = [result.win_share for result in results]
    return matrix
