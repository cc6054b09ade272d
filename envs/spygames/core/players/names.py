"""Make players from their names: scripted bots, searches, trained policies, and players of your own."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

from spygames.core.basics.extras import how_to_install
from spygames.core.basics.text import one_line, shown
from spygames.core.game.game import Game
from spygames.core.game.registry import canonical_id, game_ids
from spygames.core.game.validation import check_game
from spygames.core.players.checkpoint_files import ZIP
from spygames.core.players.mixture import MIX, MixturePlayer, check_number
from spygames.core.players.numpy_player import NumpyPlayer
from spygames.core.players.player import (
    DecisionBatch,
    HasPlayer,
    Player,
    PlayerLike,
    Scripted,
    name_of,
    new_memory,
)
from spygames.core.players.released import CHOOSE, find_agent, find_anchor, released_agents
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
"""Maximum number of playouts per decision. A tree of that many nodes takes gigabytes."""


KINDS = "spygames.players"
"""Entry-point group of further kinds of players, open to other packages.

The name of an entry is a kind. `make_player(game, "KIND:ARGUMENT")` calls the object of the entry with (game,
ARGUMENT). It returns a Player, or raises ValueError for a wrong argument. The kind `checkpoint` is also called with the
`PlayerName` of a path or an agent."""

SEARCHES = "spygames.searches"
"""Entry-point group of searches on top of a player.

Its entry `policy` is called with (player, SETTINGS) for `+search:SETTINGS`. It returns a Player or raises
ValueError."""

CHECKPOINT = "checkpoint"
"""The kind that makes the players of checkpoints, which are named by their folder alone."""
DATA = (CHECKPOINT, "onnx")
"""Kinds whose argument is a data file, which runs no code. All other kinds may run any code."""

COMMAND = "command:"
"""Prefix of the names of programs. The rest of such a name is a command line, in which `@` and `+search:` have no
meaning."""

MODEL = "llm:"
"""Prefix of the names of language models. The rest of such a name has a syntax of its own (`spygames.core.chat`)."""

SEARCH = "+search:"
"""Separator between a policy and the settings of a search on top of it."""

RIVALS = ",rivals="
"""Beginning of the rivals in a search's settings, which may name folders."""

_EXTRA = {"torch": "training", "safetensors": "training", "onnxruntime": "onnx", "httpx": "llm"}
"""The extra of this package that installs each module."""


@dataclass(frozen=True)
class PlayerName:
    """The parts of a player's name, `SOURCE[@PLAY][+search:SETTINGS]`. `str(name)` is the whole name.

    Example:
        >>> from spygames.players import PlayerName
        >>> name = PlayerName.parse("agent_avenue/simple-2@argmax+search:64")
        >>> name.source, name.play, name.search
        ('agent_avenue/simple-2', 'argmax', '64')
    """

    source: str
    """The player before `@` and `+search:`, see `make_player`."""
    play: str = ""
    """The text after `@`, such as `argmax`; "" without one."""
    search: str | None = None
    """The settings after `+search:`; None without a search."""

    @classmethod
    def parse(cls, text: "str | PlayerName") -> "PlayerName":
        """Split a name into its parts. A `PlayerName` is returned unchanged.

        The result depends on the text alone, not on which files exist. `@` and `+search:` count only after the last
        slash before the rivals of a search. The path of a folder with one of these in its name ends with a slash
        (`runs/a@b/`). A name that begins with `command:`, `llm:` or `mix:` is not split.

        Raises:
            ValueError: nothing follows an `@`.
            TypeError: it is not a text.
        """
        if isinstance(text, PlayerName):
            return text
        if not isinstance(text, str):
            raise TypeError(f"the name of a player must be a text such as 'greedy', not {shown(text)}")
        if text.startswith((COMMAND, MODEL, f"{MIX}:")):
            return cls(text)
        head = text.partition(RIVALS)[0]
        cut = max(head.rfind("/"), head.rfind(os.sep)) + 1
        if SEARCH not in head[cut:]:
            cut = max(text.rfind("/"), text.rfind(os.sep)) + 1
        policy, plus, settings = text[cut:].partition(SEARCH)
        source, at, play = policy.rpartition("@") if "@" in policy else (policy, "", "")
        if at and not play:
            raise ValueError(f"{shown(text)} must say after @ how the player plays, as in @argmax, or have no @")
        return cls(text[:cut] + source, play, settings if plus else None)

    def as_player(self, game: Game) -> Player:
        """Return the player of this name. Raises ValueError as `make_player` does."""
        return make_player(game, self)

    def __str__(self) -> str:
        return self.policy if self.search is None else f"{self.policy}{SEARCH}{self.search}"

    @property
    def policy(self) -> str:
        """The name without a search."""
        return f"{self.source}@{self.play}" if self.play else self.source

    @property
    def kind(self) -> str:
        """The text before the first colon of the source, such as `onnx` or `mcts`; "" without a colon."""
        kind, colon, _ = self.source.partition(":")
        return kind if colon else ""

    @property
    def argument(self) -> str:
        """The text after the first colon, without a search: `FILE@argmax`."""
        return self.policy.partition(":")[2]

    @property
    def members(self) -> "tuple[PlayerName, ...]":
        """The players of a mixture, `mix:A|B`; otherwise the player itself.

        Raises:
            ValueError: the mixture has fewer than two players, or one that no mixture may have.
        """
        if self.kind != MIX:
            return (self,)
        texts = self.argument.split("|")
        if not all(texts):
            raise ValueError(f"a player of a mixture is missing in {shown(self.source)}")
        check_number(len(texts))
        members = tuple(map(PlayerName.parse, texts))
        for member in members:
            if member.kind == MIX or RIVALS in f",{member.search or ''}":
                raise ValueError(
                    f"a player of a mixture must be no mixture and no search with rivals, not {shown(str(member))}"
                )
        return members

    @property
    def rivals(self) -> "tuple[PlayerName, ...]":
        """The agents among the rivals of a search, `+search:64,rivals=policy|runs/a@argmax`: the names with a slash."""
        text = f",{self.search or ''}".partition(RIVALS)[2].partition(",")[0]
        return tuple(PlayerName.parse(each) for each in text.split("|") if "/" in each or os.sep in each)

    @property
    def searches(self) -> bool:
        """Whether the player, or a member of a mixture, is a search, which draws worlds (`Game.determinize`)."""
        return any(each.search is not None or each.kind in get_args(Kind) for each in self.members)

    def resolved(self, game: Game | None) -> "PlayerName":
        """Replace `best` and `safest` by the agent's name, and add how a released agent plays if the name does not say.

        A released agent plays as it is meant to (`ReleasedAgent.play`). Below a search its actions are sampled, because
        argmax would leave nothing to search. The members of a mixture are replaced. Any other name is returned
        unchanged, and so are `best` and `safest` without a game.

        Raises:
            ValueError: no released agent plays this variant, or none is hard to exploit.
        """
        if self.kind == MIX:
            members = "|".join(str(member.resolved(game)) for member in self.members)
            return replace(self, source=f"{MIX}:{members}")
        agent = CHOOSE[self.source](game) if self.source in CHOOSE and game is not None else find_agent(self.source)
        if agent is None:
            return self
        return PlayerName(agent.name, self.play or (agent.play if self.search is None else "sample"), self.search)


def make_player(game: Game, spec: str | PlayerName, *, allow_code: bool = True) -> Player:
    """Make the player with the given name.

    The source of a name is the first of these that fits:

    - a scripted bot of the game: `greedy`
    - a search with its simulations per decision: `mcts:200`, `mc:200`
    - a mixture, which draws one of its players for each game: `mix:A|B` (`MixturePlayer`)
    - `KIND:ARGUMENT` with an installed kind of players: `python:my_bot.act`
    - a released agent: `agent_avenue/simple-2` (see `released_agents`)
    - `best`: the released agent of the variant that wins most; `safest`: the one that is hardest to exploit
    - the path of a checkpoint: its folder, or a zip of it; write `./best` for a folder with one of the names above

    Without torch, NumPy computes agents and checkpoints (`NumpyPlayer`).

    A released agent plays as it is meant to (`ReleasedAgent.play`). Other policies, and all below a search, sample
    their actions. `@argmax`, `@sample` or a temperature (`@0.5`) changes that. `+search:64` adds a search on top of a
    policy that has a value.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import make_player
        >>> make_player(make_game("agent_avenue_v0"), "mcts:50").name
        'mcts:50'

    Args:
        game: the game to play.
        spec: the name, `SOURCE[@PLAY][+search:SETTINGS]`.
        allow_code: False for names read from a file, which must not choose the code that runs (see `runs_code`).

    Raises:
        ValueError: no player has this name; the message lists the available ones. Also if an extra of this package is
            missing, or if the player runs code that is not allowed.
        TypeError: `game` is not a Game, or `spec` not a name.
    """
    check_game(game)
    if not allow_code and runs_code(spec):
        raise ValueError(f"player names read from a file must not run code, but {shown(str(spec))} does")
    name = PlayerName.parse(spec)
    player = _of_source(game, name)
    return player if name.search is None else _installed("policy", SEARCHES)(player, name.search)


def check_play(name: str | PlayerName, play: str, setting: str = "play") -> None:
    """Raise ValueError if a name says how to play, and the setting with this name says so, too."""
    if play and PlayerName.parse(name).play:
        raise ValueError(f"{shown(str(name))} and {setting}={shown(play)} both say how to play: give one of them")


def runs_code(spec: str | PlayerName) -> bool:
    """Whether a player with this name may run code that its argument chooses.

    `python:` and `command:` do; a kind of another package may; so does `llm:`, which sends texts to a
    server, spends money there, and may send it a key; a mixture does if one of its players does. Check this
    before you use names from files that others may have written (results, games, checkpoints), and let the user allow
    such code (`--allow-code`).
    """
    kinds = {each.kind for each in PlayerName.parse(spec).members}
    return bool(kinds.difference(DATA) & entry_points(group=KINDS).names)


def _of_source(game: Game, name: PlayerName) -> Player:
    """Make the player without its search."""
    spec, kind, argument = name.policy, name.kind, name.argument
    if spec in game.bots:
        return Scripted(game, spec)
    if kind in ("mcts", "mc") or spec in ("mcts", "mc"):
        if not argument.isdecimal() or len(argument) > 9 or not 1 <= int(argument) <= MAX_SIMULATIONS:
            if name.play and argument.removesuffix(f"@{name.play}").isdecimal():
                raise ValueError(f"a search takes no @{one_line(name.play)}: use {name.source}, not {one_line(spec)}")
            right = f"1 to {MAX_SIMULATIONS} simulations per decision, as in {kind or spec}:200"
            raise ValueError(f"{shown(spec)} must give {right}")
        return SearchPlayer(game, "mcts" if kind == "mcts" else "mc", int(argument), threads=os.cpu_count() or 1)
    if kind == MIX:
        return _mixture(game, name)
    if name.play and spec.startswith((COMMAND, MODEL)):
        raise ValueError(f"{shown(name.source)} takes no @{one_line(name.play)}")
    if kind in entry_points(group=KINDS).names:
        return _installed(kind)(game, argument)
    source = name.source
    is_file = find_agent(source) is not None or find_anchor(source) is not None or _exists(source)
    if source in CHOOSE or (is_file and source not in game.bots):
        return _of_checkpoint(game, replace(name.resolved(game), search=None))
    raise ValueError(_no_player(game, name))


def _mixture(game: Game, name: PlayerName) -> MixturePlayer:
    """Make a mixture of players."""
    if name.play:
        raise ValueError(f"a mixture takes no @{one_line(name.play)}: write it behind each of its players")
    return MixturePlayer(game, as_players(game, [str(member) for member in name.members]))


def _of_checkpoint(game: Game, name: PlayerName) -> Player:
    """Make a player from a checkpoint. Torch computes its network; NumPy does where torch is not installed."""
    if entry_points(group=KINDS, name=CHECKPOINT) and all(map(find_spec, ("torch", "safetensors"))):
        return _installed(CHECKPOINT)(game, name)
    return NumpyPlayer(game, name.source, name.play)


def _no_player(game: Game, name: PlayerName) -> str:
    """Return the error message for an unknown name, with the most similar known name."""
    source, kinds = name.source, entry_points(group=KINDS).names
    if source in game.bots:
        return f"a scripted player takes no @{one_line(name.play)}: use {source}, not {one_line(name)}"
    no = f"no player {shown(name.policy)}"
    if canonical_id(source) in game_ids():
        return f"{no}: it is a game; pass it as --game"
    if os.path.isdir(run := os.path.join("runs", source)) and source:
        return f"{no}; did you mean {one_line(run)}?"
    agents = [agent.name for agent in released_agents()]
    # Agents are also known without their game. If two agents share a name, this game's agent wins.
    short = {each.partition("/")[2]: each for each in sorted(agents, key=lambda each: each.startswith(f"{game.name}/"))}
    known = {
        key.casefold(): each
        for key, each in [*short.items(), *((each, each) for each in [*game.bots, *agents, *CHOOSE])]
    }
    if near := get_close_matches(source.casefold(), known, 1, 0.7):
        return f"{no}; did you mean {known[near[0]]}?"
    kind, colon, argument = source.partition(":")
    if colon and (near := get_close_matches(kind.casefold(), ["mcts", "mc", MIX, *kinds], 1, 0.7)):
        return f"{no}; did you mean {near[0]}:{one_line(argument)}?"
    if not colon and "," in source:
        return f"{no}; separate players by blanks, not commas: {one_line(source.replace(',', ' '))}"
    if not colon and source.casefold().endswith(ZIP):
        return f"there is no file {one_line(source)}"
    if not colon and ("/" in source or os.sep in source):
        return f"there is no folder {one_line(source)}, and no released agent of that name"
    return (
        f"{no}: scripted players of {game.id} are {', '.join(game.bots)}; others are mcts:N, mc:N, {MIX}:A|B, a "
        f"released agent (best, {agents[0] if agents else 'none here'}, ...), the folder of a checkpoint, and "
        f"{', '.join(f'{kind}:...' for kind in sorted(kinds - {CHECKPOINT})) or 'no installed kind'}"
    )


def _installed(kind: str, group: str = KINDS) -> Callable[..., Player]:
    """Load the entry point of a kind: it makes a player from (game, argument), or adds a search to a player."""
    found = entry_points(group=group, name=kind)
    if not found:
        raise ValueError(f"players of kind {kind} are not installed; reinstall spygames (in a clone: make setup)")
    try:
        return next(iter(found)).load()
    except ModuleNotFoundError as error:
        extra = _EXTRA.get(str(error.name).split(".")[0])
        if extra is None:
            raise
        what = f"players of kind {kind} need" if group == KINDS else f"{SEARCH} needs"
        raise ValueError(f"{what} {error.name}: {how_to_install(extra)}") from error


def as_players(game: Game, players: PlayerLike | Sequence[PlayerLike]) -> list[Player]:
    """Convert names, policies and players to a list of players.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import as_players
        >>> [player.name for player in as_players(make_game("agent_avenue_v0"), ["greedy", "random"])]
        ['greedy', 'random']

    Args:
        game: the game to play.
        players: one player or several: a name (see `make_player`), a `Policy` or a `Player`. Equal names give the same
            player, and so does the same policy.

    Raises:
        TypeError: a value is none of these, or `game` is not a Game.
        ValueError: no player has that name, or a policy or player plays another game.
    """
    check_game(game)
    given = list(players) if isinstance(players, Sequence) and not isinstance(players, str) else [players]
    for player in given:
        plays = isinstance(player, HasPlayer) or callable(getattr(player, "act", None))
        if not isinstance(player, str) and (isinstance(player, type) or not plays):
            hint = (
                "; wrap a function as PythonPlayer(game, function, name)"
                if callable(player) and not isinstance(player, type)
                else ""
            )
            raise TypeError(f"a player must be a name (see make_player) or a Player, not {shown(player)}{hint}")
    keys = [player if isinstance(player, str) else id(player) for player in given]
    found: dict[str | int, Player] = {}
    for key, player in zip(keys, given, strict=True):
        if key not in found:
            found[key] = _as_player(game, player)
    return [found[key] for key in keys]


def _as_player(game: Game, player: PlayerLike) -> Player:
    if isinstance(player, str):
        return make_player(game, player)
    if isinstance(player, HasPlayer):
        return player.as_player(game)
    own = getattr(player, "game", None)
    if isinstance(own, Game) and (own.id, own.num_players, own.layout) != (game.id, game.num_players, game.layout):
        raise ValueError(f"the player {name_of(player)} plays {own.title}, not {game.title}")
    return player


def named_players(game: Game, names: Sequence[str], setting: str) -> list[Player]:
    """Make the players of a setting. None of them may run code (see `runs_code`), because settings are kept in files.

    Args:
        game: the game to play.
        names: the players' names, see `make_player`.
        setting: the name of the setting, for the error message.

    Raises:
        ValueError: a name is wrong, or its player runs code.
    """
    try:
        return [make_player(game, name, allow_code=False) for name in names]
    except ValueError as error:
        raise ValueError(f"{setting}: {error}") from error


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # the path is too long or has an invalid character
        return False
