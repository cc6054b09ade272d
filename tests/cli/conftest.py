"""Shared by the tests of the command."""

from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import pytest
from tyro import _docstrings


@pytest.fixture(scope="package", autouse=True)
def sources_read_once() -> Iterator[None]:
    """The command reads the sources of its options for their help, each time that it is called, which here is often."""
    reader = cast(Any, _docstrings)._ClassTokenization
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reader, "make", staticmethod(cache(reader.make)))
        yield
