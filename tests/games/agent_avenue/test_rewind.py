"""`rewind` undoes what a seat did since an earlier decision: exactly with the right luck, else alike likely."""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from spygames import make_game
from spygames.agent_avenue.actions import PLAY_PAIR, RECRUIT_UP, encode_discard, encode_pair
from spygames.agent_avenue.cards import AGENTS
from spygames.agent_avenue.layout import NONE
from spygames.core.batch import Batch
from spygames.core.game import Game, as_record
from spygames.core.kernel import Int
from spygames.core.player import bot_loop
from spygames.core.rng import GAMMA

# Stand for the kernels of a game, which `Game.bind` puts in their place.
legal: Any = None
observe: Any = None
rewind: Any = None

TRIES = 4096
"""Lucks that are tried; a discard or an offer can have come about in some dozens of ways."""


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game("agent_avenue_v0")


def links(game: Game, games: int) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Random games, one step at a time: what is true now, at the latest decision of a seat, that seat and its action;
    of the rival of the mover, and of the mover itself."""
    batch, choose = Batch(game, games, seed=11, threads=1), bot_loop(game, "random")
    luck = np.arange(1, games + 1, dtype=np.uint64).reshape(-1, 1)
    past, did = [game.new_states(games) for _ in range(2)], np.full((2, games), NONE)
    actions, going = np.zeros(games, np.int64), np.ones(games, np.bool_)
    while going.any():
        for seat in range(2):
            rows = np.flatnonzero(going & (did[seat] != NONE))
            yield batch.states[rows], past[seat][rows], np.full(len(rows), seat), did[seat, rows]
        choose(batch.views, batch.mask, luck, np.arange(games), actions, 0, games)
        for seat in range(2):
            rows = np.flatnonzero(batch.seats == seat)
            past[seat][rows], did[seat, rows] = batch.states[rows], actions[rows]
        batch.step(actions)
        going &= ~batch.done


def test_the_right_luck_brings_back_what_was_true(game: Game) -> None:
    """Over more than 10^5 decisions: the past view comes back byte for byte, with the mask and the action."""
    check = game.bind(_same_bytes_finder, rewind=game.rewind)
    total = 0
    for now, past, seats, actions in links(game, 6500):
        found = np.zeros(len(now), np.bool_)
        views = game.new_views(2)
        check(
            now, past, seats, actions, game.new_states(), views, views.view(np.uint8).reshape(2, -1),
            np.zeros((2, game.num_actions), np.int8), np.zeros(1, np.uint64), found,
        )  # fmt: skip
        assert found.all()
        total += len(now)
    assert total > 100_000


def _same_bytes_finder(
    now: Any, past: Any, seats: Any, actions: Any, world: Any, views: Any, text: Any, masks: Any, rng: Any, found: Any
) -> None:
    """Whether some luck turns `now[i]` into the truth at an earlier decision: view, mask and action, bool [k]."""
    for i in range(len(now)):
        observe(past[i], seats[i], views[0])
        legal(past[i], masks[0])
        t = 0
        while t < TRIES and not found[i]:
            world[0] = now[i]
            rng[0] = np.uint64(i * TRIES + t) * GAMMA
            same = rewind(world[0], past[i], seats[i], actions[i], rng) == actions[i]
            observe(world[0], seats[i], views[1])
            legal(world[0], masks[1])
            for k in range(masks.shape[1]):
                same = same and masks[0, k] == masks[1, k]
            for k in range(text.shape[1]):
                same = same and text[0, k] == text[1, k]
            found[i] = same
            t += 1


def rewound(game: Game, world: np.ndarray, past: np.ndarray, seat: int, action: Int, luck: int) -> tuple[Any, int]:
    states, rng = world.copy(), np.array([luck], np.uint64)
    assert game.rewind is not None
    return states, int(game.rewind(as_record(states), as_record(past), seat, action, rng))


def view(game: Game, states: np.ndarray, seat: int) -> bytes:
    views = game.new_views()
    game.observe(as_record(states), seat, as_record(views))
    return views.tobytes()


def redrawn(game: Game, states: np.ndarray, row: int, seat: int, seed: int) -> np.ndarray:
    world = states[row : row + 1].copy()
    game.determinize(as_record(world), seat, np.uint64(seed))
    return world


def test_a_redrawn_world_keeps_what_was_public_and_reads_nothing_hidden(game: Game) -> None:
    """The viewer's own view of then comes back, as it is public or its own; other hidden cards in what was noted, and
    another hidden part of the action, make no difference."""
    looked = 0
    for now, past, seats, actions in links(game, 40):
        for row in range(len(now)):
            seat, action = int(seats[row]), int(actions[row])
            viewer = 1 - seat
            world = redrawn(game, now, row, viewer, 3 * row)
            then = past[row : row + 1]
            states, told = rewound(game, world, then, seat, action, row)
            assert view(game, states, viewer) == view(game, then, viewer)
            mask = np.zeros(game.num_actions, np.int8)
            other = redrawn(game, past, row, viewer, 3 * row + 1)
            hidden = action
            if action < PLAY_PAIR:
                hidden = (action + 3) % len(AGENTS)
            elif action < RECRUIT_UP and now["face_down"][row] != NONE and now["active_side"][row] == seat:
                up = (action - PLAY_PAIR) // len(AGENTS)
                hidden = encode_pair(up, (action + 3) % len(AGENTS))
            again, same = rewound(game, world, other, seat, hidden, row)
            assert (told, view(game, states, seat)) == (same, view(game, again, seat))
            game.legal(as_record(states), mask)
            identical = action >= PLAY_PAIR and told < RECRUIT_UP and (told - PLAY_PAIR) % 9 == 0
            assert mask[told] == 1 or identical  # AA-10: a world in which the offer of two alike was not possible
            looked += 1
    assert looked > 500


DA, EN, CB, SA, DD, SE, SK, MO = range(8)


def position(game: Game, **fields: Any) -> np.ndarray:
    states = game.start(1)
    s = as_record(states)
    for name, value in fields.items():
        if name in ("hand", "discarded"):
            field = s.hands if name == "hand" else s.discarded
            field[1] = np.bincount(value, minlength=8)
        else:
            setattr(s, name, value)
    return states


def hand_of(states: np.ndarray) -> tuple[int, ...]:
    return tuple(states["hands"][0, 1].tolist())


def test_cards_drawn_since_an_offer_are_any_of_the_hand(game: Game) -> None:
    """Chi-square against a count of all ways, copy by copy."""
    held = (DA, EN, DD, DD)
    now = position(game, hand=held, to_move=0)
    past = position(game, hand=(SA, SE, SK, MO), to_move=1, active_side=1)
    expected: Counter[tuple[int, ...]] = Counter()
    for order in permutations(range(4)):
        kept = [held[i] for i in order[:2]] + [CB, SA]
        expected[tuple(np.bincount(kept, minlength=8).tolist())] += 1
    seen: Counter[tuple[int, ...]] = Counter()
    for luck in range(6000):
        states, action = rewound(game, now, past, 1, encode_pair(CB, SA), luck * 7919)
        assert action == encode_pair(CB, SA)
        seen[hand_of(states)] += 1
    _agree(seen, expected)


def test_a_discard_may_be_any_card_that_lies_there(game: Game) -> None:
    held, thrown = (DA, EN, EN, DD), (SA, SA, CB)
    now = position(game, hand=held, discarded=thrown, to_move=1, active_side=1)
    past = position(game, hand=(MO, SE, SE, SE), to_move=1, active_side=1)
    expected: Counter[tuple[int, ...]] = Counter()
    for drawn in range(4):
        for card in thrown:
            cards = [c for i, c in enumerate(held) if i != drawn]
            expected[(card, *np.bincount([*cards, card], minlength=8).tolist())] += 1
    seen: Counter[tuple[int, ...]] = Counter()
    for luck in range(6000):
        states, action = rewound(game, now, past, 1, encode_discard(MO), luck * 7919)
        left = Counter(thrown)
        left[action] -= 1
        assert states["discarded"][0, 1].tolist() == [left[c] for c in range(8)]
        seen[(action, *hand_of(states))] += 1
    _agree(seen, expected)


def test_a_card_that_still_lies_face_down_is_that_of_the_world(game: Game) -> None:
    now = position(game, hand=(DA, EN, DD, DD), to_move=0, active_side=1, phase=1, face_up=CB, face_down=MO)
    past = position(game, hand=(CB, SE, SK, SK), to_move=1, active_side=1)
    states, action = rewound(game, now, past, 1, encode_pair(CB, SE), 1)
    assert action == encode_pair(CB, MO)
    assert states["hands"][0, 1, [CB, MO]].tolist() == [1, 1]
    assert states["face_down"][0] == past["face_down"][0] == NONE


def _agree(seen: Counter[Any], expected: Counter[Any]) -> None:
    assert set(seen) == set(expected)
    scale = sum(seen.values()) / sum(expected.values())
    keys = sorted(expected)
    test = stats.chisquare([seen[k] for k in keys], [expected[k] * scale for k in keys])
    assert test.pvalue > 1e-4
