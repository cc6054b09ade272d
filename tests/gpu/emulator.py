"""Runs PTX on the CPU, warp by warp, and counts what it costs a GPU. Needs gcc."""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.gpu.ptx import parse
from tests.gpu.translate import SLOT, Translator

HAS_GCC = shutil.which("gcc") is not None
LANES, THREADS = 32, 128
"""Threads of a warp and of a block."""
CLASSES = 16


@dataclass(frozen=True)
class Touched:
    """What the accesses to one buffer come to, a warp."""

    requests: float
    lanes: float
    """That took part in the requests."""
    sectors: float
    """Of 32 bytes."""
    lines: float
    """Of 128 bytes."""


class Emulator:
    """A kernel that can be launched; its counts add up."""

    def __init__(self, ptx: str, folder: Path) -> None:
        self.program = parse(ptx)
        folder = Path(tempfile.mkdtemp(dir=folder))  # a library is loaded once a path
        (folder / "program.c").write_text(Translator(self.program).text())
        library = folder / "kernel.so"
        # No product may be contracted with a sum, and records are read through pointers of any type, as on a GPU.
        flags = ["-O1", "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-shared", "-fPIC"]
        source = Path(__file__).with_name("warp.c")
        program = f'-DPROGRAM="{folder / "program.c"}"'
        subprocess.run(["gcc", *flags, program, "-o", library, source, "-lm"], check=True)
        self._run = ctypes.CDLL(str(library)).run
        self.reset()

    def reset(self) -> None:
        """Counts from zero."""
        self._counts = np.zeros(4 + CLASSES * 2 * 4, np.uint64)

    def launch(
        self, arrays: Sequence[np.ndarray], n: int, named: Sequence[np.ndarray] = (), measure: bool = False
    ) -> None:
        """Runs `n` threads, a multiple of THREADS.

        Args:
            arrays: the arguments, as Numba passes arrays to a kernel.
            n: how many threads.
            named: buffers whose accesses are counted apart, `touched(0)` for the first one.
            measure: whether accesses are counted, and alignment looked at.
        """
        values = [v % 2**64 for a in arrays for v in (0, 0, a.size, a.itemsize, a.ctypes.data, *a.shape, *a.strides)]
        if n % THREADS or len(values) != len(self.program.entry.params):
            raise ValueError(f"{n} threads, {len(values)} values for {len(self.program.entry.params)} parameters")
        slots = np.zeros((len(values), SLOT // 8), np.uint64)
        slots[:, 0] = np.array(values, np.uint64)
        low = np.array([a.ctypes.data for a in named], np.uint64)
        high = low + np.array([a.nbytes for a in named], np.uint64)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (slots, low, high, self._counts)]
        self._run(
            pointers[0], ctypes.c_uint64(len(values)), n // THREADS, THREADS,
            pointers[1], pointers[2], len(named), pointers[3], int(measure),
        )  # fmt: skip

    @property
    def warps(self) -> int:
        """That were run."""
        return int(self._counts[2])

    @property
    def instructions(self) -> float:
        """PTX instructions a warp."""
        return float(self._counts[0]) / self.warps

    @property
    def active_lanes(self) -> float:
        """The share of lanes that take part in an instruction."""
        return float(self._counts[1]) / float(self._counts[0]) / LANES

    @property
    def misaligned(self) -> int:
        """Accesses at an address that is no multiple of their size, each of which a GPU refuses."""
        return int(self._counts[3])

    def touched(self, buffer: int, writes: bool) -> Touched:
        """What reading or writing a buffer comes to: 0.. those that were named, then all other memory, constants (whose
        sectors are words of 4 bytes) and local memory."""
        at = 4 + (2 * buffer + writes) * 4
        return Touched(*(self._counts[at : at + 4] / self.warps).tolist())


def buffer(size: int) -> np.ndarray:
    """Zeros, uint8, at an address that is a multiple of 256, as a GPU's allocator gives."""
    raw = np.zeros(size + 256, np.uint8)
    start = -raw.ctypes.data % 256
    return raw[start : start + size]
