"""Random games break no invariant, and each invariant detects states that violate it."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.games.agent_avenue import invariants
from tests.support import random_games
from tests.support.games import some_quick
from tests.support.random_games import broken_by, broken_in, determinized, out_of_order, play_games

from spygames.agent_avenue import layout, make_game
from spygames.core.game.game import Game, as_record

SIMPLE, TWO, THREE, FOUR = ({}, {"mode": "advanced"}, {"players": 3}, {"mode": "advanced", "players": 4})
Change = Callable[[Any], object]
Fits = Callable[[Any, Any], bool]


@pytest.mark.parametrize("games", [50, pytest.param(2000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("options", some_quick(invariants.VARIANTS, (0, 5)))
def test_random_games_break_no_invariant(options: dict[str, Any], games: int) -> None:
    game = make_game(**options)
    played = play_games(game, range(games))
    assert {name: rows.tolist() for name, rows in played.broken.items() if len(rows)} == {}
    assert (played.states["to_move"] == -1).all()
    assert played.decisions.min() >= 2
    assert set(played.broken) == set(random_games.names(game))
    again = play_games(game, range(games - 10, games))  # a game depends on its seed only
    assert again.states.tobytes() == played.states[-10:].tobytes()
    assert again.decisions.tolist() == played.decisions[-10:].tolist()


@cache
def decisions(options: tuple[tuple[str, Any], ...]) -> list[tuple[np.ndarray, np.ndarray]]:
    """States [1] before and after each decision of some random games."""
    game, rng = make_game(**dict(options)), np.random.default_rng(3)
    mask, pairs = np.zeros(game.num_actions, np.int8), []
    for seed in range(300):
        states = game.start(seed)
        s = as_record(states)
        while s.to_move >= 0:
            before = states.copy()
            game.legal(s, mask)
            game.apply(s, int(rng.choice(np.flatnonzero(mask))))
            pairs.append((before, states.copy()))
    return pairs


def put(key: str, value: Any) -> Change:
    return lambda s: s.__setitem__(key, value)


def add(key: str, *place: int, n: int = 1) -> Change:
    return lambda s: s[key].__setitem__(place, s[key][place] + n) if place else s.__setitem__(key, s[key] + n)


def during(*phases: int) -> Fits:
    return lambda before, s: s.phase in phases


def after(*phases: int) -> Fits:
    return lambda before, s: before.phase in phases


def always(before: Any, s: Any) -> bool:
    return True


def moves(source: tuple[str, Any], target: tuple[str, Any], card: int | None = None) -> Change:
    """Move one copy of a card from one place to another: no card is missing, but one is in a wrong place."""

    def change(s: Any) -> None:
        which = card if card is not None else int(np.flatnonzero(s[source[0]][source[1]])[0])
        s[source[0]][source[1]][which] -= 1
        s[target[0]][target[1]][which] += 1

    return change


def buried(s: Any) -> None:
    """Exchange the top and the bottom card of the deck."""
    s.deck[[0, s.deck_size - 1]] = s.deck[[s.deck_size - 1, 0]]


def from_deck(place: str, *index: int) -> Change:
    """Move the top card of the deck to a place without a draw."""

    def change(s: Any) -> None:
        s.deck_size -= 1
        s[place][(*index, s.deck[s.deck_size])] += 1
        s.deck[s.deck_size] = -1

    return change


def mixed_deck(before: Any, s: Any) -> bool:
    return s.deck_size > 3 and s.deck[0] != s.deck[s.deck_size - 1]


def a_claim(reason: str) -> Change:
    """Make a position before the end meet a condition that ends the game."""

    def change(s: Any) -> None:
        if reason == "caught":
            s.progress[0] = s.progress[1] + 7
        else:
            s.in_play[1, {"codebreakers": 2, "daredevils": 4}[reason]] = 3

    return change


def ongoing_claim(card: int) -> Change:
    def change(s: Any) -> None:
        s.market[card] = 0
        if card == invariants.MASTERPLAN:
            s.in_play[0, :7] = 1
        elif card == invariants.SECURITY_SYSTEM:
            s.progress[:] = 5, 7
        else:
            s.in_play[0, 4] = 3

    return change


def ended(reason: str) -> Fits:
    return lambda before, s: s.end_reason >= 0 and layout.END_REASONS[s.end_reason] == reason


def both(*changes: Change) -> Change:
    return lambda s: [change(s) for change in changes]


def stays_at_home(before: Any, s: Any) -> bool:
    return before.phase == layout.RECRUIT and s.phase != layout.MARKET and s.pending < 0


def lands(before: Any, s: Any) -> bool:
    return before.phase == layout.RECRUIT and s.phase == layout.MARKET


CORRUPTED: list[tuple[str, dict[str, Any], Fits, Change]] = [
    ("agent_cards_conserved", SIMPLE, always, add("hands", 0, 3)),
    ("agent_cards_conserved", TWO, always, add("in_play", 1, 0)),
    ("agent_cards_conserved", SIMPLE, always, add("discarded", 1, 7)),
    ("agent_cards_conserved", SIMPLE, during(layout.RECRUIT), put("face_down", -1)),
    ("agent_cards_conserved", SIMPLE, mixed_deck, lambda s: s.deck.__setitem__(0, s.deck[s.deck_size - 1])),
    ("agent_cards_conserved", SIMPLE, mixed_deck, put("deck_size", 2)),
    ("agent_cards_conserved", SIMPLE, always, both(add("hands", 0, 6, n=2), add("hands", 1, 6, n=-2))),
    ("market_cards_conserved", TWO, always, lambda s: s.market.__setitem__(s.market == layout.AT_SUPPLY, 0)),
    ("market_cards_conserved", TWO, always, lambda s: s.market.__setitem__(s.market_deck[0], layout.AT_SUPPLY)),
    ("market_cards_conserved", TWO, always, lambda s: s.market_deck.__setitem__(0, s.market_deck[1])),
    ("market_cards_conserved", TWO, lambda b, s: s.market[8] == layout.AT_DISCARD,
     lambda s: s.market.__setitem__(8, 0)),
    ("market_cards_conserved", TWO, during(layout.ABILITY), put("ability", -1)),
    ("market_cards_conserved", SIMPLE, always, add("market", 3)),
    ("market_cards_conserved", THREE, always, put("pending", 1)),
    ("hands_drawn_up", SIMPLE, during(layout.PLAY), moves(("hands", 0), ("in_play", 0))),
    ("hands_drawn_up", SIMPLE, mixed_deck, from_deck("hands", 0)),
    ("hands_drawn_up", FOUR, during(layout.UP), moves(("hands", 0), ("in_play", 0))),
    ("hands_drawn_up", THREE, always, moves(("hands", 0), ("hands", 3))),
    ("discards_within_limits", SIMPLE, always, add("discards_left", 0)),
    ("discards_within_limits", SIMPLE, mixed_deck, from_deck("discarded", 0)),
    ("discards_within_limits", FOUR, always, add("discards_left", 2, n=2)),
    ("discards_within_limits", THREE, always, add("discards_left", 3, n=4)),
    ("discards_within_limits", SIMPLE, lambda b, s: s.discards_left[0] == 0, both(
        add("discards_left", 0, n=-1), add("discarded", 0, 0))),
    ("offer_fits_phase", SIMPLE, during(layout.PLAY), put("face_up", 1)),
    ("offer_fits_phase", SIMPLE, during(layout.RECRUIT), put("face_down", -1)),
    ("offer_fits_phase", FOUR, during(layout.DOWN), put("face_down", 2)),
    ("offer_fits_phase", TWO, lambda b, s: s.phase == layout.RECRUIT and s.hands[s.active_side, s.face_up] == 0,
     lambda s: s.__setitem__("face_down", s.face_up)),
    ("offer_fits_phase", TWO, during(layout.RECRUIT), put("kept", 9)),
    ("seat_fits_phase", SIMPLE, during(layout.PLAY), lambda s: s.__setitem__("to_move", 1 - s.to_move)),
    ("seat_fits_phase", SIMPLE, during(layout.RECRUIT), lambda s: s.__setitem__("to_move", 1 - s.to_move)),
    ("seat_fits_phase", THREE, during(layout.PLAY), put("phase", layout.LEAD)),
    ("seat_fits_phase", FOUR, during(layout.LEAD), lambda s: s.__setitem__("to_move", s.to_move ^ 1)),
    ("seat_fits_phase", FOUR, during(layout.DOWN), lambda s: s.__setitem__("to_move", s.leader)),
    ("seat_fits_phase", FOUR, during(layout.UP), put("leader", -1)),
    ("seat_fits_phase", FOUR, during(layout.MARKET), lambda s: s.__setitem__("to_move", s.to_move ^ 1)),
    ("seat_fits_phase", FOUR, during(layout.RESOLVER), put("resolver", 0)),
    ("seat_fits_phase", FOUR, during(layout.ABILITY), lambda s: s.__setitem__("to_move", s.to_move ^ 1)),
    ("seat_fits_phase", TWO, lambda b, s: s.pending >= 0, lambda s: s.__setitem__("pending", s.active_side)),
    ("seat_fits_phase", SIMPLE, during(layout.OVER), put("to_move", 0)),
    ("captains_alternate", FOUR, during(layout.RECRUIT), lambda s: s.captain.__setitem__(0, s.captain[0] ^ 1)),
    ("captains_alternate", THREE, during(layout.OVER), lambda s: s.captain.__setitem__(0, s.captain[0] ^ 1)),
    ("captains_alternate", SIMPLE, always, lambda s: s.captain.__setitem__(0, 1)),
    ("moved_by_icons", SIMPLE, always, add("progress", 1)),
    ("moved_by_icons", FOUR, lambda b, s: (s.market >= layout.AT_SUPPLY).all() and (s.market < layout.AT_DISCARD).all(),
     add("progress", 0)),
    ("seen_cards_are_held", TWO, always, lambda s: s.seen.__setitem__((0, 2), s.hands[0, 2] + 2)),
    ("seen_cards_are_held", TWO, always, add("seen", 1, 3, n=-7)),
    ("seen_cards_are_held", SIMPLE, lambda b, s: s.hands[0, 1] > 0, add("seen", 0, 1)),
    ("undecided_while_going_on", SIMPLE, during(layout.PLAY), a_claim("caught")),
    ("undecided_while_going_on", SIMPLE, during(layout.RECRUIT), a_claim("codebreakers")),
    ("undecided_while_going_on", FOUR, during(layout.UP), a_claim("daredevils")),
    *(("undecided_while_going_on", TWO, during(layout.PLAY), ongoing_claim(card)) for card in (2, 3, 4)),
    ("undecided_while_going_on", SIMPLE, during(layout.PLAY), lambda s: (
        s.__setitem__("deck_size", 0), s.hands[s.to_move].fill(0))),
    ("undecided_while_going_on", FOUR, during(layout.LEAD), lambda s: (
        s.__setitem__("deck_size", 0), s.hands[s.to_move ^ 1].fill(0))),
    *(("end_fits_position", TWO, ended(reason), lambda s: s.__setitem__("winner", 1 - s.winner))
      for reason in ("caught", "codebreakers", "daredevils", "masterplan", "security_system", "leader_of_the_pack")),
    *(("end_fits_position", TWO, ended(reason), put("end_reason", layout.RAN_OUT))
      for reason in ("caught", "codebreakers", "daredevils", "masterplan", "security_system", "leader_of_the_pack")),
    ("end_fits_position", SIMPLE, ended("caught"), lambda s: s.progress.fill(0)),
    ("end_fits_position", SIMPLE, during(layout.PLAY), put("winner", 0)),
    ("end_fits_position", FOUR, during(layout.RECRUIT), put("end_reason", 0)),
    ("nothing_comes_back", SIMPLE, mixed_deck, buried),
    ("nothing_comes_back", SIMPLE, lambda b, s: b.discarded[0].any(), lambda s: s.discarded[0].fill(0)),
    ("nothing_comes_back", TWO, lambda b, s: (b.market == 0).any(), lambda s: s.market.__setitem__(s.market == 0, 1)),
    ("nothing_comes_back", TWO, lambda b, s: (b.market == layout.AT_DISCARD).any(), lambda s: s.market.__setitem__(
        s.market == layout.AT_DISCARD, layout.AT_DECK)),
    ("nothing_comes_back", TWO, lambda b, s: s.market_deck_size > 1, lambda s: s.market_deck.__setitem__(
        slice(2), s.market_deck[1::-1].copy())),
    ("turns_alternate", SIMPLE, lambda b, s: s.turn > b.turn, add("turn")),
    ("turns_alternate", SIMPLE, lambda b, s: s.turn > b.turn,
     lambda s: s.__setitem__("active_side", 1 - s.active_side)),
    ("turns_alternate", SIMPLE, after(layout.PLAY), add("turn")),
    ("turns_alternate", SIMPLE, after(layout.PLAY), put("phase", layout.OVER)),
    ("turns_alternate", FOUR, lambda b, s: s.turn > b.turn, add("turn", n=-1)),
    ("moves_within_reach", SIMPLE, after(layout.PLAY), add("progress", 0)),
    ("moves_within_reach", SIMPLE, after(layout.RECRUIT), add("progress", 0, n=10)),
    ("moves_within_reach", FOUR, after(layout.RECRUIT), add("progress", 1, n=-19)),
    ("moves_within_reach", TWO, lambda b, s: b.phase == layout.MARKET and b.to_move == 0, add("progress", 1)),
    ("moves_within_reach", TWO, lambda b, s: b.market[1] == 0 and after(layout.RECRUIT)(b, s),
     lambda s: s.progress.__setitem__(0, s.progress[0] - s.progress[0] % 7)),
    ("landing_gives_a_card", TWO, lands, put("phase", layout.PLAY)),
    ("landing_gives_a_card", TWO, lands, lambda s: s.__setitem__("to_move", 1 - s.to_move)),
    ("landing_gives_a_card", FOUR, lambda b, s: s.pending >= 0 and lands(b, s), put("pending", -1)),
    ("landing_gives_a_card", TWO, stays_at_home, put("phase", layout.MARKET)),
    ("landing_gives_a_card", TWO, after(layout.PLAY), put("phase", layout.MARKET)),
    ("landing_gives_a_card", TWO, lambda b, s: b.pending >= 0 and s.phase == layout.MARKET and s.to_move == b.pending,
     put("phase", layout.PLAY)),
]  # fmt: skip
CORRUPTED_IDS = [f"{i}-{name}" for i, (name, *_) in enumerate(CORRUPTED)]


@pytest.mark.parametrize(("name", "options", "fits", "change"), CORRUPTED, ids=CORRUPTED_IDS)
def test_each_violation_is_found(name: str, options: dict[str, Any], fits: Fits, change: Change) -> None:
    """In each position of random play to which the change applies, the invariant holds before it and not after it."""
    found = 0
    for before, truth in decisions(tuple(options.items())):
        states = truth.copy()
        s = as_record(states)
        if fits(as_record(before), s):
            assert not any(wrong.any() for wrong in look(before, states).values())
            change(s)
            if states.tobytes() != truth.tobytes():
                found += look(before, states)[name].all()
                assert found, "the invariant missed the first change that applies"
                if found == 5:
                    return
    assert found, "the change applies to no position"


def look(before: np.ndarray, states: np.ndarray) -> dict[str, np.ndarray]:
    return broken_in(invariants, states) | broken_by(invariants, before, states)  # type: ignore[arg-type]


def test_every_invariant_has_a_violation() -> None:
    every = {holds.__name__ for holds in (*invariants.OF_STATE, *invariants.OF_DECISION)}
    assert {name for name, *_ in CORRUPTED} == every


# ---------------------------------------------------------------- invariants of all games


def opening() -> tuple[Game, np.ndarray, np.ndarray, np.ndarray]:
    game = make_game("advanced", 4)
    states, mask = game.start(1), np.zeros((1, game.num_actions), np.int8)
    game.legal(as_record(states), mask[0])
    return game, states, mask, np.zeros((1, 4), np.float32)


def out_of(game: Game, states: np.ndarray, mask: np.ndarray, results: np.ndarray) -> set[str]:
    found = out_of_order(game, invariants, states, mask, results)  # type: ignore[arg-type]
    return {name for name, wrong in found.items() if wrong.any()}


def test_wrong_masks_movers_and_results_are_found() -> None:
    game, states, mask, results = opening()
    assert out_of(game, states, mask, results) == set()
    assert out_of(game, states, 0 * mask, results) == {"legal_actions_exist"}
    assert out_of(game, states, 2 * mask, results) == {"legal_actions_exist"}
    assert out_of(game, states, mask, results + 1) == {"results_are_due"}
    for to_move, found in ((4, "mover_exists"), (-2, "mover_exists"), (-1, "legal_actions_exist")):
        states["to_move"] = to_move
        assert out_of(game, states, mask, results) == {found}
    _, over = decisions((("mode", "advanced"),))[-1]
    two, side = make_game("advanced"), int(over["winner"][0])
    assert side in (0, 1)
    nothing, won = np.zeros((1, 106), np.int8), np.array([[1, -1], [-1, 1]], np.float32)
    assert out_of(two, over, nothing, won[[side]]) == set()
    assert out_of(two, over, nothing, won[[1 - side]]) == {"results_are_due"}
    assert out_of(two, over, nothing, 0 * won[[0]]) == {"results_are_due"}
    assert out_of(two, over, nothing + 1, won[[side]]) == {"legal_actions_exist"}


def test_wrong_determinize_is_found() -> None:
    game = make_game("advanced", 4)
    states = np.concatenate([states for _, states in decisions(tuple(FOUR.items()))[:60]])
    seeds = np.arange(len(states), dtype=np.uint64)

    def found(determinize: Callable[..., None]) -> set[str]:
        wrong = determinized(replace(game, determinize=determinize), invariants, states, seeds)  # type: ignore[arg-type]
        return {name for name, rows in wrong.items() if rows.any()}

    def own_hand_too(s: Any, seat: int, seed: Any) -> None:
        game.determinize(s, seat ^ 1, seed)

    def a_card_less(s: Any, seat: int, seed: Any) -> None:
        game.determinize(s, seat, seed)
        s.deck[0] = s.deck[s.deck_size - 1]

    def another_mover(s: Any, seat: int, seed: Any) -> None:
        game.determinize(s, seat, seed)
        s.market[s.market == layout.AT_ABILITY] = layout.AT_DISCARD

    assert found(game.determinize) == set()
    assert "determinize_keeps_view" in found(own_hand_too)
    assert found(a_card_less) == {"determinize_gives_possible"}
    assert "determinize_keeps_view" in found(another_mover)


def test_a_game_without_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_games, "LONGEST", 3)
    played = play_games(make_game(), range(5))
    assert len(played.broken["it_ends"]) > 0
