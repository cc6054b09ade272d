"""The scenarios in `scenarios/*.json`: positions, actions and their effects according to the rules.

A scenario has `rules` (the IDs it proves), `options`, `start` (the keys that matter, see `conftest.make_mapping`),
`actions` (texts, each legal in its turn), and what must hold: `legal` before and `legal_after` the actions (all
texts), `has` and `lacks`, `has_after` and `lacks_after` (some texts), `after` (parts of the mapping, `positions.red`
for a part of a part), `returns`.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.json"))
EXPECTED = {"legal", "has", "lacks", "after", "legal_after", "has_after", "lacks_after", "returns"}


def scenarios() -> Iterator[Any]:
    """Each scenario of each file, marked with its rules."""
    for file in FILES:
        for scenario in json.loads(file.read_text())["scenarios"]:
            name = f"{file.stem}: {scenario['name']}"
            yield pytest.param(scenario, id=name, marks=pytest.mark.rule(*scenario["rules"]))


def part(mapping: Any, path: str) -> Any:
    """`mapping["positions"]["red"]` for `positions.red`."""
    for key in path.split("."):
        mapping = mapping[key]
    return mapping


def check_legal(legal: set[str], scenario: dict[str, Any], suffix: str) -> None:
    """Check the legal actions against the scenario."""
    if f"legal{suffix}" in scenario:
        assert legal == set(scenario[f"legal{suffix}"])
    assert set(scenario.get(f"has{suffix}", ())) <= legal
    assert not set(scenario.get(f"lacks{suffix}", ())) & legal


@pytest.mark.parametrize("scenario", list(scenarios()))
def test_scenario(scenario: dict[str, Any], at: Callable[..., Any]) -> None:
    position = at(scenario.get("options", {}), **scenario["start"])
    check_legal(position.legal, scenario, "")
    position.act(*scenario.get("actions", ()))
    mapping = position.mapping
    after = scenario.get("after", {})
    assert {path: part(mapping, path) for path in after} == after
    check_legal(position.legal, scenario, "_after")
    if "returns" in scenario:
        assert position.returns() == scenario["returns"]


def test_scenarios_have_expectations_and_unique_names() -> None:
    names = []
    for file in FILES:
        for scenario in json.loads(file.read_text())["scenarios"]:
            names.append((file.stem, scenario["name"]))
            assert set(scenario) - EXPECTED <= {"name", "rules", "options", "start", "actions"}
            assert EXPECTED & set(scenario)
            assert scenario["rules"]
    assert len(names) == len(set(names)) > 60
