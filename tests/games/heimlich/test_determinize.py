"""`determinize` draws uniformly: chi-square tests against exact counts, which wrong samplers fail.

Each position has few hidden facts. Every combination of them that the rules allow counts once; cards count copy by
copy.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.games.heimlich.conftest import AGENTS, COPIES, place
from tests.support.suites import slow_but

Mapping = dict[str, Any]
World = Any
Draw = Callable[[Any, int, int], None]
"""(position, seat, seed): draws all that the seat cannot know."""

DRAWS = 2000
ALARM = 1e-4  # a uniform draw falls below this once in 10,000 positions
FULL = {"players": 3, "top_secret": True, "secret_identities": True}


def injections(agents: list[str], seats: list[str]) -> Iterator[dict[str, str]]:
    """All ways to give each seat a different agent."""
    for chosen in permutations(agents, len(seats)):
        yield dict(zip(seats, chosen, strict=True))


def predictions(about: list[str], others: list[str], answers: int) -> Iterator[tuple[tuple[str, str], ...]]:
    """All partial predictions about these agents that can be completed (HC-33)."""
    for owners in product([*others, "free"], repeat=answers):
        named = [o for o in owners if o != "free"]
        if len(named) == len(set(named)) and len(others) - len(named) <= len(about) - answers:
            yield tuple(zip(about, owners, strict=False))


def identities(mapping: Mapping, seat: int) -> Counter[World]:
    """Every combination of passports and former agents that the view of `seat` allows."""
    own, agents = mapping["passports"][str(seat)], mapping["agents"]
    others = [s for s in mapping["passports"] if s != str(seat)]
    swapped, former = mapping["record"]["swapped"], mapping["record"]["former"]
    worlds: Counter[World] = Counter()
    for given in injections([a for a in agents if a not in (own, former if swapped == seat else own)], others):
        free = [a for a in agents if a not in (own, *given.values())]
        for old in [former] if swapped in (None, seat) else free:
            worlds[tuple(given.items()), old] += 1
    return worlds


def shown_identities(mapping: Mapping, seat: int) -> World:
    """The actual passports and former agents of a position."""
    given = tuple((s, a) for s, a in mapping["passports"].items() if s != str(seat))
    return given, mapping["record"]["former"]


def cards(mapping: Mapping, seat: int) -> Counter[World]:
    """Every assignment of the unseen cards to hidden places, copy by copy."""
    seen = [*mapping["hands"][str(seat)], *mapping["used"]]
    there = Counter(COPIES) if mapping["players"] < 7 else Counter(COPIES) - Counter(["new_identity"])
    unseen = list((there - Counter(seen)).elements())
    sizes = [len(mapping["hands"][s]) for s in mapping["hands"] if s != str(seat)]
    worlds: Counter[World] = Counter()
    for order in permutations(unseen):
        hands, at = [], 0
        for size in sizes:
            hands.append(tuple(sorted(order[at : at + size])))
            at += size
        worlds[tuple(hands), order[at:]] += 1
    return worlds


def shown_cards(mapping: Mapping, seat: int) -> World:
    """The actual places of the unseen cards of a position."""
    return tuple(tuple(sorted(h)) for s, h in mapping["hands"].items() if s != str(seat)), tuple(mapping["deck"])


def guesses_of(who: int) -> tuple[Any, Any]:
    """Every combination of the predictions of seat `who` and the agent that they leave out."""

    def worlds(mapping: Mapping, seat: int) -> Counter[World]:
        made = len(mapping["guesses"][str(who)])
        others = [f"player_{s}" for s in range(mapping["players"]) if s != who]
        found: Counter[World] = Counter()
        late = mapping["record"]["swapped"] == who and mapping["record"]["swapped_late"]
        totals = identities(mapping, seat)
        for (given, former), n in totals.items():
            own = former if late else dict(given)[str(who)]
            about = [a for a in mapping["agents"] if a != own]
            for guesses in predictions(about, others, made):
                found[own, guesses] += n
        return found

    def shown(mapping: Mapping, seat: int) -> World:
        late = mapping["record"]["swapped"] == who and mapping["record"]["swapped_late"]
        own = mapping["record"]["former"] if late else mapping["passports"][str(who)]
        guesses = mapping["guesses"][str(who)]
        return own, tuple((a, guesses[a]) for a in mapping["agents"] if a in guesses)

    return worlds, shown


GUESSED = {
    "0": {"yellow": "player_1", "green": "player_2", "blue": "free", "purple": "free", "orange": "free"},
    "1": {"red": "player_2", "green": "player_0", "blue": "free", "purple": "free", "orange": "free"},
    "2": {"red": "free", "yellow": "free", "blue": "player_0", "purple": "player_1", "orange": "free"},
}
TWO = {
    "0": {"yellow": "player_1", "green": "free", "blue": "free", "purple": "free"},
    "1": {"red": "player_0", "green": "free", "blue": "free", "purple": "free"},
}
TWICE = (
    "move_safe", "score_3", "back_1_2", "two_back", "two_forward", "off_safe", "to_ruins", "forward_1_3", "to_safe",
)  # fmt: skip
FEW_CARDS: Mapping = {
    "hands": {"0": ["swap"], "1": ["join", "step_1"], "2": ["step_1"]},
    "used": [
        *TWICE,
        *TWICE,
        "ruins_to_church",
    ],
}
Case = tuple[Mapping, Mapping, int, Any, Any]
CASES: dict[str, Case] = {  # options, position, viewer, all worlds, the world of a position
    "two players": ({"players": 2}, {}, 0, identities, shown_identities),
    "three players, the last seat is the viewer": (
        {"players": 3},
        {"passports": {"2": "orange"}},
        2,
        identities,
        shown_identities,
    ),
    "1984": ({"players": 3, "edition": "ravensburger"}, {}, 1, identities, shown_identities),
    "another has a new identity": (
        {"players": 3, "top_secret": True},
        {"used": ["new_identity"], "record": {"swapped": 1, "former": "blue"}},
        0,
        identities,
        shown_identities,
    ),
    "the own identity is new": (
        {"players": 3, "top_secret": True},
        {"used": ["new_identity"], "record": {"swapped": 0, "former": "blue"}},
        0,
        identities,
        shown_identities,
    ),
    "few cards": ({"players": 3, "top_secret": True}, FEW_CARDS, 0, cards, shown_cards),
    "few cards, another viewer": ({"players": 3, "top_secret": True}, FEW_CARDS, 1, cards, shown_cards),
    "all predictions": (
        {"players": 2, "secret_identities": True},
        {"guessed": True, "guesses": TWO, "scores": {"red": 30}},
        0,
        *guesses_of(1),
    ),
    "two answers of another": (
        {"players": 3, "secret_identities": True},
        {
            "phase": "guess",
            "active": 1,
            "guessing": [1, 2, 0],
            "scores": {"red": 30},
            "guesses": {"1": {"red": "player_0", "green": "free"}},
        },
        0,
        *guesses_of(1),
    ),
    "four answers of another": (
        {"players": 3, "secret_identities": True},
        {
            "phase": "guess",
            "active": 1,
            "guessing": [1, 2, 0],
            "scores": {"red": 30},
            "guesses": {"1": {"red": "player_0", "green": "free", "blue": "free", "purple": "free"}},
        },
        2,
        *guesses_of(1),
    ),
    "an identity changed after the predictions": (
        {"players": 2, "top_secret": True, "secret_identities": True},
        {
            "guessed": True,
            "guesses": TWO,
            "scores": {"red": 30},
            "used": ["new_identity"],
            "passports": {"1": "blue"},
            "record": {"swapped": 1, "former": "yellow", "swapped_late": True},
        },
        0,
        *guesses_of(1),
    ),
    "an identity changed before the predictions": (
        {"players": 2, "top_secret": True, "secret_identities": True},
        {
            "guessed": True,
            "guesses": TWO,
            "scores": {"red": 30},
            "used": ["new_identity"],
            "record": {"swapped": 1, "former": "purple"},
        },
        0,
        *guesses_of(1),
    ),
}


def p_value(name: str, draw: Draw) -> float:
    """The p-value of the chi-square test of one case; 0 if an impossible world is drawn."""
    options, parts, seat, worlds, shown = CASES[name]
    position = place(options, **parts)
    expected = worlds(position.mapping, seat)
    start, found = position.states.copy(), Counter()
    for seed in range(DRAWS):
        position.states[:] = start
        draw(position, seat, seed)
        found[shown(position.mapping, seat)] += 1
    if not set(found) <= set(expected):
        return 0.0
    total = sum(expected.values())
    groups = max(1, len(expected) * 8 // DRAWS)  # at least about eight draws per group
    keys = sorted(expected, key=str)
    rng = np.random.default_rng(0)
    rng.shuffle(keys)
    bins = [keys[i :: max(2, len(keys) // groups)] for i in range(max(2, len(keys) // groups))]
    counts = [sum(found[k] for k in group) for group in bins]
    return stats.chisquare(counts, [DRAWS * sum(expected[k] for k in group) / total for group in bins]).pvalue


def ours(position: Any, seat: int, seed: int) -> None:
    """The kernel under test."""
    position.game.determinize(position.s, seat, np.uint64(seed))


def nothing(position: Any, seat: int, seed: int) -> None:
    """Keep the true state, which agrees with every view."""


def forgets_its_former_agent(position: Any, seat: int, seed: int) -> None:
    """Ignore the viewer's former agent, so that other seats can own it."""
    swapped, former = int(position.s.swapped), int(position.s.former)
    position.s.swapped = position.s.former = -1
    ours(position, seat, seed)
    position.s.swapped, position.s.former = swapped, former


def answers_one_by_one(position: Any, seat: int, seed: int) -> None:
    """Draw each answer of the others uniformly among the legal ones, which is not uniform over predictions."""
    ours(position, seat, seed)
    rng, s = np.random.default_rng(seed), position.s
    players, agents = int(s.options.players), int(s.options.agents)
    for other in set(range(players)) - {seat}:
        about = np.flatnonzero(s.guesses[other])
        s.guesses[other] = 0
        unnamed, left = [p + 2 for p in range(players) if p != other], agents - 1
        for agent in about:
            answer = int(rng.choice(unnamed + ([1] if left > len(unnamed) else [])))
            s.guesses[other, agent] = answer
            left -= 1
            if answer > 1:
                unnamed.remove(answer)


@pytest.mark.rule("HC-5", "HC-31", "HC-33")
@pytest.mark.parametrize("name", CASES)
def test_determinize_is_uniform(name: str) -> None:
    assert p_value(name, ours) > ALARM


@pytest.mark.parametrize(
    ("draw", "name"),
    [
        *slow_but([(nothing, name) for name in CASES], 0, 3, -1),
        (forgets_its_former_agent, "the own identity is new"),
        (answers_one_by_one, "all predictions"),
        (answers_one_by_one, "four answers of another"),
    ],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_a_wrong_sampler_fails(draw: Draw, name: str) -> None:
    assert p_value(name, draw) < ALARM


def test_the_result_depends_on_the_view_and_the_seed_only() -> None:
    for name, (options, parts, seat, _, _) in CASES.items():
        position = place(options, **parts)
        start = position.states.copy()
        for seed in range(40):
            position.states[:] = start
            ours(position, seat, seed)
            expected = position.states.tobytes()
            ours(position, seat, 1000 + seed)
            ours(position, seat, seed)
            assert position.states.tobytes() == expected, name


@pytest.mark.rule("HC-34")
def test_passports_and_predictions_are_public_at_the_end() -> None:
    position = place(
        {"players": 3, "secret_identities": True},
        die=2,
        safe=6,
        scores={"blue": 36, "red": 30},
        guessed=True,
        guesses=GUESSED,
    ).act("move blue 2")
    open_, views = position.mapping, [position.view(seat).tobytes() for seat in range(3)]
    for seed in range(20):
        ours(position, seed % 3, seed)
        assert position.mapping | {"rng": 0} == open_ | {"rng": 0}
        assert views == [position.view(seat).tobytes() for seat in range(3)]
    view = position.view(1)[0]  # its agents: yellow, red, green ...; its seats: 1, 2, 0
    assert np.allclose(view["revealed"] * 7, [0, 2, 1])
    codes = {"free": -1, "player_1": 1 / 7, "player_2": 2 / 7, "player_0": 3 / 7}
    order = ["yellow", "red", *AGENTS[2:6]]
    for row, seat in enumerate("120"):
        assert np.allclose(view["guesses"][row], [codes.get(GUESSED[seat].get(a, ""), 0) for a in order])
