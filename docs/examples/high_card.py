"""High card: two seats hold a card each, may change it once, and the higher one wins."""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.authoring import (
    NOBODY,
    Game,
    ImpossibleState,
    Int,
    Record,
    Texts,
    below,
    check_keys,
    integer,
    kernel,
    random_bot,
    sequence,
)

SEATS, CARDS = 2, 10
ACTIONS = ("keep", "change")

STATE = np.dtype(
    [  # everything that is true
        ("rng", np.uint64),  # the random stream of chance
        ("cards", np.int8, SEATS),  # 0 to 9, each hidden from the other seat until the end
        ("changed", np.int8, SEATS),  # 1 if that seat has changed its card, which is public
        ("to_move", np.int8),  # the seat, NOBODY when over
        ("padding", np.int8, 3),  # always 0; fills up to a multiple of 8 bytes
    ],
    align=True,
)
VIEW = np.dtype(
    [  # what one seat may know
        ("own", np.float32, CARDS),  # own card, one-hot
        ("shown", np.float32, CARDS),  # the rival's card once the game is over, one-hot
        ("changed", np.float32, SEATS),  # the viewer, its rival
        ("decides", np.float32),  # 1 if the viewer is to move
    ],
    align=True,
)


@kernel
def init(s: Record, options: Record, seed: np.uint64) -> None:
    """Deal a card to each seat; seat 0 begins."""
    s.rng = seed
    for seat in range(SEATS):
        s.cards[seat] = below(s, CARDS)


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    """Allow both actions until the game is over."""
    mask[:] = s.to_move != NOBODY


@kernel
def apply(s: Record, action: Int) -> None:
    """Keep the card or draw another one; then the other seat moves, or the game ends."""
    if action == 1:
        s.cards[s.to_move] = below(s, CARDS)
        s.changed[s.to_move] = 1
    s.to_move = 1 if s.to_move == 0 else NOBODY


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    """Give 1 for the higher card, -1 for the lower one, and 0 for equal ones."""
    out[:] = 0
    if s.to_move == NOBODY and s.cards[0] != s.cards[1]:
        winner = 0 if s.cards[0] > s.cards[1] else 1
        out[winner], out[1 - winner] = 1, -1


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    """Show the own card, which seats have changed theirs, and at the end the rival's card."""
    for card in range(CARDS):
        view.own[card] = s.cards[seat] == card
        view.shown[card] = s.to_move == NOBODY and s.cards[1 - seat] == card
    view.changed[0], view.changed[1] = s.changed[seat], s.changed[1 - seat]
    view.decides = s.to_move == seat


@kernel
def determinize(s: Record, seat: Int, seed: np.uint64) -> None:
    """Redraw the rival's card, about which `seat` knows nothing."""
    s.rng = seed
    if s.to_move != NOBODY:
        s.cards[1 - seat] = below(s, CARDS)


@kernel
def careful(view: Record, mask: np.ndarray, rng: np.ndarray) -> Int:
    """Keep a card of 5 or more (a bot)."""
    for card in range(5, CARDS):
        if view.own[card]:
            return 0
    return 1


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
    return ACTIONS[action]


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
    if text not in ACTIONS:
        raise ValueError(f"{text!r} is no action here: {', '.join(ACTIONS)}")
    return ACTIONS.index(text)


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    return {
        "cards": [int(card) for card in s.cards],
        "changed": [int(changed) for changed in s.changed],
        "to_move": None if s.to_move == NOBODY else int(s.to_move),
        "rng": int(s.rng),
        "record": {},
    }


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    check_keys(mapping, ("cards", "changed", "to_move"), ("rng", "record"))
    check_keys(mapping.get("record") or {}, (), (), "record")
    s.to_move = NOBODY if mapping["to_move"] is None else integer(mapping["to_move"], "to_move", 0, SEATS - 1)
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    s.cards[:] = [integer(card, "cards", 0, CARDS - 1) for card in sequence(mapping["cards"], "cards", SEATS)]
    s.changed[:] = [integer(each, "changed", 0, 1) for each in sequence(mapping["changed"], "changed", SEATS)]
    decided = (0, 1, SEATS)[s.to_move]  # seats that have decided: none, seat 0, or with NOBODY both
    if any(s.changed[decided:]):
        raise ImpossibleState("changed must be 0 for a seat that has not decided yet")


def to_text(game: Game, s: Record, viewer: int) -> str:
    over = s.to_move == NOBODY
    cards = [str(s.cards[seat]) if over or viewer in (seat, NOBODY) else "?" for seat in range(SEATS)]
    return f"cards: {' '.join(cards)}   changed: {s.changed[0]} {s.changed[1]}"


def make_game() -> Game:
    return Game(
        name="high_card",
        version=0,
        options={},
        packed=np.zeros(1, np.dtype([])),
        num_players=SEATS,
        num_actions=len(ACTIONS),
        state_dtype=STATE,
        view_dtype=VIEW,
        init=init,
        legal=legal,
        apply=apply,
        returns=returns,
        observe=observe,
        determinize=determinize,
        texts=Texts(action_to_string, string_to_action, state_to_dict, state_from_dict, to_text),
        bots={"random": random_bot, "careful": careful},
        module=sys.modules[__name__],
    )
