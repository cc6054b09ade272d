"""One seat of a game as an ordinary Gymnasium environment; players that you name sit in the other seats."""

import copy
import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random

from spygames.core.basics.text import shown
from spygames.core.envs.aec import GameEnv
from spygames.core.envs.spaces import Actions, feature_box
from spygames.core.game.bots import uniform
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rng import as_seed
from spygames.core.game.validation import choice, is_whole, whole
from spygames.core.pictures.picture import Picture
from spygames.core.pictures.raster import check_width, pixels
from spygames.core.pictures.render import FPS, PICTURED_MOVES, Move, draw
from spygames.core.players.names import as_players
from spygames.core.players.player import Player, PlayerLike
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import ROW, SeatSession
from spygames.core.svg.colours import Theme

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
    games, and a seed deals the same game to each `seat`. Nothing is drawn from `np_random`, which `reset(seed)` seeds
    for wrappers and users.
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
        self._blank = GameEnv(game, render_mode)
        self.fixed_seat = self.read_seat(seat)
        """The seat; None: it is drawn for each game."""
        self.opponents = self._seated(opponents)
        """The players of the other seats, lowest first."""
        self.observation_space = feature_box(game)
        self.action_space = Actions(game.num_actions)
        self.players = list({id(player): player for player in self.opponents}.values())
        """The opponents, each once."""
        self.seatings = seatings(game.num_players, [self.players.index(player) for player in self.opponents])
        """int64 [P, P], by the seat that is played: the player in each seat, an index of `players`."""
        self._session = self._new_session()
        self._warned = False
        self._ignored = 0  # illegal actions in a row
        self._cut = False  # whether an illegal action has ended the game, of which the session knows nothing

    def _new_session(self) -> SeatSession:
        moves = PICTURED_MOVES if self.render_mode == "rgb_array" else 0
        session = SeatSession(Rows(self.game, 1, 0, compiled=True), self.players, moves)
        session.seats[:] = NOBODY
        session.seed(ROW, [as_seed(None)])
        return session

    @property
    def seat(self) -> int:
        """The seat that is played; NOBODY before the first `reset`."""
        return int(self._session.seats[0])

    @property
    def env(self) -> GameEnv:
        """The game that is played as an AEC environment, a copy: what happens to it does not happen here."""
        env, rows = self._blank.clone(), self._session.rows
        if self.seat != NOBODY:
            env._begin(rows.states.view(np.uint8).copy(), rows.seeds[0], 0)
        return env

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
        chosen = None if seed is None else as_seed(seed)
        saved = self._session.save()
        try:
            if chosen is not None:
                self._session.seed(ROW, [chosen])
            self._start(fixed, options)
        except BaseException:
            # A reset that fails shows nobody a game that is not theirs.
            self._session.restore(saved)
            raise
        self._ignored, self._cut = 0, False
        super().reset(seed=None if seed is None else int(seed))
        return self._seen()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The seat's decision, and all others' until its next one: observation, reward, terminated, truncated, info.

        If a player raises, or answers what is not legal (IllegalAction), the game is as it was before the call.
        """
        session, rows, why = self._session, self._session.rows, ""
        if self._cut:
            raise ResetNeeded("the game is over: call reset() first")
        if self.seat == NOBODY or rows.seats[0] == NOBODY:
            self.env.require_game()  # it raises
        saved = session.save()
        try:
            number = self._legal(action)
        except IllegalAction as error:
            if self.illegal == "raise" or not self._is_known(action):
                raise
            why = str(error)
            self.warn(why, stacklevel=2)
            if self.illegal != "random":
                return self._refused(why)
            legal = np.flatnonzero(rows.arrays.allowed[0])
            number = int(legal[uniform(session.rng[0], len(legal))])
        try:
            session.decide(ROW, np.array([number]))
            session.play_on()
        except BaseException:
            session.restore(saved)  # else the next step would decide for the player that raised
            raise
        self._ignored = 0
        observation, info = self._seen()
        if why:
            info["illegal_action"] = why
        over, cut_off = bool(rows.seats[0] == NOBODY), bool(rows.cut_off[0])
        reward = float(rows.rewards[0, self.seat]) if over else 0.0
        return observation, reward, over and not cut_off, over and cut_off, info

    def determinize(self, seed: int | None = None) -> Self:
        """A copy in which all that the seat cannot know is drawn anew, uniformly among what its view allows; see
        `GameEnv.determinize`. This environment stays as it is.

        The opponents are the same players, with a random stream of their own there and, where they keep a memory or a
        history, an empty one: what they remember would tell what they hold.

        Args:
            seed: 0..2^64-1, of everything that is drawn, following games included; None: one of the system's entropy.

        Raises:
            ValueError: the seed is none.
            ResetNeeded: before the first `reset`.
        """
        if self.seat == NOBODY:
            raise ResetNeeded("no game has begun: call reset() first")
        chosen, other = as_seed(seed), copy.copy(self)
        redrawn = self.env.determinize(self._blank.possible_agents[self.seat], int(chosen))
        other._np_random, other._np_random_seed = np_random(int(chosen))
        other._session = session = self._new_session()
        session.seed(ROW, [chosen])
        session.draw(ROW, np.array([self.seat]))
        session.seats[:], session.seating[:] = self.seat, self.seatings[self.seat]
        session.begin(ROW, np.array([chosen]), redrawn.state().view(self.game.state_dtype))
        session.rows.look(ROW, session.seats)  # also the end of a game
        return other

    def action_masks(self) -> np.ndarray:
        """What is legal now, bool [A]."""
        return self._mask().astype(np.bool_)

    def to_svg(self, *, theme: Theme = "dark") -> Picture:
        """A picture of what the seat may know, which notebooks show; it needs no extra.

        With `render_mode="rgb_array"` it also shows what has happened since the seat's last decision.
        """
        return draw(self.game, self._states(), self.seat, self._moves(), since_own=True, theme=theme)

    def to_rgb(self, width: int = 800, *, theme: Theme = "dark") -> np.ndarray:
        """The same as pixels, uint8 [3/4 of the width, width, 3]; ValueError for a width that is not 16 to 4096,
        DependencyNotInstalled where the extra `render` is missing."""
        width = check_width(width)
        return pixels(self.to_svg(theme=theme), width, theme)

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """What the seat may know: a text with `render_mode="ansi"`, pixels, uint8 [600, 800, 3], with "rgb_array"."""
        if self.render_mode is None:
            return None
        return self.game.to_text(as_record(self._states()), self.seat) if self.render_mode == "ansi" else self.to_rgb()

    def _start(self, fixed: int | None, options: dict[str, Any]) -> None:
        """Begins a game in which the seat is asked."""
        session, env, seat = self._session, self._blank.clone(), NOBODY
        fixed_seats = np.array([NOBODY if fixed is None else fixed])
        for _ in range(MOST_STARTS):
            seeds = session.draw(ROW, fixed_seats)
            seat = self.seat
            session.seating[:] = self.seatings[seat]
            env.reset(seed=int(seeds[0]), options=options)
            session.begin(ROW, seeds, env.state().view(self.game.state_dtype))
            session.play_on()
            if session.rows.seats[0] == seat:
                return
            if "state" in options:
                raise ValueError(f"seat {seat} has nothing to decide from this state on")
        raise ValueError(f"seat {seat} was not asked for one decision in {MOST_STARTS} games")

    def _legal(self, action: Any) -> int:
        """The action as a plain number; IllegalAction says what is wrong with it."""
        if not self._is_known(action) or not self._session.rows.arrays.allowed[0, int(action)]:
            self.env.step(action)  # it raises
        return int(action)

    def _states(self) -> np.ndarray:
        """STATE [1]; ResetNeeded before the first `reset`."""
        if self.seat == NOBODY:
            self._blank.state()  # it raises
        return self._session.rows.states

    def _moves(self) -> list[Move]:
        """The last moves, where pictures show them."""
        if self.render_mode != "rgb_array" or self._session.notes is None:
            return []
        noted = self._session.notes.of(0)
        first = max(0, len(noted.actions) - PICTURED_MOVES)
        return [(noted.states[k : k + 1], int(noted.actions[k])) for k in range(first, len(noted.actions))]

    def _is_known(self, action: Any) -> bool:
        """Whether it is a whole number from 0 to A-1, legal or not."""
        number = action[()] if isinstance(action, np.ndarray) else action
        return is_whole(number) and 0 <= number < self.game.num_actions

    def _mask(self) -> np.ndarray:
        """What is legal for the seat, int8 [A], a copy."""
        self._states()
        return self._session.rows.arrays.allowed[0] * np.int8(not self._cut)

    def _seen(self) -> tuple[np.ndarray, dict[str, Any]]:
        mask = self._mask()
        return self._session.rows.observation[0].copy(), {"action_mask": mask, "seat": self.seat}

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
        agents = self._blank.possible_agents
        if isinstance(seat, str) and seat in ("random", *agents):
            return None if seat == "random" else agents.index(seat)
        if is_whole(seat) and 0 <= seat < len(agents):
            return int(seat)
        raise ValueError(
            f"seat must be 0..{len(agents) - 1}, one of {', '.join(agents)}, or 'random', not {shown(seat)}"
        )


def seatings(seats: int, opponents: Sequence[int]) -> np.ndarray:
    """Who sits in each seat when which one is played, int64 [P, P]; `opponents` [P - 1], lowest seat first."""
    return np.array([[*opponents[:seat], NOBODY, *opponents[seat:]] for seat in range(seats)], np.int64)
