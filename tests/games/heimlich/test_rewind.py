"""`rewind` restores an earlier decision of a seat: the true one for some draws, and all possible ones equally often."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.support.rewinding import agree, check_many, check_own_view, check_redrawn, check_right_luck, rewound
from tests.support.suites import slow_but

from spygames import make_game
from spygames.core.game.game import Game, as_record
from spygames.core.game.rewinding import TELLS_NOTHING
from spygames.heimlich.actions import ACT_DRAW, ACT_PASS, encode_card, encode_guess, encode_move
from spygames.heimlich.cards import CARDS, KINDS, NEW_IDENTITY
from spygames.heimlich.layout import CHOICE, FIRST_OWNER, FREE, GUESS, MOVE, NONE, ROUND, UNASKED
from spygames.testing.trial import determinized

VARIANTS: list[dict[str, Any]] = [
    {"players": 3},
    {"players": 2, "edition": "ravensburger"},
    {"players": 4, "top_secret": True},
    {"players": 5, "secret_identities": True},
    {"players": 4, "top_secret": True, "secret_identities": True},
]
GAMES = 6
"""Some thousand decisions."""
PUBLIC = (
    "points", "times", "gains", "scorings", "scores", "positions", "moved", "arrived_by", "hand_sizes", "cards_played",
    "used", "used_size", "deck_size", "safe", "die", "points_left", "next_agent", "turn", "phase", "to_move", "active",
    "passes", "pending", "named", "card_turn", "guessed", "swapped", "swapped_late",
)  # fmt: skip


def name_of(options: dict[str, Any]) -> str:
    return "-".join(f"{name}={value}" for name, value in options.items())


def may_be_silent(past: np.ndarray, actions: np.ndarray) -> np.ndarray:
    joins = (past["phase"] == CHOICE) & (past["named"][:, 0] != NONE)
    return (past["phase"] == GUESS) | ((past["phase"] == ROUND) & (actions == ACT_PASS)) | joins


def silent(game: Game, past: np.ndarray, action: int) -> bool:
    """Decisions that others cannot see: predictions (HC-33), and which of several agents in a building another one
    joins. Passes, too, because `rewind` treats them as revealing nothing."""
    if past["phase"][0] in (GUESS, ROUND):
        return True
    seat, s = int(past["to_move"][0]), as_record(past)
    return len({game.seen_action(s, action, seat, viewer) for viewer in range(game.num_players)}) > 1


@pytest.mark.parametrize("options", slow_but(VARIANTS, 0, -1), ids=name_of)
def test_some_draws_restore_the_true_past(options: dict[str, Any]) -> None:
    assert check_right_luck(make_game("heimlich_v0", **options), GAMES, silent, may_be_silent) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_some_draws_restore_the_true_past_in_100_000_decisions(options: dict[str, Any]) -> None:
    game = make_game("heimlich_v0", **options)
    check_many(game, 8 * GAMES, silent, may_be_silent)


@pytest.mark.parametrize("options", slow_but(VARIANTS, 0, -1), ids=name_of)
def test_rewinding_a_redrawn_world_keeps_public_facts_and_reads_no_hidden_ones(options: dict[str, Any]) -> None:
    counts = check_redrawn(make_game("heimlich_v0", **options), 1, PUBLIC)
    assert counts["told"] > 50
    assert counts["legal"] == counts["told"]
    assert counts["impossible"] == 0


@pytest.mark.parametrize("options", slow_but(VARIANTS, 0, -1), ids=name_of)
def test_rewinding_depends_only_on_what_the_seat_sees(options: dict[str, Any]) -> None:
    assert check_own_view(make_game("heimlich_v0", **options), 1) > 50


def position(**fields: Any) -> tuple[Game, np.ndarray]:
    """A position with cards and predictions. Seats 0, 1 and 2 own agents 0, 2 and 1; agents 3 to 5 are free. `hand` is
    the hand of seat 1."""
    game = make_game("heimlich_v0", players=3, top_secret=True, secret_identities=True)
    states = game.start(1)
    states["owner"][0] = (0, 2, 1, NONE, NONE, NONE, NONE)
    states["passports"][0] = (0, 2, 1, NONE, NONE, NONE, NONE)
    if "hand" in fields:
        hand = np.bincount(fields.pop("hand"), minlength=KINDS)
        states["hands"][0, 1], states["hand_sizes"][0, 1] = hand, hand.sum()
    for name, value in fields.items():
        states[name] = value
    return game, states


BACK, STEP_1, SWAP = (CARDS.index(name) for name in ("back_1_2", "step_1", "swap"))


def test_a_card_drawn_later_can_be_any_of_the_hand() -> None:
    game, now = position(hand=(BACK, BACK, STEP_1, SWAP), to_move=0)
    _, past = position(hand=(0, 0, 0), to_move=1, phase=MOVE)
    seen = Counter(
        tuple(rewound(game, now, past, 1, ACT_DRAW, luck * 7919)[0]["hands"][0, 1].tolist()) for luck in range(4000)
    )
    held = (BACK, BACK, STEP_1, SWAP)
    expected = Counter(
        tuple(np.bincount([c for i, c in enumerate(held) if i != drawn], minlength=KINDS).tolist())
        for drawn in range(4)
    )
    agree(seen, expected)


def test_a_played_card_returns_to_the_hand() -> None:
    game, now = position(hand=(BACK,), to_move=0)
    _, past = position(hand=(0, 0), to_move=1, phase=ROUND)
    states, action = rewound(game, now, past, 1, encode_card(SWAP), 1)
    assert action == encode_card(SWAP)
    assert np.flatnonzero(states["hands"][0, 1]).tolist() == [BACK, SWAP]


def test_a_played_card_was_not_drawn_later() -> None:
    game, now = position(hand=(BACK, STEP_1), to_move=0)
    _, past = position(hand=(0, 0), to_move=1, phase=ROUND)
    seen = Counter(
        tuple(np.flatnonzero(rewound(game, now, past, 1, encode_card(SWAP), luck * 7919)[0]["hands"][0, 1]).tolist())
        for luck in range(64)
    )
    assert set(seen) == {(BACK, SWAP), (STEP_1, SWAP)}


def test_undoing_a_new_identity_restores_the_former_agent_of_the_world() -> None:
    """HC-31: the others do not know the former agent, so it can be any free one."""
    game, now = position(hand=(BACK,), to_move=0, swapped=1, former=5, used_size=1)
    now["used"][0, 0] = NEW_IDENTITY
    _, past = position(hand=(0, 0), to_move=1, phase=ROUND)
    former: Counter[int] = Counter()
    for seed in range(600):
        world = determinized(game, now, 0, seed)
        states, action = rewound(game, world, past, 1, encode_card(NEW_IDENTITY), seed)
        assert action == encode_card(NEW_IDENTITY)
        assert states["passports"][0, 1] == world["former"][0] != world["passports"][0, 1]
        assert states["swapped"][0] == NONE
        assert states["hands"][0, 1, NEW_IDENTITY] == 1
        former[int(states["passports"][0, 1])] += 1
    agree(former, Counter(range(1, 6)))


def test_action_numbers_are_relative_to_the_own_agent_of_the_world() -> None:
    game, now = position(hand=(), to_move=0)
    _, past = position(hand=(), to_move=1, phase=MOVE)
    now["passports"][0, 1] = 4
    red, own = encode_move(1, 3), encode_move(0, 2)  # agent 0 by 3, the own agent (2) by 2
    assert [rewound(game, now, past, 1, a, 1)[1] for a in (red, own)] == [encode_move(1, 3), encode_move(3, 2)]


def test_predictions_are_undone_and_reveal_nothing() -> None:
    """HC-33: predictions follow the order of the agents' ids, without the own agent."""
    game, now = position(hand=(), to_move=0, phase=GUESS)
    _, past = position(hand=(), to_move=1, phase=GUESS)
    now["guesses"][0, 1, :4] = (FREE, FIRST_OWNER, UNASKED, FREE)
    past["guesses"][0, 1, 0] = FREE
    states, told = rewound(game, now, past, 1, encode_guess(game.packed["first_guess"][0], 3, 2, 0), 1)
    assert told == TELLS_NOTHING
    assert states["guesses"][0, 1].tolist() == [FREE, *[UNASKED] * 6]


def test_strata_are_all_assignments_of_the_others_passports() -> None:
    for players, ways in ((2, 4), (3, 5 * 4), (4, 6 * 5 * 4), (7, 720)):
        game = make_game("heimlich_v0", players=players)
        assert game.determinize_stratum is not None
        found, states = set(), game.start(3)
        for stratum in range(ways):
            world = states.copy()
            s = as_record(world)
            assert game.determinize_stratum(s, 1, np.uint64(stratum), stratum) == ways
            assert s.passports[1] == states["passports"][0, 1]
            found.add(tuple(s.passports[:players].tolist()))
        assert len(found) == ways


def test_a_stratum_is_a_possible_world_in_all_positions() -> None:
    """The positions include cards, changed identities and predictions. The seat's view does not change."""
    game = make_game("heimlich_v0", players=4, top_secret=True, secret_identities=True)
    assert game.determinize_stratum is not None
    rng, swapped, predicted = np.random.default_rng(4), 0, 0
    for seed in range(12):
        states, mask = game.start(seed), np.zeros(game.num_actions, np.int8)
        s = as_record(states)
        while s.to_move != NONE:
            viewer, views = int(rng.integers(4)), game.new_views(2)
            world = states.copy()
            strata = game.determinize_stratum(as_record(world), viewer, np.uint64(seed), int(rng.integers(120)) % 60)
            assert strata == (60 if s.swapped == viewer else 120)
            assert game.is_possible(world)
            for each, view in ((states, 0), (world, 1)):
                game.observe(as_record(each), viewer, as_record(views, view))
            assert views[0].tobytes() == views[1].tobytes()
            swapped, predicted = swapped + (s.swapped != NONE), predicted + int(s.guessed)
            game.legal(s, mask)
            game.apply(s, int(rng.choice(np.flatnonzero(mask))))
    assert swapped > 100
    assert predicted > 100
