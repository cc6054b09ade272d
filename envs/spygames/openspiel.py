# Of an extra that is not installed where types are checked:
# pyright: reportMissingImports=false
"""The games as games of OpenSpiel (extra `openspiel`).

Importing this module registers all games of the package, so that `pyspiel.load_game` knows them by their ids:

    import pyspiel
    import spygames.openspiel

    game = pyspiel.load_game("spygames_agent_avenue_v0(mode=advanced)")

A game of one's own is registered by `register`. Parameters are the options of its `make_game`, with one type each, as
OpenSpiel wants it: -1 stands for "random", an empty string for None. Three more say how chance is played:

- `chance="sampled"`: one chance node with one outcome, behind which the game draws a seed. OpenSpiel cannot serialise
  such games of Python (nor their states), because it asks the game for the state of its generator.
- `chance="explicit"`: the seed is drawn in eight chance nodes, a byte each. The history is then the whole game, and
  games and states can be serialised and pickled. There are far too many deals for an algorithm that walks the tree.
- A game whose module lists its equally likely `deals()` has one chance node, with these as outcomes, whatever `chance`
  says. All its chance must lie in the deal, and its views must tell all that the seat has seen and done (perfect
  recall). Such a game can be solved exactly.
- `rng_seed`: from which seeds are drawn with `chance="sampled"`; -1: from the system's entropy.

All luck after the deal follows from the seed, so the clone of a state replays it. A search that must not know what is
to come begins with `resample_from_infostate`, which draws future luck anew, as it does all that is hidden.
"""

import inspect
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import numpy as np
import pyspiel

from spygames import NOBODY, Game, IllegalAction, game_ids, game_module
from spygames.authoring import as_record, as_seed, choice
from spygames.core.envs.aec_step import calls, look

__all__ = ["OpenSpielGame", "OpenSpielState", "register"]

CHANCE = ("sampled", "explicit")
SEED_BYTES = 8
MOST_DECISIONS = 100_000
"""More than a game takes; no rule of the games gives a smaller bound, and OpenSpiel asks for one."""
_MOST_SEATS = 10

_GAME_TYPE = {
    "dynamics": pyspiel.GameType.Dynamics.SEQUENTIAL,
    "information": pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    "reward_model": pyspiel.GameType.RewardModel.TERMINAL,
    "provides_information_state_string": True,
    "provides_observation_string": True,
    "provides_observation_tensor": True,
}


class OpenSpielGame(pyspiel.Game):
    """A variant of a game, as OpenSpiel sees it.

    Observation tensor: what a seat may know now, its view as float32 [F]. Information state string: what the seat
    knew and did at each of its own decisions, and what it may know now, as a digest. For games with listed deals there
    is a tensor of that, too: the view, which has perfect recall there.

    `register` makes a subclass for each game.

    Attributes:
        game: the variant.
        num_draws: chance nodes before the first decision.
        num_outcomes: outcomes of each, equally likely.
    """

    name: str
    """Short name of the game for OpenSpiel."""
    make_game: Callable[..., Game[Any]]
    """What makes a variant of it."""

    def __init__(self, params: dict[str, Any]):
        own = {key: params[key] for key in ("chance", "rng_seed")}
        chance = choice("chance", own["chance"], CHANCE)
        options = {key: _as_option(value) for key, value in params.items() if key not in own}
        self.game = game = self.make_game(**{key: value for key, value in options.items() if value is not None})
        self._calls = calls(game)
        self._rng = np.random.default_rng(None if own["rng_seed"] < 0 else own["rng_seed"])
        self._deals = [_from_mapping(game, deal) for deal in game.module.deals()] if _lists_deals(game) else []
        """the bytes of each state in which the game may begin"""
        if self._deals:
            self.num_draws, self.num_outcomes = 1, len(self._deals)
        else:
            self.num_draws, self.num_outcomes = (1, 1) if chance == "sampled" else (SEED_BYTES, 256)
        sampled = self.num_outcomes == 1
        zero_sum = game.num_players == 2 and not game.options.get("nobody_wins")
        seats = game.num_players
        game_type = _game_type(self, (seats, seats), sampled=sampled, zero_sum=zero_sum)
        # In a game of sides what one side gets the others lose; a bound of three and more need not be close.
        highest = -game.lowest_return * (game.num_sides - 1)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=self.num_outcomes,
            num_players=seats,
            min_utility=game.lowest_return,
            max_utility=highest,
            utility_sum=0.0 if zero_sum else None,
            max_game_length=MOST_DECISIONS,
        )
        super().__init__(game_type, info, params)

    def new_initial_state(self) -> "OpenSpielState":
        """A state before the deal."""
        return OpenSpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """How many chance nodes a game has: those before its first decision."""
        return self.num_draws

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: dict[str, Any] | None = None
    ) -> "Observer | None":
        """What observes a seat's own knowledge; None for other kinds of observation, which there are not."""
        if params:
            raise ValueError(f"the games have no parameters of observation, so not {params}")
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return Observer(self, perfect_recall=kind.perfect_recall)

    def begin(self, drawn: tuple[int, ...]) -> np.ndarray:
        """The bytes of a state at its first decision, uint8, after all chance outcomes were `drawn`."""
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
        """Takes an action in the state with these bytes, if it is legal there."""
        features, mask = self._arrays()
        return self._calls.step(raw, action, features, mask)[0]

    def look(self, raw: np.ndarray, seat: int) -> tuple[np.ndarray, np.ndarray]:
        """What a seat may know and do: float32 [F], int8 [A]."""
        features, mask = self._arrays()
        self._calls.step(raw, look(seat), features, mask)
        return features, mask

    def results(self, raw: np.ndarray) -> np.ndarray:
        """The result of each seat, float32 [P]."""
        results = np.zeros(self.game.num_players, np.float32)
        self._calls.results(raw, results)
        return results

    def _arrays(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(self.game.num_features, np.float32), np.zeros(self.game.num_actions, np.int8)


class OpenSpielState(pyspiel.State):
    """A state of a game, chance nodes before the deal included. OpenSpiel copies and pickles its attributes."""

    def __init__(self, game: OpenSpielGame):
        super().__init__(game)
        self._drawn: tuple[int, ...] = ()
        """outcomes of the chance nodes so far"""
        self._raw = b""
        """the bytes of the state; none before the deal is complete"""
        self._known: tuple[bytes, ...] = (b"",) * game.game.num_players
        """by seat: digest of what it knew and did at its decisions so far"""

    def current_player(self) -> int:
        """The seat to move, or one of OpenSpiel's names for chance and the end."""
        if not self._raw:
            return pyspiel.PlayerId.CHANCE
        seat = self._state()["to_move"][0]
        return pyspiel.PlayerId.TERMINAL if seat == NOBODY else int(seat)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == pyspiel.PlayerId.TERMINAL

    def _legal_actions(self, player: int) -> list[int]:
        """Legal actions of the seat to move, in order."""
        return np.flatnonzero(self._look(player)[1]).tolist()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes with their probabilities, all alike."""
        n = self._game().num_outcomes
        return [(outcome, 1 / n) for outcome in range(n)]

    def _apply_action(self, action: int) -> None:
        """Draws, or decides; IllegalAction, and nothing has changed, for an action that is not legal."""
        game = self._game()
        if not self._raw:
            if not 0 <= action < game.num_outcomes:
                raise IllegalAction(f"a chance outcome must be 0..{game.num_outcomes - 1}, not {action}")
            self._drawn = (*self._drawn, action)
            if len(self._drawn) == game.num_draws:
                self._raw = game.begin(self._drawn).tobytes()
            return
        seat = self.current_player()
        if seat < 0:
            raise IllegalAction("the game is over: nobody may act")
        known = self._digest(seat, action.to_bytes(4, "little", signed=True))
        raw = self._bytes()
        if not (0 <= action < game.game.num_actions and game.step(raw, action)):
            raise IllegalAction(f"action {action} is not legal for seat {seat}; legal are {self._legal_actions(seat)}")
        self._raw = raw.tobytes()
        self._known = (*self._known[:seat], known, *self._known[seat + 1 :])

    def _action_to_string(self, player: int, action: int) -> str:
        """The text of an action, or of a chance outcome."""
        if player == pyspiel.PlayerId.CHANCE:
            return f"chance {action}"
        return self._game().game.action_to_string(as_record(self._state()), action, player)

    def returns(self) -> list[float]:
        """The result of each seat; zeros while the game goes on."""
        return self._game().results(self._bytes()).tolist() if self._raw else [0.0] * self._game().game.num_players

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> "OpenSpielState":
        """A clone in which all that the seat cannot know is drawn anew, uniformly among what its view allows, future
        chance included. `probability_sampler` returns numbers from [0, 1).

        What the other seats knew at earlier decisions is left out of their information states in the clone: it was
        that of the true game. Its history is the true one.
        """
        game, other = self._game().game, self.clone()
        states = self._state().copy()
        game.determinize(as_record(states), player_id, np.uint64(int(probability_sampler() * 2**53) << 11))
        other._raw = states.tobytes()
        other._known = tuple(known if seat == player_id else b"" for seat, known in enumerate(self._known))
        return other

    def __str__(self) -> str:
        """Everything, for people and for debugging."""
        if not self._raw:
            return f"before the deal, drawn: {list(self._drawn)}"
        return self.text(NOBODY)

    def text(self, viewer: int) -> str:
        """A drawing of what a seat may know; NOBODY sees everything, but not chance that is to come."""
        return self._game().game.to_text(as_record(self._state()), viewer) if self._raw else ""

    def features(self, seat: int) -> np.ndarray:
        """What a seat may know, float32 [F]; zeros before the deal."""
        if not self._raw:
            return np.zeros(self._game().game.num_features, np.float32)
        return self._look(seat)[0]

    def information(self, seat: int) -> str:
        """The information state of a seat: equal if and only if it has seen and done the same at its decisions so far
        and sees the same now."""
        return f"player_{seat} {self._digest(seat).hex()}" if self._raw else f"player_{seat} before the deal"

    def _digest(self, seat: int, then: bytes = b"") -> bytes:
        return blake2b(self._known[seat] + self.features(seat).tobytes() + then, digest_size=16).digest()

    def _look(self, seat: int) -> tuple[np.ndarray, np.ndarray]:
        return self._game().look(self._bytes(), seat)

    def _bytes(self) -> np.ndarray:
        """A copy of the state's bytes, uint8, to be written."""
        return np.frombuffer(bytearray(self._raw), np.uint8)

    def _state(self) -> np.ndarray:
        """STATE [1], not to be written."""
        return np.frombuffer(self._raw, self._game().game.state_dtype)

    def _game(self) -> OpenSpielGame:
        return self.get_game()  # the object of Python that made this state


class Observer:
    """Observes a seat's own knowledge: `tensor` and `dict` are its view now; with perfect recall there is a string
    alone, where views have none."""

    def __init__(self, game: OpenSpielGame, perfect_recall: bool):
        self._perfect_recall = perfect_recall
        self.tensor: np.ndarray | None = None
        """float32 [F]"""
        self.dict: dict[str, np.ndarray] = {}
        """the same memory, by the names of the fields"""
        if not perfect_recall or _lists_deals(game.game):
            views = game.game.new_views()
            self.tensor = views.view(np.float32)
            self.dict = {name: views[name][0, ...] for name in views.dtype.names or ()}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Writes what the seat may know in `state`."""
        if self.tensor is not None:
            self.tensor[:] = state.features(player)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """The same as a text: for people, or with perfect recall a name of the information state."""
        return state.information(player) if self._perfect_recall else state.text(player)


def register(game_id: str) -> str:
    """Makes a game known to OpenSpiel.

    Args:
        game_id: as `agent_avenue_v0`, or an importable module that has a `make_game`.

    Returns:
        Its short name, as `pyspiel.load_game` takes it: `spygames_` and the game's id.

    Raises:
        ValueError: there is no such game.
    """
    make_game = game_module(game_id).make_game
    game = make_game()
    name = f"spygames_{game.id}"
    if name not in pyspiel.registered_names():
        # A class, because OpenSpiel lets go of what makes a game when Python has ended already: a function would be
        # freed then, and the process aborted.
        made = type("OpenSpielGame", (OpenSpielGame,), {"name": name, "make_game": staticmethod(make_game)})
        sampled = not _lists_deals(game)
        pyspiel.register_game(_game_type(made, _seats(make_game), sampled=sampled, zero_sum=False), made)
    return name


def _lists_deals(game: Game[Any]) -> bool:
    """Whether a game has equally likely `deals()`, which hold all its chance, and views with perfect recall."""
    return hasattr(game.module, "deals")


def _game_type(game: Any, seats: tuple[int, int], *, sampled: bool, zero_sum: bool) -> pyspiel.GameType:
    """What OpenSpiel knows of an OpenSpielGame or of a class of them, for the lowest and highest number of seats."""
    modes, utilities = pyspiel.GameType.ChanceMode, pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=game.name,
        long_name=f"{game.name.removeprefix('spygames_')} of spygames",
        chance_mode=modes.SAMPLED_STOCHASTIC if sampled else modes.EXPLICIT_STOCHASTIC,
        # Results are float32, so those of three and more add up to 0 only nearly, and OpenSpiel wants it exactly.
        utility=utilities.ZERO_SUM if zero_sum else utilities.GENERAL_SUM,
        min_num_players=seats[0],
        max_num_players=seats[1],
        provides_information_state_tensor=_lists_deals(game.make_game()),
        parameter_specification=_parameters(game.make_game),
        **_GAME_TYPE,
    )


def _parameters(make_game: Callable[..., Game[Any]]) -> dict[str, Any]:
    """The options of a game with their values if they are left out, and what this module adds."""
    options = {name: each.default for name, each in inspect.signature(make_game).parameters.items()}
    return {
        **{name: "" if value is None else value for name, value in options.items()},
        "chance": "sampled",
        "rng_seed": -1,
    }


def _as_option(value: Any) -> Any:
    """An option from a parameter: -1 is "random", as no option takes a negative number; an empty string is None."""
    return "random" if type(value) is int and value == -1 else None if value == "" else value


def _seats(make_game: Callable[..., Game[Any]]) -> tuple[int, int]:
    """The lowest and highest number of players that a game takes."""
    seats = []
    for players in range(1, _MOST_SEATS + 1):
        try:
            seats.append(make_game(players=players).num_players)
        except (TypeError, ValueError):
            continue
    default = make_game().num_players
    return min(seats, default=default), max(seats, default=default)


def _from_mapping(game: Game[Any], mapping: dict[str, Any]) -> np.ndarray:
    """The bytes of the state that a mapping describes, uint8."""
    states = game.new_states()
    game.state_from_dict(mapping, as_record(states))
    return states.view(np.uint8)


for _game_id in game_ids():
    register(_game_id)
