"""Black Market and teams: set-up, options, views and results that no scenario covers."""

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.games.agent_avenue.conftest import VARIANTS

from spygames.agent_avenue import Mode, layout, make_game
from spygames.agent_avenue.cards import AGENTS, MARKET_CARDS
from spygames.core.game.game import Game, as_record

PLACES = {  # the seat at each place of a view, by viewer; None: an empty place
    2: [[0, 1], [1, 0]],
    3: [[0, 1, 2, None], [1, 0, 2, None], [2, None, 0, 1]],
    4: [[0, 1, 2, 3], [1, 0, 2, 3], [2, 3, 0, 1], [3, 2, 0, 1]],
}
DA, EN, CB, SA, DD, SE, SK, MO = AGENTS


def positions(game: Game, games: int, seed: int = 0) -> Any:
    """Every position of games of random play, copies of STATE [1]."""
    rng, mask = np.random.default_rng(seed), np.zeros(game.num_actions, np.int8)
    for _ in range(games):
        states = game.start(int(rng.integers(2**63)))
        s = as_record(states)
        while True:
            yield states.copy()
            if s.to_move < 0:
                break
            game.legal(s, mask)
            game.apply(s, int(rng.choice(np.flatnonzero(mask))))


def view_of(game: Game, states: np.ndarray, seat: int) -> Any:
    views = game.new_views()
    game.observe(as_record(states), seat, as_record(views))
    return views[0]


@pytest.mark.rule("AA-3", "AA-23")
@pytest.mark.parametrize("side", [0, 1])
def test_the_corners_are_market_spaces(at: Callable[..., Any], make_mapping: Callable[..., Any], side: int) -> None:
    market = {
        "market_supply": list(MARKET_CARDS[:3]),
        "market_deck": list(MARKET_CARDS[3:]),
        "market_in_play": {"0": [], "1": []},
        "market_discard": [],
    }
    found = set()
    for space in range(14):
        progress = [20, 20]
        progress[side] = next(p for p in range(14, 28) if (7 * side + p + 1) % 14 == space)
        offer = {"face_up": EN, "face_down": CB, "active": 1 - side}
        start = make_mapping({"0": [SA] * 4, "1": [SE] * 4}, progress=progress, **offer)
        start |= {"mode": "advanced", **market}
        if abs(progress[0] - progress[1]) >= 7:
            start["progress"][1 - side] = progress[side]
        position = at(start).act("recruit up")  # +1 for `side`, 0 for the other one
        if position.mapping["phase"] == "market":
            assert position.mapping["to_move"] == side
            found.add(space)
    assert found == {2, 5, 9, 12}


@pytest.mark.rule("AA-4", "AA-22")
def test_the_market_is_set_up_by_a_uniform_shuffle() -> None:
    game, n = make_game("advanced"), 3000
    first, supply = Counter(), Counter()
    for seed in range(n):
        mapping = game.state_to_dict(as_record(game.start(seed)))
        assert sorted(mapping["market_supply"] + mapping["market_deck"]) == sorted(MARKET_CARDS)
        assert len(mapping["market_supply"]) == 3
        assert not mapping["market_discard"]
        assert mapping["market_in_play"] == {"0": [], "1": []}
        first[mapping["market_deck"][0]] += 1
        supply.update(mapping["market_supply"])
    assert len(set(MARKET_CARDS)) == 15
    for counts, share in ((first, 1 / 15), (supply, 3 / 15)):
        observed = np.array([counts[card] for card in MARKET_CARDS])
        assert (np.abs(observed / n - share) < 5 * np.sqrt(share * (1 - share) / n)).all()


@pytest.mark.rule("AA-38", "AA-41", "AA-42")
@pytest.mark.parametrize("mode", ["simple", "advanced"])
@pytest.mark.parametrize("players", [3, 4])
def test_teams_are_set_up(mode: Mode, players: int) -> None:
    game = make_game(mode, players)
    for seed in range(10):
        mapping = game.state_to_dict(as_record(game.start(seed)))
        assert [len(hand) for hand in mapping["hands"].values()] == [4] * players
        assert len(mapping["deck"]) == 38 - 4 * players
        assert mapping["captain"] == {"0": 0, "1": 2}
        assert (mapping["phase"], mapping["to_move"], mapping["lead"]) == ("lead", 0, None)
        assert list(mapping["discards_left"].values()) == ([2, 2, 4] if players == 3 else [2] * 4)


@pytest.mark.rule("AA-6", "AA-41")
def test_the_side_of_the_first_player_begins() -> None:
    for players, sides in ((3, [0, 0, 1]), (4, [0, 0, 1, 1])):
        for seat, side in enumerate(sides):
            s = as_record(make_game(players=players, first_player=seat).start(3))
            assert (s.active_side, s.to_move) == (side, 2 * side)
    drawn = make_game("advanced", 4, "random")
    sides = [int(as_record(drawn.start(seed)).active_side) for seed in range(3000)]
    assert abs(np.mean(sides) - 0.5) < 5 * 0.5 / np.sqrt(3000)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"mode": "expert"}, "mode"),
        ({"players": 5}, "players"),
        ({"players": True}, "players"),
        ({"players": 3, "first_player": 3}, "first_player"),
        ({"first_player": 2}, "first_player"),
        ({"captain": "alternate"}, "captain"),
        ({"captain": "fixed", "mode": "advanced"}, "captain"),
        ({"players": 4, "captain": "loud"}, "captain"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], word: str) -> None:
    with pytest.raises(ValueError, match=word) as error:
        make_game(**options)
    assert "\n" not in str(error.value)


def test_the_view_of_simple_mode_for_two_fits_released_agents() -> None:
    game = make_game()
    assert (game.num_features, game.num_actions) == (160, 74)
    sizes = [make_game(**options).num_features for options in VARIANTS]
    assert sizes == [251, 193, 193, 313, 313]
    assert [make_game(**options).num_actions for options in VARIANTS] == [106, 126, 126, 126, 126]


@pytest.mark.rule("AA-41")
def test_a_fixed_captain_stays() -> None:
    game = make_game(players=4, captain="fixed")
    assert all(states["captain"][0].tolist() == [0, 2] for states in positions(game, 10))


@pytest.mark.rule("AA-39", "AA-40", "AA-9", "AA-12")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_views_hold_what_a_seat_may_know_and_no_more(options: dict[str, Any]) -> None:
    game, number = make_game(**options), 0
    for states in positions(game, 15, seed=1):
        s, mapping = as_record(states), game.state_to_dict(as_record(states))
        players, down = game.num_players, int(s.face_down)
        sides = [0, 1] if players == 2 else [0, 0, 1, 1]
        hider = int(s.active_side) if players == 2 else (int(s.leader) ^ 1 if s.leader >= 0 else 2)
        for seat in range(players):
            view, own = view_of(game, states, seat), sides[seat]
            number += 1
            assert view["hand"].sum(1).tolist() == np.minimum(s.hands[seat], 4).tolist()
            assert (view["face_down"].argmax() if view["face_down"].any() else -1) == (down if seat == hider else -1)
            seen = s.hands[seat] + s.discarded[seat] + s.in_play.sum(0)
            seen = seen + [(s.face_up == c) + (seat == hider and down == c) for c in range(8)]
            assert (view["unseen"] * 6).round().tolist() == (np.array([6] * 6 + [1, 1]) - seen).tolist()
            assert (view["in_play"] * 6).round().tolist() == s.in_play[[own, 1 - own]].tolist()
            for place, who in enumerate(PLACES[players][seat]):
                assert view["hand_size"][place] * 4 == (0 if who is None else s.hands[who].sum())
                assert view["discards_left"][place].sum() == (0 if who is None else s.discards_left[who])
                if players > 2:
                    assert view["present"][place] == (who is not None)
                    assert view["decider"][place] == (who is not None and s.to_move == who)
                    assert view["captain"][place] == (who is not None and s.captain[sides[who]] == who)
                    assert view["leader"][place] == (who is not None and s.leader == who)
            assert view["decides"] == (s.to_move == seat)
            assert view["active"] == (s.to_move >= 0 and s.active_side == own)
            assert [layout.PHASES[i] for i in np.flatnonzero(view["phase"])] == [mapping["phase"]] * int(s.to_move >= 0)
            assert view["kept"] * 4 == s.kept
            if game.options["mode"] == "advanced":
                names = [
                    [MARKET_CARDS[i] for i in np.flatnonzero(view["supply"])],
                    [MARKET_CARDS[i] for i in np.flatnonzero(view["ongoing"][0])],
                    [MARKET_CARDS[i] for i in np.flatnonzero(view["ongoing"][1])],
                    [MARKET_CARDS[8 + i] for i in np.flatnonzero(view["market_discard"])],
                ]
                shown = mapping["market_in_play"]
                assert names == [
                    mapping["market_supply"], shown[str(own)], shown[str(1 - own)], mapping["market_discard"]
                ]  # fmt: skip
                ability = mapping["ability"] or {"card": None, "taken": None}
                assert [MARKET_CARDS[8 + i] for i in np.flatnonzero(view["ability"])] == [ability["card"]] * (
                    ability["card"] is not None
                )
                assert [AGENTS[i] for i in np.flatnonzero(view["taken"])] == [ability["taken"]] * (
                    ability["taken"] is not None
                )
                assert view["pending"].tolist() == [s.pending == own, s.pending == 1 - own]
                assert round(float(view["market_deck_size"]) * 12) == len(mapping["market_deck"])
    assert number > 300


@pytest.mark.rule("AA-39")
def test_a_partners_hand_is_hidden() -> None:
    """A view does not depend on the partner's hand."""
    game = make_game("advanced", 4)
    for states in positions(game, 6, seed=2):
        views = [view_of(game, states, seat).tobytes() for seat in range(4)]
        for seat in range(4):
            other = states.copy()
            s = as_record(other)
            mate = seat ^ 1
            free = s.hands[mate] - s.seen[mate]  # seen cards are public
            card = next((c for c in range(8) if free[c] > 0), None)
            if card is None or s.deck_size == 0 or s.phase == layout.ABILITY:
                continue
            top = s.deck[s.deck_size - 1]
            s.hands[mate, card] -= 1
            s.hands[mate, top] += 1
            s.deck[s.deck_size - 1] = card
            assert view_of(game, other, seat).tobytes() == views[seat]


@pytest.mark.rule("AA-46")
@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_a_team_has_one_result(options: dict[str, Any]) -> None:
    game = make_game(**options)
    sides = [0, 1] if game.num_players == 2 else [0, 0, 1, 1][: game.num_players]
    for states in positions(game, 8, seed=3):
        returns = np.zeros(game.num_players, np.float32)
        game.returns(as_record(states), returns)
        winner = int(states["winner"][0])
        assert returns.tolist() == [0 if winner < 0 else 1 if side == winner else -1 for side in sides]


# ---------------------------------------------------------------- determinize

DRAWS = 2000
MARKET = {"market_in_play": {"0": [], "1": []}, "market_discard": list(MARKET_CARDS[8:]), "market_supply": []}
MARKET |= {"market_supply": list(MARKET_CARDS[:6]), "market_deck": list(MARKET_CARDS[6:8])}


def spread_out(players: int, hands: dict[str, list[str]], deck: list[str], **changes: Any) -> dict[str, Any]:
    """A mapping of advanced mode in which the cards not named are in play, at most three of a kind a side.

    At most two Codebreakers and Daredevils a side are in play. The remaining cards are in the hand of seat 0, the
    viewer.
    """
    mapping: dict[str, Any] = {
        "mode": "advanced", "players": players, "phase": "recruit", "to_move": 0, "active_side": 1, "turn": 9,
        "progress": [0, 0], "hands": {str(p): list(hands.get(str(p), [])) for p in range(players)},
        "in_play": {"0": {}, "1": {}}, "discarded": {str(p): [] for p in range(players)},
        "discards_left": {str(p): 2 for p in range(players)}, "deck": deck, "face_up": None, "face_down": None,
        "winner": None, "end_reason": None, **MARKET, "market_supply": list(MARKET_CARDS[:6]),
    } | changes  # fmt: skip
    named = [c for hand in hands.values() for c in hand] + deck + [mapping["face_up"], mapping["face_down"]]
    ability = mapping.get("ability")
    mapping["market_discard"] = [c for c in MARKET_CARDS[8:] if not ability or c != ability["card"]]
    for card, n in dict.fromkeys(AGENTS[:6], 6).items() | {(SK, 1), (MO, 1)}:
        left = n - named.count(card)
        most = 2 if card in (CB, DD) else 3
        for side in "01":
            if put := min(left, most):
                mapping["in_play"][side][card] = put
                left -= put
        mapping["hands"]["0"] += [card] * left
    return mapping


DETERMINIZED: dict[str, tuple[dict[str, Any], int]] = {  # position, viewer
    "a card seen in a hand": (
        spread_out(2, {"1": [SA, SE]}, [EN, CB], face_up=MO, face_down=DD, seen_in_hand={"0": {}, "1": {SA: 1}}),
        0,
    ),
    "two seen, one kind": (
        spread_out(2, {"1": [SA, EN]}, [SA, CB], face_up=MO, face_down=SA, seen_in_hand={"0": {}, "1": {SA: 2}}),
        0,
    ),
    "an alike offer is possible": (
        spread_out(2, {"1": [SA, SA]}, [EN, CB], face_up=SA, face_down=DD, record={"kept": 1}),
        0,
    ),
    "two seen, one drawn": (
        spread_out(
            2, {"1": [SA, EN, SE]}, [SA, CB], face_up=MO, face_down=SA, record={"kept": 2},
            seen_in_hand={"0": {}, "1": {SA: 1, EN: 1}},
        ),
        0,
    ),
    "the partner plays face down": (
        spread_out(
            4, {"1": [SA], "2": [EN], "3": [DD]}, [CB], face_up=MO, face_down=SE, lead=0, active_side=0, to_move=2,
            seen_in_hand={"0": {}, "1": {SA: 1}, "2": {}, "3": {DD: 1}},
        ),
        0,
    ),
    "the rival has a sentinel for its outpost": (
        spread_out(
            2, {"1": [SE, SA]}, [EN, SE, CB], phase="ability", to_move=1,
            ability={"side": 1, "card": "outpost", "seat": 1, "taken": None},
        ),
        0,
    ),
    "the rival has two alike": (
        spread_out(
            2, {"1": [SA, SA]}, [EN, SE, SE], phase="ability", to_move=1,
            ability={"side": 1, "card": "double_trouble", "seat": 1, "taken": None},
        ),
        0,
    ),
}  # fmt: skip


def hidden(s: Any, viewer: int, players: int) -> tuple[Any, ...]:
    """The cards in the places that the viewer cannot see."""
    hands = tuple(tuple(s.hands[p].tolist()) for p in range(players) if p != viewer)
    return int(s.face_down), hands, tuple(s.deck[: s.deck_size].tolist())


def held(mapping: dict[str, Any], seat: int) -> int:
    """Number of cards in a hand."""
    return len(mapping["hands"][str(seat)])


def exact(s: Any, mapping: dict[str, Any], viewer: int) -> dict[Any, float]:
    """The probability of each outcome, by enumerating the orders of the hidden copies that the rules allow.

    Copies seen in a hand are still in it, or one of them is face down. All places of the hand are equally likely,
    except those of cards drawn after the offer.
    """
    players = mapping["players"]
    others = [p for p in range(players) if p != viewer]
    offered = mapping["face_down"] is not None
    hider = None if not offered else (1 if players == 2 else int(mapping["lead"]) ^ 1)
    slots: list[tuple[str, int]] = [("down", -1)] * offered
    kept = mapping.get("record", {}).get("kept", 0)
    slots += [("drawn" if p == hider and i >= kept else "hand", p) for p in others for i in range(held(mapping, p))]
    slots += [("deck", -1)] * len(mapping["deck"])
    cards = [c for p in others for c in mapping["hands"][str(p)]] + mapping["deck"]
    cards += [mapping["face_down"]] * offered
    known = [
        (p, c) for p in others for c, n in (mapping.get("seen_in_hand") or {}).get(str(p), {}).items() for _ in range(n)
    ]
    for _, card in known:
        cards.remove(card)
    counts: Counter[Any] = Counter()
    # Label the copies: known ones can take any place of their hand, the others any place that remains.
    labels = [(card, owner) for owner, card in known] + [(card, None) for card in cards]
    for order in permutations(range(len(labels))):
        laid = [labels[i] for i in order]
        fits = all(
            owner is None or slot == ("hand", owner) or (slot[0] == "down" and owner == hider)
            for (_, owner), slot in zip(laid, slots, strict=True)
        )
        if not fits:
            continue
        down, hands, deck = -1, {p: [0] * 8 for p in others}, []
        for (card, _), (place, p) in zip(laid, slots, strict=True):
            if place == "down":
                down = AGENTS.index(card)
            elif place in ("hand", "drawn"):
                hands[p][AGENTS.index(card)] += 1
            else:
                deck.append(AGENTS.index(card))
        others_kept = {c for (c, _), slot in zip(laid, slots, strict=True) if slot == ("hand", hider)} - {AGENTS[down]}
        if hider is not None and AGENTS[down] == mapping["face_up"] and others_kept:
            continue
        ability = (mapping.get("ability") or {"card": None})["card"]
        if ability == "outpost" and hands[1][AGENTS.index(SE)] == 0:
            continue
        if ability == "double_trouble" and max(hands[1]) < 2:
            continue
        counts[down, tuple(tuple(hands[p]) for p in others), tuple(deck)] += 1
    return {result: n / counts.total() for result, n in counts.items()}


@pytest.mark.rule("AA-28", "AA-37", "AA-39", "AA-40")
@pytest.mark.parametrize("name", DETERMINIZED)
def test_determinize_is_uniform(at: Callable[..., Any], name: str) -> None:
    mapping, viewer = DETERMINIZED[name]
    position = at(mapping)
    mapping = mapping | {"record": position.mapping["record"]}
    chances = exact(position.s, mapping, viewer)
    truth, seen = position.states.copy(), Counter()
    market: Counter[Any] = Counter()
    for seed in range(DRAWS):
        position.states[:] = truth
        position.game.determinize(position.s, viewer, np.uint64(seed))
        seen[hidden(position.s, viewer, mapping["players"])] += 1
        market[tuple(position.s.market_deck[:2].tolist())] += 1
    position.states[:] = truth
    assert hidden(position.s, viewer, mapping["players"]) in chances
    assert set(seen) <= set(chances)
    cells = [(seen[r], chance) for r, chance in chances.items() if chance * DRAWS >= 5]
    rest = [(seen[r], chance) for r, chance in chances.items() if chance * DRAWS < 5]
    cells += [tuple(map(sum, zip(*rest, strict=True)))] if rest else []
    observed, expected = np.array(cells).T
    assert stats.chisquare(observed, expected / expected.sum() * observed.sum()).pvalue > 1e-4
    assert set(market) == {(6, 7), (7, 6)}
    assert abs(market[6, 7] / DRAWS - 0.5) < 5 * 0.5 / np.sqrt(DRAWS)
