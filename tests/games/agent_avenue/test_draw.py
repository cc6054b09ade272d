"""The picture: well formed, readable, with a target for each legal action, and different for different views."""

import gzip
import json
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from tests.games.agent_avenue.looks import NAMES, VARIANTS, Moment, positions
from tests.support import svg
from tests.support.suites import slow_but

from spygames.agent_avenue import Mode, make_game
from spygames.agent_avenue.cards import AGENTS, MARKET_CARDS, ONGOING
from spygames.agent_avenue.layout import PHASES
from spygames.agent_avenue.picture.signs import SIDE
from spygames.core.game.game import NOBODY, as_record
from spygames.core.pictures.picture import draw_seen
from spygames.core.svg.annotations import Look
from spygames.core.svg.colours import THEMES, Theme
from spygames.core.svg.pen import Size

RAW, ZIPPED = 100_000, 10_000
"""Bytes that a picture may have."""
SPOILED: list[tuple[str, Callable[[str], list[str]], Callable[[str], str]]] = [
    ("outside", svg.outside, lambda s: s.replace("</svg>", '<rect x="1190" y="0" width="20" height="5"/></svg>')),
    (
        "overlaps",
        svg.overlaps,
        lambda s: s.replace("</svg>", '<text x="30" y="38" font-size="14" fill="#ffffff">on top</text></svg>'),
    ),
    (
        "pale",
        svg.pale,
        lambda s: s.replace("</svg>", '<text x="40" y="880" font-size="14" fill="#35495c">pale</text></svg>'),
    ),
    ("strange", svg.strange, lambda s: s.replace("</svg>", '<image href="http://example.org/x.png"/></svg>')),
]


def checked(each: Moment, viewer: int) -> str:
    """The full picture of a position, after all checks that need no pixels."""
    drawn = str(each.picture(viewer))
    legal = each.legal(viewer)
    assert svg.strange(drawn) == []
    assert svg.outside(drawn) == []
    assert svg.overlaps(drawn) == []
    assert svg.unreachable(drawn, legal) == []
    assert svg.dangling(drawn, legal) == []
    assert len(drawn.encode()) <= RAW
    assert len(gzip.compress(drawn.encode(), mtime=0)) <= ZIPPED
    return drawn


@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_pictures_are_well_made(mode: Mode, players: int) -> None:
    for i, each in enumerate(positions(mode, players, 9)):
        checked(each, each.viewers[i % len(each.viewers)])


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_many_pictures_are_well_made(mode: Mode, players: int) -> None:
    phases = set()
    for i, each in enumerate(positions(mode, players, 400, seed=1)):
        phases.add(PHASES[each.s.phase])
        checked(each, each.viewers[i % len(each.viewers)])
    teams, advanced = {"lead", "up", "down"} if players > 2 else set(), mode == "advanced"
    market = {"market", "ability"} | ({"resolver"} if players > 2 else set())
    assert phases >= {"recruit", "over"} | teams | (market if advanced else set())


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("mode", "players"), slow_but(VARIANTS, 0, -1))
def test_texts_are_readable(mode: Mode, players: int, theme: Theme) -> None:
    for i, each in enumerate(positions(mode, players, 2, seed=2)):
        assert svg.pale(str(each.picture(i - 1, theme=theme))) == []


@pytest.mark.parametrize(("mode", "players"), slow_but(VARIANTS, 0, -1))
def test_themes_differ_in_colors_only(mode: Mode, players: int) -> None:
    for i, each in enumerate(positions(mode, players, 9)):
        dark, light = (each.picture(each.viewers[i % len(each.viewers)], theme=theme) for theme in THEMES)
        assert dark != light
        assert svg.colorless(dark) == svg.colorless(light)


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_texts_are_readable_in_many_positions(mode: Mode, players: int, theme: Theme) -> None:
    for i, each in enumerate(positions(mode, players, 30, seed=7)):
        assert svg.pale(str(each.picture(each.viewers[i % len(each.viewers)], theme=theme))) == []


@pytest.mark.parametrize(
    ("check", "spoil"), [(check, spoil) for _, check, spoil in SPOILED], ids=[n for n, *_ in SPOILED]
)
def test_a_broken_picture_is_found(check: Callable[[str], list[str]], spoil: Callable[[str], str]) -> None:
    (each,) = positions("simple", 2, 1)
    good = str(each.picture(0))
    assert check(good) == []
    assert check(spoil(good)) != []


def test_a_missing_target_is_found() -> None:
    game = make_game()
    s = as_record(game.start(3))
    legal = [game.action_to_string(s, a, 0) for a in range(game.num_actions)]
    drawn = draw_seen(game, game.seen_to_dict(s, 0), Look(0))
    assert svg.unreachable(drawn, legal) == legal


def test_names_are_escaped() -> None:
    (each,) = positions("advanced", 4, 1)
    drawn = str(each.picture(0))
    assert "<script" not in drawn
    assert any("<script" in words.text for words in svg.texts(drawn)), NAMES[1]


def test_drawing_does_not_change_the_mapping() -> None:
    for each in positions("advanced", 3, 10):
        seen = each.seen(0)
        before = deepcopy(seen)
        draw_seen(each.game, seen, Look(0, before=seen, legal=each.legal(0)))
        assert seen == before


def test_equal_pictures_are_equal_bytes() -> None:
    for each in positions("advanced", 4, 10):
        assert each.picture(1) == each.picture(1)


# ---------------------------------------------------------------- everything visible is drawn

LEFT_OUT: dict[str, str] = {
    "ability side": "it is that of to_move, which is drawn",
    "active_side at the end": "the frame is the winner's then; whose turn it was has decided a tie at most",
}
"""What a picture does not show, each with the reason."""


@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_different_views_have_different_pictures(mode: Mode, players: int) -> None:
    pictures: dict[str, str] = {}
    for each in positions(mode, players, 20, seed=3):
        for viewer in each.viewers:
            seen = json.dumps(each.seen(viewer))
            drawn = f"{viewer} {svg.drawn(str(each.picture(viewer, full=False)))}"
            assert pictures.setdefault(drawn, seen) == seen
    assert len(pictures) > 50


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_many_different_views_have_different_pictures(mode: Mode, players: int) -> None:
    pictures: dict[int, int] = {}
    for each in positions(mode, players, 1_000, seed=4):
        for viewer in each.viewers:
            seen = hash(json.dumps(each.seen(viewer)))
            drawn = hash((viewer, svg.drawn(str(each.picture(viewer, full=False)))))
            assert pictures.setdefault(drawn, seen) == seen


def changes(seen: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Mappings with one value changed, by name of the change; they need not be possible positions."""
    found: dict[str, dict[str, Any]] = {}

    def put(name: str, value: Any, *path: str) -> None:
        changed = deepcopy(seen)
        inner = changed
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        found[name] = changed

    put("turn", seen["turn"] + 1, "turn")
    put("a lap for both", [p + 14 for p in seen["progress"]], "progress")
    over = "" if seen["winner"] is None else " at the end"
    put(f"active_side{over}", 1 - seen["active_side"], "active_side")
    for side in "01":
        counts = seen["in_play"][side]
        for card in AGENTS:
            put(f"in_play {side} {card}", {**counts, card: counts.get(card, 0) + 1}, "in_play", side)
    for seat, cards in seen["hands"].items():
        if isinstance(cards, int):
            put(f"hands {seat}", cards + 1, "hands", seat)
        own: list[str] = [] if isinstance(cards, int) else cards
        for i, card in enumerate(own):
            other = AGENTS[(AGENTS.index(card) + 1) % len(AGENTS)]
            put(f"hands {seat} {i}", sorted([*own[:i], other, *own[i + 1 :]], key=AGENTS.index), "hands", seat)
        thrown: Any = seen["discarded"][seat]
        put(f"discarded {seat}", thrown + 1 if isinstance(thrown, int) else [*thrown, "mole"], "discarded", seat)
        put(f"discards_left {seat}", seen["discards_left"][seat] + 1, "discards_left", seat)
        if seen["mode"] == "advanced":
            known = seen["seen_in_hand"][seat]
            for card in AGENTS if isinstance(cards, int) else cards:
                if isinstance(cards, int) or known.get(card, 0) < cards.count(card):
                    put(f"seen_in_hand {seat} {card}", known | {card: known.get(card, 0) + 1}, "seen_in_hand", seat)
    deck = seen["deck"]
    put("deck", deck + 1 if isinstance(deck, int) else ["mole", *deck], "deck")
    for key in ("face_up", "face_down"):
        if seen[key] in AGENTS:
            put(key, AGENTS[(AGENTS.index(seen[key]) + 1) % len(AGENTS)], key)
    if seen["mode"] == "advanced":
        put("market_supply", seen["market_supply"][1:], "market_supply") if seen["market_supply"] else None
        put("market_discard", [*seen["market_discard"], MARKET_CARDS[-1]], "market_discard")
        more = seen["market_deck"]
        put("market_deck", more + 1 if isinstance(more, int) else [*more[1:], *more[:1], "outpost"], "market_deck")
        for side in "01":
            for card in MARKET_CARDS[:ONGOING]:
                if card not in seen["market_in_play"][side]:
                    put(f"market_in_play {side} {card}", [*seen["market_in_play"][side], card], "market_in_play", side)
        put("pending", [] if seen["pending"] else [{"side": 1, "do": "market"}], "pending")
        if seen["ability"] is not None:
            put("ability card", "outpost" if seen["ability"]["card"] != "outpost" else "spycation", "ability", "card")
            put("ability taken", "mole" if seen["ability"]["taken"] != "mole" else None, "ability", "taken")
            put("ability side", 1 - seen["ability"]["side"], "ability", "side")
            if seen["players"] > 2 and seen["ability"]["taken"] is None:
                put("ability seat", 0 if seen["ability"]["seat"] != 0 else None, "ability", "seat")
    if seen["players"] > 2:
        put("captain", seen["captain"] | {"0": 1 - seen["captain"]["0"]}, "captain")
        put("lead", 0 if seen["lead"] != 0 else 1, "lead")
    if seen["winner"] is None:
        put("to_move", (seen["to_move"] + 1) % seen["players"], "to_move")
        put("phase", "play" if seen["phase"] != "play" else "up", "phase")
    else:
        put("winner", 1 - seen["winner"], "winner")
        put("end_reason", "caught" if seen["end_reason"] != "caught" else "ran_out", "end_reason")
    return found


@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_every_visible_value_is_drawn(mode: Mode, players: int) -> None:
    tried: set[tuple[str, bool]] = set()
    for i, each in enumerate(positions(mode, players, 10, seed=5)):
        viewer = each.viewers[i % len(each.viewers)]
        seen = each.seen(viewer)
        drawn = draw_seen(each.game, seen, Look(viewer))
        new = {name: changed for name, changed in changes(seen).items() if (name, viewer == NOBODY) not in tried}
        tried |= {(name, viewer == NOBODY) for name in new}
        for name, changed in new.items():
            shows = draw_seen(each.game, changed, Look(viewer)) != drawn
            assert shows == (name not in LEFT_OUT), f"{name}, seen by {viewer}"
    keys = {name.split()[0] for name, _ in tried}
    assert keys >= {"turn", "a", "active_side", "in_play", "hands", "discarded", "discards_left", "deck", "face_up"}
    assert mode == "simple" or keys >= {"market_supply", "market_discard", "market_deck", "market_in_play", "pending"}


@pytest.mark.parametrize("viewer", [NOBODY, 0, 3])
def test_a_crowded_table_fits(viewer: int) -> None:
    """With more cards in every place than a game ever has, nothing overlaps and every card can be chosen."""
    (each,) = positions("advanced", 4, 1)
    crowded: dict[str, Any] = each.seen(viewer)
    hand = sorted([*AGENTS, *AGENTS[:4]], key=AGENTS.index)
    for seat in "0123":
        for key, cards in (("hands", hand), ("discarded", ["saboteur"] * 2)):
            crowded[key][seat] = len(cards) if isinstance(crowded[key][seat], int) else cards
        crowded["seen_in_hand"][seat] = dict.fromkeys(AGENTS, 2)
    crowded |= {"phase": "play", "to_move": 0, "active_side": 0, "face_up": None, "face_down": None, "turn": 30_000}
    crowded |= {"in_play": {side: dict.fromkeys(AGENTS, 6) for side in "01"}, "progress": [10_000, -10_000]}
    crowded["market_in_play"] = {"0": list(MARKET_CARDS[:ONGOING]), "1": list(MARKET_CARDS[:ONGOING])}
    crowded |= {"market_discard": list(MARKET_CARDS[ONGOING:]), "pending": [{"side": 1, "do": "market"}]}
    legal = [f"discard {card}" for card in AGENTS] + [f"play {up} {down}" for up in AGENTS for down in AGENTS]
    look = Look(viewer, legal=legal if viewer == 0 else (), names=NAMES)
    drawn = str(draw_seen(each.game, crowded, look))
    assert svg.outside(drawn) == svg.overlaps(drawn) == svg.unreachable(drawn, list(look.legal)) == []


def test_the_viewer_is_drawn_at_the_bottom() -> None:
    """Each viewer's home, hand and name are in the lower half."""
    for mode, players in VARIANTS:
        (each,) = positions(mode, players, 1)
        for viewer in range(players):
            words = svg.texts(str(each.picture(viewer, full=False)))
            places = {each.text: each.box for each in words}
            home = "0" if viewer < max(1, players // 2 if players != 3 else 2) else "7"
            assert places["You"][1] > 600
            assert any(each.text == home and 500 < each.box[1] < 600 and 550 < each.box[0] < 650 for each in words)
            hand = {card.replace("_", " ").upper() for card in each.seen(viewer)["hands"][str(viewer)]}
            assert all(places[name][1] > 600 for name in hand)


def test_moved_meeples_leave_a_trail() -> None:
    for each in positions("simple", 2, 60, seed=6):
        seen, before = each.seen(NOBODY), each.game.seen_to_dict(as_record(each.before), NOBODY)
        with_trail = draw_seen(each.game, seen, Look(NOBODY, before=before))
        moved = sum(a != b for a, b in zip(seen["progress"], before["progress"], strict=True))
        assert with_trail.count('stroke-dasharray="1 10"') == moved


@pytest.mark.parametrize(("size", "dashes"), [("full", "1 10"), ("portrait", "1 8"), ("compact", "1 8")])
def test_distances_are_drawn_over_trails_and_meeples(size: Size, dashes: str) -> None:
    """Side 0 stands where side 1 has been, whose trail begins at the space that side 0 has left."""
    (each,) = positions("simple", 2, 1)
    seen = each.seen(NOBODY) | {"progress": [-3, 10]}
    drawn = str(draw_seen(each.game, seen, Look(NOBODY, before=seen | {"progress": [-2, 4]}), size=size))
    places = [re.search(f'fill="{SIDE[side]}"[^>]*>{text}<', drawn) for side, text in ((0, "\u22121"), (1, r"\+6"))]
    first = min(place.start() for place in places if place)
    assert all(places)
    assert drawn.rindex(f'stroke-dasharray="{dashes}"') < first
    assert size != "full" or drawn.rindex("scale(1.280)") < first  # of a meeple


def test_both_cards_of_an_offer_are_in_the_log() -> None:
    (each,) = positions("advanced", 2, 1)
    look = Look(0, log=["player_1 offers daredevil face up and codebreaker face down"])
    words = svg.texts(str(draw_seen(each.game, each.seen(0), look)))
    assert any(each.text.startswith("player_1 offers daredevil face up and codebreaker") for each in words)


def test_names_of_teams_fit() -> None:
    (each,) = positions("advanced", 4, 1)
    seen = each.seen(NOBODY)
    words = svg.texts(str(draw_seen(each.game, seen | {"pending": [{"side": 0, "do": "market"}]}, Look(NOBODY))))
    assert "then team 1 takes a card" in {each.text for each in words}
    over = seen | {"phase": "over", "to_move": None, "winner": 1, "end_reason": "caught", "progress": [-3, 10]}
    sizes: dict[Size, str] = {"full": "player_2 and player_3", "compact": "player_2 and player_3 win"}
    for size, text in sizes.items():
        words = svg.texts(str(draw_seen(each.game, over, Look(NOBODY), size=size)))
        assert text in {each.text for each in words}
        assert not any("\N{HORIZONTAL ELLIPSIS}" in each.text for each in words)
