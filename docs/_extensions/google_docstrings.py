"""The parser that autodoc2 uses for docstrings: Google sections, then MyST."""

from docutils import nodes
from google_sections import to_myst
from myst_parser.parsers.sphinx_ import MystParser


class Parser(MystParser):
    def parse(self, inputstring: str, document: nodes.document) -> None:
        super().parse(to_myst(inputstring), document)
