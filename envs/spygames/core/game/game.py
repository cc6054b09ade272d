"""The class `Game`: three record layouts, kernels, texts and bots. Everything else in the package works with a `Game`.

Letters in shapes, here and everywhere: n games, P seats, A actions, F view features.
"""

import importlib
import json
import pickle
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from types import ModuleType
from typing import Any, Generic, TypeVar, cast

import numpy as np

from spygames.core.basics.json_numbers import read_uint64
from spygames.core.basics.text import one_line, shown
from spygames.core.basics.whole_numbers import whole
from spygames.core.compiling.digest import code_digest
from spygames.core.compiling.kernel import Int, Record, bind, is_kernel
from spygames.core.game.belief_targets import Questions
from spygames.core.game.fields import NamedRecord, named
from spygames.core.game.rng import given_seed
from spygames.core.game.rulebook import Reason, RuleSection, default_rules
from spygames.core.game.seen import PARTS, Event, Part
from spygames.core.svg.annotations import Draw

__all__ = ["NOBODY", "Bot", "Game", "IllegalAction", "ImpossibleState", "Texts", "as_record", "flat"]

V = TypeVar("V")
"""The type of VIEW for type checkers: the class `View` of a game's `layout.py`, or Record."""

NOBODY = -1
"""The value of `to_move` when the game is over. States also use it for any other "none"."""


KERNELS = ("init", "legal", "apply", "returns", "observe", "determinize")
"""The fields of a Game that `Game.bind` puts into loops."""
OPTIONAL_KERNELS = ("truncated", "is_known", "rewind", "ways", "determinize_stratum")
"""The other fields that are kernels, or None."""


class IllegalAction(ValueError):
    """The action is malformed or not legal now. The game has not changed and can continue."""


class ImpossibleState(ValueError):
    """The mapping of a state is malformed, or no game can reach it. The message names the key and the right values."""


Bot = Callable[[Record, np.ndarray, np.ndarray], Int]
"""A scripted player: a kernel (view, mask int8 [A], rng uint64 [1]) -> action.

The bot may advance its random stream `rng` at will (`spygames.authoring.uniform`). It never gets the state, so it
cannot see hidden information.
"""


@dataclass(frozen=True)
class Texts:
    """The texts, mappings and pictures of a game. `Game` has them as methods, such as `game.to_text(s, viewer)`."""

    action_to_string: Callable[["Game", Record, int, int], str]
    """(game, state, action, seat): return the text of an action of `seat`, which is the same for every viewer."""
    string_to_action: Callable[["Game", Record, str, int], int]
    """(game, state, text, seat): the inverse of `action_to_string`; ValueError for a text that is not an action of this
    game."""
    state_to_dict: Callable[["Game", Record], dict[str, Any]]
    """(game, state): return the state as a mapping of plain JSON values, with `rng` and `record`. `rng` is an integer
    here; `Game.state_to_dict` converts it to a text."""
    state_from_dict: Callable[["Game", Mapping[str, Any], Record], None]
    """(game, mapping, state): write the mapping into a zeroed state, or raise ImpossibleState. `rng` is an integer
    here; `Game.state_from_dict` converts it from a text."""
    to_text: Callable[["Game", Record, int], str]
    """(game, state, viewer): return a human-readable drawing of what `viewer` may know; NOBODY sees everything."""
    seen_to_dict: Callable[["Game", Record, int], dict[str, Any]] | None = None
    """(game, state, viewer): return the mapping of `state_to_dict` as `viewer` sees it, without `rng` and `record`.
    Whatever the viewer cannot know is replaced by counts or "?". NOBODY sees everything. None: the mapping has one key,
    "text", with the result of `to_text`."""
    seen_action: Callable[["Game", Record, int, int, int], str] | None = None
    """(game, state, action, seat, viewer): return what `viewer` sees when `seat` acts in `state`, the state before the
    action. The text includes what everybody sees afterwards. Actions that the viewer still cannot tell apart must have
    the same text. None: the other seats only see that `seat` has moved."""
    draw: Draw | None = None
    """(pen, seen, look): draw a result of `seen_to_dict` as a picture. None: the text on a panel."""
    draw_portrait: Draw | None = None
    """The same on the canvas of 320 x 700 units, for phones: letters of at least 12 units, targets of at least 44.
    None: `draw`."""
    draw_compact: Draw | None = None
    """The same on the canvas of 400 x 300 units, for thumbnails and notebooks: few and large letters. None: `draw`."""
    headline: Callable[[Mapping[str, Any], int], str] | None = None
    """(seen, viewer): return the decision that is due, such as "You: play a card", or how the game ended, such as
    "player_1 wins: all pawns are home". `seen` is a result of `seen_to_dict` for this viewer. None: who is to move."""
    asks: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Questions for actions that people choose word by word: by the first word of the action, one for each later word,
    such as {"move": ("Which agent?", "How far?")} for "move red 3". First questions of different words are joined by
    "or"."""
    phrases: Mapping[str, str] = field(default_factory=dict)
    """Actions in words for people: by the text of an action, with {} for each word that varies, such as
    {"move {} {}": "move {} by {}"}. An action that is not listed has its own text."""
    short_rules: Callable[["Game"], Sequence[RuleSection]] | None = None
    """(game): return the rules of the variant in short sections for people and language models, at most 60 lines as
    text. None: the first paragraph of the docstring of the game's module."""
    describe: Callable[["Game", Mapping[str, Any], int], str] | None = None
    """(game, seen, viewer): return the position in sentences that address the seat `viewer` as "you". It is written
    from `seen`, the result of `seen_to_dict` for that seat, so it can reveal nothing else. None: `to_text`."""
    effects: Callable[["Game", Mapping[str, Any], Mapping[str, Any], int], str] | None = None
    """(game, before, after, viewer): return what changed by an action and the chance events after it, such as "you move
    +2 and lead by 3"; "" for nothing. Both mappings are results of `seen_to_dict` for the seat `viewer`. None: events
    have no effects."""
    why_not: Callable[["Game", Mapping[str, Any], str, int], Reason] | None = None
    """(game, seen, action, seat): return why `seat` may not take an action now, by the text of the action, which is not
    legal. It is written from `seen`, the result of `seen_to_dict` for that seat, so it can reveal nothing else. None:
    no reasons."""


@dataclass(frozen=True, eq=False)
class Game(Generic[V]):
    """One variant of a game, with fixed options. Equal games share their compiled code."""

    name: str
    """Folder name, such as `agent_avenue`."""
    version: int
    """Version of the rules, raised when a change of rules changes results."""
    options: Mapping[str, Any]
    """All options with their values, as JSON values. They identify the variant."""
    packed: np.ndarray
    """The options as one OPTIONS record, [1], as `init` takes them."""
    num_players: int
    """P"""
    num_actions: int
    """A"""
    state_dtype: np.dtype
    """STATE: the full state. Every game has the fields `rng` (uint64) and `to_move` (seat or NOBODY)."""
    view_dtype: np.dtype
    """VIEW: what one seat may know; float32 fields only."""
    init: Callable[[Record, Record, np.uint64], None]
    """(state, options, seed): start a game and proceed to its first decision. The caller zeroes the state before."""
    legal: Callable[[Record, np.ndarray], None]
    """(state, mask int8 [A]): write 1 for each legal action of the seat to move, else 0; all 0 after the end."""
    apply: Callable[[Record, int], None]
    """(state, action): apply one action, and all chance events up to the next decision. The action is not checked."""
    returns: Callable[[Record, np.ndarray], None]
    """(state, out float32 [P]): write the result of each seat; all 0 until the game is over."""
    observe: Callable[[Record, int, V], None]
    """(state, seat, view): write every field of the view, from what `seat` may know."""
    determinize: Callable[[Record, int, np.uint64], None]
    """(state, seat, seed): redraw everything that `seat` cannot know, including future chance, uniformly among what its
    view allows. The result must depend only on the view and the seed, not on the true state."""
    texts: Texts
    """Texts, mappings and pictures."""
    bots: Mapping[str, Bot]
    """Scripted players by name, always including `random`. List them weakest first: the page to play on takes the last
    one of a game of your own for the strongest."""
    module: ModuleType = field(repr=False)
    """The rules module. It, or its package, has the `make_game` that makes the game again in another process."""
    truncated: Callable[[Record], bool] | None = None
    """(state): whether a game that is over was cut off without a result. None: the game never is."""
    teams: tuple[int, ...] = ()
    """The team of each seat, from 0, [P]; its members win and lose together. Empty: every seat plays for itself."""
    lowest_return: float = -1.0
    """A lower bound of all results. A seat whose illegal action loses the game gets this result."""
    is_known: Callable[[Record, Record, np.ndarray], bool] | None = None
    """(state, options, mask int8 [A]): whether arbitrary bytes are a possible state, so that its mapping reads back as
    the same bytes. It may overwrite `state` and `mask`. None: `is_possible` goes through the mapping, which takes a
    hundred times as long."""
    rewind: Callable[[Record, Record, Int, Int, np.ndarray], Int] | None = None
    """(state, past, seat, action, rng uint64 [1]) -> action: rewind `state` to an earlier decision of `seat`,
    consistently with the present.

    - `state`: a world that `determinize` has redrawn; changed in place. The calls go from the newest decision of the
      seat to the oldest, each on the result of the previous call.
    - `past`: the true state at the earlier decision. The kernel may read only what is public of it now.
    - `action`: the action that the seat chose there. The kernel may read only what is public of it now.
    - Result: `action` with its hidden part as in this world, if that is legal, or else IMPOSSIBLE or TELLS_NOTHING
      (`rewinding.py`).

    The kernel undoes in `state` what the seat alone knew. If several pasts are possible, it draws one with `rng`, with
    the probability that `determinize` gives it.

    The result must depend only on what `seat` knows: worlds that `seat` cannot tell apart must have the same result, as
    far as `seat` may know it. Only the VIEW and the mask of `seat` are right in the rewound state. Other hands and
    decks are not as they were, its `seen_to_dict` and `state_to_dict` are meaningless, and the game cannot continue
    from it.

    None: the game cannot be rewound, and a search treats all worlds as equally likely."""
    ways: Callable[[Record, Record, Int, Int, Int], float] | None = None
    """(state, now, viewer, seat, action) -> float above 0: the number of ways in which `seat` could have done `action`
    in a rewound `state`.

    - `state`: a world that was drawn for `viewer` from `now` and rewound. The kernel may read only what `viewer` and
      `seat` may know of it.
    - `now`: the present state. The kernel may read only what is public of it.
    - `action`: the result of `rewind`.

    A search multiplies the weight of a world by P(action) and divides it by this number. The division corrects for
    `determinize`, which deals card by card and so draws a world in proportion to the number of ways to deal it. An
    action names a kind of card, and any copy of it in the hand may be the one that left. Worlds that are drawn after
    the decision are therefore too frequent by the number of these copies.

    If `viewer` knows some cards of the hand, return instead how many times as often `determinize` draws the world after
    the decision as before it. A factor that is the same in all worlds does not matter.

    None: always 1."""
    rewind_within: str = ""
    """A public field of STATE, such as the number of the round. `rewind` does not reach decisions at which this field
    had another value. They reveal nothing about what is hidden now, but a search still uses them as evidence about
    which player sits in the seat. Empty: `rewind` reaches the whole game."""
    determinize_stratum: Callable[[Record, Int, np.uint64, Int], Int] | None = None
    """(state, seat, seed, stratum) -> strata: determinize with a fixed stratum. One part of what is hidden has
    `strata` possibilities, all equally likely, which a search goes through. The kernel sets it to the possibility
    `stratum` modulo `strata`, and redraws the rest as `determinize` does. None: the game has no such part."""
    worlds_version: int = 1
    """Version of `determinize`, `determinize_stratum`, `rewind` and `ways` together, raised when one of them draws,
    rewinds or counts differently. It is part of the digest of a search (`player_digest`), since the search then decides
    differently."""
    questions: Questions | None = None
    """The belief targets: what a network can learn to predict about hidden information. None: the game has none."""
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For networks that process entities one by one: the fields of VIEW that describe each kind of entity. The first
    axis of the first field is the number of entities. Each other field has an axis of that length; the first such axis
    counts. It may name fields that the variant lacks."""
    extra_fields: tuple[str, ...] = ()
    """The last fields of VIEW, if another variant with the same rules has exactly the fields before them. A network
    that was trained for that variant plays this one, too, and does not read the extra fields."""
    view_ranges: Mapping[str, tuple[float, float]] | None = None
    """The lowest and highest value, over all positions, of each field of VIEW whose range is not 0 to 1. It may name
    fields that the variant lacks. Observation spaces have these bounds. None: no ranges are known."""
    view_parts: Mapping[str, Part] | None = None
    """For each field of VIEW which part of the observation it is: "public", if every seat can compute its value;
    "private", if only its seat can; "mixed", if it has public and private elements, or public facts in an order that
    only its seat knows. It may name fields that the variant lacks. None: not stated."""

    def __post_init__(self) -> None:
        """Check the fields; ValueError names the one that is wrong."""
        if problem := _wrong_type(self) or _wrong_state(self.state_dtype) or _wrong_view(self.view_dtype):
            raise ValueError(f"{self.id}: {problem}")
        if "random" not in self.bots:
            raise ValueError(
                f"{self.id}: bots must have 'random' (spygames.authoring.random_bot), not only {[*self.bots]}"
            )
        names = self.view_dtype.names or ()
        if self.extra_fields != names[len(names) - len(self.extra_fields) :]:
            raise ValueError(f"{self.id}: extra_fields must be the last fields of VIEW, not {shown(self.extra_fields)}")
        parts = self.view_parts
        if parts is not None and not set(parts.values()) <= set(PARTS):
            raise ValueError(f"{self.id}: view_parts must have values of {', '.join(PARTS)}, not {shown(parts)}")
        described = {name for group in self.entities.values() for name in group}
        if described and not described & {*names}:
            raise ValueError(f"{self.id}: entities must name fields of VIEW, not only {shown(sorted(described))}")
        if self.rewind_within and self.rewind_within not in (self.state_dtype.names or ()):
            raise ValueError(f"{self.id}: rewind_within must be a field of STATE, not {shown(self.rewind_within)}")
        for name in ("state_dtype", "view_dtype"):
            object.__setattr__(self, name, named(getattr(self, name)))
        object.__setattr__(self, "packed", self.packed.view(named(self.packed.dtype)))

    def __repr__(self) -> str:
        return f"Game({self.title})"

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self  # games are immutable

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name of the module that makes the game, its options, and all fields that were changed since.

        Raises:
            PicklingError: a changed field cannot be pickled, such as a function that cannot be imported.
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
        """The id of the game, such as `agent_avenue_v0`, as in `spygames.make_batch(id)`."""
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
        """K, the number of sides."""
        return max(self.side_of) + 1

    @property
    def num_features(self) -> int:
        """F, the length of a view read as one float32 vector."""
        return self.view_dtype.itemsize // 4

    def feature_ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the lowest and the highest value of each feature, float32 [F] each; infinite without `view_ranges`."""
        low, high = self.new_views(), self.new_views()
        for name in self.view_dtype.names or ():
            unknown = (-np.inf, np.inf) if self.view_ranges is None else (0.0, 1.0)
            low[name], high[name] = (self.view_ranges or {}).get(name, unknown)
        return flat(low)[0], flat(high)[0]

    @cached_property
    def digest(self) -> str:
        """Digest of the rules: the layouts, the kernels except for the bots, and all code that they reach."""
        return code_digest(self.name, self.state_dtype, self.view_dtype, self.truncated, *self._kernels.values())

    @cached_property
    def _key(self) -> tuple[object, ...]:
        kernels, bots = tuple(self._kernels.values()), tuple(self.bots.items())
        others = (self.truncated, self.rewind, self.ways, self.determinize_stratum, self.questions)
        return (self.id, json.dumps(dict(self.options), sort_keys=True), self.view_dtype, kernels, bots, *others)

    @cached_property
    def _judge(self) -> Callable[[np.ndarray, np.ndarray, np.ndarray], bool]:
        """`is_known` as a function of the bytes of a state, OPTIONS [1] and a mask."""
        return self.bind(_judge, is_known=self.is_known)

    @property
    def _kernels(self) -> dict[str, Callable[..., Any]]:
        return {name: getattr(self, name) for name in KERNELS}

    def bind(self, loop: Callable[..., Any], **names: object) -> Callable[..., Any]:
        """Return a compiled copy of `loop` for this game.

        In the copy, the globals named in KERNELS are this game's kernels, STATE and VIEW are its dtypes, and `names`
        replace further globals.

        Raises:
            ValueError: a function of the game is no kernel.
        """
        for name, value in {**self._kernels, **names}.items():
            if callable(value) and not is_kernel(value):
                called = getattr(value, "__qualname__", shown(value))
                raise ValueError(f"{self.id}: {name} must be a kernel: mark the function {called} with @kernel")
        return bind(loop, self.id, self.title, STATE=self.state_dtype, VIEW=self.view_dtype, **self._kernels, **names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def layout(self) -> dict[str, Any]:
        """The interface of networks: the fields of VIEW with their shapes, and the number of actions."""
        fields = {n: list(self.view_dtype[n].shape) for n in self.view_dtype.names or ()}
        return {"observation": fields, "num_actions": self.num_actions}

    def action_to_string(self, s: Record, action: int, seat: int) -> str:
        """Return the text of an action (0..A-1) of `seat` in state `s`, which is the same for every viewer.

        Raises:
            ValueError: there is no such action or seat. The other methods for texts raise it, too.
        """
        self._check(action=action, seat=seat)
        return self.texts.action_to_string(self, s, action, seat)

    def string_to_action(self, s: Record, text: str, seat: int) -> int:
        """Return the action of a text, as `action_to_string` writes it.

        Raises:
            ValueError: the text is not an action of this game.
        """
        self._check(seat=seat)
        return self.texts.string_to_action(self, s, text, seat)

    def state_to_dict(self, s: Record) -> dict[str, Any]:
        """Return state `s` as a mapping of plain JSON values, with `rng` and `record`.

        `rng`, an integer up to 2^64 - 1, is given as a text, since programs that use doubles would round it.
        """
        mapping = self.texts.state_to_dict(self, s)
        rng = read_uint64(mapping.get("rng"))
        return mapping if rng is None else {**mapping, "rng": str(rng)}

    def state_from_dict(self, mapping: Mapping[str, Any], s: Record) -> None:
        """Write the mapping of a state into the zeroed state `s`.

        `rng` may also be an integer, if no program has rounded it.

        Raises:
            ImpossibleState: the mapping is malformed, or no game can reach the state.
        """
        if isinstance(mapping, Mapping) and "rng" in mapping:
            rng = read_uint64(mapping["rng"])
            if rng is None:
                text = "rng must be an integer from 0 to 2**64 - 1, written as a text such as '7'"
                raise ImpossibleState(f"{text}, not {shown(mapping['rng'])}")
            mapping = {**mapping, "rng": rng}
        self.texts.state_from_dict(self, mapping, s)

    def to_text(self, s: Record, viewer: int) -> str:
        """Return a human-readable drawing of what seat `viewer` may know of state `s`; NOBODY (-1) sees everything."""
        self._check(viewer=viewer)
        return self.texts.to_text(self, s, viewer)

    def seen_to_dict(self, s: Record, viewer: int) -> dict[str, Any]:
        """Return what seat `viewer` may know of state `s`, as a mapping of plain JSON values.

        It has the keys of `state_to_dict` except `rng` and `record`, with counts or "?" in place of what is hidden.
        NOBODY (-1) sees everything else. A game without `Texts.seen_to_dict` returns only the key "text".
        """
        self._check(viewer=viewer)
        if self.texts.seen_to_dict is None:
            return {"text": self.to_text(s, viewer)}
        return self.texts.seen_to_dict(self, s, viewer)

    def seen_action(self, s: Record, action: int, seat: int, viewer: int) -> str:
        """Return what `viewer` sees when `seat` takes an action (0..A-1) in state `s`, the state before the action.

        The text includes what everybody sees afterwards, such as which of two cards was taken once both are open.
        Actions of other seats that the viewer still cannot tell apart have the same text: "player_1 offers enforcer and
        a hidden card". NOBODY (-1) sees everything.
        """
        self._check(action=action, seat=seat, viewer=viewer)
        if self.texts.seen_action is not None:
            return self.texts.seen_action(self, s, action, seat, viewer)
        if viewer in (seat, NOBODY):
            return f"player_{seat}: {self.action_to_string(s, action, seat)}"
        return f"player_{seat} has moved"

    def headline(self, s: Record, viewer: int) -> str:
        """Return the decision that is due in state `s`, or how the game ended, as one line for seat `viewer`.

        The viewer is called "You" and the other seats `player_0`, `player_1`, ...; with NOBODY (-1) all seats are.
        """
        self._check(viewer=viewer)
        if self.texts.headline is not None:
            return self.texts.headline(self.seen_to_dict(s, viewer), viewer)
        mover = int(s.to_move)
        if mover == NOBODY:
            return "The game is over"
        return "Your move" if mover == viewer else f"player_{mover} is to move"

    def short_rules(self) -> tuple[RuleSection, ...]:
        """Return the rules of this variant in short sections, for people and language models.

        `spygames.text.rules` returns them as one text. A game without `Texts.short_rules` returns the first paragraph
        of the docstring of its module.
        """
        if self.texts.short_rules is None:
            return default_rules(self.module.__doc__)
        return tuple(self.texts.short_rules(self))

    def why_not(self, s: Record, action: int, seat: int) -> Reason | None:
        """Return why `seat` may not take an action (0..A-1) in state `s`, and the rule that says so.

        The reason depends only on what the seat knows. None if the action is legal, and for a game without reasons.
        """
        self._check(action=action, seat=seat)
        if self.texts.why_not is None:
            return None
        if seat == s.to_move:
            mask = np.zeros(self.num_actions, np.int8)
            self.legal(s, mask)
            if mask[action]:
                return None
        text = self.action_to_string(s, action, seat)
        return self.texts.why_not(self, self.seen_to_dict(s, seat), text, seat)

    def describe(self, s: Record, viewer: int) -> str:
        """Return what seat `viewer` may know of state `s` in sentences that address it as "you".

        A game without `Texts.describe` returns `to_text`, as does every game for NOBODY.
        """
        self._check(viewer=viewer)
        if self.texts.describe is None or viewer == NOBODY:
            return self.to_text(s, viewer)
        return self.texts.describe(self, self.seen_to_dict(s, viewer), viewer)

    def happened(self, s: Record, action: int, seat: int, viewer: int) -> str:
        """Return what `viewer` sees when `seat` takes a legal action in state `s`, with its effects in parentheses.

        It is the text of `seen_action`, and what changed for `viewer` up to the next decision. A game without
        `Texts.effects`, and every game for NOBODY, has no effects.
        """
        return self.event(s, action, seat, viewer)["text"]

    def event(self, s: Record, action: int, seat: int, viewer: int, after: Record | None = None) -> Event:
        """Return what `viewer` sees when `seat` takes a legal action in state `s`, as a record of plain JSON values.

        Args:
            s: the state before the action; unchanged.
            action: 0..A-1.
            seat: the seat to move in `s`.
            viewer: the seat that sees the event; NOBODY (-1) sees everything, but no effects.
            after: the state at the next decision, if the caller has it; None plays the action in a copy of `s`.
        """
        seen, texts = self.seen_action(s, action, seat, viewer), self.texts
        before = {} if texts.seen_to_dict is None and texts.effects is None else self.seen_to_dict(s, viewer)
        phase, effects = before.get("phase"), ""
        if self.texts.effects is not None and viewer != NOBODY:
            if after is None:
                after = s.copy()
                self.apply(after, action)
            effects = self.texts.effects(self, before, self.seen_to_dict(after, viewer), viewer)
        knows = viewer in (seat, NOBODY)
        return {
            "agent": f"player_{seat}",
            "kind": phase if isinstance(phase, str) else "decision",
            "seen": seen,
            "effects": effects,
            "text": f"{seen} ({effects})" if effects else seen,
            "action": int(action) if knows else None,
            "action_text": self.action_to_string(s, action, seat) if knows else None,
        }

    def _check(self, action: int = 0, seat: int = 0, viewer: int = NOBODY) -> None:
        """Raise ValueError unless the game has that action and seat, and a viewer is a seat or NOBODY."""
        whole("action", action, 0, self.num_actions - 1)
        whole("seat", seat, 0, self.num_players - 1)
        whole("viewer", viewer, NOBODY, self.num_players - 1)

    def new_states(self, n: int = 1) -> np.ndarray:
        """Return `n` blank states (all zero), a structured array [n]."""
        return np.zeros(n, self.state_dtype)

    def new_views(self, n: int = 1) -> np.ndarray:
        """Return `n` blank views (all zero), a structured array [n]; `flat` converts them to float32 [n, F]."""
        return np.zeros(n, self.view_dtype)

    def is_possible(self, states: np.ndarray) -> bool:
        """Whether the position in `states` [1] is possible: its mapping reads back as the same bytes."""
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
        """Start a game from `seed`, 0..2^64-1, and return its state, a structured array [1].

        Raises:
            ValueError: the seed is something else.
        """
        states = self.new_states()
        self.init(as_record(states), as_record(self.packed), given_seed(seed))
        return states


# Placeholders for the kernel and the layout of a game; `Game._judge` replaces them.
is_known: Any = None
STATE: Any = None


def _judge(raw, options, mask):  # type: ignore[no-untyped-def]
    return is_known(raw.view(STATE)[0], options[0], mask)


Reference = tuple[str, str]
"""A reference to a game for other processes: the module that makes the game, and its options as JSON."""


def reference(game: Game) -> Reference:
    """Return a reference from which `load` makes `game` again.

    Its module is the first of the rules module and the package around it that has a `make_game`; ValueError if neither
    has one.
    """
    for name in (game.module.__name__, game.module.__package__):
        if name and hasattr(sys.modules.get(name), "make_game"):
            return name, json.dumps(dict(game.options))
    raise ValueError(f"{game.id} has no make_game in {game.module.__name__} or its package, so it cannot be pickled")


@cache
def load(where: Reference) -> Game:
    """Make the game of a `reference`; the same object each time."""
    module, options = where
    return importlib.import_module(module).make_game(**json.loads(options))


def _wrong_type(game: Game) -> str | None:
    """Return the first field of a Game that has no value of its type; None if all have."""
    if not (isinstance(game.name, str) and re.fullmatch("[a-z][a-z0-9_]*", game.name)):
        return f"name must be lower-case letters, digits and _, such as 'agent_avenue', not {shown(game.name)}"
    for name, least in (("version", 0), ("num_players", 1), ("num_actions", 1)):
        try:
            whole(name, getattr(game, name), least)
        except (ValueError, TypeError) as error:
            return str(error)
    kinds = {
        "options": Mapping, "packed": np.ndarray, "state_dtype": np.dtype, "view_dtype": np.dtype, "texts": Texts,
        "bots": Mapping, "module": ModuleType, "entities": Mapping,
    }  # fmt: skip
    for name, kind in kinds.items():
        if not isinstance(value := getattr(game, name), kind):
            return f"{name} must be a {kind.__name__}, not {shown(value)}"
    optional = {name: getattr(game, name) for name in OPTIONAL_KERNELS}
    kernels = {name: getattr(game, name) for name in KERNELS} | {k: f for k, f in optional.items() if f is not None}
    for name, function in (kernels | {f"the bot {name!r}": bot for name, bot in game.bots.items()}).items():
        if not callable(function):
            return f"{name} must be a kernel, not {shown(function)}"
    layouts = (("OPTIONS", game.packed.dtype), ("STATE", game.state_dtype), ("VIEW", game.view_dtype))
    for layout, dtype in layouts:
        if taken := [name for name in _all_names(dtype) if hasattr(NamedRecord, name)]:
            return f"the field {taken[0]!r} of {layout} has a name that all NumPy records have: choose another one"
    return None


def _all_names(dtype: np.dtype) -> list[str]:
    """Return the names of all fields of a layout, of nested ones too."""
    names = dtype.names or ()
    return [*names, *(inner for name in names for inner in _all_names(dtype[name].base))]


def _wrong_state(dtype: np.dtype) -> str | None:
    """Return the first error in a STATE dtype; None if it is right."""
    if dtype.names is None or "rng" not in dtype.names or dtype["rng"] != np.uint64:
        return "STATE must have a field 'rng', one uint64: the random stream of chance"
    if "to_move" not in dtype.names or dtype["to_move"].kind != "i":
        return "STATE must have a field 'to_move', one signed integer such as int8: the seat to move, -1 when over"
    return None


def _wrong_view(dtype: np.dtype) -> str | None:
    """Return the first error in a VIEW dtype; None if it is right."""
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
    """Whether two values of one field of a Game are equal. Kernels are compared by their name and code."""
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
    """Return the fields of a game and of its `Texts` by name, except for the module."""
    parts = [(game, each.name) for each in fields(game) if each.name not in ("module", "texts")]
    return {name: getattr(part, name) for part, name in [*parts, *((game.texts, f.name) for f in fields(Texts))]}


def _load_changed(where: Reference, changed: Mapping[str, Any]) -> Game:
    """Unpickle a game that differs from what its module makes."""
    game, names = load(where), {each.name for each in fields(Texts)}
    texts = replace(game.texts, **{name: value for name, value in changed.items() if name in names})
    return replace(game, texts=texts, **{name: value for name, value in changed.items() if name not in names})


def as_record(array: np.ndarray, index: int = 0) -> Record:
    """Return element `index` of a structured array as a record, which kernels modify in place."""
    return (array if array.dtype.type is NamedRecord else array.view(named(array.dtype)))[index]


def flat(views: np.ndarray) -> np.ndarray:
    """Return views [n] as float32 [n, F], sharing the memory."""
    return views.view(np.float32).reshape(len(views), -1)
