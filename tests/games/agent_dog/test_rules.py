"""Rules that scenarios do not cover: set-up, cards, views, end."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from spygames.agent_dog import Board, Deck, make_game
from spygames.agent_dog.cards import CARDS, DECKS
from spygames.agent_dog_v0 import env as make_env
from spygames.core.game.game import as_record
from tests.games.agent_dog.conftest import Position, make_mapping, position_at

OTHERS = {"blue": ["track 40"], "green": ["track 50"], "yellow": ["track 57"]}


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
def test_set_up(fresh: Callable[..., Position], players: int, starts: dict[str, int]) -> None:
    mapping = fresh(1, players=players).mapping
    assert mapping["pawns"] == {colour: ["area"] * 3 + [f"track {space}"] for colour, space in starts.items()}
    assert mapping["hidden"] == []


@pytest.mark.rule("AD-3")
def test_standard_board() -> None:
    board = Board(64, [3, 7, 11, 15], 8)
    assert make_game(board=board).options["board"] == "standard"
    game = make_game()
    view = game.new_views()
    game.observe(as_record(game.start(1)), 0, as_record(view))
    assert np.flatnonzero(view["holes"][0]).tolist() == [3, 7, 11, 15]
    assert np.flatnonzero(view["meeting"][0]).tolist() == [8]


@pytest.mark.rule("AD-3")
@pytest.mark.parametrize(
    ("track", "holes", "meeting", "why"),
    [
        (62, [3, 7], 8, "multiple of 4"),
        (52, [3, 7], 8, "56"),
        (132, [3, 7], 8, "128"),
        (64, [0, 7], 8, "start space"),
        (64, [7, 8], 8, "meeting must not be in holes"),
        (64, [15], 0, "meeting must not be 0"),
        (64, [3, 6], 8, "holes must contain 7"),
        (64, [3, 3, 7], 8, "twice"),
        (64, [16, 7], 8, "offset from 0 to 15"),
        (64, [7], 16, "offset from 0 to 15"),
        (64, "7", 8, "list"),
        (64, [7.0], 8, "offset"),
        (True, [7], 8, "multiple"),
    ],
)
def test_invalid_boards_are_refused(track: Any, holes: Any, meeting: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Board(track, holes, meeting)
    with pytest.raises(ValueError, match=why):
        make_game(board={"track": track, "holes": holes, "meeting": meeting})


@pytest.mark.parametrize(
    "options",
    [
        {"players": 5}, {"players": 4.0}, {"board": "big"}, {"board": {"track": 64}}, {"deck": "x"}, {"deck": {"4": 9}},
        {"deck": {"2": 19}}, {"deck": {"2": 127}}, {"deck": {"2": -1}}, {"deck": {"2": 100, "3": 30}},
        {"deck": {"2": 20}}, {"deck": {"2": 20, "13": 0}}, {"deck": {"swap": 50, "copy": 50}}, {"deck": {13: 40}},
        {"board": 64}, {"board": None}, {"board": {1: 2, "x": 3}}, {"deck": None}, {"deck": ["13"] * 40},
        {"deck": {"13": 19.0}}, {"deck": {"13": 20, "2": True}}, {"players": "4"}, {"first_player": True},
        {"hidden_colours": "none"}, {"max_turns": 0}, {"max_turns": True}, {"first_player": 4}, {"first_player": "x"},
    ],
)  # fmt: skip
def test_invalid_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        make_game(**options)


# ---------------------------------------------------------------- cards and rounds


@pytest.mark.rule("AD-5")
@pytest.mark.parametrize("deck", ["standard", "royal"])
def test_decks(fresh: Callable[..., Position], deck: str) -> None:
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
def test_exchange(fresh: Callable[..., Position], players: int, taker: list[int]) -> None:
    position = fresh(5, players=players, first_player=1)
    before = position.mapping
    assert all(len(hand) == 5 for hand in before["hands"].values())
    passed = {}
    for i in range(players):
        seat = (1 + i) % players
        mapping = position.mapping
        assert (mapping["phase"], mapping["to_move"], mapping["dealer"]) == ("exchange", seat, 1)
        hand = mapping["hands"][str(seat)]
        assert position.legal == {f"pass {card}" for card in hand}
        passed[seat] = hand[0]
        views = [position.view(other).tobytes() for other in range(players) if other != seat]
        other = Position(position.game, position.states.copy())
        position.act(f"pass {hand[0]}")
        if i < players - 1:
            assert len(position.mapping["hands"][str(seat)]) == 4
            assert sum(map(len, position.mapping["hands"].values())) == 5 * players - i - 1
            other.act(f"pass {hand[-1]}")
            shown = [t.view(o).tobytes() for t in (position, other) for o in range(players) if o != seat]
            assert shown[: players - 1] == shown[players - 1 :] != views
    after = position.mapping
    assert after["passed"] == {str(seat): card for seat, card in passed.items()}
    for seat, card in passed.items():
        given = Counter(before["hands"][str(seat)]) - Counter([card])
        received = [passed[giver] for giver in range(players) if taker[giver] == seat]
        assert Counter(after["hands"][str(seat)]) == given + Counter(received)
        view = position.view(seat)
        assert view["passed"][0, CARDS.index(card)] == 1 == view["passed"].sum()
        assert view["received"][0, CARDS.index(received[0])] == 1 == view["received"].sum()


@pytest.mark.rule("AD-6")
def test_hands_are_dealt_five_cards_at_a_time_from_the_dealer(fresh: Callable[..., Position]) -> None:
    hands = {"0": ["2"], "1": [], "2": [], "3": []}
    start = make_mapping({"red": ["track 5"], **OTHERS}, hands, dealer=1)
    position = position_at(start).act("card 2", "from track 5")
    mapping = position.mapping
    assert (mapping["dealer"], mapping["round"], mapping["to_move"], mapping["phase"]) == (2, 1, 2, "exchange")
    order = [int(seat) for seat in "2301"]
    for i, seat in enumerate(order):
        assert Counter(mapping["hands"][str(seat)]) == Counter(start["deck"][5 * i : 5 * i + 5])
    assert mapping["deck"] == start["deck"][20:]


@pytest.mark.rule("AD-7")
def test_dealers(fresh: Callable[..., Position]) -> None:
    assert fresh(1).mapping["dealer"] == 0
    assert fresh(1, first_player=2).mapping["dealer"] == 2
    dealers = Counter(fresh(seed, first_player="random").mapping["dealer"] for seed in range(400))
    assert sorted(dealers) == [0, 1, 2, 3]
    assert min(dealers.values()) > 70
    position = fresh(2)
    rng = np.random.default_rng(1)
    leads: dict[int, int] = {}
    for _ in range(400):
        before = position.mapping
        position.act(str(rng.choice(sorted(position.legal))))
        after = position.mapping
        if before["phase"] == "exchange" != after["phase"] and before["dealer"] == after["dealer"]:
            able = after["dealer"] not in after["out"]
            assert not able or after["to_move"] == after["dealer"]
            leads[after["round"]] = after["dealer"]
    assert all(dealer == number % 4 for number, dealer in leads.items())
    assert len(leads) > 3


@pytest.mark.rule("AD-8")
def test_the_discards_become_the_deck_when_a_card_is_drawn_from_an_empty_one() -> None:
    start = make_mapping({"red": ["track 5"], **OTHERS}, {"0": ["2"]})
    start["deck"], start["discard"] = start["deck"][:7], start["deck"][7:]
    position = position_at(start).act("card 2", "from track 5")
    mapping = position.mapping
    assert mapping["discard"] == []
    assert not position.view(0)["discarded"].any()
    assert len(mapping["deck"]) == 110 - 20
    assert Counter(mapping["hands"]["1"]) == Counter(start["deck"][:5])  # the dealer drew before the deck was empty
    assert set(start["deck"][5:7]) <= set(mapping["hands"]["2"])
    start["deck"], start["discard"] = start["deck"] + start["discard"][:13], start["discard"][13:]
    position = position_at(start).act("card 2", "from track 5")
    assert position.mapping["deck"] == []  # the deck is empty, but no card is drawn
    assert len(position.mapping["discard"]) == 90


# ---------------------------------------------------------------- hidden pawns


@pytest.mark.rule("AD-9", "AD-13")
@pytest.mark.parametrize(("track", "playable"), [(11, {"3"}), (3, {"3", "12"}), (7, {"3"}), (15, set())])
def test_a_number_is_playable_up_to_a_protected_start_space(track: int, playable: set[str]) -> None:
    """The only pawn that could move is a hidden one; blue's pawn on its start space, track 16, stops it."""
    pawns = {"blue": [f"track {track}", "track 16"]}
    position = position_at(make_mapping(pawns, {"0": ["3", "12", "13"]}, hidden=[track]))
    assert position.legal == {"card 13 as start", *(f"card {card}" for card in playable)}


@pytest.mark.rule("AD-24")
@pytest.mark.parametrize("kind", ["table", "tracked"])
def test_hidden_pawns_are_visible_only_if_tracked(kind: str) -> None:
    positions = []
    for red, blue in ((43, 51), (51, 43)):
        pawns = OTHERS | {"red": [f"track {red}"], "blue": [f"track {blue}"]}
        start = make_mapping(pawns, {"0": ["2", "swap"], "1": ["2"]}, hidden=[43, 51])
        positions.append(position_at(start, hidden_colours=kind))
    for _ in range(2):
        for seat in range(4):
            same = positions[0].view(seat).tobytes() == positions[1].view(seat).tobytes()
            assert same == (kind == "table")
            if kind == "table":
                assert positions[0].drawing(seat) == positions[1].drawing(seat)
        assert positions[0].legal == positions[1].legal
        for position in positions:
            position.act("card 2") if position.mapping["phase"] == "card" else None


# ---------------------------------------------------------------- the end


@pytest.mark.rule("AD-32")
@pytest.mark.parametrize(("mover", "winner"), [(0, 0), (1, 1), (2, 0)])
def test_the_winner_if_one_card_completes_two_sides(mover: int, winner: int) -> None:
    """The board has no holes before the start spaces, because a hole there would leave one of the two pawns hidden."""
    board = {"track": 64, "holes": [3, 7], "meeting": 8}
    pawns = {"red": ["track 63", "goal 1", "goal 2", "goal 3"], "blue": ["track 15", "goal 1", "goal 2", "goal 3"]}
    hands = {str(mover): ["companion"]}
    start = make_mapping(pawns | {"green": ["track 40"]}, hands, 3, to_move=mover, board=board)
    position = position_at(start, board=board)
    position.act(
        "card companion", "step track 15", "step track 16 into goal", "step track 63", "step track 0 into goal"
    )
    assert position.mapping["winners"] == [winner]


@pytest.mark.rule("AD-32", "AD-38")
@pytest.mark.parametrize(("players", "rewards"), [(4, [0.5, -0.5, 0.5, -0.5]), (3, [1, -0.5, -0.5]), (2, [1, -1])])
def test_rewards(players: int, rewards: list[int]) -> None:
    home = [f"goal {i}" for i in range(4)]
    pawns = {**OTHERS, "red": ["track 62", *home[1:]], "green": home if players == 4 else ["track 50"]}
    position = position_at(make_mapping(pawns, {"0": ["3"]}, players)).act("card 3")
    for due in ([0] * players, rewards):
        out = np.full(players, np.nan, np.float32)
        position.game.returns(position.s, out)
        assert out.tolist() == due
        if not any(due):
            position.act("from track 62 into goal")


@pytest.mark.rule("AD-37", "AD-38")
def test_a_long_game_is_truncated() -> None:
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
