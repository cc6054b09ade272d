"""docs/api.md names the public and the deprecated names as the sources have them, and all of them exist."""

import importlib
import re

import pytest

from tests.docs.test_build import extension

api = extension("public_api")


def test_the_page_is_up_to_date() -> None:
    page = api.PAGE.read_text(encoding="utf-8")
    assert page == api.renewed(page), "run python docs/_extensions/public_api.py"


@pytest.mark.parametrize("module", api.public_names())
def test_public_names_exist(module: str) -> None:
    names = api.public_names()[module]
    assert names
    assert not [name for name in names if not hasattr(importlib.import_module(module), name)]


def page_of(module: str) -> str:
    """The page of a public module in docs/reference: the core's go by their last name, those of games share one."""
    if re.fullmatch(r"spygames\.\w+_v\d+", module):
        return "game_modules"
    return module.removeprefix("spygames.core.")


def test_each_public_module_has_a_page_in_the_index() -> None:
    folder = api.ROOT / "docs" / "reference"
    pages = {page_of(module) for module in api.public_names()}
    assert {page.stem for page in folder.glob("*.md")} == pages | {"index"}
    listed = re.findall(r"^([a-z][\w.]*)$", (folder / "index.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(pages)


def test_deprecated_names_warn_and_work() -> None:
    """Each name that `moved` serves is there, and says what to write instead."""
    served = {old: new for old, new in api.deprecated_names().items() if old.startswith("spygames") and "(" not in old}
    assert served
    for old, new in served.items():
        home, name = old.rsplit(".", 1)
        with pytest.warns(DeprecationWarning, match=f"{name}.*{new.rsplit('.', 1)[1]}"):
            assert getattr(importlib.import_module(home), name) is not None
