"""The private names of other libraries that `compat` uses exist and mean what it assumes."""

import contextlib
import inspect
from collections.abc import Iterator

import pytest
import torch

from spygames_training.networks.device import has_fast_bfloat16
from spygames_training.system.compat import has_amx, has_bfloat16, updates_made
from spygames_training.system.machine import instructions

CPU = torch.device("cpu")


def test_torch_reports_whether_there_is_bfloat16(monkeypatch: pytest.MonkeyPatch) -> None:
    assert has_bfloat16(CPU) == torch.cpu._is_avx512_bf16_supported()
    for answer in (True, False):
        monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda answer=answer: answer)
        assert has_bfloat16(CPU) is answer
    monkeypatch.delattr(torch.cpu, "_is_avx512_bf16_supported")
    assert has_bfloat16(CPU) is False
    assert has_fast_bfloat16(CPU) is False


@pytest.mark.parametrize(
    ("name", "amx", "fast"),
    [
        ("AMD EPYC 9R14", False, True),
        ("Intel(R) Xeon(R) Processor", True, True),
        ("Intel(R) Xeon(R) Processor", False, False),
        ("Intel64 Family 6 Model 207 Stepping 2, GenuineIntel", False, False),
    ],
)
def test_bfloat16_without_amx_is_slow_on_intel(
    monkeypatch: pytest.MonkeyPatch, name: str, amx: bool, fast: bool
) -> None:
    monkeypatch.setattr("spygames_training.networks.device.processor", lambda: name)
    assert has_amx() == getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)()  # older versions lack it
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: True)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx, raising=False)
    assert has_fast_bfloat16(CPU) is fast
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    assert has_fast_bfloat16(CPU) is False


def test_a_gpu_that_emulates_bfloat16_is_not_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """The network's GPU counts, not the current one."""
    assert has_bfloat16(torch.device("meta")) is False
    asked = []

    def is_bf16_supported(including_emulation: bool = True) -> bool:
        return including_emulation or asked == [torch.device("cuda", 1)]

    @contextlib.contextmanager
    def current(device: torch.device) -> Iterator[None]:
        asked.append(device)
        yield
        asked.clear()

    assert "including_emulation" in inspect.signature(torch.cuda.is_bf16_supported).parameters
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", is_bf16_supported)
    monkeypatch.setattr(torch.cuda, "device", current)
    assert has_fast_bfloat16(torch.device("cuda", 0)) is False
    assert has_fast_bfloat16(torch.device("cuda", 1)) is True
    assert not asked


def test_stable_baselines3_counts_its_updates() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    from spygames_training.bridges.sb3 import SelfPlayVecEnv
    from tests.poker import kuhn

    env = SelfPlayVecEnv(kuhn.make_game(), 4, 0, by_hand=True)
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=4, batch_size=8, n_epochs=3, device="cpu")
    assert updates_made(model) == 0
    model.learn(16)
    assert updates_made(model) == 3


def test_a_record_names_the_processors_instructions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on other processors, and if torch does not report them."""
    here = torch.backends.cpu.get_cpu_capability()
    fast = bool(torch.cpu._is_avx512_bf16_supported())
    assert instructions() == (f"{here}, bfloat16" if fast else here)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "SVE256")
    assert instructions.__wrapped__() == "SVE256"
    monkeypatch.delattr(torch.backends.cpu, "get_cpu_capability")
    assert instructions.__wrapped__() == "unknown"
