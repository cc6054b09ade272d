"""The picture: it has a target for every legal action, shows everything visible, and is readable."""

import gzip
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog.picture import columns
from spygames.agent_dog.picture.scene import HALF, X, Y
from spygames.core.game.game import NOBODY
from spygames.core.svg.annotations import Advice, Look
from spygames.core.svg.colours import THEMES, Theme
from tests.games.agent_dog.conftest import fresh_position, game_of, make_mapping, position_at
from tests.games.agent_dog.moments import LARGE_BOARD, NAMES, VARIANTS, moments, svg_of
from tests.games.agent_dog.test_render import companion, end, meetings, redraw, swap, tracked, turn
from tests.support.position import Position
from tests.support.suites import slow_but
from tests.support.svg import colorless, elements, outside, overlaps, pale, texts

SCENES = (turn, swap, companion, meetings, redraw, end, tracked)

LEFT_OUT = {
    "players": "the same in all positions of a game; the players are drawn",
    "deck_name": "the same in all positions of a game; the cards of the deck are drawn by kind",
    "discard": "but for the top card only how many there are of each kind: the order below says nothing",
    "deck": "whoever sees everything is shown how many cards there are: which follows from the others, all being shown",
}
"""What the picture does not show, or not all of it, and why."""


def shown(seen: Mapping[str, Any]) -> str:
    """The part of a mapping that the picture must show."""
    told = {key: value for key, value in seen.items() if key not in ("players", "deck_name")}
    told["discard"] = (seen["discard"][:1], sorted(seen["discard"]))
    told["deck"] = seen["deck"] if isinstance(seen["deck"], int) else len(seen["deck"])
    return json.dumps(told)


def drawn(position: Position, viewer: int, theme: Theme = "dark", **changes: Any) -> str:
    """The picture of a position with the viewer's legal actions; `changes` replaces keys of the visible mapping."""
    legal = tuple(sorted(position.legal)) if position.s.to_move == viewer != NOBODY else ()
    seen = position.game.seen_to_dict(position.s, viewer) | changes
    return svg_of(position.game, seen, Look(viewer, legal=legal), theme)


# ---------------------------------------------------------------- everything visible is drawn


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_different_mappings_have_different_pictures(options: dict[str, Any]) -> None:
    assert collisions(options, 8, 15) == 0


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_different_mappings_have_different_pictures_in_many_positions(options: dict[str, Any]) -> None:
    assert collisions(options, 9, 400) == 0


def collisions(options: dict[str, Any], seed: int, n: int) -> int:
    """The number of different mappings with equal pictures, in `n` positions for all viewers."""
    game, found, same = game_of(options), {}, 0
    for moment in moments(options, seed, n):
        for viewer in range(-1, game.num_players):
            seen = game.seen_to_dict(moment.at.s, viewer)
            svg = svg_of(game, seen, Look(viewer))
            same += found.setdefault((viewer, hash(svg)), shown(seen)) != shown(seen)
    return same


@pytest.mark.parametrize("viewer", [1, NOBODY])
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("phase", "redraw"),
        ("to_move", 2),
        ("dealer", 3),
        ("round", 7),
        ("turn", 77),
        ("cards_played", 5),
        ("hidden", [7]),
        ("pawns", {"red": ["area"] * 4, "blue": ["area"] * 4, "green": ["area"] * 4, "yellow": ["area"] * 4}),
        ("hands", {"0": ["2"], "1": ["swap", "swap", "copy"], "2": ["13", "3"], "3": []}),
        ("passed", {"0": None, "1": None, "2": None, "3": None}),
        ("lost", {"0": ["2"], "1": [], "2": [], "3": []}),
        ("out", []),
        ("deck", 4),
        ("discard", ["8", "9"]),
        ("discard", ["9", "5", "8"]),
        ("last_card", "9"),
        ("redrawn", True),
        ("winners", [0]),
        ("copies", {"2": 8, "13": 4}),
        ("board", {"track": 64, "holes": [3, 7, 11], "meeting": 8}),
    ],
)
def test_every_key_is_drawn(viewer: int, key: str, value: Any) -> None:
    assert drawn(turn(), viewer) != drawn(turn(), viewer, **{key: value})


@pytest.mark.parametrize("key", ["players", "deck_name"])
def test_omitted_keys_are_not_drawn(key: str) -> None:
    assert key in LEFT_OUT
    changes: dict[str, Any] = {key: 4 if key == "players" else "royal"}
    assert drawn(turn(), 0) == drawn(turn(), 0, **changes)


@pytest.mark.parametrize(
    ("change", "value"),
    [("points", 1), ("moved", []), ("meetings", [8]), ("penalty", True), ("card", "copy")],
)
def test_every_detail_of_a_card_in_play_is_drawn(change: str, value: Any) -> None:
    position = companion()
    pending = position.game.seen_to_dict(position.s, 0)["pending"]
    assert drawn(position, 0) != drawn(position, 0, pending=pending | {change: value})
    position = swap()
    pending = position.game.seen_to_dict(position.s, 0)["pending"]
    for key, value in (("first", "track 39"), ("as", "13")):
        assert drawn(position, 0) != drawn(position, 0, pending=pending | {key: value})


def test_the_end_names_the_winners() -> None:
    assert "Your team wins: all pawns are home" in {each.text for each in texts(drawn(end(), 0))}
    assert "player_0 and player_2 win: all pawns are home" in {each.text for each in texts(drawn(end(), 1))}
    cut = position_at(make_mapping({"red": ["track 5"]}, {"0": ["3"], "1": ["2"]}), max_turns=1)
    cut.act("card 3", "from track 5")
    assert "Nobody wins: cut off after 1 card" in {each.text for each in texts(drawn(cut, 1))}


def test_long_numbers_of_spaces_are_beside_the_pawns() -> None:
    (moment,) = moments({"players": 4, "board": LARGE_BOARD}, 1, 1)
    boxes = [each.box for each in texts(drawn(moment.at, 0)) if each.fill == "#c3d0db" and len(each.text) == 3]
    beside = [left for left, top, *_ in boxes if left > X + HALF and top < Y + HALF / 2]  # on the right side
    assert len(beside) == 3
    assert min(beside) >= X + HALF + 10.5  # half the width of a pawn


def test_the_rosettes_of_the_winners_cover_no_text() -> None:
    position = end()
    svg = svg_of(position.game, position.game.seen_to_dict(position.s, 0), Look(0, names=[NAMES[1]] * 4))
    ribbons = [matrix for each, matrix, _ in elements(svg) if each.get("d", "").startswith("M-8 8L-11 24")]
    for scale, _, _, _, x, y in ribbons:
        left, right, top, bottom = x - 15 * scale, x + 15 * scale, y - 15 * scale, y + 25 * scale
        boxes = (each.box for each in texts(svg))
        assert not any(a < right and c > left and b < bottom and d > top for a, b, c, d in boxes)
    assert len(ribbons) == 5  # two panels, two kennels, and the middle


# ---------------------------------------------------------------- trails


@pytest.mark.parametrize(
    ("pawns", "hidden", "actions", "trails"),
    [
        ({"red": ["track 12"]}, [], ("card 2", "from track 12"), 1),
        ({"red": ["track 62"]}, [], ("card 3", "from track 62 into goal"), 1),
        ({"red": ["track 12"], "blue": ["track 14"]}, [], ("card 2", "from track 12"), 2),
        ({"red": ["track 13"], "blue": ["track 15"]}, [15], ("card 2", "from track 13"), 2),
        ({"red": ["track 2", "goal 1"]}, [], ("card 13 as start", "from area"), 1),
        ({"red": ["track 6"]}, [], ("card 2", "from track 6"), 1),
        ({"red": ["track 6"], "blue": ["track 5"]}, [], ("card 2", "from track 6"), 2),
        ({"red": ["track 14"], "blue": ["track 15"]}, [15], ("card companion", "step track 14"), 2),
    ],
)
def test_moves_leave_trails(
    pawns: dict[str, list[str]], hidden: list[int], actions: tuple[str, str], trails: int
) -> None:
    hands = {"0": ["2", "3", "13", "companion"], "1": ["2"], "2": ["2"], "3": ["2"]}
    position = position_at(make_mapping(pawns, hands, hidden=hidden)).act(actions[0])
    before = position.game.seen_to_dict(position.s, 1)
    position.act(actions[1])
    seen = position.game.seen_to_dict(position.s, 1)
    moved = svg_of(position.game, seen, Look(1, before=before)).count('stroke-dasharray="1 9"')
    assert moved == trails
    assert svg_of(position.game, seen, Look(1, before=seen)) == svg_of(position.game, seen, Look(1))


# ---------------------------------------------------------------- targets


def missing(svg: str, legal: set[str]) -> set[str]:
    """The legal actions without a target, and the targets without a legal action."""
    return legal ^ {each.get("data-action", "") for each, *_ in elements(svg) if each.get("class") == "target"}


@pytest.mark.parametrize("options", slow_but(VARIANTS, 4, 5, 6), ids=str)
def test_every_legal_action_is_a_target(options: dict[str, Any]) -> None:
    phases = set()
    for moment in moments(options, 10, 50):
        position = moment.at
        mover = int(position.s.to_move)
        if mover != NOBODY:
            phases.add(int(position.s.phase))
            assert missing(drawn(position, mover), position.legal) == set()
    assert len(phases) >= 4


@pytest.mark.parametrize("scene", SCENES)
def test_every_legal_action_of_a_scene_is_a_target(scene: Any) -> None:
    position = scene()
    mover = int(position.s.to_move)
    if mover != NOBODY:
        assert missing(drawn(position, mover), position.legal) == set()


def test_a_picture_for_nobody_can_have_targets() -> None:
    """The targets are cards of small hands, and buttons for cards with several functions."""
    position = turn().act("card 2", "from track 5")
    seen, legal = position.game.seen_to_dict(position.s, NOBODY), tuple(position.legal)
    assert "card copy as 2" in legal
    for advice in (None, Advice([(text, 0.1) for text in legal], 0.5)):
        svg = svg_of(position.game, seen, Look(NOBODY, legal=legal, advice=advice))
        assert missing(svg, position.legal) == set()
        assert overlaps(svg) == []


# ---------------------------------------------------------------- form


@pytest.mark.parametrize("options", slow_but(VARIANTS, 4, 5, 6), ids=str)
def test_pictures_are_well_made(options: dict[str, Any]) -> None:
    """Pictures are well-formed, small and within the canvas; texts do not overlap, and names are escaped."""
    check_form(options, 11, 5)


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_many_pictures_are_well_made(options: dict[str, Any]) -> None:
    check_form(options, 12, 60)


def check_form(options: dict[str, Any], seed: int, n: int) -> None:
    for moment in moments(options, seed, n):
        game = moment.at.game
        for viewer in range(-1, game.num_players):
            svg = svg_of(game, game.seen_to_dict(moment.at.s, viewer), moment.look(viewer))
            assert overlaps(svg) == []
            assert outside(svg) == []
            assert len(svg.encode()) <= 100_000
            assert len(gzip.compress(svg.encode())) <= 10_000
            assert not re.search(r"""[\s<](id|style|href|src|xlink\w*)\s*=|<(script|style|image|use|defs)""", svg)
            assert ("&lt;script&gt;" in svg) == (NAMES[2][:8] in str(moment.look(viewer).names))


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("viewer", [0, 1, NOBODY])
def test_scenes_are_well_made(scene: Any, viewer: int) -> None:
    svg = drawn(scene(), viewer)
    assert overlaps(svg) == []
    assert outside(svg) == []


def test_large_hands_fit() -> None:
    hands = {"0": ["2", "3", "5", "6", "7", "8", "9", "10", "12", "1/11", "13", "swap", "copy", "companion"] * 2}
    position = position_at(make_mapping({"red": ["track 5"]}, hands | {"1": ["2"] * 6}))
    svg = drawn(position, 0)
    assert missing(svg, position.legal) == set()
    for viewer in (0, 1, NOBODY):
        assert overlaps(drawn(position, viewer)) == []
        assert outside(drawn(position, viewer)) == []


def test_the_legend_of_the_cards_fits_the_deck_and_the_viewer() -> None:
    """A deck with many copies of each card has no dots; for a viewer of everything no card is unseen."""
    (many,) = moments(VARIANTS[5], 1, 1)
    words = {each.text for each in texts(drawn(many.at, 0))}
    assert "numbers: unseen, of all" in words
    assert not {"unseen", "your own", "discarded"} & words
    words = {each.text for each in texts(drawn(turn(), NOBODY))}
    assert {"in hands and deck", "discarded"} <= words
    assert "unseen" not in words


def test_a_card_that_is_being_passed_is_not_shown_as_discarded() -> None:
    position = fresh_position(1, players=4)
    assert position.s.to_move == 0
    position.act(min(position.legal))
    svg = drawn(position, 0)
    assert columns._GONE["dark"] not in "".join(each.get("stroke", "") for each, *_ in elements(svg))


def test_the_viewer_sits_at_the_bottom() -> None:
    """The number of the viewer's start space is the lowest one."""
    for viewer in range(4):
        spaces = [each for each in texts(drawn(turn(), viewer)) if each.text.isdigit() and each.fill == "#c3d0db"]
        assert len(spaces) == 64
        assert max(spaces, key=lambda each: (each.box[3], -abs(each.box[0] + each.box[2] - 1200))).text == str(
            16 * viewer
        )


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("scene", [turn, companion, end, tracked])
def test_texts_stand_out(scene: Any, theme: Theme) -> None:
    for viewer in (0, NOBODY):
        assert pale(drawn(scene(), viewer, theme)) == []


@pytest.mark.parametrize("scene", SCENES)
def test_themes_differ_in_colors_only(scene: Any) -> None:
    position = scene()
    for viewer in range(NOBODY, position.game.num_players):
        dark, light = (drawn(position, viewer, theme) for theme in THEMES)
        assert dark != light
        assert colorless(dark) == colorless(light)


@pytest.mark.parametrize("scene", [turn, companion, meetings])
def test_nothing_leaves_the_canvas(scene: Any) -> None:
    raster = pytest.importorskip("spygames.core.pictures.raster")
    pytest.importorskip("resvg_py")
    svg = drawn(scene(), 0)
    wide = raster.pixels(svg.replace('"0 0 1200 900"', '"-60 -45 1320 990"'), width=440).astype(int)
    rims = (wide[:14], wide[-14:], wide[:, :18], wide[:, -18:])
    assert all(np.ptp(rim.reshape(-1, 3), 0).max() == 0 for rim in rims)
    assert np.ptp(wide.reshape(-1, 3), 0).min() > 200


def test_covered_texts_are_found() -> None:
    """Shows that the check of overlapping texts detects one."""
    svg = drawn(turn(), 0)
    assert overlaps(svg.replace("</svg>", '<g transform="translate(40 12) scale(2)"><text x="30" y="12" '
                                'font-size="9" fill="#fff">one more</text></g></svg>'))  # fmt: skip
    assert outside(svg.replace('x="26"', 'x="-26"'))
    assert pale(svg.replace("#fbf4e2", "#20242e"))
