"""Belief targets of Agent Avenue: the face-down card and the contents of the other hands."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from spygames.agent_avenue.cards import AGENTS, KINDS
from spygames.agent_avenue.layout import HAND, NONE, State
from spygames.agent_avenue.queries import knows_face_down, seat_at
from spygames.core.compiling.kernel import Int, kernel
from spygames.core.game.belief_targets import UNASKED, Questions
from spygames.core.game.game import Game
from spygames.core.game.rulebook import words as plain


@kernel
def answer(s: State, seat: Int, out: np.ndarray) -> None:
    """Write the face-down agent, then the copies of each agent in each other hand, up to 4, seats as in the view.

    UNASKED stands for a face-down agent that does not exist or that `seat` knows, and for a seat that does not exist.
    """
    out[0] = UNASKED if s.face_down == NONE or knows_face_down(s, seat) else s.face_down
    for place in range(1, 1 + (len(out) - 1) // KINDS):
        who = seat_at(s, seat, place)
        for card in range(KINDS):
            count = min(np.int64(s.hands[who, card]), HAND) if who != NONE else UNASKED
            out[1 + (place - 1) * KINDS + card] = count


def words(game: Game, seen: Mapping[str, Any], seat: int) -> list[tuple[str, list[str]]]:
    """Return what each target is about, and its answers; see `Questions.words`."""
    rivals = 2 * (1 - (seat >> 1))
    others = [1 - seat] if game.num_players == 2 else [seat ^ 1, rivals, rivals + 1]
    agents, counts = [plain(name) for name in AGENTS], [str(n) for n in range(HAND + 1)]
    if game.options["mode"] != "simple":  # abilities bring cards back to a hand
        counts[-1] += " or more"
    held = [(f"copies of {agent} in player_{other}'s hand", counts) for other in others for agent in agents]
    return [("the face-down card", agents), *held]


def questions(teams: bool) -> Questions:
    """Return the questions for two players, or for teams, which always have places for three other seats."""
    return Questions((("face_down", 1, KINDS), ("hands", (3 if teams else 1) * KINDS, HAND + 1)), answer, words)
