"""Run PTX on the CPU, warp by warp, and count what it would cost on a GPU. Needs gcc.

Each access must lie in the memory that its instruction may use: the given arrays, the constants or the local memory.
"""

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from spygames.core.gpu.device import kernel_arguments
from tests.gpu.ptx import parse
from tests.gpu.translate import SLOT, Translator

HAS_GCC = shutil.which("gcc") is not None
LANES, THREADS = 32, 128
"""Threads per warp and per block."""
CLASSES = 16
NOTHING = np.zeros(0, np.uint64)


@dataclass(frozen=True)
class Touched:
    """Memory traffic of the accesses to one buffer, per warp."""

    requests: float
    lanes: float
    """Lanes that took part in the requests."""
    sectors: float
    """Sectors of 32 bytes."""
    lines: float
    """Lines of 128 bytes."""


class Emulator:
    """A kernel that can be launched; its counts accumulate."""

    def __init__(self, ptx: str, folder: Path) -> None:
        self.program = parse(ptx)
        folder = Path(tempfile.mkdtemp(dir=folder))  # a library is loaded once per path
        translator = Translator(self.program)
        (folder / "program.c").write_text(translator.text())
        self._accesses = translator.texts
        library = folder / "kernel.so"
        # No product may be fused with a sum, and records are read through pointers of any type, as on a GPU.
        flags = ["-O1", "-w", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-shared", "-fPIC"]
        source = Path(__file__).with_name("warp.c")
        program = f'-DPROGRAM="{folder / "program.c"}"'
        subprocess.run(["gcc", *flags, program, "-o", library, source, "-lm"], check=True)
        self._run = ctypes.CDLL(str(library)).run
        self.reset()

    def reset(self) -> None:
        """Reset all counts to zero."""
        self._counts = np.zeros(4 + CLASSES * 2 * 4, np.uint64)

    def launch(
        self, arrays: Sequence[np.ndarray], n: int, named: Sequence[np.ndarray] = (), measure: bool = False
    ) -> None:
        """Run `n` threads, a multiple of THREADS.

        Args:
            arrays: the arguments, as Numba passes arrays to a kernel.
            n: number of threads.
            named: buffers whose accesses are counted separately; `touched(0)` is the first one.
            measure: whether to count accesses and check their alignment.
        """
        low = np.array([a.ctypes.data for a in named], np.uint64)
        high = low + np.array([a.nbytes for a in named], np.uint64)
        self.run(kernel_arguments(arrays, [a.ctypes.data for a in arrays]), n, arrays, low, high, measure)

    def run(
        self,
        values: np.ndarray,
        n: int,
        memory: Sequence[np.ndarray],
        low: np.ndarray = NOTHING,
        high: np.ndarray = NOTHING,
        measure: bool = False,
    ) -> None:
        """Run `n` threads with the parameters of `kernel_arguments`; see `launch` for the rest.

        Raises:
            IndexError: an access outside of the arrays `memory`, the constants and the local memory.
        """
        if n % THREADS or len(values) != len(self.program.entry.params):
            raise ValueError(f"{n} threads, {len(values)} values for {len(self.program.entry.params)} parameters")
        slots = np.zeros((len(values), SLOT // 8), np.uint64)
        slots[:, 0] = values
        ranges = np.array(sorted({(a.ctypes.data, a.nbytes) for a in memory}), np.uint64)
        fault = np.zeros(3, np.uint64)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (slots, ranges, fault, low, high, self._counts)]
        if self._run(
            pointers[0], ctypes.c_uint64(len(values)), n // THREADS, THREADS, pointers[1], len(ranges), pointers[2],
            pointers[3], pointers[4], len(low), pointers[5], int(measure),
        ):  # fmt: skip
            access, address, thread = map(int, fault)
            at, size = min(ranges.tolist(), key=lambda r: max(r[0] - address, address - r[0] - r[1]), default=(0, 0))
            raise IndexError(
                f"thread {thread} accesses byte {address - at} of an array of {size} bytes: {self._accesses[access]}"
            )

    @property
    def warps(self) -> int:
        """Number of warps that were run."""
        return int(self._counts[2])

    @property
    def instructions(self) -> float:
        """PTX instructions per warp."""
        return float(self._counts[0]) / self.warps

    @property
    def active_lanes(self) -> float:
        """Mean share of lanes that take part in an instruction."""
        return float(self._counts[1]) / float(self._counts[0]) / LANES

    @property
    def misaligned(self) -> int:
        """Number of accesses at an address that is not a multiple of their size; a GPU refuses each of them."""
        return int(self._counts[3])

    def touched(self, buffer: int, writes: bool) -> Touched:
        """Return the traffic of reading or writing one buffer.

        Buffers 0 and up are the `named` ones of `launch`. Then come all other memory, constants (in words of 4 bytes
        instead of sectors) and local memory.
        """
        at = 4 + (2 * buffer + writes) * 4
        return Touched(*(self._counts[at : at + 4] / self.warps).tolist())


def buffer(size: int) -> np.ndarray:
    """Return zeros, uint8, at an address that is a multiple of 256, as a GPU's allocator does."""
    raw = np.zeros(size + 256, np.uint8)
    start = -raw.ctypes.data % 256
    return raw[start : start + size]
