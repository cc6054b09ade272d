"""`determinize` is calibrated: hidden cards are as frequent in redrawn worlds as in actual play, in every place.

The test tracks hands card by card and marks cards that all players have seen. Marked cards are played before others
of the same name. A hand with a marked card does not discard, and no market card that requires a card of a hand is
taken. The counts of AA-37 may forget knowledge in general; under these restrictions they forget nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from tests.support.calibration import Facts, Found, Luck, check, compare, one_hot

from spygames import make_game
from spygames.agent_avenue.actions import (
    LEAD_OWN,
    LEAD_PARTNER,
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
from spygames.agent_avenue.cards import (
    AGENTS,
    DOUBLE_TROUBLE,
    KINDS,
    MARKET_CARDS,
    MARKET_SIZE,
    MIND_CONTROL,
    OUTPOST,
    SECRET_RECRUIT,
    SPYCATION,
)
from spygames.agent_avenue.layout import AT_SUPPLY, DOWN, LEAD, MARKET, NONE, PLAY, RECRUIT, RESOLVER, UP
from spygames.core.compiling.kernel import Int, Record
from spygames.core.game.game import Game, as_record

VARIANTS: list[dict[str, Any]] = [
    {"mode": "advanced"},
    {"players": 4, "mode": "advanced"},
    {},
    {"players": 3, "mode": "advanced"},
    {"players": 3},
    {"players": 4},
]
OF_HANDS = (DOUBLE_TROUBLE, OUTPOST, SECRET_RECRUIT)
"""Market cards for which a hand is asked."""


class BrokenRule(Exception):
    """The move by places is not legal, or the counts of seen cards would lose information."""


@dataclass
class Card:
    """A card in a hand."""

    name: int
    seen: bool = False


@dataclass
class Table:
    """A game in which each hand is tracked card by card."""

    game: Game
    states: np.ndarray
    luck: Luck
    hands: list[list[Card]] = field(default_factory=list)
    down: Card | None = None

    def __post_init__(self) -> None:
        self.s = as_record(self.states)
        self.hands = [[] for _ in range(self.game.num_players)]
        self.draw()

    def reveal(self) -> None:
        """Show half of the cards of each hand to all players, as if an ability had taken them (AA-37)."""
        for seat, hand in enumerate(self.hands):
            for card in hand:
                if self.luck.below(2):
                    card.seen = True
                    self.s.seen[seat, card.name] += 1

    def draw(self) -> None:
        """Add the cards that the hands have drawn, and check the counts."""
        for seat, hand in enumerate(self.hands):
            for name in range(KINDS):
                new = int(self.s.hands[seat, name]) - sum(card.name == name for card in hand)
                assert new >= 0
                hand += [Card(name) for _ in range(new)]
            known = np.bincount([card.name for card in hand if card.seen], minlength=KINDS)
            if self.down is not None and self.down.seen and self.s.phase == RECRUIT and seat == self.offerer:
                known[self.down.name] += 1
            np.testing.assert_array_equal(known, self.s.seen[seat])

    @property
    def offerer(self) -> int:
        """The seat behind the face-down card."""
        s = self.s
        if s.leader != NONE:
            return int(s.leader) ^ 1
        return int(s.active_side) * (1 if self.game.num_players == 2 else 2)

    def take(self, seat: int) -> Card:
        """Remove a random card from a hand."""
        return self.hands[seat].pop(self.luck.below(len(self.hands[seat])))

    def show(self, seat: int, card: Card) -> None:
        """Check that a card shown after leaving a hand was a marked one if the hand had a marked one of its name."""
        if not card.seen and any(each.seen and each.name == card.name for each in self.hands[seat]):
            raise BrokenRule

    def act(self) -> None:
        """Take one decision, choosing cards by their places."""
        action = int(self.choose())
        self.game.apply(self.s, action)
        self.draw()

    def choose(self) -> Int:
        s, seat, luck = self.s, int(self.s.to_move), self.luck
        hand = self.hands[seat]
        if s.phase in (PLAY, UP, DOWN):
            known = any(card.seen for card in hand)
            if s.deck_size and s.discards_left[seat] and not known and luck.below(4) == 0:
                return encode_discard(self.take(seat).name)
            return self.play(seat)
        if s.phase == RECRUIT:
            assert self.down is not None
            self.show(self.offerer, self.down)
            self.down = None
            return RECRUIT_UP + luck.below(RECRUIT_DOWN + 1 - RECRUIT_UP)
        if s.phase in (LEAD, RESOLVER):
            first, second = (LEAD_OWN, LEAD_PARTNER) if s.phase == LEAD else (RESOLVE_OWN, RESOLVE_PARTNER)
            return (first, second)[luck.below(2)]
        if s.phase == MARKET:
            supply = [card for card in range(MARKET_SIZE) if s.market[card] == AT_SUPPLY and card not in OF_HANDS]
            return encode_market(self.any_of([card for card in supply if card in (MIND_CONTROL, SPYCATION)] or supply))
        if s.taken != NONE and luck.below(2):
            hand.remove(Card(int(s.taken), seen=True))
            return encode_recruit(int(s.taken))
        mask = np.zeros(self.game.num_actions, np.int8)
        self.game.legal(s, mask)
        if s.taken != NONE:
            mask[encode_recruit(int(s.taken))] = 0
            return int(np.flatnonzero(mask)[0])  # decline
        card = self.any_of([card for card in range(KINDS) if mask[encode_take(card)]])
        hand.append(Card(card, seen=True))
        return encode_take(card)

    def any_of(self, items: Sequence[int]) -> int:
        """A random item; BrokenRule, which ends the game, if there is none."""
        if not items:
            raise BrokenRule
        return items[self.luck.below(len(items))]

    def play(self, seat: int) -> Int:
        """An offer, or a team member's part of it."""
        s, hand = self.s, self.hands[seat]
        alike = len({card.name for card in hand}) == 1
        if s.phase == UP:
            up = self.take(seat)
            self.show(seat, up)
            return encode_up(up.name)
        if s.phase == DOWN:
            self.down = self.take(seat)
            if self.down.name == s.face_up and not alike:
                raise BrokenRule
            return encode_down(self.down.name)
        up, self.down = self.take(seat), self.take(seat)
        if up.name == self.down.name and not alike:
            raise BrokenRule
        hand.append(self.down)
        self.show(seat, up)
        hand.remove(self.down)
        return encode_pair(up.name, self.down.name)


def games(game: Game, number: int, luck: Luck, revealed: int) -> Iterator[Iterator[tuple[np.ndarray, int]]]:
    """Games played by places; the first `revealed` of them begin with cards shown to all."""
    for i in range(number):
        table = Table(game, game.start(int(luck.seed())), luck)
        if i < revealed:
            table.reveal()
        yield positions(table)


def positions(table: Table) -> Iterator[tuple[np.ndarray, int]]:
    """Every position for one viewer."""
    while True:
        yield table.states, table.luck.below(table.game.num_players)
        if table.s.to_move == NONE:
            return
        try:
            table.act()
        except BrokenRule:
            return


def names_of(players: int) -> list[str]:
    """The facts that `facts_of` counts."""
    of_agents = [*(f"hand {place}" for place in range(1, players)), "discards", "top", "bottom", "face down"]
    market = [f"{where} of the market: {card}" for where in ("top", "bottom") for card in MARKET_CARDS]
    offers = ["a seen name lies down", "the open name lies down", "the hand has more of it", "names in hands"]
    return [f"{where}: {agent}" for where in of_agents for agent in AGENTS] + market + offers


def facts_of(players: int) -> Facts:
    """The facts to count: which cards are in each hidden place."""

    def facts(states: np.ndarray, viewer: int) -> np.ndarray:
        here = as_record(states)
        others = [(viewer + place) % players for place in range(1, players)]
        hands, rows = states["hands"][:, others].astype(np.int64), np.arange(len(states))
        size, market = int(here.deck_size), int(here.market_deck_size)
        nothing = np.full(len(states), NONE)
        found = [*hands.transpose(1, 0, 2), states["discarded"][:, others].sum(axis=1, dtype=np.int64)]
        found += [one_hot(states["deck"][:, i] if size else nothing, KINDS) for i in (size - 1, 0)]
        hidden = here.face_down != NONE
        offerer = 0
        if hidden:
            alone = players == 2 or (players == 3 and here.active_side == 1)
            offerer = int(here.active_side) * (players - 1) if alone else int(here.leader) ^ 1
            hidden = offerer != viewer
        down = states["face_down"].astype(np.int64) if hidden else nothing
        found += [one_hot(down, KINDS)]
        found += [one_hot(states["market_deck"][:, i] if market else nothing, MARKET_SIZE) for i in (market - 1, 0)]
        found += [hidden * (states["seen"][rows, offerer, down] > 0)[:, None]]
        found += [hidden * (down == states["face_up"])[:, None]]
        found += [hidden * states["hands"][rows, offerer, down].astype(np.int64)[:, None]]
        found += [(hands > 0).sum(axis=(1, 2))[:, None]]
        return np.hstack(found).astype(np.int64)

    return facts


def calibration(game: Game, number: int, revealed: int, seed: int) -> dict[str, Found]:
    luck, players = Luck(seed), game.num_players
    return compare(game, games(game, number, luck, revealed), names_of(players), facts_of(players), luck)


def check_all(options: dict[str, Any], number: int, revealed: int, seed: int) -> None:
    """Check in a variant that every fact is calibrated and that each kind of fact was uncertain."""
    advanced = options.get("mode") == "advanced"
    found = calibration(make_game("agent_avenue_v0", **options), number, revealed if advanced else 0, seed)
    check(found)
    for place in ("hand 1", "discards", "top", "bottom", "face down"):
        assert {f"{place}: {agent}" for agent in AGENTS} <= found.keys()
    if advanced:
        assert {f"top of the market: {card}" for card in MARKET_CARDS} <= found.keys()
        assert found["a seen name lies down"].true > number // 10


@pytest.mark.rule("AA-9", "AA-10", "AA-11", "AA-12", "AA-37", "AA-39", "AA-40")
@pytest.mark.parametrize(("options", "number"), [(VARIANTS[0], 600), (VARIANTS[1], 150)], ids=str)
def test_redrawn_hidden_cards_are_calibrated(options: dict[str, Any], number: int) -> None:
    check_all(options, number, 2 * number // 3, 1)


@pytest.mark.slow
@pytest.mark.rule("AA-9", "AA-10", "AA-11", "AA-12", "AA-37", "AA-39", "AA-40")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_redrawn_hidden_cards_are_calibrated_in_many_games(options: dict[str, Any]) -> None:
    check_all(options, 2_500, 1_250, 3)


@pytest.mark.slow
@pytest.mark.rule("AA-10", "AA-11", "AA-12", "AA-37")
def test_seen_cards_and_identical_pairs_are_calibrated_in_games_without_revealed_cards() -> None:
    """Both are rare in games that begin without revealed cards, hence many games."""
    found = calibration(make_game("agent_avenue_v0", **VARIANTS[0]), 10_000, 0, 2)
    check(found)
    assert found["a seen name lies down"].true > 250
    assert found["the open name lies down"].true > 10


def test_a_face_down_card_drawn_from_the_whole_hand_is_found() -> None:
    """This `determinize` ignores that cards drawn after the offer cannot be face down (AA-11)."""

    def any_card(s: Record, seat: int, seed: np.uint64) -> None:
        game.determinize(s, seat, seed)
        if s.phase == RECRUIT and s.active_side != seat:
            hand = s.hands[1 - seat]
            hand[s.face_down] += 1
            cards = [card for card in range(KINDS) for _ in range(hand[card])]
            s.face_down = cards[Luck(int(seed)).below(len(cards))]
            hand[s.face_down] -= 1

    game = make_game("agent_avenue_v0", **VARIANTS[0])
    with pytest.raises(AssertionError):
        check(calibration(replace(game, determinize=any_card), 600, 400, 1))
