"""What the subcommands share: reading the command line, kinds of values, and which game is meant."""

import contextlib
import inspect
import io
import json
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import reduce
from itertools import pairwise
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

import tyro
from tyro.conf import FlagCreatePairsOff, UseAppendAction
from tyro.constructors import PrimitiveConstructorSpec

from spygames_app.shipped import agent_folder, config_path

if TYPE_CHECKING:
    from rich.console import Console

    from spygames.core.game.game import Game
    from spygames.core.players.names import PlayerName
    from spygames_training.parallel.executor import Executor

T = TypeVar("T")
ERRORS = (ValueError, OSError, MemoryError)
"""What ends a command with one line; anything else is a fault of the command itself."""
DEFAULT_GAME = "agent_avenue_v0"
AUTO = "auto"
"""`--resume auto`; a folder of that name is ./auto."""
LARGEST = 10**12
"""Of counts of games, decisions and the like: more than anybody can wait for, and exact in every number of a file."""
SUMMARY = "Board games with hidden information: trains agents, measures them, plays against them."


class WrongArguments(ValueError):
    """The command line cannot be understood; the message is one line."""


class Command(Protocol):
    """A subcommand: a dataclass of its options.

    A static method `surplus(text)`, where it has that, says what is right where `text` stands alone and nothing may.
    """

    def run(self) -> int:
        """Does the work; returns the exit code. One of `ERRORS` says in one line what was wrong."""
        ...


def execute(kind: type[Command], argv: Sequence[str], prog: str) -> int:
    """Reads the command line and does the work.

    Returns:
        What `kind.run` does, or after a line on stderr 130 for Ctrl-C and 2 for one of `ERRORS`.
    """
    try:
        return parse(kind, argv, prog).run()
    except WrongArguments as error:
        complain(prog, f"{error} (--help tells more)")
        return 2
    except KeyboardInterrupt:
        complain(prog, "interrupted")
        return 130
    except BrokenPipeError:
        raise
    except ERRORS as error:
        complain(prog, error)
        return 2


def parse(kind: type[T], argv: Sequence[str], prog: str) -> T:
    """Reads the command line.

    Args:
        kind: a dataclass whose fields are the options; `default_for(argv)`, where it has that, gives the defaults.
        argv: what stands behind `prog`.
        prog: how the command is called.

    Raises:
        WrongArguments: with one line.
        SystemExit: after help or shell completion was printed.
    """
    make_default: Callable[[Sequence[str]], T] | None = getattr(kind, "default_for", None)
    default: Any = make_default(argv) if make_default else tyro.MISSING_NONPROP
    summary, _, details = (inspect.getdoc(kind) or SUMMARY).partition("\n")
    shown = io.StringIO()
    try:
        with contextlib.redirect_stderr(shown):
            return tyro.cli(
                kind, prog=prog, description=summary, args=argv, default=default, config=(FlagCreatePairsOff,)
            )
    except SystemExit as end:
        if not end.code:
            if {"-h", "--help"} & set(argv) and details.strip():
                print(f"\n{filled(details)}")
            raise
        said = one_line(shown.getvalue())
        surplus: Callable[[str], str] = getattr(kind, "surplus", lambda text: "")
        if hint := _surplus(said, argv, surplus):
            said = said.partition("; did you mean ")[0]  # which looks at letters alone
        raise WrongArguments(f"{said}{hint or _hint(argv, shown.getvalue())}") from None


def _surplus(said: str, argv: Sequence[str], surplus: Callable[[str], str]) -> str:
    """What is right in the place of something that the command does not take.

    Args:
        said: the complaint, in one line.
        argv: the command line.
        surplus: what is right in the place of a word without `--`.
    """
    if found := re.match(r"unexpected argument: (\S+?)(?:,|$)", said):
        hint = surplus(found[1])
        return f"; {hint}" if hint else ""
    if found := re.match(r"unrecognized options: --([\w-]+)", said):
        from spygames.core.game.registry import game_ids, make_game  # slow to import

        name = found[1].replace("-", "_")
        if any(name in make_game(game_id).options for game_id in game_ids()):
            given = next((after for option, after in pairwise(argv) if option == f"--{found[1]}"), "VALUE")
            return f"; an option of the game is given as --option {name}={given[:100]}"
    return ""


def _hint(argv: Sequence[str], box: str) -> str:
    """What is right where a number or a list was written with commas."""
    said = re.sub(r"[\s│]+", "", box)
    if number := re.search(r"convertstringtofloat:'(\d*),(\d+)'", said):
        return f"; write {number[1]}.{number[2]}, with a point"
    for option, text in pairwise(["", *argv]):
        if re.fullmatch(r"[^\s,=]+(,\s*[^\s,=]+)*,?", text) and "," in text and re.sub(r"\s+", "", text) in said:
            several = " ".join(filter(None, re.split(r",\s*", text)))
            if re.fullmatch(r"\d{1,3}(,\d{3})+", text) and "validparse" not in said:
                return f"; write {text.replace(',', '')}, without commas (several numbers: {several})"
            return f"; write {f'{option} ' if option.startswith('--') else ''}{several}, without a comma"
    return ""


def filled(text: str) -> str:
    """Returns paragraphs with lines of at most the terminal's width, or 100; what is indented stays as it is."""
    width = min(shutil.get_terminal_size().columns, 100)
    paragraphs = text.strip("\n").split("\n\n")
    return "\n\n".join(p if p.startswith(" ") else textwrap.fill(p, width) for p in paragraphs)


def one_line(box: str) -> str:
    """Returns what tyro's box of several lines says, as one line: the complaint and the spelling that may be meant.

    Where there is no Unicode, the box has no frame, and its title is a section of its own.
    """
    rows = [re.sub(r"\x1b\[[0-9;]*m", "", row).strip("│ ") for row in box.splitlines()]
    rows = [row for row in rows if row and row[0] not in "╭╰"]
    sections: list[list[str]] = [[]]
    for row in rows:
        if set(row) <= set("─-"):
            sections.append([])
        else:
            sections[-1].append(row)
    if "│" not in box and len(sections) > 1:
        del sections[0]
    text = re.sub(r"^Error parsing settings\.\w+: ", "", " ".join(sections[0]))  # what follows names the setting
    text = re.sub(r"^Unrecognized options: (?=[^-])", "Unexpected argument: ", text)
    text = re.sub(r"^Missing from [\w -]+: (\S+) (.*) \(required\)", r"Missing \1: \2", text)
    # What Python's own readers of numbers say.
    text = re.sub(r"could not convert string to float: (.*)", r"\1 is not a number", text)
    text = re.sub(r"invalid literal for int\(\) with base 10: (.*)", r"\1 is not a whole number", text)
    text = re.sub(r"Exceeds the limit \(\d+ digits\).*", "the number is too large", text)
    if len(text) > 300:
        text = f"{text[:300]} ..."
    similar = [
        row.split()[0] for rows in sections[1:] if rows[0].startswith("Perhaps") for row in rows[1:] if row[:2] == "--"
    ]
    return f"{text[:1].lower()}{text[1:]}{f'; did you mean {similar[0]}?' if similar else ''}"


def subcommands(commands: dict[str, type[Any]]) -> Any:
    """Returns the type for `parse` that is any of the subcommands, by name."""
    return reduce(
        or_,
        (
            Annotated[kind, tyro.conf.subcommand(name, description=(inspect.getdoc(kind) or "").partition("\n")[0])]
            for name, kind in commands.items()
        ),
    )


def value(read: Callable[[str], Any], metavar: str) -> PrimitiveConstructorSpec[Any]:
    """Returns how an option's one value is read: `read` raises ValueError with one line. An empty text, as of a shell's
    variable that is not set, is no value."""
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar=metavar,
        instance_from_str=lambda texts: read(_given(texts[0], metavar)),
        is_instance=lambda instance: True,
        str_from_instance=lambda instance: [] if instance is None else [str(instance)],
    )


def values(read: Callable[[str], Any], metavar: str, least: int = 1) -> PrimitiveConstructorSpec[Any]:
    """As `value`, of an option with any number of them from `least`."""

    def several(texts: list[str]) -> tuple[Any, ...]:
        if len(texts) < least:
            raise ValueError(f"missing value, a {metavar}")
        return tuple(read(_given(text, metavar)) for text in texts)

    return PrimitiveConstructorSpec(
        nargs="*",
        metavar=f"[{metavar} [{metavar} ...]]",
        instance_from_str=several,
        is_instance=lambda instance: True,
        str_from_instance=lambda instance: [*map(str, instance or ())],
    )


def _given(text: str, metavar: str) -> str:
    if not text:
        raise ValueError(f"the value is empty, and must be a {metavar}")
    return text


def read_whole(text: str, low: int, high: int) -> int | None:
    """A whole number from `low` to `high`; None for any other text."""
    number = int(text) if text.isdecimal() and len(text) <= 100 else -1  # more digits may be more than Python reads
    return number if low <= number <= high else None


def read_seed(text: str) -> int:
    """A whole number from 0 to 2^64 - 1."""
    if (seed := read_whole(text, 0, (1 << 64) - 1)) is None:
        raise ValueError(f"{text[:100]!r} is not a whole number from 0 to 2^64 - 1")
    return seed


def read_positive(text: str) -> int:
    """A whole number from 1 to `LARGEST`."""
    if (number := read_whole(text, 1, LARGEST)) is None:
        raise ValueError(f"{text[:100]!r} is not a whole number from 1 to 10^12")
    return number


def read_count(text: str) -> int:
    """A whole number from 0 to `LARGEST`."""
    if (number := read_whole(text, 0, LARGEST)) is None:
        raise ValueError(f"{text[:100]!r} is not a whole number from 0 to 10^12")
    return number


def read_port(text: str) -> int:
    """A whole number from 0 to 65535."""
    if (port := read_whole(text, 0, (1 << 16) - 1)) is None:
        raise ValueError(f"{text[:100]!r} is not a port, a whole number from 0 to 65535")
    return port


def read_game(text: str) -> str:
    """The id of a game by any of its names."""
    from spygames.core.game.registry import canonical_id  # slow to import

    return canonical_id(text)


def read_option(text: str) -> tuple[str, Any]:
    """`players=2` as ("players", 2); a value that is no JSON is text."""
    name, equals, content = text.partition("=")
    if not name.isidentifier() or not equals:
        raise ValueError(f"{text[:100]!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(content)
    except (ValueError, RecursionError):
        return name, content


_NO_DEFAULT = tyro.conf.arg(help_behavior_hint="")
"""For options that are not given as a rule: the help names no default."""
Seed = Annotated[int, value(read_seed, "SEED")]
AnySeed = Annotated[int | None, value(read_seed, "SEED"), _NO_DEFAULT]
Positive = Annotated[int, value(read_positive, "N")]
AnyPositive = Annotated[int | None, value(read_positive, "N"), _NO_DEFAULT]
Positives = Annotated[tuple[int, ...], values(read_positive, "N"), _NO_DEFAULT]
AnyCount = Annotated[int | None, value(read_count, "N"), _NO_DEFAULT]
Port = Annotated[int, value(read_port, "PORT")]
File = Annotated[Path, value(Path, "FILE")]
AnyFile = Annotated[Path | None, value(Path, "FILE"), _NO_DEFAULT]
Folder = Annotated[Path, value(Path, "FOLDER")]
AnyFolder = Annotated[Path | None, value(Path, "FOLDER"), _NO_DEFAULT]
AnyCode = Annotated[str | None, value(str, "CODE"), _NO_DEFAULT]
"""`python:MODULE.NAME`."""
RunFolder = Annotated[Path | None, value(Path, "RUN"), _NO_DEFAULT]
RunOrAuto = Annotated[
    Path | Literal["auto"] | None, value(lambda text: text if text == AUTO else Path(text), "RUN"), _NO_DEFAULT
]
ConfigFile = Annotated[Path | None, value(config_path, "CONFIG"), _NO_DEFAULT]
How = Annotated[str | None, value(str, "HOW"), _NO_DEFAULT]
"""How a checkpoint plays: sample, argmax or a temperature, such as 0.5."""
Hows = Annotated[tuple[str, ...], values(str, "HOW"), _NO_DEFAULT]
AnyPlayer = Annotated[str | None, value(str, "PLAYER"), _NO_DEFAULT]
Players = Annotated[tuple[str, ...], values(str, "PLAYER"), _NO_DEFAULT]
PlayersOrNone = Annotated[tuple[str, ...] | None, values(str, "PLAYER", least=0), _NO_DEFAULT]
"""An option that may have no players behind it, as those are named before it; None: it is not given."""
Named = Annotated[Players, tyro.conf.arg(name="players")]
"""`--players`, the other spelling of the players that a command names first."""
GameId = Annotated[str | None, value(read_game, "ID"), _NO_DEFAULT]
"""The game; None: that of the first checkpoint named, with its options, else `DEFAULT_GAME`."""
GameOptions = UseAppendAction[tuple[Annotated[tuple[str, Any], value(read_option, "NAME=VALUE")], ...]]
"""Options of the game, as players=2; may be given several times."""


@dataclass(frozen=True)
class Tasks:
    """Who computes the tasks of a command; what comes of them is the same."""

    jobs: Positive = 1
    """Processes of this machine, each with one task at a time."""
    on: Annotated[str, value(str, "RAY"), _NO_DEFAULT] = ""
    """A Ray cluster: ray (this machine's, or a new one), or ray:ADDRESS of its head. (extra ray)"""

    def executor(self) -> "Executor":
        """Returns what computes tasks; ValueError or OSError where there is no such thing."""
        from spygames_training.bridges.executors import executor_of

        return executor_of(self.jobs, self.on)


TaskOptions = Annotated[Tasks, tyro.conf.arg(name="")]


def choose_game(specs: "Iterable[str | PlayerName]", game_id: str | None, options: dict[str, Any]) -> "Game":
    """Returns the game that is named, else that of the first checkpoint among the players `specs` (its options, changed
    by `options`), else the default one.

    Raises:
        ValueError: there is no such game or option.
    """
    from spygames.core.game.registry import make_game

    if game_id is None:
        from spygames.core.players.names import PlayerName

        for spec in specs:
            source = PlayerName.parse(spec).source
            path = agent_folder(source.rpartition(":")[2] if source.startswith("network:") else source)
            if _is_checkpoint(path):
                from spygames_training.agents.checkpoint import checkpoint_game

                game = checkpoint_game(path)
                game_id, options = game.id, {**game.options, **options}
                break
    return make_game(game_id or DEFAULT_GAME, **options)


def choose_agent(spec: str, game_id: str | None, options: dict[str, Any]) -> str:
    """Returns the name of an agent, with a released one in place of `best`, after a look at whether it plays the game
    that is named.

    Raises:
        ValueError: there is no such checkpoint, it plays something else, or `best` comes without a game.
    """
    from spygames.core.game.registry import make_game
    from spygames.core.players.names import PlayerName, make_player
    from spygames.core.players.released import BEST

    if spec == BEST and (game_id or options):
        return PlayerName(BEST).without_best(make_game(game_id or DEFAULT_GAME, **options)).source
    from spygames_training.agents.checkpoint import checkpoint_game

    if not _is_checkpoint(agent_folder(spec)) and spec != BEST:
        player = make_player(choose_game([], game_id, options), spec)  # says what is wrong with a name of nobody
        raise ValueError(f"{player.name} is not a checkpoint: name the folder of one or of a run, or a released agent")
    if game_id is not None or options:
        own = checkpoint_game(agent_folder(spec))
        asked = make_game(game_id or own.id, **({**own.options, **options} if game_id in (None, own.id) else options))
        if asked != own:
            raise ValueError(f"{spec} plays {own.title}, not {asked.title}")
    return spec


def _is_checkpoint(path: Path) -> bool:
    return any(os.path.isfile(folder / "config.json") for folder in (path, path / "checkpoint"))  # a long name is none


def given(command: Any) -> list[str]:
    """Returns the names of the options, as `--seed`, that have another value than their default."""
    names = []
    for f in fields(command):
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if getattr(command, f.name) != default:
            names.append(f"--{f.name.replace('_', '-')}")
    return names


def check_writable(*files: Path | None) -> None:
    """ValueError if one of the files cannot be written: said before the work, not after it."""
    for file in files:
        if file is not None and (file.is_dir() or not file.resolve().parent.is_dir()):
            raise ValueError(f"{file} cannot be written: it is a folder, or its folder does not exist")


def console(stderr: bool = False) -> "Console":
    """Returns where tables and bars are shown."""
    from spygames_training.output.tables import console

    return console(stderr)


def say(text: object) -> None:
    """Prints lines in which a name, a path or another text of somebody else may be: none of it moves the cursor."""
    from spygames.core.basics.text import printable

    print(printable(str(text)))


def counted(number: int, noun: str) -> str:
    """Returns `1 game`, `2 games`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def version() -> str:
    """Returns the version of spygames."""
    import spygames

    return spygames.__version__


def complain(prog: str, error: object) -> None:
    """Writes one line to stderr about what ended a command."""
    from spygames.core.basics.text import one_line

    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        error = f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        error = f"there is not enough memory{f' ({error})' if str(error) else ''}"
    print(f"{prog}: {one_line(error, 1000)}", file=sys.stderr)


def program() -> str:
    """Returns how the command is called here, for what messages tell the user to type: `spygames` where the shell finds
    this one, else the path by which it was started, else `python -m`."""
    called = Path(sys.argv[0])
    if called.stem == "spygames" and (called.exists() or called.with_suffix(".exe").exists()):
        found = shutil.which("spygames")
        return "spygames" if found and Path(found).samefile(called) else shlex.quote(str(called))
    return f"{shlex.quote(sys.executable)} -m spygames_app"
