"""Compiled arithmetic on rows of views and logits.

Letters: r rows, F features of a view, A actions, u distinct rows.
"""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rewinding import TELLS_NOTHING
from spygames.core.game.rng import GAMMA, mix


@kernel
def same_rows(views: np.ndarray, mask: np.ndarray, slots: np.ndarray, first: np.ndarray, place: np.ndarray) -> Int:
    """Find equal rows, so that a model evaluates each distinct row once.

    Args:
        views: the bytes of float32 [r, F] as uint32 [r, F] or, which is faster, uint64 [r, F / 2].
        mask: int8 [r, A]
        slots: int64 [s], a hash table; s is a power of 2 greater than r. Overwritten.
        first: int64 [r], written: the indices of the distinct rows, in order.
        place: int64 [r], written: for each row, the index in `first` of the row that it equals.

    Returns:
        u
    """
    for slot in range(len(slots)):
        slots[slot] = -1
    count, last, whole = 0, np.uint64(len(slots) - 1), views.shape[1] // 4 * 4
    for i in range(len(views)):
        # Four independent keys, since each multiplication of one key waits for the one before it.
        key, b, c, d = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
        for k in range(0, whole, 4):
            key = (key ^ np.uint64(views[i, k])) * GAMMA
            b = (b ^ np.uint64(views[i, k + 1])) * GAMMA
            c = (c ^ np.uint64(views[i, k + 2])) * GAMMA
            d = (d ^ np.uint64(views[i, k + 3])) * GAMMA
            key ^= key >> np.uint64(29)
            b ^= b >> np.uint64(29)
            c ^= c >> np.uint64(29)
            d ^= d >> np.uint64(29)
        for k in range(whole, views.shape[1]):
            key = (key ^ np.uint64(views[i, k])) * GAMMA
            key ^= key >> np.uint64(29)
        key = mix(mix(mix(key) ^ b) ^ c) ^ d
        slot = np.int64(mix(key) & last)
        found = False
        while slots[slot] >= 0 and not found:
            j = first[slots[slot]]
            differ = np.uint64(0)  # accumulated, since a loop with an early exit is not vectorized
            for k in range(views.shape[1]):
                differ |= np.uint64(views[i, k] ^ views[j, k])
            for a in range(mask.shape[1]):
                differ |= np.uint64(mask[i, a] != mask[j, a])
            found = differ == 0
            if not found:
                slot = (slot + 1) & np.int64(last)
        if not found:
            slots[slot] = count
            first[count] = i
            count += 1
        place[i] = slots[slot]
    return count


@kernel
def log_told(
    logits: np.ndarray,
    mask: np.ndarray,
    place: np.ndarray,
    told: np.ndarray,
    counted: np.ndarray,
    slip: float,
    least: float,
    out: np.ndarray,
) -> None:
    """Compute the log-probability of recorded actions, divided by the number of ways to do them.

    The probability is softmax(logits) over the legal actions, mixed with a uniform distribution of weight `slip`.

    Args:
        logits: float [u, A]
        mask: int8 [u, A]
        place: int64 [r], the row of `logits` for each of r decisions.
        told: int64 [r], the action, or IMPOSSIBLE or TELLS_NOTHING, see `Game.rewind`.
        counted: float64 [r], above 0: the number of ways to do the action that count as separate worlds (`Game.ways`),
            by which its probability is divided.
        slip: 0 to 1
        least: minimum log-probability; it also applies to illegal actions.
        out: float64 [r], written.
    """
    for i in range(len(place)):
        k, action, count = place[i], told[i], 0
        top = -np.inf
        for a in range(mask.shape[1]):
            if mask[k, a]:
                count += 1
                top = max(top, np.float64(logits[k, a]))
        out[i] = -np.log(counted[i]) if action == TELLS_NOTHING else least
        if action >= 0 and mask[k, action]:
            total = 0.0
            for a in range(mask.shape[1]):
                if mask[k, a]:
                    total += np.exp(np.float64(logits[k, a]) - top)
            p = (1 - slip) * np.exp(np.float64(logits[k, action]) - top) / total + slip / count
            if p > 0:
                out[i] = max(least, np.log(p / counted[i]))
