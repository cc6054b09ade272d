"""The data that all parts of the picture are drawn from."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spygames.agent_avenue.board import CATCH
from spygames.agent_avenue.texts.words import reason
from spygames.core.pictures.picture import Look
from spygames.core.svg.pen import Pen


def title(kind: str) -> str:
    """The human-readable name of a card."""
    return kind.replace("_", " ").title().replace(" Of The ", " of the ")


CX, CY = 600, 421
"""The middle of the board."""
DOING = {
    "play": "offer two cards, face up and face down",
    "recruit": "take one card, face up or face down",
    "market": "take a card of the Black Market",
    "ability": "carry out the market card",
    "lead": "name who plays face up",
    "up": "play a card face up",
    "down": "play a card face down",
    "resolver": "name who carries out the market card",
}


@dataclass(frozen=True)
class Scene:
    """The data that all parts of the picture are drawn from: pen, position and look."""

    pen: Pen
    seen: Mapping[str, Any]
    look: Look

    @cached_property
    def legal(self) -> frozenset[str]:
        """The texts of the viewer's legal actions."""
        return frozenset(self.look.legal)

    @cached_property
    def picks(self) -> frozenset[str]:
        """The cards of the viewer's legal offers, in the form of `Pen.target`."""
        offers = (text.split() for text in self.look.legal if text.startswith("play "))
        return frozenset(f"{i}:{words[i]}" for words in offers for i in (1, 2))

    @cached_property
    def seats(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The seats of each side."""
        players = self.seen["players"]
        return ((0,), (1,)) if players == 2 else ((0, 1), tuple(range(2, players)))

    def side(self, seat: int) -> int:
        """The side of a seat."""
        return int(seat in self.seats[1])

    @cached_property
    def below(self) -> int:
        """The side at the bottom."""
        return 0 if self.look.viewer < 0 else self.side(self.look.viewer)

    @cached_property
    def hider(self) -> int | None:
        """The seat that played the face-down card (AA-12, AA-40); None without such a card."""
        if self.seen["face_down"] is None:
            return None
        team = self.seats[self.seen["active_side"]]
        return next((seat for seat in team if seat != self.seen["lead"]), team[0])

    def who(self, side: int) -> str:
        """A side, named by its seats."""
        return " and ".join(f"player_{seat}" for seat in self.seats[side])

    def name_of(self, side: int) -> str:
        """A side in a few words: "you" and the rival's name, or the teams."""
        if self.look.viewer < 0:
            return self.who(side)
        if side == self.below:
            return "you" if len(self.seats[side]) == 1 else "your team"
        return f"player_{self.seats[side][0]}" if len(self.seats[side]) == 1 else "the other team"

    @property
    def standing(self) -> str:
        """Who leads, and by how much."""
        own = self.seen["progress"][self.below] - self.seen["progress"][1 - self.below]
        name = self.name_of(self.below if own > 0 else 1 - self.below)
        return f"{name} {'lead' if name == 'you' or ' and ' in name else 'leads'} by {abs(own)}" if own else "level"

    @property
    def race(self) -> str:
        """Who leads, and the lead that wins."""
        text = self.standing
        return f"{text}; a lead of {CATCH} catches" if text == "level" else f"{text}; {CATCH} catches"

    def hand(self, seat: int, key: str = "hands") -> list[str]:
        """The cards of a seat, "?" for each that the viewer does not know."""
        cards = self.seen[key][str(seat)]
        return ["?"] * cards if isinstance(cards, int) else cards

    def copies(self, kind: str) -> tuple[int, int]:
        """The copies of an agent that each side has in play."""
        return self.seen["in_play"]["0"].get(kind, 0), self.seen["in_play"]["1"].get(kind, 0)

    @contextmanager
    def target(self, action: str = "", pick: str = "", label: str | None = None, refused: str = "") -> Iterator[bool]:
        """Yield whether the viewer may choose this. If so, everything drawn inside the context is a target.

        Otherwise everything is refused with the action `refused`, if it is given.
        """
        can = action in self.legal or pick in self.picks
        if can:
            words = re.sub("(?<!player)_", " ", label or action)  # seats keep their form, by which a page names them
            self.pen.target(pick=pick or None, action=action or None, label=words)
        elif refused:
            self.pen.refused(refused)
        yield can
        if can or refused:
            self.pen.close()

    def refused(self, seat: int, kind: str) -> str:
        """Return the action that a tap on a card in a hand means if the card cannot be chosen; "" for no meaning."""
        if not self.look.decides or seat != self.look.viewer:
            return ""
        if self.seen["phase"] == "ability":
            return f"recruit {kind}"
        if len(self.seats[self.below]) > 1:
            return f"{'down' if self.seen['phase'] == 'down' else 'up'} {kind}"
        return f"play {kind} {next((card for card in self.hand(seat) if card != kind), kind)}"

    def owns(self, side: int, card: str) -> bool:
        """Whether a side owns an ongoing market card."""
        return card in self.seen["market_in_play"].get(str(side), ())

    @cached_property
    def headline(self) -> str:
        """The decision that is due, or the result."""
        seat = self.seen["to_move"]
        if seat is None:
            return f"{self.result}: {''.join(self._reason)}"
        what = DOING[self.seen["phase"]]
        if self.seen["ability"] is not None:
            what = what.replace("the market card", title(self.seen["ability"]["card"]))
        return f"{'You' if seat == self.look.viewer else f'player_{seat}'}: {what}"

    @property
    def why(self) -> str:
        """The reason of the result in short, for the board; the headline gives the details, too."""
        return self._reason[0]

    @cached_property
    def _reason(self) -> tuple[str, str]:
        """The reason of the result in short, and its details. It names the sides."""
        winner, (first, second) = self.seen["winner"], self.seen["progress"]
        one, other = self.name_of(winner), self.name_of(1 - winner)
        if self.look.viewer < 0:  # the result has just named the winners; the names of two teams would be too long
            one = one if len(self.seats[winner]) == 1 else "they"
            other = other if len(self.seats[1 - winner]) == 1 else "the rivals"
        return reason(self.seen["end_reason"], one, other, abs(first - second))

    @property
    def result(self) -> str:
        """The result: the winner, or whether the viewer wins."""
        winner = self.seen["winner"]
        if self.look.viewer >= 0:
            return "You win" if winner == self.below else "You lose"
        return f"{self.who(winner)} {'win' if len(self.seats[winner]) > 1 else 'wins'}"
