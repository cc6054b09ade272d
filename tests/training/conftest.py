"""Shared by the tests of training."""

from pathlib import Path
from typing import Any

import pytest

from spygames_training import report
from spygames_training.atomic import write_whole


def write_rows(rows: list[dict[str, Any]], path: Path) -> Path:
    """In the place of `plot_curves`, which takes longer than the training of a small run."""
    write_whole(path, f"{len(rows)} updates")
    return path


@pytest.fixture(autouse=True)
def curves_not_drawn(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in this process draw no curves, except in tests that use `drawn_curves`."""
    if "drawn_curves" not in request.fixturenames:
        monkeypatch.setattr(report, "plot_curves", write_rows)


@pytest.fixture
def drawn_curves() -> None:
    """Runs draw their curves, as they do for users."""
