"""Shared parts of the tests of all `rewind` kernels: games with their decisions, and random streams to try."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import stats

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING
from spygames.core.game.rng import GAMMA
from spygames.core.players.player import bot_loop
from spygames.core.playing.batch import Batch
from spygames.testing.hidden import indistinguishable_decision
from spygames.testing.trial import determinized, mask_of, view_of

# Placeholders for the kernels of a game; `Game.bind` replaces them.
legal: Any = None
observe: Any = None
rewind: Any = None

TRIES = 4096
"""Number of random streams to try; a discard or an offer can have happened in some dozens of ways."""
CHAIN = 6
"""Maximum number of decisions of a seat that a world is rewound."""

Silent = Callable[[Game, np.ndarray, int], bool]
"""(game, STATE [1] before a decision, action): whether the rules hide the decision from all others."""


def links(game: Game, games: int, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Play random games one step at a time. Yield, per game and seat: the state now, the state at that seat's latest
    decision, the seat, and its action."""
    seats = game.num_players
    batch, choose = Batch(game, games, seed=seed, threads=1), bot_loop(game, "random")
    luck = np.arange(1, games + 1, dtype=np.uint64).reshape(-1, 1)
    past, did = [game.new_states(games) for _ in range(seats)], np.full((seats, games), NOBODY)
    actions, going = np.zeros(games, np.int64), np.ones(games, np.bool_)
    while going.any():
        for seat in range(seats):
            rows = np.flatnonzero(going & (did[seat] != NOBODY))
            yield batch.states[rows], past[seat][rows], np.full(len(rows), seat), did[seat, rows]
        choose(batch.views, batch.mask, luck, np.arange(games), actions, 0, games)
        for seat in range(seats):
            rows = np.flatnonzero(batch.seats == seat)
            past[seat][rows], did[seat, rows] = batch.states[rows], actions[rows]
        batch.step(actions)
        going &= ~batch.done


def check_right_luck(
    game: Game,
    games: int,
    silent: Silent,
    may_be_silent: Callable[[np.ndarray, np.ndarray], np.ndarray],
    gone: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
    seed: int = 11,
) -> int:
    """Check that the truth and the right luck restore the past view byte for byte, with the mask and the action.

    Args:
        game: the game, played by random legal actions.
        games: number of games.
        silent: which decisions say nothing.
        may_be_silent: (STATE [k] before, actions int64 [k]) -> bool [k]: where to ask `silent`.
        gone: (STATE [k] now, STATE [k] then) -> bool [k]: decisions that are past recall and say nothing.
        seed: seed of the games.

    Returns:
        The number of decisions restored.
    """
    check = game.bind(_same_bytes_finder, rewind=game.rewind)
    total = 0
    for now, past, seats, actions in links(game, games, seed):
        if gone is not None:
            away = gone(now, past)
            for i in np.flatnonzero(away)[:1]:
                _, told = rewound(game, now[i : i + 1], past[i : i + 1], int(seats[i]), int(actions[i]), 1)
                assert told == TELLS_NOTHING
            now, past, seats, actions = now[~away], past[~away], seats[~away], actions[~away]
        expected = actions.copy()
        for i in np.flatnonzero(may_be_silent(past, actions)):
            if silent(game, past[i : i + 1], int(actions[i])):
                expected[i] = TELLS_NOTHING
        found = np.zeros(len(now), np.bool_)
        views = game.new_views(2)
        check(
            now, past, seats, actions, expected, game.new_states(), views, views.view(np.uint8).reshape(2, -1),
            np.zeros((2, game.num_actions), np.int8), np.zeros(1, np.uint64), found,
        )  # fmt: skip
        assert found.all()
        total += len(now)
    return total


def check_many(game: Game, games: int, *rules: Any, decisions: int = 100_000) -> None:
    """Run `check_right_luck` with `games` games at a time, until it has seen this many decisions."""
    seed = 12
    while decisions > 0:
        decisions -= check_right_luck(game, games, *rules, seed=seed)
        seed += 1


def _same_bytes_finder(
    now: Any, past: Any, seats: Any, actions: Any, expected: Any, world: Any, views: Any, text: Any, masks: Any,
    rng: Any, found: Any,
) -> None:  # fmt: skip
    """Set `found[k]` if some luck rewinds `now[k]` to the truth at an earlier decision: view, mask and action."""
    for i in range(len(now)):
        observe(past[i], seats[i], views[0])
        legal(past[i], masks[0])
        t = 0
        while t < TRIES and not found[i]:
            world[0] = now[i]
            rng[0] = np.uint64(i * TRIES + t) * GAMMA
            same = rewind(world[0], past[i], seats[i], actions[i], rng) == expected[i]
            observe(world[0], seats[i], views[1])
            legal(world[0], masks[1])
            for k in range(masks.shape[1]):
                same = same and masks[0, k] == masks[1, k]
            for k in range(text.shape[1]):
                same = same and text[0, k] == text[1, k]
            found[i] = same
            t += 1


def rewound(game: Game, world: np.ndarray, past: np.ndarray, seat: int, action: Any, luck: int) -> tuple[Any, int]:
    """Return a rewound copy of a world, STATE [1], and the return value of `rewind`."""
    states, rng = world.copy(), np.array([luck], np.uint64)
    assert game.rewind is not None
    return states, int(game.rewind(as_record(states), as_record(past), seat, action, rng))


def check_redrawn(game: Game, games: int, public: Sequence[str], chosen: str = "random") -> dict[str, int]:
    """Check in redrawn worlds that everything public is restored, and that no hidden part of the past is read.

    Args:
        game: the game.
        games: number of games.
        public: fields of STATE that hide nothing.
        chosen: the bot that plays.

    Returns:
        The number of decisions told, silent and impossible, and the number of told decisions that were legal.
    """
    counts = {"told": 0, "nothing": 0, "impossible": 0, "legal": 0}
    batch, choose = Batch(game, games, seed=5, threads=1), bot_loop(game, chosen)
    luck, actions = np.arange(games, dtype=np.uint64).reshape(-1, 1), np.zeros(games, np.int64)
    past: list[list[tuple[np.ndarray, int]]] = [[] for _ in range(games)]
    going, step = np.ones(games, np.bool_), 0
    while going.any():
        for row in np.flatnonzero(going):
            viewer = int(batch.seats[row])
            for seat in {*range(game.num_players)} - {viewer}:
                if (row + step + seat) % 4 == 0:
                    mine = [each for each in past[row] if int(each[0]["to_move"][0]) == seat]
                    _turn_back(game, batch.states[row : row + 1], mine[::-1][:CHAIN], viewer, step, public, counts)
        choose(batch.views, batch.mask, luck, np.arange(games), actions, 0, games)
        for row in range(games):
            past[row].append((batch.states[row : row + 1].copy(), int(actions[row])))
        batch.step(actions)
        going &= ~batch.done
        step += 1
    return counts


def _turn_back(
    game: Game,
    now: np.ndarray,
    past: Sequence[tuple[np.ndarray, int]],
    viewer: int,
    luck: int,
    public: Sequence[str],
    counts: dict[str, int],
) -> None:
    """Rewind redrawn worlds through some decisions of one seat, newest first, and count the outcomes."""
    worlds = [determinized(game, now, viewer, 3 * luck) for _ in range(2)]
    for then, action in past:
        seat = int(then["to_move"][0])
        other = indistinguishable_decision(game, then, action, viewer, 1000 * luck) or (then, action)
        (worlds[0], told), (worlds[1], same) = (
            rewound(game, world, *each[:1], seat, each[1], luck)
            for world, each in zip(worlds, ((then, action), other), strict=True)
        )
        assert told == same
        if told >= 0:
            assert (
                view_of(game, as_record(worlds[0]), seat).tobytes()
                == view_of(game, as_record(worlds[1]), seat).tobytes()
            )
            for name in public:
                np.testing.assert_array_equal(worlds[0][name], then[name], name)
            counts["legal"] += int(mask_of(game, as_record(worlds[0]))[told])
        counts["told" if told >= 0 else "nothing" if told == TELLS_NOTHING else "impossible"] += 1
        assert told >= 0 or told in (TELLS_NOTHING, IMPOSSIBLE)


def check_own_view(game: Game, games: int) -> int:
    """Check that two worlds a seat cannot tell apart stay so when rewound with the same luck; return their number."""
    looked = 0
    for now, past, seats, actions in links(game, games, 17):
        for i in range(0, len(now), 3):
            here, seat = now[i : i + 1], int(seats[i])
            worlds = [here, determinized(game, here, seat, i)]
            turned = [rewound(game, world, past[i : i + 1], seat, actions[i], 7 * i) for world in worlds]
            assert turned[0][1] == turned[1][1]
            shown = [
                (view_of(game, as_record(w), seat).tobytes(), mask_of(game, as_record(w)).tobytes()) for w, _ in turned
            ]
            assert turned[0][1] < 0 or shown[0] == shown[1]
            looked += 1
    return looked


def agree(seen: Counter[Any], expected: Counter[Any]) -> None:
    """Check by chi-square that frequencies match the expected ones."""
    assert set(seen) == set(expected)
    scale = sum(seen.values()) / sum(expected.values())
    keys = sorted(expected)
    test = stats.chisquare([seen[k] for k in keys], [expected[k] * scale for k in keys])
    assert test.pvalue > 1e-4
