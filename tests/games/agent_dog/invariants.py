"""Invariants of Agent DOG that hold at every decision, written from the rules.

Each invariant takes states, STATE [n], all of one variant, and returns bool [n]: whether it holds in each.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from spygames.agent_dog.board import GOAL
from spygames.agent_dog.cards import COMPANION, COPY, KINDS, OFFERS, POINTS, SWAP
from spygames.agent_dog.layout import (
    CARD,
    EMPTY,
    EXCHANGE,
    HAT,
    HOME,
    MEETING,
    NONE,
    OVER,
    PHASES,
    PLACE,
    REDRAW,
    STEP,
    SWAPPING,
    TRUNCATED,
)

States = np.ndarray
Holds = np.ndarray
SEATS = COLOURS = 4

VARIANTS: list[dict[str, Any]] = [
    {"players": 4, "max_turns": 150},
    {"players": 4, "max_turns": 150, "deck": "royal", "hidden_colours": "tracked"},
    {"players": 3, "max_turns": 150},
    {"players": 2, "max_turns": 2000},
    {"players": 2, "max_turns": 150, "board": {"track": 56, "holes": [2, 5, 6, 9, 12], "meeting": 7}},
]
"""Of which random play is checked."""


def during(s: States, *phases: int) -> np.ndarray:
    return np.isin(s["phase"], phases)


def here(s: States) -> np.ndarray:
    """Which seats have a player, bool [n, 4]."""
    return np.arange(SEATS) < s["options"]["players"][:, None]


def colours(s: States) -> np.ndarray:
    """AD-1: which colors are in play, bool [n, 4]."""
    opposite = np.array([True, False, True, False])
    return np.where(s["options"]["players"][:, None] == 2, opposite, here(s))


def goals(s: States) -> np.ndarray:
    """The contents of the goals, [n, color, goal space]."""
    return s["board"][:, GOAL:].reshape(-1, COLOURS, 4)


def home(s: States) -> np.ndarray:
    """AD-18: whether all pawns of a color are home, bool [n, 4]."""
    return (goals(s) == np.arange(COLOURS)[:, None]).all(2)


def sides_home(s: States) -> np.ndarray:
    """AD-32: whether all pawns of a seat's side are home, bool [n, 4]."""
    players, pairs = s["options"]["players"][:, None], home(s) & home(s)[:, [2, 3, 0, 1]]
    two = home(s)[:, [0, 2, 0, 2]]
    return np.where(players == 4, pairs, np.where(players == 2, two, home(s))) & here(s)


def takers(s: States) -> np.ndarray:
    """AD-6: the seat that receives the card of each seat, [n, 4]."""
    players, seats = s["options"]["players"][:, None], np.arange(SEATS)
    return np.where(players == 4, seats ^ 2, (seats + 1) % players)


def offsets(s: States) -> np.ndarray:
    """The offset of each track space from the start space of its quadrant, [n, GOAL]."""
    return np.arange(GOAL) % s["options"]["quarter"][:, None]


def on_point(s: States) -> np.ndarray:
    """AD-3: whether a pawn is on the meeting point of each quadrant, bool [n, 4]."""
    points = np.arange(4) * s["options"]["quarter"][:, None] + s["options"]["meeting"][:, None]
    return np.take_along_axis(s["board"], points, 1) != EMPTY


def bits(numbers: np.ndarray) -> np.ndarray:
    """The lowest four bits of each number, bool [n, 4]."""
    return (numbers[:, None] >> np.arange(4) & 1).astype(bool)


# ---------------------------------------------------------------- invariants of states


def pawns_conserved(s: States) -> Holds:
    """AD-1, AD-4: four pawns of each color in play and none of another; a place holds at most one by its type."""
    each = s["board"][:, :, None]
    there = ((each != EMPTY) & (each % HAT == np.arange(COLOURS))).sum(1) + s["area"]
    fine = (there == 4 * colours(s)).all(1) & (s["area"] >= 0).all(1)
    off = np.arange(GOAL) >= s["options"]["track"][:, None]
    known = ((s["board"] >= EMPTY) & (s["board"] < 2 * HAT)).all(1)
    return fine & known & (~off | (s["board"][:, :GOAL] == EMPTY)).all(1)


def hats_on_holes(s: States) -> Holds:
    """AD-19, AD-21, AD-22, AD-28: except during a companion, pawns wear hats exactly on the holes."""
    track, hole = s["board"][:, :GOAL], np.take_along_axis(s["options"]["hole"], offsets(s), 1) >= 0
    as_due = np.where(track == EMPTY, True, (track >= HAT) == hole).all(1)
    in_goal: np.ndarray = np.any(goals(s) >= HAT, axis=2)
    players, seat = s["options"]["players"], s["to_move"].astype(int)
    own = np.where(players == 2, 2 * seat, seat) & 3
    others = np.take_along_axis(home(s), own[:, None], 1)[:, 0] & (players == 4)
    own = np.where(others, own ^ 2, own)
    only_own = ~(in_goal & (np.arange(COLOURS) != own[:, None])).any(1)
    return np.where(during(s, STEP), only_own, as_due & ~in_goal.any(1))


def goals_hold_their_colour(s: States) -> Holds:
    """AD-2: visible pawns in a goal are of its color."""
    own = goals(s) == np.arange(COLOURS)[:, None]
    return (own | (goals(s) == EMPTY) | (goals(s) >= HAT)).all((1, 2))


def cards_conserved(s: States) -> Holds:
    """AD-5: hands, piles, the card being played and, in the exchange, the passed cards form the whole deck."""
    kinds = np.arange(KINDS)
    there = s["hands"].sum(1) + (s["card"][:, None] == kinds)
    there += (s["passed"][:, :, None] == kinds).sum(1) * during(s, EXCHANGE)[:, None]
    for pile in ("deck", "discard"):
        there += (s[pile][:, :, None] == kinds).sum(1)
    return (there == s["options"]["copies"]).all(1) & (s["hands"] >= 0).all((1, 2))


def piles_fit_their_sizes(s: States) -> Holds:
    """The cards of a pile fill exactly its first places, and the counts of the discards agree with them."""
    fine = ((s["discard"][:, :, None] == np.arange(KINDS)).sum(1) == s["discarded"]).all(1)
    for pile in ("deck", "discard"):
        size = s[f"{pile}_size"]
        fine &= ((s[pile] != NONE) == (np.arange(s[pile].shape[1]) < size[:, None])).all(1)
    return fine


def hands_fit_the_round(s: States) -> Holds:
    """AD-6, AD-7, AD-35: five cards a round; with two and three players one more for each exchanged one."""
    held, gone, there = s["hands"].sum(2), s["lost"].sum(2), here(s)
    dealt = held + (s["passed"] != NONE) == 5
    extra = held + gone - 5
    later = np.where(s["options"]["players"][:, None] == 4, extra == 0, (extra >= 0) & (extra <= 5))
    fine = np.where(during(s, EXCHANGE)[:, None], dealt & (gone == 0), later)
    return np.where(there, fine, (held == 0) & (gone == 0)).all(1) & (s["lost"] >= 0).all((1, 2))


def out_holds_nothing(s: States) -> Holds:
    """AD-10, AD-23: a seat that is out has no cards and no turn; no seat is out at the start of a round."""
    out = s["out"] == 1
    turn = out[np.arange(len(s)), np.maximum(s["to_move"], 0)] & ~during(s, OVER)
    return (
        ~(out & (s["hands"].sum(2) > 0)).any(1) & ~turn & ~(out.any(1) & during(s, EXCHANGE)) & ~(out & ~here(s)).any(1)
    )


def passed_cards_arrived(s: States) -> Holds:
    """AD-6: seats pass a card in turn, beginning with the dealer; after the exchange each taker has its card."""
    seats = np.arange(SEATS)
    players, passed = s["options"]["players"][:, None], s["passed"]
    place = (seats - s["dealer"][:, None]) % players
    before = (s["to_move"] - s["dealer"])[:, None] % players
    asked = (passed != NONE) == (place < before)
    had = s["hands"] + s["lost"]
    arrived = (passed != NONE) & (had[np.arange(len(s))[:, None], takers(s), passed] > 0)
    fine = np.where(during(s, EXCHANGE)[:, None], asked, arrived)
    return np.where(here(s), fine, passed == NONE).all(1)


def seat_fits_phase(s: States) -> Holds:
    """AD-7, AD-9: a seat that must play or pass a card has one; no seat is to move when the game is over."""
    seat = s["to_move"]
    held = s["hands"].sum(2)[np.arange(len(s)), np.maximum(seat, 0)]
    cards = held > 0
    fine = (seat >= 0) & (seat < s["options"]["players"]) & np.where(during(s, EXCHANGE, CARD, REDRAW), cards, True)
    fine &= ~during(s, REDRAW) | (s["options"]["players"] < 4)
    dealer = (s["dealer"] >= 0) & (s["dealer"] < s["options"]["players"])
    return np.where(during(s, OVER), seat == NONE, fine) & dealer & (s["phase"] >= 0) & (s["phase"] < len(PHASES))


def card_fits_phase(s: States) -> Holds:
    """AD-25 to AD-29: a card is played as one of its functions, a copy as one of the last card's."""
    card, function, points = s["card"], s["function"], s["points"]
    playing = during(s, PLACE, STEP, SWAPPING, MEETING)
    acted = np.where(card == COPY, s["last_card"], card)
    offered = (acted != NONE) & (OFFERS[acted] >> np.maximum(function, 0) & 1 == 1)
    fits = np.select(
        [during(s, PLACE), during(s, SWAPPING), during(s, STEP, MEETING)],
        [(function != SWAP) & (function != COMPANION), function == SWAP, True],
        True,
    )
    fits &= np.where(during(s, STEP), (function == COMPANION) & (points > 0) & (points <= POINTS), points == 0)
    nothing = (card == NONE) & (function == NONE) & (points == 0)
    place = np.take_along_axis(s["board"], np.maximum(s["moved"], 0)[:, None].astype(int), 1)[:, 0]
    moved = np.where(during(s, STEP) & (points < POINTS), (s["moved"] != NONE) & (place != EMPTY), s["moved"] == NONE)
    first = np.take_along_axis(s["board"], np.maximum(s["first"], 0)[:, None].astype(int), 1)[:, 0]
    named = (s["first"] == NONE) | (during(s, SWAPPING) & (first >= HAT))
    return np.where(playing, offered & fits, nothing) & moved & named


def meetings_fit_phase(s: States) -> Holds:
    """AD-23, AD-30, AD-31: a pawn is on each point where a meeting is due; the order is chosen only among several."""
    due = bits(s["meetings"])
    fine = ~(due & ~on_point(s)).any(1) & np.where(during(s, MEETING), due.sum(1) >= 2, True)
    quiet = (s["meetings"] == 0) & (s["penalty"] == 0)
    return fine & np.where(during(s, STEP, MEETING), np.isin(s["penalty"], (0, 1)), quiet) & (s["meetings"] >> 4 == 0)


def last_card_fits(s: States) -> Holds:
    """AD-27: there is no card to copy before a round's first card, and a copy is never copied itself."""
    return (s["last_card"] != COPY) & ~(during(s, EXCHANGE) & (s["last_card"] != NONE)) & (s["last_card"] < KINDS)


def redrawn_fits(s: States) -> Holds:
    """AD-35: a card is redrawn only with two and three players, and only within a turn."""
    no = (s["options"]["players"] == 4) | during(s, EXCHANGE, OVER)
    return np.isin(s["redrawn"], (0, 1)) & ~(no & (s["redrawn"] == 1))


def end_fits(s: States) -> Holds:
    """AD-32, AD-37: the game ends when a side is home, which then wins, or when the limit of cards is reached."""
    over, won = during(s, OVER), sides_home(s)
    spent = s["cards_played"] >= s["options"]["max_turns"]
    winners = bits(s["winners"])
    team = np.where(s["options"]["players"][:, None] == 4, winners[:, [2, 3, 0, 1]], winners)
    home_end = winners.any(1) & ~(winners & ~won).any(1) & (winners == team).all(1)
    home_end &= winners.sum(1) == np.where(s["options"]["players"] == 4, 2, 1)
    cut_off = ~won.any(1) & spent & (s["winners"] == 0)
    ended = np.where(s["end_reason"] == HOME, home_end, (s["end_reason"] == TRUNCATED) & cut_off)
    goes_on = (s["end_reason"] == NONE) & (s["winners"] == 0) & ~spent & (~won.any(1) | during(s, STEP, MEETING))
    return np.where(over, ended, goes_on)


def counters_fit(s: States) -> Holds:
    """AD-7, AD-37: a turn has at most one card, and exactly one with four players."""
    fine = (s["cards_played"] >= 0) & (s["turn"] >= s["cards_played"]) & (s["round_number"] >= 0)
    return fine & ((s["options"]["players"] < 4) | (s["turn"] == s["cards_played"]))


# ---------------------------------------------------------------- invariants of decisions


def options_stay(before: States, s: States) -> Holds:
    """The options never change."""
    was, now = (states["options"].copy().view(np.uint8).reshape(len(s), -1) for states in (before, s))
    return (was == now).all(1)


def goals_only_fill(before: States, s: States) -> Holds:
    """AD-2, AD-15: pawns in a goal never move back, so the number of pawns from any goal space on never decreases."""

    def farther(states: States) -> np.ndarray:
        return (goals(states) == np.arange(COLOURS)[:, None])[:, :, ::-1].cumsum(2)

    return np.all(farther(s) >= farther(before), axis=(1, 2))


def turns_go_on(before: States, s: States) -> Holds:
    """AD-7, AD-35: turns and cards increase by one, a new round has the next dealer, a turn belongs to one seat."""
    turn, card = s["turn"] - before["turn"], s["cards_played"] - before["cards_played"]
    round_, players = s["round_number"] - before["round_number"], s["options"]["players"]
    dealer = np.where(round_ == 0, before["dealer"], (before["dealer"] + 1) % players)
    fine = np.isin(turn, (0, 1)) & np.isin(card, (0, 1)) & (card <= turn) & np.isin(round_, (0, 1))
    within = (turn == 1) | during(before, EXCHANGE) | (s["to_move"] == before["to_move"])
    return fine & within & (s["dealer"] == dealer)


def swaps_change_colours_alone(before: States, s: States) -> Holds:
    """AD-26: a swap moves no hat, captures no pawn and reveals no color."""

    def seen(states: States) -> np.ndarray:
        return np.where(states["board"] >= HAT, HAT, states["board"])

    return ~during(before, SWAPPING) | ((seen(s) == seen(before)).all(1) & (s["area"] == before["area"]).all(1))


def due(s: States) -> np.ndarray:
    """AD-38: the returns of the seats, float [n, 4]."""
    won, decided = bits(s["winners"]), (s["winners"] != 0)[:, None]
    there = np.arange(4) < s["options"]["players"][:, None]
    share = won / np.maximum(won.sum(1, keepdims=True), 1)
    others = there & ~won.astype(bool)
    return np.where(decided, share - others / np.maximum(others.sum(1, keepdims=True), 1), 0.0)


OF_STATE: tuple[Callable[[States], Holds], ...] = (
    pawns_conserved, hats_on_holes, goals_hold_their_colour, cards_conserved, piles_fit_their_sizes,
    hands_fit_the_round, out_holds_nothing, passed_cards_arrived, seat_fits_phase, card_fits_phase,
    meetings_fit_phase, last_card_fits, redrawn_fits, end_fits, counters_fit,
)  # fmt: skip
"""What holds in a state by itself."""
OF_DECISION: tuple[Callable[[States, States], Holds], ...] = (
    options_stay, goals_only_fill, turns_go_on, swaps_change_colours_alone,
)  # fmt: skip
"""What holds between a state and the one that a decision makes of it."""
