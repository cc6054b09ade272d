"""The option `history`: views show earlier offers, computed again from the texts of recorded games, and reveal nothing.

It changes no rule, and nothing of the variants without it.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue.reference import AGENTS
from tests.support.changed import changed
from tests.support.leaks import leaks
from tests.support.position import Position, position_of
from tests.support.rewinding import check_redrawn
from tests.support.suites import slow_but

from spygames.agent_avenue import layout, make_game, rewind, rules, seen
from spygames.core.compiling.kernel import Record
from spygames.core.game.game import Game, ImpossibleState, as_record
from spygames.core.players.player import bot_loop
from spygames.core.playing.batch import Batch
from spygames.core.records.record import GameRecord, play_record, read_games, replay

VARIANTS: list[dict[str, Any]] = [
    {"history": 3},
    {"history": 1, "first_player": 1},
    {"mode": "advanced", "history": 2},
    {"players": 3, "history": 4, "first_player": 2},
    {"players": 4, "history": 3, "captain": "fixed"},
    {"mode": "advanced", "players": 3, "history": 1},
    {"mode": "advanced", "players": 4, "history": 4},
]
FIELDS = ("offered_up", "offered_down", "took_up", "discards_before", "led_by")
REMEMBERED = 4
"""Offers of each side that a state holds, whatever its views show."""
SEATS = {
    2: [[0, 1], [1, 0]],
    3: [[0, 1, 2], [1, 0, 2], [2, None, 0, 1]],
    4: [[0, 1, 2, 3], [1, 0, 2, 3], [2, 3, 0, 1], [3, 2, 0, 1]],
}
"""By players and viewer: the seat at each place of a view, or None."""  # fmt: skip


@pytest.fixture(scope="module")
def game() -> Game:
    return make_game(history=3)


def without(options: dict[str, Any]) -> Game:
    return make_game(**{name: value for name, value in options.items() if name != "history"})


# ---------------------------------------------------------------- the variants without it


def test_no_history_is_the_variant_without_the_option() -> None:
    for mode, players in product(("simple", "advanced"), (2, 3, 4)):
        plain = make_game(mode, players)
        assert plain == make_game(mode, players, history=0)
        assert "history" not in plain.options
        assert plain.state_dtype == layout.STATE
        assert (plain.init, plain.apply) == (rules.init, rules.apply)
        assert plain.rewind is rewind.rewind
        assert plain.entities == layout.ENTITIES


@pytest.mark.parametrize("history", [5, -1, True, "3", None])
def test_invalid_numbers_are_refused(history: Any) -> None:
    with pytest.raises(ValueError, match="history must be one of 0, 1, 2, 3, 4, not "):
        make_game(history=history)


@pytest.mark.parametrize("options", slow_but(VARIANTS, 6), ids=str)
def test_a_history_changes_no_rule_and_follows_the_whole_view(options: dict[str, Any]) -> None:
    """Both games are played with equal seeds and actions. All that the game without a history has is the same."""
    games = [make_game(**options), without(options)]
    one, two = (Batch(each, 64, seed=3, threads=1) for each in games)
    choose, rng = bot_loop(games[1], "random"), np.arange(64, dtype=np.uint64).reshape(-1, 1)
    actions, names = np.zeros(64, np.int64), games[1].state_dtype.names or ()
    n = games[1].num_features
    assert games[0].view_dtype.names == (games[1].view_dtype.names or ()) + tuple(
        name for name in FIELDS if name != "led_by" or games[0].num_players > 2
    )
    for _ in range(60):
        for name in names:
            np.testing.assert_array_equal(one.states[name], two.states[name])
        np.testing.assert_array_equal(one.observation[:, :n], two.observation)
        np.testing.assert_array_equal(one.mask, two.mask)
        choose(two.views, two.mask, rng, np.arange(64), actions, 0, 64)
        one.step(actions)
        two.step(actions)
        np.testing.assert_array_equal(one.rewards, two.rewards)
    assert one.observation[:, n:].any()


def test_extra_fields_are_the_last_ones_of_the_view(game: Game) -> None:
    assert game.extra_fields == ("offered_up", "offered_down", "took_up", "discards_before")
    assert make_game(players=3, history=1).extra_fields == FIELDS
    assert not make_game().extra_fields
    for wrong in (("hand",), game.extra_fields[:2], game.extra_fields[::-1]):
        with pytest.raises(ValueError, match="extra_fields must be the last fields of VIEW, not "):
            changed(game, extra_fields=wrong)


# ---------------------------------------------------------------- what it shows


Offer = dict[str, Any]
Expected = dict[int, list[Offer]]


def told(record: GameRecord, mover: Sequence[int]) -> Iterator[Expected]:
    """The offers of each side, the latest first, before each action of a record and after the last one.

    They are computed from the texts of the actions alone; of the states only the seats to move (`mover`) are used.
    """
    offers: Expected = {0: [], 1: []}
    discards = {0: 0, 1: 0}
    up, down, leader = "", "", None
    for seat, text in zip(mover, record.actions, strict=True):
        yield offers
        side = seat if record.options["players"] == 2 else seat // 2
        word, *cards = text.split()
        if word == "discard":
            discards[side] += 1
        elif word == "play":
            up, down = cards
        elif word == "lead":
            leader = int(cards[0][-1])
        elif word == "up":
            (up,) = cards
        elif word == "down":
            (down,) = cards
        elif text in ("recruit up", "recruit down"):
            taken = None if up == down else text.split()[1]
            made = {"up": up, "down": down, "taken": taken, "discards": discards[1 - side], "lead": leader}
            offers = {1 - side: [made, *offers[1 - side]], side: offers[side]}
            leader = None
    yield offers


def shown(game: Game, offers: Expected, viewer: int) -> dict[str, np.ndarray]:
    """The fields of a view that show these offers."""
    players, h = game.num_players, int(game.options["history"])
    own = viewer if players == 2 else viewer // 2
    found = {
        name: np.zeros(game.view_dtype[name].shape, np.float32)
        for name in game.view_dtype.names or ()
        if name in FIELDS
    }
    for k, side in enumerate((own, 1 - own)):
        for i, offer in enumerate(offers[side][:h]):
            found["offered_up"][k, i, AGENTS.index(offer["up"])] = 1
            found["offered_down"][k, i, AGENTS.index(offer["down"])] = 1
            found["took_up"][k, i] = offer["taken"] == "up"
            found["discards_before"][k, i] = offer["discards"] / 4
            if offer["lead"] is not None:
                found["led_by"][k, i, SEATS[players][viewer].index(offer["lead"])] = 1
    return found  # fmt: skip


@pytest.mark.rule("AA-12")
@pytest.mark.parametrize("options", slow_but(VARIANTS, 6), ids=str)
def test_views_and_mappings_show_the_offers_of_the_record(options: dict[str, Any]) -> None:
    game = make_game(**options)
    most = 0
    for seed in range(5):
        offers: Expected = {}
        (record,) = read_games(play_record(game, ["random"] * game.num_players, seed).to_line())
        states = replay(record)
        assert record.options == game.options
        movers = states["to_move"][:-1].tolist()
        for k, offers in enumerate(told(record, movers)):
            s = as_record(states, k)
            remembered = {str(side): offers[side][:REMEMBERED] for side in offers}
            mapping = game.state_to_dict(s)
            assert mapping["offers"] == remembered
            assert position_of(game, mapping).states.tobytes() == states[k : k + 1].tobytes()
            for viewer in range(game.num_players):
                assert game.seen_to_dict(s, viewer)["offers"] == remembered
                view = Position(game, states[k : k + 1]).view(viewer)[0]
                for name, expected in shown(game, offers, viewer).items():
                    np.testing.assert_array_equal(view[name], expected, name)
        most = max(most, *(len(offers[side]) for side in offers))
    assert most > options["history"] or most >= REMEMBERED


@pytest.mark.rule("AA-10", "AA-12")
def test_nobody_can_tell_which_of_two_equal_cards_was_taken(game: Game, make_mapping: Callable[..., Any]) -> None:
    start = make_mapping({"0": ["saboteur"] * 4, "1": ["enforcer", "sentinel"] * 2})
    ends = [position_of(game, start).act("play saboteur saboteur", f"recruit {card}") for card in ("up", "down")]
    assert ends[0].states.tobytes() == ends[1].states.tobytes()
    equal = {"up": "saboteur", "down": "saboteur", "taken": None, "discards": 0, "lead": None}
    assert ends[0].mapping["offers"] == {"0": [equal], "1": []}
    view = ends[0].view(1)[0]
    assert view["offered_up"][1, 0].tolist() == view["offered_down"][1, 0].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    assert not view["took_up"].any()


# ---------------------------------------------------------------- nothing leaks


def positions(game: Game, games: int = 30) -> Iterator[np.ndarray]:
    """Every third position of random games, STATE [1]."""
    for seed in range(games):
        states = replay(play_record(game, ["random"] * game.num_players, seed))
        for k in range(seed % 3, len(states), 3):
            yield states[k : k + 1].copy()


@pytest.mark.rule("AA-9", "AA-10", "AA-12", "AA-40")
@pytest.mark.parametrize("options", slow_but(VARIANTS, 0), ids=str)
def test_nothing_leaks(options: dict[str, Any]) -> None:
    game = make_game(**options)
    assert leaks(game, positions(game)) == (120, set())


def _offer_too_early(s: Record, seat: int, view: Record) -> None:
    """Shows the offer as soon as it is made, with its hidden card."""
    _REAL.observe(s, seat, view)
    if s.face_down >= 0:
        view.offered_down[int(s.active_side != seat), 0] = np.arange(8) == s.face_down


def _mapping_too_early(game: Game, s: Record, viewer: int) -> dict[str, Any]:
    mapping = seen.seen_to_dict(game, s, viewer)
    if s.face_down >= 0:
        mapping["offers"][str(s.active_side)].insert(0, {"down": AGENTS[s.face_down]})
    return mapping


def _discarded_card(s: Record, seat: int, view: Record) -> None:
    """Shows which card the other side has discarded instead of the number of discards."""
    _REAL.observe(s, seat, view)
    view.discards_before[1, 0] = s.discarded[1 - seat].argmax() / 8 if s.discarded[1 - seat].any() else 0


_REAL = make_game(history=3)
LEAKING: dict[str, tuple[dict[str, Any], str]] = {
    "an offer in the view before it is recruited": ({"observe": _offer_too_early}, "view"),
    "an offer in the mapping before it is recruited": ({"seen_to_dict": _mapping_too_early}, "mapping"),
    "the name of a discard": ({"observe": _discarded_card}, "view"),
}


@pytest.mark.parametrize("name", LEAKING)
def test_a_leak_is_found(game: Game, name: str) -> None:
    change, channel = LEAKING[name]
    assert channel in leaks(changed(game, **change), positions(game))[1]


PUBLIC = ("progress", "in_play", "turn", "deck_size", "discards_left", "face_up", "phase", "to_move", "active_side")


@pytest.mark.parametrize("options", slow_but(VARIANTS, 0), ids=str)
def test_rewinding_restores_the_offers_of_that_time(options: dict[str, Any]) -> None:
    counts = check_redrawn(make_game(**options), 12, (*PUBLIC, *FIELDS))
    assert counts["told"] > 50
    assert counts["legal"] == counts["told"]


def test_rewinding_without_the_offers_is_found(game: Game) -> None:
    with pytest.raises(AssertionError, match="offered_up"):
        check_redrawn(changed(game, rewind=rewind.rewind), 12, (*PUBLIC, *FIELDS))


# ---------------------------------------------------------------- mappings


def late(game: Game) -> dict[str, Any]:
    """The mapping of a position with several offers of both sides and some discards."""
    for seed in range(100):
        states = replay(play_record(game, ["random"] * game.num_players, seed))
        found = game.state_to_dict(as_record(states, len(states) - 3))
        if all(len(found["offers"][side]) >= 2 and found["offers"][side][0]["discards"] for side in "01"):
            return found
    raise AssertionError("no such game")


def _first(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda m: m["offers"]["0"][0].update(changes)


REFUSED: list[tuple[str, Callable[[dict[str, Any]], object], str]] = [
    ("one side", lambda m: m["offers"].pop("1"), "offers"),
    ("no list", lambda m: m["offers"].update({"0": "none"}), "offers of side 0"),
    ("five", lambda m: m["offers"].update({"0": m["offers"]["0"][:1] * 5}), "at most 4 offers, not 5"),
    ("a card missing", lambda m: m["offers"]["0"][0].pop("down"), "down"),
    ("an unknown card", _first(up="spycation"), "up in offers of side 0: 'spycation' is not one of"),
    ("a card that is null", _first(down=None), "down in offers of side 0: None is not one of"),
    ("an unknown key", _first(by=1), "by"),
    ("another taken", _first(taken="both"), "taken in offers of side 0: 'both' is not one of"),
    ("nothing taken", _first(taken=None), "taken in offers of side 0 must be 'up' or 'down', or null"),
    ("taken of two equal cards", _first(up="enforcer", down="enforcer"), "taken in offers of side 0 must be"),
    ("two of one mole", _first(up="mole", down="mole", taken=None), "must name two cards, not mole twice"),
    ("five discards", _first(discards=5), "discards in offers of side 0 must be"),
    ("more discards before", lambda m: m["offers"]["0"][1].update(discards=4), "discards in offers of side 0 must be"),
    ("a leader with two players", _first(lead=0), "lead in offers of side 0 must be null for a single player"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), [pytest.param(c, m, id=i) for i, c, m in REFUSED])
def test_invalid_offers_are_refused(game: Game, change: Callable[[dict[str, Any]], object], message: str) -> None:
    mapping = late(game)
    position_of(game, mapping)
    change(mapping)
    with pytest.raises(ImpossibleState, match=message):
        position_of(game, mapping)


def test_recruited_cards_are_in_play(game: Game, make_mapping: Callable[..., Any]) -> None:
    """A market card may take agents out of play again, so this holds in simple mode."""
    offers = {"0": [{"up": "mole", "down": "enforcer", "taken": "up"}], "1": []}
    held = {"hands": {"0": ["saboteur"] * 4, "1": ["sentinel"] * 4}, "offers": offers}
    right = make_mapping(**held, in_play={"0": {"enforcer": 1}, "1": {"mole": 1}})
    assert position_of(game, right).mapping["offers"]["0"][0] == offers["0"][0] | {"discards": 0, "lead": None}
    for wrong in ({"0": {"enforcer": 1}}, {"0": {"enforcer": 1, "mole": 1}}):
        with pytest.raises(
            ImpossibleState, match="offers have 1 copies of mole that side 1 recruited, but its in_play "
        ):
            position_of(game, make_mapping(**held, in_play=wrong))


def test_leaders_of_earlier_offers_are_members_of_the_side() -> None:
    game = make_game(players=4, history=2)
    mapping = late(game)
    for wrong in (None, 2):
        mapping["offers"]["0"][0]["lead"] = wrong
        with pytest.raises(ImpossibleState, match="lead in offers of side 0 must be a seat of side 0"):
            position_of(game, mapping)


def test_a_mapping_may_leave_the_offers_out(game: Game) -> None:
    mapping = late(game)
    assert position_of(game, {key: value for key, value in mapping.items() if key != "offers"}).mapping["offers"] == {
        "0": [],
        "1": [],
    }


def test_a_game_without_a_history_has_no_offers(game: Game) -> None:
    assert "offers" not in Position(make_game(), make_game().start(1)).mapping
    with pytest.raises(ImpossibleState, match="offers"):
        position_of(make_game(), late(game))


def test_bytes_with_a_wrong_offer_are_not_a_position(game: Game) -> None:
    """Each field of each place, set to each value in and around its range: what is accepted reads back as the same."""
    states = position_of(game, late(game)).states
    accepted = refused = 0
    for name, side, k, value in product(FIELDS, range(2), range(REMEMBERED), range(-2, 9)):
        other = states.copy()
        other[name][0, side, k] = value
        if game.is_possible(other):
            accepted += 1
            assert position_of(game, game.state_to_dict(as_record(other))).states.tobytes() == other.tobytes()
        else:
            refused += 1
    assert accepted >= len(FIELDS) * 2 * REMEMBERED  # at least the values that are there
    assert refused > 8 * accepted
