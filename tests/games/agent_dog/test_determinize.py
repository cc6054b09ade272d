"""`determinize` draws uniformly: a chi-square test against an exact count, which wrong samplers fail.

Each position has few unseen cards. Every assignment of them to the hidden places counts once if it agrees with what
the viewer knows: the card that it passed, and that a player to play a card has a playable one, or one who must discard
has none.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.games.agent_dog import reference
from tests.games.agent_dog.conftest import ORDER, Position, fresh_position, make_mapping, position_at

DRAWS = 2000
ALARM = 1e-4
Outcome = tuple[Any, ...]

BOARD = {"red": ["track 20"], "green": ["track 40"]}
HATS = {"red": ["track 23", "track 27"], "green": ["track 39", "track 4"]}
POSITIONS: dict[str, tuple[int, dict[str, Any]]] = {
    "own turn": (0, {"hands": {"0": ["2"], "1": ["swap", "5"]}, "deck": ["2", "5", "copy"]}),
    "the rival must have something to play": (
        0,
        {"hands": {"0": ["2"], "1": ["swap", "5"]}, "deck": ["swap", "swap", "copy"], "to_move": 1},
    ),
    "the rival has nothing to play": (
        0,
        {"hands": {"0": ["2"], "1": ["swap", "copy"]}, "deck": ["swap", "5", "5"], "to_move": 1, "phase": "redraw"},
    ),
    "the rival has drawn what it can play": (
        0,
        {
            "hands": {"0": ["2"], "1": ["swap", "5"]},
            "deck": ["swap", "3", "copy"],
            "to_move": 1,
            "redrawn": True,
        },
    ),
    "and holds the passed card, too": (
        0,
        {
            "hands": {"0": ["2"], "1": ["swap", "copy", "5"]},
            "deck": ["swap", "3"],
            "passed": {"0": "swap", "1": "2"},
            "to_move": 1,
            "redrawn": True,
        },
    ),
    "and that is of the kind of the passed card": (
        0,
        {
            "hands": {"0": ["2"], "1": ["swap", "5"]},
            "deck": ["swap", "3", "copy"],
            "passed": {"0": "5", "1": "2"},
            "to_move": 1,
            "redrawn": True,
        },
    ),
    "the rival plays what it has drawn": (
        0,
        {
            "hands": {"0": ["2"], "1": ["swap", "copy"]},
            "deck": ["swap", "3", "5"],
            "to_move": 1,
            "phase": "place",
            "pending": {
                "card": "5", "as": "5", "points": 0, "moved": [], "first": None, "meetings": [], "penalty": False
            },
            "redrawn": True,
        },
    ),
    "the passed card is still there": (
        0,
        {
            "hands": {"0": ["2"], "1": ["swap", "5"]},
            "deck": ["swap", "swap", "5"],
            "passed": {"0": "swap", "1": "2"},
            "to_move": 1,
        },
    ),
    "the passed card may be gone": (
        0,
        {
            "hands": {"0": ["2"], "1": ["swap", "5"]},
            "deck": ["swap", "3", "5"],
            "passed": {"0": "swap", "1": "2"},
            "record": {"lost": {"0": [], "1": ["swap"]}},
        },
    ),
    "the exchange": (
        0,
        {
            "hands": {"0": ["2", "3"], "1": ["swap", "5"]},
            "deck": ["swap", "5"],
            "passed": {"0": None, "1": "3"},
            "phase": "exchange",
            "dealer": 1,
        },
    ),
    "what two others passed": (
        0,
        {
            "players": 3,
            "hands": {"0": ["2"], "1": ["3"], "2": ["swap", "5"]},
            "deck": ["5"],
            "passed": {"0": "3", "1": "5", "2": "2"},
            "record": {"lost": {"0": [], "1": [], "2": ["9", "5"]}},
        },
    ),
    "hats": (0, {"pawns": HATS, "hidden": [23, 27, 39], "hands": {"0": ["2"], "1": ["5"]}, "deck": ["2"]}),
    "tracked hats": (
        0,
        {"pawns": HATS, "hidden": [23, 27, 39], "hands": {"0": ["2"], "1": ["5"]}, "deck": ["2"], "tracked": True},
    ),
    "a hat in the goal": (
        1,
        {
            "pawns": {"red": ["track 23", "goal red 0"], "green": ["track 39", "track 4"]},
            "hidden": [23, 39, "goal red 0"],
            "hands": {"0": ["2"], "1": ["5"]},
            "deck": ["2"],
            "phase": "step",
            "pending": {
                "card": "companion", "as": "companion", "points": 2, "moved": ["goal 0"], "first": None, "meetings": [],
                "penalty": False,
            },
        },
    ),
}  # fmt: skip


def position_of(name: str) -> tuple[Position, int]:
    """A position by its name, with the viewer. The deck consists of the named cards and the discards."""
    seat, parts = POSITIONS[name]
    parts = {"pawns": BOARD, "players": 2, "discard": ["12"] * 12 + ["13"], **parts}
    tracked = parts.pop("tracked", False)
    deck = parts.pop("deck")
    mapping = make_mapping(parts.pop("pawns"), parts.pop("hands"), parts.pop("players"), **parts)
    mapping |= {"deck": deck, "deck_name": "custom"}
    cards = [card for cards in (*mapping["hands"].values(), deck, mapping["discard"]) for card in cards]
    cards += [mapping["pending"]["card"]] if mapping["pending"] else []
    cards += [card for card in mapping["passed"].values() if card] if mapping["phase"] == "exchange" else []
    options = {"deck": dict(Counter(cards)), "hidden_colours": "tracked" if tracked else "table"}
    return position_at(mapping, **options), seat


def outcome(mapping: dict[str, Any], seat: int) -> Outcome:
    """The contents of the places that `seat` cannot see."""
    hands = tuple(tuple(mapping["hands"][s]) for s in mapping["hands"] if int(s) != seat)
    under = tuple(sorted((place, c) for c, places in mapping["pawns"].items() for place in places if place != "area"))
    return hands, tuple(mapping["deck"]), tuple(mapping["passed"].values()), under


def exact(mapping: dict[str, Any], seat: int, tracked: bool) -> dict[Outcome, float]:
    """The probability of each outcome, by counting every order of the unseen cards and of the pawns under hats."""
    counts: defaultdict[Outcome, float] = defaultdict(float)
    for world in worlds(mapping, seat):
        hats = [p for c, places in mapping["pawns"].items() for p in places if hat_name(p, c) in mapping["hidden"]]
        under = [c for c, places in mapping["pawns"].items() for p in places if hat_name(p, c) in mapping["hidden"]]
        orders = [under] if tracked else list(permutations(under))
        labels = passed_labels(world, seat)
        for order in orders:
            pawns = {c: [p for p in places if hat_name(p, c) not in mapping["hidden"]] for c, places in
                     mapping["pawns"].items()}  # fmt: skip
            for place, colour in zip(hats, order, strict=True):
                pawns[colour].append(full(place, colour))
            for label in labels:
                after = world | {"pawns": pawns, "passed": label}
                counts[outcome(after, seat)] += 1 / len(orders) / len(labels)
    total = sum(counts.values())
    return {result: n / total for result, n in counts.items()}


def hat_name(place: str, colour: str) -> Any:
    return reference.place_name(reference.parse(place, colour)) if place != "area" else None


def full(place: str, colour: str) -> str:
    """The name of a hat's place if a pawn of this color is there."""
    return place if "goal" not in place else "goal 0" if colour == "red" else "goal red 0"


def worlds(mapping: dict[str, Any], seat: int) -> list[dict[str, Any]]:
    """Every assignment of the unseen cards, once for each of their orders."""
    players = mapping["players"]
    others = [s for s in mapping["hands"] if int(s) != seat]
    taker = str((seat + (2 if players == 4 else 1)) % players)
    known = mapping["passed"][str(seat)]
    if mapping["phase"] == "exchange" or known in mapping["record"]["lost"][taker]:
        known = None
    transit = [s for s in others if mapping["passed"][s] and mapping["phase"] == "exchange"]
    cards = [card for s in others for card in mapping["hands"][s]] + mapping["deck"]
    cards += [mapping["passed"][s] for s in transit]
    if known:
        cards.remove(known)
    found = []
    for order in permutations(cards):
        rest = list(order)
        hands = dict(mapping["hands"])
        for s in others:
            hand = [known] if known and s == taker else []
            hand += [rest.pop() for _ in range(len(hands[s]) - len(hand))]
            hands[s] = sorted(hand, key=ORDER.index)
        passed = mapping["passed"] | {s: rest.pop() for s in transit}
        world = mapping | {"hands": hands, "deck": rest, "passed": passed}
        if int(mapping["to_move"]) == seat or may_be(world):
            found.append(world)
    return found


def may_be(world: dict[str, Any]) -> bool:
    """Whether the hand of the seat to move is possible in this phase (AD-9, AD-35)."""
    bare = {**world, "pending": None}
    hand = world["hands"][str(world["to_move"])]
    playable = {card for card in hand for f in reference.functions(bare, card) if reference.can_be_played(bare, f)}
    able = sum(card in playable for card in hand)
    if world["phase"] == "card":
        return able == 1 if world["redrawn"] else able > 0
    return able == 0 if world["phase"] == "redraw" or world["redrawn"] else True


def passed_labels(world: dict[str, Any], seat: int) -> list[dict[str, Any]]:
    """The possible values of `passed` between other seats: any card that the taker holds or has lost."""
    labels = [world["passed"]]
    if world["phase"] == "exchange":
        return labels
    for giver in world["passed"]:
        taker = (int(giver) + (2 if world["players"] == 4 else 1)) % world["players"]
        if int(giver) != seat and taker != seat and world["passed"][giver]:
            cards = world["hands"][str(taker)] + world["record"]["lost"][str(taker)]
            labels = [label | {giver: card} for label in labels for card in cards]
    return labels


def p_value(name: str, draw: Callable[[Position, int, int], None]) -> float:
    """The p-value of the chi-square test for uniform draws; 0 if a draw is impossible."""
    position, seat = position_of(name)
    chances = exact(position.mapping, seat, position.game.options["hidden_colours"] == "tracked")
    truth = position.states.copy()
    assert outcome(position.mapping, seat) in chances
    seen: Counter[Outcome] = Counter()
    for seed in range(DRAWS):
        position.states[:] = truth
        draw(position, seat, seed)
        seen[outcome(position.mapping, seat)] += 1
    if not set(seen) <= set(chances):
        return 0.0
    if len(chances) == 1:
        return 1.0
    cells = [(seen[result], chance) for result, chance in chances.items()]
    assert min(chance for _, chance in cells) * DRAWS > 5
    observed, expected = np.array(cells).T
    return float(stats.chisquare(observed, expected * DRAWS).pvalue)


def ours(position: Position, seat: int, seed: int) -> None:
    """The kernel under test."""
    position.game.determinize(position.s, seat, np.uint64(seed))


def nothing(position: Position, seat: int, seed: int) -> None:
    """Keep the true state, which agrees with every view."""


def blind(position: Position, seat: int, seed: int) -> None:
    """Deal as if the viewer knew nothing about the others' cards: neither the phase nor the passed card."""
    phase, passed, redrawn = int(position.s.phase), position.s.passed.copy(), int(position.s.redrawn)
    position.s.phase, position.s.passed[:], position.s.redrawn = 2, -1, 0
    ours(position, seat, seed)
    position.s.phase, position.s.passed[:], position.s.redrawn = phase, passed, redrawn


@pytest.mark.rule("AD-24")
@pytest.mark.parametrize("name", POSITIONS)
def test_determinize_is_uniform(name: str) -> None:
    assert p_value(name, ours) > ALARM


@pytest.mark.parametrize(
    ("draw", "name"),
    [
        (nothing, "own turn"),
        (nothing, "hats"),
        (nothing, "what two others passed"),
        (blind, "the rival must have something to play"),
        (blind, "the rival has nothing to play"),
        (blind, "the rival has drawn what it can play"),
        (blind, "the rival plays what it has drawn"),
        (blind, "the passed card is still there"),
        (blind, "what two others passed"),
    ],
)
def test_a_wrong_sampler_fails(draw: Callable[[Position, int, int], None], name: str) -> None:
    assert p_value(name, draw) < ALARM


def test_states_that_differ_under_hats_look_the_same() -> None:
    """AD-24, in random play: views, drawings and legal actions do not depend on the colors under hats."""
    rng = np.random.default_rng(4)
    mixed = 0
    for number in range(12):
        position = fresh_position(number, players=int(rng.choice([2, 3, 4])))
        for decision in range(150):
            if position.s.to_move < 0:
                break
            other = Position(position.game, position.states.copy())
            hats = np.flatnonzero(other.s.board >= 4)
            other.s.board[hats] = rng.permutation(other.s.board[hats])
            mixed += other.states.tobytes() != position.states.tobytes()
            for seat in range(position.game.num_players):
                assert other.view(seat).tobytes() == position.view(seat).tobytes()
                assert decision % 5 or other.drawing(seat) == position.drawing(seat)
            assert other.legal == position.legal
            assert other.mask.tolist() == position.mask.tolist()
            position.act(str(rng.choice(sorted(position.legal))))
    assert mixed > 100
