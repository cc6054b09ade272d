"""Kuhn poker: three cards, ante and bet of one chip (H. W. Kuhn, "A simplified two-person poker", 1950).

Each seat gets one of the cards J < Q < K and puts in one chip. Seat 0 passes or bets one more chip. Facing a bet,
"pass" folds and "bet" calls; a pass after a pass, and a call, lead to a showdown. The winner gets the pot.
"""

import sys
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
from numpy import float32, int8, uint64

from spygames.authoring import (
    UNASKED,
    Game,
    ImpossibleState,
    Int,
    Questions,
    Record,
    Texts,
    as_record,
    below,
    check_keys,
    integer,
    kernel,
    member,
    random_bot,
    sequence,
)

SEATS = 2
CARDS = ("J", "Q", "K")
NUM_CARDS = len(CARDS)
MOVES = 3  # in the longest game: pass, bet, and the answer
NONE = -1  # no move, no seat

ACTIONS = ("pass", "bet")
PASS, BET = range(2)
NUM_ACTIONS = len(ACTIONS)

OPTIONS = np.dtype([], align=True)  # there is one variant only
STATE = np.dtype([  # what is true
    ("rng", uint64),  # HIDDEN: the random stream of chance
    ("cards", int8, SEATS),  # HIDDEN from the other seat until a showdown: index in CARDS
    ("moves", int8, MOVES),  # actions in order of play, seat 0 first; NONE for moves not made yet
    ("num_moves", int8),
    ("to_move", int8),  # seat, or NONE when the game is over
    ("options", OPTIONS),
    ("padding", int8, 1),  # 0; fills the record up to a multiple of 8 bytes
], align=True)  # fmt: skip
VIEW = np.dtype([  # what a seat may know: everything that it has seen, in order (perfect recall)
    ("own", float32, NUM_CARDS),  # one-hot
    ("shown", float32, NUM_CARDS),  # the rival's card at a showdown, one-hot; zeros before and after a fold
    ("moves", float32, (MOVES, NUM_ACTIONS)),  # each move one-hot; zeros for moves not made yet
    ("first", float32),  # 1 if the viewer is the seat that begins
    ("decides", float32),  # 1 if the viewer is to move
], align=True)  # fmt: skip


@kernel
def other(seat: Int) -> Int:
    """The opponent of a seat."""
    return 1 - seat


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    """Deal a different card to each seat; seat 0 begins."""
    s.rng = seed
    s.cards[0] = below(s, NUM_CARDS)
    s.cards[1] = (s.cards[0] + 1 + below(s, NUM_CARDS - 1)) % NUM_CARDS
    for i in range(MOVES):
        s.moves[i] = NONE
    s.num_moves = s.to_move = 0


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    """Both actions are legal at every decision."""
    for action in range(NUM_ACTIONS):
        mask[action] = s.to_move != NONE


@kernel
def apply(s: Record, action: Int) -> None:
    """The game ends with the second move, or with the third one after a pass and a bet."""
    s.moves[s.num_moves] = action
    s.num_moves += 1
    goes_on = s.num_moves == 1 or (s.num_moves == 2 and s.moves[0] == PASS and s.moves[1] == BET)
    s.to_move = s.num_moves % 2 if goes_on else NONE


@kernel
def stake(s: Record, seat: Int) -> Int:
    """Chips that a seat has put in: the ante, and one more if it has bet."""
    chips = 1
    for i in range(seat, s.num_moves, 2):
        chips += s.moves[i] == BET
    return chips


@kernel
def showdown(s: Record) -> bool:
    """Whether the game is over and the cards decide: both seats have put in the same number of chips."""
    return s.to_move == NONE and stake(s, 0) == stake(s, 1)


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    """Chips won, -2 to 2: the loser's stake goes to the winner. Zeros before the end."""
    out[0] = out[1] = 0
    if s.to_move == NONE:
        winner = 0 if stake(s, 0) > stake(s, 1) else 1
        if showdown(s):
            winner = 0 if s.cards[0] > s.cards[1] else 1
        out[winner] = stake(s, other(winner))
        out[other(winner)] = -stake(s, other(winner))


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    """The seat's card, all moves, and the opponent's card after a showdown."""
    shown = showdown(s)
    for card in range(NUM_CARDS):
        view.own[card] = s.cards[seat] == card
        view.shown[card] = shown and s.cards[other(seat)] == card
    for i in range(MOVES):
        for action in range(NUM_ACTIONS):
            view.moves[i, action] = s.moves[i] == action
    view.first = seat == 0
    view.decides = s.to_move == seat


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    """Deal one of the two cards that `seat` has not seen to its opponent, unless that card was shown."""
    s.rng = seed
    if not showdown(s):
        s.cards[other(seat)] = (s.cards[seat] + 1 + below(s, NUM_CARDS - 1)) % NUM_CARDS


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """Take back the later moves; the cards do not change and moves are public."""
    for i in range(MOVES):
        s.moves[i] = past.moves[i]
    s.num_moves, s.to_move = past.num_moves, past.to_move
    return action


@kernel
def answer(s: Record, seat: Int, out: np.ndarray) -> None:
    """The opponent's card, unless it was shown."""
    out[0] = UNASKED if showdown(s) else s.cards[other(seat)]


def deals() -> list[dict[str, Any]]:
    """All initial positions, equally likely, as mappings for `state_from_dict`."""
    return [{"cards": list(cards), "moves": [], "to_move": 0} for cards in permutations(CARDS, SEATS)]


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
    """`pass` or `bet`."""
    return ACTIONS[action]


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
    """The inverse of `action_to_string`; ValueError for anything else."""
    if text not in ACTIONS:
        raise ValueError(f"{text!r} is not an action of Kuhn poker: {', '.join(ACTIONS)}")
    return ACTIONS.index(text)


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    """`cards` (seat 0's, seat 1's), `moves` in order, `to_move` (null when over), `rng`, `record` (empty)."""
    return {
        "cards": [CARDS[card] for card in s.cards],
        "moves": [ACTIONS[s.moves[i]] for i in range(s.num_moves)],
        "to_move": None if s.to_move == NONE else int(s.to_move),
        "rng": int(s.rng),
        "record": {},
    }


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """Deal `cards` and play `moves`; ImpossibleState for an invalid mapping."""
    check_keys(mapping, ("cards", "moves", "to_move"), ("rng", "record"))
    check_keys(mapping.get("record") or {}, (), (), "record")
    init(s, as_record(game.packed), np.uint64(0))
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    cards = [member(card, "cards", CARDS) for card in sequence(mapping["cards"], "cards", SEATS)]
    if cards[0] == cards[1]:
        raise ImpossibleState(f"cards must differ: there is one {CARDS[cards[0]]}")
    s.cards[:] = cards
    for move in sequence(mapping["moves"], "moves"):
        if s.to_move == NONE:
            raise ImpossibleState("moves continue after the end of the game")
        apply(s, member(move, "moves", ACTIONS))
    seat = NONE if mapping["to_move"] is None else integer(mapping["to_move"], "to_move", 0, SEATS - 1)
    if seat != s.to_move:
        raise ImpossibleState("to_move must be the seat that follows from the moves, null after the end of the game")


def to_text(game: Game, s: Record, viewer: int) -> str:
    """The cards that `viewer` may see, and the moves; NOBODY sees everything."""
    seen = [showdown(s) or viewer in (seat, NONE) for seat in range(SEATS)]
    cards = [f"player_{seat}: {CARDS[s.cards[seat]] if seen[seat] else '?'}" for seat in range(SEATS)]
    moves = " ".join(ACTIONS[s.moves[i]] for i in range(s.num_moves)) or "-"
    return "   ".join([*cards, f"moves: {moves}"])


def make_game() -> Game:
    """The game; it has no options."""
    return Game(
        name="kuhn_poker",
        version=0,
        options={},
        packed=np.zeros(1, OPTIONS),
        num_players=SEATS,
        lowest_return=-2.0,
        num_actions=NUM_ACTIONS,
        state_dtype=STATE,
        view_dtype=VIEW,
        init=init,
        legal=legal,
        apply=apply,
        returns=returns,
        observe=observe,
        determinize=determinize,
        rewind=rewind,
        questions=Questions((("card", 1, NUM_CARDS),), answer),
        view_parts={
            "own": "private",
            "shown": "public",
            "moves": "public",
            "first": "public",
            "decides": "public",
        },
        texts=Texts(
            action_to_string=action_to_string,
            string_to_action=string_to_action,
            state_to_dict=state_to_dict,
            state_from_dict=state_from_dict,
            to_text=to_text,
        ),
        bots={"random": random_bot},
        module=sys.modules[__name__],
    )
