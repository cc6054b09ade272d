# Of an extra that is not installed where types are checked:
# pyright: reportMissingImports=false
"""OpenSpiel versions of all games (extra `openspiel`).

Importing this module registers all games of the package with OpenSpiel:

    import pyspiel
    import spygames.openspiel

    game = pyspiel.load_game("spygames_agent_avenue_v0(mode=advanced)")

`register` adds a game of your own. The parameters of a game are the options of its `make_game`. An OpenSpiel parameter
has one fixed type, so -1 stands for "random" (unless the option itself has the value -1), and an empty string for None.
Two more parameters control chance:

- `chance="sampled"`: one chance node with one outcome, after which the game draws a seed. OpenSpiel cannot serialize
  Python games with sampled chance, nor their states, because it asks the game for the state of its generator.
- `chance="explicit"`: the seed is drawn in eight chance nodes of one byte each. The history then determines the game,
  and games and states can be serialized and pickled. There are far too many deals for algorithms that walk the tree.
- `rng_seed`: the seed of the generator with `chance="sampled"`; -1 draws one from the system's entropy.

The module of a game may have a function `deals()`, which lists its equally likely deals. The game then has one chance
node with these outcomes, and `chance` is ignored. The deal must contain all chance of the game, and the views must have
perfect recall. OpenSpiel can solve a small game of this kind exactly.

Chance after the deal follows from the seed, so a clone of a state replays it. A search must not know future chance, so
it must begin with `resample_from_infostate`, which redraws future chance and everything hidden.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np

from spygames import NOBODY, Game, IllegalAction, game_ids, game_module
from spygames.authoring import as_record, as_seed, choice, whole
from spygames.core.basics.extras import how_to_install
from spygames.core.envs.aec_step import calls, look
from spygames.core.game.moments import Moment
from spygames.core.game.registry import option_types
from spygames.core.game.seen import DIGEST_BYTES

try:
    import pyspiel
except ImportError as error:
    raise ImportError(f"spygames.openspiel needs OpenSpiel: {how_to_install('openspiel')}", name="pyspiel") from error

__all__ = ["OpenSpielGame", "OpenSpielState", "register"]

CHANCE = ("sampled", "explicit")
SEED_BYTES = 8
MAX_DECISIONS = 100_000
"""Upper bound for the length of a game, which OpenSpiel requires. The rules of the games give no smaller bound."""
_MAX_SEATS = 10

_GAME_TYPE = {
    "dynamics": pyspiel.GameType.Dynamics.SEQUENTIAL,
    "information": pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    "reward_model": pyspiel.GameType.RewardModel.TERMINAL,
    "provides_information_state_string": True,
    "provides_information_state_tensor": True,
    "provides_observation_string": True,
    "provides_observation_tensor": True,
}


class OpenSpielGame(pyspiel.Game):
    """A variant of a game as an OpenSpiel game. `register` makes a subclass for each game.

    - Observation tensor: what a seat may know now, its view as float32 [F].
    - Information state string: a digest of everything that the seat has seen and done since the deal, in order. It is
      equal for two histories if and only if the seat cannot distinguish them.
    - Information state tensor: the view, then the 128 bits of this digest, float32 [F + 128]. The bits make it as exact
      as the string; they have no structure that a network could learn from. For games with listed deals it is the view
      alone, which has perfect recall there.

    Example:
        >>> import pyspiel
        >>> import spygames.openspiel
        >>> game = pyspiel.load_game("spygames_agent_avenue_v0(rng_seed=1)")
        >>> state = game.new_initial_state()
        >>> state.apply_action(0)  # the deal
        >>> state.current_player(), game.num_distinct_actions()
        (0, 74)

    Attributes:
        game: the variant, a `Game`.
        num_draws: number of chance nodes before the first decision.
        num_outcomes: number of equally likely outcomes of each chance node.
    """

    name: str
    """Short name of the game in OpenSpiel."""
    make_game: Callable[..., Game[Any]]
    """The function that makes a variant from options."""

    def __init__(self, params: dict[str, Any]):
        own = {key: params[key] for key in ("chance", "rng_seed")}
        chance = choice("chance", own["chance"], CHANCE)
        drawn = _drawn(self.make_game, params)
        options = {key: value for key, value in params.items() if key not in own and value != ""}  # "": None
        options |= dict.fromkeys(drawn, "random")
        try:
            self.game = game = self.make_game(**options)
        except ValueError as error:
            if drawn:
                error.add_note(f"{' and '.join(drawn)}: -1 stands for 'random'")
            raise
        self._calls = calls(game)
        self._rng = np.random.default_rng(None if own["rng_seed"] < 0 else own["rng_seed"])
        self._deals = [_from_mapping(game, deal) for deal in game.module.deals()] if _lists_deals(game) else []
        """The bytes of each state in which the game may begin"""
        if self._deals:
            self.num_draws, self.num_outcomes = 1, len(self._deals)
        else:
            self.num_draws, self.num_outcomes = (1, 1) if chance == "sampled" else (SEED_BYTES, 256)
        sampled = self.num_outcomes == 1
        zero_sum = game.num_players == 2 and not game.options.get("nobody_wins")
        seats = game.num_players
        game_type = _game_type(self, (seats, seats), sampled=sampled, zero_sum=zero_sum)
        # At most, one side gets everything that the others lose. With three sides or more the bound is not tight.
        highest = -game.lowest_return * (game.num_sides - 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=self.num_outcomes,
            num_players=seats,
            min_utility=game.lowest_return,
            max_utility=highest,
            utility_sum=0.0 if zero_sum else None,
            max_game_length=MAX_DECISIONS,
        )
        super().__init__(game_type, info, params)

    def new_initial_state(self) -> "OpenSpielState":
        """Return a state before the deal."""
        return OpenSpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the number of chance nodes of a game, which are all before its first decision."""
        return self.num_draws

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> "Observer | None":
        """Return an observer of what a seat may know; None if `iig_obs_type` requests anything else.

        Raises:
            ValueError: `params` is not empty.
        """
        if params:
            raise ValueError(f"params must be empty, because the observers have no parameters, not {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return Observer(self, perfect_recall=kind.perfect_recall)

    def begin(self, drawn: tuple[int, ...]) -> np.ndarray:
        """Return the bytes of the state at the first decision, uint8, given the outcomes of all chance nodes."""
        if self._deals:
            return self._deals[drawn[0]].copy()
        if self.num_outcomes == 1:
            seed = as_seed(int(self._rng.integers(2**64, dtype=np.uint64)))
        else:
            seed = np.uint64(int.from_bytes(bytes(drawn), "little"))
        raw = np.zeros(self.game.state_dtype.itemsize, np.uint8)
        self._calls.init(self.game.packed, raw, seed)
        return raw

    def step(self, raw: np.ndarray, action: int) -> bool:
        """Apply an action to the state with these bytes. Returns False, and changes nothing, if it is illegal."""
        features, mask = self._arrays()
        return self._calls.step(raw, action, features, mask)[0]

    def look(self, raw: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """Return what a seat may know and do: float32 [F], int8 [A]."""
        features, mask = self._arrays()
        self._calls.step(raw, look(seat), features, mask)
        return features, mask

    def results(self, raw: np.ndarray) -> np.ndarray:
        """Return the result of each seat, float32 [P]."""
        results = np.zeros(self.game.num_players, np.float32)
        self._calls.results(raw, results)
        return results

    def _arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(self.game.num_features, np.float32), np.zeros(self.game.num_actions, np.int8)


class OpenSpielState(pyspiel.State):
    """A state of a game. The chance nodes before the first decision are states, too.

    OpenSpiel copies and pickles its attributes.

    Example:
        >>> import pyspiel
        >>> import spygames.openspiel
        >>> state = pyspiel.load_game("spygames_agent_avenue_v0(rng_seed=1)").new_initial_state()
        >>> while not state.is_terminal():
        ...     state.apply_action(state.legal_actions()[0])
        >>> sum(state.returns())
        0.0
    """

    def __init__(self, game: OpenSpielGame):
        super().__init__(game)
        self._drawn: tuple[int, ...] = ()
        """Outcomes of the chance nodes so far"""
        self._moment: Moment | None = None
        """The state and the way to it; None before the deal is complete"""

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's constant for chance or the end."""
        if not self._raw:
            return pyspiel.PlayerId.CHANCE
        seat = self._state()["to_move"][0]
        return pyspiel.PlayerId.TERMINAL if seat == NOBODY else int(seat)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        """Return the legal actions of the seat to move, in ascending order."""
        return np.flatnonzero(self._look(player)[1]).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes with their probabilities, which are all equal."""
        n = self._game().num_outcomes
        return [(outcome, 1 / n) for outcome in range(n)]

    def _apply_action(self, action: int) -> None:
        """Apply a chance outcome or an action. Raises IllegalAction, and changes nothing, if it is not legal."""
        game = self._game()
        if not self._raw:
            if not 0 <= action < game.num_outcomes:
                raise IllegalAction(f"chance outcome must be 0..{game.num_outcomes - 1}, not {action}")
            self._drawn = (*self._drawn, action)
            if len(self._drawn) == game.num_draws:
                self._moment = Moment(game.begin(self._drawn).tobytes())
            return
        seat = self.current_player()
        if seat < 0:
            raise IllegalAction(f"action {action} is not legal, because the game is over")
        raw = self._bytes()
        if not (0 <= action < game.game.num_actions and game.step(raw, action)):
            inner, legal, why = game.game, self._legal_actions(seat), None
            if 0 <= action < inner.num_actions:
                why = inner.why_not(as_record(raw.view(inner.state_dtype)), action, seat)
            because = "" if why is None else f": {why}"
            raise IllegalAction(f"action {action} is not legal for seat {seat}{because}; legal are {legal}")
        self._moment = Moment(raw.tobytes(), self._moment, action)

    def _action_to_string(self, player: int, action: int) -> str:
        """Return the text of an action or of a chance outcome."""
        if player == pyspiel.PlayerId.CHANCE:
            return f"chance {action}"
        return self._game().game.action_to_string(as_record(self._state()), action, player)

    def returns(self) -> list[float]:
        """Return the result of each seat; zeros while the game is running."""
        return self._game().results(self._bytes()).tolist() if self._raw else [0.0] * self._game().game.num_players

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> "OpenSpielState":
        """Return a clone in which everything that the seat cannot know is redrawn, including future chance.

        The hidden part is drawn uniformly from all worlds that are consistent with the seat's view. The information
        states of the other seats begin with the clone, because what they saw before belongs to the true game. The
        clone keeps the true history.

        Raises:
            ValueError: the deal is not complete, so nothing is hidden yet, or there is no such seat.

        Args:
            player_id: the seat.
            probability_sampler: a function that returns a random number in [0, 1).
        """
        game, other, moment = self._game(), self.clone(), self._moment
        player_id = whole("player_id", player_id, 0, game.num_players() - 1)
        if moment is None:
            raise ValueError("resample_from_infostate needs a state after the deal, not a chance node")
        states = self._state().copy()
        seed = np.uint64(int(probability_sampler() * 2**53) << 11)
        game.game.determinize(as_record(states), player_id, seed)
        other._moment = Moment(states.tobytes())
        other._moment.digests[player_id] = moment.digest(game.game, player_id)
        return other

    def __str__(self) -> str:
        """Draw everything as text, for debugging."""
        if not self._raw:
            return f"before the deal, drawn: {list(self._drawn)}"
        return self.text(NOBODY)

    def text(self, viewer: int) -> str:
        """Draw what a seat may know as text. NOBODY sees everything except future chance."""
        return self._game().game.to_text(as_record(self._state()), viewer) if self._raw else ""

    def features(self, seat: int) -> np.ndarray:
        """Return what a seat may know, float32 [F]; zeros before the deal. Raises ValueError for no seat."""
        seat = _seat_of(self, seat)
        if not self._raw:
            return np.zeros(self._game().game.num_features, np.float32)
        return self._look(seat)[0]

    def information(self, seat: int) -> str:
        """Return the information state of a seat.

        Two information states are equal if and only if the seat has seen and done the same since the deal, in the same
        order: its views and mappings after each decision, who decided, what it saw of the action, and its own actions.

        Raises:
            ValueError: there is no such seat.
        """
        seat = _seat_of(self, seat)
        return f"player_{seat} {self._digest(seat).hex()}" if self._moment else f"player_{seat} before the deal"

    def information_features(self, seat: int) -> np.ndarray:
        """Return the information state tensor of a game without listed deals, float32 [F + 128]; zeros before the deal.

        It is the view, then the bits of the digest in `information`. Raises ValueError for no seat.
        """
        features, bits = self.features(seat), np.unpackbits(np.frombuffer(self._digest(seat), np.uint8))
        return np.concatenate([features, bits.astype(np.float32)])

    def _digest(self, seat: int) -> bytes:
        return bytes(DIGEST_BYTES) if self._moment is None else self._moment.digest(self._game().game, seat)

    @property
    def _raw(self) -> bytes:
        """The bytes of the STATE; empty before the deal is complete."""
        return b"" if self._moment is None else self._moment.raw

    def _look(self, seat: int) -> tuple[np.ndarray, np.ndarray]:
        return self._game().look(self._bytes(), seat)

    def _bytes(self) -> np.ndarray:
        """Return a writable copy of the state's bytes, uint8."""
        return np.frombuffer(bytearray(self._raw), np.uint8)

    def _state(self) -> np.ndarray:
        """Return the STATE [1], read-only."""
        return np.frombuffer(self._raw, self._game().game.state_dtype)

    def _game(self) -> OpenSpielGame:
        return self.get_game()  # the Python object that made this state


class Observer:
    """An observer of what a seat may know.

    `tensor` and `dict` hold the current view of the seat. With perfect recall the 128 bits of a digest of everything
    that it has seen follow, except for games whose views have perfect recall.
    """

    def __init__(self, game: OpenSpielGame, perfect_recall: bool):
        self._perfect_recall = perfect_recall
        self._digests = perfect_recall and not _lists_deals(game.game)
        size = game.game.num_features
        self.tensor = np.zeros(size + 8 * DIGEST_BYTES * self._digests, np.float32)
        """float32 [F] or [F + 128]: the view, then the digest"""
        views = self.tensor[:size].view(game.game.view_dtype)
        self.dict = {name: views[name][0, ...] for name in views.dtype.names or ()}
        """The memory of `tensor` by the names of the fields of the view; the digest is `past`"""
        if self._digests:
            self.dict["past"] = self.tensor[size:]

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Write what the seat may know in `state` into `tensor`."""
        self.tensor[:] = state.information_features(player) if self._digests else state.features(player)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return what the seat may know as a drawing, or with perfect recall the name of its information state."""
        return state.information(player) if self._perfect_recall else state.text(_seat_of(state, player))


_makers: dict[str, Callable[..., Game[Any]]] = {}
"""The `make_game` of each registered name."""


def register(game_id: str) -> str:
    """Register a game with OpenSpiel.

    Example:
        >>> from spygames.openspiel import register
        >>> register("agent_avenue_v0")
        'spygames_agent_avenue_v0'

    Args:
        game_id: an id such as `agent_avenue_v0`, or an importable module with a `make_game`.

    Returns:
        The short name for `pyspiel.load_game`: `spygames_` and the game's id.

    Raises:
        ValueError: the game does not exist, or another module has registered a game with the same id.
    """
    make_game = game_module(game_id).make_game
    game = make_game()
    name = f"spygames_{game.id}"
    if _makers.setdefault(name, make_game) is not make_game:
        raise ValueError(f"{game_id!r} has the id {game.id}, which a game of {_makers[name].__module__} has, too")
    if name not in pyspiel.registered_names():
        # OpenSpiel frees the maker of a game after Python has ended. Freeing a function would abort the process then,
        # so the maker is a class.
        made = type("OpenSpielGame", (OpenSpielGame,), {"name": name, "make_game": staticmethod(make_game)})
        sampled = not _lists_deals(game)
        pyspiel.register_game(_game_type(made, _seats(make_game), sampled=sampled, zero_sum=False), made)
    return name


def _seat_of(state: OpenSpielState, player: int) -> int:
    """Return a seat as a plain number; ValueError if there is no such seat.

    Machine code would read beyond the state, and takes a negative seat for an action.
    """
    return whole("player", player, 0, state.num_players() - 1)


def _lists_deals(game: Game[Any]) -> bool:
    """Whether the module of a game lists its equally likely deals; see the docstring of this module."""
    return hasattr(game.module, "deals")


def _game_type(game: Any, seats: tuple[int, int], *, sampled: bool, zero_sum: bool) -> pyspiel.GameType:
    """Return the OpenSpiel type of an OpenSpielGame or a subclass of it.

    Args:
        game: the object or the class.
        seats: minimum and maximum number of players.
        sampled: whether chance is sampled.
        zero_sum: whether the results always add up to 0.
    """
    modes, utilities = pyspiel.GameType.ChanceMode, pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=game.name,
        long_name=f"{game.name.removeprefix('spygames_')} of spygames",
        chance_mode=modes.SAMPLED_STOCHASTIC if sampled else modes.EXPLICIT_STOCHASTIC,
        # OpenSpiel requires a sum of exactly 0; the float32 results of three players and more add up to nearly 0.
        utility=utilities.ZERO_SUM if zero_sum else utilities.GENERAL_SUM,
        min_num_players=seats[0],
        max_num_players=seats[1],
        parameter_specification=_parameters(game.make_game),
        **_GAME_TYPE,
    )


def _parameters(make_game: Callable[..., Game[Any]]) -> dict[str, Any]:
    """Return the options of a game with their default values, and the parameters of this module.

    A `make_game(**options)` names no options; those of the game that it makes count.
    """
    parameters = inspect.signature(make_game).parameters.values()
    options = {each.name: each.default for each in parameters if each.default is not each.empty}
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        options |= make_game().options
    return {
        **{name: "" if value is None else value for name, value in options.items()},
        "chance": "sampled",
        "rng_seed": -1,
    }


def _drawn(make_game: Callable[..., Game[Any]], params: Mapping[str, Any]) -> list[str]:
    """Return the options of a game that stand for "random": those of -1, unless the option itself has this value."""
    types = option_types(make_game)
    return [
        name
        for name, each in inspect.signature(make_game).parameters.items()
        if type(value := params.get(name)) is int
        and value == -1
        and -1 not in (each.default, *get_args(types.get(name)))
    ]


def _seats(make_game: Callable[..., Game[Any]]) -> tuple[int, int]:
    """Return the minimum and maximum number of players of a game."""
    seats = []
    for players in range(1, _MAX_SEATS + 1):
        try:
            seats.append(make_game(players=players).num_players)
        except (TypeError, ValueError):
            continue
    default = make_game().num_players
    return min(seats, default=default), max(seats, default=default)


def _from_mapping(game: Game[Any], mapping: dict[str, Any]) -> np.ndarray:
    """Return the bytes of the state that a mapping describes, uint8."""
    states = game.new_states()
    game.state_from_dict(mapping, as_record(states))
    return states.view(np.uint8)


for _game_id in game_ids():
    register(_game_id)
