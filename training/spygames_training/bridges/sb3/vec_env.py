"""Games as vectorized environments of stable-baselines3.

`SelfPlayVecEnv` and `LearnerSeatVecEnv` follow its conventions:

- A game that has ended starts over at once.
- `infos[i]["terminal_observation"]` is the last observation of the ended game.
- `infos[i]["TimeLimit.truncated"]` says whether the game was truncated without a result.
- `env_method("action_masks")` returns the masks for sb3-contrib.
- After `seed(s)`, the next `reset()` plays in row i the game that `GameEnv.reset(seed=s + i)` starts.

Before the first `reset()`, steps, masks and pictures raise ResetNeeded.
"""

import copy
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
from gymnasium import Wrapper
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Discrete
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from spygames import NOBODY, Game, IllegalAction, Rows
from spygames.authoring import as_seed, choice, whole
from spygames.pictures import draw, pixels
from spygames.players import PlayerLike, SeatSession, as_players

MAX_STARTS = 1000
"""Number of consecutive games without a decision of the learning seat after which an error is raised."""

MAX_SHOWN = 9
"""Number of games that `render` shows, in three rows of three."""

Step = tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]


class GamesVecEnv(VecEnv):
    """Base of both environments: spaces, masks, seeds, and the attributes that stable-baselines3 reads.

    Observation space: Box [F]. Action space: Discrete(A); an illegal action raises IllegalAction.

    With `render_mode="rgb_array"`, `render()` shows the first games side by side, at most `MAX_SHOWN`.
    """

    def __init__(self, games: Rows, render_mode: str | None = None):
        choice("render_mode", render_mode, (None, "rgb_array"))
        game, n = games.game, games.n
        self.game, self._render_mode = game, render_mode
        self.games = games
        self._rows = np.arange(n)
        self._actions = np.zeros(n, np.int64)
        self._begun = False  # whether there was a `reset`
        super().__init__(n, Box(*game.feature_ranges()), Discrete(game.num_actions))
        self.metadata: dict[str, Any] = {**self.metadata, "render_fps": 2}

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions, int [n], for `step_wait`. Raise IllegalAction if they are not integers of this shape."""
        found = np.asarray(actions)
        if found.shape != (self.num_envs,) or found.dtype.kind not in "iu":
            raise IllegalAction(
                f"actions must be integers of shape ({self.num_envs},), not {found.dtype} of shape {found.shape}"
            )
        self._actions[:] = found

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next `reset`: `seed + i` in row i. None: drawn by NumPy's global generator.

        Raises:
            ValueError: the seed of a row would not be 0..2^64-1. The seeds are unchanged then.
        """
        return super().seed(None if seed is None else whole("seed", seed, 0, 2**64 - self.num_envs))

    def __copy__(self) -> Self:
        """Return a copy with games of its own."""
        return copy.deepcopy(self)

    def _start(self) -> None:
        """Start all games over. The first `reset` without seeds starts the games of the constructor's seed."""
        if self._seeds[0] is None:
            if self._begun:
                self.games.reset()
        else:
            self.games.reset(seeds=np.array([as_seed(s) for s in self._seeds], np.uint64))

    def _started(self) -> None:
        """Note that a `reset` has succeeded, and that its seeds are used."""
        self._begun = True
        self._reset_seeds()
        self._reset_options()

    def _need_games(self) -> None:
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() first")

    def close(self) -> None:
        """Do nothing: there is nothing to release."""

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return the first games as pixels, at most `MAX_SHOWN`.

        uint8 [600, 800, 3] for one game, [300, 400, 3] for several. DependencyNotInstalled without the extra `render`.
        """
        self._need_games()
        shown = min(self.num_envs, MAX_SHOWN)
        width = 800 if shown == 1 else 400
        states = self.games.states
        return [
            pixels(draw(self.game, states[i : i + 1], viewer), width)
            for i, viewer in enumerate(self._viewers()[:shown])
        ]

    def _viewers(self) -> list[int]:
        """The seat for which each game is drawn."""
        return [NOBODY] * self.num_envs

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool [n, A], a copy."""
        self._need_games()
        return self.games.mask.astype(np.bool_)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return `render_mode` or `action_masks` of each game; AttributeError for any other name."""
        rows = list(self._get_indices(indices))
        if attr_name == "render_mode":
            return [self._render_mode] * len(rows)
        if attr_name == "action_masks":
            return [partial(self._mask_of, i) for i in rows]
        raise AttributeError(f"the games of {type(self).__name__} have no {attr_name!r}")

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Raise AttributeError: games have no attributes to set."""
        raise AttributeError(f"the games of {type(self).__name__} have no {attr_name!r} to set")

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call `action_masks`: bool [A] for each game; AttributeError for any other method."""
        if method_name != "action_masks":
            raise AttributeError(f"the games of {type(self).__name__} have no method {method_name!r}")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: type[Wrapper], indices: VecEnvIndices = None) -> list[bool]:
        """Return False for each game."""
        return [False for _ in self._get_indices(indices)]

    def _mask_of(self, row: int) -> np.ndarray:
        self._need_games()
        return self.games.mask[row].astype(np.bool_)

    def _ended(self, row: int) -> dict[str, Any]:
        """The info of a row whose game has just ended, before the next game begins."""
        games = self.games
        return {"terminal_observation": games.observation[row].copy(), "TimeLimit.truncated": bool(games.cut_off[row])}


class SelfPlayVecEnv(GamesVecEnv):
    """`n` games in which one policy plays all seats; a step is one decision of the seat to move in each game.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training.bridges.sb3 import SelfPlayVecEnv
        >>> env = SelfPlayVecEnv(make_game("agent_avenue_v0"), 4, seed=1, by_hand=True)
        >>> observation = env.reset()
        >>> observation, rewards, done, infos = env.step(env.action_masks().argmax(axis=1))
        >>> env.decided, env.paid.shape
        (array([0, 0, 0, 0], dtype=int8), (4, 2))

    The reward that `step` returns is what the deciding seat was paid at once. It leaves out what the other seats were
    paid, so learn with `PerSeatRolloutBuffer`, which reads the payments of every seat from this environment. Without
    that buffer, or with a wrapper that changes observations, learning raises an error (checkpoints cannot store the
    scaling of VecNormalize). To step without an algorithm, pass `by_hand=True` and read `decided`, `paid` and `ended`
    after each step.

    `infos[i]["terminal_observation"]` is the final view of the seat that decided last.

    Args:
        game: the game to play.
        n: number of games.
        seed: 0..2^64-1, of the games until `seed()` sets others. None: drawn from the system's entropy.
        reward_scale: factor of the rewards, for games whose results are far from 1.
        by_hand: whether the environment is stepped without a PerSeatRolloutBuffer. If False, the first step without
            this buffer raises RuntimeError.
        render_mode: None, or "rgb_array": `render()` shows everything, including hidden cards.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        seed: int | None = None,
        reward_scale: float = 1.0,
        *,
        by_hand: bool = False,
        render_mode: str | None = None,
    ):
        if not isinstance(reward_scale, Real) or not 0 < reward_scale < math.inf:
            raise ValueError(f"reward_scale must be a positive number, not {reward_scale!r:.100}")
        rows = Rows(game, n, seed)  # checks n, before arrays are made
        self.reward_scale = reward_scale
        self.paid_is_read = by_hand
        """Whether the payments of each seat are read: by a buffer, which sets this, or by the caller (`by_hand`)."""
        self.seen = self._shown = np.zeros(0, np.float32)  # observations before the last step, and after it
        self.steps = 0
        """Number of steps so far; the buffer checks with it that it reads the right environment."""
        self.decided = np.zeros(n, np.int8)
        """Seats that made the last decisions, int8 [n]."""
        self.paid = np.zeros((n, game.num_players), np.float32)
        """The last step's reward of each seat, float32 [n, P]."""
        self.ended = np.zeros(n, np.bool_)
        """Whether the last step ended the game, bool [n]."""
        super().__init__(rows, render_mode)

    def reset(self) -> np.ndarray:
        """Start all games over; return the views of the seats to move, float32 [n, F]."""
        self._start()
        self._started()
        self._shown = self.games.observation.copy()
        return self._shown

    def step_wait(self) -> Step:
        """Apply the actions.

        Returns:
            The views of the next seats to move, [n, F]; the rewards of the seats that decided, [n]; whether each game
            has ended, [n]; and infos.
        """
        self._need_games()
        if not self.paid_is_read:
            raise RuntimeError(
                "SelfPlayVecEnv must be learned from with rollout_buffer_class=PerSeatRolloutBuffer and "
                "rollout_buffer_kwargs={'env': env} (the same env twice), or made with by_hand=True"
            )
        games = self.games
        decided = games.seats.copy()
        games.advance(self._rows, self._actions, decided)
        self.decided, self.ended = decided, games.done.copy()
        self.paid = games.rewards * np.float32(self.reward_scale)
        self.steps += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        over = np.flatnonzero(self.ended)
        for i in over.tolist():
            infos[i] = self._ended(i)
        games.begin(over)
        self.seen, self._shown = self._shown, games.observation.copy()
        return self._shown, self.paid[self._rows, decided], self.ended.copy(), infos


class LearnerSeatVecEnv(GamesVecEnv):
    """`n` games with one learning seat each. A step lasts from a decision of the learner to its next one.

    Example:
        >>> from spygames import make_game
        >>> from spygames_training.bridges.sb3 import LearnerSeatVecEnv
        >>> env = LearnerSeatVecEnv(make_game("agent_avenue_v0"), 4, ["greedy", "random"], seat=0, seed=1)
        >>> env.reset().shape, env.action_masks().shape
        ((4, 160), (4, 74))

    Reward: the learner's own result, at the end of the game. A game that ends before the learner's first decision is
    not counted, and the next game starts. The info of an ended game also has:

    - `seat`: the learner's seat.
    - `opponents`: the names of the other players, from the lowest seat.
    - `is_success`: whether the learner's result was above 0.

    Args:
        game: the game to play.
        n: number of games.
        opponents: names as `make_player` takes them (`greedy`, `mcts:50`, a checkpoint's path, with `@argmax` or `@0.5`
            appended) or Players. Each other seat draws one of them, with equal probabilities, when a game begins, and
            keeps it for that game. A player that is named twice is drawn twice as often.
        seat: of the learner, from 0, or "random": drawn for each game.
        seed: 0..2^64-1, of the games, the draws and the opponents' random streams until `seed()` sets another one.
            None: drawn from the system's entropy.
        render_mode: None, or "rgb_array": `render()` shows the learner's view.

    Raises:
        ValueError: there is no such seat or player.
    """

    def __init__(
        self,
        game: Game,
        n: int,
        opponents: PlayerLike | Sequence[PlayerLike] = "random",
        seat: int | str = "random",
        seed: int | None = None,
        *,
        render_mode: str | None = None,
    ):
        seat = choice("seat", seat, (*range(game.num_players), "random"))
        self.players = as_players(game, opponents)
        if not self.players:
            raise ValueError("opponents must not be empty")
        self._fixed = None if seat == "random" else int(seat)
        first = int(as_seed(seed))
        self._session = SeatSession(Rows(game, n, first), self.players)
        super().__init__(self._session.rows, render_mode)
        self._seed_streams(first)

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each game, int8 [n]. `ResetNeeded` before the first `reset`."""
        self._need_games()
        return self._session.seats

    def reset(self) -> np.ndarray:
        """Start all games over and play until the learner is to move; return its views, float32 [n, F].

        After an error, for example of an opponent, the environment is unchanged.
        """
        with self._unchanged_after_errors():
            if self._seeds[0] is not None:
                self._seed_streams(self._seeds[0])
            self._start()
            self._session.idle[:] = 0
            self._seat(self._rows)
            self._play_on(np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, np.bool_), [])
        self._started()
        return self.games.observation.copy()

    def step_wait(self) -> Step:
        """Apply the learner's actions and play until it is to move again.

        After an error, for example of an opponent, the environment is unchanged.

        Returns:
            The learner's views [n, F] and rewards [n], whether each game has ended [n], and infos.
        """
        self._need_games()
        n = self.num_envs
        rewards, done = np.zeros(n, np.float32), np.zeros(n, np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(n)]
        with self._unchanged_after_errors():
            self._session.decide(self._rows, self._actions)
            self._settle(self._rows, rewards, done, infos)
            self._play_on(rewards, done, infos)
        return self.games.observation.copy(), rewards, done, infos

    def _viewers(self) -> list[int]:
        return self.seats.tolist()

    @contextmanager
    def _unchanged_after_errors(self) -> Iterator[None]:
        """Restore the games and the random streams if the body raises.

        Otherwise the learner would see the mask of the opponent that has failed, and decide in its place.
        """
        saved, rng = self._session.save(), self._rng
        state = rng.bit_generator.state
        try:
            yield
        except BaseException:
            self._session.restore(saved)
            self._rng, rng.bit_generator.state = rng, state
            raise

    def _seed_streams(self, seed: int) -> None:
        """Seed the opponents' random streams, one for each game, and the generator of the draws."""
        streams = np.random.default_rng([seed, 1]).integers(2**64, size=(self.num_envs, 1), dtype=np.uint64)
        self._session.rng[:] = streams
        self._rng = np.random.default_rng([seed, 2])

    def _seat(self, rows: np.ndarray) -> None:
        """Draw the seats of games that have just begun, and clear the memories there."""
        session, seats = self._session, self.game.num_players
        session.forget(rows)
        drawn = self._rng.integers(seats, size=len(rows))
        session.seats[rows] = drawn if self._fixed is None else self._fixed
        session.seating[rows] = self._rng.integers(len(self.players), size=(len(rows), seats))

    def _play_on(self, rewards: np.ndarray, done: np.ndarray, infos: list[dict[str, Any]]) -> None:
        """Let the other seats decide until the learner is to move in every game."""
        self._session.play_on(lambda rows: self._settle(rows, rewards, done, infos))

    def _settle(self, rows: np.ndarray, rewards: np.ndarray, done: np.ndarray, infos: list[dict[str, Any]]) -> None:
        """Record the results of games in `rows` that have just ended, and begin the next ones."""
        games, session = self.games, self._session
        ended = rows[games.done[rows]]
        for i in ended.tolist():
            if not session.asked[i]:
                session.idle[i] += 1
                continue
            seat = int(session.seats[i])
            rewards[i], done[i] = games.rewards[i, seat], True
            others = [self.players[k].name for p, k in enumerate(session.seating[i].tolist()) if p != seat]
            infos[i] = {
                **self._ended(i), "seat": seat, "opponents": others, "is_success": bool(rewards[i] > 0),
            }  # fmt: skip
        if (session.idle > MAX_STARTS).any():
            raise ValueError(f"the learner's seat had no decision in {MAX_STARTS} consecutive games")
        games.begin(ended)
        self._seat(ended)
