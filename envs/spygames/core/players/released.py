"""Names, paths and rankings of the released agents, which come with the package.

They are listed in `checkpoints/agents.json` with the SHA-256 of each file. `python -m studies.released_agents` writes
this list from the checkpoints and the ladders.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from spygames.core.basics.files import read_file, read_text, shipped_folder
from spygames.core.basics.text import one_line, shown
from spygames.core.compiling.digest import content
from spygames.core.game.game import Game

__all__ = [
    "BEST",
    "Figures",
    "ReleasedAgent",
    "best_agent",
    "find_agent",
    "find_anchor",
    "name_of_best",
    "released_agents",
]

MANIFEST = "agents.json"
FIRST = "-first"
"""Suffix of the name of an anchor, the first agent of a variant. Later agents are measured against it."""
ANCHORS = Path(__file__).resolve().parents[4] / "anchors"
"""Folder of the anchors in a clone. The wheel has no anchors."""
MAX_BYTES = 1 << 30
"""Maximum size of a file of an agent."""
BEST = "best"
"""The name that stands for the best released agent of a variant."""
NEUTRAL = ("first_player",)
"""Options that do not change the variant: an agent plays equally well from either start."""


@dataclass(frozen=True)
class Figures:
    """Measured strength of an agent that chooses its actions in one way.

    Example:
        >>> from spygames.players import find_agent
        >>> figures = find_agent("agent_avenue/simple-2").figures[0]
        >>> 0 < figures.win_shares["greedy"] <= 1
        True
    """

    play: str
    """How the agent chooses actions: `sample`, `argmax` or a temperature."""
    source: str
    """The file beside the checkpoint with the full results."""
    win_shares: Mapping[str, float]
    """Share of games won, 0 to 1, by the opponent's name."""
    fair_shares: Mapping[str, float]
    """Share of games that a side wins if all seats are that opponent, by the opponent's name."""
    rating: float | None
    """Rating on the ladder; None without one."""


@dataclass(frozen=True)
class ReleasedAgent:
    """A trained agent that comes with the package.

    Example:
        >>> from spygames.players import find_agent
        >>> agent = find_agent("agent_avenue/simple-2")
        >>> agent.game_id, agent.options["players"]
        ('agent_avenue_v0', 2)
    """

    name: str
    """Game and variant, such as `agent_avenue/simple-2`."""
    folder: Path
    """Folder of its checkpoint."""
    game_id: str
    """Id of its game, such as `agent_avenue_v0`."""
    options: Mapping[str, Any]
    """All options of its game."""
    decisions: int
    """Number of decisions it was trained on."""
    sha256: Mapping[str, str]
    """Hex digest of the content of each file, by file name. Line ends of text files do not count."""
    figures: tuple[Figures, ...]
    """Measured strength, one entry per way of choosing actions, the best first."""

    def as_json(self) -> dict[str, Any]:
        """Return all fields as plain JSON values."""
        return {**asdict(self), "folder": str(self.folder)}

    def checked_folder(self) -> Path:
        """Return the folder after comparing each file with its digest.

        Raises:
            ValueError: a file cannot be read or is not the released one.
        """
        for name, expected in self.sha256.items():
            try:
                found = sha256(content(read_file(self.folder / name, MAX_BYTES))).hexdigest()
            except OSError as error:
                raise ValueError(f"{self.name}: {self.folder / name} cannot be read: {error.strerror}") from None
            if found != expected:
                raise ValueError(
                    f"{self.name} is damaged: the SHA-256 of {self.folder / name} must be {expected[:12]}..., "
                    f"not {found[:12]}...; reinstall spygames"
                )
        return self.folder


def released_agents() -> list[ReleasedAgent]:
    """Return all agents that come with the package, sorted by name.

    Raises:
        ValueError: the list of agents is damaged.
    """
    folder = _folder()
    return [] if folder is None else _listed(folder)[0]


def find_agent(name: str) -> ReleasedAgent | None:
    """Return the released agent with this name; None if there is none."""
    return next((agent for agent in released_agents() if name == agent.name), None)


def find_anchor(name: str) -> Path | None:
    """Return the checkpoint folder of an anchor, an agent of the ladders that is not released.

    Args:
        name: the name of a released agent and `-first`, such as `agent_avenue/simple-2-first`.

    Returns:
        The folder; None for a name of another form.

    Raises:
        ValueError: there is no such anchor, or this is not a clone.
    """
    if not name.endswith(FIRST) or find_agent(name.removesuffix(FIRST)) is None:
        return None
    if not ANCHORS.is_dir():
        raise ValueError(f"{name} is an anchor of the ladders, which the package does not include: use a clone")
    if not (folder := ANCHORS / name).is_dir():
        raise ValueError(f"there is no anchor {name}; the available ones are in {ANCHORS}")
    return folder


def agent_names() -> str:
    """Return the names of all released agents, for messages."""
    return ", ".join(agent.name for agent in released_agents())


def agent_folder(name: str, game: Game | None = None) -> Path | None:
    """Return the checkpoint folder of a released agent, after checking its files, or of an anchor.

    Args:
        name: the name of a released agent or an anchor, or `best`.
        game: the game with its options, for `best`.

    Returns:
        The folder; None for any other name.

    Raises:
        ValueError: the name is `best` and `game` is None, no agent plays the game, or the agent's files are damaged.
    """
    if name == BEST:
        if game is None:
            raise ValueError(f"best needs a game; name an agent instead: {agent_names()}")
        return best_agent(game)[0].checked_folder()
    agent = find_agent(name)
    return find_anchor(name) if agent is None else agent.checked_folder()


def best_agent(game: Game) -> tuple[ReleasedAgent, str]:
    """Return the best released agent of a variant by its ladder, without a search, and its best way of play.

    Example:
        >>> from spygames import make_game
        >>> from spygames.players import best_agent
        >>> agent, play = best_agent(make_game("agent_avenue_v0"))
        >>> agent.name, play
        ('agent_avenue/simple-2', 'argmax')

    Args:
        game: the game. Its options must be those that the agent was trained with, except for `first_player`.

    Returns:
        The agent, and `sample`, `argmax` or a temperature.

    Raises:
        ValueError: no released agent plays this variant; the message lists the released agents.
    """
    folder = _folder()
    agents, best = ([], []) if folder is None else _listed(folder)
    variant = _variant(game.id, game.options)
    for environment, name, play in best:
        if environment == variant:
            return next(agent for agent in agents if agent.name == name), play
    raise ValueError(f"no released agent plays {game.title}; available agents: {agent_names() or 'none'}")


def name_of_best(game: Game, play: str = "") -> str:
    """Return the player's name of `best_agent`, such as `agent_avenue/simple-2@argmax`.

    Args:
        game: see `best_agent`.
        play: how the agent chooses actions; "": as it plays best.

    Raises:
        ValueError: see `best_agent`.
    """
    agent, best = best_agent(game)
    return f"{agent.name}@{play or best}"


def _variant(game_id: str, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    return game_id, {name: value for name, value in options.items() if name not in NEUTRAL}


def _folder() -> Path | None:
    """Return the folder of the released agents; None if it is missing."""
    folder = shipped_folder("checkpoints")
    return folder if (folder / MANIFEST).is_file() else None


Listed = tuple[list[ReleasedAgent], list[tuple[tuple[str, dict[str, Any]], str, str]]]
"""The agents; and the variants, each with the name of its best agent and how that agent plays best."""


@cache
def _listed(folder: Path) -> Listed:
    file = folder / MANIFEST
    try:
        found = json.loads(read_text(file, MAX_BYTES))
        agents = [
            ReleasedAgent(
                each["name"],
                folder / each["folder"],
                each["environment"]["id"],
                each["environment"]["options"],
                each["decisions"],
                each["sha256"],
                tuple(Figures(**figures) for figures in each["figures"]),
            )
            for each in found["agents"]
        ]
        best = [
            (_variant(each["environment"]["id"], each["environment"]["options"]), each["agent"], each["play"])
            for each in found["best"]
        ]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise ValueError(f"{file}, the list of released agents, is damaged: {one_line(error, 200)}") from None
    names = {agent.name for agent in agents}
    if strange := [name for _, name, _ in best if name not in names]:
        raise ValueError(f"{file}, the list of released agents, is damaged: it has no agent {shown(strange[0])}")
    return sorted(agents, key=lambda agent: agent.name), best
