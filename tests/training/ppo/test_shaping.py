"""Shaped rewards reach the decisions that they belong to, and only in training."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spygames import make_game
from spygames.core.game.game import flat
from spygames_training import PPO, Network, Run, load_checkpoint, potential_based, train
from spygames_training.config import Opponents
from spygames_training.networks.actor_critic import make_network
from spygames_training.ppo.league import League
from spygames_training.ppo.rollout import Rollout
from spygames_training.ppo.shaping import Shaping
from spygames_training.ppo.trajectories import Trajectories
from spygames_training.runs.state_file import StateError
from tests.training.runs.test_run import SMALL, weights

GAME = make_game("agent_avenue_v0", players=4)
PLAN = PPO(reward_scale=0.5, lam=1.0)


def played(shaping: Shaping | None, share: float = 0.0) -> Trajectories:
    """Play the same decisions, whatever the shaping."""
    torch.manual_seed(0)
    network = make_network(GAME, Network((8,)))
    with torch.no_grad():
        network.value.weight.zero_()
    rollout = Rollout(GAME, 12, 150, 7, share, shaping=shaping)
    if share:
        rollout.opponents.join(League(GAME, Opponents(share=share, bots=("random",))))
    rollout.play(network, PLAN)
    return rollout.trajectories


def potential(views: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """An arbitrary potential that is nowhere 0."""
    return 1 + flat(views) @ np.linspace(0, 1, flat(views).shape[1]) + seats


def telling(view_before: np.ndarray, view_after: np.ndarray, seat: np.ndarray) -> np.ndarray:
    """A value that depends on all three arguments."""
    return (potential(view_before, 10 * seat) - 3 * potential(view_after, seat)).astype(np.float32)


def by_definition(t: Trajectories) -> tuple[np.ndarray, int]:
    """Return the shaped reward of each decision by definition, and the number of rewarded decisions."""
    found, asked = np.zeros_like(t.rewards), 0
    for row in range(t.actions.shape[1]):
        for step in np.flatnonzero(~t.frozen[:, row]):
            seat = t.seats[step, row]
            ends = np.flatnonzero(t.done[step:, row])
            last = step + ends[0] if len(ends) else len(t.actions) - 1
            again = [u for u in range(step + 1, last + 1) if t.seats[u, row] == seat]
            if not again and not len(ends):
                continue  # the seat's next view is unknown
            before = t.observation[step, row]
            after = t.observation[again[0], row] if again else np.zeros_like(before)
            seen, then = (x[None].view(GAME.view_dtype)[:, 0] for x in (before, after))
            found[step, row, seat] = telling(seen, then, np.array([seat]))[0]
            asked += 1
    return found, asked


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_each_decision_is_shaped_by_the_seats_views_before_and_after(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spygames_training.ppo.shaping.BLOCK", 400)  # so that the decisions are of several blocks
    counts: list[int] = []

    def counting(view_before: np.ndarray, view_after: np.ndarray, seat: np.ndarray) -> np.ndarray:
        assert view_before.dtype == view_after.dtype == GAME.view_dtype
        assert view_before.shape == view_after.shape == seat.shape
        counts.append(len(seat))
        return telling(view_before, view_after, seat)

    plain, shaped = played(None, share=share), played(counting, share=share)
    np.testing.assert_array_equal(plain.actions, shaped.actions)
    assert plain.done.any()
    assert plain.frozen.any() == bool(share)
    expected, asked = by_definition(plain)
    np.testing.assert_allclose(shaped.rewards - plain.rewards, 0.5 * expected, rtol=1e-4, atol=1e-4)
    assert len(counts) > 2
    assert sum(counts) == asked == np.count_nonzero(plain.valid)


def test_a_potential_shifts_advantages_only_by_itself() -> None:
    """Until the end of a game, shaping adds up to minus the potential at the decision (lambda 1, no critic).

    The sum is the same for all actions.
    """
    plain, shaped = played(None), played(potential_based(potential))
    ended = np.flip(np.logical_or.accumulate(np.flip(plain.done, 0), axis=0), 0)
    steps, rows = np.nonzero(ended)
    views = plain.observation[steps, rows].view(GAME.view_dtype)[:, 0]
    moved = (shaped.advantages - plain.advantages)[steps, rows]
    np.testing.assert_allclose(moved, -0.5 * potential(views, plain.seats[steps, rows]), rtol=1e-3, atol=1e-3)


def test_a_potential_is_discounted_and_zero_after_the_end() -> None:
    views = np.ones((3, GAME.num_features), np.float32)
    after = views.copy() * 2
    after[1] = 0
    before, then = (x.view(GAME.view_dtype)[:, 0] for x in (views, after))
    given = potential_based(lambda views, seats: flat(views)[:, 0] + seats, 0.9)(before, then, np.array([0, 0, 2]))
    assert given.dtype == np.float32
    np.testing.assert_allclose(given, [0.9 * 2 - 1, -1, 0.9 * 4 - 3], rtol=1e-6)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda k: np.zeros(k + 1), r"float32 \[\d+\], one per decision, not \[\d+\]"),
        (lambda k: np.zeros((k, 1)), r"one per decision, not \[\d+, 1\]"),
        (lambda k: 0.5, r"one per decision, not \[\]"),
        (lambda k: np.full(k, np.nan), "must give finite numbers"),
        (lambda k: ["much"] * k, r"must give float32 \[\d+\], not \['much'"),
        (lambda k: None, r"one per decision, not \[\]"),
        (lambda k: {}["leed"], r"^the shaping .*lambda.* failed: KeyError: 'leed'$"),
    ],
)
def test_invalid_rewards_are_refused(answer: Callable[[int], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        played(lambda before, after, seat: answer(len(seat)))
    assert "\n" not in str(caught.value)


def test_a_wrong_shaping_leaves_no_run(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the shaping must give float32 \[2\], one per decision, not \[\]"):
        train(SMALL, tmp_path / "run", shaping=lambda before, after, seat: np.float32(0.5))  # type: ignore[return-value]
    assert not (tmp_path / "run").exists()
    with pytest.raises(TypeError, match="potential must be a function"):
        potential_based(5)  # type: ignore[arg-type]
    for gamma in (2, -0.1, np.nan):
        with pytest.raises(ValueError, match="gamma must be a number from 0 to 1"):
            potential_based(lambda views, seats: seats, gamma)


def nothing(view_before: np.ndarray, view_after: np.ndarray, seat: np.ndarray) -> np.ndarray:
    return np.zeros(len(seat), np.float32)


def test_zero_shaping_changes_nothing_and_other_shaping_changes_training_only(tmp_path: Path) -> None:
    shaped = Run.create(SMALL, tmp_path / "shaped", shaping=telling)
    plain, zero = Run.create(SMALL, tmp_path / "plain"), Run.create(SMALL, tmp_path / "zero", shaping=nothing)
    metrics = [run.update() for run in (shaped, plain)]
    assert shaped.league.results == plain.league.results  # games won, not rewards
    assert metrics[0]["value_loss"] > 2 * metrics[1]["value_loss"]
    assert shaped.evaluate().keys() == plain.evaluate().keys()
    whole, same = weights(plain.train(progress=False)), weights(zero.train(progress=False))
    assert all(torch.equal(whole[name], same[name]) for name in whole)


def test_an_agent_of_shaped_rewards_is_saved_without_its_value(tmp_path: Path) -> None:
    """The value would predict results that the game does not have."""
    run = Run.create(SMALL, tmp_path, shaping=telling)
    policy = train(SMALL, tmp_path / "run", shaping=telling, progress=False)
    observation, mask = run.rollouts[0].batch.observation, run.rollouts[0].batch.mask
    for each in (policy, run.policy):
        assert each.probabilities(observation, mask).shape == mask.shape
        with pytest.raises(ValueError, match="has no value"):
            each.value(observation)
    meta = load_checkpoint(tmp_path / "run").meta
    assert meta["network"]["critic"] == "none"
    assert meta["extra"]["own_code"] == {"shaping": "telling"}
    further = Run.create(replace(SMALL, start_from=str(tmp_path / "run")), tmp_path / "further")
    for name, tensor in policy.network.state_dict().items():
        assert torch.equal(further.learner.network.state_dict()[name], tensor)


def test_a_shaped_run_resumes_only_with_the_same_shaping(tmp_path: Path) -> None:
    whole = weights(Run.create(SMALL, tmp_path / "whole", shaping=telling).train(progress=False))
    run = Run.create(SMALL, tmp_path / "run", shaping=telling)
    run.update()
    run.save()
    plain = Run.create(SMALL, tmp_path / "plain")
    plain.save()
    for folder, passed, message in (
        ("run", None, "saved with the custom shaping telling: pass it$"),
        ("run", nothing, "saved with the custom shaping telling: pass it, not nothing"),
        ("plain", telling, "saved without a custom shaping: pass none, not telling"),
    ):
        with pytest.raises(StateError, match=message):
            Run.resume(tmp_path / folder, shaping=passed)
    parts = weights(Run.resume(tmp_path / "run", shaping=telling).train(progress=False))
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
