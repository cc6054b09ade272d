"""Sample legal actions from a network's logits."""

import math
from typing import NamedTuple

import numpy as np

from spygames.core.compiling.kernel import kernel
from spygames.core.game.rng import GAMMA, mix


class Asked(NamedTuple):
    """The decisions to sample: k decisions in n games."""

    mask: np.ndarray
    """int8 [n, A]"""
    rng: np.ndarray
    """uint64 [n, 1], one random stream per game, advanced once per draw"""
    rows: np.ndarray
    """int64 [k], the games that have a decision to sample"""


class Drawn(NamedTuple):
    """The sampled actions, written at the rows of `Asked.rows`."""

    actions: np.ndarray
    """int64 [n]"""
    log_probabilities: np.ndarray
    """float32 [n], at the temperature of the draw; 0 for temperature 0"""


@kernel
def sample_rows(logits: np.ndarray, asked: Asked, temperature: float, drawn: Drawn, legal: np.ndarray) -> None:
    """Sample one legal action per row from softmax(logits / temperature). Temperature 0 takes the most likely action.

    Args:
        logits: float32 [k, A], overwritten.
        asked: the decisions.
        temperature: at least 0.
        drawn: written.
        legal: int64 [A], overwritten.
    """
    mask, rng, rows = asked.mask, asked.rng, asked.rows
    actions, log_probabilities = drawn.actions, drawn.log_probabilities
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
            total += math.exp(logits[k, a])
        rng[i, 0] += GAMMA
        left = total * (np.float64(mix(rng[i, 0]) >> np.uint64(11)) / 9007199254740992.0)
        chosen = best
        for a in legal[:found]:
            left -= math.exp(logits[k, a])
            if left < 0.0:
                chosen = a
                break
        actions[i] = chosen
        log_probabilities[i] = logits[k, chosen] - math.log(total)
