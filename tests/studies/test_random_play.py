"""The tables of random games in the docs, and the figures that they show."""

import json

import numpy as np
import pytest
from studies import random_play as study

from spygames import make_game
from spygames_training.experiments.random_play import MEASURED, documented_variants, measure

GAMES = 300


def test_every_game_has_its_figures() -> None:
    assert [file.stem for file in study.files()] == sorted(MEASURED)


@pytest.mark.parametrize("file", study.files(), ids=lambda file: file.stem)
def test_the_page_shows_the_figures_of_the_file(file: study.Path) -> None:
    page = study.page_of(file).read_text(encoding="utf-8")
    assert page.partition(study.BEGIN)[2].partition(study.END)[0].strip() == study.table(file)
    rows = json.loads(file.read_text(encoding="utf-8"))
    assert [row["options"] for row in rows] == [dict(game.options) for game in documented_variants(file.stem)]
    assert f"{rows[0]['games']:,} games" in page


@pytest.mark.parametrize("game_id", ["agent_avenue_v0", "heimlich_v0"])
def test_the_first_games_agree_with_the_figures(game_id: str) -> None:
    """Their mean length is the published one within five standard errors. The standard deviation is taken as a quarter
    of the range, which is more than it is."""
    row = json.loads((study.KEPT / f"{game_id}.json").read_text(encoding="utf-8"))[0]
    found = measure(make_game(game_id, **row["options"]), GAMES)
    spread = (row["decisions"]["most"] - row["decisions"]["least"]) / 4
    assert found["games"] == GAMES
    assert abs(found["decisions"]["mean"] - row["decisions"]["mean"]) < 5 * spread / np.sqrt(GAMES)
