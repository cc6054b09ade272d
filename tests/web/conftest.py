"""Fixtures of the tests of the page."""

import pytest

from spygames_app.web.choices import Choices
from spygames_app.web.server import make_app
from spygames_app.web.store import Store
from tests.web.visitor import HOST, Visitor, new_store


@pytest.fixture
def server() -> tuple[Store, Visitor]:
    kept = new_store()
    visitor = Visitor(make_app(Choices(), [HOST], store=kept))
    visitor.get("/seats?game=0")
    return kept, visitor
