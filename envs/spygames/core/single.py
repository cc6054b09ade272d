"""One seat of a game as an ordinary Gymnasium environment; players that you name sit in the other seats."""

import copy
import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random

from spygames.core.aec import GameEnv, Observation
from spygames.core.bots import uniform
from spygames.core.checks import choice, is_whole, whole
from spygames.core.game import NOBODY, Game, IllegalAction
from spygames.core.match import ask
from spygames.core.notes import Notes, new_notes
from spygames.core.picture import Picture
from spygames.core.player import Player, PlayerLike, new_memory
from spygames.core.players import as_players
from spygames.core.raster import check_width, pixels
from spygames.core.rendering import FPS
from spygames.core.rng import as_seed
from spygames.core.shown import shown
from spygames.core.spaces import Actions, feature_box

__all__ = ["MAX_IGNORED", "SingleEnv"]

MOST_STARTS = 1000
"""Games that are begun until the seat has something to decide."""
Illegal = Literal["ignore", "lose", "random", "raise"]
SingleRenderMode = Literal["ansi", "rgb_array"]
_MODES = get_args(SingleRenderMode)  # Gymnasium puts its own window around environments that do not name "human"

MAX_IGNORED = 100
"""Illegal actions in a row that are ignored, unless told otherwise, before the game is cut off."""


class SingleEnv(gymnasium.Env[np.ndarray, Any]):
    """Plays one seat; a step is its decision and everybody else's until it is asked again or the game is over.

    Observation: float32 [F], what the seat may know. Mask: `info["action_mask"]`, int8 [A], and `action_masks()`, bool
    [A], as MaskablePPO of sb3-contrib takes it. `info["seat"]` is the seat. Reward: the seat's result, at the end.

    Args:
        game: what is played.
        opponents: who sits in the other seats: a name as `make_player` takes it (`greedy`, `mcts:50`, the path of a
            checkpoint) or a Player, for all of them, or a list, one for each other seat from the lowest.
        seat: a number, an agent's name (`player_1`), or "random": drawn for each game.
        illegal: what a whole number from 0 to A-1 that is not legal does, as algorithms without masks and Gymnasium's
            `check_env` send it. But for "raise" it warns the first time and says why in `info["illegal_action"]`.

            - "ignore": nothing, with reward 0. `info["ignored"]` counts them in a row; at `max_ignored` the game is
              truncated, since a policy that does not change its mind would go on for ever.
            - "lose": the game is over (terminated), with `game.lowest_return` as the reward; the others get nothing.
            - "random": a legal action is played instead, drawn from the random stream of `reset(seed)`.
            - "raise": IllegalAction; the game is as it was.

            What is no such number raises IllegalAction always.
        render_mode: what `render()` returns of what the seat may know: None, "ansi" a text, "rgb_array" pixels. For a
            window say `gymnasium.make(..., render_mode="human")`, which puts `HumanRendering` around.
        max_ignored: illegal actions in a row, at least 1, at which "ignore" truncates the game.

    A game that ends before the seat is asked for a decision starts over, up to 1,000 times.

    Chance, the seat's draw and the opponents' random stream come from `reset(seed)`: equal seeds and actions give equal
    games.
    """

    metadata = {"render_modes": [*_MODES], "render_fps": FPS}  # noqa: RUF012 (Gymnasium's form)
    """Of the class, as Gymnasium wants it: the render modes, and pictures a second of a film."""

    def __init__(
        self,
        game: Game,
        opponents: PlayerLike | Sequence[PlayerLike] = "random",
        seat: int | str = "random",
        illegal: Illegal = "ignore",
        render_mode: str | None = None,
        max_ignored: int = MAX_IGNORED,
    ):
        illegal = choice("illegal", illegal, get_args(Illegal))
        render_mode = choice("render_mode", render_mode, (None, *_MODES))
        self.max_ignored = whole("max_ignored", max_ignored, 1)
        self.game, self.illegal, self.render_mode = game, illegal, render_mode
        self._blank = GameEnv(game, render_mode)  # each game begins in a copy of it
        self.env = self._blank.clone()
        """The game that is played."""
        self.fixed_seat = self.read_seat(seat)
        """The seat; None: it is drawn for each game."""
        self.opponents = self._seated(opponents)
        """The players of the other seats, lowest first."""
        self.seat = NOBODY
        self.observation_space = feature_box(game)
        self.action_space = Actions(game.num_actions)
        self._rng = np.zeros((1, 1), np.uint64)
        self._memory = new_memory(game, self.opponents)
        self._notes = new_notes(game, self.opponents)
        self._warned = False
        self._ignored = 0  # illegal actions in a row
        self._cut = False  # whether an illegal action has ended the game, of which `env` knows nothing

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deals, and plays until the seat is asked.

        seed: 0..2^64-1; None: the random stream continues. options: {"state": mapping} begins from a position,
        as `GameEnv.reset` does; ValueError if the seat has nothing to decide there. {"seat": ...} sets the seat of
        this game.

        If it raises, also in a player's decision, the environment is as it was.
        """
        options = dict(options or {})
        fixed = self.read_seat(options.pop("seat")) if "seat" in options else self.fixed_seat
        generator = self.np_random if seed is None else np_random(int(as_seed(seed)))[0]
        before = generator.bit_generator.state
        try:
            started = self._start(generator, fixed, options)
        except BaseException:
            generator.bit_generator.state = before
            raise
        # Nothing has changed before this line, so a reset that fails shows nobody a game that is not theirs.
        self.env, self.seat, self._rng, self._memory, self._notes = started
        self._ignored, self._cut = 0, False
        if seed is not None:
            self._np_random, self._np_random_seed = generator, int(seed)
        return self._seen()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The seat's decision, and all others' until its next one: observation, reward, terminated, truncated, info.

        If a player raises, or answers what is not legal (IllegalAction), the game is as it was before the call.
        """
        env, rng, memory, why = self.env, self._rng.copy(), self._memory.copy(), ""
        notes = copy.deepcopy(self._notes)
        if self._cut:
            raise ResetNeeded("the game is over: call reset() first")
        env.require_game()  # nobody but the seat is ever left to move
        before, renderer = env.save(), env.renderer.copy()
        states = None if notes is None else env.state().view(self.game.state_dtype)
        try:
            env.step(action)
        except IllegalAction as error:
            if self.illegal == "raise" or not self._is_known(action):
                raise
            why = str(error)
            self.warn(why, stacklevel=2)
            if self.illegal != "random":
                return self._refused(why)
            legal = np.flatnonzero(self._observe()["action_mask"])
            action = int(legal[uniform(rng[0], len(legal))])
            env.step(action)
        if notes is not None and states is not None:
            notes.add(states, np.array([int(action)]))
        try:
            self._play_on(env, self.seat, rng, memory, notes)
        except BaseException:
            env.restore(before)  # else the next step would decide for the player that raised
            env.renderer = renderer
            raise
        self._rng, self._memory, self._notes, self._ignored = rng, memory, notes, 0
        observation, info = self._seen()
        if why:
            info["illegal_action"] = why
        over = bool(env.to_move == NOBODY)  # np.bool_ where kernels run interpreted
        reward = env.rewards[env.possible_agents[self.seat]] if over else 0.0
        cut_off = over and env.truncations[env.possible_agents[self.seat]]
        return observation, reward, over and not cut_off, cut_off, info

    def determinize(self, seed: int | None = None) -> Self:
        """A copy in which all that the seat cannot know is drawn anew, uniformly among what its view allows; see
        `GameEnv.determinize`. This environment stays as it is.

        The opponents are the same players, with a random stream of their own there and, where they keep a memory, an
        empty one: what they remember would tell what they hold.

        Args:
            seed: 0..2^64-1, of everything that is drawn, following games included; None: one of the system's entropy.

        Raises:
            ValueError: the seed is none.
            ResetNeeded: before the first `reset`.
        """
        if self.seat == NOBODY:
            raise ResetNeeded("no game has begun: call reset() first")
        chosen, other = as_seed(seed), copy.copy(self)
        other.env = self.env.determinize(self.env.possible_agents[self.seat], int(chosen))
        other._np_random, other._np_random_seed = np_random(int(chosen))
        other._rng = other._np_random.integers(2**64, size=(1, 1), dtype=np.uint64)
        other._memory = new_memory(self.game, self.opponents)
        return other

    def action_masks(self) -> np.ndarray:
        """What is legal now, bool [A]."""
        return self._observe()["action_mask"].astype(np.bool_)

    def to_svg(self) -> Picture:
        """A picture of what the seat may know, which notebooks show; it needs no extra.

        With `render_mode="rgb_array"` it also shows what has happened since the seat's last decision.
        """
        states = self.env.state().view(self.game.state_dtype)
        return self.env.renderer.svg(states, self.seat, since_own=True)

    def to_rgb(self, width: int = 800) -> np.ndarray:
        """The same as pixels, uint8 [3/4 of the width, width, 3]; ValueError for a width that is not 16 to 4096,
        DependencyNotInstalled where the extra `render` is missing."""
        width = check_width(width)
        return pixels(self.to_svg(), width)

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """What the seat may know: a text with `render_mode="ansi"`, pixels, uint8 [600, 800, 3], with "rgb_array"."""
        if self.render_mode is None:
            return None
        return self.env.to_text(self.env.possible_agents[self.seat]) if self.render_mode == "ansi" else self.to_rgb()

    def _start(
        self, generator: np.random.Generator, fixed: int | None, options: dict[str, Any]
    ) -> tuple[GameEnv, int, np.ndarray, np.ndarray, Notes | None]:
        """A game in which the seat is asked, the seat, and the players' random stream, uint64 [1, 1], memory and
        notes."""
        env, seat = self._blank.clone(), NOBODY
        for _ in range(MOST_STARTS):
            seat = int(generator.integers(self.game.num_players)) if fixed is None else fixed
            streams = generator.integers(2**64, size=(1, 1), dtype=np.uint64)
            memory, notes = new_memory(self.game, self.opponents), new_notes(self.game, self.opponents)
            env.reset(seed=int(generator.integers(2**64, dtype=np.uint64)), options=options)
            self._play_on(env, seat, streams, memory, notes)
            if env.to_move == seat:
                return env, seat, streams, memory, notes
            if "state" in options:
                raise ValueError(f"seat {seat} has nothing to decide from this state on")
        raise ValueError(f"seat {seat} was not asked for one decision in {MOST_STARTS} games")

    def _play_on(self, env: GameEnv, seat: int, rng: np.ndarray, memory: np.ndarray, notes: Notes | None) -> None:
        """Lets the others decide until `seat` is asked or the game is over."""
        game = self.game
        while env.to_move not in (seat, NOBODY):
            observation, *_ = env.last()
            assert observation is not None
            states, seen = env.state().view(game.state_dtype), (observation["observation"], observation["action_mask"])
            player = self.opponents[env.to_move - (env.to_move > seat)]
            # What was legal would tell the seat which cards its opponent holds.
            action = ask(game, states, player, rng, memory, notes=notes, seen=seen, secret=True)
            env.step(action)
            if notes is not None:
                notes.add(states, np.array([action]))

    def _is_known(self, action: Any) -> bool:
        """Whether it is a whole number from 0 to A-1, legal or not."""
        number = action[()] if isinstance(action, np.ndarray) else action
        return is_whole(number) and 0 <= number < self.game.num_actions

    def _observe(self) -> Observation:
        observation = self.env.observe(self.env.possible_agents[self.seat])
        if self._cut:
            observation["action_mask"][:] = 0
        return observation

    def _seen(self) -> tuple[np.ndarray, dict[str, Any]]:
        observation = self._observe()
        return observation["observation"], {"action_mask": observation["action_mask"], "seat": self.seat}

    def _refused(self, why: str) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The answer to an illegal action that is ignored, or loses the game."""
        lost = self.illegal == "lose"
        self._ignored += not lost
        self._cut = lost or self._ignored >= self.max_ignored
        observation, info = self._seen()
        info["illegal_action"] = why
        if not lost:
            info["ignored"] = self._ignored
        return observation, self.game.lowest_return if lost else 0.0, lost, self._cut and not lost, info

    def warn(self, why: str, stacklevel: int) -> None:
        """Says once that an action was not legal, and what it did."""
        if not self._warned:
            self._warned = True
            did = {"ignore": "did nothing", "lose": "lost the game", "random": "was replaced by a random one"}
            said = f"{why}: it {did[self.illegal]}, see info['action_mask'] (said once)"
            warnings.warn(said, stacklevel=stacklevel + 1)

    def _seated(self, opponents: PlayerLike | Sequence[PlayerLike]) -> list[Player]:
        """The players of the other seats, lowest first."""
        game, others = self.game, self.game.num_players - 1
        players = as_players(game, opponents)
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            players = players * others
        if len(players) != others:
            raise ValueError(f"{game.id} has {others} other seats, but {len(players)} opponents are named")
        return players

    def read_seat(self, seat: int | str) -> int | None:
        """The number of a seat, None for "random"."""
        agents = self.env.possible_agents
        if isinstance(seat, str) and seat in ("random", *agents):
            return None if seat == "random" else agents.index(seat)
        if is_whole(seat) and 0 <= seat < len(agents):
            return int(seat)
        raise ValueError(
            f"seat must be 0..{len(agents) - 1}, one of {', '.join(agents)}, or 'random', not {shown(seat)}"
        )
