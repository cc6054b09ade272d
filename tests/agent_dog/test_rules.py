"""Single rules of Agent DOG, each written from its text: positions, moves, and what must come of them."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog import Board, Deck, make_game
from spygames.agent_dog.cards import CARDS, DECKS
from spygames.agent_dog_v0 import env as make_env
from tests.agent_dog.conftest import Table, make_position, table_at

OTHERS = {"blue": ["track 40"], "green": ["track 50"], "yellow": ["track 57"]}


def hold(*cards: str, hidden: Sequence[int] = (), **pawns: list[str]) -> Table:
    """Seat 0 of four has these cards, everybody else a 2; red's pawns (and others') stand where they are told."""
    hands = {"0": list(cards), "1": ["2"], "2": ["2"], "3": ["2"]}
    return table_at(make_position(OTHERS | pawns, hands, hidden=list(hidden)))


def where(table: Table, colour: str) -> list[str]:
    """The pawns of a colour that are not in the start area."""
    return [place for place in table.mapping["pawns"][colour] if place != "area"]


# ---------------------------------------------------------------- board and set-up


@pytest.mark.rule("AD-1", "AD-2", "AD-4")
@pytest.mark.parametrize(
    ("players", "starts"),
    [
        (4, {"red": 0, "blue": 16, "green": 32, "yellow": 48}),
        (3, {"red": 0, "blue": 16, "green": 32}),
        (2, {"red": 0, "green": 32}),
    ],
)
def test_set_up(fresh: Callable[..., Table], players: int, starts: dict[str, int]) -> None:
    mapping = fresh(1, players=players).mapping
    assert mapping["pawns"] == {colour: ["area"] * 3 + [f"track {space}"] for colour, space in starts.items()}
    assert mapping["hidden"] == []


@pytest.mark.rule("AD-3")
def test_standard_board() -> None:
    board = Board(64, [3, 7, 11, 15], 8)
    assert make_game(board=board).options["board"] == "standard"
    table = hold("3", "8", red=["track 8"], blue=["track 47"])
    assert "hidden" in table.act("card 3", "from track 8").mapping
    assert table.mapping["hidden"] == [11]


@pytest.mark.rule("AD-3")
@pytest.mark.parametrize(
    ("track", "holes", "meeting", "why"),
    [
        (62, [3, 7], 8, "multiple of 4"),
        (52, [3, 7], 8, "56"),
        (132, [3, 7], 8, "128"),
        (64, [0, 7], 8, "start space"),
        (64, [7, 8], 8, "meeting point cannot be a hole"),
        (64, [15], 0, "meeting point cannot be a start"),
        (64, [3, 6], 8, "must be a hole"),
        (64, [3, 3, 7], 8, "twice"),
        (64, [16, 7], 8, "offset from 0 to 15"),
        (64, [7], 16, "offset from 0 to 15"),
        (64, "7", 8, "list"),
        (64, [7.0], 8, "offset"),
        (True, [7], 8, "multiple"),
    ],
)
def test_boards_that_are_refused(track: Any, holes: Any, meeting: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Board(track, holes, meeting)
    with pytest.raises(ValueError, match=why):
        make_game(board={"track": track, "holes": holes, "meeting": meeting})


@pytest.mark.parametrize(
    "options",
    [
        {"players": 5}, {"players": 4.0}, {"board": "big"}, {"board": {"track": 64}}, {"deck": "x"}, {"deck": {"4": 9}},
        {"deck": {"2": 19}}, {"deck": {"2": 127}}, {"deck": {"2": -1}}, {"deck": {"2": 100, "3": 30}},
        {"hidden_colours": "none"}, {"max_turns": 0}, {"max_turns": True}, {"first_player": 4}, {"first_player": "x"},
    ],
)  # fmt: skip
def test_options_that_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        make_game(**options)


# ---------------------------------------------------------------- cards and rounds


@pytest.mark.rule("AD-5")
@pytest.mark.parametrize("deck", ["standard", "royal"])
def test_decks(fresh: Callable[..., Table], deck: str) -> None:
    copies = dict.fromkeys(CARDS, 8) | {"copy": 6}
    if deck == "royal":
        copies = dict.fromkeys(("2", "3", "5", "6", "8", "9", "10", "12"), 9)
        copies |= {"1/11": 10, "13": 10, "swap": 6, "copy": 6, "companion": 6}
    assert DECKS[deck].copies == copies
    assert DECKS[deck].total == 110
    mapping = fresh(3, deck=deck).mapping
    assert Counter([*mapping["deck"], *(card for hand in mapping["hands"].values() for card in hand)]) == copies
    assert make_game(deck=Deck(copies)).options["deck"] == deck


@pytest.mark.rule("AD-6")
@pytest.mark.parametrize(("players", "taker"), [(4, [2, 3, 0, 1]), (3, [1, 2, 0]), (2, [1, 0])])
def test_exchange(fresh: Callable[..., Table], players: int, taker: list[int]) -> None:
    table = fresh(5, players=players, first_player=1)
    before = table.mapping
    assert all(len(hand) == 5 for hand in before["hands"].values())
    passed = {}
    for i in range(players):
        seat = (1 + i) % players
        mapping = table.mapping
        assert (mapping["phase"], mapping["to_move"], mapping["dealer"]) == ("exchange", seat, 1)
        hand = mapping["hands"][str(seat)]
        assert table.legal == {f"pass {card}" for card in hand}
        passed[seat] = hand[0]
        views = [table.view(other).tobytes() for other in range(players) if other != seat]
        other = Table(table.game, table.states.copy())
        table.act(f"pass {hand[0]}")
        if i < players - 1:
            assert len(table.mapping["hands"][str(seat)]) == 4
            assert sum(map(len, table.mapping["hands"].values())) == 5 * players - i - 1
            other.act(f"pass {hand[-1]}")
            shown = [t.view(o).tobytes() for t in (table, other) for o in range(players) if o != seat]
            assert shown[: players - 1] == shown[players - 1 :] != views
    after = table.mapping
    assert after["passed"] == {str(seat): card for seat, card in passed.items()}
    for seat, card in passed.items():
        given = Counter(before["hands"][str(seat)]) - Counter([card])
        received = [passed[giver] for giver in range(players) if taker[giver] == seat]
        assert Counter(after["hands"][str(seat)]) == given + Counter(received)
        view = table.view(seat)
        assert view["passed"][0, CARDS.index(card)] == 1 == view["passed"].sum()
        assert view["received"][0, CARDS.index(received[0])] == 1 == view["received"].sum()


@pytest.mark.rule("AD-6")
def test_the_deal_goes_five_at_a_time_from_the_dealer(fresh: Callable[..., Table]) -> None:
    hands = {"0": ["2"], "1": [], "2": [], "3": []}
    start = make_position({"red": ["track 5"], **OTHERS}, hands, dealer=1)
    table = table_at(start).act("card 2", "from track 5")
    mapping = table.mapping
    assert (mapping["dealer"], mapping["round"], mapping["to_move"], mapping["phase"]) == (2, 1, 2, "exchange")
    order = [int(seat) for seat in "2301"]
    for i, seat in enumerate(order):
        assert Counter(mapping["hands"][str(seat)]) == Counter(start["deck"][5 * i : 5 * i + 5])
    assert mapping["deck"] == start["deck"][20:]


@pytest.mark.rule("AD-7")
def test_dealers(fresh: Callable[..., Table]) -> None:
    assert fresh(1).mapping["dealer"] == 0
    assert fresh(1, first_player=2).mapping["dealer"] == 2
    dealers = Counter(fresh(seed, first_player="random").mapping["dealer"] for seed in range(400))
    assert sorted(dealers) == [0, 1, 2, 3]
    assert min(dealers.values()) > 70
    table = fresh(2)
    rng = np.random.default_rng(1)
    leads: dict[int, int] = {}
    for _ in range(400):
        before = table.mapping
        table.act(str(rng.choice(sorted(table.legal))))
        after = table.mapping
        if before["phase"] == "exchange" != after["phase"] and before["dealer"] == after["dealer"]:
            able = after["dealer"] not in after["out"]
            assert not able or after["to_move"] == after["dealer"]
            leads[after["round"]] = after["dealer"]
    assert all(dealer == number % 4 for number, dealer in leads.items())
    assert len(leads) > 3


@pytest.mark.rule("AD-8")
def test_the_discards_become_the_deck_when_a_card_is_wanted() -> None:
    start = make_position({"red": ["track 5"], **OTHERS}, {"0": ["2"]})
    start["deck"], start["discard"] = start["deck"][:7], start["deck"][7:]
    table = table_at(start).act("card 2", "from track 5")
    mapping = table.mapping
    assert mapping["discard"] == []
    assert len(mapping["deck"]) == 110 - 20
    assert Counter(mapping["hands"]["1"]) == Counter(start["deck"][:5])  # the dealer, before the deck was empty
    assert set(start["deck"][5:7]) <= set(mapping["hands"]["2"])
    start["deck"], start["discard"] = start["deck"] + start["discard"][:13], start["discard"][13:]
    table = table_at(start).act("card 2", "from track 5")
    assert table.mapping["deck"] == []  # empty, but nothing is wanted
    assert len(table.mapping["discard"]) == 90


# ---------------------------------------------------------------- playing a card


@pytest.mark.rule("AD-9")
def test_only_what_can_be_carried_out_is_offered() -> None:
    table = hold("5", "swap", "copy", "13", red=["goal 0", "goal 2", "goal 3", "track 63"], hidden=[63])
    assert table.legal == {"card 5", "card 13 as 13"}  # no second hat, nothing to copy, nobody to start


@pytest.mark.rule("AD-10")
def test_four_players_lay_down_what_they_cannot_play() -> None:
    hands = {"0": ["2"], "1": ["swap", "3", "copy"], "2": ["2"], "3": ["2"]}
    start = make_position(OTHERS | {"red": ["track 4"], "blue": []}, hands, discard=["12", "13"])
    mapping = table_at(start).act("card 2", "from track 4").mapping
    assert mapping["discard"] == ["2", "12", "13", "3", "swap", "copy"]
    assert (mapping["out"], mapping["hands"]["1"], mapping["to_move"], mapping["turn"]) == ([1], [], 2, 1)


@pytest.mark.rule("AD-11", "AD-19")
def test_own_and_hidden_pawns_may_be_moved() -> None:
    table = hold("2", red=["track 5"], blue=["track 40", "track 43"], hidden=[43]).act("card 2")
    assert table.legal == {"from track 5", "from track 43"}


@pytest.mark.rule("AD-12")
def test_jumped_and_captured() -> None:
    table = hold("5", "6", red=["track 20"], blue=["track 22", "track 25"], yellow=["track 27"], hidden=[27])
    table.act("card 5", "from track 20")
    assert (where(table, "red"), where(table, "blue")) == (["track 25"], ["track 22"])
    table = hold("9", red=["track 18"], yellow=["track 27"], hidden=[27]).act("card 9", "from track 18")
    assert where(table, "yellow") == []
    assert table.mapping["hidden"] == [27]  # red's now


@pytest.mark.rule("AD-13")
def test_a_pawn_on_its_own_start_space_blocks() -> None:
    pawns = {"red": ["track 14"], "blue": ["track 16"]}
    assert hold("2", "3", "1/11", red=pawns["red"], blue=pawns["blue"]).legal == {
        "card 1/11 as 1",
        "card 1/11 as start",
    }
    assert hold("2", "3", red=["track 14"], blue=["track 15"], hidden=[15]).legal == {"card 2", "card 3"}
    assert "card 2" in hold("2", red=["track 14"], yellow=["track 16"]).legal  # a foreign start space
    own = hold("2", red=["track 0", "track 62"]).act("card 2")
    assert own.legal == {"from track 0"}


@pytest.mark.rule("AD-14")
def test_start() -> None:
    table = hold("13", red=["track 5"], blue=["track 0"]).act("card 13 as start")
    assert table.legal == {"from area"}
    table.act("from area")
    assert (where(table, "red"), where(table, "blue")) == (["track 0", "track 5"], [])
    assert hold("13", red=["track 0"]).legal == {"card 13 as 13"}
    assert hold("13", red=["track 5", "goal 1", "goal 2", "goal 3"]).legal == {"card 13 as 13"}


@pytest.mark.rule("AD-15", "AD-16")
def test_goal() -> None:
    assert hold("5", red=["track 62"]).act("card 5").legal == {"from track 62", "from track 62 into goal"}
    assert where(hold("5", red=["track 62"]).act("card 5", "from track 62 into goal"), "red") == ["goal 2"]
    assert where(hold("5", red=["track 62"]).act("card 5", "from track 62"), "red") == ["track 3"]
    assert hold("7", red=["track 62"]).act("card 7").legal == {"from track 62"}  # five goal spaces would be needed
    assert hold("3", red=["track 0"]).act("card 3").legal == {"from track 0"}  # begins on the start space
    assert hold("5", red=["track 62", "goal 1"]).act("card 5").legal == {"from track 62"}  # no jumping
    assert hold("3", red=["track 62", "goal 0"]).act("card 3").legal == {"from track 62", "from goal 0"}


@pytest.mark.rule("AD-15")
def test_pawns_move_on_in_the_goal() -> None:
    table = hold("2", "3", red=["track 20", "goal 0", "goal 3"])
    assert table.act("card 2").legal == {"from track 20", "from goal 0"}
    assert where(table.act("from goal 0"), "red") == ["track 20", "goal 2", "goal 3"]


@pytest.mark.rule("AD-17")
def test_a_pawn_that_ends_on_its_start_space_needs_another_lap() -> None:
    table = hold("2", "3", red=["track 62"], blue=["track 40", "goal 0"]).act("card 2", "from track 62")
    assert where(table, "red") == ["track 0"]
    table.act("card 2", "from track 40", "card 2", "from track 50", "card 2", "from track 57")
    assert table.act("card 3").legal == {"from track 0"}


@pytest.mark.rule("AD-18")
def test_whose_pawns_are_home_plays_the_partners() -> None:
    home = [f"goal {i}" for i in range(4)]
    table = hold("5", "13", red=home, green=["track 30"])
    assert table.legal == {"card 5", "card 13 as 13", "card 13 as start"}
    assert table.act("card 5").legal == {"from track 30", "from track 30 into goal"}
    assert where(table.act("from track 30 into goal"), "green") == ["goal 2"]
    table = hold("2", "13", red=home, green=["track 30", "goal 0"]).act("card 2")
    assert table.legal == {"from track 30", "from goal green 0"}
    table = hold("13", red=home, green=["track 30"], blue=["track 32"]).act("card 13 as start", "from area")
    assert (where(table, "green"), where(table, "blue")) == (["track 30", "track 32"], [])
    assert hold("2", red=home, green=["track 32"], blue=["track 43"], hidden=[43]).act("card 2").legal == {
        "from track 32"
    }


# ---------------------------------------------------------------- hidden pawns


@pytest.mark.rule("AD-19", "AD-21")
def test_hats_on_and_off() -> None:
    table = hold("3", red=["track 20"]).act("card 3", "from track 20")
    assert (where(table, "red"), table.mapping["hidden"]) == (["track 23"], [23])
    table = hold("3", red=["track 23"], hidden=[23]).act("card 3", "from track 23")
    assert (where(table, "red"), table.mapping["hidden"]) == (["track 26"], [])
    table = hold("8", red=["track 23"], hidden=[23]).act("card 8", "from track 23")
    assert (where(table, "red"), table.mapping["hidden"]) == (["track 31"], [31])


@pytest.mark.rule("AD-20")
def test_no_hidden_pawns_while_a_pawn_stands_on_the_own_start_space() -> None:
    pawns: dict[str, Any] = {"red": ["track 0"], "blue": ["track 43"], "green": ["track 51"], "hidden": [43, 51]}
    assert hold("2", **pawns).act("card 2").legal == {"from track 0"}
    assert hold("13", **pawns).act("card 13 as 13").legal == {"from track 0"}
    assert hold("swap", **pawns).act("card swap").legal == {"swap track 43", "swap track 51"}
    assert "step track 43" in hold("companion", **pawns).act("card companion").legal
    foreign = hold("2", red=["track 5"], blue=["track 43"], green=["track 0"], hidden=[43])
    assert foreign.act("card 2").legal == {"from track 5", "from track 43"}


@pytest.mark.rule("AD-22")
@pytest.mark.parametrize(
    ("colour", "others", "place"),
    [("red", [], "goal 1"), ("green", [], "area"), ("blue", [], "goal 3"), ("blue", ["goal 2", "goal 3"], "goal 1")],
)
def test_a_hidden_pawn_in_the_own_goal(colour: str, others: list[str], place: str) -> None:
    pawns = OTHERS | {"red": ["track 20"]}
    pawns[colour] = ["track 63", *(pawns[colour] if colour != "red" else []), *others]
    table = hold("3", "2", hidden=[63], **pawns).act("card 3")
    assert table.legal == {"from track 63", "from track 63 into goal", *(["from track 20"] if colour != "red" else [])}
    mapping = table.act("from track 63 into goal").mapping
    assert mapping["pawns"][colour].count(place) == (3 if place == "area" else 1)
    assert (mapping["hidden"], mapping["out"], mapping["hands"]["0"]) == ([], [], ["2"])


@pytest.mark.rule("AD-22")
def test_a_hidden_pawn_does_not_enter_another_goal() -> None:
    table = hold("3", red=["track 20"], blue=["track 15"], hidden=[15]).act("card 3")
    assert table.legal == {"from track 20", "from track 15"}


@pytest.mark.rule("AD-23", "AD-27")
@pytest.mark.parametrize("victim", ["red", "green"])
@pytest.mark.parametrize("hat", [True, False])
def test_who_captures_the_own_team_is_out(victim: str, hat: bool) -> None:
    at = 27 if hat else 26
    pawns = {"red": [f"track {at - 5}"], "green": []}
    pawns[victim] = [*pawns[victim], f"track {at}"]
    hands = {"0": ["5", "6", "copy"], "1": ["copy", "2"], "2": ["2"], "3": ["2"]}
    start = make_position(OTHERS | pawns, hands, hidden=[at] if hat else [], discard=["12"])
    mapping = table_at(start).act("card 5", f"from track {at - 5}").mapping
    assert f"track {at}" in mapping["pawns"]["red"]
    assert mapping["discard"] == ["12", "5", "6", "copy"]
    assert (mapping["out"], mapping["hands"]["0"], mapping["cards_played"], mapping["turn"]) == ([0], [], 1, 1)
    assert (mapping["last_card"], mapping["to_move"]) == (None, 1)


@pytest.mark.rule("AD-24")
@pytest.mark.parametrize("kind", ["table", "tracked"])
def test_what_is_seen_of_hidden_pawns(kind: str) -> None:
    tables = []
    for red, blue in ((43, 51), (51, 43)):
        pawns = OTHERS | {"red": [f"track {red}"], "blue": [f"track {blue}"]}
        start = make_position(pawns, {"0": ["2", "swap"], "1": ["2"]}, hidden=[43, 51])
        tables.append(table_at(start, hidden_colours=kind))
    for _ in range(2):
        for seat in range(4):
            same = tables[0].view(seat).tobytes() == tables[1].view(seat).tobytes()
            assert same == (kind == "table")
            if kind == "table":
                assert tables[0].drawing(seat) == tables[1].drawing(seat)
        assert tables[0].legal == tables[1].legal
        for table in tables:
            table.act("card 2") if table.mapping["phase"] == "card" else None


# ---------------------------------------------------------------- red cards


@pytest.mark.rule("AD-25")
def test_start_cards() -> None:
    assert hold("1/11", red=["track 20"]).legal == {"card 1/11 as 1", "card 1/11 as 11", "card 1/11 as start"}
    assert hold("13", red=["track 20"]).legal == {"card 13 as 13", "card 13 as start"}
    for function, place in (("1", "track 21"), ("11", "track 31")):
        assert where(hold("1/11", red=["track 20"]).act(f"card 1/11 as {function}", "from track 20"), "red") == [place]


@pytest.mark.rule("AD-26")
def test_swap() -> None:
    table = hold("swap", red=["track 23"], blue=["track 43"], hidden=[23, 43]).act("card swap")
    assert table.legal == {"swap track 23", "swap track 43"}
    assert table.act("swap track 43").legal == {"swap track 23"}
    assert table.mapping["pending"]["first"] == "track 43"
    table.act("swap track 23")
    assert (where(table, "red"), where(table, "blue"), table.mapping["hidden"]) == (
        ["track 43"], ["track 23"], [23, 43],
    )  # fmt: skip
    assert hold("swap", "2", red=["track 23"], hidden=[23]).legal == {"card 2"}
    assert "card swap" in hold("swap", red=["track 23", "track 27"], hidden=[23, 27]).legal


@pytest.mark.rule("AD-27")
def test_copy() -> None:
    assert hold("copy", "2", red=["track 20"]).legal == {"card 2"}
    hands = {"0": ["1/11"], "1": ["copy"], "2": ["copy"], "3": ["2"]}
    table = table_at(make_position(OTHERS | {"red": ["track 20"]}, hands)).act("card 1/11 as 1", "from track 20")
    functions = {"card copy as 1", "card copy as 11", "card copy as start"}
    assert table.legal == functions
    table.act("card copy as start", "from area")
    assert table.mapping["last_card"] == "1/11"
    assert table.legal == functions
    table.act("card copy as 11", "from track 50")
    assert where(table, "green") == ["track 61"]
    table.act("card 2", "from track 57")
    assert table.mapping["last_card"] is None  # a new round


@pytest.mark.rule("AD-28", "AD-29")
def test_companion_moves_the_team_and_hidden_pawns() -> None:
    pawns = {"red": ["track 20"], "blue": ["track 43", "track 40"], "hidden": [43]}
    table = hold("companion", **pawns).act("card companion")
    assert table.legal == {"step track 20", "step track 43", "step track 50"}
    home = [f"goal {i}" for i in range(4)]
    table = hold("companion", red=["track 20"], green=home).act("card companion")
    assert table.legal == {"step track 20", "step track 40", "step track 57"}


@pytest.mark.rule("AD-28", "AD-23")
def test_companion_captures_all_on_its_way() -> None:
    table = hold("companion", red=["track 20"], blue=["track 21", "track 22"], yellow=["track 23"], hidden=[23])
    table.act("card companion", *(f"step track {20 + i}" for i in range(4)))
    assert [where(table, colour) for colour in ("red", "blue", "yellow")] == [["track 24"], [], []]
    assert table.mapping["out"] == []
    table = hold("companion", "2", red=["track 20", "track 21"])
    table.act("card companion", "step track 20")
    assert table.mapping["pending"]["penalty"] is True
    table.act("step track 50", "step track 51", "step track 52")
    assert (table.mapping["out"], where(table, "red")) == ([0], ["track 21"])


@pytest.mark.rule("AD-28")
def test_hats_wait_for_the_last_point() -> None:
    table = hold("companion", red=["track 22"], blue=["track 43"], hidden=[43])
    table.act("card companion", "step track 22", "step track 43")
    assert table.mapping["hidden"] == [44]
    table.act("step track 50")
    assert table.mapping["hidden"] == [44]
    table.act("step track 44")
    assert table.mapping["hidden"] == [23, 51]


@pytest.mark.rule("AD-29", "AD-15")
def test_consecutive_steps_are_one_move() -> None:
    table = hold("companion", red=["track 63"], hidden=[]).act("card companion", "step track 63")
    assert "step track 0 into goal" in table.legal
    table.act("step track 50")
    assert "step track 0 into goal" not in table.legal
    table = hold("companion", red=["track 0"]).act("card companion")
    assert table.legal == {"step track 0", "step track 50"}


@pytest.mark.rule("AD-29", "AD-13")
def test_a_step_is_legal_only_if_the_rest_can_be_spent() -> None:
    # Red can go three on, green's pawn stands on its start space and can always go on: so nothing is out of reach.
    table = hold("companion", red=["track 12"], blue=["track 16"], green=["track 32"]).act("card companion")
    assert table.legal == {"step track 12", "step track 32"}
    # Without green, red alone cannot spend four points; with its goal pawn it can, if that takes one of them.
    pawns = {"red": ["track 12", "goal 2"], "blue": ["track 16"], "green": ["goal 3"], "yellow": []}
    table = hold("companion", **pawns).act("card companion", "step track 12", "step track 13", "step track 14")
    assert table.legal == {"step goal 2"}
    pawns["red"] = ["track 12", "goal 3"]
    assert hold("companion", "2", **pawns).legal == {"card 2"}


@pytest.mark.rule("AD-29", "AD-18")
def test_home_is_judged_at_each_step() -> None:
    table = hold("companion", red=["track 63", "goal 1", "goal 2", "goal 3"], hidden=[]).act("card companion")
    assert "step track 40" not in table.legal
    table.act("step track 63", "step track 0 into goal")
    assert {"step track 40", "step track 57"} <= table.legal


@pytest.mark.rule("AD-29", "AD-22")
def test_a_hidden_pawn_in_the_goal_during_a_companion() -> None:
    table = hold("companion", red=["track 20"], blue=["track 63"], hidden=[63])
    table.act("card companion", "step track 63", "step track 0 into goal")
    assert table.mapping["hidden"] == ["goal red 0"]
    assert "goal red 0" in table.mapping["pawns"]["blue"]
    assert table.mapping["pending"]["moved"] == ["goal 0"]
    assert table_at(table.mapping).states.tobytes() == table.states.tobytes()
    table.act("step goal 0", "step track 20")
    assert (table.mapping["hidden"], where(table, "blue")) == ([], ["goal 3"])


# ---------------------------------------------------------------- meeting points


@pytest.mark.rule("AD-30")
@pytest.mark.parametrize(
    ("pawns", "moved"),
    [
        ({"blue": ["track 16"]}, ("blue", ["track 23"])),  # even from its own start space
        ({"blue": ["track 19"], "hidden": [19]}, ("blue", ["track 23"])),
        ({"blue": ["track 23"], "hidden": [23]}, ("blue", ["track 23"])),  # it stays
        ({"blue": [], "green": [], "yellow": ["track 30"]}, ("yellow", ["track 23"])),  # nearly round the track
    ],
)
def test_a_meeting(pawns: dict[str, Any], moved: tuple[str, list[str]]) -> None:
    table = hold("2", red=["track 22"], **pawns).act("card 2", "from track 22")
    assert where(table, moved[0]) == moved[1]
    assert (where(table, "red"), table.mapping["hidden"]) == (["track 24"], [23])


@pytest.mark.rule("AD-30")
def test_a_meeting_of_one() -> None:
    table = hold("2", red=["track 22", "goal 1"], blue=["goal 2"], green=[], yellow=[])
    assert where(table.act("card 2", "from track 22"), "red") == ["track 24", "goal 1"]
    assert table.mapping["hidden"] == []


@pytest.mark.rule("AD-31")
def test_the_order_of_meetings_is_chosen() -> None:
    def both() -> Table:
        table = hold("companion", red=["track 22"], green=["track 38"], blue=["track 50"])
        return table.act("card companion", "step track 22", "step track 38", "step track 23", "step track 39")

    table = both()
    assert (table.mapping["phase"], table.mapping["pending"]["meetings"]) == ("meeting", [24, 40])
    assert table.legal == {"meet 24", "meet 40"}
    table.act("meet 24")  # the nearest behind is yellow's 57, then 40 pulls red's 24
    assert (where(table, "yellow"), where(table, "red"), table.mapping["hidden"]) == (
        ["track 23"],
        ["track 39"],
        [23, 39],
    )
    table = both().act("meet 40")  # pulls red's pawn away from 24, so that meeting is dropped
    assert (where(table, "yellow"), where(table, "red"), table.mapping["hidden"]) == (["track 57"], ["track 39"], [39])
    assert table.mapping["to_move"] == 1


@pytest.mark.rule("AD-31")
def test_only_final_positions_of_moved_pawns_count() -> None:
    table = hold("companion", red=["track 22"], green=["track 56"])
    table.act("card companion", "step track 22", "step track 23")
    assert table.mapping["pending"]["meetings"] == [24]
    table.act("step track 24", "step track 25")
    assert (table.mapping["hidden"], where(table, "green")) == ([], ["track 56"])


# ---------------------------------------------------------------- the end


@pytest.mark.rule("AD-32", "AD-38")
def test_a_team_wins_with_eight() -> None:
    home = [f"goal {i}" for i in range(4)]
    table = hold("2", "6", red=home, green=["track 31", "goal 1", "goal 2", "goal 3"])
    table.act("card 2", "from track 31 into goal")
    mapping = table.mapping
    assert (mapping["phase"], mapping["winners"], mapping["end_reason"], mapping["to_move"]) == (
        "over", [0, 2], "home", None,
    )  # fmt: skip
    assert (mapping["pending"], mapping["discard"][0], mapping["hands"]["0"]) == (None, "2", ["6"])
    out = np.zeros(4, np.float32)
    table.game.returns(table.s, out)
    assert out.tolist() == [1, -1, 1, -1]
    assert table.legal == set()


@pytest.mark.rule("AD-32", "AD-34", "AD-38")
@pytest.mark.parametrize("players", [2, 3])
def test_two_and_three_win_alone(players: int) -> None:
    pawns = {"red": ["track 62", "goal 1", "goal 2", "goal 3"], "green": ["track 40"], "blue": ["track 41"]}
    start = make_position({c: p for c, p in pawns.items() if players == 3 or c != "blue"}, {"0": ["3"]}, players)
    table = table_at(start).act("card 3", "from track 62 into goal")
    assert table.mapping["winners"] == [0]
    out = np.zeros(players, np.float32)
    table.game.returns(table.s, out)
    assert out.tolist() == [1] + [-1] * (players - 1)


@pytest.mark.rule("AD-32")
@pytest.mark.parametrize(("mover", "winner"), [(0, 0), (1, 1), (2, 0)])
def test_whose_side_wins_where_one_card_completes_two(mover: int, winner: int) -> None:
    pawns = {"red": ["track 63", "goal 1", "goal 2", "goal 3"], "blue": ["track 15", "goal 1", "goal 2", "goal 3"]}
    hands = {str(mover): ["companion"]}
    table = table_at(make_position(pawns | {"green": ["track 40"]}, hands, 3, to_move=mover))
    table.act("card companion", "step track 15", "step track 16 into goal", "step track 63", "step track 0 into goal")
    assert table.mapping["winners"] == [winner]


@pytest.mark.rule("AD-33")
def test_a_win_comes_before_the_penalty() -> None:
    pawns = {"red": ["track 63", "goal 1", "goal 2", "goal 3"], "green": ["goal 1", "goal 2", "goal 3", "track 31"]}
    table = hold("companion", "9", red=pawns["red"], green=pawns["green"])
    table.act("card companion", "step track 63", "step track 0 into goal", "step track 31", "step track 32 into goal")
    assert table.mapping["winners"] == [0, 2]
    assert table.mapping["hands"]["0"] == ["9"]


@pytest.mark.rule("AD-33")
def test_a_meeting_comes_before_the_win() -> None:
    # Red's hidden pawn turns home only after the companion; the pull of another pawn does not touch the goal.
    pawns = {"red": ["track 63", "goal 1", "goal 2", "goal 3"], "green": ["track 22"], "hidden": [63]}
    table = hold("companion", **pawns)
    table.act("card companion", "step track 63", "step track 0 into goal", "step track 22", "step track 23")
    assert where(table, "red") == ["goal 0", "goal 1", "goal 2", "goal 3"]
    assert where(table, "yellow") == ["track 23"]


@pytest.mark.rule("AD-34")
def test_companion_of_two_moves_every_colour() -> None:
    start = make_position({"red": ["track 20"], "green": ["track 40", "goal 0"]}, {"0": ["companion"]}, 2)
    assert table_at(start).act("card companion").legal == {"step track 20", "step track 40", "step goal green 0"}


@pytest.mark.rule("AD-35")
def test_no_playable_card_with_two() -> None:
    hands = {"0": ["swap", "copy"], "1": ["2"]}
    start = make_position({"red": ["track 20"], "green": ["track 40"]}, hands, 2, phase="redraw", deck=["swap", "5"])
    table = table_at(start)
    assert table.legal == {"discard swap", "discard copy"}
    table.act("discard copy")
    mapping = table.mapping
    assert (mapping["phase"], mapping["redrawn"], mapping["hands"]["0"]) == ("redraw", True, ["swap", "swap"])
    assert (mapping["discard"], mapping["turn"], mapping["last_card"]) == (["copy"], 0, None)
    mapping = table.act("discard swap").mapping
    assert (mapping["discard"], mapping["turn"], mapping["cards_played"]) == (["swap", "copy"], 1, 0)
    assert (mapping["to_move"], mapping["out"], mapping["hands"]["0"]) == (1, [], ["swap"])
    start["deck"] = ["5", *start["deck"][:1], *start["deck"][2:]]
    table = table_at(start).act("discard copy")
    assert (table.mapping["phase"], table.mapping["redrawn"], table.legal) == ("card", True, {"card 5"})
    table.act("card 5", "from track 20")
    assert (table.mapping["redrawn"], table.mapping["last_card"]) == (False, "5")
    start["discard"], start["deck"] = start["deck"], []
    table = table_at(start).act("discard copy")  # an empty deck: the pile, with the card on top of it, is shuffled
    assert len(table.mapping["deck"]) == 110 - 2 - 1
    assert table.mapping["discard"] == []


@pytest.mark.rule("AD-36")
@pytest.mark.parametrize(("victim", "out"), [("red", [0]), ("green", [])])
def test_penalty_with_two(victim: str, out: list[int]) -> None:
    pawns = {"red": ["track 20"], "green": ["track 40"]}
    pawns[victim] = [*pawns[victim], "track 25"]
    table = table_at(make_position(pawns, {"0": ["5", "6"], "1": ["2"]}, 2)).act("card 5", "from track 20")
    assert table.mapping["out"] == out


@pytest.mark.rule("AD-37", "AD-38")
def test_a_long_game_is_cut_off() -> None:
    env = make_env(max_turns=7)
    env.reset(seed=3)
    while env.to_move >= 0:
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0]))
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}
    assert set(env.rewards.values()) == {0.0}
    mapping = env.state_to_dict()
    assert (mapping["end_reason"], mapping["winners"], mapping["cards_played"]) == ("truncated", [], 7)
    assert make_game().options["max_turns"] == 2000
