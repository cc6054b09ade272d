"""One seat in many games as a Gymnasium vector environment.

    gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=1024, opponents="greedy")

`gymnasium.make_vec` makes a `SeatVectorEnv`. The class itself takes any `Game`, including your own.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import is_whole, whole
from spygames.core.envs.single_seat import MAX_IGNORED, MAX_STARTS, Illegal, SingleEnv, SingleRenderMode
from spygames.core.game.bots import uniform
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rng import as_seed
from spygames.core.game.seen import Event
from spygames.core.game.validation import because, choice, may_do, reset_options, same
from spygames.core.pictures.raster import pixels
from spygames.core.pictures.render import FPS, draw
from spygames.core.players.player import PlayerLike
from spygames.core.playing.courses import Courses
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import SeatSession

__all__ = ["SeatVectorEnv"]

Seen = tuple[np.ndarray, dict[str, Any]]
Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class SeatVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """One seat in each of `num_envs` games as a Gymnasium vector environment, with players in the other seats.

    Each row plays the same games as a `SingleEnv` with the same arguments: equal seeds and actions give equal games,
    byte for byte. This is about 30 times as fast as Gymnasium's SyncVectorEnv. The caller owns the arrays that `step`
    and `reset` return.

    - Observations: float32 [n, F].
    - Rewards: float64 [n], 0 until the end of a row's game, then the result of the seat.
    - Infos: `action_mask`, int8 [n, A]; `seat`, int64 [n]; after illegal actions `illegal_action` and `ignored`. Each
      has a `_key`, bool [n], as in Gymnasium.

    The `autoreset_mode` says how a finished game restarts (https://farama.org/Vector-Autoreset-Mode):

    - "NextStep" (the default): the step that ends a game returns its last observation. The next `step` ignores the
      row's action, begins a new game, and returns its first observation with reward 0. This row after `terminated` is
      no decision, so do not learn from it. Until then the row's mask is all ones, because any action is accepted, and
      code that samples from masks meets no empty one.
    - "SameStep": the next game begins at once. The step that ends a game returns the first observation of the next
      one, so the row after `terminated` is an ordinary decision. `final_obs` and `final_info` describe the end of the
      finished game, with a mask of zeros.
    - "Disabled": a new game begins with `reset(options={"reset_mask": bool [n]})`. Until then the mask is all zeros,
      and `step` raises ResetNeeded.

    Example:
        >>> import numpy as np
        >>> from spygames import SeatVectorEnv, make_game
        >>> env = SeatVectorEnv(make_game("agent_avenue_v0"), num_envs=8, opponents="greedy")
        >>> observations, infos = env.reset(seed=1)
        >>> for _ in range(100):
        ...     actions = infos["action_mask"].argmax(1)  # the first legal action of each row
        ...     observations, rewards, terminations, truncations, infos = env.step(actions)
        >>> observations.shape
        (8, 160)

    Args:
        game: the game that all rows play.
        num_envs: n, the number of games.
        opponents, seat, illegal, render_mode, max_ignored: as in `SingleEnv`, for each row.
        autoreset_mode: an `AutoresetMode` or its value.
        max_episode_steps: number of steps after which a row's game is truncated, at least 1, counted as in Gymnasium's
            `TimeLimit`; None or -1: no limit.

    Raises:
        TypeError: an opponent is of a wrong type.
        ValueError: another argument is wrong, or no player has the given name.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        opponents: PlayerLike | Sequence[PlayerLike] = "random",
        seat: int | str = "random",
        illegal: Illegal = "ignore",
        render_mode: SingleRenderMode | None = None,
        max_ignored: int = MAX_IGNORED,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
    ):
        n = self.num_envs = whole("num_envs", num_envs, 1)
        self._single = single = SingleEnv(game, opponents, seat, illegal, render_mode, max_ignored)
        value = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self.autoreset_mode = AutoresetMode(choice("autoreset_mode", value, [mode.value for mode in AutoresetMode]))
        self.metadata = {**single.metadata, "render_fps": FPS, "autoreset_mode": self.autoreset_mode}
        self.game, self.render_mode = game, single.render_mode
        self.illegal, self.max_ignored = single.illegal, single.max_ignored
        self.single_observation_space, self.single_action_space = single.observation_space, single.action_space
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._session = SeatSession(Rows(game, n, 0), single.players)
        self._session.courses = Courses(self.games.arrays.memory)
        self._fixed = np.full(n, NOBODY if single.fixed_seat is None else single.fixed_seat, np.int64)
        self._session.seed(np.arange(n), np.random.SeedSequence().generate_state(n, np.uint64))
        self._begun = False  # whether there was a `reset`
        self._ignored = np.zeros(n, np.int64)  # number of successive illegal actions
        self._elapsed = np.zeros(n, np.int64)  # number of steps in the current game
        unlimited = max_episode_steps is None or same(max_episode_steps, -1)
        self.max_episode_steps = None if unlimited else whole("max_episode_steps", max_episode_steps, 1)
        self._over = np.zeros(n, np.bool_)  # rows whose game is over or cut off
        self._rows = np.arange(n)

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None) -> Seen:
        """Begin new games and play until the seat is to move in each. After an error all games are unchanged.

        Args:
            seed: the seed of row 0; row i uses `seed + i`, 0..2^64-1. Or a sequence with one seed per row. With None a
                row's random streams continue.
            options: {"state": ...} and {"seat": ...} as in `SingleEnv.reset`, for all rows. {"reset_mask": bool [n]}
                begins new games in these rows only. Other keys are ignored with a warning.

        Returns:
            Observations, float32 [n, F], and infos. With a `reset_mask` the infos are those of its rows.

        Raises:
            ValueError: a seed, an option or a state is wrong.
            PlayerFailed: an opponent gave no legal action.
            ResetNeeded: the first `reset` has a `reset_mask` that leaves out rows.
        """
        options = reset_options(options, ("state", "seat", "reset_mask"))
        rows = self._mask_rows(options.pop("reset_mask", None))
        fixed = self._fixed
        if "seat" in options:
            number = self._single.read_seat(options.pop("seat"))
            fixed = np.full(self.num_envs, NOBODY if number is None else number)
        seeds = self._seeds(seed)
        if not self._begun and len(rows) < self.num_envs:
            raise ResetNeeded("no game has begun: call reset() without a reset_mask first")
        before = self._kept()
        try:
            seeded = {row: each for row in rows.tolist() if (each := seeds[row]) is not None}
            self._session.seed(np.array(list(seeded), np.int64), list(seeded.values()))
            self._session.idle[rows], self._ignored[rows], self._elapsed[rows], self._over[rows] = 0, 0, 0, False
            self._begin(rows, fixed, options.get("state"))
        except BaseException:
            self._put_back(before)
            raise
        self._begun = True
        super().reset(seed=int(seed) if is_whole(seed) else None)  # seeds `np_random`, which this class does not use
        return self.games.observation.copy(), self._infos(rows)

    def step(self, actions: np.ndarray) -> Step:
        """Apply the seat's action in each game and the other players' actions until the seat's next decision.

        After an error all games are unchanged.

        Args:
            actions: int [n]. In the mode "NextStep" the actions of rows that begin a new game are ignored.

        Returns:
            Observations float32 [n, F], rewards float64 [n], terminations bool [n], truncations bool [n], infos.

        Raises:
            IllegalAction: an action is not an integer 0..A-1, or illegal with `illegal="raise"`.
            PlayerFailed: an opponent gave no legal action.
            ResetNeeded: no game has begun, or in the mode "Disabled" a game is over.
        """
        actions = self._checked(actions)
        games = self.games
        again = np.flatnonzero(self._over)
        going = np.flatnonzero(~self._over) if len(again) else self._rows
        refused = going[games.arrays.allowed[going, actions[going]] == 0]
        why = {i: self._why(i, int(actions[i])) for i in refused.tolist()}
        if why and self.illegal == "raise":
            row, text = next(iter(why.items()))
            raise IllegalAction(f"row {row}: {text}")
        before = self._kept()
        try:
            moved = going
            if why and self.illegal == "random":
                actions = self._replaced(actions, refused)
            elif why:
                moved = np.setdiff1d(going, refused, assume_unique=True)
            self._ignored[moved], self._ignored[again], self._elapsed[again] = 0, 0, 0
            self._elapsed[going] += 1
            self._session.decide(moved, actions)
            self._begin(again, self._fixed, None)
            rewards, terminations, truncations = self._results(moved, refused)
            self._over[:] = terminations | truncations
            ignored = refused if self.illegal == "ignore" else refused[:0]
            infos = self._end(why, ignored)
            if why:  # last, because a warning may be turned into an error
                self._single.warn(next(iter(why.values())), stacklevel=2)
        except BaseException:
            self._put_back(before)
            raise
        return games.observation.copy(), rewards, terminations, truncations, infos

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a shallow copy would share the games

    @property
    def games(self) -> Rows:
        """The games, one per row."""
        return self._session.rows

    def action_masks(self) -> np.ndarray:
        """Return the latest `infos["action_mask"]` as bool [n, A]. Raises ResetNeeded before the first `reset`."""
        self._need_games()
        return self._masks().astype(np.bool_)

    def history(self, row: int, *, since_own: bool = False) -> list[Event]:
        """Return what the seat has seen in the current game of one row, as `SingleEnv.history` does.

        In the mode "SameStep" the game after an end is already the next one.

        Args:
            row: the row, 0..n-1.
            since_own: only the events since the seat's last decision, this decision included.

        Raises:
            ValueError: the row does not exist.
            ResetNeeded: no game has begun.
        """
        row = whole("row", row, 0, self.num_envs - 1)
        self._need_games()
        assert self._session.courses is not None
        return self._session.courses.of(row).events(self.game, int(self._session.seats[row]), since_own)

    def render(self) -> tuple[str, ...] | tuple[np.ndarray, ...] | None:  # type: ignore[override]
        """Draw what the seat may know in each game.

        Returns:
            With `render_mode` "ansi" texts; with "rgb_array" pixels, uint8 [600, 800, 3] each; without one None.

        Raises:
            ResetNeeded: no game has begun.
        """
        if self.render_mode is None:
            return None
        self._need_games()
        states, seats = self.games.states, self._session.seats.tolist()
        if self.render_mode == "ansi":
            return tuple(self.game.to_text(as_record(states, i), seat) for i, seat in enumerate(seats))
        return tuple(pixels(draw(self.game, states[i : i + 1], seat)) for i, seat in enumerate(seats))

    def _begin(self, rows: np.ndarray, fixed: np.ndarray, state: Mapping[str, Any] | None) -> None:
        """Begin new games in `rows`, and let the players decide in all rows until the seat is to move."""
        self._draw(rows, fixed, state)
        self._settle(rows, fixed, state)
        self._session.play_on(lambda moved: self._settle(moved, fixed, state))

    def _draw(self, rows: np.ndarray, fixed: np.ndarray, state: Mapping[str, Any] | None) -> None:
        """Draw the seating and the seeds of new games in `rows`, and begin them."""
        if not len(rows):
            return
        session, states = self._session, None
        seeds = session.draw(rows, fixed)
        session.seating[rows] = self._single.seatings[session.seats[rows]]
        if state is not None:
            states = self.game.new_states(len(rows))
            for k in range(len(rows)):
                given = state
                if isinstance(state, Mapping) and state.get("rng") is None:
                    given = {**state, "rng": int(seeds[k])}
                self.game.state_from_dict(given, as_record(states, k))
        session.begin(rows, seeds, states)

    def _settle(self, rows: np.ndarray, fixed: np.ndarray, state: Mapping[str, Any] | None) -> None:
        """Begin new games where a game has ended before the seat had a decision."""
        session = self._session
        while len(idle := rows[(self.games.seats[rows] == NOBODY) & ~session.asked[rows]]):
            if state is not None:
                seat = session.seats[idle[0]]
                raise ValueError(f"seat {seat} has no decision from this state on: pass another state or seat")
            session.idle[idle] += 1
            if session.idle[idle].max() >= MAX_STARTS:
                seat = session.seats[session.idle.argmax()]
                raise ValueError(f"seat {seat} had no decision in {MAX_STARTS} games")
            self._draw(idle, fixed, None)

    def _results(self, moved: np.ndarray, refused: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return rewards, terminations and truncations of a step, [n] each.

        Args:
            moved: rows that have moved.
            refused: rows with an illegal action.
        """
        n, games = self.num_envs, self.games
        rewards, terminations, truncations = np.zeros(n), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        ended = moved[games.seats[moved] == NOBODY]
        rewards[ended] = games.rewards[ended, self._session.seats[ended]]
        truncations[ended] = games.cut_off[ended]
        terminations[ended] = ~games.cut_off[ended]
        if self.illegal == "lose":
            rewards[refused], terminations[refused] = self.game.lowest_return, True
        elif self.illegal == "ignore":
            self._ignored[refused] += 1
            truncations[refused] = self._ignored[refused] >= self.max_ignored
        if self.max_episode_steps is not None:
            truncations |= self._elapsed >= self.max_episode_steps
        return rewards, terminations, truncations

    def _end(self, why: Mapping[int, str], ignored: np.ndarray) -> dict[str, Any]:
        """Return the infos of a step. In the mode "SameStep" also begin the next games."""
        ended = np.flatnonzero(self._over)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not len(ended):
            return self._infos(self._rows, why, ignored)
        final_obs = np.full(self.num_envs, None, object)
        for i in ended.tolist():
            final_obs[i] = self.games.observation[i].copy()
        there = np.zeros(self.num_envs, np.bool_)
        there[ended] = True
        of_ended = {row: text for row, text in why.items() if there[row]}
        infos: dict[str, Any] = {
            "final_obs": final_obs,
            "_final_obs": there,
            "final_info": self._infos(ended, of_ended, ignored[there[ignored]]),
            "_final_info": there.copy(),
        }
        self._over[:], self._ignored[ended], self._elapsed[ended] = False, 0, 0
        self._begin(ended, self._fixed, None)
        of_others = {row: text for row, text in why.items() if not there[row]}
        return infos | self._infos(self._rows, of_others, ignored[~there[ignored]])

    def _infos(
        self, rows: np.ndarray, why: Mapping[int, str] | None = None, ignored: np.ndarray | None = None
    ) -> dict[str, Any]:
        """Return the infos of `rows`, in Gymnasium's form for vector environments."""
        n, there = self.num_envs, np.zeros(self.num_envs, np.bool_)
        there[rows] = True
        masks, seats = self._masks(), self._session.seats.astype(np.int64)
        masks[~there], seats[~there] = 0, 0
        infos: dict[str, Any] = {"action_mask": masks, "_action_mask": there, "seat": seats, "_seat": there.copy()}
        if why:
            texts, present = np.full(n, None, object), np.zeros(n, np.bool_)
            for row, text in why.items():
                texts[row], present[row] = text, True
            infos |= {"illegal_action": texts, "_illegal_action": present}
        if ignored is not None and len(ignored):
            counts, counted = np.zeros(n, np.int64), np.zeros(n, np.bool_)
            counts[ignored], counted[ignored] = self._ignored[ignored], True
            infos |= {"ignored": counts, "_ignored": counted}
        return infos

    def _masks(self) -> np.ndarray:
        """Return a copy of the masks of all rows, int8 [n, A]."""
        masks = self.games.arrays.allowed.copy()
        masks[self._over] = self.autoreset_mode is AutoresetMode.NEXT_STEP
        return masks

    def _checked(self, actions: Any) -> np.ndarray:
        """Return the actions as int64 [n], with 0 in rows that begin a new game. Raises as `step` does."""
        self._need_games()
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP and self._over.any():
            raise ResetNeeded(
                f"the game of row {self._over.argmax()} is over: call reset(options={{'reset_mask': ...}}) first"
            )
        found = np.asarray(actions)
        if found.shape != (self.num_envs,) or found.dtype.kind not in "iu":
            raise IllegalAction(
                f"actions must be integers of shape ({self.num_envs},), not {found.dtype} of shape {found.shape}"
            )
        found = np.where(self._over, 0, found)
        if (wrong := (found < 0) | (found >= self.game.num_actions)).any():
            row = int(wrong.argmax())
            raise IllegalAction(f"row {row}: action must be 0..{self.game.num_actions - 1}, not {found[row]}")
        return found.astype(np.int64)

    def _need_games(self) -> None:
        if not self._begun:
            raise ResetNeeded("no game has begun: call reset() first")

    def _why(self, row: int, action: int) -> str:
        """Return the error message for an illegal action."""
        s, seat = as_record(self.games.states, row), int(self._session.seats[row])
        text = self.game.action_to_string(s, action, seat)
        may = may_do(self.game, s, seat, self.games.arrays.allowed[row])
        return f"action {action} ({text!r}) is not legal{because(self.game, s, action, seat)}; {may}"

    def _replaced(self, actions: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Return the actions with random legal ones in `rows`, drawn from the players' random streams."""
        actions = actions.copy()
        for i in rows.tolist():
            legal = np.flatnonzero(self.games.arrays.allowed[i])
            actions[i] = legal[uniform(self._session.rng[i], len(legal))]
        return actions

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[np.uint64 | None]:
        """Return the seed of each row; None for rows whose random streams continue."""
        n = self.num_envs
        if seed is None:
            return [None] * n
        if is_whole(seed):
            seed = [int(seed) + i for i in range(n)]
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray) or len(seed) != n:
            raise ValueError(f"seed must be an integer or {n} integers, one per row, not {shown(seed)}")
        return [None if each is None else as_seed(each) for each in seed]

    def _mask_rows(self, mask: Any) -> np.ndarray:
        """Return the rows of a `reset_mask`; all rows for None."""
        if mask is None:
            return self._rows
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"reset_mask must be a bool array of shape ({self.num_envs},), not {shown(mask)}")
        if not mask.any():
            raise ValueError("reset_mask must be True for at least one row")
        return np.flatnonzero(mask)

    def _kept(self) -> tuple[Any, ...]:
        """Return a copy of the games, for `_put_back`."""
        arrays = (self._ignored, self._elapsed, self._over)
        return self._session.save(), arrays, [array.copy() for array in arrays]

    def _put_back(self, kept: tuple[Any, ...]) -> None:
        """Restore the games from `_kept`."""
        session, arrays, copies = kept
        for array, values in zip(arrays, copies, strict=True):
            array[...] = values
        self._session.restore(session)
