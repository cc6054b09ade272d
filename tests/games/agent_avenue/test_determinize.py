"""`determinize` draws uniformly: a chi-square test against an exact count, which wrong samplers fail.

Each position has few unseen cards. The count enumerates every assignment of them, copy by copy, to the hidden places:
the face-down card, the cards that the opponent's hand kept and then drew, its discards, and the deck in its order. An
assignment is excluded if AA-10 forbids it, or if a card seen in that hand (AA-37) is among those drawn since.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from spygames.agent_avenue.cards import AGENTS, MARKET_CARDS
from spygames.agent_avenue.layout import NONE
from spygames.core.game.game import Game

Outcome = tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Face-down card or NONE, copies of each agent in the rival's hand and discards, deck."""
Sampler = Callable[[Any, int, int], None]
"""(position, seat, seed): draws all that the seat cannot know."""

DRAWS = 3000
ALARM = 1e-4  # a correct sampler falls below this once in 10,000 positions

DA, EN, CB, SA, DD, SE, SK, MO = AGENTS


def seen(*cards: str) -> dict[str, Any]:
    """The keys of advanced mode, with these cards seen in the hand of seat 1 and an empty market deck."""
    return {
        "mode": "advanced",
        "market_supply": list(MARKET_CARDS),
        "market_deck": [],
        "market_in_play": {"0": [], "1": []},
        "market_discard": [],
        "seen_in_hand": {"0": {}, "1": dict(Counter(cards))},
    }


POSITIONS: dict[str, tuple[int, dict[str, Any]]] = {  # viewer, position; all cards not named are in play
    "to play": (
        0,
        {"hands": {"0": [DA, EN, DD, DD], "1": [CB, SA, SE, SE]}, "discarded": {"1": [MO]}, "deck": [CB, EN]},
    ),
    "the rival is to play": (
        1,
        {"hands": {"1": [DA, EN, DD, DD], "0": [CB, SA, SE, SE]}, "discarded": {"0": [MO], "1": [SK]}, "deck": [CB]},
    ),
    "own cards offered": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [CB, SA, SE, SE]},
            "deck": [EN, CB],
            "face_up": SA,
            "face_down": MO,
        },
    ),
    "an identical pair is possible, the rival drew": (
        1,
        {
            "hands": {"1": [DA, EN, DD, DD], "0": [CB, SA, SA, SE]},
            "discarded": {"0": [MO]},
            "deck": [SA],
            "face_up": SA,
            "face_down": CB,
        },
    ),
    "an identical pair is the truth": (
        1,
        {
            "hands": {"1": [DA, EN, DD, DD], "0": [CB, CB, SE, SE]},
            "discarded": {"0": [MO]},
            "deck": [EN],
            "face_up": SE,
            "face_down": SE,
        },
    ),
    "an identical pair is possible, the deck is empty": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [SA, SA]},
            "discarded": {"1": [CB, MO]},
            "face_up": SA,
            "face_down": SA,
            "active": 1,
        },
    ),
    "one card was kept": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [SE]},
            "discarded": {"1": [MO, SE, CB]},
            "face_up": SE,
            "face_down": CB,
            "active": 1,
        },
    ),
    "no card was kept": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": []},
            "discarded": {"1": [MO, SE, CB]},
            "face_up": SE,
            "face_down": SE,
            "active": 1,
        },
    ),
    "no copy of the open card is left": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [SE, SE, SA, EN]},
            "deck": [CB],
            "face_up": MO,
            "face_down": CB,
            "active": 1,
        },
    ),
    "a card was seen, two were drawn": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [SE, SA, SA, MO]},
            "deck": [SA, CB],
            "face_up": EN,
            "face_down": CB,
            "active": 1,
            **seen(SA),
        },
    ),
    "all but the cards that were drawn was seen": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [SE, SE, SA, MO]},
            "deck": [SA, CB],
            "face_up": CB,
            "face_down": SE,
            "active": 1,
            **seen(SE, SE, SA),
        },
    ),
    "a card like the open one was seen": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [SA, SA, CB]},
            "deck": [SA, EN],
            "face_up": SA,
            "face_down": SE,
            "active": 1,
            "record": {"kept": 1},
            **seen(SA),
        },
    ),
    "nothing was drawn": (
        0,
        {
            "hands": {"0": [DA, EN, DD, DD], "1": [SA, SE, CB]},
            "deck": [SA, MO, EN],
            "face_up": EN,
            "face_down": SE,
            "active": 1,
            "record": {"kept": 3},
            **seen(SA, SE),
        },
    ),
    "the game is over": (
        1,
        {
            "hands": {"1": [DA, EN, DD, DD], "0": [CB, SA, SE, SE]},
            "discarded": {"0": [MO]},
            "deck": [CB, EN],
            "phase": "over",
            "to_move": None,
            "winner": 1,
            "end_reason": "caught",
            "progress": [0, 8],
        },
    ),
}


def outcome(position: Any, seat: int) -> Outcome:
    """The cards in the places that `seat` cannot see."""
    s, rival = position.s, 1 - seat
    down = int(s.face_down) if seat != s.active_side else NONE
    hand, discards, deck = s.hands[rival], s.discarded[rival], s.deck[: s.deck_size]
    return down, tuple(hand.tolist()), tuple(discards.tolist()), tuple(deck.tolist())


def unseen(position: Any, seat: int) -> list[int]:
    """The cards in those places."""
    down, hand, discards, deck = outcome(position, seat)
    held = [card for place in (hand, discards) for card, n in enumerate(place) for _ in range(n)]
    return sorted([*([] if down == NONE else [down]), *held, *deck])


def exact(position: Any, seat: int) -> dict[Outcome, float]:
    """The probability of each outcome, by counting every order of the unseen cards; a hand's first cards were kept."""
    truth, kept = outcome(position, seat), int(position.s.kept)
    down, hand, discards, _ = truth
    counts: Counter[Outcome] = Counter()
    copies = unseen(position, seat)
    known = {copies.index(card) + i for card, n in enumerate(position.s.seen[1 - seat]) for i in range(n)}
    for order in permutations(range(len(copies))):
        if not known <= {*order[len(order) - 1 - kept :]}:
            continue
        cards = [copies[i] for i in order]
        laid_down = NONE if down == NONE else cards.pop()
        held, thrown = ([cards.pop() for _ in range(size)] for size in (sum(hand), sum(discards)))
        # AA-10: an identical pair comes only from a hand of identical cards, so the kept cards are identical, too.
        if laid_down == NONE or laid_down != position.s.face_up or {*held[:kept]} <= {laid_down}:
            in_hand, in_discards = (tuple(map(place.count, range(len(AGENTS)))) for place in (held, thrown))
            counts[laid_down, in_hand, in_discards, tuple(cards)] += 1
    assert truth in counts
    return {result: n / counts.total() for result, n in counts.items()}


def p_value(position: Any, seat: int, sample: Sampler) -> float:
    """The p-value of the chi-square test for uniform draws; 0 if a draw is impossible."""
    chances = exact(position, seat)
    truth = position.states.copy()
    seen: Counter[Outcome] = Counter()
    for seed in range(DRAWS):
        position.states[:] = truth
        sample(position, seat, seed)
        seen[outcome(position, seat)] += 1
    position.states[:] = truth
    if not set(seen) <= set(chances):
        return 0.0
    rare = {result for result, chance in chances.items() if chance * DRAWS < 5}
    cells = [(seen[result], chance) for result, chance in chances.items() if result not in rare]
    if rare:
        cells.append((sum(seen[result] for result in rare), sum(chances[result] for result in rare)))
    observed, expected = np.array(cells).T
    return float(stats.chisquare(observed, expected / expected.sum() * DRAWS).pvalue)


@pytest.fixture
def position_of(at: Callable[..., Any], make_mapping: Callable[..., Any]) -> Callable[[str], tuple[Any, int]]:
    """A position by its name, with the viewer."""

    def find(name: str) -> tuple[Any, int]:
        seat, parts = POSITIONS[name]
        return at(make_mapping(**parts, rest="in_play")), seat

    return find


def ours(position: Any, seat: int, seed: int) -> None:
    """The kernel under test."""
    position.game.determinize(position.s, seat, np.uint64(seed))


def nothing(position: Any, seat: int, seed: int) -> None:
    """Keep the true state, which agrees with every view."""


def lay(position: Any, seat: int, order: list[int]) -> None:
    """Assign these cards to the hidden places."""
    s, rival = position.s, 1 - seat
    sizes = int(s.hands[rival].sum()), int(s.discarded[rival].sum())
    if s.face_down >= 0 and seat != s.active_side:
        s.face_down = order.pop()
    for place, size in zip((s.hands, s.discarded), sizes, strict=True):
        place[rival] = np.bincount([order.pop() for _ in range(size)], minlength=8)
    s.deck[: s.deck_size] = order


def unseen_order(position: Any, seat: int, seed: int) -> list[int]:
    """The unseen cards in random order."""
    return np.random.default_rng(seed).permutation(unseen(position, seat)).tolist()


def blind(position: Any, seat: int, seed: int) -> None:
    """Deal all unseen cards without regard to AA-10."""
    lay(position, seat, unseen_order(position, seat, seed))


def seen_anywhere(position: Any, seat: int, seed: int) -> None:
    """Assume that a seen card can be any card of the hand, so that a card drawn since may be face down."""
    s, known = position.s, position.s.seen[1 - seat]
    blind(position, seat, seed)
    while (s.hands[1 - seat] + (np.arange(len(AGENTS)) == s.face_down) < known).any():
        seed += DRAWS
        blind(position, seat, seed)


def alike_by_count(position: Any, seat: int, seed: int) -> None:
    """Assume that a hand kept two identical cards if it holds two now, even if it drew them later."""
    s = position.s
    blind(position, seat, seed)
    while s.face_down == s.face_up and s.hands[1 - seat, s.face_up] < s.kept:
        seed += DRAWS
        blind(position, seat, seed)


def never_alike(position: Any, seat: int, seed: int) -> None:
    """Assume that AA-10 forbids every identical pair."""
    blind(position, seat, seed)
    while position.s.face_down == position.s.face_up:
        seed += DRAWS
        blind(position, seat, seed)


def keeps_the_deck(position: Any, seat: int, seed: int) -> None:
    """Redraw everything except the order of the deck."""
    s = position.s
    deck = s.deck[: s.deck_size].tolist()
    order = unseen_order(position, seat, seed)
    for card in deck:
        order.remove(card)
    lay(position, seat, [*deck, *order])


@pytest.mark.rule("AA-9", "AA-10", "AA-12", "AA-37")
@pytest.mark.parametrize("name", POSITIONS)
def test_determinize_is_uniform(position_of: Callable[[str], tuple[Any, int]], name: str) -> None:
    position, seat = position_of(name)
    assert p_value(position, seat, ours) > ALARM


WRONG = [
    (seen_anywhere, "a card was seen, two were drawn"),
    (seen_anywhere, "all but the cards that were drawn was seen"),
    (seen_anywhere, "a card like the open one was seen"),
    (nothing, "to play"),
    (nothing, "an identical pair is possible, the rival drew"),
    (nothing, "the game is over"),
    (blind, "an identical pair is possible, the rival drew"),
    (blind, "an identical pair is the truth"),
    (blind, "one card was kept"),
    (alike_by_count, "an identical pair is possible, the rival drew"),
    (alike_by_count, "an identical pair is the truth"),
    (never_alike, "an identical pair is possible, the rival drew"),
    (never_alike, "no card was kept"),
    (keeps_the_deck, "to play"),
    (keeps_the_deck, "own cards offered"),
]


@pytest.mark.parametrize(("sample", "name"), [pytest.param(f, n, id=f"{f.__name__}: {n}") for f, n in WRONG])
def test_a_wrong_sampler_fails(position_of: Callable[[str], tuple[Any, int]], sample: Sampler, name: str) -> None:
    position, seat = position_of(name)
    assert p_value(position, seat, sample) < ALARM


@pytest.mark.parametrize("name", ["to play", "no card was kept"])
def test_a_blind_deal_is_uniform_where_aa_10_forbids_nothing(
    position_of: Callable[[str], tuple[Any, int]], name: str
) -> None:
    position, seat = position_of(name)
    assert p_value(position, seat, blind) > ALARM


def test_positions_fit_their_names(position_of: Callable[[str], tuple[Any, int]]) -> None:
    """Names tell whether an identical pair is possible."""
    for name, some in (
        ("an identical pair is possible, the rival drew", True),
        ("an identical pair is the truth", True),
        ("an identical pair is possible, the deck is empty", True),
        ("one card was kept", True),
        ("no card was kept", True),
        ("no copy of the open card is left", False),
    ):
        position, seat = position_of(name)
        alike = [result for result in exact(position, seat) if result[0] == position.s.face_up]
        assert bool(alike) == some


def test_the_result_depends_on_the_view_and_the_seed_only(
    game: Game, position_of: Callable[[str], tuple[Any, int]]
) -> None:
    for name in POSITIONS:
        position, seat = position_of(name)
        start = position.states.copy()
        for seed in range(50):
            position.states[:] = start
            ours(position, seat, seed)
            expected = position.states.tobytes()
            ours(position, seat, 1000 + seed)
            position.s.rng = np.uint64(seed * 77)
            ours(position, seat, seed)
            assert position.states.tobytes() == expected


def test_positions_with_more_seen_cards_than_kept_ones_are_dealt(
    at: Callable[..., Any], make_mapping: Callable[..., Any]
) -> None:
    """No game reaches such a position, but a mapping can describe it; the face-down card is then one of those seen."""
    parts = {"hands": {"0": [DA, EN, DD, DD], "1": [SA, SA, SE, SE]}, "face_up": EN, "face_down": CB, "active": 1}
    position = at(make_mapping(**parts, **seen(SA, SA, SE, SE)))
    for seed in range(100):
        ours(position, 0, seed)
        assert position.s.face_down in (AGENTS.index(SA), AGENTS.index(SE))
        assert (position.s.hands[1].sum(), position.s.kept) == (4, 2)
        at(position.mapping)


def test_determinized_games_are_possible_and_look_the_same(
    game: Game, at: Callable[..., Any], random_play: Callable[..., Iterator[Any]]
) -> None:
    different = 0
    for i, position in enumerate(random_play(60, seed=9)):
        for seat in (0, 1):
            again = at(position.mapping)
            ours(again, seat, i)
            assert again.view(seat).tobytes() == position.view(seat).tobytes()
            if position.s.to_move == seat:
                assert again.mask.tolist() == position.mask.tolist()
            assert at(again.mapping).states.tobytes() == again.states.tobytes()
            different += outcome(again, seat) != outcome(position, seat)
    assert different > 1000
