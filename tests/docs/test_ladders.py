"""The published ladders' pages are those of their lines, and their lines are of the games as they are."""

from pathlib import Path

import pytest

from spygames_training.ladder.lines import game_of, read_lines
from spygames_training.ladder.page import page
from spygames_training.ladder.standings import standings
from tests.support.suites import slow_but

FILES = sorted((Path(__file__).resolve().parents[2] / "docs" / "ladder").glob("*.jsonl"))


def test_there_are_ladders() -> None:
    assert FILES


@pytest.mark.parametrize("file", slow_but(FILES, 1, 4, 6), ids=lambda file: file.stem)
def test_a_page_is_that_of_its_lines(file: Path) -> None:
    lines = read_lines(file)
    game = game_of(lines[0])
    found = standings(lines, game.num_sides)
    assert file.with_suffix(".md").read_text(encoding="utf-8") == page(game, file, lines, found)
    assert file.with_suffix(".svg").exists()
