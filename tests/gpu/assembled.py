"""Assemble PTX with ptxas: machine code for a GPU, without needing one."""

import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

_WHEELS = Path(sysconfig.get_paths()["purelib"], "nvidia", "cu13", "bin")


def tool(name: str) -> str | None:
    """Return the path of `ptxas` or `nvdisasm` from NVIDIA's wheels or a CUDA toolkit; None if it is not installed."""
    return shutil.which(name, path=str(_WHEELS)) or shutil.which(name)


@dataclass(frozen=True)
class Assembled:
    """Statistics of one kernel's machine code. Sizes are in bytes; those of memory are per thread."""

    registers: int
    stack: int
    spilled: int
    constants: int
    instructions: int
    """Instructions of the kernel, without padding."""


def assemble(ptx: str, arch: str, folder: Path) -> Assembled:
    """Assemble for `arch`, such as sm_90. Raises AssertionError with ptxas' output if it fails."""
    ptxas, nvdisasm = tool("ptxas"), tool("nvdisasm")
    assert ptxas
    assert nvdisasm
    source, cubin = folder / "kernel.ptx", folder / f"kernel.{arch}.cubin"
    source.write_text(ptx)
    # Fused multiply-adds would not equal the CPU's results bit for bit.
    command = [ptxas, f"-arch={arch}", "-v", "-O3", "-fmad=false", str(source), "-o", str(cubin)]
    done = subprocess.run(command, capture_output=True, text=True)
    report = done.stdout + done.stderr
    assert done.returncode == 0, report[:300]

    def largest(pattern: str) -> int:
        return max(map(int, re.findall(pattern, report)), default=0)

    code = subprocess.run([nvdisasm, str(cubin)], capture_output=True, text=True, check=True).stdout
    return Assembled(
        registers=largest(r"Used (\d+) registers"),
        stack=largest(r"(\d+) bytes stack frame"),
        spilled=largest(r"(\d+) bytes spill stores"),
        constants=largest(r"(\d+) bytes gmem") + largest(r"(\d+) bytes cmem\[3\]"),
        instructions=len(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?(?!NOP)[A-Z]", code, re.M)),
    )
