"""Values out of NumPy as plain ones of Python. Imports no Numba, so that a config can be read without it."""

from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Return a number or text of NumPy as Python's own type, anything else unchanged."""
    return value.item() if isinstance(value, np.generic) else value
