"""`rewind` restores an earlier decision of a seat: the true one for some draws, and all possible ones equally often."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from tests.support.rewinding import agree, check_many, check_own_view, check_redrawn, check_right_luck, rewound
from tests.support.suites import slow_but

from spygames import make_game
from spygames.agent_avenue.actions import (
    RECRUIT_DOWN,
    RECRUIT_UP,
    RESOLVE_OWN,
    RESOLVE_PARTNER,
    encode_discard,
    encode_down,
    encode_market,
    encode_pair,
    encode_recruit,
    encode_take,
    encode_up,
)
from spygames.agent_avenue.cards import COPIES, DOUBLE_TROUBLE, OUTPOST, SPYCATION
from spygames.agent_avenue.layout import ABILITY, DOWN, MARKET, NONE, RECRUIT, RESOLVER, UP
from spygames.core.game.game import Game, as_record
from spygames.core.game.rewinding import IMPOSSIBLE, TELLS_NOTHING
from spygames.testing.trial import determinized, mask_of

VARIANTS: list[dict[str, Any]] = [
    {},
    {"mode": "advanced"},
    {"players": 3},
    {"players": 4},
    {"players": 3, "mode": "advanced"},
    {"players": 4, "mode": "advanced"},
    {"history": 3},
    {"players": 3, "mode": "advanced", "history": 4},
]
GAMES = {2: 150, 3: 60, 4: 40}
"""By players: some thousand decisions."""
PUBLIC = (
    "progress", "in_play", "turn", "deck_size", "discards_left", "face_up", "kept", "phase", "to_move", "active_side",
    "captain", "leader", "market", "market_deck_size", "pending", "ability", "resolver", "taken", "seen",
)  # fmt: skip


OFFERS = ("offered_up", "offered_down", "took_up", "discards_before", "led_by")


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game("agent_avenue_v0")


def may_be_silent(past: np.ndarray, actions: np.ndarray) -> np.ndarray:
    recruits = (actions >= RECRUIT_UP) & (actions <= RECRUIT_DOWN)
    return recruits & (past["face_up"] == past["face_down"]) | (actions >= RESOLVE_OWN)


def silent(game: Game, past: np.ndarray, action: int) -> bool:
    """Which of two identical cards was taken, and which player was named for an ability that lapsed at once."""
    after = past.copy()
    game.apply(as_record(after), action)
    return action < RESOLVE_OWN or int(after["phase"][0]) != ABILITY


def name_of(options: Mapping[str, Any]) -> str:
    return "-".join(map(str, options.values())) or "simple"


@pytest.mark.parametrize("options", slow_but(VARIANTS, 0, 1, 5), ids=name_of)
def test_some_draws_restore_the_true_past(options: dict[str, Any]) -> None:
    game = make_game("agent_avenue_v0", **options)
    assert check_right_luck(game, GAMES[game.num_players], silent, may_be_silent) > 3000


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=name_of)
def test_some_draws_restore_the_true_past_in_100_000_decisions(options: dict[str, Any]) -> None:
    game = make_game("agent_avenue_v0", **options)
    check_many(game, 20 * GAMES[game.num_players], silent, may_be_silent)


@pytest.mark.parametrize("options", slow_but(VARIANTS, *range(6)), ids=name_of)
def test_rewinding_a_redrawn_world_keeps_public_facts_and_reads_no_hidden_ones(options: dict[str, Any]) -> None:
    game = make_game("agent_avenue_v0", **options)
    public = (*PUBLIC, *OFFERS) if "history" in options else PUBLIC
    counts = check_redrawn(game, GAMES[game.num_players] // 8, public)
    assert counts["told"] > 100
    assert counts["legal"] == counts["told"]
    assert counts["impossible"] < 0.05 * counts["told"]


@pytest.mark.parametrize("options", slow_but(VARIANTS, *range(7)), ids=name_of)
def test_rewinding_depends_only_on_what_the_seat_sees(options: dict[str, Any]) -> None:
    """Two worlds that look the same to a seat still look the same to it after rewinding."""
    check_own_view(make_game("agent_avenue_v0", **options), 6)


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


def test_cards_drawn_after_an_offer_can_be_any_of_the_hand(game: Game) -> None:
    """Chi-square test against a count of all orders, copy by copy."""
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
    agree(seen, expected)


def test_a_discard_can_be_any_card_of_the_discards(game: Game) -> None:
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
    agree(seen, expected)


def test_a_card_that_is_still_face_down_is_taken_from_the_world(game: Game) -> None:
    now = position(game, hand=(DA, EN, DD, DD), to_move=0, active_side=1, phase=1, face_up=CB, face_down=MO)
    past = position(game, hand=(CB, SE, SK, SK), to_move=1, active_side=1)
    states, action = rewound(game, now, past, 1, encode_pair(CB, SE), 1)
    assert action == encode_pair(CB, MO)
    assert states["hands"][0, 1, [CB, MO]].tolist() == [1, 1]
    assert states["face_down"][0] == past["face_down"][0] == NONE


def advanced(players: int = 2, **fields: Any) -> tuple[Game, np.ndarray]:
    """A position of advanced mode; seat 1 holds `hand`, of which the cards `seen` are public."""
    game = make_game("agent_avenue_v0", mode="advanced", players=players)
    seen = fields.pop("seen", ())
    states = position(game, **fields)
    states["seen"][0, 1] = np.bincount(seen, minlength=8) if seen else 0
    return game, states


def test_seen_cards_of_a_hand_were_not_drawn_later() -> None:
    held = (DA, EN, EN, DD)
    game, now = advanced(hand=held, seen=(EN,), to_move=0)
    _, past = advanced(hand=(SA, SE, SK, MO), seen=(EN,), to_move=1, active_side=1)
    expected: Counter[tuple[int, ...]] = Counter()
    for drawn in combinations((0, 2, 3), 2):  # copies; number 1 was seen
        kept = [card for i, card in enumerate(held) if i not in drawn] + [CB, SA]
        expected[tuple(np.bincount(kept, minlength=8).tolist())] += 1
    seen: Counter[tuple[int, ...]] = Counter()
    for luck in range(4000):
        states, _ = rewound(game, now, past, 1, encode_pair(CB, SA), luck * 7919)
        seen[hand_of(states)] += 1
    agree(seen, expected)


def test_a_seen_card_can_be_face_down() -> None:
    """Either of two identical cards can be face down if one was seen; the unseen one may also have been drawn later.

    The expected counts enumerate all orders of the copies: one is face down, two were kept, two drawn.
    """
    held, known = (EN, DD, SA, SA), 4  # index of the seen copy: the fifth card
    game, now = advanced(
        hand=held, seen=(EN,), to_move=0, active_side=1, phase=RECRUIT, face_up=CB, face_down=EN, kept=2
    )
    _, past = advanced(hand=(CB, EN, SA, SA), seen=(EN,), to_move=1, active_side=1)
    expected: Counter[tuple[int, ...]] = Counter()
    for order in permutations(range(5)):
        cards = [(*held, EN)[i] for i in order]
        if cards[0] == EN and known in order[:3]:
            expected[tuple(np.bincount([CB, *cards[:3]], minlength=8).tolist())] += 1
    seen: Counter[tuple[int, ...]] = Counter()
    for luck in range(6000):
        states, action = rewound(game, now, past, 1, encode_pair(CB, DA), luck * 7919)
        assert action == encode_pair(CB, EN)
        seen[hand_of(states)] += 1
    agree(seen, expected)


def test_a_discard_that_leaves_too_few_seen_cards_is_impossible() -> None:
    """AA-37: after a discard no card counts as seen, but the hand before the discard contained the seen card."""
    game, now = advanced(hand=(DA, DA, CB, CB), discarded=(EN, SA), to_move=1, active_side=1)
    _, past = advanced(hand=(EN, MO, SK, DD), seen=(EN,), to_move=1, active_side=1)
    told = Counter(rewound(game, now, past, 1, encode_discard(MO), luck * 7919)[1] for luck in range(4000))
    agree(told, Counter({encode_discard(EN): 1, IMPOSSIBLE: 1}))


def test_cards_taken_by_an_ability_leave_the_hand_and_recruited_ones_return() -> None:
    game, now = advanced(hand=(DA, EN, DD, DD), seen=(EN,), to_move=0)
    _, past = advanced(hand=(MO, MO, MO), to_move=1, phase=ABILITY, ability=SPYCATION, resolver=1)
    states, action = rewound(game, now, past, 1, encode_take(EN), 1)
    assert action == encode_take(EN)
    assert hand_of(states) == (1, 0, 0, 0, 2, 0, 0, 0)
    _, past = advanced(hand=(MO, MO, MO, MO), to_move=1, phase=ABILITY, ability=DOUBLE_TROUBLE, resolver=1)
    for luck in range(20):  # draws decide which of the other cards was drawn
        states, _ = rewound(game, now, past, 1, encode_recruit(EN), luck)
        assert states["hands"][0, 1, EN] == 2
        assert states["hands"][0, 1].sum() == 4


def test_double_trouble_counts_the_pairs_that_it_can_show() -> None:
    """AA-29, AA-37: a pair of three copies holds as many of the seen ones as it can."""
    for seen, ways in (((), 3), ((EN,), 2), ((EN, EN), 1)):
        about = {"hand": (EN, EN, EN), "seen": seen, "to_move": 1, "phase": ABILITY, "ability": DOUBLE_TROUBLE}
        game, states = advanced(resolver=1, **about)
        assert game.ways is not None
        assert game.ways(as_record(states), as_record(states), 0, 1, encode_recruit(EN)) == ways


def test_a_lapsed_instant_card_reveals_something_about_the_hand() -> None:
    """AA-28: without a Sentinel in the hand the Outpost lapses; with one it is resolved."""
    _, past = advanced(hand=(MO, MO, MO, MO), to_move=1, phase=MARKET)
    for held, told in (((SE, DA, DA, DA), IMPOSSIBLE), ((EN, DA, DA, DA), encode_market(OUTPOST))):
        game, now = advanced(hand=held, to_move=0)
        assert rewound(game, now, past, 1, encode_market(OUTPOST), 1)[1] == told
    game, now = advanced(hand=(SE, DA, DA, DA), to_move=1, phase=ABILITY, ability=OUTPOST, resolver=1)
    assert rewound(game, now, past, 1, encode_market(OUTPOST), 1)[1] == encode_market(OUTPOST)


def test_taking_one_of_two_identical_cards_reveals_nothing(game: Game) -> None:
    now, past = (position(game, hand=(DA, EN, DD, DD)) for _ in range(2))
    for down, told in ((CB, TELLS_NOTHING), (SA, RECRUIT_DOWN)):
        for name, value in {"to_move": 1, "phase": RECRUIT, "face_up": CB, "face_down": down}.items():
            past[name] = value
        assert rewound(game, now, past, 1, RECRUIT_DOWN, 1)[1] == told


@pytest.mark.rule("AA-10", "AA-40")
def test_an_identical_pair_was_offered_from_a_hand_of_identical_cards() -> None:
    """Any two of the four cards, equally likely, were drawn later. The offer is possible, and then legal, if both kept
    cards have the name of the pair."""
    chances = {
        (CB, CB, EN, DD): 1 / 6,
        (CB, CB, CB, EN): 1 / 2,
        (CB, CB, CB, CB): 1.0,
        (CB, EN, DD, SA): 0.0,
        (EN, DD, SA, SE): 0.0,
    }
    for players, alike in ((2, encode_pair(CB, CB)), (4, encode_down(CB))):
        game, team = make_game("agent_avenue_v0", players=players), players == 4
        past = position(game, hand=(CB,) * (3 if team else 4), to_move=1, active_side=1 - team)
        if team:
            past["phase"], past["leader"], past["face_up"], past["active_side"] = DOWN, 0, CB, 0
        for held, chance in chances.items():
            now, told = position(game, hand=held, to_move=2 if team else 0, active_side=1 - team), Counter[int]()
            for luck in range(150):
                states, action = rewound(game, now, past, 1, alike, luck * 7919)
                told[action] += 1
                if action != IMPOSSIBLE:
                    assert mask_of(game, as_record(states))[action]
            assert set(told) <= {alike, IMPOSSIBLE}
            assert abs(told[int(alike)] - 150 * chance) <= 4 * (150 * chance * (1 - chance)) ** 0.5


@pytest.mark.parametrize("options", VARIANTS[:2], ids=name_of)
def test_an_offer_that_can_be_an_identical_pair_is_legal_in_every_world(options: dict[str, Any]) -> None:
    """In some worlds from `determinize` the face-down card has the name of the open one."""
    game = make_game("agent_avenue_v0", **options)
    now = position(
        game, hand=(DA, EN, DD, DD), to_move=0, active_side=1, phase=RECRUIT, face_up=SA, face_down=CB, kept=2
    )
    now["in_play"][0, 0, :7] = (3, 3, 2, 0, 2, 3, 1)
    now["in_play"][0, 1, :7] = (2, 2, 2, 0, 1, 3, 0)
    now["hands"][0, 0] = np.bincount((MO,), minlength=8)
    held = sum(now[name][0].sum(axis=0) for name in ("hands", "in_play")) + np.bincount((SA, CB), minlength=8)
    deck = [card for card in range(8) for _ in range(COPIES[card] - held[card])]
    now["deck_size"], now["deck"] = len(deck), [*deck, *[NONE] * (38 - len(deck))]
    past = position(game, hand=(SA, CB, DD, DD), to_move=1, active_side=1)
    alike = 0
    for luck in range(500):
        states, action = rewound(game, determinized(game, now, 0, luck), past, 1, encode_pair(SA, CB), luck)
        assert mask_of(game, as_record(states))[action]
        alike += action == encode_pair(SA, SA)
    assert alike > 10


def test_members_of_a_team_play_one_card_each() -> None:
    """AA-40, AA-43: the member that plays face up draws after the other member has played."""
    game = make_game("agent_avenue_v0", players=4)
    now = position(game, hand=(DA, EN, DD, DD), to_move=2, phase=RECRUIT, active_side=0, leader=1, face_up=CB)
    past = position(game, hand=(CB, EN, SA, SA), to_move=1, phase=UP, active_side=0, leader=1)
    hands = Counter(hand_of(rewound(game, now, past, 1, encode_up(CB), luck * 7919)[0]) for luck in range(3000))
    every = (DA, EN, DD, DD)
    expected = Counter(
        tuple(np.bincount([c for i, c in enumerate(every) if i != drawn] + [CB], minlength=8).tolist())
        for drawn in range(4)
    )
    agree(hands, expected)
    now["leader"], now["face_down"], now["kept"] = 0, MO, 3
    past["phase"], past["leader"], past["face_up"] = DOWN, 0, CB
    states, action = rewound(game, now, past, 1, encode_down(SE), 1)
    assert action == encode_down(MO)
    assert states["hands"][0, 1, MO] == 1


def test_the_named_player_is_known_if_the_ability_is_resolved() -> None:
    """AA-44: a captain (seat 1) names itself or its partner (seat 0)."""
    game, now = advanced(4, hand=(SE, DA, DA, DA), to_move=2)
    _, past = advanced(4, hand=(SE, DA, DA, DA), to_move=1, phase=RESOLVER, ability=OUTPOST)
    past["hands"][0, 0] = np.bincount((EN, EN, EN, EN), minlength=8)
    assert [rewound(game, now, past, 1, a, 1)[1] for a in (RESOLVE_OWN, RESOLVE_PARTNER)] == [TELLS_NOTHING] * 2
    past["hands"][0, 0] = np.bincount((EN, EN, EN, SE), minlength=8)
    assert rewound(game, now, past, 1, RESOLVE_PARTNER, 1)[1] == RESOLVE_PARTNER
    now["phase"], now["ability"], now["resolver"], now["to_move"] = ABILITY, OUTPOST, 1, 1
    assert rewound(game, now, past, 1, RESOLVE_OWN, 1)[1] == RESOLVE_OWN
