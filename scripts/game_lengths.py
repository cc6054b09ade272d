"""Plays uniformly random games of every variant of Agent Avenue and prints their lengths and how they end.

    scripts/game_lengths.py --games 100000

Row n of the table is a variant; seeds 0 to N-1, each seed's first game. The figures stand in
`docs/agent_avenue_random_play.md`, where other implementations can be compared with them.
"""

import argparse
from collections import Counter

import numpy as np

from spygames import make_game
from spygames.core.batch import Batch, bot_loop

VARIANTS = [{"mode": mode, "players": players} for mode in ("simple", "advanced") for players in (2, 3, 4)]
REASONS = ["caught", "codebreakers", "daredevils", "masterplan", "security_system", "leader_of_the_pack", "ran_out"]
CHUNK = 10_000


def play(options: dict[str, object], games: int) -> tuple[list[int], list[int], Counter[int], int]:
    """Decisions and turns of each game, end reasons, and how many the first side won."""
    game = make_game("agent_avenue_v0", **options)
    decisions, turns, ends, first = [], [], Counter[int](), 0
    for start in range(0, games, CHUNK):
        seeds = np.arange(start, min(start + CHUNK, games), dtype=np.uint64)
        n = len(seeds)
        batch, loop = Batch(game, n, seed=0, threads=1), bot_loop(game, "random")
        batch.reset(seeds=seeds)
        luck, actions = (seeds * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)).reshape(n, 1), np.zeros(n, np.int64)
        length, going = np.zeros(n, int), np.ones(n, bool)
        while going.any():
            loop(batch.views, batch.mask, luck, np.arange(n), actions, 0, n)
            before = batch.states.copy()
            batch.step(actions)
            length += going
            for i in np.flatnonzero(batch.done & going):
                last = before[i : i + 1].view(np.recarray)[0]
                game.apply(last, int(actions[i]))  # the batch has begun the next game in this row already
                turns.append(int(last.turn))
                ends[int(last.end_reason)] += 1
                first += int(last.winner == 0)
                decisions.append(int(length[i]))
            going &= ~batch.done
    return decisions, turns, ends, first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    games = parser.parse_args().games
    print(f"| mode | players | decisions (most) | turns (most) | first side wins | {' | '.join(REASONS)} |")
    print("|---" * (5 + len(REASONS)) + "|")
    for options in VARIANTS:
        decisions, turns, ends, first = play(options, games)
        shares = " | ".join(f"{100 * ends[i] / games:.2f} %" for i in range(len(REASONS)))
        print(
            f"| {options['mode']} | {options['players']} | {np.mean(decisions):.2f} ({max(decisions)}) "
            f"| {np.mean(turns):.2f} ({max(turns)}) | {100 * first / games:.1f} % | {shares} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
