"""Uniformly random games in lockstep, with every position looked at: what holds in it, and what does not.

What holds in any game is checked here (`NAMES`). What holds in one game says the module `tests/<game>/invariants.py`:

- `OF_STATE`: functions of states, STATE [n], that answer bool [n]: whether it holds in each
- `OF_DECISION`: the same of the states before and after a decision
- `due`: a function of states that answers what their seats must have, [n, P or more]
- `VARIANTS`, `END_REASONS`: for `scripts/game_lengths.py`, the options of each variant, and the names of the numbers in
  the field `end_reason`; it also reads the field `turn`
"""

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np

from spygames.core.batch import Batch, bot_loop
from spygames.core.game import NOBODY, Game, record

NAMES = ("mover_exists", "legal_actions_exist", "results_are_due", "redraw_keeps_view", "redraw_is_possible", "it_ends")
MOVER, ACTIONS, RESULTS, REDRAW_VIEW, REDRAW, ENDS = range(len(NAMES))
LONGEST = 10_000
"""Decisions after which a game counts as endless."""
REDRAWN = 100
"""One position in so many of each game is redrawn as each seat sees it."""


class Played(NamedTuple):
    """Games that were played, one a row."""

    states: np.ndarray
    """STATE [n], the last ones."""
    decisions: np.ndarray
    """int [n], how many there were."""
    broken: dict[str, np.ndarray]
    """By name of an invariant the rows in which it did not hold; none where all held."""


def invariants_of(game: Game) -> ModuleType:
    """`tests/<game>/invariants.py`; ModuleNotFoundError for a game that has none."""
    return importlib.import_module(f"tests.{game.name}.invariants")


def names(game: Game) -> list[str]:
    """The names of all invariants of a game."""
    own = invariants_of(game)
    return [*NAMES, *(holds.__name__ for holds in (*own.OF_STATE, *own.OF_DECISION))]


def play_games(game: Game, seeds: np.ndarray, progress: Callable[[int], None] = lambda games: None) -> Played:
    """Plays the first game of each seed, uint64 [n], by uniformly random choices that depend on the seed alone.

    progress: told of how many games have ended since it was last told.
    """
    n, own = len(seeds), invariants_of(game)
    batch, choose = Batch(game, n, seed=0, threads=1), bot_loop(game, "random")
    batch.reset(seeds=seeds.copy())
    luck, actions = (seeds * np.uint64(0x9E3779B97F4A7C15) + np.uint64(1)).reshape(n, 1), np.zeros(n, np.int64)
    played = Played(game.new_states(n), np.zeros(n, np.int64), {name: np.zeros(n, bool) for name in names(game)})
    rows, number = np.arange(n), 0  # of the games that go on
    s = batch.states.copy()

    def note(found: dict[str, np.ndarray], where: np.ndarray) -> None:
        for name, wrong in found.items():
            played.broken[name][where] |= wrong

    note(broken(own, s) | out_of_order(game, own, s, batch.mask, batch.rewards), rows)
    while len(rows) and number < LONGEST:
        drawn = rows[(rows + number) % REDRAWN == 0]
        note(redrawn(game, own, batch.states[drawn], seeds[drawn] + np.uint64(number)), drawn)
        choose(batch.views, batch.mask, luck, rows, actions, 0, len(rows))
        before = batch.states[rows]
        batch.step(actions)
        number += 1
        # Where a game is over, the batch has begun the next one: its last state is made once more.
        s, mask, ended = batch.states[rows], batch.mask[rows], np.flatnonzero(batch.done[rows]).tolist()
        for k in ended:
            s[k] = before[k]
            game.apply(record(s, k), int(actions[rows[k]]))
            game.legal(record(s, k), mask[k])
        note(broken(own, s) | broken_by(own, before, s) | out_of_order(game, own, s, mask, batch.rewards[rows]), rows)
        played.states[rows[ended]], played.decisions[rows[ended]] = s[ended], number
        progress(len(ended))
        rows = rows[~batch.done[rows]]
        # The others play on, as a batch does; what they play is nobody's business.
        idle = np.flatnonzero(~np.isin(np.arange(n), rows))
        choose(batch.views, batch.mask, luck, idle, actions, 0, len(idle))
    played.broken[NAMES[ENDS]][rows] = True
    return Played(played.states, played.decisions, {name: np.flatnonzero(b) for name, b in played.broken.items()})


def broken(own: ModuleType, s: np.ndarray) -> dict[str, np.ndarray]:
    """By name of an invariant of states, STATE [n], whether it does not hold, bool [n]."""
    return {holds.__name__: ~holds(s) for holds in own.OF_STATE}


def broken_by(own: ModuleType, before: np.ndarray, s: np.ndarray) -> dict[str, np.ndarray]:
    """The same of the decisions that have made `s` of `before`, both STATE [n]."""
    return {holds.__name__: ~holds(before, s) for holds in own.OF_DECISION}


def out_of_order(
    game: Game, own: ModuleType, s: np.ndarray, mask: np.ndarray, results: np.ndarray
) -> dict[str, np.ndarray]:
    """The same of what any game promises: `mask`, int8 [n, A], is of the seats to move, `results` float32 [n, P]."""
    over = s["to_move"] == NOBODY
    allowed = np.isin(mask, (0, 1)).all(1) & (mask.any(1) == ~over)
    return {
        NAMES[MOVER]: ~over & ((s["to_move"] < 0) | (s["to_move"] >= game.num_players)),
        NAMES[ACTIONS]: ~allowed,
        NAMES[RESULTS]: (results != own.due(s)[:, : game.num_players]).any(1),
    }


def redrawn(game: Game, own: ModuleType, s: np.ndarray, seeds: np.ndarray) -> dict[str, np.ndarray]:
    """The same of `determinize`: each seat sees what it saw and may do what it might; the position is possible."""
    found = {NAMES[REDRAW_VIEW]: np.zeros(len(s), bool), NAMES[REDRAW]: np.zeros(len(s), bool)}
    views, masks = game.new_views(2), np.zeros((2, game.num_actions), np.int8)
    for seat in range(game.num_players):
        drawn = s.copy()
        for k in range(len(s)):
            game.determinize(record(drawn, k), seat, seeds[k])
            for i, world in enumerate((s, drawn)):
                game.observe(record(world, k), seat, record(views, i))
                game.legal(record(world, k), masks[i])
            same = views[0].tobytes() == views[1].tobytes()
            same &= s["to_move"][k] == drawn["to_move"][k]
            same &= s["to_move"][k] != seat or masks[0].tobytes() == masks[1].tobytes()
            found[NAMES[REDRAW_VIEW]][k] |= not same
        found[NAMES[REDRAW]] |= np.any(list(broken(own, drawn).values()), 0)
    return found
