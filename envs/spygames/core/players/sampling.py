"""Sample legal actions from the logits of a network, and explain such choices."""

import math
from typing import NamedTuple

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import kernel
from spygames.core.game.game import as_record
from spygames.core.game.rng import GAMMA, mix
from spygames.core.players.beliefs import win_share
from spygames.core.players.player import DecisionBatch
from spygames.core.svg.annotations import Advice

ARGMAX = 0.0
"""The temperature of argmax: the most likely action is taken, the first one of a tie."""


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


def temperature_of(how: str) -> float:
    """Convert how a policy plays to a temperature.

    Args:
        how: "" or "sample" (1), "argmax" (0), or a temperature from 0.01 to 100; below 1 is greedier.

    Raises:
        ValueError: `how` is something else.
    """
    if how in ("", "sample"):
        return 1.0
    if how == "argmax":
        return ARGMAX
    try:
        temperature = float(how)
    except (ValueError, TypeError, OverflowError):
        temperature = math.nan
    if not 0.01 <= temperature <= 100:
        raise ValueError(f"how to play must be sample, argmax or a temperature from 0.01 to 100, not {shown(how)}")
    return temperature


def probabilities(logits: np.ndarray, mask: np.ndarray, temperature: float) -> np.ndarray:
    """Return the probability of each action, float64 [k, A], 0 for illegal actions."""
    values = np.where(mask != 0, logits.astype(np.float64), -np.inf)
    if temperature == ARGMAX:
        return (np.arange(mask.shape[1]) == values.argmax(axis=1)[:, None]).astype(np.float64)
    with np.errstate(all="ignore"):  # logits of illegal actions are -inf, and tiny probabilities underflow
        out = np.exp((values - values.max(axis=1, keepdims=True)) / temperature)
        return out / out.sum(axis=1, keepdims=True)


def draw_actions(
    logits: np.ndarray, mask: np.ndarray, rng: np.ndarray, rows: np.ndarray, temperature: float
) -> np.ndarray:
    """Draw an action for each of `rows`, int64 [k], from their logits [k, A]; -1 if no action is legal."""
    drawn = Drawn(np.empty(len(mask), np.int64), np.empty(len(mask), np.float32))
    sample_rows(logits, Asked(mask, rng, rows), temperature, drawn, np.empty(mask.shape[1], np.int64))
    return drawn.actions[rows]


def advice(
    decisions: DecisionBatch, name: str, logits: np.ndarray, results: np.ndarray, temperature: float
) -> list[Advice]:
    """Explain each of `decisions.rows`: the probability of each legal action, and the expected result.

    Args:
        decisions: the decisions.
        name: of the player, for the title.
        logits: float32 [k, A].
        results: [k], the expected returns; NaN if they are not known.
        temperature: of the player.
    """
    d, game = decisions, decisions.game
    found = []
    seats = d.states["to_move"][d.rows].tolist()
    shares = probabilities(logits, d.mask[d.rows], temperature)
    for row, seat, share, result in zip(d.rows, seats, shares, results, strict=True):
        s = as_record(d.states, row)
        actions = [(game.action_to_string(s, int(a), seat), float(share[a])) for a in np.flatnonzero(d.mask[row])]
        value = None if np.isnan(result) else float(result)
        found.append(Advice(actions, win_share(game, value), value, f"What {name} would do"))
    return found
