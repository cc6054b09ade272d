"""What a mapping of `seen_to_dict` says: who is to do what, and what is known of who is who."""

from collections.abc import Mapping
from typing import Any

from spygames.core.game.game import NOBODY
from spygames.heimlich.texts.seen import HIDDEN, titled

Seen = Mapping[str, Any]
"""What `seen_to_dict` returns."""


def headline(m: Seen, viewer: int) -> str:
    """The decision that is due, or who has won."""
    if m["phase"] == "over":
        winners = [who(seat, viewer) for seat in m["winners"]]
        if not winners:
            return "Nobody wins: a free agent is furthest ahead"
        together = " and ".join(part for part in (", ".join(winners[:-1]), winners[-1]) if part)
        return f"{together} {'wins' if len(winners) == 1 and winners != ['You'] else 'win'}"
    doing = {
        "move": f"move agents, {count(m['points_left'], 'point')} left",
        "cards": "play a card or pass",
        "card_choice": f"choose for {titled(m['pending_card']['card'])}" if m["pending_card"] else "",
        "safe": "move the safe",
        "guess": f"who owns {asked}?" if (asked := asked_agent(m, viewer)) else "predict who is who",
    }[m["phase"]]
    return f"{who(m['to_move'], viewer)}: {doing}"


def turn_of(m: Seen, viewer: int) -> str:
    """Whose turn it is."""
    if m["phase"] == "over":
        return "End of the game"
    return "Your turn" if m["active"] == viewer else f"Turn of player_{m['active']}"


def who(seat: int, viewer: int) -> str:
    """The name of a seat, or You."""
    return "You" if seat == viewer else f"player_{seat}"


def count(number: int, thing: str) -> str:
    """As "3 points"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def asked_agent(m: Seen, viewer: int) -> str | None:
    """The agent that a prediction is about now, as far as the viewer knows it."""
    if m["phase"] != "guess" or viewer not in (NOBODY, m["to_move"]):
        return None
    mover = str(m["to_move"])
    made = m["guesses"][mover]
    return next((a for a in m["agents"] if a not in made and a != m["passports"][mover]), None)


def owners(m: Seen, viewer: int) -> dict[str, int | None]:
    """What is known of who owns an agent: its seat, or None for a free one."""
    owners: dict[str, int | None] = {a: int(seat) for seat, a in m["passports"].items() if a != HIDDEN}
    if len(owners) == m["players"]:
        return {a: owners.get(a) for a in m["agents"]}
    return {m["former"]: None} | owners if m["former"] not in (None, HIDDEN) else owners


def seats(m: Seen, viewer: int) -> list[int]:
    """The seats from the viewer's left on, its own last."""
    first = 0 if viewer == NOBODY else viewer + 1
    return [(first + i) % m["players"] for i in range(m["players"])]


def minus(number: int, sign: bool = False) -> str:
    """A number with the long minus of print, and if `sign` says so with a plus."""
    return f"{number:{'+' if sign else ''}d}".replace("-", "\N{MINUS SIGN}")
