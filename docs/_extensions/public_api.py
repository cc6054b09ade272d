"""Writes the tables of docs/api.md and of the reference's index: `python docs/_extensions/public_api.py`.

Public names are in `__all__` of the public modules.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "api.md"
INDEX = ROOT / "docs" / "reference" / "index.md"
SOURCES = (ROOT / "envs", ROOT / "training")
GAME_MODULES = "game_modules"
"""The page in docs/reference that all games' modules share."""
_GAMES = {f.name.rsplit("_v", 1)[0] for f in (ROOT / "envs" / "spygames").glob("*_v*.py")}


def public_names() -> dict[str, list[str]]:
    """`__all__` of each public module that has one, in order of modules; the folders of games are not public."""
    found: dict[str, list[str]] = {}
    for module, tree in _public_modules():
        for statement in tree.body:
            if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
                found[module] = sorted(ast.literal_eval(statement.value), key=str.lower)
    return found


def page_of(module: str) -> str:
    """The page of a public module in docs/reference: the core's go by their last name, those of games share one."""
    if re.fullmatch(r"spygames\.\w+_v\d+", module):
        return GAME_MODULES
    return module.removeprefix("spygames.core.")


def purposes() -> dict[str, str]:
    """What each page of docs/reference is about: the first sentence of its module, of what that is called there."""
    public = public_names()
    found = {
        page_of(module): f"| [`{module}`]({page_of(module)}.md) | {_first_paragraph(tree)} |"
        for module, tree in _public_modules()
        if module in public and page_of(module) != GAME_MODULES
    }
    example = next(module for module in public if page_of(module) == GAME_MODULES)
    return found | {GAME_MODULES: f"| [`{example}`]({GAME_MODULES}.md) and so on | The environments of one game. |"}


def renewed(page: str) -> str:
    """The page with its tables as they should be; the text around them stays."""
    public = [
        f"| [`{module}`](reference/{page_of(module)}.md) | {_list(names)} |" for module, names in public_names().items()
    ]
    return _with_rows(page, "| module | public names |", public)


def renewed_index(page: str) -> str:
    """The page with a table below each list of contents as it should be; the text around them stays."""
    rows = purposes()

    def with_table(found: re.Match[str]) -> str:
        listed = re.findall(r"^[a-z][\w.]*$", found["contents"], re.MULTILINE)
        table = ["| module | what it is |", "|---|---|", *(rows[name] for name in listed)]
        return found["contents"] + "\n" + "".join(f"{line}\n" for line in table)

    return re.sub(r"(?P<contents>^```{toctree}\n(?:.*\n)*?```\n)(\n(\|.*\n)+)?", with_table, page, flags=re.MULTILINE)


def _first_paragraph(tree: ast.Module) -> str:
    text = ast.get_docstring(tree)
    assert text is not None
    return " ".join(text.split("\n\n")[0].split())


def _list(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _with_rows(page: str, header: str, rows: list[str]) -> str:
    table = "".join(f"{line}\n" for line in (header, "|---|---|", *rows))
    return re.sub(re.escape(header) + r"\n(\|.*\n)*", lambda _: table, page)


@functools.cache
def modules(source: Path) -> list[tuple[str, ast.Module]]:
    """Each module below a folder of `SOURCES`, by its full name."""
    found = []
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append((name, ast.parse(path.read_text(encoding="utf-8"))))
    return found


def _public_modules() -> Iterator[tuple[str, ast.Module]]:
    for source in SOURCES:
        for module, tree in modules(source):
            parts = module.split(".")
            if not (len(parts) > 1 and parts[1] in _GAMES) and not any(part.startswith("_") for part in parts):
                yield module, tree


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    INDEX.write_text(renewed_index(INDEX.read_text(encoding="utf-8")), encoding="utf-8")
