"""Options of a game: a frozen dataclass with one row per option, which gives its meaning and allowed values.

The signature and help of `make_game`, the checks of values and `Game.options` are derived from the rows.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache, wraps
from typing import Annotated, Any, Literal, ParamSpec, Self, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

from spygames.core.basics.text import shown
from spygames.core.game.game import Game
from spygames.core.game.layout import NONE, Layout, dtype
from spygames.core.game.padding import PADDING
from spygames.core.game.validation import choice

P = ParamSpec("P")
G = TypeVar("G")
O = TypeVar("O", bound="GameOptions")  # noqa: E741


@dataclass(frozen=True)
class GameOptions:
    """Base class of a game's options: each row has a type, allowed values, a meaning and a default.

    >>> from typing import Annotated
    >>> @dataclass(frozen=True)
    ... class Settings(GameOptions):
    ...     players: Annotated[int, range(2, 5), "2, 3 or 4"] = 2
    ...     mode: Annotated[Literal["short", "long"], "the length of a game"] = "short"
    >>> Settings(players=3).mapping
    {'players': 3, 'mode': 'short'}
    >>> Settings(players=5)
    Traceback (most recent call last):
    ValueError: players must be one of 2, 3, 4, not 5

    The allowed values may be a function of the options (`seat_or_random`). For a Literal or a bool they follow from
    the type.
    """

    def __post_init__(self) -> None:
        for name, (_, allowed) in _rows(type(self)).items():
            if values := allowed(self) if callable(allowed) else allowed:
                self._set(name, choice(name, getattr(self, name), values))

    @classmethod
    def of(cls, game: Game) -> Self:
        """Return the options that a game was made with."""
        options = _options_of(cls, game)
        assert isinstance(options, cls)
        return options

    def _set(self, name: str, value: object) -> None:
        """Set an option to a checked value, although the dataclass is frozen."""
        object.__setattr__(self, name, value)

    @property
    def mapping(self) -> dict[str, Any]:
        """The options by name, as JSON values. Options that do not apply to the variant are None and left out."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@cache
def _options_of(kind: type[GameOptions], game: Game) -> GameOptions:
    return kind(**game.options)


def seat_or_random(options: Any) -> tuple[int | str, ...]:
    """Return the allowed values of `first_player`: each seat, and "random"."""
    return (*range(options.players), "random")


def packed(layout: type[Layout], options: GameOptions, **derived: Any) -> np.ndarray:
    """Return the options as one OPTIONS record, [1], for the field `packed` of a `Game`.

    >>> from spygames.authoring import flag, int8
    >>> class Options(Layout):
    ...     players = int8(2, 4, "2, 3 or 4")
    ...     long = flag("whether the game is a long one")
    >>> from typing import Annotated
    >>> @dataclass(frozen=True)
    ... class Settings(GameOptions):
    ...     players: Annotated[int, range(2, 5), "2, 3 or 4"] = 2
    ...     mode: Annotated[Literal["short", "long"], "the length of a game"] = "short"
    >>> given = Settings(mode="long")
    >>> packed(Options, given, long=given.mode == "long").tolist()
    [(2, 1)]

    Args:
        layout: the table of OPTIONS.
        options: the values of fields with the same name; "random" becomes NONE.
        derived: the values of the other fields.
    """
    made = np.zeros(1, dtype(layout))
    for name in made.dtype.names or ():
        if name != PADDING:
            value = derived[name] if name in derived else getattr(options, name)
            made[name] = NONE if isinstance(value, str) and value == "random" else value
    return made


def maker(options: Callable[P, O], make: Callable[[O], G]) -> Callable[P, G]:
    """Return `make_game`, which takes the options of the dataclass `options` and passes them to `make`.

    `make_game` belongs to the module of `make`. Its signature, help and errors are derived from the rows of `options`.

    >>> from typing import Annotated
    >>> @dataclass(frozen=True)
    ... class Settings(GameOptions):
    ...     players: Annotated[int, range(2, 5), "2, 3 or 4"] = 2
    >>> def made(given: Settings) -> str:  # a real one returns a Game
    ...     return f"a game for {given.players}"
    >>> make_game = maker(Settings, made)
    >>> make_game(players=4)
    'a game for 4'

    Raises:
        ValueError: `make_game` got an invalid value of an option.
    """
    table = options
    assert isinstance(table, type)

    @wraps(make)
    def make_game(*args: P.args, **given: P.kwargs) -> G:
        return make(options(*args, **given))

    hints = get_type_hints(table)
    parameters = inspect.signature(table).parameters
    # For errors about unknown arguments, and for editors, notebooks and `help`.
    cast(Any, table.__init__).__qualname__ = make_game.__name__ = make_game.__qualname__ = "make_game"
    result = get_type_hints(make)["return"]
    make_game.__annotations__ = {**{name: hints[name] for name in parameters}, "return": result}
    shown = [each.replace(annotation=hints[name]) for name, each in parameters.items()]
    vars(make_game)["__signature__"] = inspect.Signature(shown, return_annotation=result)
    lines = [f"    {name}: {meaning}." for name, (meaning, _) in _rows(table).items()]
    raises = "Raises:\n    ValueError: the value of an option is invalid."
    make_game.__doc__ = "\n".join(["Make the game with these options.", "", "Args:", *lines, "", raises])
    return make_game


def rows(options: type[GameOptions]) -> list[tuple[str, str, str]]:
    """Return the name, meaning and default of each option, for a README."""
    return [(each.name, _rows(options)[each.name][0], _json(each.default)) for each in fields(options)]


def _json(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


Allowed = Sequence[Any] | Callable[[Any], Sequence[Any]]


def _rows(options: type[GameOptions]) -> dict[str, tuple[str, Allowed]]:
    """Return the meaning and the allowed values of each option; () if the game checks the option itself."""
    found = {}
    for name, hint in get_type_hints(options, include_extras=True).items():
        kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
        meaning = next((note for note in notes if isinstance(note, str)), None)
        if meaning is None:
            raise ValueError(
                f"{options.__name__}.{name} must have a type, allowed values and a meaning, such as "
                f'Annotated[int, range(2, 5), "2, 3 or 4"], not {shown(hint)}'
            )
        allowed = next((note for note in notes if not isinstance(note, str)), None)
        found[name] = meaning, _values(kind) if allowed is None else allowed
    return found


def _values(kind: object) -> tuple[Any, ...]:
    """Return the values of a bool or Literal type; () for other types."""
    if kind is bool:
        return False, True
    if get_origin(kind) is Literal:
        return get_args(kind)
    return ()
