"""Pyright and mypy accept the examples of the READMEs and games, and find the errors in `calls.py` and fields that do
not exist."""

import re
import subprocess
import sys
from collections.abc import Iterator
from doctest import script_from_examples
from itertools import chain
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from spygames.core.game.registry import game_ids, game_module, make_game
from spygames.testing.variants import VARIANTS
from tests.docs.test_code import FILE, is_part_of_an_example, named

ROOT = Path(__file__).resolve().parents[2]
READMES = [ROOT / "README.md", *sorted((ROOT / "envs" / "spygames").glob("*/README.md"))]
CHECKERS = ("pyright", "mypy")
OPTIONS = {
    "pyright": ("--pythonpath", sys.executable),
    "mypy": ("--allow-subclassing-any", "--allow-any-generics"),
}  # mypy does not analyze torch here, and pages say Game for a game of any views
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "```python\n" in page.read_text(encoding="utf-8")]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def records(game_id: str) -> dict[str, np.dtype]:
    """Return the dtype of each table in a game's `layout.py`, with the fields of all variants."""
    games = [make_game(game_id, **options) for options in chain(*VARIANTS[game_id])]
    views = {name: game.view_dtype[name] for game in games for name in game.view_dtype.names or ()}
    return {"Options": games[0].packed.dtype, "State": games[0].state_dtype, "View": np.dtype([*views.items()])}


def uses(game_id: str) -> Iterator[str]:
    """Yield a module that reads each field with its type, and one field that does not exist."""
    yield "# pyright: reportUnnecessaryTypeIgnoreComment=true\nfrom typing import Any, assert_type"
    yield "import numpy as np\nfrom numpy.typing import NDArray\nfrom spygames.core.compiling.kernel import Int"
    yield f"from spygames.{game_id.rpartition('_v')[0]}.layout import Options, State, View"
    yield "import spygames\nfrom spygames.core.envs.aec import GameEnv"
    yield f"assert_type(spygames.{game_id}.env(), GameEnv[View])"
    for title, record in records(game_id).items():
        yield f"def {title.lower()}(s: {title}) -> None:"
        for name in record.names or ():
            field = record[name]
            scalar = {"i": "Int", "f": "float | np.floating[Any]", "u": "np.uint64", "V": "Options"}[field.base.kind]
            yield f"    assert_type(s.{name}, {f'NDArray[np.{field.base}]' if field.shape else scalar})"
        yield "    s.nosuchfield  # type: ignore[attr-defined]"


def literals(hint: object) -> set[object]:
    """Return the values of a type's Literals."""
    if get_origin(hint) is Literal:
        return {*get_args(hint)}
    return {value for part in get_args(hint) for value in literals(part)}


@pytest.mark.parametrize("game_id", game_ids())
def test_literal_types_match_the_values_of_options(game_id: str) -> None:
    hints = get_type_hints(game_module(game_id).make_game)
    named = {option: found for option in hints if (found := {v for v in literals(hints[option]) if isinstance(v, str)})}
    assert len(named) >= 3
    for option, names in named.items():
        with pytest.raises(ValueError, match=f"{option} must be one of ") as refusal:
            make_game(game_id, **{"players": 3, option: "no such name"})
        assert set(re.findall(r"'(\w+)'", str(refusal.value).partition(", not ")[0])) == names


@pytest.mark.parametrize("checker", [pytest.param(c, marks=[pytest.mark.slow] * (c == "mypy")) for c in CHECKERS])
def test_type_checkers_find_exactly_the_marked_errors(checker: str, tmp_path: Path) -> None:
    files = [ROOT / "tests" / "typing" / "calls.py"]
    for game_id in game_ids():
        files.append(tmp_path / f"fields_of_{game_id}.py")
        files[-1].write_text("\n".join(uses(game_id)))
    for readme in READMES:
        blocks = PYTHON.findall(readme.read_text(encoding="utf-8"))
        assert blocks, readme
        for k, block in enumerate(blocks):
            files.append(tmp_path / f"readme_of_{readme.parent.name}_{k}.py")
            files[-1].write_text(block)
    # One module per page with its blocks in order; blocks that are files are separate modules.
    for page in PAGES:
        blocks = [
            block for block in PYTHON.findall(page.read_text(encoding="utf-8")) if not is_part_of_an_example(block)
        ]
        whole = {match[1]: block for block in blocks if (match := FILE.match(block))}
        joined = "\n".join(block for block in blocks if block not in whole.values())
        whole[f"page_{named(page).replace('/', '_').replace('.', '_')}.py"] = joined
        for name, block in whole.items():  # under the names that the page imports
            assert tmp_path / name not in files, f"two pages have a file {name}"
            files.append(tmp_path / name)
            files[-1].parent.mkdir(parents=True, exist_ok=True)
            files[-1].write_text(block)
    for example in ("high_card.py", "vector_ppo.py"):  # pages import them
        (tmp_path / example).write_bytes((ROOT / "docs" / "examples" / example).read_bytes())
    for game_id in game_ids():
        files.append(tmp_path / f"example_of_{game_id}.py")
        files[-1].write_text(script_from_examples(game_module(game_id).__doc__ or ""))
    done = subprocess.run(
        [sys.executable, "-m", checker, *OPTIONS[checker], *map(str, files)],
        cwd=tmp_path if checker == "pyright" else ROOT,  # pages import their own files from there
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
