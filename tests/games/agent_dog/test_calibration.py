"""`determinize` is calibrated: hidden cards and colors under hats are as frequent in redrawn worlds as in play.

Cards are passed, played and discarded by their places in the hand, and pawns move at random. A game ends when the view
loses information that could be known:

- a card is played that has the name of the one that the viewer passed to that hand, but is another copy;
- a turn ends in which a card had to be redrawn (AD-35);
- the discards become a new deck.

With hidden_colours="table" the view also loses which pawn went under which hat. There the colors count only after the
test has shuffled them among all hats, and until a pawn of a known color is hidden.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog.actions import encode_discard, encode_pass, encode_play
from spygames.agent_dog.cards import CARDS, CHOICE_CARD, CHOICES, KINDS
from spygames.agent_dog.layout import CARD, EXCHANGE, HAT, NONE, REDRAW
from spygames.agent_dog.queries import board_unchanged, taker
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, as_record
from tests.games.agent_dog.conftest import game_of
from tests.support.calibration import ENOUGH, Facts, Found, Luck, check, compare, one_hot

VARIANTS: list[dict[str, Any]] = [
    {"players": 4},
    {"players": 2},
    {"players": 3},
    {"players": 4, "hidden_colours": "tracked"},
    {"players": 3, "deck": "royal", "first_player": "random"},
]
COLOURS = 4


class Play:
    """A game for one viewer."""

    def __init__(self, game: Game, luck: Luck) -> None:
        self.game, self.luck = game, luck
        self.states = game.start(int(luck.seed()))
        self.s = as_record(self.states)
        self.viewer = luck.below(game.num_players)
        self.passed_is_there = False
        self.dealt_anew = False

    def positions(self) -> Iterator[tuple[np.ndarray, int]]:
        """About every second position."""
        while True:
            if self.luck.below(2):
                yield self.states, self.viewer
            if self.s.to_move == NONE or not self.act():
                return
            if not self.dealt_anew and not self.s.options.tracked and self.luck.below(8) == 0:
                self.deal_hats()

    def deal_hats(self) -> None:
        """Shuffle the hidden colors among the hats."""
        board = self.states["board"][0]
        hats = np.flatnonzero(board >= HAT)
        for i in range(len(hats) - 1, 0, -1):
            j = self.luck.below(i + 1)
            board[hats[i]], board[hats[j]] = board[hats[j]], board[hats[i]]
        self.dealt_anew = len(hats) > 1

    def act(self) -> bool:
        """Take one decision; returns False if the game ends, by its rules or because the view loses information."""
        s, before = self.s, self.states.copy()
        action = self.choose()
        if action == NONE:
            return False
        phase, redrawn, seat = int(s.phase), bool(s.redrawn), int(s.to_move)
        self.game.apply(s, action)
        if phase == EXCHANGE:
            self.passed_is_there = self.passed_is_there or seat == self.viewer
        elif s.phase == EXCHANGE:
            self.passed_is_there = False
        if s.discard_size < before["discard_size"][0] - 1:
            return False
        if redrawn and not (s.redrawn and (s.phase in (CARD, REDRAW) or board_unchanged(s))):
            return False
        return not self.dealt_anew or not hides_somebody(before["board"][0], self.states["board"][0])

    def choose(self) -> int:
        """An action by places, or NONE if it is not legal or the view would lose information."""
        s, luck = self.s, self.luck
        seat, mask = int(s.to_move), np.zeros(self.game.num_actions, np.int8)
        self.game.legal(s, mask)
        if s.phase not in (EXCHANGE, REDRAW, CARD):
            legal = np.flatnonzero(mask)
            return int(legal[luck.below(len(legal))])
        hand = [card for card in range(KINDS) for _ in range(s.hands[seat, card])]
        at = luck.below(len(hand))
        card = hand[at]
        if s.phase == EXCHANGE:
            return int(encode_pass(card))
        if seat == int(taker(s, self.viewer)) and self.passed_is_there and card == s.passed[self.viewer]:
            if at != hand.index(card):  # the first copy counts as the passed one
                return NONE
            self.passed_is_there = False
        if s.phase == REDRAW:
            return int(encode_discard(card))
        plays = [int(encode_play(i)) for i in range(len(CHOICES)) if CHOICE_CARD[i] == card and mask[encode_play(i)]]
        return plays[luck.below(len(plays))] if plays else NONE


def hides_somebody(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether a visible pawn may have been hidden: there is a new hat, and not just because a hat moved."""
    new, gone = ((x >= HAT) & (y < HAT) for x, y in ((after, before), (before, after)))
    same = np.array_equal(np.where(before < HAT, before, NONE), np.where(after < HAT, after, NONE))
    return bool(new.any()) and not (new.sum() == gone.sum() == 1 and same)


def names_of(players: int) -> list[str]:
    """The facts that `facts_of` counts."""
    places = [f"hand {place}" for place in range(1, players)] + [f"passed by {place}" for place in range(1, players)]
    names = [f"{where}: {card}" for where in (*places, "top", "bottom") for card in CARDS]
    return names + [f"under the {which} hat: {colour}" for which in ("first", "last") for colour in range(COLOURS)]


class Calibration:
    """Games of a variant, and the facts about the current one."""

    def __init__(self, game: Game, number: int, seed: int) -> None:
        self.game, self.luck, self.number = game, Luck(seed), number

    def games(self) -> Iterator[Iterator[tuple[np.ndarray, int]]]:
        """The games, one after the other."""
        for _ in range(self.number):
            self.play = Play(self.game, self.luck)
            yield self.play.positions()

    def facts(self, states: np.ndarray, viewer: int) -> np.ndarray:
        """The facts to count: the cards in each hidden place, and the colors under the first and the last hat."""
        here, nothing, players = as_record(states), np.full(len(states), NONE), self.game.num_players
        others = [(viewer + place) % players for place in range(1, players)]
        found = [*states["hands"][:, others].transpose(1, 0, 2).astype(np.int64)]
        for other in others:
            hidden = not here.redrawn and (here.phase == EXCHANGE or taker(here, other) != viewer)
            found += [one_hot(states["passed"][:, other] if hidden else nothing, KINDS)]
        size = int(here.deck_size)
        found += [one_hot(states["deck"][:, i] if size else nothing, KINDS) for i in (size - 1, 0)]
        hats = np.flatnonzero(states["board"][0] >= HAT) if self.play.dealt_anew else []
        for i in (0, -1):
            colours = (states["board"][:, hats[i]] - HAT - viewer) % COLOURS if len(hats) else nothing
            found += [one_hot(colours, COLOURS)]
        return np.hstack(found)

    def found(self) -> dict[str, Found]:
        """The counts of each fact, after all games."""
        facts: Facts = self.facts
        return compare(self.game, self.games(), names_of(self.game.num_players), facts, self.luck)


def check_all(options: dict[str, Any], number: int, seed: int) -> None:
    """Check in a variant that every fact is calibrated and that each kind of fact was uncertain in enough games."""
    found = Calibration(game_of(options), number, seed).found()
    check(found)
    judged = {name for name, each in found.items() if each.games >= ENOUGH}
    there = [card for card, n in zip(CARDS, game_of(options).packed["copies"][0], strict=True) if n]
    assert {f"{where}: {card}" for where in ("hand 1", "top", "bottom") for card in there} <= judged
    if options["players"] > 2:
        assert {f"passed by 1: {card}" for card in there} <= judged
    if number > 1000 and options.get("hidden_colours") != "tracked":
        assert {"under the first hat: 0", "under the last hat: 0"} <= judged


@pytest.mark.rule("AD-6", "AD-9", "AD-24", "AD-26")
def test_redrawn_hidden_facts_are_calibrated() -> None:
    check_all(VARIANTS[0], 400, 1)


@pytest.mark.slow
@pytest.mark.rule("AD-6", "AD-9", "AD-24", "AD-26", "AD-35")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_redrawn_hidden_facts_are_calibrated_in_many_games(options: dict[str, Any]) -> None:
    check_all(options, 3_000, 2)


def test_a_sorted_deck_is_found() -> None:
    """The top card of a sorted deck is of a high kind too often."""

    def in_order(s: Record, seat: int, seed: np.uint64) -> None:
        game.determinize(s, seat, seed)
        s.deck[: s.deck_size].sort()

    game = game_of(VARIANTS[0])
    with pytest.raises(AssertionError):
        check(Calibration(replace(game, determinize=in_order), 100, 3).found())
