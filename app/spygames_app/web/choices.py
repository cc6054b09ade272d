"""What can be chosen on the page: games, their options, and players. The browser sends numbers, never names."""

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from spygames.core.game.game import Game
from spygames.core.game.registry import game_ids, game_module, make_game
from spygames.core.players.names import PlayerName
from spygames.core.players.released import BEST, best_agent, find_agent, find_anchor, released_agents
from spygames_training.agents.folder import CONFIG, read_checkpoint_config

SEARCHES = ("mcts:200",)
"""Searches that can be chosen without being named at the start."""
SEARCHED = str(PlayerName(BEST, search="64"))
"""A search on top of the best released agent, which can be chosen, too."""
MOST_PLAYERS = 8


@dataclass(frozen=True)
class Option:
    """An option of a game with the values that the page offers."""

    name: str
    values: tuple[Any, ...]
    default: int = 0
    """Which of the values is chosen if nothing is said."""


@dataclass(frozen=True)
class Choices:
    """What the server was started with."""

    players: tuple[str, ...] = ()
    """Further players, by their specs."""
    game: str | None = None
    """A game of another module that can be chosen, too, or the only one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options that are not as by default, of `game`."""

    @property
    def games(self) -> list[str]:
        """What `make_game` takes, in the order of the page."""
        return game_ids() if self.game is None else [self.game]

    def options_of(self, game: str) -> list[Option]:
        """The options of a game; those that were given at the start are the defaults."""
        found = []
        for each in options_of(game):
            given = self.options.get(each.name, each.values[each.default])
            values = each.values if given in each.values else (*each.values, given)
            found.append(Option(each.name, values, values.index(given)))
        return found

    def players_of(self, game: Game) -> list[str]:
        """The players that fit a game: its bots, those of the start, released agents, the best of them first, also with
        a search on top, and searches."""
        given = [spec for spec in self.players if fits(game, spec)]
        released = [agent.name for agent in released_agents() if fits(game, agent.name)]
        if _best(game):
            released = [BEST, *released, SEARCHED]
        return [*dict.fromkeys([*game.bots, *given, *released, *SEARCHES])]


@cache
def options_of(game: str) -> list[Option]:
    """The options of a game that have a few values, as its `make_game` declares them.

    A number of players is tried; of other numbers and tables the page offers the default alone.
    """
    make = game_module(game).make_game
    hints = typing.get_type_hints(make)
    found = []
    for name, parameter in inspect.signature(make).parameters.items():
        if parameter.default is parameter.empty:
            continue
        values = _values(hints.get(name))
        if name == "players":
            values = tuple(n for n in range(2, MOST_PLAYERS + 1) if _makes(make, n))
        offered = tuple(dict.fromkeys([*(() if parameter.default in values else (parameter.default,)), *values]))
        if len(offered) > 1:
            found.append(Option(name, offered, offered.index(parameter.default)))
    return found


def fits(game: Game, spec: str) -> bool:
    """Whether an agent is of the game's variant; other players are taken to fit."""
    source = PlayerName.parse(spec).source
    if source == BEST:
        return bool(_best(game))
    try:
        agent = find_agent(source)
        folder = find_anchor(source) or Path(source) if agent is None else agent.folder
        for file in (folder / CONFIG, folder / "checkpoint" / CONFIG):
            if file.exists():
                config = read_checkpoint_config(file)
                layout = {key: config["layout"][key] for key in ("observation", "num_actions")}
                return config["environment"]["id"] == game.id and layout == game.layout
    except (OSError, ValueError, LookupError, TypeError):  # what is wrong is said where the player is made
        pass
    return True


def made(choices: Choices, number: int, picked: Sequence[int]) -> Game:
    """The game of a number with an option's value for each number in `picked`; ValueError for any that there is not."""
    games = choices.games
    if not 0 <= number < len(games):
        raise ValueError(f"there are the games 0 to {len(games) - 1}, not {number}")
    offered = choices.options_of(games[number])
    if len(picked) != len(offered) or not all(0 <= i < len(o.values) for i, o in zip(picked, offered, strict=True)):
        raise ValueError("there is no such variant: choose from the form")
    chosen = {o.name: o.values[i] for o, i in zip(offered, picked, strict=True) if o.values[i] is not None}
    return make_game(games[number], **{**choices.options, **chosen})


def label(game: Game, spec: str) -> str:
    """What a player is called where it can be chosen: `best` says who that is."""
    name = PlayerName.parse(spec)
    named = name.without_best(game)
    return spec if named is name else f"{spec} ({named})"


def _best(game: Game) -> str:
    """The name of the best released agent of a variant; empty where none plays it."""
    try:
        return best_agent(game)[0].name
    except ValueError:
        return ""


def _values(hint: Any) -> tuple[Any, ...]:
    """What a type has as single values: of Literals and bool, also within unions."""
    if hint is bool:
        return (False, True)
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(value for part in get_args(hint) for value in _values(part)) if _is_union(hint) else ()


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, type(int | str))


def _makes(make: Callable[..., Game], players: int) -> bool:
    try:
        make(players=players)
    except ValueError:
        return False
    return True
