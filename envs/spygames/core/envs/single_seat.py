"""One seat of a game as a Gymnasium environment, with players in the other seats."""

import copy
import warnings
from collections.abc import Sequence
from typing import Any, Literal, Self, get_args

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.utils.seeding import np_random

from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import is_whole, whole
from spygames.core.envs.aec import GameEnv
from spygames.core.envs.spaces import Actions, feature_box
from spygames.core.game.bots import uniform
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rng import as_seed
from spygames.core.game.seen import Event
from spygames.core.game.validation import choice, reset_options
from spygames.core.pictures.picture import Picture
from spygames.core.pictures.raster import check_width, pixels
from spygames.core.pictures.render import FPS, PICTURED_MOVES, Move, draw
from spygames.core.players.names import as_players
from spygames.core.players.player import Player, PlayerLike
from spygames.core.playing.courses import Courses
from spygames.core.playing.rows import Rows
from spygames.core.playing.session import ROW, SeatSession
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import Size

__all__ = ["MAX_IGNORED", "SingleEnv"]

MAX_STARTS = 1000
"""Maximum number of successive games that may end before the seat has a decision."""
Illegal = Literal["ignore", "lose", "random", "raise"]
SingleRenderMode = Literal["ansi", "rgb_array"]
_MODES = get_args(SingleRenderMode)  # without "human", for which Gymnasium adds its own window

MAX_IGNORED = 100
"""Default for the number of successive illegal actions after which a game is truncated."""


class SingleEnv(gymnasium.Env[np.ndarray, Any]):
    """One seat of a game as a Gymnasium environment, with players in the other seats.

    A step applies the seat's action and then the other players' actions, until the seat is to move again or the game is
    over.

    - Observation: float32 [F], what the seat may know.
    - Mask: `info["action_mask"]`, int8 [A]; also `action_masks()`, bool [A], for MaskablePPO of sb3-contrib.
    - Reward: 0 until the end, then the result of the seat.
    - `info["seat"]`: the seat.

    If a game ends before the seat is to move, another one begins, up to 1,000 times.

    All chance, the drawn seat and the opponents' random stream follow from `reset(seed)`: equal seeds and actions give
    equal games, and one seed deals the same game to each `seat`. `np_random` is seeded for wrappers and users; the
    environment does not draw from it.

    Example:
        >>> from spygames import SingleEnv, make_game
        >>> env = SingleEnv(make_game("agent_avenue_v0"), opponents="greedy", seat=0)
        >>> observation, info = env.reset(seed=1)
        >>> terminated = truncated = False
        >>> while not (terminated or truncated):
        ...     action = env.action_space.sample(info["action_mask"])
        ...     observation, reward, terminated, truncated, info = env.step(action)
        >>> reward in (-1.0, 1.0)
        True

    Args:
        game: the game to play.
        opponents: the players of the other seats: one name (see `make_player`; `greedy`, `mcts:50`, the path of a
            checkpoint), Policy or Player for all of them, or a list with one for each other seat, lowest first.
        seat: the seat to play: a number, an agent's name (`player_1`), or "random": drawn for each game.
        illegal: the effect of an illegal action, an integer 0..A-1 that is not legal now. Algorithms without masks and
            Gymnasium's `check_env` send such actions. Except for "raise", the first one gives a warning, and
            `info["illegal_action"]` has the reason.

            - "ignore": nothing happens; the reward is 0. `info["ignored"]` counts successive illegal actions. At
              `max_ignored` the game is truncated, because a deterministic policy would repeat its action forever.
            - "lose": the game is over (terminated) with the reward `game.lowest_return`. The other players get no
              result.
            - "random": a random legal action is played instead. It follows from `reset(seed)`.
            - "raise": raise IllegalAction; the game is unchanged.

            Values that are not an integer 0..A-1 always raise IllegalAction.
        render_mode: the result of `render()`: None, "ansi" for text, "rgb_array" for pixels. Both show what the seat
            may know. For a window use `gymnasium.make(..., render_mode="human")`, which adds `HumanRendering`.
        max_ignored: number of successive illegal actions, at least 1, after which "ignore" truncates the game.

    Raises:
        TypeError: an opponent is of a wrong type.
        ValueError: another argument is wrong, or no player has the given name.
    """

    metadata = {"render_modes": [*_MODES], "render_fps": FPS}  # noqa: RUF012 (Gymnasium's form)
    """The render modes, and the frames per second of videos."""

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
        """The seat to play; None: it is drawn for each game."""
        self.opponents = self._seated(opponents)
        """The players of the other seats, lowest first."""
        self.observation_space = feature_box(game)
        self.action_space = Actions(game.num_actions)
        self.players = list({id(player): player for player in self.opponents}.values())
        """The opponents without repetitions."""
        self.seatings = seatings(game.num_players, [self.players.index(player) for player in self.opponents])
        """int64 [P, P]: for each seat to play, the index in `players` of the player in each seat."""
        self._session = self._new_session()
        self._warned = False
        self._ignored = 0  # number of successive illegal actions
        self._cut = False  # whether an illegal action has ended the game; the session's game is not over then

    def _new_session(self) -> SeatSession:
        moves = PICTURED_MOVES if self.render_mode == "rgb_array" else 0
        session = SeatSession(Rows(self.game, 1, 0, compiled=True), self.players, moves)
        session.seats[:] = NOBODY
        session.courses = Courses(session.rows.arrays.memory)
        session.seed(ROW, [as_seed(None)])
        return session

    @property
    def seat(self) -> int:
        """The seat to play in the current game; NOBODY before the first `reset`."""
        return int(self._session.seats[0])

    @property
    def env(self) -> GameEnv:
        """A copy of the current game as an AEC environment. Changes to the copy do not affect this environment."""
        env, rows = self._blank.clone(), self._session.rows
        if self.seat != NOBODY:
            env._begin(rows.states.view(np.uint8).copy(), rows.seeds[0], 0)
            assert self._session.courses is not None
            env._played = self._session.courses.of(0)
        return env

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a new game and play until the seat is to move. After an error the environment is unchanged.

        Args:
            seed: 0..2^64-1; None: the random streams continue.
            options: {"state": mapping} begins from a position, as in `GameEnv.reset`. {"seat": ...} sets the seat of
                this game. Other keys are ignored with a warning.

        Returns:
            The observation, float32 [F], and the info.

        Raises:
            ValueError: the seed or an option is wrong, or the seat has no decision from the given position on.
            ImpossibleState: the mapping is not a valid position.
            PlayerFailed: an opponent gave no legal action.
        """
        options = reset_options(options, ("state", "seat"))
        fixed = self.read_seat(options.pop("seat")) if "seat" in options else self.fixed_seat
        chosen = None if seed is None else as_seed(seed)
        saved = self._session.save()
        try:
            if chosen is not None:
                self._session.seed(ROW, [chosen])
            self._start(fixed, options)
        except BaseException:
            # After a failed reset the previous game continues.
            self._session.restore(saved)
            raise
        self._ignored, self._cut = 0, False
        super().reset(seed=None if seed is None else int(seed))
        return self._seen()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Apply the seat's action and the other players' actions until the seat's next decision.

        After an error the game is unchanged.

        Args:
            action: 0..A-1.

        Returns:
            observation, reward, terminated, truncated, info.

        Raises:
            IllegalAction: the action is not an integer 0..A-1, or illegal with `illegal="raise"`.
            PlayerFailed: an opponent gave no legal action. Other exceptions of an opponent are passed on.
            ResetNeeded: no game has begun, or the game is over.
        """
        session, rows, why = self._session, self._session.rows, ""
        if self._cut:
            raise ResetNeeded("the game is over: call reset() first")
        if self.seat == NOBODY or rows.seats[0] == NOBODY:
            self.env.require_game()  # raises
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
            session._decide(ROW, np.array([number]))
            session.play_on()
        except BaseException:
            session.restore(saved)  # otherwise the next action would be applied for the player that has failed
            raise
        self._ignored = 0
        observation, info = self._seen()
        if why:
            info["illegal_action"] = why
        over, cut_off = bool(rows.seats[0] == NOBODY), bool(rows.cut_off[0])
        reward = float(rows.rewards[0, self.seat]) if over else 0.0
        return observation, reward, over and not cut_off, over and cut_off, info

    def __copy__(self) -> Self:
        return copy.deepcopy(self)  # a shallow copy would share the games

    def determinize(self, seed: int | None = None) -> Self:
        """Return a copy in which everything that the seat cannot know is redrawn, see `GameEnv.determinize`.

        This environment is unchanged. The copy has the same opponents, with a new random stream. Their memory and
        history are empty, because these would reveal what the opponents hold. An opponent that keeps a game to itself
        (`python:CLASS`, `command:`, `llm:`) follows one game at a time: after a step of the copy it begins anew here,
        and is told the game so far. The copy shares the spaces, and so the generator of `action_space.sample()`.

        Args:
            seed: 0..2^64-1, seed of all draws and of later games; None: a seed from the system's entropy.

        Raises:
            ValueError: the seed is invalid.
            ResetNeeded: no game has begun.
        """
        if self.seat == NOBODY:
            raise ResetNeeded("no game has begun: call reset() first")
        chosen, other = as_seed(seed), object.__new__(type(self))
        other.__dict__ = self.__dict__.copy()  # it shares the opponents; the game is replaced below
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
        """Return the legal actions, bool [A]."""
        return self._mask().astype(np.bool_)

    def history(self, *, since_own: bool = False) -> list[Event]:
        """Return what the seat has seen in this game, one record of plain JSON values for each decision, oldest first.

        It is `GameEnv.history` of the seat. With `since_own` it has the last action of the seat, and the actions of
        the other players after it.

        Example:
            >>> from spygames import agent_avenue_v0
            >>> env = agent_avenue_v0.single_env(opponents="greedy", seat=0)
            >>> observation, info = env.reset(seed=1)
            >>> env.history()
            []

        Args:
            since_own: only the events since the seat's last decision, this decision included; all events if it has
                not decided yet.

        Raises:
            ResetNeeded: no game has begun.
        """
        self._states()
        assert self._session.courses is not None
        return self._session.courses.of(0).events(self.game, self.seat, since_own)

    def to_svg(self, *, theme: Theme = "dark", size: Size = "full") -> Picture:
        """Draw what the seat may know as a picture, which notebooks display. This needs no extra.

        With `render_mode="rgb_array"` the picture also shows the moves since the seat's last decision.

        Args:
            theme: "dark", "light", or "auto" for SVG that follows the `color-scheme` of its page.
            size: "full", "portrait" for a phone, or "compact" for a thumbnail. Other games may have the first only.

        Raises:
            ValueError: the theme or the size is invalid.
        """
        return draw(self.game, self._states(), self.seat, self._moves(), since_own=True, theme=theme, size=size)

    def to_rgb(self, width: int = 800, *, theme: Theme = "dark", size: Size = "full") -> np.ndarray:
        """Draw what the seat may know as pixels, uint8 [height, width, 3]; see `GameEnv.to_rgb`.

        Raises:
            ValueError: the width is not in 16..4096, or the theme or the size is invalid.
            DependencyNotInstalled: the extra `render` is missing.
        """
        width = check_width(width)
        return pixels(self.to_svg(theme=theme, size=size), width, theme)

    def render(self) -> str | np.ndarray | None:  # type: ignore[override]
        """Draw what the seat may know.

        Returns:
            With `render_mode` "ansi" a text; with "rgb_array" pixels, uint8 [600, 800, 3]; without one None.
        """
        if self.render_mode is None:
            return None
        return self.game.to_text(as_record(self._states()), self.seat) if self.render_mode == "ansi" else self.to_rgb()

    def _start(self, fixed: int | None, options: dict[str, Any]) -> None:
        """Begin a game in which the seat has a decision."""
        session, env, seat = self._session, self._blank.clone(), NOBODY
        fixed_seats = np.array([NOBODY if fixed is None else fixed])
        for _ in range(MAX_STARTS):
            seeds = session.draw(ROW, fixed_seats)
            seat = self.seat
            session.seating[:] = self.seatings[seat]
            env.reset(seed=int(seeds[0]), options=options)
            session.begin(ROW, seeds, env.state().view(self.game.state_dtype))
            session.play_on()
            if session.rows.seats[0] == seat:
                return
            if "state" in options:
                raise ValueError(f"seat {seat} has no decision from this state on: pass another state or seat")
        raise ValueError(f"seat {seat} had no decision in {MAX_STARTS} games")

    def _legal(self, action: Any) -> int:
        """Return the action as a plain number. Raises IllegalAction unless it is legal."""
        if not self._is_known(action) or not self._session.rows.arrays.allowed[0, int(action)]:
            self.env.step(action)  # raises
        return int(action)

    def _states(self) -> np.ndarray:
        """Return the STATE [1]. Raises ResetNeeded before the first `reset`."""
        if self.seat == NOBODY:
            self._blank.state()  # raises
        return self._session.rows.states

    def _moves(self) -> list[Move]:
        """Return the last moves, for pictures; empty without the render mode "rgb_array"."""
        if self.render_mode != "rgb_array" or self._session.notes is None:
            return []
        noted = self._session.notes.of(0)
        first = max(0, len(noted.actions) - PICTURED_MOVES)
        return [(noted.states[k : k + 1], int(noted.actions[k])) for k in range(first, len(noted.actions))]

    def _is_known(self, action: Any) -> bool:
        """Whether the action is an integer 0..A-1, legal or not."""
        number = action[()] if isinstance(action, np.ndarray) else action
        return is_whole(number) and 0 <= number < self.game.num_actions

    def _mask(self) -> np.ndarray:
        """Return a copy of the seat's mask, int8 [A]."""
        self._states()
        return self._session.rows.arrays.allowed[0] * np.int8(not self._cut)

    def _seen(self) -> tuple[np.ndarray, dict[str, Any]]:
        mask = self._mask()
        return self._session.rows.observation[0].copy(), {"action_mask": mask, "seat": self.seat}

    def _refused(self, why: str) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Return the result of a step with an illegal action that is ignored or loses the game."""
        lost = self.illegal == "lose"
        self._ignored += not lost
        self._cut = lost or self._ignored >= self.max_ignored
        observation, info = self._seen()
        info["illegal_action"] = why
        if not lost:
            info["ignored"] = self._ignored
        return observation, self.game.lowest_return if lost else 0.0, lost, self._cut and not lost, info

    def warn(self, why: str, stacklevel: int) -> None:
        """Warn about the first illegal action."""
        if not self._warned:
            self._warned = True
            effect = {"ignore": "was ignored", "lose": "lost the game", "random": "was replaced by a random one"}
            text = f"{why}: it {effect[self.illegal]}; use info['action_mask'] (further warnings are not shown)"
            warnings.warn(text, stacklevel=stacklevel + 1)

    def _seated(self, opponents: PlayerLike | Sequence[PlayerLike]) -> list[Player]:
        """Return the players of the other seats, lowest first."""
        game, others = self.game, self.game.num_players - 1
        players = as_players(game, opponents)
        if isinstance(opponents, str) or not isinstance(opponents, Sequence):
            players = players * others
        if len(players) != others:
            raise ValueError(f"opponents must be one player or one for each other seat ({others}), not {len(players)}")
        return players

    def read_seat(self, seat: int | str) -> int | None:
        """Return the number of a seat; None for "random"."""
        agents = self._blank.possible_agents
        if isinstance(seat, str) and seat in ("random", *agents):
            return None if seat == "random" else agents.index(seat)
        if is_whole(seat) and 0 <= seat < len(agents):
            return int(seat)
        raise ValueError(
            f"seat must be 0..{len(agents) - 1}, one of {', '.join(agents)}, or 'random', not {shown(seat)}"
        )


def seatings(seats: int, opponents: Sequence[int]) -> np.ndarray:
    """Return the seating for each seat to play, int64 [P, P], with NOBODY in that seat.

    Args:
        seats: P, the number of seats.
        opponents: the players of the P - 1 other seats, lowest first.
    """
    return np.array([[*opponents[:seat], NOBODY, *opponents[seat:]] for seat in range(seats)], np.int64)
