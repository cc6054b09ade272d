"""State mappings and action texts: exact round trips, and errors for invalid ones."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
import pytest

from spygames import agent_avenue_v0
from spygames.agent_avenue import make_game
from spygames.core.game.game import Game, ImpossibleState, as_record

UNUSED = {  # keys of other modes, with their values in simple mode for two players
    "market_supply": [],
    "market_deck": [],
    "market_in_play": {"0": [], "1": []},
    "market_discard": [],
    "pending": [],
    "ability": None,
    "captain": {},
    "lead": None,
    "seen_in_hand": {"0": {}, "1": {}},
}
H0 = ["double_agent", "enforcer", "sentinel", "mole"]
H1 = ["double_agent", "enforcer", "saboteur", "sentinel"]
Mapping = dict[str, Any]


def test_states_of_random_play_round_trip(game: Game, random_play: Callable[..., Iterator[Any]]) -> None:
    for position in random_play(60, seed=3):
        mapping = json.loads(json.dumps(position.mapping))
        states = game.new_states()
        game.state_from_dict(mapping, as_record(states))
        assert states.tobytes() == position.states.tobytes()
        assert game.state_to_dict(as_record(states)) == position.mapping


@pytest.mark.parametrize("first", [1, "random"])
def test_states_round_trip_with_other_options(first: int | Literal["random"]) -> None:
    game = make_game(first_player=first)
    for seed in range(10):
        states = game.start(seed)
        again = game.new_states()
        game.state_from_dict(game.state_to_dict(as_record(states)), as_record(again))
        assert states.tobytes() == again.tobytes()


def test_a_restored_game_has_the_same_random_draws(at: Callable[..., Any], fresh: Callable[[int], Any]) -> None:
    position = fresh(11).act(*(f"discard {card}" for card in fresh(11).mapping["hands"]["0"][:1]))
    again = at(position.mapping)
    for _ in range(3):
        for t in (position, again):
            t.act(min(t.legal, key=lambda text: (text.startswith("discard"), text)))
        assert position.states.tobytes() == again.states.tobytes()


def test_mappings_have_exactly_the_documented_keys(
    fresh: Callable[[int], Any], make_mapping: Callable[..., Mapping]
) -> None:
    mapping = fresh(0).mapping
    assert set(mapping) == {*make_mapping({}), *UNUSED, "rng", "record"}
    assert {key: mapping[key] for key in UNUSED} == UNUSED
    assert isinstance(mapping["rng"], str)
    json.dumps(mapping)


def test_changing_a_returned_mapping_affects_no_other_mapping(fresh: Callable[[int], Any]) -> None:
    mapping = fresh(0).mapping
    mapping["market_in_play"]["0"].append("spycation")
    mapping["seen_in_hand"]["1"]["mole"] = 1
    mapping["pending"].append({})
    assert {key: fresh(0).mapping[key] for key in UNUSED} == UNUSED


@pytest.mark.parametrize("offered", [None, ("saboteur", "codebreaker")])
def test_unused_keys_are_optional(
    at: Callable[..., Any], make_mapping: Callable[..., Mapping], offered: tuple[str, str] | None
) -> None:
    up, down = offered or (None, None)
    start = make_mapping({"0": H0, "1": H1}, face_up=up, face_down=down, active=1)
    short, full = at(start), at(start | copy.deepcopy(UNUSED))
    assert short.states.tobytes() == full.states.tobytes()
    assert at(short.mapping).states.tobytes() == short.states.tobytes()
    assert {key: short.mapping[key] for key in start} == start


def test_rng_and_record_are_optional(at: Callable[..., Any], make_mapping: Callable[..., Mapping]) -> None:
    start = make_mapping({"0": H0, "1": H1}, face_up="saboteur", face_down="codebreaker")
    position = at(start)
    assert position.mapping["rng"] == "0"
    assert position.mapping["record"] == {"kept": 2}
    for rng in (2**64 - 1, str(2**64 - 1)):
        assert at(start | {"rng": rng}).mapping["rng"] == str(2**64 - 1)


@pytest.mark.rule("AA-10")
def test_the_record_follows_from_the_hands(at: Callable[..., Any], random_play: Callable[..., Iterator[Any]]) -> None:
    """In simple mode for two players a hand has at most four cards, which determines `kept`."""
    for position in random_play(30, seed=4):
        mapping = position.mapping
        offered = mapping["phase"] == "recruit"
        held = len(mapping["hands"][str(mapping["active_side"])])
        assert mapping.pop("record") == {"kept": min(2, held) if offered else 0}
        assert at(mapping).states.tobytes() == position.states.tobytes()


def test_lists_are_sorted_and_the_deck_keeps_its_order(
    at: Callable[..., Any], make_mapping: Callable[..., Mapping]
) -> None:
    start = make_mapping(
        {"0": H0[::-1], "1": H1}, discarded={"1": ["sentinel", "enforcer"]}, deck=["saboteur", "sidekick"]
    )
    shuffled = start | {"hands": {"1": H1[::-1], "0": H0[::-1]}}
    mapping = at(shuffled).mapping
    assert mapping["hands"] == {"0": H0, "1": H1}
    assert mapping["discarded"]["1"] == ["enforcer", "sentinel"]
    assert mapping["deck"] == start["deck"]
    assert mapping["deck"][:2] == ["saboteur", "sidekick"]


def test_keys_may_be_numbers(at: Callable[..., Any], make_mapping: Callable[..., Mapping]) -> None:
    start = make_mapping({"0": H0, "1": H1})
    numbered = start | {"hands": {int(k): v for k, v in start["hands"].items()}}
    assert at(numbered).states.tobytes() == at(start).states.tobytes()


def with_card(key: str, card: str) -> Callable[[Mapping], None]:
    def change(m: Mapping) -> None:
        m[key]["0"].append(card)

    return change


def put(key: str, value: Any) -> Callable[[Mapping], None]:
    return lambda m: m.__setitem__(key, value)


def inside(key: str, which: str, value: Any) -> Callable[[Mapping], None]:
    return lambda m: m[key].__setitem__(which, value)


def drop(key: str) -> Callable[[Mapping], None]:
    return lambda m: m.__delitem__(key)


REFUSED: list[tuple[str, Callable[[Mapping], None], str]] = [
    *((f"no {key}", drop(key), key) for key in (
        "mode", "players", "phase", "to_move", "active_side", "turn", "progress", "hands", "in_play", "discarded",
        "discards_left", "deck", "face_up", "face_down", "winner", "end_reason",
    )),
    ("unknown key", put("colour", 1), "colour"),
    ("mode", put("mode", "advanced"), "mode"),
    ("players", put("players", 4), "players"),
    ("phase of another mode", put("phase", "market"), "phase"),
    ("phase no text", put("phase", 0), "phase"),
    ("to_move too large", put("to_move", 2), "to_move"),
    ("to_move a text", put("to_move", "0"), "to_move"),
    ("to_move null in a running game", put("to_move", None), "to_move"),
    ("to_move the waiting seat", put("to_move", 1), "to_move"),
    ("active_side the waiting side", put("active_side", 1), "to_move"),
    ("active_side negative", put("active_side", -1), "active_side"),
    ("active_side true", put("active_side", True), "active_side"),
    ("active_side null", put("active_side", None), "active_side"),
    ("turn 0", put("turn", 0), "turn"),
    ("turn too large", put("turn", 30_001), "turn"),
    ("turn a fraction", put("turn", 1.5), "turn"),
    ("progress of one side", put("progress", [0]), "progress"),
    ("progress a mapping", put("progress", {"0": 0, "1": 0}), "progress"),
    ("progress a fraction", put("progress", [0.0, 0]), "progress"),
    ("progress out of range", put("progress", [0, 10**6]), "progress"),
    ("hands of one seat", put("hands", {"0": H0}), "hands"),
    ("hands of three seats", inside("hands", "2", []), "hands"),
    ("hands a list", put("hands", [H0, H1]), "hands"),
    ("hand a text", inside("hands", "0", "mole"), "hands"),
    ("hand of null", inside("hands", "1", None), "hands"),
    ("hand of an unknown card", with_card("hands", "spy"), "hands"),
    ("hand of a number", with_card("hands", 3), "hands"),  # type: ignore[arg-type]
    ("hand with a second mole", with_card("hands", "mole"), "mole"),
    ("hand of a wrapped-round number of cards", inside("hands", "0", [*H0, *["saboteur"] * 256]), "hands"),
    ("a card too few", lambda m: m["deck"].remove("codebreaker"), "codebreaker"),
    ("a card too many in the deck", lambda m: m["deck"].append("codebreaker"), "codebreaker"),
    ("far too many in the deck", lambda m: m["deck"].extend(["codebreaker"] * 256), "deck"),
    ("one card in place of another", lambda m: m["deck"].__setitem__(0, "mole"), "copies of double_agent"),
    ("deck null", put("deck", None), "deck"),
    ("deck with an unknown card", lambda m: m["deck"].__setitem__(0, "Mole"), "deck"),
    ("in_play a list", inside("in_play", "0", ["mole"]), "in_play"),
    ("in_play of nobody", put("in_play", {}), "in_play"),
    ("in_play zero", inside("in_play", "0", {"saboteur": 0}), "in_play"),
    ("in_play negative", inside("in_play", "0", {"saboteur": -1}), "in_play"),
    ("in_play seven", inside("in_play", "0", {"saboteur": 7}), "in_play"),
    ("in_play two moles", inside("in_play", "0", {"mole": 2}), "in_play"),
    ("in_play unknown", inside("in_play", "1", {"spy": 1}), "in_play"),
    ("in_play a card too many", inside("in_play", "1", {"saboteur": 1}), "in_play"),
    ("discarded a card too many", with_card("discarded", "saboteur"), "discarded"),
    ("discards_left five", inside("discards_left", "0", 5), "discards_left"),
    ("discards_left negative", inside("discards_left", "1", -1), "discards_left"),
    ("discards_left missing", put("discards_left", {"0": 4}), "discards_left"),
    ("discards_left beside discards", lambda m: m["discarded"]["0"].append(m["deck"].pop()), "discards_left"),
    ("face_up in phase play", lambda m: m.update(face_up=m["deck"].pop()), "face_up"),
    ("face_down in phase play", lambda m: m.update(face_down=m["deck"].pop()), "face_down"),
    ("face_up unknown", put("face_up", "spy"), "face_up"),
    ("recruit without cards", lambda m: m.update(phase="recruit", to_move=1), "face_up"),
    ("recruit with one card", lambda m: m.update(phase="recruit", to_move=1, face_up=m["deck"].pop()), "face_down"),
    ("hand of one card to play", lambda m: (m["deck"].extend(H0[1:]), m["hands"].update({"0": H0[:1]})), "hands"),
    ("winner in a running game", put("winner", 0), "winner"),
    ("winner of no side", put("winner", 2), "winner"),
    ("end_reason in a running game", put("end_reason", "caught"), "end_reason"),
    ("end_reason unknown", put("end_reason", "tired"), "end_reason"),
    ("over without winner", lambda m: m.update(phase="over", to_move=None), "winner"),
    ("over for no reason", lambda m: m.update(phase="over", to_move=None, winner=0, end_reason="caught"), "over"),
    ("side 0 has caught", put("progress", [7, 0]), "phase"),
    ("side 1 has caught", put("progress", [0, 9]), "phase"),
    ("market cards", put("market_supply", ["spycation"]), "market_supply"),
    ("market cards in play", put("market_in_play", {"0": ["getaway_car"], "1": []}), "market_in_play"),
    ("captain", put("captain", {"0": 0}), "captain"),
    ("ability", put("ability", {"side": 0}), "ability"),
    ("lead", put("lead", 0), "lead"),
    ("pending", put("pending", [{"side": 1, "do": "market"}]), "pending"),
    ("seen_in_hand", put("seen_in_hand", {"0": {"mole": 1}, "1": {}}), "seen_in_hand"),
    ("rng negative", put("rng", -1), "rng"),
    ("rng too large", put("rng", 2**64), "rng"),
    ("rng too large a text", put("rng", str(2**64)), "rng"),
    ("rng another text", put("rng", "07"), "'7', not '07'"),
    ("rng a double", put("rng", 1.2e19), "'7', not 1.2e+19"),
    ("rng true", put("rng", True), "'7', not True"),
    ("record unknown", put("record", {"luck": 1}), "luck"),
    ("record a list", put("record", ["kept"]), "record"),
    ("kept in phase play", put("record", {"kept": 1}), "kept"),
    ("kept negative", put("record", {"kept": -1}), "kept"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "key"), [pytest.param(c, k, id=i) for i, c, k in REFUSED])
def test_invalid_mappings_are_refused(
    at: Callable[..., Any], make_mapping: Callable[..., Mapping], change: Callable[[Mapping], None], key: str
) -> None:
    start = make_mapping({"0": H0, "1": H1})
    at(start)
    change(start)
    with pytest.raises(ImpossibleState, match=re.escape(key)):
        at(start)


@pytest.mark.parametrize("value", [None, [], "play", 3])
def test_other_types_than_mappings_are_refused(at: Callable[..., Any], value: Any) -> None:
    with pytest.raises(ImpossibleState, match="mapping"):
        at(value)


@pytest.mark.rule("AA-17")
@pytest.mark.parametrize("card", ["codebreaker", "daredevil"])
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_three_codebreakers_or_daredevils_in_a_running_game_are_refused(
    at: Callable[..., Any], make_mapping: Callable[..., Mapping], card: str, n: int
) -> None:
    with pytest.raises(ImpossibleState, match=f"phase must be over.*{card}s"):
        at(make_mapping({"0": H0, "1": H1}, in_play={"1": {card: n}}))


@pytest.mark.rule("AA-10")
def test_an_identical_pair_is_refused_unless_all_kept_cards_are_identical(
    at: Callable[..., Any], make_mapping: Callable[..., Mapping]
) -> None:
    pair = {"face_up": "saboteur", "face_down": "saboteur"}
    for hand, fine in (
        (["saboteur", "saboteur", "enforcer", "mole"], True),
        (["saboteur"] * 4, True),
        (["saboteur", "enforcer", "enforcer", "mole"], False),
        (["codebreaker", "codebreaker", "enforcer", "mole"], False),
    ):
        start = make_mapping({"0": hand, "1": [*H0[:3], "sentinel"]}, **pair)
        if fine:
            at(start)
        else:
            with pytest.raises(ImpossibleState, match="face_up and face_down"):
                at(start)
    # With an empty deck no card was drawn, so all three cards of the hand were kept.
    start = make_mapping({"0": ["saboteur"] * 2 + ["mole"], "1": H0[:2]}, **pair, rest="in_play")
    at(start | {"record": {"kept": 2}})
    with pytest.raises(ImpossibleState, match="face_up and face_down"):
        at(start | {"record": {"kept": 3}})
    with pytest.raises(ImpossibleState, match="kept"):
        at(start | {"record": {"kept": 4}})
    larger = make_mapping({"0": ["saboteur"] * 2 + H0, "1": ["sentinel"] * 4}, **pair)
    with pytest.raises(ImpossibleState, match="face_up and face_down"):
        at(larger)


@pytest.mark.rule("AA-17", "AA-18", "AA-19")
def test_a_result_that_contradicts_the_position_is_refused(
    at: Callable[..., Any], make_mapping: Callable[..., Mapping]
) -> None:
    over = {"phase": "over", "to_move": None, "winner": 0, "end_reason": "codebreakers"}
    won = make_mapping({"0": H0, "1": H1}, in_play={"0": {"codebreaker": 3}}) | over
    at(won)
    for change in (
        {"winner": 1}, {"winner": None}, {"end_reason": "caught"}, {"end_reason": "ran_out"}, {"end_reason": None},
        {"end_reason": "masterplan"}, {"progress": [7, 0]}, {"to_move": 1},
    ):  # fmt: skip
        with pytest.raises(ImpossibleState, match=r"winner|end_reason|to_move"):
            at(won | change)
    both = make_mapping({"0": H0, "1": H1}, in_play={"0": {"codebreaker": 3}, "1": {"codebreaker": 3}}, active=1) | over
    with pytest.raises(ImpossibleState, match="winner"):
        at(both)
    at(both | {"winner": 1})
    out = make_mapping({"0": [], "1": ["mole"]}, rest="in_play") | over | {"end_reason": "ran_out"}
    at(out)
    at(out | {"progress": [0, 1], "winner": 1})
    for change in ({"winner": 1}, {"progress": [0, 1]}, {"end_reason": "caught"}):
        with pytest.raises(ImpossibleState, match="winner and end_reason"):
            at(out | change)


def test_every_action_has_one_text(game: Game, fresh: Callable[[int], Any]) -> None:
    s = fresh(0).s
    texts = [game.action_to_string(s, action, 0) for action in range(game.num_actions)]
    assert len(set(texts)) == game.num_actions == 8 + 64 + 2
    for action, text in enumerate(texts):
        for seat in (0, 1):
            assert game.action_to_string(s, action, seat) == text
            assert game.string_to_action(s, text, seat) == action
    assert {"discard sentinel", "play enforcer mole", "play mole enforcer", "recruit up", "recruit down"} <= set(texts)


@pytest.mark.parametrize(
    "text", ["", "discard", "discard spy", "play mole", "play mole mole mole", "recruit", "recruit left", "Recruit up",
             "recruit up ", " recruit up", "up enforcer", "lead player_1", "market spycation", "play enforcer  mole"],
)  # fmt: skip
def test_invalid_action_texts_are_refused(game: Game, fresh: Callable[[int], Any], text: str) -> None:
    with pytest.raises(ValueError, match="not an action of Agent Avenue"):
        game.string_to_action(fresh(0).s, text, 0)


def test_errors_give_the_number_of_copies_of_a_card(
    at: Callable[..., Any], make_mapping: Callable[..., Mapping]
) -> None:
    start = make_mapping({"0": H0, "1": H1})
    start["deck"].remove("codebreaker")
    with pytest.raises(ImpossibleState, match="6 copies of codebreaker, not 5"):
        at(start)


@pytest.mark.rule("AA-11")
def test_no_game_gets_stuck_from_a_mapping() -> None:
    """A hand of one card while the deck lasts, which no real game has, is filled up before its player must play."""
    env = agent_avenue_v0.env()
    env.reset(seed=1)
    mapping = env.state_to_dict()
    hand = mapping["hands"]["1"]
    mapping["deck"] += hand[1:]
    mapping["hands"]["1"] = hand[:1]
    env.reset(options={"state": mapping})
    for _ in range(2):
        env.step(int(env.observe(env.agent_selection)["action_mask"][8:].argmax()) + 8)
    after = env.state_to_dict()
    assert after["phase"] == "play"
    assert len(after["hands"]["1"]) == 4


@pytest.mark.rule("AA-19")
def test_a_hand_that_stays_too_small_ends_the_game(
    make_mapping: Callable[..., Mapping], at: Callable[..., Any]
) -> None:
    """A player with an empty hand draws the last card of the deck. It cannot play one card, so the cards ran out."""
    mine = ["double_agent", "enforcer", "saboteur", "saboteur", "sentinel", "sentinel"]
    mapping = make_mapping({"0": mine, "1": []}, rest="in_play", deck=["enforcer"])
    position = at(mapping).act("play double_agent enforcer", "recruit up")
    assert (position.mapping["phase"], position.mapping["end_reason"]) == ("over", "ran_out")
    assert at(position.mapping).states.tobytes() == position.states.tobytes()


@pytest.mark.parametrize(
    "edge",
    [
        {"progress": [200, 200]},
        {"progress": [-200, -200]},
        {"turn": 1000},
        {"turn": 30_000, "record": {}},
        {"progress": [10_000, 10_000], "record": {}},
        {"progress": [-10_000, -10_000], "record": {}},
    ],
)
@pytest.mark.parametrize("seed", range(5))
def test_games_from_extreme_values_can_be_saved_until_their_end(edge: dict, seed: int) -> None:
    env = agent_avenue_v0.env()
    env.reset(seed=seed)
    env.reset(seed=seed, options={"state": env.state_to_dict() | edge})
    rng = np.random.default_rng(seed)
    while not any(env.terminations.values()):
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
        env.unwrapped.clone().restore(env.unwrapped.save())


@pytest.mark.parametrize(
    "key", ["mode", "players", "phase", "progress", "deck", "market_supply", "pending", "record", "lead"]
)
@pytest.mark.parametrize("value", [np.zeros(3), 2.5, "x", object()])
def test_values_of_wrong_types_are_refused_by_key(key: str, value: object) -> None:
    env = agent_avenue_v0.env()
    env.reset(seed=1)
    with pytest.raises(ImpossibleState, match=key):
        env.reset(options={"state": env.state_to_dict() | {key: value}})
