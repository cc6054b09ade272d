"""Shared code of the subcommands: parsing of the command line, types of options, and the choice of the game."""

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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import reduce
from itertools import pairwise
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeVar

import tyro
from tyro.conf import FlagCreatePairsOff, UseAppendAction
from tyro.constructors import PrimitiveConstructorSpec

from spygames_app.shipped import agent_folder, config_path
from spygames_app.terminal import line_width, text_width

if TYPE_CHECKING:
    from rich.console import Console

    from spygames.core.game.game import Game
    from spygames.core.players.names import PlayerName
    from spygames.core.records.record import GameRecord
    from spygames_training.parallel.executor import Executor

T = TypeVar("T")
ERRORS = (ValueError, OSError, MemoryError)
"""Errors that end a command with one line. Any other exception is a bug of the command."""
DEFAULT_GAME = "agent_avenue_v0"
AUTO = "auto"
"""The value of `--resume auto`. A folder with this name is written ./auto."""
LARGEST = 10**12
"""Maximum of counts, such as games and decisions. JSON and float64 hold it exactly."""
SUMMARY = "Board games with hidden information: train agents and play against them."


class WrongArguments(ValueError):
    """The command line is invalid. The message is one line."""


class Command(Protocol):
    """A subcommand: a dataclass of its options.

    It may have a static method `surplus(text)`, which returns a hint for a positional argument that the subcommand does
    not take.
    """

    def run(self) -> int:
        """Do the work and return the exit code. Failures raise one of `ERRORS` with a message of one line."""
        ...


def execute(kind: type[Command], argv: Sequence[str], prog: str) -> int:
    """Parse the command line and do the work.

    Returns:
        The exit code of `kind.run`. After a line on stderr: 130 for Ctrl-C, 2 for one of `ERRORS`.
    """
    try:
        return parse(kind, argv, prog).run()
    except WrongArguments as error:
        complain(prog, f"{error} (details: --help)")
        return 2
    except KeyboardInterrupt:
        complain(prog, "interrupted")
        return 130
    except BrokenPipeError:
        raise
    except ERRORS as error:
        complain(prog, error)
        return 2


def run_command(kind: type[Command], argv: Sequence[str] | None, prog: str) -> int:
    """Run a command that is not a subcommand of `spygames`, such as `python -m studies.card`.

    Args:
        kind: the dataclass of its options.
        argv: the arguments after `prog`; None: those of the process.
        prog: the name of the command.

    Returns:
        The exit code; see `execute` and `spygames_app.cli.run_safely`.
    """
    from spygames_app.cli import run_safely

    arguments = sys.argv[1:] if argv is None else argv
    return run_safely(lambda: execute(kind, arguments, prog), prog)


def parse(kind: type[T], argv: Sequence[str], prog: str) -> T:
    """Parse the command line.

    Args:
        kind: a dataclass whose fields are the options. A class method `default_for(argv)` may give the defaults.
        argv: the arguments after `prog`.
        prog: the name of the command.

    Raises:
        WrongArguments: the command line is invalid; the message is one line.
        SystemExit: help or shell completion has been printed.
    """
    make_default: Callable[[Sequence[str]], T] | None = getattr(kind, "default_for", None)
    default: Any = make_default(argv) if make_default else tyro.MISSING_NONPROP
    summary, _, details = (inspect.getdoc(kind) or SUMMARY).partition("\n")
    shown = io.StringIO()
    _set_colors()
    try:
        with contextlib.redirect_stderr(shown), _unbroken_help():
            command = tyro.cli(
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
            said = said.partition("; did you mean ")[0]  # tyro's guess compares letters only
        raise WrongArguments(f"{said}{hint or _hint(argv, shown.getvalue())}") from None
    names = [name for name, _ in getattr(command, "option", ())]
    if twice := [name for name in names if names.count(name) > 1]:
        raise WrongArguments(f"--option {twice[0]} is given {names.count(twice[0])} times")
    return command


def _set_colors() -> None:
    """Give the help a color that is readable on light and dark terminals, or none if NO_COLOR is set."""
    tyro.extras.set_accent_color("magenta")  # by default frames are white
    tyro._experimental_options["ansi_codes"] = not os.environ.get("NO_COLOR")


@contextlib.contextmanager
def _unbroken_help() -> Iterator[None]:
    """Let tyro wrap the docstring of a field as one paragraph: it would keep the line breaks of the source."""
    try:
        import docstring_parser  # tyro reads docstrings with it
    except ImportError:
        yield
        return
    parse_from_object = docstring_parser.parse_from_object

    def unbroken(*args: Any, **options: Any) -> Any:
        parsed = parse_from_object(*args, **options)
        for param in parsed.params:
            param.description = param.description and " ".join(param.description.split())
        return parsed

    docstring_parser.parse_from_object = unbroken
    try:
        yield
    finally:
        docstring_parser.parse_from_object = parse_from_object


def _surplus(said: str, argv: Sequence[str], surplus: Callable[[str], str]) -> str:
    """Return a hint for an argument that the command does not take, or "".

    Args:
        said: tyro's complaint, in one line.
        argv: the command line.
        surplus: returns a hint for a positional argument.
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
    """Return a hint for a number or a list that was written with commas, or ""."""
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
    """Wrap paragraphs at the width of the terminal, or at 100. Indented paragraphs stay as they are."""
    paragraphs = text.strip("\n").split("\n\n")
    return "\n\n".join(p if p.startswith(" ") else textwrap.fill(p, text_width()) for p in paragraphs)


def fitted(text: object) -> str:
    """Wrap lines at the width of the terminal, but not below 40 letters. A pipe or a file gets whole lines.

    The rest of a line is indented like the text after its number or name, if there is room.
    """
    return "\n".join(_wrapped(line, line_width()) for line in str(text).split("\n"))


def _wrapped(line: str, width: int) -> str:
    if len(line) <= width:
        return line
    label = re.match(r" *(?:\S+(?: \S+)*  +)?", line)
    indent = len(label[0]) if label else 0
    if indent > width // 3:
        indent = len(line) - len(line.lstrip()) + 2
    return textwrap.fill(line, width, subsequent_indent=" " * indent, break_on_hyphens=False)


def one_line(box: str) -> str:
    """Return the text of tyro's error box as one line: the complaint and the suggested spelling.

    Without Unicode the box has no frame, and its title is a section of its own.
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
    text = re.sub(r"^Error parsing settings\.\w+: ", "", " ".join(sections[0]))  # the rest names the setting
    text = re.sub(r"^Unrecognized options: (?=[^-])", "Unexpected argument: ", text)
    text = re.sub(r"^Missing from [\w -]+: (\S+) (.*) \(required\)", r"Missing \1: \2", text)
    # Messages of Python's own parsers of numbers.
    text = re.sub(r"could not convert string to float: (.*)", r"\1 is not a number", text)
    text = re.sub(r"invalid literal for int\(\) with base 10: (.*)", r"\1 is not an integer", text)
    text = re.sub(r"Could not find valid parse for arguments: \[(.*?)\]", r"not valid: \1", text)
    text = re.sub(r"[Nn]o type matching (\S+) could be instantiated from \[(.*?)\]\. .*", r"\2 is not \1", text)
    text = re.sub(r"Exceeds the limit \(\d+ digits\).*", "the number is too large", text)
    if len(text) > 300:
        text = f"{text[:300]} ..."
    similar = [
        row.split()[0] for rows in sections[1:] if rows[0].startswith("Perhaps") for row in rows[1:] if row[:2] == "--"
    ]
    return f"{text[:1].lower()}{text[1:]}{f'; did you mean {similar[0]}?' if similar else ''}"


def subcommands(commands: dict[str, type[Any]]) -> Any:
    """Return the union type of all subcommands, by name, for `parse`."""
    return reduce(
        or_,
        (
            Annotated[kind, tyro.conf.subcommand(name, description=(inspect.getdoc(kind) or "").partition("\n")[0])]
            for name, kind in commands.items()
        ),
    )


def value(read: Callable[[str], Any], metavar: str) -> PrimitiveConstructorSpec[Any]:
    """Return the parser of an option with one value.

    `read` converts the text and raises ValueError with one line. An empty text, such as that of an unset shell
    variable, is an error.
    """
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar=metavar,
        instance_from_str=lambda texts: read(_given(texts[0], metavar)),
        is_instance=lambda instance: True,
        str_from_instance=lambda instance: [] if instance is None else [str(instance)],
    )


def values(read: Callable[[str], Any], metavar: str, least: int = 1) -> PrimitiveConstructorSpec[Any]:
    """Return the parser of an option with at least `least` values; see `value`."""

    def several(texts: list[str]) -> tuple[Any, ...]:
        if len(texts) < least:
            raise ValueError(f"missing value, a {metavar}")
        return tuple(read(_given(text, metavar)) for text in texts)

    return PrimitiveConstructorSpec(
        nargs="*",
        metavar=f"[{metavar} ...]",
        instance_from_str=several,
        is_instance=lambda instance: True,
        str_from_instance=lambda instance: [*map(str, instance or ())],
    )


def _given(text: str, metavar: str) -> str:
    if not text:
        raise ValueError(f"the value must be a {metavar}, not empty")
    return text


def read_integer(text: str, low: int, high: int) -> int | None:
    """Parse an integer from `low` to `high`, such as 1_000_000; None for any other text."""
    number = int(text) if re.fullmatch(r"\d+(_\d+)*", text) and len(text) <= 100 else -1  # int() limits the digits
    return number if low <= number <= high else None


def read_seed(text: str) -> int:
    """Parse a seed, 0..2^64-1."""
    if (seed := read_integer(text, 0, (1 << 64) - 1)) is None:
        raise ValueError(f"{text[:100]!r} is not an integer from 0 to 2^64 - 1")
    return seed


def read_positive(text: str) -> int:
    """Parse an integer from 1 to `LARGEST`."""
    if (number := read_integer(text, 1, LARGEST)) is None:
        raise ValueError(f"{text[:100]!r} is not an integer from 1 to 10^12")
    return number


def read_count(text: str) -> int:
    """Parse an integer from 0 to `LARGEST`."""
    if (number := read_integer(text, 0, LARGEST)) is None:
        raise ValueError(f"{text[:100]!r} is not an integer from 0 to 10^12")
    return number


def read_port(text: str) -> int:
    """Parse a port, 0..65535."""
    if (port := read_integer(text, 0, (1 << 16) - 1)) is None:
        raise ValueError(f"{text[:100]!r} is not a port from 0 to 65535")
    return port


def read_game(text: str) -> str:
    """Return the id of a game that is given by any of its names."""
    from spygames.core.game.registry import canonical_id  # slow to import

    return canonical_id(text)


_PYTHON_WORDS = {"True": "true", "False": "false", "None": "null"}
"""JSON's words for those that the docs of the games use."""


def read_option(text: str) -> tuple[str, Any]:
    """Parse `players=2` as ("players", 2). A value is JSON, True or False as in Python, or else text."""
    name, equals, content = text.partition("=")
    if not name.isidentifier() or not equals:
        raise ValueError(f"{text[:100]!r} is not of the form NAME=VALUE")
    try:
        return name, json.loads(_PYTHON_WORDS.get(content, content))
    except (ValueError, RecursionError):
        return name, content


_NO_DEFAULT = tyro.conf.arg(help_behavior_hint="")
"""For optional options: the help shows no default."""
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
"""An option that may have no values, since players can be named before it; None: not given."""
Named = Annotated[Players, tyro.conf.arg(name="players")]
"""`--players`, the alternative to naming the players first."""
GameId = Annotated[str | None, value(read_game, "ID"), _NO_DEFAULT]
"""The game; None: that of the first checkpoint named, with its options, otherwise `DEFAULT_GAME`."""
GameOptions = UseAppendAction[tuple[Annotated[tuple[str, Any], value(read_option, "NAME=VALUE")], ...]]
"""Options of the game, such as players=2."""


@dataclass(frozen=True)
class Tasks:
    """Processes or a Ray cluster for the tasks of a command. The results are the same on all of them."""

    jobs: Positive = 1
    """Number of processes on this machine. Each computes one task at a time."""
    on: Annotated[str, value(str, "RAY"), _NO_DEFAULT] = ""
    """A Ray cluster: ray (the one of this machine, or a new one) or ray:ADDRESS of its head node. Needs extra ray."""

    def executor(self) -> "Executor":
        """Return the task executor; ValueError or OSError if it is not available."""
        from spygames_training.bridges.executors import executor_of

        return executor_of(self.jobs, self.on)


TaskOptions = Annotated[Tasks, tyro.conf.arg(name="")]


def choose_game(specs: "Iterable[str | PlayerName]", game_id: str | None, options: dict[str, Any]) -> "Game":
    """Return the game that a command plays.

    That is the game named `game_id`, otherwise the game of the first checkpoint among the players `specs`, otherwise
    the default game. `options` override the options of the checkpoint's game. Players are also the members of a
    mixture and the rivals of a search. If the first checkpoint's view has no history, and another checkpoint plays the
    same game with one, that is the game (`common_game`).

    Raises:
        ValueError: the game or an option does not exist.
    """
    from spygames.core.game.registry import make_game

    if game_id is None:
        from spygames.core.players.names import PlayerName

        members = [member for spec in specs for member in PlayerName.parse(spec).members]
        if (own := _game_of([each for member in members for each in (member, *member.rivals)])) is not None:
            game_id, options = own.id, {**own.options, **options}
    return make_game(game_id or DEFAULT_GAME, **options)


def _game_of(names: "Iterable[PlayerName]") -> "Game | None":
    """Return the game of the checkpoints among players (`common_game`); None if there are none."""
    sources = [name.source.rpartition(":")[2] if name.kind == "network" else name.source for name in names]
    checkpoints = [folder for folder in map(agent_folder, dict.fromkeys(sources)) if _is_checkpoint(folder)]
    if not checkpoints:
        return None
    from spygames.core.players.checkpoint import checkpoint_game, common_game

    return common_game(map(checkpoint_game, checkpoints))


def choose_agent(spec: str, game_id: str | None, options: dict[str, Any], *, takes_game: bool = True) -> str:
    """Return the name of an agent after checking that it plays the named game. `best` and `safest` are replaced by the
    agent's name. `takes_game` says whether the command has --game, for a message.

    Raises:
        ValueError: the checkpoint does not exist, it plays another game, or `best` comes without a game. Or the name
            says how the agent plays.
    """
    from spygames.core.players.names import PlayerName

    agent, asked = agent_and_game(spec, game_id, options, takes_game=takes_game)
    if (name := PlayerName.parse(agent)).play:
        raise ValueError(f"{agent} says how the agent plays: name the checkpoint alone, {name.source}")
    if asked is not None:
        from spygames.core.players.checkpoint import checkpoint_game

        if asked != (own := checkpoint_game(agent_folder(agent))):
            raise ValueError(f"{agent} plays {own.title}, not {asked.title}")
    return agent


def chosen_folder(spec: str) -> Path:
    """Return the folder of an agent's checkpoint, for a command without --game. Errors as in `choose_agent`."""
    from spygames.core.players.checkpoint_files import find_checkpoint

    return find_checkpoint(agent_folder(choose_agent(spec, None, {}, takes_game=False)))


def agent_and_game(
    spec: str, game_id: str | None, options: dict[str, Any], *, takes_game: bool = True
) -> "tuple[str, Game | None]":
    """Return the name of an agent, or of a mixture of agents, and the named game; None without a name and options.

    `best` and `safest` are replaced by the agent's name. `options` override the options of the agent's game; that of a
    mixture is the `common_game` of its agents. `takes_game` says whether the command has --game, for a message.

    Raises:
        ValueError: the checkpoint does not exist, the mixture is invalid, `best` comes without a game, or no released
            agent fits the game. Whether the agent can play the game shows when it is loaded.
    """
    from spygames.core.game.registry import imports_code, make_game
    from spygames.core.players.mixture import MIX
    from spygames.core.players.names import PlayerName, make_player
    from spygames.core.players.released import CHOOSE, agent_names

    name = PlayerName.parse(spec)
    agents = [member for member in name.members if member.source not in CHOOSE]
    for member in name.members:
        if member.search is not None or (member in agents and not _is_checkpoint(agent_folder(member.source))):
            player = make_player(choose_game([], game_id, options), str(member))  # raises for an unknown name
            raise ValueError(
                f"{player.name} is not a checkpoint: name the folder of a checkpoint or run, or a released agent"
            )
    if game_id is None and not options:
        if not agents:
            ways = "add --game, as in --game heimlich_v0 --option players=3, or name" if takes_game else "name"
            raise ValueError(f"{name.members[0].source} needs a game: {ways} an agent: {agent_names()}")
        return spec, None
    if game_id is not None and imports_code(game_id):
        game = make_game(game_id, **options)  # a checkpoint cannot name it
    else:
        own = _game_of(agents)
        if own is not None and game_id in (None, own.id):
            game_id, options = own.id, {**own.options, **options}
        game = make_game(game_id or DEFAULT_GAME, **options)
    members = [m if m in agents else replace(m, source=m.resolved(game).source) for m in name.members]
    return f"{MIX}:{'|'.join(map(str, members))}" if name.kind == MIX else str(members[0]), game


def game_of_record(found: "GameRecord", game_id: str | None) -> "Game":
    """Return the game that a record names, or the game `game_id` with the record's options.

    Raises:
        ValueError: the game or an option does not exist, or the record is of another game of this package.
    """
    from spygames.core.game.registry import canonical_id, game_ids, make_game
    from spygames.core.records.record import RecordError, game_of

    if game_id is None:
        return game_of(found)
    if found.game != (named := canonical_id(game_id)) and {found.game, named} <= {*game_ids()}:
        raise RecordError(f"the game is {found.game}, not {named}")
    return make_game(game_id, **found.options)


def _is_checkpoint(path: Path) -> bool:
    from spygames.core.players.checkpoint_files import is_zip

    # Unlike Path.is_file, os.path.isfile is False for a name that is too long.
    return is_zip(path) or any(os.path.isfile(folder / "config.json") for folder in (path, path / "checkpoint"))


def given(command: Any) -> list[str]:
    """Return the names of the options, such as `--seed`, whose values differ from their defaults."""
    names = []
    for f in fields(command):
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        if getattr(command, f.name) != default:
            names.append(f"--{f.name.replace('_', '-')}")
    return names


def check_writable(*files: Path | None) -> None:
    """Raise ValueError, before the work begins, if a file is a folder, or if its folder does not exist or is
    read-only."""
    for file in files:
        if file is None:
            continue
        folder = file.resolve().parent
        if file.is_dir() or not folder.is_dir():
            raise ValueError(f"{file} cannot be written: it is a folder, or its folder does not exist")
        place = file if file.exists() and not file.is_file() else folder  # a pipe is written to, a file is replaced
        if not os.access(place, os.W_OK):
            raise ValueError(f"{file} cannot be written: {place} is read-only")


def console(stderr: bool = False) -> "Console":
    """Return the console for tables and progress bars."""
    from spygames_training.output.tables import console

    return console(stderr)


def say(text: object) -> None:
    """Print text that may contain untrusted names or paths, with control characters escaped."""
    from spygames.core.basics.text import printable

    print(printable(str(text)))


def counted(number: int, noun: str) -> str:
    """Return `1 game`, `2 games`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def version() -> str:
    """Return the version of spygames."""
    import spygames

    return spygames.__version__


def complain(prog: str, error: object) -> None:
    """Write the error that ended a command to stderr, as one line."""
    from spygames.core.basics.text import one_line

    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        error = f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError):
        error = f"not enough memory{f' ({error})' if str(error) else ''}"
    print(f"{prog}: {one_line(error, 1000)}", file=sys.stderr)


def program() -> str:
    """Return how to call this command, for messages that tell the user what to type.

    That is `spygames` if the shell finds this installation, otherwise the path by which it was started, otherwise
    `python -m spygames_app`.
    """
    called = Path(sys.argv[0])
    if called.stem == "spygames" and (called.exists() or called.with_suffix(".exe").exists()):
        found = shutil.which("spygames")
        return "spygames" if found and Path(found).samefile(called) else shlex.quote(str(called))
    return f"{shlex.quote(sys.executable)} -m spygames_app"
