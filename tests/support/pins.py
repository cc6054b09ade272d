"""Resolve every extra with the pinned versions, for each Python and platform; `make test-pins` runs it.

    python tests/support/pins.py                      all
    python tests/support/pins.py --python 3.13        one Python
    python tests/support/pins.py --platform Windows   one platform

The package `uv` resolves from the registry's metadata. Nothing is installed, and pip's settings, such as a folder with
a build of torch for this machine, are ignored. All extras are resolved together; if that fails, each is also resolved
alone.
"""

import argparse
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PINS, GPU_PINS = ROOT / "constraints.txt", ROOT / "constraints-gpu.txt"
OWN_PINS = {"verifiers": ROOT / "constraints-verifiers.txt"}
"""Extras that contradict others, each with a file of all its pins. They are tested in environments of their own."""
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = {
    "Linux x86-64": "x86_64-manylinux_2_28",
    "Linux Arm": "aarch64-manylinux_2_28",
    "macOS Arm": "aarch64-apple-darwin",
    "Windows": "x86_64-pc-windows-msvc",
}
OLDEST_MACOS = "14.0"
"""Minimum version for torch's wheels."""
GPU_EXTRAS = ("gpu", "gpu-code")
"""Tested in a separate environment, with the pins of both files."""
NO_WHEEL = ("chess", "rlcard")
"""Pure Python packages published without a wheel: pip builds them."""
PINNED_BY_TORCH = re.compile(r"cuda-toolkit|nvidia-|triton")
"""Packages that need no pin: torch requires exactly one version of each."""
NOT_OURS = ("UV_CONSTRAINT", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_INDEX", "UV_OVERRIDE", "UV_TORCH_BACKEND")
"""Settings of uv that would change the result; UV_DEFAULT_INDEX may name a mirror."""


@dataclass(frozen=True)
class Exempt:
    """An extra that cannot be installed on some platforms."""

    extra: str
    platforms: Sequence[str]
    cause: str
    """Text in uv's explanation."""
    reason: str
    pins: Sequence[Path] = (PINS,)
    sdists: Sequence[str] = NO_WHEEL


EXEMPT = (
    Exempt("gpu", ["macOS Arm"], "cuda", "numba-cuda has no wheel for macOS, which has no CUDA"),
    Exempt("gpu-code", ["macOS Arm"], "cuda", "the compilers for GPUs have no wheel for macOS"),
    Exempt(
        "training",
        ["Linux x86-64", "Linux Arm"],
        "cuda-toolkit",
        "torch requires another CUDA toolkit than constraints-gpu.txt pins (otherwise one file of pins would do)",
        (PINS, GPU_PINS),
    ),
    Exempt("bench", ["Linux x86-64"], "chess", "chess has no wheel", sdists=["rlcard"]),
    Exempt("bench", ["Linux x86-64"], "rlcard", "rlcard has no wheel", sdists=["chess"]),
)
"""Extras that cannot be installed, and why. A row that is no longer true is an error."""


@dataclass(frozen=True)
class Found:
    """The result of one resolution."""

    packages: Mapping[str, str]
    """Version by name; empty if the requirements contradict each other."""
    cause: str
    """uv's explanation in that case, else empty."""

    @property
    def contradicts(self) -> bool:
        """Whether there is no solution; False also if uv failed for another reason, such as the network."""
        return "No solution found" in self.cause


def extras() -> list[str]:
    """Return the extras of pyproject.toml."""
    return [*tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]]


def normal(name: str) -> str:
    """Return the name of a package in the form that registries compare."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(*files: Path) -> dict[str, str]:
    """Read the version of each package from files of pins.

    Raises:
        ValueError: a line is not a pin, or a package has two.
    """
    found: dict[str, str] = {}
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            name, _, version = line.partition("==")
            if not re.fullmatch(r"[\w.-]+==[\w.]+", line) or normal(name) in found:
                raise ValueError(f"{file.name} must have one line NAME==VERSION per package, not {line!r} here")
            found[normal(name)] = version
    return found


def resolve(python: str, platform: str, names: Sequence[str], pins: Sequence[Path], sdists: Sequence[str]) -> Found:
    """Resolve the packages that these extras install.

    Args:
        python: version of Python.
        platform: a key of `PLATFORMS`.
        names: extras.
        pins: files of pins.
        sdists: packages that need no wheel.
    """
    command = [
        sys.executable, "-m", "uv", "--no-config", "pip", "compile", "--quiet", "--no-header", "--no-annotate",
        "--python-version", python, "--python-platform", PLATFORMS[platform], "--only-binary", ":all:",
        *(word for name in sdists for word in ("--no-binary", name)),
        *(word for file in pins for word in ("--constraints", file)),
        *(word for name in names for word in ("--extra", name)),
        "pyproject.toml",
    ]  # fmt: skip
    own = {name: value for name, value in os.environ.items() if name not in NOT_OURS}
    own["MACOSX_DEPLOYMENT_TARGET"] = OLDEST_MACOS
    done = subprocess.run(command, cwd=ROOT, env=own, capture_output=True, text=True, check=False)
    if done.returncode:
        return Found({}, done.stderr.strip() or f"uv ended with {done.returncode}")
    lines = (line.partition(" ;")[0].split("==") for line in done.stdout.splitlines() if "==" in line)
    return Found({normal(name): version.strip() for name, version in lines}, "")


def together(python: str, platform: str, names: Sequence[str], pins: Sequence[Path]) -> Iterator[tuple[bool, str]]:
    """Yield whether these extras resolve together with a pin for each package; if not, which of them fail alone."""
    where = place(python, platform, pins)
    found = resolve(python, platform, names, pins, NO_WHEEL)
    known = pinned(*pins)
    free = [f"{k}=={v}" for k, v in found.packages.items() if k not in known and not PINNED_BY_TORCH.match(k)]
    if found.cause:
        yield False, f"{where}: {', '.join(names)}: {found.cause}"
    elif free:
        yield False, f"{where}: {', '.join(free)} must be pinned"
    else:
        yield True, f"{where}: {len(found.packages)} packages for {', '.join(names)}"
    if found.contradicts:
        alone = ((name, resolve(python, platform, [name], pins, NO_WHEEL)) for name in names)
        yield from ((False, f"{where}: {name} alone: {each.cause}") for name, each in alone if each.cause)


def exempted(python: str, platform: str, row: Exempt) -> tuple[bool, str]:
    """Return whether a row of `EXEMPT` is still true."""
    found = resolve(python, platform, [row.extra], row.pins, row.sdists)
    where = f"{place(python, platform, row.pins)}: {row.extra}"
    if found.contradicts and row.cause in found.cause:
        return True, f"{where} cannot be installed: {row.reason}"
    return False, f"{where}: {found.cause or f'it can be installed, remove it from EXEMPT: {row.reason}'}"


def place(python: str, platform: str, pins: Sequence[Path]) -> str:
    """Return the start of an output line."""
    return f"Python {python}, {platform}, {' and '.join(file.name for file in pins)}"


def check(python: str, platform: str) -> list[tuple[bool, str]]:
    """Return, for each check of a Python on a platform, whether it passed and its output line."""
    rows = [row for row in EXEMPT if platform in row.platforms]
    missing = {row.extra for row in rows if (row.pins, row.sdists) == ((PINS,), NO_WHEEL)}
    found = [*together(python, platform, [name for name in extras() if name not in {*missing, *OWN_PINS}], (PINS,))]
    for name, file in OWN_PINS.items():
        found += together(python, platform, [name], (file,))
    if gpu := [name for name in GPU_EXTRAS if name not in missing]:
        found += together(python, platform, gpu, (PINS, GPU_PINS))
    return found + [exempted(python, platform, row) for row in rows]


def main() -> int:
    """Print a line per check; return 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", choices=PYTHONS, help="only this one")
    parser.add_argument("--platform", choices=[*PLATFORMS], help="only this one")
    args = parser.parse_args()
    try:
        for files in ((PINS, GPU_PINS), *((file,) for file in OWN_PINS.values())):
            pinned(*files)
    except ValueError as error:
        sys.exit(str(error))
    pairs = [
        (python, platform)
        for python in PYTHONS
        for platform in PLATFORMS
        if args.python in (None, python) and args.platform in (None, platform)
    ]
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(lambda pair: check(*pair), pairs):
            for passed, line in found:
                failed += not passed
                print(line if passed else f"FAILED: {line}", flush=True)
    print(f"{failed} checks failed" if failed else "every extra can be installed with the pins, except as stated above")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
