"""The cards of Agent DOG as tables; decks as data (AD-5)."""

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
"""What a card can be played as; the first twelve move a pawn by a number."""
NUMBERS = 12
START, SWAP, COMPANION = range(NUMBERS, len(FUNCTIONS))
STEPS = np.array([*map(int, FUNCTIONS[:NUMBERS]), 0, 0, 0], np.int64)
"""Spaces that a function moves a pawn; 0 where it is no number."""
LONGEST = 13
POINTS = 4
"""What a companion splits (AD-28)."""

OFFERED: tuple[tuple[str, ...], ...] = (
    *((name,) for name in CARDS[:9]),
    ("1", "11", "start"),
    ("13", "start"),
    ("swap",),
    (),  # a copy offers what the last card offered (AD-27)
    ("companion",),
)
START_CARDS = tuple(card for card, names in zip(CARDS, OFFERED, strict=True) if "start" in names)
OFFERS = np.array([sum(1 << FUNCTIONS.index(name) for name in names) for names in OFFERED], np.int64)
"""The functions of each card as bits."""

CHOICES = tuple(
    (kind, function)
    for kind in range(KINDS)
    for function in range(len(FUNCTIONS))
    if kind == COPY or FUNCTIONS[function] in OFFERED[kind]
)
"""Every card with a function, in the order of their actions."""
CHOICE_CARD = np.array([kind for kind, _ in CHOICES], np.int64)
CHOICE_FUNCTION = np.array([function for _, function in CHOICES], np.int64)

MAX_CARDS = 126
DEAL = 5
"""Cards dealt to each player in a round (AD-6)."""


@dataclass(frozen=True)
class Deck:
    """The copies of each card: a card that is not named has none, and there is a start card (AD-5).

    >>> Deck({"13": 20, "9": 30}).total
    50
    """

    copies: Mapping[str, int] = field(hash=False)
    """How many there are of each card, by its name."""

    def __post_init__(self) -> None:
        if not isinstance(self.copies, Mapping):
            raise ValueError(f"a deck maps cards to copies, not {shown(self.copies)}")
        given = {plain(card): plain(n) for card, n in self.copies.items()}
        for card, n in given.items():
            if card not in CARDS:
                raise ValueError(f"a deck has no card {shown(card)}; there are {', '.join(CARDS)}")
            if type(n) is not int or not 0 <= n <= MAX_CARDS:
                raise ValueError(f"copies of {card} must be a whole number from 0 to {MAX_CARDS}, not {shown(n)}")
        if (total := sum(given.values())) > MAX_CARDS:
            raise ValueError(f"a deck has at most {MAX_CARDS} cards, not {total}")
        if not any(given.get(card) for card in START_CARDS):
            raise ValueError(
                f"a deck must hold a start card ({' or '.join(START_CARDS)}): without one a game may come to a point "
                "where nobody can ever play a card again"
            )
        copies = {card: given[card] for card in CARDS if given.get(card)}
        object.__setattr__(self, "copies", MappingProxyType(copies))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles by the mapping that made it: a read-only view of a mapping cannot be pickled."""
        return Deck, (dict(self.copies),)

    @property
    def total(self) -> int:
        """Cards in all."""
        return sum(self.copies.values())

    @property
    def counts(self) -> list[int]:
        """Copies in the order of CARDS."""
        return [self.copies.get(card, 0) for card in CARDS]


DeckName = Literal["standard", "royal"]
DECKS = {
    "standard": Deck({card: 6 if card == "copy" else 8 for card in CARDS}),
    "royal": Deck(
        {card: 9 for card in CARDS[:9] if card != "7"} | {"1/11": 10, "13": 10, "swap": 6, "copy": 6, "companion": 6}
    ),
}
"""The decks by name, 110 cards each."""
