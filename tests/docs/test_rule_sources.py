"""The page with the sources of the rules lists each rule of each README, in a state that fits its marks."""

import re
from pathlib import Path

import pytest

from spygames.core.game.registry import game_ids
from tests.contract.test_rules_covered import stated

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "rule_sources.md").read_text(encoding="utf-8")
STATES = {"S": {"manual"}, "P": {"reference", "not at hand"}, "p": {"reference", "not at hand"}, "D": {"ours"}}
"""Per mark in a README: the states on the page, of which a rule with this mark has at least one."""
ID = r"([A-Z]+)-(\d+)"


def readme_of(game_id: str) -> str:
    folder = ROOT / "envs" / "spygames" / game_id.rpartition("_v")[0]
    return (folder / "README.md").read_text(encoding="utf-8")


def named(cell: str) -> list[str]:
    """Return the IDs of a cell such as `AA-1, AA-5 to AA-7`."""
    assert re.fullmatch(rf"{ID}(?: to {ID})?(?:, {ID}(?: to {ID})?)*", cell), cell
    found = re.findall(rf"{ID}(?: to {ID})?", cell)
    return [f"{game}-{n}" for game, first, _, last in found for n in range(int(first), int(last or first) + 1)]


def states() -> dict[str, set[str]]:
    """Return the states of each rule on the page."""
    found: dict[str, set[str]] = {}
    for rules, *_, state in re.findall(r"^\| ([A-Z]+-\d.*?) \| (.+?) \| (.*?) ?\| ([\w ]+) \|$", PAGE, re.MULTILINE):
        for rule in named(rules):
            found.setdefault(rule, set()).add(state)
    return found


def test_all_rows_are_parsed() -> None:
    rows = re.findall(r"^\| [A-Z]+-\d", PAGE, re.MULTILINE)
    assert len(rows) == len(re.findall(r"\| (?:manual|reference|not at hand|ours) \|$", PAGE, re.MULTILINE)) > 100
    assert named("AA-1, AA-5 to AA-7") == ["AA-1", "AA-5", "AA-6", "AA-7"]


def test_the_page_lists_exactly_the_rules() -> None:
    rules = [rule for game_id in game_ids() for rule in stated(readme_of(game_id))]
    assert set(states()) == set(rules)


@pytest.mark.parametrize("game_id", game_ids())
def test_marks_have_a_row(game_id: str) -> None:
    """A rule marked [S] in a README has a row "manual" on the page, and so on; see `STATES`."""
    found = states()
    items = re.findall(rf"^- \*\*({ID})\*\* (.*\n(?:  .*\n)*)", readme_of(game_id), re.MULTILINE)
    marks = {rule: re.findall(r"\[([SPpD])\] |\[([SPpD])\][,;]", text) for rule, _, _, text in items}
    lacking = [
        (rule, mark) for rule, all_ in marks.items() for mark in map("".join, all_) if not found[rule] & STATES[mark]
    ]
    assert not lacking


def test_deviations_are_linked_in_the_readmes() -> None:
    """Each heading below "Where a manual reads otherwise" is linked from its rule in the README and from no other."""
    deviations = set(re.findall(r"^### (.+)$", PAGE.split("## Where a manual reads otherwise")[1], re.MULTILINE))
    linked: dict[str, set[str]] = {}
    for game_id in game_ids():
        for rule, _, _, text in re.findall(rf"^- \*\*({ID})\*\* (.*\n(?:  .*\n)*)", readme_of(game_id), re.MULTILINE):
            for anchor in re.findall(r"\]\(\.\./\.\./\.\./docs/rule_sources\.md#([\w-]+)\)", text):
                linked.setdefault(anchor, set()).add(rule)
        assert "](../../../docs/rule_sources.md#" in readme_of(game_id).split("### ")[0]
    assert linked.pop("first-players") == {"AA-6", "HC-6", "AD-7"}
    assert linked == {rule.lower(): {rule} for rule in deviations - {"First players"}}
    assert set(linked) == {"aa-18", "aa-42", "ad-4", "ad-13", "ad-19", "hc-27"}
