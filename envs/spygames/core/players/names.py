"""Players by their names: scripted bots, searches, trained policies, and players of your own."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.metadata import entry_points
from pathlib import Path
from typing import get_args

from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game
from spygames.core.game.registry import canonical_id, game_ids
from spygames.core.players.player import (
    DecisionBatch,
    HasPlayer,
    Player,
    PlayerLike,
    Scripted,
    name_of,
    new_memory,
)
from spygames.core.players.released import BEST, find_agent, find_anchor, name_of_best, released_agents
from spygames.core.players.search import Kind, SearchPlayer

__all__ = [
    "DecisionBatch",
    "Player",
    "PlayerLike",
    "PlayerName",
    "Scripted",
    "as_players",
    "make_player",
    "name_of",
    "named_players",
    "new_memory",
    "runs_code",
]

MAX_SIMULATIONS = 1_000_000
"""The most playouts a decision: a tree of so many nodes takes gigabytes."""


KINDS = "spygames.players"
"""The entry-point group of further kinds of players, also of other packages: the name of an entry is a kind, and
`make_player(game, "KIND:ARGUMENT")` calls what it points to with (game, ARGUMENT) for a Player, or for a ValueError if
the argument makes no sense. The kind `checkpoint` is also called with the `PlayerName` of a path or an agent."""

SEARCHES = "spygames.searches"
"""The entry-point group of searches on top of a player: its `policy` is called with (player, SETTINGS) for
`+search:SETTINGS`, and returns a Player or raises a ValueError."""

DATA = ("checkpoint", "onnx")
"""The kinds whose argument is a file of data, which runs no code. Any other may do anything."""

SEARCH = "+search:"
"""What stands between a policy and the settings of a search on top of it."""

_EXTRA = {"torch": "training", "safetensors": "training", "onnxruntime": "onnx"}
"""What is missing without an extra of this package."""


@dataclass(frozen=True)
class PlayerName:
    """A player's name in its parts, `SOURCE[@PLAY][+search:SETTINGS]`; `str(name)` is its text."""

    source: str
    """What plays, see `make_player`."""
    play: str = ""
    """What follows `@`; "" without it."""
    search: str | None = None
    """What follows `+search:`; None without a search."""

    @classmethod
    def parse(cls, text: "str | PlayerName") -> "PlayerName":
        """The parts of a name, by its text alone; a parsed one is returned as it is.

        `@` and `+search:` count behind the last slash, so that the path of a folder with such a name ends in one
        (`runs/a@b/`).
        """
        if isinstance(text, PlayerName):
            return text
        cut = max(text.rfind("/"), text.rfind(os.sep)) + 1
        policy, plus, settings = text[cut:].partition(SEARCH)
        source, _, play = policy.rpartition("@") if "@" in policy else (policy, "", "")
        return cls(text[:cut] + source, play, settings if plus else None)

    def as_player(self, game: Game) -> Player:
        """The player of this name; ValueError as `make_player`."""
        return make_player(game, self)

    def __str__(self) -> str:
        return self.policy if self.search is None else f"{self.policy}{SEARCH}{self.search}"

    @property
    def policy(self) -> str:
        """The name without a search."""
        return f"{self.source}@{self.play}" if self.play else self.source

    @property
    def kind(self) -> str:
        """What precedes the first colon of the source, as `onnx` or `mcts`; "" without a colon."""
        kind, colon, _ = self.source.partition(":")
        return kind if colon else ""

    @property
    def argument(self) -> str:
        """What follows the first colon of the source and says how it plays: `FILE@argmax`."""
        return self.policy.partition(":")[2]

    @property
    def searches(self) -> bool:
        """Whether the player draws worlds (`Game.determinize`)."""
        return self.search is not None or self.kind in get_args(Kind)

    def without_best(self, game: Game) -> "PlayerName":
        """The name with the agent in place of `best`, and how that plays where the name does not say it: on top of what
        is sampled for a search, which argmax would leave nothing to search.

        ValueError where no released agent plays this variant.
        """
        if self.source != BEST:
            return self
        play = self.play or ("" if self.search is None else "sample")
        return replace(PlayerName.parse(name_of_best(game, play)), search=self.search)


def make_player(game: Game, spec: str | PlayerName, *, allow_code: bool = True) -> Player:
    """The player that `spec` names.

    Args:
        game: what is played.
        spec: `SOURCE[@PLAY][+search:SETTINGS]`. The source is, what fits first: a scripted bot (`greedy`); a search
            with its simulations a decision (`mcts:200`, `mc:200`); `KIND:ARGUMENT` with a kind that a package has
            installed (`KINDS`); an agent that comes with the package (`agent_avenue/simple-2`, see `released_agents`);
            `best`, the best of these for the variant, as it plays best without a search; the path of a checkpoint (for
            a folder of one of these names `./best`). Other policies are sampled, unless `@argmax` or a temperature
            (`@0.5`) follows; `+search:64` puts a search on top of one that has a value.
        allow_code: False for a name that comes out of a file, which must not choose what code runs (`runs_code`).

    Raises:
        ValueError: it is none of these, and the message says what there is; or an extra of this package is missing; or
            it runs code that is not allowed.
    """
    if not allow_code and runs_code(spec):
        raise ValueError(f"{shown(str(spec))} runs code, which a name from a file may not do")
    name = PlayerName.parse(spec)
    player = _of_source(game, name)
    return player if name.search is None else _installed("policy", SEARCHES)(player, name.search)


def runs_code(spec: str | PlayerName) -> bool:
    """Whether the player of that name runs code that its argument chooses, as `python:` and `command:` do, or may do
    so, as any kind of another package.

    Whoever takes names out of files that others may have written (results, games, checkpoints) asks this first, and
    whoever is asked to play them again wants to be told so (`--allow-code`).
    """
    kind = PlayerName.parse(spec).kind
    return kind not in DATA and kind in entry_points(group=KINDS).names


def _of_source(game: Game, name: PlayerName) -> Player:
    """The player without a search."""
    spec, kind, argument = name.policy, name.kind, name.argument
    if spec in game.bots:
        return Scripted(game, spec)
    if kind in ("mcts", "mc") or spec in ("mcts", "mc"):
        if not argument.isdecimal() or len(argument) > 9 or not 1 <= int(argument) <= MAX_SIMULATIONS:
            if name.play and argument.removesuffix(f"@{name.play}").isdecimal():
                raise ValueError(f"a search has no @{one_line(name.play)}: name it {name.source}, not {one_line(spec)}")
            right = f"1 to {MAX_SIMULATIONS} simulations a decision, as in {kind or spec}:200"
            raise ValueError(f"{shown(spec)} must give {right}")
        return SearchPlayer(game, "mcts" if kind == "mcts" else "mc", int(argument), threads=os.cpu_count() or 1)
    if kind in entry_points(group=KINDS).names:
        return _installed(kind)(game, argument)
    source = name.source
    is_file = find_agent(source) is not None or find_anchor(source) is not None or _exists(source)
    if source == BEST or (is_file and source not in game.bots):
        return _installed("checkpoint")(game, replace(name.without_best(game), search=None))
    raise ValueError(_no_player(game, name))


def _no_player(game: Game, name: PlayerName) -> str:
    """Why nobody goes by a name, what comes nearest first."""
    source, kinds = name.source, entry_points(group=KINDS).names
    if source in game.bots:
        return f"a scripted player has no @{one_line(name.play)}: name it {source}, not {one_line(name)}"
    no = f"no player {shown(name.policy)}"
    if canonical_id(source) in game_ids():
        return f"{no}: it is a game, which --game names"
    if os.path.isdir(run := os.path.join("runs", source)) and source:
        return f"{no}; did you mean {one_line(run)}?"
    agents = [agent.name for agent in released_agents()]
    # Agents without their game, too; of two with the same name the one of this game.
    short = {each.partition("/")[2]: each for each in sorted(agents, key=lambda each: each.startswith(f"{game.name}/"))}
    known = {
        key.casefold(): each for key, each in [*short.items(), *((each, each) for each in [*game.bots, *agents, BEST])]
    }
    if near := get_close_matches(source.casefold(), known, 1, 0.7):
        return f"{no}; did you mean {known[near[0]]}?"
    kind, colon, argument = source.partition(":")
    if colon and (near := get_close_matches(kind.casefold(), ["mcts", "mc", *kinds], 1, 0.7)):
        return f"{no}; did you mean {near[0]}:{one_line(argument)}?"
    if not colon and "," in source:
        return f"{no}; name several players without commas: {one_line(source.replace(',', ' '))}"
    if not colon and ("/" in source or os.sep in source):
        return f"there is no folder {one_line(source)}, and no released agent of that name"
    return (
        f"{no}: scripted players of {game.id} are {', '.join(game.bots)}; others are mcts:N, mc:N, a released agent "
        f"(best, {agents[0] if agents else 'none here'}, ...), the folder of a checkpoint, and "
        f"{', '.join(f'{kind}:...' for kind in sorted(kinds)) or 'no installed kind'}"
    )


def _installed(kind: str, group: str = KINDS) -> Callable[..., Player]:
    """What makes players of an installed kind, from a game and an argument, or puts a search on top of a player."""
    found = entry_points(group=group, name=kind)
    if not found:
        raise ValueError(f"players of kind {kind} are not installed: install spygames again (in a clone: make setup)")
    try:
        return next(iter(found)).load()
    except ModuleNotFoundError as error:
        extra = _EXTRA.get(str(error.name).split(".")[0])
        if extra is None:
            raise
        raise ValueError(f"players of kind {kind} need {error.name}: pip install 'spygames[{extra}]'") from error


def as_players(game: Game, players: PlayerLike | Sequence[PlayerLike]) -> list[Player]:
    """One or several players, each given as itself, by a name as `make_player` takes it, or as a `Policy`; equal names
    and the same policy are one player.

    Raises:
        TypeError: something is none of these, or `game` is no Game.
        ValueError: there is no player of that name, or a policy plays another game.
    """
    if not isinstance(game, Game):
        raise TypeError(f"a game is what spygames.make_game(id) returns, not {shown(game)}")
    given = list(players) if isinstance(players, Sequence) and not isinstance(players, str) else [players]
    for player in given:
        plays = isinstance(player, HasPlayer) or callable(getattr(player, "act", None))
        if not isinstance(player, str) and (isinstance(player, type) or not plays):
            hint = (
                ": a function plays as PythonPlayer(game, function, name)"
                if callable(player) and not isinstance(player, type)
                else ""
            )
            raise TypeError(f"a player is a name as make_player takes it or a Player, not {shown(player)}{hint}")
    keys = [player if isinstance(player, str) else id(player) for player in given]
    found: dict[str | int, Player] = {}
    for key, player in zip(keys, given, strict=True):
        if key not in found:
            found[key] = _as_player(game, player)
    return [found[key] for key in keys]


def _as_player(game: Game, player: PlayerLike) -> Player:
    if isinstance(player, str):
        return make_player(game, player)
    return player.as_player(game) if isinstance(player, HasPlayer) else player


def named_players(game: Game, names: Sequence[str], setting: str) -> list[Player]:
    """The players that a setting names, as `make_player` takes them; ValueError names the setting.

    Settings are kept in files, so none of them runs code (`runs_code`).
    """
    try:
        return [make_player(game, name, allow_code=False) for name in names]
    except ValueError as error:
        raise ValueError(f"{setting}: {error}") from error


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long for a name, or with a character that no name has
        return False
