"""The positions and moves in `scenarios/*.json`: whatever the rules say happens, happens.

A scenario has `rules` (the IDs it proves), `start` (a state mapping), `actions` (texts, each legal in its turn),
and what must hold: `legal_at_start` (all legal texts), `after` (parts of the mapping), `legal_after`.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

FILES = sorted((Path(__file__).parent / "scenarios").glob("*.json"))


def scenarios() -> Iterator[Any]:
    """Each scenario of each file, marked with the rules that it names."""
    for file in FILES:
        for scenario in json.loads(file.read_text())["scenarios"]:
            name = f"{file.stem}: {scenario['name']}"
            yield pytest.param(scenario, id=name, marks=pytest.mark.rule(*scenario["rules"]))


@pytest.mark.parametrize("scenario", list(scenarios()))
def test_scenario(scenario: dict[str, Any], at: Callable[..., Any]) -> None:
    assert scenario.get("after") or scenario.get("legal_at_start"), "a scenario must expect something"
    table = at(scenario["start"])
    if "legal_at_start" in scenario:
        assert table.legal == set(scenario["legal_at_start"])
    table.act(*scenario["actions"])
    mapping = table.mapping
    assert {key: mapping[key] for key in scenario["after"]} == scenario["after"]
    if "legal_after" in scenario:
        assert table.legal == set(scenario["legal_after"])


def test_scenarios_are_written_in_full_and_named_apart() -> None:
    known = {"name", "rules", "start", "legal_at_start", "actions", "after", "legal_after"}
    names = []
    for file in FILES:
        for scenario in json.loads(file.read_text())["scenarios"]:
            names.append((file.stem, scenario["name"]))
            assert set(scenario) <= known
            assert scenario["rules"]
    assert len(names) == len(set(names)) > 50
