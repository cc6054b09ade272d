"""Build the wheel and the sdist and try them as users get them, outside this folder; `make test-wheels` runs this.

    python tests/support/wheels.py                   all stages
    python tests/support/wheels.py build core        some

Stages: `build` makes both and checks their contents; `core` installs the wheel alone with each Python on this machine;
`lowest` does so with the lowest versions that pyproject.toml allows; `command` uses the command with the extra `cli`,
and with `training`; `sdist` installs from the sdist and runs some of its tests. Everything except the installation runs
without a network, where `unshare` can remove it.
"""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENVS = ROOT / ".venv-wheel"
DIST = ROOT / "dist"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = ("3.11", "3.12", "3.13")
LARGEST_WHEEL = 14_000_000
OWN_TESTS = (
    "tests/core",
    "tests/contract",
    "tests/films",
    "tests/docs/test_pages.py",
    "tests/training/agents/test_agents_by_name.py",
    "tests/training/agents/test_released.py",
)
"""Tests of the sdist: environments and the files that they need. `make test` in the unpacked sdist runs all tests."""

PROGRAM = """
import json, sys

for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 2}), flush=True)
    elif asked["type"] == "decision":
        same = {key: asked[key] for key in ("id", "decision")}
        print(json.dumps({"type": "action", **same, "action": asked["legal"][0]}), flush=True)
"""
"""A player in the protocol for programs: it takes the first legal action."""


def run(command: Sequence[object], cwd: Path | None = None, typed: str | None = None) -> str:
    """Return the output of a command; if it fails, print the command and its output."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, input=typed, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=outside()
    )
    if done.returncode:
        sys.exit(f"{' '.join(words)}\n{done.stdout[-6000:]}\nended with {done.returncode}")
    return done.stdout


def outside() -> dict[str, str]:
    """Return the environment variables of the commands, without those that lead back into this folder."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("PYTHONPATH", "VIRTUAL_ENV"))}


@functools.cache
def offline() -> tuple[str, ...]:
    """Return the prefix of a command that must have no network; if impossible here, print a line and return ()."""
    cut = ("unshare", "--map-root-user", "--net")
    if shutil.which("unshare") and not subprocess.run([*cut, "true"], capture_output=True, check=False).returncode:
        return cut
    print("the network cannot be removed here: the trials below have it")
    return ()


def pythons() -> dict[str, Path]:
    """Return the Pythons of this machine by version: on the path, of pyenv, or this one."""
    found: dict[str, Path] = {}
    for version in PYTHONS:
        pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
        named = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"{version}.*/bin/python")), sys.executable]
        for path in filter(None, named):
            code = f"import ensurepip, sys, venv; sys.exit('{version}' != '%d.%d' % sys.version_info[:2])"
            if not subprocess.run([path, "-c", code], capture_output=True, check=False).returncode:
                found[version] = Path(path)
                break
        else:
            print(f"Python {version} is not on this machine: not tried")
    return found


def environment(name: str, python: Path, *installed: object) -> Path:
    """Make a new environment of that name, install the packages, and return its Python."""
    shutil.rmtree(VENVS / name, ignore_errors=True)
    run([python, "-m", "venv", VENVS / name])
    own = VENVS / name / "bin" / "python"
    if installed:
        run([own, "-m", "pip", "install", "--disable-pip-version-check", *installed])
    return own


def built(pattern: str) -> Path:
    """Return the one file in `dist` that the stage `build` made."""
    found = [*DIST.glob(pattern)]
    if len(found) != 1:
        sys.exit(f"dist/ has {len(found)} files {pattern}: the stage build makes one")
    return found[0]


def build() -> None:
    """Make both and check their contents."""
    for old in (*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")):
        old.unlink()
    python = environment("build", Path(sys.executable), "hatchling")
    run([python, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist"], cwd=ROOT)
    wheel, sdist = built("*.whl"), built("*.tar.gz")
    assert wheel.stat().st_size < LARGEST_WHEEL, f"{wheel.name} has {wheel.stat().st_size} bytes"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    packages = {"spygames", "spygames_training", "spygames_app", "spygames_verifiers"}
    assert {top for top in tops if not top.endswith(".dist-info")} == packages, tops
    assert {f"{package}/py.typed" for package in packages} <= set(names)
    assert "spygames/checkpoints/agents.json" in names
    assert "spygames/configs/demo.toml" in names
    with tarfile.open(sdist) as archive:
        kept = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert not [name for name in listed.stdout.split() if name not in kept and name != ".gitignore"]
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB; {sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB")


def try_core(python: Path, what: str) -> list[str]:
    """Play with only the wheel and its dependencies, in an empty folder; return its games' digests."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "tests" / "support" / "wheel.py", folder)
        output = run([*offline(), python, "-I", "wheel.py"], cwd=Path(folder))
    print(output, end="")
    print(f"the wheel alone, {what}: passed")
    return [line for line in output.splitlines() if " is known by " in line]


def core() -> None:
    """Try the wheel alone, with each Python."""
    known = set()
    for version, python in pythons().items():
        own = environment(f"core-{version}", python, "-c", ROOT / "constraints.txt", built("*.whl"))
        known.add((*try_core(own, f"Python {version}"),))
    (one,) = known
    assert one, "the wheel printed no digests of its games"


def lowest() -> None:
    """Try the wheel alone, with the lowest versions of its dependencies."""
    versions = [re.sub(r">=([\d.]+).*", r"==\1", each) for each in PROJECT["dependencies"]]
    assert all("==" in each for each in versions), versions
    first = next(iter(pythons().values()))
    try_core(environment("lowest", first, *versions, built("*.whl")), f"with {', '.join(versions)}")


def command() -> None:
    """Try the command in an empty folder, with the extra `cli`, then with `training`."""
    without_torch, spygames = (installed_command(extra) for extra in ("cli", "training"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "my_bot.py").write_text("def act(observation, mask):\n    return int(mask.argmax())\n")
        (folder / "program.py").write_text(PROGRAM)
        measured = [measure(each, folder) for each in (without_torch, spygames)]
        assert measured[0] == measured[1], measured
        print(f"measured without and with torch: {', '.join(f'{share:.3f}' for share, *_ in measured[0])}")
        output = run([*without_torch, "compare", "python:my_bot.act", "best", "--max-games", 512], folder)
        assert "my_bot.act is not better than agent_avenue/simple-2@argmax" in output, output
        output = run([*spygames, "play", "--against", "best", "--seed", 1], folder, typed="1\n" * 400)
        assert "agent_avenue/simple-2@argmax" in output, output
        assert "The game was --seed 1." in output, output
        run([*spygames, "train", "--config", "demo"], folder)
        assert (folder / "runs" / "demo" / "checkpoint" / "model.safetensors").exists()
        assert "zip: demo.zip" in run([*spygames, "pack", "runs/demo"], folder)
        for player in ("best", "runs/demo", "demo.zip"):
            output = run(
                [*spygames, "evaluate", player, "--against", "random", "--games", 100, "--json", "r.json"], folder
            )
            assert "random" in output, output
        output = run([*spygames, "agents"], folder)
        assert "agent_dog/standard-4" in output, output
    print("the command plays, trains and evaluates by names alone: passed")


def installed_command(extra: str) -> list[object]:
    """Install the wheel with an extra in a new environment; return its command, without a network."""
    wheel = f"spygames[{extra}] @ {built('*.whl').as_uri()}"
    own = environment(extra, next(iter(pythons().values())), "-c", ROOT / "constraints.txt", wheel)
    return [*offline(), own.parent / "spygames"]


def measure(spygames: Sequence[object], folder: Path) -> list[tuple[float, list[float], str]]:
    """Evaluate an agent, a function and a program; return win shares, intervals, and the digest of the agent."""
    players = ["best", "python:my_bot.act", f"command:{sys.executable} program.py"]
    run([*spygames, "evaluate", *players, "--against", "greedy", "--games", 100, "--json", "r.json"], folder)
    found = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    digest = found["players"]["agent_avenue/simple-2@argmax"]["digest"]
    return [(row["win_share"], row["interval"], digest) for row in found["results"]]


def sdist() -> None:
    """Install from the sdist and run its tests."""
    # Otherwise pip would take the wheel that it built from an earlier file of this name from its cache.
    own = environment("sdist", next(iter(pythons().values())), "--no-cache-dir", "--no-deps", built("*.tar.gz"))
    needed = ["spygames[training,sb3,dev]"]
    run([own, "-m", "pip", "install", "--disable-pip-version-check", "-c", ROOT / "constraints.txt", *needed])
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(built("*.tar.gz")) as archive:
            archive.extractall(folder, filter="data")
        (unpacked,) = Path(folder).iterdir()
        output = run([*offline(), own, "-m", "pytest", "-q", "-n", 2, *OWN_TESTS], cwd=unpacked)
    print(f"the sdist's own tests: {output.strip().splitlines()[-1]}")


STAGES = {each.__name__: each for each in (build, core, lowest, command, sdist)}

if __name__ == "__main__":
    stages = sys.argv[1:] or [*STAGES]
    if unknown := set(stages) - set(STAGES):
        sys.exit(f"no stage {unknown.pop()}; there are {', '.join(STAGES)}")
    for name in stages:
        began = time.monotonic()
        STAGES[name]()
        print(f"== {name} took {time.monotonic() - began:.0f} s", flush=True)
