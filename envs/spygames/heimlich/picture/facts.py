"""Facts derived from a mapping of `seen_to_dict`: the decision to be made, and the known owners of agents."""

from collections.abc import Mapping
from typing import Any

from spygames.core.game.game import NOBODY
from spygames.heimlich.cards import CARDS, EFFECT, MOVE_SAFE, NO_AGENT, SECOND, STEP
from spygames.heimlich.texts.seen import HIDDEN, titled

Seen = Mapping[str, Any]
"""The mapping that `seen_to_dict` returns."""


def headline(m: Seen, viewer: int) -> str:
    """Return the decision to be made, or the winners."""
    if m["phase"] == "over":
        winners = [who(seat, viewer) for seat in m["winners"]]
        if not winners:
            return "Nobody wins: a free agent is furthest ahead"
        together = " and ".join(part for part in (", ".join(winners[:-1]), winners[-1]) if part)
        verb = "wins" if len(winners) == 1 and winners != ["You"] else "win"
        return f"{together} {verb}: {_why(m)}"
    doing = {
        "move": f"move agents, {count(m['points_left'], 'step')} left",
        "cards": "play a card or pass",
        "card_choice": f"choose {_wanted(m)} for {titled(m['pending_card']['card'])}" if m["pending_card"] else "",
        "safe": "move the safe",
        "guess": f"who owns {asked}?" if (asked := asked_agent(m, viewer)) else "predict who is who",
    }[m["phase"]]
    return f"{who(m['to_move'], viewer)}: {doing}"


def _wanted(m: Seen) -> str:
    """Return what the pending card asks for now."""
    card = CARDS.index(m["pending_card"]["card"])
    if EFFECT[card] == MOVE_SAFE:
        return "a building"
    stepped = EFFECT[card] == STEP and SECOND[card] == NO_AGENT and m["pending_card"]["agents"]
    return "the steps" if stepped else "an agent"


def _why(m: Seen) -> str:
    """Return how far the winners' agents came (HC-18)."""
    agents = [m["passports"][str(seat)] for seat in m["winners"]]
    return f"{' and '.join(agents)} {'has' if len(agents) == 1 else 'have'} {m['scores'][agents[0]]} points"


def turn_of(m: Seen, viewer: int) -> str:
    """Return whose turn it is, as a caption."""
    if m["phase"] == "over":
        return "End of the game"
    return "Your turn" if m["active"] == viewer else f"Turn of player_{m['active']}"


def who(seat: int, viewer: int) -> str:
    """Return the name of a seat, or "You"."""
    return "You" if seat == viewer else f"player_{seat}"


def count(number: int, thing: str) -> str:
    """Return a number with its noun, such as "3 points"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def asked_agent(m: Seen, viewer: int) -> str | None:
    """Return the agent that the current prediction is about, or None if the viewer does not know it."""
    if m["phase"] != "guess" or viewer not in (NOBODY, m["to_move"]):
        return None
    mover = str(m["to_move"])
    made = m["guesses"][mover]
    return next((a for a in m["agents"] if a not in made and a != m["passports"][mover]), None)


def owners(m: Seen, viewer: int) -> dict[str, int | None]:
    """Return the owner of each agent whose owner is known: a seat, or None for a free agent."""
    owners: dict[str, int | None] = {a: int(seat) for seat, a in m["passports"].items() if a != HIDDEN}
    if len(owners) == m["players"]:
        return {a: owners.get(a) for a in m["agents"]}
    return {m["former"]: None} | owners if m["former"] not in (None, HIDDEN) else owners


def seats(m: Seen, viewer: int) -> list[int]:
    """Return the seats in order from the viewer's left, the viewer last."""
    first = 0 if viewer == NOBODY else viewer + 1
    return [(first + i) % m["players"] for i in range(m["players"])]


def minus(number: int, sign: bool = False) -> str:
    """Return a number with a typographic minus, and with a plus if `sign` is true."""
    return f"{number:{'+' if sign else ''}d}".replace("-", "\N{MINUS SIGN}")
