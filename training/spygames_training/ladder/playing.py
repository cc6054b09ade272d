"""Plays the lines of a ladder, one after another or several at a time, and writes them in their order."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from spygames.core.game.game import Game
from spygames.core.players.player import Player
from spygames_training.ladder.lines import Entry, Line, play_line
from spygames_training.parallel.executor import SERIAL, Executor, Progress


class Meeting(NamedTuple):
    """A block that is to be played; see `play_line`."""

    first: tuple[Entry, Player]
    second: tuple[Entry, Player]
    seed: int
    number: int


def play_lines(
    game: Game,
    meetings: Iterable[Meeting],
    limit: float,
    append: Callable[[Line], None],
    executor: Executor = SERIAL,
    progress: Progress | None = None,
) -> list[Line]:
    """Plays blocks and returns their lines, in their order, which are written in that order, too.

    Where it ends early by an error or Ctrl-C, the lines of all blocks that have ended are written.

    Args:
        game: what is played.
        meetings: the blocks; the next one is asked for when somebody is free to play it.
        limit: see `Referee`.
        append: writes a line, as of `appending`.
        executor: plays the blocks.
        progress: called with the number of games that have ended since the last call.

    Raises:
        TaskLost, ValueError: as of `Executor.run`.
    """
    lines: list[Line] = []
    waiting: dict[int, Line] = {}
    try:
        for number, line in executor.run(play_line, ((game, *meeting, limit) for meeting in meetings), progress):
            waiting[number] = line
            while len(lines) in waiting:
                append(waiting[len(lines)])
                lines.append(waiting.pop(len(lines)))
    finally:
        if len(lines) not in waiting:  # else it was not written whole, and nothing may follow it
            for number in sorted(waiting):
                append(waiting[number])
    return lines
