"""Which of many cases `make test` runs; `make test-all` runs all of them."""

from collections.abc import Sequence
from typing import Any

import pytest


def slow_but(values: Sequence[Any], *quick: int) -> list[Any]:
    """For pytest's `parametrize`: the values, all `slow` but those at the indices `quick`, which differ most. Values
    that are tuples stand for several arguments."""
    assert quick
    assert all(-len(values) <= i < len(values) for i in quick)
    fast = {i % len(values) for i in quick}
    return [
        value if i in fast else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
        for i, value in enumerate(values)
    ]
