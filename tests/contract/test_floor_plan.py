"""Each game has the same files for the same purposes, with the same names defined in them.

A game is a folder of the package with a `layout.py`. Besides the files of the plan, it may have more modules of rules,
bots and pictures, in `rules/`, `bots/` and `picture/`, and no other files.
"""

import ast
from pathlib import Path

import pytest

from spygames.core.game.registry import game_ids

ENVS = Path(__file__).parents[2] / "envs" / "spygames"
GAMES = sorted(path.parent for path in ENVS.glob("*/layout.py"))
PLAN: dict[str, tuple[str, ...]] = {
    "README.md": (),
    "__init__.py": ("make_game",),
    "cards.py": (),
    "board.py": (),
    "layout.py": ("Settings", "Options", "State", "View", "OPTIONS", "STATE", "view_dtype", "ENTITIES", "NONE"),
    "queries.py": (),
    "actions.py": ("action_to_string", "string_to_action"),
    "observe.py": (),
    "determinize.py": ("determinize",),
    "state_dict.py": ("state_to_dict", "state_from_dict"),
    "validate.py": ("is_known",),
    "texts/__init__.py": (),
    "texts/render.py": ("to_text",),
    "texts/seen.py": ("seen_to_dict", "seen_action"),
    "texts/short_rules.py": ("short_rules",),
    "texts/why_not.py": ("why_not", "REASONS"),
    "texts/words.py": ("describe", "effects"),
    "picture/draw.py": ("draw",),
    "picture/signs.py": (),
    "rules/__init__.py": ("init", "legal", "apply", "returns"),
    "rules/play.py": ("init", "legal", "apply"),
    "bots/__init__.py": ("BOTS",),
    "bots/features.py": (),
    "bots/greedy.py": (),
    "bots/expert.py": (),
}
"""Each file with the names that it defines or hands on."""
OPTIONAL: dict[str, tuple[str, ...]] = {"rewind.py": ("rewind",), "belief_targets.py": ("questions",)}
"""Files that a game may lack, likewise."""
CHAPTERS = ("rules/", "bots/", "picture/")
"""Folders that may hold more than the plan says."""


def names_in(source: str) -> set[str]:
    """The names that a module defines or imports at its top level."""
    names: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
    return names


def deviations(game: Path) -> list[str]:
    """The differences between a game's folder and the plan, one line each."""
    lines = []
    for file, names in (PLAN | OPTIONAL).items():
        if file in OPTIONAL and not (game / file).exists():
            continue
        if not (game / file).is_file():
            lines.append(f"{game.name} lacks {file}")
        elif file.endswith(".py"):
            there = names_in((game / file).read_text())
            lines += [f"{game.name}/{file} lacks {name}" for name in names if name not in there]
    for path in sorted(game.rglob("*")):
        file = path.relative_to(game).as_posix()
        if path.is_file() and path.suffix != ".pyc" and file not in PLAN | OPTIONAL and not file.startswith(CHAPTERS):
            lines.append(f"{game.name} has {file}, which the plan does not know")
    return lines


def arithmetic(game: Path) -> list[str]:
    """The expressions outside `actions.py` that compute action numbers, one line each: `module:line expression`."""
    numbers = {name for name in names_in((game / "actions.py").read_text()) if name.isupper()}
    numbers -= {name for file in ("cards.py", "board.py", "layout.py") for name in names_in((game / file).read_text())}
    lines = []
    for path in sorted(game.rglob("*.py")):
        if path != game / "actions.py":
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.BinOp):
                    sides = [ast.unparse(side).rpartition(".")[2] for side in (node.left, node.right)]
                    if numbers.intersection(sides):
                        lines.append(f"{path.relative_to(game).as_posix()}:{node.lineno} {ast.unparse(node)}")
    return lines


def test_every_game_is_checked() -> None:
    assert [game.name for game in GAMES] == sorted(game_id.rpartition("_v")[0] for game_id in game_ids())


@pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
def test_each_game_follows_the_plan(game: Path) -> None:
    assert deviations(game) == []


@pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
def test_action_numbers_are_computed_in_actions_only(game: Path) -> None:
    assert arithmetic(game) == []


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A game that follows the plan and has an additional module of rules."""
    game = tmp_path / "toy"
    for file, names in PLAN.items():
        (game / file).parent.mkdir(parents=True, exist_ok=True)
        (game / file).write_text("".join(f"{name} = 1\n" for name in names) if file.endswith(".py") else "# Toy\n")
    (game / "rules" / "market.py").write_text("")
    assert deviations(game) == []
    return game


@pytest.mark.parametrize("file", PLAN)
def test_a_missing_file_is_found(toy: Path, file: str) -> None:
    (toy / file).unlink()
    assert deviations(toy) == [f"toy lacks {file}"]


def test_a_missing_name_is_found(toy: Path) -> None:
    (toy / "rules" / "__init__.py").write_text("from toy.rules.play import apply, init, legal\n")
    assert deviations(toy) == ["toy/rules/__init__.py lacks returns"]


def test_a_file_beyond_the_plan_is_found(toy: Path) -> None:
    (toy / "places.py").write_text("")
    assert deviations(toy) == ["toy has places.py, which the plan does not know"]


def test_an_optional_file_must_define_its_name(toy: Path) -> None:
    (toy / "rewind.py").write_text("def rewind(): ...\n")
    assert deviations(toy) == []
    (toy / "rewind.py").write_text("")
    assert deviations(toy) == ["toy/rewind.py lacks rewind"]


def test_arithmetic_on_action_numbers_is_found(toy: Path) -> None:
    (toy / "actions.py").write_text("from toy.cards import KINDS\nPLAY = 0\nPASS = PLAY + KINDS\n")
    (toy / "cards.py").write_text("KINDS = 8\n")
    play = "def apply(action):\n    if action < PASS:\n        return action - PLAY, actions.PASS + 1, KINDS + 1\n"
    (toy / "rules" / "play.py").write_text(play)
    assert arithmetic(toy) == ["rules/play.py:3 action - PLAY", "rules/play.py:3 actions.PASS + 1"]
