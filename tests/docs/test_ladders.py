"""The pages of the published ladders match their lines, and the lines match the games and players of the code."""

from pathlib import Path

import pytest
from studies import leaderboards

from spygames.core.players.names import make_player
from spygames.core.players.search import SearchPlayer
from spygames_training.evaluation.digests import full_name, player_digest, worlds_of
from spygames_training.ladder.lines import game_of, read_lines
from spygames_training.ladder.page import page
from spygames_training.ladder.standings import standings
from tests.support.suites import slow_but

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "docs" / "ladder").glob("*.jsonl"))


def test_ladders_exist() -> None:
    assert FILES


@pytest.mark.parametrize("file", slow_but(FILES, 1, 4, 6), ids=lambda file: file.stem)
def test_a_page_matches_its_lines(file: Path) -> None:
    lines = read_lines(file)
    game = game_of(lines[0])
    found = standings(lines, game.num_sides)
    assert file.with_suffix(".md").read_text(encoding="utf-8") == page(game, file, lines, found)
    assert file.with_suffix(".svg").exists()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_digests_match_the_players(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name makes a player with the recorded digest, given the worlds that the line was played with."""
    monkeypatch.chdir(ROOT)
    lines = read_lines(file)
    game = game_of(lines[0])
    found = {(entry, worlds_of(line.made)) for line in lines for entry in line.players}
    for entry, worlds in found:
        player = make_player(game, entry.name)
        # The digest of a search covers the code of its worlds.
        if worlds == game.worlds_version or not isinstance(player, SearchPlayer):
            assert player_digest(game, player, worlds) == entry.digest, entry.name
            assert str(full_name(game, entry.name, player)) == entry.name


def test_leaderboards_match_the_ladders() -> None:
    for path, text in leaderboards.pages().items():
        assert f"{leaderboards.BEGIN}\n\n{text}\n\n{leaderboards.END}" in path.read_text(encoding="utf-8"), path.name
