"""Convert Google-style docstrings to MyST: sections to field lists, doctests to code blocks.

All other text is Markdown already. Sphinx's own napoleon writes reStructuredText only.
"""

import re

_SECTION = re.compile(r"(Args|Returns|Yields|Raises):\s*")
_EXAMPLE = re.compile(r"Examples?:\s*")
_ENTRY = re.compile(r"(?P<names>\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*)(?: \([^)]*\))?:\s+(?P<text>\S.*)")
_FIELD = {"Args": "param", "Raises": "raises", "Returns": "returns", "Yields": "yields"}


def to_myst(docstring: str) -> str:
    """Return the docstring as Markdown.

    Args:
        docstring: its first line is a sentence; further lines are indented as in the source, or not at all.

    Returns:
        Args, Returns, Yields and Raises become fields: `:param name: text`, `:returns: text`, `:raises Error: text`.
        Lines that begin with `>>>` become a code block, up to the next empty line. The heading `Example:` is left out:
        the code block shows what it is.
    """
    lines = _dedent(docstring.expandtabs().splitlines())
    out: list[str] = []
    i = 0
    while i < len(lines):
        if _EXAMPLE.fullmatch(lines[i]):
            end = next((k for k, line in enumerate(lines) if k > i and line[:1].strip()), len(lines))
            lines[i:end] = _dedent(["", *lines[i + 1 : end]])
        if lines[i].startswith(">>>"):
            end = next((k for k, line in enumerate(lines) if k > i and not line.strip()), len(lines))
            out += ["```pycon", *lines[i:end], "```"]
            i = end
            continue
        section = _SECTION.fullmatch(lines[i])
        i += 1
        if section is None:
            out.append(lines[i - 1])
            continue
        body = []
        while i < len(lines) and (not lines[i].strip() or lines[i].startswith(" ")):
            body.append(lines[i])
            i += 1
        out += ["", *_fields(section[1], _dedent(body)), ""]
    return "\n".join(out)


def _fields(section: str, body: list[str]) -> list[str]:
    out: list[str] = []
    for line in body:
        if section in ("Returns", "Yields"):
            out.append(f":{_FIELD[section]}: {line}" if not out else "    " + line)
        elif (entry := _ENTRY.fullmatch(line)) is not None:
            names = entry["names"].split(", ")
            out += [f":{_FIELD[section]} {name}: see `{names[-1]}`" for name in names[:-1]]
            out.append(f":{_FIELD[section]} {names[-1]}: {entry['text']}")
        else:  # a further line of the entry before
            out.append("    " + line)
    while out and not out[-1].strip():
        out.pop()
    return out


def _dedent(lines: list[str]) -> list[str]:
    """Without the indentation that all lines but the first have in common."""
    rest = [line for line in lines[1:] if line.strip()]
    if lines and lines[0].startswith(" "):
        rest.append(lines[0])
    width = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return [line[width:] if line.startswith(" ") else line for line in lines]
