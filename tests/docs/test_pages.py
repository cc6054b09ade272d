"""Links and paths on the pages exist, decisions have a date and a status, and the glossary is in order."""

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions"
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "envs").rglob("*.md")]


def wrong_pages(wrong: Callable[[Path, str], list[str]]) -> dict[str, list[str]]:
    """Return what `wrong` finds, by page. One test for all 200 pages is cheaper than 200 tests."""
    found = {str(page.relative_to(ROOT)): wrong(page, page.read_text(encoding="utf-8")) for page in sorted(PAGES)}
    return {page: faults for page, faults in found.items() if faults}


def test_linked_files_exist() -> None:
    def wrong(page: Path, text: str) -> list[str]:
        targets = [t for t in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text) if "://" not in t]
        return [t for t in targets if not page.parent.joinpath(t).exists()]

    assert wrong_pages(wrong) == {}


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site form them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def test_linked_headings_exist() -> None:
    def wrong(page: Path, text: str) -> list[str]:
        faults = []
        for target, heading in re.findall(r"\]\(([^)#:]*\.md)?#([^)]*)\)", text):
            file = (page.parent / target if target else page).resolve()
            more = {"options", "observation"} if file.parent == ROOT / "docs" / "games" else set()
            if heading not in anchors(file) | more:
                faults.append(f"{target}#{heading}")
        return faults

    assert wrong_pages(wrong) == {}


def test_named_files_exist() -> None:
    """Paths in code spans are relative to the top, or to the package that the page describes."""
    roots = [ROOT, ROOT / "envs" / "spygames", ROOT / "training" / "spygames_training"]

    def wrong(page: Path, text: str) -> list[str]:
        named = re.findall(r"`((?:tests|scripts|configs|docs|envs|training|app|core|sb3)/[\w./-]+)`", text)
        return [path for path in named if not any((root / path).exists() for root in roots)]

    assert wrong_pages(wrong) == {}


def test_the_page_about_tests_lists_each_folder() -> None:
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    tests = ROOT / "tests"
    folders = {path.relative_to(tests).parts[0] for path in tests.glob("*/**/*.*") if path.suffix != ".pyc"}
    assert sorted(folders) == sorted(set(re.findall(r"`tests/(\w+)/(?:<game>/)?`", page)))
    assert sorted(path.name for path in tests.glob("*.py")) == ["__init__.py", "conftest.py"]


def test_the_page_about_adding_a_game_lists_the_files_that_all_games_have() -> None:
    page = (ROOT / "docs" / "adding_a_game.md").read_text(encoding="utf-8")
    games = [folder.parent for folder in (ROOT / "envs" / "spygames").glob("*/layout.py")]
    assert len(games) > 2
    common = set.intersection(*({path.name for path in game.glob("*.py")} for game in games))
    assert {name for name in common if f"`{name}`" not in page} == set()


def test_decisions_are_numbered_dated_and_listed() -> None:
    files = sorted(DECISIONS.glob("0*.md"))
    assert [int(f.name[:4]) for f in files] == [*range(1, len(files) + 1)]
    index = (DECISIONS / "index.md").read_text(encoding="utf-8")
    for file in files:
        title, _, day, status = file.read_text(encoding="utf-8").splitlines()[:4]
        assert title.startswith("# "), file.name
        date.fromisoformat(day.removeprefix("- Date: "))
        found = re.fullmatch(r"- Status: (accepted|superseded by \[\d{4}\]\((?P<by>.+)\))", status)
        assert found, file.name
        assert found["by"] is None or (DECISIONS / found["by"]).exists(), file.name
        row = f"| {file.name[:4]} | [{title[2:]}]({file.name}) | {day[8:]} | {status[10:]} |"
        assert row in index, f"docs/decisions/index.md lacks {row}"
    assert index.count("\n| 0") == len(files)


def test_the_glossary_is_alphabetical() -> None:
    terms = re.findall(r"^- \*\*(.+?)\*\*", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    lower = [term.lower() for term in terms]
    assert len(terms) > 50
    assert lower == sorted(set(lower))


def test_one_function_writes_markdown_tables() -> None:
    sources = [path for name in ("app", "training", "benchmarks", "studies") for path in (ROOT / name).rglob("*.py")]
    writers = [path.name for path in sources if re.search(r"\| ?-{3}|-{3}:? ?\|", path.read_text(encoding="utf-8"))]
    assert not writers
    tables = ROOT / "training" / "spygames_training" / "output" / "tables.py"
    assert "def markdown_table(" in tables.read_text(encoding="utf-8")
