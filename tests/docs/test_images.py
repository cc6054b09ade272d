"""The pictures of the games in the docs are up to date, and each is on a page."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.test_build import extension, module_at

ROOT = Path(__file__).resolve().parents[2]
GAMES = ("agent_avenue", "agent_dog", "heimlich")
draw_docs = module_at(ROOT / "docs" / "draw_docs.py")


# Each other variant takes seconds to compile for one picture.
QUICK = {"agent_avenue-four_players", *(f"{g}-{name}" for g in GAMES for name in ("turn", "other_seat", "open", "end"))}
QUICK |= {"agent_avenue-reveal", "agent_avenue-reveal_light", *(f"{g}-decision" for g in GAMES)}
QUICK |= {f"{g}_v0{name}" for g in GAMES for name in ("", "-start")}


def scenes() -> Iterator[Any]:
    for scene in draw_docs.SCENES:
        name = draw_docs.file_of(scene).stem
        yield pytest.param(scene, id=name, marks=[] if name in QUICK else [pytest.mark.slow])


@pytest.mark.parametrize("scene", [*scenes()])
def test_pictures_are_up_to_date(scene: object) -> None:
    """After a change of a drawing, `python docs/draw_docs.py` redraws them; look at the results."""
    file = draw_docs.file_of(scene)
    assert draw_docs.draw(scene) == file.read_text(encoding="utf-8"), file.name


def test_the_replay_is_up_to_date() -> None:
    assert draw_docs.replay() == draw_docs.REPLAY.read_text(encoding="utf-8")


def test_the_folder_has_no_other_files() -> None:
    found = {*draw_docs.FOLDER.iterdir(), *draw_docs.THUMBNAILS.iterdir()}
    assert found == {draw_docs.file_of(scene) for scene in draw_docs.SCENES}


def test_every_picture_is_on_a_page() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "envs").rglob("README.md")]
    for_the_site = extension("plain_markdown").for_the_site
    texts = [for_the_site(page.read_text("utf-8"), page.parent) for page in pages]
    shown = {name for text in texts for name in re.findall(r"(?:images|static)/games/([\w-]+\.svg)", text)}
    page_of_rules = {f"{each}_v0-start.svg" for each in GAMES}  # only on the page to play on
    assert {draw_docs.file_of(scene).name for scene in draw_docs.SCENES} - page_of_rules <= shown
