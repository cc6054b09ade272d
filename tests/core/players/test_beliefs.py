"""Beliefs of players: probabilities of hidden things, from what the seat may know."""

from collections.abc import Mapping
from dataclasses import replace
from math import comb

import numpy as np
import pytest

import spygames
from spygames.core.game.game import Game, as_record, flat
from spygames.core.game.registry import game_ids
from spygames.core.players.beliefs import Belief, drawn_worlds, in_things, win_share
from spygames.core.players.names import make_player
from spygames.core.players.player import DecisionBatch
from spygames.core.records.film import Adviser, Film
from spygames.core.records.record import play_record
from spygames.testing.trial import mask_of
from tests.poker import kuhn

WORLDS = 400


def decision(game: Game, states: np.ndarray) -> DecisionBatch:
    views, mask = game.new_views(), np.zeros((1, game.num_actions), np.int8)
    s = as_record(states)
    game.legal(s, mask[0])
    game.observe(s, int(s.to_move), as_record(views))
    return DecisionBatch(game, states, views, flat(views), mask, np.ones((1, 1), np.uint64), np.zeros(1, int))


def believed(game: Game, states: np.ndarray) -> Mapping[str, Mapping[str, float]]:
    worlds = drawn_worlds(decision(game, states), 0, WORLDS)
    seat = int(states["to_move"][0])
    found: Belief = in_things(game, as_record(states), seat, worlds, np.full(WORLDS, 1 / WORLDS))
    return {what: dict(things) for what, things in found}


def test_a_hand_is_believed_by_the_unseen_cards() -> None:
    """Agent Avenue: four of the 34 unseen cards are in the other hand."""
    game = spygames.make_game("agent_avenue_v0")
    states = game.start(3)
    found = believed(game, states)
    assert set(found) == {"player_1's hand"}
    own = game.seen_to_dict(as_record(states), 0)["hands"]["0"]
    for card, copies in (("mole", 1), ("enforcer", 6), ("saboteur", 6)):
        left = copies - own.count(card)
        exact = 1 - comb(34 - left, 4) / comb(34, 4)
        assert found["player_1's hand"].get(card, 0) == pytest.approx(exact, abs=0.1)


def test_a_known_card_of_a_hand_is_not_believed() -> None:
    """Agent DOG: the viewer has passed it, so its name counts only for another copy."""
    game = spygames.make_game("agent_dog_v0", players=2)
    states = game.start(3)
    for _ in range(game.num_players):
        game.apply(as_record(states), int(mask_of(game, as_record(states)).argmax()))
    (known,) = {*game.seen_to_dict(as_record(states), 0)["hands"]["1"]} - {"?"}
    assert states["to_move"][0] == 0
    assert believed(game, states)["player_1's hand"].get(known, 0) < 0.9


def test_passports_are_believed_among_the_other_agents() -> None:
    """Heimlich & Co.: another player's passport is never one's own agent, and its probabilities add up to 1."""
    game = spygames.make_game("heimlich_v0", players=3)
    states = game.start(3)
    found = believed(game, states)
    own = game.seen_to_dict(as_record(states), 0)["passports"]["0"]
    assert {"player_1's passport", "player_2's passport"} <= set(found)
    for things in (found["player_1's passport"], found["player_2's passport"]):
        assert sum(things.values()) == pytest.approx(1)
        assert own not in things
        assert len(things) == 5  # six agents without the own one


def test_hidden_pawns_and_hands_are_believed() -> None:
    """Agent DOG: places of hidden pawns and cards of other hands have probabilities; the order of piles has none."""
    game = spygames.make_game("agent_dog_v0")
    record = play_record(game, [make_player(game, "random")] * 4, seed=2)
    film = Film(record)
    hats = next(i for i in range(len(film)) if "?" in str(game.seen_to_dict(as_record(film.states, i), 0)["pawns"]))
    at = next(i for i in range(hats, len(film)) if film.states["to_move"][i] == 0)
    found = believed(game, film.states[at : at + 1].copy())
    assert not [what for what in found if "deck" in what or "discard" in what]
    assert "player_1's hand" in found
    assert all(0 < share <= 1 for things in found.values() for share in things.values())


def test_beliefs_depend_only_on_the_view() -> None:
    for game_id in game_ids():
        game = spygames.make_game(game_id)
        states = game.start(9)
        redrawn = states.copy()
        game.determinize(as_record(redrawn), int(states["to_move"][0]), np.uint64(77))
        assert believed(game, states) == believed(game, redrawn)


def test_an_expected_result_is_a_share_of_wins_where_one_side_wins() -> None:
    avenue, three = spygames.make_game("agent_avenue_v0"), spygames.make_game("agent_dog_v0", players=3)
    assert (win_share(avenue, 0.5), win_share(avenue, None)) == (0.75, None)
    assert win_share(three, 0.25) == pytest.approx(0.5)
    assert win_share(replace(avenue, teams=(0, 0)), 0.5) is None


def test_a_game_that_declares_nothing_has_no_beliefs() -> None:
    assert believed(kuhn.make_game(), kuhn.make_game().start(1)) == {}


def test_a_search_advises_with_its_findings() -> None:
    """Its likeliest action is the one that it would take, and its shares are fractions of its simulations."""
    game = spygames.make_game("agent_avenue_v0")
    search = make_player(game, "mcts:50")
    assert isinstance(search, Adviser)
    d = decision(game, game.start(3))
    (advice,) = search.advise(d)
    assert sum(share for _, share in advice.actions) == pytest.approx(1)
    assert all(share * 50 == pytest.approx(round(share * 50)) for _, share in advice.actions)
    assert {text for text, _ in advice.actions} == {
        game.action_to_string(as_record(d.states), int(a), 0) for a in np.flatnonzero(d.mask[0])
    }
    assert advice.value is not None
    assert -1 <= advice.value <= 1
    assert advice.share == pytest.approx((1 + advice.value) / 2)
    assert dict(advice.belief).keys() == {"player_1's hand"}
    assert d.rng[0, 0] == 1  # advice does not advance the stream
