"""Mappings, pictures and action texts for a seat contain all that it knows and nothing that it cannot know."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue.looks import VARIANTS, positions
from tests.support.changed import changed
from tests.support.leaks import LONG_PAIRS, PAIRS, leaks
from tests.support.position import Position
from tests.support.suites import slow_but

from spygames.agent_avenue import Mode, draw, make_game, seen
from spygames.agent_avenue.cards import MIND_CONTROL, MOLE, OUTPOST, SENTINEL, SPYCATION
from spygames.agent_avenue.layout import RESOLVER
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import NOBODY, Game, as_record
from spygames.core.svg.annotations import Look
from spygames.core.svg.pen import Pen
from spygames.testing.hidden import channels, differences
from spygames.testing.trial import determinized, mask_of


def states(mode: Mode, players: int, seed: int) -> Iterator[np.ndarray]:
    """An endless stream of positions, STATE [1]."""
    return (each.states for each in positions(mode, players, LONG_PAIRS, seed))


@pytest.mark.rule("AA-9", "AA-10", "AA-12", "AA-37", "AA-39", "AA-40")
@pytest.mark.parametrize(("mode", "players"), slow_but(VARIANTS, 0, 2, 4))
def test_nothing_leaks(mode: Mode, players: int) -> None:
    assert leaks(make_game(mode, players), states(mode, players, 10)) == (PAIRS, set())


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_no_picture_leaks(mode: Mode, players: int) -> None:
    assert leaks(make_game(mode, players), states(mode, players, 11), LONG_PAIRS, pictures=1) == (LONG_PAIRS, set())


def _luck(game: Game, s: Any, viewer: int) -> dict[str, Any]:
    return seen.seen_to_dict(game, s, viewer) | {"turn": f"{s.turn}, {s.rng}"}


def _deck_order(game: Game, s: Any, viewer: int) -> dict[str, Any]:
    return seen.seen_to_dict(game, s, viewer) | {"deck": game.state_to_dict(s)["deck"]}


def _order_of_hands(game: Game, s: Any, viewer: int) -> dict[str, Any]:
    mapping = seen.seen_to_dict(game, s, viewer)
    by_hand = sorted(mapping["hands"], key=lambda seat: game.state_to_dict(s)["hands"][seat])
    return mapping | {"hands": {seat: mapping["hands"][seat] for seat in by_hand}}


def _all_that_is_done(game: Game, s: Any, action: int, seat: int, viewer: int) -> str:
    return seen.seen_action(game, s, action, seat, NOBODY)


def _hand_behind(game: Game, s: Any, action: int, seat: int, viewer: int) -> str:
    return f"{seen.seen_action(game, s, action, seat, viewer)} of {s.hands[seat].tolist()}"


LEAKING: dict[str, tuple[dict[str, Any], str]] = {
    "the luck": ({"seen_to_dict": _luck}, "picture"),
    "the order of the deck": ({"seen_to_dict": _deck_order}, "mapping"),
    "an order by the true hands": ({"seen_to_dict": _order_of_hands}, "mapping"),
    "the hand behind a move": ({"seen_action": _hand_behind}, "moves"),
}


@pytest.mark.parametrize("name", LEAKING)
def test_a_leak_is_found(name: str) -> None:
    texts, channel = LEAKING[name]
    assert channel in leaks(changed(make_game("advanced", 4), **texts), states("advanced", 4, 12), 100, 5)[1]


def test_a_picture_drawn_from_the_state_is_found() -> None:
    (each,) = positions("simple", 2, 1, seed=13)
    held: list[Record] = []

    def draw_luck(pen: Pen, mapping: Any, look: Look) -> None:
        draw.draw(pen, mapping, look)
        pen.words(30, 890, str(int(held[-1].rng)), 8)

    game = changed(each.game, draw=draw_luck)
    world = determinized(game, each.states, 0, 5)
    held.append(as_record(each.states))
    of_one = channels(game, each.states, 0)
    held.append(as_record(world))
    assert "picture" in dict(differences(game, each.states, world, 0, of_one=of_one))


# ---------------------------------------------------------------- the mapping


@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_nobody_sees_everything(mode: Mode, players: int) -> None:
    for each in positions(mode, players, 20, seed=14):
        everything = each.game.state_to_dict(each.s)
        del everything["rng"], everything["record"]
        assert each.seen(NOBODY) == everything


@pytest.mark.rule("AA-9", "AA-12", "AA-37", "AA-39", "AA-40")
@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_a_seat_sees_its_own_cards_and_counts(mode: Mode, players: int) -> None:
    offers = 0
    for each in positions(mode, players, 40, seed=15):
        truth = each.seen(NOBODY)
        for viewer in range(players):
            own, mapping = str(viewer), each.seen(viewer)
            assert mapping.keys() == truth.keys()
            for key in ("hands", "discarded"):
                assert mapping[key][own] == truth[key][own]
                others = {seat: cards for seat, cards in mapping[key].items() if seat != own}
                assert others == {seat: len(truth[key][seat]) for seat in truth[key] if seat != own}
            assert mapping["deck"] == len(truth["deck"])
            assert mapping["market_deck"] == len(truth["market_deck"])
            if truth["face_down"] is not None:
                alone = players == 2 or (players == 3 and truth["active_side"] == 1)
                team = [0, 1] if truth["active_side"] == 0 else [2, 3]
                hider = truth["active_side"] * (players - 1) if alone else sum(team) - truth["lead"]
                assert mapping["face_down"] == (truth["face_down"] if viewer == hider else "?")
                offers += viewer == hider
            hidden = {"hands", "discarded", "deck", "market_deck", "face_down"}
            assert all(mapping[key] == truth[key] for key in truth.keys() - hidden)
    assert offers > 5


# ---------------------------------------------------------------- the texts of moves


def read_by_others(game: Game, before: np.ndarray) -> Iterator[dict[str, set[str]]]:
    """For each seat except the mover: the action texts that it reads, grouped by the mapping it sees afterwards."""
    s = as_record(before)
    for viewer in {*range(game.num_players)} - {int(s.to_move)} if s.to_move != NOBODY else ():
        texts: dict[str, set[str]] = {}
        for action in np.flatnonzero(mask_of(game, s)).tolist():
            after = before.copy()
            game.apply(as_record(after), action)
            afterwards = json.dumps(game.seen_to_dict(as_record(after), viewer))
            texts.setdefault(afterwards, set()).add(game.seen_action(s, action, int(s.to_move), viewer))
        yield texts


@pytest.mark.rule("AA-12", "AA-44")
@pytest.mark.parametrize(("mode", "players"), VARIANTS)
def test_actions_have_equal_texts_exactly_if_they_look_the_same(mode: Mode, players: int) -> None:
    """Actions look the same to another seat if it sees the same mapping after them."""
    moves = sights = betrayed = 0
    for each in positions(mode, players, 16, seed=16):
        telling = changed(each.game, seen_action=_all_that_is_done)
        for texts in read_by_others(each.game, each.states):
            assert all(len(alike) == 1 for alike in texts.values())
            assert len(set.union(*texts.values())) == len(texts)
            sights += len(texts)
            moves += int(mask_of(each.game, each.s).sum())
        betrayed += any(len(alike) > 1 for texts in read_by_others(telling, each.states) for alike in texts.values())
    assert moves > sights + 10
    assert betrayed > 3


SAID = [  # mode, players, changed fields, action, text for its seat, text for the others ("": the same)
    (
        "simple",
        2,
        {},
        "play enforcer mole",
        "offers enforcer face up and mole face down",
        "offers enforcer face up and a card face down",
    ),
    ("simple", 2, {}, "discard enforcer", "discards enforcer", "discards a card"),
    ("simple", 4, {}, "lead player_1", "lets player_1 play face up", ""),
    ("simple", 4, {}, "lead player_0", "is to play face up", ""),
    ("simple", 4, {}, "up mole", "plays mole face up", ""),
    ("simple", 4, {}, "down mole", "plays mole face down", "plays a card face down"),
    ("advanced", 2, {}, "market outpost", "takes outpost", ""),
    ("advanced", 2, {"ability": MIND_CONTROL}, "take mole", "steals mole", ""),
    ("advanced", 2, {"ability": SPYCATION}, "take mole", "takes back mole", ""),
    ("advanced", 2, {"ability": SPYCATION, "taken": MOLE}, "decline", "keeps mole in hand", ""),
    ("advanced", 2, {}, "recruit mole", "recruits mole from hand", ""),
]


@pytest.mark.parametrize(("mode", "players", "there", "action", "own", "others"), SAID, ids=[each[3] for each in SAID])
def test_action_texts(mode: Mode, players: int, there: dict[str, int], action: str, own: str, others: str) -> None:
    game = make_game(mode, players)
    s = as_record(game.start(0))
    for name, value in there.items():
        setattr(s, name, value)
    number = game.string_to_action(s, action, 0)
    assert game.seen_action(s, number, 0, 0) == game.seen_action(s, number, 0, NOBODY) == f"player_0 {own}"
    assert {game.seen_action(s, number, 0, seat) for seat in range(1, players)} == {f"player_0 {others or own}"}


@pytest.mark.rule("AA-28", "AA-44")
def test_the_named_player_is_shown_only_if_the_next_seat_to_move_reveals_it() -> None:
    """Player 1 has a Sentinel and resolves the Outpost; if player 0, without one, is named, the Outpost lapses."""
    game = make_game("advanced", 4)
    s = as_record(game.start(0))
    s.phase, s.ability = RESOLVER, OUTPOST
    s.hands[:2, SENTINEL] = 0, 1
    before = s.copy()
    for named, told in (("player_0", "names who resolves outpost"), ("player_1", "has player_1 resolve outpost")):
        number = game.string_to_action(s, f"resolver {named}", 0)
        deed = "is to" if named == "player_0" else f"has {named}"
        for viewer in (0, NOBODY):
            assert game.seen_action(s, number, 0, viewer) == f"player_0 {deed} resolve outpost"
        assert {game.seen_action(s, number, 0, viewer) for viewer in (1, 2, 3)} == {f"player_0 {told}"}
    assert s == before


@pytest.mark.rule("AA-12")
def test_every_seat_sees_which_card_a_captain_takes() -> None:
    """This includes the members of both teams that do not know the hidden card, unless both cards are identical."""
    game, told = make_game("simple", 4), 0
    for each in positions("simple", 4, 40, seed=18):
        if each.s.face_down != NOBODY:
            numbers = [
                game.string_to_action(each.s, f"recruit {which}", int(each.s.to_move)) for which in ("up", "down")
            ]
            for viewer in {*range(4)} - {int(each.s.to_move)}:
                texts = [game.seen_action(each.s, number, int(each.s.to_move), viewer) for number in numbers]
                alike = each.s.face_up == each.s.face_down
                assert [text.split()[1:4] for text in texts] == (
                    [["takes", "one", "of"]] * 2
                    if alike
                    else [["takes", "the", "face-up"], ["takes", "the", "face-down"]]
                )
                told += not alike
    assert told > 10


@pytest.mark.rule("AA-12")
def test_action_texts_of_recruiting(at: Callable[..., Any], make_mapping: Callable[..., Any]) -> None:
    hands = {"0": ["double_agent", "enforcer", "sentinel", "mole"], "1": ["enforcer"]}
    table = at(make_mapping(hands, face_up="codebreaker", face_down="daredevil"))
    numbers = [table.game.string_to_action(table.s, text, 1) for text in ("recruit up", "recruit down")]

    def said(viewer: int) -> list[str]:
        return [table.game.seen_action(table.s, number, 1, viewer) for number in numbers]

    assert said(1) == ["player_1 takes the face-up codebreaker", "player_1 takes the face-down card"]
    assert (
        said(0) == said(NOBODY) == ["player_1 takes the face-up codebreaker", "player_1 takes the face-down daredevil"]
    )


@pytest.mark.rule("AA-10")
def test_texts_do_not_tell_which_of_two_identical_cards_was_taken(
    at: Callable[..., Any], make_mapping: Callable[..., Any]
) -> None:
    table = at(make_mapping({"0": ["enforcer"] * 2, "1": ["mole"]}, face_up="enforcer", face_down="enforcer"))
    numbers = [table.game.string_to_action(table.s, text, 1) for text in ("recruit up", "recruit down")]
    assert {table.game.seen_action(table.s, number, 1, 0) for number in numbers} == {
        "player_1 takes one of the two cards"
    }


@pytest.mark.rule("AA-37")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_seen_card_may_be_on_offer_only_if_its_hand_has_played_face_down(players: int) -> None:
    game = make_game("advanced", players)
    table, hider = Position(game, game.start(3)), NOBODY
    while table.mapping["phase"] != "recruit":
        text = next(text for text in sorted(table.legal) if not text.startswith("discard"))
        hider = int(table.s.to_move)  # the last one to play before the other side recruits
        table.act(text)
    for seat in range(players):
        table.s.seen[seat, table.s.hands[seat].argmax()] = 1
    told = [line for line in game.describe(table.s, 0).splitlines() if line.startswith("Everybody has seen")]
    assert ["face down on offer" in line for line in told] == [seat == hider for seat in range(players)]


def test_any_action_has_a_text() -> None:
    """Even for illegal actions and seats that are not to move, nothing raises and the text begins with the seat."""
    for mode, players in VARIANTS:
        for each in positions(mode, players, 2, seed=17):
            for viewer in each.viewers:
                for seat in range(players):
                    for action in range(each.game.num_actions):
                        assert each.game.seen_action(each.s, action, seat, viewer).startswith(f"player_{seat} ")
