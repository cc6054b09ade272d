"""Writes `llms.txt` beside the site: each page with its first sentence, for language models (https://llmstxt.org)."""

import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

_INTRODUCTION = """# {project}

> {summary}

"""


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write(app: Sphinx, exception: Exception | None) -> None:
    if exception is not None or app.builder.name != "html":
        return
    env = app.env
    text = _INTRODUCTION.format(project=app.config.project, summary=_first_sentence(env, env.config.root_doc))
    for page in _pages(env, env.config.root_doc, {env.config.root_doc}):
        title = env.titles[page].astext()
        text += f"- [{title}]({app.builder.get_target_uri(page)}): {_first_sentence(env, page)}\n"
    (Path(app.outdir) / "llms.txt").write_text(text, encoding="utf-8")


def _pages(env: BuildEnvironment, page: str, seen: set[str]) -> Iterator[str]:
    """Yield the pages below `page` in the order of the contents."""
    for below in env.toctree_includes.get(page, ()):
        if below not in seen:
            seen.add(below)
            yield below
            yield from _pages(env, below, seen)


def _first_sentence(env: BuildEnvironment, page: str) -> str:
    """Return the first sentence of the first paragraph of a page as one line, empty without one."""
    for paragraph in env.get_doctree(page).findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if text:
            return re.split(r"(?<=[.:]) ", text, maxsplit=1)[0]
    return ""
