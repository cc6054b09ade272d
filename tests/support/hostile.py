"""Fuzz states that no game led to: which of them a game accepts, and whether every accepted one can be played.

Positions of real games are changed in their mapping (numbers moved to the ends of what is accepted and beyond, entries
swapped, moved, dropped, repeated) and in the bytes of their save. Each accepted state is *driven*: read back to the
same bytes, drawn, observed and determinized for each seat, shown to each scripted player, and played on at random,
saving and reading each position again.

`python -m tests.support.hostile GAME OPTIONS INPUTS SEED` prints a report as JSON. Run it with NUMBA_DISABLE_JIT=1,
where `strict.py` guards each index and each number written, or with NUMBA_BOUNDSCHECK=1 and a separate
NUMBA_CACHE_DIR, which is much faster once everything is compiled.
"""

import copy
import faulthandler
import itertools
import json
import sys
from collections.abc import Iterator, MutableMapping, MutableSequence
from typing import Any

import numba
import numpy as np

from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, ImpossibleState, as_record
from spygames.core.game.registry import game_module
from tests.support.strict import Array, OutOfBounds, Strict

INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
NUMBERS = (
    -(2**63), -(2**31), -30_000, -10_000, -3_000, -128, -7, -1, 0, 1, 2, 3, 5, 6, 7, 12, 26, 41, 42, 126, 127, 128,
    1_000, 9_999, 10_000, 29_999, 30_000, 32_767, 10**9 - 1, 10**9, 2**31 - 1, 2**63 - 1, 2**64 - 1,
)  # fmt: skip
"""The ends of ranges and types, and numbers near them."""
REPEATS = (1, 2, 4, 5, 10, 26, 38, 126, 140)
MAX_SECONDS = 300
"""Time limit of one input, in seconds: the first inputs compile what they need."""


class Fault(AssertionError):
    """An accepted state that cannot be played."""


# ---------------------------------------------------------------- states


def strict(states: np.ndarray) -> Record:
    """Return the state in `states` [1] in the form that kernels get in this process."""
    return Strict(as_record(states)) if INTERPRETED else as_record(states)


def guarded(array: np.ndarray) -> np.ndarray:
    """Return an array in the form that kernels get in this process."""
    return array.view(Array) if INTERPRETED else array


def read(game: Game, mapping: Any) -> np.ndarray | None:
    """Return the state [1] of a mapping; None if the game refuses it. A check that reads out of bounds is a fault."""
    states = game.new_states()
    try:
        game.state_from_dict(mapping, strict(states))
    except ImpossibleState:
        return None
    return states


def read_bytes(game: Game, states: np.ndarray) -> np.ndarray | None:
    """Return the same for bytes that `restore` reads; None unless they equal the state of their own mapping."""
    try:
        mapping = game.state_to_dict(as_record(states))
    except (ValueError, LookupError, TypeError, OverflowError):
        return None
    again = read(game, mapping)
    return again if again is not None and again.tobytes() == states.tobytes() else None


def mask_of(game: Game, states: np.ndarray) -> np.ndarray:
    """Return the mask of the seat to move, int8 [A]."""
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(strict(states), guarded(mask))
    return mask


def positions(game: Game, rng: np.random.Generator, number: int) -> list[np.ndarray]:
    """Return states [1] of random games, one per game, from its first decisions or from anywhere in it."""
    found = []
    for _ in range(number):
        states, seen = game.start(int(rng.integers(2**63))), []
        for _ in range(int(rng.choice((5, 30, 200)))):
            seen.append(states.copy())
            legal = np.flatnonzero(mask_of(game, states))
            if not legal.size:
                break
            game.apply(strict(states), int(rng.choice(legal)))
        found.append(seen[rng.integers(len(seen))])
    return found


# ---------------------------------------------------------------- changes of states


def nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield all places in a mapping as (container, key)."""
    items = value.items() if isinstance(value, MutableMapping) else enumerate(value)
    for key, entry in list(items):
        yield value, key
        if isinstance(entry, MutableMapping | MutableSequence):
            yield from nodes(entry)


def set_numbers(value: Any, number: int) -> None:
    """Set all integers in a container to `number`."""
    for container, key in list(nodes(value)):
        if type(container[key]) is int:
            container[key] = number


def mutate(mapping: dict[str, Any], rng: np.random.Generator) -> None:
    """Change one thing, often so that the totals of cards stay the same."""
    places = list(nodes(mapping))
    container, key = places[rng.integers(len(places))]
    value = container[key]
    names = [c[k] for c, k in places if isinstance(c[k], str)]
    lists = [c[k] for c, k in places if isinstance(c[k], list)]
    full = [each for each in lists if each]
    what = rng.integers(8)
    if what == 0 and full:  # an entry moves to another list
        source, target = full[rng.integers(len(full))], lists[rng.integers(len(lists))]
        for _ in range(int(rng.choice((1, 1, 2, 100)))):
            if source:
                target.insert(int(rng.integers(len(target) + 1)), source.pop(int(rng.integers(len(source)))))
    elif what == 1 and full:  # two entries are swapped
        one, other = (full[rng.integers(len(full))] for _ in range(2))
        i, j = int(rng.integers(len(one))), int(rng.integers(len(other)))
        one[i], other[j] = other[j], one[i]
    elif what == 2 and isinstance(value, dict | list):  # all numbers in it become an extreme value
        set_numbers(value, int(rng.choice(NUMBERS[2:-3])))
    elif isinstance(value, bool):
        container[key] = not value
    elif isinstance(value, int):
        near = (value - 1, value + 1, -value)
        container[key] = int(rng.choice(near)) if what == 3 else NUMBERS[rng.integers(len(NUMBERS))]
    elif isinstance(value, str) or value is None:
        others = [*names, None, 0, 1]
        container[key] = others[rng.integers(len(names) if value is not None else len(others))]
    elif isinstance(value, list):
        repeats, word = int(rng.choice(REPEATS)), names[rng.integers(len(names))]
        value[:] = [[], value[:-1], value[::-1], value * 2, [word] * repeats][rng.integers(5)]
    else:
        other = rng.choice(list(value) or [""])
        if what == 3 and other in value:
            del value[other]
        elif other in value:
            value[key], value[other] = value[other], value.get(key, value[other])


def at(number: int, mapping: dict[str, Any], what: int) -> dict[str, Any]:
    """Return a copy with the number at place `what`, or all numbers below it, set to `number`."""
    changed = copy.deepcopy(mapping)
    container, key = list(nodes(changed))[what]
    if isinstance(container[key], dict | list):
        set_numbers(container[key], number)
    elif type(container[key]) is int:
        container[key] = number
    return changed


def to_the_ends(game: Game, mapping: dict[str, Any], rng: np.random.Generator) -> Iterator[np.ndarray | None]:
    """Yield states [1] with extreme numbers, or None for each attempt that the game refuses.

    The first two have all counts and the record at the highest and at the lowest accepted numbers. Then each number,
    and all numbers of each part, go to both ends.
    """
    places = list(nodes(mapping))
    course = [i for i, (container, _) in enumerate(places) if container is mapping or container is mapping["record"]]
    for numbers in (NUMBERS[::-1], NUMBERS):
        extreme = mapping
        for what in course:
            tried = (at(number, extreme, what) for number in numbers)
            extreme = next((each for each in tried if each == extreme or read(game, each) is not None), extreme)
        yield read(game, extreme)
    for what in rng.permutation(len(places)):
        for numbers in (NUMBERS, NUMBERS[::-1]):
            for number in numbers:
                changed = at(number, mapping, what)
                states = read(game, changed) if changed != mapping else None
                if changed != mapping:
                    yield states
                if states is not None or changed == mapping:
                    break


def filled(game: Game, mapping: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the mapping with the fullest accepted record: counts for every name, one card as often as possible."""
    for _ in range(10):
        changed = copy.deepcopy(mapping)
        tables = [part for part in changed["record"].values() if isinstance(part, dict)]
        counts = [entry for part in tables for entry in part.values() if isinstance(entry, dict)]
        names = {name for entry in counts for name in entry}
        for entry in counts:
            entry.update(dict.fromkeys(names, int(rng.choice(NUMBERS[2:-5]))))
        cards = [card for hand in mapping["hands"].values() for card in hand]
        for entry in [entry for part in tables for entry in part.values() if isinstance(entry, list)]:
            entry[:] = [str(rng.choice(cards))] * int(rng.choice(REPEATS)) if cards else entry
        if read(game, changed) is not None:
            return changed
    return mapping


# ---------------------------------------------------------------- checks of accepted states


def drive(game: Game, states: np.ndarray, rng: np.random.Generator, decisions: int) -> None:
    """Try every operation on a state [1] and on the states that follow it.

    Raises:
        Fault: an operation failed.
    """
    for step in range(decisions + 1):
        s = as_record(states)
        if read_bytes(game, states) is None:
            raise Fault(f"after {step} decisions the game's own save is refused")
        mask = mask_of(game, states)
        legal = np.flatnonzero(mask)
        if (s.to_move == NOBODY) != (not legal.size):
            raise Fault(f"after {step} decisions {len(legal)} actions are legal for seat {s.to_move}")
        results = np.zeros(game.num_players, np.float32)
        game.returns(strict(states), guarded(results))
        if not np.isfinite(results).all():
            raise Fault(f"results {results}")
        if step % 8 == 0:
            look_round(game, states, mask, rng)
        if not legal.size:
            return
        game.apply(strict(states), int(rng.choice(legal)))


def look_round(game: Game, states: np.ndarray, mask: np.ndarray, rng: np.random.Generator) -> None:
    """Check drawings, views, determinized states, texts and the scripted players in a state [1]."""
    s = as_record(states)
    for viewer in range(NOBODY, game.num_players):
        game.to_text(s, viewer)
    for seat in range(game.num_players):
        view = view_of(game, states, seat)
        drawn = states.copy()
        game.determinize(strict(drawn), seat, np.uint64(rng.integers(2**63)))
        if not np.isfinite(view.view(np.float32)).all() or view_of(game, drawn, seat).tobytes() != view.tobytes():
            raise Fault(f"the view of seat {seat} is not finite, or another one in its determinized state")
        if read_bytes(game, drawn) is None:
            raise Fault(f"the determinized state of seat {seat} is refused")
    seat = int(s.to_move)
    if seat == NOBODY:
        return
    texts = [game.action_to_string(s, int(action), seat) for action in np.flatnonzero(mask)]
    if [game.string_to_action(s, text, seat) for text in texts] != np.flatnonzero(mask).tolist():
        raise Fault("texts of actions do not read back")
    view = view_of(game, states, seat)
    seen = Strict(as_record(view)) if INTERPRETED else as_record(view)
    for name, bot in game.bots.items():
        action = int(bot(seen, guarded(mask.copy()), rng.integers(2**63, size=1, dtype=np.uint64)))
        if not 0 <= action < len(mask) or not mask[action]:
            raise Fault(f"{name} answers the illegal action {action}")


def view_of(game: Game, states: np.ndarray, seat: int) -> np.ndarray:
    """Return VIEW [1] of a seat. A feature outside the range that the game declares is a fault."""
    views = game.new_views()
    game.observe(strict(states), seat, Strict(as_record(views)) if INTERPRETED else as_record(views))
    low, high = (ends.view(game.view_dtype)[0] for ends in game.feature_ranges())
    for name in game.view_dtype.names or ():
        if ((views[name] < low[name]) | (views[name] > high[name])).any():
            raise Fault(f"{name} is {views[name].min():g} to {views[name].max():g}, out of its range")
    return views


def judged(game: Game, states: np.ndarray) -> np.ndarray | None:
    """Return `read_bytes` of a state [1] of arbitrary bytes. It is a fault if `is_known` disagrees or reads out of
    bounds."""
    found = read_bytes(game, states)
    if game.is_known is not None:
        mask = guarded(np.zeros(game.num_actions, np.int8))
        if bool(game.is_known(strict(states.copy()), as_record(game.packed), mask)) != (found is not None):
            raise Fault(f"is_known {'refuses' if found is not None else 'takes'} a state, but the mapping does not")
    return found


# ---------------------------------------------------------------- the survey


def inputs(game: Game, rng: np.random.Generator, number: int) -> Iterator[np.ndarray | None]:
    """Yield hostile states [1] endlessly, or None for each that the game refuses.

    Extreme numbers, other changes of mappings, and changed bytes take turns. `number` is how many will be used.
    """
    bases = positions(game, rng, max(4, min(number // 100, 500)))

    def drawn() -> tuple[np.ndarray, dict[str, Any]]:
        base = bases[rng.integers(len(bases))]
        return base, json.loads(json.dumps(game.state_to_dict(as_record(base))))

    ends = (states for _ in itertools.count() for states in to_the_ends(game, filled(game, drawn()[1], rng), rng))
    while True:
        for states in itertools.islice(ends, 8):  # up to the next accepted one
            yield states
            if states is not None:
                break
        base, mapping = drawn()
        for _ in range(4):
            changed = copy.deepcopy(mapping)
            for _ in range(int(rng.integers(1, 4))):
                mutate(changed, rng)
            yield read(game, changed)
        for _ in range(4):
            states = base.copy()
            raw = states.view(np.uint8)
            for at_byte in rng.integers(8, raw.size, int(rng.integers(1, 3))):
                near = int(raw[at_byte]) ^ 1, int(raw[at_byte]) + 1 & 255
                raw[at_byte] = (0, 1, 2, 5, 127, 128, 255, *near)[rng.integers(9)]
            yield judged(game, states)


def survey(game: Game, number: int, seed: int, decisions: int = 40) -> dict[str, Any]:
    """Make `number` inputs and drive the accepted ones; return the counts and up to ten faults as text."""
    rng, faults, accepted, i = np.random.default_rng(seed), [], 0, 0
    source = inputs(game, rng, number)
    while i < number and len(faults) < 10:
        faulthandler.dump_traceback_later(MAX_SECONDS, exit=True)
        try:
            states = next(source)
            if states is not None:
                accepted += 1
                drive(game, states.copy(), rng, decisions)
        except (Fault, OutOfBounds, LookupError, ArithmeticError, ValueError) as error:
            faults.append(f"input {i}: {type(error).__name__}: {error}")
            if not isinstance(error, Fault):
                source = inputs(game, rng, number)
        i += 1
    faulthandler.cancel_dump_traceback_later()
    return {"inputs": i, "accepted": accepted, "faults": faults}


if __name__ == "__main__":
    game_id, options, number, seed = sys.argv[1:]
    print(json.dumps(survey(game_module(game_id).make_game(**json.loads(options)), int(number), int(seed))))
