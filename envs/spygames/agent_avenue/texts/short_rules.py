"""The rules of Agent Avenue in short, for people and language models. Numbers come from the tables of the game."""

import numpy as np

from spygames.agent_avenue.board import CATCH, HOMES, IS_MARKET, SPACES
from spygames.agent_avenue.cards import (
    AGENTS,
    BOOST,
    CARDS,
    COPIES,
    GETAWAY_SPACES,
    ICONS,
    KINDS,
    MARKET_CARDS,
    MARKET_SIZE,
    MASTERPLAN_NAMES,
    ONGOING,
    PLUS,
    SUPPLY,
    SURVEILLANCE_TRUCK,
    TIMES,
)
from spygames.agent_avenue.layout import DISCARDS, HAND, MEMBER_DISCARDS, SIDES, THREE, Settings
from spygames.core.game.game import Game
from spygames.core.game.rulebook import RuleLine, RuleSection, rule, section, words


def short_rules(game: Game) -> tuple[RuleSection, ...]:
    """Return the rules of a variant in short sections; see `Game.short_rules`."""
    o = Settings.of(game)
    teams, advanced = o.players > 2, o.mode == "advanced"
    spaces = ", ".join(map(str, np.flatnonzero(IS_MARKET).tolist()))
    return (
        _opening(teams),
        section("Agents: how far the first, second and every later copy moves your meeple",
                *(_agent(card) for card in range(KINDS)), ids=["AA-1", "AA-13"]),
        *([section(f"Market cards: a meeple that stops on a market space ({spaces}) takes one",
                   *(_market_card(card) for card in range(MARKET_SIZE)), ids=["AA-4", "AA-23", "AA-32"])]
          if advanced else []),
        _setup(o),
        _turn(o),
        *([_teams(o)] if teams else []),
        *([_market()] if advanced else []),
        _end(o, advanced),
    )  # fmt: skip


def _opening(teams: bool) -> RuleSection:
    return section(
        "In short",
        rule("Recruit agents that move your meeple around a loop, until it catches the other meeple.",
             "AA-2", "AA-14", "AA-15", name="Goal"),
        rule(
            f"{'Your team offers' if teams else 'You offer'} two cards, one face up and one face down; "
            f"{'the other side' if teams else 'your opponent'} takes one, and you get the other.",
            "AA-10", "AA-12", name="Your turn",
        ),
        rule(
            f"After a turn, a lead of {CATCH} spaces catches the other meeple and wins; {THREE} codebreakers win, "
            f"too, and {THREE} daredevils lose.", "AA-15", "AA-17", name="The end",
        ),
    )  # fmt: skip


def _setup(o: Settings) -> RuleSection:
    first = "The side that begins is drawn" if o.first_player == "random" else f"player_{o.first_player} begins"
    if o.players > 2 and o.first_player != "random":
        first = f"The side of player_{o.first_player} begins"
    size = 1 if o.players == SIDES else 2  # of a side, except a solo player's
    sides = [range(o.players)[size * side :][:size] for side in range(SIDES)]
    names = [f"player_{side[0]}'s team" if len(side) > 1 else f"player_{side[0]}" for side in sides]
    homes = ", ".join(f"{home} ({name})" for home, name in zip(HOMES.tolist(), names, strict=True))
    return section(
        "Setup",
        rule(f"Of {CARDS} agent cards each player gets {HAND}; the others are the deck. {first}.", "AA-5", "AA-6"),
        rule(f"The loop has {SPACES} spaces; forward is to higher numbers. Homes: {homes}.", "AA-2"),
        details=True,
    )  # fmt: skip


def _turn(o: Settings) -> RuleSection:
    discards = f"{DISCARDS} times in the game"
    offer = "`play UP DOWN` offers two cards, UP face up and DOWN face down"
    if o.players > 2:
        discards = f"{MEMBER_DISCARDS} times a member"
        offer = "The side offers one card face up and one face down"
    if o.players == 3:
        discards += f", {DISCARDS} times the solo player"
    return section(
        "A turn, step by step",
        rule(
            f"First, `discard CARD` may put a hand card away and draw one, {discards}.",
            "AA-8", "AA-9", *(["AA-42"] if o.players > 2 else []),
        ),
        rule(f"{offer}, of different names unless the hand has only one name.", "AA-10"),
        rule(f"Then you draw up to {HAND} cards. Once the deck is empty, nobody discards or draws.", "AA-11", "AA-20"),
        rule("The other side takes one, `recruit up` or `recruit down`. You get the other; both lie open.", "AA-12"),
        rule(
            "Both sides move by their new agent's first, second or last number, for a first, second or later copy.",
            "AA-13", "AA-14",
        ),
        details=True,
    )  # fmt: skip


def _teams(o: Settings) -> RuleSection:
    sides = [[seat for seat in range(o.players) if seat // 2 == side] for side in range(SIDES)]
    against = " play against ".join(" and ".join(f"player_{seat}" for seat in side) for side in sides)
    captain = "the lower seat" if o.captain == "fixed" else "the lower seat first, then in turn"
    solo = " The solo player plays both: `play UP DOWN`." if o.players == 3 else ""
    return section(
        "Teams",
        rule(f"{against}. Partners do not see each other's hand or cards face down.", "AA-38", "AA-39"),
        rule(f"The captain ({captain}) names who plays face up (`lead PLAYER`) and what to recruit.", "AA-41"),
        rule("The captain also chooses the market card, and who resolves it (`resolver PLAYER`).", "AA-41", "AA-44")
        if o.mode == "advanced"
        else None,
        rule(f"That member plays `up CARD`, the other one `down CARD`.{solo}", "AA-40"),
        details=True,
    )


def _market() -> RuleSection:
    return section(
        "Black Market",
        rule(
            f"{SUPPLY} market cards lie face up as the supply; `market CARD` takes one. The others are a deck.",
            "AA-3",
            "AA-22",
            "AA-23",
        ),
        rule("The side in turn takes and finishes its card first. The card is replaced at once.", "AA-24", "AA-25"),
        rule(
            "Instant cards must be resolved if possible: `take AGENT`, `recruit AGENT`, `decline` (Spycation only).",
            "AA-28",
        ),
        rule("Ongoing cards stay. They change later recruits, and can win from this turn on.", "AA-26", "AA-27"),
        rule(f"An agent back in a hand moves nobody. After an ability, draw up to {HAND}.", "AA-30", "AA-31"),
        rule("All remember the cards that everybody has seen enter a hand.", "AA-37"),
        details=True,
    )


def _end(o: Settings, advanced: bool) -> RuleSection:
    return section(
        "The end of a turn and of the game",
        rule("Lead: your spaces moved minus theirs. Only the end of a turn counts; then it is their turn.",
             "AA-7", "AA-15", "AA-16"),
        rule(
            "If both sides win, both lose, or one side does both at once, the side whose turn it is wins.",
            "AA-18", *(["AA-34"] if advanced else []),
        ),
        rule(
            "If the deck is empty and the next side cannot offer two cards, the leader wins; if level, the side in "
            "turn.", "AA-19", *(["AA-45"] if o.players > 2 else []),
        ),
        rule("Winners get +1, losers -1. A team has one meeple and one play area, and wins or loses together.",
             "AA-38", "AA-46")
        if o.players > 2
        else rule("The winner gets +1, the loser -1.", "AA-46"),
        details=True,
    )  # fmt: skip


def _agent(card: int) -> RuleLine:
    icons = [_signed(icon) for icon in ICONS[card][: min(int(COPIES[card]), THREE)].tolist()]
    if last := {"codebreaker": "wins", "daredevil": "loses"}.get(AGENTS[card]):
        icons[-1] = last
    copies = int(COPIES[card])
    return rule(f"{copies} {'copies' if copies > 1 else 'copy'}; {', '.join(icons)}", name=words(AGENTS[card]))


def _market_card(card: int) -> RuleLine:
    kind = "ongoing" if card < ONGOING else "instant"
    boosted = next((AGENTS[agent] for agent in range(KINDS) if BOOST[agent] == card), "")
    if boosted:
        steps = ICONS[AGENTS.index(boosted)] * TIMES[card] + PLUS[card]
        effect = f"{words(boosted)}s that you recruit move you {', '.join(map(_signed, steps.tolist()))}"
    else:
        effect = EFFECTS[MARKET_CARDS[card]]
    return rule(f"{kind}; {effect}", name=words(MARKET_CARDS[card]))


EFFECTS = {
    "getaway_car": f"if your meeple ends a move on a home, it moves {GETAWAY_SPACES} more",
    "leader_of_the_pack": f"{THREE} daredevils win for you",
    "masterplan": f"agents of {MASTERPLAN_NAMES} names in play win for you",
    "security_system": "the other meeple on your home at the end of a turn wins for you",
    "double_trouble": "show two agents of one name from your hand, recruit one, keep the other",
    "mind_control": "take an agent that the other side has in play into your hand",
    "outpost": "recruit a sentinel from your hand",
    "secret_recruit": "recruit from your hand an agent of a name that you do not have in play",
    "smoke_screen": "recruit the top card of the agent deck",
    "spycation": "take one of your agents in play into your hand; then recruit it if you like",
    "surveillance_truck": f"move by {PLUS[SURVEILLANCE_TRUCK]}",
}


def _signed(steps: int) -> str:
    return f"{steps:+d}" if steps else f"{steps}"
