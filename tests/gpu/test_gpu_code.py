"""The games' kernels fit a GPU: their PTX does what a `Batch` does, and ptxas accepts it within a budget.

No GPU is needed: the PTX runs on the CPU (`tests/gpu/emulator.py`). `make test-gpu-code` runs this with the packages
that it needs.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import spygames
from spygames.core.game.game import Game
from spygames.core.gpu.device import GameArrays
from spygames.core.gpu.ptx import LANES, LAYOUTS, Layout, step_ptx
from spygames.core.playing.batch import Batch
from tests.gpu.assembled import assemble, tool
from tests.gpu.emulator import HAS_GCC, Emulator, buffer
from tests.gpu.ptx import parse

pytest.importorskip("numba_cuda", reason="numba-cuda is not installed: make test-gpu-code")

CAPABILITY = (8, 0)
"""PTX for this compute capability also runs on all later GPUs."""
ARCHITECTURES = ("sm_80", "sm_90")
GAMES, STEPS, MEASURED = 1024, 56, 8
"""57,344 decisions per variant; those of the last `MEASURED` steps are measured."""


class Variant(NamedTuple):
    """A game with options, and the budget of its kernel in the layout `lanes`."""

    game_id: str
    options: dict[str, Any]
    warm_up: int
    """Steps before the measurement, so that games are in all phases and more than a hundred end."""
    registers: int
    """Registers per thread."""
    instructions: int
    """PTX instructions per warp and step."""
    sectors: int
    """Sectors of 32 bytes read or written per decision, without constants."""


VARIANTS = {
    "agent_avenue_simple": Variant("agent_avenue_v0", {}, 40, 72, 8_200, 75),
    "agent_avenue_advanced": Variant("agent_avenue_v0", {"mode": "advanced"}, 40, 72, 11_900, 110),
    "agent_avenue_teams": Variant("agent_avenue_v0", {"players": 4, "mode": "advanced"}, 40, 72, 11_300, 115),
    "heimlich": Variant("heimlich_v0", {}, 150, 136, 7_500, 115),
    "heimlich_all": Variant(
        "heimlich_v0", {"players": 4, "top_secret": True, "secret_identities": True}, 300, 136, 19_000, 190
    ),
    "agent_dog": Variant("agent_dog_v0", {"max_turns": 25}, 100, 184, 34_000, 230),
}
"""Variants of the released agents, and those with the most rules; budgets are up to 10 % above the measured values."""

each_variant = pytest.mark.parametrize("name", VARIANTS)
each_layout = pytest.mark.parametrize(
    "layout", [each if each == "lanes" else pytest.param(each, marks=pytest.mark.slow) for each in LAYOUTS]
)


def game_of(name: str) -> Game:
    return spygames.make_game(VARIANTS[name].game_id, **VARIANTS[name].options)


@cache
def compiled(name: str, layout: Layout) -> str:
    return step_ptx(game_of(name), layout, CAPABILITY)


def assert_is(arrays: dict[str, np.ndarray], batch: Batch) -> None:
    """Assert that all bytes equal the batch's."""
    for name, array in arrays.items():
        assert array.tobytes() == getattr(batch, name).tobytes(), name


@each_layout
@each_variant
@pytest.mark.skipif(not HAS_GCC, reason="the emulator needs gcc")
def test_the_ptx_plays_like_a_batch(name: str, layout: Layout, tmp_path: Path) -> None:
    variant, game = VARIANTS[name], game_of(name)
    batch, rng = Batch(game, GAMES, seed=3, threads=1), np.random.default_rng(0)

    def choose() -> np.ndarray:
        return (batch.mask * rng.random(batch.mask.shape, dtype=np.float32)).argmax(1)

    for _ in range(variant.warm_up):
        batch.step(choose())
    emulator, ended = Emulator(compiled(name, layout), tmp_path), 0
    games = GameArrays(game, batch.states, batch.seeds, layout, buffer)
    named = [games.states, games.views, games.mask]
    for step in range(STEPS):
        if step == STEPS - MEASURED:
            emulator.reset()
        actions = choose()
        emulator.launch(games.arguments(actions), GAMES, named, measure=step >= STEPS - MEASURED)
        batch.step(actions)
        ended += int(batch.done.sum())
        assert_is(games.as_rows(), batch)
    sectors = sum(emulator.touched(k, writes).sectors for k in (0, 1, 2, 3, 5) for writes in (False, True)) / LANES
    print(f"{name}, {layout}: {ended} games ended, {emulator.instructions:,.0f} instructions a warp, "
          f"{emulator.active_lanes:.2f} of the lanes active, {sectors:.0f} sectors a decision")  # fmt: skip
    assert ended >= 100
    assert emulator.misaligned == 0
    if layout == "lanes":
        assert emulator.instructions <= variant.instructions
        assert sectors <= variant.sectors


@each_layout
@each_variant
@pytest.mark.skipif(not tool("ptxas") or not tool("nvdisasm"), reason="ptxas and nvdisasm are not installed")
def test_ptxas_accepts_it_within_the_budget(name: str, layout: Layout, tmp_path: Path) -> None:
    for arch in ARCHITECTURES:
        found = assemble(compiled(name, layout), arch, tmp_path)
        print(f"{name}, {layout}, {arch}: {found}")
        assert found.registers <= VARIANTS[name].registers
        assert found.stack <= 64
        assert found.spilled == 0
        assert found.constants <= 64 * 1024


@each_layout
@each_variant
def test_no_product_is_fused_with_a_sum(name: str, layout: Layout) -> None:
    """A GPU may round a fused multiply-add once, while a CPU rounds twice."""
    lines = [line for block in parse(compiled(name, layout)).blocks for line in block.lines]
    products = {found[1] for line in lines if (found := re.match(r"mul\.f\d\d (%\w+),", line))}
    added = {
        x for line in lines if re.match(r"(?:add|sub|fma)\.(?:rn\.)?f\d\d ", line) for x in re.findall(r"%f\w+", line)
    }
    assert not products & added
