"""What a release is made from agrees with itself: versions, files of the sdist, workflows, the image."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_all_name_the_same_version_and_licence() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    page = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")
    assert re.findall(r"version += \{(.+?)\}", page) == [citation["version"]]
    assert citation["title"] in page


def test_the_sdist_has_what_is_at_the_top() -> None:
    """All that git keeps, but for what only a working copy needs."""
    included = {path.removeprefix("/") for path in PROJECT["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]}
    assert not [path for path in included if not (ROOT / path).exists()]
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the files are no clone of the repository")
    assert {path.split("/")[0] for path in listed.stdout.split()} <= included | {".gitignore", "pyproject.toml"}


def test_git_writes_the_same_bytes_on_every_machine() -> None:
    """Whatever `core.autocrlf` says: texts end their lines with LF, and all else is marked as bytes."""
    listed = subprocess.run(["git", "ls-files", "--eol"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("the files are not a clone of the repository")
    for line in listed.stdout.splitlines():
        inside, _, attributes = line.partition("\t")[0].split(maxsplit=2)
        assert inside in ("i/lf", "i/none", "i/-text"), line
        assert ("-text" in attributes) == (inside == "i/-text"), f".gitattributes takes it for something else: {line}"
        assert "-text" in attributes or "eol=lf" in attributes, line


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)
def test_a_workflow_runs_what_there_is(file: Path) -> None:
    flow: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert flow["name"] == file.stem
    assert True in flow  # YAML reads the key `on` as a bool
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


def test_the_image_copies_files_that_there_are() -> None:
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


def test_every_pinned_package_is_pinned_once() -> None:
    names = [
        re.split("==", line)[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
        if "==" in line
    ]
    assert not [name for name in names if names.count(name) > 1]
