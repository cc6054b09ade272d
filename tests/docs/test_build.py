"""The site builds without warnings, and sections of Google style docstrings become field lists."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("sphinx", "myst_parser", "autodoc2", "furo", "sphinx_copybutton", "sphinx_design", "sphinxext.opengraph")


def extension(name: str) -> ModuleType:
    """Import a module of docs/_extensions, which is not a package."""
    return module_at(ROOT / "docs" / "_extensions" / f"{name}.py")


def module_at(path: Path) -> ModuleType:
    """Import a module by its path."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look up their module there
    spec.loader.exec_module(module)
    return module


def test_plain_pages_get_tabs_and_pictures_in_two_themes(tmp_path: Path) -> None:
    for name in ("two", "two_light", "one"):
        (tmp_path / f"{name}.svg").touch()
    page = "![a](two.svg)\n![b](one.svg)\n\n<!-- tabs -->\n\n**A**\n\nx\n\n**B**\n\ny\n\n<!-- to here, tabs -->\n"
    made = extension("plain_markdown").for_the_site(page, tmp_path)
    pictures = "![a](two.svg){.only-dark}\n![a](two_light.svg){.only-light}\n![b](one.svg)\n"
    tabs = "::::{tab-set}\n:::{tab-item} A\n\n\nx\n\n:::\n:::{tab-item} B\n\n\ny\n\n:::\n::::\n"
    assert made == f"{pictures}\n{tabs}"


def test_google_sections_become_fields() -> None:
    docstring = """Adds two numbers.

    A second paragraph, in *Markdown*.

    Args:
        a, b: the numbers,
            of any size.
        limit (int): at most this.

    Returns:
        The sum,
        never above `limit`.

    Raises:
        ValueError: a number is negative.
    """
    assert extension("google_sections").to_myst(docstring).split("\n\n") == [
        "Adds two numbers.",
        "A second paragraph, in *Markdown*.",
        "\n:param a: see `b`\n:param b: the numbers,\n        of any size.\n:param limit: at most this.",
        "\n:returns: The sum,\n    never above `limit`.",
        "\n:raises ValueError: a number is negative.\n",
    ]


def test_examples_become_code_blocks() -> None:
    docstring = """Adds two numbers.

    >>> add(1, 2)
    3

    Example:
        Negative ones, too:

        >>> add(
        ...     1, -2)
        -1

    Returns:
        The sum.
    """
    parts = [part.strip("\n") for part in extension("google_sections").to_myst(docstring).split("\n\n")]
    assert [part for part in parts if part] == [
        "Adds two numbers.",
        "```pycon\n>>> add(1, 2)\n3\n```",
        "**Example**",
        "Negative ones, too:",
        "```pycon\n>>> add(\n...     1, -2)\n-1\n```",
        ":returns: The sum.",
    ]


def test_a_public_name_that_is_on_no_page_is_missed(tmp_path: Path) -> None:
    api = extension("public_api")
    names = api.public_names()
    assert "BestResponse" in names["spygames_training.measuring"]
    (tmp_path / "reference").mkdir()
    for page in {api.page_of(module) for module in names}:
        words = [name for module in names if api.page_of(module) == page for name in names[module]]
        if page == "spygames_training.measuring":
            words.remove("BestResponse")
        (tmp_path / "reference" / f"{page}.html").write_text(" ".join(words), encoding="utf-8")
    assert api.missing_names(tmp_path) == ["spygames_training.measuring.BestResponse"]


needed = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in NEEDED),
    reason="the site is built with the extra `docs`, which is not installed",
)


def build(builder: str, folder: Path) -> None:
    """Build the site in a folder; warnings are errors."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", builder, "-d", str(folder / "trees")]
    done = subprocess.run([*command, "docs", str(folder)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@needed
@pytest.mark.slow  # .ci/run builds the site, too
def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    """All pages are read and their references resolved. Nothing is written, which would double the time."""
    build("dummy", tmp_path)


@needed
@pytest.mark.slow
def test_pages_have_all_public_names_and_rules(tmp_path: Path) -> None:
    build("html", tmp_path)
    page = (tmp_path / "reference" / "spygames.html").read_text(encoding="utf-8")
    assert 'id="spygames.GameEnv.step"' in page
    assert '<dt class="field-odd">Parameters' in page
    assert "<p>None</p>" not in (tmp_path / "reference" / "spygames_training.measuring.html").read_text(
        encoding="utf-8"
    )
    assert not extension("public_api").missing_names(tmp_path)
    check_rules(tmp_path / "games")


def check_rules(folder: Path) -> None:
    """Check that each rule of a game is on its page and linked with its row of tests, in both directions."""
    for game in sorted(page.stem for page in (ROOT / "docs" / "games").glob("*.md") if page.stem != "index"):
        readme = (ROOT / "envs" / "spygames" / game / "README.md").read_text(encoding="utf-8")
        rules = [rule.lower() for rule in re.findall(r"^- \*\*([A-Z]+-\d+)\*\*", readme, re.MULTILINE)]
        page = (folder / f"{game}.html").read_text(encoding="utf-8")
        assert len(rules) > 30
        for place in (*rules, *(f"proof-{rule}" for rule in rules)):
            assert page.count(f'id="{place}"') == 1, f"{game}: {place}"
            assert f'href="#{place}"' in page, f"{game}: {place}"
