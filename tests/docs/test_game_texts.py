"""The short rules and the prompts on the pages are those of the package."""

from pathlib import Path

from tests.docs.test_build import extension

texts = extension("game_texts")


def test_pages_have_the_texts_of_the_package() -> None:
    for file, content in texts.pages():
        assert file.read_text(encoding="utf-8") == content, f"{file}: run python docs/_extensions/game_texts.py"


def test_the_page_shows_the_example() -> None:
    example = (texts.DOCS / "examples" / "my_llm.py").read_text(encoding="utf-8")
    code = example.partition('"""\n\n')[2]
    page = (Path(texts.DOCS) / "language_models.md").read_text(encoding="utf-8")
    assert f"```python\n# my_llm.py\n{code}```" in page
    assert len(code.splitlines()) <= 30
