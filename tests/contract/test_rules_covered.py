"""Each rule in a game's README is covered by a test marked with its ID, and each ID in a mark is in the README.

A README states a rule in a line that begins with its ID in bold: `- **AA-17** [S] ...`. A test has IDs in its
decorators, `@pytest.mark.rule("AA-17", "AA-18")`, or in the scenario files that a `test_scenarios.py` beside them runs.
"""

import re
from pathlib import Path

import pytest

from spygames.core.game.registry import game_ids
from tests.docs.test_build import extension

ROOT = Path(__file__).parents[2]
proofs = extension("rule_proofs").proofs
GAMES = [ROOT / "envs" / "spygames" / game_id.rpartition("_v")[0] for game_id in game_ids()]


def stated(readme: str) -> list[str]:
    """The IDs of the rules in a README, in order."""
    return re.findall(r"^- \*\*([A-Z]+-\d+)\*\* \S", readme, re.MULTILINE)


def proven(tests: Path) -> set[str]:
    """The IDs marked on tests in this folder and below, except tests that are skipped or expected to fail."""
    return set(proofs(tests))


def gaps(game: Path, tests: Path) -> list[str]:
    """The differences between the rules of a game's README and the tests of a folder, one line each."""
    readme = game / "README.md"
    if not readme.exists():
        return [f"{game.name} has no README.md"]
    rules, tested = stated(readme.read_text()), proven(tests)
    lines = [] if rules else [f"{game.name}/README.md states no rule"]
    lines += [f"{game.name}/README.md states {rule} twice" for rule in sorted(set(rules)) if rules.count(rule) > 1]
    lines += [f"no test bears {rule} of {game.name}/README.md" for rule in dict.fromkeys(rules) if rule not in tested]
    return lines + [
        f"tests bear {rule}, which {game.name}/README.md does not state" for rule in sorted(tested - {*rules})
    ]


@pytest.mark.parametrize("game", GAMES, ids=[game.name for game in GAMES])
def test_every_rule_of_the_game_is_covered(game: Path) -> None:
    assert gaps(game, ROOT / "tests" / "games" / game.name) == []


def test_there_is_a_game_to_check() -> None:
    assert "agent_avenue" in [game.name for game in GAMES]


def test_agent_avenue_states_all_its_rules() -> None:
    rules = stated((ROOT / "envs" / "spygames" / "agent_avenue" / "README.md").read_text())
    assert rules == [f"AA-{n}" for n in range(1, 47)]


README = """# A game

- **XY-1** [S] The first rule.
- **XY-2** [S] The second rule.
  It goes on, and mentions **XY-7** and XY-8.
- **XY-3** [D] The third rule.

Not yet: XY-4 to XY-6.
"""
TESTS = """
import pytest

@pytest.mark.rule("XY-1")
def test_one():
    pass

@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.rule("XY-2")), 2])
def test_two(x):
    pass
"""


@pytest.fixture
def toy(tmp_path: Path) -> tuple[Path, Path]:
    """The folders of a game and its tests, with every rule covered."""
    game, tests = tmp_path / "toy", tmp_path / "tests"
    (tests / "scenarios").mkdir(parents=True)
    game.mkdir()
    (game / "README.md").write_text(README)
    (tests / "test_toy.py").write_text(TESTS)
    (tests / "test_scenarios.py").write_text("")
    (tests / "scenarios" / "a.json").write_text('{"scenarios": [{"rules": ["XY-3", "XY-1"]}]}')
    assert gaps(game, tests) == []
    return game, tests


@pytest.mark.parametrize(
    ("file", "old", "new", "missing"),
    [
        ("test_toy.py", '@pytest.mark.rule("XY-1")', "", []),  # the scenario still has it
        ("test_toy.py", 'marks=pytest.mark.rule("XY-2")', "", ["XY-2"]),
        ("test_toy.py", "def test_two", "def check_two", ["XY-2"]),
        ("test_toy.py", "@pytest.mark.parametrize", "@pytest.mark.skip\n@pytest.mark.parametrize", ["XY-2"]),
        ("test_toy.py", "@pytest.mark.parametrize", "@pytest.mark.xfail()\n@pytest.mark.parametrize", ["XY-2"]),
        ("test_toy.py", '"XY-2"', '"XY-3"', ["XY-2"]),
        ("scenarios/a.json", '"XY-3", ', "", ["XY-3"]),
    ],
)
def test_a_rule_without_a_test_is_found(
    toy: tuple[Path, Path], file: str, old: str, new: str, missing: list[str]
) -> None:
    game, tests = toy
    text = (tests / file).read_text()
    assert old in text
    (tests / file).write_text(text.replace(old, new))
    assert gaps(game, tests) == [f"no test bears {rule} of toy/README.md" for rule in missing]


def test_scenarios_that_no_test_runs_do_not_count(toy: tuple[Path, Path]) -> None:
    game, tests = toy
    (tests / "test_scenarios.py").unlink()
    assert gaps(game, tests) == ["no test bears XY-3 of toy/README.md"]


def test_an_id_missing_in_the_readme_is_found(toy: tuple[Path, Path]) -> None:
    game, tests = toy
    (game / "README.md").write_text(README.replace("- **XY-2**", "- XY-2"))
    assert gaps(game, tests) == ["tests bear XY-2, which toy/README.md does not state"]


def test_a_rule_stated_twice_is_found(toy: tuple[Path, Path]) -> None:
    game, tests = toy
    (game / "README.md").write_text(README + "\n- **XY-1** [S] Once more.\n")
    assert gaps(game, tests) == ["toy/README.md states XY-1 twice"]


def test_a_game_without_readme_or_without_rules_is_found(toy: tuple[Path, Path]) -> None:
    game, tests = toy
    (game / "README.md").write_text("# A game\n")
    assert gaps(game, tests)[0] == "toy/README.md states no rule"
    (game / "README.md").unlink()
    assert gaps(game, tests) == ["toy has no README.md"]


def test_every_rule_of_agent_avenue_is_reported_without_tests(tmp_path: Path) -> None:
    game = ROOT / "envs" / "spygames" / "agent_avenue"
    rules = stated((game / "README.md").read_text())
    assert gaps(game, tmp_path) == [f"no test bears {rule} of agent_avenue/README.md" for rule in rules]
