"""The command `spygames`. Each subcommand is a module of this package with a dataclass of its options.

A subcommand is imported when it is called, and imports heavy packages (torch, Numba) only when it runs.
"""

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spygames_app.cli.arguments import Command

COMMANDS = {
    "train": "Train",
    "evaluate": "Evaluate",
    "compare": "Compare",
    "ladder": "Ladder",
    "beliefs": "Beliefs",
    "agents": "Agents",
    "play": "Play",
    "record": "Record",
    "replay": "Replay",
    "draw": "Draw",
    "rules": "Rules",
    "prompt": "Prompt",
    "export": "Export",
    "pack": "Pack",
    "best-response": "BestResponse",
    "ablate": "Ablate",
    "train-all": "TrainAll",
    "random-play": "RandomPlay",
}
"""Subcommands in the order of the help, with the names of their dataclasses. A module has the name of its subcommand,
with `_` for `-`."""
WITHOUT_TORCH = (
    "evaluate", "compare", "agents", "play", "record", "replay", "draw", "rules", "prompt", "pack", "random-play",
)  # fmt: skip
"""Subcommands that need the extra `cli` alone, except for some of their options; all others need `training`."""
OF_TRAINING = ("torch", "safetensors", "tensorboard", "matplotlib", "scipy")
"""Libraries that the extra `training` adds to those of `cli`."""
BROKEN_PIPE = 141
"""Exit code when the reader of the output has closed the pipe, the same as that of a program ended by SIGPIPE."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a subcommand.

    Args:
        argv: the arguments after `spygames`. (default: those of the process)

    Returns:
        The exit code of the subcommand. 2, with one line on stderr, if the arguments are wrong or the work cannot be
        done. 130 after Ctrl-C, 141 after a closed pipe.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    trains = any(name in COMMANDS and name not in WITHOUT_TORCH for name in arguments[:1])
    return run_safely(lambda: _run(arguments), "spygames", "training" if trains else "cli")


def run_safely(run: Callable[[], int], prog: str, extra: str = "training") -> int:
    """Run a command so that Ctrl-C, a closed pipe and a missing extra end it without a traceback.

    Args:
        run: does the work and returns the exit code.
        prog: the name of the command in messages.
        extra: the extra that the command needs; `training` for a library `OF_TRAINING`.

    Returns:
        The exit code of `run`; 2 if an extra is missing, 130 after Ctrl-C, 141 after a closed pipe.
    """
    _prepare_streams()
    try:
        code = run()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print(f"{prog}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for output that Python still flushes at exit
        return BROKEN_PIPE
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in ("spygames", "spygames_app"):
            raise
        from spygames.core.basics.extras import how_to_install

        needed = "training" if library in OF_TRAINING else extra
        print(f"{prog}: the command needs {error.name}: {how_to_install(needed)}", file=sys.stderr)
        return 2


def _prepare_streams() -> None:
    """Let stdout and stderr replace characters that their encoding lacks, and replace closed streams by the null
    device."""
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
    """Return the dataclass of a subcommand."""
    module = importlib.import_module(f"spygames_app.cli.{name.replace('-', '_')}")
    return getattr(module, COMMANDS[name])


def _without_command(argv: list[str]) -> int:
    """Handle `spygames` without a subcommand: help, version, shell completion, or a line with the subcommands."""
    from spygames_app.cli.arguments import WrongArguments, parse, subcommands

    if argv[:1] == ["--version"]:
        from spygames_app.cli.arguments import version

        print(f"spygames {version()}")
        return 0
    if argv and not argv[0].startswith("-"):
        near = get_close_matches(argv[0].casefold().replace("_", "-"), COMMANDS, 1)
        meant = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(COMMANDS)} (details: --help)"
        print(f"spygames: no subcommand {argv[0][:100]!r}; {meant}", file=sys.stderr)
        return 2
    if argv and argv[0] not in ("-h", "--help") and not argv[0].startswith("--tyro-"):
        from spygames.core.basics.text import one_line

        line = f"unrecognized options: {one_line(argv[0])}; a subcommand comes first, as in spygames evaluate greedy"
        print(f"spygames: {line} (details: --help)", file=sys.stderr)
        return 2
    try:
        parse(subcommands({name: load(name) for name in COMMANDS}), argv or ["--help"], "spygames")
    except WrongArguments as error:
        print(f"spygames: {error} (details: --help)", file=sys.stderr)
    return 2
