"""The entry points of a game: the functions of a module `spygames/<name>_vN.py`."""

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
    """The type of `env` and `raw_env`, which take the game's options as keywords.

    A type checker knows the options from `make_game`. It does not check them in calls with a `render_mode`, which
    `make_game` does not have.
    """

    @overload
    def __call__(self, *args: P.args, **options: P.kwargs) -> GameEnv[V]: ...
    @overload
    def __call__(
        self, *, render_mode: RenderMode | None, render_viewer: str | None = ..., **options: Any
    ) -> GameEnv[V]: ...


class SingleEntry(Protocol):
    """The type of `single_env`, which takes the game's options and those of SingleEnv as keywords."""

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
    """The type of `vector_env`, which takes the game's options and those of SeatVectorEnv as keywords."""

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
    """Return `env`, `raw_env` and `single_env` of a game.

    Their signatures and help texts include the game's options. They raise ValueError for a wrong value of an option,
    and TypeError for an unknown option, as `make_game` does.

    Args:
        make_game: a function that takes the game's options as keywords and returns a Game.
    """
    maker: Callable[..., Game[V]] = make_game

    def raw_env(*, render_mode: RenderMode | None = None, render_viewer: str | None = None, **options: Any) -> GameEnv:
        """Make a PettingZoo AEC environment (`spygames.GameEnv`).

        Args:
            render_mode: "ansi" (`render()` returns text), "rgb_array" (it returns pixels), "human" (it shows pixels) or
                None (it does nothing).
            render_viewer: the agent whose knowledge `render()` draws, such as `player_0`; None: everything.
        """
        return GameEnv(maker(**options), render_mode, render_viewer)

    def env(*, render_mode: RenderMode | None = None, render_viewer: str | None = None, **options: Any) -> GameEnv:
        """Make a PettingZoo AEC environment (`spygames.GameEnv`).

        It is the same as `raw_env`: the environment itself checks order, bounds and legality, so it needs no wrappers.

        Args:
            render_mode: "ansi" (`render()` returns text), "rgb_array" (it returns pixels), "human" (it shows pixels) or
                None (it does nothing).
            render_viewer: the agent whose knowledge `render()` draws, such as `player_0`; None: everything.
        """
        return GameEnv(maker(**options), render_mode, render_viewer)

    def single_env(
        *,
        opponents: PlayerLike | Sequence[PlayerLike] = "random",
        seat: int | str = "random",
        illegal: Illegal = "ignore",
        render_mode: SingleRenderMode | None = None,
        max_ignored: int = MAX_IGNORED,
        **options: Any,
    ) -> SingleEnv:
        """Make a Gymnasium environment for one seat (`spygames.SingleEnv`).

        Args:
            opponents: the players of the other seats: `greedy`, `mcts:50`, `best`, a Policy, a Player, or a list of
                these.
            seat: the seat to play: a number, an agent's name (`player_1`), or "random": drawn for each game.
            illegal: the effect of an illegal action: "ignore", "lose", "random" or "raise".
            render_mode: the result of `render()`: None, "ansi" for text, "rgb_array" for pixels.
            max_ignored: number of successive illegal actions, at least 1, after which "ignore" truncates the game.
        """
        return SingleEnv(maker(**options), opponents, seat, illegal, render_mode, max_ignored)

    found = _by_name(maker, single_env)
    # gymnasium.make reads the metadata before it makes an environment, for example to add a window.
    vars(found)["metadata"] = SingleEnv.metadata
    return _by_name(maker, env), _by_name(maker, raw_env), found


def vector_entry(make_game: Callable[..., Game]) -> VectorEntry:
    """Return `vector_env` of a game, see `entry_points`."""

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
        """Make a Gymnasium vector environment for one seat in many games (`spygames.SeatVectorEnv`).

        Args:
            num_envs: number of games, at least 1.
            opponents: the players of the other seats: `greedy`, `mcts:50`, `best`, a Policy, a Player, or a list of
                these.
            seat: the seat to play: a number, an agent's name (`player_1`), or "random": drawn for each game.
            illegal: the effect of an illegal action: "ignore", "lose", "random" or "raise".
            render_mode: the result of `render()`: None, "ansi" for texts, "rgb_array" for pixels.
            max_ignored: number of successive illegal actions, at least 1, after which "ignore" truncates the game.
            autoreset_mode: how a finished game restarts: "NextStep", "SameStep" or "Disabled".
            max_episode_steps: number of steps after which a game is truncated, at least 1; None or -1: no limit.
        """
        game = make_game(**options)
        given = opponents, seat, illegal, render_mode, max_ignored, autoreset_mode, max_episode_steps
        return SeatVectorEnv(game, num_envs, *given)

    return _by_name(make_game, vector_env)


def _by_name(make_game: Callable[..., Game], entry: Callable[..., object]) -> Any:
    """Wrap `entry`: reject positional and unknown arguments, and add the game's options to its signature and help text.

    With these, notebooks can complete the options.
    """
    given = list(inspect.signature(make_game).parameters.values())
    own = list(inspect.signature(entry).parameters.values())
    names = [each.name for each in own if each.kind is each.KEYWORD_ONLY]

    @wraps(entry)
    def call(*args: object, **options: Any) -> object:
        if args:
            there = ", ".join([*(parameter.name for parameter in given), *names])
            raise TypeError(
                f"{entry.__name__} takes keyword arguments only, as in {entry.__name__}(render_mode='ansi'); "
                f"available: {there}"
            )
        check_options(make_game, make_game.__module__.rpartition(".")[2], options, names)
        return entry(**options)

    named = [each for each in [*given, *own] if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    rest = [each for each in given if each.kind is each.VAR_KEYWORD]
    made = [*(each.replace(kind=each.KEYWORD_ONLY) for each in named), *rest]
    vars(call)["__signature__"] = inspect.signature(entry).replace(parameters=made)
    if entry.__doc__ and (options := _arguments(make_game.__doc__)):
        call.__doc__ = inspect.cleandoc(entry.__doc__).replace("Args:\n", f"Args:\n{options}\n")
    return call


def _arguments(docstring: str | None) -> str:
    """Return the lines of the section Args of a Google-style docstring."""
    lines = inspect.cleandoc(docstring or "").split("\n")
    if "Args:" not in lines:
        return ""
    behind = lines[lines.index("Args:") + 1 :]
    return "\n".join(takewhile(lambda line: line.startswith(" "), behind))
