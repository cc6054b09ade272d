"""`observe`: write what a seat may know into its VIEW.

There is one kernel for each set of switches, made of three parts: the board, the cards and the predictions.
"""

import numpy as np
from numpy import float32

from spygames.core.compiling.kernel import Int, kernel
from spygames.heimlich.board import FACES, FINISH, LOOP, MAX_AGENTS, ONE_TO_THREE
from spygames.heimlich.cards import ALL_CARDS, HAND, KINDS
from spygames.heimlich.layout import (
    CHOICE,
    FIRST_OWNER,
    FREE,
    GAINS,
    GAINS_UNIT,
    GUESS,
    MOVE,
    NONE,
    OVER,
    POINTS,
    POINTS_UNIT,
    ROUND,
    SAFE,
    TIMES,
    TIMES_UNIT,
    UNASKED,
    State,
    View,
)
from spygames.heimlich.queries import agent_of, answers, asked_agent, left_of, places_to, relative_of

_BUILDING = np.eye(LOOP, dtype=np.float32)
_TO_SAFE = np.array(  # [safe - position + LOOP - 1]: the points, 1 to 6, that bring an agent to the safe, one-hot
    [[(d % LOOP) == points for points in range(1, FACES + 1)] for d in range(1 - LOOP, LOOP)], np.float32
)
_LEFT = np.eye(FACES + 1, dtype=np.float32)[:, 1:].copy()
# Factors that scale numbers to about 1.
_BY_AGENTS, _BY_HAND = float32(1 / MAX_AGENTS), float32(1 / HAND)
_BY_POINTS, _BY_TIMES, _BY_GAINS = float32(1 / POINTS_UNIT), float32(1 / TIMES_UNIT), float32(1 / GAINS_UNIT)
_BY_FINISH, _BY_FACES = float32(1 / FINISH), float32(1 / FACES)


@kernel(noalias=True)
def write_board(s: State, seat: Int, view: View) -> None:
    """Write the part of the base game: board, tokens, turn, and the public record."""
    safe = np.int64(s.safe)
    players, agents = len(view.active), len(view.score)
    for relative in range(agents):
        agent = agent_of(s, seat, relative)
        position = np.int64(s.positions[agent])
        for i in range(LOOP):
            view.position[relative, i] = _BUILDING[position, i]
        for i in range(FACES):
            view.to_safe[relative, i] = _TO_SAFE[safe - position + LOOP - 1, i]
        view.score[relative] = s.scores[agent] * _BY_FINISH
        view.moved[relative] = s.moved[agent] * _BY_FACES
        view.own[relative] = relative == s.passports[seat]
        other = np.int64(seat)
        for places in range(players):
            view.record[relative, places, POINTS] = s.points[agent, other] * _BY_POINTS
            view.record[relative, places, TIMES] = s.times[agent, other] * _BY_TIMES
            view.record[relative, places, GAINS] = s.gains[agent, other] * _BY_GAINS
            other += 1
            if other == players:
                other = 0
    for i in range(LOOP):
        view.safe[i] = _BUILDING[safe, i]
    for i in range(FACES):
        view.points_left[i] = _LEFT[s.points_left, i]
    view.one_to_three = s.die == ONE_TO_THREE
    view.phase[0] = s.phase == MOVE
    view.phase[1] = s.phase == SAFE
    view.decides = s.to_move == seat
    for places in range(players):
        other = left_of(s, seat, places)
        view.active[places] = s.phase != OVER and s.active == other
        view.scorings[places] = s.scorings[other] * _BY_TIMES
        view.revealed[places] = relative_of(s, seat, s.passports[other]) * _BY_AGENTS if s.phase == OVER else 0


@kernel(noalias=True)
def write_cards(s: State, seat: Int, view: View) -> None:
    """Write the part of Top Secret: the seat's hand, and the public facts about cards."""
    for kind in range(KINDS):
        view.hand[kind] = s.hands[seat, kind] / 2
        view.used[kind] = 0
        view.pending[kind] = s.pending == kind
    for i in range(s.used_size):
        view.used[s.used[i]] += float32(0.5)
    for places in range(len(view.active)):
        other = left_of(s, seat, places)
        view.hand_sizes[places] = s.hand_sizes[other] / HAND
        view.cards_played[places] = s.cards_played[other] * _BY_HAND
        view.card_mover[places] = (s.phase == ROUND or s.phase == CHOICE) and s.to_move == other
        view.swapped[places] = s.swapped == other
    for relative in range(len(view.score)):
        agent = agent_of(s, seat, relative)
        view.named[relative] = s.named[0] == agent or s.named[1] == agent
        view.arrived[relative] = s.arrived_by[agent] != NONE
        view.former[relative] = s.swapped == seat and s.former == agent
    view.card_phase[0] = s.phase == ROUND
    view.card_phase[1] = s.phase == CHOICE
    view.deck_size = s.deck_size / ALL_CARDS
    view.passes = s.passes / np.int64(s.options.players)


@kernel(noalias=True)
def write_predictions(s: State, seat: Int, view: View) -> None:
    """Write the part of Secret Identities.

    It holds the seat's predictions, how many answers each seat has given, and at the end all predictions.
    """
    agents = len(view.score)
    asked = asked_agent(s, seat) if s.phase == GUESS and s.to_move == seat else NONE
    for places in range(len(view.active)):
        other = left_of(s, seat, places)
        view.guess_mover[places] = s.phase == GUESS and s.to_move == other
        view.card_turn[places] = s.card_turn == other
        view.guesses_made[places] = answers(s, other) / (agents - 1)
        for relative in range(agents):
            guess = s.guesses[other, agent_of(s, seat, relative)]
            view.guesses[places, relative] = 0
            if places == 0 or s.phase == OVER:
                view.guesses[places, relative] = guess_code(s, seat, guess)
    for relative in range(agents):
        view.asked[relative] = asked != NONE and agent_of(s, seat, relative) == asked
    view.guess_phase = s.phase == GUESS
    view.guessed = s.guessed
    view.swapped_late = s.swapped_late


@kernel
def guess_code(s: State, seat: Int, guess: Int) -> float32:
    """Return a value of `guesses` for the view: -1 free, (1 + the owner's relative seat) / 7, 0 no prediction."""
    if guess == UNASKED:
        return float32(0)
    if guess == FREE:
        return float32(-1)
    return (1 + places_to(s, seat, guess - FIRST_OWNER)) * _BY_AGENTS


@kernel
def observe_base(s: State, seat: Int, view: View) -> None:
    """Write what `seat` may know in the base game."""
    write_board(s, seat, view)


@kernel
def observe_cards(s: State, seat: Int, view: View) -> None:
    """Write what `seat` may know with Top Secret."""
    write_board(s, seat, view)
    write_cards(s, seat, view)


@kernel
def observe_predictions(s: State, seat: Int, view: View) -> None:
    """Write what `seat` may know with Secret Identities."""
    write_board(s, seat, view)
    write_predictions(s, seat, view)


@kernel
def observe_both(s: State, seat: Int, view: View) -> None:
    """Write what `seat` may know with Top Secret and Secret Identities."""
    write_board(s, seat, view)
    write_cards(s, seat, view)
    write_predictions(s, seat, view)


OBSERVE = {
    (False, False): observe_base,
    (True, False): observe_cards,
    (False, True): observe_predictions,
    (True, True): observe_both,
}
"""The kernel `observe` of a variant by (top_secret, secret_identities)."""
