"""Choices on the page: games, their options, and players. The browser sends numbers, never names."""

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import docstring_parser

from spygames.core.game.game import Game
from spygames.core.game.registry import game_ids, game_module, imports_code, make_game, name_of, option_types
from spygames.core.players.checkpoint import layout_hash
from spygames.core.players.checkpoint_files import CONFIG, read_checkpoint_config
from spygames.core.players.names import PlayerName
from spygames.core.players.released import BEST, CHOOSE, find_agent, find_anchor, released_agents
from spygames_app.web.option_words import OptionWords, words_of

SEARCHES = ("mcts:200",)
"""Searches that the page always offers."""
SEARCHED = str(PlayerName(BEST, search="64"))
"""A search on top of the best released agent, offered where such an agent exists and torch is installed."""
SAMPLED = str(PlayerName(BEST, play="sample"))
"""The best released agent with its actions drawn from its probabilities, which its hints then show."""
MAX_PLAYERS = 8
"""Maximum number of players that the page offers."""


@dataclass(frozen=True)
class Option:
    """An option of a game with the values that the page offers."""

    name: str
    values: tuple[Any, ...]
    default: int = 0
    """Index of the default value."""
    about: str = ""
    """What the option does, from the docstring of `make_game`, or in the words of the page."""
    label: str = ""
    """The name of the option on the page."""
    shown: tuple[str, ...] = ()
    """The values in words."""


@dataclass(frozen=True)
class Choices:
    """The arguments that the server was started with."""

    players: tuple[str, ...] = ()
    """Names of further players."""
    game: str | None = None
    """The only game to offer; None: all games of the package."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of `game`, used as defaults."""

    @property
    def games(self) -> list[str]:
        """Names of the games for `make_game`, in the order of the page."""
        return game_ids() if self.game is None else [self.game]

    def options_of(self, game: str) -> list[Option]:
        """Return the options of a game. Those given at the start are the defaults."""
        found = []
        for each in options_of(game):
            given = self.options.get(each.name, each.values[each.default])
            values = each.values if given in each.values else (*each.values, given)
            found.append(worded(game, Option(each.name, values, values.index(given), each.about)))
        return found

    def players_of(self, game: Game) -> list[str]:
        """Return the names of the players that can play a game.

        These are its bots, the players named at the start, the released agents (`best` and `safest` first, and with a
        search on top), and searches.
        """
        given = [spec for spec in self.players if fits(game, spec)]
        released = [agent.name for agent in released_agents() if fits(game, agent.name)]
        chosen = [word for word in CHOOSE if fits(game, word)]
        if BEST in chosen:
            released = [*chosen, SAMPLED, *released, *([SEARCHED] if find_spec("torch") else [])]
        return [*dict.fromkeys([*game.bots, *given, *released, *SEARCHES])]


def worded(game: str, option: Option) -> Option:
    """Return an option with its label, its description and its values in words."""
    words = words_of(game, option.name) or OptionWords(option.name.replace("_", " "), sentence(option.about))
    named = [*words.values.items()]  # compared one by one: a value may be a table, which has no hash
    shown = tuple(
        next((text for known, text in named if known == value), _value(option.name, value)) for value in option.values
    )
    return replace(option, label=words.label, about=words.about, shown=shown)


def differences(options: Mapping[str, Any], offered: Sequence[Option]) -> list[str]:
    """Return the options of a variant in words: the number of players, and what differs from the defaults."""
    found = []
    for option in offered:
        value = options.get(option.name)
        same = (text for each, text in zip(option.values, option.shown, strict=True) if each is value or each == value)
        text = next(same, _value(option.name, value))
        if option.name == "players":
            found.append(f"{value} players")
        elif text != option.shown[option.default]:
            found.append(f"{option.label}: {text}")
    return found


def _value(name: str, value: object) -> str:
    """Return the human-readable value of an option."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "first_player" and isinstance(value, int):
        return f"seat {value + 1}"
    if isinstance(value, dict | list):
        return "your own"
    return "default" if value is None else str(value).replace("_", " ")


def sentence(text: str) -> str:
    """Return the text of an option's documentation for the page: as a sentence, with names of seats and values."""
    plain = re.sub(r"\bseat (\d+)", lambda found: f"seat {int(found[1]) + 1}", re.sub(r"[`\"]", "", text))
    return plain[:1].upper() + plain[1:]


@cache
def options_of(game: str) -> list[Option]:
    """Return the options of a game that have a few values, from the signature of its `make_game`.

    The possible numbers of players are found by trying them. Options with other numbers or tables are not offered.
    """
    make = game_module(game).make_game
    hints = option_types(make)
    about = {
        each.arg_name: each.description or "" for each in docstring_parser.parse(inspect.getdoc(make) or "").params
    }
    found = []
    for name, parameter in inspect.signature(make).parameters.items():
        if parameter.default is parameter.empty:
            continue
        values = _values(hints.get(name))
        if name == "players":
            values = tuple(n for n in range(2, MAX_PLAYERS + 1) if _makes(make, n))
        offered = tuple(dict.fromkeys([*(() if parameter.default in values else (parameter.default,)), *values]))
        if len(offered) > 1:
            found.append(Option(name, offered, offered.index(parameter.default), " ".join(about.get(name, "").split())))
    return found


def fits(game: Game, spec: str) -> bool:
    """Whether an agent was trained for the game's variant. Players that are not agents always fit."""
    return all(_fits(game, member.source) for member in PlayerName.parse(spec).members)


def _fits(game: Game, source: str) -> bool:
    """`fits` for one player, without play and search."""
    if source in CHOOSE:
        try:
            return CHOOSE[source](game).game_id == game.id
        except ValueError:  # no released agent plays this variant, or none is hard to exploit
            return False
    try:
        agent = find_agent(source)
        folder = find_anchor(source) or Path(source) if agent is None else agent.folder
        for file in (folder / CONFIG, folder / "checkpoint" / CONFIG):
            if file.exists():
                config = read_checkpoint_config(file)
                known = layout_hash(game), layout_hash(game, game.extra_fields)  # as in `read_checkpoint`
                return config["environment"]["id"] == game.id and config["layout"]["hash"] in known
    except (OSError, ValueError, LookupError, TypeError):  # make_player reports the error later
        pass
    return True


def made(choices: Choices, number: int, picked: Sequence[int]) -> Game:
    """Make the game with index `number`, with the option values at the indices `picked`.

    Raises:
        ValueError: an index is out of range, or the options are invalid together.
    """
    games = choices.games
    if not 0 <= number < len(games):
        raise ValueError(f"the game must be from 0 to {len(games) - 1}, not {number}")
    offered = choices.options_of(games[number])
    if len(picked) != len(offered) or not all(0 <= i < len(o.values) for i, o in zip(picked, offered, strict=True)):
        raise ValueError("this variant does not exist: choose the options in the form")
    chosen = {o.name: o.values[i] for o, i in zip(offered, picked, strict=True)}
    return make_game(games[number], **{**choices.options, **chosen})


def levels_of(game: Game) -> list[tuple[str, str]]:
    """Return the levels of the opponents, weakest first: the name of each level and of the player behind it.

    "Strongest" is the best released agent of the variant, or the last of the scripted players where there is none.
    """
    best = [BEST] if fits(game, BEST) else []
    own = [*game.bots] if imports_code(name_of(game)) else ["random", "greedy", "expert"]
    ranked = [spec for spec in own if spec in game.bots] + best
    ranked = ranked[:3] + ranked[3:][-1:]
    names = ("Beginner", "Easy", "Hard")[: len(ranked) - 1]
    return list(zip((*names, "Strongest"), ranked, strict=True))


def level_of(game: Game, spec: str) -> str:
    """Return the name of the level at which a player plays; "" for other players."""
    return next((name for name, player in levels_of(game) if spec == player or (spec, player) == (SAMPLED, BEST)), "")


def adviser_of(game: Game, specs: Sequence[str]) -> int:
    """Return the index of the player that gives hints if the user names none: the strongest one without a search.

    It is asked for its probabilities.
    """
    ranked = (SAMPLED, *reversed([player for _, player in levels_of(game)]))
    return next((specs.index(spec) for spec in ranked if spec in specs), 0)


def is_search(spec: str) -> bool:
    """Whether a player searches, so that its first decision in a game has to be compiled."""
    name = PlayerName.parse(spec)
    return bool(name.search) or name.source.partition(":")[0] in ("mcts", "mc")


def label(game: Game, spec: str) -> str:
    """Return the label of a player in a list: its name, after the name of its level if it is one.

    `best` and `safest` are followed by the name of the agent.
    """
    name = PlayerName.parse(spec)
    full = f"{spec} ({name.resolved(game)})" if name.source in CHOOSE else spec
    level = level_of(game, spec)
    return f"{level}: {full}" if level else full


def _values(hint: Any) -> tuple[Any, ...]:
    """Return the values of a Literal or bool type, including those within unions."""
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
