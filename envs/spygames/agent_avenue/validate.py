"""Contradictions in a state of Agent Avenue are refused: cards, seats, phase, offer, market, end. No check is stricter
than play needs."""

from spygames.agent_avenue.cards import AGENTS, COPIES, KINDS, MARKET_SIZE, ONGOING, OPEN
from spygames.agent_avenue.layout import (
    ABILITY,
    AT_SUPPLY,
    DOWN,
    END_REASONS,
    LEAD,
    MARKET,
    NONE,
    OVER,
    PHASES,
    PLAY,
    RAN_OUT,
    RECRUIT,
    RESOLVER,
    SIDES,
    UP,
)
from spygames.agent_avenue.queries import discard_limit, face_down_seat, first_seat, hand_size, is_team, other, side_of
from spygames.agent_avenue.rules.end_step import end_step
from spygames.agent_avenue.rules.market import is_possible
from spygames.agent_avenue.types import State
from spygames.core.game import ImpossibleState


def check(s: State) -> None:
    """Check that the parts of a state agree.

    Raises:
        ImpossibleState: two parts contradict each other; the message names their keys.
    """
    _check_cards(s)
    _check_seats(s)
    _check_turn(s)
    _check_offer(s)
    _check_market(s)
    _check_seen(s)
    _check_end(s)


def _check_cards(s: State) -> None:
    for card in range(KINDS):
        places = [*s.hands[:, card], *s.discarded[:, card], *s.in_play[:, card]]
        total = sum(map(int, places)) + int((s.deck == card).sum()) + (s.face_up == card) + (s.face_down == card)
        if total != COPIES[card]:
            raise ImpossibleState(
                f"there are {COPIES[card]} copies of {AGENTS[card]}, but hands, discarded, in_play, deck, face_up and "
                f"face_down hold {total}"
            )


def _check_seats(s: State) -> None:
    for seat in range(s.options.players):
        thrown, most = int(s.discarded[seat].sum()), int(discard_limit(s, seat))
        if thrown + s.discards_left[seat] > most:
            raise ImpossibleState(
                f"discarded of seat {seat} holds {thrown} and discards_left is {s.discards_left[seat]}: "
                f"{most} together at most"
            )


def _check_turn(s: State) -> None:
    """The phase fits the active side and the mover."""
    phase, active = PHASES[s.phase], int(s.active_side)
    team = bool(is_team(s, active))
    if (s.phase in (LEAD, UP, DOWN) and not team) or (s.phase == PLAY and team):
        raise ImpossibleState(f"phase {phase} is not one of side {active} with {s.options.players} players")
    if not s.options.advanced and s.phase in (MARKET, RESOLVER, ABILITY):
        raise ImpossibleState(f"phase {phase} belongs to the advanced mode")
    if s.leader != NONE and (not team or side_of(s, s.leader) != active or s.phase == LEAD):
        raise ImpossibleState(f"lead must be null in phase {phase} of side {active}, not {s.leader}")
    if s.leader == NONE and team and s.phase in (UP, DOWN, RECRUIT):
        raise ImpossibleState(f"lead must name a seat of side {active} in phase {phase}")
    for side in range(SIDES):
        if s.options.captain_fixed and s.captain[side] != first_seat(s, side):
            raise ImpossibleState(f"captain of side {side} must be seat {first_seat(s, side)}: the captaincy is fixed")
    expected = {
        PLAY: [int(s.captain[active])],
        LEAD: [int(s.captain[active])],
        UP: [int(s.leader)],
        DOWN: [int(s.leader) ^ 1],
        RECRUIT: [int(s.captain[other(active)])],
        MARKET: [int(seat) for seat in s.captain],
        RESOLVER: [int(s.captain[side]) for side in range(SIDES) if is_team(s, side)],
        ABILITY: [int(s.resolver)] if s.resolver != NONE else [],
        OVER: [NONE],
    }[int(s.phase)]
    if s.to_move not in expected:
        seats = " or ".join("null" if seat == NONE else str(seat) for seat in expected) or "the seat of ability"
        raise ImpossibleState(f"to_move must be {seats} in phase {phase} with this active_side")


def _check_offer(s: State) -> None:
    """The offer fits the phase, and a seat that must play has cards."""
    phase = PHASES[s.phase]
    offered = [s.face_up != NONE, s.face_down != NONE]
    if s.phase == RECRUIT and not all(offered):
        raise ImpossibleState("face_up and face_down must both name a card in phase recruit")
    if s.phase == DOWN and offered != [True, False]:
        raise ImpossibleState("face_up must name a card and face_down none in phase down")
    if s.phase not in (RECRUIT, DOWN) and any(offered):
        raise ImpossibleState(f"face_up and face_down must be null in phase {phase}")
    if s.phase == RECRUIT and s.face_up == s.face_down and s.hands[face_down_seat(s), s.face_up] < s.kept:
        raise ImpossibleState("face_up and face_down can be identical only where the hand held nothing else")
    if s.phase == PLAY and hand_size(s, s.to_move) < 2:
        raise ImpossibleState(f"hands of seat {s.to_move} holds fewer than 2 cards, but it must play two")
    must_play = {LEAD: (0, 1), UP: (0, 1), DOWN: (0,)}.get(int(s.phase), ())
    for seat in (int(s.to_move) ^ k for k in must_play):
        if hand_size(s, seat) == 0:
            raise ImpossibleState(f"hands of seat {seat} holds no card, but it must play one")


def _check_market(s: State) -> None:
    """An ability is resolved only in its phases, and can be carried out."""
    phase = PHASES[s.phase]
    if (s.ability != NONE) != (s.phase in (RESOLVER, ABILITY)):
        raise ImpossibleState(f"ability must be {'null' if s.ability != NONE else 'a market card'} in phase {phase}")
    if s.ability != NONE and (s.ability < ONGOING or OPEN[s.ability]):
        raise ImpossibleState("ability must be a card that asks for choices")
    if s.phase == RESOLVER and (s.resolver != NONE or s.taken != NONE):
        raise ImpossibleState("ability seat and taken must be null in phase resolver")
    if s.phase == ABILITY and not is_possible(s):
        raise ImpossibleState(f"ability: seat {s.resolver} cannot carry it out, so phase must not be ability")
    if s.phase == MARKET and not any(s.market[card] == AT_SUPPLY for card in range(MARKET_SIZE)):
        raise ImpossibleState("market_supply must hold a card in phase market")
    if s.pending != NONE and s.phase not in (MARKET, RESOLVER, ABILITY):
        raise ImpossibleState(f"pending must be empty in phase {phase}")
    if s.pending != NONE and (s.pending == s.active_side or side_of(s, s.to_move) == s.pending):
        raise ImpossibleState("pending can hold the waiting side only, while the active side is at the market")


def _check_seen(s: State) -> None:
    for seat in range(s.options.players):
        for card in range(KINDS):
            there = int(s.hands[seat, card])
            there += s.face_down != NONE and seat == face_down_seat(s) and s.face_down == card
            if s.seen[seat, card] > there:
                raise ImpossibleState(
                    f"seen_in_hand of seat {seat} counts {s.seen[seat, card]} of {AGENTS[card]}, but it holds {there}"
                )


def _check_end(s: State) -> None:
    """The result is the one that the End step finds in this position."""
    if (s.phase == OVER) != (s.winner != NONE) or (s.phase == OVER) != (s.end_reason != NONE):
        raise ImpossibleState("winner and end_reason belong to phase over, and to no other")
    if s.phase in (MARKET, RESOLVER, ABILITY):
        return  # the turn has not come to its End step
    found = s.copy()
    found.winner = found.end_reason = NONE
    end_step(found)
    winner, reason = int(found.winner), int(found.end_reason)
    if s.phase == OVER and winner == NONE:
        raise ImpossibleState("phase is over, but nobody has won and the next player can play")
    if s.phase == OVER and (s.winner, s.end_reason) != (winner, reason):
        raise ImpossibleState(f"winner and end_reason must be {winner} and {END_REASONS[reason]} in this position")
    if s.phase != OVER and reason not in (NONE, RAN_OUT):
        raise ImpossibleState(f"side {winner} has won already ({END_REASONS[reason]}), so phase must be over")
