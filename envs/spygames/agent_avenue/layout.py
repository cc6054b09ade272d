"""The layouts of Agent Avenue: its options, OPTIONS, STATE (the truth) and VIEW (what a seat may know).

Each field or option has one row here. Dtypes, types, ranges, copies and the README's tables are derived from it. All
variants share one STATE; with `history` it has the rows of `Offers`, too. A VIEW has only the fields that its variant
needs, because a network reads all of it. A field that two variants share has the same name and meaning in both.
"""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

import numpy as np

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.cards import AGENTS, CARDS, COPIES, KINDS, MARKET_CARDS, MARKET_SIZE, ONGOING, SUPPLY
from spygames.core.basics.text import shown
from spygames.core.game.layout import NONE as NONE
from spygames.core.game.layout import (
    Layout,
    Size,
    dtype,
    fields,
    filler,
    flag,
    float32,
    int8,
    int16,
    nested,
    options_copy,
    public_copy,
    range_check,
    uint64,
)
from spygames.core.game.options import GameOptions, seat_or_random
from spygames.core.game.validation import choice

SEATS, SIDES = 4, 2  # a seat is a player, a side owns a meeple; with two players both have the same number
HAND, DISCARDS, MEMBER_DISCARDS = 4, 4, 2  # hand after drawing (AA-11); discards of a player, of a member (AA-8, AA-42)
MAX_HISTORY = 4  # earlier offers of each side that a state remembers
THREE = 3  # copies that select the last icon, win as Codebreakers or lose as Daredevils (AA-13, AA-17)
# NONE: no card, no seat, no side, no reason
MAX_COPIES = int(COPIES.max())
LAST_TURN, FURTHEST = 30_000, 10_000
"""The limits of the turn count and of a side's progress, far beyond any real game."""

PHASES = ("play", "recruit", "market", "ability", "lead", "up", "down", "resolver", "over")
PLAY, RECRUIT, MARKET, ABILITY, LEAD, UP, DOWN, RESOLVER, OVER = range(9)
END_REASONS = (
    "caught",
    "codebreakers",
    "daredevils",
    "masterplan",
    "security_system",
    "leader_of_the_pack",
    "ran_out",
)
CAUGHT, CODEBREAKERS, DAREDEVILS, BY_MASTERPLAN, BY_SECURITY_SYSTEM, BY_LEADER_OF_THE_PACK, RAN_OUT = range(7)

# Places of a market card in STATE.market; 0 and 1 mean in play, in front of that side
AT_SUPPLY, AT_DECK, AT_DISCARD, AT_ABILITY = range(2, 6)
SUPPLY_AND_DECK = MARKET_SIZE - SUPPLY
"""The maximum size of the market deck, and the unit of `market_deck_size` in VIEW."""

SEAT, PLACE, PHASE = Size("players", SEATS), Size("seats", SEATS), Size("phases", RESOLVER + 1)
PAST = Size("history", MAX_HISTORY)
ADVANCED, HISTORY = "advanced", "history"
Mode = Literal["simple", "advanced"]
Captain = Literal["alternate", "fixed"]


@dataclass(frozen=True)
class Settings(GameOptions):
    """The options of `make_game`."""

    mode: Annotated[Mode, '"simple", or "advanced": with the Black Market'] = "simple"
    players: Annotated[int, "2, 3 (seats 0 and 1 against 2) or 4 (0 and 1 against 2 and 3)", (2, 3, 4)] = 2
    first_player: Annotated[
        int | Literal["random"],
        'the seat whose side begins, or "random": the side is drawn from the seed (AA-6)',
        seat_or_random,
    ] = 0
    captain: Annotated[
        Captain | None,
        'teams only: "alternate" (the same as None), or "fixed": always the lower seat (AA-41)',
    ] = None
    history: Annotated[
        int, "the number of earlier offers of each side that a view shows, 0 to 4", range(MAX_HISTORY + 1)
    ] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.players > 2:
            self._set(
                "captain", choice("captain", "alternate" if self.captain is None else self.captain, get_args(Captain))
            )
        elif self.captain is not None:
            given = shown(self.captain)
            raise ValueError(f"captain must be None with two players, not {given}; it is for three or four players")

    @property
    def mapping(self) -> dict[str, Any]:
        """The options by name. A game without a history has no option `history`: it is the variant of old records."""
        return {name: value for name, value in super().mapping.items() if name != "history" or value}


class Options(Layout):
    """OPTIONS: the variant, as kernels read it."""

    first_player = int8(NONE, SEAT, "the seat whose side begins; NONE: drawn from the seed (AA-6)")
    players = int8(2, SEATS, "2, 3 or 4")
    advanced = flag("with the Black Market")
    captain_fixed = flag("the lower seat stays captain (AA-41)")


class State(Layout):
    """STATE: the truth, hidden information included. Widest fields first; fields unused in a variant are 0 or NONE."""

    rng = uint64("the game's random stream")
    turn = int16(1, LAST_TURN, "increases when the next side becomes active")
    progress = int16(-FURTHEST, FURTHEST, "by side: total spaces moved forward (AA-15)", SIDES)
    hands = int8(0, MAX_COPIES, "[seat, agent]: copies", (SEAT, KINDS), hidden=True)
    discarded = int8(
        0, MAX_COPIES, "[seat, agent]: copies, known to their owner only (AA-9)", (SEAT, KINDS), hidden=True
    )
    in_play = int8(0, MAX_COPIES, "[side, agent]: copies", (SIDES, KINDS))
    deck = int8(0, AGENTS, "agents, the top one last", CARDS, filled="deck_size", hidden=True)
    deck_size = int8(0, CARDS, "cards")
    discards_left = int8(0, DISCARDS, "by seat", SEAT)
    face_up = int8(NONE, AGENTS, "agent offered openly, or NONE")
    face_down = int8(NONE, AGENTS, "agent offered secretly, or NONE; known to the seat that played it", hidden=True)
    kept = int8(0, CARDS, "in phase recruit: cards that the hand behind face_down kept before it drew; else 0")
    phase = int8(0, PHASES, "the kind of decision that is due")
    to_move = int8(NONE, SEAT, "NONE when over")
    active_side = int8(0, SIDES - 1, "whose turn it is")
    winner = int8(NONE, SIDES - 1, "side, or NONE")
    end_reason = int8(NONE, END_REASONS, "NONE until the end")
    captain = int8(0, SEAT, "by side: the seat that decides for it (AA-41)", SIDES)
    leader = int8(NONE, SEAT, "teams: the seat that plays face up this turn, or NONE")
    market = int8(
        NONE, AT_ABILITY, "by market card: where it is, AT_...; NONE without the market; order within the deck hidden",
        MARKET_SIZE, when=ADVANCED,
    )  # fmt: skip
    market_deck = int8(
        0, MARKET_CARDS, "market cards, the top one last", MARKET_SIZE, filled="market_deck_size", hidden=True
    )
    market_deck_size = int8(0, SUPPLY_AND_DECK, "cards", when=ADVANCED)
    pending = int8(
        NONE, SIDES - 1, "the side that takes a market card once the other one is done (AA-24), or NONE", when=ADVANCED
    )
    ability = int8(NONE, MARKET_CARDS, "market card that is being resolved, or NONE", when=ADVANCED)
    resolver = int8(NONE, SEAT, "the seat that makes the choices of ability, or NONE")
    taken = int8(NONE, AGENTS, "agent that Spycation has taken back, or NONE")
    seen = int8(
        0, MAX_COPIES, "[seat, agent]: copies seen entering or staying in a hand, face down included (AA-37)",
        (SEAT, KINDS), when=ADVANCED,
    )  # fmt: skip
    options = nested(Options, "the variant")
    padding = filler(5)


class Offers(Layout):
    """The rows of STATE with `history`: the last offers of each side that were recruited (AA-12). All are public.

    An axis of MAX_HISTORY has the latest offer first. Places without an offer are NONE, and 0 in `discards_before`.
    """

    offered_up = int8(NONE, AGENTS, "[side, k]: agent offered openly", (SIDES, MAX_HISTORY))
    offered_down = int8(NONE, AGENTS, "[side, k]: agent offered secretly, which is open now", (SIDES, MAX_HISTORY))
    took_up = int8(
        NONE, 1, "[side, k]: 1 if the other side took the open card, 0 if the hidden one; NONE if both had one name",
        (SIDES, MAX_HISTORY),
    )  # fmt: skip
    discards_before = int8(
        0, DISCARDS, "[side, k]: discards that the side had made in the game before it offered", (SIDES, MAX_HISTORY)
    )
    led_by = int8(NONE, SEAT, "[side, k]: teams: the seat that played face up", (SIDES, MAX_HISTORY))


class StateWithOffers(Offers, State):
    """STATE with `history`: the rows of State, then those of Offers."""


class View(Layout):
    """VIEW: what one seat may know.

    An axis of 2 has the viewer's side first, then the other side. An axis of P has one entry per seat. With two players
    these are the viewer and its rival. In teams they are the viewer, its partner and the two opponents by number, with
    zeros for a seat that does not exist. A thermometer shows n as n ones, then zeros. The fields of `history`
    come last, after the whole view of the variant without it.
    """

    hand = float32("own hand by agent, thermometer up to 4 copies", (KINDS, HAND), part="private")
    stacks = float32("cards in play, thermometer up to the 3rd icon", (2, KINDS, THREE))
    in_play = float32("cards in play, copies / 6", (2, KINDS))
    discarded = float32("own discards, copies / 4", KINDS, part="private")
    unseen = float32(
        "copies / 6 that the viewer has not seen: not in its hand or discards, not in play, not face up, not its own "
        "face-down card",
        KINDS,
        part="private",
    )
    face_up = float32("the open card of the offer, one-hot", KINDS)
    face_down = float32(
        "the hidden card of the offer, one-hot; zeros unless the viewer played it", KINDS, part="private"
    )
    lead = float32("own lead, one-hot from -7 to 7, clipped", 2 * CATCH + 1)
    space = float32("where the meeples stand, counted from the own home, / 14", 2)
    discards_left = float32("thermometer", (PLACE, DISCARDS))
    hand_size = float32("cards / 4", PLACE, high=CARDS / HAND)  # abilities bring cards back to a hand
    deck_size = float32("cards / 38")
    phase = float32("one-hot: play, recruit, then the other phases of the variant; zeros when over", PHASE)
    decides = float32("1 if the viewer is to move")
    active = float32("1 in a turn of the own side")
    kept = float32(
        "cards that the hand behind face_down kept before it drew, / 4", high=CARDS / HAND, when="beyond_simple"
    )

    supply = float32("1 for each market card that lies face up", MARKET_SIZE, when=ADVANCED)
    ongoing = float32("1 for each ongoing card of a side", (2, ONGOING), when=ADVANCED)
    market_discard = float32("1 for each instant card that is spent", MARKET_SIZE - ONGOING, when=ADVANCED)
    market_deck_size = float32("cards / 12", when=ADVANCED)
    pending = float32("1 for the side that takes a market card after the ability", 2, when=ADVANCED)
    ability = float32("one-hot: the instant card that is being resolved", MARKET_SIZE - ONGOING, when=ADVANCED)
    taken = float32("one-hot: the agent that Spycation took back", KINDS, when=ADVANCED)
    seen_in_hand = float32(
        "AA-37: copies certainly in a hand, / 4", (PLACE, KINDS), high=MAX_COPIES / HAND, when=ADVANCED
    )
    seen_or_offered = float32(
        "the same, with a hidden face-down card still counted in its hand", (PLACE, KINDS), high=MAX_COPIES / HAND,
        when=ADVANCED,
    )  # fmt: skip

    present = float32("1 for each seat of the variant", PLACE, when="teams")
    decider = float32("one-hot: the mover; zeros when over", PLACE, when="teams")
    captain = float32("1 for the captain of each side", PLACE, when="teams")
    leader = float32("one-hot: the seat that plays face up this turn, once named", PLACE, when="teams")

    offered_up = float32("the open card of earlier offers, the latest first, one-hot", (2, PAST, KINDS), when=HISTORY)
    offered_down = float32(
        "the hidden card of these offers, which is open now, one-hot", (2, PAST, KINDS), when=HISTORY
    )
    took_up = float32(
        "1 if the other side took the open card; 0 if it took the hidden one, or both had one name", (2, PAST),
        when=HISTORY,
    )  # fmt: skip
    discards_before = float32(
        "discards that the side had made in the game before it offered, / 4", (2, PAST), when=HISTORY
    )
    led_by = float32("one-hot: the seat that played the open card", (2, PAST, PLACE), when=(HISTORY, "teams"))


OPTIONS, STATE, STATE_WITH_OFFERS = dtype(Options), dtype(State), dtype(StateWithOffers)
in_range, offers_in_range = range_check(State), range_check(Offers, "offers_in_range")
copy_options, copy_public, copy_offers = options_copy(State), public_copy(State), public_copy(Offers, "copy_offers")


def variant(advanced: bool, teams: bool, history: int = 0) -> dict[str, Any]:
    """The axis lengths and conditions of VIEW in a variant, as arguments of `dtype` and `view_ranges`."""
    phases = RESOLVER if teams else ABILITY if advanced else RECRUIT
    seats, beyond = SEATS if teams else SIDES, advanced or teams
    sizes = {"seats": seats, "phases": phases + 1, "history": history}
    return {**sizes, "advanced": advanced, "teams": teams, "beyond_simple": beyond}


def extra_fields(teams: bool, history: int) -> tuple[str, ...]:
    """The fields of VIEW that a variant has only with `history`."""
    return tuple(
        name for name, row in fields(View, teams=teams, history=history).items() if history and HISTORY in row.when
    )


def view_dtype(advanced: bool, teams: bool, history: int = 0) -> np.dtype:
    """The layout of VIEW for a mode, for two players or teams, and for a number of earlier offers."""
    return dtype(View, **variant(advanced, teams, history))


ENTITIES = {
    "agents": (
        "hand", "stacks", "in_play", "discarded", "unseen", "face_up", "face_down", "taken", "seen_in_hand",
        "seen_or_offered",
    ),
}  # fmt: skip
"""Fields of VIEW with an axis over the agents. A variant may lack some of them."""
ENTITIES_WITH_OFFERS = {"agents": (*ENTITIES["agents"], "offered_up", "offered_down")}
"""The same with `history`. Checkpoints name these fields, so the variants without it keep theirs."""
VIEW = view_dtype(advanced=False, teams=False)
assert VIEW.itemsize == 4 * 160, "released policies read 160 floats"
assert len(AGENTS) == KINDS
