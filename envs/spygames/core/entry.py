"""The entry points of a game, the same for all: what a module `spygames/<name>_vN.py` offers."""

import inspect
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

from spygames.core.aec import GameEnv
from spygames.core.game import Game
from spygames.core.players import Player
from spygames.core.registry import check_options
from spygames.core.single import MAX_IGNORED, SingleEnv

__all__ = ["entry_points"]

F = TypeVar("F", bound=Callable[..., object])


def entry_points(
    make_game: Callable[..., Game],
) -> tuple[Callable[..., GameEnv], Callable[..., GameEnv], Callable[..., SingleEnv]]:
    """`env`, `raw_env` and `single_env` of the game that `make_game(**options)` makes. They raise what it does:
    ValueError for the value of an option, TypeError for an unknown one."""

    def make(options: dict[str, Any]) -> Game:
        check_options(make_game, make_game.__module__.rpartition(".")[2], options)
        return make_game(**options)

    def keywords_only(entry: F) -> F:
        """`entry`, which says what there is where an option comes without its name."""

        @wraps(entry)
        def call(*args: object, **options: Any) -> object:
            if args:
                there = ", ".join(["render_mode", *inspect.signature(make_game).parameters])
                raise TypeError(
                    f"options need their names, as in {entry.__name__}(render_mode='ansi'); there are {there}"
                )
            return entry(**options)

        return cast(F, call)

    @keywords_only
    def raw_env(*, render_mode: str | None = None, **options: Any) -> GameEnv:
        """The game as a PettingZoo AEC environment (`spygames.core.aec.GameEnv`); options are those of `make_game`."""
        return GameEnv(make(options), render_mode)

    @keywords_only
    def env(*, render_mode: str | None = None, **options: Any) -> GameEnv:
        """The same as `raw_env`: order, bounds and legality are checked inside, so no wrappers are put around it."""
        return raw_env(render_mode=render_mode, **options)

    @keywords_only
    def single_env(
        *,
        opponents: str | Player | Sequence[str | Player] = "random",
        seat: int | str = "random",
        illegal: str = "ignore",
        render_mode: str | None = None,
        max_ignored: int = MAX_IGNORED,
        **options: Any,
    ) -> SingleEnv:
        """One seat as a Gymnasium environment (`spygames.core.single.SingleEnv`); options are those of `make_game`."""
        return SingleEnv(make(options), opponents, seat, illegal, render_mode, max_ignored)

    return env, raw_env, single_env
