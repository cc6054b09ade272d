"""The reader of weights reads what the library safetensors writes, and refuses all damaged bytes."""

import json
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save

from spygames.core.basics.safetensors import SafetensorsError, read_safetensors

TENSORS = {
    "b": torch.tensor([1.5, -2.0, 3e38]),
    "a.weight": torch.arange(6, dtype=torch.float32).reshape(2, 3),
    "half": torch.tensor([[1.0], [-3.1415926], [1e-40]]).to(torch.bfloat16),
    "empty": torch.zeros(0, 4),
    "scalar": torch.tensor(7.0),
}


def packed(header: Any, values: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + values


def about(shape: Any = (1,), offsets: Any = (0, 4), dtype: Any = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def test_float32_and_bfloat16_are_read_exactly() -> None:
    found = read_safetensors(save(TENSORS, {"made": "here"}))
    assert found.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        assert found[name].dtype == np.float32
        assert found[name].shape == tuple(tensor.shape)
        assert np.array_equal(found[name], tensor.float().numpy())
        assert found[name].flags.writeable


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "its header alone has 8"),
        (b"\xff" * 8, "the header has"),
        ((1 << 40).to_bytes(8, "little") + b"{}", "the header has"),
        (packed(b"\xff"), "the header is not JSON"),
        (packed(b"[" * 5000), "the header is not JSON"),
        (packed(b"1" * 5000), "the header is not JSON"),
        (packed([]), "is not a JSON object"),
        (packed({"x": 3}), "must have dtype, shape and data_offsets"),
        (packed({"x": {**about(), "more": 1}}, bytes(4)), "must have dtype, shape and data_offsets"),
        (packed({"x": about(dtype="F64")}, bytes(4)), "'x' must be of dtype F32 or BF16, not 'F64'"),
        (packed({"x": about(dtype=["F32"])}, bytes(4)), "must be of dtype"),
        (packed({"x": about(shape=[-1])}, bytes(4)), "must be at most 8 counts"),
        (packed({"x": about(shape=[True])}, bytes(4)), "must be at most 8 counts"),
        (packed({"x": about(shape=[1.0])}, bytes(4)), "must be at most 8 counts"),
        (packed({"x": about(shape=[1] * 9)}, bytes(4)), "must be at most 8 counts"),
        (packed({"x": about(shape=[1 << 52] * 8)}, bytes(4)), "must fit its shape"),
        (packed({"x": about(shape=[1 << 52, 1 << 52, 0], offsets=[0, 0])}), "'x' must not be empty with the"),
        (packed({"x": about(shape=[0, 1 << 31, 1 << 31], offsets=[0, 0], dtype="BF16")}), "must not be empty"),
        (packed({"x": about(offsets=[0, 8])}, bytes(8)), "must fit its shape"),
        (packed({"x": about(offsets=[4, 0])}, bytes(4)), "must fit its shape"),
        (packed({"x": about(offsets=[-4, 0])}, bytes(4)), "must be two counts"),
        (packed({"x": about(offsets=[0])}, bytes(4)), "must be two counts"),
        (packed({"x": about(offsets=[4, 8])}, bytes(8)), "must begin at byte 0, not 4"),
        (packed({"x": about(), "y": about()}, bytes(4)), "must begin at byte 4, not 0"),
        (packed({"x": about()}, bytes(3)), "beyond the end"),
        (packed({"x": about(shape=[1 << 50], offsets=[0, 1 << 52])}, bytes(4)), "beyond the end"),
        (packed({"x": about()}, bytes(5)), "4 bytes of values, and the file 5"),
    ],
)
def test_hostile_bytes_are_refused(data: bytes, text: str) -> None:
    with pytest.raises(SafetensorsError, match=text) as info:
        read_safetensors(data)
    assert "\n" not in str(info.value)
    assert len(str(info.value)) < 400


def test_any_damage_is_refused_or_gives_arrays() -> None:
    """Random bytes of the header are changed, and the file is cut at each length."""
    whole = save(TENSORS)
    rng = np.random.default_rng(0)
    header = 8 + int.from_bytes(whole[:8], "little")
    refused = 0
    for _ in range(2000):
        damaged = bytearray(whole)
        damaged[rng.integers(header)] = rng.integers(256)
        try:
            assert sum(array.size for array in read_safetensors(bytes(damaged)).values()) <= len(whole)
        except SafetensorsError:
            refused += 1
    assert refused > 1000
    for length in range(len(whole)):
        with pytest.raises(SafetensorsError):
            read_safetensors(whole[:length])
