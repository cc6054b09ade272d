"""The tables of options and observations in the games' READMEs and pages match the code."""

from tests.docs.test_build import extension

tables = extension("game_tables")


def test_tables_match_the_layouts() -> None:
    for file, text in tables.pages():
        assert file.read_text(encoding="utf-8") == text, f"{file}: run python docs/_extensions/game_tables.py"
