"""Invariants of Agent Avenue that hold at every decision, written from the rules.

Each invariant takes states, STATE [n], and returns bool [n]: whether it holds in each. The layout of a state is
imported from the package. Card data and rules are repeated here, independent of the code under test.
"""

from collections.abc import Callable

import numpy as np

from spygames.agent_avenue.layout import (
    ABILITY,
    AT_ABILITY,
    AT_DECK,
    AT_DISCARD,
    AT_SUPPLY,
    DOWN,
    END_REASONS,
    LEAD,
    MARKET,
    NONE,
    OVER,
    PLAY,
    RECRUIT,
    RESOLVER,
    UP,
)

States = np.ndarray
Holds = np.ndarray

VARIANTS = [{"mode": mode, "players": players} for mode in ("simple", "advanced") for players in (2, 3, 4)]
"""Of which random play is measured and checked."""

COPIES = np.array([6, 6, 6, 6, 6, 6, 1, 1])
MOVED = np.array([  # total spaces moved by the first n copies of an agent
    [0, -1, 5, 4, 3, 2, 1],  # double_agent
    [0, 1, 3, 6, 9, 12, 15],  # enforcer
    [0, 0, 0, 0, 0, 0, 0],  # codebreaker
    [0, -1, -2, -4, -6, -8, -10],  # saboteur
    [0, 2, 5, 5, 5, 5, 5],  # daredevil
    [0, 0, 2, 8, 14, 20, 26],  # sentinel
    [0, 4, 4, 4, 4, 4, 4],  # sidekick
    [0, -3, -3, -3, -3, -3, -3],  # mole
])  # fmt: skip
FARTHEST_BACK = -3  # a Mole
FARTHEST, FARTHEST_BY_MARKET = 6, 15  # a second Double Agent; with the Sinister Twin onto a home, and the Getaway Car
CODEBREAKER, DAREDEVIL = 2, 4
GETAWAY_CAR, LEADER_OF_THE_PACK, MASTERPLAN, SECURITY_SYSTEM = range(1, 5)
MIND_CONTROL, SMOKE_SCREEN, SPYCATION, SURVEILLANCE_TRUCK = 9, 12, 13, 14
INSTANT = 8  # the first one; the cards before it are ongoing


# ---------------------------------------------------------------- seats and sides


def side_of(s: States, seat: np.ndarray) -> np.ndarray:
    """AA-38: the side of seats [n]; -1 for nobody."""
    return np.where(s["options"]["players"] == 2, seat, seat >> 1)


def team(s: States) -> np.ndarray:
    """AA-38: whether each side has two members, bool [n, 2]."""
    players = s["options"]["players"]
    return np.stack([players > 2, players == 4], 1)


def of(table: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The entry of each row of `table` [n, k] at `index` [n]; arbitrary for an index out of range."""
    return table[np.arange(len(table)), np.clip(index, 0, table.shape[1] - 1)]


def advanced(s: States) -> np.ndarray:
    return s["options"]["advanced"] == 1


def during(s: States, *phases: int) -> np.ndarray:
    return np.logical_or.reduce([s["phase"] == phase for phase in phases])


def hand_sizes(s: States) -> np.ndarray:
    """Cards in each hand, [n, 4]."""
    return s["hands"].sum(2)


def spaces(s: States) -> np.ndarray:
    """AA-15: the spaces of the meeples, [n, 2]."""
    return (s["progress"] + np.array([0, 7])) % 14


def there(s: States) -> np.ndarray:
    """The seats of each variant, bool [n, 4]."""
    return np.arange(4) < s["options"]["players"][:, None]


def hider(s: States) -> np.ndarray:
    """AA-12, AA-40: the seat whose hidden card is on offer, or -1."""
    active = s["active_side"]
    alone = np.where(s["options"]["players"] == 2, active, 2)
    return np.where(during(s, RECRUIT), np.where(of(team(s), active), s["leader"] ^ 1, alone), NONE)


def lie(s: States, place: int) -> np.ndarray:
    """Number of market cards in a place, [n]."""
    return (s["market"] == place).sum(1)


def stacked(deck: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Whether the cards of a deck [n, k] fill exactly its first `size` places."""
    return ((deck != NONE) == (np.arange(deck.shape[1]) < size[:, None])).all(1)


# ---------------------------------------------------------------- invariants of states


def agent_cards_conserved(s: States) -> Holds:
    """AA-1, AA-5: hands, discards, cards in play, the offer and the deck contain each copy of each agent once."""
    places = [s["hands"].sum(1), s["discarded"].sum(1), s["in_play"].sum(1)]
    places += [(s[key][:, None] == np.arange(8)).astype(int) for key in ("face_up", "face_down")]
    places += [(s["deck"][:, :, None] == np.arange(8)).sum(1)]
    counts = [s[key].min((1, 2)) >= 0 for key in ("hands", "discarded", "in_play")]
    return (np.sum(places, 0) == COPIES).all(1) & np.all(counts, 0) & stacked(s["deck"], s["deck_size"])


def market_cards_conserved(s: States) -> Holds:
    """AA-4, AA-22, AA-25, AA-26: each market card is in a valid place; three are open while the market deck lasts."""
    market, card = s["market"], np.arange(15)
    may_be = np.isin(market, (AT_SUPPLY, AT_DECK)) | (np.isin(market, (0, 1)) & (card < INSTANT))
    may_be |= (market == AT_DISCARD) & (card >= INSTANT)
    may_be |= (market == AT_ABILITY) & (card >= INSTANT) & (card == s["ability"][:, None])
    in_deck = (s["market_deck"][:, :, None] == card).sum(1)
    fine = may_be.all(1) & (in_deck == (market == AT_DECK)).all(1) & stacked(s["market_deck"], s["market_deck_size"])
    fine &= (s["ability"] != NONE) == (lie(s, AT_ABILITY) == 1)
    fine &= np.where(s["market_deck_size"] > 0, lie(s, AT_SUPPLY) == 3, lie(s, AT_SUPPLY) <= 3)
    nothing = (market == NONE).all(1) & (s["market_deck"] == NONE).all(1) & (s["market_deck_size"] == 0)
    nothing &= np.all([s[key] == NONE for key in ("pending", "ability", "resolver", "taken")], 0)
    return np.where(advanced(s), fine, nothing)


def hands_drawn_up(s: States) -> Holds:
    """AA-5, AA-11, AA-21, AA-31, AA-43: hands have four cards while the deck lasts; more only through market cards."""
    took = (s["market"][:, MIND_CONTROL] == AT_DISCARD).astype(int)
    took += (s["market"][:, SPYCATION] == AT_DISCARD) | (s["taken"] != NONE)
    played = during(s, DOWN)[:, None] & (np.arange(4) == s["leader"][:, None])  # and waits for the partner
    sizes = hand_sizes(s)
    drawn = (sizes >= 4 - played) | (s["deck_size"] == 0)[:, None]
    return np.where(there(s), drawn & (sizes <= 4 + took[:, None]), sizes == 0).all(1)


def discards_within_limits(s: States) -> Holds:
    """AA-8, AA-42: a team member has two discards a game, a player without a partner four."""
    side = np.where(s["options"]["players"][:, None] == 2, [0, 1, 0, 0], [0, 0, 1, 1])
    limit = np.where(np.take_along_axis(team(s), side, 1), 2, 4) * there(s)
    return ((s["discards_left"] >= 0) & (s["discarded"].sum(2) + s["discards_left"] == limit)).all(1)


def offer_fits_phase(s: States) -> Holds:
    """AA-10, AA-12, AA-40: two cards are offered while the other side chooses, one while the partner has yet to play.

    They are identical only if the player who played face down held nothing else.
    """
    offered = (s["face_up"] != NONE) == during(s, RECRUIT, DOWN)
    hidden = (s["face_down"] != NONE) == during(s, RECRUIT)
    hands = s["hands"][np.arange(len(s)), hider(s)]
    alike = (s["face_up"] != s["face_down"]) | (of(hands, s["face_up"]) >= s["kept"])
    kept = (s["kept"] >= 0) & (s["kept"] <= hands.sum(1)) & alike
    return offered & hidden & np.where(during(s, RECRUIT), kept, s["kept"] == 0)


def seat_fits_phase(s: States) -> Holds:
    """AA-7, AA-12, AA-24, AA-38, AA-40, AA-41, AA-44: the mover is the seat that decides in this phase."""
    seat, active, leader = s["to_move"], s["active_side"], s["leader"]
    own, is_team, leads = side_of(s, seat), of(team(s), s["active_side"]), s["leader"] != NONE
    captain = seat == of(s["captain"], own)
    rule = {
        PLAY: ~is_team & (own == active),
        LEAD: is_team & (own == active) & captain & ~leads,
        UP: is_team & (seat == leader),
        DOWN: is_team & leads & (seat == leader ^ 1),
        RECRUIT: (own == 1 - active) & captain & (leads == is_team),
        MARKET: advanced(s) & captain & (s["ability"] == NONE) & (s["resolver"] == NONE) & (s["taken"] == NONE),
        RESOLVER: of(team(s), own) & captain & (s["resolver"] == NONE) & (s["taken"] == NONE),
        ABILITY: (seat == s["resolver"]) & ((s["taken"] == NONE) | (s["ability"] == SPYCATION)),
        OVER: seat == NONE,
    }
    fine = np.isin(active, (0, 1)) & np.select([during(s, phase) for phase in rule], list(rule.values()), False)
    fine &= during(s, OVER) | ((seat >= 0) & (seat < s["options"]["players"]))
    fine &= ~leads | (is_team & (side_of(s, leader) == active))
    at_market = during(s, MARKET, RESOLVER, ABILITY)
    fine &= (s["pending"] == NONE) | (at_market & (s["pending"] == 1 - active) & (own == active))
    asks = (s["ability"] >= INSTANT) & ~np.isin(s["ability"], (SMOKE_SCREEN, SURVEILLANCE_TRUCK))
    return fine & np.where(during(s, RESOLVER, ABILITY), asks, s["ability"] == NONE)


def captains_alternate(s: States) -> Holds:
    """AA-41: the lower seat is captain first; the team's seats then alternate with its turns, unless it is fixed."""
    side = np.arange(2)
    over = (s["turn"][:, None] - (side == s["active_side"][:, None])) // 2  # turns of each side that are over
    change = (over % 2) * team(s) * (s["options"]["captain_fixed"] == 0)[:, None]
    lowest = np.where(s["options"]["players"][:, None] == 2, side, 2 * side)
    return (s["captain"] == lowest + change).all(1)


def moved_by_icons(s: States) -> Holds:
    """AA-13 to AA-15: without an effect of market cards, progress is the sum of the icons of the agents in play."""
    moved = MOVED[np.arange(8), np.clip(s["in_play"], 0, 6)].sum(2) == s["progress"]
    meddled = (lie(s, AT_DISCARD) + lie(s, AT_ABILITY) > 0)[:, None] | np.stack([lie(s, 0), lie(s, 1)], 1) > 0
    return (moved | (advanced(s)[:, None] & meddled)).all(1)


def seen_cards_are_held(s: States) -> Holds:
    """AA-37: a card that everyone saw enter a hand, and not leave it, is in that hand or face down."""
    hidden = (np.arange(4) == hider(s)[:, None])[:, :, None] & (np.arange(8) == s["face_down"][:, None])[:, None]
    fine = ((s["seen"] >= 0) & (s["seen"] <= s["hands"] + hidden)).all((1, 2))
    return fine & (advanced(s) | ~s["seen"].any((1, 2)))


def winning(s: States) -> dict[str, np.ndarray]:
    """AA-17, AA-34, AA-35: whether each side meets each winning condition, bool [n, 2] by name."""
    ahead = s["progress"][:, 0].astype(int) - s["progress"][:, 1]
    ongoing = {card: np.stack([s["market"][:, card] == side for side in (0, 1)], 1) for card in range(INSTANT)}
    return {
        "caught": np.stack([ahead >= 7, ahead <= -7], 1),
        "codebreakers": s["in_play"][:, :, CODEBREAKER] >= 3,
        "masterplan": ongoing[MASTERPLAN] & ((s["in_play"] > 0).sum(2) >= 7),
        "security_system": ongoing[SECURITY_SYSTEM] & (spaces(s)[:, ::-1] == [0, 7]),
        "leader_of_the_pack": ongoing[LEADER_OF_THE_PACK] & (s["in_play"][:, :, DAREDEVIL] >= 3),
    }


def losing(s: States) -> np.ndarray:
    """AA-17, AA-34: which sides lose by three Daredevils, bool [n, 2]."""
    return (s["in_play"][:, :, DAREDEVIL] >= 3) & (s["market"][:, [LEADER_OF_THE_PACK]] != [0, 1])


def out_of_cards(s: States) -> np.ndarray:
    """AA-19, AA-45: which sides have too few cards for a turn and cannot draw, bool [n, 2]."""
    sizes = hand_sizes(s)
    two = s["options"]["players"] == 2
    seats = [[0, 1], [2, 3]]
    members = np.stack([sizes[:, pair].min(1) < 1 for pair in seats], 1)
    alone = np.stack([sizes[:, 0], np.where(two, sizes[:, 1], sizes[:, 2])], 1) < 2
    return (s["deck_size"] == 0)[:, None] & np.where(team(s), members, alone)


def undecided_while_going_on(s: States) -> Holds:
    """AA-17, AA-19, AA-30: from the start of a turn until cards are recruited, no side has won, lost or run out."""
    decided = np.any([met.any(1) for met in winning(s).values()], 0) | losing(s).any(1)
    stuck = during(s, PLAY, LEAD, UP) & of(out_of_cards(s), s["active_side"])
    return ~during(s, PLAY, LEAD, UP, DOWN, RECRUIT) | ~(decided | stuck)


def end_fits_position(s: States) -> Holds:
    """AA-17 to AA-19, AA-34, AA-45: winner and reason follow from the rules; the first reason that applies counts."""
    active, lost, met = s["active_side"], losing(s), winning(s)
    won = np.any(list(met.values()), 0)
    tie = won.all(1) | lost.all(1) | (won & lost).any(1)
    ahead = s["progress"].astype(int)
    level = np.where(ahead[:, 0] == ahead[:, 1], active, ahead.argmax(1))
    winner = np.where(won.any(1), won.argmax(1), np.where(lost.any(1), 1 - lost.argmax(1), level))
    winner = np.where(tie, active, winner)
    ran_out = ~won.any(1) & ~lost.any(1)
    rests_on = met | {"daredevils": lost[:, ::-1], "ran_out": ran_out[:, None] & out_of_cards(s)[:, ::-1]}
    # When the cards have run out, the active side has ended its turn, so the other side is the one that cannot play.
    claims = [np.where(r == "ran_out", of(rests_on[r], active), of(rests_on[r], winner)) for r in END_REASONS]
    reason = np.where(np.any(claims, 0), np.argmax(claims, 0), NONE)
    fine = (s["winner"] == winner) & (s["end_reason"] == reason) & (reason != NONE)
    return np.where(during(s, OVER), fine, (s["winner"] == NONE) & (s["end_reason"] == NONE))


# ---------------------------------------------------------------- invariants of decisions


def nothing_comes_back(before: States, s: States) -> Holds:
    """AA-9, AA-26: decks only lose cards from the top; discards, ongoing and spent market cards stay in place."""
    fine = (s["discarded"] >= before["discarded"]).all((1, 2))
    for deck, size in (("deck", "deck_size"), ("market_deck", "market_deck_size")):
        below = np.arange(s[deck].shape[1]) < s[size][:, None]
        fine &= (s[size] <= before[size]) & (~below | (s[deck] == before[deck])).all(1)
    stays = np.isin(before["market"], (0, 1, AT_DISCARD))
    return fine & (~stays | (s["market"] == before["market"])).all(1)


def ends_turns(s: States) -> np.ndarray:
    """Whether a decision in this phase can end the turn."""
    return during(s, RECRUIT, MARKET, RESOLVER, ABILITY)


def turns_alternate(before: States, s: States) -> Holds:
    """AA-7: after Play and Recruit, and their effects, the game ends or the other side's turn begins."""
    same = (s["turn"] == before["turn"]) & (s["active_side"] == before["active_side"])
    same &= ~during(s, LEAD) & (~during(s, PLAY) | during(before, PLAY)) & (~during(s, OVER) | ends_turns(before))
    begun = (s["turn"] == before["turn"] + 1) & (s["active_side"] == 1 - before["active_side"]) & during(s, PLAY, LEAD)
    return same | (begun & ends_turns(before))


def moves_within_reach(before: States, s: States) -> Holds:
    """AA-14, AA-29, AA-32, AA-33: only recruits and market cards move meeples, at most as far as a card can move them.

    With the Getaway Car, a side's meeple does not end a move on a home.
    """
    steps = s["progress"].astype(int) - before["progress"]
    mover = side_of(before, before["to_move"])[:, None] == np.arange(2)
    may_move = during(before, RECRUIT)[:, None] | (during(before, MARKET, ABILITY)[:, None] & mover)
    farthest = np.where(advanced(s), FARTHEST_BY_MARKET, FARTHEST)[:, None]
    car = before["market"][:, [GETAWAY_CAR]] == np.arange(2)
    fine = may_move & (steps >= FARTHEST_BACK) & (steps <= farthest) & ~(car & (spaces(s) % 7 == 0))
    return (fine | (steps == 0)).all(1)


def landing_gives_a_card(before: States, s: States) -> Holds:
    """AA-3, AA-23 to AA-25, AA-29: a move that ends on a market space gives a card, to the active side first."""
    landed = (s["progress"] != before["progress"]) & np.isin(spaces(s), (2, 5, 9, 12)) & advanced(s)[:, None]
    recruits = during(before, RECRUIT)
    mover = np.where(recruits, before["active_side"], side_of(before, before["to_move"]))
    waits = np.where(recruits & of(landed, 1 - mover), 1 - mover, before["pending"])
    takes = np.where(of(landed, mover), mover, waits)
    takes = np.where((lie(s, AT_SUPPLY) > 0) & ends_turns(before), takes, NONE)
    left = np.where(takes == mover, waits, NONE)
    taking = during(s, MARKET) & (side_of(s, s["to_move"]) == takes) & (s["pending"] == left)
    # While an ability is being resolved, no meeple has landed yet, and a pending side stays pending.
    resolving = during(s, RESOLVER, ABILITY) & (s["pending"] == before["pending"]) & ~recruits
    return resolving | np.where(takes == NONE, ~during(s, MARKET, RESOLVER, ABILITY), taking)


OF_STATE: tuple[Callable[[States], Holds], ...] = (
    agent_cards_conserved,
    market_cards_conserved,
    hands_drawn_up,
    discards_within_limits,
    offer_fits_phase,
    seat_fits_phase,
    captains_alternate,
    moved_by_icons,
    seen_cards_are_held,
    undecided_while_going_on,
    end_fits_position,
)
"""Invariants of a state."""
OF_DECISION: tuple[Callable[[States, States], Holds], ...] = (
    nothing_comes_back,
    turns_alternate,
    moves_within_reach,
    landing_gives_a_card,
)
"""Invariants of a state and the one after a decision."""


def due(s: States) -> np.ndarray:
    """AA-46: the result of each seat, [n, 4]: +1 for the winning side, -1 for the other one, 0 before the end."""
    side = np.where(s["options"]["players"][:, None] == 2, [0, 1, 0, 0], [0, 0, 1, 1])
    return np.where(side == s["winner"][:, None], 1, -1) * during(s, OVER)[:, None] * there(s)
