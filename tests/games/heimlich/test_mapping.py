"""State mappings and action texts: exact round trips, and errors for invalid ones."""

import copy
import json
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.games.heimlich.conftest import Position, game_of, make_mapping
from tests.support.position import position_of

from spygames.core.game.game import ImpossibleState, as_record

FULL = {"players": 3, "top_secret": True, "secret_identities": True}
IN_PLAY = ["red", "yellow", "green", "blue", "purple", "orange"]
KEYS = [
    "edition", "players", "agents", "phase", "to_move", "active", "turn", "die", "points_left", "moved", "positions",
    "safe", "scores", "passports", "hands", "deck", "used", "arrived", "passes", "pending_card", "card_turn",
    "guesses", "guessed", "guessing", "winners", "end_reason", "rng", "record",
]  # fmt: skip


def test_a_state_with_more_cards_played_than_used_is_refused(fresh: Callable[..., Position]) -> None:
    position = fresh(1, **FULL)
    assert position.game.is_possible(position.states)
    position.states["cards_played"][0, 1] = 1
    assert not position.game.is_possible(position.states)


@pytest.mark.parametrize("options", [{"players": 2}, FULL, {"players": 7, "top_secret": True}], ids=str)
def test_states_of_random_play_round_trip(fresh: Callable[..., Position], options: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    for seed in range(2):
        position = fresh(seed, **options)
        while True:
            mapping = json.loads(json.dumps(position.mapping))
            states = position.game.new_states()
            position.game.state_from_dict(mapping, as_record(states))
            assert states.tobytes() == position.states.tobytes()
            assert list(mapping) == KEYS
            if position.s.to_move < 0:
                break
            seat = int(position.s.to_move)
            actions = np.flatnonzero(position.mask)
            texts = [position.game.action_to_string(position.s, int(a), seat) for a in actions]
            assert [position.game.string_to_action(position.s, t, seat) for t in texts] == actions.tolist()
            position.game.apply(position.s, int(rng.choice(actions)))


def test_unused_keys_are_empty_and_optional(fresh: Callable[..., Position]) -> None:
    position = fresh(1, players=3)
    mapping = position.mapping
    unused = {
        "hands": {}, "deck": [], "used": [], "passes": 0, "pending_card": None, "card_turn": None, "guesses": {},
        "guessed": False, "guessing": [],
    }  # fmt: skip
    assert {key: mapping[key] for key in unused} == unused
    for content in (
        {key: value for key, value in mapping.items() if key not in unused},
        mapping | dict.fromkeys(unused),
        mapping | {"hands": {"0": [], "1": [], "2": []}, "guesses": {"0": {}, "1": {}, "2": {}}},
    ):
        states = position.game.new_states()
        position.game.state_from_dict(content, as_record(states))
        assert states.tobytes() == position.states.tobytes()


ALL_GUESSES = {
    "0": {"yellow": "player_1", "green": "player_2", "blue": "free", "purple": "free", "orange": "free"},
    "1": {"red": "player_2", "green": "player_0", "blue": "free", "purple": "free", "orange": "free"},
    "2": {"red": "free", "yellow": "free", "blue": "player_0", "purple": "player_1", "orange": "free"},
}
OVER = {"phase": "over", "scores": {"red": 50}, "winners": [0], "end_reason": "finish"}
ASKING = {"phase": "guess", "guessing": [0, 1, 2]}


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"arrived": ["red"], "positions": {"red": 10}},
        {"phase": "safe"},
        {"phase": "cards", "hands": {"0": ["swap"]}},
        {"phase": "card_choice", "used": ["swap"], "pending_card": {"card": "swap", "agents": ["red"]}},
        ASKING,
        {**ASKING, "guesses": {"0": {"yellow": "free"}}, "card_turn": 2, "arrived": ["red"], "positions": {"red": 10}},
        {"guessed": True, "guesses": ALL_GUESSES},
        OVER,
    ],
    ids=str,
)
def test_valid_mappings_are_accepted(at: Callable[..., Position], parts: dict[str, Any]) -> None:
    position = at(FULL, **parts)
    mapping = position.mapping
    assert {key: mapping[key] for key in ("phase", "arrived", "guesses", "winners")} == {
        key: make_mapping(FULL, **parts)[key] for key in ("phase", "arrived", "guesses", "winners")
    }


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"edition": "ravensburger"}, "edition must be 'amigo'"),
    ({"players": 4}, "players must be 3"),
    ({"agents": ["red"]}, "agents must be"),
    ({"phase": "roll"}, "phase: 'roll' is not one of"),
    ({"to_move": 1}, "to_move must be 0, the active seat"),
    ({"to_move": None}, "to_move must be a seat"),
    ({"to_move": 3}, "to_move must be an integer from 0 to 2"),
    ({"active": -1}, "active must be"),
    ({"turn": -1}, "turn must be"),
    ({"die": 1}, "die must be"),
    ({"die": 7}, "die must be"),
    ({"die": "4"}, "die must be '1-3' or"),
    ({"points_left": 5}, "points_left must be"),
    ({"points_left": 0}, "points_left must be above 0 in phase move"),
    ({"moved": {"red": 3}, "points_left": 2}, "moved and points_left must not sum to more than the 4"),
    ({"moved": {"red": 0}}, "moved of red must be"),
    ({"moved": {"grey": 1}}, "moved: 'grey' is not one of"),
    ({"moved": {"orange": 3}, "points_left": 1}, "seat 0 must have a legal action"),
    ({"positions": {}}, "positions lacks red"),
    (
        {"positions": dict.fromkeys(["red", "yellow", "green", "blue", "purple", "orange"], 12)},
        "positions of red must be",
    ),
    ({"safe": 12}, "safe must be"),
    ({"scores": dict.fromkeys(["red", "yellow", "green", "blue", "purple", "orange"], 42)}, "scores of red must be"),
    (
        {"passports": {"0": "red", "1": "red", "2": "blue"}},
        "passports must give each agent to one seat",
    ),
    ({"passports": {"0": "red", "1": "grey", "2": "blue"}}, "passports: 'grey' is not one of"),
    ({"passports": {"0": "red"}}, "passports must be a mapping with the keys 0, 1, 2"),
    ({"arrived": ["red"]}, "arrived must name agents in the safe's building"),
    (
        {"hands": {"0": ["swap", "swap"], "1": [], "2": []}},
        "hands, deck and used must hold 1 of the card swap",
    ),
    ({"hands": {"0": ["ace"], "1": [], "2": []}}, "hands of seat 0: 'ace' is not one of"),
    ({"hands": {"0": ["swap"] * 5, "1": [], "2": []}}, "hands of seat 0 must hold at most 4 cards"),
    ({"deck": []}, "in this game, not 0"),
    ({"passes": 1}, "passes must be 0 in phase move"),
    ({"passes": 3}, "passes must be an integer from 0 to 2"),
    ({"pending_card": {"card": "swap", "agents": []}}, "used must contain the pending_card swap"),
    ({"card_turn": 1}, "card_turn must be null in phase move"),
    ({"phase": "cards", "points_left": 0}, "hands of seat 0 must not be empty"),
    ({"phase": "card_choice", "points_left": 0}, "pending_card must be given in phase card_choice"),
    ({"guessed": 1}, "guessed must be true or false"),
    ({"guessed": True}, "guesses of seat 0 must cover all agents but its own"),
    ({"guesses": ALL_GUESSES}, "guesses of seat 0 must be empty"),
    ({"guessing": [0]}, "guessing must be [] here"),
    ({"guessing": 1}, "guessing must be a list"),
    ({"record": {"swapped_late": "no"}}, "record swapped_late must be true or false"),
    ({"record": {"swapped_late": None}}, "record swapped_late must be true or false"),
    ({"record": {"swapped_late": True}}, "record swapped_late must be false"),
    ({"phase": "guess", "points_left": 0}, "guessing must be [0, 1, 2] here"),
    ({"winners": [0]}, "winners must be []"),
    ({"end_reason": "finish"}, "end_reason null unless phase is over"),
    (
        {"phase": "over", "to_move": None, "points_left": 0, "end_reason": "finish", "winners": [0, 1, 2]},
        "no token is at 42",
    ),
    ({"rng": -1}, "rng must be"),
    ({"record": {"luck": 1}}, "record has unknown keys: luck"),
    ({"record": {"swapped": 1}}, "record swapped needs new_identity in used"),
    ({"record": {"former": "red"}}, "record former and swapped_late must be null and false"),
    ({"record": {"arrived_by": {"red": 1}}}, "record arrived_by must name agents in arrived"),
    ({"record": {"scorings": [1]}}, "record scorings must be a list of 3"),
    ({"more": 1}, "unknown keys: more"),
    ({"turn": 2**31}, "turn must be"),
    (
        {"record": {"times": {"0": {"red": -1}, "1": {}, "2": {}}}},
        "record times must be an integer from 0 to 30000",
    ),
    ({"record": {"gains": {"0": {"red": -30000}, "1": {}, "2": {}}}}, "record gains must be an integer from -1000"),
    (
        {"record": {"points": {"0": {}, "1": {"red": -1001}, "2": {}}}},
        "record points must be an integer from -1000",
    ),
    (
        {"record": {"cards_played": [26, 0, 0]}},
        "record cards_played must not sum to more than the 0",
    ),
]


@pytest.mark.parametrize(("change", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_invalid_mappings_are_refused(change: dict[str, Any], message: str) -> None:
    game = game_of(**FULL)
    mapping = make_mapping(FULL) | copy.deepcopy(change)
    with pytest.raises(ImpossibleState, match=re.escape(message)):
        game.state_from_dict(mapping, as_record(game.new_states()))


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({**ASKING, "guesses": {"0": {"green": "free"}}}, "must cover the first agents"),
        ({**ASKING, "guesses": {"0": {"red": "free"}}}, "must cover the first agents"),
        ({**ASKING, "guesses": {"0": {"yellow": "player_0"}}}, "must give each other player at most one agent"),
        (
            {**ASKING, "guesses": {"0": {"yellow": "player_1", "green": "player_1"}}},
            "each other player at most one agent",
        ),
        ({**ASKING, "guesses": {"1": {"red": "free"}}}, "guesses of seat 1 must be empty"),
        (
            {**ASKING, "guesses": {"0": dict.fromkeys(["yellow", "green", "blue", "purple"], "free")}},
            "must leave an agent for every other player",
        ),
        (OVER | {"winners": [1]}, "winners must be [0]"),
        (OVER | {"end_reason": None}, "end_reason"),
        (
            {"phase": "card_choice", "used": ["swap"], "pending_card": {"card": "swap", "agents": ["red", "red"]}},
            "must not name red twice",
        ),
        (
            {
                "phase": "card_choice",
                "used": ["all_to_church"],
                "pending_card": {"card": "all_to_church", "agents": []},
            },
            "must have a legal action",
        ),
        ({"phase": "safe", "arrived": ["red"], "positions": {"red": 10}}, "arrived must be empty in phase safe"),
    ],
    ids=str,
)
def test_invalid_mappings_of_other_phases_are_refused(
    at: Callable[..., Position], parts: dict[str, Any], message: str
) -> None:
    with pytest.raises(ImpossibleState, match=re.escape(message)):
        at(FULL, **parts)


def test_values_of_disabled_options_are_refused() -> None:
    game = game_of(players=3)
    for change in ({"hands": {"0": ["swap"]}}, {"guessed": True}, {"used": ["swap"]}, {"card_turn": 1}, {"passes": 1}):
        with pytest.raises(ImpossibleState, match=f"{next(iter(change))} must be"):
            game.state_from_dict(make_mapping({"players": 3}) | change, as_record(game.new_states()))
    for phase in ("cards", "card_choice", "guess"):
        with pytest.raises(ImpossibleState, match="phase must be one of this variant"):
            game.state_from_dict(
                make_mapping({"players": 3}) | {"phase": phase, "points_left": 0}, as_record(game.new_states())
            )


@pytest.mark.parametrize(
    "text", ["", "move", "move red 7", "Move red 3", "guess red player_0", "card swap", "safe 11", None]
)
def test_invalid_action_texts_are_refused(fresh: Callable[..., Position], text: Any) -> None:
    position = fresh(1, players=3)
    with pytest.raises(ValueError, match="action of this game of Heimlich"):
        position.game.string_to_action(position.s, text, 0)


def test_action_texts(fresh: Callable[..., Position]) -> None:
    position = fresh(1, **FULL)
    texts = {position.game.action_to_string(position.s, a, 1) for a in range(position.game.num_actions)}
    assert len(texts) == position.game.num_actions == 96 + 15
    assert {"move red 3", "done", "draw", "safe 9", "safe church", "safe ruins", "card swap", "pass"} <= texts
    assert {"agent green", "step -2", "step 3", "building 4", "building church", "building ruins"} <= texts
    own = position.mapping["passports"]["1"]
    assert {t.split()[2] for t in texts if t.startswith("guess")} == {"player_0", "player_2", "free"}
    assert {t.split()[1] for t in texts if t.startswith("guess")} == {*position.mapping["agents"]} - {own}


def test_finding_an_action_does_not_build_all_texts_again(fresh: Callable[..., Position]) -> None:
    """With cached texts, finding an action takes a constant number of calls, independent of the number of actions."""
    position = fresh(3, **FULL)
    game, s, calls = position.game, position.s, []
    texts = {seat: [game.action_to_string(s, a, seat) for a in range(game.num_actions)] for seat in range(3)}
    for seat, each in texts.items():
        game.string_to_action(s, each[-1], seat)
    sys.setprofile(lambda frame, event, argument: calls.append(event))
    try:
        found = [game.string_to_action(s, text, seat) for seat, each in texts.items() for text in each]
    finally:
        sys.setprofile(None)
    assert found == [*range(game.num_actions)] * 3
    assert len(calls) < 200 * len(found)  # 94 alone, 100 after some tests


@pytest.mark.parametrize(
    ("card", "named", "parts", "message"),
    [
        ("swap", [], {"positions": dict.fromkeys(IN_PLAY, 5)}, "swap cannot be carried out here"),
        ("to_safe", [], {"positions": dict.fromkeys(IN_PLAY, 10)}, "to_safe cannot be carried out here"),
        ("score_3", ["red"], {"scores": {"red": 41}}, "red cannot be named for score_3"),
        ("forward_1_3", ["red"], {}, ""),
        ("off_safe", ["red"], {}, "red cannot be named for off_safe"),
    ],
)
def test_a_card_that_cannot_be_carried_out_is_not_pending(
    at: Callable[..., Position], card: str, named: list[str], parts: dict[str, Any], message: str
) -> None:
    pending = {"used": [card], "pending_card": {"card": card, "agents": named}}
    if not message:
        assert at(FULL, phase="card_choice", **pending, **parts).legal
        return
    with pytest.raises(ImpossibleState, match=message):
        at(FULL, phase="card_choice", **pending, **parts)


@pytest.mark.parametrize("most", [-1000, 30_000])
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_games_from_extreme_counts_can_be_saved_until_their_end(
    fresh: Callable[..., Position], most: int, seed: int
) -> None:
    """The counts of the record stay within the range that mappings accept, and bots still choose legal actions."""
    start = fresh(seed, **FULL | {"players": 4})  # other tests compile its bots, too
    game, rng = start.game, np.random.default_rng(seed)
    counts = {str(seat): dict.fromkeys(IN_PLAY, most) for seat in range(4)}
    times = {str(seat): dict.fromkeys(IN_PLAY, max(most, 0)) for seat in range(4)}
    kept = {"points": counts, "gains": counts, "times": times, "scorings": [30_000] * 4}
    position = position_of(game, start.mapping | {"turn": 2**31 - 1, "record": kept})
    asked = set()
    while position.s.to_move >= 0:
        view, mask = position.view(int(position.s.to_move)), position.mask
        for bot in game.bots.values():
            action = int(bot(as_record(view), mask, rng.integers(2**63, size=1, dtype=np.uint64)))
            assert mask[action]
        asked.add(position.mapping["phase"])
        game.apply(position.s, int(rng.choice(np.flatnonzero(mask))))
        assert position_of(game, position.mapping).states.tobytes() == position.states.tobytes()
    assert position.mapping["turn"] == 2**31 - 1
    assert {"move", "safe", "cards"} <= asked
