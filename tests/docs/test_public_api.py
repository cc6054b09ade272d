"""The public modules: their names exist and have docstrings, the reference lists them, and pages use no others."""

import ast
import doctest
import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.docs.test_build import extension

api = extension("public_api")
PUBLIC: dict[str, list[str]] = api.public_names()
MODULES = {name for source in api.SOURCES for name, _ in api.modules(source)}
NEEDS = {
    "spygames.jax": "jax",
    "spygames.openenv": "openenv",
    "spygames.openspiel": "pyspiel",
    "spygames_training.bridges.rllib": "ray",
    "spygames_training.bridges.torchrl": "torchrl",
    "spygames_verifiers": "verifiers",
}
"""Modules that need a library which other tests do not need."""


def test_the_index_is_up_to_date() -> None:
    index = api.INDEX.read_text(encoding="utf-8")
    assert index == api.renewed_index(index), "run python docs/_extensions/public_api.py"
    assert index.count("| module | what it is |") == index.count("{toctree}")


def test_the_packages_name_their_public_modules() -> None:
    """In the sentence of their docstrings that calls all other modules private."""
    for package in ("spygames", "spygames_training"):
        sentence = re.search(
            r"The public modules are .*?private", importlib.import_module(package).__doc__ or "", re.DOTALL
        )
        assert sentence is not None
        named = {*re.findall(r"`(\w+)`", sentence[0])}
        own = {
            module.removeprefix(f"{package}.").partition(".")[0]
            for module in PUBLIC
            if module.startswith(f"{package}.")
        }
        assert named == {name for name in own if not re.search(r"_v\d+$", name)}


def test_pages_use_public_modules_only() -> None:
    """The README, pages, examples and notebooks import and name only public modules."""
    root, found = api.ROOT, []
    pages = [root / "README.md", root / "CHANGELOG.md"]
    for kind in ("*.md", "*.py", "*.ipynb"):
        pages += (root / "docs").rglob(kind)
    pages += (root / "envs").rglob("README.md")
    pages += (root / "checkpoints").rglob("README.md")
    private = ("decisions", "reference", "_extensions", "draw_docs.py", "layout.md", "adding_a_game.md")
    for page in pages:
        if not any(part in private for part in page.relative_to(root / "docs" if "docs" in page.parts else root).parts):
            text = page.read_text(encoding="utf-8")
            found += [f"{page.name}: {name}" for name in modules_in(text) if name not in PUBLIC]
    assert not found


def modules_in(text: str) -> Iterator[str]:
    """Yield each module of the packages that a text imports from, or names with a further name."""
    names = re.findall(r"\bspygames(?:_training)?(?:\.\w+)*|\bspygames_app(?:\.\w+)+|(?<![\w./-])core(?:\.\w+)+", text)
    for name in (f"spygames.{found}" if found.startswith("core.") else found for found in names):
        known = [module for module in MODULES if name == module or name.startswith(f"{module}.")]
        if known:
            yield max(known, key=len)


PRIVATE_IMPORTS = {
    "openspiel.py": {
        # One compiled call per state instead of one per kernel: 0.4 against 14 microseconds a decision.
        "spygames.core.envs.aec_step",
        # What each seat has seen on the way to a state: moments share their past, unlike environments.
        "spygames.core.game.moments",
        "spygames.core.game.seen",
        # The types of a game's options, also those that are written as text.
        "spygames.core.game.registry",
        # How to install an extra.
        "spygames.core.basics.extras",
    },
    # The compiled loop of pure functions, and the texts of errors.
    "jax.py": {"spygames.core.basics.extras", "spygames.core.basics.text", "spygames.core.playing.functional"},
    # How to install an extra, and the texts of errors.
    "openenv.py": {"spygames.core.basics.extras", "spygames.core.basics.text"},
    # The executor of `--on ray`, and the code that chooses it: parts of this package, not of its public modules.
    "executors.py": {
        "spygames_training.bridges.ray_tasks",
        "spygames_training.parallel.executor",
        "spygames_training.parallel.pool",
    },
    "ray_tasks.py": {
        "spygames_training.evaluation.digests",
        "spygames_training.parallel.executor",
        "spygames_training.parallel.pool",
    },
    # Rejects an invalid number of processes before it starts one.
    "ray_train.py": {"spygames_training.runs.agreement"},
    # A run of `spygames train --algorithm maskable_ppo`: it writes the folder of a `Run` with the same functions.
    "run.py": {
        f"spygames_training.{name}"
        for name in (
            "files.atomic",
            "networks.device",
            "system.compat",
            "ppo.learner",
            "ppo.rollout",
            "runs.evaluations",
            "runs.folder",
            "runs.loop",
            "runs.report",
            "runs.run",
        )
    },
}
"""Private modules that the bridges and `openspiel` import, by file, with the reason."""


def test_bridges_import_public_modules() -> None:
    bridges = api.ROOT / "training" / "spygames_training" / "bridges"
    envs = api.ROOT / "envs" / "spygames"
    for path in (
        *(envs / f"{name}.py" for name in ("jax", "openenv", "openspiel", "textarena")),
        api.ROOT / "envs/spygames_verifiers/__init__.py",
        *bridges.rglob("*.py"),
    ):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        modules = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
        ours = {name for name in modules if name.startswith("spygames") and f"{api.BRIDGES}.sb3." not in name}
        assert ours - set(PUBLIC) == PRIVATE_IMPORTS.get(path.name, set()), path.name


def test_modules_are_found_in_a_text() -> None:
    text = "from spygames.core.game.game import Game; `spygames_training.agents.policy.Policy`; spygames.players.Player"
    assert list(modules_in(text)) == ["spygames.core.game.game", "spygames_training.agents.policy", "spygames.players"]


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_exist(module: str) -> None:
    if module in NEEDS:
        pytest.importorskip(NEEDS[module], reason=f"{NEEDS[module]} is not installed: make test-bridges")
    names = PUBLIC[module]
    assert names
    assert not [name for name in names if not hasattr(importlib.import_module(module), name)]


def has_examples(tree: ast.Module) -> bool:
    """Whether a docstring of a module has an interactive example."""
    parts = [node for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
    return any(">>>" in (ast.get_docstring(part) or "") for part in parts)


def test_examples_of_the_modules_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trainer's examples have a test of their own, and so have modules that need a further library."""
    monkeypatch.chdir(tmp_path)
    packages = [source for source in api.SOURCES if source.name != "training"]
    modules = [name for source in packages for name, tree in api.modules(source) if has_examples(tree)]
    modules = [name for name in modules if name not in NEEDS and name not in api.GAMES]
    assert len(modules) > 30
    for module in modules:
        tried = doctest.testmod(importlib.import_module(module))
        assert tried.attempted, module
        assert not tried.failed, module


def test_code_in_docstrings_of_public_modules_is_indented() -> None:
    """Markdown shows it as a paragraph otherwise."""
    trees = {module: tree for source in api.SOURCES for module, tree in api.modules(source)}
    code = re.compile(r"^(import|from) [\w.]+( import .*)?$", re.MULTILINE)
    assert not [module for module in PUBLIC if code.search(ast.get_docstring(trees[module]) or "")]


def test_each_public_module_has_a_page_in_the_index() -> None:
    folder = api.ROOT / "docs" / "reference"
    pages = {api.page_of(module) for module in PUBLIC}
    assert {page.stem for page in folder.glob("*.md")} == pages | {"index"}
    listed = re.findall(r"^([a-z][\w.]*)$", (folder / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(pages)


def own_names(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.stmt, str | None]]:
    """Yield each name that a module or class defines, with its statement and its docstring."""
    for statement, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            yield statement.name, statement, ast.get_docstring(statement)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
            for target in statement.targets if isinstance(statement, ast.Assign) else [statement.target]:
                yield ast.unparse(target), statement, text if isinstance(text, str) else None


def undescribed(module: str, name: str, trees: dict[str, ast.Module]) -> list[str]:
    """Return which of a public name, its methods and its fields lack a docstring, where the name is defined."""
    found = [(statement, text) for own, statement, text in own_names(trees[module].body) if own == name]
    if not found:
        ((home, there),) = {
            (node.module, alias.name)
            for node in ast.walk(trees[module])
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if (alias.asname or alias.name) == name
        }
        assert home is not None
        return undescribed(home, there, trees)
    lacking = [] if any(text for _, text in found) else [f"{module}.{name}"]  # only the last overload has the docstring
    for statement, _ in found:
        if isinstance(statement, ast.ClassDef):
            parts = [(own, text) for own, _, text in own_names(statement.body) if own.isidentifier() and own[0] != "_"]
            described = {own for own, text in parts if text}
            lacking += [f"{module}.{name}.{own}" for own, _ in parts if own not in described]
    return lacking


def test_each_public_name_has_a_docstring() -> None:
    """This includes methods and fields. Names in the games' modules are listed on a separate page."""
    trees = {module: tree for source in api.SOURCES for module, tree in api.modules(source)}
    public = {module: names for module, names in PUBLIC.items() if api.page_of(module) != "game_modules"}
    assert not [each for module in public for name in public[module] for each in undescribed(module, name, trees)]
    page = (api.ROOT / "docs" / "reference" / "game_modules.md").read_text(encoding="utf-8")
    names = {name for module in PUBLIC.keys() - public for name in PUBLIC[module]}
    assert not [name for name in names if f"`{name}" not in page]
