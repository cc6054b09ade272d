"""What a game is: three record layouts, seven kernels, its texts and its bots. Consumers take a `Game`, no more.

Letters used for shapes everywhere: n games, P seats, A actions, F view features.
"""

import importlib
import json
import pickle
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

import numpy as np

from spygames.core.basics.json_numbers import read_uint64
from spygames.core.basics.text import one_line, shown
from spygames.core.compiling.digest import code_digest
from spygames.core.compiling.kernel import Int, Record, bind
from spygames.core.game.belief_targets import Questions
from spygames.core.game.fields import NamedRecord, named
from spygames.core.svg.annotations import Draw

__all__ = ["NOBODY", "Bot", "Game", "IllegalAction", "ImpossibleState", "Texts", "as_record", "flat"]

V = TypeVar("V")
"""VIEW as a type checker sees it: the class `View` of a game's `layout.py`, or Record."""

NOBODY = -1
"""The seat to move in a game that is over; the sentinel of every other "none" in states, too."""


KERNELS = ("init", "legal", "apply", "returns", "observe", "determinize")
"""The fields of a Game that loops are made from."""


class IllegalAction(ValueError):
    """An action that is malformed or not legal now. The game is as it was and can go on."""


class ImpossibleState(ValueError):
    """A state mapping that no game can reach or that is malformed; the message names the key and what is right."""


Bot = Callable[[Record, np.ndarray, np.ndarray], Int]
"""A scripted player: (view, mask int8 [A], rng) -> action, a kernel. `rng` is one uint64 in an array [1], which the
bot advances as it likes (`spygames.authoring.uniform`). It sees no state, so it cannot cheat."""


@dataclass(frozen=True)
class Texts:
    """What people and files read: functions of a game, which `Game` has as methods, `game.to_text(s, viewer)`."""

    action_to_string: Callable[["Game", Record, int, int], str]
    """(game, state, action, seat): the absolute text of an action of that seat."""
    string_to_action: Callable[["Game", Record, str, int], int]
    """Its inverse; ValueError for a text that is no action of this game."""
    state_to_dict: Callable[["Game", Record], dict[str, Any]]
    """(game, state): the state as a mapping of plain JSON values, `rng` and `record` included. `rng` is a number;
    `Game.state_to_dict` makes it a text, and `Game.state_from_dict` reads either and passes a number on."""
    state_from_dict: Callable[["Game", Mapping[str, Any], Record], None]
    """(game, mapping, state): writes the mapping into a zeroed state; raises ImpossibleState."""
    to_text: Callable[["Game", Record, int], str]
    """(game, state, viewer): a drawing for people of what that seat may know; NOBODY sees everything."""
    seen_to_dict: Callable[["Game", Record, int], dict[str, Any]] | None = None
    """(game, state, viewer): the mapping of `state_to_dict` without `rng` and `record` and with all that the viewer
    cannot know as counts or "?"; NOBODY sees everything. None: the text of `to_text` under the key "text"."""
    seen_action: Callable[["Game", Record, int, int, int], str] | None = None
    """(game, state, action, seat, viewer): what the viewer sees happen when `seat` acts in `state`, the state before;
    what everybody sees afterwards is told, and what the viewer cannot tell apart then has one text. None: others see
    that the seat has moved."""
    draw: Draw | None = None
    """(pen, seen, look): the picture of what `seen_to_dict` returned. None: its text on a panel."""


@dataclass(frozen=True, eq=False)
class Game(Generic[V]):
    """One variant of a game: the options are fixed, everything else follows. Equal ones share their compiled code."""

    name: str
    """Folder name, as `agent_avenue`."""
    version: int
    """Rises when a change of rules changes results."""
    options: Mapping[str, Any]
    """Every option with its value, JSON-able: what identifies the variant."""
    packed: np.ndarray
    """The same as one OPTIONS record, [1]: what `init` takes."""
    num_players: int
    """P"""
    num_actions: int
    """A"""
    state_dtype: np.dtype
    """STATE: what is true. Fields `rng` (uint64) and `to_move` (seat or NOBODY) are in every game."""
    view_dtype: np.dtype
    """VIEW: what one seat may know; float32 fields only."""
    init: Callable[[Record, Record, np.uint64], None]
    """(state, options, seed): a fresh game at its first decision. The state is zeroed before."""
    legal: Callable[[Record, np.ndarray], None]
    """(state, mask int8 [A]): writes 1 for what the seat to move may do, else 0; all zero when over."""
    apply: Callable[[Record, int], None]
    """(state, action): one legal decision and all chance up to the next. Trusts its caller."""
    returns: Callable[[Record, np.ndarray], None]
    """(state, out float32 [P]): the result per seat; all zero while the game goes on."""
    observe: Callable[[Record, int, V], None]
    """(state, seat, view): writes every field of the view from what that seat may know."""
    determinize: Callable[[Record, int, np.uint64], None]
    """(state, seat, seed): redraws all that seat cannot know, uniformly among what its view allows, future chance
    included. The result depends on the view and the seed alone, not on what was true."""
    texts: Texts
    """Its actions, states and drawings as text."""
    bots: Mapping[str, Bot]
    """Scripted players by name; `random` is always there."""
    module: ModuleType = field(repr=False)
    """The rules module: it or its package has the `make_game` that makes the game again in another process."""
    truncated: Callable[[Record], bool] | None = None
    """(state): whether a game that is over was cut off, without a result; None where that cannot happen."""
    teams: tuple[int, ...] = ()
    """The team of each seat, from 0, [P]: its members win and lose together. Empty: every seat plays for itself."""
    lowest_return: float = -1.0
    """A bound that no result is below; the result of a seat whose illegal action loses the game."""
    is_known: Callable[[Record, Record, np.ndarray], bool] | None = None
    """(state, options, mask int8 [A]): whether the mapping of a state of any bytes reads back as the same bytes; it
    may change state and mask. None: `is_possible` goes through the mapping, which takes a hundred times as long."""
    rewind: Callable[[Record, Record, Int, Int, np.ndarray], Int] | None = None
    """(state, past, seat, action, rng uint64 [1]) -> action: turns `state` into that of an earlier decision of `seat`,
    so that it would now be as it is. It is called for a world that was redrawn (`determinize`) and from the newest
    decision of the seat to the oldest, each time on what the last call left. `past` is what was true at that decision
    and `action` what the seat did: only what is public of them now may be read. What the seat alone knew is undone in
    `state`, by luck from `rng` where it may have been in several ways, each as likely as `determinize` has it; what it
    returns is `action` with its hidden part as in this world, where it is legal, or IMPOSSIBLE or TELLS_NOTHING
    (`rewinding.py`). Afterwards only what `seat` may know of `state` counts, and before only what it knew: of two
    worlds that `seat` cannot tell apart it makes the same. So the rewound state is right for the VIEW and the mask of
    `seat` alone. Other hands and decks are not as they were, `seen_to_dict` and `state_to_dict` of it mean nothing, and
    it cannot be played on. None: the game cannot be rewound, and a search takes all worlds for equally likely."""
    ways: Callable[[Record, Record, Int, Int, Int], float] | None = None
    """(state, now, viewer, seat, action) -> the number of ways in which `seat` could have done `action` in a rewound
    `state`, float above 0; `action` is what `rewind` returned.

    `determinize` deals card by card, so a hand is drawn as often as there are ways to deal it, while an action names a
    card of which the hand may have several copies. With a copy chosen at random for each action, a world with its way
    back is one history of cards, and the probability of a history is that of its deal, the same for all, times
    P(action) / copies for each decision. So a search divides P(action) by this number. Where `viewer` knows some cards
    of the hand, it is whatever makes redrawn worlds after the decision count as often as those before it, up to a
    factor that is the same in all worlds.

    The world was drawn for `viewer` from `now`. Only what is public of `now`, and what `viewer` and `seat` may know of
    `state`, may be read. None: always 1."""
    rewind_within: str = ""
    """A public field of STATE, such as the number of the round: `rewind` reaches no decision at which it had another
    value. Such a one tells nothing of what is hidden now, but still who sits there. Empty: it reaches all of a game."""
    determinize_stratum: Callable[[Record, Int, np.uint64, Int], Int] | None = None
    """(state, seat, seed, stratum) -> strata: as `determinize`, but the part of what is hidden of which a search is to
    look at all possibilities is that with the number `stratum`, from 0 on modulo `strata`, how many there are; all of
    them are alike likely. None: there is no such part."""
    worlds_version: int = 1
    """Of `determinize`, `determinize_stratum`, `rewind` and `ways` together: raised when they draw, rewind or count
    otherwise than before. It is part of the digest of a search, which then decides otherwise (`player_digest`)."""
    questions: Questions | None = None
    """What a network may learn to believe about what is hidden. None: nothing is asked."""
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For networks that look at things one by one: a kind of thing and the fields of VIEW that tell of each. The first
    axis of the first field says how many there are; each other field has an axis of that length, the first such one."""
    view_ranges: Mapping[str, tuple[float, float]] | None = None
    """The lowest and highest value of each field of VIEW, in any position, that is not from 0 to 1; a variant may lack
    some of these. The bounds of observation spaces follow from it. None: nothing is known of any field."""

    def __post_init__(self) -> None:
        """ValueError that names the field where a layout is not as kernels and networks read it or a bot is missing."""
        if problem := _wrong_state(self.state_dtype) or _wrong_view(self.view_dtype):
            raise ValueError(f"{self.id}: {problem}")
        if "random" not in self.bots:
            raise ValueError(
                f"{self.id}: bots must have 'random' (spygames.authoring.random_bot), not only {[*self.bots]}"
            )
        if self.rewind_within and self.rewind_within not in (self.state_dtype.names or ()):
            raise ValueError(f"{self.id}: rewind_within must be a field of STATE, not {shown(self.rewind_within)}")
        for name in ("state_dtype", "view_dtype"):
            object.__setattr__(self, name, named(getattr(self, name)))
        object.__setattr__(self, "packed", self.packed.view(named(self.packed.dtype)))

    def __repr__(self) -> str:
        return f"Game({self.title})"

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self  # nothing in it changes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the module that makes it, its options, and what is not as made there: further bots, say.

        PicklingError for what differs and cannot be pickled, as a function that cannot be imported.
        """
        where = reference(self)
        made = _values(load(where))
        changed = {name: value for name, value in _values(self).items() if not _same(value, made[name])}
        for name, value in changed.items():
            try:
                pickle.dumps(value)
            except Exception as error:
                raise pickle.PicklingError(f"the {name} of {self.id} cannot be pickled: {one_line(error)}") from error
        return (_load_changed, (where, changed)) if changed else (load, (where,))

    @property
    def id(self) -> str:
        """As in `spygames.make_batch(id)`: `agent_avenue_v0`."""
        return f"{self.name}_v{self.version}"

    @cached_property
    def title(self) -> str:
        """The variant on one line: `agent_avenue_v0, mode=simple, players=2`."""
        return ", ".join([self.id, *(f"{name}={value!s:.40}" for name, value in self.options.items())])

    @property
    def side_of(self) -> tuple[int, ...]:
        """The side of each seat, [P]: its team, or the seat itself where every seat plays for itself."""
        return self.teams or tuple(range(self.num_players))

    @property
    def num_sides(self) -> int:
        """K, how many play against each other."""
        return max(self.side_of) + 1

    @property
    def num_features(self) -> int:
        """F, the length of a view read as one float32 vector."""
        return self.view_dtype.itemsize // 4

    def feature_ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and the highest value of each feature, float32 [F] each, by `view_ranges`; infinities without."""
        low, high = self.new_views(), self.new_views()
        for name in self.view_dtype.names or ():
            unknown = (-np.inf, np.inf) if self.view_ranges is None else (0.0, 1.0)
            low[name], high[name] = (self.view_ranges or {}).get(name, unknown)
        return flat(low)[0], flat(high)[0]

    @cached_property
    def digest(self) -> str:
        """Digest of the code of the rules: of the kernels but for the bots, of all that they reach, of the layouts."""
        return code_digest(self.name, self.state_dtype, self.view_dtype, self.truncated, *self._kernels.values())

    @cached_property
    def _key(self) -> tuple[object, ...]:
        kernels, bots = tuple(self._kernels.values()), tuple(self.bots.items())
        hidden = (self.rewind, self.ways, self.determinize_stratum, self.questions)
        return (self.id, json.dumps(dict(self.options), sort_keys=True), self.view_dtype, kernels, bots, *hidden)

    @cached_property
    def _judge(self) -> Callable[[np.ndarray, np.ndarray, np.ndarray], bool]:
        """`is_known` of the bytes of a state, OPTIONS [1] and a mask."""
        return self.bind(_judge, is_known=self.is_known)

    @property
    def _kernels(self) -> dict[str, Callable[..., Any]]:
        return {name: getattr(self, name) for name in KERNELS}

    def bind(self, loop: Callable[..., Any], **names: object) -> Callable[..., Any]:
        """A compiled copy of `loop` in which the globals named as in KERNELS stand for this game's, STATE and VIEW for
        its dtypes, and `names` for more."""
        return bind(loop, self.id, self.title, STATE=self.state_dtype, VIEW=self.view_dtype, **self._kernels, **names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def layout(self) -> dict[str, Any]:
        """What a network that reads views and writes actions depends on: fields with shapes, and action count."""
        fields = {n: list(self.view_dtype[n].shape) for n in self.view_dtype.names or ()}
        return {"observation": fields, "num_actions": self.num_actions}

    def action_to_string(self, s: Record, action: int, seat: int) -> str:
        """The absolute text of an action (0..A-1) of `seat` in state `s`."""
        return self.texts.action_to_string(self, s, action, seat)

    def string_to_action(self, s: Record, text: str, seat: int) -> int:
        """The inverse of `action_to_string`; ValueError for a text that is no action of this game."""
        return self.texts.string_to_action(self, s, text, seat)

    def state_to_dict(self, s: Record) -> dict[str, Any]:
        """State `s` as a mapping of plain JSON values, `rng` and `record` included.

        `rng`, which goes up to 2^64 - 1, is a text: programs whose numbers are doubles would round it.
        """
        mapping = self.texts.state_to_dict(self, s)
        rng = read_uint64(mapping.get("rng"))
        return mapping if rng is None else {**mapping, "rng": str(rng)}

    def state_from_dict(self, mapping: Mapping[str, Any], s: Record) -> None:
        """Writes the mapping into the zeroed state `s`; ImpossibleState says what is wrong with it.

        `rng` may be a number, too; then it must not have been rounded on its way.
        """
        if isinstance(mapping, Mapping) and "rng" in mapping:
            rng = read_uint64(mapping["rng"])
            if rng is None:
                text = "rng must be a whole number from 0 to 2**64 - 1, written as a text such as '7'"
                raise ImpossibleState(f"{text}, not {shown(mapping['rng'])}")
            mapping = {**mapping, "rng": rng}
        self.texts.state_from_dict(self, mapping, s)

    def to_text(self, s: Record, viewer: int) -> str:
        """A drawing for people of what seat `viewer` may know of state `s`; NOBODY sees everything."""
        return self.texts.to_text(self, s, viewer)

    def seen_to_dict(self, s: Record, viewer: int) -> dict[str, Any]:
        """What seat `viewer` may know of state `s`, as plain JSON values; NOBODY (-1) sees everything but `rng`.

        It has the keys of `state_to_dict`, with counts or "?" in place of what is hidden.
        """
        if self.texts.seen_to_dict is None:
            return {"text": self.to_text(s, viewer)}
        return self.texts.seen_to_dict(self, s, viewer)

    def seen_action(self, s: Record, action: int, seat: int, viewer: int) -> str:
        """What seat `viewer` sees happen when `seat` takes an action (0..A-1) in state `s`, the state before it.

        What everybody sees afterwards is told: which of two cards was taken, say, once both lie open. Actions of others
        that the viewer cannot tell apart then have one text: "player_1 offers enforcer and a hidden card". NOBODY (-1)
        sees everything.
        """
        if self.texts.seen_action is not None:
            return self.texts.seen_action(self, s, action, seat, viewer)
        if viewer in (seat, NOBODY):
            return f"player_{seat}: {self.action_to_string(s, action, seat)}"
        return f"player_{seat} has moved"

    def new_states(self, n: int = 1) -> np.ndarray:
        """`n` blank (all zero) states, structured array [n]."""
        return np.zeros(n, self.state_dtype)

    def new_views(self, n: int = 1) -> np.ndarray:
        """`n` blank views, structured array [n]; `flat` reads them as the network does."""
        return np.zeros(n, self.view_dtype)

    def is_possible(self, states: np.ndarray) -> bool:
        """Whether the game knows the position in `states` [1]: its mapping reads back as the same bytes."""
        if self.is_known is not None:
            mask = np.empty(self.num_actions, np.int8)
            return bool(self._judge(states.view(np.uint8).copy(), self.packed, mask))
        again = self.new_states()
        try:
            self.state_from_dict(self.state_to_dict(as_record(states)), as_record(again))
        except (ValueError, LookupError, TypeError, OverflowError):
            return False
        return again.tobytes() == states.tobytes()

    def start(self, seed: int) -> np.ndarray:
        """A fresh game from `seed` (0..2^64-1), structured array [1]."""
        states = self.new_states()
        self.init(as_record(states), as_record(self.packed), np.uint64(seed))
        return states


# Stand for the kernel and the layout of a game, which `Game._judge` puts in their place.
is_known: Any = None
STATE: Any = None


def _judge(raw, options, mask):  # type: ignore[no-untyped-def]
    return is_known(raw.view(STATE)[0], options[0], mask)


Reference = tuple[str, str]
"""What finds a game again in another process: the module that makes it, and its options as JSON."""


def reference(game: Game) -> Reference:
    """Where `load` finds `game` again: the module of its rules or the package around that has the `make_game`."""
    for name in (game.module.__name__, game.module.__package__):
        if name and hasattr(sys.modules.get(name), "make_game"):
            return name, json.dumps(dict(game.options))
    raise ValueError(f"{game.id} has no make_game in {game.module.__name__} or its package, so it cannot be pickled")


@cache
def load(where: Reference) -> Game:
    """The game that `reference` described; the same object each time."""
    module, options = where
    return importlib.import_module(module).make_game(**json.loads(options))


def _wrong_state(dtype: np.dtype) -> str | None:
    """What is wrong with a STATE; None if nothing is."""
    if dtype.names is None or "rng" not in dtype.names or dtype["rng"] != np.uint64:
        return "STATE must have a field 'rng', one uint64: the random stream of chance"
    if "to_move" not in dtype.names or dtype["to_move"].kind != "i":
        return "STATE must have a field 'to_move', one signed integer such as int8: the seat to move, -1 when over"
    return None


def _wrong_view(dtype: np.dtype) -> str | None:
    """What is wrong with a VIEW; None if nothing is."""
    if not dtype.names:
        return "VIEW must have fields"
    end = 0
    for name in dtype.names:
        each, offset = cast(Any, dtype.fields)[name][:2]
        if each.base != np.float32:
            return f"field {name!r} of VIEW must be float32, not {each.base}: networks read a view as one vector"
        if offset != end:
            return f"field {name!r} of VIEW must follow the one before it, without padding or overlap"
        end += each.itemsize
    return None if end == dtype.itemsize else f"VIEW must end with its last field, {dtype.names[-1]!r}, without padding"


def _same(a: Any, b: Any) -> bool:
    """Whether two values of one field of a Game are alike, kernels by what they are compiled from."""
    if a is b:
        return True
    if callable(a) and callable(b):
        names = [(f.__module__, f.__qualname__) if hasattr(f, "__qualname__") else None for f in (a, b)]
        return names[0] == names[1] and code_digest(a) == code_digest(b)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.tobytes() == b.tobytes()
    return bool(a == b)


def _values(game: Game) -> dict[str, Any]:
    """What a game consists of, by the name of the field, each text function by its own name; without the module."""
    parts = [(game, each.name) for each in fields(game) if each.name not in ("module", "texts")]
    return {name: getattr(part, name) for part, name in [*parts, *((game.texts, f.name) for f in fields(Texts))]}


def _load_changed(where: Reference, changed: Mapping[str, Any]) -> Game:
    """The game that pickling has left of one that differs from what its module makes."""
    game, names = load(where), {each.name for each in fields(Texts)}
    texts = replace(game.texts, **{name: value for name, value in changed.items() if name in names})
    return replace(game, texts=texts, **{name: value for name, value in changed.items() if name not in names})


def as_record(array: np.ndarray, index: int = 0) -> Record:
    """Element `index` of a structured array as a record that kernels write in place."""
    return (array if array.dtype.type is NamedRecord else array.view(named(array.dtype)))[index]


def flat(views: np.ndarray) -> np.ndarray:
    """Views [n] as float32 [n, F]: the same memory."""
    return views.view(np.float32).reshape(len(views), -1)
