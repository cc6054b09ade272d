"""What a search chooses and believes: its draw in safe mode, errors of gains, flat weights, partners."""

from typing import Any

import numpy as np

from spygames import make_game
from spygames.core.game.game import as_record
from spygames.core.players.history import Noted
from spygames_training.search import SearchSettings
from spygames_training.search.belief import Belief, believe
from spygames_training.search.draws import Sampled
from spygames_training.search.mirror_descent import Estimate, mirror_step
from spygames_training.search.models import Rival, TableModel, UniformModel
from spygames_training.search.policy_search import Believed, PolicySearch, Question
from tests.poker import kuhn, leduc
from tests.poker.nashconv import Tree
from tests.poker.test_search import Everything, pasts, tree


class At(Everything):
    def __init__(self, name: str, infoset: int, number: float) -> None:
        super().__init__(name, infoset)
        self.number = number

    def uniform(self) -> float:
        return self.number


def test_safe_mode_draws_from_the_policy_after_its_step() -> None:
    game = kuhn.make_game()
    tree = Tree(game)
    p = tree.mask / tree.mask.sum(axis=1, keepdims=True)
    model = TableModel(tree.observation, p)
    settings = SearchSettings(mode="safe", lam=1.0, least=0.0, slip=0.0)
    search = PolicySearch(game, model, [Rival("policy", model, 0.0)], settings)
    moved = 0
    for i, members in enumerate(tree.members):
        root = tree.nodes[members[0]].state
        for number in np.linspace(0.05, 0.95, 10):
            (found,) = search.find([Question(root, None, At("kuhn", i, number))])
            assert found.action == int((np.cumsum(found.policy) <= number).sum())
            moved += found.action != int((np.cumsum(found.prior) <= number).sum())
    assert moved > 5


def test_a_gain_within_its_error_does_not_decide() -> None:
    game, model = kuhn.make_game(), UniformModel()
    search = PolicySearch(game, model, [Rival("policy", model, 0.0)], SearchSettings())
    root, prior, values = game.start(1), np.array([0.51, 0.49]), np.array([0.0, 1.0])
    believed = Believed(root, prior, Belief(root, np.ones((1, 1))), np.arange(2))
    for error, action in ((2.0, 0), (0.5, 1)):
        estimated = Estimate(values, values, np.array([0.0, error]))
        found = search._findings(believed, estimated, Sampled(game, np.uint64(1)))
        assert found.action == action
        np.testing.assert_allclose(found.policy, mirror_step(prior, values, 2 * error))


def test_the_best_action_is_one_that_was_played_out() -> None:
    """The ninth of nine equal actions was not. Its value is the mean of the others', which rounding makes larger."""
    game, model = kuhn.make_game(), UniformModel()
    search = PolicySearch(game, model, [Rival("policy", model, 0.0)], SearchSettings())
    root, values = game.start(1), np.full(8, 0.5)
    believed = Believed(root, np.full(9, 1 / 9), Belief(root, np.ones((1, 1))), np.arange(8))
    found = search._findings(believed, Estimate(values, np.zeros(8), np.zeros(8)), Sampled(game, np.uint64(1)))
    assert found.action < 8  # which of the equal ones, rounding may decide


def test_weights_are_flattened_to_a_share_of_the_worlds() -> None:
    """A raise that shows one of five cards would leave 32 of 160 worlds: fewer than the 40 that are played out."""
    game, t, found = leduc.make_game(), tree("leduc"), {}
    p = t.mask / t.mask.sum(axis=1, keepdims=True)
    for i, past in enumerate(pasts("leduc")):
        if not len(past.noted.actions):
            shows = past.root["cards"][0, 0] == 0
            p[i] = np.array([0, 1e-12, 1 - 1e-12]) if shows else np.array([0, 1 - 1e-12, 1e-12])
    model = TableModel(t.observation, p)
    root, noted = next(
        past for past in pasts("leduc") if past.noted.actions.tolist() == [2] and past.root["cards"][0, 1] == 5
    )
    for effective in (0.0, 1.0):
        settings = SearchSettings(worlds=40, lam=1.0, slip=0.0, effective=effective)
        search = PolicySearch(game, model, [Rival("policy", model, 0.0)], settings)
        (each,) = search.find([Question(root, noted, Sampled(game, np.uint64(3)))])
        found[effective] = 1 / (each.weights**2).sum()
    assert found[0.0] < 39
    assert found[1.0] >= 40 * (1 - 1e-6)


def test_a_partners_decisions_are_those_of_the_own_policy() -> None:
    class Counting(UniformModel):
        asked = 0

        def ask(self, views: Any, mask: Any, rng: Any, values: bool = True) -> Any:
            self.asked += len(views)
            return super().ask(views, mask, rng, values)

    game = make_game("agent_avenue_v0", players=4)
    states, past, actions = game.start(1), [], []
    mask = np.zeros(game.num_actions, np.int8)
    while len(actions) < 9 or states["to_move"][0] != 0:
        game.legal(as_record(states), mask)
        past.append(states.copy())
        actions.append(int(mask.argmax()))
        game.apply(as_record(states), actions[-1])
    assert game.side_of[0] == game.side_of[1] != game.side_of[2]
    assert any(each["to_move"][0] == 1 for each in past)
    noted = Noted(np.concatenate(past), np.array(actions))
    partner, rival = Counting(), Counting()
    believe(game, states, noted, partner, [Rival("rival", rival, 0.0)], Sampled(game, np.uint64(1)), 8, 16)
    assert partner.asked > 0
    assert rival.asked > 0


def test_rollouts_end_where_the_rest_weighs_a_hundredth() -> None:
    horizons = {0.7: 13, 0.9: 44, 0.93: 64, 0.94: None, 1.0: None}  # at most 64 decisions
    assert {lam: SearchSettings(lam=lam).horizon for lam in horizons} == horizons
