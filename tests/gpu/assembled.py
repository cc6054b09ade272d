"""What ptxas makes of PTX: machine code for a GPU, without one."""

import re
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path

_WHEELS = Path(sysconfig.get_paths()["purelib"], "nvidia", "cu13", "bin")


def tool(name: str) -> str | None:
    """Path of `ptxas` or `nvdisasm`, from NVIDIA's wheels or a CUDA toolkit; None where there is none."""
    return shutil.which(name, path=str(_WHEELS)) or shutil.which(name)


@dataclass(frozen=True)
class Assembled:
    """Machine code of one kernel; sizes are bytes, a thread's where it is memory."""

    registers: int
    stack: int
    spilled: int
    constants: int
    instructions: int
    """In the kernel, without what only fills up."""


def assemble(ptx: str, arch: str, folder: Path) -> Assembled:
    """Machine code for `arch`, as sm_90; AssertionError with ptxas' words where it refuses."""
    ptxas, nvdisasm = tool("ptxas"), tool("nvdisasm")
    assert ptxas
    assert nvdisasm
    source, cubin = folder / "kernel.ptx", folder / f"kernel.{arch}.cubin"
    source.write_text(ptx)
    # Contracted products would not be the CPU's to the bit.
    command = [ptxas, f"-arch={arch}", "-v", "-O3", "-fmad=false", str(source), "-o", str(cubin)]
    done = subprocess.run(command, capture_output=True, text=True)
    report = done.stdout + done.stderr
    assert done.returncode == 0, report[:300]

    def most(pattern: str) -> int:
        return max(map(int, re.findall(pattern, report)), default=0)

    code = subprocess.run([nvdisasm, str(cubin)], capture_output=True, text=True, check=True).stdout
    return Assembled(
        registers=most(r"Used (\d+) registers"),
        stack=most(r"(\d+) bytes stack frame"),
        spilled=most(r"(\d+) bytes spill stores"),
        constants=most(r"(\d+) bytes gmem") + most(r"(\d+) bytes cmem\[3\]"),
        instructions=len(re.findall(r"^\s+/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+ )?(?!NOP)[A-Z]", code, re.M)),
    )
