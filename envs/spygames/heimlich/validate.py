"""States of a mapping that contradict themselves are refused with ImpossibleState: one check for each part."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.core.checks import integer, member, sequence
from spygames.core.game import Game, ImpossibleState
from spygames.core.shown import shown
from spygames.heimlich.board import AGENTS, FINISH
from spygames.heimlich.cards import CARDS, FIRST, SECOND
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
)
from spygames.heimlich.queries import still_to_predict
from spygames.heimlich.rules.play import legal
from spygames.heimlich.rules.scoring import furthest, is_finished
from spygames.heimlich.rules.top_secret import fits, playable
from spygames.heimlich.types import State

_OF_CARDS = ("hands", "deck", "used", "passes", "pending_card", "card_turn")
_OF_PREDICTIONS = ("guesses", "guessed", "guessing", "card_turn")


def check_variant(game: Game, m: Mapping[str, Any], empty: Mapping[str, Any], s: State) -> None:
    """The mapping is of this game, and keys of switches that are off have the values in `empty`."""
    for key in ("edition", "players"):
        if m[key] != game.options[key] or isinstance(m[key], bool):
            raise ImpossibleState(f"{key} is {shown(m[key])}, but this game is played with {game.options[key]!r}")
    agents = list(AGENTS[: s.options.agents])
    if not isinstance(m["agents"], list) or m["agents"] != agents:
        raise ImpossibleState(f"agents must be {agents} with these players, not {shown(m['agents'])}")
    off = {key for key in _OF_CARDS if not s.options.top_secret}
    off |= {key for key in _OF_PREDICTIONS if not s.options.secret_identities}
    for key in off:
        value = m[key]
        if isinstance(value, Mapping) and not any(value.values()):
            continue  # all seats have nothing
        if value != empty[key]:
            raise ImpossibleState(f"{key} must be {empty[key]!r} or left out in this variant, not {shown(value)}")


def check_phase(m: Mapping[str, Any], s: State) -> None:
    """The phase fits the seat to move, the points, the cards and the predictions."""
    phase = PHASES[s.phase]
    if (s.phase in (ROUND, CHOICE) and not s.options.top_secret) or (
        s.phase == GUESS and not s.options.secret_identities
    ):
        raise ImpossibleState(f"phase {phase} does not occur in this variant")
    if (s.phase == OVER) != (s.to_move == NONE):
        raise ImpossibleState("to_move must be a seat, and null in phase over")
    if s.phase in (MOVE, SAFE) and s.to_move != s.active:
        raise ImpossibleState(f"to_move must be {s.active}, the active seat, in phase {phase}")
    if (s.phase == MOVE) != (s.points_left > 0):
        raise ImpossibleState("points_left must be above 0 in phase move, and 0 in any other")
    if (s.phase == CHOICE) != (s.pending != NONE):
        raise ImpossibleState("pending_card belongs to phase card_choice, and to no other")
    if s.phase == CHOICE:
        _check_pending(s)
    if s.phase != ROUND and s.passes:
        raise ImpossibleState(f"passes must be 0 in phase {phase}")
    if s.phase == ROUND and s.hand_sizes[s.to_move] == 0:
        raise ImpossibleState(f"hands of seat {s.to_move} is empty, so it is not asked in phase cards")
    if s.card_turn != NONE and s.phase != GUESS:
        raise ImpossibleState(f"card_turn must be null in phase {phase}")
    _check_predictions(s)
    left = still_to_predict(s) if s.phase == GUESS else 0
    expected = [(int(s.to_move) + i) % int(s.options.players) for i in range(left)]
    if list(sequence(m["guessing"], "guessing")) != expected:
        raise ImpossibleState(f"guessing must be {expected} here, not {shown(m['guessing'])}")
    mask = np.zeros(256, np.int8)
    legal(s, mask)
    if s.phase != OVER and not mask.any():
        raise ImpossibleState(f"seat {s.to_move} has nothing to choose from in phase {phase}")


def _check_pending(s: State) -> None:
    """The agents that were named are among those that the card asks for, and all that it asks for can be named."""
    kind = int(s.pending)
    for agent, which in zip(s.named.tolist(), (FIRST[kind], SECOND[kind]), strict=True):
        if agent != NONE and not fits(s, which, agent):
            raise ImpossibleState(f"agents of pending_card: {AGENTS[agent]} cannot be named for {CARDS[kind]} here")
    if s.named[0] == NONE and not playable(s, kind):
        raise ImpossibleState(f"pending_card: {CARDS[kind]} cannot be carried out here")


def _check_predictions(s: State) -> None:
    """Everybody has predicted, or nobody; in phase `guess` the seats before the mover."""
    players = int(s.options.players)
    left = still_to_predict(s) if s.phase == GUESS else 0
    if s.phase == GUESS and s.guessed:
        raise ImpossibleState("guessed must be false in phase guess")
    for places in range(players):
        seat = (int(s.active) + places) % players
        done = bool(s.guessed) or (s.phase == GUESS and places < players - left)
        asked = s.phase == GUESS and places == players - left
        guesses = s.guesses[seat, : s.options.agents]
        unasked = np.flatnonzero(guesses == UNASKED).tolist()
        named = guesses[guesses >= FIRST_OWNER].tolist()
        if not (done or asked) and len(unasked) < len(guesses):
            raise ImpossibleState(f"guesses of seat {seat} must be empty: it has not predicted")
        if FIRST_OWNER + seat in named or len(named) > len(set(named)):
            raise ImpossibleState(f"guesses of seat {seat} can give each other player one agent only")
        if done and (len(unasked) != 1 or len(named) != players - 1):
            raise ImpossibleState(
                f"guesses of seat {seat} must leave out its own agent alone and give every other player one"
            )
        own = int(s.passports[seat])
        if asked and (own not in unasked or len(unasked) == 1 or _not_in_order(unasked, own)):
            raise ImpossibleState(
                f"guesses of seat {seat} must be about the first agents, its own left out, but not all"
            )
        if asked and len(unasked) - 1 < players - 1 - len(named):
            raise ImpossibleState(f"guesses of seat {seat} leave no agent for some player")


def _not_in_order(unasked: list[int], own: int) -> bool:
    """Whether an agent was answered for before one with a lower id."""
    left = [agent for agent in unasked if agent != own]
    lowest = left[0]
    return left != [agent for agent in range(lowest, left[-1] + 1) if agent != own]


def check_end(m: Mapping[str, Any], s: State) -> None:
    """The winners follow from the position, and there are none before the end."""
    winners = {integer(seat, "winners", 0, int(s.options.players) - 1) for seat in sequence(m["winners"], "winners")}
    reason = m["end_reason"]
    if s.phase != OVER:
        if winners or reason is not None:
            raise ImpossibleState("winners and end_reason belong to phase over, and to no other")
        return
    s.end_reason = member(reason, "end_reason", END_REASONS)
    s.winners = furthest(s)
    if winners != (found := {seat for seat in range(int(s.options.players)) if s.winners >> seat & 1}):
        raise ImpossibleState(f"winners must be {sorted(found)} with these scores and passports, not {sorted(winners)}")
    if not is_finished(s):
        raise ImpossibleState(f"phase is over, but no token is at {FINISH} or more")
