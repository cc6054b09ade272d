"""Positions and effects of Agent Avenue in sentences, written from what a seat has seen (`seen_to_dict`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from spygames.agent_avenue.board import CATCH, HOMES, IS_MARKET, SPACES
from spygames.agent_avenue.cards import AGENTS, BOOST, COPIES, ICONS, MARKET_CARDS, MASTERPLAN_NAMES, PLUS, TIMES
from spygames.agent_avenue.layout import NONE, THREE
from spygames.core.game.game import Game
from spygames.core.game.rulebook import counted, words

Seen = Mapping[str, Any]


def describe(game: Game, seen: Seen, viewer: int) -> str:
    """Return the position in sentences that address `viewer` as "you"; see `Texts.describe`."""
    side = game.side_of[viewer]
    return "\n".join([
        f"You are player_{viewer}{_partner(game, viewer)}. Turn {seen['turn']}: {_due(seen, viewer)}",
        _standing(seen, side),
        *_offer(seen, viewer),
        "In play (you, they), and the move of the next copy (you, they):",
        *(f"- {line}" for line in _agents(seen, side)),
        f"Your hand: {_listed(seen['hands'][str(viewer)])}",
        f"Your discards, which are out of the game: {_listed(seen['discarded'][str(viewer)])}",
        *_seats(game, seen, viewer),
        *(_market(seen, side) if seen["mode"] == "advanced" else []),
        f"Agent deck: {counted(seen['deck'], 'card')}",
    ])  # fmt: skip


def effects(game: Game, before: Seen, after: Seen, viewer: int) -> str:
    """Return what an action has changed in play, as `viewer` sees it; see `Texts.effects`."""
    side = game.side_of[viewer]
    parts = []
    for who, k in (("you", side), ("they", 1 - side)):
        old, new = before["in_play"][str(k)], after["in_play"][str(k)]
        got = [words(name) for name in AGENTS if new.get(name, 0) > old.get(name, 0)]
        lost = [words(name) for name in AGENTS if new.get(name, 0) < old.get(name, 0)]
        moved = after["progress"][k] - before["progress"][k]
        deeds = [*(f"get {name}" for name in got), *(f"lose {name}" for name in lost)]
        if moved or got:
            deeds.append(f"move {moved:+d}" if moved else "stay")
        if deeds:
            parts.append(f"{who} {' and '.join(deeds)}")
    if before["progress"] != after["progress"]:
        parts.append(_lead(after, side))
    if after["end_reason"] is not None and before["end_reason"] is None:
        parts.append(_result(after, side))
    return "; ".join(parts)


def reason(end_reason: str, winner: str, loser: str, ahead: int) -> tuple[str, str]:
    """Return why a side has won: in short, and the details that follow it, ", with a lead of 8" or "".

    Args:
        end_reason: one of `END_REASONS`.
        winner: the side that wins, such as "you" or "player_1". The verbs, in the past tense, fit all names.
        loser: the other side.
        ahead: the winner's lead in spaces.
    """
    standing = f"led by {ahead}" if ahead else "won a tie"
    return {
        "caught": (f"{winner} caught {loser}", f", with a lead of {ahead}"),
        "codebreakers": (f"{winner} got {THREE} Codebreakers", ""),
        "daredevils": (f"{loser} got {THREE} Daredevils", ""),
        "masterplan": (f"{winner} had a Masterplan", f", with {MASTERPLAN_NAMES} agents"),
        "security_system": (f"{loser} ended on a guarded home", ""),
        "leader_of_the_pack": (f"{winner} had a Leader", f", with {THREE} Daredevils"),
        "ran_out": ("the cards ran out", f", and {winner} {standing}"),
    }[end_reason]


def _partner(game: Game, viewer: int) -> str:
    mates = [seat for seat, side in enumerate(game.side_of) if side == game.side_of[viewer] and seat != viewer]
    return "".join(f", with player_{seat}" for seat in mates)


def _due(seen: Seen, viewer: int) -> str:
    """The decision that is due, or the result."""
    seat, phase = seen["to_move"], seen["phase"]
    if phase == "over":
        return f"the game is over, and {_result(seen, _side(seen, viewer))}."
    card = words(seen["ability"]["card"]) if seen["ability"] else "a market card"
    what = {
        "play": "play two cards (or discard first)",
        "recruit": "recruit one of the two cards on offer",
        "market": "take a market card",
        "ability": f"resolve {card}",
        "lead": "name who plays face up",
        "up": "play a card face up (or discard first)",
        "down": "play a card face down (or discard first)",
        "resolver": f"name who resolves {card}",
    }[phase]
    return f"you {what}." if seat == viewer else f"player_{seat} is to {what}."


def _side(seen: Seen, seat: int) -> int:
    return seat if seen["players"] == 2 else seat >> 1


def _result(seen: Seen, side: int) -> str:
    won = seen["winner"] == side
    sides = ("you", "the other side") if won else ("the other side", "you")
    ahead = abs(seen["progress"][0] - seen["progress"][1])
    return f"you {'win' if won else 'lose'}: {''.join(reason(seen['end_reason'], *sides, ahead))}"


def _lead(seen: Seen, side: int) -> str:
    ahead = seen["progress"][side] - seen["progress"][1 - side]
    return f"you lead by {ahead}" if ahead > 0 else f"they lead by {-ahead}" if ahead < 0 else "nobody leads"


def _standing(seen: Seen, side: int) -> str:
    """The lead and the spaces of both meeples."""
    own, rival = seen["progress"][side], seen["progress"][1 - side]
    places = [(int(HOMES[k]) + seen["progress"][k]) % SPACES for k in (side, 1 - side)]
    text = (
        f"{_lead(seen, side).capitalize()}; a lead of {CATCH} catches. You have moved {own:+d} to space {places[0]} "
        f"(home {HOMES[side]}), they have moved {rival:+d} to space {places[1]} (home {HOMES[1 - side]})."
    )
    if seen["mode"] == "advanced":
        text += f" Market spaces: {', '.join(str(space) for space in range(SPACES) if IS_MARKET[space])}."
    return text


def _offer(seen: Seen, viewer: int) -> list[str]:
    if seen["face_up"] is None:
        return []
    down = seen["face_down"]
    what = {None: "no card yet", "?": "a hidden card"}.get(down, f"{words(str(down))}, which you know,")
    who = "your side" if seen["active_side"] == _side(seen, viewer) else "the other side"
    return [f"On offer by {who}: {words(seen['face_up'])} face up (`recruit up`), {what} face down (`recruit down`)."]


def _agents(seen: Seen, side: int) -> list[str]:
    """A line for each agent: the copies in play of both sides, and how far the next copy would move each."""
    lines = []
    for card, name in enumerate(AGENTS):
        counts = [seen["in_play"][str(k)].get(name, 0) for k in (side, 1 - side)]
        moves = [_next(seen, k, card, count) for k, count in zip((side, 1 - side), counts, strict=True)]
        if sum(counts) == COPIES[card]:
            moves = ["none left", "none left"]
        lines.append(f"{words(name)}: {counts[0]}, {counts[1]}; next {moves[0]}, {moves[1]}")
    return lines


def _next(seen: Seen, side: int, card: int, count: int) -> str:
    """How the next copy of an agent would move a side that has `count` of them."""
    owned = seen["market_in_play"][str(side)]
    boost = int(BOOST[card])
    steps = int(ICONS[card, min(count, THREE - 1)])
    if boost != NONE and MARKET_CARDS[boost] in owned:
        steps = steps * int(TIMES[boost]) + int(PLUS[boost])
    text = f"{steps:+d}" if steps else "0"
    if count + 1 >= THREE and AGENTS[card] == "codebreaker":
        return f"{text} and wins"
    if count + 1 >= THREE and AGENTS[card] == "daredevil":
        return f"{text} and {'wins' if 'leader_of_the_pack' in owned else 'loses'}"
    return text


def _seats(game: Game, seen: Seen, viewer: int) -> list[str]:
    lines = [f"You have {counted(seen['discards_left'][str(viewer)], 'discard')} left."]
    for seat in range(game.num_players):
        if seat != viewer:
            lines.append(
                f"player_{seat} has {counted(seen['hands'][str(seat)], 'card')}, has made "
                f"{counted(seen['discarded'][str(seat)], 'discard')}, and has {seen['discards_left'][str(seat)]} left."
            )
    if seen["captain"]:
        own, rival = (seen["captain"][str(k)] for k in (game.side_of[viewer], 1 - game.side_of[viewer]))
        lines.append(f"Captains: player_{own} for your side and player_{rival} for the other side.")
    if seen["lead"] is not None:
        lines.append(f"player_{seen['lead']} plays face up this turn.")
    return lines


def _market(seen: Seen, side: int) -> list[str]:
    lines = [
        f"Market supply: {_listed(seen['market_supply'])}",
        f"Your ongoing cards: {_listed(seen['market_in_play'][str(side)])}",
        f"Their ongoing cards: {_listed(seen['market_in_play'][str(1 - side)])}",
        f"Spent market cards: {_listed(seen['market_discard'])}; market deck: {counted(seen['market_deck'], 'card')}",
    ]
    if seen["pending"]:
        who = "your side" if seen["pending"][0]["side"] == side else "the other side"
        lines.append(f"After this, {who} takes a market card.")
    if seen["ability"] and seen["ability"]["taken"]:
        lines.append(f"Taken back into the hand: {words(seen['ability']['taken'])}")
    offerer = _offerer(seen)
    for seat, counts in seen["seen_in_hand"].items():
        if counts:
            cards = [name for name, count in counts.items() for _ in range(count)]
            offered = ", or face down on offer" if int(seat) == offerer else ""
            lines.append(f"Everybody has seen in the hand of player_{seat}{offered}: {_listed(cards)}")
    return lines


def _offerer(seen: Seen) -> int | None:
    """The seat that played the face-down card (AA-12, AA-40); None without such a card."""
    if seen["face_down"] is None:
        return None
    if seen["lead"] is not None:
        return int(seen["lead"]) ^ 1
    return int(seen["active_side"]) if seen["players"] == 2 else 2 * int(seen["active_side"])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(words, names)) or "none"
