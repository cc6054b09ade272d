"""The loss of a decision and its gradient with respect to the network's outputs.

With pi the policy that learns, mu the policy that played and r = pi(a) / mu(a), a decision's loss is

    -min(r A, clip(r, 1 - eps, 1 + eps) A) + c_v (V - G)^2 / 2 - c_h H(pi) + c_k KL(pi || reference)

(Schulman et al. 2017, arXiv 1707.06347, eq. 7 and 9; the entropy's weight as in arXiv 2502.08938, the KL term as in
NashPG, arXiv 2510.18183). If a decision was played at temperature t, pi in r is softmax(logits / t), as mu is; H and KL
always use softmax(logits).

Masks are sparse and the formula is elementwise. One pass over the legal actions that writes the gradient is therefore
several times faster than tensor operations that torch differentiates. tests/training/ppo/test_losses.py compares the
two.
"""

import math
from typing import NamedTuple

import numpy as np

from spygames.core.compiling.kernel import kernel

LOSS_TERMS = ("policy_loss", "value_loss", "entropy", "kl_to_reference", "clipped", "kl_from_played")
"""Names of the metrics. `clipped` is the fraction of decisions whose ratio was outside the clip range; `kl_from_played`
estimates KL(mu || pi) by r - 1 - log r."""


class Taken(NamedTuple):
    """The recorded data of N decisions."""

    mask: np.ndarray
    """bool [N, A]"""
    actions: np.ndarray
    """int64 [N]"""
    log_probabilities: np.ndarray
    """float32 [N], of the action, under the policy that played"""
    temperatures: np.ndarray
    """float32 [N], the temperature at which the policy played, positive"""
    advantages: np.ndarray
    """float32 [N]"""
    targets: np.ndarray
    """float32 [N], the returns that the critic learns"""
    reference: np.ndarray
    """float32 [N, A], logits of the reference policy"""


class Outputs(NamedTuple):
    """A network's outputs for k decisions, or the loss's gradient with respect to them."""

    logits: np.ndarray
    """float32 [k, A]"""
    values: np.ndarray
    """float32 [k]"""


class Weights(NamedTuple):
    """The weights of the loss's terms; `clip` is PPO's epsilon."""

    clip: float
    value: float
    entropy: float
    kl: float


@kernel
def loss_gradients(
    outputs: Outputs,
    rows: np.ndarray,
    taken: Taken,
    weights: Weights,
    gradients: Outputs,
    loss_terms: np.ndarray,
    legal: np.ndarray,
) -> None:
    """Write the gradients of the mean loss over k decisions.

    Args:
        outputs: the network's, for the decisions `rows`.
        rows: int64 [k], indices into the N decisions of `taken`.
        taken: the recorded data.
        weights: of the terms.
        gradients: written.
        loss_terms: float64 [6], the means of the terms named in LOSS_TERMS are added to it.
        legal: int64 [A], overwritten.
    """
    logits, values = outputs.logits, outputs.values
    mask, actions, log_probabilities = taken.mask, taken.actions, taken.log_probabilities
    temperatures = taken.temperatures
    advantages, targets, reference = taken.advantages, taken.targets, taken.reference
    logit_gradients, value_gradients = gradients.logits, gradients.values
    count, width = logits.shape
    for k in range(count):
        i = rows[k]
        found = 0
        for a in range(width):
            logit_gradients[k, a] = 0.0
            if mask[i, a]:
                legal[found] = a
                found += 1
        top = top_reference = -np.inf
        for a in legal[:found]:
            top = max(top, np.float64(logits[k, a]))
            top_reference = max(top_reference, np.float64(reference[i, a]))
        total = total_reference = 0.0
        for a in legal[:found]:
            logit_gradients[k, a] = math.exp(np.float32(logits[k, a] - top))
            total += logit_gradients[k, a]
            total_reference += math.exp(np.float32(reference[i, a] - top_reference))
        log_total = top + math.log(total)
        log_total_reference = top_reference + math.log(total_reference)
        entropy = kl = 0.0
        for a in legal[:found]:
            log_pi = logits[k, a] - log_total
            pi = logit_gradients[k, a] / total
            logit_gradients[k, a] = pi
            entropy -= pi * log_pi
            kl += pi * (log_pi - (reference[i, a] - log_total_reference))
        temperature = np.float64(temperatures[i])
        log_total_played = log_total
        if temperature != 1.0:
            total_played = 0.0
            for a in legal[:found]:
                total_played += math.exp((logits[k, a] - top) / temperature)
            log_total_played = top / temperature + math.log(total_played)
        log_ratio = logits[k, actions[i]] / temperature - log_total_played - log_probabilities[i]
        ratio = math.exp(log_ratio)
        clipped = min(max(ratio, 1.0 - weights.clip), 1.0 + weights.clip)
        advantage = np.float64(advantages[i])
        # The gradient of the surrogate with respect to log pi(a): 0 if the clipped branch is the smaller one.
        push = ratio * advantage if ratio * advantage <= clipped * advantage else 0.0
        push /= temperature  # from the gradient of log pi(a) with respect to the logits
        for a in legal[:found]:
            log_pi = logits[k, a] - log_total
            pi = np.float64(logit_gradients[k, a])
            log_ratio_reference = log_pi - (reference[i, a] - log_total_reference)
            played = pi if temperature == 1.0 else math.exp(logits[k, a] / temperature - log_total_played)
            gradient = push * played
            gradient += weights.entropy * pi * (log_pi + entropy)
            gradient += weights.kl * pi * (log_ratio_reference - kl)
            logit_gradients[k, a] = gradient / count
        logit_gradients[k, actions[i]] -= push / count
        error = np.float64(values[k]) - targets[i]
        value_gradients[k] = weights.value * error / count
        loss_terms[0] -= min(ratio * advantage, clipped * advantage) / count
        loss_terms[1] += 0.5 * error * error / count
        loss_terms[2] += entropy / count
        loss_terms[3] += kl / count
        loss_terms[4] += (ratio != clipped) / count
        loss_terms[5] += (ratio - 1.0 - log_ratio) / count
