"""The rules of Heimlich & Co.: set-up, turns, scorings, the end. HC-n: the rule in README.md."""

import numpy as np
from numpy import uint64

from spygames.core.kernel import Int, Record, kernel
from spygames.core.rng import below, shuffle
from spygames.heimlich import top_secret
from spygames.heimlich.board import (
    ALL_CARDS,
    DEALT,
    FACES,
    FINISH,
    KINDS,
    LOOP,
    MOST,
    ONE_TO_THREE,
    RELATIVE,
    RUINS,
    SAFE_START,
    VALUES,
)
from spygames.heimlich.identities import begin_predictions, bonus, legal_guess, must_predict, predict
from spygames.heimlich.state import (
    ACT_AGENT,
    ACT_BUILDING,
    ACT_CARD,
    ACT_DONE,
    ACT_DRAW,
    ACT_PASS,
    ACT_SAFE,
    ACT_STEP,
    CHOICE,
    FINISHED,
    GUESS,
    LAST_TURN,
    MOVE,
    NONE,
    OVER,
    ROUND,
    SAFE,
    STATE,
    STEPS,
    agent_of,
    count,
    left_of,
)
from spygames.heimlich.top_secret import (
    carry_out,
    draw,
    legal_choice,
    legal_in_round,
    may_draw,
    move_safe,
    name_agent,
    use_card,
)

__all__ = ["STATE", "apply", "init", "legal", "returns"]

_STEPS = np.array(STEPS, np.int64)
_AGENT = np.array([a // FACES for a in range(ACT_DONE)], np.int64)
_POINTS = np.array([a % FACES + 1 for a in range(ACT_DONE)], np.int64)


def _moves() -> np.ndarray:
    """The masks of die movements (HC-9 to HC-11), int8 [own, agents - 4, next agent, points left, is "1-3", action]."""
    masks = np.zeros((MOST, 4, MOST + 1, FACES + 1, 2, ACT_DONE), np.int8)
    for own, agents in np.ndindex(MOST, 4):
        for agent in range(agents + 4):
            for points in range(1, FACES + 1):
                action = RELATIVE[own, agent] * FACES + points - 1
                masks[own, agents, : agent + 1, points:, 1, action] = 1
                last = agent == agents + 3
                masks[own, agents, : agent + 1, points : points + 1 if last else None, 0, action] = 1
    return masks.reshape(-1, ACT_DONE)


_MOVES = _moves()


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    """HC-3 to HC-6: passports are dealt, everything is put in its place, and the first player rolls."""
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
        s.deck_size = top_secret.deal(s)
        shuffle(s, s.deck, s.deck_size)
        for seat in range(players):
            for _ in range(DEALT):
                draw(s, seat)
    roll(s)


@kernel
def copy_options(s: Record, options: Record) -> None:
    """The options of the game become part of its state."""
    s.options.players, s.options.agents = options.players, options.agents
    s.options.top_secret, s.options.secret_identities = options.top_secret, options.secret_identities
    s.options.plain_die, s.options.first_player = options.plain_die, options.first_player
    s.options.active_opens, s.options.new_identity = options.active_opens, options.new_identity
    s.options.tie_to_player, s.options.by_score = options.tie_to_player, options.by_score
    s.options.nobody_wins, s.options.first_guess = options.nobody_wins, options.first_guess


@kernel
def clear(s: Record) -> None:
    """HC-4: agents in the Church, tokens on Start, the safe in building 7; no card dealt and nothing recorded."""
    s.turn = 0
    for i in range(MOST):
        s.scores[i] = s.positions[i] = s.moved[i] = s.scorings[i] = s.hand_sizes[i] = s.cards_played[i] = 0
        s.arrived_by[i] = s.owner[i] = s.passports[i] = NONE
        for j in range(MOST):
            s.points[i, j] = s.times[i, j] = s.gains[i, j] = s.guesses[i, j] = 0
        for kind in range(KINDS):
            s.hands[i, kind] = 0
    for i in range(ALL_CARDS):
        s.deck[i] = s.used[i] = NONE
    s.deck_size = s.used_size = s.next_agent = s.passes = s.guessed = s.swapped_late = s.winners = 0
    s.pending = s.named[0] = s.named[1] = s.card_turn = s.swapped = s.former = s.end_reason = NONE
    s.safe = SAFE_START


@kernel
def roll(s: Record) -> None:
    """HC-8: the active player rolls and is to move; HC-36: the other die has a 1 in the place of "1-3"."""
    face = below(s, FACES)
    one_to_three = face == 0 and not s.options.plain_die
    s.die = ONE_TO_THREE if one_to_three else face + 1
    s.points_left = 3 if one_to_three else face + 1
    s.phase = MOVE
    s.to_move = s.active


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    """What the seat to move may do."""
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
def legal_moves(s: Record, mask: np.ndarray) -> None:
    """HC-9 to HC-11: agents in the order of their ids, all points of the roll; HC-23: or a card on a `1-3`."""
    own, agents, after = np.int64(s.passports[s.to_move]), np.int64(s.options.agents) - 4, np.int64(s.next_agent)
    split = s.die == ONE_TO_THREE
    row = (((own * 4 + agents) * (MOST + 1) + after) * (FACES + 1) + np.int64(s.points_left)) * 2 + split
    moves = _MOVES[np.uint64(row)]
    for action in range(ACT_DONE):
        mask[action] = moves[action]
    for action in range(ACT_DONE, len(mask)):
        mask[action] = 0
    mask[ACT_DONE] = split and after > 0
    if s.options.top_secret:
        mask[ACT_DRAW] = split and after == 0 and may_draw(s, s.to_move)


@kernel
def legal_safes(s: Record, mask: np.ndarray) -> None:
    """HC-15: any other building; HC-36: in the edition of 1984 one without agents."""
    for building in range(LOOP):
        mask[ACT_SAFE + building] = 1
    mask[ACT_SAFE + s.safe] = 0
    if s.options.plain_die:
        for agent in range(s.options.agents):
            mask[ACT_SAFE + s.positions[agent]] = 0


@kernel
def apply(s: Record, action: Int) -> None:
    """One decision, and all chance up to the next one."""
    if action < ACT_DONE:
        move(s, agent_of(s, s.to_move, _AGENT[action]), _POINTS[action])
    elif s.phase == MOVE:  # `done`, or a card drawn instead of moving
        if action == ACT_DRAW:
            draw(s, s.to_move)
        end_movement(s)
    elif s.phase == SAFE:
        move_safe(s, action - ACT_SAFE)
        next_turn(s)
    elif s.phase == GUESS:
        answer(s, (action - np.int64(s.options.first_guess)) % np.int64(s.options.players))
    elif action == ACT_PASS:
        s.passes += 1
        go_round(s, left_of(s, s.to_move, 1))
    else:
        apply_card(s, action)


@kernel
def move(s: Record, agent: Int, points: Int) -> None:
    """HC-9: an agent goes clockwise; HC-12: where it stands then, with the safe or not, is what counts."""
    seat = np.int64(s.active)
    building = np.int64(s.positions[agent]) + points
    if building >= LOOP:
        building -= LOOP
    s.positions[agent] = building
    s.arrived_by[agent] = seat if building == s.safe else NONE
    s.moved[agent] = points
    s.points[agent, seat] = count(s.points[agent, seat], points)
    s.times[agent, seat] = count(s.times[agent, seat], 1)
    s.next_agent = agent + 1
    s.points_left -= points
    if s.points_left == 0:
        end_movement(s)


@kernel
def end_movement(s: Record) -> None:
    """HC-13: scorings are judged after the roll; HC-22, HC-25: before it a card for the Ruins, and the card round."""
    s.points_left = 0
    if not s.options.top_secret:
        judge(s)
        return
    in_ruins = False
    for agent in range(s.options.agents):
        in_ruins |= s.moved[agent] > 0 and s.positions[agent] == RUINS
    if in_ruins and may_draw(s, s.active):
        draw(s, s.active)
    s.passes = 0
    go_round(s, s.active if s.options.active_opens else left_of(s, s.active, 1))


@kernel
def go_round(s: Record, seat: Int) -> None:
    """HC-25: `seat` is asked for a card, or whoever holds one after it; after a lap of passes the round is over."""
    while s.passes < s.options.players:
        if s.hand_sizes[seat] > 0:
            s.phase = ROUND
            s.to_move = seat
            return
        s.passes += 1
        seat = left_of(s, seat, 1)
    s.passes = 0
    judge(s)


@kernel
def apply_card(s: Record, action: Int) -> None:
    """HC-25, HC-32: a card is named, or one of the choices that it asks for is made."""
    if action < ACT_PASS and action >= ACT_CARD:
        use_card(s, action - ACT_CARD)
    elif action == ACT_DONE:
        carry_out(s, 0)
    elif action < ACT_STEP:
        name_agent(s, agent_of(s, s.to_move, action - ACT_AGENT))
    else:
        carry_out(s, _STEPS[action - ACT_STEP] if action < ACT_BUILDING else action - ACT_BUILDING)
    s.phase = CHOICE
    if s.pending == NONE:
        if must_predict(s):
            begin_predictions(s, s.to_move)
        else:
            go_round(s, np.int64(s.to_move))


@kernel
def answer(s: Record, places: Int) -> None:
    """HC-33: a prediction; after the last one the safe is moved, or the card round goes on where it was."""
    if predict(s, places):
        seat = np.int64(s.card_turn)
        s.card_turn = NONE
        if seat == NONE:
            s.phase, s.to_move = SAFE, s.active
        else:
            go_round(s, seat)


@kernel
def judge(s: Record) -> None:
    """HC-12, HC-26: a scoring if an agent was moved to the safe; then the end, predictions, or the safe."""
    if not score(s):
        next_turn(s)
    elif is_finished(s):
        finish(s)
    elif must_predict(s):
        begin_predictions(s, NONE)
    else:
        s.phase, s.to_move = SAFE, s.active


@kernel
def score(s: Record) -> bool:
    """HC-14: every agent in play scores its building, no token goes behind Start. Returns whether it came to that."""
    causes = 0  # the seats that caused it, bit by bit
    for agent in range(s.options.agents):
        seat = np.int64(s.arrived_by[agent])
        if seat != NONE:
            s.scorings[seat] = count(s.scorings[seat], 1 - ((causes >> seat) & 1))
            causes |= 1 << seat
            s.arrived_by[agent] = NONE
    if causes == 0:
        return False
    for agent in range(s.options.agents):
        before = np.int64(s.scores[agent])
        after = max(before + np.int64(VALUES[s.positions[agent]]), 0)
        s.scores[agent] = after
        for cause in range(s.options.players):
            if (causes >> cause) & 1:
                s.gains[agent, cause] = count(s.gains[agent, cause], after - before)
    return True


@kernel
def next_turn(s: Record) -> None:
    """The turn goes to the left."""
    for agent in range(s.options.agents):
        s.moved[agent] = 0
    s.next_agent = 0
    s.turn = min(np.int64(s.turn) + 1, LAST_TURN)
    s.active = left_of(s, s.active, 1)
    roll(s)


@kernel
def is_finished(s: Record) -> bool:
    """HC-17: whether a token is at the end of the score track."""
    finished = False
    for agent in range(s.options.agents):
        finished |= s.scores[agent] >= FINISH
    return finished


@kernel
def finish(s: Record) -> None:
    """HC-34: predictions are rewarded; HC-18, HC-19: who is furthest ahead has won; the safe stays (HC-17)."""
    if s.guessed:
        for seat in range(s.options.players):
            s.scores[s.passports[seat]] += bonus(s, seat)
    s.winners = furthest(s)
    s.end_reason = FINISHED
    s.phase, s.to_move = OVER, NONE


@kernel
def furthest(s: Record) -> Int:
    """HC-18, HC-19: the owners of the tokens furthest ahead, as a set; nobody where a free agent decides it."""
    best, owners, free = -1, 0, False
    for agent in range(s.options.agents):
        points, owner = np.int64(s.scores[agent]), np.int64(s.owner[agent])
        if points > best:
            best, owners, free = points, 0, False
        if points == best:
            if owner == NONE:
                free = True
            else:
                owners |= 1 << owner
    return 0 if free and not s.options.tie_to_player else owners


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    """HC-37: winners share +1 and the others -1, or the own score compared with the others'; zeros until the end."""
    players = np.int64(s.options.players)
    won, total = 0, 0
    for seat in range(players):
        out[seat] = 0.0
        won += (s.winners >> seat) & 1
        total += s.scores[s.passports[seat]]
    if s.phase != OVER:
        return
    for seat in range(players):
        if s.options.by_score:
            own = np.int64(s.scores[s.passports[seat]])
            out[seat] = (own - (total - own) / (players - 1)) / FINISH
        elif won == 0:
            out[seat] = s.options.nobody_wins
        elif won < players:
            out[seat] = 1.0 / won if (s.winners >> seat) & 1 else -1.0 / (players - won)
