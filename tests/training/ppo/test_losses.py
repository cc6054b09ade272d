"""The hand-written gradient against torch's, from the same formula written as tensor operations."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from spygames_training.ppo.losses import LOSS_TERMS, Outputs, Taken, Weights, loss_gradients

CLIP, VALUE, ENTROPY, KL = 0.2, 0.5, 0.07, 0.3


Arrays = dict[str, np.ndarray]


def example(seed: int, k: int = 64, n: int = 100, width: int = 11) -> Arrays:
    rng = np.random.default_rng(seed)
    mask = rng.random((n, width)) < 0.5
    mask[np.arange(n), rng.integers(width, size=n)] = True
    return {
        "logits": rng.normal(0, 2, (k, width)).astype(np.float32),
        "values": rng.normal(size=k).astype(np.float32),
        "rows": rng.permutation(n)[:k],
        "mask": mask,
        "actions": np.array([rng.choice(np.flatnonzero(m)) for m in mask]),
        "log_probabilities": np.log(rng.uniform(0.05, 1, n)).astype(np.float32),
        "temperatures": np.ones(n, np.float32),
        "advantages": rng.normal(size=n).astype(np.float32),
        "targets": rng.normal(size=n).astype(np.float32),
        "reference": rng.normal(0, 2, (n, width)).astype(np.float32),
    }


def by_torch(
    e: Arrays, clip: float = CLIP, value: float = VALUE, entropy_weight: float = ENTROPY, kl_weight: float = KL
) -> list[np.ndarray]:
    logits = torch.tensor(e["logits"], dtype=torch.float64, requires_grad=True)
    values = torch.tensor(e["values"], dtype=torch.float64, requires_grad=True)
    mask, actions, old, temperatures, advantages, targets, reference = (
        torch.tensor(e[name][e["rows"]])
        for name in ("mask", "actions", "log_probabilities", "temperatures", "advantages", "targets", "reference")
    )
    log_pi = F.log_softmax(logits.masked_fill(~mask, -1e9), -1)
    log_reference = F.log_softmax(reference.double().masked_fill(~mask, -1e9), -1)
    pi = log_pi.exp()
    log_played = F.log_softmax((logits / temperatures[:, None]).masked_fill(~mask, -1e9), -1)
    log_ratio = log_played.gather(1, actions[:, None])[:, 0] - old
    ratio = log_ratio.exp()
    policy = -torch.minimum(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()
    critic = 0.5 * (values - targets).square().mean()
    entropy = -(pi * log_pi).masked_fill(~mask, 0).sum(-1).mean()
    kl = (pi * (log_pi - log_reference)).masked_fill(~mask, 0).sum(-1).mean()
    (policy + value * critic - entropy_weight * entropy + kl_weight * kl).backward()
    outside = ((ratio - 1).abs() > clip).double().mean()
    terms = [policy, critic, entropy, kl, outside, (ratio - 1 - log_ratio).mean()]
    return [*(torch.as_tensor(x.grad).numpy() for x in (logits, values)), np.array([p.item() for p in terms])]


def by_kernel(
    e: Arrays, clip: float = CLIP, value: float = VALUE, entropy_weight: float = ENTROPY, kl_weight: float = KL
) -> tuple[np.ndarray, ...]:
    d_logits, d_values, terms = np.empty_like(e["logits"]), np.empty_like(e["values"]), np.zeros(len(LOSS_TERMS))
    taken = Taken(**{name: e[name] for name in Taken._fields})
    weights, legal = Weights(clip, value, entropy_weight, kl_weight), np.empty(e["logits"].shape[1], np.int64)
    outputs, gradients = Outputs(e["logits"], e["values"]), Outputs(d_logits, d_values)
    loss_gradients(outputs, e["rows"], taken, weights, gradients, terms, legal)
    return d_logits, d_values, terms


@pytest.mark.parametrize("seed", range(5))
def test_gradients_and_terms_agree_with_torch(seed: int) -> None:
    e = example(seed)
    for ours, theirs in zip(by_kernel(e), by_torch(e), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_decisions_with_a_temperature_agree_with_torch() -> None:
    e = example(6)
    e["temperatures"][::2] = 0.25
    e["temperatures"][::3] = 1.5
    for ours, theirs in zip(by_kernel(e), by_torch(e), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)
    assert np.abs(by_kernel(e)[0] - by_kernel(e | {"temperatures": np.ones(100, np.float32)})[0]).max() > 0.001


@pytest.mark.parametrize(
    "weights", [(0.2, 1.0, 0.0, 0.0), (0.2, 0.0, 1.0, 0.0), (0.2, 0.0, 0.0, 1.0), (0.01, 0.0, 0.0, 0.0)]
)
def test_each_term_alone_agrees_with_torch(weights: tuple[float, ...]) -> None:
    e = example(9)
    for ours, theirs in zip(by_kernel(e, *weights), by_torch(e, *weights), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_illegal_actions_get_no_gradient_for_any_logits() -> None:
    e = example(3)
    before = by_kernel(e)[0]
    illegal = ~e["mask"][e["rows"]]
    assert not before[illegal].any()
    e["logits"][illegal] += 50
    np.testing.assert_array_equal(by_kernel(e)[0], before)
