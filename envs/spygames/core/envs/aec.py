"""One PettingZoo environment for every game: it owns a state, and one compiled call makes a step of it.

There is no parallel form: seats decide one after the other, and whoever waits has nothing to choose from.
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
from spygames.core.envs import snapshot
from spygames.core.envs.aec_step import calls, look
from spygames.core.envs.spaces import Actions, feature_box
from spygames.core.game.fields import NamedRecord
from spygames.core.game.game import NOBODY, Game, IllegalAction, as_record
from spygames.core.game.rng import as_seed, next_seed
from spygames.core.game.validation import is_whole, may_do
from spygames.core.pictures.picture import Picture
from spygames.core.pictures.raster import check_width, pixels
from spygames.core.pictures.render import FPS, MODES, Renderer
from spygames.core.svg.colours import Theme

__all__ = ["GameEnv", "Observation", "View"]

V = TypeVar("V")
_FLOAT32, _INT8 = np.dtype(np.float32), np.dtype(np.int8)
_SHOWN = (
    "agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos",
    "_observation",
)  # fmt: skip
"""What an environment shows: all of it follows from the state and from how many agents are gone."""


class Observation(TypedDict):
    """What a seat may know and do."""

    observation: np.ndarray[tuple[int], np.dtype[np.float32]]
    """[F], the view as one vector"""
    action_mask: np.ndarray[tuple[int], np.dtype[np.int8]]
    """[A], 1 where legal, all zeros for a seat that waits"""


Last = tuple[V, float, bool, bool, dict[str, Any]]


View = NamedRecord
"""What a seat may know, by the names of the game's VIEW: `view.hand_size`, or `view["hand_size"]`."""


class GameEnv(AECEnv[str, Any, Any], Generic[V]):
    """A game as an AEC environment; agents are `player_0`, `player_1`, ...

    Observation of an agent: `{"observation": float32 [F], "action_mask": int8 [A]}`, what its seat may know and what it
    may do now (1: legal). The mask is also in `infos[agent]["action_mask"]`. Whoever waits has a mask of zeros, and so
    has everybody once the game is over. Each step makes new arrays, which are the caller's to keep or change.

    Rewards come once, at the end: the result of each seat. Then, as in every AEC environment, each agent is stepped
    once more with None. A game that is cut off is truncated, not terminated, and brings 0 to everybody.

    An action that is malformed or not legal raises IllegalAction, and the game stays as it was and can go on.

    Args:
        game: what is played.
        render_mode: what `render()` does: None nothing, "ansi" a text, "rgb_array" pixels, "human" shows them.
        render_viewer: the agent whose knowledge `render()` draws; None: everything, hidden cards included.

    ValueError says which modes and agents there are.
    """

    def __init__(self, game: Game[V], render_mode: str | None = None, render_viewer: str | None = None):
        super().__init__()
        self.metadata = {
            "name": game.id, "render_modes": list(MODES), "render_fps": FPS, "is_parallelizable": False,
        }  # fmt: skip
        self.game, self.render_viewer = game, render_viewer
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._viewer(render_viewer)
        self.renderer = Renderer(game, render_mode)
        """What draws it."""
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
        self._raw = np.zeros(game.state_dtype.itemsize, np.uint8)  # the STATE as bytes, which are quicker to pass
        self._begun = False  # whether there was a `reset`
        self.to_move = NOBODY
        """The seat to move, NOBODY when over and before the first `reset`."""
        self._gone = 0  # agents that were stepped since the end
        self._seed = np.uint64(0)  # of the game that is played, once there is one
        self._observation: Observation | None = None
        self._calls = calls(game)
        self._show()

    @property
    def unwrapped(self) -> Self:
        """This environment, which has no wrappers."""
        return self

    def observation_space(self, agent: str) -> Space[Any]:
        """The space of `observe(agent)`, always the same object."""
        return self.observation_spaces[self.possible_agents[self.seat(agent)]]

    def action_space(self, agent: str) -> Space[Any]:
        """Discrete(A) for every agent, always the same object; `sample(mask)` draws a legal action."""
        try:
            return self.action_spaces[agent]
        except (KeyError, TypeError):
            return self.action_spaces[self.possible_agents[self.seat(agent)]]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Yields `agent_selection` for a loop that steps once each time, until the game is over and everybody has been
        stepped with None. ResetNeeded before the first `reset`."""
        self._current()
        return super().agent_iter(max_iter)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a game.

        Args:
            seed: 0..2^64-1, from which all chance of the game follows. None: the seed that follows the last game's
                (`spygames.authoring.next_seed`), or one of the system's entropy if there was none.
            options: {"state": mapping} begins from a position in the form of `state_to_dict`; the game's seed stands in
                for a missing `rng`. ImpossibleState says what is wrong with a mapping. Other keys warn and do nothing.

        If it raises, the environment is as it was.
        """
        game, chosen = self.game, self._next_seed(seed)
        if options is not None and not isinstance(options, Mapping):
            raise ValueError(f"reset options must be a mapping such as {{'state': ...}}, not {shown(options)}")
        unknown = [key for key in options or {} if key != "state"]
        if unknown:
            warnings.warn(f"reset options {shown(unknown)} are unknown and do nothing; there is: 'state'", stacklevel=2)
        raw = np.zeros_like(self._raw)
        mapping = (options or {}).get("state")
        if mapping is None:
            self._calls.init(game.packed, raw, chosen)
        else:
            if isinstance(mapping, Mapping) and mapping.get("rng") is None:
                mapping = {**mapping, "rng": int(chosen)}
            game.state_from_dict(mapping, as_record(raw.view(game.state_dtype)))
        self._begin(raw, chosen, 0)
        self.renderer.forget()

    def step(self, action: int | np.integer[Any] | None) -> None:
        """The decision of `agent_selection`: 0..A-1, or None once the game is over.

        Raises:
            IllegalAction: the action is malformed or not legal; nothing has changed.
            ResetNeeded: there is no game to step.
        """
        seat = self.to_move
        if seat < 0:
            self._dead_step(action)
            return
        if type(action) is not int:
            action = int(action) if type(action) is np.int64 else self._number(action)
        size = self._num_actions
        if not 0 <= action < size:
            raise self._illegal(f"action {shown(action)} is not in 0..{size - 1}")
        features, mask = np.empty(self._num_features, _FLOAT32), np.empty(size, _INT8)
        moves = self.renderer.moves
        before = None if moves is None else self._raw.copy()
        legal, to_move = self._calls.step(self._raw, action, features, mask)
        if not legal:
            raise self._illegal(f"action {action} ({self.action_to_string(action)!r}) is not legal")
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
        """Observation (None unless asked for), reward, termination, truncation and info of `agent_selection`."""
        observation = None
        if observe:
            # `step` has made these arrays. The first caller owns them and may change them, so a later call makes new
            # ones with the same values.
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
        """What `agent` may know and do now, in new arrays."""
        features, mask = self._look(self.seat(agent))
        return {"observation": features, "action_mask": mask}

    def view(self, agent: str) -> V:
        """What `agent` may know by name: a record of the fields of the game's VIEW, float32, a copy."""
        features, _ = self._look(self.seat(agent))
        return features.view(self.game.view_dtype)[0]

    def state(self) -> np.ndarray:
        """All that is true, hidden cards and future chance included: the bytes of the STATE, uint8 [state_space]."""
        return self._current().copy()

    def state_to_dict(self) -> dict[str, Any]:
        """The same as a mapping of JSON values; `reset(options={"state": ...})` reads it back."""
        return self.game.state_to_dict(as_record(self._states))

    def action_to_string(self, action: int, agent: str | None = None) -> str:
        """The text of an action of `agent`, by default the one to move."""
        number, seat = self._number(action), self._seat_or_mover(agent)
        if not 0 <= number < self.game.num_actions:
            raise IllegalAction(f"action {shown(number)} is not in 0..{self.game.num_actions - 1}")
        return self.game.action_to_string(as_record(self._states), number, seat)

    def string_to_action(self, text: str, agent: str | None = None) -> int:
        """The inverse of `action_to_string`; ValueError for a text that is no action of this game."""
        return self.game.string_to_action(as_record(self._states), text, self._seat_or_mover(agent))

    def to_text(self, agent: str | None = None) -> str:
        """A drawing of what `agent` may know; of everything for None."""
        return self.game.to_text(as_record(self._states), self._viewer(agent))

    def to_svg(self, agent: str | None = None, *, theme: Theme = "dark") -> Picture:
        """A picture of what `agent` may know; of everything for None. Notebooks show it, and it needs no extra.

        With a `render_mode` of pixels it also shows the last move and what happened before.
        """
        return self.renderer.svg(self._states, self._viewer(agent), theme)

    def to_rgb(self, agent: str | None = None, width: int = 800, *, theme: Theme = "dark") -> np.ndarray:
        """The same as pixels, uint8 [3/4 of the width, width, 3].

        Raises:
            ValueError: no such agent, or a width that is not 16 to 4096.
            DependencyNotInstalled: the extra `render` is missing.
        """
        width = check_width(width)
        return pixels(self.to_svg(agent, theme=theme), width, theme)

    def render(self) -> str | np.ndarray | None:
        """Draws for `render_viewer`, by default everything, hidden cards included: that is for whoever sits at the
        console. `to_text`, `to_svg` and `to_rgb` draw for any agent.

        Returns:
            A text with `render_mode="ansi"`, pixels, uint8 [600, 800, 3], with "rgb_array", None with "human", which
            shows them in a notebook or a window.

        Raises:
            DependencyNotInstalled: an extra is missing, which the message names.
        """
        if self.render_mode is None:
            there = ", ".join(map(repr, MODES))
            warnings.warn(f"render() draws nothing without a render_mode; there are: {there}", stacklevel=2)
            return None
        return self.renderer.render(self._states, self._viewer(self.render_viewer))

    def close(self) -> None:
        """Closes the window, where `render` has opened one."""
        self.renderer.close()

    def seat(self, agent: str) -> int:
        """The seat of an agent: 1 for `player_1`; ValueError for what is no agent."""
        try:
            return self._seats[agent]
        except (KeyError, TypeError):
            raise ValueError(f"no agent {shown(agent)}; there are {', '.join(self.possible_agents)}") from None

    def require_game(self) -> None:
        """ResetNeeded unless a game is going on."""
        if self.to_move < 0:
            raise self._no_game()

    def clone(self) -> Self:
        """An independent game in the same position, future chance included, as `copy.copy` makes it. Spaces are shared;
        `copy.deepcopy` copies them, too."""
        other = object.__new__(type(self))
        values = self.__dict__.copy()
        values["_raw"], values["renderer"] = self._raw.copy(), self.renderer.copy()
        for name in _SHOWN:  # derived when somebody asks
            values.pop(name, None)
        other.__dict__ = values
        return other

    def determinize(self, agent: str, seed: int | None = None) -> Self:
        """A clone in which all that `agent` cannot know is drawn anew, uniformly among what its view allows, future
        chance and following games included. This environment stays as it is.

        Args:
            agent: whose knowledge stays: it sees the same in the clone, but for earlier moves in pictures. Everything
                else there depends on that and on `seed` alone, not on what is true here.
            seed: 0..2^64-1; None: one of the system's entropy.

        Raises:
            ValueError: there is no such agent, or the seed is none.
            ResetNeeded: before the first `reset`.
        """
        seat, chosen = self.seat(agent), as_seed(seed)
        self._current()
        other = self.clone()
        other._seed = chosen  # that of the true game would tell what is hidden
        other.renderer.forget()  # so would the positions before
        self.game.determinize(as_record(other._states), seat, chosen)
        return other

    def save(self) -> bytes:
        """The game as it stands, future chance and following games included, for `restore`."""
        return snapshot.pack(self.game, self._current(), self._seed, self._gone)

    def restore(self, saved: bytes) -> None:
        """Goes on where `save` was called, in an environment of the same game and options.

        ValueError says what is wrong with `saved`; the environment is then as it was. Nothing in it is executed, and
        a position that the game does not know is refused.
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
        """The seed of the next game."""
        if seed is not None or not self._begun:
            return as_seed(seed)
        return np.uint64(next_seed(self._seed))

    if not TYPE_CHECKING:  # to a type checker the class would have every name

        def __getattr__(self, name: str) -> Any:
            """What a clone has not derived yet."""
            if name not in _SHOWN:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            self._show()
            return self.__dict__[name]

    @property
    def _states(self) -> np.ndarray:
        """The state [1], the memory of `_raw`; ResetNeeded where there is none."""
        return self._current().view(self.game.state_dtype)

    def _begin(self, raw: np.ndarray, seed: np.uint64, gone: int) -> None:
        """Takes the state in `raw` as the game."""
        self._raw, self._seed, self._gone, self._begun = raw, seed, gone, True
        self.to_move = int(self._states["to_move"][0])
        self._show()

    def _show(self) -> None:
        """Derives all that AEC environments show from the state, whose `to_move` is known, and from how many agents are
        gone."""
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
        # The result is what the last decision brought; stepping the dead brings nothing more.
        self.rewards = dict.fromkeys(agents, 0.0) if gone else dict(self._cumulative_rewards)
        cut_off = over and game.truncated is not None and bool(game.truncated(as_record(self._states)))
        self.terminations = dict.fromkeys(agents, over and not cut_off)
        self.truncations = dict.fromkeys(agents, cut_off)
        self.infos = {agent: {"action_mask": np.zeros(self._num_actions, _INT8)} for agent in agents}
        if agents:
            self.infos[self.agent_selection] = {"action_mask": mask.copy()}
            self._observation = {"observation": features, "action_mask": mask}

    def _look(self, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """View as a vector and mask of a seat, in new arrays."""
        features = np.empty(self._num_features, np.float32)
        mask = np.empty(self._num_actions, np.int8)
        self._calls.step(self._current(), look(seat), features, mask)
        return features, mask

    def _dead_step(self, action: object) -> None:
        """Takes the next agent out of a game that is over."""
        if not self.agents:
            raise self._no_game()
        if action is not None:
            raise IllegalAction(f"the game is over, so {self.agent_selection} can only be stepped with None")
        self._gone += 1
        agent, *self.agents = self.agents
        for by_agent in (self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            del by_agent[agent]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._observation = None
        if self.agents:
            self.agent_selection = self.agents[0]

    def _current(self) -> np.ndarray:
        """The state as bytes; ResetNeeded where there is none."""
        if not self._begun:
            raise self._no_game()
        return self._raw

    def _no_game(self) -> ResetNeeded:
        why = "the game is over" if self._begun else "no game has begun"
        return ResetNeeded(f"{why}: call reset() first")

    def _number(self, action: Any) -> int:
        """An action as a plain integer; IllegalAction for what is none."""
        if isinstance(action, np.ndarray) and action.shape == ():
            action = action[()]
        if is_whole(action):
            return int(action)
        raise self._illegal(f"an action is a whole number, not {shown(action)}")

    def _illegal(self, what: str) -> IllegalAction:
        """`what` is wrong, who had to act, and some actions that are legal."""
        if self.to_move < 0:
            return IllegalAction(what)
        _, mask = self._look(self.to_move)
        return IllegalAction(f"{what}; {may_do(self.game, as_record(self._states), self.to_move, mask)}")

    def _viewer(self, agent: str | None) -> int:
        """The seat of an agent that looks, NOBODY for None."""
        return NOBODY if agent is None else self.seat(agent)

    def _seat_or_mover(self, agent: str | None) -> int:
        self._current()
        if agent is not None:
            return self.seat(agent)
        if self.to_move == NOBODY:
            raise ValueError("the game is over: nobody is to move, so name an agent")
        return self.to_move
