"""Tables of the cards of Agent DOG, and decks as data (AD-5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from spygames.core.basics.plain import plain
from spygames.core.basics.text import shown

CARDS = ("2", "3", "5", "6", "7", "8", "9", "10", "12", "1/11", "13", "swap", "copy", "companion")
KINDS = len(CARDS)
COPY, COMPANION_CARD = CARDS.index("copy"), CARDS.index("companion")

FUNCTIONS = ("2", "3", "5", "6", "7", "8", "9", "10", "12", "1", "11", "13", "start", "swap", "companion")
"""Functions that a card can be played as. The first twelve are numbers and move a pawn."""
NUMBERS = 12
START, SWAP, COMPANION = range(NUMBERS, len(FUNCTIONS))
STEPS = np.array([*map(int, FUNCTIONS[:NUMBERS]), 0, 0, 0], np.int64)
"""Spaces by which a function moves a pawn; 0 if the function is not a number."""
LONGEST = 13
POINTS = 4
"""Points of a companion (AD-28)."""

OFFERED: tuple[tuple[str, ...], ...] = (
    *((name,) for name in CARDS[:9]),
    ("1", "11", "start"),
    ("13", "start"),
    ("swap",),
    (),  # a copy offers the functions of the last card (AD-27)
    ("companion",),
)
START_CARDS = tuple(card for card, names in zip(CARDS, OFFERED, strict=True) if "start" in names)
OFFERS = np.array([sum(1 << FUNCTIONS.index(name) for name in names) for names in OFFERED], np.int64)
"""Functions of each card as bits."""

CHOICES = tuple(
    (kind, function)
    for kind in range(KINDS)
    for function in range(len(FUNCTIONS))
    if kind == COPY or FUNCTIONS[function] in OFFERED[kind]
)
"""All pairs of card and function, in the order of their actions."""
CHOICE_CARD = np.array([kind for kind, _ in CHOICES], np.int64)
CHOICE_FUNCTION = np.array([function for _, function in CHOICES], np.int64)

MAX_CARDS = 126
DEAL = 5
"""Cards dealt to each player in a round (AD-6)."""


@dataclass(frozen=True)
class Deck:
    """A deck: the number of copies of each card, 0 if it is not named. A deck needs a start card (AD-5).

    >>> Deck({"13": 20, "9": 30}).total
    50
    """

    copies: Mapping[str, int] = field(hash=False)
    """Number of copies by card name."""

    def __post_init__(self) -> None:
        if not isinstance(self.copies, Mapping):
            raise ValueError(f"deck must map cards to numbers of copies, not {shown(self.copies)}")
        given = {plain(card): plain(n) for card, n in self.copies.items()}
        for card, n in given.items():
            if card not in CARDS:
                raise ValueError(f"cards of deck must be among {', '.join(CARDS)}, not {shown(card)}")
            if type(n) is not int or not 0 <= n <= MAX_CARDS:
                raise ValueError(f"copies of {card} must be an integer from 0 to {MAX_CARDS}, not {shown(n)}")
        if (total := sum(given.values())) > MAX_CARDS:
            raise ValueError(f"deck must have at most {MAX_CARDS} cards, not {total}")
        if not any(given.get(card) for card in START_CARDS):
            raise ValueError(
                f"deck must contain a start card ({' or '.join(START_CARDS)}): without one a game may reach a point "
                "where no player can ever play a card again"
            )
        copies = {card: given[card] for card in CARDS if given.get(card)}
        object.__setattr__(self, "copies", MappingProxyType(copies))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the mapping of copies, because a read-only view of a mapping cannot be pickled."""
        return Deck, (dict(self.copies),)

    @property
    def total(self) -> int:
        """Total number of cards."""
        return sum(self.copies.values())

    @property
    def counts(self) -> list[int]:
        """Number of copies in the order of CARDS."""
        return [self.copies.get(card, 0) for card in CARDS]


DeckName = Literal["standard", "royal"]
DECKS = {
    "standard": Deck({card: 6 if card == "copy" else 8 for card in CARDS}),
    "royal": Deck(
        {card: 9 for card in CARDS[:9] if card != "7"} | {"1/11": 10, "13": 10, "swap": 6, "copy": 6, "companion": 6}
    ),
}
"""Decks by name, 110 cards each."""
