"""Players that are Python functions or classes, the kind `python:module.name`."""

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spygames.core.basics.text import one_line, say, shown
from spygames.core.basics.whole_numbers import is_whole
from spygames.core.compiling.digest import file_digest
from spygames.core.game.game import Game, as_record
from spygames.core.game.validation import time_limit
from spygames.core.players.events import NOTES, Following, News, draw_seed
from spygames.core.players.history import Notes
from spygames.core.players.import_by_name import find_code
from spygames.core.players.player import DecisionBatch, PlayerFailed, PlayerTooSlow
from spygames.core.players.replies import parse
from spygames.core.players.time_limit import TooLate, within
from spygames.core.players.turns import Turn, chosen, turn_of

__all__ = ["PythonPlayer", "load_player"]


class PythonPlayer:
    """A Python function or class as a `Player`.

    A function is called as `decide(observation, mask)` for every decision, with float32 [F] and int8 [A], and returns
    an action. A class is instantiated for each seat and game, with these calls:

    - `decide(game, seat, seed)` before the first decision of the seat; seed is 0..2^32-1, for the player's choices
    - `act(observation, mask)` returns an action; or `act_text(turn)`, which gets a `spygames.text.Turn` and returns the
      text of a legal action, or an answer for `spygames.text.parse`
    - `seen(text)`, optional: an event that the seat has seen (`Game.seen_action`)
    - `ended(returns)`, optional: the result, float32 [P]

    A class with a method `beliefs(turn)` can also be asked what it believes (`spygames beliefs`), see `believe`.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import PythonPlayer
        >>> from spygames.records import play_record
        >>> game = make_game("agent_avenue_v0")
        >>> lowest = PythonPlayer(game, lambda observation, mask: int(mask.argmax()), "lowest")
        >>> play_record(game, [lowest, "random"], seed=1).players
        ('lowest', 'random')

    Args:
        game: the game to play.
        decide: the function or the class.
        name: the name of the player.
        decision_limit: seconds for a decision, 0.001 to 10^6; None: no limit. A late decision is interrupted only in
            the main thread of a POSIX system, and not in C code. Elsewhere the player fails after the call has
            returned.
        digest: a digest of the file of its module; None: unknown.

    Raises:
        TypeError: `decide` does not take the arguments above.
    """

    def __init__(
        self,
        game: Game,
        decide: Callable[..., Any],
        name: str,
        decision_limit: float | None = None,
        digest: str | None = None,
    ):
        check_code(decide)
        self.game, self.name, self._decide = game, name, decide
        self.decision_limit = None if decision_limit is None else time_limit("decision_limit", decision_limit)
        self.digest = digest
        self._is_class = inspect.isclass(decide)
        self._reads_text = self._is_class and _is_text_player(decide)
        self._following = Following()
        self._objects: dict[tuple[int, int], Any] = {}
        self.notes_size = NOTES if self._is_class else 0
        """Number of latest decisions of a game that the player wants in `DecisionBatch.notes`."""

    def __repr__(self) -> str:
        return f"PythonPlayer({self.game.id}, {self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        # The objects of running games are not copied; they are made again when needed.
        return PythonPlayer, (self.game, self._decide, self.name, self.decision_limit, self.digest)

    def act(self, decisions: DecisionBatch) -> np.ndarray:
        """Return the player's action for each of `decisions.rows`, int64 [k].

        Raises:
            PlayerFailed: the code raised an exception, was too slow, or did not return an action.
        """
        return np.array([self._answer(decisions, row) for row in decisions.rows.tolist()], np.int64)

    @property
    def has_beliefs(self) -> bool:
        """Whether `believe` can be called."""
        return self._is_class and callable(getattr(self._decide, "beliefs", None))

    def believe(self, turn: Turn, seed: int) -> Any:
        """Return what a new object of the class answers to the questions of a decision: the result of `beliefs(turn)`.

        Args:
            turn: the decision, with `unknowns`, and with all that the seat has seen since the game began.
            seed: 0..2^32-1, for the player's choices.

        Raises:
            PlayerFailed: the code raised an exception, or was too slow.
        """
        what = f"failed in seat {turn.seat}"
        try:
            return within(self.decision_limit, lambda: self._decide(self.game, turn.seat, seed).beliefs(turn))
        except TooLate:
            late = f"{what}: it gave no answer in {self.decision_limit:g} s"
            raise PlayerTooSlow(self.name, turn.seat, [], late) from None
        except (Exception, SystemExit) as error:
            raise PlayerFailed(self.name, turn.seat, [], what, f"{type(error).__name__}: {one_line(error)}") from error

    def _answer(self, d: DecisionBatch, row: int) -> int:
        """Return the player's action in one game."""
        if self._is_class and (earlier := self._following.answer(d, row)) is not None:
            return earlier
        # Copies, so that the player cannot change the games' own arrays.
        observation, mask = d.observation[row].copy(), d.mask[row].copy()
        news = self._following.news(d, row, self._reads_text) if self._is_class else None

        turn = turn_of(d.game, d.states[row : row + 1].copy(), news.events) if self._reads_text and news else None

        def decide() -> Any:
            own: Any = self._decide if news is None else self._informed(news, row, d.rng[row])
            if turn is not None:
                return own.act_text(turn)
            return own(observation, mask) if news is None else own.act(observation, mask)

        try:
            answer = within(self.decision_limit, decide)
        except TooLate:
            raise self._failed(
                d, row, f": it gave no answer in {self.decision_limit:g} s", kind=PlayerTooSlow
            ) from None
        except (Exception, SystemExit) as error:  # foreign code may raise anything; Ctrl-C passes
            raise self._failed(d, row, detail=f"{type(error).__name__}: {one_line(error)}") from error
        if turn is not None:
            answer = self._action_of(answer, turn, d, row)
        if not is_whole(answer) or not 0 <= answer < len(mask):
            raise self._failed(d, row, detail=f"the action must be an integer 0..{len(mask) - 1}, not {shown(answer)}")
        if news is not None and d.mask[row, answer]:
            self._following.answered(d, row, int(answer))
        return int(answer)

    def _action_of(self, answer: object, turn: Turn, d: DecisionBatch, row: int) -> int:
        """Return the action that the answer of `act_text` names."""
        if not isinstance(answer, str):
            raise self._failed(d, row, detail=f"act_text must return a text, not {shown(answer)}")
        text = chosen(answer, turn.legal)
        if text is None:
            parsed = parse(answer, turn.legal)
            why = turn.why_not(parsed.said)
            verdict = f"{parsed.verdict}{'' if why is None else f': {why}'}"
            some = f"{shown(answer)} ({verdict}); legal are {', '.join(turn.legal[:5])}"
            raise self._failed(d, row, ": it answered no legal action", some)
        return d.game.string_to_action(as_record(d.states, row), text, turn.seat)

    def _failed(
        self, d: DecisionBatch, row: int, what: str = "", detail: str = "", kind: type[PlayerFailed] = PlayerFailed
    ) -> PlayerFailed:
        seat = int(d.states["to_move"][row])
        self._objects.pop((row, seat), None)
        failed = kind(self.name, seat, [row], f"failed in seat {seat}{what}", detail)
        if self._is_class:
            self._following.answered(d, row, failed)
        return failed

    def ended(self, row: int, seat: int, returns: np.ndarray, notes: Notes | None) -> None:
        """Pass the last events and the result to the object of a seat. Its exceptions are only printed."""
        news = self._following.ending(row, seat, notes, self._reads_text) if self._is_class else None
        player = self._objects.pop((row, seat), None)
        if news is None or player is None:
            return
        try:
            _tell(player, news.events)
            if hasattr(player, "ended"):
                player.ended(returns.copy())
        except (Exception, SystemExit) as error:
            say(f"{self.name}: {type(error).__name__}: {one_line(error)}")

    def _informed(self, news: News, row: int, rng: np.ndarray) -> Any:
        """Return the object of a game, after it has received the events so far."""
        if news.begins or (row, news.seat) not in self._objects:
            self._objects[row, news.seat] = self._decide(self.game, news.seat, draw_seed(rng))
        player = self._objects[row, news.seat]
        _tell(player, news.events)
        return player


def _tell(player: Any, events: list[str]) -> None:
    if hasattr(player, "seen"):
        for text in events:
            player.seen(text)


def check_code(decide: Callable[..., Any]) -> None:
    """Raise TypeError if the signatures of a function or a class do not fit `PythonPlayer`."""
    if not callable(decide):
        raise TypeError(f"a Python player must be a function or a class, not {shown(decide)}")
    if not inspect.isclass(decide):
        _check_call(decide, f"the function {_called(decide)}", "observation", "mask")
        return
    act = getattr(decide, "act", None)
    if not callable(act) and not _is_text_player(decide):
        raise TypeError(f"the class {_called(decide)} has no method act(observation, mask), and no act_text(turn)")
    own = _bound(decide, "act")
    if callable(act) and _takes(act, *own, "decisions") and not _takes(act, *own, "observation", "mask"):
        raise TypeError(
            f"the class {_called(decide)} is a Player, whose act takes a DecisionBatch: pass an instance in Python, "
            "or install it as a kind of players; a class given by its name must have act(observation, mask)"
        )
    _check_call(decide, f"the class {_called(decide)}", "game", "seat", "seed")
    decides = ("act_text", ("turn",)) if _is_text_player(decide) else ("act", ("observation", "mask"))
    for name, arguments in (decides, ("seen", ("text",)), ("ended", ("returns",)), ("beliefs", ("turn",))):
        if (method := getattr(decide, name, None)) is not None:
            _check_call(method, f"{name} of the class {_called(decide)}", *arguments, bound=_bound(decide, name))


def _bound(decide: type, name: str) -> list[str]:
    """Return the argument that a method takes besides those of its call: `self`, unless it is static or of a class."""
    return [] if isinstance(inspect.getattr_static(decide, name, None), staticmethod | classmethod) else ["self"]


def _is_text_player(decide: Callable[..., Any]) -> bool:
    """Whether a class decides by `act_text`, which comes before `act`."""
    return callable(getattr(decide, "act_text", None))


def _check_call(function: Callable[..., Any], what: str, *arguments: str, bound: Sequence[str] = ()) -> None:
    if not _takes(function, *bound, *arguments):
        given = ", ".join(map(str, [*inspect.signature(function).parameters.values()][len(bound) :]))
        raise TypeError(f"{what} must take ({', '.join(arguments)}), not ({one_line(given)})")


def _takes(function: Callable[..., Any], *arguments: str) -> bool:
    """Whether a function takes this number of positional arguments; True if it has no signature."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function written in C may have no signature
        return True
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _called(decide: Callable[..., Any]) -> str:
    return one_line(getattr(decide, "__qualname__", None) or type(decide).__qualname__)


def load_player(game: Game, argument: str) -> PythonPlayer:
    """Make the player `python:MODULE.NAME`; the entry point of the kind `python`.

    Args:
        game: the game to play.
        argument: `MODULE.NAME`, a function or class of a module that is installed or in the current folder.

    Raises:
        ValueError: the module cannot be imported, has no such name, or the function or class does not fit
            `PythonPlayer`.
    """
    spec = f"python:{argument}"
    found, module = find_code(spec), argument.rpartition(".")[0]
    modules = dict.fromkeys([module, getattr(found, "__module__", None) or module])  # NAME may come from another module
    files = [getattr(sys.modules.get(name), "__file__", None) for name in modules]
    try:
        return PythonPlayer(game, found, spec, digest=None if None in files else file_digest(*map(str, files)))
    except TypeError as error:
        raise ValueError(f"{shown(spec)}: {error}") from None
