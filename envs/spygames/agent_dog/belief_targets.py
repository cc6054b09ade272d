"""What a seat of Agent DOG may wonder: what the other hands hold, and who is under the hats. AD-n: see README.md."""

import numpy as np

from spygames.agent_dog.cards import DEAL, KINDS
from spygames.agent_dog.layout import HAT, State
from spygames.agent_dog.queries import colour_of, seat_after
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import UNASKED, Questions

COLOURS = 4


@kernel
def answer(s: State, seat: Int, out: np.ndarray) -> None:
    """Writes the copies of each card in the other hands, clockwise, and the colour under each hat, by space and as the
    view counts spaces and colours; AD-24: where hidden colours are tracked there is no second group."""
    players, track = np.int64(s.options.players), np.int64(s.options.track)
    for k in range(1, players):
        other = seat_after(players, seat, k)
        for card in range(KINDS):
            out[(k - 1) * KINDS + card] = min(np.int64(s.hands[other, card]), DEAL)
    hats = (players - 1) * KINDS
    if len(out) == hats:
        return
    own = colour_of(s, seat)
    space = own * np.int64(s.options.quarter)
    for k in range(track):
        pawn = np.int64(s.board[space])
        out[hats + k] = (pawn - HAT - own) & 3 if pawn >= HAT else UNASKED
        space = space + 1 if space + 1 < track else 0


def questions(players: int, track: int, tracked: bool) -> Questions:
    """Returns those of a game with so many players and spaces."""
    hands = ("hands", (players - 1) * KINDS, DEAL + 1)
    return Questions((hands,) if tracked else (hands, ("hats", track, COLOURS)), answer)
