"""`determinize` is calibrated: hidden identities, cards and predictions are as frequent in redrawn worlds as in play.

Seats move random agents, play cards by their places in the hand, and predict at random, so their choices reveal
nothing about their identities and cards. Predictions count once they are complete.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.support.calibration import ENOUGH, Facts, Found, Luck, check, compare, one_hot

from spygames import make_game
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, as_record
from spygames.heimlich.actions import ACT_CARD, ACT_PASS
from spygames.heimlich.board import AGENTS
from spygames.heimlich.cards import CARDS, KINDS, NEW_IDENTITY
from spygames.heimlich.layout import FIRST_OWNER, FREE, GUESS, NONE, OVER, ROUND, UNASKED

FULL: dict[str, Any] = {"top_secret": True, "secret_identities": True}
VARIANTS: list[dict[str, Any]] = [
    {"players": 3} | FULL,
    {"players": 2} | FULL,
    {"players": 5} | FULL,
    {"players": 4, "secret_identities": True},
    {"players": 7, "top_secret": True},
]


def positions(game: Game, luck: Luck) -> Iterator[tuple[np.ndarray, int]]:
    """A game played by places: about every second position, for one viewer."""
    states, predictions = game.start(int(luck.seed())), dict[int, list[str]]()
    s, mask = as_record(states), np.zeros(game.num_actions, np.int8)
    while True:
        if luck.below(2) or s.to_move == NONE:
            yield states, luck.below(game.num_players)
        if s.to_move == NONE:
            return
        seat = int(s.to_move)
        game.legal(s, mask)
        if s.phase == ROUND:
            hand = [kind for kind in range(KINDS) for _ in range(s.hands[seat, kind])]
            action = ACT_PASS if luck.below(4) else ACT_CARD + hand[luck.below(len(hand))]
            if not mask[action]:
                return
        elif s.phase == GUESS:
            if seat not in predictions:
                predictions[seat] = prediction(game, seat, int(s.passports[seat]), luck)
            action = game.string_to_action(s, predictions[seat].pop(0), seat)
        else:
            legal = np.flatnonzero(mask)
            action = int(legal[luck.below(len(legal))])
        game.apply(s, action)


def prediction(game: Game, seat: int, own: int, luck: Luck) -> list[str]:
    """A random prediction that HC-33 allows: each other player has one of the other agents, the rest is free."""
    players, agents = game.num_players, int(game.packed["agents"][0])
    owners = [f"player_{other}" for other in range(players) if other != seat]
    owners += ["free"] * (agents - players)
    for i in range(len(owners) - 1, 0, -1):
        j = luck.below(i + 1)
        owners[i], owners[j] = owners[j], owners[i]
    others = [agent for agent in AGENTS[:agents] if agent != AGENTS[own]]
    return [f"guess {agent} {owner}" for agent, owner in zip(others, owners, strict=True)]


def names_of(game: Game) -> list[str]:
    """The facts that `facts_of` counts."""
    agents, places = AGENTS[: int(game.packed["agents"][0])], range(1, game.num_players)
    names = [f"seat {place} is {agent}" for place in places for agent in agents]
    names += [f"{agent} was put back" for agent in agents]
    names += [f"{what} {agent}" for what in ("called free:", "called the viewer's:", "left out:") for agent in agents]
    names += ["right predictions"]
    names += [f"hand {place}: {card}" for place in places for card in CARDS]
    return names + [f"{where}: {card}" for where in ("top", "bottom") for card in CARDS]


def facts_of(game: Game) -> Facts:
    """The facts to count: the identities, and which cards are in each hidden place."""
    players, agents = game.num_players, int(game.packed["agents"][0])

    def facts(states: np.ndarray, viewer: int) -> np.ndarray:
        here, nothing = as_record(states), np.full(len(states), NONE)
        others = [(viewer + place) % players for place in range(1, players)]
        found = [one_hot(states["passports"][:, other], agents) for other in others]
        found += [one_hot(states["former"], agents)]
        free, viewers, out = (np.zeros((len(states), agents), np.int64) for _ in range(3))
        right = np.zeros((len(states), 1), np.int64)
        owner = np.where(states["owner"] == NONE, FREE, FIRST_OWNER + states["owner"])[:, :agents]
        for other in others:
            guesses = states["guesses"][:, other, :agents]
            if (guesses[0] != UNASKED).sum() == agents - 1:
                free += guesses == FREE
                viewers += guesses == FIRST_OWNER + viewer
                out += guesses == UNASKED
                right[:, 0] += (guesses == owner).sum(axis=1)
        found += [free, viewers, out, right]
        found += [*states["hands"][:, others].transpose(1, 0, 2).astype(np.int64)]
        size = int(here.deck_size)
        found += [one_hot(states["deck"][:, i] if size else nothing, KINDS) for i in (size - 1, 0)]
        return np.hstack(found)

    return facts


def calibration(game: Game, number: int, seed: int) -> dict[str, Found]:
    luck = Luck(seed)
    return compare(game, (positions(game, luck) for _ in range(number)), names_of(game), facts_of(game), luck)


def check_all(options: dict[str, Any], number: int, seed: int) -> None:
    """Check in a variant that every fact is calibrated and that each kind of fact was uncertain in enough games."""
    found = calibration(make_game("heimlich_v0", **options), number, seed)
    check(found)
    judged = {name for name, each in found.items() if each.games >= ENOUGH}
    assert {f"seat 1 is {agent}" for agent in AGENTS[:5]} <= judged
    if options.get("top_secret"):
        assert {f"{where}: {card}" for where in ("hand 1", "top", "bottom") for card in CARDS[:NEW_IDENTITY]} <= judged
    if options.get("secret_identities"):
        assert {"right predictions", *(f"called free: {agent}" for agent in AGENTS[:5])} <= judged


@pytest.mark.rule("HC-5", "HC-20", "HC-33")
def test_redrawn_hidden_facts_are_calibrated() -> None:
    check_all(VARIANTS[0], 300, 1)


@pytest.mark.slow
@pytest.mark.rule("HC-5", "HC-20", "HC-31", "HC-33")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_redrawn_hidden_facts_are_calibrated_in_many_games(options: dict[str, Any]) -> None:
    check_all(options, 2_000, 2)


def test_identities_that_are_not_random_are_found() -> None:
    """This `determinize` gives the seat to the left its first possible agent."""

    def first_agent(s: Record, seat: int, seed: np.uint64) -> None:
        game.determinize(s, seat, seed)
        left = (seat + 1) % game.num_players
        first = 0 if s.passports[seat] else 1
        if s.phase != OVER and s.swapped == NONE:
            other, own = int(s.owner[first]), int(s.passports[left])
            s.owner[first], s.owner[own], s.passports[left] = left, other, first
            if other != NONE:
                s.passports[other] = own

    game = make_game("heimlich_v0", **VARIANTS[0])
    with pytest.raises(AssertionError):
        check(calibration(replace(game, determinize=first_agent), 60, 3))
