"""State mappings and action texts: exact round trips, and errors for invalid ones."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog import Deck, make_game
from spygames.core.game.game import Game, ImpossibleState, as_record
from tests.games.agent_dog.conftest import Position, make_mapping, position_at

PAWNS = {"red": ["track 5"], "blue": ["track 40"], "green": ["track 50"], "yellow": ["track 57"]}
IN_AREA = {colour: ["area"] * 4 for colour in PAWNS}
KEYS = [
    "players", "board", "deck_name", "phase", "to_move", "dealer", "round", "turn", "pawns", "hidden", "hands",
    "passed", "out", "deck", "discard", "last_card", "pending", "redrawn", "cards_played", "winners", "end_reason",
    "rng", "record",
]  # fmt: skip
PENDING = {"card": "9", "as": "9", "points": 0, "moved": [], "first": None, "meetings": [], "penalty": False}


def start(**changes: Any) -> dict[str, Any]:
    return make_mapping(PAWNS, {"0": ["2", "9"], "1": ["3"]}, **changes)


def test_mappings_have_exactly_the_documented_keys(fresh: Callable[..., Position]) -> None:
    mapping = fresh(0).mapping
    assert list(mapping) == KEYS
    json.dumps(mapping)


def test_rng_and_record_are_optional() -> None:
    position = position_at(start())
    assert position.mapping["rng"] == "0"
    assert position.mapping["record"] == {"lost": {"0": [], "1": [], "2": [], "3": []}}
    assert {key: position.mapping[key] for key in start()} == start()
    passed = start(passed={"0": "2", "1": "3", "2": "2", "3": None})
    assert position_at(passed).mapping["record"]["lost"] == {"0": [], "1": [], "2": ["2"], "3": ["3"]}
    playing = make_mapping(PAWNS, {"0": ["2"], "1": ["3"]}, phase="place", pending=dict(PENDING))
    assert position_at(playing).mapping["record"]["lost"]["0"] == ["9"]


@pytest.mark.parametrize(
    ("players", "options"),
    [(4, {}), (3, {}), (2, {}), (2, {"board": {"track": 56, "holes": [4, 6, 11], "meeting": 5}})],
)
def test_action_texts_round_trip(players: int, options: dict[str, Any]) -> None:
    game = make_game(players=players, **options)
    s = as_record(game.start(1))
    for seat in range(players):
        texts = [game.action_to_string(s, action, seat) for action in range(game.num_actions)]
        assert [game.string_to_action(s, text, seat) for text in texts] == list(range(game.num_actions))
    for text in (
        "",
        "pass 4",
        "card 9 as 9",
        "card 13",
        "from track 64",
        "from goal 3",
        "swap track 1",
        "meet 9",
        "PASS 2",
    ):
        with pytest.raises(ValueError, match="action of Agent DOG must be one of"):
            game.string_to_action(s, text, 0)


def test_actions_are_relative_to_the_mover(game: Game) -> None:
    """The same position, rotated by a quadrant, has the same mask and view."""
    masks, views = [], []
    for seat, colours in enumerate((["red", "blue", "green", "yellow"], ["blue", "green", "yellow", "red"])):
        places = {"red": [60, 7, 3], "blue": [17], "green": [20, 21], "yellow": [50]}
        pawns = {
            colour: [f"track {(space + 16 * seat) % 64}" for space in spaces]
            for colour, spaces in zip(colours, places.values(), strict=True)
        }
        hands = {
            str((i + seat) % 4): cards for i, cards in enumerate((["1/11", "companion", "swap"], ["2"], ["3"], ["5"]))
        }
        hidden = sorted((space + 16 * seat) % 64 for space in (7, 3))
        position = position_at(make_mapping(pawns, hands, hidden=hidden, to_move=seat, dealer=seat))
        for card in (None, "card companion"):
            if card:
                position.act(card)
            masks.append(position.mask.tolist())
            views.append(position.view(seat).tobytes())
    assert masks[:2] == masks[2:]
    assert views[:2] == views[2:]
    assert sum(masks[0]) == 5
    assert game.num_actions == len(masks[0])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"players": 3}, "players"),
    ({"board": "big"}, "board"),
    ({"deck_name": "royal"}, "deck_name"),
    ({"phase": "play"}, "phase"),
    ({"phase": "over"}, "to_move"),
    ({"to_move": None}, "to_move"),
    ({"to_move": 4}, "to_move"),
    ({"dealer": -1}, "dealer"),
    ({"round": "0"}, "round"),
    ({"turn": -1}, "turn"),
    ({"cards_played": 1.0}, "cards_played"),
    ({"pawns": {"red": ["area"] * 4}}, "pawns"),
    ({"pawns": {c: ["area"] * 4 for c in ("red", "blue", "green", "black")}}, "pawns"),
    ({"pawns": {c: ["area"] * 3 for c in PAWNS}}, "pawns of red"),
    ({"pawns": {c: ["area"] * 3 + ["track 5"] for c in PAWNS}}, "another pawn"),
    ({"pawns": {c: ["area"] * 3 + ["track 64"] for c in PAWNS}}, "a place must be like"),
    ({"pawns": {c: ["area"] * 3 + ["goal 4"] for c in PAWNS}}, "a place must be like"),
    ({"pawns": {c: ["area"] * 3 + [f"goal {'red' if c == 'blue' else 'blue'} 1"] for c in PAWNS}}, "pawns"),
    ({"hidden": [5]}, "5 is not a hole"),
    ({"hidden": [7]}, "hidden must name places of pawns, not 7"),
    ({"hidden": ["area"]}, "a place must be like"),
    ({"hands": {"0": ["2"], "1": [], "2": [], "3": []}}, "copies of 2|copies of 3|copies of 9"),
    ({"hands": {"0": ["4"], "1": [], "2": [], "3": []}}, "hands of seat 0"),
    ({"hands": {"0": ["2"]}}, "hands"),
    ({"passed": {"0": "4", "1": None, "2": None, "3": None}}, "passed"),
    ({"out": [1, 0]}, "out"),
    ({"out": [4]}, "out"),
    ({"deck": []}, "copies"),
    ({"discard": ["2"] * 200}, "discard"),
    ({"last_card": "copy"}, "last_card"),
    ({"last_card": "4"}, "last_card"),
    ({"pending": dict(PENDING)}, "copies of 9|pending"),
    ({"redrawn": 0}, "redrawn"),
    ({"winners": [0]}, "winners"),
    ({"end_reason": "home"}, "end_reason"),
    ({"end_reason": "caught"}, "end_reason"),
    ({"phase": "exchange", "dealer": 1}, "passed"),
    ({"phase": "exchange", "to_move": 0, "dealer": 0}, "hands of seat 2"),
    ({"out": [0]}, "out must not name seat 0"),
    ({"cards_played": 2000}, "max_turns"),
    ({"round": 2**31}, "round"),
    ({"redrawn": True}, "redrawn"),
    ({"pawns": {c: [f"goal {i}" for i in range(4)] for c in PAWNS}}, "home"),
    ({"phase": "redraw"}, "redraw"),
    ({"phase": "place"}, "pending"),
    ({"to_move": 2}, "hands of seat 2 must hold a playable card"),
    ({"rng": -1}, "rng"),
    ({"record": {"kept": 1}}, "record"),
    ({"record": {"lost": {"0": []}}}, "record lost"),
    ({"extra": 1}, "unknown"),
    (
        {"record": {"lost": {str(seat): ["2"] * 126 for seat in range(4)}}},
        "record lost of seat 0 must name 2 at most 10 times",
    ),
    (
        {"record": {"lost": dict.fromkeys("0123", ["9"] * 11)}},
        "record lost of seat 0 must name 9 at most 10 times, not 11",
    ),
    ({"pawns": IN_AREA | {"red": ["area"] * 3 + ["track 7"]}}, "7 is a hole"),
    ({"pawns": IN_AREA | {"red": ["area"] * 3 + ["track " + "9" * 5000]}}, "a place must be like"),
]


@pytest.mark.parametrize(("changes", "why"), REFUSED, ids=lambda v: str(v)[:60])
def test_invalid_mappings_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(ImpossibleState, match=why):
        position_at(start() | changes) if "players" not in changes else make_game().state_from_dict(
            start() | changes, as_record(make_game().new_states())
        )


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ("rng", "record", "players")])
def test_a_missing_key_is_refused(key: str) -> None:
    with pytest.raises(ImpossibleState, match=key):
        position_at({k: v for k, v in start().items() if k != key})


@pytest.mark.parametrize(
    ("phase", "changes", "why"),
    [
        ("place", {"card": "4"}, "card"),
        ("place", {"as": "8"}, "cannot be played"),
        ("place", {"points": 2}, "points"),
        ("place", {"points": 5}, "points"),
        ("place", {"moved": ["track 5"]}, "moved"),
        ("place", {"moved": ["track 5", "track 6"]}, "moved"),
        ("place", {"first": "track 5"}, "first"),
        ("place", {"meetings": [24]}, "meetings"),
        ("place", {"penalty": 1}, "penalty"),
        ("place", {"penalty": True}, "penalty"),
        ("step", {}, "must be a function with a phase"),
        ("swap", {}, "must be a function with a phase"),
        ("meeting", {}, "meeting"),
        ("card", {}, "pending"),
        ("place", {"more": 1}, "unknown"),
    ],
)
def test_invalid_pending_values_are_refused(phase: str, changes: dict[str, Any], why: str) -> None:
    mapping = make_mapping(PAWNS, {"0": ["2"], "1": ["3"]}, phase=phase, pending=dict(PENDING))
    if phase == "place":
        assert position_at(mapping).legal == {"from track 5"}
    mapping["pending"] |= changes
    with pytest.raises(ImpossibleState, match=why):
        position_at(mapping)


@pytest.mark.rule("AD-35")
def test_invalid_redrawn_values_are_refused() -> None:
    """A seat redraws within its turn and only if it has no playable card, so at most the new card is playable."""
    pawns = {"red": ["track 20"], "green": ["track 40"]}
    fine = make_mapping(pawns, {"0": ["5", "swap"], "1": ["2"]}, 2, redrawn=True)
    assert position_at(fine).legal == {"card 5"}
    playing = {"phase": "place", "pending": dict(PENDING), "redrawn": True}
    refused: list[tuple[dict[str, list[str]], dict[str, Any]]] = [
        ({"0": ["5", "3"], "1": ["2"]}, {"redrawn": True}),
        ({"0": ["5", "5"], "1": ["2"]}, {"redrawn": True}),
        ({"0": ["5", "3"], "1": ["2"]}, {"redrawn": True, "phase": "exchange"}),
        ({"0": ["5", "swap"], "1": ["2"]}, playing),
    ]
    for hands, changes in refused:
        with pytest.raises(ImpossibleState, match="redrawn"):
            position_at(make_mapping(pawns, hands, 2, **changes))


@pytest.mark.parametrize(
    ("pawns", "hidden", "pending"),
    [
        ({"red": ["track 5", "goal 1", "goal 2", "goal 3"]}, [], {"card": "13", "as": "start"}),
        ({"red": ["track 0", "track 5"]}, [], {"card": "13", "as": "start"}),
        ({"red": ["track 5"], "blue": ["track 7"]}, [7], {"card": "swap", "as": "swap"}),
    ],
    ids=["no pawn", "start space taken", "one hidden pawn"],
)
def test_a_card_that_cannot_be_carried_out_is_not_pending(
    pawns: dict[str, list[str]], hidden: list[int], pending: dict[str, str]
) -> None:
    phase = "swap" if pending["as"] == "swap" else "place"
    mapping = make_mapping(pawns, {"0": [], "1": ["3"]}, hidden=hidden, phase=phase, pending=PENDING | pending)
    with pytest.raises(ImpossibleState, match="must be playable in this position"):
        position_at(mapping)


@pytest.mark.parametrize(("other", "fits"), [(43, True), (11, False)])
def test_a_companion_in_play_has_moved_at_most_one_pawn_per_point(other: int, fits: bool) -> None:
    """AD-19, AD-28: only the pawns that it has moved wait to be turned over at its end."""
    pawns = {"red": ["track 7"], "green": [f"track {other}"]}
    pending = PENDING | {"card": "companion", "as": "companion", "points": 3, "moved": ["track 7"]}
    hidden = [other] if fits else []
    mapping = make_mapping(pawns, {"0": [], "1": ["3"]}, hidden=hidden, phase="step", pending=pending)
    if fits:
        assert position_at(mapping).legal
        return
    with pytest.raises(ImpossibleState, match="2 pawns are to be turned over"):
        position_at(mapping)


@pytest.mark.parametrize("players", [2, 4])
def test_games_from_extreme_counts_continue_and_can_be_saved(players: int) -> None:
    """Counts of turns, rounds and lost cards stay within the range that mappings accept."""
    seats = [str(seat) for seat in range(players)]
    lost = {"lost": dict.fromkeys(seats, ["1/11"] * 10)}
    hands = {seat: ["1/11"] * 2 for seat in seats}
    start = make_mapping({"red": ["track 20"]}, hands, players, turn=10**9, round=10**9 - 1, record=lost)
    position, rng = position_at(start), np.random.default_rng(players)
    for _ in range(120):
        position.act(str(rng.choice(sorted(position.legal))))
        assert position_at(position.mapping).states.tobytes() == position.states.tobytes()
    assert position.mapping["turn"] == position.mapping["round"] == 10**9


def test_a_deck_cannot_be_changed() -> None:
    deck = Deck({"13": 20, "9": 30})
    with pytest.raises(TypeError):
        deck.copies["2"] = 3  # type: ignore[index]
    assert (copy.deepcopy(deck), pickle.loads(pickle.dumps(deck))) == (deck, deck)
    assert deck != Deck({"13": 20})


def test_states_of_random_play_round_trip(fresh: Callable[..., Position]) -> None:
    rng = np.random.default_rng(8)
    for players in (2, 3, 4):
        position = fresh(players, players=players)
        for _ in range(400):
            again = position_at(json.loads(json.dumps(position.mapping)))
            assert again.states.tobytes() == position.states.tobytes()
            position.act(str(rng.choice(sorted(position.legal))))


def test_a_restored_game_has_the_same_random_draws(fresh: Callable[..., Position]) -> None:
    position = fresh(11)
    again = position_at(position.mapping)
    rounds = position.mapping["round"]
    while position.mapping["round"] < rounds + 6:  # the deck is reshuffled meanwhile
        text = max(position.legal)
        position.act(text)
        again.act(text)
        assert position.states.tobytes() == again.states.tobytes()


def test_more_cards_played_than_max_turns_are_refused() -> None:
    game = make_game(players=2, max_turns=1)
    states = game.start(1)
    s, mask = as_record(states), np.zeros(game.num_actions, np.int8)
    while s.to_move >= 0:
        game.legal(s, mask)
        game.apply(s, int(mask.argmax()))
    mapping = game.state_to_dict(s)
    assert mapping["cards_played"] == 1
    with pytest.raises(ImpossibleState, match=r"cards_played must be .* 0 to 1"):
        game.state_from_dict(mapping | {"cards_played": 2}, as_record(game.new_states()))
    s.cards_played = 2
    assert not game.is_possible(states)
