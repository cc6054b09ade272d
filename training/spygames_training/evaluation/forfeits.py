"""Forfeits: games lost because a player raised an error, chose an illegal action, or took too long."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np

from spygames.core.basics.text import one_line
from spygames.core.game.validation import time_limit
from spygames.core.players.mixture import members_of
from spygames.core.players.player import DecisionBatch, Player, PlayerTooSlow, PlayerUnavailable
from spygames.core.players.program import CommandPlayer
from spygames.core.players.python_function import PythonPlayer
from spygames.core.playing.session import answers

Reason = Literal["failed", "too slow"]
MAX_SLOW = 3
"""Number of late answers in a row after which the player loses the remaining games of that call, too."""


class Forfeit(NamedTuple):
    """Why a game was forfeited."""

    seat: int
    """Seat of the player that failed."""
    reason: Reason
    message: str
    """One human-readable line; unlike the reason, it may differ when the game is played again."""


def checked_limit(limit: float | None) -> float | None:
    """Return the limit of a `Referee`; None: no referee. ValueError unless it is a time in seconds above 0."""
    return None if limit is None else time_limit("limit", limit)


@contextmanager
def limited(players: Iterable[Player], limit: float | None) -> Iterator[None]:
    """Context in which programs and Python code have the time limit of a `Referee`.

    These players have a limit of their own (`decision_limit`), which ends a program and interrupts Python code. Outside
    the context it is as before. None: it is not changed.
    """
    members = [each for player in players for each in members_of(player)]
    own: list[Any] = [each for each in members if isinstance(each, CommandPlayer | PythonPlayer)]
    before = [(each, each.decision_limit) for each in dict.fromkeys(own)]
    try:
        for each in own if limit is not None else ():
            each.decision_limit = limit
        yield
    finally:
        for each, earlier in before:
            each.decision_limit = earlier


class Referee:
    """Asks players for actions and removes those that fail from their games, so that the other games continue.

    If a call for many games raises an error, it is repeated for each game alone, from the same state. Only the games in
    which the player fails again are forfeited. If the call takes too long, all its games are forfeited.

    Args:
        limit: seconds that a player may take for a decision, averaged over the decisions of one call.
    """

    def __init__(self, limit: float):
        self.limit = limit
        self.forfeits: dict[int, Forfeit] = {}
        """By the game's number."""

    def ask(self, player: Player, decisions: DecisionBatch, first: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Ask a player for actions, as `answers` does.

        Args:
            player: the player.
            decisions: the decisions to make.
            first: the number of the game in row 0.

        Returns:
            A legal action for each of `decisions.rows`, int64 [k], the first legal one where the player failed; and
            whether it failed, bool [k].

        Raises:
            PlayerUnavailable: the player cannot be asked any more. No game is forfeited by that.
        """
        d, k = decisions, len(decisions.rows)
        rng, mask, memory = d.rng[d.rows], d.mask[d.rows], None if d.memory is None else d.memory[d.rows]
        actions, lost = mask.argmax(axis=1), np.zeros(k, bool)
        began = time.monotonic()
        try:
            found = answers(player, d)
        except PlayerUnavailable:
            raise
        except Exception:  # any error of a player; the games that caused it are found below
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
            except PlayerUnavailable:
                raise
            except Exception as error:
                failure = error
            seconds = time.monotonic() - began
            late = seconds > self.limit or isinstance(failure, PlayerTooSlow)
            slow = slow + 1 if late else 0
            if not late and failure is None:
                continue
            rest = slice(i, k if slow == MAX_SLOW else i + 1)  # do not wait for each of the remaining games, too
            lost[rest] = True
            message = f"{seconds:.3g} s for a decision" if failure is None else f"{type(failure).__name__}: {failure}"
            self._lose(d, d.rows[rest], first, "too slow" if late else "failed", message)
            if slow == MAX_SLOW:
                break
        return actions, lost

    def _lose(self, d: DecisionBatch, rows: np.ndarray, first: int, reason: Reason, message: str) -> None:
        for row in rows.tolist():
            seat = int(d.states["to_move"][row])
            self.forfeits[first + row] = Forfeit(seat, reason, one_line(message, 300))
