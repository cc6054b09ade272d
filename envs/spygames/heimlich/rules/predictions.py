"""Secret Identities (HC-33, HC-34): order of predictions, legal answers, and bonus."""

import numpy as np

from spygames.core.compiling.kernel import Int, kernel
from spygames.heimlich.actions import encode_guess
from spygames.heimlich.board import MARK
from spygames.heimlich.layout import FIRST_OWNER, FREE, GUESS, NONE, State
from spygames.heimlich.queries import answers, asked_agent, is_named, left_of, relative_of

BONUS = 5


@kernel
def must_predict(s: State) -> bool:
    """HC-33: whether a token has reached the marked space and predictions have not been made."""
    if s.options.secret_identities and not s.guessed:
        for agent in range(s.options.agents):
            if s.scores[agent] >= MARK:
                return True
    return False


@kernel
def start_predictions(s: State, because_of: Int) -> None:
    """HC-33: ask everybody, from the active player to the left.

    `because_of` is the seat whose card caused the predictions, or NONE.
    """
    s.phase = GUESS
    s.card_turn = because_of
    s.to_move = s.active
    s.passes = 0


@kernel
def legal_guess(s: State, mask: np.ndarray) -> None:
    """HC-33: mark the answers after which every other player can still get one agent and the rest be free."""
    seat = np.int64(s.to_move)
    players, first_guess = np.int64(s.options.players), np.int64(s.options.first_guess)
    left = np.int64(s.options.agents) - 1 - answers(s, seat)
    agent = relative_of(s, seat, asked_agent(s, seat))
    unnamed = 0
    for places in range(1, players):
        open_to = not is_named(s, seat, left_of(s, seat, places))
        mask[encode_guess(first_guess, players, agent, places)] = open_to
        unnamed += open_to
    mask[encode_guess(first_guess, players, agent, 0)] = left > unnamed


@kernel
def predict(s: State, places: Int) -> bool:
    """HC-33: record an answer of the seat to move, then continue with the next agent or seat.

    Returns:
        Whether all seats have predicted.
    """
    seat = np.int64(s.to_move)
    s.guesses[seat, asked_agent(s, seat)] = FREE if places == 0 else FIRST_OWNER + left_of(s, seat, places)
    if asked_agent(s, seat) != NONE:
        return False
    s.to_move = left_of(s, seat, 1)
    s.guessed = s.to_move == s.active
    return s.guessed == 1


@kernel
def bonus(s: State, seat: Int) -> Int:
    """HC-34: 5 points for each other agent predicted right, judged by the passports at the end."""
    right = 0
    for agent in range(s.options.agents):
        owner = np.int64(s.owner[agent])
        truth = FREE if owner == NONE else FIRST_OWNER + owner
        right += owner != seat and s.guesses[seat, agent] == truth
    return BONUS * right
