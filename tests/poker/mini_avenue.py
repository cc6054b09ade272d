"""A small Agent Avenue that can be solved: seven cards of three names, hands of three, a catch with a lead of three.

The rules are those of Agent Avenue for two players in simple mode (`envs/spygames/agent_avenue/README.md`), with the
icons of its cards. What differs: there are 3 Codebreakers, 2 Double Agents and 2 Enforcers; each seat is dealt three
cards and one is left as the deck; nobody discards; a lead of 3 catches. Seat 0 offers first and draws the card of the
deck, then seat 1 offers, then seat 0 again. Then seat 1 holds one card, so the cards have run out (AA-19). Among the
60 choices of three names this one has many information sets, a value near 0, and an equilibrium that is mixed.

The deal is the only chance event, and the views show everything that a seat has seen and done (perfect recall), so
`nashconv.Tree` takes the game. A state holds the deal and all decisions, and everything else follows from them.
"""

import sys
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy import float32, int8, uint64

from spygames.agent_avenue import cards as full_game
from spygames.authoring import (
    Game,
    ImpossibleState,
    Int,
    Record,
    Texts,
    as_record,
    below,
    check_keys,
    integer,
    kernel,
    member,
    random_bot,
    sequence,
)

SEATS = 2
AGENTS = ("codebreaker", "double_agent", "enforcer")
CODEBREAKER = AGENTS.index("codebreaker")
COPIES = (3, 2, 2)
ICONS = full_game.ICONS[[full_game.AGENTS.index(name) for name in AGENTS]]  # spaces of the 1st, 2nd and later copies
KINDS, CARDS = len(COPIES), sum(COPIES)
HAND = 3  # cards dealt to each seat
CATCH = 3  # the lead that wins (in the full game 7)
THREE = 3  # Codebreakers that win
TURNS = 3  # of seats 0, 1 and 0
NONE = -1  # no card, no choice, no seat

UP, DOWN = range(2)  # the card that the other seat takes
RECRUIT = KINDS * KINDS  # the first action of taking a card; actions below it are offers
NUM_ACTIONS = RECRUIT + 2

ALL_CARDS = np.repeat(np.arange(KINDS), COPIES).astype(int8)
HANDS = (0, HAND + 1)  # the first place of each hand in STATE.cards: seat 0, the deck, seat 1
DECK = HAND  # the place of the deck

OPTIONS = np.dtype([], align=True)  # there is one variant only
STATE = np.dtype([  # what is true
    ("rng", uint64),  # HIDDEN: the random stream of chance
    # HIDDEN: the deal as indices in AGENTS, three cards of seat 0, the deck's card, three cards of seat 1, both hands
    # sorted. A seat knows its hand, and seat 0 the deck's card after its first offer, when it draws it.
    ("cards", int8, CARDS),
    ("up", int8, TURNS),  # the open card of each offer, NONE for offers not made yet
    ("down", int8, TURNS),  # the face-down card; HIDDEN from the other seat until one of the two is taken
    ("took", int8, TURNS),  # UP or DOWN, NONE for choices not made yet
    ("turn", int8),  # 0..2; 3 after the last one
    ("progress", int8, SEATS),  # spaces moved from the home
    ("in_play", int8, (SEATS, KINDS)),  # copies recruited
    ("to_move", int8),  # seat, or NONE when the game is over
    ("winner", int8),  # seat, or NONE
    ("padding", int8, 5),  # 0; fills the record up to a multiple of 8 bytes
], align=True)  # fmt: skip
VIEW = np.dtype([  # what a seat may know: everything that it has seen, in order (perfect recall)
    ("hand", float32, (KINDS, HAND)),  # n ones for n copies
    ("drawn", float32, KINDS),  # the card that the viewer has drawn, one-hot
    ("up", float32, (TURNS, KINDS)),  # the open card of each offer, one-hot; zeros before
    ("down", float32, (TURNS, KINDS)),  # the face-down card, one-hot; zeros while the viewer cannot know it
    ("took", float32, (TURNS, 2)),  # the card taken, one-hot; zeros before
    ("in_play", float32, (SEATS, KINDS, THREE)),  # the viewer first; n ones for n copies
    ("lead", float32, 2 * CATCH + 1),  # the viewer's, one-hot; everything beyond a catch like a catch
    ("first", float32),  # 1 if the viewer is the seat that begins
    ("decides", float32),  # 1 if the viewer is to move
], align=True)  # fmt: skip


@kernel
def other(seat: Int) -> Int:
    """The opponent of a seat."""
    return 1 - seat


@kernel
def offers_made(s: Record) -> Int:
    """Number of offers so far, with the one that waits for a choice."""
    n = 0
    for turn in range(TURNS):
        n += s.up[turn] != NONE
    return n


@kernel
def held(s: Record, seat: Int, card: Int, turn: Int) -> Int:
    """Copies of a card in a hand before the offer of `turn`; seat 0 draws after its first offer (AA-11)."""
    copies = 0
    for i in range(HAND):
        copies += s.cards[HANDS[seat] + i] == card
    if seat == 0 and turn > 0:
        copies += s.cards[DECK] == card
    for i in range(seat, turn, 2):
        copies -= s.up[i] == card
        copies -= s.down[i] == card
    return copies


@kernel
def may_offer(s: Record, turn: Int, up: Int, down: Int) -> bool:
    """Whether the hand of this turn allows an offer: two names, or one name if it holds no other (AA-10)."""
    seat = turn % 2
    if up != down:
        return bool(held(s, seat, up, turn) > 0 and held(s, seat, down, turn) > 0)
    others = 0
    for card in range(KINDS):
        if card != up:
            others += held(s, seat, card, turn)
    return bool(others == 0 and held(s, seat, up, turn) > 1)


@kernel
def init(s: Record, options: Record, seed: uint64) -> None:
    """Deal three cards to each seat and one to the deck (AA-5); seat 0 begins (AA-6)."""
    s.rng = seed
    for i in range(CARDS):
        s.cards[i] = ALL_CARDS[i]
    redeal(s, 0, CARDS)
    clear(s)


@kernel
def redeal(s: Record, start: Int, n: Int) -> None:
    """Shuffle `n` places of the deal from `start` on, and sort the hands."""
    for i in range(n - 1, 0, -1):
        swap(s, start + i, start + below(s, i + 1))
    for seat in range(SEATS):
        sort(s, HANDS[seat], HAND)


@kernel
def swap(s: Record, i: Int, j: Int) -> None:
    """Swap two cards of the deal."""
    card = s.cards[i]
    s.cards[i] = s.cards[j]
    s.cards[j] = card


@kernel
def sort(s: Record, start: Int, n: Int) -> None:
    """Sort `n` places of the deal from `start` on."""
    for i in range(start + 1, start + n):
        for j in range(i, start, -1):
            if s.cards[j] < s.cards[j - 1]:
                swap(s, j, j - 1)


@kernel
def clear(s: Record) -> None:
    """Return to the start: no decisions, nothing in play."""
    for turn in range(TURNS):
        s.up[turn] = s.down[turn] = s.took[turn] = NONE
    for seat in range(SEATS):
        s.progress[seat] = 0
        for card in range(KINDS):
            s.in_play[seat, card] = 0
    s.turn = s.to_move = 0
    s.winner = NONE


@kernel
def legal(s: Record, mask: np.ndarray) -> None:
    """Offers that the hand allows (AA-10), or the choice between the two cards of an offer (AA-12)."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0
    if s.to_move == NONE:
        return
    if s.up[s.turn] != NONE:
        mask[RECRUIT + UP] = mask[RECRUIT + DOWN] = 1
    else:
        for up in range(KINDS):
            for down in range(KINDS):
                mask[up * KINDS + down] = may_offer(s, s.turn, up, down)


@kernel
def apply(s: Record, action: Int) -> None:
    """Offer two cards, or take one of them."""
    turn = np.int64(s.turn)
    if action < RECRUIT:
        s.up[turn], s.down[turn] = action // KINDS, action % KINDS
        s.to_move = other(turn % 2)
    else:
        take(s, turn, action - RECRUIT)


@kernel
def take(s: Record, turn: Int, choice: Int) -> None:
    """Recruit both cards of an offer, the chosen one for the other side, and decide the turn (AA-12 to AA-14)."""
    active = turn % 2
    s.took[turn] = choice
    recruit(s, active, s.down[turn] if choice == UP else s.up[turn])
    recruit(s, other(active), s.up[turn] if choice == UP else s.down[turn])
    end_step(s, turn)


@kernel
def recruit(s: Record, seat: Int, card: Int) -> None:
    """Put a card into play and move by the icon that the number of its copies selects (AA-13, AA-14)."""
    s.in_play[seat, card] += 1
    s.progress[seat] += ICONS[card, min(s.in_play[seat, card], THREE) - 1]


@kernel
def claims(s: Record, seat: Int) -> bool:
    """Whether a seat can claim the game: it has caught the other, or has three Codebreakers (AA-17, AA-18)."""
    return s.progress[seat] - s.progress[other(seat)] >= CATCH or s.in_play[seat, CODEBREAKER] >= THREE


@kernel
def end_step(s: Record, turn: Int) -> None:
    """A seat wins, the active one if both claim (AA-18), or the cards run out (AA-19), or the next turn begins."""
    active = turn % 2
    s.turn = turn + 1
    s.to_move = s.turn % 2
    if claims(s, active):
        s.winner = active
    elif claims(s, other(active)):
        s.winner = other(active)
    elif s.turn == TURNS:
        s.winner = active if s.progress[active] >= s.progress[other(active)] else other(active)
    if s.winner != NONE:
        s.to_move = NONE


@kernel
def returns(s: Record, out: np.ndarray) -> None:
    """+1 for the winner, -1 for the other seat, zeros before the end."""
    for seat in range(SEATS):
        out[seat] = 0 if s.winner == NONE else (1 if s.winner == seat else -1)


@kernel
def knows_down(s: Record, seat: Int, turn: Int) -> bool:
    """Whether a seat knows the face-down card of an offer: its own, or one that has been recruited."""
    return turn % 2 == seat or s.took[turn] != NONE


@kernel
def observe(s: Record, seat: Int, view: Record) -> None:
    """The seat's hand and the card that it drew, all offers and choices, and the cards in play."""
    n = offers_made(s)
    drew = seat == 0 and n > 0
    for card in range(KINDS):
        copies = held(s, seat, card, n)
        for i in range(HAND):
            view.hand[card, i] = copies > i
        view.drawn[card] = drew and s.cards[DECK] == card
        for turn in range(TURNS):
            view.up[turn, card] = s.up[turn] == card
            view.down[turn, card] = s.down[turn] == card and knows_down(s, seat, turn)
        for k in range(SEATS):
            for i in range(THREE):
                view.in_play[k, card, i] = s.in_play[seat ^ k, card] > i
    for turn in range(TURNS):
        for choice in range(2):
            view.took[turn, choice] = s.took[turn] == choice
    ahead = min(max(np.int64(s.progress[seat]) - s.progress[other(seat)], -CATCH), CATCH) + CATCH
    for i in range(2 * CATCH + 1):
        view.lead[i] = i == ahead
    view.first = seat == 0
    view.decides = s.to_move == seat


@kernel
def determinize(s: Record, seat: Int, seed: uint64) -> None:
    """Deal the cards that `seat` has not seen, and draw the card that lies face down, until all offers were allowed."""
    s.rng = seed
    n = offers_made(s)
    hidden = n > 0 and not knows_down(s, seat, n - 1)
    drew = seat == 0 and n > 0
    start = DECK + drew if seat == 0 else HANDS[0]
    unseen = HAND if drew else HAND + 1
    while True:
        sort(s, start, unseen)  # so that nothing depends on the true order
        redeal(s, start, unseen)
        if hidden:
            s.down[n - 1] = below(s, KINDS)
        allowed = True
        for turn in range(n):
            allowed = allowed and may_offer(s, turn, s.up[turn], s.down[turn])
        if allowed:
            return


@kernel
def rewind(s: Record, past: Record, seat: Int, action: Int, rng: np.ndarray) -> Int:
    """Take back the later decisions; the deal does not change, and a card that lies face down is that of this world."""
    turn = np.int64(past.turn)
    down = s.down[turn]
    for i in range(TURNS):
        s.up[i], s.took[i] = past.up[i], past.took[i]
        if i > turn or past.up[i] == NONE:
            s.down[i] = NONE
    for who in range(SEATS):
        s.progress[who] = past.progress[who]
        for card in range(KINDS):
            s.in_play[who, card] = past.in_play[who, card]
    s.turn, s.to_move, s.winner = past.turn, past.to_move, past.winner
    return action // KINDS * KINDS + down if action < RECRUIT else action


def deals() -> list[dict[str, Any]]:
    """All 140 initial positions, equally likely, as mappings for `state_from_dict`; copies of a name count apart."""
    found = []
    for first in combinations(range(CARDS), HAND):
        rest = [i for i in range(CARDS) if i not in first]
        for second in combinations(rest, HAND):
            (deck,) = set(rest) - set(second)
            hands = [[AGENTS[ALL_CARDS[i]] for i in hand] for hand in (first, second)]
            found.append({"dealt": hands, "deck": AGENTS[ALL_CARDS[deck]], "turns": [], "to_move": 0})
    return found


def action_to_string(game: Game, s: Record, action: int, seat: int) -> str:
    """As in Agent Avenue: `play enforcer saboteur` (face up, then face down), `recruit up` or `recruit down`."""
    if action < RECRUIT:
        return f"play {AGENTS[action // KINDS]} {AGENTS[action % KINDS]}"
    return f"recruit {('up', 'down')[action - RECRUIT]}"


def string_to_action(game: Game, s: Record, text: str, seat: int) -> int:
    """The inverse of `action_to_string`; ValueError for anything else."""
    texts = [action_to_string(game, s, action, seat) for action in range(NUM_ACTIONS)]
    if text not in texts:
        raise ValueError(f"{text!r} is not an action of the small Agent Avenue: {', '.join(texts)}")
    return texts.index(text)


def dealt(s: Record, seat: int) -> list[str]:
    """The names of the cards dealt to a seat."""
    return [AGENTS[card] for card in s.cards[HANDS[seat] :][:HAND]]


def state_to_dict(game: Game, s: Record) -> dict[str, Any]:
    """`dealt` by seat, `deck`, `turns` ([up, down, "up" or "down" or null]), `to_move` (null when over), `rng`."""
    taken = {NONE: None, UP: "up", DOWN: "down"}
    return {
        "dealt": [dealt(s, seat) for seat in range(SEATS)],
        "deck": AGENTS[s.cards[DECK]],
        "turns": [[AGENTS[s.up[i]], AGENTS[s.down[i]], taken[int(s.took[i])]] for i in range(offers_made(s))],
        "to_move": None if s.to_move == NONE else int(s.to_move),
        "rng": int(s.rng),
        "record": {},
    }


def state_from_dict(game: Game, mapping: Mapping[str, Any], s: Record) -> None:
    """Deal the cards and play `turns`; ImpossibleState for an invalid mapping."""
    check_keys(mapping, ("dealt", "deck", "turns", "to_move"), ("rng", "record"))
    check_keys(mapping.get("record") or {}, (), (), "record")
    init(s, as_record(game.packed), np.uint64(0))
    s.rng = np.uint64(integer(mapping.get("rng", 0), "rng", 0, 2**64 - 1))
    hands = [sequence(hand, "dealt", HAND) for hand in sequence(mapping["dealt"], "dealt", SEATS)]
    first, second = [[member(card, "dealt", AGENTS) for card in hand] for hand in hands]
    cards = [*sorted(first), member(mapping["deck"], "deck", AGENTS), *sorted(second)]
    if sorted(cards) != ALL_CARDS.tolist():
        copies = ", ".join(f"{n} {name}" for n, name in zip(COPIES, AGENTS, strict=True))
        raise ImpossibleState(f"dealt and deck must have {copies}")
    s.cards[:] = cards
    for turn in sequence(mapping["turns"], "turns"):
        up, down, took = sequence(turn, "turns", 3)
        play(s, f"{up} {down}", member(up, "turns", AGENTS) * KINDS + member(down, "turns", AGENTS))
        if took is not None:
            play(s, took, RECRUIT + member(took, "turns", ("up", "down")))
    seat = NONE if mapping["to_move"] is None else integer(mapping["to_move"], "to_move", 0, SEATS - 1)
    if seat != s.to_move:
        raise ImpossibleState("to_move must be the seat that follows from the turns, null after the end of the game")


def play(s: Record, text: str, action: int) -> None:
    """Apply an action; ImpossibleState if it is not legal."""
    mask = np.zeros(NUM_ACTIONS, int8)
    legal(s, mask)
    if not mask[action]:
        raise ImpossibleState(f"turns: {text!r} is not legal at this point")
    apply(s, action)


def to_text(game: Game, s: Record, viewer: int) -> str:
    """What `viewer` may see: hands, leads and all offers; NOBODY sees everything."""
    n = offers_made(s)
    parts = []
    for seat in range(SEATS):
        seen = viewer in (seat, NONE)
        hand = " ".join(name for card, name in enumerate(AGENTS) for _ in range(held(s, seat, card, n))) or "-"
        parts.append(f"player_{seat}: {hand if seen else '?'} (moved {s.progress[seat]})")
    for i in range(n):
        down = AGENTS[s.down[i]] if viewer == NONE or knows_down(s, viewer, i) else "?"
        parts.append(f"{AGENTS[s.up[i]]}/{down}" + ("" if s.took[i] == NONE else (" up", " down")[s.took[i]]))
    return "   ".join(parts)


def make_game() -> Game:
    """The game; it has no options."""
    return Game(
        name="mini_avenue",
        version=0,
        options={},
        packed=np.zeros(1, OPTIONS),
        num_players=SEATS,
        num_actions=NUM_ACTIONS,
        state_dtype=STATE,
        view_dtype=VIEW,
        init=init,
        legal=legal,
        apply=apply,
        returns=returns,
        observe=observe,
        determinize=determinize,
        rewind=rewind,
        texts=Texts(
            action_to_string=action_to_string,
            string_to_action=string_to_action,
            state_to_dict=state_to_dict,
            state_from_dict=state_from_dict,
            to_text=to_text,
        ),
        bots={"random": random_bot},
        module=sys.modules[__name__],
    )
