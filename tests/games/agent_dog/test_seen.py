"""Mappings, pictures and action texts for a seat contain all that it may know and nothing else."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog.board import COLOURS as BOARD_COLOURS
from spygames.agent_dog.cards import CARDS, FUNCTIONS
from spygames.agent_dog.layout import PHASES
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.testing.hidden import is_no_secret
from tests.games.agent_dog.conftest import game_of, make_mapping, position_at
from tests.games.agent_dog.moments import VARIANTS, moments
from tests.support.changed import changed
from tests.support.leaks import LONG_PAIRS, PAIRS, leaks
from tests.support.position import Position
from tests.support.suites import slow_but


def states(options: dict[str, Any], seed: int) -> Iterator[np.ndarray]:
    """An endless stream of positions, STATE [1]."""
    return (moment.at.states for moment in moments(options, seed, LONG_PAIRS))


@pytest.mark.rule("AD-6", "AD-24")
@pytest.mark.parametrize("options", slow_but(VARIANTS, 1, 3, 5), ids=str)
def test_nothing_leaks(options: dict[str, Any]) -> None:
    assert leaks(game_of(options), states(options, 5)) == (PAIRS, set())


@pytest.mark.slow
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_no_picture_leaks(options: dict[str, Any]) -> None:
    assert leaks(game_of(options), states(options, 6), LONG_PAIRS, pictures=1) == (LONG_PAIRS, set())


def with_key(key: str, value: Callable[[Record], Any]) -> Callable[[Game, Record, int], dict[str, Any]]:
    """A `seen_to_dict` that adds a key with too much information."""
    return lambda game, s, viewer: game_of(game.options).seen_to_dict(s, viewer) | {key: value(s)}


PLANTED: dict[str, tuple[dict[str, Any], str]] = {
    "luck": ({"seen_to_dict": with_key("rng", lambda s: int(s.rng))}, "mapping"),
    "the order of the deck": ({"seen_to_dict": with_key("deck", lambda s: s.deck.tolist())}, "mapping"),
    "what a hand is like": ({"seen_to_dict": with_key("hint", lambda s: s.hands.max(1).tolist())}, "mapping"),
    "where hidden pawns stand": ({"seen_to_dict": with_key("spots", lambda s: s.board.tolist())}, "mapping"),
    "a picture": (
        {
            "seen_to_dict": with_key("deck", lambda s: s.deck[: s.deck_size].tolist()),
            "draw": lambda pen, seen, look: pen.words(9, 9, str(seen["deck"][:3]), 9),
        },
        "picture",
    ),
    "the board in a text": ({"seen_action": lambda game, s, a, seat, viewer: f"{s.board.tolist()}"}, "moves"),
}


@pytest.mark.parametrize("name", PLANTED)
def test_leaks_are_found(name: str) -> None:
    texts, where = PLANTED[name]
    options = {"players": 4}
    assert where in leaks(changed(game_of(options), **texts), states(options, 7), 16, 4)[1]


def view_of_mapping(game: Game, m: dict[str, Any], seat: int) -> dict[str, Any]:
    """The view of a seat, computed from the mapping of everything."""
    n, o, copies = game.num_players, game.packed["hole"][0] >= 0, game.packed["copies"][0]
    track, quarter, meeting = (int(game.packed[name][0]) for name in ("track", "quarter", "meeting"))
    own = 2 * seat if n == 2 else seat
    pending = m["pending"] or {"card": None, "as": None, "points": 0, "moved": [], "first": None, "meetings": []}
    views: dict[str, Any] = {"areas": np.zeros(4), "track": np.zeros((track, 4)), "goals": np.zeros((4, 4))}
    views["hats"] = np.zeros(track)
    for colour, places in m["pawns"].items():
        k = (BOARD_COLOURS.index(colour) - own) % 4
        for words in map(str.split, places):
            space = int(words[-1]) if words != ["area"] else 0
            if words == ["area"]:
                views["areas"][k] += 1 / 4
            elif words[0] == "goal":
                owner = words[1] if len(words) == 3 else colour
                hidden = f"goal {owner} {space}" in m["hidden"]
                views["goals"][(BOARD_COLOURS.index(owner) - own) % 4, space] = -1 if hidden else 1
            else:
                seen = (space - own * quarter) % track
                views["hats"][seen] = space in m["hidden"]
                views["track"][seen, k] = space not in m["hidden"] or game.options["hidden_colours"] == "tracked"
    if pending["first"] is not None:
        views["hats"][(int(pending["first"].split()[1]) - own * quarter) % track] = -1

    def count(cards: list[str | None]) -> np.ndarray:
        return np.array([cards.count(card) for card in CARDS])

    def seats(values: dict[int, Any]) -> list[Any]:
        return [values.get((seat + k) % n, 0) if k < n else 0 for k in range(4)]

    hand, exchange = count(m["hands"][str(seat)]), m["phase"] == "exchange"
    card, passed = count([pending["card"]]), count([m["passed"][str(seat)]])
    giver = seat ^ 2 if n == 4 else (seat - 1) % n
    moved = pending["moved"]
    lost = [count(m["record"]["lost"][str((seat + k) % n)]) if k < n else 0 * hand for k in range(1, 4)]
    return views | {
        "holds": hand > 0, "hand": hand / 5, "card": card, "passed": passed, "lost": np.array(lost) / 5,
        "discarded": count(m["discard"]) / 10,
        "unseen": (copies - hand - count(m["discard"]) - card - (passed if exchange else 0)) / 10,
        "received": 0 * hand if exchange else count([m["passed"][str(giver)]]), "copies": count([m["last_card"]]),
        "hand_size": seats({int(who): len(cards) / 5 for who, cards in m["hands"].items()}),
        "out": seats(dict.fromkeys(m["out"], 1)), "dealer": seats({m["dealer"]: 1}),
        "decides": seats({m["to_move"]: 1}), "phase": [m["phase"] == phase for phase in PHASES[:-1]],
        "function": [name == pending["as"] for name in FUNCTIONS], "points": [k < pending["points"] for k in range(4)],
        "on_start": [moved == [f"track {(own + k) % 4 * quarter}"] for k in range(4)],
        "meetings": [(own + k) % 4 * quarter + meeting in pending["meetings"] for k in range(4)],
        "penalty": pending.get("penalty", False), "redrawn": m["redrawn"],
        "deck_size": len(m["deck"]) / copies.sum(), "played": m["cards_played"] / game.packed["max_turns"][0],
        "teams": n == 4, "holes": o[:quarter], "meeting": np.arange(quarter) == meeting,
    }  # fmt: skip


def check_views(position: Position) -> None:
    """Compare each field of the views of all seats."""
    mapping = position.mapping
    for seat in range(position.game.num_players):
        view, expected = position.view(seat)[0], view_of_mapping(position.game, mapping, seat)
        assert set(view.dtype.names) == set(expected)
        for name, value in expected.items():
            assert np.abs(np.subtract(view[name], value)).max() < 1e-6, (name, seat)


@pytest.mark.rule("AD-24")
@pytest.mark.parametrize("options", slow_but(VARIANTS, 1, 3, 5), ids=str)
def test_views_hold_what_a_seat_may_know(options: dict[str, Any]) -> None:
    for moment in moments(options, 4, 25):
        check_views(moment.at)


@pytest.mark.rule("AD-26")
def test_views_hold_the_first_pawn_of_a_swap() -> None:
    pawns = {"red": ["track 43"], "blue": ["track 51"]}
    position = position_at(make_mapping(pawns, {"0": ["swap"]}, hidden=[43, 51]))
    check_views(position.act("card swap", "swap track 51"))


def test_nobody_sees_everything_except_the_rng() -> None:
    for options in VARIANTS:
        game = game_of(options)
        for moment in moments(options, 1, 5):
            truth = moment.at.mapping
            seen = game.seen_to_dict(moment.at.s, NOBODY)
            lost, copies = seen.pop("lost"), seen.pop("copies")
            record = truth.pop("record")
            assert lost == record["lost"]
            assert list(copies.values()) == [n for n in game.packed["copies"][0].tolist() if n]
            del truth["rng"]
            assert seen == truth


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_seat_sees_all_public_information(options: dict[str, Any]) -> None:
    """Values that differ from the true state are hidden ones; they keep the true sizes."""
    game, hidden = game_of(options), 0
    open_keys = "phase to_move dealer round turn hidden out discard last_card pending redrawn cards_played winners"
    for moment in moments(options, 2, 12):
        s, truth = moment.at.s, moment.at.mapping
        for seat in range(game.num_players):
            seen = game.seen_to_dict(s, seat)
            assert {key: seen[key] for key in open_keys.split()} == {key: truth[key] for key in open_keys.split()}
            assert seen["deck"] == len(truth["deck"])
            assert seen["lost"] == truth["record"]["lost"]
            assert seen["hands"][str(seat)] == truth["hands"][str(seat)]
            assert seen["passed"][str(seat)] == truth["passed"][str(seat)]
            for other, cards in truth["hands"].items():
                known = [card for card in seen["hands"][other] if card != "?"]
                assert len(seen["hands"][other]) == len(cards)
                assert set(known) <= set(cards)
                assert (seen["passed"][other] is None) == (truth["passed"][other] is None)
            for colour, places in truth["pawns"].items():
                if options.get("hidden_colours") == "tracked":
                    assert seen["pawns"][colour] == places
                visible = [place for place in seen["pawns"][colour] if place != "?"]
                hidden += len(places) - len(visible)
                assert len(seen["pawns"][colour]) == 4
                under = {f"track {p}" for p in truth["hidden"]} | {"goal 0", "goal 1", "goal 2", "goal 3"}
                assert set(places) - set(visible) <= under
    assert (hidden > 0) == (options.get("hidden_colours") != "tracked")


@pytest.mark.rule("AD-6")
def test_a_passed_card_is_known_to_its_giver_and_taker() -> None:
    """The giver knows it until a card of that kind leaves the hand, the taker from the end of the exchange on."""
    hands = {"0": ["2", "3"], "1": ["5", "6"], "2": ["7", "8"], "3": ["9", "10"]}
    position = position_at(make_mapping({"red": ["track 20"], "blue": ["track 40"]}, hands, phase="exchange"))
    game = position.game
    position.act("pass 2", "pass 5", "pass 7")
    assert [game.seen_to_dict(position.s, seat)["passed"]["0"] for seat in range(4)] == ["2", "?", "?", "?"]
    assert game.seen_to_dict(position.s, 0)["hands"]["2"] == ["?"]
    position.act("pass 9")
    assert [game.seen_to_dict(position.s, seat)["passed"]["0"] for seat in range(4)] == ["2", "?", "2", "?"]
    assert game.seen_to_dict(position.s, 0)["hands"]["2"] == ["2", "?"]
    assert game.seen_to_dict(position.s, 1)["hands"]["2"] == ["?", "?"]
    lost = {"0": [], "1": [], "2": ["2"], "3": []}
    passed = {"0": "2", "1": None, "2": None, "3": None}
    start = make_mapping({"red": ["track 4"]}, {"0": ["3"], "2": ["2"]}, passed=passed, record={"lost": lost})
    later = position_at(start)
    assert later.game.seen_to_dict(later.s, 0)["hands"]["2"] == ["?"]


# ---------------------------------------------------------------- action texts

PAWNS = {"red": ["track 12", "track 60", "goal 2"], "blue": ["track 20"], "green": ["track 7"], "yellow": ["track 23"]}
HAND = {"0": ["3", "6", "8", "1/11", "swap", "companion"], "1": ["2"], "2": ["2"], "3": ["2"]}


def said(position: Position, text: str, viewer: int) -> str:
    """The viewer's text of the mover's action."""
    seat = int(position.s.to_move)
    return position.game.seen_action(position.s, position.game.string_to_action(position.s, text, seat), seat, viewer)


@pytest.mark.rule("AD-24")
@pytest.mark.parametrize(
    ("before", "action", "own", "others", "nobody"),
    [
        ([], "card 8", "plays 8", None, None),
        (["card 8"], "from track 12", "moves red from 12 to 20, capturing blue", None, None),
        (["card 6"], "from track 60 into goal", "moves red from 60 to goal red 1", None, None),
        (["card 3"], "from track 60", "moves red from 60 to 63", None, None),
        (["card 1/11 as 1"], "from goal 2", "moves red from goal red 2 to goal red 3", None, None),
        (["card 3"], "from track 7", "moves a hidden pawn from 7 to 10", None, "moves hidden green from 7 to 10"),
        (
            ["card companion"],
            "step track 23",
            "steps with a hidden pawn from 23 to 24",
            None,
            "steps with hidden yellow from 23 to 24",
        ),
        (
            ["card swap"],
            "swap track 7",
            "lifts a hidden pawn on 7 for a swap",
            None,
            "lifts hidden green on 7 for a swap",
        ),
        (
            ["card swap", "swap track 7"],
            "swap track 23",
            "swaps a hidden pawn on 7 with the one on 23",
            None,
            "swaps hidden green on 7 with the one on 23",
        ),
    ],
)
def test_action_texts(before: list[str], action: str, own: str, others: str | None, nobody: str | None) -> None:
    position = position_at(make_mapping(PAWNS, HAND, hidden=[7, 23])).act(*before)
    assert said(position, action, 0) == f"player_0 {own}"
    assert said(position, action, 1) == said(position, action, 2) == f"player_0 {others or own}"
    assert said(position, action, NOBODY) == f"player_0 {nobody or own}"


def test_action_texts_of_exchanges_starts_meetings_and_redraws() -> None:
    hands = {"0": ["2", "3"], "1": ["5", "6"], "2": ["7", "8"], "3": ["9", "10"]}
    position = position_at(make_mapping({}, hands, phase="exchange"))
    assert [said(position, "pass 2", viewer) for viewer in (0, 1, 2, NOBODY)] == [
        "player_0 passes 2 to player_2",
        "player_0 passes a card to player_2",
        "player_0 passes a card to player_2",
        "player_0 passes 2 to player_2",
    ]
    position = position_at(make_mapping({"blue": ["track 0"]}, {"0": ["13"]})).act("card 13 as start")
    assert said(position, "from area", 1) == "player_0 brings red from its area to 0, capturing blue"
    pawns = {"red": ["track 22"], "green": ["track 38"], "blue": ["track 50"], "yellow": ["track 57"]}
    steps = ("step track 22", "step track 38", "step track 23", "step track 39")
    position = position_at(make_mapping(pawns, {"0": ["companion", "2"], "1": ["2"]})).act("card companion", *steps)
    assert {said(position, "meet 24", viewer) for viewer in (0, 1, 2, 3, NOBODY)} == {
        "player_0 holds the meeting on 24"
    }
    position = position_at(
        make_mapping({"red": ["track 20"], "green": []}, {"0": ["swap"], "1": ["2"]}, 2, phase="redraw")
    )
    assert said(position, "discard swap", 1) == "player_0 discards swap and draws a card"


@pytest.mark.rule("AD-29")
def test_the_description_of_a_companion_names_where_the_last_step_ended() -> None:
    pawns = {"red": ["track 22"], "green": ["track 38"], "blue": ["track 50"], "yellow": ["track 57"]}
    position = position_at(make_mapping(pawns, {"0": ["companion"], "1": ["2"]}))
    position.act("card companion", "step track 22", "step track 38")
    assert "; the last step ended on track 39." in position.game.describe(position.s, 0)


@pytest.mark.parametrize("options", VARIANTS[:4], ids=str)
def test_actions_have_equal_texts_exactly_if_they_look_the_same(options: dict[str, Any]) -> None:
    """Exception: actions may have different texts if even the mover cannot tell their results apart."""
    game, alike = game_of(options), 0
    for moment in moments(options, 3, 30):
        mover, s = int(moment.at.s.to_move), moment.at.s
        for seat in range(game.num_players):
            texts: dict[str, tuple[str, str]] = {}
            for action in np.flatnonzero(moment.at.mask) if mover not in (seat, NOBODY) else ():
                states = moment.at.states.copy()
                game.apply(as_record(states), int(action))
                seen = json.dumps(game.seen_to_dict(as_record(states), seat))
                name, text = game.action_to_string(s, int(action), mover), game.seen_action(s, int(action), mover, seat)
                alike += seen in texts
                known = texts.setdefault(seen, (name, text))
                assert known[1] == text or is_no_secret(game, moment.at.states, known[0], name)
            assert len({text for _, text in texts.values()}) == len(texts)
    assert alike > 3, "no two actions looked the same, so the test checked nothing"


@pytest.mark.rule("AD-24", "AD-26")
def test_a_swap_of_hidden_pawns_is_public_but_a_passed_card_is_secret() -> None:
    """The text names the second hat of a swap; nobody learns from it which pawns are where, not even the mover."""
    pawns = PAWNS | {"green": ["track 7", "track 39"]}
    position = position_at(make_mapping(pawns, HAND, hidden=[7, 23, 39])).act("card swap", "swap track 7")
    assert [said(position, f"swap track {hat}", 1) for hat in (23, 39)] == [
        f"player_0 swaps a hidden pawn on 7 with the one on {hat}" for hat in (23, 39)
    ]
    assert is_no_secret(position.game, position.states, "swap track 23", "swap track 39")
    hands = {"0": ["2", "3"], "1": ["5", "6"], "2": ["7", "8"], "3": ["9", "10"]}
    position = position_at(make_mapping({}, hands, phase="exchange"))
    assert not is_no_secret(position.game, position.states, "pass 2", "pass 3")
    position.act("pass 2", "pass 5", "pass 7")
    assert [said(position, "pass 9", viewer) for viewer in (0, 1, 2)] == [
        "player_3 passes a card to player_1",
        "player_3 passes 9 to player_1",
        "player_3 passes a card to player_1",
    ]


@pytest.mark.rule("AD-22", "AD-30")
def test_actions_that_lead_to_the_same_state_keep_their_own_texts() -> None:
    """After the last step of a companion, a meeting pulls one pawn back and the other goes home, whichever stepped."""
    pending = {
        "card": "companion",
        "as": "companion",
        "points": 1,
        "moved": ["goal 0"],
        "first": None,
        "meetings": [56],
        "penalty": True,
    }
    pawns = {"red": ["goal blue 0"], "blue": ["track 22"], "green": ["track 56"]}
    hidden = [56, "goal blue 0"]
    mapping = make_mapping(pawns, {"1": ["5"]}, phase="step", to_move=1, pending=pending, hidden=hidden)
    one, other = position_at(mapping), position_at(mapping)
    assert said(one, "step goal 0", 3) == "player_1 steps with a hidden pawn from goal blue 0 to goal blue 1"
    assert said(other, "step track 22", 3) == "player_1 steps with blue from 22 to 23"
    assert one.act("step goal 0").mapping == other.act("step track 22").mapping


def test_every_action_text_names_the_mover() -> None:
    for options in VARIANTS:
        for moment in moments(options, 4, 20):
            mover = int(moment.at.s.to_move)
            for action in np.flatnonzero(moment.at.mask):
                for viewer in range(-1, options["players"]):
                    text = moment.at.game.seen_action(moment.at.s, int(action), mover, viewer)
                    assert text.startswith(f"player_{mover} ")
                    assert text.isascii()
