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

_SEAT = re.compile(r"\bplayer_(\d+)\b((?:'|&#x27;)s\b| \(you\))?")
"""A seat, with the ending of the possessive, escaped or not, or the mark of the viewer in a position as text."""
_SHOWN = re.compile(r'(?<=>)[^<]+(?=<)|(?<=aria-label=")[^"]*')
"""The parts of an SVG that people read. Other attributes hold the texts of actions, which must not change."""
_RESULT = re.compile(
    r"\b[Yy]ou(?= and\b| (?:caught|got|had|ended|led|won)\b)|(?<= and )You(?= win\b)|(?<=caught )you\b"
)
"""The viewer in the result of a game, where the form of the verb fits every name."""
_FURTHER = re.compile(r"(?<= and )(?:chooses|discards|draws|moves)\b")
"""The second verb of a sentence about one seat."""
_KEPT = "\0"
"""Stands for an underscore of a name, which stays; those of the game's words become blanks."""
_IRREGULAR = {"has": "have", "is": "are", "does": "do", "was": "were"}


@dataclass(frozen=True)
class Sides:
    """The names of the seats of a game."""

    names: tuple[str, ...]
    """One per seat."""
    own: int = NOBODY
    """The reader's seat, called "you" in sentences; NOBODY for a reader who watches."""
    typed: str = ""
    """The name that the reader typed. It is shown beside "You"."""

    def name(self, seat: int) -> str:
        """Return the name of a seat, or "You"."""
        return "You" if seat == self.own else self.names[seat]

    def words(self, text: str) -> str:
        """Return a text of the game with names: "player_1 takes the face-up mole" becomes "Ada takes ..."."""
        text = _spaced(self._sentence(text))
        return text[:1].upper() + text[1:]

    def drawn(self, picture: str, viewer: int | None = None) -> Picture:
        """Return a picture with names in its words.

        Args:
            picture: the picture.
            viewer: the seat that the picture calls "You", or NOBODY; None: the reader's seat.
        """
        viewer = self.own if viewer is None else viewer
        plates = {escape(name) for name in (*self.names, self.typed) if "_" in name}

        def named(part: re.Match[str]) -> str:
            text = part[0]
            if text in plates:
                return text
            if viewer == self.own:  # the picture has "You", too
                text = re.sub(rf"^player_{self.own}(, |$)", "", text)
            if viewer not in (self.own, NOBODY):  # somebody else's view
                other = f"player_{viewer}"
                text = re.sub(r"^[Yy]ou(?=$|: )", other, text)
                text = re.sub(r"^[Yy]ou (lead|win|lose)\b", rf"{other} \1s", text)
                text = _RESULT.sub(other, re.sub(r"\b[Yy]our team\b", f"{other}'s team", text))
            return _spaced(self._sentence(text, escaped=True))

        return Picture(_SHOWN.sub(named, picture))

    def _sentence(self, text: str, escaped: bool = False) -> str:
        """Return a text with names for seats; one that begins with the reader's seat addresses the reader."""

        def label(found: re.Match[str]) -> str:
            seat, ending = int(found[1]), found[2] or ""
            if seat == self.own:
                word = "your" if ending.endswith("s") else "you"
                return word.title() if text[: found.start()].rpartition("\n")[2] == "" else word
            name = self.names[seat] if seat < len(self.names) else found[0].removesuffix(ending)
            return (escape(name) if escaped else name).replace("_", _KEPT) + ending

        def deed(found: re.Match[str]) -> str:
            rest = _FURTHER.sub(lambda verb: _second_person(verb[0]), found[4])
            return f"{found[1]}{found[2]} {_second_person(found[3])}{rest}"

        text = re.sub(rf"^(.*\bplayer_{self.own}\b.* win: )they\b", r"\1you", text)  # a team of the reader
        begins = text.startswith(f"player_{self.own} ")
        text = re.sub(rf"(^|: )(player_{self.own}) (\w+)([^:;.(\n]*)", deed, text)
        if begins:
            text = re.sub(r"\bits (hand|area)\b", r"your \1", text)
        return _SEAT.sub(label, text)


def sides_of(num_players: int, own: int, typed: str = "") -> Sides:
    """Name the seats of a game.

    Args:
        num_players: number of seats.
        own: the reader's seat, or NOBODY.
        typed: the name that the reader typed, or "".
    """
    typed = clean_name(typed)
    more = (f"Player {number}" for number in range(1, num_players + 1))  # a game of one's own may have many seats
    others = (name for name in (*NAMES, *more) if name.casefold() != typed.casefold())
    return Sides(tuple("You" if seat == own else next(others) for seat in range(num_players)), own, typed)


def clean_name(typed: str) -> str:
    """Return a typed name without control characters, shortened to `MAX_NAME` letters."""
    printable = "".join(letter for letter in typed if letter.isprintable())
    return " ".join(printable.split())[:MAX_NAME].strip()


def _spaced(text: str) -> str:
    """Return a text with blanks for the underscores of the game's words."""
    return text.replace("_", " ").replace(_KEPT, "_")


def _second_person(verb: str) -> str:
    """Return a verb of the third person in the second: "takes" becomes "take"."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes")):
        return verb[:-2]
    return verb.removesuffix("s")
