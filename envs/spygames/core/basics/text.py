"""Safe one-line reprs of untrusted values for error messages."""

import contextlib
import reprlib
import sys

MAX_QUOTED = 100
"""Maximum number of characters that a message quotes of one untrusted value."""


class _Short(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxdict = 20
        self.maxstring = self.maxlong = self.maxother = MAX_QUOTED

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to format integers of more than 4,300 digits.
        return super().repr_int(x, level) if x.bit_length() < 1000 else f"<int of {x.bit_length()} bits>"


_SHORT = _Short()


def shown(value: object) -> str:
    """Return `repr(value)` for a message: one line of at most `MAX_QUOTED` characters, without control characters.

    Never raises, even for long, deeply nested or faulty values.
    """
    try:
        text = _SHORT.repr(value)
    except Exception:  # a __repr__ may do anything
        text = f"<{type(value).__name__}>"
    return one_line(text)


def say(line: str) -> None:
    """Print a line on stderr. Does nothing if stderr is missing or closed."""
    if sys.stderr is not None:  # print(file=None) would write to stdout
        with contextlib.suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)


def one_line(text: object, most: int = MAX_QUOTED) -> str:
    """Return `str(text)` for a message, without quotes: for a path or the text of another error.

    Args:
        text: the value to show.
        most: maximum number of characters, at least 3; longer texts are cut and end in "...".

    Returns:
        One line without control characters; runs of whitespace become single spaces.
    """
    line = " ".join(str(text).split())
    line = line if len(line) <= most else line[: most - 3] + "..."
    line = printable(line)
    return line if len(line) <= most else line[: most - 3] + "..."


def printable(text: str) -> str:
    """Escape control characters, which a terminal would obey, and lone surrogates. Newlines stay."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)
