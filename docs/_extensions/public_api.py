"""Writes the tables of docs/api.md from the sources: `python docs/_extensions/public_api.py`.

Public names are in `__all__` of the public modules; deprecated ones in the call of `moved` that serves them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"
_SOURCES = (ROOT / "envs", ROOT / "training")
_GAMES = {f.name.rsplit("_v", 1)[0] for f in (ROOT / "envs" / "spygames").glob("*_v*.py")}


def public_names() -> dict[str, list[str]]:
    """`__all__` of each public module that has one, in order of modules; the folders of games are not public."""
    found: dict[str, list[str]] = {}
    for module, tree in _modules():
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
                found[module] = sorted(ast.literal_eval(statement.value), key=str.lower)
    return found


def deprecated_names() -> dict[str, str]:
    """Each old name with its module in front, and what stands for it."""
    found: dict[str, str] = {}
    for module, tree in _modules():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "moved":
                for keyword in call.keywords:
                    if keyword.arg and isinstance(keyword.value, ast.Constant):
                        found[f"{module}.{keyword.arg}"] = str(keyword.value.value).replace(":", ".")
    return found


def tables() -> str:
    """Everything from the first table of the page to its end."""
    lines = ["| module | public names |", "|---|---|"]
    lines += [f"| `{module}` | {', '.join(f'`{n}`' for n in names)} |" for module, names in public_names().items()]
    lines += ["", "## Deprecated names", "", "| name | write instead |", "|---|---|"]
    lines += [f"| `{old}` | `{new}` |" for old, new in sorted(deprecated_names().items())]
    return "\n".join(lines) + "\n"


def renewed(page: str) -> str:
    """The page with its tables as they should be; everything before the first table stays."""
    return page[: page.index("| module |")] + tables()


def _modules() -> Iterator[tuple[str, ast.Module]]:
    for source in _SOURCES:
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            if (len(parts) > 1 and parts[1] in _GAMES) or any(p.startswith("_") and p != "__init__" for p in parts):
                continue
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield module, ast.parse(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
