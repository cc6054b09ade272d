"""The entry points of a game, the same for all: what a module `spygames/<name>_vN.py` offers."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import takewhile
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from gymnasium.vector import AutoresetMode

from spygames.core.envs.aec import GameEnv
from spygames.core.envs.single_seat import MAX_IGNORED, Illegal, SingleEnv, SingleRenderMode
from spygames.core.envs.vector import SeatVectorEnv
from spygames.core.game.game import Game
from spygames.core.game.registry import check_options
from spygames.core.pictures.render import RenderMode
from spygames.core.players.names import PlayerLike

__all__ = ["entry_points", "vector_entry"]

P = ParamSpec("P")
V = TypeVar("V")


class Entry(Protocol[P, V]):
    """`env` and `raw_env` of a game, which take its options by name.

    A type checker knows these from `make_game`; beside a `render_mode`, which that does not have, it takes any.
    """

    @overload
    def __call__(self, *args: P.args, **options: P.kwargs) -> GameEnv[V]: ...
    @overload
    def __call__(
        self, *, render_mode: RenderMode | None, render_viewer: str | None = ..., **options: Any
    ) -> GameEnv[V]: ...


class SingleEntry(Protocol):
    """`single_env` of a game, which takes its options and those of SingleEnv by name."""

    def __call__(
        self,
        *,
        opponents: PlayerLike | Sequence[PlayerLike] = ...,
        seat: int | str = ...,
        illegal: Illegal = ...,
        render_mode: SingleRenderMode | None = ...,
        max_ignored: int = ...,
        **options: Any,
    ) -> SingleEnv: ...


class VectorEntry(Protocol):
    """`vector_env` of a game, which takes its options and those of SeatVectorEnv by name."""

    def __call__(
        self,
        *,
        num_envs: int = ...,
        opponents: PlayerLike | Sequence[PlayerLike] = ...,
        seat: int | str = ...,
        illegal: Illegal = ...,
        render_mode: SingleRenderMode | None = ...,
        max_ignored: int = ...,
        autoreset_mode: AutoresetMode | str = ...,
        max_episode_steps: int | None = ...,
        **options: Any,
    ) -> SeatVectorEnv: ...


def entry_points(make_game: Callable[P, Game[V]]) -> tuple[Entry[P, V], Entry[P, V], SingleEntry]:
    """`env`, `raw_env` and `single_env` of the game that `make_game(**options)` makes. They raise what it does:
    ValueError for the value of an option, TypeError for an unknown one; and have its options in signature and help."""
    maker: Callable[..., Game[V]] = make_game

    def raw_env(*, render_mode: RenderMode | None = None, render_viewer: str | None = None, **options: Any) -> GameEnv:
        """The game as a PettingZoo AEC environment (`spygames.GameEnv`).

        Args:
            render_mode: what `render()` does: None nothing, "ansi" a text, "rgb_array" pixels, "human" shows them.
            render_viewer: the agent whose knowledge `render()` draws, `player_0`; None: everything.
        """
        return GameEnv(_made(maker, options), render_mode, render_viewer)

    def env(*, render_mode: RenderMode | None = None, render_viewer: str | None = None, **options: Any) -> GameEnv:
        """The game as a PettingZoo AEC environment (`spygames.GameEnv`), the same as `raw_env`: order, bounds
        and legality are checked inside, so no wrappers are put around it.

        Args:
            render_mode: what `render()` does: None nothing, "ansi" a text, "rgb_array" pixels, "human" shows them.
            render_viewer: the agent whose knowledge `render()` draws, `player_0`; None: everything.
        """
        return GameEnv(_made(maker, options), render_mode, render_viewer)

    def single_env(
        *,
        opponents: PlayerLike | Sequence[PlayerLike] = "random",
        seat: int | str = "random",
        illegal: Illegal = "ignore",
        render_mode: SingleRenderMode | None = None,
        max_ignored: int = MAX_IGNORED,
        **options: Any,
    ) -> SingleEnv:
        """One seat as a Gymnasium environment (`spygames.SingleEnv`).

        Args:
            opponents: who sits in the other seats: `greedy`, `mcts:50`, `best`, a Policy, a Player, or a list of these.
            seat: a number, an agent's name (`player_1`), or "random": drawn for each game.
            illegal: what an action that is not legal does: "ignore", "lose", "random" or "raise".
            render_mode: what `render()` returns: None, "ansi" a text, "rgb_array" pixels.
            max_ignored: illegal actions in a row, at least 1, at which "ignore" truncates the game.
        """
        return SingleEnv(_made(maker, options), opponents, seat, illegal, render_mode, max_ignored)

    found = _by_name(maker, single_env)
    # What gymnasium.make reads before it makes an environment, to put its own window around one, say.
    vars(found)["metadata"] = SingleEnv.metadata
    return _by_name(maker, env), _by_name(maker, raw_env), found


def vector_entry(make_game: Callable[..., Game]) -> VectorEntry:
    """`vector_env` of the game that `make_game(**options)` makes; the rest as of `entry_points`."""

    def vector_env(
        *,
        num_envs: int = 1,
        opponents: PlayerLike | Sequence[PlayerLike] = "random",
        seat: int | str = "random",
        illegal: Illegal = "ignore",
        render_mode: SingleRenderMode | None = None,
        max_ignored: int = MAX_IGNORED,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        **options: Any,
    ) -> SeatVectorEnv:
        """One seat of many games as a Gymnasium vector environment (`spygames.SeatVectorEnv`).

        Args:
            num_envs: how many games, at least 1.
            opponents: who sits in the other seats: `greedy`, `mcts:50`, `best`, a Policy, a Player, or a list of these.
            seat: a number, an agent's name (`player_1`), or "random": drawn for each game.
            illegal: what an action that is not legal does: "ignore", "lose", "random" or "raise".
            render_mode: what `render()` returns: None, "ansi" texts, "rgb_array" pixels.
            max_ignored: illegal actions in a row, at least 1, at which "ignore" truncates the game.
            autoreset_mode: what happens where a game has ended: "NextStep", "SameStep" or "Disabled".
            max_episode_steps: steps after which a game is truncated, at least 1; None or -1: none.
        """
        game = _made(make_game, options)
        given = opponents, seat, illegal, render_mode, max_ignored, autoreset_mode, max_episode_steps
        return SeatVectorEnv(game, num_envs, *given)

    return _by_name(make_game, vector_env)


def _made(make_game: Callable[..., Game[V]], options: dict[str, Any]) -> Game[V]:
    check_options(make_game, make_game.__module__.rpartition(".")[2], options)
    return make_game(**options)


def _by_name(make_game: Callable[..., Game], entry: Callable[..., object]) -> Any:
    """`entry`, which says what there is where an option comes without its name, and whose signature and help have the
    options of the game, so that notebooks complete them."""
    given = list(inspect.signature(make_game).parameters.values())
    own = list(inspect.signature(entry).parameters.values())

    @wraps(entry)
    def call(*args: object, **options: Any) -> object:
        if args:
            there = ", ".join(["render_mode", *(parameter.name for parameter in given)])
            raise TypeError(f"options need their names, as in {entry.__name__}(render_mode='ansi'); there are {there}")
        return entry(**options)

    named = [each for each in [*given, *own] if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    rest = [each for each in given if each.kind is each.VAR_KEYWORD]
    made = [*(each.replace(kind=each.KEYWORD_ONLY) for each in named), *rest]
    vars(call)["__signature__"] = inspect.signature(entry).replace(parameters=made)
    if entry.__doc__ and (options := _arguments(make_game.__doc__)):
        call.__doc__ = inspect.cleandoc(entry.__doc__).replace("Args:\n", f"Args:\n{options}\n")
    return call


def _arguments(docstring: str | None) -> str:
    """The lines of a Google docstring's section Args."""
    lines = inspect.cleandoc(docstring or "").split("\n")
    if "Args:" not in lines:
        return ""
    behind = lines[lines.index("Args:") + 1 :]
    return "\n".join(takewhile(lambda line: line.startswith(" "), behind))
