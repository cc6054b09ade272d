"""Which tests prove which rule of a game, read from the tests' sources.

A test bears IDs in its decorators, `@pytest.mark.rule("AA-17", "AA-18")`, or in the scenario files that a
`test_scenarios.py` beside them runs.
"""

import ast
import json
from pathlib import Path


def proofs(tests: Path) -> dict[str, list[str]]:
    """The tests in this folder and below, by the ID of the rule that they bear.

    Args:
        tests: the folder of a game's tests.

    Returns:
        For each ID `test_rules.py: test_name` or `scenarios/file.json: name`, in the order of files and lines. A test
        that is skipped or may fail proves nothing, and is not there.
    """
    found: dict[str, list[str]] = {}
    for file in sorted(tests.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                calls = [call for decorator in node.decorator_list for call in ast.walk(decorator)]
                if not any(ast.unparse(call) in ("pytest.mark.skip", "pytest.mark.xfail") for call in calls):
                    for rule in dict.fromkeys(i for call in calls for i in _ids(call)):
                        found.setdefault(rule, []).append(f"{file.relative_to(tests).as_posix()}: {node.name}")
    for runner in tests.rglob("test_scenarios.py"):
        for file in sorted((runner.parent / "scenarios").glob("*.json")):
            for scenario in json.loads(file.read_text(encoding="utf-8"))["scenarios"]:
                for rule in dict.fromkeys(scenario["rules"]):
                    where = file.relative_to(tests).as_posix()
                    found.setdefault(rule, []).append(f"{where}: {scenario.get('name', '')}")
    return found


def _ids(node: ast.AST) -> list[str]:
    """The IDs of a call `pytest.mark.rule("AA-1", ...)`; none of any other node."""
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.rule":
        return [ast.literal_eval(argument) for argument in node.args if not isinstance(argument, ast.Starred)]
    return []
