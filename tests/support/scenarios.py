"""Positions and moves as data, with the outcome that the rules demand.

A scenario has a `name`, `rules` (the IDs it proves), `start` (a state mapping), `actions` (texts, each legal in its
turn), and expectations: `legal_at_start` (all legal texts), `after` (parts of the mapping), `legal_after`. A game's
scenarios are in `tests/games/<game>/scenarios`, one list per file; `test_scenarios.py` beside that folder runs them.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

KEYS = {"name", "rules", "start", "legal_at_start", "actions", "after", "legal_after"}


def read(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each scenario with the name of its file."""
    for file in sorted(folder.glob("*.json")):
        for scenario in json.loads(file.read_text())["scenarios"]:
            yield file.stem, scenario


def parameters(folder: Path) -> list[Any]:
    """Return each scenario as a test parameter, marked with its rules."""
    return [
        pytest.param(scenario, id=f"{stem}: {scenario['name']}", marks=pytest.mark.rule(*scenario["rules"]))
        for stem, scenario in read(folder)
    ]


def check(scenario: dict[str, Any], at: Callable[..., Any]) -> None:
    """Play a scenario; `at` makes its start position."""
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
    """Check that scenarios are complete and have unique names; return their number."""
    names = []
    for stem, scenario in read(folder):
        names.append((stem, scenario["name"]))
        assert set(scenario) <= KEYS
        assert scenario["rules"]
    assert len(names) == len(set(names))
    return len(names)
