"""Each game has the same kinds of tests, in files of the same names."""

from pathlib import Path

import pytest

from spygames.core.game.game import Game
from spygames.core.game.registry import game_ids, make_game
from tests.support.random_games import invariants_of, names

TESTS = Path(__file__).parents[1]
GAMES = [make_game(game_id) for game_id in game_ids()]
KINDS = {
    "reference.py": "the rules once more, slow and apart from the kernels",
    "test_reference.py": "kernels and reference play the same games",
    "test_counts.py": "how many ways a turn can go, by kernels and reference",
    "invariants.py": "what holds in every state and after every decision",
    "test_invariants.py": "random games break no invariant, and each finds what breaks it",
    "test_leaks.py": "worlds that a seat cannot tell apart look the same",
    "test_determinize.py": "determinized states are uniform",
    "test_calibration.py": "hidden things are in redrawn worlds what they are in play",
    "test_rewind.py": "earlier decisions are restored as often as they should be",
    "test_golden.py": "the recorded games show every action and variant",
    "test_render.py": "recorded drawings",
    "test_seen.py": "what a seat sees, and moves as others see them",
    "test_draw.py": "pictures",
    "test_scenarios.py": "positions and moves as data",
    "test_rules.py": "what positions alone do not show",
    "test_actions.py": "action numbers and their texts",
    "test_mapping.py": "states as text, and refusals",
    "test_bots.py": "what scripted players choose, and how often they win",
    "test_game_readme.py": "the game's page tells the truth",
}


def missing(folder: Path) -> list[str]:
    """The kinds of tests that are missing in a game's folder."""
    there = [name for name in KINDS if (folder / name).is_file()]
    folders = {"drawings": "*.txt", "scenarios": "*.json"}
    empty = [f"{name}/" for name, files in folders.items() if not any((folder / name).glob(files))]
    golden = [] if any((folder.parents[1] / "golden" / folder.name).glob("*.jsonl")) else [f"golden/{folder.name}/"]
    return [name for name in KINDS if name not in there] + empty + golden


@pytest.mark.parametrize("game", GAMES, ids=game_ids())
def test_each_game_has_every_kind(game: Game) -> None:
    assert missing(TESTS / "games" / game.name) == []


@pytest.mark.parametrize("game", GAMES, ids=game_ids())
def test_invariants_of_all_games_have_the_same_names(game: Game) -> None:
    own = invariants_of(game)
    assert own.VARIANTS
    assert own.OF_STATE
    assert own.OF_DECISION
    assert callable(own.due)
    assert len(set(names(game))) == len(names(game))


def test_a_missing_kind_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "games" / "toy"
    (folder / "drawings").mkdir(parents=True)
    (folder / "drawings" / "start.txt").write_text("")
    for name in KINDS:
        if name != "test_leaks.py":
            (folder / name).write_text("")
    assert missing(folder) == ["test_leaks.py", "scenarios/", "golden/toy/"]
