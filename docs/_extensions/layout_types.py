"""Writes the `types.py` of each game from its `layout.py`: `python docs/_extensions/layout_types.py`.

There OPTIONS, STATE and VIEW are classes, so that an editor completes `s.` and a type checker finds a field that is not
there. View has the fields of every variant. Each field has the text that stands beside it in the layout.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

GAMES = sorted(path.parent for path in (Path(__file__).parents[2] / "envs" / "spygames").glob("*/layout.py"))
HEAD = '''"""OPTIONS, STATE and VIEW as a type checker sees them, VIEW with the fields of all variants.

Written by docs/_extensions/layout_types.py from `layout.py`, which is to be edited.
"""
'''
CLASSES = {
    "OPTIONS": ("Options", "OPTIONS: which variant is played."),
    "STATE": ("State", "STATE: what is true."),
    "view_dtype": ("View", "VIEW: what one seat may know; `view_dtype` says how it counts seats and sides."),
}
"""What the layout calls a record, its class, and the docstring of that."""


def text_of(layout: str) -> str:
    """The text of `types.py` for that of a `layout.py`."""
    classes = ""
    for node in ast.parse(layout).body:
        name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else getattr(node, "name", "")
        if name in CLASSES:
            title, meaning = CLASSES[name]
            classes += f'\n\nclass {title}(Fields):\n    """{meaning}"""\n\n'
            classes += "".join(_fields(node, layout.splitlines()))
    fields = [name for name in ("Fields", "FloatField", "IntField") if name in classes]
    imports = ["import numpy as np", "from numpy.typing import NDArray"]
    return "\n".join([HEAD, *imports, "", f"from spygames.core.fields import {', '.join(fields)}", classes])


def _fields(node: ast.stmt, lines: list[str]) -> Iterator[str]:
    entries = [each for each in ast.walk(node) if isinstance(each, ast.Tuple) and len(each.elts) > 1]
    for entry in sorted(entries, key=lambda each: each.lineno):
        match entry.elts:
            case [ast.Constant(value=str(name)), dtype, *shape]:
                comment = lines[(entry.end_lineno or 0) - 1].partition("#")[2].strip()
                axes = [", ".join(map(ast.unparse, s.elts if isinstance(s, ast.Tuple) else [s])) for s in shape]
                meaning = " ".join([*(f"[{each}]" for each in axes), *([f"{comment}."] if comment else [])])
                kind = _kind(ast.unparse(dtype), bool(shape))
                yield f"    {name}: {kind}\n" + (f'    """{meaning}"""\n' if meaning else "")


def _kind(dtype: str, is_array: bool) -> str:
    if dtype in CLASSES:
        return CLASSES[dtype][0]
    if is_array:
        return f"NDArray[np.{dtype}]"
    return "FloatField" if dtype.startswith("float") else "IntField" if dtype.startswith("int") else f"np.{dtype}"


if __name__ == "__main__":
    for game in GAMES:
        text = text_of((game / "layout.py").read_text(encoding="utf-8"))
        (game / "types.py").write_text(text, encoding="utf-8")
