"""Foreign values and texts in messages: one line, short, whatever they are."""

import contextlib
import reprlib
import sys

MOST = 100
"""Characters that a message quotes of one foreign value."""


class _Short(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxdict = 20
        self.maxstring = self.maxlong = self.maxother = MOST

    def repr_int(self, x: int, level: int) -> str:
        # Python refuses to write numbers of more than 4,300 digits.
        return super().repr_int(x, level) if x.bit_length() < 1000 else f"<int of {x.bit_length()} bits>"


_SHORT = _Short()


def shown(value: object) -> str:
    """`repr(value)` for a message: one line of at most `MOST` characters, without control characters.

    It never raises, however long, deep or faulty the value is.
    """
    try:
        text = _SHORT.repr(value)
    except Exception:  # a __repr__ may do anything
        text = f"<{type(value).__name__}>"
    return one_line(text)


def say(line: str) -> None:
    """Print a line for people on stderr; nothing where there is no stderr, or it is closed."""
    if sys.stderr is not None:  # print would take stdout
        with contextlib.suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)


def one_line(text: object, most: int = MOST) -> str:
    """`str(text)` for a message, for what needs no quotes: a path, an error's own words.

    Args:
        text: what is quoted.
        most: characters, at least 3; what is longer ends in "...".

    Returns:
        One line without control characters; other whitespace than single spaces is one space.
    """
    line = " ".join(str(text).split())
    line = line if len(line) <= most else line[: most - 3] + "..."
    line = printable(line)
    return line if len(line) <= most else line[: most - 3] + "..."


def printable(text: str) -> str:
    """`text` for a terminal or a page: newlines stay, other control characters, which a terminal would obey, and halves
    of surrogate pairs are written as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)
