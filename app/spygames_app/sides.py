"""Names of the seats for human readers: games call them `player_0`, `player_1`, ..., people see names and "you"."""

import re
from dataclasses import dataclass
from html import escape

from spygames.core.game.game import NOBODY
from spygames.core.pictures.picture import Picture

NAMES = ("Ada", "Bruno", "Clara", "Dora", "Emil", "Frida", "Gustav")
"""Names of the players that are not people, by seat."""
MAX_NAME = 14
"""Maximum number of letters of a typed name. Pictures have room for about this many."""

_SEAT = re.compile(r"\bplayer_(\d+)\b")
_SHOWN = re.compile(r'(?<=>)[^<]+(?=<)|(?<=aria-label=")[^"]*')
"""The parts of an SVG that people read. Other attributes hold the texts of actions, which must not change."""
_IRREGULAR = {"has": "have", "is": "are", "does": "do", "was": "were"}


@dataclass(frozen=True)
class Sides:
    """The names of the seats of a game."""

    names: tuple[str, ...]
    """One per seat."""
    own: int = NOBODY
    """The reader's seat, called "you" in sentences; NOBODY for a reader who watches."""

    def name(self, seat: int) -> str:
        """Return the name of a seat, or "You"."""
        return "You" if seat == self.own else self.names[seat]

    def words(self, text: str) -> str:
        """Return a text of the game with names: "player_1 takes the open double_agent" becomes "Ada takes ..."."""
        text = _SEAT.sub(lambda found: self._in_sentence(int(found[1]), found[0]), text).replace("_", " ")
        if verb := re.match(r"you (\w+)", text):
            text = f"you {_second_person(verb[1])}{text[verb.end() :]}".replace(", hides ", ", hide ")
            text = re.sub(r"\bits (hand|area)\b", r"your \1", text)
        return text[:1].upper() + text[1:]

    def drawn(self, picture: str) -> Picture:
        """Return a picture with names in its words."""

        def named(part: re.Match[str]) -> str:
            if part[0] == f"player_{self.own}" and self.names[self.own] == "You":
                return ""  # the picture calls this seat "You" already
            words = _SEAT.sub(lambda found: escape(self._label(int(found[1]), found[0])), part[0])
            return words.replace("_", " ")

        return Picture(_SHOWN.sub(named, picture))

    def _label(self, seat: int, otherwise: str) -> str:
        return self.names[seat] if seat < len(self.names) else otherwise

    def _in_sentence(self, seat: int, otherwise: str) -> str:
        return "you" if seat == self.own else self._label(seat, otherwise)


def sides_of(num_players: int, own: int, typed: str = "") -> Sides:
    """Name the seats of a game.

    Args:
        num_players: number of seats.
        own: the reader's seat, or NOBODY.
        typed: the name that the reader typed; empty: "You".
    """
    own_name = clean_name(typed) or "You"
    more = (f"Player {number}" for number in range(1, num_players + 1))  # a game of one's own may have many seats
    others = (name for name in (*NAMES, *more) if name.casefold() != own_name.casefold())
    return Sides(tuple(own_name if seat == own else next(others) for seat in range(num_players)), own)


def clean_name(typed: str) -> str:
    """Return a typed name without control characters, shortened to `MAX_NAME` letters."""
    printable = "".join(letter for letter in typed if letter.isprintable())
    return " ".join(printable.split())[:MAX_NAME].strip()


def _second_person(verb: str) -> str:
    """Return a verb of the third person in the second: "takes" becomes "take"."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes")):
        return verb[:-2]
    return verb.removesuffix("s")
