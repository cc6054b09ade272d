"""Accounts of language models: what was asked and answered, what it cost, and limits on it."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spygames.core.basics.whole_numbers import whole
from spygames.core.game.validation import time_limit

MILLION = 1_000_000


@dataclass
class Account:
    """What one language model was asked and has answered. Answers from earlier transcripts count as well."""

    decisions: int = 0
    """Number of decisions for which the model was asked."""
    answers: int = 0
    """Number of answers: `retries`, and one for each of `decisions` unless its first request got none."""
    retries: int = 0
    """Number of answers to a correction."""
    ok: int = 0
    """Number of answers with one legal action, or with valid probabilities for all questions."""
    unparseable: int = 0
    """Number of answers that are not in the forms of the grammar; `empty` and `oversize` are among them."""
    ambiguous: int = 0
    """Number of answers with several actions."""
    illegal: int = 0
    """Number of answers with an action that is not legal."""
    invalid: int = 0
    """Number of answers about what is hidden (`spygames beliefs`) with a question that has no valid probabilities."""
    empty: int = 0
    """Number of answers without text."""
    oversize: int = 0
    """Number of answers that are too long to be read."""
    cut: int = 0
    """Number of answers that the server ended at its maximum number of tokens, of any verdict."""
    forfeits: int = 0
    """Number of games lost because the model gave no legal action."""
    failures: Counter[str] = field(default_factory=Counter)
    """Number of requests without an answer, by kind: a status such as 429, timeout, cut, connect, malformed."""
    tokens_in: int = 0
    """Number of tokens of all requests."""
    tokens_out: int = 0
    """Number of tokens of all answers."""
    unmetered: int = 0
    """Number of answers whose server did not report tokens. They count as a token per four characters, of an answer
    that is too long to be read only those up to the limit."""
    seconds: float = 0.0
    """Sum of the times of all requests that were answered; requests run side by side."""
    resumed: int = 0
    """Number of answers taken from earlier transcripts."""

    def __add__(self, other: "Account") -> "Account":
        """Return the sum of two accounts."""
        return Account(**{key: value + getattr(other, key) for key, value in self.__dict__.items()})

    def as_dict(self, price: tuple[float, float] | None = None) -> dict[str, Any]:
        """Return the account as plain JSON values; `dollars` is None without a price (`Limits.prices`)."""
        found = {**self.__dict__, "failures": dict(sorted(self.failures.items())), "seconds": round(self.seconds, 3)}
        return {**found, "dollars": None if price is None else round(self.dollars(price), 6)}

    def dollars(self, price: tuple[float, float]) -> float:
        """Return the cost, from dollars per million tokens of requests and of answers."""
        return (self.tokens_in * price[0] + self.tokens_out * price[1]) / MILLION


@dataclass(frozen=True)
class Limits:
    """Limits on all language models of a command together.

    Requests that run at the same time are finished when a limit is reached, so it may be exceeded by these.
    """

    tokens: int | None = None
    """Maximum number of tokens of requests and answers."""
    dollars: float | None = None
    """Maximum cost. Each model needs a price."""
    seconds: float | None = None
    """Maximum time from the first request on."""
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Dollars per million tokens of requests and of answers, by model."""

    def __post_init__(self) -> None:
        if self.tokens is not None:
            whole("tokens", self.tokens, 1)
        if self.seconds is not None:
            time_limit("seconds", self.seconds)
        if self.dollars is not None and not 0 < self.dollars < MILLION:
            raise ValueError(f"dollars must be a number above 0, not {self.dollars:g}")
        for model, price in self.prices.items():
            if not all(0 <= each < MILLION for each in price):
                raise ValueError(f"the price of {model} must be two numbers from 0, not {price}")


class Budget:
    """The accounts of several models under common limits. Several threads may use it at the same time."""

    def __init__(self, limits: Limits | None = None):
        self.limits = limits or Limits()
        self.lock = threading.Lock()
        self._accounts: dict[int, tuple[str, Account]] = {}  # by identity: two players may have one name
        self._began: float | None = None

    def join(self, model: str, account: Account) -> None:
        """Add the account of a player; one that has joined stays.

        ValueError if the cost is limited and the model has no price.
        """
        if self.limits.dollars is not None and model not in self.limits.prices:
            raise ValueError(f"a limit on dollars needs a price of {model}, in dollars per million tokens in and out")
        self._accounts[id(account)] = model, account

    def price(self, model: str) -> tuple[float, float] | None:
        """Return the price of a model; None: it is not known."""
        return self.limits.prices.get(model)

    def spent(self) -> str | None:
        """Return which limit is reached, as part of a message; None: none of them."""
        limits, now = self.limits, time.monotonic()
        with self.lock:
            self._began = now if self._began is None else self._began
            tokens = sum(each.tokens_in + each.tokens_out for _, each in self._accounts.values())
            dollars = sum(
                each.dollars(limits.prices[model]) for model, each in self._accounts.values() if model in limits.prices
            )
        if limits.tokens is not None and tokens >= limits.tokens:
            return f"{tokens:,} tokens are used, of at most {limits.tokens:,}"
        if limits.dollars is not None and dollars >= limits.dollars:
            return f"${dollars:.4f} is spent, of at most ${limits.dollars:g}"
        if limits.seconds is not None and now - self._began >= limits.seconds:
            return f"the time limit of {limits.seconds:g} s is over"
        return None
