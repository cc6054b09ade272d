"""Positions and moves as data: whatever the rules say happens, happens.

A scenario has a `name`, `rules` (the IDs it proves), `start` (a state mapping), `actions` (texts, each legal in its
turn), and what must hold: `legal_at_start` (all legal texts), `after` (parts of the mapping), `legal_after`. Those of a
game lie in `tests/games/<game>/scenarios`, a list a file, and the `test_scenarios.py` beside them runs them.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

KEYS = {"name", "rules", "start", "legal_at_start", "actions", "after", "legal_after"}


def read(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each scenario of each file, with the name of the file."""
    for file in sorted(folder.glob("*.json")):
        for scenario in json.loads(file.read_text())["scenarios"]:
            yield file.stem, scenario


def parameters(folder: Path) -> list[Any]:
    """Each scenario as a parameter of a test, marked with the rules that it names."""
    return [
        pytest.param(scenario, id=f"{stem}: {scenario['name']}", marks=pytest.mark.rule(*scenario["rules"]))
        for stem, scenario in read(folder)
    ]


def check(scenario: dict[str, Any], at: Callable[..., Any]) -> None:
    """Plays a scenario; `at` makes the position of its start."""
    assert scenario.get("after") or scenario.get("legal_at_start"), "a scenario must expect something"
    position = at(scenario["start"])
    if "legal_at_start" in scenario:
        assert position.legal == set(scenario["legal_at_start"])
    position.act(*scenario["actions"])
    mapping = position.mapping
    assert {key: mapping[key] for key in scenario["after"]} == scenario["after"]
    if "legal_after" in scenario:
        assert position.legal == set(scenario["legal_after"])


def check_form(folder: Path) -> int:
    """Scenarios are written in full and named apart; how many there are."""
    names = []
    for stem, scenario in read(folder):
        names.append((stem, scenario["name"]))
        assert set(scenario) <= KEYS
        assert scenario["rules"]
    assert len(names) == len(set(names))
    return len(names)
