"""Fixtures of the tests of the command."""

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import pytest
from tyro import _docstrings


@pytest.fixture(scope="package", autouse=True)
def sources_read_once() -> Iterator[None]:
    """Cache the sources that the command reads for the help of its options; it reads them at each call, often here."""
    reader = cast(Any, _docstrings)._ClassTokenization
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, "make", staticmethod(cache(reader.make)))
        yield
