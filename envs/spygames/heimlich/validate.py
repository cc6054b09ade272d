"""Consistency checks of a STATE.

Kernels find the first fault as a number. For a state that was read from a mapping, the `check_*` functions turn it into
an ImpossibleState. For a state of arbitrary bytes, `is_known` turns it into a bool.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.game import Game, ImpossibleState
from spygames.core.game.validation import check_played, integer, member, same, sequence
from spygames.heimlich.board import AGENTS, FINISH, MAX_AGENTS, ONE_TO_THREE
from spygames.heimlich.cards import ALL_CARDS, CARDS, FIRST, KINDS, NEW_IDENTITY, NO_AGENT, SECOND
from spygames.heimlich.layout import (
    CHOICE,
    END_REASONS,
    FIRST_OWNER,
    GUESS,
    MOVE,
    NONE,
    OVER,
    PHASES,
    ROUND,
    SAFE,
    UNASKED,
    Options,
    Settings,
    State,
    in_range,
)
from spygames.heimlich.queries import answers, copies_of, is_named, left_of, places_to, still_to_predict
from spygames.heimlich.rules.play import legal
from spygames.heimlich.rules.scoring import furthest, is_finished
from spygames.heimlich.rules.top_secret import fits, playable

_OF_CARDS = ("hands", "deck", "used", "passes", "pending_card", "card_turn")
_OF_PREDICTIONS = ("guesses", "guessed", "guessing", "card_turn")


def check_variant(game: Game, m: Mapping[str, Any], empty: Mapping[str, Any], s: State) -> None:
    """Check that the mapping is of this game, and that keys of switches that are off have the values in `empty`."""
    check_played(m, {"edition": Settings.of(game).edition, "players": game.num_players})
    agents = list(AGENTS[: s.options.agents])
    if not isinstance(m["agents"], list) or m["agents"] != agents:
        raise ImpossibleState(f"agents must be {agents} with this number of players, not {shown(m['agents'])}")
    off = {key for key in _OF_CARDS if not s.options.top_secret}
    off |= {key for key in _OF_PREDICTIONS if not s.options.secret_identities}
    for key in off:
        value = m[key]
        if isinstance(value, Mapping) and not any(value.values()):
            continue  # empty for every seat
        if not same(value, empty[key]):
            raise ImpossibleState(f"{key} must be {empty[key]!r} or left out in this variant, not {shown(value)}")


def check_phase(m: Mapping[str, Any], s: State) -> None:
    """Check that the phase fits the seat to move, the points, the cards and the predictions."""
    phase, fault = PHASES[s.phase], phase_fault(s)
    if fault == NOT_OF_VARIANT:
        raise ImpossibleState(f"phase must be one of this variant, not {phase}")
    if fault == NOBODY_TO_MOVE:
        raise ImpossibleState("to_move must be a seat, or null in phase over")
    if fault == NOT_ACTIVE:
        raise ImpossibleState(f"to_move must be {s.active}, the active seat, in phase {phase}")
    if fault == WRONG_POINTS:
        raise ImpossibleState("points_left must be above 0 in phase move, and 0 in any other phase")
    if fault == WRONG_PENDING:
        raise ImpossibleState("pending_card must be given in phase card_choice, and null in any other phase")
    if fault == MISFIT:
        agent = s.named[misfit(s)]
        raise ImpossibleState(f"agents of pending_card: {AGENTS[agent]} cannot be named for {CARDS[s.pending]} here")
    if fault == NOT_PLAYABLE:
        raise ImpossibleState(f"pending_card: {CARDS[s.pending]} cannot be carried out here")
    if fault == PASSES:
        raise ImpossibleState(f"passes must be 0 in phase {phase}")
    if fault == EMPTY_HAND:
        raise ImpossibleState(f"hands of seat {s.to_move} must not be empty: it is to move in phase cards")
    if fault == CARD_TURN:
        raise ImpossibleState(f"card_turn must be null in phase {phase}")
    _check_predictions(s)
    left = still_to_predict(s) if s.phase == GUESS else 0
    expected = [(int(s.to_move) + i) % int(s.options.players) for i in range(left)]
    if list(sequence(m["guessing"], "guessing")) != expected:
        raise ImpossibleState(f"guessing must be {expected} here, not {shown(m['guessing'])}")
    if nothing_legal(s, np.zeros(256, np.int8)):
        raise ImpossibleState(f"seat {s.to_move} must have a legal action, but has none in phase {phase}")


def _check_predictions(s: State) -> None:
    """Check the predictions of each seat: complete if it has predicted, partial if it is to predict now, else empty."""
    if s.phase == GUESS and s.guessed:
        raise ImpossibleState("guessed must be false in phase guess")
    for places in range(int(s.options.players)):
        seat = int(left_of(s, int(s.active), places))
        fault = prediction_fault(s, seat)
        if fault == TOO_EARLY:
            raise ImpossibleState(f"guesses of seat {seat} must be empty: it has not predicted yet")
        if fault == TWICE:
            raise ImpossibleState(f"guesses of seat {seat} must give each other player at most one agent")
        if fault == INCOMPLETE:
            raise ImpossibleState(
                f"guesses of seat {seat} must cover all agents but its own and give every other player one agent"
            )
        if fault == OUT_OF_ORDER:
            raise ImpossibleState(
                f"guesses of seat {seat} must cover the first agents by id, except its own, and lack at least one"
            )
        if fault == TOO_FEW:
            raise ImpossibleState(f"guesses of seat {seat} must leave an agent for every other player")


def check_end(m: Mapping[str, Any], s: State) -> None:
    """Check the winners, which follow from the position, and that there are none before the end."""
    winners = {integer(seat, "winners", 0, int(s.options.players) - 1) for seat in sequence(m["winners"], "winners")}
    reason = m["end_reason"]
    if s.phase != OVER:
        if winners or reason is not None:
            raise ImpossibleState("winners must be [] and end_reason null unless phase is over")
        return
    s.end_reason = member(reason, "end_reason", END_REASONS)
    s.winners = furthest(s)
    if winners != (found := {seat for seat in range(int(s.options.players)) if s.winners >> seat & 1}):
        raise ImpossibleState(f"winners must be {sorted(found)} with these scores and passports, not {sorted(winners)}")
    if not is_finished(s):
        raise ImpossibleState(f"phase must not be over while no token is at {FINISH} or more")


# ---------------------------------------------------------------- faults, as kernels find them

NO_FAULT = 0
(
    NOT_OF_VARIANT, NOBODY_TO_MOVE, NOT_ACTIVE, WRONG_POINTS, WRONG_PENDING, MISFIT, NOT_PLAYABLE, PASSES, EMPTY_HAND,
    CARD_TURN,
) = range(1, 11)  # fmt: skip


@kernel
def phase_fault(s: State) -> Int:
    """Return the first fault of mover, points or cards in this phase, or NO_FAULT."""
    phase = s.phase
    if (phase in (ROUND, CHOICE) and not s.options.top_secret) or (phase == GUESS and not s.options.secret_identities):
        return NOT_OF_VARIANT
    if (phase == OVER) != (s.to_move == NONE):
        return NOBODY_TO_MOVE
    if phase in (MOVE, SAFE) and s.to_move != s.active:
        return NOT_ACTIVE
    if (phase == MOVE) != (s.points_left > 0):
        return WRONG_POINTS
    if (phase == CHOICE) != (s.pending != NONE):
        return WRONG_PENDING
    if phase == CHOICE and misfit(s) != NONE:
        return MISFIT
    if phase == CHOICE and s.named[0] == NONE and not playable(s, np.int64(s.pending)):
        return NOT_PLAYABLE
    if phase != ROUND and s.passes:
        return PASSES
    if phase == ROUND and s.hand_sizes[s.to_move] == 0:
        return EMPTY_HAND
    return CARD_TURN if s.card_turn != NONE and phase != GUESS else NO_FAULT


@kernel
def misfit(s: State) -> Int:
    """Return the index in `named` of the first agent that cannot be named for the pending card, or NONE."""
    kind = np.int64(s.pending)
    if s.named[0] != NONE and not fits(s, FIRST[kind], np.int64(s.named[0])):
        return 0
    if s.named[1] != NONE and not fits(s, SECOND[kind], np.int64(s.named[1])):
        return 1
    return NONE


@kernel
def nothing_legal(s: State, mask: np.ndarray) -> bool:
    """Whether a seat is to move and has no legal action. Overwrites `mask`, int8 [A]."""
    legal(s, mask)
    nothing = s.phase != OVER
    for action in range(len(mask)):
        nothing = nothing and mask[action] == 0
    return bool(nothing)


TOO_EARLY, TWICE, INCOMPLETE, OUT_OF_ORDER, TOO_FEW = range(1, 6)


@kernel
def prediction_fault(s: State, seat: Int) -> Int:
    """Return the first fault of a seat's prediction, or NO_FAULT."""
    players, places = np.int64(s.options.players), places_to(s, s.active, seat)
    before = players - still_to_predict(s) if s.phase == GUESS else 0
    done = bool(s.guessed) or (s.phase == GUESS and places < before)
    asked = s.phase == GUESS and places == before
    agents, named, twice = np.int64(s.options.agents), 0, is_named(s, seat, seat)
    unasked = agents - answers(s, seat)
    for agent in range(agents):
        owner = s.guesses[seat, agent]
        named += owner >= FIRST_OWNER
        for other in range(agent):
            twice = twice or (owner >= FIRST_OWNER and s.guesses[seat, other] == owner)
    if not (done or asked) and unasked < agents:
        return TOO_EARLY
    if twice:
        return TWICE
    if done and (unasked != 1 or named != players - 1):
        return INCOMPLETE
    if asked and (s.guesses[seat, s.passports[seat]] != UNASKED or unasked == 1 or _has_gap(s, seat)):
        return OUT_OF_ORDER
    return TOO_FEW if asked and unasked - 1 < players - 1 - named else NO_FAULT


@kernel
def _has_gap(s: State, seat: Int) -> bool:
    """Whether an answered agent is between two unanswered ones, the seat's own agent aside."""
    last, gap = NONE, False
    for agent in range(s.options.agents):
        if agent != s.passports[seat] and s.guesses[seat, agent] == UNASKED:
            for between in range(last + 1, agent):
                gap = gap or (last != NONE and between != s.passports[seat])
            last = agent
    return gap


@kernel
def agrees(s: State) -> bool:
    """Whether fields that depend on each other agree as `state_from_dict` requires. Each field must be in its range."""
    return bool(_turn_agrees(s) and _board_agrees(s) and _cards_agree(s) and _pending_agrees(s) and _record_agrees(s))


@kernel
def _turn_agrees(s: State) -> bool:
    """Whether the points moved and left fit the die."""
    most = 3 if s.die == ONE_TO_THREE else np.int64(s.die)
    total, following = np.int64(s.points_left), 0
    for agent in range(s.options.agents):
        total += s.moved[agent]
        if s.moved[agent] != 0:
            following = agent + 1
    on_die = s.die != ONE_TO_THREE if s.options.plain_die else s.die != 1
    return bool(on_die and total <= most and s.next_agent == following)


@kernel
def _board_agrees(s: State) -> bool:
    """Whether tokens are below the finish until the end, arrived agents with the safe, and each seat owns one agent."""
    may_arrive = s.phase in (MOVE, ROUND, CHOICE) or s.card_turn != NONE
    fine, owned = True, 0
    for agent in range(s.options.agents):
        fine = fine and (s.scores[agent] < FINISH or s.phase == OVER)
        fine = fine and (s.arrived_by[agent] == NONE or (may_arrive and s.positions[agent] == s.safe))
        owned += s.owner[agent] != NONE
    fine = fine and owned == s.options.players
    for seat in range(s.options.players):
        fine = fine and s.passports[seat] != NONE and s.owner[s.passports[seat]] == seat
    return bool(fine)


@kernel
def _cards_agree(s: State) -> bool:
    """Whether hand sizes fit the hands, and each copy of a card is in one place."""
    if not s.options.top_secret:
        return True
    fine = True
    for seat in range(s.options.players):
        size = np.int64(0)
        for kind in range(KINDS):
            size += s.hands[seat, kind]
        fine = fine and s.hand_sizes[seat] == size
    for kind in range(KINDS):
        total = np.int64(0)
        for i in range(ALL_CARDS):
            total += s.deck[i] == kind
            total += s.used[i] == kind
        for seat in range(s.options.players):
            total += s.hands[seat, kind]
        fine = fine and total == copies_of(s, kind)
    return bool(fine)


@kernel
def is_used(s: State, kind: Int) -> bool:
    """Whether a card of this kind was used."""
    used = False
    for i in range(ALL_CARDS):
        used = used or s.used[i] == kind
    return used


@kernel
def _pending_agrees(s: State) -> bool:
    """Whether the pending card was used and the agents named for it are distinct and not too many."""
    one, other = s.named[0], s.named[1]
    if s.pending == NONE:
        return bool(one == NONE and other == NONE)
    fine = is_used(s, s.pending) and (one == NONE or FIRST[s.pending] != NO_AGENT)
    fine = fine and (other == NONE or SECOND[s.pending] != NO_AGENT)
    return bool(fine and (other == NONE or (one != NONE and one != other)))


@kernel
def _record_agrees(s: State) -> bool:
    """Whether predictions name seats, cards played are among the used ones, and a former identity is a free agent."""
    fine, played = True, np.int64(0)
    for seat in range(s.options.players):
        for agent in range(MAX_AGENTS):
            fine = fine and s.guesses[seat, agent] < FIRST_OWNER + s.options.players
        played += s.cards_played[seat]
    fine = fine and played <= s.used_size and s.swapped_late <= s.guessed
    if s.swapped == NONE:
        return bool(fine and s.former == NONE and s.swapped_late == 0)
    return bool(fine and s.former != NONE and is_used(s, NEW_IDENTITY) and s.owner[s.former] == NONE)


@kernel
def is_known(s: State, options: Options, mask: np.ndarray) -> bool:
    """Whether the position is valid in the variant of these options: its mapping reads back as the same bytes.

    `s` may be arbitrary bytes. The ranges are those of `state_from_dict`, and fields that the mapping does not name
    must be as `clear` leaves them. Overwrites `mask`, int8 [A].
    """
    if not in_range(s, options) or not agrees(s) or phase_fault(s) or (s.phase == GUESS and s.guessed):
        return False
    for seat in range(s.options.players):
        if prediction_fault(s, seat):
            return False
    if s.phase == OVER:
        return bool(s.end_reason != NONE and s.winners == furthest(s) and is_finished(s))
    return bool(s.end_reason == NONE and s.winners == 0 and not nothing_legal(s, mask))
