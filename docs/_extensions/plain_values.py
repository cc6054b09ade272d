"""How autodoc2 shows modules, fields and constants on the site."""

import json
from collections.abc import Iterable
from typing import cast

from autodoc2.render.myst_ import MystRenderer
from autodoc2.utils import ItemData
from docutils import nodes
from sphinx.application import Sphinx

_HEADINGS = {
    "### Classes": "## Classes",
    "### Functions": "## Functions",
    "### Data": "## Constants and types",
    "### API": "## Details",
}
"""The headings of a module's page by those of autodoc2."""


class Renderer(MystRenderer):
    """autodoc2's own renderer without headings that say nothing, and with values that newer versions of MyST read."""

    def render_package(self, item: ItemData) -> Iterable[str]:
        """Yield the Markdown of a module below a heading of its page: docstring, tables of names, each name."""
        for line in super().render_package(item):
            if line.startswith("# ") or line == "## Module Contents" or line == "## Package Contents":
                continue
            yield _HEADINGS.get(line, line)

    def render_data(self, item: ItemData) -> Iterable[str]:
        """The lines of a constant or a field, in Markdown."""
        value = item.get("value")
        shown = [] if value is None or len(str(value)) > 60 else [f":value: {json.dumps(str(value))}"]
        lines = list(super().render_data(cast(ItemData, {**item, "value": None})))
        place = lines.index(":value: >")
        yield from [*lines[:place], *shown, *lines[place + 2 :]]


def docstring_first(app: Sphinx, doctree: nodes.document) -> None:
    """Move the docstring of a module before the sections, where docutils puts what a directive returns last."""
    for top in doctree.findall(nodes.section):
        first = top.next_node(nodes.section)
        if first is not None and first.parent is top:
            late = [node for node in top[top.index(first) :] if not isinstance(node, nodes.section)]
            for node in late:
                top.remove(node)
            top[top.index(first) : top.index(first)] = late
        return
