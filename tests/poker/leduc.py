"""Leduc poker: six cards, two rounds of betting, one public card (F. Southey and others, "Bayes' bluff", UAI 2005).

Each seat gets one of six cards (J, Q, K in two suits) and puts in one chip. A round of betting follows, then a public
card, then a second round. Seat 0 begins both. A raise is two chips in the first round and four in the second, at most
two a round. After the second round a pair with the public card wins, else the higher rank; equal ranks share the pot.
"""

import sys
from collections.abc import Mapping
from itertools import permutations
from typing import Any

import numpy as np
from numpy import float32, int8, uint64

from spygames.authoring import (
    Game,
    ImpossibleState,
    Int,
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
CARDS = ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
NUM_CARDS = len(CARDS)
SUITS = 2  # so the rank of a card is its index // SUITS
ROUNDS = 2
MAX_RAISES = 2
RAISE_CHIPS = np.array([2, 4], int8)  # by round
MOVES = 4  # in the longest round: call, raise, raise, and the answer
NONE = -1  # no move, no seat

ACTIONS = ("fold", "call", "raise")
FOLD, CALL, RAISE = range(3)
NUM_ACTIONS = len(ACTIONS)

OPTIONS = np.dtype([], align=True)  # there is one variant only
STATE = np.dtype([  # what is true
    ("rng", uint64),  # HIDDEN: the random stream of chance
    ("cards", int8, SEATS),  # HIDDEN from the other seat until a showdown: index in CARDS
    ("public", int8),  # HIDDEN in the first round: index in CARDS; drawn with the other cards at the start
    ("street", int8),  # round of betting, 0 or 1 (a field `round` would be hidden by the method of NumPy records)
    ("moves", int8, (ROUNDS, MOVES)),  # actions in order of play, seat 0 first; NONE for moves not made
    ("num_moves", int8),  # in this round
    ("chips", int8, SEATS),  # put in so far
    ("raises", int8),  # in this round
    ("folded", int8),  # seat, or NONE
    ("to_move", int8),  # seat, or NONE when the game is over
    ("options", OPTIONS),
    ("padding", int8, 6),  # 0; fills the record up to a multiple of 8 bytes
], align=True)  # fmt: skip
VIEW = np.dtype([  # what a seat may know: everything that it has seen, in order (perfect recall)
    ("own", float32, NUM_CARDS),  # one-hot
    ("public", float32, NUM_CARDS),  # one-hot, zeros in the first round
    ("shown", float32, NUM_CARDS),  # the rival's card at a showdown, one-hot; zeros before and after a fold
    ("moves", float32, (ROUNDS, MOVES, NUM_ACTIONS)),  # each move one-hot; zeros for moves not made
    ("first", float32),  # 1 if the viewer is the seat that begins
    ("decides", float32),  # 1 if the viewer is to move
], align=True)  # fmt: skip


@kernel
def other(seat: Int) -> Int:
    """The opponent of a seat."""
    return 1 - seat


@kernel
def deal(s: Record, n: Int, taken: Int, also_taken: Int) -> Int:
    """Draw one of the `n` cards other than `taken` and `also_taken` (NONE: no card)."""
    left = below(s, n)
    for card in range(NUM_CARDS):
        if card != taken and card != also_taken:
            if left == 0:
                return card
            left -= 1
    return NONE


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    """Deal a card to each seat and the public card face down; each seat puts in one chip; seat 0 begins."""
    s.rng = seed
    s.cards[0] = deal(s, NUM_CARDS, NONE, NONE)
    s.cards[1] = deal(s, NUM_CARDS - 1, s.cards[0], NONE)
    s.public = deal(s, NUM_CARDS - 2, s.cards[0], s.cards[1])
    for r in range(ROUNDS):
        for i in range(MOVES):
            s.moves[r, i] = NONE
    s.street = s.num_moves = s.raises = s.to_move = 0
    s.chips[0] = s.chips[1] = 1
    s.folded = NONE


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    """Fold is legal when facing a raise, call always, and raise after fewer than two raises in the round."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    if s.to_move != NONE:
        mask[FOLD] = s.chips[other(s.to_move)] > s.chips[s.to_move]
        mask[CALL] = 1
        mask[RAISE] = s.raises < MAX_RAISES


@kernel
def apply(s: Record, action: Int) -> None:
    """A fold ends the game, a raise passes the turn to the opponent, a call ends the round unless it opens it."""
    seat = np.int64(s.to_move)
    opens = s.num_moves == 0
    s.moves[s.street, s.num_moves] = action
    s.num_moves += 1
    s.to_move = other(seat)
    if action == FOLD:
        s.folded, s.to_move = seat, NONE
    else:
        s.chips[seat] = s.chips[other(seat)]
        if action == RAISE:
            s.chips[seat] += RAISE_CHIPS[s.street]
            s.raises += 1
        elif not opens:
            end_round(s)


@kernel
def end_round(s: Record) -> None:
    """Turn up the public card after the first round; end the game after the second one."""
    if s.street == 0:
        s.street = 1
        s.num_moves = s.raises = s.to_move = 0
    else:
        s.to_move = NONE


@kernel
def showdown(s: Record) -> bool:
    """Whether the game is over and the cards decide."""
    return s.to_move == NONE and s.folded == NONE


@kernel
def strength(s: Record, seat: Int) -> Int:
    """The strength of a hand: a pair beats any rank, a higher rank beats a lower one."""
    rank = np.int64(s.cards[seat]) // SUITS
    pair = rank == s.public // SUITS
    return rank + (NUM_CARDS if pair else 0)


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    """Chips won, -13 to 13: the loser's chips go to the winner. Zeros for a tie and before the end."""
    out[0] = out[1] = 0
    if s.to_move == NONE:
        loser = np.int64(s.folded)
        if showdown(s):
            if strength(s, 0) == strength(s, 1):
                return
            loser = 0 if strength(s, 0) < strength(s, 1) else 1
        out[loser] = -s.chips[loser]
        out[other(loser)] = s.chips[loser]


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    """The seat's card, all moves, the public card from the second round on, the opponent's card after a showdown."""
    shown = showdown(s)
    for card in range(NUM_CARDS):
        view.own[card] = s.cards[seat] == card
        view.public[card] = s.street == 1 and s.public == card
        view.shown[card] = shown and s.cards[other(seat)] == card
    for r in range(ROUNDS):
        for i in range(MOVES):
            for action in range(NUM_ACTIONS):
                view.moves[r, i, action] = s.moves[r, i] == action
    view.first = seat == 0
    view.decides = s.to_move == seat


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    """Redraw the opponent's card unless it was shown, and the public card while it is hidden."""
    s.rng = seed
    own, rival = s.cards[seat], other(seat)
    if s.street == 0:
        s.cards[rival] = deal(s, NUM_CARDS - 1, own, NONE)
        s.public = deal(s, NUM_CARDS - 2, own, s.cards[rival])
    elif not showdown(s):
        s.cards[rival] = deal(s, NUM_CARDS - 2, own, s.public)


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """Take back the later moves; the cards do not change and moves are public."""
    for r in range(ROUNDS):
        for i in range(MOVES):
            s.moves[r, i] = past.moves[r, i]
    for i in range(SEATS):
        s.chips[i] = past.chips[i]
    s.street, s.num_moves, s.raises = past.street, past.num_moves, past.raises
    s.folded, s.to_move = past.folded, past.to_move
    return action


def deals() -> list[dict[str, Any]]:
    """All initial positions, equally likely, as mappings for `state_from_dict`."""
    return [
        {"cards": list(cards), "public": public, "moves": [[], []], "to_move": 0}
        for *cards, public in permutations(CARDS, SEATS + 1)
    ]


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
    """`fold`, `call` (which is a check when there is nothing to pay) or `raise`."""
    return ACTIONS[action]


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
    """The inverse of `action_to_string`; ValueError for anything else."""
    if text not in ACTIONS:
        raise ValueError(f"{text!r} is not an action of Leduc poker: {', '.join(ACTIONS)}")
    return ACTIONS.index(text)


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    """`cards` (seat 0's, seat 1's), `public`, `moves` by round, `to_move` (null when over), `rng`, `record` (empty)."""
    return {
        "cards": [CARDS[card] for card in s.cards],
        "public": CARDS[s.public],
        "moves": [[ACTIONS[move] for move in moves if move != NONE] for moves in s.moves],
        "to_move": None if s.to_move == NONE else int(s.to_move),
        "rng": int(s.rng),
        "record": {},
    }


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """Deal the cards and play `moves`; ImpossibleState for an invalid mapping."""
    check_keys(mapping, ("cards", "public", "moves", "to_move"), ("rng", "record"))
    check_keys(mapping.get("record") or {}, (), (), "record")
    init(s, as_record(game.packed), np.uint64(0))
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    cards = [member(card, "cards", CARDS) for card in sequence(mapping["cards"], "cards", SEATS)]
    public = member(mapping["public"], "public", CARDS)
    if len({*cards, public}) < len(cards) + 1:
        raise ImpossibleState("cards and public must be three different cards")
    s.cards[:], s.public = cards, public
    mask = np.zeros(NUM_ACTIONS, int8)
    for r, moves in enumerate(sequence(mapping["moves"], "moves", ROUNDS)):
        for move in sequence(moves, f"moves of round {r}"):
            action = member(move, f"moves of round {r}", ACTIONS)
            legal(s, mask)
            if s.street != r or not mask[action]:
                raise ImpossibleState(f"moves of round {r}: {move!r} is not legal at this point")
            apply(s, action)
    seat = NONE if mapping["to_move"] is None else integer(mapping["to_move"], "to_move", 0, SEATS - 1)
    if seat != s.to_move:
        raise ImpossibleState("to_move must be the seat that follows from the moves, null after the end of the game")


def to_text(game: Game, s: Record, viewer: int) -> str:
    """The cards that `viewer` may see, the chips, and the moves; NOBODY sees everything."""
    seats = []
    for seat in range(SEATS):
        seen = showdown(s) or viewer in (seat, NONE)
        seats.append(f"player_{seat}: {CARDS[s.cards[seat]] if seen else '?'} ({s.chips[seat]} chips)")
    public = CARDS[s.public] if s.street == 1 or viewer == NONE else "?"
    moves = " | ".join(" ".join(ACTIONS[move] for move in row if move != NONE) or "-" for row in s.moves)
    return "   ".join([*seats, f"public: {public}", f"moves: {moves}"])


def make_game() -> Game:
    """The game; it has no options."""
    return Game(
        name="leduc_poker",
        version=0,
        options={},
        packed=np.zeros(1, OPTIONS),
        num_players=SEATS,
        lowest_return=-13.0,
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
        texts=Texts(
            action_to_string=action_to_string,
            string_to_action=string_to_action,
            state_to_dict=state_to_dict,
            state_from_dict=state_from_dict,
            to_text=to_text,
        ),
        bots={"random": random_bot},
        view_parts={
            "own": "private",
            "public": "public",
            "shown": "public",
            "moves": "public",
            "first": "public",
            "decides": "public",
        },
        module=sys.modules[__name__],
    )
