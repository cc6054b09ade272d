"""Play uniformly random games of any game and check invariants in every position.

    python -m tests.support.random_games --games 100000 --every 16        # all variants of all games, for hours

Invariants of every game are checked here (`NAMES`). Invariants of one game are in `tests/games/<game>/invariants.py`,
written from the rules, in one form:

- `VARIANTS`: options of the variants to play
- `OF_STATE`: functions of states, STATE [n], that return bool [n]: whether the invariant holds in each
- `OF_DECISION`: functions of the states before and after a decision, likewise
- `due`: a function of states that returns the results that their seats must have, [n, P or more]

All states of an array are of one variant.
"""

import argparse
import importlib
from collections import Counter
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.registry import game_ids, make_game
from spygames.core.playing.first_games import first_games

NAMES = (
    "mover_exists",
    "legal_actions_exist",
    "results_are_due",
    "determinize_keeps_view",
    "determinize_gives_possible",
    "it_ends",
)
MOVER, ACTIONS, RESULTS, KEEPS_VIEW, POSSIBLE, ENDS = range(len(NAMES))
LONGEST = 10_000
"""Games with more decisions count as endless."""
DETERMINIZED = 100
"""One position in this many of each game is determinized for each seat."""
CHUNK = 2_000


class Played(NamedTuple):
    """Games that were played, one per row."""

    states: np.ndarray
    """STATE [n], the final states."""
    decisions: np.ndarray
    """int [n], the number of decisions."""
    broken: dict[str, np.ndarray]
    """By invariant, the rows in which it did not hold; empty if it held in all."""
    phases: Counter[int]
    """Number of checked positions per phase."""


def invariants_of(game: Game) -> ModuleType:
    """Import `tests/games/<game>/invariants.py`.

    Raises:
        ModuleNotFoundError: the game has no invariants.
    """
    return importlib.import_module(f"tests.games.{game.name}.invariants")


def names(game: Game) -> list[str]:
    """Return the names of all invariants of a game."""
    own = invariants_of(game)
    return [*NAMES, *(holds.__name__ for holds in (*own.OF_STATE, *own.OF_DECISION))]


def play_games(game: Game, seeds: Iterable[int], every: int = 1) -> Played:
    """Play the first game of each seed; check one decision in `every`, and each game's start and end."""
    of = np.array(list(seeds), np.uint64)
    n, own = len(of), invariants_of(game)
    broken = {name: np.zeros(n, bool) for name in names(game)}
    played = Played(game.new_states(n), np.zeros(n, np.int64), {}, Counter())

    def note(found: dict[str, np.ndarray], games: np.ndarray) -> None:
        for name, wrong in found.items():
            broken[name][games] |= wrong

    for number, (games, before, s, mask, results, over) in enumerate(first_games(game, of)):
        if number > LONGEST:
            broken[NAMES[ENDS]][games] = True
            break
        seen = slice(None) if number % every == 0 else over
        if len(games[seen]):
            found = broken_in(own, s[seen]) | out_of_order(game, own, s[seen], mask[seen], results[seen])
            note(found | ({} if before is None else broken_by(own, before[seen], s[seen])), games[seen])
            played.phases.update(s["phase"][seen].tolist())
        drawn = ~over & ((games + number) % DETERMINIZED == 0)
        if number % every == 0 and drawn.any():
            note(determinized(game, own, s[drawn], of[games[drawn]] + np.uint64(number)), games[drawn])
        played.states[games[over]], played.decisions[games[over]] = s[over], number
    return played._replace(broken={name: np.flatnonzero(wrong) for name, wrong in broken.items()})


def broken_in(own: ModuleType, s: np.ndarray) -> dict[str, np.ndarray]:
    """Return, by invariant of states, where it does not hold in STATE [n]: bool [n]."""
    return {holds.__name__: ~holds(s) for holds in own.OF_STATE}


def broken_by(own: ModuleType, before: np.ndarray, s: np.ndarray) -> dict[str, np.ndarray]:
    """Return the same for invariants of decisions, from the states before and after, both STATE [n]."""
    return {holds.__name__: ~holds(before, s) for holds in own.OF_DECISION}


def wrong_with(game: Game, s: np.ndarray) -> list[str]:
    """Return the invariants of states that fail in at least one of `s`, STATE [n]."""
    return [name for name, wrong in broken_in(invariants_of(game), s).items() if wrong.any()]


def out_of_order(
    game: Game, own: ModuleType, s: np.ndarray, mask: np.ndarray, results: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the same for invariants of every game, from `mask`, int8 [n, A], and `results`, float32 [n, P]."""
    over = s["to_move"] == NOBODY
    allowed = np.isin(mask, (0, 1)).all(1) & (mask.any(1) == ~over)
    return {
        NAMES[MOVER]: ~over & ((s["to_move"] < 0) | (s["to_move"] >= game.num_players)),
        NAMES[ACTIONS]: ~allowed,
        NAMES[RESULTS]: ~(np.abs(results - own.due(s)[:, : game.num_players]) <= 1e-6).all(1),
    }


def determinized(game: Game, own: ModuleType, s: np.ndarray, seeds: np.ndarray) -> dict[str, np.ndarray]:
    """Return the same for `determinize`: each seat keeps its view and mask, and the drawn position is possible."""
    found = {NAMES[KEEPS_VIEW]: np.zeros(len(s), bool), NAMES[POSSIBLE]: np.zeros(len(s), bool)}
    views, masks = game.new_views(2), np.zeros((2, game.num_actions), np.int8)
    worlds = []
    for seat in range(game.num_players):
        drawn = s.copy()
        worlds.append(drawn)
        for k in range(len(s)):
            game.determinize(as_record(drawn, k), seat, seeds[k])
            for i, world in enumerate((s, drawn)):
                game.observe(as_record(world, k), seat, as_record(views, i))
                game.legal(as_record(world, k), masks[i])
            same = views[0].tobytes() == views[1].tobytes()
            same &= s["to_move"][k] == drawn["to_move"][k]
            same &= s["to_move"][k] != seat or masks[0].tobytes() == masks[1].tobytes()
            found[NAMES[KEEPS_VIEW]][k] |= not same
    wrong = np.any(list(broken_in(own, np.concatenate(worlds)).values()), 0)
    found[NAMES[POSSIBLE]] |= wrong.reshape(game.num_players, len(s)).any(0)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=2_000, help="of each variant (default: %(default)s)")
    parser.add_argument("--every", type=int, default=1, help="look at one decision in so many (default: %(default)s)")
    parser.add_argument("--game", nargs="+", choices=game_ids(), default=game_ids(), help="(default: all)")
    args = parser.parse_args(argv)
    code = 0
    for game_id in args.game:
        for options in invariants_of(make_game(game_id)).VARIANTS:
            wrong, looked_at = report(make_game(game_id, **options), args.games, args.every)
            print(
                f"{game_id} {options}: {looked_at:,} positions looked at, {wrong or 'all invariants held'}", flush=True
            )
            code = 1 if wrong else code
    return code


def report(game: Game, games: int, every: int) -> tuple[dict[str, Any], int]:
    """Return, by invariant, the first seeds of games in which it failed, and the number of positions checked."""
    wrong, looked_at = {}, 0
    for start in range(0, games, CHUNK):
        played = play_games(game, range(start, min(start + CHUNK, games)), every)
        looked_at += played.phases.total()
        for name, rows in played.broken.items():
            if len(rows):
                wrong.setdefault(name, []).extend((start + rows[:3]).tolist())
    return wrong, looked_at


if __name__ == "__main__":
    raise SystemExit(main())
