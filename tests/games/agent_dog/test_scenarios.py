"""The scenarios in `scenarios/*.json`: positions, actions and their effects according to the rules."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import scenarios

FOLDER = Path(__file__).parent / "scenarios"


@pytest.mark.parametrize("scenario", scenarios.parameters(FOLDER))
def test_scenario(scenario: dict[str, Any], at: Callable[..., Any]) -> None:
    scenarios.check(scenario, at)


def test_scenarios_are_complete_and_have_unique_names() -> None:
    assert scenarios.check_form(FOLDER) > 50
