"""The belief loss and its gradient with respect to the network's answers.

A head beside policy and value predicts the answer to each of the game's questions about hidden information. This is an
auxiliary task: the layers that the policy shares learn features that reveal hidden cards or identities. The loss of a
decision is the mean cross-entropy over the questions that apply to it.

Letters: k decisions of N, Q questions, L answers to all questions together.
"""

import math
from collections.abc import Sequence

import numpy as np

from spygames.core.compiling.kernel import kernel
from spygames.core.game.belief_targets import UNASKED


@kernel
def belief_gradients(
    logits: np.ndarray,
    rows: np.ndarray,
    answers: np.ndarray,
    sizes: np.ndarray,
    weight: float,
    gradients: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Write the gradients of the mean loss over k decisions.

    Args:
        logits: float32 [k, L], the network's, for the decisions `rows`.
        rows: int64 [k], indices into the N decisions of `answers`.
        answers: int8 [N, Q], the true answers, or UNASKED.
        sizes: int64 [Q], the number of answers to each question.
        weight: of the loss.
        gradients: float32 [k, L], written.
        sums: float64 [2, Q], added to: the cross-entropy of each question in nats, and how often it was asked.
    """
    count = len(rows)
    for k in range(count):
        i = rows[k]
        asked = 0
        for q in range(len(sizes)):
            asked += answers[i, q] != UNASKED
        first = 0
        for q in range(len(sizes)):
            size, truth = sizes[q], np.int64(answers[i, q])
            if truth == UNASKED:
                for a in range(first, first + size):
                    gradients[k, a] = 0.0
            else:
                top = -np.inf
                for a in range(first, first + size):
                    top = max(top, np.float64(logits[k, a]))
                total = 0.0
                for a in range(first, first + size):
                    gradients[k, a] = math.exp(np.float32(logits[k, a] - top))
                    total += gradients[k, a]
                scale = weight / (asked * count)
                for a in range(first, first + size):
                    gradients[k, a] = (gradients[k, a] / total - (a == first + truth)) * scale
                sums[0, q] += math.log(total) - (logits[k, first + truth] - top)
                sums[1, q] += 1.0
            first += size


def belief_metrics(groups: Sequence[tuple[str, int, int]], sums: np.ndarray) -> dict[str, float]:
    """Return the mean cross-entropy of each group of questions, in nats per question, as `belief/NAME`.

    A group that was never asked has 0.

    Args:
        groups: see `Questions.groups`.
        sums: float64 [2, Q], from `belief_gradients`.
    """
    (nats, asked), metrics, first = sums, {}, 0
    for name, count, _ in groups:
        mine = slice(first, first + count)
        metrics[f"belief/{name}"] = float(nats[mine].sum() / max(asked[mine].sum(), 1.0))
        first += count
    return metrics
