"""Plain Markdown, which GitHub shows as it is meant, to the site's pairs of pictures and tabs."""

import re
from pathlib import Path

_PICTURE = re.compile(r"^(!\[[^\]\n]*\]\((\S+)\.svg\))$", re.M)
_TABS = re.compile(r"<!-- tabs -->\n(.*?)<!-- to here, tabs -->", re.S)
_TITLE = re.compile(r"^\*\*(.+)\*\*$", re.M)


def for_the_site(text: str, folder: Path) -> str:
    """Return a page with tabs and with pictures for both themes.

    A picture on a line of its own, `NAME.svg`, gets its light form if there is a `NAME_light.svg`. Between the comments
    `tabs` and `to here, tabs`, each line in bold is the title of a tab.

    Args:
        text: the page.
        folder: the folder of the page, to which pictures are relative.
    """

    def picture(found: re.Match[str]) -> str:
        whole, name = found.groups()
        if not (folder / f"{name}_light.svg").exists():
            return whole
        return f"{whole}{{.only-dark}}\n{whole.removesuffix('.svg)')}_light.svg){{.only-light}}"

    def tabs(found: re.Match[str]) -> str:
        _, *parts = _TITLE.split(found[1])
        items = "".join(
            f":::{{tab-item}} {title}\n{body}:::\n" for title, body in zip(parts[::2], parts[1::2], strict=True)
        )
        return f"::::{{tab-set}}\n{items}::::"

    return _TABS.sub(tabs, _PICTURE.sub(picture, text))
