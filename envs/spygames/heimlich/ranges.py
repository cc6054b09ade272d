"""Which values can be: whether those of a state of Heimlich & Co., of any bytes, can, and the ranges of a view."""

import numpy as np

from spygames.core.kernel import Int, kernel
from spygames.core.padding import is_zero
from spygames.heimlich.board import FACES, FINISH, LOOP, MAX_AGENTS, MAX_PLAYERS, ONE_TO_THREE
from spygames.heimlich.cards import ALL_CARDS, FIRST, HAND, KINDS, NEW_IDENTITY, NO_AGENT, SECOND
from spygames.heimlich.layout import (
    CHOICE,
    END_REASONS,
    FIRST_OWNER,
    GAINS_UNIT,
    LARGEST,
    LOWEST,
    MOVE,
    NONE,
    OVER,
    PHASES,
    POINTS_UNIT,
    ROUND,
    TIMES_UNIT,
)
from spygames.heimlich.queries import copies_of
from spygames.heimlich.types import Options, State

HIGHEST_SCORE = 200
"""What no token can exceed at the end, after bonuses."""
VIEW_RANGES = {
    "score": (0, HIGHEST_SCORE / FINISH),
    "record": (LOWEST / min(POINTS_UNIT, GAINS_UNIT), LARGEST / TIMES_UNIT),
    "scorings": (0, LARGEST / TIMES_UNIT),
    "hand": (0, HAND / 2),
    "cards_played": (0, ALL_CARDS / HAND),
    "guesses": (-1, 1),
}
"""Fields of VIEW that are not from 0 to 1."""
_PHASES, _REASONS = len(PHASES), len(END_REASONS)


@kernel
def in_range(s: State, options: Options) -> bool:
    """Whether `s`, any bytes, is of the variant of these options, its values in the ranges of `state_from_dict`."""
    fine = _is_of_variant(s, options) and _turn_in_range(s) and _board_in_range(s) and _cards_in_range(s)
    return bool(fine and _predictions_in_range(s) and _record_in_range(s))


@kernel
def _is_of_variant(s: State, options: Options) -> bool:
    one = s.options
    same = (
        is_zero(s.padding)
        and one.players == options.players
        and one.agents == options.agents
        and one.top_secret == options.top_secret
    )
    same = same and one.secret_identities == options.secret_identities and one.plain_die == options.plain_die
    same = same and one.first_player == options.first_player and one.active_opens == options.active_opens
    same = same and one.new_identity == options.new_identity and one.tie_to_player == options.tie_to_player
    same = same and one.by_score == options.by_score and one.nobody_wins == options.nobody_wins
    return bool(same and one.first_guess == options.first_guess)


@kernel
def _turn_in_range(s: State) -> bool:
    """Phase, seats, die and points."""
    players = s.options.players
    fine = 0 <= s.phase < _PHASES and NONE <= s.to_move < players and 0 <= s.active < players and s.turn >= 0
    fine = fine and NONE <= s.end_reason < _REASONS
    fine = fine and s.die <= FACES and (s.die >= 1 if s.options.plain_die else s.die == ONE_TO_THREE or s.die >= 2)
    most = 3 if s.die == ONE_TO_THREE else np.int64(s.die)
    total, following = np.int64(s.points_left), 0
    fine = fine and total >= 0
    for agent in range(MAX_AGENTS):
        fine = fine and 0 <= s.moved[agent] <= (most if agent < s.options.agents else 0)
        total += s.moved[agent]
        if s.moved[agent] != 0:
            following = agent + 1
    return bool(fine and total <= most and s.next_agent == following)


@kernel
def _board_in_range(s: State) -> bool:
    """Agents, safe, tokens, and passports: each agent has one owner at most."""
    highest = HIGHEST_SCORE if s.phase == OVER else FINISH - 1
    may_arrive = s.phase in (MOVE, ROUND, CHOICE) or s.card_turn != NONE
    fine, owned = 0 <= s.safe < LOOP, 0
    for agent in range(MAX_AGENTS):
        there = agent < s.options.agents
        fine = fine and 0 <= s.positions[agent] < (LOOP if there else 1)
        fine = fine and 0 <= s.scores[agent] <= (highest if there else 0)
        arrived = there and may_arrive and s.positions[agent] == s.safe
        fine = fine and NONE <= s.arrived_by[agent] < (s.options.players if arrived else 0)
        fine = fine and NONE <= s.owner[agent] < (s.options.players if there else 0)
        owned += s.owner[agent] != NONE
    fine = fine and owned == s.options.players
    for seat in range(MAX_PLAYERS):
        if seat >= s.options.players:
            fine = fine and s.passports[seat] == NONE
        else:
            agent = s.passports[seat]
            fine = fine and 0 <= agent < s.options.agents and s.owner[agent] == seat
    return bool(fine)


@kernel
def _cards_in_range(s: State) -> bool:
    """Hands, deck, used cards and the card that asks; each copy is in one place. Without cards there is none."""
    players, with_cards = s.options.players, s.options.top_secret
    most = ALL_CARDS if with_cards else 0
    fine = 0 <= s.deck_size <= most and 0 <= s.used_size <= most and 0 <= s.passes < (players if with_cards else 1)
    fine = fine and NONE <= s.card_turn < (players if with_cards and s.options.secret_identities else 0)
    for seat in range(MAX_PLAYERS):
        size = np.int64(0)
        for kind in range(KINDS):
            fine = fine and 0 <= s.hands[seat, kind] <= HAND
            size += s.hands[seat, kind]
        fine = fine and s.hand_sizes[seat] == size and size <= (HAND if with_cards and seat < players else 0)
    for i in range(ALL_CARDS):
        fine = fine and (0 <= s.deck[i] < KINDS if i < s.deck_size else s.deck[i] == NONE)
        fine = fine and (0 <= s.used[i] < KINDS if i < s.used_size else s.used[i] == NONE)
    for kind in range(KINDS):
        total = _cards_of(s, kind)
        for seat in range(MAX_PLAYERS):
            total += s.hands[seat, kind]
        fine = fine and total == (copies_of(s, kind) if with_cards else 0)
    return bool(fine and _pending_in_range(s))


@kernel
def _cards_of(s: State, kind: Int) -> Int:
    """Cards of a kind in the deck and among the used ones."""
    total = np.int64(0)
    for i in range(ALL_CARDS):
        total += s.deck[i] == kind
        total += s.used[i] == kind
    return total


@kernel
def is_used(s: State, kind: Int) -> bool:
    """Whether a card of a kind was used."""
    used = False
    for i in range(ALL_CARDS):
        used = used or s.used[i] == kind
    return used


@kernel
def _pending_in_range(s: State) -> bool:
    """The card that asks, and as many agents as it asks for at most, each once."""
    one, other, agents = s.named[0], s.named[1], s.options.agents
    if s.pending == NONE:
        return bool(one == NONE and other == NONE)
    if not 0 <= s.pending < KINDS or not is_used(s, s.pending):
        return False
    fine = NONE <= one < (agents if FIRST[s.pending] != NO_AGENT else 0)
    fine = fine and NONE <= other < (agents if SECOND[s.pending] != NO_AGENT else 0)
    return bool(fine and (other == NONE or (one != NONE and one != other)))


@kernel
def _predictions_in_range(s: State) -> bool:
    """What each seat has answered; nothing where nobody predicts."""
    players, agents, predicted = s.options.players, s.options.agents, s.options.secret_identities
    fine = 0 <= s.guessed <= (1 if predicted else 0)
    for seat in range(MAX_PLAYERS):
        for agent in range(MAX_AGENTS):
            asked = predicted and seat < players and agent < agents
            fine = fine and 0 <= s.guesses[seat, agent] < (FIRST_OWNER + players if asked else 1)
    return bool(fine)


@kernel
def _record_in_range(s: State) -> bool:
    """The public record, and who has taken a new identity."""
    players, agents = s.options.players, s.options.agents
    fine, played = True, np.int64(0)
    for seat in range(MAX_PLAYERS):
        for agent in range(MAX_AGENTS):
            there = seat < players and agent < agents
            low, high = (LOWEST, LARGEST) if there else (0, 0)
            fine = fine and low <= s.points[agent, seat] <= high and 0 <= s.times[agent, seat] <= high
            fine = fine and low <= s.gains[agent, seat] <= high
        fine = fine and 0 <= s.scorings[seat] <= (LARGEST if seat < players else 0)
        fine = fine and 0 <= s.cards_played[seat] <= (ALL_CARDS if seat < players else 0)
        played += s.cards_played[seat]
    fine = fine and played <= s.used_size and 0 <= s.swapped_late <= s.guessed
    if s.swapped == NONE:
        return bool(fine and s.former == NONE and s.swapped_late == 0)
    fine = fine and 0 <= s.swapped < players and 0 <= s.former < agents and is_used(s, NEW_IDENTITY)
    return bool(fine and s.owner[s.former] == NONE)
