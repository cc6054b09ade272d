"""Games that are lost because a player failed: it raised an error, gave no legal answer, or took too long."""

import time
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.players.player import DecisionBatch, Player, PlayerTooSlow
from spygames.core.playing.session import answers

Reason = Literal["failed", "too slow"]
MOST_SLOW = 3
"""After so many late answers in a row the other games of that call are lost, too."""


class Forfeit(NamedTuple):
    """Why a game was lost before its end."""

    seat: int
    """Whose player failed."""
    reason: Reason
    message: str
    """One line for people; unlike the reason it may be another one when the game is played again."""


class Referee:
    """Asks players and takes those who fail out of their games, so that everybody else plays on.

    A call that fails for many games is made again for each of them alone, with everything as it was before, so that
    only the games are lost in which the player fails.

    Args:
        limit: seconds that a player may take for a decision, in the mean over those of one call.
    """

    def __init__(self, limit: float):
        self.limit = limit
        self.forfeits: dict[int, Forfeit] = {}
        """By the number of the game."""

    def ask(self, player: Player, decisions: DecisionBatch, first: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Asks a player, as `answers` does.

        Args:
            player: who is asked.
            decisions: what is to be decided.
            first: the number of the game in row 0.

        Returns:
            A legal action for each of `decisions.rows`, int64 [k], the first one where the player failed; and whether
            it did, bool [k].
        """
        d, k = decisions, len(decisions.rows)
        rng, mask, memory = d.rng[d.rows], d.mask[d.rows], None if d.memory is None else d.memory[d.rows]
        actions, lost = mask.argmax(axis=1), np.zeros(k, bool)
        began = time.monotonic()
        try:
            found = answers(player, d)
        except Exception:  # whatever a player raises; which of the games it was is found below
            d.rng[d.rows], d.mask[d.rows] = rng, mask
            if d.memory is not None:
                d.memory[d.rows] = memory
        else:
            if time.monotonic() - began <= self.limit * k:
                return found, lost
            self._lose(d, d.rows, first, "too slow", f"{(time.monotonic() - began) / k:.3g} s a decision")
            return actions, ~lost
        slow = 0
        for i in range(k):
            began, failure = time.monotonic(), None
            try:
                actions[i] = answers(player, replace(d, rows=d.rows[i : i + 1]))[0]
            except Exception as error:
                failure = error
            seconds = time.monotonic() - began
            late = seconds > self.limit or isinstance(failure, PlayerTooSlow)
            slow = slow + 1 if late else 0
            if not late and failure is None:
                continue
            rest = slice(i, k if slow == MOST_SLOW else i + 1)  # nor need the others wait so long, each by itself
            lost[rest] = True
            message = f"{seconds:.3g} s for a decision" if failure is None else f"{type(failure).__name__}: {failure}"
            self._lose(d, d.rows[rest], first, "too slow" if late else "failed", message)
            if slow == MOST_SLOW:
                break
        return actions, lost

    def _lose(self, d: DecisionBatch, rows: np.ndarray, first: int, reason: Reason, message: str) -> None:
        for row in rows.tolist():
            seat = int(d.states["to_move"][row])
            self.forfeits[first + row] = Forfeit(seat, reason, one_line(message, 300))
