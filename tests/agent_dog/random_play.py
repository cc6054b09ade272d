"""Uniformly random games of Agent DOG with every invariant looked at: how long they are and how they end.

    python -m tests.agent_dog.random_play --games 20000

Seeds 0 to N-1, each seed's first game, with the default options but for the players. One decision in so many is looked
at (`--every`). The figures stand in `docs/agent_dog_random_play.md`: other implementations can be compared with them.
"""

import argparse
from collections import Counter
from typing import NamedTuple

import numpy as np
from rich.progress import track

from spygames.core.batch import Batch, bot_loop
from spygames.core.game import Game, record
from tests.agent_dog import invariants
from tests.agent_dog.conftest import game_of

CHUNK = 2_000


class Played(NamedTuple):
    """Games that were played, one a row."""

    states: np.ndarray
    """STATE [n], the last ones."""
    decisions: np.ndarray
    """int [n]"""
    broken: Counter[str]
    """By name of an invariant in how many positions it did not hold."""
    seen: Counter[int]
    """How many of the positions that were looked at were in each phase."""


def play(game: Game, seeds: np.ndarray, every: int = 1) -> Played:
    """Plays the first game of each seed, uint64 [n], to its end; one decision in `every` is looked at."""
    n = len(seeds)
    batch, choose = Batch(game, n, seed=0, threads=1), bot_loop(game, "random")
    batch.reset(seeds=seeds.copy())
    luck, actions = (seeds * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)).reshape(n, 1), np.zeros(n, np.int64)
    played = Played(game.new_states(n), np.zeros(n, np.int64), Counter(), Counter())
    number, rows = 0, np.arange(n)  # of the games that go on; the others play on as a batch does, and nobody looks
    look_at(game, played, batch.states, batch.rewards)
    while len(rows):
        choose(batch.views, batch.mask, luck, np.arange(n), actions, 0, n)
        before = batch.states.copy()
        batch.step(actions)
        number += 1
        ended = rows[batch.done[rows]]
        for row in ended:  # the batch has begun the next game there: the last state is made once more
            played.states[row] = before[row]
            game.apply(record(played.states, row), int(actions[row]))
        played.decisions[ended] = number
        look_at(game, played, played.states[ended], batch.rewards[ended], before[ended])
        rows = rows[~batch.done[rows]]
        if number % every == 0:
            look_at(game, played, batch.states[rows], batch.rewards[rows], before[rows])
    return played


def look_at(game: Game, played: Played, s: np.ndarray, rewards: np.ndarray, before: np.ndarray | None = None) -> None:
    """Counts in `played` what does not hold."""
    if len(s):
        for name, holds in answers(s, before).items():
            played.broken[name] += int((~holds).sum())
        played.broken["due"] += int((rewards != invariants.due(s)[:, : game.num_players]).any(1).sum())
        played.seen.update(s["phase"].tolist())


def answers(s: np.ndarray, before: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """By name of an invariant whether it holds, bool [n]."""
    found = {holds.__name__: holds(s) for holds in invariants.OF_STATE}
    if before is not None:
        found |= {holds.__name__: holds(before, s) for holds in invariants.OF_DECISION}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20_000, help="of each number of players (default: %(default)s)")
    parser.add_argument("--every", type=int, default=16, help="look at one decision in so many (default: %(default)s)")
    parser.add_argument("--players", type=int, nargs="+", choices=(2, 3, 4), default=[2, 3, 4])
    args = parser.parse_args()
    lines = [
        "| players | decisions: mean | median | most | turns | rounds | cut off "
        "| won by each seat | looked at | broken |",
        "|---" * 10 + "|",
    ]
    for players in args.players:
        parts = []
        for start in track(range(0, args.games, CHUNK), f"{players} players", transient=True):
            seeds = np.arange(start, min(start + CHUNK, args.games), dtype=np.uint64)
            parts.append(play(game_of({"players": players}), seeds, args.every))
        s, decisions = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        wins = " / ".join(f"{100 * (s['winners'] >> seat & 1).mean():.1f} %" for seat in range(players))
        broken, seen = sum(sum(part.broken.values()) for part in parts), sum(sum(part.seen.values()) for part in parts)
        lines.append(
            f"| {players} | {decisions.mean():.0f} | {np.median(decisions):.0f} | {decisions.max()} "
            f"| {s['turn'].mean():.0f} | {s['round_number'].mean() + 1:.0f} | {(s['end_reason'] == 1).sum()} | {wins} "
            f"| {seen:,} | {broken} |"
        )
    print("\n".join(lines))


if __name__ == "__main__":
    main()
