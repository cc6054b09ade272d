"""From action values to a policy: the choice of candidates, their elimination, and a step of mirror descent.

Letters: k worlds, c candidates, A actions.
"""

from typing import NamedTuple

import numpy as np

LOST = 2.5
"""Number of standard errors below the best candidate at which a candidate is eliminated. The number is from the code of
Lerer and others (arXiv 1912.02318)."""


class Estimate(NamedTuple):
    """The estimated values of candidates, in the game's units."""

    values: np.ndarray
    """float64 [c]"""
    gains: np.ndarray
    """float64 [c], the value minus that of the policy's most likely action; 0 for that action."""
    errors: np.ndarray
    """float64 [c], standard errors of `gains`, from differences in the same worlds."""


def candidates_of(prior: np.ndarray, least: float, most: int) -> np.ndarray:
    """Return the candidates of a search, int64 [c], the most likely first.

    These are the actions of probability `least` or more, up to `most` of them, and always the most likely one. `prior`
    [A] has the probabilities.
    """
    order = np.argsort(-prior, kind="stable")[:most]
    return order[(prior[order] >= min(least, prior[order[0]])) & (prior[order] > 0)]


def estimate(returns: np.ndarray, shares: np.ndarray, exact: bool = False) -> Estimate:
    """Average returns over worlds. The first candidate is the policy's most likely action.

    Args:
        returns: [k, c].
        shares: [k], the weights of the worlds, of sum 1.
        exact: whether the worlds are all possible ones, so that there is no error.
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
    """Return which candidates can be eliminated, bool [c]: those `LOST` standard errors below the best. The first
    candidate never is."""
    lost = found.gains + LOST * found.errors < found.gains.max()
    lost[0] = False
    return lost


def mirror_step(
    prior: np.ndarray, values: np.ndarray, tau: float, alpha: float = 0.0, magnet: np.ndarray | None = None
) -> np.ndarray:
    """Take one step of magnetic mirror descent from `prior`; return the new policy, float64 [A].

    See Sokota and others (arXiv 2206.05825; as an update in search, arXiv 2304.13138):

        new(a) ~ [prior(a) magnet(a)^(alpha / tau) exp(values(a) / tau)]^(1 / (1 + alpha / tau))

    Args:
        prior: [A], of sum 1.
        values: [A], NaN for an action that is not a candidate; it gets the mean value of the others under the prior.
        tau: the temperature, in the units of `values`; it is 1 / eta of the papers. 0 takes the best action.
        alpha: the weight of the magnet.
        magnet: [A]; None: no magnet, whatever alpha is.
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
