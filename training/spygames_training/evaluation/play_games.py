"""Play many games at once to their end; each step asks every player for all games in which it is to move.

Letters: n games, P seats.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spygames.core.game.game import Game
from spygames.core.players.player import DecisionBatch, Player
from spygames.core.playing.rows import Rows, spread
from spygames.core.playing.session import Session, answers
from spygames_training.evaluation.forfeits import Referee, checked_limit, limited
from spygames_training.parallel.executor import SERIAL, Executor, Progress
from spygames_training.system.threads import one_thread

LOCKSTEP = 1024
"""Number of games played at a time; results do not depend on it."""
MAX_DECISIONS = 50_000
"""Number of decisions after which a game is stopped without a winner, so that players that wait for each other do not
block the others. The longest of 2,000 games among `expert-1` in each of seven variants of Heimlich & Co. took 2,966."""


def play_games(
    game: Game,
    players: Sequence[Player],
    seating: np.ndarray,
    seeds: np.ndarray,
    rng_seed: int,
    progress: Progress | None = None,
    finals: np.ndarray | None = None,
    referee: Referee | None = None,
) -> np.ndarray:
    """Play each game once, to its end or for `MAX_DECISIONS`, many in lockstep; return the results, float32 [n, P].

    Every game is played exactly once, so short games are not overrepresented.

    Args:
        game: the game to play.
        players: each is asked once a step for all games in which it is to move, and sees only its own seats' views.
        seating: int [n, P], the index in `players` for each seat.
        seeds: uint64 [n], the deals.
        rng_seed: 0..2^64-1, of the players' random streams, one for each game.
        progress: see `Progress`.
        finals: STATE [n], filled with the final state of each game, if given.
        referee: records a forfeit where a player fails, and the game ends with results of 0. None: an error of a
            player ends all games.
    """
    n = len(seeds)
    rng = spread(np.uint64(rng_seed), n).reshape(n, 1)
    out = np.zeros((n, game.num_players), np.float32)
    for part in _parts(n):
        last = None if finals is None else finals[part]
        _play_part(game, players, seating[part], seeds[part], rng[part], out[part], progress, last, referee, part.start)
    return out


@dataclass(frozen=True)
class Match:
    """Games to play, as arguments of `play_games`."""

    players: tuple[Player, ...]
    seating: np.ndarray
    seeds: np.ndarray
    rng_seed: int


def settled_matches(
    game: Game,
    matches: Sequence[Match],
    limit: float | None,
    progress: Progress | None = None,
    executor: Executor = SERIAL,
) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """Play matches; other arguments as in `evaluate`.

    Args:
        game: the game to play.
        matches: the matches.
        limit: see `Referee` and `limited`. A player that fails gets the lowest result in all its seats, and the others
            get the opposite. None: an error of a player ends all games.
        progress, executor: as in `evaluate`.

    Returns:
        For each match the results, float32 [n, P], and the index in `Match.players` of the player that failed, or -1,
        int64 [n]; None without a limit.
    """
    tasks, limit = [], checked_limit(limit)
    for match in matches:
        rng = spread(np.uint64(match.rng_seed), len(match.seeds)).reshape(-1, 1)
        for part in _parts(len(match.seeds), executor.lockstep):
            tasks.append((game, match.players, match.seating[part], match.seeds[part], rng[part], limit))
    results: list[tuple[np.ndarray, np.ndarray | None]] = []
    with limited([player for match in matches for player in match.players], limit):
        found = executor.in_order(_results_of_part, tasks, progress)
        for match in matches:
            returns, failed = zip(*(next(found) for _ in _parts(len(match.seeds), executor.lockstep)), strict=True)
            results.append((np.concatenate(returns), None if limit is None else np.concatenate(failed)))
    return results


def _parts(games: int, most: int | None = None) -> list[slice]:
    """The games that are played in lockstep, at most `most` or LOCKSTEP, as slices."""
    most = most or LOCKSTEP
    return [slice(first, min(first + most, games)) for first in range(0, games, most)]


def _results_of_part(
    game: Game,
    players: Sequence[Player],
    seating: np.ndarray,
    seeds: np.ndarray,
    rng: np.ndarray,
    limit: float | None,
    progress: Progress | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Task for an executor: games played in lockstep, as `settled_matches` returns them."""
    out, failed = np.zeros((len(seeds), game.num_players), np.float32), np.full(len(seeds), -1, np.int64)
    referee = None if limit is None else Referee(limit)
    with one_thread():
        _play_part(game, players, seating, seeds, rng, out, progress, None, referee, 0)
    for row, forfeit in ({} if referee is None else referee.forfeits).items():
        failed[row] = seating[row, forfeit.seat]
        out[row] = np.where(seating[row] == failed[row], game.lowest_return, -game.lowest_return)
    return out, failed


def _play_part(
    game: Game,
    players: Sequence[Player],
    seating: np.ndarray,
    seeds: np.ndarray,
    rng: np.ndarray,
    out: np.ndarray,
    progress: Progress | None,
    finals: np.ndarray | None,
    referee: Referee | None,
    first: int,
) -> None:
    failed = np.zeros(len(seeds), bool)

    def ask(player: Player, decisions: DecisionBatch) -> np.ndarray:
        if referee is None:
            return answers(player, decisions)
        found, failed[decisions.rows] = referee.ask(player, decisions, first)
        return found

    rows = Rows(game, len(seeds), 0)
    session, going = Session(rows, players, seating, rng, ask), np.arange(rows.n)
    session.begin(going, seeds)
    actions = np.zeros(rows.n, np.int64)
    for _ in range(MAX_DECISIONS):
        if not len(going):
            return
        session.ask(going, actions)
        played = going[~failed[going]]
        ended = session.apply(played, actions)
        out[ended] = rows.rewards[ended]
        if finals is not None:
            finals[ended] = rows.states[ended]
        if progress and (over := len(going) - len(played) + len(ended)):
            progress(over)
        going = played[~rows.done[played]]
    if not len(going):
        return
    names = ", ".join(dict.fromkeys(player.name for player in players))
    warnings.warn(
        f"{len(going)} of {rows.n} games of {names} were stopped after {MAX_DECISIONS:,} decisions, without a winner",
        stacklevel=2,
    )
    session.tell_end(going)
    if finals is not None:
        finals[going] = rows.states[going]
    if progress:
        progress(len(going))
