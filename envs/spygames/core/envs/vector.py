"""One seat of many games as a Gymnasium vector environment: what `gymnasium.make_vec` makes of the games.

    gymnasium.make_vec("spygames/AgentAvenue-v0", num_envs=1024, opponents="greedy")

`SeatVectorEnv` itself takes any `Game`, also one of your own.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spygames.core.basics.text import shown
from spygames.core.envs.single_seat import MAX_IGNORED, MOST_STARTS, Illegal, SingleEnv, SingleRenderMode
from spygames.core.game.bots import uniform
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rng import as_seed
from spygames.core.game.validation import choice, is_whole, may_do, same, whole
from spygames.core.pictures.raster import pixels
from spygames.core.pictures.render import FPS, draw
from spygames.core.players.player import PlayerLike
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import SeatSession

__all__ = ["SeatVectorEnv"]

Seen = tuple[np.ndarray, dict[str, Any]]
Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class SeatVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` games in each of which one seat is played, as `SingleEnv` plays it, and players sit in the others.

    Each row is what `SingleEnv` with the same arguments is: equal seeds and actions give equal games, byte for byte,
    some thirty times as fast as in Gymnasium's SyncVectorEnv. What `step` and `reset` return belongs to the caller.

    Observations: float32 [n, F]. Rewards: float64 [n], the seat's result at the end of its game, else 0. Infos, each
    with its `_key`, bool [n], as Gymnasium has them: `action_mask` int8 [n, A]; `seat` int64 [n]; `illegal_action` and
    `ignored` where an action was not legal.

    What happens when the game of a row has ended is the `autoreset_mode` (https://farama.org/Vector-Autoreset-Mode):

    - "NextStep": the next `step` begins a game there and ignores the row's action. Until then the row's mask is all
      ones, since any action will do, and code that draws from masks finds none of zeros.
    - "SameStep": the next game begins at once; `final_obs` and `final_info` have the end of the one before, whose mask
      is all zeros.
    - "Disabled": nothing begins until `reset(options={"reset_mask": bool [n]})`, before which `step` raises. The mask
      is all zeros.

    Args:
        game: what is played.
        num_envs: n, how many games.
        opponents, seat, illegal, render_mode, max_ignored: as of `SingleEnv`, for each row.
        autoreset_mode: an `AutoresetMode` or its value.
        max_episode_steps: steps after which the game of a row is truncated, at least 1, as Gymnasium's `TimeLimit`
            counts them; None or -1: none.
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
        self._fixed = np.full(n, NOBODY if single.fixed_seat is None else single.fixed_seat, np.int64)
        self._session.seed(np.arange(n), np.random.SeedSequence().generate_state(n, np.uint64))
        self._begun = False  # whether there was a `reset`
        self._ignored = np.zeros(n, np.int64)  # illegal actions in a row
        self._elapsed = np.zeros(n, np.int64)  # steps of the game
        unlimited = max_episode_steps is None or same(max_episode_steps, -1)
        self.max_episode_steps = None if unlimited else whole("max_episode_steps", max_episode_steps, 1)
        self._over = np.zeros(n, np.bool_)  # rows whose game is over or cut off
        self._rows = np.arange(n)

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None) -> Seen:
        """Begins games, and plays until the seat is asked in each.

        Args:
            seed: of row 0, and row i has `seed + i`, 0..2^64-1; or one a row, None where the row's stream goes on, as
                it does everywhere for None.
            options: {"state": ...} and {"seat": ...} as of `SingleEnv.reset`, for all rows; {"reset_mask": bool [n]}:
                only these rows begin anew, the others stay as they are.

        Returns:
            Observations float32 [n, F] and infos; with a `reset_mask` the infos are those of its rows.

        Raises:
            ValueError: a seed, an option or a state is wrong; PlayerFailed: a player did not answer. All games are then
                as they were.
        """
        options = dict(options or {})
        rows = self._mask_rows(options.pop("reset_mask", None))
        fixed = self._fixed
        if "seat" in options:
            number = self._single.read_seat(options.pop("seat"))
            fixed = np.full(self.num_envs, NOBODY if number is None else number)
        if unknown := [key for key in options if key != "state"]:
            warnings.warn(f"reset options {shown(unknown)} are unknown and do nothing", stacklevel=2)
        seeds = self._seeds(seed)
        if not self._begun and len(rows) < self.num_envs:
            raise ResetNeeded("no games have begun: call reset() without a reset_mask first")
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
        super().reset(seed=int(seed) if is_whole(seed) else None)  # `np_random`, from which nothing is drawn here
        return self.games.observation.copy(), self._infos(rows)

    def step(self, actions: np.ndarray) -> Step:
        """The seat's decision in each game, and everybody else's until its next one.

        Args:
            actions: whole numbers [n]; in the mode "NextStep" those of rows that begin anew are ignored.

        Returns:
            Observations [n, F], rewards [n], terminations bool [n], truncations bool [n], infos.

        Raises:
            IllegalAction: an action is none, or not legal with `illegal="raise"`; PlayerFailed: a player did not
                answer. All games are then as they were.
            ResetNeeded: before the first `reset`, or in the mode "Disabled" where a game is over.
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
        except BaseException:
            self._put_back(before)
            raise
        if why:
            self._single.warn(next(iter(why.values())), stacklevel=2)
        return games.observation.copy(), rewards, terminations, truncations, infos

    @property
    def games(self) -> Rows:
        """The games."""
        return self._session.rows

    def action_masks(self) -> np.ndarray:
        """What `infos["action_mask"]` said last, bool [n, A]."""
        return self._masks().astype(np.bool_)

    def render(self) -> tuple[str, ...] | tuple[np.ndarray, ...] | None:  # type: ignore[override]
        """What the seat may know of each game: texts with `render_mode="ansi"`, pixels, uint8 [600, 800, 3], with
        "rgb_array"; None without a mode."""
        if self.render_mode is None:
            return None
        states, seats = self.games.states, self._session.seats.tolist()
        if self.render_mode == "ansi":
            return tuple(self.game.to_text(as_record(states, i), seat) for i, seat in enumerate(seats))
        return tuple(pixels(draw(self.game, states[i : i + 1], seat)) for i, seat in enumerate(seats))

    def _begin(self, rows: np.ndarray, fixed: np.ndarray, state: Mapping[str, Any] | None) -> None:
        """Begins games in `rows`, and plays on in all until the seat is asked."""
        self._draw(rows, fixed, state)
        self._settle(rows, fixed, state)
        self._session.play_on(lambda moved: self._settle(moved, fixed, state))

    def _draw(self, rows: np.ndarray, fixed: np.ndarray, state: Mapping[str, Any] | None) -> None:
        """Draws who sits where in games that begin, and from what they begin."""
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
        """Begins games again that have ended before the seat was asked."""
        session = self._session
        while len(idle := rows[(self.games.seats[rows] == NOBODY) & ~session.asked[rows]]):
            if state is not None:
                raise ValueError(f"seat {session.seats[idle[0]]} has nothing to decide from this state on")
            session.idle[idle] += 1
            if session.idle[idle].max() >= MOST_STARTS:
                seat = session.seats[session.idle.argmax()]
                raise ValueError(f"seat {seat} was not asked for one decision in {MOST_STARTS} games")
            self._draw(idle, fixed, None)

    def _results(self, moved: np.ndarray, refused: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rewards, terminations and truncations of a step, [n] each: of rows that have moved and of those whose action
        was refused."""
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
        """The infos of a step; in the mode "SameStep" it begins the next games."""
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
        """Infos of `rows`, as Gymnasium gathers those of single environments."""
        n, there = self.num_envs, np.zeros(self.num_envs, np.bool_)
        there[rows] = True
        masks, seats = self._masks(), self._session.seats.astype(np.int64)
        masks[~there], seats[~there] = 0, 0
        infos: dict[str, Any] = {"action_mask": masks, "_action_mask": there, "seat": seats, "_seat": there.copy()}
        if why:
            texts, said = np.full(n, None, object), np.zeros(n, np.bool_)
            for row, text in why.items():
                texts[row], said[row] = text, True
            infos |= {"illegal_action": texts, "_illegal_action": said}
        if ignored is not None and len(ignored):
            counts, counted = np.zeros(n, np.int64), np.zeros(n, np.bool_)
            counts[ignored], counted[ignored] = self._ignored[ignored], True
            infos |= {"ignored": counts, "_ignored": counted}
        return infos

    def _masks(self) -> np.ndarray:
        """What may be done in each row, int8 [n, A], a copy."""
        masks = self.games.arrays.allowed.copy()
        masks[self._over] = self.autoreset_mode is AutoresetMode.NEXT_STEP
        return masks

    def _checked(self, actions: Any) -> np.ndarray:
        """The actions as int64 [n], 0 in rows that begin anew; raises what `step` does."""
        if not self._begun:
            raise ResetNeeded("no games have begun: call reset() first")
        if self.autoreset_mode is not AutoresetMode.NEXT_STEP and self._over.any():
            raise ResetNeeded(
                f"the game of row {self._over.argmax()} is over: call reset(options={{'reset_mask': ...}}) first"
            )
        found = np.asarray(actions)
        if found.shape != (self.num_envs,) or found.dtype.kind not in "iu":
            raise IllegalAction(
                f"actions must be whole numbers of shape ({self.num_envs},), not {found.dtype} of shape {found.shape}"
            )
        found = np.where(self._over, 0, found)
        if (wrong := (found < 0) | (found >= self.game.num_actions)).any():
            row = int(wrong.argmax())
            raise IllegalAction(f"row {row}: action {found[row]} is not in 0..{self.game.num_actions - 1}")
        return found.astype(np.int64)

    def _why(self, row: int, action: int) -> str:
        """What is wrong with an action that is not legal."""
        s, seat = as_record(self.games.states, row), int(self._session.seats[row])
        text = self.game.action_to_string(s, action, seat)
        may = may_do(self.game, s, seat, self.games.arrays.allowed[row])
        return f"action {action} ({text!r}) is not legal; {may}"

    def _replaced(self, actions: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The actions with random legal ones in `rows`, drawn from the players' streams there."""
        actions = actions.copy()
        for i in rows.tolist():
            legal = np.flatnonzero(self.games.arrays.allowed[i])
            actions[i] = legal[uniform(self._session.rng[i], len(legal))]
        return actions

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[np.uint64 | None]:
        """The seed of each row; None where its stream continues."""
        n = self.num_envs
        if seed is None:
            return [None] * n
        if is_whole(seed):
            seed = [int(seed) + i for i in range(n)]
        if isinstance(seed, str) or not isinstance(seed, Sequence | np.ndarray) or len(seed) != n:
            raise ValueError(f"seed must be a whole number or {n} of them, one a row, not {shown(seed)}")
        return [None if each is None else as_seed(each) for each in seed]

    def _mask_rows(self, mask: Any) -> np.ndarray:
        """The rows of a `reset_mask`; all for None."""
        if mask is None:
            return self._rows
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"reset_mask must be a bool array of shape ({self.num_envs},), not {shown(mask)}")
        if not mask.any():
            raise ValueError("reset_mask must have a row that begins anew")
        return np.flatnonzero(mask)

    def _kept(self) -> tuple[Any, ...]:
        """The games as they are, for `_put_back`."""
        arrays = (self._ignored, self._elapsed, self._over)
        return self._session.save(), arrays, [array.copy() for array in arrays]

    def _put_back(self, kept: tuple[Any, ...]) -> None:
        """The games are again as they were."""
        session, arrays, copies = kept
        for array, copy in zip(arrays, copies, strict=True):
            array[...] = copy
        self._session.restore(session)
