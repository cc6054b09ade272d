"""Belief targets of Agent DOG: the other hands, and the colors under hats. AD-n names a rule in README.md."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.agent_dog.board import COLOURS as COLOUR_NAMES
from spygames.agent_dog.cards import CARDS, DEAL, KINDS
from spygames.agent_dog.layout import HAT, State
from spygames.agent_dog.queries import colour_of, seat_after, seat_colour
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import UNASKED, Questions
from spygames.core.game.game import Game

COLOURS = 4


@kernel
def answer(s: State, seat: Int, out: np.ndarray) -> None:
    """Write the copies of each card in the other hands, clockwise, and the color under the hat on each space.

    Spaces and colors are relative to the viewer, as in its view. There are no colors if they are tracked (AD-24).
    """
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


def words(game: Game, seen: Mapping[str, Any], seat: int) -> list[tuple[str, list[str]]]:
    """Return what each target is about, and its answers; see `Questions.words`."""
    assert game.questions is not None
    players, counts = game.num_players, [str(n) for n in range(DEAL + 1)]
    others = [(seat + k) % players for k in range(1, players)]
    held = [(f"copies of {card} in player_{other}'s hand", counts) for other in others for card in CARDS]
    track = sum(targets for name, targets, _ in game.questions.groups if name == "hats")
    own = int(seat_colour(players, seat))
    colours = [COLOUR_NAMES[(own + k) % COLOURS] for k in range(COLOURS)]
    spaces = [(own * track // COLOURS + k) % track for k in range(track)]
    return held + [(f"the color under the hat on {space}", colours) for space in spaces]


def questions(players: int, track: int, tracked: bool) -> Questions:
    """Return the belief targets of a game with this number of players and spaces."""
    hands = ("hands", (players - 1) * KINDS, DEAL + 1)
    return Questions((hands,) if tracked else (hands, ("hats", track, COLOURS)), answer, words)
