"""The search in all games: hidden information changes nothing, and rivals may be any bot of the game."""

from typing import Any

import numpy as np
import pytest
import torch

from spygames import make_game
from spygames.agent_avenue.actions import PLAY_PAIR
from spygames.agent_dog.layout import EXCHANGE, MEETING, SWAPPING
from spygames.agent_dog.queries import taker
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.players.history import Noted, Notes
from spygames.core.players.names import make_player
from spygames.core.players.player import bot_loop
from spygames.core.playing.batch import Batch
from spygames.heimlich.layout import GUESS
from spygames.testing.hidden import indistinguishable_decision
from spygames.testing.trial import determinized, mask_of, view_of
from spygames_training.agents.policy import Policy
from spygames_training.config import Network
from spygames_training.networks.actor_critic import make_network
from spygames_training.search import SearchingPolicy
from spygames_training.search.draws import Sampled
from spygames_training.search.settings import read_settings
from tests.support.asked import ask
from tests.support.suites import slow_but

AGENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "agent_avenue/advanced-2-first": ("agent_avenue_v0", {"mode": "advanced"}),
    "agent_avenue/simple-4-first": ("agent_avenue_v0", {"players": 4}),
    "heimlich/base-3-first": ("heimlich_v0", {"players": 3}),
    "heimlich/full-4-first": ("heimlich_v0", {"players": 4, "top_secret": True, "secret_identities": True}),
    "agent_dog/standard-2-first": ("agent_dog_v0", {"players": 2}),
    "agent_dog/standard-4-first": ("agent_dog_v0", {"players": 4}),
}
"""Anchors, which never change, with their games."""


def game_of(agent: str) -> Game:
    game_id, options = AGENTS[agent]
    return make_game(game_id, **options)


def searching(agent: str, settings: str) -> SearchingPolicy:
    player = make_player(game_of(agent), f"{agent}+search:{settings}")
    assert isinstance(player, SearchingPolicy)
    return player


def stays_hidden(game: Game, states: np.ndarray, action: int, viewer: int, root: np.ndarray) -> bool:
    """Return whether the rules never reveal to the viewer which of several actions with one text this was."""
    phase = int(states["phase"][0])
    if game.name == "agent_avenue":
        return action < PLAY_PAIR
    if game.name == "heimlich":
        return phase == GUESS
    if phase == EXCHANGE:
        known = root["phase"][0] != EXCHANGE or root["round_number"][0] != states["round_number"][0]
        return not (known and int(taker(as_record(states), int(states["to_move"][0]))) == viewer)
    return phase == MEETING or (phase == SWAPPING and states["first"][0] != NOBODY)


def another(game: Game, states: np.ndarray, action: int, viewer: int, rng: np.random.Generator) -> int:
    """Return a random action that the viewer cannot distinguish from this one by its text or by the resulting view."""
    mover, found = int(states["to_move"][0]), []
    text = game.seen_action(as_record(states), action, mover, viewer)
    for each in np.flatnonzero(mask_of(game, as_record(states))):
        if game.seen_action(as_record(states), int(each), mover, viewer) == text:
            found.append(int(each))
    views = []
    for each in (action, chosen := int(rng.choice(found))):
        after = states.copy()
        game.apply(as_record(after), each)
        views.append(view_of(game, as_record(after), viewer).tobytes())
    return chosen if views[0] == views[1] else action


def scrambled(game: Game, states: np.ndarray, noted: Noted, seat: int, seed: int) -> tuple[np.ndarray, Noted, int]:
    """Redraw everything that `seat` does not know, in the state and in the notes.

    Returns both, and the number of noted decisions that changed.
    """
    rng, past, actions, changed = np.random.default_rng(seed), noted.states.copy(), noted.actions.copy(), 0
    for k in range(len(past)):
        here = past[k : k + 1]
        if here["to_move"][0] == seat:
            continue
        if (found := indistinguishable_decision(game, here, int(actions[k]), seat, seed + k)) is not None:
            changed += found[0].tobytes() != here.tobytes()
            past[k], actions[k] = found[0][0], found[1]
        if stays_hidden(game, here, int(actions[k]), seat, states):
            actions[k] = another(game, past[k : k + 1], int(actions[k]), seat, rng)
    return determinized(game, states, seat, seed), Noted(past, actions), changed


def check_scrambled(player: SearchingPolicy, games: int, every: int, seed: int, steps: int = 80) -> int:
    """Play random games and search some decisions twice; return the number of changed noted decisions."""
    game = player.game
    batch, notes, choose = Batch(game, games, seed, threads=1), Notes(game, games, 64), bot_loop(game, "random")
    luck, actions = np.arange(games, dtype=np.uint64).reshape(-1, 1), np.zeros(games, np.int64)
    changed, looked, going, step = 0, 0, np.ones(games, np.bool_), 0
    while going.any() and step < steps:
        for row in np.flatnonzero(going & (batch.mask.sum(axis=1) > 1)):
            if (step + 3 * int(row)) % every:
                continue
            state, noted, seat = batch.states[row : row + 1].copy(), notes.of(int(row)), int(batch.seats[row])
            other, others_notes, differ = scrambled(game, state, noted, seat, 100 * step + int(row))
            here, there = player.find(state, step, noted), player.find(other, step, others_notes)
            assert here.action == there.action
            np.testing.assert_array_equal(here.policy, there.policy)
            np.testing.assert_array_equal(here.weights, there.weights)
            assert here.rivals == there.rivals
            if looked % 8 == 0:
                believed = [player.believe(*each) for each in ((state, step, noted), (other, step, others_notes))]
                np.testing.assert_array_equal(believed[0].weights, believed[1].weights)
            changed, looked = changed + differ, looked + 1
        choose(batch.views, batch.mask, luck, np.arange(games), actions, 0, games)
        notes.add(batch.states, actions)
        batch.step(actions)
        going &= ~batch.done
        step += 1
    assert looked >= 8
    return changed


@pytest.mark.parametrize(
    "agent", slow_but(["agent_avenue/advanced-2-first", "heimlich/full-4-first", "agent_dog/standard-4-first"], 0, 1)
)
def test_hidden_information_changes_nothing(agent: str) -> None:
    """Redrawing it in the state and in the notes keeps the findings the same to the last bit."""
    short = agent == "agent_avenue/advanced-2-first"
    player = searching(agent, "4")
    assert check_scrambled(player, games=8 if short else 2, every=5 if short else 9, seed=3) > 40


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["8", "8,rivals=policy|greedy|random"])
@pytest.mark.parametrize("agent", AGENTS)
def test_hidden_information_changes_nothing_in_many_positions(agent: str, settings: str) -> None:
    short = agent == "agent_avenue/advanced-2-first"
    player = searching(agent, settings)
    assert check_scrambled(player, games=80 if short else 12, every=4, seed=5, steps=160) > 1000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game_id", "options"),
    [
        ("agent_avenue_v0", {"players": 3}),
        ("agent_avenue_v0", {"players": 3, "mode": "advanced"}),
        ("agent_avenue_v0", {"players": 4, "mode": "advanced"}),
        ("heimlich_v0", {"players": 2}),
        ("heimlich_v0", {"players": 7}),
        ("heimlich_v0", {"players": 6, "top_secret": True}),
        ("heimlich_v0", {"players": 5, "secret_identities": True}),
        ("heimlich_v0", {"players": 7, "top_secret": True, "secret_identities": True}),
        ("heimlich_v0", {"players": 5, "edition": "ravensburger"}),
        ("agent_dog_v0", {"players": 3}),
        ("agent_dog_v0", {"players": 4, "hidden_colours": "tracked"}),
        ("agent_dog_v0", {"players": 4, "deck": "royal"}),
    ],
    ids=str,
)
def test_hidden_information_changes_nothing_in_any_variant(game_id: str, options: dict[str, Any]) -> None:
    """The untrained network is very confident, so each past decision reveals much."""
    game = make_game(game_id, **options)
    torch.manual_seed(3)
    network = make_network(game, Network((32,))).eval()
    with torch.no_grad():
        network.policy.weight.mul_(600)
    player = SearchingPolicy(Policy(game, network), read_settings(game, "8,rivals=policy|random"))
    short = game.name == "agent_avenue"
    assert check_scrambled(player, games=12 if short else 2, every=5, seed=5, steps=160) > 40


def gains_over_rules(agent: str, steps: int, every: int) -> list[float]:
    """Return how much better `believe` predicts the rivals' hands than the rules alone.

    One logarithmic score for each kind of card.
    """
    player, game = searching(agent, "16"), game_of(agent)
    notes, states, rng = Notes(game, 1, player.notes_size), game.start(4), np.array([[6]], np.uint64)
    mine, gains = make_player(game, f"{agent}@sample"), []
    for step in range(steps):
        s = as_record(states)
        if s.to_move == NOBODY:
            states = game.start(4 + step)
            s = as_record(states)
            notes.clear(np.zeros(1, np.int64))
        if step % every == 0 and mask_of(game, s).sum() > 1:
            others = [seat for seat in range(game.num_players) if seat != s.to_move]
            belief, uniform = player.believe(states, 1, notes.of(0)), Sampled(game, np.uint64(step))
            redrawn = uniform.worlds(states, int(s.to_move), 512)["hands"][:, others]
            true = states["hands"][0, others]
            told = np.tensordot(belief.weights[0], belief.worlds["hands"][:, others] == true, 1)
            chance = (redrawn == true).mean(axis=0)
            gains += (np.log(np.maximum(told, 0.002)) - np.log(np.maximum(chance, 0.002)))[chance < 1].tolist()
        action = ask(game, states, mine, rng)
        notes.add(states, np.array([action]))
        game.apply(s, action)
    return gains


def test_uncertain_cards_are_not_believed_certain() -> None:
    gains = gains_over_rules("heimlich/full-4-first", 120, 13)
    assert len(gains) > 200
    assert np.mean(gains) > -0.03


@pytest.mark.slow
@pytest.mark.parametrize(
    "agent",
    [
        "agent_avenue/simple-4-first",
        "agent_avenue/advanced-2-first",
        "heimlich/full-4-first",
        "agent_dog/standard-2-first",
    ],
)
def test_hands_are_predicted_no_worse_than_by_the_rules_alone(agent: str) -> None:
    gains = gains_over_rules(agent, 400, 4)
    assert len(gains) > 300
    assert np.mean(gains) > -0.01


def test_beliefs_about_the_rivals_last_from_round_to_round() -> None:
    """Earlier rounds of Agent DOG reveal nothing about the cards in hand, but still which policy the rivals play."""
    agent = "agent_dog/standard-2-first"
    player, game = searching(agent, "8,rivals=policy|greedy|random"), game_of(agent)
    notes, states, rng = Notes(game, 1, player.notes_size), game.start(2), np.array([[5]], np.uint64)
    bot, mine = make_player(game, "greedy"), make_player(game, f"{agent}@sample")
    told: dict[int, list[dict[str, float]]] = {}
    for _ in range(160):
        s = as_record(states)
        if s.to_move == NOBODY:
            break
        own = game.side_of[int(s.to_move)] == 0
        if own and mask_of(game, s).sum() > 1:
            who = player.believe(states, 1, notes.of(0)).rivals.tolist()
            told.setdefault(int(s.round_number), []).append(dict(zip(player.settings.rivals, who, strict=True)))
        action = ask(game, states, mine if own else bot, rng)
        notes.add(states, np.array([action]))
        game.apply(s, action)
    first, *later = (each for _, each in sorted(told.items()))
    assert first[0]["policy"] == pytest.approx(1 / 3)  # nothing has been observed
    assert len(later) >= 4
    assert max(each["policy"] for one in later for each in one) < 0.3
    assert np.mean([each["greedy"] for one in later for each in one]) > 0.7


@pytest.mark.parametrize(
    "agent", slow_but(["agent_avenue/simple-4-first", "heimlich/base-3-first", "agent_dog/standard-2-first"], 1, 2)
)
def test_rivals_may_be_bots_of_any_game(agent: str) -> None:
    """A rival that plays like one of the given bots is identified."""
    player, game = searching(agent, "8,rivals=policy|greedy|random"), game_of(agent)
    notes, states, rng = Notes(game, 1, 256), game.start(2), np.array([[5]], np.uint64)
    bot, mine = make_player(game, "greedy"), make_player(game, f"{agent}@sample")
    told: list[dict[str, float]] = []
    for step in range(120):
        s = as_record(states)
        if s.to_move == NOBODY:
            break
        own = game.side_of[int(s.to_move)] == 0
        if own and mask_of(game, s).sum() > 1 and step > 24:
            told.append(player.find(states, 1, notes.of(0)).rivals)
        action = ask(game, states, mine if own else bot, rng)
        notes.add(states, np.array([action]))
        game.apply(s, action)
    assert told[-1]["greedy"] > 0.8
    assert sum(told[-1].values()) == pytest.approx(1)
