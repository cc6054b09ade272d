"""The reference policy, replaced periodically or kept as a running mean, and the schedules of weights over the run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from spygames_training.config import PPO, Config, Network
from spygames_training.ppo.learner import scheduled
from spygames_training.ppo.minibatch import Minibatches
from spygames_training.runs.run import Run

SMALL = Config(
    decisions=256 * 5,
    network=Network((16,)),
    ppo=PPO(games=32, steps=8, minibatch=64, reference_every=2, ema=0.8),
    evaluate_against=(),
    evaluate_every=1e9,
    save_every=1e9,
)


def weights(run: Run, which: str) -> list[torch.Tensor]:
    return [p.detach().clone() for p in getattr(run.learner, which).parameters()]


def equal(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    return all(map(torch.equal, one, other))


def test_a_reference_with_the_decay_of_the_ema_equals_the_ema(tmp_path: Path) -> None:
    run = Run.create(replace(SMALL, ppo=replace(SMALL.ppo, reference_ema=0.8)), tmp_path)
    first = weights(run, "reference")
    for _ in range(3):
        run.update()
        assert equal(weights(run, "reference"), weights(run, "ema"))
    assert not equal(weights(run, "reference"), first)
    assert not equal(weights(run, "reference"), weights(run, "network"))


def test_a_slower_reference_moves_less(tmp_path: Path) -> None:
    moved = []
    for decay in (0.5, 0.999):
        run = Run.create(
            replace(SMALL, ppo=replace(SMALL.ppo, reference_ema=decay, learning_rate=1e-2)), tmp_path / str(decay)
        )
        for _ in range(5):
            run.update()
        pairs = zip(weights(run, "reference"), weights(run, "network"), strict=True)
        moved.append(sum(float((a - b).square().sum()) for a, b in pairs))
    assert moved[0] < moved[1]


@pytest.mark.parametrize("network", [Network((16,)), Network((16,), "recurrent", memory=4)], ids=["mlp", "recurrent"])
def test_the_reference_is_asked_about_all_decisions_in_batches(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run.create(replace(SMALL, network=network, ppo=replace(SMALL.ppo, precision="float32")), tmp_path)
    run.learner.play(run.rollouts)
    found = []
    for size in (2048, 7):
        data = Minibatches.of(run.rollouts[0].trajectories, network.memory if network.kind == "recurrent" else 0)
        data.taken.reference[:] = np.nan
        monkeypatch.setattr("spygames_training.ppo.learner.REFERENCE_BATCH", size)
        run.learner._ask_reference(data)
        found.append(data.taken.reference)
    run.close()
    np.testing.assert_allclose(found[0], found[1], atol=1e-5, equal_nan=False)


def test_without_a_decay_the_reference_is_replaced_periodically(tmp_path: Path) -> None:
    run = Run.create(SMALL, tmp_path)
    held = []
    for _ in range(4):
        before = weights(run, "network")
        run.update()
        held.append(equal(weights(run, "reference"), before))
    assert held == [True, False, True, False]


def test_the_weight_of_the_kl_term_is_interpolated_to_its_end(tmp_path: Path) -> None:
    run = Run.create(replace(SMALL, ppo=replace(SMALL.ppo, kl=0.1, kl_end=0.6)), tmp_path)
    found = [run.update()["kl_weight"] for _ in range(5)]
    assert found == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])


def test_a_schedule_spans_the_decisions_of_the_config(tmp_path: Path) -> None:
    """The last update may end later, since a run makes whole updates."""
    run = Run.create(replace(SMALL, decisions=320, ppo=replace(SMALL.ppo, kl=0.1, kl_end=0.6)), tmp_path)
    assert [run.update()["kl_weight"] for _ in range(2)] == pytest.approx([0.1, 0.1 + 0.5 * 256 / 320])


def test_a_constant_kl_weight_changes_nothing(tmp_path: Path) -> None:
    agents = []
    for kl_end in (None, 0.1):
        run = Run.create(replace(SMALL, ppo=replace(SMALL.ppo, kl_end=kl_end)), tmp_path / str(kl_end))
        metrics = [run.update() for _ in range(5)]
        assert ("kl_weight" in metrics[0]) == (kl_end is not None)
        agents.append(weights(run, "network"))
    assert equal(*agents)


def test_a_power_law_has_its_first_and_last_values_and_falls_as_one_over_time() -> None:
    remaining = [1, 0.9, 0.5, 0]
    found = [scheduled(0.1, 0.001, r, "power") for r in remaining]
    assert found == pytest.approx([0.1, 0.1 / (1 + 0.1 * 99), 0.1 / (1 + 0.5 * 99), 0.001])
    assert [scheduled(0.001, 0.1, r, "power") for r in (1, 0)] == pytest.approx([0.001, 0.1])
    assert [scheduled(0.3, 0.3, r, "power") for r in remaining] == pytest.approx([0.3] * 4)
    assert scheduled(1e300, 1e-300, 1, "power") == 1e300
    assert [scheduled(0.1, 0.001, r, "linear") for r in remaining] == pytest.approx([0.1, 0.0901, 0.0505, 0.001])


def test_a_run_follows_its_power_law(tmp_path: Path) -> None:
    ppo = replace(
        SMALL.ppo, decay="power", learning_rate=0.01, learning_rate_end=0.001, entropy=0.5, entropy_end=0.1, kl=0.1
    )
    run = Run.create(replace(SMALL, ppo=replace(ppo, kl_end=0.6)), tmp_path)
    metrics = [run.update() for _ in range(5)]
    passed = [0, 0.2, 0.4, 0.6, 0.8]
    assert [m["learning_rate"] for m in metrics] == pytest.approx([0.01 / (1 + 9 * t) for t in passed])
    assert [m["entropy_weight"] for m in metrics] == pytest.approx([0.5 / (1 + 4 * t) for t in passed])
    assert [m["kl_weight"] for m in metrics] == pytest.approx([0.1 / (1 + (1 / 6 - 1) * t) for t in passed])
    assert run.learner.optimizer.param_groups[0]["lr"] == metrics[-1]["learning_rate"]


@pytest.mark.parametrize(
    ("section", "wrong", "message"),
    [
        (PPO, {"reference_ema": 1.0}, r"ppo\.reference_ema must be from 0 to below 1, not 1\.0"),
        (PPO, {"reference_ema": -0.1}, r"ppo\.reference_ema must be a number >= 0, not -0\.1"),
        (PPO, {"kl_end": -1}, r"ppo\.kl_end must be a number >= 0, not -1"),
        (PPO, {"kl_end": "low"}, r"ppo\.kl_end must be a number, not 'low'"),
        (PPO, {"decay": "fast"}, r"ppo\.decay must be linear or power, not 'fast'"),
        (
            PPO,
            {"decay": "power", "entropy_end": 0},
            r'ppo\.entropy_end must be positive with ppo\.decay = "power", not 0',
        ),
        (PPO, {"decay": "power", "learning_rate_end": 0.0}, r"ppo\.learning_rate_end must be positive with"),
        (PPO, {"decay": "power", "kl": 0, "kl_end": 0.1}, r"ppo\.kl must be positive with"),
        (PPO, {"belief_weight": float("nan")}, r"ppo\.belief_weight must be a number, not nan"),
        (Network, {"belief": "all"}, r"network\.belief must be none, train or keep, not 'all'"),
    ],
)
def test_invalid_values_are_refused(section: Any, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        section(**wrong)
    assert "\n" not in str(caught.value)


def test_a_power_law_needs_no_weight_of_a_constant_kl_term() -> None:
    assert PPO(decay="power", kl=0.0).kl == 0
