"""The SVG that the pen writes, and the widths of its fonts."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fontTools.ttLib import TTFont

import spygames
from spygames.core.svg import pen as pens
from spygames.core.svg.fonts import widths
from spygames.core.svg.pen import Pen, cut, width

FONTS = Path(spygames.__file__).parent / "core" / "svg" / "fonts"


def test_values_are_short_and_escaped() -> None:
    pen = Pen()
    pen.box(1.04, -0.01, 20, 1 / 3, 2, '"><script>', font_size=None)
    pen.words(1, 2, "<b> & 'c'", 12)
    text = str(pen)
    assert '<rect x="1" y="0" width="20" height="0.3" rx="2" fill="&quot;&gt;&lt;script&gt;"/>' in text
    assert ">&lt;b&gt; &amp; &#x27;c&#x27;</text>" in text


def test_characters_that_xml_forbids_are_replaced() -> None:
    pen = Pen()
    pen.open("svg")
    pen.words(1, 2, "a\x00b\x1bc\ud800d\uffffe\tf é \N{SNOWMAN}\U0001f575", 12, aria_label="\x01")
    pen.close("svg")
    (words,) = ElementTree.fromstring(str(pen).encode())
    assert words.text == "a\ufffdb\ufffdc\ufffdd\ufffde\tf é \N{SNOWMAN}\U0001f575"
    assert words.get("aria-label") == "\ufffd"


def test_groups_and_targets_nest() -> None:
    pen = Pen()
    pen.at(3, 4.56, scale=0.5, turn=90)
    pen.target(pick="1:enforcer")
    pen.dot(0, 0, 5, "red")
    pen.close()
    pen.target(action="draw <card>", label="Draw")
    pen.close()
    pen.refused("card <x>")
    pen.close()
    pen.close()
    group = ElementTree.fromstring(str(pen))
    assert group.get("transform") == "translate(3 4.6) rotate(90) scale(0.500)"
    one, other, refused = group
    assert (one.get("data-pick"), one.get("aria-label"), one.get("role")) == ("1:enforcer", "enforcer", "button")
    assert (other.get("data-action"), other.get("aria-label")) == ("draw <card>", "Draw")
    assert refused.attrib == {"data-refused": "card <x>"}  # neither the keyboard nor a screen reader stops here


def test_a_stamp_equals_its_function() -> None:
    """Each use and each argument draws the right shape; the function runs once per argument."""
    calls = []

    def sign(pen: Pen, fill: str) -> None:
        calls.append(fill)
        pen.dot(1, 2, 3, fill)

    stamped, plain = Pen(), Pen()
    for fill in ("red", "blue", "red"):
        stamped.stamp(sign, fill)
        plain.dot(1, 2, 3, fill)
    assert str(stamped) == str(plain)
    assert calls == ["red", "blue"]


@pytest.mark.parametrize(("file", "table"), [("regular", widths.REGULAR), ("bold", widths.BOLD)])
def test_widths_match_the_font(file: str, table: tuple[int, ...]) -> None:
    with TTFont(FONTS / f"spygames-{file}.ttf") as opened:
        font: Any = opened
        letters, advances = font.getBestCmap(), font["hmtx"].metrics
        unit = font["head"].unitsPerEm
        names = {record.nameID: record.toUnicode() for record in font["name"].names}
        found = [round(1000 * advances[letters[widths.FIRST + i]][0] / unit) for i in range(len(table))]
    assert found == list(table)
    assert {letter for letter in map(chr, letters) if not letter.isascii()} == {*widths.OTHERS}
    assert widths.FIRST + len(table) == ord("~") + 1
    # resvg finds the family of the pictures by these names, and omits text if it does not find it.
    assert pens.FONT.split(",")[0].strip("'") in (names.get(16), names.get(1))


def test_a_text_that_is_too_long_is_cut() -> None:
    assert cut("mole", 20, 500) == "mole"
    short = cut("a very long name of a player", 20, 120)
    assert short.endswith("…")
    assert width(short, 20) <= 120 + width("...", 20)
    assert width("WW", 10, bold=False) == 2 * 890 / 100
    assert width("\N{SNOWMAN}", 10) == max(widths.BOLD) / 100
    assert cut("abc", 20, 0) == "…"
    assert cut("abc defgh", 20, width("abc ...", 20)) == "abc…"
