# Of an extra that is not installed where types are checked; pyright then takes this file for the library:
# pyright: reportMissingImports=false, reportAttributeAccessIssue=false
"""JAX environments of all games, in Pgx's form (extra `jax`).

    import jax
    import spygames.jax

    env = spygames.jax.make("agent_avenue_v0")
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    states = init(jax.random.split(jax.random.key(1), 64))
    states = step(states, states.legal_action_mask.argmax(1))

`init` and `step` are pure functions, which `jit`, `vmap` and `scan` transform. The rules themselves are compiled code
of this package and run on the CPU, through `jax.pure_callback`. Under `vmap`, a step is one call for all games.
"""

import contextlib
import dataclasses
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spygames import Game, make_game
from spygames.authoring import as_seed
from spygames.core.basics.extras import how_to_install
from spygames.core.basics.text import shown
from spygames.core.playing.functional import FunctionalGame, FunctionalRows

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError(f"spygames.jax needs JAX: {how_to_install('jax')}", name="jax") from error

__all__ = ["Env", "State", "key_to_seed", "make"]


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class State:
    """A game between two decisions: a pytree of arrays. Under `vmap` each array has a leading axis.

    `observation` and `legal_action_mask` are what the seat `current_player` may know. **`state_bytes` and `seed` are
    the whole game, hidden cards and future chance included**: do not pass them to a policy.
    """

    current_player: jax.Array
    """int32 [], the seat to move, 0..P-1; if the game is over, the seat that moved last"""
    observation: jax.Array
    """float32 [F], what this seat may know"""
    rewards: jax.Array
    """float32 [P], the reward of each seat for the last step: 0 until the game ends"""
    terminated: jax.Array
    """bool [], whether the game is over, by its rules or by an illegal action"""
    truncated: jax.Array
    """bool [], whether the game is over because it was cut off without a result (`Game.truncated`)"""
    legal_action_mask: jax.Array
    """bool [A], the legal actions; all True if the game is over, as in Pgx"""
    state_bytes: jax.Array
    """uint8 [S], the bytes of the game's STATE record"""
    seed: jax.Array
    """uint32 [2], the seed of the game: its lower and its upper half"""

    def replace(self, **changes: Any) -> "State":
        """Return a copy with other values of some fields."""
        return dataclasses.replace(self, **changes)


def key_to_seed(key: jax.Array) -> jax.Array:
    """Return the seed of a JAX key, uint32 [2]: `jax.random.bits(key, (2,), uint32)`, the lower half first."""
    return jax.random.bits(key, (2,), jnp.uint32)


@dataclass(frozen=True)
class Env:
    """The environment of one variant of a game. `make` makes it.

    It has no state and is hashable, so it can be a static argument of a jitted function.
    """

    game: Game
    """The variant."""
    autoreset: bool = False
    """Whether a game that ends begins anew in the same step."""
    _functions: FunctionalGame = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.autoreset, bool):
            raise ValueError(f"autoreset must be True or False, not {shown(self.autoreset)}")
        if not isinstance(self.game, Game):
            raise TypeError(f"game must be a Game, as spygames.make_game(id) returns it, not {shown(self.game)}")
        object.__setattr__(self, "_functions", FunctionalGame(self.game, self.autoreset))
        self._functions.compile()  # here, in the caller's thread, and not in one of XLA's

    @property
    def id(self) -> str:
        """The id of the game, such as `agent_avenue_v0`."""
        return self.game.id

    @property
    def version(self) -> str:
        """The version of the game's rules, such as `v0`."""
        return f"v{self.game.version}"

    @property
    def num_players(self) -> int:
        """P, the number of seats."""
        return self.game.num_players

    @property
    def num_actions(self) -> int:
        """A, the number of actions."""
        return self.game.num_actions

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """(F,), the shape of an observation."""
        return (self.game.num_features,)

    def init(self, key: jax.Array) -> State:
        """Begin the game of a JAX key.

        Args:
            key: a key of `jax.random.key` or `PRNGKey`. Its seed is `key_to_seed(key)`.
        """
        return self.init_seed(key_to_seed(key))

    def init_seed(self, seed: Any) -> State:
        """Begin the game of a seed: the same game as that of `env.reset(seed=...)` and of a row of a batch.

        Args:
            seed: an integer 0..2^64-1, or its lower and upper half as uint32 [2]. Seeds of a batch, uint64 [n], become
                such halves by `seeds.view(np.uint32).reshape(-1, 2)`.

        Raises:
            ValueError: the seed is something else.
        """
        if isinstance(seed, int | np.integer):
            seed = _halves(np.array([as_seed(seed)], np.uint64))[0]
        _check("seed", seed, np.uint32, (2,))
        return State(**jax.pure_callback(self._begin, self._shapes, seed, vmap_method="broadcast_all"))

    def step(self, state: State, action: Any, key: jax.Array | None = None) -> State:
        """Apply one action of the seat `state.current_player`.

        - An illegal action ends the game, as in Pgx. Its seat gets `game.lowest_return`, all others get 0.
        - A game that is over does not change, and its rewards are 0. With `autoreset` no game stays over: the state
          after the last action has the rewards and `terminated` of the old game, and is otherwise the first one of the
          next game, whose seed follows as in a batch.

        Args:
            state: a state of this environment. Its bytes are not checked.
            action: an integer, 0..A-1.
            key: not used, because chance is part of the state; for wrappers that pass a key.

        Raises:
            ValueError: an argument has another shape or type, for example a batch without `jax.vmap`.
        """
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action[()]
        if isinstance(action, int | np.integer) and not isinstance(action, bool):
            action = min(max(int(action), -1), self.num_actions)  # JAX would cut it off to 32 bits
        with contextlib.suppress(TypeError, ValueError):  # reported below
            action = jnp.asarray(action)
        if getattr(action, "shape", None) != () or action.dtype.kind not in "iu":
            raise ValueError(f"action must be one integer (use jax.vmap(env.step) for more), not {_described(action)}")
        _check("state.state_bytes", state.state_bytes, np.uint8, (self.game.state_dtype.itemsize,))
        if (found := np.shape(state.legal_action_mask)) != (self.num_actions,):  # variants share the layout of STATE
            raise ValueError(
                f"state.legal_action_mask must be of shape ({self.num_actions},), as in {self.game.title}, not {found}"
            )
        arrays = (state.state_bytes, state.seed, state.current_player, state.terminated, state.truncated, action)
        return State(**jax.pure_callback(self._step, self._shapes, *arrays, vmap_method="broadcast_all"))

    @property
    def _shapes(self) -> dict[str, jax.ShapeDtypeStruct]:
        game = self.game
        shapes = {
            "current_player": ((), np.int32),
            "observation": ((game.num_features,), np.float32),
            "rewards": ((game.num_players,), np.float32),
            "terminated": ((), np.bool_),
            "truncated": ((), np.bool_),
            "legal_action_mask": ((game.num_actions,), np.bool_),
            "state_bytes": ((game.state_dtype.itemsize,), np.uint8),
            "seed": ((2,), np.uint32),
        }
        return {name: jax.ShapeDtypeStruct(shape, dtype) for name, (shape, dtype) in shapes.items()}

    def _begin(self, seed: Any) -> dict[str, np.ndarray]:
        seed = np.asarray(seed)
        return _outputs(self._functions.begin(_whole(seed)), seed.shape[:-1])

    def _step(
        self, state_bytes: Any, seed: Any, seat: Any, terminated: Any, truncated: Any, action: Any
    ) -> dict[str, np.ndarray]:
        action = np.asarray(action)
        rows = self._functions.step(
            np.asarray(state_bytes).reshape(action.size, self.game.state_dtype.itemsize),
            _whole(np.asarray(seed)),
            np.asarray(seat).reshape(-1),
            np.asarray(terminated).reshape(-1),
            np.asarray(truncated).reshape(-1),
            action.reshape(-1).astype(np.int64),  # a uint64 from 2^63 on becomes negative, which is not legal either
        )
        return _outputs(rows, action.shape)


def make(game_id: str, *, autoreset: bool = False, **options: Any) -> Env:
    """Make the environment of a game, and compile it.

    Args:
        game_id: an id such as `agent_avenue_v0`, or a module with a `make_game`.
        autoreset: whether a game that ends begins anew in the same step (`Env.step`).
        options: options of the game, such as `players=2`.

    Raises:
        ValueError: the game does not exist, or a value is wrong.
        TypeError: the game has no such option.
    """
    return Env(make_game(game_id, **options), autoreset)


def _whole(halves: np.ndarray) -> np.ndarray:
    """Return seeds, uint64 [n], of their halves, uint32 [..., 2]."""
    return halves[..., 0].reshape(-1).astype(np.uint64) | halves[..., 1].reshape(-1).astype(np.uint64) << np.uint64(32)


def _halves(seeds: np.ndarray) -> np.ndarray:
    """Return the halves, uint32 [n, 2], of seeds, uint64 [n]."""
    return np.stack([seeds & np.uint64(2**32 - 1), seeds >> np.uint64(32)], axis=-1).astype(np.uint32)


def _outputs(rows: FunctionalRows, shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Return the fields of `State`, with the leading axes `shape`."""
    arrays = {
        "current_player": rows.seats,
        "observation": rows.observation,
        "rewards": rows.rewards,
        "terminated": rows.terminated,
        "truncated": rows.truncated,
        "legal_action_mask": rows.mask,
        "state_bytes": rows.memory,
        "seed": _halves(rows.seeds),
    }
    return {name: array.reshape(shape + array.shape[1:]) for name, array in arrays.items()}


def _check(name: str, array: Any, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    """Raise ValueError if an array of one game has another dtype or shape."""
    if getattr(array, "dtype", None) != dtype or np.shape(array) != shape:
        right = f"{np.dtype(dtype)} of shape {shape} (jax.vmap takes batches)"
        raise ValueError(f"{name} must be {right}, not {_described(array)}")


def _described(array: Any) -> str:
    dtype = getattr(array, "dtype", None)
    return shown(array) if dtype is None else f"{dtype} of shape {np.shape(array)}"
