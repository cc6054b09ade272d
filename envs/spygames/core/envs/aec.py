"""The PettingZoo AEC environment of all games. A step is one compiled call on the state.

There is no parallel environment: seats decide one after the other, and a waiting seat has no legal action.
"""

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypedDict, TypeVar, overload

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Dict, Space
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable

from spygames.core.basics.text import shown
from spygames.core.basics.whole_numbers import is_whole
from spygames.core.envs import snapshot
from spygames.core.envs.aec_step import calls, look
from spygames.core.envs.spaces import Actions, feature_box
from spygames.core.game.fields import NamedRecord
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.played import Played
from spygames.core.game.rng import as_seed, next_seed
from spygames.core.game.seen import Event
from spygames.core.game.validation import because, check_game, may_do, reset_options
from spygames.core.pictures.picture import Picture
from spygames.core.pictures.raster import check_width, pixels
from spygames.core.pictures.render import FPS, MODES, Renderer
from spygames.core.svg.colours import Theme
from spygames.core.svg.pen import Size

__all__ = ["GameEnv", "Observation", "View"]

V = TypeVar("V")
_FLOAT32, _INT8 = np.dtype(np.float32), np.dtype(np.int8)
_SHOWN = (
    "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos",
    "_observation",
)  # fmt: skip
"""AEC attributes derived from the state and the number of removed agents."""


class Observation(TypedDict):
    """The observation of an agent: what its seat may know and do.

    Example:
        >>> from spygames import agent_avenue_v0
        >>> env = agent_avenue_v0.env()
        >>> env.reset(seed=1)
        >>> observation = env.observe("player_0")
        >>> observation["observation"].shape, observation["action_mask"].shape
        ((160,), (74,))
    """

    observation: np.ndarray[tuple[int], np.dtype[np.float32]]
    """float32 [F], the view as one vector"""
    action_mask: np.ndarray[tuple[int], np.dtype[np.int8]]
    """int8 [A], 1 where an action is legal; zeros for a waiting seat"""


Last = tuple[V, float, bool, bool, dict[str, Any]]


View = NamedRecord
"""What a seat may know, by the field names of the game's VIEW: `view.hand_size` or `view["hand_size"]`."""


class GameEnv(AECEnv[str, Any, Any], Generic[V]):
    """A game as a PettingZoo AEC environment with the agents `player_0`, `player_1`, ...

    The observation of an agent is `{"observation": float32 [F], "action_mask": int8 [A]}`: what its seat may know, and
    1 for each legal action. The mask is also in `infos[agent]["action_mask"]`. It is all zeros for waiting agents, and
    for all agents once the game is over. Each step makes new arrays, which the caller may keep or change.

    Rewards are 0 until the end, where each agent gets the result of its seat. Then each agent is stepped once with
    None, as in every AEC environment. A game that is cut off is truncated, not terminated, and all results are 0.

    A malformed or illegal action raises IllegalAction. The game is unchanged then and can continue.

    Example:
        >>> from spygames import GameEnv, make_game
        >>> env = GameEnv(make_game("agent_avenue_v0"))
        >>> env.reset(seed=1)
        >>> for agent in env.agent_iter():
        ...     observation, reward, termination, truncation, info = env.last()
        ...     over = termination or truncation
        ...     env.step(None if over else env.action_space(agent).sample(info["action_mask"]))
        >>> env.agents
        []

    Args:
        game: the game to play.
        render_mode: "ansi" (`render()` returns text), "rgb_array" (it returns pixels), "human" (it shows pixels) or
            None (it does nothing).
        render_viewer: the agent whose knowledge `render()` draws; None: everything, including hidden cards.

    Raises:
        ValueError: the render mode or the agent does not exist.
    """

    def __init__(self, game: Game[V], render_mode: str | None = None, render_viewer: str | None = None):
        super().__init__()
        check_game(game)
        self.metadata = {
            "name": game.id, "render_modes": list(MODES), "render_fps": FPS, "is_parallelizable": False,
        }  # fmt: skip
        self.game, self.render_viewer = game, render_viewer
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._viewer(render_viewer)
        self.renderer = Renderer(game, render_mode)
        """The object that draws the game."""
        self.render_mode = self.renderer.mode
        self.state_space = Box(0, 255, (game.state_dtype.itemsize,), np.uint8)
        self._num_features, self._num_actions = game.num_features, game.num_actions
        self.observation_spaces = {
            agent: Dict(
                observation=feature_box(game),
                action_mask=Box(0, 1, (game.num_actions,), np.int8),
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Actions(game.num_actions) for agent in self.possible_agents}
        self._raw = np.zeros(game.state_dtype.itemsize, np.uint8)  # the bytes of the STATE, which are faster to pass
        self._begun = False  # whether there was a `reset`
        self._played = Played()  # the current game since its first position, for `history`
        self.to_move = NOBODY
        """The seat to move; NOBODY when the game is over and before the first `reset`."""
        self._gone = 0  # number of agents that were stepped since the end
        self._seed = np.uint64(0)  # the seed of the current game
        self._observation: Observation | None = None
        self._calls = calls(game)
        self._show()

    @property
    def unwrapped(self) -> Self:
        """The environment itself, which has no wrappers."""
        return self

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of `observe(agent)`, always the same object."""
        return self.observation_spaces[self.possible_agents[self.seat(agent)]]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space Discrete(A) of an agent, always the same object. `sample(mask)` draws a legal action."""
        try:
            return self.action_spaces[agent]
        except (KeyError, TypeError):
            return self.action_spaces[self.possible_agents[self.seat(agent)]]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Yield `agent_selection` until the game is over and all agents have been stepped with None.

        The body of the loop must call `step` exactly once.

        Raises:
            ResetNeeded: no game has begun.
        """
        self._current()
        return super().agent_iter(max_iter)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game. After an error the environment is unchanged.

        Args:
            seed: 0..2^64-1, which determines all chance of the game. None: the seed that follows the last game's
                (`spygames.authoring.next_seed`); for the first game a seed from the system's entropy.
            options: {"state": mapping} begins from a position in the form of `state_to_dict`. If the mapping has no
                `rng`, the seed of the game is used. Other keys are ignored with a warning.

        Raises:
            ValueError: the seed or the options have a wrong type or range.
            ImpossibleState: the mapping is not a valid position.
        """
        game, chosen = self.game, self._next_seed(seed)
        mapping = reset_options(options, ("state",)).get("state")
        raw = np.zeros_like(self._raw)
        if mapping is None:
            self._calls.init(game.packed, raw, chosen)
        else:
            if isinstance(mapping, Mapping) and mapping.get("rng") is None:
                mapping = {**mapping, "rng": int(chosen)}
            game.state_from_dict(mapping, as_record(raw.view(game.state_dtype)))
        self._begin(raw, chosen, 0)
        self.renderer.forget()

    def step(self, action: int | np.integer[Any] | None) -> None:
        """Apply the action of `agent_selection`.

        Args:
            action: 0..A-1, or None once the game is over.

        Raises:
            IllegalAction: the action is malformed or not legal. Nothing has changed then.
            ResetNeeded: no game has begun, or all agents have been stepped with None.
        """
        seat = self.to_move
        if seat < 0:
            self._dead_step(action)
            return
        if type(action) is not int:
            action = int(action) if type(action) is np.int64 else self._number(action)
        size = self._num_actions
        if not 0 <= action < size:
            raise self._illegal(f"action must be 0..{size - 1}, not {shown(action)}")
        features, mask = np.empty(self._num_features, _FLOAT32), np.empty(size, _INT8)
        moves = self.renderer.moves
        before = None if moves is None else self._raw.copy()
        legal, to_move = self._calls.step(self._raw, action, features, mask)
        if not legal:
            why = because(self.game, as_record(self._states), action, seat)
            raise self._illegal(f"action {action} ({self.action_to_string(action)!r}) is not legal{why}")
        self._played.actions.append(action)
        if before is not None and moves is not None:
            moves.append((before.view(self.game.state_dtype), action))
        if to_move >= 0:
            self.to_move = to_move
            infos, agents = self.infos, self.possible_agents
            if to_move != seat:
                infos[agents[seat]] = {"action_mask": np.zeros(size, _INT8)}
                self.agent_selection = agents[to_move]
            infos[agents[to_move]] = {"action_mask": mask.copy()}
            self._observation = {"observation": features, "action_mask": mask}
        else:
            self.to_move = NOBODY
            self._show()

    @overload
    def last(self, observe: Literal[True] = True) -> Last[Observation]: ...
    @overload
    def last(self, observe: Literal[False]) -> Last[None]: ...
    @overload
    def last(self, observe: bool) -> Last[Observation | None]: ...
    def last(self, observe: bool = True) -> Last[Observation | None]:
        """Return observation, reward, termination, truncation and info of `agent_selection`.

        The observation is None if `observe` is False.
        """
        observation = None
        if observe:
            # `step` has made these arrays. The first caller may change them, so a later call makes new ones with the
            # same values.
            observation = self._observation
            self._observation = None
            if observation is None:
                observation = self.observe(self.agent_selection)
        try:
            agent = self.agent_selection
            return (
                observation,
                self._cumulative_rewards[agent],
                self.terminations[agent],
                self.truncations[agent],
                self.infos[agent],
            )
        except KeyError:
            raise self._no_game() from None

    def observe(self, agent: str) -> Observation:
        """Return what `agent` may know and do now, in new arrays."""
        features, mask = self._look(self.seat(agent))
        return {"observation": features, "action_mask": mask}

    def view(self, agent: str) -> V:
        """Return what `agent` may know now by name: a copy of its VIEW, whose fields are float32."""
        features, _ = self._look(self.seat(agent))
        return features.view(self.game.view_dtype)[0]

    def history(self, agent: str, *, since_own: bool = False) -> list[Event]:
        """Return what `agent` has seen in this game, one record of plain JSON values for each decision, oldest first.

        The history begins with the game, or with the position from `reset(options={"state": ...})`, `restore` or
        `determinize`. What the agent knew at the beginning is in its observation, not in the events.

        Example:
            >>> from spygames import agent_avenue_v0
            >>> env = agent_avenue_v0.env()
            >>> env.reset(seed=1)
            >>> env.step(env.string_to_action("discard saboteur"))
            >>> [event["text"] for event in env.history("player_1")]
            ['player_0 discards a card']

        Args:
            agent: the agent.
            since_own: only the events since the agent's last decision, this decision included; all events if it has
                not decided yet.

        Raises:
            ValueError: the agent does not exist.
            ResetNeeded: no game has begun.
        """
        seat = self.seat(agent)
        self._current()
        return self._played.events(self.game, seat, since_own)

    def state(self) -> np.ndarray:
        """Return the bytes of the STATE, uint8 [state_space]. They include hidden cards and future chance."""
        return self._current().copy()

    def state_to_dict(self) -> dict[str, Any]:
        """Return the STATE as a mapping of JSON values, which `reset(options={"state": ...})` reads."""
        return self.game.state_to_dict(as_record(self._states))

    def action_to_string(self, action: int, agent: str | None = None) -> str:
        """Return the text of an action of `agent`, by default the agent to move."""
        number, seat = self._number(action), self._seat_or_mover(agent)
        if not 0 <= number < self.game.num_actions:
            raise IllegalAction(f"action must be 0..{self.game.num_actions - 1}, not {shown(number)}")
        return self.game.action_to_string(as_record(self._states), number, seat)

    def string_to_action(self, text: str, agent: str | None = None) -> int:
        """Return the action with a text, the inverse of `action_to_string`.

        Raises:
            ValueError: no action of this game has this text.
        """
        return self.game.string_to_action(as_record(self._states), text, self._seat_or_mover(agent))

    def to_text(self, agent: str | None = None) -> str:
        """Draw what `agent` may know as text; None: everything."""
        return self.game.to_text(as_record(self._states), self._viewer(agent))

    def to_svg(self, agent: str | None = None, *, theme: Theme = "dark", size: Size = "full") -> Picture:
        """Draw what `agent` may know as a picture, which notebooks display; None: everything.

        This needs no extra. With the render modes "rgb_array" and "human" the picture also shows the last moves.

        Args:
            agent: the agent that sees the picture.
            theme: "dark", "light", or "auto" for SVG that follows the `color-scheme` of its page.
            size: "full", "portrait" for a phone, or "compact" for a thumbnail. Other games may have the first only.

        Raises:
            ValueError: the agent does not exist, or the theme or the size is invalid.
        """
        return self.renderer.svg(self._states, self._viewer(agent), theme, size)

    def to_rgb(
        self, agent: str | None = None, width: int = 800, *, theme: Theme = "dark", size: Size = "full"
    ) -> np.ndarray:
        """Draw what `agent` may know as pixels, uint8 [height, width, 3]; None: everything.

        The height is 3/4 of the width; in the size "portrait" it is 35/16.

        Raises:
            ValueError: the agent does not exist, the width is not in 16..4096, or the theme or the size is invalid.
            DependencyNotInstalled: the extra `render` is missing.
        """
        width = check_width(width)
        return pixels(self.to_svg(agent, theme=theme, size=size), width, theme)

    def render(self) -> str | np.ndarray | None:
        """Draw what `render_viewer` may know; if it is None, everything, including hidden cards.

        `to_text`, `to_svg` and `to_rgb` draw for any agent.

        Returns:
            With `render_mode` "ansi" a text; with "rgb_array" pixels, uint8 [600, 800, 3]; with "human" None, and the
            pixels are shown in a notebook or a window.

        Raises:
            DependencyNotInstalled: an extra is missing; the message names it.
        """
        if self.render_mode is None:
            there = ", ".join(map(repr, MODES))
            warnings.warn(f"render() draws nothing: render_mode must be one of {there}, not None", stacklevel=2)
            return None
        return self.renderer.render(self._states, self._viewer(self.render_viewer))

    def close(self) -> None:
        """Close the window of `render`, if there is one."""
        self.renderer.close()

    def seat(self, agent: str) -> int:
        """Return the seat of an agent, such as 1 for `player_1`. Raises ValueError for an unknown agent."""
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise ValueError(f"agent must be one of {', '.join(self.possible_agents)}, not {shown(agent)}") from None

    def require_game(self) -> None:
        """Raise ResetNeeded unless a game is running."""
        if self.to_move < 0:
            raise self._no_game()

    def clone(self) -> Self:
        """Return an independent copy of the environment, with the same future chance.

        `copy.copy` does the same. The spaces are shared; `copy.deepcopy` copies them as well.
        """
        other = object.__new__(type(self))
        values = self.__dict__.copy()
        values["_raw"], values["renderer"], values["_played"] = (
            self._raw.copy(),
            self.renderer.copy(),
            self._played.copy(),
        )
        for name in _SHOWN:  # derived on first use, see `__getattr__`
            values.pop(name, None)
        other.__dict__ = values
        return other

    def determinize(self, agent: str, seed: int | None = None) -> Self:
        """Return a clone in which everything that `agent` cannot know is redrawn.

        The hidden part is drawn uniformly from all worlds that are consistent with the agent's view. Future chance and
        the games after a `reset` are redrawn as well. This environment is unchanged.

        Args:
            agent: the agent whose view is kept. It sees the same in the clone, except for earlier moves in pictures and
                in `history`. The rest of the clone depends only on this view and on `seed`, not on the true hidden
                state.
            seed: 0..2^64-1; None: a seed from the system's entropy.

        Raises:
            ValueError: the agent does not exist, or the seed is invalid.
            ResetNeeded: no game has begun.
        """
        seat, chosen = self.seat(agent), as_seed(seed)
        self._current()
        other = self.clone()
        other._seed = chosen  # the true seed would reveal what is hidden
        other.renderer.forget()  # the earlier positions would reveal it, too
        self.game.determinize(as_record(other._states), seat, chosen)
        other._played = Played(other._raw)
        return other

    def save(self) -> bytes:
        """Return the game as bytes for `restore`. They determine future chance and the games after a `reset`."""
        return snapshot.pack(self.game, self._current(), self._seed, self._gone)

    def restore(self, saved: bytes) -> None:
        """Continue from a saved game. Nothing in `saved` is executed.

        Args:
            saved: the result of `save` of an environment of the same game and options.

        Raises:
            ValueError: `saved` is invalid. The environment is unchanged then.
        """
        self._begin(*snapshot.unpack(self.game, saved))
        self.renderer.forget()

    def __repr__(self) -> str:
        return f"{self.game.id}({', '.join(f'{key}={value!r}' for key, value in self.game.options.items())})"

    def __copy__(self) -> Self:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_calls": None}

    def __setstate__(self, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._calls = calls(self.game)

    def _next_seed(self, seed: int | None) -> np.uint64:
        """Return the seed of the next game."""
        if seed is not None or not self._begun:
            return as_seed(seed)
        return np.uint64(next_seed(self._seed))

    if not TYPE_CHECKING:  # to a type checker the class would have every name

        def __getattr__(self, name: str) -> Any:
            """Derive the AEC attributes of a clone on first use."""
            if name not in _SHOWN:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            self._show()
            return self.__dict__[name]

    @property
    def _states(self) -> np.ndarray:
        """STATE [1], the memory of `_raw`. Raises ResetNeeded before the first `reset`."""
        return self._current().view(self.game.state_dtype)

    def _begin(self, raw: np.ndarray, seed: np.uint64, gone: int) -> None:
        """Make the state in `raw` the current game."""
        self._raw, self._seed, self._gone, self._begun, self._played = raw, seed, gone, True, Played(raw)
        self.to_move = int(self._states["to_move"][0])
        self._show()

    def _show(self) -> None:
        """Derive the AEC attributes from the state, whose `to_move` is known, and the number of removed agents."""
        self._observation = None
        if not self._begun:
            self.agents, self.agent_selection = [], self.possible_agents[0]
            self.rewards, self._cumulative_rewards = {}, {}
            self.terminations, self.truncations, self.infos = {}, {}, {}
            return
        game, gone = self.game, self._gone
        seat = self.to_move
        over = seat == NOBODY
        if over:
            seat = min(gone, game.num_players - 1)
        features, mask = self._look(seat)
        results = np.empty(game.num_players, np.float32)
        self._calls.results(self._raw, results)
        self.agents = agents = self.possible_agents[gone:]
        self.agent_selection = self.possible_agents[seat]
        self._cumulative_rewards = dict(zip(agents, results[gone:].tolist(), strict=True))
        # The last decision gives the results as rewards. Stepping finished agents with None gives no more.
        self.rewards = dict.fromkeys(agents, 0.0) if gone else dict(self._cumulative_rewards)
        cut_off = over and game.truncated is not None and bool(game.truncated(as_record(self._states)))
        self.terminations = dict.fromkeys(agents, over and not cut_off)
        self.truncations = dict.fromkeys(agents, cut_off)
        self.infos = {agent: {"action_mask": np.zeros(self._num_actions, _INT8)} for agent in agents}
        if agents:
            self.infos[self.agent_selection] = {"action_mask": mask.copy()}
            self._observation = {"observation": features, "action_mask": mask}

    def _look(self, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the view as a vector, and the mask, of a seat, in new arrays."""
        features = np.empty(self._num_features, np.float32)
        mask = np.empty(self._num_actions, np.int8)
        self._calls.step(self._current(), look(seat), features, mask)
        return features, mask

    def _dead_step(self, action: object) -> None:
        """Remove the next agent from a game that is over."""
        if not self.agents:
            raise self._no_game()
        if action is not None:
            raise IllegalAction(
                f"action of {self.agent_selection} must be None, because the game is over, not {shown(action)}"
            )
        self._gone += 1
        agent, *self.agents = self.agents
        for by_agent in (self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del by_agent[agent]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._observation = None
        if self.agents:
            self.agent_selection = self.agents[0]

    def _current(self) -> np.ndarray:
        """Return the bytes of the state. Raises ResetNeeded before the first `reset`."""
        if not self._begun:
            raise self._no_game()
        return self._raw

    def _no_game(self) -> ResetNeeded:
        why = "the game is over" if self._begun else "no game has begun"
        return ResetNeeded(f"{why}: call reset() first")

    def _number(self, action: Any) -> int:
        """Return an action as a plain integer. Raises IllegalAction for any other type."""
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action[()]
        if is_whole(action):
            return int(action)
        raise self._illegal(f"action must be an integer, not {shown(action)}")

    def _illegal(self, what: str) -> IllegalAction:
        """Return an error with the message `what`, the agent to move, and some of its legal actions."""
        if self.to_move < 0:
            return IllegalAction(what)
        _, mask = self._look(self.to_move)
        return IllegalAction(f"{what}; {may_do(self.game, as_record(self._states), self.to_move, mask)}")

    def _viewer(self, agent: str | None) -> int:
        """Return the seat of an agent; NOBODY for None."""
        return NOBODY if agent is None else self.seat(agent)

    def _seat_or_mover(self, agent: str | None) -> int:
        self._current()
        if agent is not None:
            return self.seat(agent)
        if self.to_move == NOBODY:
            raise ValueError("agent must be given, because the game is over and no agent is to move")
        return self.to_move
