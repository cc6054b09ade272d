"""docs/api.md names the public and the deprecated names as the sources have them, and all of them exist."""

import importlib

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


def test_each_public_module_of_the_core_has_a_page() -> None:
    pages = {page.stem for page in (api.ROOT / "docs" / "reference").glob("*.md")} - {"index"}
    assert pages == {m.removeprefix("spygames.core.") for m in api.public_names() if m.startswith("spygames.core.")}


def test_deprecated_names_warn_and_work() -> None:
    """Each name that `moved` serves is there, and says what to write instead."""
    served = {old: new for old, new in api.deprecated_names().items() if old.startswith("spygames") and "(" not in old}
    assert served
    for old, new in served.items():
        home, name = old.rsplit(".", 1)
        with pytest.warns(DeprecationWarning, match=f"{name}.*{new.rsplit('.', 1)[1]}"):
            assert getattr(importlib.import_module(home), name) is not None
