"""In Heimlich & Co., the search's belief about identities is the exact posterior and beats a classifier."""

import copy
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
import torch
from studies import heimlich_identities as naming

from spygames import make_game
from spygames.core.game.game import NOBODY, Game, as_record, flat
from spygames.core.players.beliefs import in_things
from spygames.core.players.history import Noted, Notes
from spygames.core.players.names import make_player
from spygames.core.playing.batch import Batch
from spygames.heimlich.board import ABSOLUTE, MAX_AGENTS
from spygames.heimlich.layout import GUESS
from spygames_training.config import Network
from spygames_training.networks.actor_critic import make_network
from spygames_training.search import SearchingPolicy, SearchSettings
from spygames_training.search.draws import Sampled
from spygames_training.search.loops import loops_of
from spygames_training.search.models import Rival, log_probabilities
from spygames_training.search.policy_search import PolicySearch, Question
from tests.support.suites import slow_but

SLIP = SearchSettings().slip
VARIANTS: list[dict[str, Any]] = [{"players": 2}, {"players": 3}, {"players": 3, "secret_identities": True}]


class Exact:
    """A fresh float64 network whose rows are independent, sharpened so that decisions reveal much."""

    def __init__(self, game: Game) -> None:
        torch.manual_seed(3)
        network = copy.deepcopy(make_network(game, Network((32,)))).double().eval()
        self.trunk, self.policy = network.trunk, network.policy

    @torch.inference_mode()
    def ask(
        self, views: np.ndarray, mask: np.ndarray, rng: np.ndarray, values: bool = True
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Return logits as in `Model.ask`, and zeros for values."""
        logits = self.policy(self.trunk(torch.from_numpy(flat(views).astype(np.float64)))).numpy()
        return 40 * logits, np.zeros(len(views))


@cache
def renumbered(own: int, other: int, game: Game) -> np.ndarray:
    """Map each action of the owner of agent `own` to that of the owner of `other` with the same text.

    Returns int64 [A]; -1 for none.
    """
    states = game.start(0)
    s, found = as_record(states), np.full(game.num_actions, -1)
    texts = []
    for agent in (own, other):
        s.passports[0] = agent
        texts.append([game.action_to_string(s, action, 0) for action in range(game.num_actions)])
    for action, text in enumerate(texts[0]):
        found[action] = texts[1].index(text) if text in texts[1] else -1
    return found


def brute_force(game: Game, model: Exact, root: np.ndarray, noted: Noted) -> np.ndarray:
    """Return the exact posterior over the other passports, float64 [seat, agent], given all decisions of others.

    All ways to deal them are tried: each past is evaluated as if those passports had been dealt at the start.
    """
    viewer, players, agents = int(root["to_move"][0]), game.num_players, int(game.packed["agents"][0])
    own, others = int(root["passports"][0, viewer]), [p for p in range(players) if p != int(root["to_move"][0])]
    told = np.flatnonzero((noted.states["to_move"] != viewer) & (noted.states["phase"] != GUESS))
    ways = list(permutations([agent for agent in range(agents) if agent != own], players - 1))
    total = np.zeros(len(ways))
    for k, way in enumerate(ways):
        states, seats = noted.states[told].copy(), noted.states["to_move"][told].astype(int)
        for seat, agent in zip(others, way, strict=True):
            states["passports"][:, seat] = agent
        views, mask = game.new_views(len(states)), np.zeros((len(states), game.num_actions), np.int8)
        loops_of(game).show(states, views, mask)
        true, now = noted.states["passports"][told, seats], states["passports"][np.arange(len(told)), seats]
        actions = np.array(
            [renumbered(int(t), int(n), game)[a] for t, n, a in zip(true, now, noted.actions[told], strict=True)], int
        )
        p = np.exp(log_probabilities(model.ask(views, mask, np.zeros((len(views), 1), np.uint64))[0], mask))
        p = (1 - SLIP) * p[np.arange(len(told)), actions] + SLIP / mask.sum(axis=1)
        total[k] = np.log(p).sum()
    share = np.exp(total - total.max())
    found = np.zeros((players, agents))
    found[viewer, own] = 1
    for way, chance in zip(ways, share / share.sum(), strict=True):
        found[others, list(way)] += chance
    return found


def check_exact(options: dict[str, Any], positions: int, seed: int) -> float:
    """Compare the belief with brute force in random positions.

    The games' players decide as the modeled rival does. Returns the mean of the posterior's largest probability for an
    agent.
    """
    game = make_game("heimlich_v0", **options)
    model = Exact(game)
    settings = SearchSettings(worlds=16)
    search = PolicySearch(game, model, [Rival("policy", model, SLIP)], settings)
    games = 4
    batch, notes, draws = Batch(game, games, seed, threads=1), Notes(game, games, 1024), Sampled(game, np.uint64(seed))
    rng, looked, sure = np.random.default_rng(seed), 0, 0.0
    while looked < positions:
        logits, _ = model.ask(batch.views, batch.mask, draws.streams(games))
        actions = draws.act(logits, batch.mask, draws.streams(games))[1]
        row = int(rng.integers(games))
        root, noted = batch.states[row : row + 1], notes.of(row)
        by_others = noted.states["to_move"] != root["to_move"][0]
        # The predictions of others are a further unknown, which their views contain.
        known = by_others.any() and not (noted.states["phase"] == GUESS).any()
        if rng.random() < 0.3 and known:
            found = search.believe(Question(root, noted, Sampled(game, np.uint64(looked))), settings.worlds)
            expected = brute_force(game, model, root, noted)
            here = found.distribution("passports")[: game.num_players]
            np.testing.assert_allclose(here, expected[:, : here.shape[1]], atol=1e-6)
            looked, sure = looked + 1, sure + float(expected.max(axis=1).mean())
        notes.add(batch.states, actions)
        batch.step(actions)
        notes.clear(batch.done)
    return sure / looked


@pytest.mark.parametrize("options", slow_but(VARIANTS, 1), ids=str)
def test_the_belief_is_the_posterior_over_the_whole_history(options: dict[str, Any]) -> None:
    """Compare with brute force to 1e-6; the posterior is neither uniform nor certain throughout."""
    assert 0.4 < check_exact(options, 12, 5) < 0.999


@pytest.mark.slow
@pytest.mark.parametrize("options", [*VARIANTS[1:], {"players": 4}], ids=str)
def test_the_belief_is_the_posterior_in_a_thousand_positions(options: dict[str, Any]) -> None:
    check_exact(options, 340, 6)


def test_a_distribution_uses_the_weights_of_worlds() -> None:
    game = make_game("heimlich_v0", players=3)
    player = make_player(game, "heimlich/base-3+search:16")
    assert isinstance(player, SearchingPolicy)
    states = game.start(9)
    own, found = int(states["passports"][0, 0]), player.believe(states, 1)
    chances = found.distribution("passports")
    assert chances.shape == (MAX_AGENTS, 6)
    np.testing.assert_allclose(chances[0], np.eye(6)[own], atol=1e-12)
    np.testing.assert_allclose(chances[1:3][:, ABSOLUTE[own, 1:6]], 0.2, atol=1e-12)
    assert (chances[3:] == 0).all()
    assert len({tuple(row) for row in found.worlds["passports"][:, :3].tolist()}) == 20
    told = dict(in_things(game, as_record(states), 0, found.worlds, found.weights.sum(axis=0)))
    assert {seat: [round(share, 9) for _, share in told[f"player_{seat}'s passport"]] for seat in (1, 2)} == {
        seat: [0.2] * 5 for seat in (1, 2)
    }


@pytest.mark.slow
def test_it_identifies_agents_better_than_the_classifier() -> None:
    """Compare log losses in games that the classifier did not learn from.

    The classifier sees the record at the end; the search sees all decisions up to the last one.
    """
    game, spec, games = make_game("heimlich_v0", players=3), "heimlich/base-3@sample", 1200
    states = naming.final_states(game, spec, games, 4)
    record, owned = naming.public_record(game, states), naming.answers(game, states)
    network, cut = naming.learn(record[: games // 2], owned[: games // 2], 1), games // 2
    with torch.no_grad():
        x, y = naming.features(record[cut:]).flatten(0, 1), torch.from_numpy(owned[cut:]).flatten()
        classifier = float(torch.nn.functional.cross_entropy(network(x), y))
    search = make_player(game, "heimlich/base-3+search:16")
    assert isinstance(search, SearchingPolicy)
    lost = [np.mean(-np.log(np.maximum(each, 1e-9))) for each in last_beliefs(game, search, spec, 60)]
    assert np.mean(lost) < classifier


def last_beliefs(game: Game, search: SearchingPolicy, spec: str, games: int) -> list[np.ndarray]:
    """Return for each game the probabilities of the rivals' true agents, float64 [P - 1], at a seat's last decision."""
    player = make_player(game, spec)
    batch, notes, luck = Batch(game, games, 8, threads=1), Notes(game, games, 1024), np.arange(games, dtype=np.uint64)
    rng, last = luck.reshape(-1, 1).copy(), [(batch.states[:1].copy(), notes.of(0))] * games
    going = np.ones(games, np.bool_)
    while going.any():
        for row in np.flatnonzero(going):
            last[row] = (batch.states[row : row + 1].copy(), notes.of(int(row)))
        actions = player.act(batch.decisions(rng, np.arange(games)))
        notes.add(batch.states, actions)
        batch.step(actions)
        going &= ~batch.done
        notes.clear(batch.done)
    found = []
    for states, noted in last:
        chances, viewer = search.believe(states, 1, noted).distribution("passports"), int(states["to_move"][0])
        assert viewer != NOBODY
        found.append(np.array([chances[p, states["passports"][0, p]] for p in range(game.num_players) if p != viewer]))
    return found
