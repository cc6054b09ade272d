"""The files of a release agree: versions, the contents of the sdist, workflows, pins, the image."""

import os
import re
import shutil
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tests.support import pins

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_version_and_license_are_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    page = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    assert re.findall(r"version += \{(.+?)\}", page) == [citation["version"]]
    assert citation["title"] in page


def test_the_sdist_has_all_top_level_files() -> None:
    """Everything that git tracks, except what only a clone needs."""
    included = {path.removeprefix("/") for path in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    assert not [path for path in included if not (ROOT / path).exists()]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the files are not a clone of the repository")
    assert {path.split("/")[0] for path in listed.stdout.split()} <= included | {".gitignore", "pyproject.toml"}


def test_git_writes_the_same_bytes_on_every_machine() -> None:
    """With any `core.autocrlf`: texts end their lines with LF, and all other files are marked as binary."""
    listed = subprocess.run(["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the files are not a clone of the repository")
    for line in listed.stdout.splitlines():
        inside, _, attributes = line.partition("\t")[0].split(maxsplit=2)
        assert inside in ("i/lf", "i/none", "i/-text"), line
        assert ("-text" in attributes) == (inside == "i/-text"), f".gitattributes must mark binary files: {line}"
        assert "-text" in attributes or "eol=lf" in attributes, line


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_the_commands_of_a_workflow_exist(file: Path) -> None:
    flow: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert flow["name"] == file.stem
    assert True in flow  # YAML reads the key `on` as True
    assert flow["permissions"] == {"contents": "read"}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for job in flow["jobs"].values():
        assert job["runs-on"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert not re.search(r"uses: [^@]+$", str(step))
            command = step.get("run", "")
            assert set(re.findall(r"\bmake (?:-C \S+ )?([a-z-]+)", command)) <= targets
            assert not re.search(r"\.ci/run", command) or (ROOT / ".ci" / "run").exists()
            extras = re.findall(r"\.\[([\w,-]+)\]", command)
            assert {name for each in extras for name in each.split(",")} <= set(
                PROJECT["project"]["optional-dependencies"]
            )


def test_the_site_is_built_with_the_packages_of_its_extra() -> None:
    command = (ROOT / ".github" / "workflows" / "docs.yml").read_text(encoding="utf-8")
    installed = re.findall(r"install -c constraints.txt (.+)$", command, re.MULTILINE)[0].split()
    extra = [re.split("[>=]", each)[0] for each in PROJECT["project"]["optional-dependencies"]["docs"]]
    assert set(installed) < set(extra)


def test_the_image_copies_existing_files() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    copied = [word for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE) for word in line.split()]
    assert copied
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for path in copied:
        assert (ROOT / path).exists()
        assert f"!{path}" in allowed
    forced = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert set(forced) <= set(copied)
    assert {path.split("/")[0] for path in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]} <= set(
        copied
    )


def test_folders_of_the_image_can_be_written_by_any_user(tmp_path: Path) -> None:
    """Run the command that makes the folders without a container, as this user and in another place."""
    before, _, after = (ROOT / "Dockerfile").read_text(encoding="utf-8").partition("\nUSER player\n")
    made = re.findall(r"^RUN (install .+)$", before, re.MULTILINE)
    assert len(made) == 1
    home, cache = (re.findall(rf"\b{name}=(\S+)", after)[0] for name in ("HOME", "NUMBA_CACHE_DIR"))
    mounted = re.findall(r"-v \S+?:(/[\w./-]+)", (ROOT / "docs" / "install.md").read_text(encoding="utf-8"))
    assert {f"{home}/runs", cache} == set(mounted)
    assert {home, *mounted} <= set(made[0].split())
    if os.name == "nt" or shutil.which("install") is None:
        pytest.skip("this machine has no command install")
    own = made[0].replace("/home", str(tmp_path)).replace("-o player -g player", f"-o {os.getuid()} -g {os.getgid()}")
    subprocess.run(own.split(), check=True)
    for folder in (home, *mounted):
        assert stat.S_IMODE((tmp_path / Path(folder).relative_to("/home")).stat().st_mode) == 0o777


def test_pins_cover_the_requirements_of_pyproject() -> None:
    """Each extra has one pin per package, within the ranges of pyproject.toml; `make test-pins` resolves them."""
    common = pins.pinned(pins.PINS, pins.GPU_PINS)
    extras = PROJECT["project"]["optional-dependencies"]
    assert {row.extra for row in pins.EXEMPT} | {*pins.GPU_EXTRAS} | {*pins.OWN_PINS} <= set(extras)
    for extra, some in {"": PROJECT["project"]["dependencies"], **extras}.items():
        pinned = pins.pinned(pins.OWN_PINS[extra]) if extra in pins.OWN_PINS else common
        for needed in map(Requirement, some):
            if needed.name != "spygames":
                version = pinned.get(pins.normal(needed.name), "no pin")
                assert needed.specifier.contains(version), f"{needed} has {version}"


def test_cuda_packages_of_torch_are_pinned_by_torch() -> None:
    """constraints.txt pins no package that torch requires in one version; constraints-gpu.txt pins only those."""
    open_ended = {"nvidia-nvjitlink"}  # torch takes any of CUDA 13
    assert {name for name in pins.pinned(pins.PINS) if pins.PINNED_BY_TORCH.match(name)} == open_ended
    assert all(pins.PINNED_BY_TORCH.match(name) for name in pins.pinned(pins.GPU_PINS))


INSTALLED = re.compile(r"(?:pip install|\$\(PIP_INSTALL\))(.*?)(?:$|&&)", re.MULTILINE)


@pytest.mark.parametrize("file", [*WORKFLOWS, ROOT / "Makefile", ROOT / "Dockerfile"], ids=lambda file: file.name)
def test_extras_are_installed_with_their_pins(file: Path) -> None:
    for command in INSTALLED.findall(file.read_text(encoding="utf-8").replace("PIP_INSTALL := -m pip install", "")):
        names = {name for some in re.findall(r"\.\[([\w,-]+)\]", command) for name in some.split(",")}
        assert ("constraints-gpu.txt" in command) == bool(names & {*pins.GPU_EXTRAS}), command
        assert not names or "-c constraints.txt" in command or file.name == "Makefile", command
