"""Conversion of NumPy scalars to plain Python values. Imports no Numba, so that configs can be read without it."""

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a NumPy number or text as the plain Python type, anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value
