"""The parts of a search, each by itself: sampling, aggregation, and the policy step."""

from functools import cache
from typing import Any

import numpy as np
import pytest
import torch

from spygames import make_game
from spygames.core.game.game import Game
from spygames.core.game.rewinding import TELLS_NOTHING
from spygames.core.playing.batch import Batch
from spygames_training.config import Network
from spygames_training.networks.actor_critic import make_network
from spygames_training.search import SearchSettings
from spygames_training.search.array_kernels import log_told, same_rows
from spygames_training.search.belief import flattened
from spygames_training.search.draws import Sampled
from spygames_training.search.mirror_descent import LOST, Estimate, candidates_of, estimate, losing, mirror_step
from spygames_training.search.models import BotModel, Rival, TableModel, UniformModel, log_probabilities
from spygames_training.search.network_model import SIZES, NetworkModel
from spygames_training.search.policy_search import PolicySearch, Question
from spygames_training.search.rollouts import Beginnings, play_out
from tests.poker import kuhn, leduc
from tests.poker.nashconv import Tree
from tests.poker.test_search import Everything
from tests.support import pennies

KUHN = kuhn.make_game()


def test_candidates_are_the_likeliest_actions() -> None:
    prior = np.array([0.01, 0.5, 0.0, 0.04, 0.45])
    assert candidates_of(prior, 0.02, 8).tolist() == [1, 4, 3]
    assert candidates_of(prior, 0.02, 2).tolist() == [1, 4]
    assert candidates_of(prior, 0.0, 8).tolist() == [1, 4, 3, 0]
    assert candidates_of(prior, 0.9, 8).tolist() == [1]


def test_errors_are_those_of_differences_in_the_same_worlds() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(size=400) * 10  # common to all candidates, so it adds no error to their differences
    returns = luck[:, None] + np.array([1.0, 2.0]) + rng.normal(size=(400, 2)) * 0.5
    found = estimate(returns, np.full(400, 1 / 400))
    np.testing.assert_allclose(found.values, returns.mean(axis=0))
    np.testing.assert_allclose(found.gains, np.array([0, (returns[:, 1] - returns[:, 0]).mean()]))
    np.testing.assert_allclose(found.errors, np.array([0, np.std(returns[:, 1] - returns[:, 0], ddof=1) / 20]))
    assert estimate(returns, np.full(400, 1 / 400), exact=True).errors.tolist() == [0, 0]
    assert estimate(returns[:1], np.ones(1)).errors.tolist() == [0, np.inf]


def test_a_candidate_that_is_clearly_behind_is_losing() -> None:
    gains, errors = np.array([0.0, 1.0, 0.4, 0.4]), np.array([0.0, 0.1, 0.1, 0.5])
    assert losing(Estimate(gains, gains, errors)).tolist() == [False, False, True, False]
    assert 0.4 + LOST * 0.1 < 1 < 0.4 + LOST * 0.5


def test_the_step_is_magnetic_mirror_descent() -> None:
    """The step maximizes values . new - tau KL(new || prior) - alpha KL(new || magnet)."""
    prior, magnet = np.array([0.2, 0.5, 0.3]), np.array([0.6, 0.2, 0.2])
    values, tau, alpha = np.array([1.0, -1.0, 0.5]), 0.7, 0.4

    def worth(p: np.ndarray) -> float:
        return float(p @ values - tau * p @ np.log(p / prior) - alpha * p @ np.log(p / magnet))

    found = mirror_step(prior, values, tau, alpha, magnet)
    assert found.sum() == pytest.approx(1)
    rng = np.random.default_rng(2)
    for _ in range(200):
        other = found * np.exp(rng.normal(size=3) * 0.1)
        assert worth(other / other.sum()) <= worth(found) + 1e-12
    plain = prior * np.exp(values / tau)
    np.testing.assert_allclose(mirror_step(prior, values, tau), plain / plain.sum())


def test_an_action_without_playouts_keeps_its_share_of_the_rest() -> None:
    prior, values = np.array([0.5, 0.3, 0.2, 0.0]), np.array([1.0, np.nan, 0.0, np.nan])
    mean = (0.5 * 1 + 0.2 * 0) / 0.7
    expected = prior * np.exp(np.array([1.0, mean, 0.0, 0.0]) / 0.5)
    np.testing.assert_allclose(mirror_step(prior, values, 0.5), expected / expected.sum())
    assert mirror_step(prior, values, 0.0).tolist() == [1, 0, 0, 0]


def test_a_mixed_policy_stays_mixed_if_all_values_are_equal() -> None:
    """As in matching pennies, where all actions have the same value and only mixing is safe."""
    prior = np.array([0.5, 0.5])
    np.testing.assert_allclose(mirror_step(prior, np.array([0.3, 0.3]), 0.1), prior)


def test_systematic_resampling_draws_each_in_proportion_to_its_weight() -> None:
    weights = np.array([[0.1, 0.05, 0.25], [0.3, 0.2, 0.1]])
    counts = np.zeros((2, 3))
    for seed in range(50):
        who, which, shares = Sampled(KUHN, np.uint64(seed)).pick(weights, 20)
        here = np.zeros((2, 3))
        np.add.at(here, (who, which), 1)
        assert (abs(here - 20 * weights) < 1 + 1e-9).all()
        np.testing.assert_allclose(shares, 1 / 20)
        counts += here
    np.testing.assert_allclose(counts / 1000, weights, atol=0.01)


def test_weights_are_flattened_no_further_than_needed() -> None:
    likelihood = np.array([0.0, -3.0, -6.0, -20.0])
    sharp = np.exp(likelihood) / np.exp(likelihood).sum()
    np.testing.assert_allclose(flattened(likelihood, 1.0), sharp)
    flat_enough = flattened(likelihood, 2.0)
    assert 1 / (flat_enough**2).sum() >= 2
    powers = [np.exp(likelihood / 2**k) / np.exp(likelihood / 2**k).sum() for k in range(6)]
    assert any(np.allclose(flat_enough, each) for each in powers)
    np.testing.assert_allclose(flattened(likelihood, 99.0), 0.25, atol=0.01)


def test_equal_rows_are_found() -> None:
    rng = np.random.default_rng(3)
    views = rng.integers(0, 3, (300, 4)).astype(np.float32)
    mask = rng.integers(0, 2, (300, 2)).astype(np.int8)
    first, place, slots = np.empty(300, np.int64), np.empty(300, np.int64), np.empty(1024, np.int64)
    u = same_rows(views.view(np.uint32), mask, slots, first, place)
    both = np.concatenate([views, mask], axis=1)
    assert u == len(np.unique(both, axis=0))
    np.testing.assert_array_equal(both[first[:u]][place], both)


def test_log_probabilities_of_past_actions() -> None:
    rng = np.random.default_rng(4)
    logits, mask = rng.normal(size=(50, 6)).astype(np.float32), (rng.random((50, 6)) < 0.7).astype(np.int8)
    mask[:, 0] = 1
    place, told, out = rng.integers(0, 50, 200), rng.integers(0, 6, 200), np.empty(200)
    counted = rng.integers(1, 4, 200) / 2
    log_told(logits, mask, place, told, counted, 0.1, -30.0, out)
    p = np.exp(log_probabilities(logits, mask))[place, told]
    count = mask.sum(axis=1)[place]
    legal = mask[place, told] != 0
    np.testing.assert_allclose(out[legal], np.log((0.9 * p + 0.1 / count) / counted)[legal], rtol=1e-12)
    assert (out[~legal] == -30).all()
    log_told(logits, mask, place, np.full(200, TELLS_NOTHING), counted, 0.1, -30.0, out)  # there was no choice
    np.testing.assert_allclose(out, -np.log(counted), rtol=1e-12)


def test_a_bots_logits_are_on_its_action() -> None:
    game = make_game("agent_avenue_v0")
    batch = Batch(game, 20, 1)
    logits, values = BotModel(game, "greedy").ask(batch.views, batch.mask, np.zeros((20, 1), np.uint64))
    assert values is None
    assert (batch.mask[np.arange(20), logits.argmax(axis=1)] == 1).all()
    assert ((logits == 0).sum(axis=1) == 1).all()


@pytest.mark.parametrize("critic", ["own", "none"])
def test_a_networks_outputs_do_not_depend_on_the_batch_size(critic: str) -> None:
    """A row's logits are the network's own, whatever other rows are evaluated with it."""
    game = make_game("agent_avenue_v0")
    torch.manual_seed(5)
    network = make_network(game, Network((64,)))
    model = NetworkModel(game, network, temperature=0.5, value_unit=2.0)
    batch = Batch(game, 1500, 2)
    rng = np.zeros((1500, 1), np.uint64)
    logits, values = model.ask(batch.views, batch.mask, rng, values=critic == "own")
    with torch.inference_mode():
        expected, expected_values = network(torch.from_numpy(batch.observation))
    np.testing.assert_allclose(logits, expected.numpy() / 0.5, atol=1e-4)
    assert (values is None) == (critic == "none")
    if values is not None:
        np.testing.assert_allclose(values, np.clip(expected_values.numpy() / 2, -1, 1), atol=1e-4)
    for n in (1, *SIZES):
        some, _ = model.ask(batch.views[:n], batch.mask[:n], rng[:n])
        np.testing.assert_allclose(some, logits[:n], atol=1e-4)


@cache
def table() -> tuple[Tree, np.ndarray, np.ndarray]:
    """Return Kuhn poker's tree, a policy, and a value for each decision."""
    tree, rng = Tree(KUHN), np.random.default_rng(6)
    p = rng.random(tree.mask.shape) * tree.mask
    return tree, p / p.sum(axis=1, keepdims=True), rng.normal(size=len(p))


@pytest.mark.parametrize(("lam", "horizon"), [(1.0, None), (0.6, None), (0.0, None), (0.6, 1), (1.0, 2)])
def test_a_lambda_return_mixes_values_with_the_result(lam: float, horizon: int | None) -> None:
    """Compare with the recursion G = (1 - lam) V + lam E[G], with only the value at the horizon."""
    tree, p, values = table()

    def expected(i: int, seat: int, steps: int) -> float:
        node = tree.nodes[i]
        if not node.children:
            return float(node.payoff[seat])
        value = values[node.infoset] * (1 if node.seat == seat else -1)
        if horizon is not None and steps >= horizon:
            return value
        mean = sum(p[node.infoset, a] * expected(c, seat, steps + 1) for a, c in node.children.items())
        return (1 - lam) * value + lam * mean

    begins = [(i, a, c) for i, node in enumerate(tree.nodes) for a, c in node.children.items()]
    begin = Beginnings(
        np.concatenate([tree.nodes[i].state for i, _, _ in begins]),
        np.array([a for _, a, _ in begins]),
        np.zeros(len(begins), np.int64),
        np.zeros((len(begins), 1), np.uint64),
    )
    model = TableModel(tree.observation, p, values)
    found = play_out(KUHN, begin, model, [model], Everything("kuhn", 0).act, lam, horizon)
    wanted = np.array([expected(c, tree.nodes[i].seat, 1) for i, _, c in begins])
    np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_between_three_sides_only_values_of_the_own_side_count() -> None:
    """Seat 0 enters, seat 1 hides the coin, and then seat 0 decides again."""

    class Sure(UniformModel):
        def ask(self, views: Any, mask: Any, rng: Any, values: bool = True) -> Any:
            return super().ask(views, mask, rng)[0], np.full(len(views), 5.0)

    game, model, zeros = pennies.make_game(), Sure(), np.zeros(1, np.int64)
    begin = Beginnings(game.start(1), zeros + pennies.IN, zeros, np.zeros((1, 1), np.uint64))
    act = Sampled(game, np.uint64(1)).act
    assert play_out(game, begin, model, [model], act, lam=0.0).tolist() == [5.0]
    assert play_out(game, begin, model, [model], act, lam=1.0, horizon=1).tolist() == [5.0]


def test_between_three_sides_a_value_may_be_above_the_largest_loss() -> None:
    """A winner gets what two losers pay. Between two sides results are zero-sum, and values have this limit."""
    for game, limit in ((pennies.make_game(), np.inf), (KUHN, abs(KUHN.lowest_return))):
        network = make_network(game, Network((4,)))
        with torch.no_grad():
            network.value.bias.fill_(100.0)
            network.value.weight.zero_()
        mask = np.ones((2, game.num_actions), np.int8)
        _, values = NetworkModel(game, network).ask(game.new_views(2), mask, np.zeros((2, 1), np.uint64))
        assert values is not None
        assert values.tolist() == [min(100.0, limit)] * 2


def test_values_are_required_only_if_they_are_used() -> None:
    tree, p, _ = table()
    model = TableModel(tree.observation, p)
    begin = Beginnings(tree.nodes[0].state, np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((1, 1), np.uint64))
    with pytest.raises(ValueError, match="no value"):
        play_out(KUHN, begin, model, [model], Sampled(KUHN, np.uint64(1)).act, lam=0.5)


def test_with_many_worlds_candidates_are_dropped_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Leduc poker, with a pair against a raise, folding is dropped after a quarter of the worlds."""
    game, tree = leduc.make_game(), Tree(leduc.make_game())
    p = tree.mask * np.array([0.2, 0.5, 0.3])
    model = TableModel(tree.observation, p / p.sum(axis=1, keepdims=True))
    root = next(
        node.state
        for node in tree.nodes
        if node.children.keys() == {0, 1, 2} and node.state["street"] == 1
        and node.state["public"] // 2 == node.state["cards"][0, node.seat] // 2
    )  # fmt: skip
    played: list[list[int]] = []

    def counted(game: Game, begin: Beginnings, *rest: Any) -> np.ndarray:
        played.append(np.bincount(begin.actions, minlength=3).tolist())
        return play_out(game, begin, *rest)

    monkeypatch.setattr("spygames_training.search.policy_search.play_out", counted)
    search = PolicySearch(game, model, [Rival("policy", model, 0.0)], SearchSettings(worlds=1024, lam=1.0))
    (found,) = search.find([Question(root, None, Sampled(game, np.uint64(2)))])
    assert [rollouts[0] for rollouts in played] == [256, 0, 0]
    assert [rollouts[1] for rollouts in played] == [256, 256, 512]
    assert found.values[0] == -root["chips"][0, root["to_move"][0]]
    assert found.action != 0
