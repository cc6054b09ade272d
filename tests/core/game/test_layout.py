"""Everything derived from a table: the layout, range checks, copies, plain values, options and action texts."""

import inspect
import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import pytest

from spygames.core.game import action_table, layout, options
from spygames.core.game.game import ImpossibleState, as_record
from spygames.core.game.layout import NONE, Layout, Size, filler, flag, float32, int8, int16, nested, uint64

SEAT, COLOURS = Size("players", 3), ("red", "blue")


class Options(Layout):
    """OPTIONS."""

    players = int8(1, 3, "P")
    cards = flag("with cards")


class State(Layout):
    """STATE."""

    rng = uint64("luck")
    turn = int16(1, 300, "turns")
    scores = int8(0, 40, "by seat", SEAT)
    hands = int8(0, 2, "[seat, kind]", (SEAT, 2), hidden=True, when="cards")
    deck = int8(0, COLOURS, "kinds", 4, filled="deck_size", hidden=True)
    deck_size = int8(0, 4, "cards")
    to_move = int8(NONE, SEAT, "NONE when over")
    colour = int8(NONE, COLOURS, "or NONE")
    late = flag("late")
    options = nested(Options, "the variant")
    padding = filler(3)


class View(Layout):
    """VIEW."""

    hand = float32("copies / 2", 2, when="cards")
    score = float32("by seat", SEAT, high=40)
    worth = float32("in units", low=-1, high=SEAT / 2)


in_range = layout.range_check(State)
copy_public = layout.public_copy(State)


def state(players: int = 2, cards: bool = True) -> Any:
    """Return a state with all values in range."""
    s = as_record(np.zeros(1, layout.dtype(State)))
    s.options.players, s.options.cards, s.turn, s.deck[:], s.hands[2:] = players, cards, 1, NONE, 0
    return s


def test_padding_without_a_field_is_refused() -> None:
    table = type("Table", (Layout,), {"turn": int16(0, 9, "turns"), "late": flag("late")})
    with pytest.raises(ValueError, match=r"Table must have its widest fields first, and padding = filler\(1\)"):
        layout.dtype(table)


@pytest.mark.parametrize(
    ("kind", "low", "high", "ends"),
    [
        (int8, 0, 200, "0, 200"), (int8, -129, 0, "-129, 0"), (int8, 3, 2, "3, 2"), (int8, 0, 1.5, "0, 1.5"),
        (int8, 0, (), "0, -1"), (int8, 0, layout.Size("cards", 129), "0, 128"), (int16, 0, 2**15, "0, 32768"),
        (int8, 0, layout.Share(layout.Size("cards", 4), 2), "0, Share"),
    ],
)  # fmt: skip
def test_ranges_that_a_type_cannot_hold_are_refused(kind: Any, low: Any, high: Any, ends: str) -> None:
    bounds = "-32768 to 32767" if kind is int16 else "-128 to 127"
    line = (
        f"range of {kind.kind.__name__}(..., 'cards') must be two integers from {bounds}, the lowest first, not {ends}"
    )
    with pytest.raises(ValueError, match=re.escape(line)):
        kind(low, high, "cards")
    assert int8(-128, 127, "cards") is not None


def test_a_table_gives_its_dtype_ranges_and_rows() -> None:
    found = layout.dtype(State)
    assert found == np.dtype(
        [
            ("rng", np.uint64), ("turn", np.int16), ("scores", np.int8, 3), ("hands", np.int8, (3, 2)),
            ("deck", np.int8, 4), ("deck_size", np.int8), ("to_move", np.int8), ("colour", np.int8), ("late", np.int8),
            ("options", layout.dtype(Options)), ("padding", np.int8, 3),
        ],
        align=True,
    )  # fmt: skip
    view = layout.dtype(View, players=2, cards=False)
    assert view == np.dtype([("score", np.float32, 2), ("worth", np.float32)])
    assert layout.view_ranges(View, players=3, cards=True) == {"score": (0, 40), "worth": (-1, 1.5)}
    assert [*layout.rows(View, players="P")][1] == ("score", "P", "by seat")


def test_a_field_of_a_view_may_hold_an_index() -> None:
    class Indices(Layout):
        mover = float32("the seat", high=SEAT)
        seats = float32("the seat to the left", SEAT, low=NONE, high=SEAT)
        colour = float32("the colour", high=("red", "blue", "green"))
        two = float32("the colour", high=COLOURS)

    assert layout.view_ranges(Indices, players=3) == {"mover": (0, 2), "seats": (NONE, 2), "colour": (0, 2)}


@pytest.mark.parametrize(
    ("name", "where", "good", "bad"),
    [
        ("turn", (), 300, 301), ("turn", (), 1, 0), ("scores", 1, 40, 41), ("scores", 2, 0, 1), ("hands", (1, 1), 2, 3),
        ("hands", (2, 0), 0, 1), ("deck", 0, NONE, 0), ("to_move", (), 1, 2), ("to_move", (), NONE, -2),
        ("colour", (), 1, 2), ("late", (), 1, 2), ("padding", 0, 0, 1),
    ],
)  # fmt: skip
def test_values_out_of_range_are_found(name: str, where: Any, good: int, bad: int) -> None:
    for value, fine in ((good, True), (bad, False)):
        s = state()
        if where == ():
            s[name] = value
        else:
            s[name][where] = value
        assert bool(in_range(s, s.options)) == fine


def test_ranges_depend_on_the_variant() -> None:
    s, other = state(), state(cards=False)
    assert not in_range(s, other.options)
    other.hands[0, 0] = 1
    assert not in_range(other, other.options)
    s.deck[0], s.deck_size = 1, 1
    assert in_range(s, s.options)
    s.deck[0] = 2
    assert not in_range(s, s.options)


def test_hidden_fields_are_not_copied() -> None:
    s, past = state(), state()
    past.rng, past.turn, past.scores[1], past.hands[0, 0], past.deck[0], past.deck_size = 7, 9, 3, 2, 1, 1
    copy_public(s, past)
    assert (s.turn, s.scores[1], s.deck_size) == (9, 3, 1)
    assert (s.rng, s.hands[0, 0], s.deck[0]) == (0, 0, NONE)


def test_plain_values_convert_both_ways() -> None:
    s = state()
    s.turn, s.to_move, s.colour, s.late = 5, NONE, 1, 1
    plain = layout.plain_fields(State, s, "turn", "to_move", "late", paint="colour")
    assert plain == {"turn": 5, "to_move": None, "late": True, "paint": "blue"}
    again = state()
    layout.read_fields(State, again, plain, "turn", "to_move", "late", paint="colour")
    assert again.tobytes() == s.tobytes()


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("turn", 301, "x turn must be an integer from 1 to 300, not 301"),
        ("turn", None, "x turn must be an integer from 1 to 300, not None"),
        ("to_move", 2, "x to_move must be an integer from 0 to 1, not 2"),
        ("late", 1, "x late must be true or false, not 1"),
        ("colour", "pink", "x colour: 'pink' is not one of red, blue"),
    ],
)
def test_values_out_of_range_are_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(ImpossibleState, match=message):
        layout.read_fields(State, state(), {key: value}, key, within="x")


@dataclass(frozen=True)
class Settings(options.GameOptions):
    """Options."""

    players: Annotated[int, "1 to 3", range(1, 4)] = 2
    cards: Annotated[bool, "with cards"] = True
    first_player: Annotated[int | Literal["random"], "a seat", options.seat_or_random] = 0
    mode: Annotated[Literal["a", "b"], "how"] = "a"


def _game(o: Settings) -> dict[str, Any]:
    return o.mapping


make = options.maker(Settings, _game)


def test_options_are_checked_and_have_help() -> None:
    assert make(first_player=1) == {"players": 2, "cards": True, "first_player": 1, "mode": "a"}
    assert "    players: 1 to 3." in (make.__doc__ or "")
    assert str(inspect.signature(make)).startswith("(players: int = 2, cards: bool = True, first_player: ")
    refused: list[tuple[dict[str, Any], str]] = [
        ({"players": 4}, "players must be one of 1, 2, 3, not 4"),
        ({"cards": 1}, "cards must be one of False, True, not 1"),
        ({"first_player": 2}, "first_player must be one of 0, 1, 'random', not 2"),
        ({"mode": "c"}, "mode must be one of 'a', 'b', not 'c'"),
    ]
    for given, message in refused:
        with pytest.raises(ValueError, match=message):
            make(**given)
    unknown: dict[str, Any] = {"colour": 1}
    with pytest.raises(TypeError, match=r"make_game\(\) got an unexpected keyword argument 'colour'"):
        make(**unknown)


def test_rows_of_another_form_are_named() -> None:
    class Wrong(Layout):
        cards = 3
        to_move = int8(0, 1, "the seat")

    with pytest.raises(ValueError, match=r"Wrong\.cards must be a field, such as int8\(0, 9, \.\.\.\), not 3"):
        layout.dtype(Wrong)

    @dataclass(frozen=True)
    class Bare(options.GameOptions):
        players: int = 2

    with pytest.raises(
        ValueError, match=r"Bare\.players must have a type, allowed values and a meaning, such as Annot"
    ):
        Bare()


def test_options_are_packed_by_name() -> None:
    packed = options.packed(Options, Settings(players=3), cards=False)
    assert (packed["players"][0], packed["cards"][0]) == (3, 0)
    with pytest.raises(AttributeError, match="'first'"):
        options.packed(type("Other", (Layout,), {"first": int8(0, 1, "nothing")}), Settings())


KINDS = (
    action_table.ActionKind("move {seat} {colour}", (SEAT, COLOURS), "always"),
    action_table.ActionKind("pass", (), "never"),
    action_table.ActionKind("give {colour}", (COLOURS,), "now and then"),
)
ACT_GIVE = action_table.first_actions(KINDS)[2]
encode_give, decode_give = action_table.action_codec("give", "colour", "ACT_GIVE", globals())


def test_action_numbers_and_texts_follow_from_the_kinds() -> None:
    assert action_table.first_actions(KINDS) == (0, 6, 7)
    assert action_table.first_actions(KINDS, players=2) == (0, 4, 5)
    texts = action_table.action_texts(KINDS, seat=("0", "1", "2"))
    assert texts == (
        "move 0 red", "move 0 blue", "move 1 red", "move 1 blue", "move 2 red", "move 2 blue", "pass", "give red",
        "give blue",
    )  # fmt: skip
    assert [texts[encode_give(colour)] for colour in range(2)] == ["give red", "give blue"]
    assert [decode_give(texts.index(f"give {name}")) for name in COLOURS] == [0, 1]
    assert action_table.action_forms(KINDS) == "'move SEAT COLOUR', 'pass', 'give COLOUR'"
    assert [*action_table.rows(KINDS)][::2] == [
        ("0 on", "move SEAT COLOUR", "always"),
        ("7 to 8", "give COLOUR", "now and then"),
    ]
    assert next(action_table.rows(KINDS, players=2))[0] == "0 to 3"
