"""Fixtures shared by the tests of training."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spygames_training.files.atomic import write_whole
from spygames_training.runs import report

PLOT_CURVES = report.plot_curves


def write_rows(rows: list[dict[str, Any]], path: Path) -> Path:
    """Write the rows instead of `plot_curves`, which takes longer than the training of a small run."""
    write_whole(path, f"{len(rows)} updates")
    return path


@pytest.fixture(scope="package", autouse=True)
def curves_not_drawn() -> Iterator[None]:
    """Let runs in this process draw no curves, except in tests that use `drawn_curves`."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(report, "plot_curves", write_rows)
        yield


@pytest.fixture
def drawn_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let runs draw their curves, as they do for users."""
    monkeypatch.setattr(report, "plot_curves", PLOT_CURVES)
