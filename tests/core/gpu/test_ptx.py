"""What the compiler for GPUs refuses; tests/gpu tests its output."""

import importlib.util
from dataclasses import replace

import numpy as np
import pytest

from spygames.core.gpu.ptx import step_ptx
from tests.poker import kuhn


def test_an_invalid_layout_is_refused() -> None:
    with pytest.raises(ValueError, match=r"layout must be one of .*, not 'columns'"):
        step_ptx(kuhn.make_game(), "columns")  # type: ignore[arg-type]


def test_unaligned_records_are_refused() -> None:
    packed = np.dtype(kuhn.STATE.descr)
    with pytest.raises(ValueError, match="STATE of kuhn_poker_v0 must be aligned"):
        step_ptx(replace(kuhn.make_game(), state_dtype=packed))


def test_without_numba_cuda_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'spygames\[gpu\]'"):
        step_ptx(kuhn.make_game())
