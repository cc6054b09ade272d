"""The command `spygames`: a subcommand is a module of this package with a dataclass of its options.

Subcommands are imported when they are asked for, and import what is heavy (torch, Numba) when they run.
"""

import importlib
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spygames_app.cli.arguments import Command

EXTRA = "pip install 'spygames[training]'"
COMMANDS = {
    "train": "Train",
    "evaluate": "Evaluate",
    "compare": "Compare",
    "ladder": "Ladder",
    "agents": "Agents",
    "play": "Play",
    "record": "Record",
    "replay": "Replay",
    "draw": "Draw",
    "export": "Export",
    "best-response": "BestResponse",
    "ablate": "Ablate",
    "train-all": "TrainAll",
    "random-play": "RandomPlay",
}
"""The subcommands in the order of the help, with the names of their dataclasses. The module is called as the
subcommand, with `_` for `-`."""
BROKEN_PIPE = 141
"""Exit code where whoever read the output has closed it, as of a program that SIGPIPE ended."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a subcommand.

    Args:
        argv: what stands behind `spygames` on the command line; None: what does.

    Returns:
        0; 2 where the arguments were wrong or the work could not be done, with one line on stderr; 130 after Ctrl-C;
        what the subcommand says.
    """
    argv = list(sys.argv[1:] if argv is None else argv)
    _prepare_streams()
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("spygames: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is still to be flushed when Python ends
        return BROKEN_PIPE
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("spygames", "spygames_app"):
            raise
        print(f"spygames: the command needs the extra: {EXTRA} (there is no module {error.name})", file=sys.stderr)
        return 2


def _prepare_streams() -> None:
    """Has stdout and stderr replace what their encoding lacks (ASCII, or names of files that are no text), and puts the
    null device in the place of closed streams."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None or getattr(stream, "closed", False):
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115
        elif mode == "w" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _run(argv: list[str]) -> int:
    name = argv[0] if argv else ""
    if name not in COMMANDS:
        return _without_command(argv)
    from spygames_app.cli.arguments import execute

    return execute(load(name), argv[1:], f"spygames {name}")


def load(name: str) -> "type[Command]":
    """Returns the dataclass of a subcommand."""
    module = importlib.import_module(f"spygames_app.cli.{name.replace('-', '_')}")
    return getattr(module, COMMANDS[name])


def _without_command(argv: list[str]) -> int:
    """Answers `spygames` without a subcommand: help, version, shell completion, or a line that names what there is."""
    from spygames_app.cli.arguments import WrongArguments, parse, subcommands

    if argv[:1] == ["--version"]:
        from spygames_app.cli.arguments import version

        print(f"spygames {version()}")
        return 0
    if argv and not argv[0].startswith("-"):
        near = get_close_matches(argv[0].casefold().replace("_", "-"), COMMANDS, 1)
        meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)} (--help tells more)"
        print(f"spygames: no subcommand {argv[0][:100]!r}; {meant}", file=sys.stderr)
        return 2
    if argv and argv[0] not in ("-h", "--help") and not argv[0].startswith("--tyro-"):
        from spygames.core.basics.text import one_line

        line = f"unrecognized options: {one_line(argv[0])}; a subcommand comes first, as in spygames evaluate greedy"
        print(f"spygames: {line} (--help tells more)", file=sys.stderr)
        return 2
    try:
        parse(subcommands({name: load(name) for name in COMMANDS}), argv or ["--help"], "spygames")
    except WrongArguments as error:
        print(f"spygames: {error} (--help tells more)", file=sys.stderr)
    return 2
