"""Record games as JSON lines, one game per line, and replay them exactly.

>>> from spygames import make_game
>>> from spygames.players import make_player
>>> game = make_game("agent_avenue_v0")
>>> record = play_record(game, [make_player(game, "random")] * 2, seed=7)
>>> len(replay(record)) == len(record.actions) + 1
True
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spygames.core.basics.files import read_text
from spygames.core.basics.json_numbers import read_uint64, written
from spygames.core.basics.json_values import is_count
from spygames.core.basics.text import one_line, shown
from spygames.core.basics.version import VERSION
from spygames.core.basics.whole_numbers import is_whole, whole
from spygames.core.compiling.kernel import Record
from spygames.core.game import registry
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rng import derived_seed
from spygames.core.game.validation import because, check_game, some_legal
from spygames.core.players.names import as_players
from spygames.core.players.player import PlayerFailed, PlayerLike, PlayerUnavailable
from spygames.core.playing.session import play

__all__ = [
    "GameRecord",
    "RecordError",
    "load_games",
    "make_record",
    "play_record",
    "read_games",
    "replay",
    "save_games",
]

MAX_BYTES = 1 << 30
"""Maximum size of a file of recorded games, enough for more than 20,000 long games."""
_SHOWN = 12  # maximum number of legal actions in an error message
_LONG = 300  # maximum length of an error quoted in another one


class RecordError(ValueError):
    """A record does not fit the installed games, or a file is not a file of records.

    The message says where, in one line.

    Example:
        >>> from spygames.records import RecordError, read_games
        >>> try:
        ...     read_games("[1, 2]")
        ... except RecordError as error:
        ...     print(error)
        line 1: a record must be a mapping, not list
    """


@dataclass(frozen=True)
class GameRecord:
    """A recorded game, finished or broken off. All fields are plain JSON values.

    Example:
        >>> from spygames import make_game
        >>> from spygames.records import play_record, read_games
        >>> record = play_record(make_game("agent_avenue_v0"), ["greedy", "random"], seed=1)
        >>> record.game, record.seed, record.players
        ('agent_avenue_v0', 1, ('greedy', 'random'))
        >>> read_games(record.to_line()) == [record]
        True
    """

    game: str
    """The game, as `spygames.make_game` takes it: an id such as `agent_avenue_v0`, or a module."""
    options: dict[str, Any]
    """All options of the game."""
    seed: int | None
    """0..2^64-1, the seed that the game began from; None if it began from `state`."""
    state: dict[str, Any] | None
    """The mapping of the position that the game began from; None if it began from `seed`."""
    actions: tuple[str, ...]
    """The actions in order, as texts (`Game.action_to_string`)."""
    returns: tuple[float, ...]
    """The result of each seat; zeros if the game was broken off. A forfeit has a result."""
    end_reason: str | None
    """The key `end_reason` of the last state's mapping; None if the game has no such key."""
    positions: tuple[str, ...] = ()
    """A digest of each state, including the first and the last, for comparison; empty: no comparison."""
    players: tuple[str, ...] = ()
    """The name of the player in each seat, for human readers."""
    spygames: str = VERSION
    """The version of the package that recorded the game."""
    forfeit: int | None = None
    """The seat that lost the game because it gave no legal action after the last of `actions`; None: none did."""

    def to_line(self) -> str:
        """Return the record as one line of JSON, without a line end. `read_games` reads it.

        Seeds of 2^53 and above and the `rng` of a state are written as texts, because programs that read numbers as
        doubles would round them. `forfeit` is left out if it is None.
        """
        content = asdict(self)
        if self.forfeit is None:
            del content["forfeit"]
        if self.seed is not None:
            content["seed"] = written(self.seed)
        if self.state is not None and (rng := read_uint64(self.state.get("rng"))) is not None:
            content["state"]["rng"] = str(rng)
        return json.dumps(content)


def play_record(
    game: Game,
    players: Sequence[PlayerLike],
    seed: int | None = None,
    *,
    state: Mapping[str, Any] | None = None,
    rng_seed: int | None = None,
    forfeits: bool = False,
) -> GameRecord:
    """Play one game to its end, with `players[i]` in seat i, and record it.

    Args:
        game: the game to play.
        players: one per seat: a name (see `make_player`), a `Policy` or a `Player`. The same player may sit in several
            seats.
        seed: 0..2^64-1, the seed that the game begins from.
        state: the mapping of a position to begin from instead.
        rng_seed: 0..2^64-1, seed of the players' random stream; None: derived from `seed`, so that `seed` determines
            the whole game.
        forfeits: whether a player that gives no legal action loses the game, which ends there.

    Returns:
        The record.

    Raises:
        TypeError: a player is of a wrong type, or `game` is not a Game.
        ValueError: a player does not exist, the number of players is wrong, a seed is invalid, or not exactly one of
            `seed` and `state` is given.
        ImpossibleState: `state` is not a valid position.
        IllegalAction: a player gave no legal action; the message names the player. With `forfeits` only if it cannot
            be asked any more (`PlayerUnavailable`).
    """
    seated = as_players(game, players)
    if len(seated) != game.num_players:
        raise ValueError(f"players must have one player for each of the {game.num_players} seats, not {len(seated)}")
    states = _begin(game, seed, state)
    rng = np.array([[derived_seed((seed or 0) if rng_seed is None else rng_seed, "players")]], np.uint64)
    actions: list[int] = []
    lost = None
    try:
        play(game, states, seated, rng, actions)
    except PlayerFailed as error:
        if not forfeits or isinstance(error, PlayerUnavailable):
            raise
        end = states.copy()
        for action in actions:
            game.apply(as_record(end), action)
        lost = int(end["to_move"][0])  # the error may not know it: an answer of a wrong type fits no seat
    names = tuple(player.name for player in seated)
    return _write(game, states, seed, actions, names, lost)


def make_record(
    game: Game,
    actions: Iterable[int],
    seed: int | None = None,
    *,
    state: Mapping[str, Any] | None = None,
    players: Sequence[str] = (),
    forfeit: int | None = None,
) -> GameRecord:
    """Record a game that was played elsewhere.

    Args:
        game: the game.
        actions: the actions in order, 0..A-1.
        seed: 0..2^64-1, the seed that the game began from.
        state: the mapping of the position that it began from instead.
        players: the name of the player in each seat.
        forfeit: the seat that then lost the game because it gave no legal action; None: none did.

    Raises:
        IllegalAction: an action is malformed, or not legal in its turn.
        ValueError: the seed is invalid, not exactly one of `seed` and `state` is given, the number of `players` is not
            that of the seats, or `forfeit` is not the seat to move after the actions.
        TypeError: `players` are not names, or `game` is not a Game.
        ImpossibleState: `state` is not a valid position.
    """
    check_game(game)
    if isinstance(players, str) or not all(isinstance(name, str) for name in players):
        raise TypeError(f"players must be a list of names, not {shown(players)}")
    if players and len(players) != game.num_players:
        raise ValueError(f"players must be {game.num_players} names, one for each seat, not {len(players)}")
    forfeit = None if forfeit is None else whole("forfeit", forfeit, 0, game.num_players - 1)
    return _write(game, _begin(game, seed, state), seed, actions, tuple(players), forfeit)


def forfeit_returns(game: Game, seat: int) -> tuple[float, ...]:
    """Return the result of each seat if one gives no legal action.

    Its side gets `Game.lowest_return`. The other sides share the opposite, so that the results of the sides sum to 0.
    """
    low, lost = game.lowest_return, game.side_of[seat]
    return tuple(low if side == lost else -low / (game.num_sides - 1) for side in game.side_of)


def replay(game_record: GameRecord, game: Game | None = None) -> np.ndarray:
    """Replay a record and return all states.

    Args:
        game_record: the record.
        game: the game to replay it with; None: the game that the record names, if it belongs to this package. Any
            other game must be passed, because a file must not choose the module that is imported.

    Returns:
        STATE [actions + 1], including the first and the last state.

    Raises:
        RecordError: the record does not fit. Its game or options do not exist, or its beginning is impossible. Or an
            action is not legal in its turn, or a position or the result differs.
        TypeError: `game` is not a Game.
    """
    r = game_record
    game = game or game_of(r)
    check_game(game)
    try:
        states = _begin(game, r.seed, r.state)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"the record cannot begin: {one_line(error, _LONG)}{_versions(r)}") from error
    if r.players and len(r.players) != game.num_players:
        raise RecordError(f"players must be {game.num_players} names, one for each seat, not {len(r.players)}")
    if r.positions and len(r.positions) != len(r.actions) + 1:
        raise RecordError(
            f"positions must have {len(r.actions) + 1} entries, one more than actions, not {len(r.positions)}"
        )
    s = as_record(states)
    history = game.new_states(len(r.actions) + 1)
    history[0] = states[0]
    _compare_position(game, r, s, 0)
    for number, text in enumerate(r.actions, 1):
        try:
            action = game.string_to_action(s, text, int(s.to_move)) if s.to_move != NOBODY else NOBODY
            _act(game, s, action, text)
        except ValueError as error:
            raise RecordError(f"move {number} does not fit: {one_line(error, _LONG)}{_versions(r)}") from error
        history[number] = states[0]
        _compare_position(game, r, s, number)
    try:
        returns = _returns(game, s, r.forfeit)
    except ValueError as error:
        raise RecordError(f"{error}{_versions(r)}") from error
    for what, recorded, found in (
        ("returns", tuple(r.returns), returns),
        ("end_reason", r.end_reason, _end_reason(game, s)),
    ):
        if recorded != found:
            raise RecordError(f"{what} must be {shown(found)} after these moves, not {shown(recorded)}{_versions(r)}")
    return history


def save_games(path: str | os.PathLike[str], records: Iterable[GameRecord]) -> None:
    """Write records to a file, one line per game.

    After an error the file is unchanged. A link is kept and then points to the new file, which has the permissions of
    the old one; a pipe or a device is written to and not replaced.

    Raises:
        OSError: the file cannot be written, for instance because its folder is missing.
    """
    target = Path(path)
    lines = "".join(r.to_line() + "\n" for r in records)
    if target.exists() and not target.is_file():
        target.write_text(lines, encoding="utf-8")
        return
    target = target.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:  # it names the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, name)
        else:
            mask = os.umask(0)
            os.umask(mask)
            os.chmod(name, 0o666 & ~mask)  # temporary files are private to their owner, a saved game is not
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def load_games(path: str | os.PathLike[str]) -> list[GameRecord]:
    """Read a file written by `save_games`, or the games in transcripts of language models (`load_said`).

    Transcripts of several models in one game are one game.

    Raises:
        RecordError: a line is not a record; the message names the line and the key.
        OSError: the file cannot be read, has more than `MAX_BYTES` bytes, or is not a regular file.
    """
    return read_games(text_of(path), f"{one_line(path)}, ")


def text_of(path: str | os.PathLike[str]) -> str:
    """Read the text of a file of recorded games or transcripts. The errors are those of `load_games`."""
    try:
        return read_text(path, MAX_BYTES)
    except ValueError as error:
        raise RecordError(f"{one_line(path)} is not a file of recorded games: {one_line(error)}") from error


def read_games(text: str, where: str = "") -> list[GameRecord]:
    """Read records from the text of a file, see `load_games`.

    Args:
        text: the text.
        where: a prefix for error messages, before the number of the line.

    Raises:
        RecordError: a line is not a record; the message names the line and the key.
    """
    games = recorded_lines(text, where)
    return [
        max((line.record for line in game), key=lambda r: (len(r.actions), r.forfeit is not None)) for game in games
    ]


class RecordedLine(NamedTuple):
    """A line of a file of recorded games."""

    record: GameRecord
    content: dict[str, Any]
    """The JSON value of the line."""
    where: str
    """Where it stands, for error messages."""


def recorded_lines(text: str, where: str = "") -> list[list[RecordedLine]]:
    """Read the lines of a file, see `load_games`; one list for each game.

    Transcripts have a line for each language model of a game. If the models belong to one game, so do their lines, in
    the place of the first one.
    """
    games: list[list[RecordedLine]] = []
    begun: dict[tuple[str, ...], list[list[RecordedLine]]] = {}
    for number, each in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not each.strip():
            continue
        line = _read(each, f"{where}line {number}")
        start = _beginning(line)
        alike = [] if start is None else begun.setdefault(start, [])
        known = next((game for game in alike if all(_same_game(other, line) for other in game)), None)
        if known is not None:
            known.append(line)
            continue
        games.append([line])
        alike.append(games[-1])
    return games


def _beginning(line: RecordedLine) -> tuple[str, ...] | None:
    """Return what lines of one game have in common; None if the line is not of a transcript."""
    r, model, occasion, seats = line.record, *(line.content.get(key) for key in ("model", "occasion", "seats"))
    if not (r.positions and isinstance(model, str) and isinstance(occasion, str) and isinstance(seats, dict)):
        return None
    try:
        return r.game, json.dumps(r.options, sort_keys=True), r.positions[0], occasion
    except RecursionError:  # nested too deeply for any game
        return None


def _same_game(one: RecordedLine, two: RecordedLine) -> bool:
    """Whether the transcripts of two models that begin alike are of one game.

    A model that waits while another one loses the game knows it up to its own last decision.
    """
    a, b = one.content, two.content
    if a["model"] == b["model"] or {*a["seats"]} & {*b["seats"]}:
        return False
    if (a.get("ended") == "played") != (b.get("ended") == "played"):
        return False
    short, long = sorted((one.record.actions, two.record.actions), key=len)
    return long[: len(short)] == short and (a.get("ended") != "played" or len(short) == len(long))


def _begin(game: Game, seed: int | None, state: Mapping[str, Any] | None) -> np.ndarray:
    if (seed is None) == (state is None):
        raise ValueError("exactly one of seed and state must be given")
    if seed is not None:
        return game.start(seed)
    assert state is not None
    states = game.new_states()
    game.state_from_dict(state, as_record(states))
    return states


def _act(game: Game, s: Record, answer: object, text: str | None = None) -> int:
    """Apply a legal action and return it as a plain number. IllegalAction lists the legal actions."""
    mask = np.zeros(game.num_actions, np.int8)
    game.legal(s, mask)
    action = NOBODY
    if is_whole(answer) and 0 <= answer < game.num_actions:
        action = int(answer)
    if action == NOBODY or not mask[action]:
        if text is None and action != NOBODY and s.to_move != NOBODY:
            text = game.action_to_string(s, action, int(s.to_move))
        what = shown(answer if text is None else text)
        if s.to_move == NOBODY:
            raise IllegalAction(f"{what} comes after the end of the game")
        seat = int(s.to_move)
        legal = some_legal(mask, lambda action: game.action_to_string(s, action, seat), _SHOWN)
        why = "" if action == NOBODY else because(game, s, action, seat)
        raise IllegalAction(f"{what} is not legal for seat {seat}{why}; legal are {legal}")
    game.apply(s, action)
    return action


def _write(
    game: Game,
    states: np.ndarray,
    seed: int | None,
    actions: Iterable[int],
    players: tuple[str, ...],
    forfeit: int | None = None,
) -> GameRecord:
    """Play `actions` from `states`, which change, and return the record."""
    s = as_record(states)
    state = game.state_to_dict(s) if seed is None else None
    texts, positions = [], [_digest(game, s)]
    for answer in actions:
        before = states.copy()
        action = _act(game, s, answer)
        texts.append(game.action_to_string(as_record(before), action, int(before["to_move"][0])))
        positions.append(_digest(game, s))
    return GameRecord(
        game=registry.name_of(game),
        options=dict(game.options),
        seed=None if seed is None else int(seed),
        state=state,
        actions=tuple(texts),
        returns=_returns(game, s, forfeit),
        end_reason=_end_reason(game, s),
        positions=tuple(positions),
        players=players,
        forfeit=forfeit,
    )


def game_of(r: GameRecord) -> Game:
    """Return the game that a record names. Raise RecordError for an unknown game or unknown options."""
    try:
        if r.game not in registry.game_ids():
            there = ", ".join(registry.game_ids())
            other = "name the game of another module (--game, in Python `game`)"
            raise ValueError(f"no game {shown(r.game)}; available: {there}; {other}")
        return registry.make_game(r.game, **r.options)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError(f"the game of this record cannot be made: {one_line(error, _LONG)}{_versions(r)}") from error


def _digest(game: Game, s: Record) -> str:
    """Return a digest of the state's mapping, not of its bytes: a layout may change while the rules do not.

    The key `record`, which holds the history that views show, is left out, because it may be extended. `rng` is a
    number, as in all earlier records.
    """
    mapping = {key: value for key, value in game.texts.state_to_dict(game, s).items() if key != "record"}
    return hashlib.sha256(json.dumps(mapping, sort_keys=True).encode()).hexdigest()[:12]


def _compare_position(game: Game, r: GameRecord, s: Record, number: int) -> None:
    if r.positions and r.positions[number] != _digest(game, s):
        after = f"after move {number} ({one_line(r.actions[number - 1])})" if number else "at the start"
        raise RecordError(f"{after} the position is not the recorded one{_versions(r)}")


def _returns(game: Game, s: Record, forfeit: int | None) -> tuple[float, ...]:
    if forfeit is not None:
        if s.to_move == NOBODY or s.to_move != forfeit:
            raise ValueError(f"forfeit must be the seat to move after the last action, not {shown(forfeit)}")
        return forfeit_returns(game, forfeit)
    out = np.zeros(game.num_players, np.float32)
    game.returns(s, out)
    return tuple(map(float, out))


def _end_reason(game: Game, s: Record) -> str | None:
    reason = game.state_to_dict(s).get("end_reason")
    return None if reason is None else str(reason)


def _versions(r: GameRecord) -> str:
    """Return a note on different versions for an error message, "" for equal ones."""
    here = VERSION
    return "" if r.spygames == here else f" (recorded with spygames {one_line(r.spygames, 40)}, this is {here})"


_EXAMPLE = 'each line must be a game as spygames record writes it: {"game": "agent_avenue_v0", "options": {...}, ...}'


def _read(line: str, where: str) -> RecordedLine:
    try:
        found = content = json.loads(line)
    except (ValueError, RecursionError) as error:  # RecursionError: deeply nested lists
        raise RecordError(f"{where}: not JSON: {one_line(error)}") from error
    try:
        if "\\u" in line or not line.isascii():  # otherwise it has no lone surrogate
            json.dumps(content, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError) as error:  # no page or file could hold such a text
        raise RecordError(f"{where}: a text is not valid Unicode: {one_line(error)}") from error
    if not isinstance(found, dict):
        raise RecordError(f"{where}: a record must be a mapping, not {type(found).__name__}")
    if {"seats", "game"} <= set(found):  # the transcript of a language model
        found = found["game"]
        if not isinstance(found, dict):
            raise RecordError(f"{where}: the transcript has no game to replay: its first decisions are not known")
    names = [f.name for f in fields(GameRecord)]
    if wrong := set(names) ^ {*found, "forfeit"}:
        missing = [name for name in names if name in wrong]
        what = f"{shown((missing or sorted(wrong))[0])} is {'missing' if missing else 'unknown'}"
        raise RecordError(f"{where}: not a game record (key {what}); {_EXAMPLE}")
    for key, (kind, what) in _FORM.items():
        if key in found and not kind(found[key]):
            raise RecordError(f"{where}: {key} must be {what}, not {shown(found[key])}")
    values: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in found.items()}
    if values["seed"] is not None:
        values["seed"] = read_uint64(values["seed"])
    return RecordedLine(GameRecord(**values), content, where)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


_FORM = {
    "game": (lambda v: isinstance(v, str), "text"),
    "options": (lambda v: isinstance(v, dict), "a mapping"),
    "seed": (
        lambda v: v is None or read_uint64(v) is not None,
        "an integer 0..2^64-1, as text from 2^53 on, or null",
    ),
    "state": (lambda v: v is None or isinstance(v, dict), "a mapping or null"),
    "actions": (_is_texts, "a list of texts"),
    "returns": (lambda v: isinstance(v, list) and all(map(_is_number, v)), "a list of numbers"),
    "end_reason": (lambda v: v is None or isinstance(v, str), "text or null"),
    "positions": (_is_texts, "a list of texts"),
    "players": (_is_texts, "a list of texts"),
    "spygames": (lambda v: isinstance(v, str), "text"),
    "forfeit": (lambda v: v is None or is_count(v), "the number of a seat or null"),
}
"""For each key of a line: a check of its value, and the correct form for an error message. `forfeit` may be missing."""
