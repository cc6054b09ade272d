"""Recorded games in pairs that one seat cannot tell apart, up to their last position."""

from collections.abc import Iterator

import numpy as np

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.records.record import GameRecord, make_record
from spygames.testing.trial import determinized, mask_of
from tests.games.agent_avenue.test_leaks import other_world
from tests.support.position import Position, position_of


def seen_by(game: Game, states: np.ndarray, viewer: int) -> bytes:
    """What the kernels show a seat of a position."""
    views, s = game.new_views(), as_record(states)
    game.observe(s, viewer, as_record(views))
    own = mask_of(game, s).tobytes() if s.to_move == viewer else b""
    return views.tobytes() + own + bytes([int(s.to_move) + 1])


def in_mid_game(game: Game, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Yield positions of random games, STATE [1], with a redrawn one that the seat to move cannot tell apart."""
    rng = np.random.default_rng(seed)
    while True:
        states = game.start(int(rng.integers(2**32)))
        for _ in range(int(rng.integers(60))):
            before = states.copy()
            game.apply(as_record(states), int(rng.choice(np.flatnonzero(mask_of(game, as_record(states))))))
            if as_record(states).to_move == NOBODY:
                states = before
                break
        viewer = int(as_record(states).to_move)
        yield states, determinized(game, states, viewer, int(rng.integers(2**32))), viewer


def with_the_bottom_card(game: Game, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Yield starts of Agent Avenue, with one where another seat has the deck's bottom card in place of one of its own.

    The games from there take long to differ for the other seats.
    """
    rng = np.random.default_rng(seed)
    while True:
        start = Position(game, game.start(int(rng.integers(2**32))))
        hider, viewer = rng.choice(game.num_players, 2, replace=False).tolist()
        changed = other_world(start.mapping, hider)
        if changed is not None:
            yield start.states, position_of(game, changed).states, viewer


def starts_of(game: Game, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Yield pairs of positions in turn from the sources above."""
    sources = [in_mid_game(game, seed)]
    if game.name == "agent_avenue":
        sources.append(with_the_bottom_card(game, seed))
    while True:
        yield from map(next, sources)


def twins(game: Game, seed: int, most: int = 30) -> Iterator[tuple[GameRecord, GameRecord, int]]:
    """Yield pairs of records, each with the seat that cannot tell them apart.

    They begin in the pairs of positions of `starts_of`. The moves are random, and look the same to the seat. The
    records end with the first position that the seat could tell apart by the views of the kernels.

    Args:
        game: the game.
        seed: of the random numbers.
        most: maximum number of decisions of a record.
    """
    rng = np.random.default_rng(seed)
    for *worlds, viewer in starts_of(game, seed):
        starts = [game.state_to_dict(as_record(each)) for each in worlds]
        courses = _together(game, worlds, viewer, rng, most)
        if courses[0]:
            pair = zip(courses, starts, strict=True)
            one, two = (make_record(game, actions, state=state) for actions, state in pair)
            yield one, two, viewer


def _together(
    game: Game, worlds: list[np.ndarray], viewer: int, rng: np.random.Generator, most: int
) -> tuple[list[int], list[int]]:
    """Return moves in both worlds that look the same to the viewer."""
    courses: tuple[list[int], list[int]] = ([], [])
    worlds = [each.copy() for each in worlds]
    while len(courses[0]) < most and as_record(worlds[0]).to_move != NOBODY:
        groups: list[dict[str, list[int]]] = []
        for world in worlds:
            s, found = as_record(world), dict[str, list[int]]()
            for action in np.flatnonzero(mask_of(game, s)).tolist():
                found.setdefault(game.seen_action(s, action, int(s.to_move), viewer), []).append(action)
            groups.append(found)
        both = sorted(groups[0].keys() & groups[1].keys())
        if not both:
            break
        text = str(rng.choice(both))
        own = as_record(worlds[0]).to_move == viewer
        chosen = [groups[0][text][0]] * 2 if own else [int(rng.choice(found[text])) for found in groups]
        after = [each.copy() for each in worlds]
        for world, action in zip(after, chosen, strict=True):
            game.apply(as_record(world), action)
        for course, action in zip(courses, chosen, strict=True):
            course.append(action)
        worlds = after
        if seen_by(game, worlds[0], viewer) != seen_by(game, worlds[1], viewer):
            break  # the last move has told them apart
    return courses
