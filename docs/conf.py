"""The site: `make docs` builds it with Sphinx, MyST and autodoc2, which reads the sources without importing them."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "spygames"
html_title = "spygames"
html_theme = "furo"
_GAMES = ["agent_avenue", "agent_dog", "heimlich", "testing"]  # have no page yet
extensions = ["myst_parser", "autodoc2"]
myst_enable_extensions = ["fieldlist"]
myst_heading_anchors = 3
exclude_patterns = ["images/*.md"]

autodoc2_packages = [{"path": "../envs/spygames", "auto_mode": False, "exclude_dirs": ["__pycache__", *_GAMES]}]
autodoc2_render_plugin = "myst"
autodoc2_docstring_parser_regexes = [(r".*", "google_docstrings")]
autodoc2_hidden_objects = {"inherited", "private", "dunder"}
autodoc2_class_docstring = "both"  # not merged: constructors have none of their own
autodoc2_module_all_regexes = [r"spygames\.core\.\w+"]  # their pages show what `__all__` names


def setup(app: Sphinx) -> None:
    """The decisions stand below their index in the site's contents; GitHub would show such a block as it is."""

    def below_index(app: Sphinx, page: str, source: list[str]) -> None:
        if page == "decisions/index":
            source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"

    app.connect("source-read", below_index)
