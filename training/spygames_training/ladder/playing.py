"""Play the lines of a ladder, one after another or several at a time, and write them in order."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import NamedTuple

from spygames.core.game.game import Game
from spygames.core.players.player import Player
from spygames_training.evaluation.blocks import DEALS
from spygames_training.ladder.lines import Entry, Line, play_line
from spygames_training.parallel.executor import SERIAL, Executor, Progress


class Meeting(NamedTuple):
    """A block to play; see `play_line`."""

    first: tuple[Entry, Player]
    second: tuple[Entry, Player]
    seed: int
    number: int


def play_lines(
    game: Game,
    meetings: Iterable[Meeting],
    limit: float | None,
    append: Callable[[Line], None],
    executor: Executor = SERIAL,
    progress: Progress | None = None,
    deals: int = DEALS,
) -> list[Line]:
    """Play blocks, write their lines in order, and return them.

    After an error or Ctrl-C the lines of all finished blocks are written.

    Args:
        game: the game to play.
        meetings: the blocks; the next one is taken when a process is free to play it.
        limit: see `play_line`.
        append: writes a line, see `appending`.
        executor: plays the blocks.
        progress: called with the number of games that have ended since the last call.
        deals: number of deals of a block.

    Raises:
        TaskLost, ValueError: as in `Executor.run`.
    """
    play = partial(play_line, deals=deals)
    lines: list[Line] = []
    waiting: dict[int, Line] = {}
    try:
        for number, line in executor.run(play, ((game, *meeting, limit) for meeting in meetings), progress):
            waiting[number] = line
            while len(lines) in waiting:
                append(waiting[len(lines)])
                lines.append(waiting.pop(len(lines)))
    finally:
        if len(lines) not in waiting:  # otherwise that line was not written completely, and none may follow it
            for number in sorted(waiting):
                append(waiting[number])
    return lines
