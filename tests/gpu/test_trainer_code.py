"""The trainer's kernels compile for a GPU, one row or game per thread, and ptxas accepts them."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest
from numba.core import types as _types

from spygames.core.gpu.ptx import ptx_of
from spygames.core.players.sampling import Asked, Drawn, sample_rows
from tests.gpu.assembled import assemble, tool

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: make test-gpu-code")
types, cuda = cast(Any, _types), cast(Any, importlib.import_module("numba.cuda"))


def module(name: str) -> ModuleType:
    """Import a module of `spygames_training` without the package, which requires torch; these modules do not."""
    path = Path(__file__).resolve().parents[2] / "training" / "spygames_training" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"trainer_{name}", path)
    assert spec
    assert spec.loader
    found = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def parts(name: str, *names: str) -> list[Any]:
    found = module(name)
    return [getattr(found, each) for each in names]


Outputs, Taken, Weights, loss_gradients = parts("ppo/losses", "Outputs", "Taken", "Weights", "loss_gradients")
Played, Estimates, per_seat_gae = parts("ppo/gae", "Played", "Estimates", "per_seat_gae")

# ruff: noqa: ANN001, ANN201


def draw(logits, mask, rng, rows, temperature, actions, log_probabilities, legal):
    i = cuda.grid(1)
    if i < len(rows):
        asked, drawn = Asked(mask, rng, rows[i : i + 1]), Drawn(actions, log_probabilities)
        sample_rows(logits[i : i + 1], asked, temperature, drawn, legal[i])


def differentiate(
    logits, values, rows, mask, actions, numbers, reference, w, logit_gradients, value_gradients, terms, legal
):
    i = cuda.grid(1)
    if i < len(rows):
        one = slice(i, i + 1)
        taken = Taken(mask, actions, numbers[0], numbers[1], numbers[2], numbers[3], reference)
        gradients = Outputs(logit_gradients[one], value_gradients[one])
        weights = Weights(w[0], w[1], w[2], w[3])
        loss_gradients(Outputs(logits[one], values[one]), rows[one], taken, weights, gradients, terms[i], legal[i])


def estimate(rewards, done, seats, values, gamma, lam, advantages, valid, scratch):
    i = cuda.grid(1)
    if i < rewards.shape[1]:
        one = slice(i, i + 1)
        played = Played(rewards[:, one], done[:, one], seats[:, one], values[:, one])
        per_seat_gae(played, gamma, lam, Estimates(advantages[:, one], valid[:, one]), scratch[i])


def array(kind: Any, axes: int) -> Any:
    return types.Array(kind, axes, "C")


I8, F4, F8 = types.int8, types.float32, types.float64
ROWS, RNG, BOOLS = array(types.int64, 1), array(types.uint64, 2), array(types.boolean, 2)
SIGNATURES = {
    draw: (array(F4, 2), array(I8, 2), RNG, ROWS, F8, ROWS, array(F4, 1), array(types.int64, 2)),
    differentiate: (
        array(F4, 2), array(F4, 1), ROWS, BOOLS, ROWS, array(F4, 2), array(F4, 2), array(F8, 1),
        array(F4, 2), array(F4, 1), array(F8, 2), array(types.int64, 2),
    ),
    estimate: (array(F4, 3), BOOLS, array(I8, 2), array(F4, 2), F8, F8, array(F4, 2), BOOLS, array(F4, 3)),
}  # fmt: skip


@pytest.mark.skipif(not tool("ptxas") or not tool("nvdisasm"), reason="ptxas and nvdisasm are not installed")
@pytest.mark.parametrize("kernel", SIGNATURES, ids=lambda kernel: kernel.__name__)
def test_ptxas_accepts_the_trainers_kernels(kernel: Any, tmp_path: Path) -> None:
    for arch in ("sm_80", "sm_90"):
        found = assemble(ptx_of(kernel, SIGNATURES[kernel], (8, 0)), arch, tmp_path)
        print(f"{kernel.__name__}, {arch}: {found}")
        assert found.registers <= 128
        assert found.stack == found.spilled == 0
