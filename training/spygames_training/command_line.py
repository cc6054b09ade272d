"""What the scripts share: short complaints, and finding out which game is meant."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from spygames.core.game import Game
from spygames.core.registry import make_game
from spygames.core.shown import one_line

DEFAULT_GAME = "agent_avenue_v0"
ERRORS = (ValueError, OSError, MemoryError)
"""What a command ends with one line for; anything else is a fault of its own."""


class Parser(argparse.ArgumentParser):
    """Answers wrong arguments with one line and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (--help tells more)\n")


def add_game_arguments(parser: argparse.ArgumentParser) -> None:
    """`--game` and `--option`."""
    parser.add_argument(
        "--game",
        metavar="ID",
        help=f"the game, as {DEFAULT_GAME}; otherwise that of the first checkpoint named, with its options",
    )
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        action="append",
        type=option,
        default=[],
        help="an option of the game, as players=2; may be given several times",
    )


def option(text: str) -> tuple[str, Any]:
    """`players=2` as ("players", 2); a value that is no JSON is text."""
    name, equals, value = text.partition("=")
    if not name.isidentifier() or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def seed(text: str) -> int:
    """A whole number from 0 to 2^64 - 1."""
    if not text.isdecimal() or int(text) >= 1 << 64:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2^64 - 1")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def choose_game(specs: Sequence[str], game_id: str | None, options: dict[str, Any]) -> Game:
    """The game that is named, else that of the first checkpoint among the players `specs` (its options, changed by
    `options`), else the default one. ValueError, of one line, if there is no such game or option."""
    if game_id is None:
        for spec in specs:
            path = spec.partition("@")[0]
            if _is_checkpoint(path):
                from spygames_training.checkpoint import load_checkpoint

                game = load_checkpoint(path).game
                game_id, options = game.id, {**game.options, **options}
                break
    return make_game(game_id or DEFAULT_GAME, **options)


def finished(name: str, work: Callable[[], int], stopped: str = "") -> int:
    """The exit code of a command: that of `work`, or after a line on stderr 130 for Ctrl-C, where `stopped` may say
    more, and 2 for one of `ERRORS`."""
    try:
        return work()
    except KeyboardInterrupt:
        print(f"{name}: {stopped or 'interrupted'}", file=sys.stderr)
        return 130
    except ERRORS as error:
        complain(name, error)
        return 2


def complain(name: str, error: BaseException) -> None:
    """One line on stderr about what ended a command."""
    print(f"{name}: {one_line(error, 1000) or 'there is not enough memory'}", file=sys.stderr)


def _is_checkpoint(path: str) -> bool:
    folders = (Path(path), Path(path) / "checkpoint")
    return any((folder / "config.json").is_file() for folder in folders)
