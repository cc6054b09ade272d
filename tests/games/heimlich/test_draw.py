"""The picture: readable, within its canvas, with everything visible and a target for each legal action."""

import gzip
import json
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.games.heimlich.conftest import AGENTS, Position, game_of, place
from tests.games.heimlich.test_seen import FULL, VARIANTS, positions
from tests.support import svg
from tests.support.suites import slow_but

from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.pictures.picture import draw_seen
from spygames.core.svg.annotations import Advice, Look
from spygames.core.svg.colours import THEMES, Theme
from spygames.heimlich.cards import CARDS
from spygames.testing.trial import mask_of

NAMES = ("checkpoints/a_long_name", "greedy", "Ann", "mcts:200", "expert", "random", "a person")
LEFT_OUT = {
    "end_reason": "there is one only",
    "guessing": "the seats from the mover to the active one, both of which are drawn",
    "players": "the rows of the notebook",
    "agents": "the columns of the notebook",
    "used": "their order, but for the last one: what counts is how many of each kind are left",
}
"""Keys that are not drawn as such, and why; all others are changed one by one below."""


def looks(game: Game, states: np.ndarray, before: np.ndarray | None) -> Iterator[tuple[dict[str, Any], Look]]:
    """Mappings and looks of a position: for the seat to move, with targets and advice; for NOBODY; for another seat."""
    s = as_record(states)
    mover, alt = int(s.to_move), ""
    for viewer in dict.fromkeys((mover, NOBODY, (mover + 1) % game.num_players)):
        actions = np.flatnonzero(mask_of(game, s)) if viewer == mover and mover != NOBODY else ()
        legal = tuple(game.action_to_string(s, int(a), mover) for a in actions)
        shares = [(text, 1 / (i + 2)) for i, text in enumerate(legal)]
        earlier = None if before is None else game.seen_to_dict(as_record(before), viewer)
        log = ("player_0 names orange for Forward 1-3",) * 30
        yield (
            game.seen_to_dict(s, viewer),
            Look(viewer, earlier, legal, Advice(shares, 0.6) if legal else None, NAMES, log, alt),
        )


def pictures(options: dict[str, Any], number: int, seed: int = 0) -> Iterator[tuple[str, Look]]:
    """Pictures of random positions with trails, targets, advice and a log."""
    game, before = game_of(**options), None
    for states in positions(game, number, seed):
        for seen, look in looks(game, states, before):
            yield draw_seen(game, seen, look), look
        before = states


@pytest.mark.parametrize("options", slow_but(VARIANTS, 2, 3, 7), ids=str)
def test_pictures_are_well_made(options: dict[str, Any]) -> None:
    for picture, look in pictures(options, 6):
        assert svg.outside(picture) == []
        assert svg.overlaps(picture) == []
        assert svg.strange(picture) == []
        assert svg.unreachable(picture, [*look.legal]) == []
        assert svg.dangling(picture, [*look.legal]) == []
        assert len(picture.encode()) <= 100_000
        assert len(gzip.compress(picture.encode())) <= 10_000


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_many_pictures_are_well_made(options: dict[str, Any]) -> None:
    for picture, look in pictures(options, 400, seed=5):
        assert svg.outside(picture) + svg.overlaps(picture) + svg.strange(picture) == []
        assert svg.unreachable(picture, [*look.legal]) + svg.dangling(picture, [*look.legal]) == []
        assert len(picture.encode()) <= 100_000
        assert len(gzip.compress(picture.encode())) <= 10_000


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("options", slow_but([VARIANTS[2], VARIANTS[3], VARIANTS[7]], 2), ids=str)
def test_texts_stand_out(options: dict[str, Any], theme: Theme) -> None:
    game = game_of(**options)
    phases: dict[str, np.ndarray] = {}
    for states in positions(game, 150, seed=6):
        phases[game.state_to_dict(as_record(states))["phase"]] = states
    for i, states in enumerate(phases.values()):
        seen, look = [*looks(game, states, None)][i % 2]  # for a seat with targets, for NOBODY
        assert svg.pale(draw_seen(game, seen, look, theme)) == []


@pytest.mark.parametrize("options", slow_but(VARIANTS, 2, 7), ids=str)
def test_themes_differ_in_colors_only(options: dict[str, Any]) -> None:
    game = game_of(**options)
    for states in positions(game, 6):
        for seen, look in looks(game, states, None):
            dark, light = (draw_seen(game, seen, look, theme) for theme in THEMES)
            assert dark != light
            assert svg.colorless(dark) == svg.colorless(light)


def test_names_are_escaped_and_cut() -> None:
    game = game_of(**FULL)
    names = ("<script>alert(1)</script>", '"&', "W" * 99, "")
    states = next(positions(game, 1))
    picture = draw_seen(game, game.seen_to_dict(as_record(states), 0), Look(0, names=names, log=names))
    assert "<script" not in picture
    assert "&lt;script" in picture
    assert svg.outside(picture) + svg.overlaps(picture) == []


# ---------------------------------------------------------------- what is drawn


def drawn(game: Game, seen: dict[str, Any], viewer: int) -> str:
    return svg.drawn(draw_seen(game, seen, Look(viewer)))


def as_drawn(seen: dict[str, Any]) -> str:
    """A mapping without the values that pictures omit on purpose."""
    used = seen["used"]
    return json.dumps(seen | {"used": [*sorted(used[:-1]), *used[-1:]]})


def collisions(options: dict[str, Any], number: int, seed: int) -> tuple[int, int]:
    """The number of pictures shared by different mappings, and the number of different mappings."""
    game, found = game_of(**options), 0
    by_picture: dict[tuple[int, str], str] = {}
    for i, states in enumerate(positions(game, number, seed)):
        viewer = i % (game.num_players + 1) - 1
        seen = game.seen_to_dict(as_record(states), viewer)
        found += by_picture.setdefault((viewer, drawn(game, seen, viewer)), as_drawn(seen)) != as_drawn(seen)
    return found, len(set(by_picture.values()))


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_different_mappings_have_different_pictures(options: dict[str, Any]) -> None:
    found, different = collisions(options, 60, 7)
    assert found == 0
    assert different > 40


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_different_mappings_have_different_pictures_in_many_positions(options: dict[str, Any]) -> None:
    assert collisions(options, 3_000, 8)[0] == 0


def guesses_of(seat: int) -> dict[str, str]:
    """A prediction of a seat whose agent has the seat's number."""
    owners = [f"player_{other}" for other in range(4) if other != seat] + ["free"] * 3
    return dict(zip([agent for i, agent in enumerate(AGENTS) if i != seat], owners, strict=True))


@cache
def middle() -> Position:
    """A position in which every key has a value."""
    return place(
        FULL,
        phase="cards",
        hands={"0": ["swap", "join"], "1": ["to_safe"], "2": ["two_back"]},
        used=["step_1", "new_identity"],
        safe=1,
        arrived=["red"],
        scores={"red": 31, "yellow": 7},
        guessed=True,
        guesses={str(seat): guesses_of(seat) for seat in range(4)},
        record={"swapped": 1, "former": "grey"},
    )


def changes(seen: dict[str, Any]) -> dict[str, Any]:
    """Another possible value for each key."""
    book = seen["notebook"]

    def count(key: str, seat: str = "2", agent: str = "red") -> dict[str, Any]:
        return {"notebook": book | {key: book[key] | {seat: {agent: 3}}}}

    return {
        "edition": {"edition": "ravensburger"},
        "phase": {"phase": "safe"},
        "to_move": {"to_move": 2},
        "active": {"active": 3},
        "turn": {"turn": 10},
        "die": {"die": 5},
        "points_left": {"points_left": 2},
        "moved": {"moved": {"green": 1}},
        "positions": {"positions": seen["positions"] | {"grey": 9}},
        "safe": {"safe": 4},
        "scores": {"scores": seen["scores"] | {"blue": 1}},
        "passports": {"passports": seen["passports"] | {"0": "blue"}},
        "hands": {"hands": seen["hands"] | {"3": 1}},
        "deck": {"deck": 3},
        "used": {"used": ["step_1", "step_1"]},
        "the last used": {"used": seen["used"][::-1]},
        "arrived": {"arrived": []},
        "passes": {"passes": 2},
        "pending_card": {"pending_card": {"card": "swap", "agents": []}},
        "pending_card's agent": {"pending_card": {"card": "swap", "agents": ["blue"]}},
        "card_turn": {"card_turn": 1},
        "guesses": {"guesses": seen["guesses"] | {"0": {}}},
        "guessed": {"guessed": False},
        "winners": {"winners": [3]},
        "swapped": {"swapped": 2},
        "swapped_late": {"swapped_late": True},
        "former": {"former": "blue"},
        "points": {"notebook": book | {"points": book["points"] | {"0": {"red": 5}}}},
        "times": {"notebook": book | {"times": book["times"] | {"0": {"red": 3}}}},
        "gains": count("gains"),
        "scorings": {"notebook": book | {"scorings": [0, 0, 1, 0]}},
        "cards_played": {"notebook": book | {"cards_played": [0, 0, 1, 0]}},
    }


def test_every_key_is_changed_or_left_out() -> None:
    seen = middle().game.seen_to_dict(middle().s, 0)
    changed = {key for change in changes(seen).values() for key in change}
    assert changed | LEFT_OUT.keys() == seen.keys()


def test_every_key_is_drawn() -> None:
    game, s = middle().game, middle().s
    seen = game.seen_to_dict(s, 0)
    seen["notebook"]["points"]["0"] = seen["notebook"]["times"]["0"] = {"red": 4}
    same = drawn(game, seen, 0)
    assert [what for what, change in changes(seen).items() if drawn(game, seen | change, 0) == same] == []


def test_the_order_of_the_used_cards_is_not_drawn() -> None:
    game, seen = middle().game, middle().game.seen_to_dict(middle().s, 0)
    one, two = (seen | {"used": [*cards, "swap"]} for cards in (("step_1", "join"), ("join", "step_1")))
    assert drawn(game, one, 0) == drawn(game, two, 0)


# ---------------------------------------------------------------- texts of pictures


def said(table: Position, viewer: int, **look: Any) -> list[str]:
    picture = draw_seen(table.game, table.game.seen_to_dict(table.s, viewer), Look(viewer, **look))
    return [each.text for each in svg.texts(picture)]


def test_headlines(at: Callable[..., Position]) -> None:
    cards = {"players": 4, "top_secret": True}
    assert "You: move agents, 4 steps left" in said(at({"players": 3}, die=4), 0)
    assert "player_0: move agents, 1 step left" in said(at({"players": 3}, die=4, moved={"red": 3}), 1)
    assert "You: play a card or pass" in said(at(cards, phase="cards", hands={"0": ["swap"]}), 0)
    asks = at(cards, phase="cards", hands={"0": ["swap"]}).act("card swap")
    assert "player_0: choose an agent for Swap" in said(asks, 2)
    assert "player_0: move the safe" in said(at({"players": 3}, phase="safe"), NOBODY)
    asked = at({"players": 3, "secret_identities": True}, phase="guess", guessing=[0, 1, 2], scores={"red": 30})
    assert "You: who owns yellow?" in said(asked, 0)
    assert "player_0: predict who is who" in said(asked, 1)
    over = at({"players": 3}, die=4, positions={"red": 6}, scores={"red": 38}).act("move red 4")
    assert "You win: red has 48 points" in said(over, 0)
    assert "player_0 wins: red has 48 points" in said(over, 1)
    free = at({"players": 3}, die=4, positions={"orange": 6}, scores={"orange": 38}).act("move orange 4")
    assert "Nobody wins: a free agent is furthest ahead" in said(free, 0)


def test_pictures_reveal_nothing_about_other_seats(at: Callable[..., Position]) -> None:
    table = at(FULL, phase="cards", hands={"0": ["swap"], "1": ["to_safe"]})
    texts = said(table, 0)
    assert "You are red" in texts
    assert "Swap" in texts
    assert "To safe" not in texts
    assert texts.count("?") == 3
    assert "You are yellow" in said(table, 1)


def test_every_card_is_drawn() -> None:
    """Each kind of card has a different sign that fits on the card."""
    pictures = set()
    for kind in CARDS:
        table = middle()
        seen = table.game.seen_to_dict(table.s, 0)
        seen["hands"] = seen["hands"] | {"0": [kind] * 4}
        picture = draw_seen(table.game, seen, Look(0, legal=(f"card {kind}", "pass")))
        assert svg.overlaps(picture) + svg.outside(picture) + svg.unreachable(picture, [f"card {kind}"]) == []
        pictures.add(picture)
    assert len(pictures) == len(CARDS)


def test_a_long_game_fits() -> None:
    """The counts of the record have their maximum, and scores are far beyond the finish."""
    table = middle()
    seen = table.game.seen_to_dict(table.s, 0)
    high = {str(seat): dict.fromkeys(seen["agents"], 30_000) for seat in range(4)}
    seen["notebook"] = seen["notebook"] | dict.fromkeys(("points", "times", "gains"), high) | {"scorings": [30_000] * 4}
    seen["scores"] = dict.fromkeys(seen["agents"], 200)
    picture = draw_seen(table.game, seen | {"turn": 2**31 - 1}, Look(0))
    assert svg.overlaps(picture) + svg.outside(picture) == []


def test_moved_pieces_leave_a_trail(at: Callable[..., Position]) -> None:
    table = at({"players": 3}, die=4)
    before = table.game.seen_to_dict(table.s, 1)
    seen = table.game.seen_to_dict(table.act("move red 2").s, 1)
    plain, trail = (draw_seen(table.game, seen, Look(1, earlier)) for earlier in (None, before))
    assert len(trail) > len(plain)
    assert draw_seen(table.game, seen, Look(1, seen)) == plain
