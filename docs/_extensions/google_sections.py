"""Google sections of docstrings (Args, Returns, Yields, Raises) as MyST field lists, examples as code blocks.

The rest is Markdown already.
Sphinx's own napoleon does this for reStructuredText only.
"""

import re

_SECTION = re.compile(r"(Args|Returns|Yields|Raises):\s*")
_EXAMPLE = re.compile(r"(Examples?):\s*")
_ENTRY = re.compile(r"(?P<names>\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*)(?: \([^)]*\))?:\s+(?P<text>\S.*)")
_FIELD = {"Args": "param", "Raises": "raises", "Returns": "returns", "Yields": "yields"}


def to_myst(docstring: str) -> str:
    """Return the docstring with a field list in the place of each section, and lines with `>>>` as code.

    Args:
        docstring: its first line is a sentence; further lines are indented as in the source, or not at all.

    Returns:
        Markdown: `:param name: text` for each argument, `:raises Error: text`, `:returns: text`.
    """
    lines = _dedent(docstring.expandtabs().splitlines())
    out: list[str] = []
    i = 0
    while i < len(lines):
        section = _SECTION.fullmatch(lines[i]) or _EXAMPLE.fullmatch(lines[i])
        i += 1
        if section is None:
            out.append(lines[i - 1])
            continue
        body = []
        while i < len(lines) and (not lines[i].strip() or lines[i].startswith(" ")):
            body.append(lines[i])
            i += 1
        if section[1] in _FIELD:
            out += ["", *_fields(section[1], _dedent(body)), ""]
        else:
            out += ["", f"**{section[1]}**", "", *_dedent(body), ""]
    return "\n".join(_fenced(out))


def _fenced(lines: list[str]) -> list[str]:
    """Return the lines with each interactive example, which ends at an empty line, in a block of code."""
    out: list[str] = []
    inside = False
    for line in lines:
        if not inside and line.startswith(">>>"):
            out.append("```pycon")
            inside = True
        elif inside and not line.strip():
            out.append("```")
            inside = False
        out.append(line)
    return [*out, "```"] if inside else out


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
