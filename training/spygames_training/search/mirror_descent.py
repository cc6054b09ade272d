"""From what actions are worth to how to play: which are looked at, when one has lost, and one careful step.

Letters: k worlds, c candidates, A actions.
"""

from typing import NamedTuple

import numpy as np

LOST = 2.5
"""Standard errors behind the best after which a candidate is dropped (Lerer and others, arXiv 1912.02318, its code)."""


class Estimate(NamedTuple):
    """What candidates are worth, in the game's units."""

    values: np.ndarray
    """float64 [c]"""
    gains: np.ndarray
    """float64 [c], over the policy's likeliest action; 0 for that one."""
    errors: np.ndarray
    """float64 [c], standard errors of `gains`, from the differences in the same worlds."""


def candidates_of(prior: np.ndarray, least: float, most: int) -> np.ndarray:
    """The actions that are looked at, int64 [c], the likeliest first: of probability `least` or more, `prior` [A] being
    theirs, at most `most`, and the likeliest always."""
    order = np.argsort(-prior, kind="stable")[:most]
    return order[(prior[order] >= min(least, prior[order[0]])) & (prior[order] > 0)]


def estimate(returns: np.ndarray, shares: np.ndarray, exact: bool = False) -> Estimate:
    """Sums up returns [k, c] in worlds with `shares` [k], of sum 1; the first candidate is the policy's likeliest.

    exact: the worlds are all that there are, so that there is no error.
    """
    values = shares @ returns
    differences = returns - returns[:, :1]
    gains = shares @ differences
    if exact:
        return Estimate(values, gains, np.zeros_like(gains))
    if len(returns) == 1:
        return Estimate(values, gains, np.where(np.arange(len(gains)) == 0, 0, np.inf))
    return Estimate(values, gains, np.sqrt(shares @ (differences - gains) ** 2 / (len(returns) - 1)))


def losing(found: Estimate) -> np.ndarray:
    """Which candidates cannot be the best, bool [c]: `LOST` standard errors behind. The first is never among them."""
    lost = found.gains + LOST * found.errors < found.gains.max()
    lost[0] = False
    return lost


def mirror_step(
    prior: np.ndarray, values: np.ndarray, tau: float, alpha: float = 0.0, magnet: np.ndarray | None = None
) -> np.ndarray:
    """One step of magnetic mirror descent from `prior`, float64 [A].

    As Sokota and others have it (arXiv 2206.05825; as an update of a search, arXiv 2304.13138):

        new(a) ~ [prior(a) magnet(a)^(alpha / tau) exp(values(a) / tau)]^(1 / (1 + alpha / tau))

    Args:
        prior: [A], of sum 1.
        values: [A], NaN for an action that was not looked at: it is taken to be worth what the prior is on the others.
        tau: the temperature, in the units of `values`, which stands for 1 / eta; 0 takes the best action.
        alpha: the weight of the magnet.
        magnet: [A]; None: none, whatever alpha.
    """
    known = ~np.isnan(values) & (prior > 0)
    mean = float(prior[known] @ values[known] / prior[known].sum())
    values = np.where(known, np.nan_to_num(values), mean)
    if tau == 0:
        best = np.where(known, values, -np.inf).argmax()
        return (np.arange(len(prior)) == best).astype(np.float64)
    with np.errstate(divide="ignore"):
        x = np.log(prior) + values / tau
        if magnet is not None and alpha:
            x = (x + alpha / tau * np.log(magnet)) / (1 + alpha / tau)
    x = np.exp(x - x.max())
    return x / x.sum()
