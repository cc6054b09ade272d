"""Secret Identities (HC-33, HC-34): who predicts when, what may be answered, and what it was worth."""

import numpy as np

from spygames.core.kernel import Int, Record, kernel
from spygames.heimlich.board import MARK
from spygames.heimlich.state import GUESS, NONE, left_of, places_to, relative_of

UNASKED, FREE, FIRST_OWNER = range(3)
"""Values of `guesses`; FIRST_OWNER + seat: that seat."""
BONUS = 5


@kernel
def must_predict(s: Record) -> bool:
    """HC-33: whether a token has reached the marked space and nobody has predicted."""
    if s.options.secret_identities and not s.guessed:
        for agent in range(s.options.agents):
            if s.scores[agent] >= MARK:
                return True
    return False


@kernel
def begin_predictions(s: Record, because_of: Int) -> None:
    """HC-33: everybody is asked, from the active player leftward; `because_of`: whose card it was, or NONE."""
    s.phase = GUESS
    s.card_turn = because_of
    s.to_move = s.active
    s.passes = 0


@kernel
def asked_agent(s: Record, seat: Int) -> Int:
    """The agent that `seat` is asked about next, in the order of ids without its own; NONE if it has answered all."""
    own = s.passports[seat]
    for agent in range(s.options.agents):
        if agent != own and s.guesses[seat, agent] == UNASKED:
            return agent
    return NONE


@kernel
def answers(s: Record, seat: Int) -> Int:
    """How many agents `seat` has answered for."""
    made = 0
    for agent in range(s.options.agents):
        made += s.guesses[seat, agent] != UNASKED
    return made


@kernel
def is_named(s: Record, seat: Int, owner: Int) -> bool:
    """Whether `seat` has given the player `owner` an agent."""
    named = False
    for agent in range(s.options.agents):
        named |= s.guesses[seat, agent] == FIRST_OWNER + owner
    return named


@kernel
def legal_guess(s: Record, mask: np.ndarray) -> None:
    """HC-33: every other player gets one agent, the rest is free, and each answer leaves that possible."""
    seat = np.int64(s.to_move)
    players = np.int64(s.options.players)
    left = np.int64(s.options.agents) - 1 - answers(s, seat)
    first = guess_action(s, seat, asked_agent(s, seat))
    unnamed = 0
    for places in range(1, players):
        open_to = not is_named(s, seat, left_of(s, seat, places))
        mask[first + places] = open_to
        unnamed += open_to
    mask[first] = left > unnamed


@kernel
def guess_action(s: Record, seat: Int, agent: Int) -> Int:
    """The action by which `seat` calls an agent free; the next ones give it to the seats to the left."""
    return np.int64(s.options.first_guess) + (relative_of(s, seat, agent) - 1) * np.int64(s.options.players)


@kernel
def predict(s: Record, places: Int) -> bool:
    """HC-33: an answer of the seat to move; then the next agent, or the next seat. Returns whether all is predicted."""
    seat = np.int64(s.to_move)
    s.guesses[seat, asked_agent(s, seat)] = FREE if places == 0 else FIRST_OWNER + left_of(s, seat, places)
    if asked_agent(s, seat) != NONE:
        return False
    s.to_move = left_of(s, seat, 1)
    s.guessed = s.to_move == s.active
    return s.guessed == 1


@kernel
def bonus(s: Record, seat: Int) -> Int:
    """HC-34: 5 for each agent predicted right, by the passports of now; none for the own one."""
    right = 0
    for agent in range(s.options.agents):
        owner = np.int64(s.owner[agent])
        truth = FREE if owner == NONE else FIRST_OWNER + owner
        right += owner != seat and s.guesses[seat, agent] == truth
    return BONUS * right


@kernel
def still_to_predict(s: Record) -> Int:
    """How many seats have not predicted yet while predictions are asked, the one being asked included."""
    return np.int64(s.options.players) - places_to(s, s.active, s.to_move)
