"""A search's weights (`Game.ways`) in positions so small that all deals can be counted.

The rival names each legal card with equal probability. Every deal of a few hidden cards is played out, card by card of
the deck, by the rules themselves. Courses that look the same to the viewer form an information set. The search's belief
about the hidden cards must have the same distribution as the deals of that set.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from spygames import make_game
from spygames.agent_avenue.cards import COPIES, KINDS
from spygames.agent_dog.actions import FIRST, FROM_AREA
from spygames.agent_dog.cards import KINDS as DOG_KINDS
from spygames.agent_dog.layout import EXCHANGE, NONE
from spygames.agent_dog.queries import seat_colour
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.history import Noted
from spygames.heimlich.actions import ACT_DRAW, ACT_PASS
from spygames.heimlich.cards import COPIES as COPIES_OF
from spygames.heimlich.cards import KINDS as HEIMLICH_KINDS
from spygames.heimlich.layout import ROUND
from spygames.testing.trial import mask_of, view_of
from spygames_training.search import belief
from spygames_training.search.array_kernels import log_told
from spygames_training.search.belief import believe
from spygames_training.search.draws import Sampled
from spygames_training.search.models import Rival, log_probabilities

WORLDS, DECISIONS = 1 << 14, 12
FAR = 0.03
"""A distance that this number of worlds does not reach by chance: the largest measured one was 0.015."""
VIEWER, RIVAL = 0, 1


@dataclass
class Line:
    """A possible course of a game."""

    chance: float
    states: np.ndarray
    past: list[np.ndarray] = field(default_factory=list)
    actions: list[int] = field(default_factory=list)
    seen: tuple[bytes, ...] = ()

    def after(self, game: Game, action: int, chance: float) -> "Line":
        states = self.states.copy()
        game.apply(as_record(states), action)
        seen = (*self.seen, view_of(game, as_record(states), VIEWER).tobytes())
        return Line(self.chance * chance, states, [*self.past, self.states], [*self.actions, action], seen)


class Names:
    """The rival: it chooses each legal action that names a card, `cards`, with equal probability.

    It passes with probability one quarter, whatever the hand. If neither is legal, it takes the first legal action.
    """

    def __init__(self, cards: range, passes: int = NOBODY) -> None:
        self.cards, self._passes = cards, passes

    def ask(self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True) -> tuple[np.ndarray, None]:
        """See `Model.ask`."""
        logits = np.full(mask.shape, -1e9)
        for row, legal in zip(logits, mask.astype(np.bool_), strict=True):
            named = np.flatnonzero(legal[self.cards]) + self.cards.start
            row[named] = 0
            if self._passes != NOBODY and legal[self._passes]:
                row[self._passes] = np.log(max(len(named), 1) / 3)
            elif not len(named):
                row[legal.argmax()] = 0
        return logits, None


def lines(game: Game, rival: Names, line: Line, named: int, answers: int) -> Iterator[Line]:
    """Yield all courses of at most `DECISIONS` decisions after which the viewer is to move.

    The rival has then named `named` cards, and the viewer has since decided `answers` times.
    """
    mover, mask = int(line.states["to_move"][0]), mask_of(game, as_record(line.states))
    if mover == VIEWER and named == 0 == answers:
        yield line
        return
    if mover == NOBODY or len(line.past) == DECISIONS:
        return
    if mover == VIEWER:
        left = answers - (named == 0)
        yield from lines(game, rival, line.after(game, int(mask.argmax()), 1.0), named, left)
        return
    chances = np.exp(log_probabilities(rival.ask(line.states, mask[None], np.zeros((1, 1), np.uint64))[0], mask[None]))
    for action in np.flatnonzero(chances[0]).tolist():
        left = named - (action in rival.cards)
        if left >= 0:
            yield from lines(game, rival, line.after(game, action, float(chances[0, action])), left, answers)


Hidden = Callable[[np.ndarray], np.ndarray]
"""Maps STATE [k] to int64 [k, f]: what the viewer cannot know."""


def law_of(hidden: np.ndarray, weights: np.ndarray) -> Counter[tuple[int, ...]]:
    """Return the probability of each row of int64 [k, f] with weights float64 [k]."""
    found = Counter[tuple[int, ...]]()
    for row, weight in zip(hidden.tolist(), weights / weights.sum(), strict=True):
        found[tuple(row)] += weight
    return found


@dataclass(frozen=True)
class Table:
    """A position with all of its equally likely deals."""

    game: Game
    deals: list[np.ndarray]
    rival: Names
    hidden: Hidden


def distances(table: Table, named: int, sets: int, answers: int = 0) -> list[float]:
    """Return the search's errors after the rival has named `named` cards: total variation distances of its belief.

    One for each of the likeliest information sets in which more than one thing is possible.
    """
    game = table.game
    found: dict[tuple[bytes, ...], list[Line]] = {}
    for states in table.deals:
        for line in lines(game, table.rival, Line(1.0, states), named, answers):
            found.setdefault(line.seen, []).append(line)
    rivals, off = [Rival("names", table.rival, 0.0)], list[float]()
    for members in sorted(found.values(), key=lambda each: -sum(line.chance for line in each)):
        hidden = table.hidden(np.concatenate([each.states for each in members]))
        true = law_of(hidden, np.array([each.chance for each in members]))
        if len(true) > 1 and len(off) < sets:
            line, draws = members[0], Sampled(game, np.uint64(len(off)))
            noted = Noted(np.concatenate(line.past), np.array(line.actions))
            believed = believe(game, line.states, noted, rivals[0].model, rivals, draws, WORLDS, 10**6)
            drawn = law_of(table.hidden(believed.worlds), believed.weights[0])
            off.append(sum(abs(true[each] - drawn[each]) for each in true | drawn) / 2)
    return off


def deal(states: np.ndarray, cards: tuple[int, ...], size: int, held: tuple[int, ...] = ()) -> np.ndarray:
    """Give the rival the `held` cards and the first ones of `cards`; the rest is the deck."""
    found = states.copy()
    s = as_record(found)
    hand = [*held, *cards[: size - len(held)]]
    s.hands[RIVAL] = np.bincount(hand, minlength=len(s.hands[RIVAL]))
    rest = cards[size - len(held) :]
    s.deck[:] = NOBODY
    s.deck[: len(rest)] = rest
    s.deck_size = len(rest)
    return found


def agents(seen: tuple[int, ...], discards: int, pool: tuple[int, ...] = (0, 0, 0, 0, 1, 1, 1, 4)) -> Table:
    """The rival may discard up to `discards` times. It holds what was `seen` and others of the pool, four in all."""
    game = make_game("agent_avenue_v0", mode="advanced")
    states = game.start(1)
    s = as_record(states)
    own = [1, 3, 5, 5]
    s.hands[VIEWER] = np.bincount(own, minlength=KINDS)
    s.discarded[VIEWER] = COPIES - s.hands[VIEWER] - np.bincount(pool, minlength=KINDS)
    s.seen[RIVAL] = np.bincount(seen, minlength=KINDS)
    s.discards_left[RIVAL] = discards
    s.active_side, s.to_move = RIVAL, RIVAL
    unseen = list(pool)
    for card in seen:
        unseen.remove(card)
    deals = [deal(states, cards, 4, seen) for cards in sorted(set(permutations(unseen)))]
    return Table(game, deals, Names(range(game.num_actions)), of_agents)


def of_agents(states: np.ndarray) -> np.ndarray:
    """Return the hand, the discards and the face-down card of the rival."""
    parts = (states["hands"][:, RIVAL], states["discarded"][:, RIVAL], states["face_down"][:, None])
    return np.hstack([each.astype(np.int64) for each in parts])


def dog() -> Table:
    """Both seats pass a card to each other, then they play; each holds three cards, and four kinds are left."""
    game = make_game("agent_dog_v0", players=2)
    states = between_rounds(game)
    s = as_record(states)
    pool, own = [0, 0, 0, 3, 3, 7], [0, 3, 5]
    s.hands[VIEWER] = np.bincount(own, minlength=DOG_KINDS)
    s.discarded[:] = s.options.copies - np.bincount(pool + own, minlength=DOG_KINDS)
    rest = np.repeat(np.arange(DOG_KINDS), s.discarded)
    s.discard[:], s.discard_size = NOBODY, len(rest)
    s.discard[: len(rest)] = rest
    deals = [deal(states, cards, 3) for cards in sorted(set(permutations(pool)))]
    return Table(game, deals, Names(range(FIRST[FROM_AREA])), of_dog)


def between_rounds(game: Game) -> np.ndarray:
    """Return a later round of a random game in which the viewer passes first."""
    for seed in range(1, 1000):
        states, rng = game.start(seed), np.random.default_rng(seed)
        s = as_record(states)
        while s.to_move != NOBODY:
            fresh = s.phase == EXCHANGE and s.to_move == VIEWER and (s.passed == NONE).all()
            if fresh and (s.board == seat_colour(2, RIVAL)).any():
                return states
            game.apply(s, int(rng.choice(np.flatnonzero(mask_of(game, s)))))
    raise AssertionError


def of_dog(states: np.ndarray) -> np.ndarray:
    """Return the rival's hand."""
    return states["hands"][:, RIVAL].astype(np.int64)


def heimlich() -> Table:
    """The rival holds three of six cards and is to play one or pass; it draws a card whenever it may."""
    game = make_game("heimlich_v0", players=2, top_secret=True)
    states = game.start(1)
    s = as_record(states)
    pool = [2, 2, 3, 3, 12, 12]
    rest = np.repeat(np.arange(HEIMLICH_KINDS), COPIES_OF - np.bincount(pool, minlength=HEIMLICH_KINDS))
    s.used[: len(rest)], s.used_size = rest, len(rest)
    s.hands[VIEWER], s.hand_sizes[VIEWER], s.hand_sizes[RIVAL] = 0, 0, 3
    s.phase, s.to_move, s.active, s.points_left, s.passes = ROUND, RIVAL, VIEWER, 0, 0
    deals = [deal(states, cards, 3) for cards in sorted(set(permutations(pool)))]
    return Table(game, deals, Names(range(ACT_DRAW, ACT_PASS), ACT_PASS), of_dog)


@pytest.fixture(autouse=True)
def each_world_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewind each world separately, to get enough worlds.

    Otherwise, worlds that the rival cannot distinguish share their random draws, and a small position has few more.
    """

    def distinguishable(game: Game, worlds: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(len(worlds)), np.arange(len(worlds))

    monkeypatch.setattr(belief, "distinguishable", distinguishable)


@pytest.mark.parametrize(
    ("table", "named", "sets", "answers"),
    [
        pytest.param(lambda: agents((0,), 0), 1, 3, 0, id="an offer with a card that was seen"),
        pytest.param(lambda: agents((0, 0), 1), 2, 5, 0, id="a discard and an offer with two that were seen"),
        pytest.param(dog, 2, 6, 0, id="a card that was passed and one that was played"),
        pytest.param(heimlich, 1, 4, 0, id="a card that was played and one that was drawn"),
        pytest.param(
            lambda: agents((), 0, (0,) * 6 + (1,) * 2), 1, 3, 1, id="an offer of two alike that was recruited"
        ),
    ],
)
def test_the_belief_equals_a_count_of_all_deals(
    table: Callable[[], Table], named: int, sets: int, answers: int
) -> None:
    found = distances(table(), named, sets, answers)
    assert len(found) == sets
    assert max(found) < FAR


@pytest.mark.parametrize("table", [lambda: agents((0,), 0), heimlich], ids=["agents", "heimlich"])
def test_ways_are_necessary(table: Callable[[], Table], monkeypatch: pytest.MonkeyPatch) -> None:
    def counted_once(
        logits: np.ndarray, mask: np.ndarray, place: np.ndarray, told: np.ndarray, counted: np.ndarray, *rest: Any
    ) -> None:
        log_told(logits, mask, place, told, np.ones_like(counted), *rest)

    monkeypatch.setattr(belief, "log_told", counted_once)
    assert max(distances(table(), 1, 2)) > 3 * FAR
