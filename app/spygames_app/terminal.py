"""The width at which texts are wrapped: that of the terminal, but at least 40 letters."""

import sys
from shutil import get_terminal_size

LEAST, MOST = 40, 100


def text_width() -> int:
    """Return the width for paragraphs, from 40 to 100 letters; 100 in a pipe or a file."""
    return min(max(get_terminal_size((MOST, 24)).columns, LEAST), MOST)


def line_width() -> int:
    """Return the width for lines that are wrapped only if they have to, at least 40 letters; no limit in a pipe or a
    file."""
    return max(get_terminal_size((sys.maxsize, 24)).columns, LEAST)
