"""The site: `make docs` builds it with Sphinx, MyST and autodoc2, which reads the sources without importing them."""

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import lazy_names
from game_pages import whole_page
from plain_markdown import for_the_site
from plain_values import docstring_first
from public_api import missing_names

project = "spygames"
project_copyright = "the spygames authors. Unofficial: the games and their names belong to their authors and publishers"
html_title = "spygames"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_theme_options = {"top_of_page_buttons": []}
html_copy_source = False
html_show_sourcelink = False
ogp_site_url = ""  # links of cards are relative, as the site has no address of its own
ogp_social_cards = {"enable": False}
ogp_image = "images/games/agent_avenue-turn.svg"
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
_GAMES = ["agent_avenue", "agent_dog", "heimlich"]  # their pages are docs/games, from their READMEs
extensions = ["myst_parser", "autodoc2", "sphinx_copybutton", "sphinx_design", "sphinxext.opengraph", "llms_txt"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "fieldlist"]
myst_heading_anchors = 3
exclude_patterns = ["images/*.md"]

autodoc2_packages = [
    {"path": "../envs/spygames", "auto_mode": False, "exclude_dirs": ["__pycache__", *_GAMES]},
    {"path": "../training/spygames_training", "auto_mode": False},
    {"path": "../app/spygames_app", "auto_mode": False},
    {"path": "../envs/spygames_verifiers", "auto_mode": False},
]
autodoc2_render_plugin = "plain_values.Renderer"
autodoc2_docstring_parser_regexes = [(r".*", "google_docstrings")]
autodoc2_hidden_objects = {"inherited", "private", "dunder"}
python_use_unqualified_type_names = True
autodoc2_class_docstring = "both"  # not merged: constructors have none of their own
autodoc2_module_all_regexes = [r"spygames(_training|_app|_verifiers)?(\.\w+)*"]  # pages show what `__all__` names


def setup(app: Sphinx) -> None:
    """Add to pages what GitHub cannot show or finds elsewhere, and warn of public names that no page has.

    Added are the contents below the index of decisions, the README of a game on its page, cards of agents as downloads,
    tabs, and pictures in two themes.
    """

    def add_to_page(app: Sphinx, page: str, source: list[str]) -> None:
        folder, _, name = page.rpartition("/")
        if page == "decisions/index":
            source[0] += "\n```{toctree}\n:hidden:\n:glob:\n\n0*\n```\n"
        elif folder == "games" and name != "index":
            source[0] = whole_page(name, source[0])
        elif page == "results/agents":  # cards are outside of the site's folder
            source[0] = re.sub(r"\[card\]\((\S+)\)", r"{download}`card <\1>`", source[0])

        source[0] = for_the_site(source[0], Path(app.srcdir, folder))

    def warn_of_missing_names(app: Sphinx, exception: Exception | None) -> None:
        if exception is None and app.builder.name == "html":
            for name in missing_names(Path(app.outdir)):
                getLogger(__name__).warning("the public name %s is not on the page of its module", name)

    app.connect("source-read", add_to_page)
    app.connect("build-finished", warn_of_missing_names)
    app.connect("doctree-read", docstring_first)
    lazy_names.register()
