"""Setup, turns and movement (HC-3 to HC-13, HC-15, HC-25). HC-n names a rule in README.md."""

import numpy as np
from numpy import uint64

from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.rng import below, shuffle
from spygames.heimlich.actions import (
    ACT_BUILDING,
    ACT_CARD,
    ACT_DONE,
    ACT_DRAW,
    ACT_PASS,
    ACT_STEP,
    MOVE_AGENT,
    MOVE_POINTS,
    decode_agent,
    decode_building,
    decode_card,
    decode_guess,
    decode_move,
    decode_safe,
    decode_step,
    encode_safe,
)
from spygames.heimlich.board import (
    ABSOLUTE,
    FACES,
    LOOP,
    MAX_AGENTS,
    MIN_AGENTS,
    ONE_TO_THREE,
    RUINS,
    SAFE_START,
)
from spygames.heimlich.cards import ALL_CARDS, DEALT, KINDS, STEPS
from spygames.heimlich.layout import CHOICE, GUESS, LAST_TURN, MOVE, NONE, ROUND, SAFE, Options, State, copy_options
from spygames.heimlich.queries import add_bounded, agent_of, left_of
from spygames.heimlich.rules.predictions import legal_guess, must_predict, predict, start_predictions
from spygames.heimlich.rules.scoring import finish, is_finished, score
from spygames.heimlich.rules.top_secret import (
    carry_out,
    draw,
    fill_deck,
    legal_choice,
    legal_in_round,
    may_draw,
    move_safe,
    name_agent,
    use_card,
)

_AGENT_COUNTS = MAX_AGENTS - MIN_AGENTS + 1


def _moves() -> np.ndarray:
    """Return the masks of die movements (HC-9 to HC-11), int8 [row, action].

    A row is the flat index of own agent, number of agents - MIN_AGENTS, next agent, points left, and whether the die
    shows "1-3".
    """
    masks = np.zeros((MAX_AGENTS, _AGENT_COUNTS, MAX_AGENTS + 1, FACES + 1, 2, ACT_DONE), np.int8)
    for own, more, action in np.ndindex(MAX_AGENTS, _AGENT_COUNTS, ACT_DONE):
        agent, points, last = ABSOLUTE[own, MOVE_AGENT[action]], MOVE_POINTS[action], MIN_AGENTS + more - 1
        if agent <= last:  # the last agent must take all remaining points
            masks[own, more, : agent + 1, points:, 1, action] = 1
            masks[own, more, : agent + 1, points : points + 1 if agent == last else None, 0, action] = 1
    return masks.reshape(-1, ACT_DONE)


_MOVES, _WHICH = np.unique(_moves(), axis=0, return_inverse=True)
_WHICH = _WHICH.ravel().astype(np.int16)
"""The distinct masks, and the index of the mask of each row of `_moves`.

This takes 27 kB instead of 132 kB; a GPU has room for 64 kB of constants.
"""


@kernel
def init(s: State, options: Options, seed: uint64) -> None:
    """HC-3 to HC-6: deal the passports, set up the board, choose the first player, and make the first roll."""
    s.rng = seed
    copy_options(s, options)
    clear(s)
    players, agents = np.int64(s.options.players), np.int64(s.options.agents)
    for seat in range(players):
        s.owner[seat] = seat
    shuffle(s, s.owner, agents)
    for agent in range(agents):
        if s.owner[agent] != NONE:
            s.passports[s.owner[agent]] = agent
    first = np.int64(s.options.first_player)
    s.active = below(s, players) if first == NONE else first
    if s.options.top_secret:
        s.deck_size = fill_deck(s)
        shuffle(s, s.deck, s.deck_size)
        for seat in range(players):
            for _ in range(DEALT):
                draw(s, seat)
    roll(s)


@kernel
def clear(s: State) -> None:
    """HC-4: put agents in the Church, tokens on Start and the safe in building 7. Clear cards and the record."""
    s.turn = 0
    for i in range(MAX_AGENTS):  # agents and seats: their maximum numbers are equal
        s.scores[i] = s.positions[i] = s.moved[i] = s.scorings[i] = s.hand_sizes[i] = s.cards_played[i] = 0
        s.arrived_by[i] = s.owner[i] = s.passports[i] = NONE
        for j in range(MAX_AGENTS):
            s.points[i, j] = s.times[i, j] = s.gains[i, j] = s.guesses[i, j] = 0
        for kind in range(KINDS):
            s.hands[i, kind] = 0
    for i in range(ALL_CARDS):
        s.deck[i] = s.used[i] = NONE
    s.deck_size = s.used_size = s.next_agent = s.passes = s.guessed = s.swapped_late = s.winners = 0
    s.pending = s.named[0] = s.named[1] = s.card_turn = s.swapped = s.former = s.end_reason = NONE
    s.safe = SAFE_START


@kernel
def roll(s: State) -> None:
    """HC-8: roll for the active player, who is then to move. HC-36: the plain die has a 1 in place of "1-3"."""
    face = below(s, FACES)
    one_to_three = face == 0 and not s.options.plain_die
    s.die = ONE_TO_THREE if one_to_three else face + 1
    s.points_left = 3 if one_to_three else face + 1
    s.phase = MOVE
    s.to_move = s.active


@kernel
def legal(s: State, mask: np.ndarray) -> None:
    """Write the mask of the seat to move: 1 for each legal action, else 0."""
    if s.phase == MOVE:
        legal_moves(s, mask)
        return
    for action in range(len(mask)):
        mask[action] = 0
    if s.phase == SAFE:
        legal_safes(s, mask)
    elif s.phase == ROUND:
        legal_in_round(s, mask)
    elif s.phase == CHOICE:
        legal_choice(s, mask)
    elif s.phase == GUESS:
        legal_guess(s, mask)


@kernel
def legal_moves(s: State, mask: np.ndarray) -> None:
    """HC-9 to HC-11: mark moves of agents in the order of their ids, and `done`. HC-23: mark `draw` on a `1-3`."""
    own, agents = np.int64(s.passports[s.to_move]), np.int64(s.options.agents) - MIN_AGENTS
    after, points = np.int64(s.next_agent), np.int64(s.points_left)
    split = s.die == ONE_TO_THREE
    row = (((own * _AGENT_COUNTS + agents) * (MAX_AGENTS + 1) + after) * (FACES + 1) + points) * 2 + split
    moves = _MOVES[np.uint64(_WHICH[np.uint64(row)])]
    for action in range(ACT_DONE):
        mask[action] = moves[action]
    for action in range(ACT_DONE, len(mask)):
        mask[action] = 0
    mask[ACT_DONE] = split and after > 0
    if s.options.top_secret:
        mask[ACT_DRAW] = split and after == 0 and may_draw(s, s.to_move)


@kernel
def legal_safes(s: State, mask: np.ndarray) -> None:
    """HC-15: mark every other building. HC-36: in the edition of 1984, only those without agents."""
    for building in range(LOOP):
        mask[encode_safe(building)] = 1
    mask[encode_safe(s.safe)] = 0
    if s.options.plain_die:
        for agent in range(s.options.agents):
            mask[encode_safe(s.positions[agent])] = 0


@kernel
def apply(s: State, action: Int) -> None:
    """Apply one decision and all chance up to the next decision."""
    if action < ACT_DONE:
        agent, points = decode_move(action)
        move(s, agent_of(s, s.to_move, agent), points)
    elif s.phase == MOVE:  # `done`, or a card drawn instead of moving
        if action == ACT_DRAW:
            draw(s, s.to_move)
        end_movement(s)
    elif s.phase == SAFE:
        move_safe(s, decode_safe(action))
        next_turn(s)
    elif s.phase == GUESS:
        take_prediction(s, decode_guess(s.options.first_guess, s.options.players, action)[1])
    elif action == ACT_PASS:
        s.passes += 1
        ask_for_card(s, left_of(s, s.to_move, 1))
    else:
        apply_card(s, action)


@kernel
def move(s: State, agent: Int, points: Int) -> None:
    """HC-9: move an agent clockwise. HC-12: only the building where it stops counts for a scoring."""
    seat = np.int64(s.active)
    building = np.int64(s.positions[agent]) + points
    if building >= LOOP:
        building -= LOOP
    s.positions[agent] = building
    s.arrived_by[agent] = seat if building == s.safe else NONE
    s.moved[agent] = points
    s.points[agent, seat] = add_bounded(s.points[agent, seat], points)
    s.times[agent, seat] = add_bounded(s.times[agent, seat], 1)
    s.next_agent = agent + 1
    s.points_left -= points
    if s.points_left == 0:
        end_movement(s)


@kernel
def end_movement(s: State) -> None:
    """End the movement: a scoring is judged after the roll (HC-13).

    With cards, first draw for an agent in the Ruins (HC-22) and hold the card round (HC-25).
    """
    s.points_left = 0
    if not s.options.top_secret:
        judge_scoring(s)
        return
    in_ruins = False
    for agent in range(s.options.agents):
        in_ruins |= s.moved[agent] > 0 and s.positions[agent] == RUINS
    if in_ruins and may_draw(s, s.active):
        draw(s, s.active)
    s.passes = 0
    ask_for_card(s, s.active if s.options.active_opens else left_of(s, s.active, 1))


@kernel
def ask_for_card(s: State, seat: Int) -> None:
    """HC-25: ask `seat` for a card, or the next seat that holds one. After a lap of passes the round is over."""
    while s.passes < s.options.players:
        if s.hand_sizes[seat] > 0:
            s.phase = ROUND
            s.to_move = seat
            return
        s.passes += 1
        seat = left_of(s, seat, 1)
    s.passes = 0
    judge_scoring(s)


@kernel
def apply_card(s: State, action: Int) -> None:
    """HC-25, HC-32: play a card, or make one of the choices of the pending card."""
    if ACT_CARD <= action < ACT_PASS:
        use_card(s, decode_card(action))
    elif action == ACT_DONE:
        carry_out(s, 0)
    elif action < ACT_STEP:
        name_agent(s, agent_of(s, s.to_move, decode_agent(action)))
    else:
        carry_out(s, STEPS[decode_step(action)] if action < ACT_BUILDING else decode_building(action))
    s.phase = CHOICE
    if s.pending == NONE:
        if must_predict(s):
            start_predictions(s, s.to_move)
        else:
            ask_for_card(s, np.int64(s.to_move))


@kernel
def take_prediction(s: State, places: Int) -> None:
    """HC-33: record a prediction. After the last one the safe is moved, or the card round continues."""
    if predict(s, places):
        seat = np.int64(s.card_turn)
        s.card_turn = NONE
        if seat == NONE:
            s.phase, s.to_move = SAFE, s.active
        else:
            ask_for_card(s, seat)


@kernel
def judge_scoring(s: State) -> None:
    """HC-12, HC-26: score if an agent was moved to the safe.

    A scoring leads to the end of the game, to the predictions, or to moving the safe; otherwise the next turn begins.
    """
    if not score(s):
        next_turn(s)
    elif is_finished(s):
        finish(s)
    elif must_predict(s):
        start_predictions(s, NONE)
    else:
        s.phase, s.to_move = SAFE, s.active


@kernel
def next_turn(s: State) -> None:
    """Pass the turn to the left."""
    for agent in range(s.options.agents):
        s.moved[agent] = 0
    s.next_agent = 0
    s.turn = min(np.int64(s.turn) + 1, LAST_TURN)
    s.active = left_of(s, s.active, 1)
    roll(s)
