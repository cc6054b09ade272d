"""The public modules, and the tables of the reference's index: `python docs/_extensions/public_api.py` writes them."""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "reference" / "index.md"
SOURCES = (ROOT / "envs", ROOT / "training", ROOT / "app")
GAME_MODULES, BRIDGES = "game_modules", "spygames_training.bridges"
"""The pages in docs/reference that several modules share."""
GAMES = sorted(f"spygames.{path.stem}" for path in (ROOT / "envs" / "spygames").glob("*_v*.py"))
PUBLIC = (
    "spygames",
    *GAMES,
    "spygames.authoring",
    "spygames.jax",
    "spygames.openenv",
    "spygames.openspiel",
    "spygames.pictures",
    "spygames.players",
    "spygames.records",
    "spygames.testing",
    "spygames.text",
    "spygames.textarena",
    "spygames_app.films",
    "spygames_training",
    "spygames_training.bridges.ray_train",
    "spygames_training.bridges.rllib",
    "spygames_training.bridges.sb3",
    "spygames_training.bridges.torchrl",
    "spygames_training.config",
    "spygames_training.measuring",
    "spygames_training.search",
    "spygames_verifiers",
)
"""The modules that users import; all others are private."""


def public_names() -> dict[str, list[str]]:
    """`__all__` of each public module, sorted."""
    trees = {module: tree for source in SOURCES for module, tree in modules(source)}
    return {module: sorted(exported(trees[module]), key=str.lower) for module in PUBLIC}


def exported(tree: ast.Module) -> list[str]:
    """The names in a module's `__all__`; ValueError if it has none."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__":
            return ast.literal_eval(statement.value)
    raise ValueError("a public module has an __all__")


def page_of(module: str) -> str:
    """The page of a public module in docs/reference."""
    if module in GAMES:
        return GAME_MODULES
    return BRIDGES if module.startswith(f"{BRIDGES}.") else module


def missing_names(site: Path) -> list[str]:
    """Return the public names, with their module, that are missing on the page of the module in a built site."""
    missing = []
    for module, names in public_names().items():
        text = (site / "reference" / f"{page_of(module)}.html").read_text(encoding="utf-8")
        missing += [f"{module}.{name}" for name in names if not re.search(rf"\b{name}\b", text)]
    return missing


def purposes() -> dict[str, str]:
    """The row of each page in the index: its module and the first sentence of the docstring."""
    trees = {module: tree for source in SOURCES for module, tree in modules(source)}
    pages = {page_of(module): page_of(module) for module in PUBLIC} | {GAME_MODULES: GAMES[0]}
    rows = {
        page: f"| [`{module}`]({page}.md) | {first_paragraph(trees[module])} |"
        for page, module in pages.items()
        if page != GAME_MODULES
    }
    return rows | {GAME_MODULES: f"| [`{GAMES[0]}`]({GAME_MODULES}.md) and so on | The environments of one game. |"}


def renewed_index(page: str) -> str:
    """The page with an up-to-date table below each list of contents; the text around them stays."""
    rows = purposes()

    def with_table(found: re.Match[str]) -> str:
        listed = re.findall(r"^[a-z][\w.]*$", found["contents"], re.MULTILINE)
        table = ["| module | what it is |", "|---|---|", *(rows[name] for name in listed)]
        return found["contents"] + "\n" + "".join(f"{line}\n" for line in table)

    return re.sub(r"(?P<contents>^```{toctree}\n(?:.*\n)*?```\n)(\n(\|.*\n)+)?", with_table, page, flags=re.MULTILINE)


def first_paragraph(tree: ast.Module) -> str:
    """Of a module's docstring, as one line."""
    text = ast.get_docstring(tree)
    assert text is not None
    return " ".join(text.split("\n\n")[0].split())


@functools.cache
def modules(source: Path) -> list[tuple[str, ast.Module]]:
    """Each module below a folder of `SOURCES`, by its full name."""
    return list(_modules(source))


def _modules(source: Path) -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(source.rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    INDEX.write_text(renewed_index(INDEX.read_text(encoding="utf-8")), encoding="utf-8")
