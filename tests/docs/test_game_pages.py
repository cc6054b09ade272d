"""The pages of the games state the sizes of each variant, and the length of random games."""

import re

import numpy as np
import pytest

from spygames.core.game.registry import game_ids, make_game
from spygames.core.players.released import released_agents
from tests.docs.test_build import extension

facts = extension("game_facts")


def rows(game_id: str) -> list[list[str]]:
    """Return the cells of the table on a game's page, without the options."""
    text = facts.page_of(game_id).read_text(encoding="utf-8").partition(facts.BEGIN)[2].partition(facts.END)[0]
    return [[cell.strip() for cell in line.split("|")[2:-1]] for line in text.splitlines() if line.startswith("| `")]


def test_each_game_has_a_page() -> None:
    assert set(facts.VARIANTS) == set(game_ids()) == set(facts.GAMES)
    pages = {page.stem for page in facts.PAGES.glob("*.md")} - {"index"}
    assert pages == {facts.page_of(game_id).stem for game_id in game_ids()}


def test_the_pages_link_to_the_results_of_all_released_agents() -> None:
    for agent in released_agents():
        text = facts.page_of(agent.game_id).read_text(encoding="utf-8")
        assert f"(../results/agents.md#{agent.name.replace('/', '')})" in text


@pytest.mark.parametrize("game_id", game_ids())
def test_sizes_match_the_layout(game_id: str) -> None:
    """After a change, `python docs/_extensions/game_facts.py` rewrites them."""
    found = [" | ".join(cells[:4]) for cells in rows(game_id)]
    assert found == [facts.sizes(make_game(game_id, **options)) for options in facts.VARIANTS[game_id]]


SLOW = [pytest.param(game_id, marks=pytest.mark.slow) for game_id in ("agent_dog_v0", "heimlich_v0")]


@pytest.mark.parametrize("game_id", ["agent_avenue_v0", *SLOW])
def test_random_play_matches_the_page(game_id: str) -> None:
    """The page is right within five standard errors (branching: 10 %), in 300 games of the first variant."""
    lengths, legal = facts.random_play(make_game(game_id, **facts.VARIANTS[game_id][0]), 300)
    length, branching = (float(re.split(r" ", cell)[0]) for cell in rows(game_id)[0][4:])
    assert abs(lengths.mean() - length) < 5 * lengths.std() / np.sqrt(300)
    assert len(legal) == lengths.sum()
    assert abs(legal.mean() - branching) < 0.1 * branching
