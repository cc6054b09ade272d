"""The loss of a decision and its gradient with respect to the network's outputs.

With pi the policy that is learned, mu the one that played and r = pi(a) / mu(a), a decision's loss is

    -min(r A, clip(r, 1 - eps, 1 + eps) A) + c_v (V - G)^2 / 2 - c_h H(pi) + c_k KL(pi || reference)

(Schulman et al. 2017, arXiv 1707.06347, eq. 7 and 9; the entropy's weight as in arXiv 2502.08938, the KL term as in
NashPG, arXiv 2510.18183). Masks are sparse and the formula is elementwise, so one pass over the legal actions that
writes the gradient is several times faster than a chain of tensor operations that torch differentiates;
tests/training/test_losses.py holds the two against each other.
"""

import numpy as np

from spygames.core.kernel import kernel

PARTS = ("policy_loss", "value_loss", "entropy", "kl_to_reference", "clipped", "kl_from_played")


@kernel
def loss_gradients(
    logits: np.ndarray,
    values: np.ndarray,
    rows: np.ndarray,
    mask: np.ndarray,
    actions: np.ndarray,
    log_probabilities: np.ndarray,
    advantages: np.ndarray,
    targets: np.ndarray,
    reference: np.ndarray,
    clip: float,
    value_weight: float,
    entropy_weight: float,
    kl_weight: float,
    logit_gradients: np.ndarray,
    value_gradients: np.ndarray,
    parts: np.ndarray,
    legal: np.ndarray,
) -> None:
    """Writes the gradients of the mean loss over k decisions.

    logits: float32 [k, A] and values: float32 [k], the network's outputs for decisions `rows` (int64 [k]) of the N in
    mask: bool [N, A]; actions: int64, log_probabilities, advantages, targets: float32, [N]; reference: float32
    [N, A], logits. logit_gradients: float32 [k, A] and value_gradients: float32 [k] are written. parts: float64 [6],
    the means named in PARTS are added to it: `clipped` is the share of decisions whose ratio was outside the clip
    range, `kl_from_played` estimates KL(mu || pi) by r - 1 - log r. legal: int64 [A], overwritten.
    """
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
            logit_gradients[k, a] = np.exp(np.float32(logits[k, a] - top))
            total += logit_gradients[k, a]
            total_reference += np.exp(np.float32(reference[i, a] - top_reference))
        log_total = top + np.log(total)
        log_total_reference = top_reference + np.log(total_reference)
        entropy = kl = 0.0
        for a in legal[:found]:
            log_pi = logits[k, a] - log_total
            pi = logit_gradients[k, a] / total
            logit_gradients[k, a] = pi
            entropy -= pi * log_pi
            kl += pi * (log_pi - (reference[i, a] - log_total_reference))
        log_ratio = logits[k, actions[i]] - log_total - log_probabilities[i]
        ratio = np.exp(log_ratio)
        clipped = min(max(ratio, 1.0 - clip), 1.0 + clip)
        advantage = np.float64(advantages[i])
        # The gradient of the surrogate with respect to log pi(a): none where the clipped branch is the smaller one.
        push = ratio * advantage if ratio * advantage <= clipped * advantage else 0.0
        for a in legal[:found]:
            log_pi = logits[k, a] - log_total
            pi = np.float64(logit_gradients[k, a])
            log_ratio_reference = log_pi - (reference[i, a] - log_total_reference)
            gradient = push * pi
            gradient += entropy_weight * pi * (log_pi + entropy)
            gradient += kl_weight * pi * (log_ratio_reference - kl)
            logit_gradients[k, a] = gradient / count
        logit_gradients[k, actions[i]] -= push / count
        error = np.float64(values[k]) - targets[i]
        value_gradients[k] = value_weight * error / count
        parts[0] -= min(ratio * advantage, clipped * advantage) / count
        parts[1] += 0.5 * error * error / count
        parts[2] += entropy / count
        parts[3] += kl / count
        parts[4] += (ratio != clipped) / count
        parts[5] += (ratio - 1.0 - log_ratio) / count
