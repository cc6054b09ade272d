"""Choose the cases that `make test` runs; `make test-all` runs all of them."""

from collections.abc import Sequence
from typing import Any

import pytest


def slow_but(values: Sequence[Any], *quick: int) -> list[Any]:
    """Return values for pytest's `parametrize`, marked `slow` except at the indices `quick`, which differ most. A tuple
    is several arguments."""
    assert quick
    assert all(-len(values) <= i < len(values) for i in quick)
    fast = {i % len(values) for i in quick}
    return [
        value if i in fast else pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
        for i, value in enumerate(values)
    ]
