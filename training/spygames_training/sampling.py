"""Choosing among legal actions by a network's logits."""

import numpy as np

from spygames.core.kernel import kernel
from spygames.core.rng import GAMMA, mix


@kernel
def sample_rows(
    logits: np.ndarray,
    mask: np.ndarray,
    rng: np.ndarray,
    rows: np.ndarray,
    temperature: float,
    actions: np.ndarray,
    log_probabilities: np.ndarray,
    legal: np.ndarray,
) -> None:
    """Draws one legal action a row from softmax(logits / temperature); temperature 0 takes the likeliest one.

    logits: float32 [k, A], overwritten. mask: int8 [n, A]. rng: uint64 [n, 1], one stream a game, advanced once
    a draw. rows: int64 [k], the games that the logits belong to. actions: int64 [n] and log_probabilities:
    float32 [n], written at `rows` (the log-probability at that temperature; 0 for temperature 0). legal: int64
    [A], overwritten.
    """
    width = mask.shape[1]
    for k in range(len(rows)):
        i = rows[k]
        best, found = -1, 0
        for a in range(width):
            if mask[i, a]:
                legal[found] = a
                found += 1
                if best < 0 or logits[k, a] > logits[k, best]:
                    best = a
        if temperature <= 0.0:
            actions[i] = best
            log_probabilities[i] = 0.0
            continue
        top = logits[k, best]
        total = 0.0
        for a in legal[:found]:
            logits[k, a] = (logits[k, a] - top) / temperature
            total += np.exp(logits[k, a])
        rng[i, 0] += GAMMA
        left = total * (np.float64(mix(rng[i, 0]) >> np.uint64(11)) / 9007199254740992.0)
        chosen = best
        for a in legal[:found]:
            left -= np.exp(logits[k, a])
            if left < 0.0:
                chosen = a
                break
        actions[i] = chosen
        log_probabilities[i] = logits[k, chosen] - np.log(total)
