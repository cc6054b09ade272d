"""The entry points of a game, the same for all: what a module `spygames/<name>_vN.py` offers."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from spygames.core.aec import GameEnv
from spygames.core.game import Game
from spygames.core.players import Player
from spygames.core.registry import check_options
from spygames.core.rendering import RenderMode
from spygames.core.single import MAX_IGNORED, Illegal, SingleEnv, SingleRenderMode

__all__ = ["entry_points"]

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
        opponents: str | Player | Sequence[str | Player] = ...,
        seat: int | str = ...,
        illegal: Illegal = ...,
        render_mode: SingleRenderMode | None = ...,
        max_ignored: int = ...,
        **options: Any,
    ) -> SingleEnv: ...


def entry_points(make_game: Callable[P, Game[V]]) -> tuple[Entry[P, V], Entry[P, V], SingleEntry]:
    """`env`, `raw_env` and `single_env` of the game that `make_game(**options)` makes. They raise what it does:
    ValueError for the value of an option, TypeError for an unknown one."""
    maker: Callable[..., Game[V]] = make_game

    def make(options: dict[str, Any]) -> Game[V]:
        check_options(maker, maker.__module__.rpartition(".")[2], options)
        return maker(**options)

    def keywords_only(entry: Callable[..., object]) -> Any:
        """`entry`, which says what there is where an option comes without its name."""

        @wraps(entry)
        def call(*args: object, **options: Any) -> object:
            if args:
                there = ", ".join(["render_mode", *inspect.signature(maker).parameters])
                raise TypeError(
                    f"options need their names, as in {entry.__name__}(render_mode='ansi'); there are {there}"
                )
            return entry(**options)

        return call

    @keywords_only
    def raw_env(*, render_mode: str | None = None, render_viewer: str | None = None, **options: Any) -> GameEnv[V]:
        """The game as a PettingZoo AEC environment (`spygames.core.aec.GameEnv`); options are those of `make_game`."""
        return GameEnv(make(options), render_mode, render_viewer)

    @keywords_only
    def env(*, render_mode: str | None = None, render_viewer: str | None = None, **options: Any) -> GameEnv[V]:
        """The same as `raw_env`: order, bounds and legality are checked inside, so no wrappers are put around it."""
        return raw_env(render_mode=render_mode, render_viewer=render_viewer, **options)

    @keywords_only
    def single_env(
        *,
        opponents: str | Player | Sequence[str | Player] = "random",
        seat: int | str = "random",
        illegal: Illegal = "ignore",
        render_mode: str | None = None,
        max_ignored: int = MAX_IGNORED,
        **options: Any,
    ) -> SingleEnv:
        """One seat as a Gymnasium environment (`spygames.core.single.SingleEnv`); options are those of `make_game`."""
        return SingleEnv(make(options), opponents, seat, illegal, render_mode, max_ignored)

    # What gymnasium.make reads before it makes an environment, to put its own window around one, say.
    vars(single_env)["metadata"] = SingleEnv.metadata
    return env, raw_env, single_env
